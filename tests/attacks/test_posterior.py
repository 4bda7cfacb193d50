"""The attacker's posterior against direct computation, its limits, and its calibration."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import distpriv as dp
from distpriv.attacks.posterior import (
    Belief,
    ReleaseModel,
    beta_prior,
    normal_prior,
    pair_prior,
    posterior,
    share_grid,
    simulate_release,
    uniform_prior,
)
from distpriv.privacy.noise import Noise

N = 60
RICH = dp.SensitiveProperty("income", "high")
PAIR = dp.Pair(RICH, 0.45, 0.55)


def shifted(
    difference: tuple[float, ...], covariance: np.ndarray
) -> tuple[dp.model.GroupMoments, dp.Query]:
    """Two groups of equal size and covariance: the share does nothing but shift the statistics."""
    m = len(difference)
    moments = dp.model.GroupMoments(
        counts=(10**6, 10**6),
        means=np.array([np.zeros(m), difference]),
        covariances=np.array([covariance, covariance]),
        minima=np.full(m, -9.0),
        maxima=np.full(m, 9.0),
        steps=np.zeros((3, m)),
    )
    return moments, dp.Query([dp.Mean(f"x{index}") for index in range(m)])


def noisy_shift(name: str, epsilon: float, delta: float) -> tuple[ReleaseModel, dp.GaussianModel]:
    moments, query = shifted((1.0, 0.4), np.array([[1.0, 0.3], [0.3, 2.0]]))
    fitted = dp.model.model_from_moments({RICH: moments}, query, [PAIR], 400, replacement=True)
    noise = dp.calibrate(name, fitted, epsilon, delta, calibration="exact")
    return ReleaseModel(moments, query, 400, noise, replacement=True), fitted


def gaussian(covariance: np.ndarray) -> Noise:
    values, vectors = np.linalg.eigh(covariance)
    return Noise("own", "gaussian", vectors, np.sqrt(values), 1.0, 1e-3)


def direct(shares: np.ndarray, prior: np.ndarray, density: Callable[[float], float]) -> np.ndarray:
    weights = prior * np.array([density(share) for share in shares])
    return weights / weights.sum()


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("mechanism", [None, "ExpM", "DauM", "OptM", "EigM"])
def test_the_posterior_is_bayes_rule_on_the_fitted_normals(
    people: pd.DataFrame,
    query: dp.Query,
    model: dp.GaussianModel,
    moments: dp.model.GroupMoments,
    mechanism: str | None,
    replacement: bool,
) -> None:
    noise = dp.calibrate(mechanism, model, 2.0, 1e-3, calibration="exact") if mechanism else None
    shares = np.arange(6, 55, 6) / N
    prior = beta_prior(shares, 2.0, 3.0)
    released = np.array([43.0, 2450.0, 33.0, 0.36])

    def density(share: float) -> float:
        fit = dp.fit_gaussian(
            people, query, dp.Pair(RICH, share, 1 - share), N, replacement=replacement
        ).pairs[0]
        added = 0.0 if noise is None else noise.covariance
        return float(
            stats.multivariate_normal.pdf(released, fit.means[0], fit.covariances[0] + added)
        )

    found = posterior(ReleaseModel(moments, query, N, noise, replacement), prior, released)
    assert found.weights == pytest.approx(direct(shares, prior.weights, density), rel=1e-6)
    assert found.mean == pytest.approx(shares @ found.weights)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0, 40.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_laplace_noise_in_one_direction_against_quadrature(epsilon: float, seed: int) -> None:
    model, _ = noisy_shift("DirM(L)", epsilon, 1e-3)
    noise = model.noise
    assert noise is not None
    _, released = simulate_release(model, 0.5, seed)
    shares = np.linspace(0.2, 0.8, 7)
    means, covariances = model.statistics(shares)
    scale, along = float(noise.scales[0]), noise.directions[:, 0]

    def density(share: float) -> float:
        at = int(np.argmin(np.abs(shares - share)))
        normal = stats.multivariate_normal(means[at], covariances[at])

        def both(z: float) -> float:
            return float(normal.pdf(released - z * along)) * math.exp(-abs(z) / scale)

        top = float((released - means[at]) @ along)
        ends = sorted({top - 1.5, min(0.0, top), max(0.0, top), top + 1.5})
        return sum(
            integrate.quad(both, low, high, epsabs=0, epsrel=1e-9, limit=200)[0]
            for low, high in pairwise(ends)
        )

    prior = uniform_prior(shares)
    expected = direct(shares, prior.weights, density)
    assert np.abs(posterior(model, prior, released).weights - expected).sum() / 2 < 2e-3


def test_laplace_noise_in_several_directions_against_a_fine_grid() -> None:
    model, _ = noisy_shift("ExpM(L)", 2.0, 1e-3)
    noise = model.noise
    assert noise is not None
    assert len(noise.scales) == 2
    _, released = simulate_release(model, 0.5, 5)
    shares = np.linspace(0.2, 0.8, 7)
    means, covariances = model.statistics(shares)
    steps = np.linspace(-1.5, 1.5, 1201)
    points = np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1)
    # Over the statistics behind the noise, where the normal is; the Laplace density is wide.
    weights = []
    for mean, covariance in zip(means, covariances, strict=True):
        root = np.sqrt(np.diag(covariance))
        values = mean + points * 6 * root
        normal = stats.multivariate_normal.pdf(values, mean, covariance)
        weights.append(
            (normal * np.exp(-np.abs(released - values).sum(axis=-1) / noise.scales[0])).sum()
            * root.prod()
        )
    prior = uniform_prior(shares)
    expected = np.array(weights) / np.sum(weights)
    assert np.abs(posterior(model, prior, released).weights - expected).sum() / 2 < 5e-3


@pytest.mark.parametrize("weight", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("name", ["ExpM", "OptM"])
def test_the_odds_of_two_shares_change_by_the_likelihood_ratio(name: str, weight: float) -> None:
    model, fitted = noisy_shift(name, 1.0, 0.01)
    prior = pair_prior(PAIR, 400, weight)
    fit = fitted.pairs[0]
    assert model.noise is not None
    for seed in range(10):
        _, released = simulate_release(model, 0.45, seed)
        after = posterior(model, prior, released).weights
        ratio = [
            stats.multivariate_normal.logpdf(released, mean, covariance + model.noise.covariance)
            for mean, covariance in zip(fit.means, fit.covariances, strict=True)
        ]
        odds = math.log(weight / (1 - weight)) + ratio[0] - ratio[1]
        assert math.log(after[0] / after[1]) == pytest.approx(odds, abs=1e-6)


@pytest.mark.parametrize("name", ["ExpM", "OptM"])
def test_the_log_odds_exceed_epsilon_as_rarely_as_delta_allows(name: str) -> None:
    epsilon, delta = 0.5, 0.05
    model, fitted = noisy_shift(name, epsilon, delta)
    prior = pair_prior(PAIR, 400)
    generator = np.random.default_rng(8)
    excess = []
    for _ in range(4000):
        _, released = simulate_release(model, 0.45, generator)
        after = posterior(model, prior, released).weights
        loss = math.log(after[0] / after[1])
        excess.append(max(0.0, 1 - math.exp(epsilon - loss)))
    # δ(ε) = E (1 − e^{ε − L})⁺
    error = float(np.std(excess)) / math.sqrt(len(excess))
    delivered = dp.delivered_delta(fitted, model.noise, epsilon)
    assert np.mean(excess) == pytest.approx(delivered, abs=4 * error)
    assert delivered <= delta * (1 + 1e-6)


@pytest.mark.parametrize("name", ["ExpM(L)", "DirM(L)"])
def test_laplace_noise_bounds_the_log_odds_by_epsilon(name: str) -> None:
    model, _ = noisy_shift(name, 0.7, 1e-3)
    prior = pair_prior(PAIR, 400, 0.3)
    moved = []
    for seed in range(60):
        _, released = simulate_release(model, 0.45, seed)
        after = posterior(model, prior, released).weights
        moved.append(abs(math.log(after[0] / after[1]) - math.log(0.3 / 0.7)))
    assert max(moved) <= 0.7 * (1 + 1e-9)
    assert max(moved) > 0.5


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(3, 5),
    st.sampled_from([0.05, 0.2, 1.0]),
    st.sampled_from(["ExpM(L)", "Wasserstein", "DirM(L)"]),
)
def test_no_release_moves_the_odds_beyond_epsilon_where_the_shares_translate(
    seed: int, m: int, epsilon: float, name: str
) -> None:
    """(ε, 0) excepts no release; of a row of shares, none in proportion to how far it is."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(m, m + 1))
    moments, query = shifted(tuple(rng.normal(size=m)), factor @ factor.T)
    fitted = dp.model.model_from_moments({RICH: moments}, query, [PAIR], 100, replacement=True)
    noise = dp.calibrate(name, fitted, epsilon, calibration="exact")
    model = ReleaseModel(moments, query, 100, noise, replacement=True)
    _, released = simulate_release(model, 0.45, rng)
    logs = model.log_likelihood([0.45, 0.55], released)
    assert abs(logs[1] - logs[0]) <= epsilon * (1 + 1e-9)
    shares = np.linspace(0, 1, 101)
    slopes = np.diff(model.log_likelihood(shares, released)) / np.diff(shares)
    assert np.abs(slopes).max() <= epsilon / 0.1 * (1 + 1e-9)


