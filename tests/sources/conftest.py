"""Fixtures: Spark."""

import shutil

import pytest

from tests.conftest import lacks


@pytest.fixture(scope="session")
def spark():
    """Return what makes a table of Spark of rows, their names, and SQL's types."""
    if shutil.which("java") is None:
        lacks("Java")
    try:
        from pyspark.sql import SparkSession, types
    except ImportError:
        lacks("Spark")
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1"}
    settings |= dict.fromkeys(["spark.driver.host", "spark.driver.bindAddress"], "127.0.0.1")
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    kinds = {
        "int": types.IntegerType(),
        "smallint": types.ShortType(),
        "bigint": types.LongType(),
        "double precision": types.DoubleType(),
        "real": types.FloatType(),
        "text": types.StringType(),
        "boolean": types.BooleanType(),
        "timestamp": types.TimestampNTZType(),
    }

    def table(rows, names, columns):
        fields = [
            types.StructField(*one) for one in zip(names, map(kinds.get, columns), strict=True)
        ]
        plain = [
            [getattr(cell, "to_pydatetime", lambda c=cell: c)() for cell in row] for row in rows
        ]
        return session.createDataFrame(plain, types.StructType(fields))

    yield table
    session.stop()
