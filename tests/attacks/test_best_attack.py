"""No attacker beats the best: simulated likelihood ratios against every figure, on any model."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.attacks.best_attack import best_precision_recall, best_roc
from distpriv.attacks.hypothesis import best_accuracy, release_test
from distpriv.attacks.optimal import optimal_roc
from distpriv.privacy.noise import Noise, gaussian_noise

SECRET = dp.SensitiveProperty("secret")


def _model(means: np.ndarray, covariances: np.ndarray) -> dp.GaussianModel:
    """One pair of normals, densities on no grid."""
    pair = SECRET.pair(0.5, 0.1)
    thetas = dp.model.Theta(SECRET, 0.45, 100), dp.model.Theta(SECRET, 0.55, 100)
    m = means.shape[1]
    query = dp.Query([dp.Mean(f"x{index}") for index in range(m)])
    fit = dp.PairModel(pair, thetas, means, covariances)
    return dp.GaussianModel(query, 100, (fit,), "exact", False, np.ones(m))


def _scenario(rng: np.random.Generator) -> tuple[dp.GaussianModel, Noise | None]:
    """One to four statistics, their covariances from alike to far apart, with noise or without."""
    m = int(rng.integers(1, 5))
    apart = rng.choice([0.01, 0.3, 1.0, 3.0])
    factors = [
        np.linalg.qr(rng.normal(size=(m, m)))[0] * np.exp(apart * rng.normal(size=m) / 2)
        for _ in range(2)
    ]
    units = np.exp(3 * rng.normal(size=m))
    covariances = np.array([part @ part.T for part in factors]) * np.outer(units, units)
    means = np.array([rng.choice([0.0, 0.3, 1.5]) * rng.normal(size=m) * units, np.zeros(m)])
    if rng.random() < 0.4:
        return _model(means, covariances), None
    rank = int(rng.integers(1, m + 1))
    along = rng.normal(size=(m, rank)) * units[:, None] * np.exp(rng.normal())
    noise = gaussian_noise("test", along @ along.T, epsilon=1.0, delta=1e-3, calibration="exact")
    return _model(means, covariances), noise


def _log_densities(x: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    root = np.linalg.cholesky(covariance)
    standard = np.linalg.solve(root, (x - mean).T)
    return np.asarray(-(standard**2).sum(axis=0) / 2 - np.log(np.diag(root)).sum())


def _drawn(
    model: dp.GaussianModel, noise: Noise | None, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Log-likelihood ratios of p_j of releases under p_i and p_j, shape (draws,) each."""
    fit = model.pairs[0]
    added = 0.0 if noise is None else noise.covariance
    sides = [
        (mean, covariance + added)
        for mean, covariance in zip(fit.means, fit.covariances, strict=True)
    ]
    found = []
    for mean, covariance in zip(fit.means, fit.covariances, strict=True):
        released = rng.multivariate_normal(mean, covariance, draws)
        if noise is not None:
            released += noise.sample(draws, rng)
        logs = [_log_densities(released, *side) for side in sides]
        found.append(logs[1] - logs[0])
    return found[0], found[1]


def test_no_attacker_is_better_and_the_likelihood_ratio_is_as_good() -> None:
    """Two hundred random scenarios; the attacker guesses by the ratio of the densities."""
    rng, draws = np.random.default_rng(2024), 12_000
    off = []
    for _ in range(200):
        model, noise = _scenario(rng)
        found = dp.optimal_attack_accuracy(model, noise)
        first, second = _drawn(model, noise, draws, rng)
        right = ((first <= 0).mean() + (second > 0).mean()) / 2
        error = max(math.sqrt(found * (1 - found) / (2 * draws)), 1 / (2 * draws))
        off.append((right - found) / error)
        test = release_test(model, noise)
        assert best_accuracy(test) == pytest.approx(found, abs=1e-9)
        assert found >= dp.attacks.linear_attack_accuracy(model, noise) - 1e-9
        level = float(rng.normal())
        rates = test.rates(level)
        for logs, rate in ((first, rates.false_positive), (second, rates.true_positive)):
            spread = max(math.sqrt(rate * (1 - rate) / draws), 1 / draws)
            assert abs((logs > level).mean() - rate) < 5 * spread
    assert np.max(np.abs(off)) < 4.5
    assert abs(np.mean(off)) < 4 / math.sqrt(200)  # neither over- nor understated


def test_the_pooled_figure_understates_where_spreads_differ() -> None:
    """Equal means: a linear attacker guesses, a quadratic one does not."""
    model = _model(np.zeros((2, 1)), np.array([[[1.0]], [[4.0]]]))
    assert dp.attacks.pooled_attack_accuracy(model) == pytest.approx(0.5)
    # The densities cross at ±√(8/3 ln 2).
    cross = math.sqrt(8 / 3 * math.log(2))
    inside = math.erf(cross / math.sqrt(2)) - math.erf(cross / math.sqrt(8))
    assert dp.optimal_attack_accuracy(model) == pytest.approx((1 + inside) / 2, abs=1e-12)


