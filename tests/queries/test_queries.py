"""Statistics, secrets and pairs: what they read of a table, and how they go to JSON and back."""

import datetime as dt
import json

import numpy as np
import pandas as pd
import pytest

from distpriv.errors import DistprivError
from distpriv.queries import Correlation, Count, Deviation, Mean, Median, Proportion, Quantile, Sum
from distpriv.queries.columns import as_label, numbers_of
from distpriv.queries.secrets import Pair, SensitiveProperty, round_half_up
from distpriv.queries.statistics import Query, Statistic

NAN = float("nan")


def frame(values, dtype=None):
    return pd.DataFrame({"x": pd.Series(values, dtype=dtype)})


def flags(values, dtype, label):
    return SensitiveProperty("x", label).mask(frame(values, dtype)).tolist()


# ---------------------------------------------------------------- labels

TEXTS = ["a", "b", None, "a"]


@pytest.mark.parametrize(
    ("values", "dtype", "label"),
    [
        *((TEXTS, dtype, "a") for dtype in (object, "string", "category", None)),
        (TEXTS, "string[pyarrow]", "a"),
        ([1, 2, None, 1], "Int64", 1),
        ([1.0, 2.0, None, 1.0], float, 1),
        ([1.0, 2.0, None, 1.0], "Float32", True),
        ([1, 2, None, 1], "category", 1),
        ([True, False, None, True], "boolean", True),
        ([True, False, None, True], object, True),
        ([True, False, None, True], "category", 1),
        ([1, "b", None, True], object, 1),
        ([dt.date(2024, 1, 2), dt.date(2024, 1, 3), None, dt.date(2024, 1, 2)], object, "2024-01-02"),
        (pd.to_datetime(["2024-01-02", "2023-01-02", None, "2024-01-02"]), None, "2024-01-02"),
        (pd.to_datetime(["2024-01-02", "2023-01-02", None, "2024-01-02"]), "category", "2024-01-02"),
        (
            pd.to_datetime(["2024-01-02 12:30", "2023-01-02", None, "2024-01-02 12:30"], utc=True, format="ISO8601"),
            None,
            "2024-01-02T12:30:00+00:00",
        ),
        (pd.cut([1, 9, NAN, 2], [0, 5, 10]), None, "(0, 5]"),
        (pd.PeriodIndex(["2024-01", "2024-02", None, "2024-01"], freq="M"), None, "2024-01"),
    ],
)  # fmt: skip
def test_label_is_looked_for_in_columns_of_any_type(values, dtype, label):
    np.testing.assert_array_equal(flags(values, dtype, label), [1, 0, NAN, 1])
    column = frame(values, dtype)
    counted = Query([Count("x", label)]).values(column)
    np.testing.assert_array_equal(counted, SensitiveProperty("x", label).mask(column)[:, None])
    assert as_label(column["x"].iloc[0]) == label


@pytest.mark.parametrize(
    ("values", "label", "message"),
    [
        (["Female", "Male"], "female", "No record has x = 'female'. Did you mean 'Female'?"),
        ([1, 2], "3", "No record has x = '3'."),
        (["Doe7"] * 3, "Doe8", "No record has x = 'Doe8'. Did you mean 'Doe7'?"),
        (["1", "2"], 1, "No record has x = 1. Did you mean '1'?"),
        ([1, "1"], "True", "No record has x = 'True'."),
        (["a", None], "zzzz", "No record has x = 'zzzz'."),
        (["a", None], 10**30, "No record has x = 1000000000000000000000000000000."),
        (["a", None], "\ud800", "No record has x = '\\ud800'."),
        ([[1], [2]], "a", "Column 'x' holds other things than texts, numbers and dates"),
        (pd.to_datetime(["2024-01-02"]), "yesterday", "No record has x = 'yesterday'."),
    ],
)
def test_label_that_no_record_has(values, label, message):
    with pytest.raises(DistprivError) as error:
        flags(values, None, label)
    assert str(error.value).startswith(message)


def test_label_that_few_records_share_is_not_told():
    with pytest.raises(DistprivError, match=r"^No record has x = 'Doe8'\.$"):
        flags(["Doe7", "Doe7"], None, "Doe8")


