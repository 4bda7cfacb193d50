"""A workspace: everything that somebody has made in the dashboard, as one value and as a JSON file.

It holds the choices on screen, the scenarios that were kept, secrets, statistics and pairs of
shares of one's own, what was chosen on single pages, and of the data their name, their size and
their fingerprint; never a record, nor anything computed from records.

Format, version 1: an object with ``format`` ("distpriv workspace"), ``version`` (1) and
``workspace``, which holds every field of `Workspace` under its name. Scenarios, properties,
statistics and pairs are as in a scenario file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

from distpriv.analysis.json_values import (
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
    scalar,
    statistic_in,
    statistic_out,
    text_of,
    tuple_of,
    whole,
)
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import scenario_in, scenario_out
from distpriv.arguments import checked
from distpriv.errors import ScenarioError
from distpriv.queries.properties import MOST_PAIRS, Pair, SensitiveProperty
from distpriv.queries.statistics import Statistic
from distpriv.tables import ColumnType
from distpriv.tables.repairs import AS_FOUND, REPAIRS, Choices

__all__ = [
    "FORMAT",
    "VERSION",
    "Named",
    "Own",
    "Source",
    "Workspace",
    "is_workspace",
    "read_workspace",
    "write_workspace",
]

FORMAT = "distpriv workspace"
VERSION = 1
_LONGEST_NAME = 300  # of a file


@dataclass(frozen=True, kw_only=True)
class Source:
    """What the choices on screen are about.

    Attributes
    ----------
    title : str
        Of the example, or name of the uploaded file.
    uploaded : bool
    records : int
        Of an upload; 0 of an example.
    digest : str
        Of an upload, as it is read of itself, before anybody chose how or corrected the types of
        its columns.
    types : tuple of (column, ColumnType)
        Those that were corrected.
    reading : Choices
        How it is read where that was chosen; files of before know of none.
    """

    title: str
    uploaded: bool = False
    records: int = 0
    digest: str = ""
    types: tuple[tuple[str, ColumnType], ...] = ()
    reading: Choices = AS_FOUND


@dataclass(frozen=True, kw_only=True)
class Named:
    """A scenario that was kept.

    Attributes
    ----------
    name : str
    data : str
        Title of what it is about.
    scenario : Scenario
    """

    name: str
    data: str
    scenario: Scenario


@dataclass(frozen=True, kw_only=True)
class Own:
    """What somebody has defined for one table.

    Attributes
    ----------
    digest : str
        Fingerprint of the table.
    secrets : tuple of SensitiveProperty
    pairs : tuple of Pair
    statistics : tuple of Statistic
    """

    digest: str
    secrets: tuple[SensitiveProperty, ...] = ()
    pairs: tuple[Pair, ...] = ()
    statistics: tuple[Statistic, ...] = ()


@checked(ScenarioError)
@dataclass(frozen=True, kw_only=True)
class Workspace:
    """Everything that somebody has made.

    Attributes
    ----------
    scenario : Scenario
        The choices on screen.
    source : Source
        What they are about.
    kept : tuple of Named
        Each name once.
    own : tuple of Own
        For each table at most one.
    choices : tuple of (name, value)
        What was chosen or typed on single pages: texts, numbers, truth values.
    """

    scenario: Scenario
    source: Source
    kept: tuple[Named, ...] = ()
    own: tuple[Own, ...] = ()
    choices: tuple[tuple[str, str | float | bool], ...] = ()


@checked(ScenarioError)
def write_workspace(workspace: Workspace) -> str:
    """Write a workspace as JSON text, which `read_workspace` reads back to an equal value."""
    values = {
        "scenario": scenario_out(workspace.scenario),
        "source": {
            **{field.name: getattr(workspace.source, field.name) for field in fields(Source)},
            "reading": asdict(workspace.source.reading),
        },
        "kept": [
            {"name": one.name, "data": one.data, "scenario": scenario_out(one.scenario)}
            for one in workspace.kept
        ],
        "own": [
            {
                "digest": own.digest,
                "secrets": list(map(property_out, own.secrets)),
                "pairs": list(map(pair_out, own.pairs)),
                "statistics": list(map(statistic_out, own.statistics)),
            }
            for own in workspace.own
        ],
        "choices": dict(workspace.choices),
    }
    content = {"format": FORMAT, "version": VERSION, "workspace": values}
    return json.dumps(content, indent=1, allow_nan=False)


def is_workspace(text: str | bytes) -> bool:
    """Whether a file says that it is a workspace; raises ScenarioError if it is no JSON."""
    content = parsed(text)
    return isinstance(content, dict) and content.get("format") == FORMAT


@checked(ScenarioError)
def read_workspace(text: str | bytes) -> Workspace:
    """Read a workspace from JSON.

    Parameters
    ----------
    text : str or bytes
        The file's content, UTF-8.

    Raises
    ------
    ScenarioError
        If the file is damaged, foreign or too long, or a field is missing, unknown or outside its
        domain.
    """
    if not is_workspace(text):
        raise ScenarioError(f"The file is no workspace: its field 'format' is not {FORMAT!r}.")
    content = parsed(text)
    if content.get("version") != VERSION:
        raise ScenarioError(
            f"The workspace's version must be {VERSION}, got {content.get('version')!r:.80}."
        )
    values = _fields(_READERS, content.get("workspace"), "workspace")
    _once([one.name for one in values["kept"]], "kept")
    _once([own.digest for own in values["own"]], "own")
    return Workspace(**values)


def _fields(readers: Mapping[str, Reader], given: Any, of_what: str) -> dict[str, Any]:
    """Every field of an object that has these and no others."""
    if not isinstance(given, dict):
        raise ScenarioError(f"The file's field {of_what!r} must be an object.")
    if wrong := sorted(set(given) - set(readers)):
        raise ScenarioError(f"The {of_what} has an unknown field {wrong[0]!r:.80}; remove it.")
    if missing := sorted(set(readers) - set(given)):
        raise ScenarioError(f"The {of_what} lacks the field {missing[0]!r}.")
    return {name: entry_in(readers, name, given[name], of_what) for name in readers}


def _once(names: list[str], field: str) -> None:
    if len(set(names)) < len(names):
        raise ScenarioError(f"The workspace's field {field!r} has two entries of one name.")


def _name(value: Any) -> str:
    name = text_of(_LONGEST_NAME)(value)
    if not name.strip():
        raise ValueError
    return name


def _type(value: Any) -> tuple[str, ColumnType]:
    column, kind = value
    return of(str)(column), among(get_args(ColumnType))(kind)


def _with_reading(value: Any) -> Any:
    """A source of before there was a choice of how to read."""
    if not isinstance(value, dict) or "reading" in value:
        return value
    return {"reading": json.loads(json.dumps(asdict(AS_FOUND))), **value}


def _choices(value: Any) -> tuple[tuple[str, str | float | bool], ...]:
    return tuple((_name(name), _choice(item)) for name, item in value.items())


def _choice(value: Any) -> str | float | bool:
    if isinstance(value, str):
        return text_of()(value)
    if isinstance(value, float) and not abs(value) < float("inf"):
        raise ValueError
    return scalar(value)


_END = number(-1e300, 1e300)


def _missing(value: Any) -> tuple[str, tuple[str, ...]]:
    column, texts = value
    return text_of()(column), tuple_of(text_of())(texts)


def _bounds(value: Any) -> tuple[str, float, float]:
    column, low, high = value
    return text_of()(column), _END(low), _END(high)


_READING: dict[str, Reader] = {
    "member": text_of(),
    "header": of(bool),
    "undo": tuple_of(among(tuple(REPAIRS))),
    "missing": tuple_of(_missing),
    "bounds": tuple_of(_bounds),
}
_SOURCE: dict[str, Reader] = {
    "title": _name,
    "uploaded": of(bool),
    "records": whole(0, 10**12),
    "digest": of(str),
    "types": tuple_of(_type),
    "reading": lambda value: Choices(**_fields(_READING, value, "reading")),
}
_OWN: dict[str, Reader] = {
    "digest": of(str),
    "secrets": tuple_of(property_in),
    "pairs": tuple_of(pair_in, most=MOST_PAIRS),
    "statistics": tuple_of(statistic_in),
}
_NAMED: dict[str, Reader] = {
    "name": _name,
    "data": text_of(_LONGEST_NAME),
    "scenario": scenario_in,
}
_READERS: dict[str, Reader] = {
    "scenario": scenario_in,
    "source": lambda value: Source(**_fields(_SOURCE, _with_reading(value), "source")),
    "kept": tuple_of(lambda value: Named(**_fields(_NAMED, value, "kept scenario"))),
    "own": tuple_of(lambda value: Own(**_fields(_OWN, value, "own"))),
    "choices": _choices,
}
