"""Tables that stay where they are: in files, in DuckDB and in PostgreSQL, beside a frame."""

import pickle
import sqlite3
import threading
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot

import distpriv as dp
from distpriv.analysis.tables import fits
from distpriv.errors import DistprivError, SourceError
from distpriv.queries import Count, Mean, Median, Proportion, Query, SensitiveProperty, Sum
from distpriv.queries.statistics import _NO_SUMS, KINDS as STATISTICS
from distpriv.sources import connect, engine, from_spark, scan, source_of, sql

N = 600
KINDS = ["int", "double precision", "real", "text", "boolean", "timestamp", "smallint"]
KINDS += ["bigint", "text", "text"]
SPARK = pytest.param("spark", marks=pytest.mark.engines)
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
            "rate": (np.round(rng.normal(size=N), 2) + 1000).astype(np.float32),
            NAME: rng.choice(LABELS, N),
            "member": rng.random(N) < 0.2,
            "day": day.astype("datetime64[us]"),
            "late": (rng.random(N) < 0.3).astype(int),
            "id": rng.permutation(N) + 10**9,
            "code": [f"größe {row} x" for row in rng.permutation(N)],
            "several": rng.choice(["a.b;acb", " tea (green)\xa0| a.b", "acb, tea", "x"], N),
        }
    )
    table["pay"] = table["pay"].mask(rng.random(N) < 0.05)
    table[NAME] = table[NAME].mask(rng.random(N) < 0.05)
    table["day"] = table["day"].mask(rng.random(N) < 0.05)
    return table


@pytest.fixture(scope="module", params=["parquet", "duckdb", "postgres", SPARK])
def pair(request, tmp_path_factory):
    """A source, and the same table in memory."""
    table, folder = people(), tmp_path_factory.mktemp("files")
    if request.param == "parquet":
        table.to_parquet(folder / "people.parquet", row_group_size=100)
        return scan(folder / "people.parquet"), dp.read_table(folder / "people.parquet")
    if request.param == "duckdb":
        database = duckdb.connect()
        database.from_df(table).create("people")
        return connect(database, "people", dialect="duckdb"), table
    rows = table.astype(object).where(table.notna(), None).itertuples(index=False)
    if request.param == "spark":
        return from_spark(request.getfixturevalue("spark")(rows, table, KINDS)), table
    import psycopg

    address = request.getfixturevalue("server")
    names = ", ".join('"{}"'.format(name.replace('"', '""')) for name in table)
    kinds = ", ".join(map(" ".join, zip(names.split(", "), KINDS, strict=True)))
    with psycopg.connect(address) as database:
        database.execute(f"CREATE TABLE people ({kinds})")
        with database.cursor().copy("COPY people FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    return connect(address, "people"), table


def test_moments_and_grid_are_those_of_the_frame(pair):
    source, memory = replace(pair[0], most=0), source_of(pair[1])
    assert {*STATISTICS} - {*_NO_SUMS} == {one.kind for one in QUERY.statistics}
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
    frame = source.columns(list(pair[1]))
    order = ["rate", "age"]
    left, right = (
        one.sort_values(order).reset_index(drop=True).astype(object) for one in (frame, pair[1])
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
    assert source_of(source) is source
    assert source_of(source, "reference").provenance == "reference"
    with pytest.raises(TypeError):
        pickle.dumps(source)


def test_key_keeps_the_same_records_wherever_the_table_lives(pair):
    source, memory = replace(pair[0], most=0), source_of(pair[1])
    query = Query([Mean("age"), Sum("pay"), Proportion("member", True)])
    for names in ("id", "code"):
        ours, theirs = (
            one.kept(query, SECRET, (40, 30), b"key", names) for one in (source, memory)
        )
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])
        assert 40 < len(ours[0]) < 70  # some pay is missing
        other = memory.kept(query, SECRET, (40, 30), b"another key", names)
        assert sorted(other[0][:, 0]) != sorted(ours[0][:, 0])
        # None of a smaller choice leaves it in a larger one, of whatever query.
        more = memory.kept(Query([Mean("age")]), SECRET, (50, 30), b"key", names)[0][:, 0]
        less = memory.kept(Query([Mean("age")]), SECRET, (40, 30), b"key", names)[0][:, 0]
        np.testing.assert_array_equal(more[:40], less[:40])
    for one in (source, memory):
        with pytest.raises(SourceError, match="'age' does not name the records"):
            one.kept(query, SECRET, (40, 30), b"key", "age")
        with pytest.raises(SourceError, match="'pay' does not name the records"):
            one.kept(query, SECRET, (40, 30), b"key", "pay")
        with pytest.raises(SourceError, match=r"Only \d+ records with late = 1"):
            one.kept(query, SECRET, (40, 300), b"key", "id")
    if source.place:
        ours, theirs = (one.kept(query, SECRET, (40, 30), b"key") for one in (source, memory))
        np.testing.assert_array_equal(ours[0], theirs[0])
    else:
        with pytest.raises(SourceError, match="no fixed order"):
            source.kept(query, SECRET, (40, 30), b"key")


