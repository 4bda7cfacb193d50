"""Be the attacker: the best attacker's accuracy in closed form, and what the draws come to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from distpriv import lessons
from distpriv.lessons.guessing import by_luck, game, rate

DRAWS = 4000


@pytest.mark.parametrize(("n", "epsilon"), [(100, None), (100, 1.0), (400, None), (400, 2.0)])
def test_the_closed_form_is_what_the_draws_come_to(
    course: lessons.Course, n: int, epsilon: float | None
) -> None:
    of = game(course, n, epsilon)
    seen = [of.draw("a class", place) for place in range(DRAWS)]
    right = sum(each.best == each.share for each in seen)
    # Four standard errors: the seed is fixed.
    assert right / DRAWS == pytest.approx(of.accuracy, abs=4 * np.sqrt(0.25 / DRAWS))
    assert np.mean([each.share for each in seen]) == pytest.approx(0.5, abs=0.03)
    for group in (0, 1):
        released = np.array([each.released for each in seen if each.share == group])
        spread = np.sqrt(np.diag(of.fit.covariances[group]) / len(released))
        assert (np.abs(released.mean(axis=0) - of.fit.means[group]) < 4 * spread).all()


def test_noise_makes_it_harder_and_more_records_easier(course: lessons.Course) -> None:
    accuracies = [game(course, 100, epsilon).accuracy for epsilon in (0.5, 1.0, 2.0, None)]
    assert accuracies == sorted(accuracies)
    assert game(course, 400).accuracy > accuracies[-1]
    assert accuracies[-1] == lessons.more_records(course, 100).accuracy


def test_the_same_about_the_same_and_another_about_another(course: lessons.Course) -> None:
    of = game(course)
    once, again, other = of.draw("x", 1), of.draw("x", 1), of.draw("x", 2)
    np.testing.assert_array_equal(once.released, again.released)
    assert (once.share, once.best) == (again.share, again.best)
    assert (once.released != other.released).any()


def test_luck_and_the_interval_of_a_class() -> None:
    assert by_luck(10) == (2, 8)
    low, high = by_luck(40)
    assert stats.binom.cdf(high, 40, 0.5) - stats.binom.cdf(low - 1, 40, 0.5) >= 0.95
    found = rate(30, 40)
    assert found.estimate == 0.75
    assert found.low < 0.75 < found.high
    assert (rate(0, 0).low, rate(0, 0).high) == (0, 1)
