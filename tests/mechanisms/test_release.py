"""A release is the true statistics plus noise that no seed repeats, and nothing else."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.errors import CalibrationError, ModelError
from distpriv.mechanisms.release import (
    draw_release,
    noise_deviations,
    released_decimals,
    released_text,
)
from distpriv.mechanisms.release_noise import added_delta
from distpriv.model.theta import Theta
from distpriv.privacy.noise import gaussian_noise


@pytest.fixture
def noise(model) -> dp.Noise:
    """Of a model of 60 records, put to other numbers of them on purpose."""
    return dp.calibrate("ExpM", model, epsilon=1.0, delta=1e-3).detached()


def test_whole_tables_move_by_the_noise_alone(people, query, rich, noise) -> None:
    truth = query.answer(people)
    drawn = np.array([draw_release(people, query, rich, noise).values for _ in range(300)])
    deviations = noise_deviations(noise)
    for column, value, deviation in zip(drawn.T, truth, deviations, strict=True):
        assert stats.kstest((column - value) / deviation, "norm").pvalue > 1e-6
    # Statistics of one release share nothing but the noise's covariance.
    found, wanted = np.cov(drawn.T), noise.covariance
    assert np.abs(found - wanted).max() < 0.5 * wanted.max()


def test_samples_are_drawn_anew_every_time(people, query, rich) -> None:
    """With next to no noise the values spread as those of samples of 60 do."""
    tiny = gaussian_noise("ExpM", 1e-8 * np.eye(4), epsilon=1.0, delta=1e-3, calibration="exact")
    drawn = np.array([draw_release(people, query, rich, tiny, n=60).values[0] for _ in range(400)])
    ages = people["age"]
    wanted = ages.std() / np.sqrt(60) * np.sqrt(1 - 60 / len(ages))
    assert drawn.mean() == pytest.approx(ages.mean(), abs=5 * wanted / 20)
    assert drawn.std() == pytest.approx(wanted, rel=0.25)


@pytest.mark.parametrize("replacement", [False, True])
def test_records_are_drawn_once_or_as_often_as_they_come(people, rich, replacement) -> None:
    table = people.iloc[:12].assign(place=[4.0**k for k in range(12)], income=(["high", "low"] * 6))
    query = dp.Query([dp.Sum("place")])
    tiny = gaussian_noise("ExpM", 1e-6 * np.eye(1), epsilon=1.0, delta=1e-3, calibration="exact")
    most = 0
    for _ in range(60):
        left = round(draw_release(
            table, query, rich, tiny, n=12, replacement=replacement
        ).values[0])  # fmt: skip
        digits = []
        while left:
            left, digit = divmod(left, 4)
            digits.append(digit)
        most = max(most, *digits)
    assert (most > 1) == replacement


def test_no_seed_repeats_a_release(people, query, rich, noise) -> None:
    found = []
    for _ in range(2):
        np.random.seed(1)  # noqa: NPY002
        found.append(draw_release(people, query, rich, noise, n=60).values)
    assert not np.array_equal(*found)


def test_numbers_are_rounded_to_where_the_noise_hides_them(people, query, rich, noise) -> None:
    found = draw_release(people, query, rich, noise)
    for value, places, deviation in zip(
        found.values, found.decimals, noise_deviations(noise), strict=True
    ):
        step = 10.0**-places
        assert deviation / 1000 < step <= deviation / 100
        assert value / step == pytest.approx(round(value / step), abs=1e-6)
        assert float(released_text(value, deviation)) == pytest.approx(value, rel=1e-12)
    assert released_text(12345.678, 40_000.0) == "12346"
    assert released_text(0.5, 0.0) == "0.5"
    assert released_text(2.5, 0.2) == "2.500"


def test_the_order_of_the_records_does_not_show_in_a_statistic_without_noise() -> None:
    secret = dp.SensitiveProperty("side", "a")
    query = dp.Query([dp.Sum("price"), dp.Count("side", "a")])
    noise = gaussian_noise(
        "DirM", np.diag([0.0, 4.0]), epsilon=1.0, delta=1e-3, calibration="exact"
    )
    prices, found = [0.1, 0.2, 0.3, 0.7, 0.01], set()
    assert len({float(np.array(order).sum()) for order in permutations(prices)}) > 1
    for order in permutations(prices):
        table = pd.DataFrame({"price": order, "side": list("aabbb")})
        found.add(float(draw_release(table, query, secret, noise).values[0]))
    assert found == {1.31}


def test_a_statistic_without_noise_goes_out_as_it_is(people, query, rich) -> None:
    noise = gaussian_noise(
        "DirM", np.diag([4.0, 0.0, 9.0, 0.0]), epsilon=1.0, delta=1e-3, calibration="exact"
    )
    found = draw_release(people, query, rich, noise)
    truth = query.answer(people)
    assert found.decimals[1] is None
    np.testing.assert_allclose(found.values[[1, 3]], truth[[1, 3]], rtol=1e-12)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
def test_noise_is_noise_however_much_more_there_is_elsewhere(distribution) -> None:
    """Axes in units that are far apart, with floors of any size; a bare statistic has none."""
    noise = dp.Noise(
        mechanism="ExpM",
        distribution=distribution,
        directions=np.eye(5)[:, :3],
        scales=np.array([1e9, 1e-9, 0.0]),
        epsilon=1.0,
        delta=1e-3,
        floor=np.array([0.0, 0.0, 0.0, 1e-12, 0.0]),
    )
    spread = 1.0 if distribution == "gaussian" else math.sqrt(2)
    wanted = [1e9 * spread, 1e-9 * spread, 0.0, 1e-12, 0.0]
    np.testing.assert_allclose(noise_deviations(noise), wanted, rtol=1e-12)
    places = released_decimals(noise)
    assert (places[2], places[4]) == (None, None)
    assert all(
        sd / 1000 < 10.0**-each <= sd / 100
        for sd, each in zip(wanted, places, strict=True)
        if each is not None
    )


@pytest.mark.parametrize("seed", range(5))
def test_noise_that_leads_along_a_statistic_by_little_is_noise(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shift = rng.standard_normal(4) * 10.0 ** rng.integers(-10, 1, 4)
    shift[rng.integers(4)] = 0.0
    one = gaussian_noise(
        "DauM", np.outer(shift, shift), epsilon=1.0, delta=1e-3, calibration="exact"
    )
    assert ((noise_deviations(one) > 0) == (shift != 0)).all()
    np.testing.assert_allclose(noise_deviations(one), np.abs(shift), rtol=1e-4)


def test_a_release_in_units_far_apart_is_rounded_everywhere(people, rich) -> None:
    """Yearly wages of all, and a share: noise of 10⁹ on the one hides none of the other."""
    table = people.assign(wages=people["hours"] * 1e9)
    query = dp.Query([dp.Sum("wages"), dp.Proportion("town", "Ahausen")])
    covariance = np.diag([1e22, 1e-6])
    noise = gaussian_noise("EigM", covariance, epsilon=1.0, delta=1e-3, calibration="exact")
    assert noise.covariance == pytest.approx(covariance)
    found = draw_release(table, query, rich, noise)
    assert found.decimals == (-9, 5)
    assert all(
        value == round(value, each)
        for value, each in zip(found.values, found.decimals, strict=True)
    )
    drawn = [draw_release(table, query, rich, noise).values[1] for _ in range(20)]
    assert np.std(drawn) == pytest.approx(1e-3, rel=0.9)


def test_incomplete_records_are_left_out_as_in_the_model(people, query, rich, noise) -> None:
    table = people.copy()
    table.loc[:99, "age"] = np.nan
    table.loc[50:149, "income"] = np.nan
    assert draw_release(table, query, rich, noise).n == 1850
    assert draw_release(table, query, rich, noise, n=60).n == 60


def test_a_release_without_noise_is_refused(people, query, rich) -> None:
    none = gaussian_noise("OptM", np.zeros((4, 4)), epsilon=9.0, delta=0.1, calibration="exact")
    with pytest.raises(CalibrationError, match="OptM adds no noise here"):
        draw_release(people, query, rich, none)


def test_noise_for_something_else_is_refused(people, query, rich, model) -> None:
    noise = dp.calibrate("OptM", model, epsilon=1.0, delta=1e-3)
    assert draw_release(people, query, rich, noise, n=60).n == 60
    others = dp.Query([*query.statistics[:3], dp.Proportion("town", "Behausen")])
    for asked, n, replacement, says in (
        (others, 60, False, "town = Ahausen.*, not for .*town = Behausen"),
        (query, 600, False, "datasets of 60 records, not for n = 600"),
        (query, None, False, "datasets of 60 records, not for n = 2\u202f000"),
        (query, 60, True, "without replacement, not with"),
    ):
        with pytest.raises(CalibrationError, match=says):
            draw_release(people, asked, rich, noise, n=n, replacement=replacement)
        draw_release(people, asked, rich, noise.detached(), n=n, replacement=replacement)


def tables_of_one_face(people: pd.DataFrame) -> list[pd.DataFrame]:
    """Tables that differ in nothing but who is rich: some, all, none, none of that name."""
    return [
        people,
        people.assign(income="high"),
        people.assign(income="low"),
        people.assign(income=pd.Categorical(["low"] * len(people))),
    ]


def test_what_is_refused_tells_nothing_of_the_secret(people, query, rich, noise) -> None:
    asked = [
        (query, noise, {}),
        (query, noise, {"n": 60}),
        (query, noise, {"n": 2001}),
        (query, noise, {"n": 1}),
        (query, noise, {"n": 2001, "replacement": True}),
        (dp.Query([dp.Mean("town")] * 4), noise, {}),
        (dp.Query([dp.Mean("age")]), noise, {}),
        (dp.Query([dp.Mean("wages")] * 4), noise, {}),
        (query, replace(noise, scales=noise.scales * 0), {}),
    ]
    outcomes = []
    for table in tables_of_one_face(people):
        said = []
        for statistics, each, how in asked:
            try:
                said.append(draw_release(table, statistics, rich, each, **how).n)
            except dp.DistprivError as error:
                said.append(str(error))
        outcomes.append(said)
    assert outcomes[0][:2] == [2000, 60]
    assert outcomes[0][4] == 2001
    assert [isinstance(each, str) for each in outcomes[0]] == [0, 0, 1, 1, 0, 1, 1, 1, 1]
    assert outcomes == [outcomes[0]] * 4


def test_the_last_digits_do_not_know_who_is_rich(people, query, rich, monkeypatch) -> None:
    """Sums of floating-point numbers depend on their order, which must not be the secret's."""
    noise = dp.Noise("ExpM", "gaussian", np.eye(4), np.full(4, 1e-11), 1.0, 1e-3)
    for n in (None, 60):
        found = []
        for table in tables_of_one_face(people):
            monkeypatch.setattr("random.SystemRandom", lambda: random.Random(4))
            drawn = draw_release(table, query, rich, noise, n=n, share_of="table")
            found.append(drawn.values.tolist())
        assert found == [found[0]] * 4


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("n", [2, 61, 1999, 2000])
def test_a_stratified_release_has_the_share_of_the_table(
    people, rich, n: int, replacement: bool
) -> None:
    query = dp.Query([dp.Count("income", "high"), dp.Mean("age")])
    noise = dp.Noise("ExpM", "gaussian", np.eye(2), np.full(2, 1e-6), 1.0, 1e-3)
    expected = Theta(rich, (people["income"] == "high").mean(), n).having
    counts = [
        draw_release(people, query, rich, noise, n=n, replacement=replacement).values[0]
        for _ in range(5)
    ]
    assert np.rint(counts).tolist() == [expected] * 5


