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
import math
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any, get_args

from distpriv import mechanisms, queries
from distpriv.analysis.scenario import Distances, Scenario, Units, ViewKind
from distpriv.arguments import checked
from distpriv.errors import DistprivError, ScenarioError
from distpriv.privacy.calibration import CALIBRATIONS
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Query, Statistic

__all__ = [
    "FORMAT",
    "VERSION",
    "check_columns",
    "pack_scenario",
    "read_scenario",
    "read_scenarios",
    "unpack_scenario",
    "write_scenario",
    "write_scenarios",
]

FORMAT = "distpriv scenario"
SEVERAL = "distpriv scenarios"
VERSION = 1
_LONGEST = 1_000_000  # bytes of JSON that a link may unfold to


@checked(ScenarioError)
def write_scenario(scenario: Scenario) -> str:
    """Write a scenario as JSON text, which `read_scenario` reads back to an equal value."""
    values = {field.name: getattr(scenario, field.name) for field in fields(Scenario)}
    values["secret"] = _property_out(scenario.secret)
    values["query"] = [
        {
            "kind": type(statistic).__name__,
            **{f.name: getattr(statistic, f.name) for f in fields(statistic)},
        }
        for statistic in scenario.query.statistics
    ]
    values["others"] = [
        {"property": _property_out(pair.secret), "p_i": pair.p_i, "p_j": pair.p_j}
        for pair in scenario.others
    ]
    content = {"format": FORMAT, "version": VERSION, "scenario": values}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def write_scenarios(scenarios: Mapping[str, Scenario]) -> str:
    """Write scenarios with their names as one JSON text, which `read_scenarios` reads back."""
    entries = [
        {"name": name, "scenario": json.loads(write_scenario(scenario))["scenario"]}
        for name, scenario in scenarios.items()
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
    content = _parsed(text)
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
            scenarios[name] = _scenario(entry.get("scenario"))
        except ScenarioError as error:
            raise ScenarioError(f"In scenario {name!r}: {error}") from None
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
    content = _parsed(text)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ScenarioError(f"The file is no scenario: its field 'format' is not {FORMAT!r}.")
    _check_version(content)
    scenario = _scenario(content.get("scenario"))
    check_columns(scenario, columns)
    return scenario


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ScenarioError(
            "The scenario file is damaged: it is no JSON text; save the scenario again."
        ) from None


def _check_version(content: Mapping[str, Any]) -> None:
    if content.get("version") != VERSION:
        raise ScenarioError(
            f"The scenario's version must be {VERSION}, got {content.get('version')!r}."
        )


def _scenario(given: Any) -> Scenario:
    if not isinstance(given, dict):
        raise ScenarioError("The scenario's field 'scenario' must be an object.")
    names = {field.name for field in fields(Scenario)}
    if wrong := sorted(set(given) - names):
        raise ScenarioError(f"The scenario has an unknown field {wrong[0]!r}; remove it.")
    given = _ADDED | given
    if missing := sorted(names - set(given)):
        raise ScenarioError(f"The scenario lacks the field {missing[0]!r}.")
    scenario = Scenario(**{name: _read(name, given[name]) for name in names})
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
    try:
        unfolding = zlib.decompressobj()
        raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        text = unfolding.decompress(raw, _LONGEST)
        if not unfolding.eof:
            raise ValueError
    except (ValueError, zlib.error):
        raise ScenarioError(
            "The link's scenario is damaged, perhaps cut off; copy the whole link again."
        ) from None
    return read_scenario(text, columns)


def _read(name: str, value: Any) -> Any:
    try:
        return _READERS[name](value)
    except DistprivError as error:
        raise ScenarioError(f"The scenario's field {name!r} is wrong: {error}") from None
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        raise ScenarioError(
            f"The scenario's field {name!r} has a value outside its domain: {value!r:.80}."
        ) from None


def _number(low: float, high: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError
        if not (math.isfinite(value) and low <= value <= high):
            raise ValueError
        return float(value)

    return read


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError
        return value

    return read


def _of(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError
        return value

    return read


def _among(options: Collection[str]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in options:
            raise ScenarioError(f"it must be one of {', '.join(options)}, got {value!r}.")
        return value

    return read


def _tuple(read: Callable[[Any], Any], length: int | None = None) -> Callable[[Any], Any]:
    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or length not in (None, len(value)):
            raise TypeError
        return tuple(map(read, value))

    return read_all


_ANY = _number(-math.inf, math.inf)


def _property_out(secret: SensitiveProperty) -> dict[str, object]:
    packed: dict[str, object] = {"column": secret.column}
    if secret.values:
        packed["values"] = list(secret.values)
    elif secret.closed:
        packed["between"] = [secret.low, secret.high]
    elif secret.high == math.inf:
        packed["above"] = secret.low
    else:
        packed["below"] = secret.high
    return packed


def _property(value: Any) -> SensitiveProperty:
    column = _of(str)(value["column"])
    rest = {key: item for key, item in value.items() if key != "column"}
    ((key, given),) = rest.items()
    if key == "values":
        return SensitiveProperty(column, values=_tuple(_scalar)(given))
    if key == "between":
        return SensitiveProperty(column, between=_tuple(_ANY, 2)(given))
    if key == "above":
        return SensitiveProperty(column, above=_ANY(given))
    if key == "below":
        return SensitiveProperty(column, below=_ANY(given))
    raise KeyError(key)


def _scalar(value: Any) -> str | float | bool:
    if not isinstance(value, str | int | float):
        raise TypeError
    return value


def _statistic(value: Any) -> Statistic:
    kinds = {kind.__name__: kind for kind in map(queries.get, queries.names())}
    kind = kinds[_among(kinds)(value["kind"])]
    given = {name: _scalar(item) for name, item in value.items() if name != "kind"}
    others = {parameter.name for parameter in kind.parameters if parameter.domain == "column"}
    for name in {"column", *others} & set(given):
        _of(str)(given[name])
    return kind(**given)  # type: ignore[arg-type]


def _pair(value: Any) -> Pair:
    share = _number(0, 1)
    return Pair(_property(value["property"]), share(value["p_i"]), share(value["p_j"]))


def _bound(value: Any) -> tuple[str, tuple[float, float]]:
    column, ends = value
    low, high = _tuple(_ANY, 2)(ends)
    if not low < high:
        raise ValueError
    return _of(str)(column), (low, high)


def _persons(value: Any) -> tuple[float, float]:
    epsilon, delta = value
    return _EPSILON(epsilon), _DELTA(delta)


_EPSILON, _DELTA = _number(0.001, 100), _number(1e-12, 0.5)
# Fields that scenarios of earlier versions do not have, and what they meant then.
_ADDED: dict[str, Any] = {"persons": None}

_READERS: dict[str, Callable[[Any], Any]] = {
    "digest": _of(str),
    "reference": _of(str),
    "secret": _property,
    "center": _number(0, 1),
    "width": _number(0.01, 1),
    "grid": lambda value: None if value is None else _tuple(_number(0, 1), 3)(value),
    "others": _tuple(_pair),
    "n": _whole(2, 1_000_000_000),
    "whole": _of(bool),
    "query": lambda value: Query(_tuple(_statistic)(value)),
    "mechanism": lambda value: _among(mechanisms.names())(value),
    "epsilon": _EPSILON,
    "delta": _DELTA,
    "calibration": _among(CALIBRATIONS),
    "units": _among(get_args(Units)),
    "report": _among(get_args(Units)),
    "tolerances": _tuple(_number(1e-9, 1e12)),
    "replacement": _of(bool),
    "bounds": _tuple(_bound),
    "persons": lambda value: None if value is None else _persons(value),
    "seed": _whole(0, 2**31 - 1),
    "view": _among(get_args(ViewKind)),
    "distances": _among(get_args(Distances)),
    "look": _of(str),
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
