"""Exposure agrees with the fitted normals, secret by secret."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from distpriv.analysis import exposure
from distpriv.analysis.exposure import secret_labelled
from distpriv.errors import DistprivError
from distpriv.privacy import optimal_attack_accuracy
from distpriv.queries import Deviation, Mean, Median, Query, SensitiveProperty
from distpriv.sources import FrameSource, fit_gaussian


@pytest.fixture(scope="module")
def frame(census, now):
    return exposure(census, now.query, n=1000, width=0.1)


@pytest.mark.parametrize(
    "secret",
    [
        SensitiveProperty("income", ">50K"),
        SensitiveProperty("relationship", "Husband"),
        SensitiveProperty("education", "Bachelors"),
        SensitiveProperty("race", "White"),
    ],
)
def test_guesses_are_those_of_the_fitted_normals(frame, now, census, secret):
    """Two covariances instead of their mean, whole records instead of shares: within 1 of 100."""
    row = frame[frame["label"] == secret.label].iloc[0]
    assert row["share"] == pytest.approx(100 * secret.mask(census.frame).mean())
    pair = secret.pair((row["low"] + row["high"]) / 200, 0.1)
    model = fit_gaussian(census.frame, now.query, pair, 1000, replacement=True)
    assert row["guesses"] == pytest.approx(100 * optimal_attack_accuracy(model), abs=1)


def test_figures_that_are_no_sums_are_exposed_as_their_influence_is(census):
    query, secret = Query([Deviation("age"), Median("age")]), SensitiveProperty("sex", "Female")
    frame = exposure(census, query, n=1000, width=0.1)
    row = frame[frame["label"] == secret.label].iloc[0]
    pair = secret.pair((row["low"] + row["high"]) / 200, 0.1)
    model = fit_gaussian(census.frame, query, pair, 1000, replacement=True)
    assert row["guesses"] == pytest.approx(100 * optimal_attack_accuracy(model), abs=2)


def test_rare_labels_are_hidden_and_ranges_lie_around_the_share(frame, census):
    assert frame["share"].between(2, 98).all()
    assert frame["guesses"].is_monotonic_decreasing
    assert (frame["high"] - frame["low"]).to_numpy() == pytest.approx(10)
    middle = (frame["low"] + frame["high"]) / 2
    assert (frame["fits"] == (middle - frame["share"]).abs().lt(1e-6)).all()
    assert (~frame["fits"] == ~frame["share"].between(5.5, 94.5)).all()
    two = frame[frame["column"] == "sex"]
    assert list(two["label"]) == ["sex = Female"]  # the rarer one
    assert secret_labelled(census, "age", "age > 37") == SensitiveProperty("age", above=37)
    with pytest.raises(DistprivError, match="offers no secret"):
        secret_labelled(census, "age", "age > 38")


def test_figure_that_is_the_secret_tells_it_and_a_constant_tells_nothing(frame):
    counted = frame[frame["label"].isin(["sex = Female", "marital-status = Never-married"])]
    assert (counted["guesses"] > 99.99).all()
    table = pd.DataFrame(
        {"one": [1.0] * 50, "late": ["y", "n", "n", "n", "n"] * 10, "x": [*range(50)]}
    )
    alone = exposure(table, Query([Mean("one")]))
    assert list(alone["guesses"]) == pytest.approx([50, 50])


def test_every_figure_is_tried_alone_against_every_secret():
    rng = np.random.default_rng(1)
    late = rng.random(400) < 0.3
    table = pd.DataFrame(
        {
            "pay": np.where(rng.random(400) < 0.1, np.nan, rng.normal(10, 2, 400) + late),
            "late": np.where(late, "yes", "no"),
            "city": pd.Categorical(rng.choice(["a", "b", "c"], 400)),
            "id": 5,
        }
    )
    frame = exposure(table, n=100)
    assert {"mean pay", "count late = yes", "count city = b"} <= {*frame.columns}
    late = frame[frame["column"] == "late"].iloc[0]
    assert np.isnan(late["count late = yes"])
    assert late["mean pay"] > 58
    assert late["guesses"] >= late[["mean pay", "count city = a", "count city = b"]].max()
    cities = frame[frame["column"] == "city"]
    assert cities.filter(like="count city").isna().all(axis=None)
    assert (cities["guesses"] < 60).all()  # the labels of a column sum to 1, and tell nothing else


def test_records_that_are_not_in_the_sample_do_not_expose_anything():
    """Groups of a sample differ by chance, which the whole table's do not."""
    rng = np.random.default_rng(4)
    table = pd.DataFrame({f"c{place}": rng.integers(0, 5, 20_000) for place in range(8)})
    table["city"] = rng.choice(["a", "b", "c"], 20_000)
    query = Query([Mean(f"c{place}") for place in range(8)])
    tables = FrameSource("t", "T", table), table[:2000], Sampled("t", "T", table)
    frames = [exposure(one, query, n=20_000) for one in tables]
    assert [one.attrs["records"] for one in frames] == [20_000, 2000, 2000]
    all_of_them, few, sample = (one[one["column"] == "city"]["guesses"].mean() for one in frames)
    assert few > 70
    assert max(all_of_them, sample) < 65
    for one in frames:  # nobody who knows all figures guesses worse
        assert (one["guesses"] >= one[[*query.labels]].max(axis=1) - 1e-9).all()


class Sampled(FrameSource):
    """A table of which one record in ten is read."""

    def columns(self, names, most=200_000, seed=0):
        return super().columns(names, 2000, seed)


def test_what_has_no_secret_is_one_sentence():
    with pytest.raises(DistprivError, match="can be a secret"):
        exposure(pd.DataFrame({"a": [1, 1, 1]}), Query([Mean("a")]))
    dates = pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(9), unit="D")
    for table in (pd.DataFrame({"d": dates}), pd.DataFrame({"v": [1.0], "s": ["a"]})[:0]):
        with pytest.raises(DistprivError, match="can be a secret"):
            exposure(table)
    huge = pd.DataFrame({"v": np.geomspace(1, 1e300, 40), "s": ["a", "b"] * 20})
    assert np.isfinite(exposure(huge)["guesses"]).all()
    with pytest.raises(DistprivError, match="apart"):
        exposure(pd.DataFrame({"a": [1, 2, 1]}), width=1.5)


def test_frames_print_few_columns_and_hold_all(census):
    frame = exposure(census, n=100)
    assert len(frame.columns) > 7
    assert repr(frame.head(1)).splitlines()[0].split() == (
        ["secret", "share", "in", "%", "from", "%", "to", "%", "right", "of", "100"]
    )
    assert "more columns</code>" in frame._repr_html_()
    assert repr(frame[["column", "guesses"]]).split()[:2] == ["column", "guesses"]
    done = []
    exposure(census, n=100, progress=lambda *counts: done.append(counts))
    assert done[-1][0] <= done[-1][1]
    assert [at for at, _ in done] == [*range(1, len(done) + 1)]