def test_a_release_of_the_share_of_the_table_is_a_random_sample(people, query, rich, pair) -> None:
    counted = dp.Query([dp.Count("income", "high"), dp.Mean("age")])
    quiet = dp.Noise("ExpM", "gaussian", np.eye(2), np.full(2, 1e-6), 1.0, 1e-3)
    drawn = [
        draw_release(people, counted, rich, quiet, n=60, share_of="table").values[0]
        for _ in range(200)
    ]
    share = (people["income"] == "high").mean()
    assert np.var(drawn) == pytest.approx(60 * share * (1 - share), rel=0.4)
    model = dp.fit_gaussian(people, query, pair, n=60, share_of="table")
    noise = dp.calibrate("ExpM", model, epsilon=1.0, delta=1e-3)
    assert draw_release(people, query, rich, noise, n=60).n == 60
    with pytest.raises(CalibrationError, match="hides the share of the table"):
        draw_release(people, query, rich, noise, n=60, share_of="release")


def test_what_the_draw_adds_is_stated(people, query, rich, noise) -> None:
    found = draw_release(people, query, rich, noise)
    assert 0 < found.added_delta < 1e-60
    assert found.added_delta == added_delta(noise, found.decimals, noise.epsilon)


@pytest.mark.parametrize("rows", [0, 1])
def test_a_table_without_records(people, query, rich, noise, rows: int) -> None:
    with pytest.raises(ModelError, match=f"at least 2 complete records, and there are {rows}"):
        draw_release(people.iloc[:rows], query, rich, noise)
    with pytest.raises(ModelError, match="only 0 complete ones"):
        draw_release(people.iloc[:0], query, rich, noise, n=5, replacement=True)


