"""A table in memory: what it offers, its fingerprint, its moments; and the model fitted to it."""

import datetime as dt
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from distpriv.analysis import exposure
from distpriv.errors import DistprivError, SourceError
from distpriv.model import fit_groups
from distpriv.queries import Correlation, Count, Deviation, Mean, Median, Query, Sum
from distpriv.queries.secrets import Pair, SensitiveProperty
from distpriv.sources import FrameSource, fit_gaussian, source_of
from distpriv.tables import read_table

N = 400
QUERY = Query([Mean("age"), Count("sex", "F"), Sum("pay")])
SECRET = SensitiveProperty("late", 1)


def people(seed=0):
    rng = np.random.default_rng(seed)
    late = (rng.random(N) < 0.3).astype(int)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, N),
            "sex": rng.choice(["M", "F", "M"], N),
            "pay": np.round(rng.lognormal(8, 0.5, N) + 500 * late, 2),
            "late": late,
        }
    )


# ---------------------------------------------------------------- what it offers


def test_labels_are_those_worth_counting_or_hiding():
    rng = np.random.default_rng(1)
    table = people().assign(
        id=[f"P{row}" for row in range(N)],
        note=[f"note {row % 390}" for row in range(N)],
        town=rng.zipf(1.5, N).clip(max=60).astype(str),
        level=pd.Categorical(rng.choice(["low", "high"], N), ["low", "mid", "high"]),
        member=rng.random(N) < 0.2,
        constant="x",
        once=["a"] + ["b"] * (N - 1),
        day=pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 3, N), unit="D"),
        lists=[[1]] * N,
        empty=None,
    )
    source = source_of(table)
    assert set(source.labels) == {"sex", "late", "note", "town", "level", "member", "day"}
    assert source.labels["sex"] == ("M", "F")
    assert source.labels["late"] == (0, 1)
    assert source.labels["member"] == (False, True)
    assert sorted(source.labels["day"]) == ["2024-01-01", "2024-01-02", "2024-01-03"]
    assert len(source.labels["note"]) == 10  # those that repeat
    assert len(source.labels["town"]) == (table["town"].value_counts() > 1).sum()
    assert source.dates == ("day",)
    counts = [(table["town"] == label).sum() for label in source.labels["town"]]
    assert counts == sorted(counts, reverse=True)
    types = {type(label) for labels in source.labels.values() for label in labels}
    assert types == {str, int, bool}
    assert source.numbers == ("age", "pay", "late")
    for column, labels in source.labels.items():  # each can be hidden, and counted
        for label in labels:
            source.groups(Query(Mean("age")), SensitiveProperty(column, label))


# ---------------------------------------------------------------- fingerprints


def test_fingerprint_is_that_of_content_and_types():
    table = people()
    print_ = source_of(table).fingerprint
    assert len(print_) == 32
    assert source_of(table.copy()).fingerprint == print_
    assert source_of(table.set_axis(range(7, N + 7))).fingerprint == print_
    cell = table.copy()
    cell.loc[N - 1, "pay"] += 0.01
    others = [
        cell,
        table[["sex", "age", "pay", "late"]],
        table.rename(columns={"sex": "Sex"}),
        table.astype({"late": float}),
        table.astype({"late": bool}),
        table.astype({"sex": "category"}),
        table.iloc[::-1],
        table.iloc[1:],
        table.assign(sex=table["age"].to_numpy(), age=table["sex"].to_numpy()),
        table.assign(more=None),
        table.assign(lists=[[1]] * N),
    ]
    prints = {source_of(other).fingerprint for other in others}
    assert len(prints | {print_}) == len(others) + 1
    # How text is stored, and in which order categories are listed, changes no figure.
    for kind in (object, "string", "string[pyarrow]"):
        assert source_of(table.astype({"sex": kind})).fingerprint == print_
    listed = [
        table.assign(sex=pd.Categorical(table["sex"], order)) for order in (["F", "M"], ["M", "F"])
    ]
    assert source_of(listed[0]).fingerprint == source_of(listed[1]).fingerprint


# ---------------------------------------------------------------- moments and records


