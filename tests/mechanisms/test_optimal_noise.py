"""OptM: the least noise any Gaussian mechanism can add."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv.mechanisms import optimal_noise
from distpriv.mechanisms.optimal_noise import least_noise

QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
)
INCOME = dp.SensitiveProperty("income", ">50K").pair(0.5, 0.1)
WORK = dp.SensitiveProperty("workclass", "Private").pair(0.5, 0.1)


def problem(seed: int, pairs: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(pairs, m, 2 * m))
    return rng.normal(size=(pairs, m)), factors @ factors.transpose(0, 2, 1) / (2 * m)


def squared_distances(
    differences: np.ndarray, covariances: np.ndarray, noise: np.ndarray
) -> np.ndarray:
    return np.array(
        [d @ np.linalg.solve(c + noise, d) for d, c in zip(differences, covariances, strict=True)]
    )


@pytest.mark.adult
@pytest.mark.parametrize(("epsilon", "error"), [(1.0, 12.485), (5.0, 0.13199)])
def test_the_figures_on_adult(adult, epsilon, error):
    model = dp.fit_gaussian(adult, QUERY, INCOME, 100)
    noise = dp.calibrate("OptM", model, epsilon, 1e-3, "classical", grid_safe=False)
    assert noise.expected_error() == pytest.approx(error, rel=1e-4)
    if epsilon == 1:
        assert np.trace(noise.covariance) == pytest.approx(244.848, abs=5e-4)
    assert noise.directions.shape[1] == 1


@pytest.mark.adult
def test_the_program_agrees_with_the_closed_form_on_adult(adult):
    model = dp.fit_gaussian(adult, QUERY, INCOME, 100)
    distance = dp.privacy.gaussian_distance(1.0, 1e-3, "classical")
    d, sigma = model.differences, model.pairs[0].pooled
    wanted = (np.outer(d[0], d[0]) / distance**2 - sigma)[None]
    solution = optimal_noise._solve(wanted)
    assert np.trace(solution) == pytest.approx(244.848236, rel=1e-6)


@pytest.mark.adult
def test_two_secrets_on_adult(adult):
    model = dp.fit_gaussian(adult, QUERY, [INCOME, WORK], 100)
    noise = dp.calibrate("OptM", model, 1.0, 1e-3, "classical", grid_safe=False)
    assert np.trace(noise.covariance) == pytest.approx(245.488, abs=5e-4)
    assert not noise.caveats


@given(seed=st.integers(0, 10_000), m=st.integers(1, 6), distance=st.floats(0.05, 5.0))
@settings(max_examples=60, deadline=None)
def test_one_pair_meets_the_condition_with_equality(seed, m, distance):
    differences, covariances = problem(seed, 1, m)
    least = least_noise(differences, covariances, distance)
    undefended = squared_distances(differences, covariances, np.zeros((m, m)))[0]
    reached = squared_distances(differences, covariances, least.covariance)[0]
    assert least.solved
    assert reached == pytest.approx(min(undefended, distance**2), rel=1e-7)
    if undefended <= distance**2:
        assert not least.covariance.any()


@given(seed=st.integers(0, 10_000), m=st.integers(1, 4), pairs=st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_several_pairs_are_all_hidden_and_one_binds(seed, m, pairs):
    differences, covariances = problem(seed, pairs, m)
    least = least_noise(differences, covariances, 0.7)
    reached = squared_distances(differences, covariances, least.covariance)
    assert reached.max() <= 0.49 * (1 + 1e-9)
    undefended = squared_distances(differences, covariances, np.zeros((m, m)))
    assert reached.max() == pytest.approx(min(undefended.max(), 0.49), rel=1e-5)


@given(seed=st.integers(0, 10_000), m=st.integers(1, 5), pairs=st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_it_is_never_above_another_gaussian_mechanism(seed, m, pairs):
    differences, covariances = problem(seed, pairs, m)
    query = dp.Query([dp.Mean(f"c{index}") for index in range(m)])
    pair = dp.SensitiveProperty("s", "x").pair(0.5, 0.1)
    thetas = (dp.model.Theta(pair.secret, 0.45, 100), dp.model.Theta(pair.secret, 0.55, 100))
    fits = tuple(
        dp.PairModel(pair, thetas, np.array([np.zeros(m), -d]), np.array([c, c]))
        for d, c in zip(differences, covariances, strict=True)
    )
    model = dp.GaussianModel(query, 100, fits, "exact", False, np.ones(m))
    least = dp.calibrate("OptM", model, 1.0, 1e-3, "exact").rms_error()
    for name in ("ExpM", "DirM", "EigM", "DauM"):
        assert least <= dp.calibrate(name, model, 1.0, 1e-3, "exact").rms_error() * (1 + 1e-6)


def test_no_feasible_covariance_near_it_has_less_trace():
    differences, covariances = problem(5, 3, 3)
    least = least_noise(differences, covariances, 0.6)
    rng = np.random.default_rng(0)
    for _ in range(400):
        step = rng.normal(size=(3, 3)) * 0.02
        other = least.covariance + step + step.T
        if np.linalg.eigvalsh(other)[0] < 0:
            continue
        if squared_distances(differences, covariances, other).max() <= 0.36:
            assert np.trace(other) >= np.trace(least.covariance) * (1 - 1e-6)


def test_weights_are_a_change_of_units():
    differences, covariances = problem(7, 1, 4)
    weights = np.array([1.0, 4.0, 0.25, 9.0])
    scale = np.sqrt(weights)
    weighted = least_noise(differences, covariances, 0.5, weights).covariance
    changed = least_noise(differences * scale, covariances * np.outer(scale, scale), 0.5).covariance
    assert weighted * np.outer(scale, scale) == pytest.approx(changed, rel=1e-9, abs=1e-12)
    plain = least_noise(differences, covariances, 0.5).covariance
    assert weights @ np.diag(weighted) <= weights @ np.diag(plain) * (1 + 1e-9)


def test_equal_pairs_are_one_pair():
    differences, covariances = problem(9, 1, 4)
    one = least_noise(differences, covariances, 0.5).covariance
    three = least_noise(
        np.repeat(differences, 3, axis=0) * np.array([[1], [-1], [0.5]]),
        np.repeat(covariances, 3, axis=0),
        0.5,
    ).covariance
    assert three == pytest.approx(one, rel=1e-9, abs=1e-12)


def test_differences_that_vanish_need_no_noise():
    _, covariances = problem(1, 2, 3)
    assert not least_noise(np.zeros((2, 3)), covariances, 0.5).covariance.any()


def test_a_program_that_does_not_solve_leaves_safe_noise_that_says_so(monkeypatch):
    monkeypatch.setattr(optimal_noise, "_solve", lambda wanted: None)
    differences, covariances = problem(3, 3, 4)
    least = least_noise(differences, covariances, 0.5)
    assert not least.solved
    reached = squared_distances(differences, covariances, least.covariance)
    assert reached.max() <= 0.25 * (1 + 1e-9)

    pair = dp.SensitiveProperty("s", "x").pair(0.5, 0.1)
    thetas = (dp.model.Theta(pair.secret, 0.45, 100), dp.model.Theta(pair.secret, 0.55, 100))
    model = dp.GaussianModel(
        dp.Query([dp.Mean(f"c{index}") for index in range(4)]),
        100,
        tuple(
            dp.PairModel(pair, thetas, np.array([np.zeros(4), -d]), np.array([c, c]))
            for d, c in zip(differences, covariances, strict=True)
        ),
        "exact",
        False,
        np.ones(4),
    )
    assert "did not solve" in dp.calibrate("OptM", model, 1.0, 1e-3, "exact").caveats[0]


def test_many_pairs_are_hidden_too():
    differences, covariances = problem(0, 12, 14)
    least = least_noise(differences, covariances, 0.8)
    assert least.solved
    assert squared_distances(differences, covariances, least.covariance).max() <= 0.64 * (1 + 1e-9)