def test_every_share_keeps_its_own_covariance() -> None:
    """Two shares with one mean: a normal of twice the width, told by how far out a release is."""
    moments, query = shifted((0.0, 0.0), np.eye(2))
    moments = replace(moments, covariances=np.array([np.eye(2), 16 * np.eye(2)]))
    widths = np.array([0.02, 0.03])
    for kind, density in (("gaussian", stats.norm.pdf), ("laplace", None)):
        noise = Noise("own", kind, np.eye(2), widths, 1.0, 0.0)  # type: ignore[arg-type]
        model = ReleaseModel(moments, query, 100, noise, replacement=True)
        for released in ([0.0, 0.0], [0.5, -0.4], [2.0, 1.0]):
            logs = model.log_likelihood([0.0, 1.0], released)
            expected = [0.0, 0.0]
            for at, deviation in enumerate(np.array([0.1, 0.4]) * math.sqrt(1 - 1e-6)):
                for value, width in zip(released, widths, strict=True):
                    if density is not None:
                        told = density(value, scale=math.hypot(deviation, width))
                    else:
                        told = _normal_laplace(value, deviation, width)
                    expected[at] += math.log(told)
            assert logs[1] - logs[0] == pytest.approx(expected[1] - expected[0], rel=1e-6)


def _normal_laplace(value: float, deviation: float, scale: float) -> float:
    def both(x: float) -> float:
        return float(stats.norm.pdf(x, scale=deviation) * stats.laplace.pdf(value - x, scale=scale))

    kinks = np.clip([value - scale, value, value + scale], -9 * deviation, 9 * deviation)
    ends = sorted({-9 * deviation, *kinks.tolist(), 9 * deviation})
    return sum(integrate.quad(both, *each, epsabs=0, epsrel=1e-10)[0] for each in pairwise(ends))


