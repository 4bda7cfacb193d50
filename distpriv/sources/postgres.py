"""A table or view of PostgreSQL, read by psycopg in transactions that cannot write."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Double,
    FromClause,
    NullPool,
    Select,
    Text,
    case,
    cast,
    create_engine,
    extract,
    func,
    literal,
    literal_column,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from distpriv.errors import SourceError
from distpriv.sources.engine import Engine, Kind, RawColumn, failed, relation, stopped, too_long
from distpriv.tables.labels import shown

__all__ = ["PostgresEngine"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("int2", "int4", "int8"), "whole"),
    **dict.fromkeys(("float4", "float8", "numeric"), "real"),
    "bool": "boolean",
    **dict.fromkeys(("date", "timestamp", "timestamptz"), "moment"),
    **dict.fromkeys(("text", "varchar", "bpchar", "char", "name", "uuid", "citext"), "text"),
    **dict.fromkeys(("time", "timetz", "interval", "inet", "cidr", "macaddr"), "text"),
}
_CONNECT_SECONDS = 5
_CANCELED = "57014"

_ONE_WORKER = text("SET LOCAL max_parallel_workers_per_gather = 0")
_COLUMNS = text(
    "SELECT a.attname, t.typname, t.typtype FROM pg_attribute a"
    " JOIN pg_type t ON t.oid = a.atttypid"
    " WHERE a.attrelid = :oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
)
_TABLE = text(
    "SELECT c.oid, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relname = :name AND CASE WHEN CAST(:schema AS text) IS NULL"
    " THEN pg_table_is_visible(c.oid) ELSE n.nspname = :schema END"
    " AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
)
# What changes with the data, as far as the server counts it, of a table and of its partitions.
_COUNTERS = text(
    "WITH RECURSIVE parts AS (SELECT CAST(:oid AS oid) AS oid UNION ALL"
    " SELECT i.inhrelid FROM pg_inherits i JOIN parts p ON i.inhparent = p.oid)"
    " SELECT c.oid, c.relfilenode, s.n_tup_ins, s.n_tup_upd, s.n_tup_del,"
    " CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END"
    " FROM parts p JOIN pg_class c ON c.oid = p.oid"
    " LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid ORDER BY c.oid"
)


class PostgresEngine(Engine):
    """A table or view.

    Parameters
    ----------
    url : str
        ``postgresql://user:password@host/database``.
    name : str
        Of the table or view.
    schema : str, optional
        By default the first of the search path that has it.
    title : str
    seconds : float, optional
        How long a statement may take.
    """

    def __init__(
        self,
        url: Any,
        name: str,
        schema: str | None,
        title: str,
        *,
        seconds: float | None = None,
    ) -> None:
        self.title, self.seconds = title, seconds
        self._running: set[Connection] = set()
        self._lock = threading.Lock()
        settings = ["-c default_transaction_read_only=on", "-c timezone=UTC"]
        settings += ["-c extra_float_digits=3", "-c application_name=distpriv"]
        if seconds is not None:
            settings.append(f"-c statement_timeout={max(1, round(1000 * seconds))}")
        try:
            self._engine = create_engine(
                _address(url, title),
                poolclass=NullPool,
                hide_parameters=True,
                connect_args={"options": " ".join(settings), "connect_timeout": _CONNECT_SECONDS},
            )
        except ModuleNotFoundError:
            raise SourceError(
                f"The database of {title} needs psycopg, which is not installed; install distpriv "
                "with the extra [postgres], in its folder by `pip install '.[postgres]'`."
            ) from None
        found = self._fetched(_TABLE, {"name": name, "schema": schema})
        if len(found) != 1:
            raise SourceError(
                f"The database of {title} has no table or view {shown(name)} that may be read; "
                "check its name, its schema and the rights of the role."
            )
        self._oid, kind = found[0]
        self._placed = kind in ("r", "p", "m")  # a record lies somewhere in a file
        self._seed = 0.0
        described = self._fetched(_COLUMNS, {"oid": self._oid})
        kinds = {
            column: "text" if of == "e" else _KINDS.get(kind) for column, kind, of in described
        }
        self.columns = tuple(RawColumn(column, kind) for column, kind in kinds.items() if kind)
        self.left_out = tuple(column for column, kind in kinds.items() if not kind)
        self.records = relation(name, [each.name for each in self.columns], schema)

    def rows(self, statement: Select[Any]) -> list[tuple[Any, ...]]:
        seeded = () if self._placed else (_ONE_WORKER, select(func.setseed(self._seed)))
        return self._fetched(statement, first=seeded)

    def _fetched(
        self, statement: Any, values: dict[str, Any] | None = None, first: Sequence[Any] = ()
    ) -> list[Any]:
        try:
            with self._engine.connect() as connection:
                with self._lock:
                    self._running.add(connection)
                try:
                    for each in first:
                        connection.execute(each)
                    return [tuple(row) for row in connection.execute(statement, values or {})]
                finally:
                    with self._lock:
                        self._running.discard(connection)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _CANCELED:
                raise failed(self.title) from None
            late = "statement timeout" in str(error.orig)
            raise too_long(self.title, self.seconds) if late else stopped(self.title) from None
        except SQLAlchemyError:
            raise failed(self.title) from None

    def numbered(self, seed: int) -> tuple[FromClause, ColumnElement[Any]]:
        if not self._placed:  # the server draws, from a seed, in the order of one worker
            self._seed = seed * 0x9E3779B97F4A7C15 % 2**64 / 2**63 - 1
            return self.records, func.random()
        places = (cast(literal_column(name), Text) for name in ("tableoid", "ctid"))
        number = func.hashtextextended(func.concat(*places), literal(seed, BigInteger))
        share = cast(number, Double) / literal(2.0**64, Double)
        return self.records, share + literal(0.5, Double)

    def moment(self, column: ColumnElement[Any]) -> ColumnElement[int]:
        microseconds = extract("epoch", column) * literal(1_000_000)
        return case((func.isfinite(column), cast(microseconds, BigInteger)))

    def fingerprint(self) -> str:
        return repr(self._fetched(_COUNTERS, {"oid": self._oid}))

    def cancel(self) -> None:
        with self._lock:
            running = list(self._running)
        for connection in running:
            connection.connection.driver_connection.cancel()  # type: ignore[union-attr]


def _address(url: Any, title: str) -> URL:
    try:
        address = make_url(str(url) if isinstance(url, str) else "")
        kind = address.get_backend_name()
    except (ArgumentError, ValueError):
        kind = ""
    if kind not in ("postgres", "postgresql"):
        raise SourceError(
            f"The address of {title} must look like postgresql://user:password@host/database."
        )
    return address.set(drivername="postgresql+psycopg")
