"""Tables that stay where they are: files through DuckDB, PostgreSQL, Spark.

A source answers in numbers: moments of the two groups, computed by the engine that has the
records, and a bounded random sample. The package takes it wherever it takes a DataFrame.
"""

from distpriv.model.source import (
    SAMPLE,
    ColumnProfile,
    MemorySource,
    Profile,
    SampledGroups,
    Source,
    source_of,
)
from distpriv.sources.opening import connect, from_spark, scan

__all__ = [
    "SAMPLE",
    "ColumnProfile",
    "MemorySource",
    "Profile",
    "SampledGroups",
    "Source",
    "connect",
    "from_spark",
    "scan",
    "source_of",
]
