"""Tables that the owner of a dashboard offers, in the TOML file that DISTPRIV_SOURCES names.

One table a source; ``scan`` is a file, a folder or a pattern, beside the TOML file or absolute::

    [people]
    title = "People"
    scan = "people/*.parquet"
    units = {pay = "€"}
    options = {types = {zip = "category"}}

    [crew]
    address = "postgresql://reader@host/crew"
    table = "people"
    timeout = 60
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

from distpriv.errors import SourceError
from distpriv.sources.engine import EngineSource
from distpriv.sources.frame import Source
from distpriv.tables.examples import EXAMPLES
from distpriv.text import near

__all__ = ["named_source", "named_sources"]

_FILE = "DISTPRIV_SOURCES"
_UNREAD = "sources"  # what is offered where the file itself cannot be read
_KNOWN = ("title", "scan", "address", "table", "units", "timeout", "options")
_locks: dict[str, RLock] = {}
_opened: dict[str, tuple[object, EngineSource]] = {}


def named_sources() -> dict[str, str]:
    """Return the titles of the sources by their keys; empty where no file is named.

    What is wrong with the file or with an entry is told by `named_source`.
    """
    return {key: _title(key, entry) for key, entry in _entries().items()}


def named_source(key: str) -> Source:
    """Return a source, opened once a process and again where its files or its entry have changed.

    SourceError, without an address or a path, if there is none, its entry is wrong, or it does not
    open.
    """
    entries = _entries()
    if key not in entries:
        raise SourceError(f"No table is offered as {key!r}.{near(key, entries)}")
    entry = entries[key]
    with _locks.setdefault(key, RLock()):
        before, source = _opened.get(key, (None, None))
        if source is None or before != entry or not source.engine.is_open():
            source = _open(key, entry)
            _opened[key] = entry, source
    return source


def _entries() -> dict[str, Any]:
    if _FILE not in os.environ:
        return {}
    try:
        return tomllib.loads(Path(os.environ[_FILE]).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, tomllib.TOMLDecodeError) else "it is not text"
        return {_UNREAD: f"the file cannot be read ({reason})"}


def _title(key: str, entry: Any) -> str:
    return str(entry.get("title") or key) if isinstance(entry, dict) else key


def _problem(key: str, entry: Any) -> str:
    """Say what is wrong with an entry, "" for nothing; values stay unsaid."""
    if not isinstance(entry, dict):
        return entry if key == _UNREAD else "it is not a table of TOML"
    if key in ("upload", "open", *EXAMPLES):
        return "its key is that of another table"
    for name in entry.keys() - _KNOWN:
        return f"{name!r} is unknown.{near(name, _KNOWN)}"
    for name in ("title", "scan", "address", "table"):
        if not isinstance(entry.get(name, ""), str):
            return f"its {name} must be a text"
    timeout = entry.get("timeout", 60)
    if not isinstance(timeout, int | float) or not timeout > 0:
        return "its timeout must be a number of seconds above 0"
    return "" if ("scan" in entry) != ("address" in entry) else "it needs either scan or address"


def _open(key: str, entry: Any) -> EngineSource:
    from distpriv.sources.databases import connect
    from distpriv.sources.files import scan

    title, problem = _title(key, entry), _problem(key, entry)
    if problem:
        raise SourceError(
            f"The table {title!r} is offered wrongly: {problem}; correct the file that {_FILE} "
            "names."
        )
    try:
        timeout = float(entry.get("timeout", 60))
        units = {name: str(unit) for name, unit in dict(entry.get("units", {})).items()}
        if "scan" in entry:
            path = Path(os.environ[_FILE]).parent / entry["scan"]
            source = scan(path, timeout=timeout, **entry.get("options", {}))
        else:
            source = connect(entry["address"], entry["table"], timeout=timeout)
    except (ValueError, TypeError, LookupError):  # their words may hold addresses
        raise SourceError(
            f"The table {title!r} cannot be opened; its owner finds out why by "
            f"{'scan' if 'scan' in entry else 'connect'} in Python."
        ) from None
    engine = replace(source.engine, quiet=True)
    return replace(source, key=key, title=title, engine=engine, units=units)
