"""How well the Gaussian model fits the simulated statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import eigh
from scipy.special import betaincinv, ndtr, ndtri

from distpriv.arguments import Within, checked
from distpriv.errors import ModelError
from distpriv.model.gaussian import PairModel
from distpriv.model.sampling import Interval
from distpriv.queries.properties import Pair
from distpriv.words import exact, share

__all__ = [
    "CovarianceDifference",
    "FitDiagnostics",
    "Mardia",
    "fit_diagnostics",
    "mardia",
]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Mardia:
    """Mardia's multivariate skewness and kurtosis, with their asymptotic tests.

    A normal distribution has skewness 0 and the expected kurtosis m(m + 2).
    """

    skewness: float
    kurtosis: float
    expected_kurtosis: float
    skewness_p_value: float
    kurtosis_p_value: float


@dataclass(frozen=True, eq=False)
class CovarianceDifference:
    """How far the covariances of a pair's two proportions differ.

    Attributes
    ----------
    variance_ratios : ndarray, shape (m,)
        Variance under p_j over that under p_i, for each statistic.
    eigenvalues : ndarray, shape (m,)
        Of Σ_i⁻¹Σ_j, ascending: that ratio along the directions in which it is extreme, whatever
        the units; ∞ where Σ_i is singular.
    box_m, p_value : float
        Box's M of the simulated covariances (Box 1949, Biometrika 36), and its probability if
        they are equal. It takes deviations from normality for differences too.
    """

    variance_ratios: FloatArray
    eigenvalues: FloatArray
    box_m: float
    p_value: float


@dataclass(frozen=True, eq=False)
class FitDiagnostics:
    """Simulated statistics held against the normal distributions of a fit.

    With enough datasets any test rejects; what matters is how large a deviation is. The first
    index is that of p_i, p_j.

    Attributes
    ----------
    pair : Pair
    datasets : int
        R, for each proportion.
    quantiles : ndarray, shape (Q,)
        Medians of standard normal order statistics.
    envelope : ndarray, shape (2, Q)
        Where each of them lies with probability 95 % (pointwise).
    simulated : ndarray, shape (2, Q, m)
        The simulated order statistics, standardised with the fitted mean and variance.
    test : str
    p_values, skewness, excess_kurtosis : ndarray, shape (2, m)
    kolmogorov, steps : ndarray, shape (2, m)
        Largest difference of the simulated and the fitted distribution function, and half the
        share of the most frequent value: no continuous function comes closer than that.
    kolmogorov_chance : float
        What the difference stays below with probability 95 % if the fit is right.
    accuracy : Interval
        How often the attacker who is best by the fit, with its pooled covariance and at equal
        priors, names the proportion of a simulated dataset rightly.
    expected_accuracy : float
        How often by the fit: Φ(d/2), d the Mahalanobis distance.
    mardia : tuple of two Mardia
    covariances : CovarianceDifference
    """

    pair: Pair
    datasets: int
    quantiles: FloatArray
    envelope: FloatArray
    simulated: FloatArray
    test: str
    p_values: FloatArray
    skewness: FloatArray
    excess_kurtosis: FloatArray
    kolmogorov: FloatArray
    steps: FloatArray
    kolmogorov_chance: float
    accuracy: Interval
    expected_accuracy: float
    mardia: tuple[Mardia, Mardia]
    covariances: CovarianceDifference


@checked(ModelError)
def fit_diagnostics(
    simulated: FloatArray, fit: PairModel, *, points: Annotated[int, Within(2, 10**6)] = 60
) -> FitDiagnostics:
    """Hold simulated statistics against the fitted normals.

    The test of each statistic is Shapiro & Wilk's (1965) up to 5000 datasets, D'Agostino &
    Pearson's K² (1973) beyond. The k-th of R order statistics is Φ⁻¹ of a Beta(k, R + 1 − k)
    variable, which gives quantiles and envelope.

    Parameters
    ----------
    simulated : ndarray, shape (2, R, m)
        R datasets under p_i and p_j, see :func:`distpriv.model.simulate`; R at least 8 and m + 2.
    fit : PairModel
    points : int, at least 2
        Order statistics to keep for the plot.

    Too few datasets and statistics that are the same in all of them are a `ModelError`.
    """
    values = _checked(simulated, fit)
    count = values.shape[1]
    deviations = np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2))
    if not deviations.all():
        raise ModelError(
            f"Statistic {int(np.argmin(deviations.min(axis=0))) + 1} does not vary under one of "
            "the shares, so no normal curve describes it; leave it out."
        )
    ordered = np.sort((values - fit.means[:, None]) / deviations[:, None], axis=1)
    few = count <= 5000
    tested = (stats.shapiro if few else stats.normaltest)(values, axis=1)
    end = float(ndtri(0.625 / (count + 0.25)))
    wanted = ndtr(np.linspace(end, -end, max(points, 2))) * (count + 0.25) + 0.375
    ranks = np.unique(np.clip(np.rint(wanted).astype(np.intp), 1, count))
    low, middle, high = ndtri(betaincinv(ranks, count + 1 - ranks, [[0.025], [0.5], [0.975]]))
    return FitDiagnostics(
        pair=fit.pair,
        datasets=count,
        quantiles=middle,
        envelope=np.array([low, high]),
        simulated=ordered[:, ranks - 1],
        test="Shapiro–Wilk" if few else "D'Agostino–Pearson",
        p_values=np.asarray(tested.pvalue),
        skewness=np.asarray(stats.skew(values, axis=1)),
        excess_kurtosis=np.asarray(stats.kurtosis(values, axis=1)),
        kolmogorov=np.asarray(stats.ks_1samp(ordered, ndtr, axis=1, method="asymp").statistic),
        steps=np.array(
            [[np.unique(x, return_counts=True)[1].max() / (2 * count) for x in v.T] for v in values]
        ),
        kolmogorov_chance=float(stats.kstwo.ppf(0.95, count)),
        accuracy=_accuracy(values, fit),
        expected_accuracy=float(ndtr(fit.mahalanobis / 2)),
        mardia=(mardia(values[0]), mardia(values[1])),
        covariances=_covariance_difference(values, fit),
    )


def mardia(values: FloatArray) -> Mardia:
    r"""Multivariate skewness and kurtosis (Mardia 1970, Biometrika 57, 519–530).

    With Mahalanobis products :math:`g_{rs} = (x_r-\bar x)^T S^{-1}(x_s-\bar x)` and S of
    divisor R: :math:`b_1 = R^{-2}\sum_{rs} g_{rs}^3`, :math:`b_2 = R^{-1}\sum_r g_{rr}^2`. For
    large R, R b_1/6 is chi-squared with m(m + 1)(m + 2)/6 degrees of freedom and
    (b_2 − m(m + 2))/√(8m(m + 2)/R) standard normal.

    Parameters
    ----------
    values : ndarray, shape (R, m)
        Of full rank.
    """
    count, m = values.shape
    centred = values - values.mean(axis=0)
    root = np.linalg.cholesky(centred.T @ centred / count)
    whitened = np.linalg.solve(root, centred.T).T
    # b_1 is the squared length of the third moments: no R × R matrix of products.
    products = (whitened[:, :, None] * whitened[:, None, :]).reshape(count, m * m)
    skewness = float((((products.T @ whitened) / count) ** 2).sum())
    kurtosis = float(((whitened**2).sum(axis=1) ** 2).mean())
    expected = float(m * (m + 2))
    score = (kurtosis - expected) / math.sqrt(8 * expected / count)
    skewness_p = float(stats.chi2.sf(count * skewness / 6, m * (m + 1) * (m + 2) / 6))
    return Mardia(skewness, kurtosis, expected, skewness_p, float(2 * ndtr(-abs(score))))


def _accuracy(values: FloatArray, fit: PairModel) -> Interval:
    """Share of datasets on the right side of the fitted linear rule, with Wilson's interval."""
    scores = (values - fit.means.mean(axis=0)) @ np.linalg.solve(fit.pooled, fit.difference)
    right = (1 + np.sign(scores[0]).mean() / 2 - np.sign(scores[1]).mean() / 2) / 2
    test = stats.binomtest(round(right * scores.size), scores.size)
    low, high = test.proportion_ci(method="wilson")
    return Interval(float(right), float(low), float(high))


