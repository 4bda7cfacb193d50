"""The coupling mechanism: the least Gaussian noise that needs no bell curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from distpriv.errors import InapplicableError
from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import FloatArray, Mechanism, register
from distpriv.mechanisms.least_for_both import least_for_persons
from distpriv.model.gaussian import GaussianModel
from distpriv.model.swaps import Differences
from distpriv.privacy.calibration import Calibration, check_delta, check_epsilon
from distpriv.privacy.coupled import certified_scale, pilot_scale, radii_of
from distpriv.privacy.coupling_bound import CHARGED, differences_of, largest_bound
from distpriv.privacy.noise import Noise, gaussian_noise
from distpriv.privacy.per_record import gaussian_reach
from distpriv.privacy.record_moves import RecordMoves
from distpriv.words import exact

__all__ = ["CouplingMechanism", "least_shape"]

_ROUNDS = {True: 4, False: 40}  # of the fixed point, for one law and for several
_RESTED = 2e-3
_STEP = 2.0
_BOTH = 2  # what certainty costs is known after the first
_NEAR = 0.5
_UNSEEN = 1e-3
_NONE, _TINY = 1e-12, 1e-300
_DRAWS = 100_000  # enough for a calibration, of all that a bound takes
_CLOSE = 1e-3
_RANK = 1e-14
_MORE, _MOST = 1.02, 4.0  # of the noise's variance, to be tried at a time and in all
_ROUNDING = 1e-9
_MANY = 1 << 14  # moves of a record that are weighed one by one


@register
class CouplingMechanism(Mechanism):
    r"""N(0, S), S of least trace among those that keep (ε, δ) by the coupling bound.

    (ε, δ)-distribution private whatever the laws of the statistics: it rests on how the records
    are drawn alone (:mod:`distpriv.privacy.coupled`). The condition of stationarity is
    :math:`S^2 \propto \sum_p \mu_p E[w(r) D D^T]`, :math:`w = \varphi(r/2 - \varepsilon/r)/(2r)`,
    the sum over the pairs that bind; S starts at :math:`(E D D^T)^{1/2}` and is followed until its
    trace rests, then scaled until every pair's bound is at most δ.
    """

    name = "CoupM"
    position = 55
    title = "Coupling mechanism"
    summary = (
        "Gaussian noise whose promise needs no bell curve, only the way the records are drawn."
    )
    source = "Coupling bound, by the joint convexity in Balle, Barthe & Gaboardi (2018)"
    distribution = "gaussian"
    shown_at_first = False  # draws anew for every n and Δp, for which no page is to wait unasked
    from_records = True
    full_rank = True
    records: RecordLaw | None = None

    def with_persons(self, moves: RecordMoves, allowed: float) -> Mechanism:
        """The same with each record's moves as one more law that binds."""
        both = CouplingMechanism()
        both.records = RecordLaw(moves, allowed)
        return both

    def plan(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Noise:
        """The least noise that the coupling bound allows; it knows no calibration."""
        epsilon, delta = check_epsilon(epsilon), check_delta(delta)
        all_laws = differences_of(model)
        laws = [law for law in dict.fromkeys(all_laws) if not law.is_zero]
        covariance = np.zeros((len(model.query),) * 2)
        if laws:
            charged = CHARGED * delta / len(laws)

            def certified(shape: FloatArray, pilot: bool = False) -> float:
                """The scale that the draws that vouch allow, or about it by the pilot draws."""
                return max(
                    certified_scale(
                        radii_of(law, shape, charged, pilot=pilot, most=_DRAWS),
                        radii_of(law, shape, charged, pilot=True),
                        epsilon,
                        delta,
                        charged,
                    )
                    for law in laws
                )

            shape = self._shape(laws, epsilon, delta, partial(certified, pilot=True))
            scale = certified(shape)
            if self.records is not None:
                scale = max(scale, self.records.scale(shape))
            covariance = shape * (scale if scale > _NONE else 0.0)
        elif self.records is not None:
            weights = np.ones(len(model.query))
            covariance = least_for_persons(self.records.moves, self.records.allowed, weights)
        if not np.isfinite(covariance).all():
            raise InapplicableError(
                f"δ = {exact(delta)} is less than rounding takes from the law that CoupM knows; "
                "take a larger δ."
            )
        return _held(all_laws, gaussian_noise(self.name, covariance, epsilon=epsilon, delta=delta))

    def _shape(
        self,
        laws: Sequence[Differences],
        epsilon: float,
        delta: float,
        foreseen: Callable[[FloatArray], float],
    ) -> FloatArray:
        """The shape of the noise, by the pilot draws alone: the others are to vouch for it.

        Parameters
        ----------
        foreseen : callable
            From a shape to the scale that is to be expected for it.
        """
        shape = least_shape(laws, epsilon, delta)
        if self.records is None or self.records.scale(shape) <= foreseen(shape):
            return shape
        dearer = 1.0
        for _ in range(_BOTH):
            shape = least_shape(laws, epsilon, delta, self.records, dearer)
            scale = foreseen(shape)
            if math.isinf(scale):
                break
            dearer = max(scale, _NONE) / max(*_scales(laws, shape, epsilon, delta), _NONE)
        return shape

    def assumptions(
        self, model: GaussianModel, calibration: Calibration | None
    ) -> tuple[Assumption, ...]:
        """None: the sampling of the records is not an assumption on the distributions."""
        return ()


def _held(laws: Sequence[Differences], noise: Noise) -> Noise:
    """Return the noise, raised as little as the coupling bound by all draws asks for.

    A calibration takes some of the draws; the bound falls as the noise grows, so that the least
    noise that it allows is one test of it, as with the calibration itself.
    """
    factor = 1.0
    while factor < _MOST:
        more = replace(noise, scales=noise.scales * math.sqrt(factor))
        if largest_bound(laws, more, noise.epsilon).value <= noise.delta * (1 + _ROUNDING):
            return more
        if noise.is_zero:
            break
        factor *= _MORE
    raise InapplicableError(
        f"The coupling bound allows no noise of CoupM for δ = {exact(noise.delta)} here: so few "
        "draws tell too little of records that are taken instead of others; take a larger δ or "
        "fewer records."
    )


class RecordLaw:
    """Moves of one record, as one more law for which the noise has to suffice.

    Parameters
    ----------
    moves : RecordMoves
    allowed : float > 0
        The Mahalanobis length that a move may have.
    """

    def __init__(self, moves: RecordMoves, allowed: float) -> None:
        self.moves, self.allowed = moves, allowed
        self._prices: FloatArray | None = None

    def scale(self, shape: FloatArray) -> float:
        """By what a covariance has to be multiplied until no move is too long."""
        return (gaussian_reach(shape, self.moves) / self.allowed) ** 2

    def slope(self, shape: FloatArray) -> FloatArray:
        """Σ λ Δ Δᵀ over the moves, λ larger for those that are longer, at every call anew."""
        if self.moves.count > _MANY:
            return np.diag(self.moves.reach**2)
        vertices = self.moves.vertices
        whitened = np.linalg.solve(np.linalg.cholesky(shape), vertices.T)
        squares = (whitened**2).sum(axis=0)
        if self._prices is None:
            self._prices = np.full(len(vertices), 1 / len(vertices))
        self._prices = self._prices * (squares / squares.max()) ** _STEP
        self._prices = self._prices / self._prices.sum()
        return np.asarray((vertices.T * self._prices) @ vertices)


def least_shape(
    laws: Sequence[Differences],
    epsilon: float,
    delta: float,
    records: RecordLaw | None = None,
    dearer: float = 1.0,
) -> FloatArray:
    """Covariance of least trace by the pilot draws, shape (m, m), to be scaled.

    Parameters
    ----------
    laws : sequence of Differences, at least one, none of them 0
    epsilon : float > 0
    delta : float in (0, 1)
    records : RecordLaw, optional
        To be kept as well.
    dearer : float > 0
        By how much more the laws ask than the pilot draws tell.
    """

    def asked(shape: FloatArray) -> list[float]:
        own = [dearer * scale for scale in _scales(laws, shape, epsilon, delta)]
        return own if records is None else [*own, records.scale(shape)]

    total = sum((law.second_moment for law in laws), np.zeros(1))
    if records is not None:
        persons = least_for_persons(records.moves, records.allowed, np.ones(len(total)))
        total = total / np.trace(total) + persons / np.trace(persons)
    shape = _root(total)
    scales = asked(shape)
    if max(scales) < _NONE:  # two datasets differ more rarely than by δ
        return shape
    # Others may bind in the end, if hardly; the scale of the noise takes all into account.
    least_scale = 0.0 if records is not None else _NEAR * max(scales)
    near = [index for index, scale in enumerate(scales) if scale >= least_scale]
    laws = [laws[index] for index in near if index < len(laws)]
    scales = [scales[index] for index in near]
    multipliers = np.ones(len(scales))
    best, least = shape, math.inf
    for _ in range(_ROUNDS[len(multipliers) == 1]):
        shape = shape * max(scales)
        trace = float(np.trace(shape))
        rests = trace > least * (1 - _RESTED)
        if trace < least:
            best, least = shape, trace
        if rests and len(multipliers) == 1:
            break
        multipliers *= (np.array(scales) / max(scales)) ** _STEP
        slopes = [_slope(law, shape, epsilon) for law in laws]
        if records is not None:
            slopes.append(records.slope(shape))
            slopes = [slope / max(float(np.trace(slope)), _TINY) for slope in slopes]
        shape = _root(np.tensordot(multipliers, slopes, axes=1))
        scales = asked(shape)
    return best


def _scales(
    laws: Sequence[Differences], shape: FloatArray, epsilon: float, delta: float
) -> list[float]:
    radii = [radii_of(law, shape, 0.0, pilot=True) for law in laws]
    return [pilot_scale(known, epsilon, delta, _CLOSE) for known in radii]


def _slope(law: Differences, shape: FloatArray, epsilon: float) -> FloatArray:
    """E[w(r) D Dᵀ], and a little of E[D Dᵀ] for what the pilot draws have not met."""
    roots = np.linalg.inv(np.linalg.cholesky(shape))
    radii = np.maximum(np.linalg.norm(law.pilot @ roots.T, axis=1), 1e-150)
    with np.errstate(over="ignore"):
        weights = np.exp(-((radii / 2 - epsilon / radii) ** 2) / 2) / radii * law.pilot_weights
    slope = (law.pilot * weights[:, None]).T @ law.pilot
    moment = law.second_moment
    return np.asarray(slope + _UNSEEN * moment * np.trace(slope) / np.trace(moment))


def _root(matrix: FloatArray) -> FloatArray:
    """The positive definite square root, but for directions in which nothing moves."""
    values, vectors = np.linalg.eigh(matrix)
    floor = _RANK * float(values[-1])
    return np.asarray((vectors * np.sqrt(np.maximum(values, floor))) @ vectors.T)
