"""Steps 3 to 5 of the tour: noise is added."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import distpriv as dp
from distpriv import lessons
from distpriv.lessons.course import (
    COUNTS,
    DELTA,
    EPSILONS,
    MECHANISMS,
    NAMES,
    PLAIN,
)


def test_3_noise_helps_along_the_shift(course: lessons.Course) -> None:
    model = course.model().of_statistics(*COUNTS)
    found = [lessons.rotated_noise(course, degrees) for degrees in (0, 30, 60, 90)]
    assert all(less.accuracy < more.accuracy for less, more in pairwise(found))
    assert found[0].accuracy == found[0].along
    assert found[-1].accuracy == pytest.approx(found[-1].across)
    assert found[0].along == pytest.approx(0.572, abs=0.005)
    assert found[0].along == pytest.approx(found[0].around, abs=0.005)
    assert found[0].undefended - found[0].across < 0.01
    for each in found:
        assert np.trace(each.noise.covariance) == pytest.approx(
            np.trace(dp.calibrate("DirM", model, 1.0, DELTA, PLAIN).covariance)
        )
    angle = found[1].noise.directions[:, 0] @ found[0].noise.directions[:, 0]
    assert angle == pytest.approx(math.cos(math.radians(30)))


def test_4_what_varies_anyway_need_not_be_added(course: lessons.Course) -> None:
    for epsilon in EPSILONS:
        found = lessons.own_variation(course, epsilon)
        assert found.varied_more < found.using < found.ignoring
        # Along the axes the noise is that of EigM.
        assert sorted(found.axes) == list(range(len(NAMES)))
        variances = [each.variance for each in found.axes.values()]
        published = dp.calibrate("EigM", course.model(), epsilon, DELTA, PLAIN, grid_safe=False)
        assert sum(variances) == pytest.approx(np.trace(published.covariance))
        safe = course.noise("EigM", epsilon, PLAIN)
        assert found.using == safe.expected_error() >= published.expected_error()
    assert course.noise("DauM", found.noiseless * 1.001, PLAIN).is_zero
    assert not course.noise("DauM", found.noiseless * 0.999, PLAIN).is_zero
    assert found.noiseless == pytest.approx(4.87, abs=0.02)


def test_5_the_same_promise_costs_least_with_optm(course: lessons.Course) -> None:
    found = lessons.least_noise(course)
    errors = found.errors
    assert min(errors, key=errors.__getitem__) == "OptM"
    assert list(errors) == list(MECHANISMS)
    assert errors["OptM"] == pytest.approx(8.15, abs=0.1)
    assert errors["ExpM"] == pytest.approx(23.5, abs=0.3)
    at_one = int(np.flatnonzero(found.curves.x == 1.0)[0])
    assert {name: y[at_one] for name, y in found.curves.y.items()} == pytest.approx(errors)
    assert all(np.all(y >= found.curves.y["OptM"] - 1e-9) for y in found.curves.y.values())
    assert max(found.accuracies.values()) - min(found.accuracies.values()) < 0.01
    # Off the shift, to where the statistics vary less.
    assert 0.5 < found.tilt < 5
    fit, direction = course.model().pairs[0], course.noise("OptM", 1.0, PLAIN).directions[:, 0]
    shift = fit.difference / np.linalg.norm(fit.difference)
    assert direction @ fit.pooled @ direction < shift @ fit.pooled @ shift
