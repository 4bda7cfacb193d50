"""Steps 6 and 7 of the tour: how much is allowed, and how often."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import distpriv as dp
from distpriv import lessons
from distpriv.lessons.course import (
    DELTA,
    RELEASES,
)


@pytest.mark.parametrize("guesses", [51, 60, 70, 76])
def test_6_the_largest_epsilon_that_keeps_the_limit(course: lessons.Course, guesses: int) -> None:
    found = lessons.limited_attacker(course, guesses)
    model = course.model()
    assert found.reached == dp.optimal_attack_accuracy(model, course.noise("OptM", found.epsilon))
    assert found.reached <= guesses / 100
    assert dp.optimal_attack_accuracy(model, course.noise("OptM", found.epsilon * 1.02)) > (
        guesses / 100
    )
    assert found.epsilon == float(f"{found.epsilon:.3g}")
    assert found.promised > found.reached


def test_6_a_limit_that_no_release_keeps_is_refused(course: lessons.Course) -> None:
    with pytest.raises(dp.errors.HypothesisError):
        lessons.limited_attacker(course, 49)


def test_7_releases_average_the_noise_away(course: lessons.Course) -> None:
    found = [lessons.repeated_releases(course, count) for count in RELEASES]
    # From 50 releases on the grid shows through their average, and arithmetic undoes the rest.
    assert {each.undone_from for each in found} == {50}
    noisy = found[: RELEASES.index(50) + 1]
    assert all(less.accuracy < more.accuracy for less, more in pairwise(noisy))
    assert all(less.epsilon < more.epsilon for less, more in pairwise(noisy))
    for each in found[RELEASES.index(50) :]:
        assert each.accuracy == each.undefended
        assert each.epsilon == dp.delivered_epsilon(course.model(), None, DELTA)
    assert found[0].accuracy == found[0].single
    assert found[-1].undefended - found[-1].accuracy < 0.02
    np.testing.assert_allclose(
        found[0].curves.y["OptM"], [each.accuracy for each in found], rtol=1e-12
    )
    # Pooling the covariances breaks the promise by a little; guarded, the default, keeps it.
    assert DELTA < found[0].pooled < 3 * DELTA
    assert 0.99 * DELTA < found[0].delta <= DELTA
