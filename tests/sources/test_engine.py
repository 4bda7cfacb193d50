"""Tables that stay where they are: in files, in DuckDB and in PostgreSQL, beside a frame."""

import os
import pickle
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.errors import DistprivError, SourceError
from distpriv.queries import Count, Mean, Median, Proportion, Query, SensitiveProperty, Sum
from distpriv.sources import connect, scan, source_of

N = 600
NAME = """it's "%s" $1; -- größe"""
LABELS = ["O'Hara", 'a"b', "back\\slash\\'", "'; DROP TABLE people; --", "100 %s", "$1", "λ☃"]
QUERY = Query([Mean("age"), Sum("pay"), Count(NAME, LABELS[3]), Proportion("member", True)])
SECRET = SensitiveProperty("late", 1)


def people():
    rng = np.random.default_rng(4)
    day = pd.to_datetime("2024-02-28") + pd.to_timedelta(rng.integers(0, 3, N), unit="D")
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, N),
            "pay": np.round(rng.lognormal(8, 0.5, N), 2),
            "rate": 1e6 + rng.normal(size=N),
            NAME: rng.choice(LABELS, N),
            "member": rng.random(N) < 0.2,
            "day": day.astype("datetime64[us]"),
            "late": (rng.random(N) < 0.3).astype(int),
        }
    )
    table["pay"] = table["pay"].mask(rng.random(N) < 0.05)
    table[NAME] = table[NAME].mask(rng.random(N) < 0.05)
    table["day"] = table["day"].mask(rng.random(N) < 0.05)
    return table


@pytest.fixture(scope="module")
def server():
    """A server of its own, on a socket; the address of its database."""
    program = shutil.which("postgres")
    if program is None:
        pytest.skip("no program postgres on this machine")
    folder = tempfile.mkdtemp(prefix="pg")  # short, for a socket's path may have 107 characters
    user = {"user": "nobody"} if os.geteuid() == 0 else {}  # a server does not start as root
    if user:
        shutil.chown(folder, **user)
    programs = Path(program).resolve().parent

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


@pytest.fixture(scope="module", params=["csv", "parquet", "duckdb", "postgres"])
def pair(request, tmp_path_factory):
    """A source, and the same table in memory."""
    table, folder = people(), tmp_path_factory.mktemp("files")
    if request.param == "csv":
        table.to_csv(folder / "people.csv", index=False)
        return scan(folder / "people.csv"), dp.read_table(folder / "people.csv")
    if request.param == "parquet":
        table.to_parquet(folder / "people.parquet", row_group_size=100)
        return scan(folder / "people.parquet"), dp.read_table(folder / "people.parquet")
    if request.param == "duckdb":
        database = duckdb.connect()
        database.from_df(table).create("people")
        return connect(database, "people", dialect="duckdb"), table
    import psycopg

    address = request.getfixturevalue("server")
    names = ", ".join('"{}"'.format(name.replace('"', '""')) for name in table)
    kinds = ["int", "numeric", "float8", "text", "bool", "timestamp", "smallint"]
    columns = ", ".join(map(" ".join, zip(names.split(", "), kinds, strict=True)))
    with psycopg.connect(address) as database:
        database.execute(f"CREATE TABLE people ({columns})")
        with database.cursor().copy("COPY people FROM STDIN") as copy:
            for row in table.astype(object).where(table.notna(), None).itertuples(index=False):
                copy.write_row(row)
    return connect(address, "people"), table


