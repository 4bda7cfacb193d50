"""Steps 1 and 2 of the tour: the share shows."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import norm

import distpriv as dp
from distpriv import lessons
from distpriv.lessons.course import (
    QUERY,
    SIZES,
)


def test_1_whoever_takes_columns_out_still_gives_the_share_away(course: lessons.Course) -> None:
    steps = [lessons.fewer_statistics(course, count) for count in range(len(QUERY))]
    assert steps[0].before == pytest.approx(0.761, abs=0.005)
    assert [each.before for each in steps] == [steps[0].before] * len(QUERY)
    assert all(more.after < less.after for less, more in pairwise(steps))
    last = steps[-1]
    assert sorted((*last.taken_out, *last.left)) == list(range(len(QUERY)))
    # What is left last is worth as much as that statistic alone.
    (left,) = last.left
    model = course.model().pairs[0]
    first, second = (
        norm(mean[left], math.sqrt(covariance[left, left]))
        for mean, covariance in zip(model.means, model.covariances, strict=True)
    )
    line = np.linspace(first.mean() - 12 * first.std(), first.mean() + 12 * first.std(), 100_001)
    larger = np.maximum(first.pdf(line), second.pdf(line))
    assert last.after == pytest.approx(np.trapezoid(larger, line) / 2, abs=1e-6)
    assert last.after > 0.6
    # No other first loss would have cost the attacker more.
    others = [
        dp.optimal_attack_accuracy(course.model().of_statistics(*set(range(5)) - {place}))
        for place in range(5)
    ]
    assert steps[1].after == min(others)


def test_2_more_records_pull_the_clouds_apart(course: lessons.Course) -> None:
    found = [lessons.more_records(course, n) for n in SIZES]
    assert all(less.accuracy < more.accuracy for less, more in pairwise(found))
    assert all(each.accuracy < each.together for each in found)
    assert found[2].accuracy == pytest.approx(0.698, abs=0.005)
    assert found[2].together == pytest.approx(0.761, abs=0.005)
    np.testing.assert_array_equal(found[3].widest.pooled, found[0].fit.pooled)
