"""What several simulated attackers together prove of a release: least δ at an ε, least ε at a δ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.attacks.audit import delta_lower_bound, epsilon_lower_bound
from distpriv.attacks.results import AttackResult, dataset_labels
from distpriv.errors import AttackError

__all__ = ["JointAudit", "audit_attackers"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int_]
_Bound = Callable[[IntArray, int, IntArray, int], FloatArray]

_PLACES = 60  # thresholds that are tried from either end
_LARGEST = 1e300


@dataclass(frozen=True)
class JointAudit:
    """Lower bounds on what a release delivers, by the best of several attackers.

    Attributes
    ----------
    delta : float
        Least δ at `at_epsilon`; 0 where nothing is proven.
    epsilon : float
        Least ε at `at_delta`; 0 where nothing is proven.
    at_epsilon, at_delta : float
    confidence : float
        With which both hold.
    attackers : tuple of str
        Short names of those that were tried.
    repetitions : int
    guesses : int
        On datasets of each share that the bounds rest on: those of every other repetition. The
        rest was for choosing.
    seed : int
    """

    delta: float
    epsilon: float
    at_epsilon: float
    at_delta: float
    confidence: float
    attackers: tuple[str, ...]
    repetitions: int
    guesses: int
    seed: int

    @property
    def visible(self) -> float:
        """Least δ that so many guesses can be expected to prove anything of, at `at_epsilon`.

        An attacker who is never wrong, and right as rarely as that, is the easiest to catch: it
        is the least rate of right guesses from which on a δ above 0 is proven, beside no wrong one.
        1 where none is.
        """
        bound = self._bound(delta_lower_bound, self.at_epsilon)
        low, high = 0, self.guesses
        if not self._proves(bound, high):
            return 1.0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._proves(bound, middle) else (middle, high)
        return high / self.guesses

    def _proves(self, bound: _Bound, hits: int) -> bool:
        none = np.zeros(1, dtype=np.int_)
        return bool(bound(none + hits, self.guesses, none, self.guesses)[0] > 0)

    def _bound(self, bound: Callable[..., FloatArray], given: float) -> _Bound:
        return partial(_each, bound, given, (1 + self.confidence) / 2)


@checked(AttackError)
def audit_attackers(
    results: Sequence[AttackResult],
    name: str,
    *,
    epsilon: float,
    delta: float,
    confidence: float = 0.95,
) -> JointAudit:
    r"""Lower confidence bounds on δ and on ε from the guesses of several attackers.

    Whatever set S of releases is named, :math:`\delta(\varepsilon) \ge P(S) - e^\varepsilon Q(S)`,
    and likewise :math:`\varepsilon \ge \ln((P(S) - \delta)/Q(S))` (Jagielski et al. 2020,
    Section 3). The attacker and the threshold that prove most are chosen on every other repetition,
    for either figure, and tried on the rest, which they have not seen: S has nothing to do with
    the guesses that its rates are counted on, so that choosing costs no confidence. The two
    figures share 1 − confidence, and so do the two Clopper–Pearson bounds behind each.

    The bounds are about the laws that the test datasets are drawn from: those of a promise where
    the attacks do not split the records. The confidence is that of a number of repetitions that
    was settled beforehand.

    Parameters
    ----------
    results : sequence of AttackResult
        One an attacker, with scores, of the same datasets; of at least 2 repetitions.
    name : str
        Which of their releases.
    epsilon : float >= 0
        Where δ is bounded.
    delta : float in [0, 1)
        Where ε is bounded.
    confidence : float in (0, 1)

    Raises
    ------
    AttackError
        If there is no result or a single repetition, the scores were not kept, or a parameter is
        outside its domain.
    """
    if not results or min(result.repetitions for result in results) < 2:
        raise AttackError(
            "A joint audit needs attacks of at least 2 repetitions: one to choose an attacker on, "
            "one to try it on."
        )
    scores = [np.clip(result.kept_scores(name), -_LARGEST, _LARGEST) for result in results]
    level = (1 + confidence) / 2
    first = results[0]
    labels = [dataset_labels(result.tests) for result in results]
    proven = [
        _proven(scores, labels, partial(_each, bound, given, level))
        for bound, given in ((delta_lower_bound, epsilon), (epsilon_lower_bound, delta))
    ]
    return JointAudit(
        delta=proven[0],
        epsilon=proven[1],
        at_epsilon=epsilon,
        at_delta=delta,
        confidence=confidence,
        attackers=tuple(result.classifier for result in results),
        repetitions=first.repetitions,
        guesses=first.repetitions // 2 * (first.tests // 2),
        seed=first.seed,
    )


def _each(
    bound: Callable[..., FloatArray],
    given: float,
    confidence: float,
    hits: IntArray,
    positives: int,
    misses: IntArray,
    negatives: int,
) -> FloatArray:
    return bound(hits, positives, misses, negatives, given, confidence)


def _proven(scores: Sequence[FloatArray], labels: Sequence[IntArray], bound: _Bound) -> float:
    """Choose on the even repetitions, try on the odd ones."""
    best, chosen, most = 0, 0.0, -math.inf
    for place, (rows, known) in enumerate(zip(scores, labels, strict=True)):
        thresholds = _thresholds(rows[::2])
        bounds = bound(*_counts(rows[::2], known, thresholds))
        index = int(np.argmax(bounds))
        if bounds[index] > most:
            best, chosen, most = place, float(thresholds[index]), float(bounds[index])
    return float(bound(*_counts(scores[best][1::2], labels[best], np.array([chosen])))[0])


def _thresholds(scores: FloatArray) -> FloatArray:
    """Some between two scores, closer together at either end, and 0."""
    values = np.unique(scores)
    if len(values) < 2:
        return np.zeros(1)
    steps = np.geomspace(1, max(len(values) // 2, 1), _PLACES).astype(np.int_)
    places = np.unique(np.concatenate([steps, len(values) - steps]))
    return np.append((values[places - 1] + values[places]) / 2, 0.0)


def _counts(
    scores: FloatArray, labels: IntArray, thresholds: FloatArray
) -> tuple[IntArray, int, IntArray, int]:
    right, wrong = (np.sort(scores[:, labels == label].ravel()) for label in (1, 0))
    hits, misses = (
        len(each) - np.searchsorted(each, thresholds, side="right") for each in (right, wrong)
    )
    return hits, len(right), misses, len(wrong)
