"""What the recipients of a release may take from it: intervals beside the numbers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from distpriv.analysis.for_persons import per_record_in_words, released_per_record
from distpriv.mechanisms.release import (
    Release,
    noise_deviations,
    released_decimals,
    released_text,
)
from distpriv.mechanisms.release_intervals import ReleasedInterval, release_intervals
from distpriv.model.sampling import Interval
from distpriv.queries.statistics import Count
from distpriv.store import LedgerEntry
from distpriv.words import SPACE, exact, fixed, share, with_unit

__all__ = ["HOW_TO", "RESTS_ON", "intervals", "numbers", "per_record", "rows", "statistics"]

HOW_TO = (
    "Take each number with its intervals: in 95 of 100 releases the first holds the value of these "
    "records, by the noise alone, and the second that of the population they are a random sample "
    "of; call two numbers different only where their intervals do not meet."
)
"""How to use them, in one sentence."""

RESTS_ON = (
    "They are computed from the numbers, the law of the noise, the number of records and public "
    "bounds, and from nothing else of the data. Whoever knows a column's standard deviation s "
    "among the population has a narrower one for an average: about ± 1.96 √(noise² + s²/n)."
)
"""What they rest on."""

_OF_RECORDS, _OF_POPULATION = "interval of these records", "interval of the population"


def intervals(entry: LedgerEntry) -> tuple[ReleasedInterval, ...]:
    """Of every released number, at 95 %."""
    assert entry.scenario is not None
    released = Release(
        query=entry.scenario.query,
        values=np.array(entry.values),
        decimals=released_decimals(entry.noise),
        n=entry.scenario.n,
        noise=entry.noise,
    )
    return release_intervals(released, dict(entry.scenario.bounds))


def rows(entry: LedgerEntry) -> pd.DataFrame:
    """The numbers with their intervals, to be read."""
    assert entry.scenario is not None
    deviations = noise_deviations(entry.noise).tolist()
    known = intervals(entry)
    level = share(known[0].dataset.confidence)
    places = released_decimals(entry.noise)
    return pd.DataFrame(
        {
            "Statistic": entry.scenario.query.labels,
            "Released": [
                released_text(value, deviation)
                for value, deviation in zip(entry.values, deviations, strict=True)
            ],
            f"{level} {_OF_RECORDS}": [
                _told(each.dataset, 0 if isinstance(statistic, Count) else place)
                for each, place, statistic in zip(known, places, entry.scenario.query, strict=True)
            ],
            f"{level} {_OF_POPULATION}": [
                _told(each.population, place) for each, place in zip(known, places, strict=True)
            ],
            "Unit": [unit or "–" for unit in entry.units],
            "The second rests on": [each.rests_on for each in known],
            "Noise, standard deviation": [
                with_unit(deviation, unit)
                for deviation, unit in zip(deviations, entry.units, strict=True)
            ],
        }
    )


def numbers(entry: LedgerEntry) -> pd.DataFrame:
    """The same, to be computed with."""
    assert entry.scenario is not None
    known = intervals(entry)
    return pd.DataFrame(
        {
            "Statistic": entry.scenario.query.labels,
            "Released": entry.values,
            "Unit": entry.units,
            "Noise, standard deviation": noise_deviations(entry.noise),
            "Level of the intervals": [each.dataset.confidence for each in known],
            "These records, from": [each.dataset.low for each in known],
            "These records, to": [each.dataset.high for each in known],
            "Population, from": [_end(each.population, "low") for each in known],
            "Population, to": [_end(each.population, "high") for each in known],
            "The population's rests on": [each.rests_on for each in known],
        }
    )


def statistics(entry: LedgerEntry) -> list[dict[str, object]]:
    """The same for JSON."""
    assert entry.scenario is not None
    return [
        {
            "label": each.label,
            "unit": unit,
            "value": value,
            "level": each.dataset.confidence,
            "interval_of_these_records": [each.dataset.low, each.dataset.high],
            "interval_of_the_population": None
            if each.population is None
            else [each.population.low, each.population.high],
            "the_population_s_rests_on": each.rests_on,
        }
        for each, unit, value in zip(intervals(entry), entry.units, entry.values, strict=True)
    ]


def per_record(entry: LedgerEntry) -> str:
    """What the noise gives each person, by public bounds alone."""
    scenario, noise = entry.scenario, entry.noise
    assert scenario is not None
    record = released_per_record(scenario, noise)
    return per_record_in_words(scenario, noise, record, handed=True)


def _end(interval: Interval | None, end: str) -> float:
    return math.nan if interval is None else float(getattr(interval, end))


def _told(interval: Interval | None, places: int | None) -> str:
    """Rounded outwards to decimal places."""
    if interval is None:
        return "–"
    if places is None:
        return f"{exact(interval.low)} to {exact(interval.high)}"
    power = 10.0**places
    low, high = math.floor(interval.low * power + 1e-9), math.ceil(interval.high * power - 1e-9)
    shown = (fixed(end / power, max(places, 0)) for end in (low, high))
    return f"{SPACE}to{SPACE}".join(shown)