def _covariance_difference(values: FloatArray, fit: PairModel) -> CovarianceDifference:
    """Compare the fitted covariances, and test the simulated ones for equality."""
    _, count, m = values.shape
    sampled = np.array([np.cov(part.T).reshape(m, m) for part in values])
    logs = [np.linalg.slogdet(matrix)[1] for matrix in (sampled.mean(axis=0), *sampled)]
    box = (count - 1) * float(2 * logs[0] - logs[1] - logs[2])
    correction = 1 - (2 * m**2 + 3 * m - 1) / (4 * (m + 1) * (count - 1))
    first, second = fit.covariances
    # With λ of the pooled covariance for Σ_j there are 2 − λ for Σ_i, which may be singular.
    parts = np.clip(eigh(second, fit.pooled, eigvals_only=True), 0.0, 2.0)
    with np.errstate(divide="ignore"):
        ratios, eigenvalues = np.diag(second) / np.diag(first), parts / (2 - parts)
    p_value = float(stats.chi2.sf(max(box * correction, 0.0), m * (m + 1) / 2))
    return CovarianceDifference(ratios, eigenvalues, box, p_value)


def check_simulated(simulated: FloatArray, fit: PairModel) -> FloatArray:
    """Enough simulated datasets, as the fit has statistics, or `ModelError`."""
    values = np.asarray(simulated, dtype=np.float64)
    m = fit.means.shape[1]
    least = max(8, m + 2)
    fits = values.ndim == 3 and values.shape[::2] == (2, m) and values.shape[1] >= least
    if not (fits and np.isfinite(values).all()):
        raise ModelError(
            f"Diagnostics need simulated values of shape (2, {least} or more, {m}), all of them "
            f"finite, got shape {values.shape}."
        )
    return values


def _checked(simulated: FloatArray, fit: PairModel) -> FloatArray:
    values = check_simulated(simulated, fit)
    m = fit.means.shape[1]
    for part, true in zip(values, (fit.pair.p_i, fit.pair.p_j), strict=True):
        where = f"in all {exact(len(part))} simulated datasets with a share of {share(true)}"
        constant = np.flatnonzero(np.ptp(part, axis=0) <= 1e-12 * np.abs(part).max(axis=0))
        if constant.size:
            raise ModelError(f"Statistic {constant[0] + 1} is the same {where}; leave it out.")
        if np.linalg.eigvalsh(np.corrcoef(part.T).reshape(m, m))[0] < 1e-10:
            raise ModelError(f"The statistics determine each other {where}; simulate more.")
    return values
