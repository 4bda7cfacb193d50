"""Scenarios side by side: what they choose, in words, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from distpriv import mechanisms
from distpriv.analysis.error_sizes import ErrorSize
from distpriv.analysis.keeping import State
from distpriv.analysis.scenario import Scenario
from distpriv.mechanisms.curves import Curves
from distpriv.words import exact, share

__all__ = ["Figures", "Summary", "best_of", "choices_in_words", "differences"]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What is kept of an evaluation when its data are gone.

    Attributes
    ----------
    undefended, accuracy : float
        Accuracy of the best attack without and with the noise, as shares of cases.
    error : float
        Expected L2 error, in `unit`.
    unit : str
        What the L2 error is counted in; empty for the statistics' own units, mixed.
    promised : float
        δ that the mechanism promises.
    delivered : float or None
        δ that is delivered at the promised ε; None where it is not known.
    per_record : str
        ε per record, as tables tell it; empty where it is not known.
    promise : str
        How well the promise is kept, as :class:`.Keeping` has it; empty where it is not known.
    """

    undefended: float
    accuracy: float
    error: float
    unit: str
    promised: float
    delivered: float | None
    per_record: str = ""
    promise: State | Literal[""] = ""

    def plain(self) -> dict[str, Any]:
        """These by name, without what a subclass adds."""
        return {figure.name: getattr(self, figure.name) for figure in fields(Figures)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Summary(Figures):
    """The figures of a scenario, and its curves, which its data are no longer needed for.

    Attributes
    ----------
    scenario : Scenario
    data : str
        Title of the data.
    errors : tuple of ErrorSize
        Expected absolute error of each statistic, with the value it is an error of.
    accuracies, costs : Curves
        Of the scenario's mechanism, against ε: accuracy of the best attack, and L2 error.
    """

    scenario: Scenario
    data: str
    errors: tuple[ErrorSize, ...]
    accuracies: Curves
    costs: Curves

    @property
    def release(self) -> tuple[object, ...]:
        """What has to be equal for two L2 errors to be compared."""
        scenario = self.scenario
        return (scenario.query, self.unit, scenario.tolerances if self.unit == "tolerances" else ())


def best_of(summaries: Mapping[str, Summary]) -> tuple[str, str | None]:
    """Names of the scenario whose attacker is right least often, and of the one with least error.

    The second is None if the errors cannot be compared, because the scenarios release different
    statistics or count the error in different units.
    """
    safest = min(summaries, key=lambda name: summaries[name].accuracy)
    if len({summary.release for summary in summaries.values()}) > 1:
        return safest, None
    return safest, min(summaries, key=lambda name: summaries[name].error)


def choices_in_words(scenario: Scenario, data: str) -> dict[str, str]:
    """Every choice that shapes a result, by its name on the pages.

    Parameters
    ----------
    scenario : Scenario
    data : str
        Title of the data.
    """
    half = scenario.width / 2
    ends = [share(scenario.center + side) for side in (-half, half)]
    grid = "one pair only"
    if scenario.grid:
        low, high, step = map(share, scenario.grid)
        grid = f"{low} to {high} in steps of {step}"
    drawn = "with replacement" if scenario.replacement else "without replacement"
    return {
        "Data": data,
        "Reference data": scenario.reference[:12] or "–",
        "Secret": scenario.secret.label,
        "Shares to hide": " or ".join(ends),
        "Grid of shares": grid,
        "Hidden as well": "; ".join(pair.label for pair in scenario.others) or "–",
        "Pair looked at": scenario.look or "the pair hardest to hide",
        "Records": "the whole table" if scenario.whole else f"{exact(scenario.n)}, {drawn}",
        "Share hidden": f"of the {scenario.hidden_share}",
        "Statistics": ", ".join(scenario.query.labels),
        "Mechanism": scenario.mechanism,
        "ε": f"{scenario.epsilon:g}",
        "δ": exact(scenario.delta),
        "Calibration": "none, as it needs no curve"
        if mechanisms.get(scenario.mechanism).from_records
        else scenario.calibration,
        "Calibrated in units": scenario.units,
        "Reported in units": scenario.report,
        "Tolerances": ", ".join(exact(tolerance) for tolerance in scenario.tolerances) or "–",
        "Public bounds": "; ".join(
            f"{column} {exact(low)} to {exact(high)}" for column, (low, high) in scenario.bounds
        )
        or "–",
        "Each person": "–"
        if scenario.persons is None
        else f"ε = {scenario.persons[0]:g}, δ = {exact(scenario.persons[1])}",
        "Distances": scenario.distances,
        "Seed": str(scenario.seed),
    }


def differences(choices: Sequence[Mapping[str, str]]) -> list[str]:
    """Names of the choices in which the scenarios are not all alike, in their order."""
    if not choices:
        return []
    return [name for name in choices[0] if len({row[name] for row in choices}) > 1]
