"""What releases add up to, against the closed forms and against simulation."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

import distpriv as dp
from distpriv.composition.releases import Part, accumulate, joint_noise
from distpriv.composition.rules import Promise
from distpriv.errors import CalibrationError
from distpriv.privacy.delivered import delivered_delta, delivered_epsilon, privacy_losses
from distpriv.privacy.noise import Noise, gaussian_noise


def covered(covariance: np.ndarray) -> Noise:
    return gaussian_noise("OptM", covariance, epsilon=1.0, delta=1e-3, calibration="exact")


def a_part(model: dp.GaussianModel, name: str = "OptM", epsilon: float = 0.4) -> Part:
    noise = dp.calibrate(name, model, epsilon=epsilon, delta=1e-3, calibration="exact")
    return Part(model, noise, Promise(noise.epsilon, noise.delta))


@pytest.mark.parametrize("name", ["ExpM", "DauM", "OptM", "DirM"])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_equal_noises_on_one_dataset_are_those_of_repeated_releases(several, name, count) -> None:
    part = a_part(several, name)
    found = accumulate([part] * count, shared=True, delta=1e-3)
    left = part.noise.after_releases(count)
    assert found.epsilon == pytest.approx(delivered_epsilon(several, left, 1e-3), rel=1e-6)
    assert found.accuracy == pytest.approx(dp.optimal_attack_accuracy(several, left), rel=1e-9)
    assert (found.count, found.exact) == (count, True)


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 5), count=st.integers(2, 4))
def test_different_noises_add_their_information(seed: int, size: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.uniform(-2, 2, size)
    covariances = []
    for _ in range(count):
        root = rng.standard_normal((size, size + 2)) * units[:, None]
        covariances.append(root @ root.T)
    wanted = np.linalg.inv(sum(np.linalg.inv(each) for each in covariances))
    found = joint_noise([covered(each) for each in covariances]).covariance
    np.testing.assert_allclose(found / np.outer(units, units), wanted / np.outer(units, units),
                               rtol=1e-4, atol=1e-6)  # fmt: skip


@given(seed=st.integers(0, 2**32 - 1))
def test_singular_noises_with_common_axes(seed: int) -> None:
    """Along common axes variances a and b leave ab/(a + b), nothing where one of them is 0."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.standard_normal((4, 4)))[0] * rng.uniform(0.5, 2, 4)
    one, other = rng.uniform(0.5, 4, (2, 4)) * (rng.random((2, 4)) < 0.6)
    left = one * other / np.where(one + other > 0, one + other, 1.0)
    found = joint_noise([covered((axes * each) @ axes.T) for each in (one, other)])
    np.testing.assert_allclose(found.covariance, (axes * left) @ axes.T, atol=1e-6)
    assert len(found.scales) == np.count_nonzero(left)


def test_directions_without_common_noise_are_known_exactly() -> None:
    found = joint_noise([covered(np.diag([4.0, 0.0])), covered(np.diag([4.0, 9.0]))])
    np.testing.assert_allclose(found.covariance, np.diag([2.0, 0.0]), atol=1e-12)
    assert joint_noise([covered(np.diag([4.0, 0.0])), covered(np.diag([0.0, 9.0]))]).is_zero


def test_noises_in_two_planes_leave_the_truth(several) -> None:
    """DirM and OptM hide two directions each, and not the same: what one hides the other tells."""
    several = several.densities()
    parts = [a_part(several, "DirM", 0.5), a_part(several, "OptM", 0.2)]
    found = accumulate(parts, shared=True, delta=1e-3)
    assert found.accuracy == pytest.approx(dp.optimal_attack_accuracy(several), abs=1e-6)
    assert found.epsilon == pytest.approx(delivered_epsilon(several, None, 1e-3), rel=1e-3)


