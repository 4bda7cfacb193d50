"""Files of Parquet or CSV through DuckDB, which runs inside the process and reads what it needs."""

from __future__ import annotations

import glob
import os
import re
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
from sqlalchemy import BigInteger, ColumnElement, Double, FromClause, Select, cast, func, literal
from sqlalchemy.dialects.postgresql.psycopg2 import PGDialect_psycopg2

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
from distpriv.tables.labels import shown

__all__ = ["FileEngine", "files_of"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "whole"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "whole"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "real"),
    "BOOLEAN": "boolean",
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "moment"),
    "TIMESTAMP WITH TIME ZONE": "moment",
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID", "TIME", "TIME_NS", "INTERVAL"), "text"),
}
_FILE, _ROW = "distpriv file", "file_row_number"
_PATTERN = re.compile(r"[*?\[]")
_SIGNS = re.compile(r"[,;\t|]")
_MEMORY = "256MB"
_TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")


class DuckDialect(PGDialect_psycopg2):
    """PostgreSQL's SQL, but for what is compiled under another name."""

    name = "duckdb"
    supports_statement_cache = True


_DIALECT = DuckDialect(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]


def files_of(pattern: str | os.PathLike[str]) -> list[Path]:
    """The files that a path, a folder or a pattern names, in order.

    Raises
    ------
    SourceError
        If there is none.
    """
    text = os.fspath(pattern)
    if Path(text).is_dir():
        found = [path for path in Path(text).rglob("*") if path.is_file() and _known(path)]
    elif Path(text).is_file():  # its name may hold the signs of a pattern
        found = [Path(text)]
    else:
        found = [Path(name) for name in glob.glob(text, recursive=True) if Path(name).is_file()]
    if not found:
        raise SourceError(
            f"There is no file at {shown(Path(text).name)}; give a Parquet or CSV file, a folder "
            'of them, or a pattern such as "folder/*.parquet".'
        )
    return sorted(path.resolve() for path in found)


def _known(path: Path) -> bool:
    hidden = any(part.startswith((".", "_")) for part in path.parts[-1:])
    return not hidden and path.name.lower().endswith((".parquet", ".pq", *_TEXT))


