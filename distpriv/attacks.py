"""Property-inference attacks: how often an attacker names the right proportion."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from distpriv.best_attack import optimal_attack_accuracy
from distpriv.classifiers import get_classifier, precision_recall_curve, roc_curve, train
from distpriv.errors import AttackError
from distpriv.models import Theta
from distpriv.moments import RecordGroups, record_groups
from distpriv.noise import Noise
from distpriv.optimal import (
    Interval,
    PrecisionRecallCurve,
    RocCurve,
    equivalent_separation,
    linear_attack_accuracy,
)
from distpriv.properties import Pair
from distpriv.queries import Query
from distpriv.sampling import RandomState
from distpriv.simulation import simulate

__all__ = [
    "AttackResult",
    "Interval",
    "PropertyInferenceAttack",
    "dataset_labels",
    "equivalent_separation",
    "linear_attack_accuracy",
    "optimal_attack_accuracy",
    "run_attack",
]

FloatArray = NDArray[np.float64]

LARGEST_PART = 10_000
SHARE = 0.4


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
        Short name of the meta-classifier.
    scores : dict of name to ndarray, shape (repetitions, tests), or None
        What the classifier gave every test dataset, the first half of which has p_i: positive
        where it guesses p_j. None unless the scores were to be kept.
    """

    accuracy: dict[str, FloatArray]
    tests: int
    adaptive: bool
    seed: int
    classifier: str = "logistic"
    scores: dict[str, FloatArray] | None = None

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
        return self.scores[name]

    def roc(self, name: str, confidence: float = 0.95) -> RocCurve:
        """Pooled ROC curve of the guess p_j; see :func:`distpriv.classifiers.roc_curve`."""
        return roc_curve(self.kept_scores(name), dataset_labels(self.tests), confidence)

    def precision_recall(self, name: str, confidence: float = 0.95) -> PrecisionRecallCurve:
        """Pooled precision–recall curve of the guess p_j, as many datasets having p_i as p_j."""
        scores, labels = self.kept_scores(name), dataset_labels(self.tests)
        return precision_recall_curve(scores, labels, confidence)