def test_a_limit_on_guesses_holds_where_spreads_alone_differ() -> None:
    model = _model(np.zeros((2, 2)), np.array([np.eye(2), 2.5 * np.eye(2)]))
    undefended = dp.optimal_attack_accuracy(model)
    assert undefended > 0.65
    design = dp.choose(dp.Limit("guesses", 55), model, ["OptM"], delta=1e-3)
    assert not design.needs_no_noise
    assert design.undefended == pytest.approx(100 * undefended)
    (choice,) = design.choices
    first, second = _drawn(model, choice.noise, 100_000, np.random.default_rng(5))
    right = ((first <= 0).mean() + (second > 0).mean()) / 2
    assert right == pytest.approx(0.55, abs=5e-3)


def test_many_releases_at_once_are_those_one_by_one(
    model: dp.GaussianModel, several: dp.GaussianModel
) -> None:
    noises = {
        name: dp.calibrate(name, several, 2.0, 1e-2, calibration="exact")
        for name in ("ExpM", "OptM", "DirM(L)", "ExpM(L)")
    }
    cases = [(several, None), *((several, noise) for noise in noises.values()), (model, None)]
    cases.append((model.of_statistics(0, 2), None))  # of another size
    cases.append((model, dp.calibrate("DirM(L)", model, 2.0)))  # in one direction
    found = dp.attacks.optimal_attack_accuracies(cases)
    alone = [dp.optimal_attack_accuracy(*case) for case in cases]
    assert found == pytest.approx(alone, abs=2e-3)
    exact = [place for place, (_, noise) in enumerate(cases) if noise is None or place in (1, 2)]
    assert found[exact] == pytest.approx(np.array(alone)[exact], rel=1e-12)
    left_out = dp.attacks.optimal_attack_accuracies(cases, directions=1)
    assert np.flatnonzero(np.isnan(left_out)).tolist() == [3, 4]
    assert dp.attacks.optimal_attack_accuracies([]).shape == (0,)


def test_pairs_whose_noise_is_undone_count_beside_those_that_are_simulated(
    several: dp.GaussianModel,
) -> None:
    """Arithmetic on the steps of one pair takes away what covers the others."""
    bare = several.densities()
    noise = dp.calibrate("ExpM(L)", bare, 0.2, grid_safe=False)
    coarse = replace(bare.pairs[0], steps=1e3 * np.sqrt(np.diag(bare.pairs[0].pooled)))
    mixed = replace(bare, pairs=(coarse, *bare.pairs[1:]))
    found = dp.optimal_attack_estimate(mixed, noise, rng=0)
    undone = dp.optimal_attack_accuracy(bare.only(0))
    assert undone > dp.optimal_attack_accuracy(bare, noise) + 0.01
    assert found == dp.model.Interval(*[pytest.approx(undone)] * 3)


def test_curves_of_simulated_attackers_agree_with_their_accuracy(model: dp.GaussianModel) -> None:
    for name in ("DirM(L)", "ExpM(L)"):
        noise = dp.calibrate(name, model, 2.0, calibration="exact")
        roc, curve = best_roc(model, noise), best_precision_recall(model, noise)
        wrong, right = roc.false_positive_rate, roc.true_positive_rate
        best = float((1 + right - wrong).max()) / 2
        assert best == pytest.approx(dp.optimal_attack_accuracy(model, noise), abs=0.012)
        assert len(wrong) <= 101
        assert (wrong[0], right[0], wrong[-1], right[-1]) == (0, 0, 1, 1)
        assert (curve.recall[0], curve.recall[-1]) == (1, 0)
        assert (np.diff(curve.precision) >= -1e-9).all()
    noise = dp.calibrate("OptM", model, 2.0, 1e-3)
    assert best_roc(model, noise).area == optimal_roc(model, noise).area


@pytest.mark.adult
def test_adult_capital_gains(adult: pd.DataFrame) -> None:
    """A few enormous values: more high earners move the spread of the mean more than the mean."""
    model = dp.fit_gaussian(
        adult,
        dp.Query([dp.Mean("capital-gain")]),
        dp.SensitiveProperty("income", ">50K").pair(center=0.05, width=0.1),
        n=100,
    )
    assert dp.attacks.pooled_attack_accuracy(model) == pytest.approx(0.7146, abs=5e-4)
    assert dp.optimal_attack_accuracy(model) == pytest.approx(0.8671, abs=5e-4)
    first, second = _drawn(model, None, 100_000, np.random.default_rng(1))
    right = ((first <= 0).mean() + (second > 0).mean()) / 2
    assert right == pytest.approx(dp.optimal_attack_accuracy(model), abs=5e-3)