@pytest.mark.parametrize(
    ("values", "dtype", "label", "expected"),
    [
        ([1.0, 2.5, None], float, "1", [1, 0, NAN]),
        ([1439403621518935563, 1439403621518935562], "Int64", "1439403621518935563", [1, 0]),
        ([True, False, None], "category", "true", [1, 0, NAN]),
        ([True, False, None], object, "0", [0, 1, NAN]),
        ([True, 1, "1", None], object, "1", [0, 0, 1, NAN]),
        ([True, 1, "1", None], object, 1, [1, 1, 0, NAN]),
        (["1", "2"], None, "1", [1, 0]),
    ],
)
def test_text_names_a_number_or_truth_value_where_the_column_has_such(
    values, dtype, label, expected
):
    np.testing.assert_array_equal(flags(values, dtype, label), expected)


@pytest.mark.parametrize("dtype", [None, object, "category"])
def test_answer_in_a_cell(dtype):
    table = frame(["Tea; Iced coffee", "Coffee|Tea", " Coffee ", "Tea", None], dtype)
    secret = SensitiveProperty("x", contains=" Coffee")
    np.testing.assert_array_equal(secret.mask(table), [0, 1, 1, 0, NAN])
    assert secret.label == "x contains Coffee"
    assert SensitiveProperty.from_plain(json.loads(json.dumps(secret.plain()))) == secret
    with pytest.raises(DistprivError, match=r"answer 'coffe'\. Did you mean 'Coffee'"):
        SensitiveProperty("x", contains="coffe").mask(table)
    with pytest.raises(DistprivError, match="answer '2'"):
        SensitiveProperty("x", contains="2").mask(frame([2, 3]))


def test_several_labels():
    assert flags(["a", "b", "c"], "category", ["a", "c", "d"]) == [1, 0, 1]
    assert SensitiveProperty("x", {"a": 1, "b": 2}).label == "x = a or b"
    with pytest.raises(DistprivError, match="has 'a' twice"):
        SensitiveProperty("x", ["a", "a"])


def test_labels_are_native_python():
    for label in (None, NAN, pd.NaT, pd.NA, np.inf, ["a"], 1j, b"a"):
        with pytest.raises(DistprivError, match="is not a label"):
            as_label(label)
    for value, label in [(np.int64(3), 3), (np.bool_(True), True), (np.str_("a"), "a")]:
        assert as_label(value) == label
        assert type(as_label(value)) is type(label)
    assert as_label(pd.Timestamp("2024-05-06 07:08")) == "2024-05-06T07:08:00"


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1.5, None, np.inf, -2], float),
        ([1.5, None, None, -2], "Float64"),
        ([1.5, None, None, -2], "category"),
        (["1.5", None, "inf", " -2 "], object),
        ([1.5, None, np.nan, -2], "float32[pyarrow]"),
    ],
)
def test_numbers_are_read_and_infinite_ones_are_missing(values, dtype):
    np.testing.assert_array_equal(numbers_of(frame(values, dtype), "x"), [1.5, NAN, NAN, -2])


def test_single_precision_stands_for_its_decimals():
    decimals = np.array([0.1, 12345.67, 0.0, -7e-9, 3.25, 16777217.0])
    read = numbers_of(frame(decimals, "float32"), "x")
    assert read[:5].tolist() == decimals[:5].tolist()
    assert read[5] == np.float32(16777217)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (frame(["1", "x7", "2"]), "Column 'x' holds a value in record 2 which is not a number"),
        (frame(["a", "b"], "category"), "holds a value in record 1 "),
        (frame(pd.to_datetime(["2024-01-02"])), "which is not a number"),
        (frame([1, -1e101]), "too large or too small to be squared"),
        (frame([0, 1e-101, None]), "too large or too small to be squared"),
        (pd.DataFrame({"X": [1]}), r"no column 'x'\. Did you mean 'X'\?"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), "has 2 columns 'x'"),
    ],
)
def test_column_that_cannot_be_averaged(table, message):
    with pytest.raises(DistprivError, match=message):
        Mean("x").values(table)


