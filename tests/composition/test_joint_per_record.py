"""What all releases together promise about each record."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.composition import TableRelease, joint_releases
from distpriv.errors import QueryError
from distpriv.privacy.calibration import gaussian_delta
from distpriv.privacy.noise import Noise, gaussian_noise
from distpriv.privacy.record_moves import bounded_moves

BOUNDS = {"age": (17.0, 90.0), "hours": (1.0, 99.0)}


def gaussian(covariance: np.ndarray) -> Noise:
    return gaussian_noise("ExpM", covariance, epsilon=1.0, delta=1e-3)


def test_one_release_is_what_its_noise_says(people, query, pair) -> None:
    model = dp.fit_gaussian(people, query, pair, n=60)
    for name in ("ExpM", "CoupM", "OptM", "DP(L)", "DirM(L)"):
        noise = dp.calibrate(name, model, epsilon=1.0, delta=1e-3)
        found = joint_releases([TableRelease(query, noise, 60)], people, pair).per_record(BOUNDS)
        wanted = noise.per_record(query, n=60, bounds=BOUNDS)
        assert found.epsilon(1e-3) == pytest.approx(wanted.epsilon(1e-3), rel=1e-6)
        assert found.delta(2.0) == pytest.approx(wanted.delta(2.0), rel=1e-6, abs=1e-12)
        assert found.protects == wanted.protects


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 4))
def test_overlapping_releases_by_all_moves(people, query, pair, seed: int, count: int) -> None:
    """Every extreme move of the union, through every release."""
    rng = np.random.default_rng(seed)
    made, n = [], len(people)
    for _ in range(count):
        chosen = rng.permutation(4)[: rng.integers(1, 5)]
        root = rng.normal(size=(len(chosen), len(chosen) + 1)) * 10.0 ** rng.uniform(-2, 2)
        statistics = dp.Query([query.statistics[index] for index in chosen])
        made.append((chosen, TableRelease(statistics, gaussian(root @ root.T), n, True, True)))
    found = joint_releases([each for _, each in made], people, pair).per_record(BOUNDS)
    longest = 0.0
    for move in bounded_moves(query, n, BOUNDS).vertices:
        squares = [
            move[chosen] @ np.linalg.solve(each.noise.covariance, move[chosen])
            for chosen, each in made
        ]
        longest = max(longest, sum(squares))
    assert found.mu == pytest.approx(math.sqrt(longest), rel=1e-5)
    assert found.delta(1.0) == pytest.approx(gaussian_delta(found.mu, 1.0), rel=1e-9)


def test_a_direction_without_noise_protects_nobody_who_moves_along_it(people, pair) -> None:
    both = dp.Query([dp.Mean("age"), dp.Mean("hours")])
    line = TableRelease(both, gaussian(np.ones((2, 2))), 60)
    found = joint_releases([line], people, pair).per_record(BOUNDS)
    assert not found.protects
    assert found.epsilon(1e-3) == math.inf
    assert found.delta(1.0) == 1.0
    # Mean and sum of one column move in step, so that a line is all there is to cover.
    step = dp.Query([dp.Mean("age"), dp.Sum("age")])
    along = np.array([1.0, 60.0])
    covered = TableRelease(step, gaussian(np.outer(along, along)), 60)
    found = joint_releases([covered], people, pair).per_record(BOUNDS)
    assert found.mu == pytest.approx(73 / 60)


def test_samples_all_count(people, query, pair) -> None:
    release = TableRelease(query, gaussian(np.diag([1.0, 900.0, 4.0, 0.01])), 60)
    mu = release.noise.per_record(query, n=60, bounds=BOUNDS).mu
    for count in (1, 3, 12):
        found = joint_releases([release] * count, people, pair).per_record(BOUNDS)
        assert found.mu == pytest.approx(mu * math.sqrt(count))


def test_whoever_may_be_drawn_again_and_again_is_promised_nothing(people, query, pair) -> None:
    noise = gaussian(np.diag([1.0, 900.0, 4.0, 0.01]))
    drawn = TableRelease(query, noise, 60, replacement=True)
    assert not joint_releases([drawn], people, pair).per_record(BOUNDS).protects
    whole = TableRelease(query, noise, len(people), whole=True, replacement=True)
    assert joint_releases([whole], people, pair).per_record(BOUNDS).protects


def test_pure_promises_add_to_what_normal_noise_promises(people, query, pair) -> None:
    model = dp.fit_gaussian(people, query, pair, n=60)
    laplace = replace(dp.calibrate("DP(L)", model, epsilon=0.4), floor=None)
    normal = gaussian(np.diag([1.0, 9000.0, 4.0, 0.01]))
    parts = [TableRelease(query, laplace, 60), TableRelease(query, normal, 60)]
    found = joint_releases(parts, people, pair).per_record(BOUNDS)
    pure = laplace.per_record(query, n=60, bounds=BOUNDS).pure
    mu = normal.per_record(query, n=60, bounds=BOUNDS)
    assert found.epsilon(1e-3) == pytest.approx(pure + mu.epsilon(1e-3))
    assert found.delta(pure + 1.0) == pytest.approx(mu.delta(1.0))
    assert found.delta(pure / 2) == 1.0
    twice = joint_releases(parts[:1] * 2, people, pair).per_record(BOUNDS)
    assert twice.pure == pytest.approx(2 * pure)
    assert twice.epsilon(1e-6) == pytest.approx(2 * pure, rel=1e-4)
    assert twice.delta(2 * pure) == pytest.approx(0.0, abs=1e-12)


def test_more_releases_promise_less(people, query, pair) -> None:
    rng = np.random.default_rng(3)
    made = []
    for size in (4, 2, 3):
        root = rng.normal(size=(size, size + 1)) * 5
        statistics = dp.Query(query.statistics[:size])
        made.append(TableRelease(statistics, gaussian(root @ root.T), len(people), True, True))
    mus = [joint_releases(made[:k], people, pair).per_record(BOUNDS).mu for k in range(1, 4)]
    assert all(before < after for before, after in itertools.pairwise(mus))
    nothing = joint_releases([], people, pair).per_record(BOUNDS)
    assert (nothing.mu, nothing.epsilon(1e-3)) == (0.0, 0.0)


def test_bounds_have_to_be_known(people, query, pair) -> None:
    release = TableRelease(query, gaussian(np.eye(4)), 60)
    with pytest.raises(QueryError, match="no public bounds"):
        joint_releases([release], people, pair).per_record({"age": (0.0, 99.0)})
