"""A Spark DataFrame, wherever its cluster keeps it."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse
from uuid import uuid4

from sqlalchemy import BigInteger, ColumnElement, Double, FromClause, Select, cast, func, literal
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.sql.compiler import GenericTypeCompiler, IdentifierPreparer, SQLCompiler

from distpriv.errors import SourceError
from distpriv.sources.engine import (
    Engine,
    Kind,
    RawColumn,
    failed,
    limited,
    relation,
    stopped,
    too_long,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SparkEngine"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "whole"),
    **dict.fromkeys(("float", "double", "decimal"), "real"),
    "boolean": "boolean",
    **dict.fromkeys(("date", "timestamp", "timestamp_ntz"), "moment"),
    **dict.fromkeys(("string", "char", "varchar", "void"), "text"),
}


_AGAIN = 0.3  # seconds


class _Identifiers(IdentifierPreparer):
    """Names in backticks; one within a name is doubled."""

    def __init__(self, dialect: DefaultDialect, **_: Any) -> None:
        super().__init__(dialect, initial_quote="`", final_quote="`", escape_quote="`")

    def _requires_quotes(self, value: str) -> bool:
        return True


class _Types(GenericTypeCompiler):
    def visit_double(self, type_: Any, **_: Any) -> str:
        return "DOUBLE"

    visit_DOUBLE = visit_double  # noqa: N815 - SQLAlchemy's name

    def visit_text(self, type_: Any, **_: Any) -> str:
        return "STRING"

    visit_TEXT = visit_text  # noqa: N815


class _Statements(SQLCompiler):
    def visit_regexp_match_op_binary(self, binary: Any, operator: Any, **options: Any) -> str:
        return f"({binary.left._compiler_dispatch(self, **options)} RLIKE " + (
            f"{binary.right._compiler_dispatch(self, **options)})"
        )


class SparkDialect(DefaultDialect):
    """As much of Spark's SQL as the statements need; values go by name, ``:param_1``."""

    name = "spark"
    paramstyle = "named"
    default_paramstyle = "named"
    supports_statement_cache = True
    supports_native_boolean = True
    preparer = _Identifiers  # type: ignore[assignment]
    type_compiler_cls = _Types
    statement_compiler = _Statements


_DIALECT = SparkDialect(paramstyle="named")


class SparkEngine(Engine):
    """A DataFrame of a Spark session, classic or Connect.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    title : str
    seconds : float, optional
        How long a query may take.
    """

    def __init__(self, frame: DataFrame, title: str, *, seconds: float | None = None) -> None:
        self.title, self.seconds = title, seconds
        self._frame, self._session = frame, frame.sparkSession
        self._remote = not hasattr(frame, "_jdf")
        self._tags: set[str] = set()
        self._stopped: set[str] = set()
        self._lock = threading.Lock()
        # It writes statements and values of whatever fails to the server's log.
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        self._view = f"distpriv_{uuid4().hex}"
        kinds = {name: _KINDS.get(kind.partition("(")[0]) for name, kind in frame.dtypes}
        if len(kinds) != len(frame.columns):
            raise SourceError(
                f"{title} has two columns of the same name; give every column a name of its own."
            )
        self.columns = tuple(RawColumn(name, kind) for name, kind in kinds.items() if kind)
        self.left_out = tuple(name for name, kind in kinds.items() if not kind)
        self.records = relation(self._view, [each.name for each in self.columns])
        frame.createOrReplaceTempView(self._view)

    def rows(self, statement: Select[Any]) -> list[tuple[Any, ...]]:
        compiled = statement.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
        tag = f"distpriv-{uuid4().hex}"
        with self._lock:
            self._tags.add(tag)
        self._mark(tag)
        try:
            with limited(self.seconds, lambda: self._interrupt(tag)) as late:
                try:
                    asked = self._session.sql(str(compiled), args=dict(compiled.params))
                    return [tuple(row) for row in asked.collect()]
                except Exception:  # noqa: BLE001 - a driver raises anything, and says too much
                    if late.is_set():
                        raise too_long(self.title, self.seconds) from None
                    if tag in self._stopped:
                        raise stopped(self.title) from None
                    raise failed(self.title) from None
        finally:
            if self._remote:
                self._session.removeTag(tag)
            with self._lock:
                self._tags.discard(tag)
                self._stopped.discard(tag)

    def numbered(self, seed: int) -> tuple[FromClause, ColumnElement[Any]]:
        number = func.xxhash64(func.monotonically_increasing_id(), literal(seed, BigInteger))
        share = cast(number, Double) / literal(2.0**64, Double)
        return self.records, share + literal(0.5, Double)

    def moment(self, column: ColumnElement[Any]) -> ColumnElement[int]:
        return func.unix_micros(func.timestamp(column))

    def fingerprint(self) -> str:
        try:
            files: Sequence[str] = sorted(self._frame.inputFiles())
            return repr((self._frame.semanticHash(), [_stamp(name) for name in files]))
        except Exception:  # noqa: BLE001 - as above
            raise failed(self.title) from None

    def cancel(self) -> None:
        with self._lock:
            running = list(self._tags)
        for tag in running:
            self._interrupt(tag)

    def _interrupt(self, tag: str) -> None:
        with self._lock:
            self._stopped.add(tag)
        threading.Thread(target=self._insist, args=(tag,), daemon=True).start()

    def _insist(self, tag: str) -> None:
        """Stop a query again and again until it has ended: before its jobs run there are none."""
        while tag in self._tags:
            if self._remote:
                self._session.interruptTag(tag)
            else:
                self._session.sparkContext.cancelJobGroup(tag)
            time.sleep(_AGAIN)

    def _mark(self, tag: str) -> None:
        """What this thread asks from now on can be stopped by the tag.

        A classic session finds the tags of its own thread only, and groups of jobs from any.
        """
        if self._remote:
            self._session.addTag(tag)
        else:
            self._session.sparkContext.setJobGroup(tag, self.title, interruptOnCancel=True)


def _stamp(name: str) -> tuple[str, int, int]:
    """A file's name, and its size and time where it lies on this machine."""
    address = urlparse(name)
    if address.scheme != "file":
        return name, 0, 0
    try:
        stat = os.stat(unquote(address.path))
    except OSError:
        return name, -1, 0
    return name, stat.st_size, stat.st_mtime_ns
