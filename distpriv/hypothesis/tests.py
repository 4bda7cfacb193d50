"""Tests of whether a record is in the data: precision, recall and F-scores (Liu et al. 2019).

Tests of a share need none of this: `PrivacyLoss.f_score` and `.precision` have it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from distpriv.arrays import FloatArray, number, numbers
from distpriv.display import Result
from distpriv.errors import DistprivError
from distpriv.mechanisms.gaussian import classical_distance
from distpriv.privacy.loss import NormalLoss, normal_delta, normal_distance
from distpriv.text import one_of, significant

__all__ = ["RecordTest", "auxiliary_factor", "f_score_floor", "max_epsilon", "max_f_score"]
__all__ += ["plausible_deniability"]

_STEPS = 60  # of a sequence that converges in about six
_SAME = 1e-12


def auxiliary_factor(prior: float = 0.0, records: float = 0.0, time: float = 0.0) -> float:
    """Compute κ = (2 − ρ_p)(1 − ρ_c)(1 − ρ_t) − 1, on which false positives are scaled down.

    It is 1 − ρ_p − (2 − ρ_p)(ρ_c + ρ_t(1 − ρ_c)) of Equations 17, 20 and 23; 1 knows nothing. From
    0 to 1 are ρ_p of a prior that is not even, ρ_c of correlated records, ρ_t of the same record at
    other times. DistprivError if one is not, or κ is not above 0.

    Examples
    --------
    >>> round(dp.hypothesis.auxiliary_factor(prior=0.2, records=0.1), 2)
    0.62
    """
    for name, value in (("prior", prior), ("other records", records), ("other times", time)):
        number(f"What an attacker knows from the {name}", value, 0, 1)
    factor = (2 - prior) * (1 - records) * (1 - time) - 1
    if not factor > _SAME:
        raise DistprivError(
            f"This attacker knows the answer without any release (κ = {significant(factor)}, which "
            "must be above 0); let it know less."
        )
    return factor


def f_score_floor(beta: float, factor: float = 1.0) -> float:
    """Compute F_β of an attacker who always says yes, (1 + β²)/(1 + β² + κ).

    β is above 0 and below 10⁶, the factor κ above 0, see `auxiliary_factor`.

    Examples
    --------
    >>> round(dp.hypothesis.f_score_floor(beta=1), 3)
    0.667
    """
    number("κ", factor, 0, above=True)
    return (1 + _weight(beta)) / (1 + _weight(beta) + factor)


@dataclass(frozen=True, eq=False, repr=False)
class RecordTest(Result):
    """Hold what noise leaves to tests of a record, and what else the attacker knows.

    Noise is added to Q, and a test says that the record is there above ψ = (θ − Q(D′))/ΔQ: 0 is
    the result without it, 1 with it. Which of two values it has is the same test (Theorem 5). For q
    statistics Theorem 4 takes qε: pessimistic if ΔQ is the L1 sensitivity of all (erratum 8).

    Attributes
    ----------
    epsilon : array_like
        From 0 to 10⁶.
    delta : float, optional
        Of Gaussian noise, above 0 and below 1; None: Laplace noise of scale ΔQ/ε.
    calibration : {"exact", "classical"}
        Of Gaussian noise.
    prior, records, time : float
        What the attacker knows, from 0 to 1, see :func:`auxiliary_factor`, also for errors.

    Examples
    --------
    >>> test = dp.hypothesis.RecordTest(epsilon=[0.5, 2])
    >>> test.to_frame().round(3)
       epsilon  f_score  threshold
    0      0.5    0.667       -inf
    1      2.0    0.819      0.409
    """

    epsilon: ArrayLike
    delta: float | None = None
    calibration: str = "exact"
    prior: float = 0.0
    records: float = 0.0
    time: float = 0.0

    def __post_init__(self) -> None:
        numbers("ε", self.epsilon, 0, 1e6)
        one_of("calibration", self.calibration, ("exact", "classical"))
        if self.delta is not None:
            number("δ", self.delta, 0, 1, above=True, below=True)
        _ = self.factor

    def __repr__(self) -> str:
        noise = "Laplace noise" if self.delta is None else f"Gaussian noise, δ = {self.delta:g}"
        epsilon, score = np.atleast_1d(self.epsilon), np.atleast_1d(self.f_score())
        some = f"ε = {epsilon.flat[0]:g}: largest F1 {score.flat[0]:.3f}"
        more = f" and {epsilon.size - 1} more" * (epsilon.size > 1)
        return f"RecordTest({noise}, {some}{more})"

    def to_frame(self) -> pd.DataFrame:
        """Return by ε the largest F1 of any test, f_score, and its threshold ψ."""
        columns = {
            "epsilon": self.epsilon,
            "f_score": self.f_score(),
            "threshold": self.threshold(),
        }
        return pd.DataFrame({name: np.ravel(column) for name, column in columns.items()})

    @cached_property
    def factor(self) -> float:
        """The attacker's κ."""
        return auxiliary_factor(self.prior, self.records, self.time)

    @cached_property
    def apart(self) -> FloatArray:
        """Distance of the two results, in scales of Laplace or deviations of Gaussian noise."""
        epsilon = np.asarray(self.epsilon, float)
        if self.delta is None:
            return epsilon
        law = classical_distance if self.calibration == "classical" else normal_distance
        return law(epsilon, np.asarray(self.delta))

    def rates(self, threshold: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return true and false positive rates, RSR and GSR, above ψ (Equations 9, 10 and 14).

        Equation 29 writes the variance of Gaussian noise for its deviation (erratum 8).
        """
        psi = self._fitting("A threshold", threshold)
        return self._up_to((1 - psi) * self.apart), self._up_to(-psi * self.apart)

    def densities(self, released: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return densities of a release at ψ with the record and without it."""
        psi = self._fitting("A release", released)
        return self._density((psi - 1) * self.apart), self._density(psi * self.apart)

    def likelihood_ratio(self, released: ArrayLike) -> FloatArray:
        """Return the ratio of `densities`, also where no float holds them; ∞ where none holds it.

        It is what plausible deniability is about.
        """
        psi = self._fitting("A release", released)
        if self.delta is None:
            return np.asarray(np.exp((abs(psi) - abs(psi - 1)) * self.apart))
        with np.errstate(over="ignore"):
            return np.asarray(np.exp((psi - 0.5) * self.apart**2))

    def precision(self, recall: ArrayLike) -> FloatArray:
        """Return the largest precision at a recall R in (0, 1], R/(R + κ GSR) (Equation 23)."""
        true = self._fitting("A recall", numbers("A recall", recall, 0, 1, above=True))
        with np.errstate(divide="ignore"):
            place = np.where(true <= 0.5, np.log(2 * true), -np.log(2 * (1 - true)))
        place = place if self.delta is None else ndtri(true)
        return np.asarray(true / (true + self.factor * self._up_to(place - self.apart)))

    def scores(
        self, threshold: ArrayLike, beta: float = 1.0
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return recall, precision and F_β above ψ (Equations 11 and 23)."""
        weight, (true, false) = _weight(beta), self.rates(threshold)
        wrong = self.factor * false
        return true, true / (true + wrong), (1 + weight) * true / (true + wrong + weight)

    def f_score(self, beta: float = 1.0) -> FloatArray:
        """Return the largest F_β of any test.

        For Laplace noise it is the floor for ε < ln(1 + β²/κ), else
        (1 + β²)(r − 1)/((1 + β²)r − 1 + β²) with r = √(1 + 4β²e^ε/κ) (Equations 12, 18, 21, 24),
        computed in 1/r, so that e^ε does not overflow. For Gaussian noise (Equation 15) it is
        (1 + β²)u/(u + κ) of the largest u = RSR/(GSR + β²/κ), to which Dinkelbach's steps rise.
        """
        weight, odds = _weight(beta), _weight(beta) / self.factor
        if self.delta is None:
            shrunk = np.exp(-self.apart)
            inverse = np.sqrt(shrunk / (shrunk + 4 * odds))
            risen = (1 + weight) * (1 - inverse) / (1 + weight - (1 - weight) * inverse)
            small = self.apart < math.log1p(odds)
            return np.where(small, f_score_floor(beta, self.factor), risen)
        ratio = np.full(self.apart.shape, 1 / (1 + odds))
        with np.errstate(divide="ignore", invalid="ignore"):
            for _ in range(_STEPS):
                far = np.nan_to_num(np.log(ratio) / self.apart, nan=0.0)
                risen = ndtr(self.apart / 2 - far) / (ndtr(-self.apart / 2 - far) + odds)
                before, ratio = ratio, np.maximum(ratio, risen)
                if (ratio <= before * (1 + 1e-15)).all():
                    break
        return np.asarray((1 + weight) * ratio / (ratio + self.factor))

    def threshold(self, beta: float = 1.0) -> FloatArray:
        """Return the ψ of the largest F_β; −∞ where that is to say yes always."""
        best, power = self.f_score(beta), 1 if self.delta is None else 2
        level = np.log(self.factor * best / (1 + _weight(beta) - best))  # of likelihood ratios
        with np.errstate(divide="ignore", invalid="ignore"):
            psi = 0.5 + level / self.apart**power / (3 - power)
        return np.where(best > f_score_floor(beta, self.factor) + _SAME, psi, -np.inf)

    def _fitting(self, what: str, values: ArrayLike) -> FloatArray:
        """Return numbers, infinite ones too, that broadcast with ε."""
        result = numbers(what, values, finite=False)
        try:
            np.broadcast_shapes(result.shape, self.apart.shape)
        except ValueError:
            raise DistprivError(
                f"{what} is one number, or as many as there are ε, {self.apart.shape}; it has the "
                f"shape {result.shape}."
            ) from None
        return result

    def _density(self, x: FloatArray) -> FloatArray:
        """Density of noise, on the scale of ψ, at so many scales or deviations."""
        if self.delta is None:
            return np.asarray(self.apart * np.exp(-abs(x)) / 2)
        return np.asarray(self.apart * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi))

    def _up_to(self, x: FloatArray) -> FloatArray:
        """Chance that noise of scale or deviation 1 is at most x."""
        if self.delta is not None:
            return np.asarray(ndtr(x))
        half = np.exp(-abs(x)) / 2
        return np.where(x <= 0, half, 1 - half)


def max_f_score(
    epsilon: ArrayLike,
    beta: float,
    prior: float = 0.0,
    records: float = 0.0,
    time: float = 0.0,
    *,
    delta: float | None = None,
    calibration: str = "exact",
) -> FloatArray:
    """Compute the largest F_β of any test of a record, see :meth:`RecordTest.f_score`.

    The result has the shape of ε. β, above 0 and below 10⁶, weighs recall against precision; for
    the others, and errors, see :class:`RecordTest`.

    Examples
    --------
    >>> dp.hypothesis.max_f_score([0.5, 2], beta=1).round(3)
    array([0.667, 0.819])
    """
    return RecordTest(epsilon, delta, calibration, prior, records, time).f_score(beta)


def max_epsilon(
    f_score: ArrayLike,
    beta: float,
    prior: float = 0.0,
    records: float = 0.0,
    time: float = 0.0,
    *,
    delta: float | None = None,
    calibration: str = "exact",
) -> FloatArray:
    """Compute the largest ε at which no test of a record exceeds a bound on F_β (Table 1).

    F_β <= f says RSR − e^l GSR <= t, with e^l = κf/(1 + β² − f) and t = β²f/(1 + β² − f), a
    promise. Laplace noise keeps it up to ε = l − 2 ln(1 − t), Gaussian noise up to a distance. The
    bound is from the floor, see :func:`f_score_floor`, to below 1; the result has its shape. For
    the others see :func:`max_f_score`; it is an error, too, if noise of this δ exceeds the bound
    always.

    Examples
    --------
    >>> float(dp.hypothesis.max_epsilon(0.75, beta=1).round(3))
    1.322
    """
    weight, factor = _weight(beta), RecordTest(0.0, delta, calibration, prior, records, time).factor
    bound, floor = numbers("A bound on F-scores", f_score), f_score_floor(beta, factor)
    if not ((bound >= floor - _SAME) & (bound < 1)).all():
        raise DistprivError(
            f"Always saying yes reaches an F-score of {floor:.4g}; set a bound from there "
            f"to below 1, not {f_score!r}."
        )
    bound = np.maximum(bound, floor)
    rest, missed = 1 + weight - bound, (1 + weight) * (1 - bound)
    level = np.log(factor * bound / rest)
    if delta is None:
        return np.maximum(level - 2 * np.log(missed / rest), 0.0)
    # H(−l) = 1 − e^−l + e^−l H(l) for normals, whose two orders are alike
    lost = np.where(level >= 0, weight * bound / rest, 1 - missed / (factor * bound))
    apart = normal_distance(np.asarray(abs(level), np.float64), lost.clip(1e-300, 1 - 1e-16))
    apart = np.where(lost > 0, apart, 0.0)
    if calibration == "classical":
        return apart / classical_distance(np.array(1.0), np.array(delta))
    if (normal_delta(apart, 0.0) <= delta).any():
        raise DistprivError(
            f"Gaussian noise of δ = {delta:g} lets an attacker exceed an F-score of "
            f"{bound.min():.4g} at every ε; allow more, or take a smaller δ."
        )
    return NormalLoss(apart[..., None], np.ones((*apart.shape, 1))).epsilon(delta)


def plausible_deniability(epsilon: ArrayLike, false_alarms: ArrayLike) -> FloatArray:
    """Compute λ, the likelihood ratio at which a test with a rate of false alarms α says yes.

    e^−ε/(4α²), above ½ 4(1 − α)²e^−ε: Equations 6 and 8 of Section 4.1.5, which has
    e^−ε/(4(1 − α)²) there (erratum 8). No result of Laplace noise has a likelihood ratio outside
    e^−ε to e^ε; a λ outside stands for a threshold beyond both results. ε is from 0 to 10⁶, α from
    0 (where λ is ∞) to 1; they are as many, or one of them a single number.

    Examples
    --------
    >>> dp.hypothesis.plausible_deniability(1, [0.05, 0.25]).round(2)
    array([36.79,  1.47])
    """
    alarms = numbers("A rate of false alarms", false_alarms, 0, 1)
    levels = numbers("ε", epsilon, 0, 1e6)
    if alarms.ndim and levels.ndim and alarms.shape != levels.shape:
        raise DistprivError(f"ε and α are as many, not {levels.shape} and {alarms.shape}.")
    with np.errstate(divide="ignore"):
        ratio = np.where(alarms <= 0.5, (2 * alarms) ** -2.0, 4 * (1 - alarms) ** 2)
    return np.asarray(ratio * np.exp(-levels))


def _weight(beta: float) -> float:
    return number("β", beta, 0, 1e6, above=True, below=True) ** 2
