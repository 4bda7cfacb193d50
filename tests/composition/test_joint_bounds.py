"""The coupling bound of all releases together, against the exact laws of counts."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.composition import TableRelease, joint_releases
from distpriv.errors import CalibrationError, InapplicableError
from distpriv.privacy.noise import gaussian_noise

MARRIED, AHAUSEN = dp.Count("status", "married"), dp.Count("town", "Ahausen")


def counted(table: pd.DataFrame, size: int) -> pd.DataFrame:
    """A table that is small enough for the exact law of a release of all of it."""
    return table.iloc[:size].reset_index(drop=True)


def test_it_is_never_below_the_exact_law_of_counts(people, pair) -> None:
    table, rng = counted(people, 60), np.random.default_rng(2)
    law = dp.exact_law(table, dp.Query([MARRIED, AHAUSEN]), pair, 60, replacement=True)
    for _ in range(6):
        releases = []
        for query in ([MARRIED], [AHAUSEN, MARRIED], [AHAUSEN]):
            root = rng.normal(size=(len(query), 3)) * rng.uniform(2, 6)
            noise = gaussian_noise("ExpM", root @ root.T, epsilon=1.0, delta=1e-3)
            releases.append(TableRelease(dp.Query(query), noise, 60, True, True))
        found = joint_releases(releases, table, pair)
        left = found.datasets[0].told[0].released_noise.detached()
        for epsilon in (0.3, 1.0):
            exact = law.delivered_delta(left, epsilon)
            bound = found.bounded_delta(epsilon)
            assert exact <= bound.value * (1 + 1e-3) + 1e-9
            assert (bound.draws, bound.confidence) == (0, 1.0)
            assert found.delta(epsilon) == pytest.approx(exact, rel=0.2, abs=2e-4)
            assert bound.value >= found.delta(epsilon) - 2e-4
        epsilon = found.bounded_epsilon(1e-2)
        assert law.delivered_delta(left, epsilon) <= 1e-2 * (1 + 1e-3)
        exact_accuracy = 0.5 + law.delivered_delta(left, 0.0) / 2
        assert found.accuracy == pytest.approx(exact_accuracy, abs=5e-3)


def test_samples_are_drawn_apart_and_the_bound_holds(people, pair) -> None:
    """δ of independent releases by the law of the losses of both, drawn from exact laws."""
    query = dp.Query([MARRIED])
    noise = gaussian_noise("ExpM", np.array([[36.0]]), epsilon=1.0, delta=1e-3)
    release = TableRelease(query, noise, 40, replacement=True)
    found = joint_releases([release] * 3, people, pair)
    bound = found.bounded_delta(0.5)
    law = dp.exact_law(people, query, pair, 40, replacement=True)
    # The densities of a release under both shares, and the convolution of its losses by draws.
    grid = np.arange(41)
    rng = np.random.default_rng(1)
    chances = law.probabilities.reshape(2, -1)

    def log_density(y: np.ndarray, theta: int) -> np.ndarray:
        return np.log(np.exp(-((y[:, None] - grid) ** 2) / 72) @ chances[theta])

    losses = np.zeros(200_000)
    for _ in range(3):
        y = rng.choice(grid, len(losses), p=chances[0] / chances[0].sum())
        y = y + 6 * rng.standard_normal(len(losses))
        losses += log_density(y, 0) - log_density(y, 1)
    delivered = np.maximum(1 - np.exp(0.5 - losses), 0).mean()
    assert delivered <= bound.value
    assert found.delta(0.5) == pytest.approx(delivered, rel=0.05)
    one = joint_releases([release], people, pair).bounded_delta(0.5)
    assert one.value < bound.value < 1
    assert bound.draws > 0
    assert bound.confidence == pytest.approx(1 - 1e-6)


def test_one_release_has_the_bound_of_the_other_pages(people, query, pair) -> None:
    model = dp.fit_gaussian(people, query, pair, n=60)
    noise = dp.calibrate("CoupM", model, epsilon=1.0, delta=1e-3)
    found = joint_releases([TableRelease(query, noise, 60)], people, pair)
    wanted = dp.privacy.bounded_delta(model, noise, 1.0)
    assert found.bounded_delta(1.0).value == pytest.approx(wanted.value, rel=1e-6)
    assert found.bounded_epsilon(1e-3) == pytest.approx(1.0, abs=0.05)


def test_r_equal_releases_have_the_bound_of_less_noise(people, query, pair) -> None:
    model = dp.fit_gaussian(people, query, pair, n=len(people), replacement=True)
    noise = dp.calibrate("CoupM", model, epsilon=1.0, delta=1e-3)
    release = TableRelease(query, noise, len(people), True, True)
    found = joint_releases([release] * 4, people, pair)
    wanted = dp.privacy.bounded_delta(model, noise.after_releases(4).detached(), 1.0)
    assert found.bounded_delta(1.0).estimate == pytest.approx(wanted.estimate, rel=1e-6)


def test_what_the_secret_determines_is_counted_as_it_is(people, pair) -> None:
    """How many have the property moves by 12, and that is all that a noisy count of them tells."""
    noise = gaussian_noise("ExpM", np.array([[400.0]]), epsilon=1.0, delta=1e-3)
    secret = TableRelease(dp.Query([dp.Count("income", "high")]), noise, 60, replacement=True)
    other = TableRelease(dp.Query([MARRIED]), noise, 60, replacement=True)
    found = joint_releases([secret], people, pair)
    assert found.bounded_delta(0.1).value == pytest.approx(found.delta(0.1), rel=1e-6)
    both = joint_releases([secret, other], people, pair)
    assert both.bounded_delta(0.1).value > both.delta(0.1) > found.delta(0.1)


def test_draws_of_different_datasets_are_not_the_same(people, query, pair) -> None:
    noise = gaussian_noise("ExpM", np.eye(4) * 25, epsilon=1.0, delta=1e-3)
    short = dp.Query(query.statistics[:3])
    less = gaussian_noise("ExpM", np.eye(3) * 25, epsilon=1.0, delta=1e-3)
    made = [TableRelease(query, noise, 60), TableRelease(query, noise, 60)]
    made.append(TableRelease(short, less, 60))
    (bound,) = joint_releases(made, people, pair)._bounds
    values = bound.law.values
    assert values.shape[1] == 11
    across = np.corrcoef(values.T)
    assert np.abs(across[:4, 4:]).max() < 0.02
    assert np.abs(across[4:8, 8:]).max() < 0.02


def test_what_has_no_bound_says_so(people, pair, query) -> None:
    noise = gaussian_noise("ExpM", np.eye(1), epsilon=1.0, delta=1e-3)
    median = TableRelease(dp.Query([dp.Median("age")]), noise, 60)
    with pytest.raises(InapplicableError, match="median"):
        joint_releases([median], people, pair).bounded_delta(1.0)
    with pytest.raises(CalibrationError, match="no release"):
        joint_releases([], people, pair).bounded_epsilon(1e-3)
    model = dp.fit_gaussian(people, query, pair, n=60)
    laplace = dp.calibrate("DP(L)", model, epsilon=1.0)
    found = joint_releases([TableRelease(query, laplace, 60)], people, pair)
    assert found.bounded_delta(1.0).value == 1.0
    assert found.bounded_epsilon(1e-3) == math.inf