class FileEngine(Engine):
    """Parquet or CSV files of the same columns.

    Parameters
    ----------
    files : sequence of Path
        Of one kind.
    title : str
    seconds : float, optional
        How long a query may take.
    """

    def __init__(self, files: Sequence[Path], title: str, *, seconds: float | None = None) -> None:
        self.title, self.seconds = title, seconds
        self._files = [str(path) for path in files]
        if any(_PATTERN.search(name) for name in self._files):  # it would be other files, too
            raise SourceError(
                f"{title} lies in a folder or has a file whose name holds *, ? or [; rename it."
            )
        self._folder = os.path.commonpath([str(path.parent) for path in files])
        self._parquet = not self._files[0].lower().endswith(_TEXT)
        self._running: set[duckdb.DuckDBPyConnection] = set()
        self._lock = threading.Lock()
        self._spill = tempfile.TemporaryDirectory(prefix="distpriv-")
        try:
            self._connection = self._opened()
            described = self._connection.execute("DESCRIBE records").fetchall()
        except duckdb.Error:
            raise SourceError(
                f"{title} cannot be read as a table; every file has to be Parquet or CSV with the "
                "same columns, none called filename or file_row_number, a CSV in UTF-8 with their "
                "names in its first row."
            ) from None
        if not self._parquet and len(described) == 1 and _SIGNS.search(str(described[0][0])):
            raise SourceError(
                f"{title} cannot be read as a table; some line has other columns than the first "
                "row, correct it."
            )
        known = {name: _KINDS.get(kind.partition("(")[0]) for name, kind, *_ in described}
        self.columns = tuple(RawColumn(name, kind) for name, kind in known.items() if kind)
        self.left_out = tuple(name for name, kind in known.items() if not kind)
        self.records = relation("records", [each.name for each in self.columns])

    def _opened(self) -> duckdb.DuckDBPyConnection:
        """A database in memory that can read these files, and nothing else."""
        connection = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": _MEMORY,
                "temp_directory": self._spill.name,
                # Lines of a CSV are numbered as they come.
                "preserve_insertion_order": "false" if self._parquet else "true",
                # The two that decide by the extremes of a Parquet file, which leave NaN out.
                "disabled_optimizers": "statistics_propagation,filter_pushdown",
                "autoload_known_extensions": "false",
                "autoinstall_known_extensions": "false",
            },
        )
        if self._parquet:
            plain = connection.read_parquet(self._files, hive_partitioning=False)
            plain.create_view("records")
            numbered = connection.read_parquet(
                self._files, file_row_number=True, filename=True, hive_partitioning=False
            )
            numbered.create_view("numbered")
        else:
            self._csv(connection)
        # The files alone: links may lead to files whose common folder is that of everything.
        allowed = ", ".join(_quoted(each) for each in self._files)
        connection.execute(f"SET allowed_paths = [{allowed}]")
        connection.execute(f"SET allowed_directories = [{_quoted(self._spill.name)}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        return connection

    def _csv(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Everything is read as text: what is a number is for the profile to say, not a guess."""
        options: dict[str, Any] = {"header": True, "all_varchar": True, "null_padding": False}
        files: Any = self._files  # a list is taken, whatever the stubs say
        connection.read_csv(files, **options).create_view("records")
        connection.read_csv(files, filename=True, **options).create_view("named")
        connection.execute(
            "CREATE VIEW numbered AS SELECT *, row_number() OVER () AS file_row_number FROM named"
        )

    def rows(self, statement: Select[Any]) -> list[tuple[Any, ...]]:
        compiled = statement.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
        names = compiled.positiontup or []
        values = [compiled.params[name] for name in names]
        cursor = self._connection.cursor()
        with self._lock:
            self._running.add(cursor)
        try:
            with limited(self.seconds, cursor.interrupt) as late:
                try:
                    return cursor.execute(str(compiled), values).fetchall()
                except duckdb.InterruptException:
                    raise (
                        too_long(self.title, self.seconds) if late.is_set() else stopped(self.title)
                    ) from None
                except duckdb.InvalidInputException as error:
                    raise self._unreadable(error) from None
                except duckdb.OutOfMemoryException:
                    raise SourceError(
                        f"The query of {self.title} needs more memory than it may take; choose "
                        "fewer statistics."
                    ) from None
                except duckdb.Error:
                    raise failed(self.title) from None
        finally:
            with self._lock:
                self._running.discard(cursor)
            cursor.close()

    def _unreadable(self, error: Exception) -> SourceError:
        if self._parquet or "CSV Error on Line: " not in str(error):
            return failed(self.title)
        line = str(error).partition("CSV Error on Line: ")[2].split("\n", 1)[0].strip()
        if not line.isdecimal():
            return failed(self.title)
        return SourceError(
            f"{self.title} cannot be read beyond line {line}, which has other columns than the "
            "first row, or an open quote; correct it."
        )

    def numbered(self, seed: int) -> tuple[FromClause, ColumnElement[Any]]:
        columns = [*(each.name for each in self.columns), "filename", _ROW]
        records = relation("numbered", columns)
        # Where the folder lies is no part of a record's number.
        name = func.substr(records.c["filename"], literal(len(self._folder) + 1))
        number = func.hash(name, records.c[_ROW], literal(seed, BigInteger))
        return records, cast(number, Double) / literal(2.0**64, Double)

    def moment(self, column: ColumnElement[Any]) -> ColumnElement[int]:
        return func.epoch_us(column)

    def fingerprint(self) -> str:
        parts = []
        try:
            for name in self._files:
                stat = os.stat(name)
                parts.append((name, stat.st_size, stat.st_mtime_ns))
                if self._parquet:
                    parts.append((pyarrow.parquet.read_metadata(name).num_rows, 0, 0))
        except (OSError, pyarrow.ArrowException):
            raise failed(self.title) from None
        return repr(parts)

    def cancel(self) -> None:
        with self._lock:
            for cursor in self._running:
                cursor.interrupt()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
