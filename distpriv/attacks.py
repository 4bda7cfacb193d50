"""Property-inference attacks: how often an attacker names the right proportion."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from distpriv.errors import AttackError
from distpriv.models import Theta, simulate
from distpriv.moments import RecordGroups, record_groups
from distpriv.noise import Noise
from distpriv.optimal import (
    equivalent_separation,
    linear_attack_accuracy,
    optimal_attack_accuracy,
)
from distpriv.properties import Pair
from distpriv.queries import Query
from distpriv.sampling import RandomState

__all__ = [
    "AttackResult",
    "Interval",
    "PropertyInferenceAttack",
    "equivalent_separation",
    "linear_attack_accuracy",
    "optimal_attack_accuracy",
    "run_attack",
]

FloatArray = NDArray[np.float64]

LARGEST_PART = 10_000
SHARE = 0.4


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
    confidence : float in (0, 1)
    """

    estimate: float
    low: float
    high: float
    confidence: float = 0.95


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
    """

    accuracy: dict[str, FloatArray]
    tests: int
    adaptive: bool
    seed: int

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


@dataclass(frozen=True, eq=False)
class PropertyInferenceAttack:
    """A meta-classifier attack on one pair, ready to repeat.

    A repetition splits the complete records at random into auxiliary, testing and modelling
    parts, trains logistic regression on the statistics of shadow datasets drawn from the
    auxiliary part, half under each proportion, and guesses the proportion of datasets drawn
    from the testing part and released with noise (Chen & Ohrimenko 2023, Section 5.3).

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

    def __post_init__(self) -> None:
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
            If a part has too few records.
        """
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(index,)))
        auxiliary, testing = self._split(rng)
        shadow = self._statistics(auxiliary, self.shadows, rng)
        test = self._statistics(testing, self.tests, rng)
        shadow_labels = np.repeat([0, 1], self.shadows // 2)
        test_labels = np.repeat([0, 1], self.tests // 2)
        clean = None
        accuracies = {}
        for name, noise in self.noises.items():
            stream = self._noise_stream(index, noise)
            noisy = test if noise is None else test + noise.sample(self.tests, stream)
            if self.adaptive and noise is not None:
                trained = shadow + noise.sample(self.shadows, stream)
                classifier = _LogisticAttacker(trained, shadow_labels)
            else:
                clean = clean or _LogisticAttacker(shadow, shadow_labels)
                classifier = clean
            accuracies[name] = float(np.mean(classifier.guess(noisy) == test_labels))
        return accuracies

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


class _LogisticAttacker:
    """Logistic regression on standardised statistics."""

    def __init__(self, features: FloatArray, labels: NDArray[np.int_]) -> None:
        import sklearn  # costs a second to import, so only where it is used
        from sklearn.linear_model import LogisticRegression

        self._center = features.mean(axis=0)
        self._spread = features.std(axis=0)
        self._spread[self._spread == 0] = 1.0
        # Its input is made here, so that scikit-learn need not validate it at every fit.
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            model = LogisticRegression(solver="liblinear").fit(
                (features - self._center) / self._spread, labels
            )
        self._weights, self._intercept = model.coef_[0], float(model.intercept_[0])

    def guess(self, features: FloatArray) -> NDArray[np.int_]:
        """The likelier label of each row, shape (rows,)."""
        scores = (features - self._center) / self._spread @ self._weights + self._intercept
        return (scores > 0).astype(np.int_)


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
    )
    runs = [attack.repetition(index) for index in range(repetitions)]
    accuracy = {name: np.array([run[name] for run in runs]) for name in noises}
    return AttackResult(accuracy, tests, adaptive, seed)


def _fresh_seed(rng: np.random.Generator | None) -> int:
    if rng is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    return int(rng.integers(2**63))
