"""What all steps of the tour go out from."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv import lessons
from distpriv.lessons.course import (
    COUNTS,
    EPSILONS,
    MECHANISMS,
    PAIR,
    PLAIN,
    QUERY,
    SECRET,
)


def test_the_data_are_those_of_the_public_api(course: lessons.Course) -> None:
    expected = dp.fit_gaussian(dp.load_census_income(), QUERY, PAIR, n=100)
    model = course.model()
    np.testing.assert_allclose(model.pairs[0].means, expected.pairs[0].means)
    np.testing.assert_allclose(model.pairs[0].pooled, expected.pairs[0].pooled)
    # The real Adult's Mahalanobis distance is 1.4225; the embedded data agree within 1 %.
    assert model.pairs[0].mahalanobis == pytest.approx(1.4225, rel=0.01)


def test_the_scenario_of_the_sidebar_is_that_of_the_tour(course: lessons.Course) -> None:
    scenario = course.scenario("abc")
    assert (scenario.secret, scenario.pair, scenario.query) == (SECRET, PAIR, QUERY)
    assert scenario.digest == "abc"
    noise = dp.calibrate(
        scenario.mechanism, course.model(scenario.n), scenario.epsilon, scenario.delta
    )
    np.testing.assert_allclose(noise.covariance, course.noise("OptM").covariance)


def test_no_figure_is_of_noise_that_arithmetic_undoes(course: lessons.Course) -> None:
    model = course.model()
    counts = model.of_statistics(*COUNTS)
    for degrees in (0, 45, 90):
        assert lessons.rotated_noise(course, degrees).noise.smoothness(counts) < 1e-6
    for name in MECHANISMS:
        for epsilon in (*EPSILONS, 0.1):
            noise = course.noise(name, epsilon, PLAIN)
            assert noise.is_zero or noise.smoothness(model) < 1e-3