@dataclass(frozen=True, eq=False)
class PropertyInferenceAttack:
    """A meta-classifier attack on one pair, ready to repeat.

    A repetition splits the complete records at random into auxiliary, testing and modelling
    parts, trains a classifier, in the paper logistic regression, on the statistics of shadow
    datasets drawn from the auxiliary part, half under each proportion, and guesses the
    proportion of datasets drawn from the testing part and released with noise (Chen &
    Ohrimenko 2023, Section 5.3).

    Erratum: the paper trains on clean statistics and tests on noisy ones, which understates
    the leak; ``adaptive`` trains on noisy statistics too.

    Attributes
    ----------
    groups : RecordGroups
    query : Query
    pair : Pair
    n : int
        Records in a dataset.
    noises : mapping of name to Noise or None
        None is an undefended release.
    adaptive : bool
    shadows, tests : int
        Shadow and test datasets a repetition, both even.
    replacement : bool
    seed : int
        Every repetition and every noise has a random stream of its own, derived from this
        seed, the repetition, the mechanism and ε: neither order nor company moves a figure.
    classifier : str
        Meta-classifier: "logistic" (the paper's), "lda", "knn", "forest" or "mlp". All of them
        meet the same datasets and the same noise.
    """

    groups: RecordGroups
    query: Query
    pair: Pair
    n: int
    noises: Mapping[str, Noise | None]
    adaptive: bool = True
    shadows: int = 200
    tests: int = 200
    replacement: bool = False
    seed: int = 0
    classifier: str = "logistic"

    def __post_init__(self) -> None:
        get_classifier(self.classifier)
        for name, number in (("shadow", self.shadows), ("test", self.tests)):
            if number < 2 or number % 2:
                raise AttackError(
                    f"The number of {name} datasets must be even and at least 2, got {number}."
                )
        for name, noise in self.noises.items():
            if noise is not None and noise.dimension != len(self.query):
                raise AttackError(
                    f"The noise {name!r} is for {noise.dimension} statistics, but the query "
                    f"has {len(self.query)}; calibrate it on a model of this query."
                )

    @cached_property
    def _thetas(self) -> tuple[Theta, Theta]:
        return (
            Theta(self.pair.secret, self.pair.p_i, self.n, self.replacement),
            Theta(self.pair.secret, self.pair.p_j, self.n, self.replacement),
        )

    @cached_property
    def _records(self) -> FloatArray:
        """All records, those without the property first, row by row as drawing reads them."""
        return np.ascontiguousarray(np.vstack([self.groups.without, self.groups.having]))

    @property
    def part_size(self) -> int:
        """Records in the auxiliary part, and in the testing part."""
        return min(LARGEST_PART, int(SHARE * sum(self.groups.counts)))

    def repetition(self, index: int) -> dict[str, float]:
        """Accuracy of one repetition against each noise.

        Parameters
        ----------
        index : int >= 0
            Which repetition; the same index gives the same figures.

        Raises
        ------
        AttackError
            If a part has too few records, or the shadow datasets are too few to train on.
        """
        return {name: self._accuracy(scores) for name, scores in self.scores(index).items()}

    def scores(self, index: int) -> dict[str, FloatArray]:
        """Scores of one repetition's test datasets against each noise, shape (tests,) each.

        The first half of the datasets has p_i, the second p_j; a positive score is the guess
        p_j. Parameter and error are those of :meth:`repetition`.
        """
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(index,)))
        auxiliary, testing = self._split(rng)
        shadow = self._statistics(auxiliary, self.shadows, rng)
        test = self._statistics(testing, self.tests, rng)
        labels = dataset_labels(self.shadows)
        clean = None
        scores = {}
        for name, noise in self.noises.items():
            stream = self._noise_stream(index, noise)
            noisy = test if noise is None else test + noise.sample(self.tests, stream)
            if self.adaptive and noise is not None:
                trained = shadow + noise.sample(self.shadows, stream)
                classifier = train(self.classifier, trained, labels, stream)
            else:
                clean = clean or train(self.classifier, shadow, labels, self._clean_stream(index))
                classifier = clean
            scores[name] = classifier.scores(noisy)
        return scores

    def collect(self, runs: Sequence[Mapping[str, FloatArray]]) -> AttackResult:
        """Result of the repetitions whose :meth:`scores` are given, at least one."""
        scores = {name: np.array([run[name] for run in runs]) for name in self.noises}
        accuracy = {
            name: np.array([self._accuracy(row) for row in rows]) for name, rows in scores.items()
        }
        return AttackResult(accuracy, self.tests, self.adaptive, self.seed, self.classifier, scores)

    def _accuracy(self, scores: FloatArray) -> float:
        return float(np.mean((scores > 0) == dataset_labels(self.tests)))

    def _split(self, rng: np.random.Generator) -> tuple[RecordGroups, RecordGroups]:
        """Random auxiliary and testing parts of equal size, disjoint."""
        records, first_having = self._records, len(self.groups.without)
        chosen = rng.choice(len(records), 2 * self.part_size, replace=False)
        parts = []
        for members in np.split(chosen, 2):
            is_having = members >= first_having
            parts.append(
                RecordGroups(
                    without=records.take(members[~is_having], axis=0),
                    having=records.take(members[is_having], axis=0),
                    dropped=0,
                )
            )
        return parts[0], parts[1]

    def _statistics(
        self, part: RecordGroups, datasets: int, rng: np.random.Generator
    ) -> FloatArray:
        """Statistics of datasets drawn from a part, half under each proportion."""
        for theta in self._thetas:
            needs = (theta.without, theta.having)
            for need, count, kind in zip(needs, part.counts, ("without", "with"), strict=True):
                if (count == 0 and need) or (need > count and not self.replacement):
                    raise AttackError(
                        f"The attack splits the {sum(self.groups.counts)} records, and its part "
                        f"of {self.part_size} holds only {count} {kind} the property "
                        f"{self.pair.secret.label!r} where a dataset needs {need}; take a "
                        "smaller n or Δp, or draw with replacement."
                    )
        return np.vstack(
            [simulate(part, self.query, theta, datasets // 2, rng) for theta in self._thetas]
        )

    def _noise_stream(self, index: int, noise: Noise | None) -> np.random.Generator:
        if noise is None:
            return np.random.default_rng(0)
        bits = struct.unpack("<Q", struct.pack("<d", noise.epsilon))[0]
        key = (index, zlib.crc32(noise.mechanism.encode()), bits)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def _clean_stream(self, index: int) -> np.random.Generator:
        """For a classifier trained without noise, whatever noises it meets."""
        key = (index, zlib.crc32(self.classifier.encode()))
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


def dataset_labels(datasets: int) -> NDArray[np.int_]:
    """0 for the datasets with p_i, which come first, 1 for those with p_j."""
    return np.repeat([0, 1], datasets // 2)


def run_attack(
    table: pd.DataFrame,
    query: Query,
    pair: Pair,
    n: int,
    noises: Mapping[str, Noise | None],
    *,
    adaptive: bool = True,
    repetitions: int = 50,
    shadows: int = 200,
    tests: int = 200,
    replacement: bool = False,
    rng: RandomState = None,
    classifier: str = "logistic",
    keep_scores: bool = False,
) -> AttackResult:
    """Run the property-inference attack against several noises on the same subsets.

    Parameters
    ----------
    table : DataFrame
    query : Query
    pair : Pair
        The two proportions the attacker tries to tell apart.
    n : int
        Records in a dataset.
    noises : mapping of name to Noise or None
        None is an undefended release.
    adaptive : bool
        Train on noisy statistics too (stronger); False is the paper's way.
    repetitions : int, at least 1
    shadows, tests : int
        Shadow and test datasets a repetition, both even.
    replacement : bool
        Draw records with replacement within a dataset.
    rng : Generator, int or None
    classifier : str
        Meta-classifier: "logistic" (the paper's), "lda", "knn", "forest" or "mlp".
    keep_scores : bool
        Keep every dataset's score, for ROC and precision–recall curves and the audit.

    Returns
    -------
    AttackResult

    Raises
    ------
    QueryError, PropertyError
        If the statistics or the property do not fit the table.
    AttackError
        If the data are too few, or a number is outside its domain.
    """
    if repetitions < 1:
        raise AttackError(f"An attack needs at least one repetition, got {repetitions}.")
    seed = int(rng) if isinstance(rng, int | np.integer) else _fresh_seed(rng)
    attack = PropertyInferenceAttack(
        groups=record_groups(table, query, pair.secret),
        query=query,
        pair=pair,
        n=n,
        noises=dict(noises),
        adaptive=adaptive,
        shadows=shadows,
        tests=tests,
        replacement=replacement,
        seed=seed,
        classifier=classifier,
    )
    result = attack.collect([attack.scores(index) for index in range(repetitions)])
    return result if keep_scores else replace(result, scores=None)


def _fresh_seed(rng: np.random.Generator | None) -> int:
    if rng is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    return int(rng.integers(2**63))
