"""The least noise for two promises at once: about the share, and to each person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distpriv.mechanisms.least_guarded import counting, least_kept
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import Calibration, gaussian_distance
from distpriv.privacy.lengths import Lengths, Together
from distpriv.privacy.promises import Promises
from distpriv.privacy.record_moves import RecordMoves

__all__ = ["least_for_both", "least_for_persons"]

FloatArray = NDArray[np.float64]

_ALL = 64  # extreme moves that are all taken into the program from the beginning
_MANY = 1 << 17  # beyond it they are looked for one by one
_CLOSE = 1e-6
_ROUNDS = 40
_STATISTICS = 3  # moves a statistic taken into the program at once


def least_for_persons(moves: RecordMoves, allowed: float, weights: FloatArray) -> FloatArray:
    r"""Least noise for the persons alone if every statistic may move by itself, shape (m, m).

    min Σ w s subject to Σ r²/s ≤ μ²: :math:`s_i = r_i \sum_j r_j\sqrt{w_j} / (\mu^2 \sqrt{w_i})`.
    By the symmetry of the box no other covariance is less, and where several statistics move
    together it still keeps the promise. Statistics that do not move have none.

    Parameters
    ----------
    moves : RecordMoves
    allowed : float > 0
        μ.
    weights : ndarray, shape (m,), each > 0
    """
    roots = np.sqrt(weights)
    return np.diag(moves.reach * float(moves.reach @ roots) / (allowed**2 * roots))


def least_for_both(
    model: GaussianModel,
    epsilon: float,
    delta: float,
    calibration: Calibration,
    moves: RecordMoves,
    allowed: float,
    start: FloatArray,
) -> FloatArray:
    r"""Covariance S of least trace that keeps (ε, δ) for every pair, and each record's move short.

    The semidefinite program of the pairs with :math:`S \succeq \Delta\Delta^T/\mu_p^2` for every
    move Δ of one record, that is :math:`\Delta^T S^{-1}\Delta \le \mu_p^2`. Most of the moves are
    idle: the program starts with those that are longest and takes in whichever are violated until
    none is. It is solved by the interior points of :func:`.least_kept`.

    Parameters
    ----------
    model : GaussianModel
    epsilon, delta, calibration
        See :func:`distpriv.mechanisms.calibrate`; *guarded* takes the covariances as they are.
    moves : RecordMoves
        In the units of the model; every statistic moves.
    allowed : float > 0
        μ_p, the Mahalanobis length that a move may have.
    start : ndarray, shape (m, m)
        Positive semidefinite; about what the pairs need.

    Returns
    -------
    ndarray, shape (m, m)
        Positive definite.

    Raises
    ------
    InapplicableError
        If nothing is found that keeps both promises.
    """
    promises = Promises.on([(model, epsilon, delta)])
    units = promises.units[0]
    weights = counting(promises.units**2)
    scaled = moves.in_units(units)
    begin = promises.in_units(start[None])[0] + least_for_persons(scaled, allowed, weights[0])
    pairs = calibration == "guarded"
    distance = gaussian_distance(epsilon, delta, calibration) if not pairs else 0.0
    about = Lengths(
        np.zeros((0, len(units))) if pairs else promises.differences[0],
        np.zeros((0, len(units), len(units))) if pairs else promises.covariances[0].mean(axis=1),
        np.full(0 if pairs else len(model.pairs), distance),
    )
    active = _longest(scaled, begin, 0.0)
    noise = begin
    for _ in range(_ROUNDS):
        zero = np.zeros((len(active), len(units), len(units)))
        lengths = about.and_also(Lengths(active, zero, np.full(len(active), allowed)))
        noise = least_kept(Together(promises, lengths, pairs), weights, begin[None])[0]
        if not np.isfinite(noise).all():
            break
        violated = _longest(scaled, noise, allowed * (1 + _CLOSE))
        if not len(violated):
            break
        active = np.unique(np.concatenate([active, violated]), axis=0)
    return promises.raw(noise[None])[0]


def _longest(moves: RecordMoves, noise: FloatArray, beyond: float) -> FloatArray:
    """The moves that are longest under a noise, a few a statistic, if longer than a bound."""
    values, vectors = np.linalg.eigh(noise)
    factor = vectors / np.sqrt(values)
    if moves.count > _MANY:
        length, move = moves.longest(factor)
        return np.zeros((0, moves.size)) if move is None or length <= beyond else move[None]
    lengths = np.linalg.norm(moves.vertices @ factor, axis=1)
    most = max(_ALL, _STATISTICS * moves.size)
    order = np.argsort(-lengths, kind="stable")[:most]
    return moves.vertices[order[lengths[order] > beyond]]
