"""What a promise means for whoever attacks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv import mechanisms

EPSILONS = st.floats(math.log(0.01), math.log(30)).map(math.exp)


@pytest.mark.parametrize(("epsilon", "ceiling"), [(0.1, 0.525), (1, 0.731), (2, 0.881)])
def test_known_ceilings(epsilon: float, ceiling: float) -> None:
    assert dp.accuracy_ceiling(epsilon) == pytest.approx(ceiling, abs=5e-4)


@given(EPSILONS, st.floats(0, 0.999))
def test_ceiling_is_the_formula(epsilon: float, delta: float) -> None:
    expected = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))
    assert dp.accuracy_ceiling(epsilon, delta) == pytest.approx(expected)
    assert 0.5 < dp.accuracy_ceiling(epsilon, delta) <= 1


def test_a_large_epsilon_does_not_overflow() -> None:
    assert dp.accuracy_ceiling(1e5, 0.1) == 1.0


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf")])
def test_an_epsilon_outside_its_domain(epsilon: float) -> None:
    with pytest.raises(dp.errors.CalibrationError, match=f"got ε = {epsilon:g}"):
        dp.accuracy_ceiling(epsilon)


@pytest.mark.parametrize("delta", [-0.1, 1.0, float("nan")])
def test_a_delta_outside_its_domain(delta: float) -> None:
    with pytest.raises(
        dp.errors.CalibrationError, match=rf"δ must be in \[0, 1\), got δ = {delta:g}"
    ):
        dp.accuracy_ceiling(1.0, delta)


@given(EPSILONS, st.floats(math.log(1e-9), math.log(0.3)).map(math.exp))
@settings(max_examples=30)
def test_no_attack_on_normals_of_one_covariance_passes_the_ceiling(
    alike: dp.GaussianModel, several: dp.GaussianModel, epsilon: float, delta: float
) -> None:
    """What the promises are proven for."""
    pairs = (replace(fit, covariances=np.array([fit.pooled] * 2)) for fit in several.pairs)
    for fitted in (alike, replace(several, pairs=tuple(pairs))):
        for name in mechanisms.names(distribution="gaussian", baseline=False):
            accuracy = dp.optimal_attack_accuracy(
                fitted, dp.calibrate(name, fitted, epsilon, delta, "exact")
            )
            assert accuracy <= dp.accuracy_ceiling(epsilon, delta) * (1 + 1e-9)
    laplace = dp.calibrate("DirM(L)", alike, epsilon)
    assert dp.optimal_attack_accuracy(alike, laplace) <= dp.accuracy_ceiling(epsilon) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.7, 3.0])
def test_no_attack_on_the_model_passes_the_ceiling_of_a_guarded_promise(
    model: dp.GaussianModel, several: dp.GaussianModel, epsilon: float
) -> None:
    for fitted in (model, several):
        for name in ("ExpM", "EigM", "OptM"):
            noise = dp.calibrate(name, fitted, epsilon, 0.01)
            accuracy = dp.optimal_attack_accuracy(fitted, noise)
            assert accuracy <= dp.accuracy_ceiling(epsilon, 0.01) * (1 + 1e-9)
