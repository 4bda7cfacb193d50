"""From an address to a source; what an engine needs is imported when one is opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from distpriv.arguments import Within, checked
from distpriv.errors import SourceError
from distpriv.model.source import SAMPLE, Source

__all__ = ["connect", "from_spark", "scan"]

Size = Annotated[int, Within(2, 1_000_000)]
Seconds = Annotated[float, Within(0.001, 1e6)]


@checked(SourceError)
def scan(
    files: str | os.PathLike[str], *, size: Size = SAMPLE, seconds: Seconds | None = None
) -> Source:
    """A table in files of Parquet or CSV, read where they lie by an embedded DuckDB.

    Memory does not grow with the records: what leaves the engine are moments of the two groups, the
    labels of columns with at most 10 000 different ones, and a bounded random sample. DuckDB can
    read these files and nothing else.

    Some things differ from :func:`distpriv.read_table`. Dates cannot be counted or told apart by
    value. Whole numbers beyond 2⁵³ are compared as the doubles next to them. A time of day is the
    text that the engine writes. DuckDB does not tell names apart by case: of two columns ``A`` and
    ``a``, and of two of the same name in a CSV, the second is called ``a_1``.

    Parameters
    ----------
    files : str or path
        A file, a folder, or a pattern such as ``"folder/*.parquet"``. All files have the same
        columns, none called ``filename`` or ``file_row_number``; a CSV is in UTF-8 and has their
        names in its first row. Nested and binary columns are left out.
    size : int, from 2 to 1 000 000
        Records of each group that simulations and attacks draw from at most.
    seconds : float > 0, optional
        How long a query may take.

    Returns
    -------
    Source
        To be given to :func:`distpriv.fit_gaussian`, :func:`distpriv.evaluate`,
        :func:`distpriv.run_attack` and :func:`distpriv.draw_release` in place of a DataFrame.

    Raises
    ------
    SourceError
        If there are no such files, or they cannot be read as one table.
    """
    from distpriv.sources.duckdb_files import FileEngine, files_of
    from distpriv.sources.table import EngineSource

    title = Path(files).name or "The folder"
    return EngineSource(FileEngine(files_of(files), title, seconds=seconds), size=size)


@checked(SourceError)
def connect(
    url: Any,  # that it is a text is checked where no sentence repeats it
    *,
    table: str,
    schema: str | None = None,
    size: Size = SAMPLE,
    seconds: Seconds | None = None,
) -> Source:
    """A table or view of a PostgreSQL database.

    Every transaction is read-only. A role that may select from that table and nothing else is all
    that is needed, and all that it should have.

    Parameters
    ----------
    url : str
        ``postgresql://user:password@host/database``; it is shown nowhere.
    table : str
        Name of the table or view.
    schema : str, optional
        By default the first of the role's search path that has the table.
    size : int, from 2 to 1 000 000
        As for :func:`scan`.
    seconds : float > 0, optional
        How long a statement may take.

    Raises
    ------
    SourceError
        If the address is none, the database cannot be reached, or there is no such table.
    """
    from distpriv.sources.postgres import PostgresEngine
    from distpriv.sources.table import EngineSource

    return EngineSource(PostgresEngine(url, table, schema, table, seconds=seconds), size=size)


@checked(SourceError)
def from_spark(
    frame: Any,
    *,
    title: str = "The Spark table",
    size: Size = SAMPLE,
    seconds: Seconds | None = None,
) -> Source:
    """A DataFrame of Spark, classic or by Spark Connect.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    title : str
        What sentences call it.
    size : int, from 2 to 1 000 000
        As for :func:`scan`.
    seconds : float > 0, optional
        How long a query may take.

    Raises
    ------
    SourceError
        If it is no such DataFrame, or has two columns of the same name.
    """
    from distpriv.sources.spark import SparkEngine
    from distpriv.sources.table import EngineSource

    if not hasattr(frame, "sparkSession"):
        raise SourceError(
            f"A Spark source needs a pyspark.sql.DataFrame, got {type(frame).__name__}; give "
            "spark.table(name) or spark.read.parquet(folder)."
        )
    return EngineSource(SparkEngine(frame, title, seconds=seconds), size=size)