def test_huge_noise_leaves_the_prior(clear: ReleaseModel) -> None:
    prior = normal_prior(share_grid(N), 0.3, 0.1)
    drowned = replace(clear, noise=gaussian(np.eye(4) * 1e14))
    _, released = simulate_release(drowned, 0.5, 3)
    assert posterior(drowned, prior, released).weights == pytest.approx(prior.weights, abs=1e-4)


def test_many_records_without_noise_concentrate_at_the_truth(clear: ReleaseModel) -> None:
    precise = replace(clear, n=10**6, replacement=True)
    prior = uniform_prior(np.arange(101) / 100)
    released, _ = simulate_release(precise, 0.37, 4)
    after = posterior(precise, prior, released)
    assert after.weights[37] > 1 - 1e-6
    interval = after.credible_interval()
    assert (interval.low, interval.high) == (0.37, 0.37)


def test_a_conjugate_normal_prior() -> None:
    moments, query = shifted((2.0,), np.array([[0.7]]))
    model = ReleaseModel(moments, query, 50, gaussian(np.array([[0.02]])), replacement=True)
    shares = np.linspace(0, 1, 2001)
    released = np.array([1.1])
    found = posterior(model, normal_prior(shares, 0.4, 0.05), released)
    # The release is 2p plus noise of this variance.
    variance = 0.7 / 50 * (1 - 1e-6) + 0.02
    precision = 1 / 0.05**2 + 4 / variance
    mean = (0.4 / 0.05**2 + 2 * 1.1 / variance) / precision
    assert found.mean == pytest.approx(mean, abs=1e-6)
    spread = math.sqrt(float((shares - found.mean) ** 2 @ found.weights))
    assert spread == pytest.approx(1 / math.sqrt(precision), rel=1e-4)
    interval = found.credible_interval()
    expected = stats.norm.interval(0.95, mean, 1 / math.sqrt(precision))
    assert (interval.low, interval.high) == pytest.approx(expected, abs=6e-4)


def test_a_share_of_no_weight_stays_impossible(clear: ReleaseModel) -> None:
    shares = np.array([0.2, 0.5, 0.8])
    prior = Belief(shares, np.array([1.0, 0.0, 1.0]))
    released, _ = simulate_release(clear, 0.5, 2)
    assert posterior(clear, prior, released).weights[1] == 0
    sure = pair_prior(PAIR, N, 1.0)
    assert posterior(clear, sure, released).weights.tolist() == [1.0, 0.0]


