"""Tables that whoever runs the server has named, for analysts to choose by name.

The file that ``DISTPRIV_SOURCES`` names says where they are; a visitor gives no address, no path
and no SQL, and is told none.
"""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal, get_args

from distpriv.dashboard.serving import people
from distpriv.dashboard.serving.sign_in import ROLES
from distpriv.dashboard.shell import presenting
from distpriv.dashboard.shell.dataset import UPLOAD, Dataset, from_source
from distpriv.errors import DistprivError, SourceError
from distpriv.model.source import SAMPLE
from distpriv.sources.table import EngineSource
from distpriv.tables.examples import EXAMPLES

__all__ = [
    "VARIABLE",
    "NamedSource",
    "hidden",
    "named_sources",
    "offered",
    "open_named",
    "problem",
]

VARIABLE = "DISTPRIV_SOURCES"

Kind = Literal["files", "postgres", "spark"]
_ROLES = ("analyst",)  # by default


@dataclass(frozen=True, kw_only=True)
class NamedSource:
    """A table of the server.

    Attributes
    ----------
    name : str
        What a visitor chooses it by.
    kind : "files", "postgres" or "spark"
    files : str
        A file, a folder or a pattern, of files and of Spark.
    url_env, remote_env : str
        Names of the environment variables with the address of a database, and of Spark Connect.
    table : str
    schema : str or None
    seconds : float or None
        How long a statement may take.
    sample : int
        Records of each group that are drawn at most.
    preview : bool
        Whether single records may be shown.
    least_group : int
        Groups with fewer records are not told of.
    units : mapping of column to str
    description : str
    roles : tuple of str
        Who may choose it, where people sign in; where nobody does, whoever comes is an analyst.
    """

    name: str
    kind: Kind
    files: str = field(default="", repr=False)
    url_env: str = ""
    remote_env: str = ""
    table: str = ""
    schema: str | None = None
    seconds: float | None = None
    sample: int = SAMPLE
    preview: bool = False
    least_group: int = 10
    units: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    roles: tuple[str, ...] = _ROLES


def named_sources() -> tuple[NamedSource, ...]:
    """Those that whoever looks can choose, in the file's order; none where the file is wrong."""
    mine = set(people.roles()) if people.on() else {"analyst"}
    return tuple(each for each in _read(os.environ.get(VARIABLE, ""))[0] if mine & set(each.roles))


def problem() -> str:
    """What is wrong with the file, as a sentence; empty if nothing is."""
    return _read(os.environ.get(VARIABLE, ""))[1]


def offered() -> list[str]:
    """Names to choose from, of whoever looks at the page."""
    return [] if presenting.to_others() else [each.name for each in named_sources()]


def hidden(title: str) -> bool:
    """Whether it is a table of the server while others see the screen."""
    named = _read(os.environ.get(VARIABLE, ""))[0]
    return presenting.to_others() and any(each.name == title for each in named)


@cache
def _read(path: str) -> tuple[tuple[NamedSource, ...], str]:
    """What a file says, once for as long as the server runs."""
    if not path:
        return (), ""
    try:
        return _parsed(path), ""
    except SourceError as error:
        sentence = f"The tables of this server cannot be offered: {error}"
        logging.getLogger("distpriv").warning("%s (%s)", sentence, VARIABLE)
        return (), sentence


def _parsed(path: str) -> tuple[NamedSource, ...]:
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise SourceError(f"the file that {VARIABLE} names cannot be read.") from None
    except tomllib.TOMLDecodeError:
        raise SourceError(f"the file that {VARIABLE} names is no TOML.") from None
    entries = content.pop("source", None)
    if content or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise SourceError("their file must hold one table [[source]] for each, and nothing else.")
    found = tuple(_named(entry, place) for place, entry in enumerate(entries, 1))
    titles = [each.name for each in found]
    taken = {*(example.title for example in EXAMPLES), UPLOAD}
    for title in titles:
        if titles.count(title) > 1 or title in taken:
            raise SourceError(f"two tables are called {title!r}; give each a name of its own.")
    return found


_TYPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("name", "kind", "files", "url_env", "remote_env", "table"), (str,)),
    **dict.fromkeys(("schema", "description"), (str,)),
    **dict.fromkeys(("sample", "least_group"), (int,)),
    "seconds": (int, float),
    "preview": (bool,),
    "units": (dict,),
    "roles": (list,),
}
_WORDS: Mapping[type, str] = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false",
    dict: "a table", list: "a list",
}  # fmt: skip
_NEEDED: Mapping[str, str] = {"files": "files", "postgres": "url_env"}