def test_too_few_records(people, query, rich, noise) -> None:
    with pytest.raises(ModelError, match="only 2\u202f000 complete ones"):
        draw_release(people, query, rich, noise, n=3000)
    assert draw_release(people, query, rich, noise, n=3000, replacement=True).n == 3000


def test_medians_and_laplace_noise(people, rich) -> None:
    query = dp.Query([dp.Median("age"), dp.Mean("hours")])
    model = dp.fit_gaussian(people, query, rich.pair(0.4, 0.2), n=60, method="monte-carlo", rng=1)
    noise = dp.calibrate("ExpM(L)", model, epsilon=2.0, delta=1e-3).detached()
    drawn = [draw_release(people, query, rich, noise).values for _ in range(200)]
    middle = np.median(drawn, axis=0)
    truth = [people["age"].median(), people["hours"].mean()]
    assert np.abs(middle - truth) == pytest.approx(0, abs=0.5 * noise_deviations(noise).max())


def test_a_table_that_is_not_the_query_s(query, rich, noise) -> None:
    with pytest.raises(dp.DistprivError):
        draw_release(pd.DataFrame({"income": ["high", "low"]}), query, rich, noise)


@pytest.mark.parametrize("name", ["DirM(L)", "DirM", "DauM", "OptM"])
def test_rounding_shows_no_more_of_the_grid(model: dp.GaussianModel, name: str) -> None:
    """Rounded to u, a release is as if u²/12 more noise lay on it: the grid shows even less."""
    noise = dp.calibrate(name, model, 1.0, 1e-3, "exact")
    units = np.array([10.0**-places for places in released_decimals(noise) if places is not None])
    deviations = np.sqrt(np.diag(noise.covariance))
    assert ((units <= deviations / 100) & (units > deviations / 1001)).all()
    rounded = replace(noise, floor=np.sqrt(noise.floor_deviations**2 + units**2 / 12))
    assert rounded.smoothness(model) <= noise.smoothness(model) < math.tanh(5e-4)
    bare = dp.calibrate(name, model, 1.0, 1e-3, "exact", grid_safe=False)
    # As published, what is rounded off is all that covers the grid, and that is next to nothing.
    assert replace(bare, floor=units / math.sqrt(12)).smoothness(model) > 0.5
