"""Noise that keeps its promise with the two covariances of a pair as they are."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from distpriv.errors import CalibrationError, InapplicableError
from distpriv.mechanisms.least_for_both import ToPersons, least_for_both
from distpriv.mechanisms.least_guarded import counting, least_kept, least_kept_along
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.noise import Noise, smoothnesses
from distpriv.privacy.noised import noised
from distpriv.privacy.promises import Promises
from distpriv.words import exact

__all__ = ["Guard", "Search", "Shown", "guarded", "settled", "side_by_side"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_MOST = 1e6  # times the noise that equal covariances take
_AT_ONCE = 400  # privacy losses
_MOVES = 400  # as much work as all losses
_MENDED = 1e-9
_LARGE = 1e5  # times the variance of a statistic


@dataclass(frozen=True, eq=False)
class Guard:
    """One noise to be found.

    Attributes
    ----------
    model : GaussianModel
    epsilon, delta : float
        What is promised with the covariances as they are.
    distance : float
        The largest Mahalanobis distance to try: what (ε, δ) allows at equal covariances.
    covariance_at : callable
        The mechanism's covariance for a Mahalanobis distance allowed; it grows as the distance
        falls.
    noise_of : callable
        Noise with a covariance.
    start : ndarray, shape (m, m), optional
        Positive definite. Where it is given any covariance will do, and the search for the one of
        least trace starts from here.
    also : ToPersons, optional
        What is promised to each record besides; with a start.
    """

    model: GaussianModel
    epsilon: float
    delta: float
    distance: float
    covariance_at: Callable[[float], FloatArray]
    noise_of: Callable[[FloatArray], Noise]
    start: FloatArray | None = None
    also: ToPersons | None = None

    @property
    def kind(self) -> tuple[int, int, bool, tuple[int, bool]]:
        """What guards that are answered at once have in common."""
        also = (0, True) if self.also is None else self.also.kind
        return len(self.model.pairs), len(self.model.query), self.start is not None, also


@dataclass(frozen=True, eq=False)
class Shown:
    """θ of noise on a model is to be found, see :meth:`distpriv.Noise.smoothness`."""

    noise: Noise
    model: GaussianModel


# A calibration that stops wherever it needs one of these, so that many can be answered together.
Search: TypeAlias = Generator[Guard | Shown, Any, Noise]


def guarded(guard: Guard) -> Search:
    """Search for noise that delivers (ε, δ) for each pair, with its separate covariances.

    A mechanism's noise grows, from that for equal covariances on, until it does; noise without a
    form of its own is the least there is (:func:`distpriv.mechanisms.least_guarded.least_kept`).

    Raises
    ------
    InapplicableError
        If no amount of this noise keeps the promise.
    """
    answer: Noise | None = yield guard
    if answer is None:
        raise InapplicableError(
            "However large, the noise of this mechanism leaves directions in which the two "
            f"covariances differ by more than ε = {guard.epsilon:g} and δ = {exact(guard.delta)} "
            "allow; take OptM, which adds noise in other directions too, a larger ε or δ, or a "
            "smaller Δp."
        )
    return answer


def settled(search: Search) -> Noise:
    """Run one search to its end."""
    (noise,) = side_by_side([search])
    if isinstance(noise, CalibrationError):
        raise noise
    return noise


def side_by_side(searches: Sequence[Search]) -> list[Noise | CalibrationError]:
    """What searches end with, or what they raised; faster than one by one.

    They take turns: what all of them need next is found together.
    """
    results: dict[int, Noise | CalibrationError] = {}
    asked: dict[int, Guard | Shown] = {}

    def resume(index: int, answer: Noise | float | None) -> None:
        asked.pop(index, None)
        try:
            asked[index] = searches[index].send(answer)
        except StopIteration as end:
            results[index] = end.value
        except CalibrationError as error:
            results[index] = error

    for index in range(len(searches)):
        resume(index, None)
    while asked:
        shown = {
            index: question for index, question in asked.items() if isinstance(question, Shown)
        }
        if shown:  # quick, and whoever waits for noise can be answered with them afterwards
            thetas = smoothnesses([(question.noise, question.model) for question in shown.values()])
            for index, theta in zip(shown, thetas, strict=True):
                resume(index, theta)
            continue
        guards = {
            index: question for index, question in asked.items() if isinstance(question, Guard)
        }
        for index, noise in zip(guards, _answers([*guards.values()]), strict=True):
            resume(index, noise)
    return [results[index] for index in range(len(searches))]


def _answers(guards: Sequence[Guard]) -> list[Noise | None]:
    """Noise for each guard, None where there is none."""
    answers: list[Noise | None] = [None] * len(guards)
    order = sorted(range(len(guards)), key=lambda index: guards[index].kind)
    for kind, group in groupby(order, key=lambda index: guards[index].kind):
        alike = list(group)
        step = max(1, _AT_ONCE // (2 * kind[0] + min(kind[3][0], _MOVES)))
        for first in range(0, len(alike), step):
            some = alike[first : first + step]
            chosen = [guards[index] for index in some]
            if kind[3][0]:
                noises = _least_for_both(chosen)
            else:
                noises = _least(chosen) if kind[2] else _grown(chosen)
            for index, noise in zip(some, noises, strict=True):
                answers[index] = noise
    return answers


def _grown(guards: Sequence[Guard]) -> list[Noise | None]:
    """As much of each mechanism's own noise as it takes."""
    promises = _promises(guards)

    def covariance(guard: Guard, factor: float) -> FloatArray:
        return guard.covariance_at(guard.distance / float(np.sqrt(factor)))

    def noise_at(rows: NDArray[np.intp], factors: FloatArray) -> FloatArray:
        covariances = [covariance(guards[row], factors[i]) for i, row in enumerate(rows)]
        return promises.of(rows).in_units(np.array(covariances))

    factors = least_kept_along(promises, noise_at, least=1.0, most=_MOST)
    noises = [
        None if np.isnan(factor) else covariance(guard, factor)
        for guard, factor in zip(guards, factors, strict=True)
    ]
    return _mended(guards, noises)


