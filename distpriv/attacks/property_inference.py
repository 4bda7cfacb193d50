"""The property-inference attack of Chen & Ohrimenko (2023), Section 5.3."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from distpriv.attacks.classifiers import ATTACKERS, train

FloatArray = NDArray[np.float64]
Scores = Mapping[str, FloatArray]

LARGEST_PART, SHARE = 10_000, 0.4


class AttackError(ValueError):
    """An attack that cannot be run, said in one sentence."""


@dataclass(frozen=True, eq=False)
class PropertyInferenceAttack:
    """An attack on one pair; every repetition is a pure function of its index.

    A repetition splits the records at random into auxiliary, testing and modelling parts, trains
    on the statistics of shadow datasets from the auxiliary part, half under each share, and
    guesses the share of datasets from the testing part after the noise. All noises meet the same
    datasets; each has a random stream of its own, from seed, repetition, mechanism and ε, so that
    neither order nor company moves a figure.

    Erratum 5: the paper trains on clean statistics and tests on noisy ones, which understates the
    leak; ``adaptive`` trains on noisy ones too.

    Attributes
    ----------
    without, having : ndarray, shape (N_0, w) and (N_1, w)
        Records without the property and with it, the columns that the query reads.
    statistics : callable
        (records of shape (datasets, n, w)) -> (datasets, m); or scales of shape (m,) for sums
        over the records, which are drawn without gathering them.
    having_counts : (k_i, k_j)
        Records with the property among the n, under either share.
    n : int
    noises : mapping of name to Noise or None
    adaptive : bool
    classifier : str
        Key of ``ATTACKERS``.
    shadows, tests : int, even
    replacement : bool
    seed : int
    split : bool
        Whether auxiliary and testing part are disjoint; else both are all the records.
    grid, rounding
        Of the arithmetic attacker; see :class:`ArithmeticAttacker`.
    """

    without: FloatArray
    having: FloatArray
    statistics: Callable[[FloatArray], FloatArray] | FloatArray
    having_counts: tuple[int, int]
    n: int
    noises: Mapping[str, Any]
    adaptive: bool = True
    classifier: str = "logistic"
    shadows: int = 200
    tests: int = 200
    replacement: bool = False
    seed: int = 0
    split: bool = True
    grid: Any = None
    rounding: Callable[[Any], FloatArray] | None = None

    def __post_init__(self) -> None:
        fewest = ATTACKERS[self.classifier].fewest
        for name, value in (("shadow", self.shadows), ("test", self.tests)):
            if value < fewest or value % 2:
                raise AttackError(
                    f"The number of {name} datasets must be even and at least {fewest}, got {value}."
                )

    @property
    def labels(self) -> NDArray[np.int_]:
        """0 for the test datasets with p_i, which come first, 1 for those with p_j."""
        return np.repeat([0, 1], self.tests // 2)

    @property
    def part_size(self) -> int:
        """Records in the auxiliary part, and in the testing part."""
        return min(LARGEST_PART, int(SHARE * (len(self.without) + len(self.having))))

    def repetition(self, index: int) -> dict[str, FloatArray]:
        """Scores of one repetition's test datasets by noise, shape (tests,); positive means p_j."""
        rng = self._stream(index)
        parts = self._split(rng)
        drawn = [
            [self._draw(part, k, half // 2, rng) for k in self.having_counts]
            for part, half in zip(parts, (self.shadows, self.tests), strict=True)
        ]
        labels = np.repeat([0, 1], self.shadows // 2)
        scores, clean = {}, None
        for name, noise in self.noises.items():
            balanced = noise is not None and noise.kept is not None
            used = noise if balanced else None
            shadow, test = (np.vstack([self._statistics(part, one, used) for one in each]) for part, each in zip(parts, drawn))
            if balanced:
                stream = self._stream(index, *noise.key)
                scores[name] = train(self.classifier, shadow, labels, self._seed(stream))(test)
                continue
            stream = self._stream(index, *(() if noise is None else noise.key))
            released = test if noise is None else test + noise.sample(self.tests, stream)
            if self.classifier == "arithmetic":
                scores[name] = self._arithmetic(shadow, released, noise)
                continue
            if noise is not None and self.adaptive:
                trained = shadow + noise.sample(self.shadows, stream)
                scorer = train(self.classifier, trained, labels, self._seed(stream))
            else:
                clean = scorer = clean or train(
                    self.classifier, shadow, labels, self._seed(self._stream(index, "clean", 0.0))
                )
            scores[name] = scorer(released)
        return scores

    def repetitions(self, start: int = 0) -> Iterator[dict[str, FloatArray]]:
        """Repetition by repetition, for a page that draws them as they come."""
        return map(self.repetition, count(start))

    def collect(self, repetitions: Iterable[Scores]) -> AttackResult:
        """Result of some repetitions, at least one."""
        runs = list(repetitions)
        return AttackResult(
            {name: np.array([run[name] for run in runs]) for name in self.noises},
            self.labels,
            self.seed,
            self.classifier,
            self.adaptive,
        )

    @staticmethod
    def _seed(stream: np.random.Generator) -> int:
        return int(stream.integers(2**31))

    def _stream(self, index: int, mechanism: str = "", *promise: float) -> np.random.Generator:
        key: tuple[int, ...] = (index,)
        if mechanism:
            bits = [struct.unpack("<Q", struct.pack("<d", each))[0] for each in promise]
            key = (index, zlib.crc32(mechanism.encode()), *bits)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    @cached_property
    def _records(self) -> FloatArray:
        return np.vstack([self.without, self.having])

    def _split(self, rng: np.random.Generator) -> list[tuple[FloatArray, FloatArray]]:
        if not self.split:
            return [(self.without, self.having)] * 2
        chosen = rng.choice(len(self._records), 2 * self.part_size, replace=False)
        parts = []
        for part in np.split(chosen, 2):
            having = part >= len(self.without)  # take is three times as fast as indexing
            parts.append(tuple(self._records.take(part[m], axis=0) for m in (~having, having)))
        return parts

    def _draw(
        self, part: tuple[FloatArray, FloatArray], k: int, datasets: int, rng: np.random.Generator
    ) -> FloatArray:
        """Members of datasets with k records of the second group, by group, shape (datasets, size)."""
        members = []
        for group, size in zip(part, (self.n - k, k), strict=True):
            if size and (not len(group) or (size > len(group) and not self.replacement)):
                raise AttackError(
                    f"The attack splits the records, and a part of {sum(map(len, part))} holds only "
                    f"{len(group)} of a group of which a dataset needs {size}; take a smaller n or "
                    "Δp, or draw with replacement."
                )
            drawn = draw_subsets(len(group), size, datasets, rng, self.replacement)
            members.append(rng.permuted(drawn, axis=1) if not self.replacement and size > len(group) / 2 else drawn)
        return members

    def _statistics(self, part, members, release) -> FloatArray:
        """What a release without noise makes of datasets, shape (datasets, m); the first of each group are kept."""
        if release is not None:
            sums = [stands / max(kept, 1) * subset_sums(group, rows[:, : int(kept)])
                    for group, rows, kept, stands in zip(part, members, release.kept, release.stands_for)]
            return self.statistics * (sums[0] + sums[1])
        if callable(self.statistics):
            return self.statistics(
                np.concatenate(
                    [group[rows] for group, rows in zip(part, members, strict=True)], axis=1
                )
            )
        sums = [subset_sums(group, rows) for group, rows in zip(part, members, strict=True)]
        return self.statistics * (sums[0] + sums[1])

    def _arithmetic(self, shadow: FloatArray, released: FloatArray, noise: Any) -> FloatArray:
        """Normals from the shadow datasets, as the attacker has nothing else."""
        halves = np.split(shadow, 2)
        rounding = np.zeros(shadow.shape[1])
        if noise is not None and self.rounding is not None:
            rounding = self.rounding(noise)
            units = np.where(rounding > 0, rounding, 1.0)
            released = np.where(rounding > 0, np.rint(released / units) * units, released)
        attacker = ArithmeticAttacker(
            np.array([half.mean(axis=0) for half in halves]),
            np.array([np.cov(half.T) for half in halves]),
            *self.grid,
            noise,
            rounding,
        )
        return attacker.scores(released)


@dataclass(frozen=True, eq=False)
class AttackResult:
    """Scores of all repetitions by noise, shape (repetitions, tests), and what follows from them."""

    scores: Mapping[str, FloatArray]
    labels: NDArray[np.int_]
    seed: int
    classifier: str
    adaptive: bool

    @property
    def accuracy(self) -> dict[str, FloatArray]:
        """Share of right guesses of each repetition, by noise."""
        return {n: ((s > 0) == self.labels).mean(axis=1) for n, s in self.scores.items()}

    def interval(self, name: str, confidence: float = 0.95) -> tuple[float, float, float]:
        """Mean accuracy and its interval, see :func:`mean_interval`."""
        return mean_interval(self.accuracy[name], len(self.labels), confidence)

    def area(self, name: str, confidence: float = 0.95) -> tuple[float, float, float]:
        """Area under the ROC curve: mean over repetitions and interval."""
        from sklearn.metrics import roc_auc_score

        areas = np.array([roc_auc_score(self.labels, row) for row in self.scores[name]])
        return mean_interval(areas, len(self.labels) // 2, confidence)

    def to_frame(self) -> pd.DataFrame:
        """One row per noise: repetitions, mean accuracy, interval."""
        rows = {n: (len(a), *self.interval(n)) for n, a in self.accuracy.items()}
        columns = ["repetitions", "accuracy", "low", "high"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("release")


def run_attack(attack: PropertyInferenceAttack, repetitions: int = 50) -> AttackResult:
    """Run so many repetitions one after the other."""
    return attack.collect(islice(attack.repetitions(), repetitions))


def mean_interval(values: FloatArray, trials: int, confidence: float) -> tuple[float, float, float]:
    """Mean of repetitions with Student's interval of their spread; Wilson's where there is none."""
    mean, spread = float(values.mean()), float(stats.sem(values)) if len(values) > 1 else 0.0
    if spread > 0:
        low, high = stats.t.interval(confidence, len(values) - 1, mean, spread)
    else:
        total = trials * len(values)
        low, high = stats.binomtest(round(mean * total), total).proportion_ci(confidence, "wilson")
    return mean, max(0.0, float(low)), min(1.0, float(high))


def draw_subsets(
    population: int, size: int, rows: int, rng: np.random.Generator, replacement: bool = False
) -> NDArray[np.int_]:
    """Draw subsets of ``range(population)``, each uniform and independent, shape (rows, size).

    Members that occur twice are drawn again until none does: the rule knows of a member only
    whether it equals another, so that by symmetry every subset is equally likely.
    """
    if replacement or not size:
        return rng.integers(max(population, 1), size=(rows, size))
    if size > population / 2:
        kept = np.ones((rows, population), dtype=bool)
        np.put_along_axis(kept, draw_subsets(population, population - size, rows, rng), False, 1)
        return np.nonzero(kept)[1].reshape(rows, size)
    members = rng.integers(population, size=(rows, size), dtype=np.int32)
    left = np.arange(rows)
    while len(left):
        rest = np.sort(members[left], axis=1)
        repeated = np.zeros(rest.shape, dtype=bool)
        np.equal(rest[:, 1:], rest[:, :-1], out=repeated[:, 1:])
        rest[repeated] = rng.integers(population, size=int(repeated.sum()), dtype=np.int32)
        members[left] = rest
        left = left[repeated.any(axis=1)]
    return members


def subset_sums(values: FloatArray, members: NDArray[np.int_]) -> FloatArray:
    """Sum the values of each subset's members, shape (rows, m)."""
    from scipy.sparse import csr_array

    rows, size = members.shape
    starts = np.arange(rows + 1, dtype=np.int32) * np.int32(size)
    weights = csr_array((np.ones(members.size), members.ravel(), starts), (rows, len(values)))
    return np.asarray(weights @ values)
