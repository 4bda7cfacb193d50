"""A release every month for a year, by exact accounting and by division."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

import distpriv as dp
from distpriv.composition import Part, Promise, accumulate, plan_releases
from distpriv.errors import CalibrationError, InapplicableError


@pytest.fixture(scope="module")
def table_model(people, query, pair) -> dp.GaussianModel:
    """Of all of the table."""
    return dp.fit_gaussian(people, query, pair, n=len(people), replacement=True)


@settings(max_examples=12)
@given(
    name=st.sampled_from(["OptM", "ExpM", "EigM"]),
    count=st.sampled_from([1, 2, 12, 52]),
    shared=st.booleans(),
    accuracy=st.sampled_from([None, 0.55, 0.7]),
    most=st.sampled_from([None, 0.5, 3.0]),
)
def test_it_is_the_largest_epsilon_that_keeps_the_limit(
    model, table_model, name, count, shared, accuracy, most
) -> None:
    if accuracy is None and most is None:
        return
    model = table_model if shared else model
    budget = None if most is None else Promise(most, 1e-3)
    found = plan_releases(model, count, name, shared=shared, accuracy=accuracy, budget=budget)

    def kept(epsilon: float) -> bool:
        noise = dp.calibrate(name, model, epsilon, 1e-3)
        parts = [Part(model, noise)] * count
        standing = accumulate(parts, shared=shared, delta=1e-3)
        fits = accuracy is None or standing.accuracy <= accuracy * (1 + 1e-9)
        return fits and (most is None or standing.epsilon <= most * (1 + 1e-9))

    epsilon = found.accounted.epsilon
    assert kept(epsilon)
    if epsilon < 99:
        assert not kept(epsilon * 1.002)
    assert found.accounted.noise.epsilon == epsilon
    if found.divided is not None:
        assert found.divided.epsilon == pytest.approx(found.total.epsilon / count)
        assert found.divided.delta == pytest.approx(found.total.delta / count)
        assert accuracy is None or found.divided.accuracy <= accuracy
        assert most is None or found.divided.delivered <= most


def test_equal_covariances_have_a_closed_form(alike) -> None:
    """Distances of samples add up as squares, those of one table as noise is divided."""
    alike = alike.densities()
    (fit,) = alike.pairs
    found = plan_releases(
        alike, 12, "ExpM", calibration="exact", shared=False, accuracy=0.65
    ).accounted
    distance = fit.distance(found.noise.covariance)
    assert found.accuracy == pytest.approx(ndtr(math.sqrt(12) * distance / 2), abs=1e-9)
    found = plan_releases(
        alike, 12, "ExpM", calibration="exact", shared=True, accuracy=0.65
    ).accounted
    distance = fit.distance(found.noise.covariance / 12)
    assert found.accuracy == pytest.approx(ndtr(distance / 2), abs=1e-9)
    assert found.accuracy == pytest.approx(0.65, abs=2e-4)


def test_division_lets_go_of_much(table_model) -> None:
    found = plan_releases(table_model, 12, shared=True, accuracy=0.6, budget=Promise(1.0, 1e-3))
    assert found.divided is not None
    assert found.accounted.epsilon > 2 * found.divided.epsilon
    assert found.accounted.noise.expected_error() < found.divided.noise.expected_error() / 2
    assert found.divided.accuracy < found.accounted.accuracy <= 0.6
    # The promise that is divided keeps the limit by itself.
    assert dp.accuracy_ceiling(found.total.epsilon, found.total.delta) <= 0.6 + 1e-12
    assert found.total.epsilon <= 1.0


def test_the_more_releases_the_less_for_each(table_model) -> None:
    plans = [
        plan_releases(table_model, count, "ExpM", shared=True, accuracy=0.6)
        for count in (1, 4, 12, 100)
    ]
    epsilons = [plan.accounted.epsilon for plan in plans]
    assert (np.diff(epsilons) < 0).all()
    assert plans[-1].divided is None or plans[-1].divided.epsilon < epsilons[-1]


def test_a_limit_that_nothing_exceeds_takes_all(model) -> None:
    found = plan_releases(model, 1, "ExpM", shared=True, accuracy=0.9999)
    assert found.accounted.epsilon == pytest.approx(100.0)


def test_persons_may_be_promised_too(people, query, pair) -> None:
    model = dp.fit_gaussian(people, query, pair, n=60)
    persons = dp.Persons(1.0, 1e-3, bounds={"age": (17.0, 90.0), "hours": (1.0, 99.0)})
    found = plan_releases(model, 3, shared=False, accuracy=0.7, persons=persons).accounted
    bounds = dict(persons.bounds)
    assert found.noise.per_record(query, n=60, bounds=bounds).epsilon(1e-3) <= 1.0 + 1e-6


def test_what_cannot_be_planned(model) -> None:
    with pytest.raises(CalibrationError, match="needs a limit"):
        plan_releases(model, 12, shared=True)
    with pytest.raises(CalibrationError, match=r"between 0\.5 and 1"):
        plan_releases(model, 12, shared=True, accuracy=0.5)
    with pytest.raises(CalibrationError, match="δ"):
        plan_releases(model, 12, shared=True, budget=Promise(1.0, 0.0))
    for name in ("ExpM(L)", "DP"):
        with pytest.raises(InapplicableError, match="not planned"):
            plan_releases(model, 12, name, shared=True, accuracy=0.6)
    with pytest.raises(InapplicableError):
        plan_releases(model, 10_000, "ExpM", shared=False, accuracy=0.5001)
