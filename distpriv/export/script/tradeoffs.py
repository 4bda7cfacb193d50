"""Scripts of the pages on cost, guarantee and the choice of ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from distpriv import mechanisms
from distpriv.analysis.acceptable_error import ErrorLimit
from distpriv.analysis.design import Limit
from distpriv.analysis.without_curves import WITHOUT
from distpriv.export.script.script import Section, call, listing, literal
from distpriv.export.script.setup import Setting, noises, shown_at_first

__all__ = ["choosing", "guarantee", "tradeoff"]


def tradeoff(
    setting: Setting,
    names: Sequence[str] | None = None,
    measure: int | None = None,
    **_: object,
) -> list[Section]:
    """The error of every mechanism that is shown."""
    wanted = dict.fromkeys([*(names or shown_at_first()), setting.scenario.mechanism])
    error = (
        "evaluation.reported(noise).expected_error()"
        if measure is None
        else f"noise.expected_absolute_errors()[{int(measure)}]"
    )
    code = f"""\
for name, noise in noises.items():
    result[f"{{name}}: expected error"] = {error}
    result[f"{{name}}: best attacker right"] = evaluation.accuracy_of(noise)
    result[f"{{name}}: delivered δ"] = evaluation.delivered(noise)"""
    advised = """\
found = dp.analysis.recommend(evaluation)
if found.best is not None:
    result[f"recommended, {found.best.mechanism}: ε"] = found.best.epsilon
    result[f"recommended, {found.best.mechanism}: expected L2 error"] = found.best.error"""
    return [
        Section("What each mechanism costs at the same ε and δ", noises(wanted) + code),
        Section("What to take at the same attack accuracy", advised),
    ]


def guarantee(
    setting: Setting, names: Sequence[str] = (), releases: int = 10, **_: object
) -> list[Section]:
    """What is delivered, by one release and by several."""
    wanted = dict.fromkeys([*(names or ("ExpM", "DauM", "OptM")), setting.scenario.mechanism])
    gaussian = [name for name in wanted if mechanisms.get(name).distribution == "gaussian"]
    code = f"""\
model, delta = evaluation.model, scenario.delta
for name, noise in noises.items():
    left = noise.after_releases({int(releases)})
    law = evaluation.laws_for(noise)
    right = dp.optimal_attack_accuracy(evaluation.focused, left)
    result[f"{{name}}: delivered δ"] = evaluation.delivered(noise)
    result[f"{{name}}: delivered ε"] = dp.delivered_epsilon(model, noise, noise.delta, law=law)
    result[f"{{name}}: best attacker after the releases"] = right
    result[f"{{name}}: ε after the releases"] = dp.delivered_epsilon(model, left, delta)
    result[f"{{name}}: δ after the releases"] = dp.delivered_delta(model, left, scenario.epsilon)"""
    title = f"One release, and {releases} of the same statistics"
    bracketed = """\
audited = dp.analysis.audit(evaluation)
brackets = dp.analysis.bracket(evaluation, audited)
figures = {
    "at least": brackets.at_least,
    "by the fitted normals": brackets.normals,
    "at most": brackets.at_most,
}
for name, figure in figures.items():
    if figure is not None:
        result[f"{name}: δ"] = figure.delta
        result[f"{name}: ε"] = figure.epsilon"""
    return [
        Section(title, noises(gaussian) + code),
        Section("At least, by the fitted normals, and at most whatever the curves", bracketed),
    ]


def choosing(
    setting: Setting,
    limit: Limit | None = None,
    limits: Sequence[ErrorLimit] = (),
    prior: float = 0.5,
    **_: object,
) -> list[Section]:
    """From a limit on the attacker to the largest ε, from errors to the least, and its meaning."""
    given = limit or Limit("guesses", 60)
    names, chosen = shown_at_first(), setting.scenario.mechanism
    if chosen not in names and mechanisms.get(chosen).protects:
        names.append(chosen)
    quick = [name for name in names if not mechanisms.get(name).from_records]
    if WITHOUT not in names:
        names.append(WITHOUT)
    named = [f"{field.name}={literal(getattr(given, field.name))}" for field in fields(given)]
    code = f"""\
limit = dp.Limit({", ".join(named)})
design = dp.choose(
    limit,
    evaluation.model,
    {literal(names)},
    report=evaluation.report_sizes,
    **evaluation.calibrating,
)
result = {{"reached without noise": design.undefended, "no noise from ε": design.noiseless}}
for choice in design.choices:
    result[f"{{choice.mechanism}}: largest ε"] = choice.epsilon
    result[f"{{choice.mechanism}}: expected L2 error"] = choice.error
found = dp.analysis.recommend(evaluation, limit)
if found.best is not None:
    result[f"recommended, {{found.best.mechanism}}: ε"] = found.best.epsilon
try:
    result["largest ε by the promise alone"] = dp.analysis.promised_epsilon(limit, scenario.delta)
except dp.errors.HypothesisError as error:
    print(error)"""
    now = """\
for name, noise in {"with the noise": evaluation.noise, "without noise": None}.items():
    test = dp.hypothesis.release_test(evaluation.model, noise)
    right = dp.hypothesis.best_accuracy(test, limit.base_rate)
    result[f"right of 100, {name}"] = round(100 * float(right))
test = dp.hypothesis.release_test(evaluation.model, evaluation.noise)
result["reached in the limit's measure"] = limit.reached(test)"""
    price = """\
price = dp.analysis.curve_price(evaluation)
for one in (price.relying, price.by_law, price.without, *price.beside):
    if one is not None:
        result[f"{one.title}: expected L2 error at the current ε"] = one.error
if price.epsilon is not None:
    result[f"{price.without.title}: ε of the error of {price.relying.title}"] = price.epsilon
for reason in price.refused:
    print(reason)"""
    meaning = f"""\
meaning = dp.analysis.meaning(evaluation, prior={float(prior)!r})
result["any chance times, at most"] = meaning.factor
if meaning.draws is not None:
    result["as good as reading records"] = meaning.draws
if meaning.gaussian is not None:
    result["μ of Gaussian DP, as far as it holds"] = meaning.gaussian.mu
result["belief after, from"] = meaning.belief.low
result["belief after, to"] = meaning.belief.high"""
    return [
        Section("The limit, and the largest ε that keeps it", code),
        *([_by_errors(limits, quick)] if limits else []),
        Section("What the current noise allows", now),
        Section("What the current ε means", meaning),
        Section("What it costs to do without normal curves", price),
    ]


def _by_errors(limits: Sequence[ErrorLimit], names: Sequence[str]) -> Section:
    """The least ε that keeps the errors, and what keeps both."""
    given = [
        call("dp.ErrorLimit", [literal(getattr(one, field.name)) for field in fields(one)])
        for one in limits
    ]
    code = f"""\
limits = {listing(given)}
least = dp.choose_by_error(
    limits,
    evaluation.model,
    {literal(list(names))},
    report=evaluation.report_sizes,
    **evaluation.calibrating,
)
both = []
for choice in least.choices:
    result[f"{{choice.mechanism}}: least ε for the errors"] = choice.epsilon
    result[f"{{choice.mechanism}}: best attacker right there"] = choice.accuracy
    reached = limit.reached(choice.test)
    result[f"{{choice.mechanism}}: reached there in the limit's measure"] = reached
    if reached <= limit.value:
        both.append(choice.mechanism)
for name, reason in least.skipped.items():
    print(f"{{name}} is left out: {{reason}}")
print("satisfies both limits:", ", ".join(both) or "nothing")"""
    return Section("The errors that are accepted, and the least ε that keeps them", code)