def _named(entry: Mapping[str, Any], place: int) -> NamedSource:
    """One entry; raises SourceError with the number of it."""
    name = entry.get("name", "")
    which = repr(name) if isinstance(name, str) and name else f"number {place}"

    def must(holds: bool, what: str) -> None:
        if not holds:
            raise SourceError(f"of the source {which}, {what}.")

    for key, value in entry.items():
        must(key in _TYPES, f"{key!r} is no setting; there are {', '.join(_TYPES)}")
        kinds = _TYPES[key]
        right = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
        must(right, f"{key!r} must be {_WORDS[kinds[-1]]}")
    must(0 < len(name.strip()) <= 80, "'name' must have 1 to 80 characters")
    kind = entry.get("kind")
    must(kind in get_args(Kind), f"'kind' must be one of {', '.join(get_args(Kind))}")
    if kind in _NEEDED:
        must(bool(entry.get(_NEEDED[str(kind)])), f"{_NEEDED[str(kind)]!r} is missing")
    must(kind != "postgres" or bool(entry.get("table")), "'table' is missing")
    both = [bool(entry.get("table")), bool(entry.get("files"))]
    must(kind != "spark" or sum(both) == 1, "either 'table' or 'files' must be given")
    must(2 <= entry.get("sample", SAMPLE) <= 1_000_000, "'sample' must be from 2 to 1000000")
    must(entry.get("seconds", 1) > 0, "'seconds' must be above 0")
    must(entry.get("least_group", 0) >= 0, "'least_group' must be at least 0")
    roles = entry.get("roles", _ROLES)
    must(all(role in ROLES for role in roles), f"'roles' may hold {', '.join(ROLES)} only")
    units = entry.get("units", {})
    must(all(isinstance(unit, str) for unit in units.values()), "'units' must be texts")
    return NamedSource(**{**entry, "name": name.strip(), "roles": tuple(roles)})


_OPENED: dict[str, tuple[NamedSource, Dataset]] = {}
_LOCKS: dict[str, Lock] = {}
_LOCK = Lock()


def open_named(name: str, begun: Callable[[EngineSource], None] = lambda _: None) -> Dataset:
    """A table of the server by its name: one for all sessions, for as long as it stays the same.

    Parameters
    ----------
    name : str
    begun : callable
        Told the source before its records are looked at, to be able to stop that.

    Raises
    ------
    SourceError
        If there is no such table, or it cannot be reached or read.
    """
    spec = next((each for each in named_sources() if each.name == name), None)
    if spec is None:
        raise SourceError(f"This server has no table called {name!r}; choose another one.")
    with _LOCK:
        own = _LOCKS.setdefault(name, Lock())
    with own:
        known, dataset = _OPENED.get(name, (None, None))
        if known == spec and dataset is not None and _same(dataset):
            return dataset
        source = _source(spec)
        begun(source)
        dataset = from_source(source, spec.name, spec.description, spec.units, spec.preview)
        _OPENED[name] = spec, dataset
        return dataset


def _same(dataset: Dataset) -> bool:
    assert dataset.source is not None
    try:
        dataset.source.check()
    except SourceError:
        return False
    return True


def _source(spec: NamedSource) -> EngineSource:
    opened = {"files": _files, "postgres": _postgres, "spark": _spark}[spec.kind]
    try:
        engine = opened(spec)
    except ImportError:
        raise SourceError(
            f"{spec.name} cannot be opened: what reads it is not installed on this server."
        ) from None
    return EngineSource(engine, size=spec.sample, least_group=spec.least_group)


def _files(spec: NamedSource) -> Any:
    from distpriv.sources.duckdb_files import FileEngine, files_of

    try:
        found = files_of(spec.files)
    except DistprivError:  # it names the file
        raise SourceError(
            f"There are no files of {spec.name}; ask whoever runs the server."
        ) from None
    return FileEngine(found, spec.name, seconds=spec.seconds)


def _postgres(spec: NamedSource) -> Any:
    from distpriv.sources.postgres import PostgresEngine

    address = _address(spec, spec.url_env)
    return PostgresEngine(address, spec.table, spec.schema, spec.name, seconds=spec.seconds)


def _spark(spec: NamedSource) -> Any:
    from pyspark.sql import SparkSession

    from distpriv.sources.spark import SparkEngine

    builder = SparkSession.builder
    try:
        if spec.remote_env:
            session = builder.remote(_address(spec, spec.remote_env)).getOrCreate()
        else:
            session = builder.appName("distpriv").getOrCreate()
        frame = session.table(spec.table) if spec.table else session.read.parquet(spec.files)
        return SparkEngine(frame, spec.name, seconds=spec.seconds)
    except DistprivError:
        raise
    except Exception:  # noqa: BLE001 - whatever Spark says may name the address
        raise SourceError(
            f"{spec.name} cannot be reached; ask whoever runs the server, and try again."
        ) from None


def _address(spec: NamedSource, variable: str) -> str:
    address = os.environ.get(variable)
    if not address:
        logging.getLogger("distpriv").warning("%s: %s is not set", spec.name, variable)
        raise SourceError(
            f"The address of {spec.name} is not set on this server; ask whoever runs it."
        )
    return address
