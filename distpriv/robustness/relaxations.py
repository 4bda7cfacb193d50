r"""What is left of a promise when the distributions are not those it was calibrated to.

f_θ is the true distribution of the statistics, f̃_θ the one that the noise Z was calibrated to.
Theorem 4.6 of Chen & Ohrimenko (2023) pays for the difference with ε and δ, Theorem 4.7 with more
noise, and Proposition A.7 of the full version pays for an attacker who believes in other
distributions of the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from distpriv.arguments import Axes, Within, checked
from distpriv.errors import CalibrationError, DistanceError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.sampling import Interval, RandomState
from distpriv.model.theta import Theta
from distpriv.privacy.calibration import check_epsilon
from distpriv.privacy.noise import Noise, check_units
from distpriv.privacy.privacy_loss import PrivacyLoss

__all__ = [
    "Frontier",
    "blurs",
    "close_attacker_divergence",
    "errors_with_extra_noise",
    "has_full_rank",
    "max_divergence",
    "mixture_etas",
    "normal_etas",
    "relaxed_promise",
]

FloatArray = NDArray[np.float64]
_BLURRED = 0.1  # of the statistics' deviation

_ERROR_DRAWS = 20_000


@dataclass(frozen=True, eq=False)
class Frontier:
    """Relaxed promises, one for each λ.

    Attributes
    ----------
    lambdas : ndarray, shape (points,)
    etas : ndarray, shape (points,)
        Hockey-stick divergence of f_θ and f̃_θ at e^λ: the mass by which one exceeds e^λ times
        the other at worst.
    epsilons, deltas : ndarray, shape (points,)
        ε′ and δ′; δ′ is cut off at 1, where nothing is promised.
    """

    lambdas: FloatArray
    etas: FloatArray
    epsilons: FloatArray
    deltas: FloatArray

    @property
    def best(self) -> int:
        """Index of the least δ′."""
        return int(self.deltas.argmin())


@checked(CalibrationError)
def relaxed_promise(epsilon: float, delta: float, lambdas: ArrayLike, etas: ArrayLike) -> Frontier:
    r"""Promise that is left when f_θ differs from f̃_θ by (λ, η).

    :math:`\varepsilon' = \varepsilon + 2\lambda`,
    :math:`\delta' = (1 + e^{\varepsilon+\lambda})\,\eta + e^{\lambda}\delta` (Chen & Ohrimenko
    2023, Theorem 4.6). With P_θ the distribution of the release, P̃_θ the one that (ε, δ) was
    promised for, and P_θ(S) ≤ e^λ P̃_θ(S) + η, P̃_θ(S) ≤ e^λ P_θ(S) + η for every S:

    P_i(S) ≤ e^λ P̃_i(S) + η ≤ e^λ (e^ε P̃_j(S) + δ) + η
    ≤ e^λ (e^ε (e^λ P_j(S) + η) + δ) + η.

    Only the released distributions enter, so η may be measured between f_θ and f̃_θ, which noise
    cannot drive further apart, or between f_θ + Z and f̃_θ + Z. With noise Lap(W/λ) added on each
    statistic, (W, η)-closeness of f_θ and f̃_θ is enough too (Theorem 4.7, Lemma C.1): the mass
    that moves by at most W is hidden up to e^λ, and the rest, η of it, counts in both orders.
    The theorem's δ′ = e^λ δ is that of η = 0.

    Parameters
    ----------
    epsilon : float > 0
    delta : float in [0, 1]
        What is promised, or delivered, where f̃_θ holds.
    lambdas, etas : array-like, shape (points,)
        λ ≥ 0 and η in [0, 1].

    Raises
    ------
    CalibrationError
        If one of them is outside its domain.
    """
    epsilon = check_epsilon(epsilon)
    if not 0 <= delta <= 1:
        raise CalibrationError(f"δ must be in [0, 1], got δ = {delta:g}.")
    steps = np.atleast_1d(np.asarray(lambdas, dtype=np.float64))
    masses = np.atleast_1d(np.asarray(etas, dtype=np.float64))
    if not (np.isfinite(steps).all() and (steps >= 0).all()):
        raise CalibrationError("Every λ must be a number that is not negative.")
    if not ((masses >= 0) & (masses <= 1)).all():
        raise CalibrationError("Every η must be in [0, 1].")
    with np.errstate(over="ignore", invalid="ignore"):
        # exp overflows to ∞, and ∞ times an η of 0 is no mass.
        left = np.where(masses > 0, (1 + np.exp(epsilon + steps)) * masses, 0.0)
        left += np.exp(steps) * delta if delta else 0.0
    return Frontier(steps, masses, epsilon + 2 * steps, np.minimum(left, 1.0))


@checked(CalibrationError)
def normal_etas(
    model: GaussianModel,
    lambdas: Annotated[FloatArray, Axes(1), Within(high=1e50)],
    noise: Noise | None = None,
) -> FloatArray:
    """η(λ) where f_θ is normal with a covariance of its own and f̃_θ has the pair's pooled one.

    In closed form, the worst over all θ and both orders.

    Parameters
    ----------
    model : GaussianModel
    lambdas : ndarray, shape (points,), each >= 0
    noise : Gaussian Noise or None
        Measure after this noise; None: before any.

    Returns
    -------
    ndarray, shape (points,)

    Raises
    ------
    CalibrationError
        For Laplace noise, after which there is no closed form.
    """
    if noise is not None and noise.distribution != "gaussian":
        raise CalibrationError(
            f"η after the Laplace noise of {noise.mechanism} has no closed form; measure it "
            "before the noise."
        )
    added = 0.0 if noise is None else noise.covariance
    worst = np.zeros(len(lambdas))
    for fit in model.pairs:
        for mean, own in zip(fit.means, fit.covariances, strict=True):
            true, taken = own + added, fit.pooled + added
            for first, second in ((true, taken), (taken, true)):
                loss = PrivacyLoss.between(mean, first, mean, second)
                worst = np.maximum(worst, loss.deltas(lambdas))
    return worst


def has_full_rank(noise: Noise) -> bool:
    """Whether the noise reaches every direction.

    Statistics of finitely many records take finitely many values. Noise along fewer directions
    leaves them on finitely many lines or planes, to which a normal distribution gives no mass:
    η stays 1.
    """
    if noise.directions.shape[1] < noise.dimension:
        return False
    return int(np.linalg.matrix_rank(noise.directions * noise.scales)) == noise.dimension


def blurs(noise: Noise, covariance: FloatArray) -> bool:
    """Whether the noise is wide enough, in every direction, to hide which datasets were simulated.

    A thousand datasets stand for all only where each is blurred by a tenth of the statistics' own
    deviation at least; what covers the steps of the statistics is far less.

    Parameters
    ----------
    noise : Noise
    covariance : ndarray, shape (m, m)
        Of the statistics.
    """
    if noise.is_zero:
        return False
    root = np.linalg.cholesky(covariance)
    half = np.linalg.solve(root, noise.covariance)
    return bool(np.linalg.eigvalsh(np.linalg.solve(root, half.T))[0] >= _BLURRED**2)


def mixture_etas(
    values: FloatArray,
    mean: FloatArray,
    covariance: FloatArray,
    noise: Noise,
    lambdas: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    r"""η(λ) between simulated statistics and a normal, both after Gaussian noise S.

    After the noise the R values are the mixture p̂ of N(x_r, S), and the normal is
    q̃ = N(μ, Σ + S). :math:`E_{p̂}[(1 - e^{\lambda} q̃/p̂)_+]` and
    :math:`E_{q̃}[(1 - e^{\lambda} p̂/q̃)_+]` are means over R draws of noise each. The
    hockey-stick divergence is convex, so what comes of R datasets in place of all is on average
    never too small (Jensen); values drawn from the normal itself tell how much too large it is.

    Parameters
    ----------
    values : ndarray, shape (R, m)
    mean : ndarray, shape (m,)
    covariance : ndarray, shape (m, m)
    noise : Gaussian Noise of full rank
    lambdas : ndarray, shape (points,), each >= 0
    rng : Generator

    Returns
    -------
    ndarray, shape (2, points)
        Of the mixture against the normal, and of the normal against the mixture.

    Raises
    ------
    CalibrationError
        If the noise is not Gaussian or leaves a direction without noise.
    """
    if noise.distribution != "gaussian" or not has_full_rank(noise):
        raise CalibrationError(
            f"η after the noise of {noise.mechanism} is 1 or has no closed form: it takes Gaussian "
            "noise in every direction."
        )
    total = covariance + noise.covariance
    from_values = values + noise.sample(len(values), rng)
    from_normal = rng.multivariate_normal(mean, total, len(values), method="eigh")
    over = _log_ratio(from_values, values, mean, total, noise.covariance)
    under = -_log_ratio(from_normal, values, mean, total, noise.covariance)
    # One set of ratios serves every λ.
    return np.array([[-np.expm1(np.minimum(lam - tail, 0.0)).mean() for lam in lambdas]
                     for tail in (over, under)])  # fmt: skip


def _log_ratio(
    points: FloatArray,
    values: FloatArray,
    mean: FloatArray,
    total: FloatArray,
    added: FloatArray,
) -> FloatArray:
    """ln p̂/q̃ at each point: the mixture of N(values, added) over N(mean, total)."""
    root, wide = np.linalg.cholesky(added), np.linalg.cholesky(total)
    here, there = np.linalg.solve(root, points.T).T, np.linalg.solve(root, values.T).T
    products = here @ there.T - (there**2).sum(axis=1) / 2
    mixture = logsumexp(products, axis=1) - (here**2).sum(axis=1) / 2 - math.log(len(values))
    normal = -(np.linalg.solve(wide, (points - mean).T) ** 2).sum(axis=0) / 2
    scale = np.log(np.diag(wide)).sum() - np.log(np.diag(root)).sum()
    return np.asarray(mixture - normal + scale)


@checked(CalibrationError)
def errors_with_extra_noise(
    noise: Noise,
    scales: ArrayLike,
    units: FloatArray | None = None,
    rng: RandomState = None,
) -> list[Interval]:
    """Expected L2 error of a mechanism's noise plus Lap(scale) on each statistic, for each scale.

    Their sum has no closed form: means over 20 000 draws, the same for all, with 95 % intervals.

    Parameters
    ----------
    noise : Noise
    scales : array-like, shape (points,), each >= 0
        W/λ of Theorem 4.7.
    units : ndarray, shape (m,), optional
        What W is counted in: the scales are multiplied by them.
    rng : Generator, int or None

    Raises
    ------
    CalibrationError
        If a scale is negative or not finite.
    """
    widths = np.atleast_1d(np.asarray(scales, dtype=np.float64))
    if widths.ndim > 1 or not (np.isfinite(widths).all() and (widths >= 0).all()):
        raise CalibrationError(
            "The scales must be one number or a row of them, finite and not negative."
        )
    sizes = np.ones(noise.dimension) if units is None else check_units(units, noise.dimension)
    generator = np.random.default_rng(rng)
    own = noise.sample(_ERROR_DRAWS, generator)
    extra = generator.laplace(size=own.shape) * sizes
    pieces = []
    for width in widths:
        lengths = np.linalg.norm(own + width * extra, axis=1)
        mean, half = float(lengths.mean()), 1.96 * float(lengths.std()) / math.sqrt(_ERROR_DRAWS)
        pieces.append(Interval(mean, mean - half, mean + half))
    return pieces


@checked(CalibrationError)
def max_divergence(p: ArrayLike, q: ArrayLike) -> float:
    """D_∞(p ‖ q) of two discrete distributions: the largest ln(p/q) where p has mass.

    ∞ if q lacks mass there (Chen & Ohrimenko, full version, Definition A.6, which asks for one
    support).

    Parameters
    ----------
    p, q : array-like, shape (k,)
        Probabilities of the same k outcomes.

    Raises
    ------
    DistanceError
        If they are not probabilities that sum to 1, or not of the same length.
    """
    first, second = (np.asarray(values, dtype=np.float64) for values in (p, q))
    if first.ndim != 1 or first.shape != second.shape:
        raise DistanceError(
            "Two distributions to compare need one probability for each of the same outcomes, "
            f"got shapes {first.shape} and {second.shape}."
        )
    for name, values in (("p", first), ("q", second)):
        if not (np.isfinite(values).all() and (values >= 0).all()):
            raise DistanceError(f"The probabilities {name} must be numbers that are not negative.")
        if abs(math.fsum(values) - 1) > 1e-9:
            raise DistanceError(
                f"The probabilities {name} must sum to 1, they sum to {math.fsum(values):.9g}."
            )
    present = first > 0
    if not second[present].all():
        return math.inf
    return float(np.log(first[present] / second[present]).max())


@checked(CalibrationError)
def close_attacker_divergence(
    believed: tuple[float, float],
    thetas: Iterable[tuple[Theta, Theta]],
    *,
    independent: bool,
) -> float:
    """c for an attacker who tells apart two shares that the promise was not made for.

    Proposition A.7 (full version of Chen & Ohrimenko 2023) leaves (ε + 2c, δ), c the least over
    the pairs that are hidden of the larger max-divergence between believed and hidden
    distribution, here in both orders. If the records are *independent*, each with the property
    at probability p, the divergence of n of them is n times that of one. If instead exactly k of
    n have it, no dataset is possible under two different k: c = 0 or ∞.

    Parameters
    ----------
    believed : two floats in [0, 1]
        The attacker's shares.
    thetas : iterable of pairs of Theta
        The pairs that are hidden.
    independent : bool

    Raises
    ------
    DistanceError
        If a share is outside [0, 1].
    """
    known = list(thetas)
    if not known:
        raise DistanceError("There must be at least one pair of shares to compare with, got none.")
    if not all(0 <= share <= 1 for share in believed):
        raise DistanceError(f"A share must be in [0, 1], got {min(believed):g}, {max(believed):g}.")

    def apart(share: float, theta: Theta) -> float:
        if not independent:
            own = Theta(theta.secret, share, theta.n, theta.replacement)
            return 0.0 if own.having == theta.having else math.inf
        one, other = (share, 1 - share), (theta.proportion, 1 - theta.proportion)
        return theta.n * max(max_divergence(one, other), max_divergence(other, one))

    return min(
        max(apart(share, theta) for share, theta in zip(order, pair, strict=True))
        for pair in known
        for order in (believed, believed[::-1])
    )
