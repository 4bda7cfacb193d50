"""The relaxed promises hold where everything can be computed, and their parts are what they say."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import distpriv as dp
from distpriv.privacy.noise import gaussian_noise
from distpriv.robustness.relaxations import (
    blurs,
    close_attacker_divergence,
    errors_with_extra_noise,
    has_full_rank,
    max_divergence,
    mixture_etas,
    normal_etas,
    relaxed_promise,
)
from tests.examples import hockey_stick

LAMBDAS = np.array([0.0, 0.05, 0.2, 0.5, 1.0])
GRID = np.arange(-60, 60, 0.01)


def both_orders(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    return max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))


def noisy(points, weights, density) -> np.ndarray:
    """Points plus noise on the grid, as probabilities."""
    return 0.01 * sum(w * density(GRID - x) for x, w in zip(points, weights, strict=True))


def gaussian(covariance) -> dp.Noise:
    return gaussian_noise(
        "any", np.atleast_2d(covariance), epsilon=1.0, delta=1e-3, calibration="exact"
    )


def test_theorem_4_6_holds_on_discrete_distributions() -> None:
    rng = np.random.default_rng(3)
    told = 0
    for _ in range(400):
        taken = rng.dirichlet(np.full(5, 3.0), 2)
        true = taken * np.exp(rng.normal(scale=rng.choice([0.01, 0.1, 0.4]), size=taken.shape))
        true[rng.integers(2), rng.integers(5)] += rng.choice([0, 0.01])
        true /= true.sum(axis=1, keepdims=True)
        epsilon = float(rng.choice([0.1, 0.5, 1.0]))
        delta = both_orders(*taken, epsilon)
        etas = [max(both_orders(t, s, lam) for t, s in zip(true, taken, strict=True))
                for lam in LAMBDAS]  # fmt: skip
        kept = relaxed_promise(epsilon, delta, LAMBDAS, etas)
        for relaxed_epsilon, relaxed_delta in zip(kept.epsilons, kept.deltas, strict=True):
            told += relaxed_delta < 0.5
            assert both_orders(*true, relaxed_epsilon) <= relaxed_delta + 1e-12
    assert told > 400


def test_the_formula_of_theorem_4_6() -> None:
    kept = relaxed_promise(1.0, 0.01, [0.0, 0.5, 2000.0], [0.02, 0.003, 0.0])
    assert kept.epsilons == pytest.approx([1.0, 2.0, 4001.0])
    assert kept.deltas[:2] == pytest.approx(
        [(1 + math.e) * 0.02 + 0.01, (1 + math.exp(1.5)) * 0.003 + math.exp(0.5) * 0.01]
    )
    assert kept.deltas[2] == 1
    assert relaxed_promise(1.0, 0.0, 2000.0, 0.0).deltas[0] == 0
    assert kept.best == 1


def test_normal_etas_by_integration() -> None:
    """One statistic with two variances, against numerical integration of the densities."""
    query = dp.Query([dp.Mean("x")])
    secret = dp.SensitiveProperty("y")
    moments = dp.model.GroupMoments(
        counts=(10**6, 10**6),
        means=np.array([[0.0], [1.0]]),
        covariances=np.array([[[1.0]], [[3.0]]]),
        minima=np.array([-9.0]),
        maxima=np.array([9.0]),
    )
    model = dp.model.model_from_moments({secret: moments}, query, [secret.pair(0.5, 0.6)], 20)
    fit = model.pairs[0]
    for noise in (None, gaussian([[0.07]])):
        added = 0.0 if noise is None else 0.07
        found = normal_etas(model, LAMBDAS, noise)
        pooled = math.sqrt(fit.pooled[0, 0] + added)
        for lam, eta in zip(LAMBDAS, found, strict=True):
            worst = 0.0
            for own in np.sqrt(fit.covariances[:, 0, 0] + added):
                true, taken = (0.01 * stats.norm.pdf(GRID, 0, each) for each in (own, pooled))
                worst = max(worst, both_orders(true, taken, lam))
            assert eta == pytest.approx(worst, abs=5e-5)


def test_unequal_covariances_never_deliver_more_than_theorem_4_6_says(
    several: dp.GaussianModel,
) -> None:
    for name in ("ExpM", "DirM", "EigM", "DauM", "OptM"):
        noise = dp.calibrate(name, several, 1.0, 1e-3, calibration="exact")
        before, after = normal_etas(several, LAMBDAS), normal_etas(several, LAMBDAS, noise)
        assert (after <= before + 1e-12).all()
        kept = relaxed_promise(1.0, 1e-3, LAMBDAS, after)
        for epsilon, delta in zip(kept.epsilons, kept.deltas, strict=True):
            assert dp.delivered_delta(several, noise, epsilon) <= delta


def test_laplace_noise_has_no_eta_after_it(model: dp.GaussianModel) -> None:
    with pytest.raises(dp.errors.CalibrationError, match="no closed form"):
        normal_etas(model, LAMBDAS, dp.calibrate("ExpM(L)", model, 1.0, calibration="exact"))


def test_mixture_etas_against_an_exact_mixture() -> None:
    """A binomial, blurred by noise, against its normal: by integration, and by simulation."""
    n, p, deviation = 12, 0.3, 0.8
    points = np.arange(n + 1)
    weights = stats.binom.pmf(points, n, p)
    mean, variance = np.array([n * p]), np.array([[n * p * (1 - p)]])
    blurred = noisy(points, weights, lambda x: stats.norm.pdf(x, 0, deviation))
    total = math.sqrt(variance[0, 0] + deviation**2)
    normal = 0.01 * stats.norm.pdf(GRID, mean[0], total)
    exact = np.array(
        [[hockey_stick(a, b, lam) for lam in LAMBDAS] for a, b in
         ((blurred, normal), (normal, blurred))]
    )  # fmt: skip
    noise, rng = gaussian([[deviation**2]]), np.random.default_rng(8)
    runs = np.array(
        [
            mixture_etas(rng.binomial(n, p, (800, 1)), mean, variance, noise, LAMBDAS, rng)
            for _ in range(30)
        ]
    )
    error = runs.std(axis=0) / math.sqrt(len(runs))
    assert (runs.mean(axis=0) >= exact - 4 * error - 1e-6).all()  # never too small
    large = mixture_etas(rng.binomial(n, p, (3000, 1)), mean, variance, noise, LAMBDAS, rng)
    assert large == pytest.approx(exact, abs=0.02)
    assert exact[0, 0] > 0.02


def test_mixture_etas_in_several_dimensions() -> None:
    """Two separate clouds for a normal: the shares on either side are known."""
    rng = np.random.default_rng(1)
    values = np.repeat([[-50.0, 0.0], [50.0, 0.0]], 500, axis=0)
    found = mixture_etas(values, np.array([50.0, 0.0]), np.zeros((2, 2)), gaussian(np.eye(2)),
                         np.array([0.0, math.log(4)]), rng)  # fmt: skip
    assert found[0] == pytest.approx([0.5, 0.5], abs=0.01)  # the half that is elsewhere
    assert found[1] == pytest.approx([0.5, 0.0], abs=0.01)


def test_only_noise_in_every_direction_blurs(model: dp.GaussianModel) -> None:
    # What covers the steps of the statistics is too narrow to blur datasets into each other.
    pooled = model.pairs[0].pooled
    wide = {name: blurs(dp.calibrate(name, model, 1.0, 1e-3, calibration="exact"), pooled)
            for name in ("ExpM", "DauM", "OptM")}  # fmt: skip
    assert wide == {"ExpM": True, "DauM": False, "OptM": False}
    model = model.densities()
    ranks = {name: has_full_rank(dp.calibrate(name, model, 1.0, 1e-3, calibration="exact"))
             for name in ("ExpM(L)", "ExpM", "DirM(L)", "DauM", "OptM")}  # fmt: skip
    assert ranks == {"ExpM(L)": True, "ExpM": True, "DirM(L)": False, "DauM": False, "OptM": False}
    assert not has_full_rank(gaussian(np.zeros((2, 2))))
    for name in ("OptM", "ExpM(L)"):
        noise = dp.calibrate(name, model, 1.0, 1e-3, calibration="exact")
        with pytest.raises(dp.errors.CalibrationError, match="every direction"):
            mixture_etas(np.zeros((5, 4)), np.zeros(4), np.eye(4), noise, LAMBDAS,
                         np.random.default_rng(0))  # fmt: skip


@pytest.mark.parametrize("left_out", [0.0, 0.05, 0.1])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_theorem_4_7_with_a_closeness_mass(left_out: float, seed: int) -> None:
    """Discrete F and F̃ of two shares, Gaussian noise and the extra Laplace noise, on a grid."""
    rng = np.random.default_rng(seed)
    lam, epsilon, deviation = 0.5, 0.7, 2.0
    points = [np.sort(rng.normal(shift, 1.5, 20)) for shift in (0.0, 1.0)]
    moved = [each + rng.uniform(-0.4, 0.4, 20) for each in points]
    for each in moved:
        each[rng.integers(20)] += 9.0
    weights = np.full(20, 0.05)

    def gauss(x):
        return stats.norm.pdf(x, 0, deviation)

    distance = max(dp.closeness(x, y, left_out) for x, y in zip(points, moved, strict=True))
    scale = distance / lam

    def both(x):  # density of a normal plus Lap(scale)
        a = deviation / scale
        left = stats.norm.logcdf(x / deviation - a) + a**2 / 2 - x / scale
        right = stats.norm.logcdf(-x / deviation - a) + a**2 / 2 + x / scale
        return (np.exp(left) + np.exp(right)) / (2 * scale)

    delta = both_orders(*(noisy(each, weights, gauss) for each in moved), epsilon)
    (epsilon_kept,), (delta_kept,) = (lambda kept: (kept.epsilons, kept.deltas))(
        relaxed_promise(epsilon, delta, lam, left_out)
    )
    released = [noisy(each, weights, both) for each in points]
    assert both_orders(*released, epsilon_kept) <= delta_kept + 1e-6
    # The step that brings the mass in: both orders of one share, true and taken.
    for x, y in zip(points, moved, strict=True):
        step = both_orders(noisy(x, weights, both), noisy(y, weights, both), lam)
        assert step <= left_out + 1e-6
        # Where the outlier moves further than W, the mass is really needed.
        if left_out == 0.05:
            assert step > 0


def test_max_divergence() -> None:
    assert max_divergence([0.5, 0.5, 0], [0.25, 0.5, 0.25]) == pytest.approx(math.log(2))
    assert max_divergence([0.25, 0.5, 0.25], [0.5, 0.5, 0]) == math.inf
    assert max_divergence([1.0], [1.0]) == 0
    for p, q, says in (
        ([0.5, 0.4], [0.5, 0.5], "sum to 1, they sum to 0.9"),
        ([0.5, 0.5], [1.0], "same outcomes"),
        ([1.5, -0.5], [0.5, 0.5], "not negative"),
        ([0.5, 0.5], [math.nan, 1.0], "not negative"),
    ):
        with pytest.raises(dp.errors.DistanceError, match=says):
            max_divergence(p, q)


def test_close_attackers_by_enumeration() -> None:
    """Three independent records, a noisy count: every dataset and every output."""
    secret, n, steps = dp.SensitiveProperty("x"), 3, np.arange(-4, 5)
    noise = np.exp(-0.8 * np.abs(steps))
    noise /= noise.sum()

    def datasets(p):
        return np.array([math.prod(p if bit else 1 - p for bit in bits)
                         for bits in itertools.product((0, 1), repeat=n)])  # fmt: skip

    def released(p):
        counts = np.array([sum(bits) for bits in itertools.product((0, 1), repeat=n)])
        out = np.zeros(n + 9)
        for probability, count in zip(datasets(p), counts, strict=True):
            out[count : count + 9] += probability * noise
        return out

    thetas = [(dp.model.Theta(secret, 0.4, n), dp.model.Theta(secret, 0.6, n))]
    epsilon = both(released(0.4), released(0.6))
    for believed in ((0.38, 0.62), (0.41, 0.59), (0.35, 0.61), (0.6, 0.4)):
        found = close_attacker_divergence(believed, thetas, independent=True)
        near, far = sorted(believed)
        c = max(both(datasets(near), datasets(0.4)), both(datasets(far), datasets(0.6)))
        assert found == pytest.approx(c)
        assert both(released(believed[0]), released(believed[1])) <= epsilon + 2 * c + 1e-12


def both(p, q) -> float:
    return max(max_divergence(p, q), max_divergence(q, p))


def test_close_attackers_with_a_fixed_number_of_records() -> None:
    secret = dp.SensitiveProperty("x")
    thetas = [(dp.model.Theta(secret, 0.45, 100), dp.model.Theta(secret, 0.55, 100))]
    assert close_attacker_divergence((0.449, 0.551), thetas, independent=False) == 0
    assert close_attacker_divergence((0.44, 0.55), thetas, independent=False) == math.inf
    more = [*thetas, (dp.model.Theta(secret, 0.44, 100), dp.model.Theta(secret, 0.55, 100))]
    assert close_attacker_divergence((0.44, 0.55), more, independent=False) == 0
    assert close_attacker_divergence((0.0, 0.5), thetas, independent=True) == math.inf
    with pytest.raises(dp.errors.DistanceError, match="must be in"):
        close_attacker_divergence((-0.1, 0.5), thetas, independent=True)


def test_the_error_with_extra_noise(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3, calibration="exact")
    none, some = errors_with_extra_noise(noise, [0.0, 3.0], rng=4)
    assert none.low <= noise.expected_error() <= none.high
    units = np.array([1.0, 2.0, 0.5, 0.1])
    # Root mean square of the sum, exactly, is above its mean and not far.
    rms = math.sqrt(np.trace(noise.covariance) + 2 * 9 * (units**2).sum())
    (scaled,) = errors_with_extra_noise(noise, 3.0, units, rng=4)
    assert 0.7 * rms < scaled.estimate < rms
    assert some.estimate > none.estimate
    # One statistic, by integration.
    one = gaussian([[4.0]])
    laplace = np.exp(-np.abs(GRID) / 3) / 6 * 0.01
    inner = [stats.norm.expect(lambda z, y=y: abs(2 * z + y)) for y in GRID[::100]]
    total = float(np.interp(GRID, GRID[::100], inner) @ laplace)
    (found,) = errors_with_extra_noise(one, 3.0, rng=2)
    assert found.low <= total <= found.high


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: relaxed_promise(0, 0.1, 0.1, 0.1), "ε must be"),
        (lambda: relaxed_promise(1, 1.1, 0.1, 0.1), "got δ = 1.1"),
        (lambda: relaxed_promise(1, 0.1, -0.1, 0.1), "Every λ"),
        (lambda: relaxed_promise(1, 0.1, 0.1, math.nan), "Every η"),
        (lambda: errors_with_extra_noise(gaussian([[1.0]]), -1.0), "not negative"),
        (lambda: errors_with_extra_noise(gaussian([[1.0]]), math.inf), "not negative"),
    ],
)
def test_outside_the_domain(call, says: str) -> None:
    with pytest.raises(dp.errors.CalibrationError, match=says):
        call()