@pytest.mark.parametrize(
    ("ways", "expected", "label"),
    [
        ({"above": 2}, [0, 0, 1, NAN, NAN], "x > 2"),
        ({"below": 2.0}, [1, 0, 0, NAN, NAN], "x < 2"),
        ({"between": [2, 1234567]}, [0, 1, 1, NAN, NAN], "x from 2 to 1234567"),
    ],
)
def test_thresholds(ways, expected, label):
    secret = SensitiveProperty("x", **ways)
    np.testing.assert_array_equal(secret.mask(frame([1, 2, 3, None, np.inf])), expected)
    assert secret.label == label
    assert SensitiveProperty.from_plain(json.loads(json.dumps(secret.plain()))) == secret


@pytest.mark.parametrize(
    "kind", ["datetime64[ns]", "datetime64[us, UTC]", "date32[pyarrow]", "date"]
)
@pytest.mark.parametrize(
    ("ways", "expected", "label"),
    [
        ({"above": dt.date(2010, 1, 1)}, [0, 1, 1, NAN], "x after 2010-01-01"),
        ({"below": "2011-02-02"}, [1, 0, 0, NAN], "x before 2011-02-02"),
        (
            {"between": [pd.Timestamp("2010-01-01"), np.datetime64("2011-02-02", "ns")]},
            [1, 1, 0, NAN],
            "x from 2010-01-01 to 2011-02-02",
        ),
    ],
)
def test_dates_are_thresholds(kind, ways, expected, label):
    table = frame(pd.to_datetime(["2010-01-01", "2011-02-02", "2012-03-03", None]))
    if kind == "date":
        table["x"] = table["x"].dt.date.astype(object)
    elif kind.endswith("UTC]"):
        table["x"] = table["x"].dt.tz_localize("UTC")
    else:
        table["x"] = table["x"].astype(kind)
    secret = SensitiveProperty("x", **ways)
    np.testing.assert_array_equal(secret.mask(table), expected)
    assert secret.label == label
    assert SensitiveProperty.from_plain(json.loads(json.dumps(secret.plain()))) == secret
    with pytest.raises(DistprivError, match="holds no dates"):
        secret.mask(frame([1, 2]))


@pytest.mark.parametrize(
    ("ways", "message"),
    [
        ({}, "exactly one of a value, above, below, between and contains; it has 0"),
        ({"contains": " "}, "it has 0"),
        ({"contains": 3}, "needs a text, not 3"),
        ({"above": "2010-01-01T00:00Z"}, "must be a number or a date like"),
        ({"between": (3, "2010-01-01")}, "needs two numbers or two dates"),
        ({"between": ("2011-01-01", "2010-01-01")}, "the smaller end first"),
        ({"values": "a", "above": 1}, "it has 2"),
        ({"above": NAN}, "must be a number or a date like .* not nan"),
        ({"above": "3"}, "like .* not '3'"),
        ({"between": (3, 1)}, "the smaller end first"),
        ({"between": (3,)}, "needs two numbers"),
        ({"between": 3}, "needs two numbers"),
        ({"values": [None]}, "None is not a label"),
    ],
)
def test_secret_that_cannot_be(ways, message):
    with pytest.raises(DistprivError, match=message):
        SensitiveProperty("x", **ways)


# ---------------------------------------------------------------- statistics and queries


