"""Tables in databases and in Spark."""
# ruff: noqa: S608 - names are quoted

from __future__ import annotations

import datetime
import decimal
import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from distpriv.arrays import EXACT
from distpriv.errors import SourceError
from distpriv.sources.engine import Engine, EngineSource
from distpriv.sources.sql import Cell, Kind, finite, single
from distpriv.tables.columns import quoted
from distpriv.tables.options import Notice

__all__ = ["connect", "from_spark"]

_SOME = 100  # records, which mostly show what columns hold
# Codes of numbers of single precision: PostgreSQL's, DuckDB's and Spark's.
_SINGLE = ("700", "FLOAT")
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
    "spark": "SELECT sum(CAST(xxhash64({1}) AS DECIMAL(38, 0))) FROM {0}",
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
        If there is no such table, it cannot be read, or it has no records or columns.

    Examples
    --------
    >>> import sqlite3
    >>> database = sqlite3.connect(":memory:")
    >>> dp.load_example("bank").to_sql("bank", database, index=False)
    15000
    >>> bank = dp.connect(database, "bank", dialect="sqlite")
    >>> bank.numbers
    ('age', 'income', 'amount', 'duration', 'other-loans')
    >>> dp.fit_gaussian(bank, dp.Mean("income"), dp.SensitiveProperty("late", "yes").pair(0.2, 0.2))
    GaussianModel(mean income of 15 000 records; 10 % and 30 % with late = yes)
    """
    connection, key = address, f"{dialect}:{table}"
    if isinstance(address, str):
        connection = _opened(address, timeout)
        parts = urlsplit(address)
        key = f"{parts.scheme}://{parts.hostname or ''}{parts.path}#{table}"
    elif not hasattr(address, "cursor"):
        raise SourceError(
            f"{type(address).__name__} is not a connection; pass an address or a connection."
        )
    engine = Engine(connection, dialect, timeout=timeout)
    name = ".".join(map(quoted, table.split(".")))
    ((count,),) = engine.rows(f"SELECT count(*) FROM {name}")
    if not count:
        raise SourceError(f"The table {table} has no records; choose another one.")
    described, some = engine.answer(f"SELECT * FROM {name} LIMIT {_SOME}")
    cells, notices, large = {}, [], []
    for at, (column, code, *_) in enumerate(described):
        cell = quoted(column)
        if not (values := [row[at] for row in some if row[at] is not None]):
            rest = f"SELECT {cell} FROM {name} WHERE {cell} IS NOT NULL LIMIT 1"
            values = [row[0] for row in engine.rows(rest)] or [""]
        word = type(values[0]).__name__
        kind, cast = next((one[1:] for one in _KINDS if isinstance(values[0], one[0])), (None, str))
        mixed = f"SELECT 1 FROM {name} WHERE typeof({cell}) IN ('text', 'blob') LIMIT 1"
        if kind == "number" and dialect == "sqlite" and engine.rows(mixed):
            kind, word = None, "numbers and texts"  # which it would take for 0
        if word == "int":
            large.append(column)
        if kind == "number" and str(code).upper() in _SINGLE:
            cell = single(cell)
        if kind:
            cells[column] = Cell(kind, cast(cell))
        else:
            text = f"Column {column!r} holds {word} and was left out."
            notices.append(Notice(text, column))
    if not cells:
        raise SourceError(f"The table {table} has no columns that can be read; choose another one.")
    for column in _naming(engine, name, large):
        cells[column] = Cell("text", f"CAST({quoted(column)} AS VARCHAR)")
    hashed = ", ".join(f"{cell}, {cell} IS NULL" for cell in map(quoted, cells))
    chance = "random()" if dialect != "sqlite" else "abs(random() / 9223372036854775808.0)"
    digest = _DIGESTS.get(dialect, "").format(name, hashed)
    return EngineSource(
        key=key,
        title=table,
        engine=engine,
        table=name,
        cells=cells,
        rows=count,
        draw=lambda share, _: f"(SELECT * FROM {name} WHERE {chance} < {share!r}) AS t",
        stamp=lambda: engine.rows(digest) if digest else secrets.token_hex(),
        notices=tuple(notices),
    )


def _naming(engine: Engine, table: str, columns: Sequence[str]) -> list[str]:
    """List columns of whole numbers with so many digits that they name something."""
    if not columns:
        return []
    sizes = ", ".join(f"max(abs({finite(quoted(column))}))" for column in columns)
    (found,) = engine.rows(f"SELECT {sizes} FROM {table}")
    return [column for column, size in zip(columns, found, strict=True) if (size or 0) > EXACT]


def from_spark(frame: Any, *, title: str = "Spark", timeout: float = 60.0) -> EngineSource:
    """Return a table that stays in Spark.

    What the frame is computed from is computed again for each query, unless it is cached; samples
    of it differ, whatever their seed.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    title : str
        Name to show.
    timeout : float
        Seconds that one query may take.

    Raises
    ------
    SourceError
        If it is no DataFrame of pyspark.sql, cannot be read, or has no records.

    Examples
    --------
    >>> dp.from_spark(session.table("people"), title="People")  # doctest: +SKIP
    People: 45 222 records, 15 columns
    """
    if not hasattr(frame, "createOrReplaceTempView"):
        raise SourceError(
            f"{type(frame).__name__} is not a DataFrame of Spark; pass one of pyspark.sql."
        )
    view = f"distpriv_{secrets.token_hex(8)}"
    frame.createOrReplaceTempView(view)
    source = connect(_Spark(frame.sparkSession), view, dialect="spark", timeout=timeout)
    return replace(source, key=f"spark:{title}", title=title)


class _Spark:
    """A session of Spark as a connection of Python's DB-API, and as its cursor."""

    paramstyle = "qmark"

    def __init__(self, session: Any) -> None:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self.Error = (PySparkException, Py4JError)
        self._session, self._tag = session, f"distpriv_{secrets.token_hex(8)}"
        self.description: list[tuple[str, str]] = []
        self._rows: list[Any] = []

    def cursor(self) -> _Spark:
        return self

    def execute(self, text: str, labels: Sequence[object] = ()) -> None:
        context = self._session.sparkContext
        context.addJobTag(self._tag)
        try:
            table = self._session.sql(text, list(labels) or None)
            self.description = [(one.name, one.dataType.simpleString()) for one in table.schema]
            self._rows = table.collect()
        finally:
            context.removeJobTag(self._tag)

    def fetchall(self) -> list[Any]:
        return self._rows

    def cancel(self) -> None:
        self._session.sparkContext.cancelJobsWithTag(self._tag)


def _opened(address: str, timeout: float) -> Any:
    try:
        parts = urlsplit(address)
        clear = parts.scheme in ("postgresql", "postgres") and parts.port != 0
    except ValueError:
        clear = False
    if not clear:  # the driver's words would repeat a password
        raise SourceError(
            "This is not the address of a PostgreSQL database; write "
            "postgresql://user@host/database, with %-codes for signs in a password, or pass an "
            "open connection."
        )
    try:
        import psycopg
    except ImportError:
        raise SourceError("PostgreSQL needs psycopg; pip install 'distpriv[postgres]'.") from None
    try:
        options = _OPTIONS.format(min(1000 * timeout, 2**31 - 1))
        return psycopg.connect(address, autocommit=True, connect_timeout=10, options=options)
    except psycopg.Error as error:
        reason = str(error).partition("\n")[0]
        raise SourceError(f"The database does not open ({reason}); check its address.") from None
