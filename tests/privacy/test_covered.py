"""What a release gives away to whoever knows the grid."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import distpriv as dp
from distpriv.privacy.covered import (
    CoveredLoss,
    covered_releases,
    holding,
    is_undone,
    normal_part,
    shown,
)
from distpriv.privacy.delivered import privacy_losses
from distpriv.privacy.noise import Noise
from distpriv.privacy.privacy_loss import PrivacyLoss

SPREAD, SHIFT = 1.6, 1.3
WHERE = np.linspace(-16, 18, 40_001)


@pytest.fixture(scope="module")
def counted() -> dp.GaussianModel:
    """One statistic that moves in steps of 1, normal but for that."""
    pair = dp.SensitiveProperty("income", "high").pair(0.5, 0.1)
    thetas = (dp.model.Theta(pair.secret, 0.45, 100), dp.model.Theta(pair.secret, 0.55, 100))
    fit = dp.PairModel(
        pair,
        thetas,
        np.array([[0.0], [SHIFT]]),
        np.array([[[SPREAD**2]]] * 2),
        steps=np.ones(1),
    )
    query = dp.Query([dp.Count("status", "married")])
    return dp.GaussianModel(query, 100, (fit,), "exact", False, np.ones(1))


def floor_of(deviation: float) -> Noise:
    return Noise(
        "test",
        "gaussian",
        np.zeros((1, 0)),
        np.zeros(0),
        1.0,
        1e-3,
        "exact",
        floor=np.array([deviation]),
    )


def densities(deviation: float) -> np.ndarray:
    """Of both shares after noise, x on the whole numbers in proportion to the normal density."""
    whole = np.arange(-14, 16)
    found = []
    for mean in (0.0, SHIFT):
        masses = stats.norm.pdf(whole, mean, SPREAD)
        found.append(stats.norm.pdf(WHERE[:, None], whole, deviation) @ (masses / masses.sum()))
    return np.array(found)


@pytest.mark.parametrize("deviation", [0.45, 0.5, 0.6, 0.8])
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.3, 1.0, 2.0])
def test_figures_bound_the_law_on_the_grid(
    counted: dp.GaussianModel, deviation: float, epsilon: float
) -> None:
    first, second = densities(deviation)
    step = WHERE[1] - WHERE[0]
    exact = step * float(np.maximum(first - math.exp(epsilon) * second, 0).sum())
    noise = floor_of(deviation)
    assert not is_undone(counted, noise)
    claimed = dp.delivered_delta(counted, noise, epsilon)
    assert exact <= claimed * (1 + 1e-6)
    accuracy = 0.5 + step * float(np.abs(first - second).sum()) / 4
    assert accuracy <= dp.optimal_attack_accuracy(counted, noise) + 3e-4
    if deviation >= 0.6:  # the bound is near the truth where the grid hardly shows
        assert claimed <= exact * 1.1 + 1e-3


def test_noise_far_below_a_step_is_undone(counted: dp.GaussianModel) -> None:
    noise = floor_of(0.1)
    first, second = densities(0.1)
    exact = 0.5 + (WHERE[1] - WHERE[0]) * float(np.abs(first - second).sum()) / 4
    assert is_undone(counted, noise)
    assert holding(counted, noise) is None
    undefended = dp.optimal_attack_accuracy(counted)
    assert dp.optimal_attack_accuracy(counted, noise) == undefended
    assert exact == pytest.approx(undefended, abs=2e-3)
    paper = dp.optimal_attack_accuracy(counted.densities(), floor_of(2.0))
    assert dp.optimal_attack_accuracy(counted, floor_of(2.0)) == paper


def test_no_noise_shows_nothing_more(counted: dp.GaussianModel) -> None:
    assert shown(counted, None) == 0
    assert shown(counted, floor_of(0.0)) == 0


def test_a_covered_loss_and_its_epsilon() -> None:
    loss = PrivacyLoss.between(np.zeros(1), np.eye(1), np.ones(1), 1.3 * np.eye(1))
    covered = CoveredLoss(loss, 0.01)
    epsilons = np.linspace(0, 3, 40)
    assert (covered.deltas(epsilons) >= loss.deltas(epsilons)).all()
    assert (np.diff(covered.deltas(epsilons)) <= 1e-12).all()
    for delta in (0.2, 1e-2, 1e-5):
        epsilon = covered.epsilon(delta)
        assert covered.delta(epsilon) == pytest.approx(delta, rel=1e-6)
        assert epsilon > loss.epsilon(delta)
    assert covered.epsilon(0.9) == 0


def test_the_floor_of_laplace_noise_goes_to_the_statistics(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("DirM(L)", model, 1.0)
    fit, bare = normal_part(model.pairs[0], noise)
    assert bare.floor is None
    np.testing.assert_allclose(
        fit.pooled + bare.covariance, model.pairs[0].pooled + noise.covariance
    )
    gaussian = dp.calibrate("OptM", model, 1.0, 1e-3, "exact")
    assert normal_part(model.pairs[0], gaussian) == (model.pairs[0], gaussian)


def test_what_releases_tell_before_the_grid_shows(counted: dp.GaussianModel) -> None:
    noise = floor_of(2.0)
    count = covered_releases(counted, noise)
    deviation = 2.0 / math.sqrt(count)
    assert not is_undone(counted, floor_of(deviation))
    assert is_undone(counted, floor_of(2.0 / math.sqrt(count + 1)))


def test_independent_releases_multiply_what_the_grid_shows(counted: dp.GaussianModel) -> None:
    noise = floor_of(0.6)
    parts = [dp.composition.Part(counted, noise), dp.composition.Part(counted, noise)]
    both = dp.composition.accumulate(parts, shared=False, delta=1e-2)
    paper = [dp.composition.Part(counted.densities(), noise)] * 2
    on_paper = dp.composition.accumulate(paper, shared=False, delta=1e-2)
    assert both.epsilon is not None
    assert on_paper.epsilon is not None
    theta = noise.smoothness(counted)
    spent = 2 * math.log((1 + theta) / (1 - theta))
    assert on_paper.epsilon < both.epsilon < on_paper.epsilon + 3 * spent + 0.1
    shared = dp.composition.accumulate(parts, shared=True, delta=1e-2)
    again = privacy_losses(counted.pairs[0], replace(noise, floor=noise.floor / math.sqrt(2)))
    assert shared.epsilon == pytest.approx(max(loss.epsilon(1e-2) for loss in again))


def test_statistics_on_few_points_are_not_undone_by_their_lack_of_spread(
    counted: dp.GaussianModel,
) -> None:
    """They vary by a third of a step; the noise by a whole one, or by a tenth."""
    (fit,) = counted.pairs
    for size in (0.1, 0.0):
        few = replace(counted, pairs=(replace(fit, covariances=np.array([[[0.1]], [[size]]])),))
        assert floor_of(1.0).smoothness(few) > 0.2
        assert not is_undone(few, floor_of(1.0))
        assert is_undone(few, floor_of(0.1))