def test_two_noises_on_one_dataset_by_simulation(model) -> None:
    """A likelihood-ratio attacker on both releases is right as often as is computed."""
    parts = [a_part(model, "ExpM", 0.8), a_part(model, "OptM", 0.5)]
    found = accumulate(parts, shared=True, delta=1e-3)
    rng, fit, draws = np.random.default_rng(5), model.pairs[0], 200_000
    truth = rng.multivariate_normal(fit.means[0], fit.pooled, draws)
    both = np.concatenate([truth + part.noise.sample(draws, rng) for part in parts], axis=1)
    covariance = np.tile(fit.pooled, (2, 2))
    size = len(fit.pooled)
    for place, part in enumerate(parts):
        block = slice(place * size, (place + 1) * size)
        covariance[block, block] += part.noise.covariance
    difference = np.tile(fit.difference, 2)
    score = (both - np.tile(fit.means.mean(axis=0), 2)) @ np.linalg.solve(covariance, difference)
    assert (score > 0).mean() == pytest.approx(found.accuracy, abs=0.004)


def test_samples_are_blocks_of_one_large_release(model) -> None:
    """Three samples with noises of their own, written out as one model of 3m statistics."""
    model = model.densities()
    other = replace(model, n=40)
    parts = [a_part(model), a_part(model, "ExpM", 0.7), Part(other, a_part(model, "DauM").noise)]
    found = accumulate(parts, shared=False, delta=1e-3)
    m = len(model.query)
    fit = model.pairs[0]
    noise, covariances = np.zeros((3 * m, 3 * m)), np.zeros((2, 3 * m, 3 * m))
    for place, part in enumerate(parts):
        block = slice(place * m, (place + 1) * m)
        noise[block, block] = part.noise.covariance
        covariances[:, block, block] = fit.covariances
    whole = replace(fit, means=np.tile(fit.means, 3), covariances=covariances, outcomes=None)
    wanted = max(loss.epsilon(1e-3) for loss in privacy_losses(whole, covered(noise)))
    assert found.epsilon == pytest.approx(wanted, rel=1e-6)
    joint = dp.optimal_attack_accuracy(replace(model, pairs=(whole,)), covered(noise))
    assert found.accuracy == pytest.approx(joint, rel=1e-9)
    # Nearly that of one covariance, the squares of whose distances add up.
    pooled = whole.pooled + noise
    distance = math.sqrt(whole.difference @ np.linalg.solve(pooled, whole.difference))
    assert 0 < found.accuracy - ndtr(distance / 2) < 1e-3


def test_promises_add_up_for_samples_and_what_is_delivered_keeps_them(several) -> None:
    noise = dp.calibrate("OptM", several, epsilon=0.4, delta=1e-3, calibration="guarded")
    parts = [Part(several, noise, Promise(0.4, 1e-3))] * 5
    found = accumulate(parts, shared=False, delta=5e-3)
    assert found.promise.epsilon == pytest.approx(2.0)
    assert found.promise.delta == pytest.approx(5e-3)
    assert found.epsilon < 2.0
    assert accumulate(parts, shared=True, delta=5e-3).promise is None
    assert accumulate([*parts, Part(several, noise)], shared=False, delta=5e-3).promise is None


def test_releases_never_tell_less_than_before_nor_more_than_the_truth(several) -> None:
    kinds = [("ExpM", 0.3), ("DirM", 1.0), ("ExpM", 2.0), ("DirM", 0.1)]
    parts = [a_part(several, name, epsilon) for name, epsilon in kinds]
    for shared in (True, False):
        found = [accumulate(parts[:k], shared=shared, delta=1e-3) for k in range(5)]
        for before, after in itertools.pairwise(found):
            assert after.accuracy > before.accuracy
            assert after.epsilon > before.epsilon
        assert found[0].accuracy == 0.5
        if shared:
            assert found[-1].accuracy < dp.optimal_attack_accuracy(several)


