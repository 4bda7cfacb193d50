"""The scripts about the scenario at large: its answer, what moves and where, and its rivals."""

from __future__ import annotations

from collections.abc import Mapping

from distpriv import mechanisms
from distpriv.export.script import setup
from distpriv.export.script.script import Section, literal
from distpriv.export.script.setup import Setting

__all__ = ["compared", "directions", "question"]


def question(setting: Setting, **_: object) -> list[Section]:
    """The question answered: the best attacker, the errors, the guarantee, and what moves."""
    code = """\
result = {
    "best attacker right, without noise": evaluation.undefended,
    "best attacker right, with the noise": evaluation.accuracy,
    "expected L2 error": evaluation.error,
}
for label, error in zip(evaluation.labels, evaluation.errors):
    result[f"expected error of {label}"] = error"""
    title = "What the best attacker achieves, and what the noise costs"
    return [Section(title, code), *guarantee(setting), *_moves(setting)]


def guarantee(setting: Setting) -> list[Section]:
    """What is promised, and delivered."""
    if not mechanisms.get(setting.scenario.mechanism).protects:
        return []
    code = """\
result["promised δ"] = evaluation.noise.delta
result["delivered δ"] = evaluation.delivered_delta
result["smoothness of the grid, θ"] = evaluation.noise.smoothness(evaluation.model)"""
    if setting.gaussian:
        code += '\nresult["delivered ε"] = evaluation.delivered_epsilon'
    return [Section("The guarantee, promised and delivered", code)]


def _moves(setting: Setting) -> list[Section]:
    """What is hidden from what, and how far the secret moves each statistic."""
    code = """\
fit = evaluation.fit
result |= {f"records with the property at {theta.proportion}": theta.having for theta in fit.thetas}
deviations = np.sqrt(np.diag(fit.pooled))
for place, label in enumerate(evaluation.labels):
    result[f"{label} at p_i"], result[f"{label} at p_j"] = fit.means[:, place]
    result[f"{label}, standard deviation"] = deviations[place]
    result[f"{label}, shift in standard deviations"] = -fit.difference[place] / deviations[place]"""
    sections = [Section("What moves", code)]
    if setting.scenario.several:
        code = """\
laws = evaluation.laws_for(evaluation.noise)
for place, fit in enumerate(evaluation.model.pairs):
    alone, name = evaluation.of(scenario.mechanism, place), fit.pair.label
    law = None if laws is None else laws[place]
    delivered = dp.delivered_delta(alone.focused, evaluation.noise, scenario.epsilon, law=law)
    result[f"{name}, best attack without noise"] = alone.undefended
    result[f"{name}, with noise"] = alone.accuracy
    result[f"{name}, delivered δ"] = delivered"""
        sections.append(Section("Every pair", code))
    if setting.scenario.whole and not setting.scenario.presenting and setting.source.kind:
        code = """\
known, records = table.answer(
    scenario.query, evaluation.fit.pair.secret, entropy=random.SystemRandom()
)
for label, value in zip(evaluation.labels, known):
    result[f"{label} of the table"] = value"""
        if setting.scenario.query.is_linear:
            code = f"import random\n\n{code}"
            sections.append(Section("The statistics of the table itself: not to be shown", code))
    elif setting.scenario.whole and not setting.scenario.presenting:
        code = """\
known = table[table[evaluation.fit.pair.secret.column].notna()]
for label, value in zip(evaluation.labels, scenario.query.answer(known)):
    result[f"{label} of the table"] = value"""
        sections.append(Section("The statistics of the table itself: not to be shown", code))
    return sections


def directions(setting: Setting, **_: object) -> list[Section]:
    """Where the secret shows, and how much of the noise is there."""
    code = """\
difference, noise = evaluation.fit.difference, evaluation.noise
shift = np.linalg.norm(difference)
direction = difference / shift
result = {"shift in L2": shift}
for label, part in zip(evaluation.labels, direction):
    result[f"share of the squared shift in {label}"] = part**2
if not noise.is_zero:
    along = direction @ noise.covariance @ direction
    result["share of the noise variance along the shift"] = along / np.trace(noise.covariance)"""
    return [Section("Where the secret shows", code), *guarantee(setting)]


def compared(
    setting: Setting, others: Mapping[str, Setting] | None = None, **_: object
) -> list[Section]:
    """The scenario beside those that were kept, or beside itself at half and twice its ε."""
    record = '''\
def numbers(name, evaluation):
    """What comes of a scenario."""
    result[f"{name}: best attacker without noise"] = evaluation.undefended
    result[f"{name}: best attacker with noise"] = evaluation.accuracy
    result[f"{name}: expected L2 error"] = evaluation.error
    result[f"{name}: promised δ"] = evaluation.noise.delta
    result[f"{name}: delivered δ"] = evaluation.delivered_delta


result = {}
numbers("now", evaluation)'''
    sections = [Section("The current scenario", record)]
    for name, other in (others or {}).items():
        parts = [setup.evaluated(other).code, f"numbers({literal(name)}, evaluation)"]
        if (other.source, other.reference) != (setting.source, setting.reference):
            parts.insert(0, setup.data(other).code)
        sections.append(Section("A scenario that was kept", "\n".join(parts)))
    if others:
        return sections
    epsilon = setting.scenario.epsilon
    near = {name: round(f * epsilon, 6) for name, f in (("half the ε", 0.5), ("twice the ε", 2.0))}
    code = f"""\
for name, epsilon in {literal(near)}.items():
    try:
        numbers(name, evaluation.at(epsilon))
    except dp.errors.CalibrationError as error:
        print(error)"""
    return [*sections, Section("At half and at twice the ε", code)]