def test_kept_records_of_an_older_version_are_the_only_ones_kept(pair):
    """Seven of them have gone since, and the last 200 records are new."""
    source, frame = replace(pair[0], most=0), pair[1]
    query, texts = Query([Mean("age"), Sum("pay")]), ("id", "code")
    older = frame.iloc[: N - 200]
    for names in texts:
        ranks = source_of(older).kept(query, SECRET, (60, 50), b"key", names).ranks
        gone = tuple([bytes([at]) * 32 for at in range(7)] + one[7:] for one in ranks)
        ours, theirs = (
            one.kept(query, SECRET, (60, 50), b"key", names, ranks=gone)
            for one in (source, source_of(frame))
        )
        np.testing.assert_array_equal(ours.values, theirs.values)
        np.testing.assert_array_equal(ours.having, theirs.having)
        assert ours.ranks == theirs.ranks == tuple(one[7:] for one in ranks)
        late = int((frame["late"] == 1).sum())
        assert ours.counts == theirs.counts == (N - late, late)
        first = source_of(older).kept(query, SECRET, (60, 50), b"key", names)
        again = source_of(older).kept(query, SECRET, (1, 1), b"key", names, ranks=ranks)
        np.testing.assert_array_equal(first.values, again.values)
        assert (first.ranks, first.counts) == (again.ranks, again.counts)
        swapped = [ranks[0][1:], [*ranks[1], ranks[0][0]]]
        for one in (source, source_of(frame)):
            with pytest.raises(SourceError, match="gained or lost the property"):
                one.kept(query, SECRET, (60, 50), b"key", names, ranks=swapped)
    lost = frame.assign(late=frame["late"].mask(frame["late"] == 1))
    lost.iloc[0, lost.columns.get_loc("late")] = 1  # so that somebody has it
    with pytest.raises(SourceError, match="gained or lost"):
        source_of(lost).kept(query, SECRET, (60, 50), b"key", "code", ranks=ranks)


def test_long_query_is_stopped_by_hand_and_by_its_time_limit(pair):
    source = pair[0]
    age, tables = "v0" if source.place else '"age"', [f"{source.table} AS {x}" for x in "abcd"]
    long = f"SELECT sum(sin(a.{age} * b.{age} + c.{age} * d.{age})) FROM {', '.join(tables)}"
    done = threading.Event()

    def press():
        while not done.wait(1):
            source.engine.cancel()

    threading.Thread(target=press).start()
    with pytest.raises(SourceError, match="could not be read where it is"):
        replace(source.engine, timeout=50).rows(long)
    done.set()
    with pytest.raises(SourceError, match=r"took longer than 0\.5 seconds"):
        replace(source.engine, timeout=0.5).rows(long)
    assert source.engine.rows("SELECT 1") == [(1,)]


def test_table_that_does_not_answer_is_not_taken_to_lack_a_label():
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE people AS SELECT 1 AS age")
    gone = connect(database, "people", dialect="sqlite")
    database.close()
    with pytest.raises(SourceError, match="could not be read where it is"):
        fits(gone, SensitiveProperty("age", 1))  # which would be false of the table


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
    SensitiveProperty("member", "True"),
    SensitiveProperty("late", "1.0"),
    SensitiveProperty("day", above="2024-02-28"),
    SensitiveProperty("day", between=("2024-02-28 12:00", "2024-02-29")),
    SensitiveProperty("several", contains="a.b"),
    SensitiveProperty("several", contains="tea (green)"),
]


def test_property_of_each_record_is_that_of_the_mask(pair):
    source, labels = pair[0], sql.Labels()
    having = [sql.property_of(secret, source.cells, labels) for secret in SECRETS]
    age = source.cells["age"].sql
    asked = ", ".join(f"count({one}), sum({one}), avg({age} * {one})" for one in having)
    (row,) = source.engine.rows(f"SELECT {asked} FROM {source.table}", labels)
    for secret, *ours in zip(SECRETS, row[::3], row[1::3], row[2::3], strict=True):
        mask = secret.mask(pair[1])
        theirs = [(mask >= 0).sum(), (mask == 1).sum(), np.nanmean(mask * pair[1]["age"])]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, err_msg=secret.label)


def test_mistakes_are_answered_as_in_memory(pair):
    source, memory = replace(pair[0], most=0), source_of(pair[1])
    for query, secret in [
        (Mean("agee"), SECRET),
        (Count(NAME, "O'Hare"), SECRET),
        (Mean("age"), SensitiveProperty("late", "first")),
        (Mean("age"), SensitiveProperty("several", contains="te a")),
        (Mean("age"), SensitiveProperty("several", contains="a.b;acb")),
        (Mean("age"), SensitiveProperty("age", above="2010-01-01")),
        (Mean("age"), SensitiveProperty("age", above=1000)),
    ]:
        messages = []
        for one in (source, memory):
            with pytest.raises(DistprivError) as error:
                one.groups(Query(query), secret)
            messages.append(str(error.value))
        assert messages[0] == messages[1]
    with pytest.raises(SourceError, match="which is not a number"):
        source.groups(Query([Mean("day")]), SECRET)
    with pytest.raises(SourceError, match="needs all 600 records in memory"):
        source.groups(Query([Median("age")]), SECRET)


