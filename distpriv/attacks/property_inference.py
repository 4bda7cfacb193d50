"""Property-inference attacks: how often an attacker names the right proportion."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import Within, checked
from distpriv.attacks import statistics_grid
from distpriv.attacks.arithmetic import ArithmeticAttacker
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.attacks.classifiers import (
    Attacker,
    attacker_names,
    get_attacker,
    register,
    train,
)
from distpriv.attacks.optimal import equivalent_separation, linear_attack_accuracy
from distpriv.attacks.pair_normals import PairNormals
from distpriv.attacks.results import AttackResult, Repetition, dataset_labels
from distpriv.errors import AttackError
from distpriv.model.gaussian import table_size, thetas_of
from distpriv.model.moments import RecordGroups
from distpriv.model.monte_carlo import simulate
from distpriv.model.partial_knowledge import KnownRecords
from distpriv.model.record_access import ReachesRecords
from distpriv.model.sampling import RandomState
from distpriv.model.source import Source, source_of
from distpriv.model.theta import ShareOf, Theta
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query

__all__ = [
    "ARITHMETIC",
    "AttackResult",
    "Attacker",
    "PropertyInferenceAttack",
    "Repetition",
    "attacker_names",
    "dataset_labels",
    "equivalent_separation",
    "get_attacker",
    "linear_attack_accuracy",
    "optimal_attack_accuracy",
    "run_attack",
]

FloatArray = NDArray[np.float64]

LARGEST_PART = 10_000
SHARE = 0.4

ARITHMETIC = register(
    Attacker(
        "arithmetic",
        "Arithmetic on the grid",
        "Knows the noise and in what steps the statistics move, and subtracts noise that leaves "
        "directions bare; else the likelihood-ratio test of the two fitted normals.",
    )
)


@checked(AttackError)
@dataclass(frozen=True, eq=False)
class PropertyInferenceAttack(ReachesRecords, through=("_records",)):
    """An attack on one pair, ready to repeat.

    A repetition splits the complete records at random into auxiliary, testing and modelling
    parts, trains a classifier, in the paper logistic regression, on the statistics of shadow
    datasets drawn from the auxiliary part, half under each proportion, and guesses the
    proportion of datasets drawn from the testing part and released with noise (Chen &
    Ohrimenko 2023, Section 5.3).

    Erratum: the paper trains on clean statistics and tests on noisy ones, which understates
    the leak; ``adaptive`` trains on noisy statistics too.

    The arithmetic attacker (:mod:`distpriv.attacks.arithmetic`) needs no training: it takes the two
    normals from the moments of the auxiliary part, or from the shadow datasets where there are no
    such moments, and knows the noise, the rounding, and in what steps the statistics move.

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
    share_of : "release" or "table"
        Whose share is guessed, see :func:`distpriv.fit_gaussian`.
    seed : int
        Every repetition and every noise has a random stream of its own, derived from this
        seed, the repetition, the mechanism and ε: neither order nor company moves a figure.
    classifier : str
        One of :func:`attacker_names`: "logistic" is the paper's, "arithmetic" the one who is
        not trained. All of them meet the same datasets and the same noise.
    rounded : bool
        Whether the arithmetic attacker, who looks at the last digits, meets releases rounded as
        :func:`distpriv.draw_release` does. The classifiers meet them as drawn.
    split : bool
        Whether auxiliary and testing part are disjoint. Otherwise both are all the records: an
        attacker who knows the very laws that a promise speaks of, and is tested on them.
    known_records : int
        How many records of each dataset the attacker knows, whichever share it is, and subtracts:
        datasets and shadow datasets are then what the others add to the statistics
        (:class:`distpriv.model.KnownRecords`). For sums over the records.
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
    share_of: ShareOf = "release"
    seed: int = 0
    classifier: str = "logistic"
    rounded: bool = True
    split: bool = True
    known_records: int = 0

    def __post_init__(self) -> None:
        get_attacker(self.classifier)
        if self.known_records and not self.query.is_linear:
            raise AttackError(
                "Known records can be subtracted from sums over the records only, and a statistic "
                "is none; leave it out, or take known_records=0."
            )
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
            if noise is not None and (known := noise.calibrated_for) is not None:
                known.check_statistics(self.query)
                known.check_size(self.n)
                known.check_drawing(self.replacement, self.share_of)

    @cached_property
    def _thetas(self) -> tuple[Theta, Theta]:
        table = table_size(self.share_of, self.groups.totals)
        return thetas_of(self.pair, self.n, self.replacement, table)

    @cached_property
    def _drawn(self) -> tuple[tuple[Theta, Theta], FloatArray]:
        """Distributions of the records that are not known, and what scales their statistics."""
        if not self.known_records:
            return self._thetas, np.ones(len(self.query))
        known = KnownRecords.of(self._thetas, self.known_records)
        first, second = (known.unknown(theta) for theta in self._thetas)
        return (first, second), self.query.scales(self.n) / self.query.scales(first.n)

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
        return self.run(index).scores

    def run(self, index: int) -> Repetition:
        """All that comes of one repetition; parameter and error are those of :meth:`repetition`."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(index,)))
        auxiliary, testing = self._split(rng)
        shadow = self._statistics(auxiliary, self.shadows, rng)
        test = self._statistics(testing, self.tests, rng)
        if self.classifier == ARITHMETIC.name:
            return self._by_arithmetic(index, self._normals(auxiliary, shadow), test)
        return Repetition(self._by_classifier(index, shadow, test), {})

    def _by_classifier(
        self, index: int, shadow: FloatArray, test: FloatArray
    ) -> dict[str, FloatArray]:
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

    def _by_arithmetic(self, index: int, normals: PairNormals, test: FloatArray) -> Repetition:
        scores, recovered = {}, {}
        for name, noise in self.noises.items():
            released = test
            if noise is not None:
                released = test + noise.sample(self.tests, self._noise_stream(index, noise))
                released = statistics_grid.rounded(released, noise) if self.rounded else released
            guesses = ArithmeticAttacker(normals, self._grid, noise, self.rounded).guess(released)
            scores[name] = guesses.scores
            exact = np.isclose(guesses.statistics, test, rtol=1e-9, atol=1e-9)
            recovered[name] = float(exact[:, self._grid.places].all(axis=1).mean())
        return Repetition(scores, recovered)

    def _normals(self, auxiliary: RecordGroups, shadow: FloatArray) -> PairNormals:
        if self.query.is_linear:
            thetas, scales = self._drawn
            normals = PairNormals.of_records(auxiliary, self.query, thetas)
            return PairNormals(
                normals.means * scales, normals.covariances * np.outer(scales, scales)
            )
        return PairNormals.of_datasets(shadow, dataset_labels(self.shadows))

    @cached_property
    def _grid(self) -> statistics_grid.Grid:
        return statistics_grid.Grid.of_records(self.groups, self.query, self._thetas)

    def collect(self, runs: Sequence[Repetition | Mapping[str, FloatArray]]) -> AttackResult:
        """Result of some repetitions, each by :meth:`run` or :meth:`scores`, at least one."""
        repetitions = [
            run if isinstance(run, Repetition) else Repetition(dict(run), {}) for run in runs
        ]
        scores = {name: np.array([run.scores[name] for run in repetitions]) for name in self.noises}
        accuracy = {
            name: np.array([self._accuracy(row) for row in rows]) for name, rows in scores.items()
        }
        recovered = {
            name: np.array([run.recovered[name] for run in repetitions])
            for name in self.noises
            if all(name in run.recovered for run in repetitions)
        }
        return AttackResult(
            accuracy, self.tests, self.adaptive, self.seed, self.classifier, scores, recovered
        )

    def _accuracy(self, scores: FloatArray) -> float:
        return float(np.mean((scores > 0) == dataset_labels(self.tests)))

    def _split(self, rng: np.random.Generator) -> tuple[RecordGroups, RecordGroups]:
        """Random auxiliary and testing parts of equal size, disjoint; or all records twice."""
        if not self.split:
            return self.groups, self.groups
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
        thetas, scales = self._drawn
        for theta in thetas:
            for need, count, kind in zip(
                theta.needs, part.counts, ("without", "with"), strict=True
            ):
                if (count == 0 and need) or (need > count and not self.replacement):
                    raise AttackError(
                        f"The attack splits the {sum(self.groups.counts)} records, and its part "
                        f"of {self.part_size} holds only {count} {kind} the property "
                        f"{self.pair.secret.label!r} where a dataset needs {need}; take a "
                        "smaller n or Δp, or draw with replacement."
                    )
        return scales * np.vstack(
            [simulate(part, self.query, theta, datasets // 2, rng) for theta in thetas]
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


@checked(AttackError)
def run_attack(
    table: pd.DataFrame | Source,
    query: Query,
    pair: Pair,
    n: int,
    noises: Mapping[str, Noise | None],
    *,
    adaptive: bool = True,
    repetitions: Annotated[int, Within(high=10**6)] = 50,
    shadows: Annotated[int, Within(high=10**6)] = 200,
    tests: Annotated[int, Within(high=10**6)] = 200,
    replacement: bool = False,
    share_of: ShareOf = "release",
    rng: RandomState = None,
    classifier: str = "logistic",
    keep_scores: bool = False,
    rounded: bool = True,
    split: bool = True,
    known_records: Annotated[int, Within(0)] = 0,
) -> AttackResult:
    """Run the property-inference attack against several noises on the same subsets.

    Parameters
    ----------
    table : DataFrame or Source
        Of a table that stays where it is, the attack splits a bounded sample.
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
    share_of : "release" or "table"
        Whose share is guessed, see :func:`distpriv.fit_gaussian`.
    rng : Generator, int or None
    classifier : str
        One of :func:`attacker_names`: "logistic" is the paper's; "arithmetic" knows the
        noise and in what steps the statistics move.
    keep_scores : bool
        Keep every dataset's score, for ROC and precision–recall curves and the audit.
    rounded : bool
        Whether the arithmetic attacker meets releases rounded as :func:`distpriv.draw_release`
        does.
    split : bool
        See :class:`PropertyInferenceAttack`; take False where datasets are about as large as the
        parts, of at most 10 000 records, whose difference would drown what tells the shares apart.
    known_records : int
        How many records of each dataset the attacker knows and subtracts; see
        :class:`PropertyInferenceAttack`.

    Returns
    -------
    AttackResult

    Raises
    ------
    QueryError, PropertyError
        If the statistics or the property do not fit the table.
    AttackError
        If the data are too few, or a number is outside its domain.
    CalibrationError
        If a noise is calibrated for other statistics, another n or another way to draw.
    """
    if repetitions < 1:
        raise AttackError(f"An attack needs at least one repetition, got {repetitions}.")
    seed = int(rng) if isinstance(rng, int | np.integer) else _fresh_seed(rng)
    attack = PropertyInferenceAttack(
        groups=source_of(table).sample(query, pair.secret),
        query=query,
        pair=pair,
        n=n,
        noises=dict(noises),
        adaptive=adaptive,
        shadows=shadows,
        tests=tests,
        replacement=replacement,
        share_of=share_of,
        seed=seed,
        classifier=classifier,
        rounded=rounded,
        split=split,
        known_records=known_records,
    )
    result = attack.collect([attack.run(index) for index in range(repetitions)])
    return result if keep_scores else replace(result, scores=None)


def _fresh_seed(rng: np.random.Generator | None) -> int:
    if rng is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    return int(rng.integers(2**63))