@given(
    scales=st.lists(st.floats(1e-6, 1e6), min_size=4, max_size=4),
    seed=st.integers(0, 2**20),
    laplace=st.booleans(),
)
def test_units_of_the_statistics_do_not_matter(
    clear: ReleaseModel, scales: list[float], seed: int, laplace: bool
) -> None:
    """Whatever the units; the noise along the statistics changes its scales with them."""
    units, prior = np.array(scales), uniform_prior(share_grid(N))
    kind = "laplace" if laplace else "gaussian"
    widths = np.array([0.5, 20.0, 3.0, 0.05])
    noise = Noise("own", kind, np.eye(4), widths, 1.0, 1e-3)  # type: ignore[arg-type]
    noisy = replace(clear, noise=noise)
    _, released = simulate_release(noisy, 0.4, seed)
    known = clear.moments
    changed = replace(
        noisy,
        moments=replace(
            known,
            means=known.means * units,
            covariances=known.covariances * np.outer(units, units),
        ),
        noise=replace(noise, scales=widths * units),
    )
    after = posterior(changed, prior, released * units)
    assert after.weights == pytest.approx(posterior(noisy, prior, released).weights, abs=1e-7)


@given(
    weights=st.lists(st.floats(0.0, 1e9), min_size=5, max_size=5).filter(any),
    values=st.lists(st.floats(-5, 5), min_size=4, max_size=4),
)
def test_weights_sum_to_one_and_a_share_alone_keeps_its_odds(
    clear: ReleaseModel, weights: list[float], values: list[float]
) -> None:
    """The odds of two shares do not depend on which others there are."""
    shares = np.array([0.1, 0.3, 0.45, 0.6, 0.9])
    (mean,), (covariance,) = clear.statistics([0.5])
    released = mean + np.array(values) * np.sqrt(np.diag(covariance))
    after = posterior(clear, Belief(shares, np.array(weights)), released)
    assert after.weights.sum() == pytest.approx(1)
    assert (after.weights >= 0).all()
    logs = [float(clear.log_likelihood([share], released)[0]) for share in shares]
    together = clear.log_likelihood(shares, released)
    assert together == pytest.approx(logs, rel=1e-9, abs=1e-9)
    assert clear.log_likelihood(shares[::-1], released)[::-1] == pytest.approx(together)


def test_priors() -> None:
    shares = share_grid(400)
    assert len(shares) == 201
    assert len(share_grid(20)) == 21
    assert len(share_grid(10**6)) == 1001
    assert uniform_prior(shares).weights == pytest.approx(np.full(201, 1 / 201))
    beta = beta_prior(shares, 2.5, 6.0)
    edges = np.concatenate([[0], (shares[1:] + shares[:-1]) / 2, [1]])
    assert beta.weights == pytest.approx(np.diff(stats.beta.cdf(edges, 2.5, 6.0)), abs=1e-12)
    assert beta.credible_interval().low == pytest.approx(stats.beta.ppf(0.025, 2.5, 6), abs=5e-3)
    # All but nothing lies at the ends.
    assert beta_prior(shares, 1e-3, 1e-3).weights[[0, -1]] == pytest.approx([0.5, 0.5], abs=0.01)
    bell = normal_prior(shares, 0.3, 0.08)
    density = stats.norm.pdf(shares, 0.3, 0.08)
    assert bell.weights == pytest.approx(density / density.sum(), rel=1e-9)
    assert normal_prior(shares, 0.3012, 1e-200).weights.max() == 1
    two = pair_prior(dp.Pair(RICH, 0.55, 0.45), 20, 0.9)
    assert two.shares == pytest.approx([0.45, 0.55])
    assert two.weights == pytest.approx([0.1, 0.9])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: share_grid(1), "at least 2 records, got n = 1"),
        (lambda: beta_prior([0.1, 0.2], 0, 1), "a = 0 and b = 1"),
        (lambda: beta_prior([0.1, 0.2], 1, math.nan), "a and b above 0"),
        (lambda: normal_prior([0.1, 0.2], 1.2, 0.1), "centre in"),
        (lambda: normal_prior([0.1, 0.2], 0.5, 0), "width > 0"),
        (lambda: uniform_prior([0.5, 1.5]), "each from 0 to 1"),
        (lambda: uniform_prior([]), "each from 0 to 1"),
        (lambda: uniform_prior([0.5, 0.5]), "increasing"),
        (lambda: Belief(np.array([0.1, 0.2]), np.array([1.0])), "2 shares and 1 weights"),
        (lambda: Belief(np.array([0.1, 0.2]), np.zeros(2)), "not all zero"),
        (lambda: Belief(np.array([0.1, 0.2]), np.array([1.0, -1.0])), "numbers >= 0"),
        (lambda: uniform_prior([0.1, 0.2]).credible_interval(1.0), r"in \(0, 1\), got 1"),
        (lambda: pair_prior(PAIR, N, 1.1), "must be in"),
        (lambda: pair_prior(PAIR, 4, 0.5), "the same 2 of 4 records"),
    ],
)
def test_errors_of_beliefs(wrong: Callable[[], object], says: str) -> None:
    with pytest.raises(dp.errors.ModelError, match=says):
        wrong()