def test_laplace_noise_on_one_dataset_keeps_the_sum_of_its_promises(model) -> None:
    """Drawn from the two shares, no likelihood ratio of three releases leaves e^{3ε}."""
    model = model.densities()
    part = a_part(model, "DirM(L)", 0.3)
    found = accumulate([part] * 3, shared=True, delta=1e-3)
    assert found.promise.epsilon == pytest.approx(0.9)
    assert found.promise.delta == 0
    assert (found.exact, found.epsilon) == (False, None)
    fit, noise = model.pairs[0], part.noise
    direction, scale = noise.directions[:, 0], float(noise.scales[0])
    # The noise is on one coordinate; of the rest the secret tells nothing more.
    along = direction @ fit.difference
    spread = 1 / math.sqrt(direction @ np.linalg.solve(fit.pooled, direction))
    rng = np.random.default_rng(3)
    seen = spread * rng.standard_normal((300, 1)) + rng.laplace(scale=scale, size=(300, 3))
    grid = np.linspace(-9, 9, 2001) * spread

    def log_density(y: np.ndarray) -> np.ndarray:
        terms = -np.abs(y[:, :, None] - grid).sum(axis=1) / scale - (grid / spread) ** 2 / 2
        return np.log(np.exp(terms).sum(axis=1))

    ratio = log_density(seen) - log_density(seen - along)
    assert np.abs(ratio).max() <= 0.9
    assert np.abs(ratio).max() > 0.3  # one release's ε would be too little
    right = (log_density(seen) > log_density(seen - along)).mean()
    assert right <= found.accuracy + 0.1


def test_laplace_bounds(model) -> None:
    open_ = dp.optimal_attack_accuracy(model)
    part = a_part(model, "ExpM(L)", 0.1)
    one = accumulate([part], shared=True, delta=1e-3)
    assert one.exact
    assert one.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, part.noise), abs=3e-3)
    two = accumulate([part] * 2, shared=True, delta=1e-3)
    assert two.accuracy == pytest.approx(dp.accuracy_ceiling(0.2))
    many = accumulate([part] * 90, shared=True, delta=1e-3)
    assert many.accuracy == pytest.approx(open_)
    mixed = accumulate([part, a_part(model)], shared=True, delta=1e-3)
    assert (mixed.promise, mixed.accuracy) == (None, pytest.approx(open_))
    samples = accumulate([part, a_part(model)], shared=False, delta=1e-3)
    assert samples.promise.epsilon == pytest.approx(0.5)
    assert samples.promise.delta == 1e-3
    assert samples.accuracy == pytest.approx(dp.accuracy_ceiling(0.5, 1e-3))


def test_promises_that_do_not_add_up_say_why(model) -> None:
    laplace, gaussian = a_part(model, "ExpM(L)"), a_part(model)
    assert accumulate([laplace] * 2, shared=True, delta=None).remark == ""
    mixed = accumulate([laplace, gaussian], shared=True, delta=None)
    assert "Laplace noise with δ = 0 only" in mixed.remark
    silent = accumulate([laplace, replace(laplace, promise=None)], shared=False, delta=None)
    assert silent.promise is None
    assert "promises nothing" in silent.remark


def test_a_pair_may_be_looked_at_alone(several) -> None:
    parts = [a_part(several), a_part(several, "ExpM")]
    alone = [accumulate(parts, shared=True, delta=None, pair=k).accuracy for k in range(3)]
    assert max(alone) == accumulate(parts, shared=True, delta=None).accuracy
    assert len(set(alone)) == 3
    assert accumulate(parts, shared=True, delta=None).epsilon is None


def test_what_does_not_belong_together_is_refused(model, several, query) -> None:
    other = model.of_statistics(0, 1)
    with pytest.raises(CalibrationError, match="same statistics"):
        accumulate([a_part(model), a_part(other)], shared=False, delta=1e-3)
    with pytest.raises(CalibrationError, match="same pairs"):
        accumulate([a_part(model), a_part(several)], shared=False, delta=1e-3)
    with pytest.raises(CalibrationError, match="same statistics"):
        joint_noise([])
    with pytest.raises(CalibrationError, match="Laplace"):
        joint_noise([a_part(model, "ExpM(L)").noise] * 2)
    with pytest.raises(CalibrationError, match="δ"):
        accumulate([a_part(model)], shared=True, delta=2.0)


def test_one_release_is_what_the_other_pages_say(several) -> None:
    part = a_part(several)
    for shared in (True, False):
        found = accumulate([part], shared=shared, delta=1e-3)
        assert delivered_delta(several, part.noise, found.epsilon) == pytest.approx(1e-3, rel=1e-5)
        alone = dp.optimal_attack_accuracy(several, part.noise)
        assert found.accuracy == pytest.approx(alone, abs=1e-12)
