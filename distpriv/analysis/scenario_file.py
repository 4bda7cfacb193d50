"""A scenario as a JSON file or in a link: its choices and the data's fingerprint, never the data.

Format, version 1: an object with ``format`` ("distpriv scenario"), ``version`` (1) and
``scenario``, which holds every field of `Scenario` under its name. A property is an object of
``column`` and one of ``values``, ``above``, ``below``, ``between``; a statistic one of ``kind``
and that statistic's own fields; a pair one of ``property``, ``p_i`` and ``p_j``. A link holds the
same text, compressed. Several scenarios are an object with ``format`` ("distpriv scenarios"),
``version`` and ``scenarios``, a list of objects with ``name`` and ``scenario``.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any, get_args

from distpriv import mechanisms
from distpriv.analysis.json_values import (
    ANY,
    Reader,
    among,
    entry_in,
    number,
    of,
    pair_in,
    pair_out,
    parsed,
    property_in,
    property_out,
    statistic_in,
    statistic_out,
    text_of,
    tuple_of,
    whole,
)
from distpriv.analysis.scenario import Distances, Scenario, Units, ViewKind
from distpriv.arguments import checked
from distpriv.errors import ScenarioError
from distpriv.model.theta import ShareOf
from distpriv.privacy.calibration import CALIBRATIONS
from distpriv.queries.properties import MOST_PAIRS
from distpriv.queries.statistics import Query
from distpriv.words import exact

__all__ = [
    "FORMAT",
    "VERSION",
    "check_columns",
    "pack_scenario",
    "read_scenario",
    "read_scenarios",
    "scenario_in",
    "scenario_out",
    "unpack_scenario",
    "write_scenario",
    "write_scenarios",
]

FORMAT = "distpriv scenario"
SEVERAL = "distpriv scenarios"
VERSION = 1
_LONGEST = 1_000_000  # characters of a scenario; bytes of JSON that a link may unfold to
_LONGEST_LINK = 200_000
_MOST_STATISTICS, _MOST_BOUNDS = 100, 10_000


@checked(ScenarioError)
def write_scenario(scenario: Scenario) -> str:
    """Write a scenario as JSON text, which `read_scenario` reads back to an equal value."""
    content = {"format": FORMAT, "version": VERSION, "scenario": scenario_out(scenario)}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def scenario_out(scenario: Scenario) -> dict[str, object]:
    """Every field of a scenario, as JSON holds it."""
    values = {field.name: getattr(scenario, field.name) for field in fields(Scenario)}
    values["secret"] = property_out(scenario.secret)
    values["query"] = [statistic_out(statistic) for statistic in scenario.query]
    values["others"] = [pair_out(pair) for pair in scenario.others]
    return values


def write_scenarios(scenarios: Mapping[str, Scenario]) -> str:
    """Write scenarios with their names as one JSON text, which `read_scenarios` reads back."""
    entries = [
        {"name": name, "scenario": scenario_out(scenario)} for name, scenario in scenarios.items()
    ]
    content = {"format": SEVERAL, "version": VERSION, "scenarios": entries}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def read_scenarios(text: str | bytes) -> dict[str, Scenario]:
    """Read named scenarios; a file of a single one has the name "Scenario".

    Raises
    ------
    ScenarioError
        As `read_scenario`; it names the scenario too.
    """
    content = parsed(text, "scenario file")
    if not isinstance(content, dict) or content.get("format") != SEVERAL:
        return {"Scenario": read_scenario(text)}
    _check_version(content)
    scenarios: dict[str, Scenario] = {}
    given = content.get("scenarios")
    if not isinstance(given, list) or not given:
        raise ScenarioError("The file's field 'scenarios' must be a list that is not empty.")
    for place, entry in enumerate(given, start=1):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name.strip() or name in scenarios:
            raise ScenarioError(
                f"Scenario {place} of the file must have a name that no other one has."
            )
        try:
            scenarios[name] = scenario_in(entry.get("scenario"))
        except ScenarioError as error:
            raise ScenarioError(f"In scenario {name!r:.80}: {error}") from None
    return scenarios


@checked(ScenarioError)
def read_scenario(text: str | bytes, columns: Collection[str] | None = None) -> Scenario:
    """Read a scenario from JSON.

    Parameters
    ----------
    text : str or bytes
        The file's content, UTF-8.
    columns : collection of str, optional
        The columns of the data it is opened for; every column it names must be among them.

    Raises
    ------
    ScenarioError
        If the file is damaged or foreign, or a field is missing, unknown or outside its domain.
    """
    content = parsed(text, "scenario file", _LONGEST)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ScenarioError(f"The file is no scenario: its field 'format' is not {FORMAT!r}.")
    _check_version(content)
    scenario = scenario_in(content.get("scenario"))
    check_columns(scenario, columns)
    return scenario


def _check_version(content: Mapping[str, Any]) -> None:
    if content.get("version") != VERSION:
        raise ScenarioError(
            f"The scenario's version must be {VERSION}, got {content.get('version')!r:.80}."
        )


def scenario_in(given: Any) -> Scenario:
    """Read a scenario from its fields; raises ScenarioError."""
    if not isinstance(given, dict):
        raise ScenarioError("The scenario's field 'scenario' must be an object.")
    names = {field.name for field in fields(Scenario)}
    if wrong := sorted(set(given) - names):
        raise ScenarioError(f"The scenario has an unknown field {wrong[0]!r:.80}; remove it.")
    given = _ADDED | given
    if missing := sorted(names - set(given)):
        raise ScenarioError(f"The scenario lacks the field {missing[0]!r}.")
    scenario = Scenario(
        **{name: entry_in(_READERS, name, given[name], "scenario") for name in names}
    )
    scenario.check_tolerances()
    return scenario


@checked(ScenarioError)
def pack_scenario(scenario: Scenario) -> str:
    """Write a scenario for a link: letters, digits, ``-`` and ``_`` only."""
    text = json.dumps(json.loads(write_scenario(scenario)), separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


@checked(ScenarioError)
def unpack_scenario(packed: str, columns: Collection[str] | None = None) -> Scenario:
    """Read a scenario from a link.

    Parameters
    ----------
    packed : str
        What `pack_scenario` wrote.
    columns : collection of str, optional
        As in `read_scenario`.

    Raises
    ------
    ScenarioError
        If the link is damaged, or as `read_scenario`.
    """
    if len(packed) > _LONGEST_LINK:
        raise ScenarioError(
            f"The link's scenario has {exact(len(packed))} characters, more than the "
            f"{exact(_LONGEST_LINK)} that one may have; send the scenario as a file."
        )
    try:
        unfolding = zlib.decompressobj()
        raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        text = unfolding.decompress(raw, _LONGEST)
        if not unfolding.eof and len(text) < _LONGEST:
            raise ValueError
    except (ValueError, zlib.error):
        raise ScenarioError(
            "The link's scenario is damaged, perhaps cut off; copy the whole link again."
        ) from None
    if not unfolding.eof:
        raise ScenarioError(
            f"The link's scenario unfolds to more than {exact(_LONGEST)} characters, which no "
            "scenario has; ask for another link."
        )
    return read_scenario(text, columns)


def _bound(value: Any) -> tuple[str, tuple[float, float]]:
    column, ends = value
    low, high = tuple_of(ANY, 2)(ends)
    if not low < high:
        raise ValueError
    return text_of()(column), (low, high)


def _persons(value: Any) -> tuple[float, float]:
    epsilon, delta = value
    return _EPSILON(epsilon), _DELTA(delta)


_EPSILON, _DELTA = number(0.001, 100), number(1e-12, 0.5)
# Fields that scenarios of earlier versions do not have, and what they meant then.
_ADDED: dict[str, Any] = {"persons": None, "share_of": "release"}

_READERS: dict[str, Reader] = {
    "digest": text_of(),
    "reference": text_of(),
    "secret": property_in,
    "center": number(0, 1),
    "width": number(0.01, 1),
    "grid": lambda value: None if value is None else tuple_of(number(0, 1), 3)(value),
    "others": tuple_of(pair_in, most=MOST_PAIRS),
    "n": whole(2, 1_000_000_000),
    "whole": of(bool),
    "query": lambda value: Query(tuple_of(statistic_in, most=_MOST_STATISTICS)(value)),
    "mechanism": lambda value: among(mechanisms.names())(value),
    "epsilon": _EPSILON,
    "delta": _DELTA,
    "calibration": among(CALIBRATIONS),
    "units": among(get_args(Units)),
    "report": among(get_args(Units)),
    "tolerances": tuple_of(number(1e-9, 1e12)),
    "replacement": of(bool),
    "share_of": among(get_args(ShareOf)),
    "bounds": tuple_of(_bound, most=_MOST_BOUNDS),
    "persons": lambda value: None if value is None else _persons(value),
    "seed": whole(0, 2**31 - 1),
    "view": among(get_args(ViewKind)),
    "distances": among(get_args(Distances)),
    "look": text_of(),
}


def check_columns(scenario: Scenario, columns: Collection[str] | None) -> None:
    """Raise ScenarioError if the scenario names a column that is not among the given ones."""
    if columns is None:
        return
    named = [("secret", scenario.secret.column)]
    named += [("others", pair.secret.column) for pair in scenario.others]
    named += [("bounds", column) for column, _ in scenario.bounds]
    for statistic in scenario.query.statistics:
        named += [
            ("query", getattr(statistic, f)) for f in ("column", "other") if hasattr(statistic, f)
        ]
    for field, column in named:
        if column not in columns:
            raise ScenarioError(
                f"The scenario's field {field!r} names the column {column!r}, "
                "which the data do not have."
            )
