"""What property-inference attacks come to: accuracies with intervals, and curves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from distpriv.attacks.classifiers import precision_recall_curve, roc_curve
from distpriv.attacks.optimal import PrecisionRecallCurve, RocCurve
from distpriv.errors import AttackError
from distpriv.model.sampling import Interval

__all__ = ["AttackResult", "Repetition", "dataset_labels"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Repetition:
    """One repetition of an attack.

    Attributes
    ----------
    scores : dict of name to ndarray, shape (tests,)
        The first half of the datasets has p_i, the second p_j; a positive score is the guess p_j.
    recovered : dict of name to float
        Share of the releases from which the true statistics were read off exactly; empty for
        attackers who do not try.
    """

    scores: dict[str, FloatArray]
    recovered: dict[str, float]


@dataclass(frozen=True, eq=False)
class AttackResult:
    """Accuracies of an attack, repetition by repetition.

    Attributes
    ----------
    accuracy : dict of name to ndarray, shape (repetitions,)
    tests : int
        Datasets guessed in each repetition.
    adaptive : bool
    seed : int
        Entropy that reproduces the run.
    classifier : str
        Short name of the attacker.
    scores : dict of name to ndarray, shape (repetitions, tests), or None
        What the classifier gave every test dataset, the first half of which has p_i: positive
        where it guesses p_j. None unless the scores were to be kept.
    recovered : dict of name to ndarray, shape (repetitions,)
        In what share of the test datasets the attacker read the true statistics off the release
        exactly; 0 where there was nothing to subtract. Empty for attackers who do not try.
    """

    accuracy: dict[str, FloatArray]
    tests: int
    adaptive: bool
    seed: int
    classifier: str = "logistic"
    scores: dict[str, FloatArray] | None = None
    recovered: dict[str, FloatArray] = field(default_factory=dict)

    @property
    def repetitions(self) -> int:
        """How many repetitions there are."""
        return len(next(iter(self.accuracy.values()), ()))

    def interval(self, name: str, confidence: float = 0.95) -> Interval:
        """Mean accuracy with its interval.

        Student's t from the spread between repetitions, whose test sets share a classifier and
        records; Wilson's interval on the pooled guesses for a single repetition, or when all
        repetitions agree exactly.
        """
        accuracies = self.accuracy[name]
        mean = float(accuracies.mean())
        spread = float(stats.sem(accuracies)) if len(accuracies) > 1 else 0.0
        if spread > 0:
            low, high = stats.t.interval(confidence, len(accuracies) - 1, mean, spread)
        else:
            guesses = self.tests * len(accuracies)
            wilson = stats.binomtest(round(mean * guesses), guesses).proportion_ci(
                confidence, method="wilson"
            )
            low, high = wilson.low, wilson.high
        return Interval(mean, max(0.0, float(low)), min(1.0, float(high)), confidence)

    def kept_scores(self, name: str) -> FloatArray:
        """Scores of all repetitions, shape (repetitions, tests).

        Raises
        ------
        AttackError
            If they were not kept.
        """
        if self.scores is None:
            raise AttackError(
                "The attack kept no scores, which curves and audit need; run it with "
                "keep_scores=True."
            )
        if name not in self.scores:
            raise AttackError(
                f"There was no attack on {name!r}; there was one on each of "
                f"{', '.join(self.scores)}."
            )
        return self.scores[name]

    def roc(self, name: str, confidence: float = 0.95) -> RocCurve:
        """Pooled ROC curve of the guess p_j; see :func:`distpriv.attacks.classifiers.roc_curve`."""
        return roc_curve(self.kept_scores(name), dataset_labels(self.tests), confidence)

    def precision_recall(self, name: str, confidence: float = 0.95) -> PrecisionRecallCurve:
        """Pooled precision–recall curve of the guess p_j, as many datasets having p_i as p_j."""
        scores, labels = self.kept_scores(name), dataset_labels(self.tests)
        return precision_recall_curve(scores, labels, confidence)


def dataset_labels(datasets: int) -> NDArray[np.int_]:
    """0 for the datasets with p_i, which come first, 1 for those with p_j."""
    return np.repeat([0, 1], datasets // 2)
