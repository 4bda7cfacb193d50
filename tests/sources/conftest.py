"""Fixtures: a PostgreSQL server of its own, and Spark."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


def lacks(what):
    (pytest.fail if os.environ.get("DISTPRIV_REQUIRE") else pytest.skip)(f"no {what} here")


@pytest.fixture(scope="module")
def server():
    """A server on a socket; the address of its database."""
    folders = [Path(found).resolve().parent] if (found := shutil.which("postgres")) else []
    folders += Path("/usr/lib/postgresql").glob("*/bin")  # where Debian has them
    programs = next((one for one in folders if (one / "initdb").exists()), None)
    if programs is None:
        lacks("PostgreSQL")
    folder = tempfile.mkdtemp(prefix="pg")  # short, for a socket's path may have 107 characters
    user = {"user": "nobody"} if os.geteuid() == 0 else {}  # a server does not start as root
    if user:
        shutil.chown(folder, **user)

    def run(*command):
        subprocess.run([programs / command[0], *data, *command[1:]], check=True, stdout=-3, **user)

    data = ["-D", f"{folder}/data"]
    start = ["-w", "-l", f"{folder}/log", "-o", f"-k {folder} -c listen_addresses='' -c fsync=off"]
    try:
        run("initdb", "-A", "trust", "-U", "me", "-E", "UTF8", "--no-sync")
        run("pg_ctl", *start, "start")
        yield f"postgresql:///postgres?host={folder}&user=me"
        run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
