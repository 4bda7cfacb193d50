"""What a release promises to each person: bounds, checks and words."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from distpriv.analysis.scenario import Scenario
from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.source import Source
from distpriv.privacy.noise import Noise
from distpriv.privacy.per_record import PerRecord
from distpriv.queries.statistics import Query
from distpriv.tables.examples import EXAMPLES
from distpriv.words import exact, listed, number

__all__ = [
    "MOST",
    "RECORD_COLUMN",
    "bounds_from_data",
    "check_records",
    "leaking_in_words",
    "per_record_in_words",
    "per_record_label",
    "record_delta",
    "released_per_record",
    "rounded_bounds",
    "rounded_range",
    "unbounded",
]

RECORD_COLUMN = "ε per record"
"""Heads what :func:`per_record_label` says, wherever mechanisms stand in a table."""

MOST = 20.0
"""An ε beyond which a promise to each record is none to speak of."""

_PARTS = 20
_ROUNDING = 1e-9


def rounded_range(low: float, high: float) -> tuple[float, float]:
    """A column's range rounded outwards to a step of 1, 2 or 5 times a power of ten.

    About a twentieth of the range, so that it tells less of the least and the greatest record.

    Parameters
    ----------
    low, high : float, low <= high
    """
    span = (high - low) or max(abs(low), 1.0)
    power = 10.0 ** math.floor(math.log10(span / _PARTS))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= span / _PARTS)
    digits = max(0, -math.floor(math.log10(step)))
    # Rounding may take the least digit of a bound to the wrong side.
    lowest = min(round(math.floor(low / step) * step, digits), low)
    highest = max(round(math.ceil(high / step) * step, digits), high)
    return lowest, highest if lowest < highest else round(lowest + step, digits)


def rounded_bounds(table: pd.DataFrame | Source, query: Query) -> dict[str, tuple[float, float]]:
    """The rounded ranges of the numeric columns that a query's promise to persons needs."""
    columns = dict.fromkeys(statistic.column for statistic in query if statistic.takes_bounds)
    found = {}
    for column in columns:
        ends = _ends(table, column)
        if ends is not None:
            found[column] = rounded_range(*ends)
    return found


def _ends(table: pd.DataFrame | Source, column: str) -> tuple[float, float] | None:
    """Least and greatest value of a column; None if it has none."""
    if not isinstance(table, pd.DataFrame):
        known = table.profile().columns[column]
        return None if known.low is None or known.high is None else (known.low, known.high)
    values = table[column].to_numpy(dtype=np.float64, na_value=np.nan)
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else None


def bounds_from_data(scenario: Scenario, table: pd.DataFrame | Source) -> tuple[str, ...]:
    """Numeric columns whose bounds are those that the data suggest, or that have none.

    The public bounds of an example may well be those that its records suggest.
    """
    given = dict(scenario.bounds)
    known = (example.bounds for example in EXAMPLES if example.digest == scenario.digest)
    public = next(known, {}).items() if scenario.digest else ()
    suggested = rounded_bounds(table, scenario.query)
    return tuple(
        column
        for column, bounds in suggested.items()
        if given.get(column) in (None, bounds) and (column, given.get(column)) not in public
    )


def check_records(
    table: pd.DataFrame | Source, model: GaussianModel, bounds: Mapping[str, tuple[float, float]]
) -> None:
    """Raise CalibrationError if a record moves the statistics further than noise was raised for.

    It can only where the model is fitted to other records than are released.
    """
    if isinstance(table, pd.DataFrame):
        values = model.query.values(table)
        values = values[~np.isnan(values).any(axis=1)]
        if not len(values):
            return
        least, greatest = values.min(axis=0), values.max(axis=0)
    else:
        moments = table.group_moments(model.query, model.pairs[0].pair.secret)
        least, greatest = moments.minima, moments.maxima
    moves = model.query.record_sensitivities(model.n, least, greatest, bounds)
    far = moves > model.record_sensitivities * (1 + _ROUNDING)
    if far.any():
        label = model.query.labels[int(np.flatnonzero(far)[0])]
        raise CalibrationError(
            f"Records reach further than the range that each person's promise about {label} was "
            "computed for; give public bounds that hold for every record."
        )


def record_delta(scenario: Scenario) -> float:
    """δ at which ε per record is told: that of the persons' promise, else the scenario's."""
    return scenario.delta if scenario.persons is None else scenario.persons[1]