def test_database_is_read_only_within_its_time_and_keeps_its_password(server):
    with pytest.raises(SourceError, match="could not be read where it is"):
        connect(server, 'peo"ple; --')
    slow = "(SELECT pg_sleep(9)) AS s"
    limited = connect(server, "information_schema.sql_features", timeout=0.05)
    for text in (f"SELECT 1 FROM {slow}", 'CREATE TABLE "t" ("x" INT)'):
        with pytest.raises(SourceError, match=r"took longer|statement timeout|read-only"):
            limited.engine.rows(text)
    assert limited.engine.rows("SELECT $1", ["50 %"]) == [("50 %",)]
    for address in (
        "mysql://me:hush@host/x",
        "postgresql://me:hush/a@host/x",
        "postgresql://me:hush@127.0.0.1:1/x",
    ):
        with pytest.raises(SourceError) as error:
            connect(address, "people")
        assert "hush" not in str(error.value)


@pytest.mark.parametrize("dialect", ["postgres", "spark", "mysql", "snowflake", "tsql"])
def test_labels_are_bound_whatever_names_say(dialect):
    text = f"""SELECT "{NAME.replace('"', '""')}" FROM "t" WHERE "x" IN ($2, $1) OR "y" = $1"""
    written, labels = engine.written(text, ["a", "b"], dialect, "pyformat")
    assert labels == ["b", "a", "a"]
    read = sqlglot.parse_one(written % (1, 2, 3), read=dialect)
    assert read.find(sqlglot.exp.Column).name == NAME
    assert [node.name for node in read.find_all(sqlglot.exp.Literal)] == ["1", "2", "3"]


def test_other_database_takes_labels_by_its_own_marks():
    database = sqlite3.connect(":memory:")
    database.execute(
        f"""CREATE TABLE people (age INT, "{NAME.replace('"', '""')}" TEXT, odd REAL)"""
    )
    rows = [(at, LABELS[at % 7], "x" if at == 50 else at) for at in range(70)]
    database.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    source = replace(connect(database, "people", dialect="sqlite"), most=0)
    for place, label in enumerate(LABELS):
        groups = source.groups(Query([Mean("age")]), SensitiveProperty(NAME, label))
        assert groups.counts.tolist() == [60, 10]
        assert groups.means[1].tolist() == [31.5 + place]
    assert [one.text for one in source.notices] == [
        "Column 'odd' holds numbers and texts and was left out."
    ]
    with pytest.raises(DistprivError, match="no column 'odd'"):
        source.groups(Query([Mean("odd")]), SECRET)
    drawn = sum(len(source.engine.rows(f"FROM {source.draw(0.1, 0)}")) for _ in range(20))
    assert 70 < drawn < 210
    database.execute("CREATE TABLE blobs AS SELECT x'00' AS blob")
    with pytest.raises(SourceError, match="no columns that can be read"):
        connect(database, "blobs", dialect="sqlite")


def test_grid_of_some_records_is_never_finer_than_that_of_all(monkeypatch):
    table = people()
    table["age"] = np.where(np.arange(N) < 300, 10.0 * (table["age"] // 10), table["age"] + 0.5)
    database = duckdb.connect()
    database.from_df(table).create("people")
    query, pair = Query([Mean("age"), Sum("late")]), SensitiveProperty("member", True)
    monkeypatch.setattr(engine, "_MOST", 40)
    source = replace(connect(database, "people", dialect="duckdb"), most=0)
    ours, theirs = source.groups(query, pair).grids, source_of(table).groups(query, pair).grids
    assert ours.both.steps.tolist() == [10, 1]
    assert theirs.both.steps.tolist() == [0.5, 1]
    sizes = np.array([500.0, 100.0])
    assert ours.apart(np.array([[100.0, 0.0], [90.0, 10.0]]), sizes)
    assert ours.apart(np.array([[500.0, 0.0], [0.0, 0.0]]), sizes)


def test_grid_has_as_many_dimensions_as_that_of_all(monkeypatch):
    rows = np.arange(N)
    table = pd.DataFrame({"x": rows % 5, "rare": (rows == 500).astype(int), "g": rows % 2 == 0})
    table["twice"] = 2 * table["x"] + 6 * (rows == 551)
    database = duckdb.connect()
    database.from_df(table).create("people")
    monkeypatch.setattr(engine, "_MOST", 40)
    source = replace(connect(database, "people", dialect="duckdb"), most=0)
    query = Query([Mean("x"), Sum("rare"), Sum("twice")])
    asked = query, SensitiveProperty("g", True)
    ours, theirs = source.groups(*asked).grids, source_of(table).groups(*asked).grids
    assert ours.both.steps.tolist() == theirs.both.steps.tolist() == [1, 1, 2]
    assert ours.both.joint_steps.tolist() == theirs.both.joint_steps.tolist() == [3, 1, 6]
