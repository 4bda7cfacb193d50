"""The least noise for two promises at once: about the share, and to each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.mechanisms.least_guarded import counting, kept_multiple, least_kept
from distpriv.privacy.lengths import Lengths, Together
from distpriv.privacy.promises import Promises
from distpriv.privacy.record_moves import RecordMoves

__all__ = ["ToPersons", "least_for_both", "least_for_persons"]

FloatArray = NDArray[np.float64]

_ALL = 64  # extreme moves that are all taken into the program from the beginning
_STATISTICS = 12  # moves a statistic taken into the program at once
_FEW, _MANY = 1 << 10, 1 << 16  # beyond the one roughly, beyond the other not at all
_CLOSE, _ROUGH = 1e-6, 1e-2
_ROUNDS, _ROUGH_ROUNDS = 40, 4


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


@dataclass(frozen=True, eq=False)
class ToPersons:
    """What each record is promised besides, and how the pairs are taken.

    Attributes
    ----------
    moves : RecordMoves
        In the units of the model.
    allowed : float > 0
        μ_p, the Mahalanobis length that a move may have.
    distance : float > 0, or None
        What the pairs' means may be apart, their covariances being their mean; None for the
        promise with the covariances as they are.
    """

    moves: RecordMoves
    allowed: float
    distance: float | None = None

    @property
    def kind(self) -> tuple[int, bool]:
        """What programs that are solved at once have in common."""
        return self.moves.count, self.distance is None


def least_for_both(promises: Promises, also: Sequence[ToPersons], starts: FloatArray) -> FloatArray:
    r"""Covariances S of least trace that keep the pairs' promises and each record's move short.

    The semidefinite program of the pairs with :math:`S \succeq \Delta\Delta^T/\mu_p^2` for every
    move Δ of one record, that is :math:`\Delta^T S^{-1}\Delta \le \mu_p^2`. Most of the moves are
    idle: the program starts with those that are longest and takes in whichever are violated until
    none is. It is solved by the interior points of :func:`.least_kept`, all promises side by side.

    Parameters
    ----------
    promises : Promises
    also : sequence of ToPersons, one a promise, all of one kind
        With more than 1024 extreme moves the program is solved to a hundredth, with more than
        65 536 not at all: what persons and pairs need by themselves is added up.
    starts : ndarray, shape (promises, m, m)
        Positive definite, in the units of the promises; about what the pairs need.

    Returns
    -------
    ndarray, shape (promises, m, m)
        In the units of the promises; NaN where nothing is found.
    """
    weights = counting(promises.units**2)
    moves = [each.moves.in_units(units) for each, units in zip(also, promises.units, strict=True)]
    allowed = np.array([each.allowed for each in also])
    persons = np.array(
        [least_for_persons(*each) for each in zip(moves, allowed.tolist(), weights, strict=True)]
    )
    pairs, apart = also[0].distance is None, _apart(promises, also)
    needed = Together(promises, apart, pairs).deltas(persons).max(axis=1, initial=0)
    open_ = ~((needed <= promises.promised) & [each.alone for each in moves])
    noises = persons.copy()
    if open_.any():
        rest = np.flatnonzero(open_)
        noises[rest] = _searched(
            Together(promises.of(rest), apart.of(rest), pairs),
            weights[rest],
            persons[rest] + starts[rest],
            [moves[index] for index in rest],
            allowed[rest],
        )
    return noises


def _searched(
    together: Together,
    weights: FloatArray,
    starts: FloatArray,
    moves: Sequence[RecordMoves],
    allowed: FloatArray,
) -> FloatArray:
    """The program where both promises bind; where it is large, to a hundredth."""
    if moves[0].count > _MANY:
        return kept_multiple(together, starts)
    known = _Moves(moves)
    known.take_longest(starts, np.zeros(len(moves)))
    few = moves[0].count <= _FEW
    close, rounds = (_CLOSE, _ROUNDS) if few else (_ROUGH, _ROUGH_ROUNDS)
    noises = starts
    for _ in range(rounds):
        lengths = together.lengths.and_also(known.lengths(allowed))
        try:
            noises = least_kept(
                Together(together.promises, lengths, together.pairs), weights, starts
            )
        except np.linalg.LinAlgError:  # what leaves double precision
            return kept_multiple(together, starts)
        if not np.isfinite(noises).all() or not known.take_longest(noises, allowed * (1 + close)):
            break
    return noises


def _apart(promises: Promises, also: Sequence[ToPersons]) -> Lengths:
    """The pairs' means, where their covariances are taken for their mean."""
    count, pairs, size = promises.differences.shape
    if also[0].distance is None:
        return Lengths(
            np.zeros((count, 0, size)), np.zeros((count, 0, size, size)), np.zeros((count, 0))
        )
    distances = np.array([each.distance or 0.0 for each in also])
    return Lengths(
        promises.differences,
        promises.covariances.mean(axis=2),
        np.repeat(distances[:, None], pairs, axis=1),
    )


class _Moves:
    """Extreme moves of each program, and those of them that it counts."""

    def __init__(self, moves: Sequence[RecordMoves]) -> None:
        self.every = np.array([each.vertices for each in moves])
        self.counting = np.zeros(moves[0].count, dtype=np.bool_)

    def lengths(self, allowed: FloatArray) -> Lengths:
        """Of the moves that count."""
        vectors = self.every[:, self.counting]
        count, moves, size = vectors.shape
        beside = np.zeros((count, moves, size, size))
        return Lengths(vectors, beside, np.repeat(allowed[:, None], moves, axis=1))

    def take_longest(self, noises: FloatArray, beyond: FloatArray) -> bool:
        """Count the longest under the noises, if longer than a bound; whether there are new ones.

        Those of one program count for all that are solved beside it.
        """
        values, vectors = np.linalg.eigh(noises)
        factors = vectors / np.sqrt(values)[:, None, :]
        before = int(self.counting.sum())
        most = max(_ALL, _STATISTICS * noises.shape[-1])
        for moves, factor, bound in zip(self.every, factors, beyond.tolist(), strict=True):
            lengths = np.linalg.norm(moves @ factor, axis=1)
            order = np.argsort(-lengths, kind="stable")[:most]
            self.counting[order[lengths[order] > bound]] = True
        return int(self.counting.sum()) > before
