"""Laplace noise on two laws of whole numbers, in closed form, against sums over a fine grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.privacy.laplace_lattice import laplace_deltas
from distpriv.privacy.normal_laplace import log_density


def by_grid(laws: np.ndarray, scale: float, floor: float, factor: float) -> list[float]:
    points = np.arange(laws.shape[1])
    fine = min(scale, floor or scale, 1.0) / 50
    reach = 30 * scale + 10 * floor
    outcomes = np.arange(-reach, points[-1] + reach, fine) + fine / 3
    apart = outcomes[:, None] - points
    if floor:
        density = np.exp(log_density(apart, floor, scale))
    else:
        density = stats.laplace.pdf(apart, scale=scale)
    p, q = density @ laws[0], density @ laws[1]
    losses = p - factor * q, q - factor * p
    return [float(np.maximum(loss, 0).sum() * fine) for loss in losses]


@given(
    size=st.integers(1, 12),
    scale=st.floats(0.2, 8.0),
    floor=st.sampled_from([0.0, 0.3, 0.7, 2.0]),
    epsilon=st.sampled_from([0.0, 0.5, 2.0]),
    seed=st.integers(0, 99),
)
def test_closed_form_is_the_integral(size, scale, floor, epsilon, seed) -> None:
    random = np.random.default_rng(seed)
    laws = random.dirichlet(np.full(size + 1, 0.5), size=2)
    found = laplace_deltas(laws, scale, floor, np.exp([epsilon]))
    assert found is not None
    expected = by_grid(laws, scale, floor, float(np.exp(epsilon)))
    assert found[:, 0] == pytest.approx(expected, rel=2e-3, abs=2e-5)


def test_two_points_a_step_apart_are_hidden_by_their_distance_over_the_scale() -> None:
    """The Laplace mechanism: (ε, 0) at ε = 1/b, and 1 − e^{(ε − 1/b)/2} below it."""
    laws = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = laplace_deltas(laws, 0.5, 0.0, np.exp([0.0, 1.0, 2.0, 3.0]))
    assert found is not None
    expected = [-np.expm1((epsilon - 2) / 2) for epsilon in (0.0, 1.0, 2.0)]
    np.testing.assert_allclose(found, [[*expected, 0.0]] * 2, atol=1e-12)


def test_hardly_any_noise_leaves_the_laws_apart() -> None:
    laws = np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]])
    found = laplace_deltas(laws, 1e-3, 0.0, np.exp([0.0]))
    np.testing.assert_allclose(found, [[0.25], [0.25]], rtol=1e-9)


def test_a_floor_too_narrow_for_many_records_is_not_computed() -> None:
    assert laplace_deltas(np.full((2, 5001), 1 / 5001), 1.0, 1e-3, np.ones(1)) is None


@pytest.mark.parametrize("mechanism", ["ExpM(L)", "DirM(L)", "Wasserstein"])
def test_figures_of_laplace_noise_on_one_count_are_by_its_law(
    people: pd.DataFrame, mechanism: str
) -> None:
    asked = dp.Scenario(
        secret=dp.SensitiveProperty("income", "high"),
        query=dp.Query([dp.Count("status", "married")]),
        n=30,
        center=0.2,
        mechanism=mechanism,
    )
    evaluation = dp.evaluate(asked, people)
    laws = evaluation.laws_for(evaluation.noise)
    assert laws is not None
    noise = evaluation.noise
    floor, scale = float(noise.floor_deviations[0]), float(noise.scales[0])
    probabilities = laws[0].probabilities
    delivered = max(by_grid(probabilities, scale, floor, np.e))
    assert evaluation.delivered_delta == pytest.approx(delivered, rel=1e-2, abs=2e-5)
    told = max(by_grid(probabilities, scale, floor, 1.0))
    assert evaluation.accuracy == pytest.approx(0.5 + told / 2, abs=1e-4)


def test_the_floor_of_laplace_noise_alone_is_gaussian_noise(people: pd.DataFrame) -> None:
    pair = dp.SensitiveProperty("income", "high").pair(0.4, 0.2)
    model = dp.fit_gaussian(people, dp.Query([dp.Count("status", "married")]), pair, 30)
    noise = dp.calibrate("DirM(L)", model, 1.0)
    floor = replace(noise, scales=np.zeros(1))
    (law,) = dp.privacy.model_laws(model)
    gaussian = replace(floor, distribution="gaussian")
    assert law.delivered_delta(floor, 1.0) == law.delivered_delta(gaussian, 1.0) > 0
    assert dp.optimal_attack_accuracy(model, floor, law=law) > 0.5
