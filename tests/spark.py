"""A Spark session on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

REQUIRED = "DISTPRIV_REQUIRE_SPARK"


@contextmanager
def spark() -> Iterator[Any]:
    """A session in local mode that lives as long as the block."""
    if shutil.which("java") is None:
        message = "no Java on this machine: install your system's package `openjdk-17-jre-headless`"
        if os.environ.get(REQUIRED):
            pytest.fail(message)
        pytest.skip(message)
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.ui.retainedExecutions", "1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