def test_groups_are_those_of_the_frame():
    table = people()
    table.loc[3, "sex"], table.loc[4, "pay"] = None, np.inf
    source = FrameSource("k", "Title", table, {"age": "years"}, "example")
    groups = source.groups(QUERY, SECRET)
    fine = table.drop([3, 4])
    for group in (0, 1):
        part = fine[fine["late"] == group]
        values = np.column_stack([part["age"], part["sex"] == "F", part["pay"]]).astype(float)
        assert groups.counts[group] == len(part)
        assert groups.means[group] == pytest.approx(values.mean(axis=0), rel=1e-13)
        assert groups.covariances[group] == pytest.approx(np.cov(values.T), rel=1e-11)
        assert (groups.records[group] == values).all()
    assert groups.extremes[:, 2].tolist() == [fine["pay"].min(), fine["pay"].max()]
    assert groups.share == fine["late"].mean()
    assert groups.dropped == 2
    assert groups.provenance == "example"
    assert groups.grids.both.steps == pytest.approx([1, 1, 0.01])
    assert source.complete(QUERY, [SECRET]) == N - 2
    exact = [fine["age"].mean(), (fine["sex"] == "F").sum(), fine["pay"].sum()]
    assert source.answer(QUERY) == pytest.approx(exact, rel=1e-13)
    table["late"] = table["late"].astype(float)
    table.loc[9, "late"] = np.nan
    assert source.complete(QUERY) - source.complete(QUERY, [SECRET]) == 1
    assert source.rows == N


def test_figures_that_are_no_sums_are_answered_and_fitted():
    table = people()
    table.loc[3, "pay"] = np.nan
    query = Query([Median("age"), Deviation("pay"), Correlation("pay", "age"), Mean("age")])
    source, fine = source_of(table), table.drop([3])
    exact = [fine["age"].median(), fine["pay"].std(), fine["pay"].corr(fine["age"])]
    assert source.answer(query) == pytest.approx([*exact, fine["age"].mean()])
    groups = source.groups(query, SECRET)
    assert groups.means.shape == (2, 5)
    model = fit_gaussian(table, query, SECRET.pair(0.3, 0.2), 50, rng=1)
    same = fit_groups([groups], query, [SECRET.pair(0.3, 0.2)], 50, rng=1)
    assert (model.pairs[0].covariances == same.pairs[0].covariances).all()
    paper = fit_gaussian(table, query, SECRET.pair(0.3, 0.2), 50, method="monte-carlo")
    assert (paper.pairs[0].errors[0] > 0).all()
    with pytest.raises(SourceError, match="No record has all values"):
        source_of(people().assign(pay=np.nan)).answer(query)
    with pytest.raises(DistprivError, match="needs two records"):
        source_of(table.iloc[:1]).answer(query)


def test_columns_are_sampled_by_their_seed():
    source = source_of(people())
    assert source.columns(["age", "sex", "age"]).columns.tolist() == ["age", "sex"]
    few = source.columns(["pay"], most=50, seed=3)
    assert len(few) == 50
    assert few.index.is_unique
    assert few.equals(source.columns(["pay"], most=50, seed=3))
    assert not few.equals(source.columns(["pay"], most=50, seed=4))
    with pytest.raises(DistprivError, match=r"no column 'agee'\. Did you mean 'age'\?"):
        source.columns(["agee"])


def test_tables_stay_in_their_session():
    source = source_of(people())
    with pytest.raises(TypeError):
        pickle.dumps(source)
    assert repr(source) == "Table: 400 records, 4 columns"
    assert str(people()["pay"].iloc[0]) not in source._repr_html_()
    assert source.to_frame()["kind"].tolist() == ["number", "text", "number", "number"]
    assert source_of(source) is source
    with pytest.raises(SourceError, match="list is not a table"):
        source_of([1, 2])
    numbered = source_of(pd.DataFrame({0: [1, 1, 2, 2], 1: [1, 2, 3, 4]}))
    assert numbered.labels == {"0": (1, 2)}
    assert numbered.columns(["1"])["1"].sum() == 10


# ---------------------------------------------------------------- fit_gaussian


def test_whole_tables_count_as_drawn_with_replacement():
    table = people()
    pair = SECRET.pair(0.3, 0.1)
    model = fit_gaussian(table, QUERY, pair)
    assert (model.n, model.replacement, model.provenance) == (N, True, "table")
    same = fit_gaussian(table, QUERY, pair, n=N, replacement=True)
    assert (model.pairs[0].covariances == same.pairs[0].covariances).all()
    several = fit_gaussian(table, QUERY, [pair, SensitiveProperty("sex", "F").pair(0.4, 0.2)], 50)
    assert [one.pair.secret.column for one in several.pairs] == ["late", "sex"]
    assert not several.replacement


