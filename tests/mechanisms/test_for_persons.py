"""Every mechanism's noise keeps the promise to each person as well, or says why it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.errors import InapplicableError
from distpriv.mechanisms.for_persons import raised

ONE_DIRECTION = ("DirM(L)", "DirM", "DauM")
BOTH = [name for name in dp.mechanisms.names() if name not in ONE_DIRECTION]


@pytest.fixture(scope="module")
def model(people, query, pair):
    return dp.fit_gaussian(people, query, pair, n=50)


@pytest.mark.parametrize("epsilon", [0.05, 1.0])
@pytest.mark.parametrize("name", BOTH)
def test_both_promises_are_kept(model, name, epsilon):
    persons = dp.Persons(epsilon, 1e-4)
    noise = dp.calibrate(name, model, 1.0, 1e-3, persons=persons)
    assert noise.against(persons.moves(model)).epsilon(1e-4) <= epsilon * (1 + 1e-9)
    alone = dp.calibrate(name, model, 1.0, 1e-3)
    assert noise.expected_error() >= alone.expected_error() * (1 - 1e-6)
    share = dp.delivered_delta(model, noise, 1.0), dp.delivered_delta(model, alone, 1.0)
    assert share[0] <= max(share[1], 1e-3) * (1 + 1e-6)


@pytest.mark.parametrize("name", ONE_DIRECTION)
def test_noise_along_one_direction_says_why_it_cannot(model, name):
    with pytest.raises(InapplicableError, match="noise in 1 of 4 directions here"):
        dp.calibrate(name, model, 1.0, 1e-3, persons=dp.Persons(1.0, 1e-3))


@pytest.mark.parametrize("name", ["DauM", "CoupM", "OptM"])
def test_where_the_share_needs_no_noise_persons_do(people, query, rich, name):
    """Half a record of difference."""
    model = dp.fit_gaussian(people, query, rich.pair(0.5, 0.001), n=50)
    assert model.pairs[0].thetas[0].having == model.pairs[0].thetas[1].having
    persons = dp.Persons(1.0, 1e-3)
    if name == "DauM":
        with pytest.raises(InapplicableError, match="DauM adds no noise here"):
            dp.calibrate(name, model, 1.0, 1e-3, persons=persons)
        return
    noise = dp.calibrate(name, model, 1.0, 1e-3, persons=persons)
    assert noise.against(persons.moves(model)).epsilon(1e-3) == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize("calibration", ["exact", "classical", "guarded", "exact-law"])
def test_under_every_calibration(people, rich, calibration):
    query = dp.Query([dp.Count("status", "married"), dp.Count("remote", "True")])
    model = dp.fit_gaussian(people, query, rich.pair(0.5, 0.3), n=30)
    persons = dp.Persons(0.5, 1e-3)
    noise = dp.calibrate("OptM", model, 1.0, 1e-3, calibration, persons=persons)
    assert noise.calibration == calibration
    assert noise.against(persons.moves(model)).epsilon(1e-3) <= 0.5 * (1 + 1e-9)
    if calibration == "exact-law":
        law = dp.privacy.model_laws(model)[0]
        assert law.delivered_delta(noise, 1.0) <= 1e-3
    elif calibration == "guarded":
        assert dp.delivered_delta(model, noise, 1.0) <= 1e-3 * (1 + 1e-9)


def test_in_other_units_both_are_kept(model):
    persons = dp.Persons(0.5, 1e-3)
    units = np.array([1.0, 50.0, 3.0, 0.1])
    noise = dp.calibrate("OptM", model, 1.0, 1e-3, units=units, persons=persons)
    assert noise.against(persons.moves(model)).epsilon(1e-3) == pytest.approx(0.5, rel=1e-4)
    own = dp.calibrate("OptM", model, 1.0, 1e-3, persons=persons)
    assert np.trace(own.covariance) < np.trace(noise.covariance)
    assert noise.in_units(units).rms_error() < own.in_units(units).rms_error()


def test_the_data_s_own_range_is_named_as_a_leak(model):
    noise = dp.calibrate("OptM", model, 1.0, 1e-3, persons=dp.Persons(1.0, 1e-3))
    assert any("own range of age, hours" in caveat for caveat in noise.caveats)
    public = dp.Persons(1.0, 1e-3, bounds={"age": (0, 120), "hours": (0, 168)})
    assert not dp.calibrate("OptM", model, 1.0, 1e-3, persons=public).caveats


@settings(max_examples=20)
@given(st.floats(1.01, 20), st.integers(0, 10**6))
def test_wider_laplace_noise_is_the_noise_and_something_independent(factor, seed):
    """The decomposition by which what is raised keeps its promise, in its distribution."""
    rng = np.random.default_rng(seed)
    size = 20_000
    extra = rng.laplace(scale=factor, size=size) * (rng.random(size) > 1 / factor**2)
    drawn = rng.laplace(size=size) + extra
    assert stats.kstest(drawn, stats.laplace(scale=factor).cdf).pvalue > 1e-6


def test_what_is_enough_is_left_as_it_is(model):
    noise = dp.calibrate("GroupDP", model, 1.0, 1e-3)
    persons = dp.Persons(1.0, 1e-3)
    assert raised(noise, persons.moves(model), persons) is noise


def test_for_the_coupling_bound_both_bind_at_less_than_their_sum(people, pair):
    query = dp.Query([dp.Mean("age"), dp.Count("status", "married")])
    model = dp.fit_gaussian(people, query, pair, n=50)
    alone = dp.calibrate("CoupM", model, 1.0, 1e-2)
    reached = alone.against(dp.Persons(1.0, 1e-2).moves(model)).epsilon(1e-2)
    persons = dp.Persons(0.6 * reached, 1e-2)
    noise = dp.calibrate("CoupM", model, 1.0, 1e-2, persons=persons)
    allowed, moves = persons.distance, persons.moves(model)
    for_persons = float(moves.reach.sum() / allowed) ** 2
    share, both = np.trace(alone.covariance), np.trace(noise.covariance)
    assert max(share, for_persons) * (1 - 1e-6) <= both < share + for_persons
    scaled = share * (alone.against(moves).mu / allowed) ** 2
    assert both <= scaled * 1.01
    assert dp.privacy.bounded_delta(model, noise, 1.0).value <= 1e-2
    assert noise.against(moves).epsilon(1e-2) == pytest.approx(persons.epsilon, rel=0.02)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 10.0, 100.0])
@pytest.mark.parametrize("epsilon_p", [1e-3, 1.0, 100.0])
def test_the_coupling_bound_and_persons_at_every_size(people, pair, epsilon, epsilon_p):
    query = dp.Query([dp.Mean("age"), dp.Count("status", "married")])
    model = dp.fit_gaussian(people, query, pair, n=50)
    persons = dp.Persons(epsilon_p, 1e-2)
    noise = dp.calibrate("CoupM", model, epsilon, 1e-2, persons=persons)
    assert noise.against(persons.moves(model)).epsilon(1e-2) <= epsilon_p * (1 + 1e-9)
    assert dp.privacy.bounded_delta(model, noise, epsilon).value <= 1e-2