def unbounded(scenario: Scenario) -> tuple[str, ...]:
    """Numeric columns without public bounds, of whose range ε per record would tell."""
    public = dict(scenario.bounds)
    columns = dict.fromkeys(each.column for each in scenario.query if each.takes_bounds)
    return tuple(column for column in columns if column not in public)


def released_per_record(scenario: Scenario, noise: Noise) -> PerRecord | None:
    """What a noise promises about each record by public bounds alone; None where some are missing.

    Parameters
    ----------
    scenario : Scenario
        Its n resolved.
    noise : Noise
    """
    if unbounded(scenario):
        return None
    return noise.per_record(scenario.query, n=scenario.n, bounds=dict(scenario.bounds))


def per_record_label(scenario: Scenario, record: PerRecord | None, *, handed: bool = False) -> str:
    """ε per record for a table; says where there is none, or none to speak of.

    Parameters
    ----------
    scenario : Scenario
    record : PerRecord or None
        None if it is not known for lack of public bounds.
    handed : bool
        Whether it is handed on, or kept: then nothing is told that rests on the data's own range.
    """
    if record is None or _is_kept_back(scenario, record, handed):
        return _NEEDS
    epsilon = record.epsilon(record_delta(scenario))
    if math.isinf(epsilon):
        return "none"
    return number(epsilon) if epsilon <= MOST else f"none to speak of ({number(epsilon)})"


def _is_kept_back(scenario: Scenario, record: PerRecord, handed: bool) -> bool:
    """Whether ε follows from how far records reach, and is not to be told."""
    return bool((handed or scenario.presenting) and record.protects and unbounded(scenario))


def per_record_in_words(
    scenario: Scenario, noise: Noise, record: PerRecord | None, *, handed: bool = False
) -> str:
    """What a noise promises about each record, one or two sentences.

    Parameters
    ----------
    scenario : Scenario
    noise : Noise
        In the statistics of the scenario.
    record : PerRecord or None
        What it promises; None if that is not known for lack of public bounds.
    handed : bool
        As in :func:`per_record_label`.
    """
    who = "each record that is drawn" if _drawn_again(scenario) else "each person"
    if record is None or _is_kept_back(scenario, record, handed):
        columns = listed(list(unbounded(scenario)))
        return f"What it gives {who} is told with public bounds of {columns}, which are not set."
    delta = record_delta(scenario)
    epsilon = record.epsilon(delta)
    if scenario.persons is not None:
        return (
            f"To {who} it promises ε = {exact(scenario.persons[0])} at δ = {exact(delta)}, and "
            f"gives ε = {number(epsilon)}, whichever record is replaced by any other within the "
            f"bounds. The noise's own covariance follows from the {_fitted_to(scenario)} and is "
            "taken to be known."
        )
    if epsilon <= MOST:
        return (
            f"To {who} this noise gives ε = {number(epsilon)} at δ = {exact(delta)}, though it was "
            "calibrated for the share alone."
        )
    directions = int(np.count_nonzero(noise.scales))
    reason = (
        f"the noise has {directions} direction{'s' * (directions != 1)} for {noise.dimension} "
        "statistics"
        if directions < noise.dimension
        else "there is hardly any of it in some directions"
    )
    covering = (
        ", and the others have only what covers their steps"
        if directions < noise.dimension and noise.floor is not None
        else ""
    )
    if math.isinf(epsilon):
        return f"To {who} it promises nothing: {reason}." if directions else _NOTHING.format(who)
    return (
        f"To {who} it promises nothing to speak of (ε = {number(epsilon)} at δ = {exact(delta)}): "
        f"{reason}{covering}."
    )


_NEEDS = "needs public bounds"
_NOTHING = "To {} it promises nothing: there is no noise."


def _fitted_to(scenario: Scenario) -> str:
    """What the model, and so the noise, is computed from."""
    return "reference data" if scenario.reference and scenario.whole else "table"


def _drawn_again(scenario: Scenario) -> bool:
    """Whether one person's record may be drawn more than once."""
    return scenario.replacement and not scenario.whole


def leaking_in_words(columns: tuple[str, ...]) -> str:
    """That bounds come from the data, and what to do; empty for none."""
    if not columns:
        return ""
    return (
        f"The bounds of {listed(list(columns))} are the data's own range, rounded: whoever sees "
        "them learns that some record is near. Give bounds that are known without the data."
    )
