"""Tables in databases."""
# ruff: noqa: S608 - names are quoted

from __future__ import annotations

import datetime
import decimal
import secrets
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from distpriv.errors import SourceError
from distpriv.sources.engine import Engine, EngineSource
from distpriv.sources.sql import Cell, Kind, finite
from distpriv.tables.columns import quoted
from distpriv.tables.options import Notice

__all__ = ["connect"]

_REAL = 700  # PostgreSQL's code of numbers of single precision
# Types of Python, what kind of column they make, and SQL of its values.
_KINDS: tuple[tuple[Any, Kind, Callable[[str], str]], ...] = (
    (bool, "boolean", str),
    ((int, float, decimal.Decimal), "number", finite),
    (datetime.date, "date", "CAST({} AS TIMESTAMP)".format),
    ((str, uuid.UUID), "text", "CAST({} AS VARCHAR)".format),
)
# SQL of a digest of all records; of other engines' tables each opening counts as another content.
_DIGESTS = {
    "duckdb": "SELECT sum(hash(t)) FROM {} AS t",
    "postgres": "SELECT sum(hashtextextended(CAST(t AS VARCHAR), 0)) FROM {} AS t",
}
_OPTIONS = (
    "-c default_transaction_read_only=on -c timezone=UTC "
    "-c standard_conforming_strings=on -c statement_timeout={:.0f}"
)


def connect(
    address: Any, table: str, *, dialect: str = "postgres", timeout: float = 60.0
) -> EngineSource:
    """Return a table that stays in its database.

    Parameters
    ----------
    address : str or connection
        ``postgresql://user@host/database``, which is opened for reading only; or an open connection
        of Python's DB-API. Samples of the table differ, whatever their seed.
    table : str
        Its name, with its schema before a point where it needs one.
    dialect : str
        Of the connection's SQL, by sqlglot's name.
    timeout : float
        Seconds that one query may take.

    Raises
    ------
    SourceError
        If there is no such table, it cannot be read, or it has no records.
    """
    connection, key = address, f"{dialect}:{table}"
    if isinstance(address, str):
        connection = _opened(address, timeout)
        parts = urlsplit(address)
        key = f"{parts.scheme}://{parts.hostname or ''}{parts.path}#{table}"
    engine = Engine(connection, dialect, timeout=timeout)
    name = ".".join(map(quoted, table.split(".")))
    ((count,),) = engine.rows(f"SELECT count(*) FROM {name}")
    if not count:
        raise SourceError(f"The table {table} has no records; choose another one.")
    cells, notices = {}, []
    for column, code, *_ in engine.answer(f"SELECT * FROM {name} LIMIT 0")[0]:
        cell = quoted(column)
        some = engine.rows(f"SELECT {cell} FROM {name} WHERE {cell} IS NOT NULL LIMIT 1")
        value = some[0][0] if some else ""
        word = type(value).__name__
        kind, cast = next((one[1:] for one in _KINDS if isinstance(value, one[0])), (None, str))
        mixed = f"SELECT 1 FROM {name} WHERE typeof({cell}) IN ('text', 'blob') LIMIT 1"
        if kind == "number" and dialect == "sqlite" and engine.rows(mixed):
            kind, word = None, "numbers and texts"  # which it would take for 0
        if kind == "number" and dialect == "postgres" and code == _REAL:
            cell = f"CAST({cell} AS VARCHAR)"  # the decimal that single precision stands for
        if kind:
            cells[column] = Cell(kind, cast(cell))
        else:
            text = f"Column {column!r} holds {word} and was left out."
            notices.append(Notice(text, column))

    digest = _DIGESTS.get(dialect)
    return EngineSource(
        key=key,
        title=table,
        engine=engine,
        table=name,
        cells=cells,
        rows=count,
        draw=lambda share, _: f"(SELECT * FROM {name} WHERE random() < {share!r}) AS t",
        stamp=lambda: engine.rows(digest.format(name)) if digest else secrets.token_hex(),
        notices=tuple(notices),
    )


def _opened(address: str, timeout: float) -> Any:
    try:
        parts = urlsplit(address)
        clear = parts.scheme in ("postgresql", "postgres") and parts.port != 0
    except ValueError:
        clear = False
    if not clear:  # the driver's words would repeat a password
        raise SourceError(
            "This is no address of a PostgreSQL database; write postgresql://user@host/database, "
            "with %-codes for signs in a password, or pass an open connection."
        )
    try:
        import psycopg
    except ImportError:
        raise SourceError("PostgreSQL needs psycopg; pip install 'distpriv[postgres]'.") from None
    try:
        options = _OPTIONS.format(1000 * timeout)
        return psycopg.connect(address, autocommit=True, connect_timeout=10, options=options)
    except psycopg.Error as error:
        reason = str(error).partition("\n")[0]
        raise SourceError(f"The database does not open ({reason}); check its address.") from None