def test_moments_and_grid_are_those_of_the_frame(pair):
    source, memory = replace(pair[0], most=0), source_of(pair[1])
    ours, theirs = source.groups(QUERY, SECRET), memory.groups(QUERY, SECRET)
    np.testing.assert_array_equal(ours.counts, theirs.counts)
    np.testing.assert_allclose(ours.means, theirs.means, rtol=1e-12)
    scale = np.sqrt(np.einsum("gi,gj->gij", *[np.diagonal(theirs.covariances, 0, 1, 2)] * 2))
    np.testing.assert_allclose(ours.covariances / scale, theirs.covariances / scale, atol=1e-12)
    np.testing.assert_array_equal(ours.extremes, theirs.extremes)
    assert ours.dropped == theirs.dropped > 0
    assert ours.records is None
    for grid, same in zip(
        (ours.grids.both, *ours.grids.alone), (theirs.grids.both, *theirs.grids.alone), strict=True
    ):
        assert grid.steps.tolist() == same.steps.tolist()
        assert grid.basis == same.basis
    assert ours.grids.order == theirs.grids.order
    np.testing.assert_allclose(source.answer(QUERY), memory.answer(QUERY), rtol=1e-12)
    assert source.complete(QUERY, [SECRET]) == memory.complete(QUERY, [SECRET])
    fitted, same = (dp.fit_gaussian(one, QUERY, SECRET.pair(0.3, 0.1)) for one in (source, memory))
    np.testing.assert_allclose(fitted.pairs[0].means, same.pairs[0].means, rtol=1e-12)


def test_columns_labels_and_numbers_are_those_of_the_frame(pair):
    source, memory = pair[0], source_of(pair[1])
    assert source.rows == N
    assert source.numbers == memory.numbers
    assert {name: sorted(one) for name, one in source.labels.items()} == {
        name: sorted(one) for name, one in memory.labels.items()
    }
    columns = source.columns(list(pair[1]))
    order = ["rate", "age"]
    left, right = (
        one.sort_values(order).reset_index(drop=True).astype(object) for one in (columns, pair[1])
    )
    pd.testing.assert_frame_equal(left.where(left.notna(), None), right.where(right.notna(), None))
    assert len(source.columns(["age"], most=50)) == 50
    assert source.groups(Query([Median("age")]), SECRET).records is not None
    everything = dp.exposure(source), dp.exposure(memory)
    np.testing.assert_allclose(everything[0]["guesses"], everything[1]["guesses"])
    scenario = dp.Scenario("here", secrets=(SECRET.pair(0.3, 0.2),), statistics=QUERY.statistics)
    one, other = (dp.evaluate(scenario, table).undefended for table in (source, pair[1]))
    assert one == pytest.approx(other)
    assert len(source.fingerprint) == 32
    with pytest.raises(TypeError):
        pickle.dumps(source)


SECRETS = [
    *(SensitiveProperty(NAME, label) for label in LABELS),
    SensitiveProperty(NAME, [*LABELS[:3], "absent"]),
    SensitiveProperty("late", True),
    SensitiveProperty("age", [20, 30.0, "40"]),
    SensitiveProperty("member", 0),
    SensitiveProperty("day", "2024-02-29"),
    SensitiveProperty("day", ["2024-02-28T00:00:00", "yesterday", "2024-03-01T00:00Z"]),
    SensitiveProperty("pay", above=3000),
    SensitiveProperty("pay", below=2999.5),
    SensitiveProperty("age", between=(30, 39)),
    SensitiveProperty("member", above=0.5),
]


def test_property_of_each_record_is_that_of_the_mask(pair):
    source, query = replace(pair[0], most=0), Query([Mean("rate")])
    for secret in SECRETS[:: 5 if source.title.endswith("csv") else 1]:
        mask, groups = secret.mask(pair[1]), source.groups(query, secret)
        assert groups.counts.tolist() == [(mask == 0).sum(), (mask == 1).sum()], secret
        means = [pair[1]["rate"][mask == group].mean() for group in (0, 1)]
        np.testing.assert_allclose(groups.means[:, 0], means, rtol=1e-12)


def test_mistakes_are_answered_as_in_memory(pair):
    source, memory = replace(pair[0], most=0), source_of(pair[1])
    for query, secret in [
        (Mean("agee"), SECRET),
        (Count(NAME, "O'Hare"), SECRET),
        (Mean("age"), SensitiveProperty("late", "1")),
        (Mean("age"), SensitiveProperty("age", above=1000)),
    ]:
        messages = []
        for one in (source, memory):
            with pytest.raises(DistprivError) as error:
                one.groups(Query(query), secret)
            messages.append(str(error.value))
        assert messages[0] == messages[1]
    with pytest.raises(SourceError, match="which is no number"):
        source.groups(Query([Mean("day")]), SECRET)
    with pytest.raises(SourceError, match="needs all 600 records in memory"):
        source.groups(Query([Median("age")]), SECRET)
