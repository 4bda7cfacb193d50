"""The least noise that keeps a guarded promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import distpriv as dp
from distpriv.mechanisms.least_guarded import least_kept
from distpriv.privacy.privacy_loss import PrivacyLoss
from distpriv.privacy.promises import Promises
from tests.privacy.examples import SHAPES, random_model


def delivered(model: dp.GaussianModel, noise: np.ndarray, epsilon: float) -> float:
    """The largest δ, one loss at a time."""
    return max(
        PrivacyLoss.between(
            fit.means[p], fit.covariances[p] + noise, fit.means[q], fit.covariances[q] + noise
        ).delta(epsilon)
        for fit in model.pairs
        for p, q in ((0, 1), (1, 0))
    )


@given(
    epsilon=st.floats(0.1, 5.0),
    delta=st.sampled_from([1e-6, 1e-3, 0.05]),
    units=st.sampled_from([1.0, 30.0]),
    **SHAPES,
)
@settings(max_examples=30)
def test_guarded_noise_keeps_its_promise(epsilon, delta, units, size, pairs, seed):
    model = random_model(seed, size, pairs, units)
    least = math.inf
    for name in ("OptM", "ExpM", "DirM", "EigM", "DauM"):
        try:
            noise = dp.calibrate(name, model, epsilon, delta, "guarded", grid_safe=False)
        except dp.errors.InapplicableError:
            assert name in ("DirM", "DauM")
            continue
        assert delivered(model, noise.covariance, epsilon) <= delta * (1 + 1e-9)
        if name == "OptM":
            least = noise.rms_error()
        assert least <= noise.rms_error() * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_least_noise_against_another_solver(seed):
    model = random_model(seed, 2, 1 + seed % 2)
    epsilon = 0.3 + 0.3 * seed
    noise = dp.calibrate("OptM", model, epsilon, 1e-3, "guarded", grid_safe=False)

    def matrix(x: np.ndarray) -> np.ndarray:
        root = np.array([[x[0], 0.0], [x[1], x[2]]])
        return root @ root.T

    found = [
        minimize(
            lambda x: np.trace(matrix(x)),
            np.linalg.cholesky(start)[[0, 1, 1], [0, 0, 1]],
            constraints={
                "type": "ineq",
                "fun": lambda x: math.log(1e-3 / max(delivered(model, matrix(x), epsilon), 1e-300)),
            },
            method="SLSQP",
            options={"maxiter": 300, "ftol": 1e-10},
        )
        for start in (noise.covariance + np.eye(2), noise.covariance + 0.1 * np.eye(2))
    ]
    kept = [each.fun for each in found if delivered(model, matrix(each.x), epsilon) <= 1.00001e-3]
    assert np.trace(noise.covariance) <= min(kept) * (1 + 1e-4)


def test_a_search_that_gets_nowhere_leaves_a_multiple_of_its_start(monkeypatch):
    monkeypatch.setattr("distpriv.mechanisms.least_guarded._ROUNDS", 1)
    monkeypatch.setattr("distpriv.mechanisms.least_guarded._CAREFUL_ROUNDS", 1)
    model = random_model(3, 3, 2)
    promises = Promises.on([(model, 0.5, 1e-3)])
    noise = least_kept(promises, promises.units**2, np.eye(3)[None])
    assert promises.deltas(noise).max() <= 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_many_pairs_by_exchange_as_all_at_once(seed, monkeypatch):
    model = random_model(seed, 3, 30)
    few = dp.calibrate("OptM", model, 0.8, 1e-3, "guarded", grid_safe=False)
    monkeypatch.setattr("distpriv.mechanisms.least_guarded._FEW", 1000)
    whole = dp.calibrate("OptM", model, 0.8, 1e-3, "guarded", grid_safe=False)
    assert delivered(model, few.covariance, 0.8) <= 1e-3 * (1 + 1e-9)
    assert few.rms_error() == pytest.approx(whole.rms_error(), rel=2e-5)
