"""Scripts of the pages on cost, guarantee and the choice of ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from distpriv import mechanisms
from distpriv.analysis.design import Limit
from distpriv.export.script.script import Section, literal
from distpriv.export.script.setup import Setting, calibrated

__all__ = ["choosing", "guarantee", "noises", "tradeoff"]


def shown_at_first() -> tuple[str, ...]:
    """The mechanisms that pages begin with."""
    known = [mechanisms.get(name) for name in mechanisms.names()]
    return tuple(each.name for each in known if each.shown_at_first and not each.baseline)


def noises(setting: Setting, names: Sequence[str]) -> Section:
    """Calibrate several mechanisms; those that cannot be are left out with the reason."""
    call = calibrated(setting, "name").replace("\n", "\n        ")
    return Section(
        "Several mechanisms at the same ε and δ",
        "noises = {}\n"
        f"for name in {literal(list(names))}:\n"
        "    try:\n"
        f"        noises[name] = {call}\n"
        "    except dp.errors.CalibrationError as error:\n"
        '        print(f"{name} is left out: {error}")',
    )


def tradeoff(
    setting: Setting,
    names: Sequence[str] | None = None,
    measure: int | None = None,
    **_: object,
) -> list[Section]:
    """The error of every mechanism that is shown."""
    wanted = list(dict.fromkeys([*(names or shown_at_first()), setting.scenario.mechanism]))
    error = (
        "l2_error(each)" if measure is None else f"each.expected_absolute_errors()[{int(measure)}]"
    )
    return [
        noises(setting, wanted),
        Section(
            "What each of them costs",
            "result = {}\n"
            "for name, each in noises.items():\n"
            f'    result[f"{{name}}: expected error"] = {error}\n'
            '    result[f"{name}: best attacker right"] = right(each)\n'
            "    delivered = dp.delivered_delta(model, each, each.epsilon)\n"
            '    result[f"{name}: delivered δ"] = delivered',
        ),
    ]


def guarantee(
    setting: Setting, names: Sequence[str] = (), releases: int = 10, **_: object
) -> list[Section]:
    """What is delivered, by one release and by several."""
    wanted = list(dict.fromkeys([*(names or ("ExpM", "DauM", "OptM")), setting.scenario.mechanism]))
    gaussian = [name for name in wanted if mechanisms.get(name).distribution == "gaussian"]
    epsilon, delta = setting.scenario.epsilon, setting.scenario.delta
    return [
        noises(setting, gaussian),
        Section(
            f"One release, and {releases} of the same statistics",
            "result = {}\n"
            "for name, each in noises.items():\n"
            f"    left = each.after_releases({int(releases)})\n"
            '    result[f"{name}: delivered δ"] = dp.delivered_delta(model, each, each.epsilon)\n'
            '    result[f"{name}: delivered ε"] = dp.delivered_epsilon(model, each, each.delta)\n'
            '    result[f"{name}: best attacker after the releases"] = '
            "dp.optimal_attack_accuracy(\n"
            "        focused, left\n"
            "    )\n"
            '    result[f"{name}: ε after the releases"] = dp.delivered_epsilon(\n'
            f"        model, left, {delta!r}\n"
            "    )\n"
            '    result[f"{name}: δ after the releases"] = dp.delivered_delta(\n'
            f"        model, left, {epsilon!r}\n"
            "    )",
        ),
    ]


def choosing(setting: Setting, limit: Limit | None = None, **_: object) -> list[Section]:
    """From a limit on the attacker to the largest ε, and what the current one means."""
    given = limit or Limit("guesses", 60)
    names = list(shown_at_first())
    chosen = setting.scenario.mechanism
    if chosen not in names and mechanisms.get(chosen).protects:
        names.append(chosen)
    scenario = setting.scenario
    units = _sizes(setting, "units")
    arguments = [literal(getattr(given, field.name)) for field in fields(given)]
    named = [f"{field.name}={text}" for field, text in zip(fields(given), arguments, strict=True)]
    code = f"""\
limit = dp.Limit({", ".join(named)})
design = dp.choose(
    limit,
    model,
    {literal(names)},
    delta={scenario.delta!r},
    calibration={literal(scenario.calibration)},
    units={units},
    report={_sizes(setting, "report")},
)
result = {{"reached without noise": design.undefended, "no noise from ε": design.noiseless}}
for choice in design.choices:
    result[f"{{choice.mechanism}}: largest ε"] = choice.epsilon
    result[f"{{choice.mechanism}}: expected L2 error"] = choice.error
try:
    promised = dp.analysis.promised_epsilon(limit, {scenario.delta!r})
    result["largest ε by the promise alone"] = promised
except dp.errors.HypothesisError as error:
    print(error)"""
    now = """\
test, clear = dp.hypothesis.release_test(model, noise), dp.hypothesis.release_test(model)
result["right of 100, with the noise"] = round(
    100 * float(dp.hypothesis.best_accuracy(test, limit.base_rate))
)
result["right of 100, without noise"] = round(
    100 * float(dp.hypothesis.best_accuracy(clear, limit.base_rate))
)
result["reached in the limit's measure"] = limit.reached(test)"""
    return [
        Section("The limit, and the largest ε that keeps it", code),
        Section("What the current noise allows", now),
    ]


def _sizes(setting: Setting, kind: str) -> str:
    units = getattr(setting.scenario, kind)
    if units == "raw":
        return "None"
    if units == "standardised":
        return "model.standard_deviations"
    return f"np.array({literal(list(setting.scenario.tolerances))})"