def _least(guards: Sequence[Guard]) -> list[Noise | None]:
    """The least noise of any form; that for equal covariances if it suffices."""
    promises = _promises(guards)
    covariances = np.array([guard.covariance_at(guard.distance) for guard in guards])
    # What is not a number keeps nothing.
    wanting = ~(promises.deltas(promises.in_units(covariances)).max(axis=1) <= promises.promised)
    if wanting.any():
        rest = promises.of(wanting)
        starts = np.array(
            [guard.start for guard, wants in zip(guards, wanting, strict=True) if wants]
        )
        weights = counting(rest.units**2)
        covariances[wanting] = rest.raw(least_kept(rest, weights, rest.in_units(starts)))
    return _mended(guards, [noise if np.isfinite(noise).all() else None for noise in covariances])


def _least_for_both(guards: Sequence[Guard]) -> list[Noise | None]:
    """The least noise that keeps each record's promise too."""
    promises = _promises(guards)
    also = [guard.also for guard in guards if guard.also is not None]
    starts = promises.in_units(np.array([guard.start for guard in guards]))
    raw = promises.raw(least_for_both(promises, also, starts))
    covariances = [noise if np.isfinite(noise).all() else None for noise in raw]
    if also[0].distance is None:
        return _mended(guards, covariances)
    return [
        None if noise is None else guard.noise_of(noise)
        for guard, noise in zip(guards, covariances, strict=True)
    ]


def _mended(
    guards: Sequence[Guard], covariances: Sequence[FloatArray | None]
) -> list[Noise | None]:
    """Noises with these covariances, and a little more where rounding takes something off."""
    noises = [
        None if matrix is None else guard.noise_of(matrix)
        for guard, matrix in zip(guards, covariances, strict=True)
    ]
    more = _MENDED
    todo = [index for index, noise in enumerate(noises) if noise is not None]
    while todo:
        broken = _broken([(guards[index], noises[index]) for index in todo])
        todo = [index for index, breaks in zip(todo, broken, strict=True) if breaks]
        for index in todo:
            covariance = covariances[index]
            noises[index] = (
                None
                if covariance is None or more > 1
                else guards[index].noise_of(covariance * (1 + more))
            )
        todo = [index for index in todo if noises[index] is not None]
        more *= 4
    return noises


def _broken(cases: Sequence[tuple[Guard, Noise | None]]) -> BoolArray:
    """Whether each noise breaks the promise that it is to keep."""
    promises = _promises([guard for guard, _ in cases])
    noises = [noise for _, noise in cases if noise is not None]
    added = promises.in_units(np.array([noise.covariance for noise in noises]))
    deltas = promises.deltas(added).max(axis=1)
    # Beside far more noise than the statistics vary by themselves sums of matrices lose digits.
    for index in np.flatnonzero(added.max(axis=(1, 2)) > _LARGE).tolist():
        deltas[index] = _precisely(cases[index][0], noises[index])
    return np.asarray(~(deltas <= promises.promised))


def _precisely(guard: Guard, noise: Noise) -> float:
    """δ delivered, from the factors of the noise; 1 where rounding tells nothing of it."""
    pairs = [pair for fit in guard.model.pairs if (pair := noised(fit, noise)) is not None]
    if len(pairs) < len(guard.model.pairs):
        return 1.0
    differences = np.array([[pair.difference for pair in pairs]])
    covariances = np.array([[pair.covariances for pair in pairs]])
    alone = Promises(
        np.ones(differences.shape[::2]),
        differences,
        covariances,
        np.array([guard.epsilon]),
        np.array([guard.delta]),
    )
    return float(alone.deltas(np.zeros((1, *covariances.shape[3:]))).max())


def _promises(guards: Sequence[Guard]) -> Promises:
    return Promises.on([(guard.model, guard.epsilon, guard.delta) for guard in guards])