def test_reference_gives_the_laws_and_the_table_its_number_of_records():
    table, public = people(), people(seed=5)
    table.loc[:9, "pay"] = np.nan
    table.loc[20, "late"] = None
    pair = SECRET.pair(0.3, 0.1)
    model = fit_gaussian(table, QUERY, pair, reference=public)
    assert model.n == N - 11
    with pytest.warns(UserWarning, match="^Left out for a missing value: 11 of 400 records\\.$"):
        assert fit_gaussian(table, QUERY, pair).n == N - 11
    assert model.provenance == "reference"
    example = FrameSource("x", "X", public, provenance="example")
    assert source_of(example).provenance == "example"
    assert source_of(example, "reference").provenance == "reference"
    groups = source_of(public).groups(QUERY, SECRET)
    assert (model.pairs[0].groups.means == groups.means).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": N}, "draw with replacement"),
        ({"pair": []}, "at least one pair"),
        ({"query": Query(Mean("sex"))}, "which is not a number"),
        ({"query": Query(Mean("ages"))}, "Did you mean 'age'"),
        ({"query": Query(Count("sex", "f"))}, "Did you mean 'F'"),
        ({"pair": Pair(SensitiveProperty("late", "2"), 0.2, 0.4)}, "No record has late = '2'"),
        ({"pair": Pair(SensitiveProperty("age", above=100), 0.2, 0.4)}, "No complete record has"),
        ({"table": None}, "NoneType is not a table"),
    ],
)
def test_fit_of_what_cannot_be(arguments, message):
    given = {"table": people(), "query": QUERY, "pair": SECRET.pair(0.3, 0.2), "n": 50} | arguments
    with pytest.raises(DistprivError, match=message):
        fit_gaussian(**given)


# ---------------------------------------------------------------- frames of others


class Streamed:
    """A frame of a library that is not there, which offers Arrow's C stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def arrow(**columns):
    day = dt.date(2024, 2, 29)
    every = {
        "whole": pa.array([1, 2, 3], pa.int8()),
        "gaps": pa.array([1, None, 3]),
        "money": pa.array([Decimal("1.10"), None, Decimal("2.25")]),
        "single": pa.array([0.1, 0.2, None], pa.float32()),
        "text": pa.array(["b", " a ", None], pa.string_view()),
        "coded": pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.uint32()), ["b", "a"]),
        "day": pa.array([day, None, day]),
        "late": pa.array([True, False, True]),
        "known": pa.array([True, None, False]),
        "number": pa.array([2**60, 2**60 + 1, 0]),
        "list": pa.array([[1], [2], None]),
    }
    return pa.table(every | columns)


@pytest.mark.parametrize("made", [Streamed, pa.Table.to_reader, lambda one: one.to_batches()[0]])
def test_arrow_frames_are_typed_as_their_parquet_file_is(made, tmp_path):
    table = arrow()
    pq.write_table(table, tmp_path / "table.parquet")
    frame = source_of(made(table)).frame
    pd.testing.assert_frame_equal(
        frame.drop(columns="list"), read_table(tmp_path / "table.parquet")
    )
    assert [*frame] == table.column_names
    with pytest.raises(DistprivError, match="'list' holds other things"):
        SensitiveProperty("list", 1).mask(frame)


def test_arrow_frames_give_the_figures_of_pandas():
    table, pair = people(), SECRET.pair(0.3, 0.2)
    arrows = Streamed(pa.Table.from_pandas(table))
    here, there = (fit_gaussian(one, QUERY, pair, n=50).pairs[0] for one in (table, arrows))
    np.testing.assert_array_equal(here.means, there.means)
    np.testing.assert_array_equal(here.covariances, there.covariances)
    assert exposure(arrows, QUERY, n=50).equals(exposure(table, QUERY, n=50))
    spark = type("DataFrame", (), {"createOrReplaceTempView": None})()
    lazy = type("LazyFrame", (), {"collect": None})()
    for given, match in (
        (spark, "pass from_spark"),
        (lazy, r"pass its collect\(\)"),
        ("people.csv", "read_table"),
        ([1, 2], "pass a table of pandas, Polars or Arrow"),
        (pa.table([[1], [2]], names=["a", "a"]), "columns are called 'a'"),
        (pa.array([1]), "has no columns"),
    ):
        with pytest.raises(DistprivError, match=match):
            source_of(given)