def test_statistics_have_names_scales_and_units():
    every = [Mean("pay-gap"), Sum("pay"), Count("sex", "F"), Proportion("late", True)]
    query = Query(every)
    assert query.labels == ("mean pay-gap", "sum pay", "count sex = F", "proportion late = True")
    titles = ["mean pay gap", "total pay", "F (sex)", "share True (late)"]
    assert [s.title for s in every] == titles
    assert query.scales(4).tolist() == [0.25, 1, 1, 0.25]
    assert [s.unit({"pay": "€"}) for s in every] == ["", "€", "records", ""]
    assert query.columns == ("pay-gap", "pay", "sex", "late")
    assert len(Query(Mean("a"))) == 1
    more = [Median("pay"), Quantile("pay-gap", 0.9), Deviation("pay"), Correlation("age", "pay")]
    labels = ("median pay", "quantile 0.9 pay-gap", "deviation pay", "correlation age, pay")
    assert Query(more).labels == labels
    titles = ["median pay", "90\u00a0% quantile of pay gap", "deviation of pay"]
    assert [s.title for s in more] == [*titles, "correlation of age and pay"]
    assert [s.unit({"pay": "€", "age": "years"}) for s in more] == ["€", "", "€", ""]
    both = pd.DataFrame({"x": [1, 2], "y": [3.5, None]})
    values = Query([Correlation("x", "y"), Median("x")]).values(both)
    np.testing.assert_array_equal(values, [[1, 3.5, 1], [2, NAN, 2]])
    values = Query([Mean("x"), Count("x", 2)]).values(frame([1, 2, None]))
    np.testing.assert_array_equal(values, [[1, 0], [2, 1], [NAN, NAN]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Query([]), "Nothing is released"),
        (lambda: Query([Mean("a"), Mean("a")]), "'mean a' is released twice"),
        (lambda: Query([Count("a", 1), Count("a", True)]), "is released twice"),
        (lambda: Query("age"), "'age' is not a statistic"),
        (lambda: Statistic("mode", "a"), "no statistic 'mode'"),
        (lambda: Mean(""), "'' is not a column"),
        (lambda: Mean(None), "None is not a column"),
        (lambda: Count("a", None), "needs a value to look for"),
        (lambda: Statistic("mean", "a", 1), "takes no value to look for"),
        (lambda: Correlation("a", "a"), "correlation of 'a' with itself is always 1"),
        (lambda: Correlation("a", ""), "correlation of 'a' needs a second column"),
        (lambda: Statistic("mean", "a", other="b"), "mean of 'a' takes no second column"),
        *((lambda level=x: Quantile("a", level), "must be above 0 and below 1") for x in (0, 1, NAN, "x", True)),
        (lambda: Quantile("a", None), "quantile of 'a' needs a level"),
        (lambda: Statistic("median", "a", level=0.3), "median of 'a' takes no level"),
        (lambda: Statistic.from_plain({"kind": "mean"}), "is not a statistic; write it again"),
        (lambda: Statistic.from_plain({"kind": ["mean"], "column": "a"}), "no statistic"),
        (lambda: Statistic.from_plain("mean"), "'mean' is not a statistic"),
        (lambda: SensitiveProperty.from_plain({"column": 3, "values": ["a"]}), "3 is not a column"),
        (lambda: SensitiveProperty.from_plain({"column": "a", "if": 1}), "is not a secret"),
        (lambda: SensitiveProperty.from_plain([1]), "is not a secret"),
        (lambda: Pair.from_plain(None), "is not a pair"),
        (lambda: Pair.from_plain({"low": 0.1, "high": 0.2}), "is not a secret"),
        (lambda: Pair.from_plain({"secret": {"column": "a", "values": [1]}, "low": "0", "high": 1}), "must be a number"),
    ],
)  # fmt: skip
def test_statistics_and_queries_that_cannot_be(make, message):
    with pytest.raises(DistprivError, match=message):
        make()


# ---------------------------------------------------------------- pairs


@pytest.mark.parametrize("label", [1, True, "1", 1.5, "a ~:,!\\", "2024-01-02"])
def test_values_survive_json_with_their_types(label):
    pair = SensitiveProperty("x", (label, "other")).pair(0.25, 0.1)
    others = (Mean("x"), Quantile("x", 0.3), Correlation("x", str(label)))
    for value in (pair, pair.secret, Count("x", label), *others):
        again = type(value).from_plain(json.loads(json.dumps(value.plain())))
        assert again == value
        assert hash(again) == hash(value)
    assert json.dumps(type(pair).from_plain(pair.plain()).plain()) == json.dumps(pair.plain())


def test_pair_has_whole_numbers_of_records():
    secret = SensitiveProperty("x", "a")
    pair = secret.pair(0.5, 0.1)
    assert (pair.low, pair.high, pair.center, pair.width) == (0.45, 0.55, 0.5, 0.1)
    assert pair.numbers(100).tolist() == [[55, 45], [45, 55]]
    assert pair.numbers(10).tolist() == [[5, 5], [4, 6]]  # 4.5 and 5.5 are rounded up
    assert Pair(secret, 0, 1).numbers(7).tolist() == [[7, 0], [0, 7]]
    assert round_half_up(100 * 0.145) == 15  # 14.499999999999998 in double precision
    assert round_half_up(14.49) == 14
    for shares in [(-0.1, 0.5), (0.5, 1.1), (0.5, 0.5), (0.6, 0.5), (NAN, 0.5), (0.1, NAN)]:
        with pytest.raises(DistprivError, match=r"lie between 0 and 1 and differ|must be a number"):
            Pair(secret, *shares)
