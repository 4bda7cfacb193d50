"""The property-inference attack of Chen & Ohrimenko (2023), Section 5.3."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from distpriv.arrays import FloatArray, IntArray, generator, integer, number
from distpriv.attacks.arithmetic import ShareLaws, lattices
from distpriv.attacks.classifiers import ATTACKERS, Scorer, train
from distpriv.display import Progress, Result, tracked
from distpriv.errors import AttackError
from distpriv.model import AS_IT_IS, GaussianModel, Release
from distpriv.model.grid import GroupGrids
from distpriv.model.simulate import draw_subsets, statistics_of
from distpriv.queries import Pair, Query
from distpriv.sources import fit_gaussian
from distpriv.sources.fit import with_records
from distpriv.text import one_of, whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AttackResult", "PropertyInferenceAttack", "parts_suffice", "run_attack"]

Scores = Mapping[str, FloatArray]
Part = Sequence[FloatArray]  # records without and with the property

_LARGEST_PART, _SHARE = 10_000, 0.4  # of the records, for shadow datasets and for test datasets
_LARGEST = 1_000_000  # records of a dataset, which takes seconds a repetition
_MEMBERS = 2_000_000  # drawn at a time


@dataclass(frozen=True, eq=False)
class PropertyInferenceAttack:
    """An attack on one pair; every repetition is a pure function of its index.

    A repetition splits each group's records at random into an auxiliary, a testing and a modelling
    part, trains a classifier on the statistics of shadow datasets from the auxiliary part, half of
    them under each share, and guesses the share of test datasets from the testing part. All
    releases meet the same datasets. Noise has a random stream of its own, from seed, repetition,
    mechanism, ε and δ, so that neither order nor company moves a figure. AttackError if there is no
    such classifier, datasets or records are too few, or a release does not belong to the range.

    The paper trains the classifier on statistics before the noise, which understates the leak. A
    part's groups differ from the table's by chance, the more so, the larger the datasets are beside
    a part; without a split both parts are all the records. Records that an attacker knows are new
    in every repetition, and in all of its datasets.
    """

    without: FloatArray = field(repr=False)  # (N_0, w), what the statistics need of each
    having: FloatArray = field(repr=False)  # (N_1, w)
    query: Query = field(repr=False)
    numbers: FloatArray = field(repr=False)  # (2, 2), of a dataset [share, group]
    n: int  # records of a dataset
    noises: Mapping[str, Release | None]  # None: the figures as they are
    adaptive: bool = True  # whether it is trained on what is released
    classifier: str = "logistic"  # a key of ``ATTACKERS``
    shadows: int = 200  # datasets, an even number
    tests: int = 200  # datasets, an even number
    replacement: bool = False  # whether a dataset's records are drawn with it
    split: bool = True  # whether the two parts are disjoint
    seed: int = 0
    known: int = 0  # records of a dataset that the attacker knows, half of them of each group

    def __post_init__(self) -> None:
        one_of("classifier", self.classifier, ATTACKERS, AttackError)
        fewest = ATTACKERS[self.classifier].fewest
        for kind, datasets in (("shadow", self.shadows), ("test", self.tests)):
            if datasets < fewest or datasets % 2:
                raise AttackError(
                    f"An attack needs an even number of {kind} datasets, at least {fewest}, not "
                    f"{datasets}."
                )
        if ATTACKERS[self.classifier].knows_grid and not self.query.linear:
            raise AttackError(
                "An attacker by arithmetic needs sums over the records, such as counts and means; "
                "take another attacker, or leave out the other figures."
            )
        limit = 2 * int(self.numbers.min())
        if integer("The number of known records", self.known, 0, limit, AttackError) % 2:
            raise AttackError(
                "An attacker knows an even number of records, half of each group, not "
                f"{self.known}."
            )
        for name, release in self._releases.items():
            if release.kept is not None and (release.kept > self.numbers).any():
                raise AttackError(
                    f"The release {name!r} keeps more records than a dataset has; calibrate it to "
                    "this range."
                )
        if self.n > _LARGEST:
            raise AttackError(
                f"Datasets of {whole(self.n)} records take too long to simulate; choose at most "
                f"{whole(_LARGEST)}."
            )
        sizes = len(self.without), len(self.having)
        for group, size in enumerate(_part_sizes(*sizes) if self.split else sizes):
            needed = int(self.numbers[:, group].max())
            if needed > size and (not size or not self.replacement):
                where = "A part of the split" if self.split else "The table"
                word = "with" if group else "without"
                raise AttackError(
                    f"{where} holds {whole(size)} records {word} the property and a dataset needs "
                    f"{whole(needed)}; take fewer records, or draw with replacement."
                )

    @classmethod
    def of(
        cls,
        model: GaussianModel,
        noises: Mapping[str, Release | None],
        pair: int = 0,
        **settings: Any,
    ) -> PropertyInferenceAttack:
        """Build the attack on one pair of a model, from the records of its groups.

        Records are split where a part holds as many of each group as a dataset; those of whole
        tables are not. Settings are further attributes. AttackError if the model came without
        records, a release belongs to other statistics, or the attack cannot be run as asked.
        """
        fitted, query = model.pair_at(pair), model.query
        if not isinstance(noises, Mapping):
            raise AttackError(
                f"What is attacked is a mapping of names to releases, such as {{'OptM': noise}}, "
                f"not {noises!r:.60}."
            )
        for name, one in noises.items():
            release = one or AS_IT_IS
            if not isinstance(release, Release) or release.width not in (0, len(query)):
                raise AttackError(
                    f"The release {name!r} is not one of the query's {len(query)} figures, but "
                    f"{release!r:.60}; calibrate it to this query."
                )
        if fitted.groups.records is None:
            raise AttackError(
                "The model holds moments and no records to attack; give run_attack the table."
            )
        records, numbers = fitted.groups.records, fitted.numbers
        settings.setdefault("split", parts_suffice(len(records[0]), len(records[1]), numbers))
        settings |= {"replacement": model.replacement}
        return cls(*records, query, numbers, model.n, dict(noises), **settings)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("An attack holds records; distpriv.attacks.worker ships it to processes.")

    @property
    def labels(self) -> IntArray:
        """0 for the test datasets at the lower share, which come first, 1 for the others."""
        return _labels(self.tests)

    def repetition(self, index: int) -> dict[str, FloatArray]:
        """Return scores of one repetition's test datasets by release, shape (tests,).

        Positive scores are guesses of the higher share.
        """
        rng = self._stream(index)
        parts, revealed = self._split(rng)
        shadow = self._draw(parts[0], revealed, self.shadows, rng)
        test = self._draw(parts[1], revealed, self.tests, rng)

        @cache
        def clean() -> Scorer:
            return self._train(shadow[""], self._stream(index, "clean"))

        @cache
        def laws() -> ShareLaws:
            return self._laws(parts[0], revealed)

        def scores(name: str, release: Release) -> FloatArray:
            stream, noisy = self._stream(index, *release.key), release.kind == "noise"
            if not release.additive:
                return self._train(shadow[name], stream)(test[name])
            released = test[""] + release.sample(self.tests, stream) if noisy else test[""]
            if ATTACKERS[self.classifier].knows_grid:
                low, high = laws().log_densities(released, release)[0]
                return high - low
            if not self.adaptive or not noisy:
                return clean()(released)
            return self._train(shadow[""] + release.sample(self.shadows, stream), stream)(released)

        return {name: scores(name, one) for name, one in self._releases.items()}

    def collect(self, repetitions: Iterable[Scores]) -> AttackResult:
        """Return the result of some repetitions; none is an AttackError."""
        if not (runs := list(repetitions)):
            raise AttackError("An attack needs at least one repetition.")
        each = {name: np.array([run[name] for run in runs]) for name in self.noises}
        return AttackResult(each, self.labels, self.seed, self.split)

    @cached_property
    def _releases(self) -> dict[str, Release]:
        return {name: one or AS_IT_IS for name, one in self.noises.items()}

    @cached_property
    def _keeping(self) -> dict[str, tuple[IntArray, FloatArray]]:
        """Records that releases keep of each group, and for how many one of them stands."""
        return {"": (np.full(2, self.n), np.ones(2))} | {
            name: (one.kept.astype(int), one.stands_for / np.maximum(one.kept, 1))
            for name, one in self._releases.items()
            if one.kept is not None and one.stands_for is not None
        }

    def _train(self, features: FloatArray, stream: np.random.Generator) -> Scorer:
        seed = int(stream.integers(2**31))
        return train(self.classifier, features, _labels(self.shadows), seed)

    def _stream(
        self, index: int, mechanism: str = "", epsilon: float = 0.0, delta: float = 0.0
    ) -> np.random.Generator:
        key = [index]
        if mechanism:
            bits = np.array([epsilon, delta], "<f8").view("<u4")
            key += [zlib.crc32(mechanism.encode()), *bits.tolist()]
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def _split(self, rng: np.random.Generator) -> tuple[list[Part], Part]:
        """Return auxiliary and testing part, and the records that are known of the latter."""
        groups = [self.without, self.having]
        auxiliary, testing = list(groups), list(groups)
        if self.split:
            for at, size in enumerate(_part_sizes(*map(len, groups))):
                chosen = rng.choice(len(groups[at]), 2 * size, replace=False)
                auxiliary[at], testing[at] = (groups[at][half] for half in np.split(chosen, 2))
        revealed = [group[:0] for group in groups]
        for at, group in enumerate(testing if self.known else ()):
            places = rng.choice(len(group), self.known // 2, replace=self.replacement)
            revealed[at] = group[places]
            if not self.replacement:
                testing[at] = np.delete(group, places, axis=0)
        return [auxiliary if self.split else testing, testing], revealed

    def _draw(
        self, part: Part, revealed: Part, datasets: int, rng: np.random.Generator
    ) -> dict[str, FloatArray]:
        """Draw datasets, half at each share: statistics (datasets, m) of what each release keeps.

        Members come in random order, so that the first of a group stand for those chosen by a key.
        """
        half, few = datasets // 2, self.known // 2
        records = [np.vstack(each) for each in zip(part, revealed, strict=True)]
        statistics: dict[str, list[FloatArray]] = {name: [] for name in self._keeping}
        for numbers in (self.numbers.astype(int) - few).tolist():
            most = sum(
                size if self.replacement else min(len(group), 4 * size)
                for group, size in zip(part, numbers, strict=True)
            )
            block = max(1, _MEMBERS // max(most, 1))
            for start in range(0, half, block):
                rows, members = min(block, half - start), []
                for group, size in zip(part, numbers, strict=True):
                    drawn = draw_subsets(len(group), size, rows, rng, self.replacement)
                    if few:
                        places = np.broadcast_to(len(group) + np.arange(few), (rows, few))
                        drawn = rng.permuted(np.hstack([drawn, places]), axis=1)
                    members.append(drawn)
                for name, (kept, weights) in self._keeping.items():
                    first = [each[:, :size] for each, size in zip(members, kept, strict=True)]
                    statistics[name].append(
                        statistics_of(self.query, records, first, weights)
                        if kept.any()
                        else np.zeros((rows, len(self.query)))
                    )
        return {name: np.concatenate(each) for name, each in statistics.items()}

    @cached_property
    def _grids(self) -> GroupGrids:
        """Grid of sums over any of the records, which attackers know from public sources."""
        return GroupGrids.of(self.without, self.having)

    def _laws(self, part: Part, revealed: Part) -> ShareLaws:
        """Return laws at both shares to who knows the records of a part, and all that is public."""
        scales, numbers = self.query.scales(self.n), self.numbers - self.known // 2
        sizes = np.array([max(len(group), 1) for group in part], float)
        means = np.array([group.sum(axis=0) / max(len(group), 1) for group in part])
        away = [group - mean for group, mean in zip(part, means, strict=True)]
        covariances = np.array([each.T @ each / max(len(each) - 1, 1) for each in away])
        # Of sums about what the part lets expect, which is off by chance where others are drawn.
        factors = numbers * (1 - (1 if self.replacement else numbers) / sizes)
        factors += 2 * numbers**2 / sizes * self.split
        ends = np.full(2, np.inf) if self.split or self.replacement else sizes
        bases, origins = lattices(self._grids, part, numbers, ends, scales)
        certain = revealed[0].sum(axis=0) + revealed[1].sum(axis=0)
        return ShareLaws(
            (certain + numbers @ means) * scales,
            np.tensordot(factors, covariances, 1) * np.outer(scales, scales),
            bases,
            certain * scales + origins,
        )


@dataclass(frozen=True, eq=False, repr=False)
class AttackResult(Result):
    """Scores of the test datasets of all repetitions, and what follows from them."""

    scores: Scores  # by release, (repetitions, tests)
    labels: IntArray  # (tests,), 1 where the higher share is right
    seed: int
    split: bool  # whether the classifiers learned from other records

    def __repr__(self) -> str:
        ends = {name: 100 * np.array(self.interval(name)) for name in self.scores}
        means = (
            f"{name} {mean:.1f} ± {(high - low) / 2:.1f}"
            for name, (mean, low, high) in ends.items()
        )
        repetitions = len(next(iter(self.scores.values()), ()))
        right = f"right guesses of 100: {', '.join(means)}"
        return f"AttackResult({right}; {repetitions} repetitions, seed {self.seed})"

    @property
    def accuracy(self) -> dict[str, FloatArray]:
        """Share of right guesses of each repetition, shape (repetitions,), by release."""
        return {
            name: np.asarray(((row > 0) == self.labels).mean(axis=1))
            for name, row in self.scores.items()
        }

    def interval(self, name: str, confidence: float = 0.95) -> tuple[float, float, float]:
        """Return mean accuracy, low and high end of its confidence interval.

        Student's, from the spread between repetitions: the test datasets of one repetition share a
        classifier and records. Wilson's where there is no spread.
        """
        one_of("release in this attack", name, self.scores, AttackError)
        return _mean_interval(self.accuracy[name], len(self.labels), confidence)

    def area(self, name: str, confidence: float = 0.95) -> tuple[float, float, float]:
        """Return mean area under the ROC curve, low and high end of its confidence interval."""
        from sklearn.metrics import roc_auc_score

        one_of("release in this attack", name, self.scores, AttackError)
        areas = np.array([roc_auc_score(self.labels, row) for row in self.scores[name]])
        return _mean_interval(areas, len(self.labels) // 2, confidence)

    def to_frame(self) -> pd.DataFrame:
        """Return right guesses of 100: the mean and its 95 % interval, low to high, by release."""
        import pandas as pd

        rows = [
            (name, len(row), *(100 * end for end in self.interval(name)))
            for name, row in self.accuracy.items()
        ]
        return pd.DataFrame(rows, columns=["release", "repetitions", "guesses", "low", "high"])


def run_attack(
    table: Any,
    query: Query,
    pair: Pair,
    n: int | None = None,
    noises: Mapping[str, Release | None] | None = None,
    *,
    adaptive: bool = True,
    repetitions: int = 50,
    classifier: str = "logistic",
    replacement: bool | None = None,
    known: int = 0,
    rng: np.random.Generator | int | None = None,
    progress: Progress = None,
) -> AttackResult:
    """Attack releases of a table's statistics, again and again.

    An attacker learns from datasets under both shares, and guesses the share of others. It is right
    50 times in 100 by chance; a better attacker may be right more often.

    Parameters
    ----------
    table : DataFrame or Source
        Of a large one that stays where it is, datasets are drawn from 200 000 random records.
    query : Query
    pair : Pair
        The two shares that are to be told apart.
    n : int, optional
        Records of a dataset, from 2 to 10⁶. None: the whole table, whose records count as drawn
        with replacement.
    noises : mapping of name to Release or None, optional
        What is attacked; None, here or in it: the figures as they are.
    adaptive : bool
        Whether it learns from what is released; False: from figures without noise, as the paper's.
    repetitions : int
        At least 1, each with other records, 200 datasets to learn from and 200 to guess.
    classifier : str
        How it learns, a key of `distpriv.attacks.ATTACKERS`.
    replacement : bool, optional
        Whether the n records are drawn with replacement; the paper's way is without.
    known : int
        Records of each dataset that the attacker knows, an even number, half of each group.
    rng : Generator, int or None
        The result names the one seed that came of it, which repeats it.
    progress : bool or callable, optional
        None: a line on a terminal after a second; True: always, in notebooks too; False: never; or
        a function of the repetitions that are done and their number.

    Returns
    -------
    AttackResult
        Scores and accuracy by release; `to_frame` has right guesses of 100 and 95 % intervals.

    Raises
    ------
    AttackError
        If the attack cannot be run as asked; else errors are those of `fit_gaussian`.

    Examples
    --------
    >>> table, query = dp.load_example("bank"), dp.Query([dp.Mean("age"), dp.Mean("amount")])
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.2, width=0.2)
    >>> dp.run_attack(table, query, pair, n=400, repetitions=10, rng=0)
    AttackResult(right guesses of 100: as it is 79.2 ± 2.1; 10 repetitions, seed 0)
    """
    if not isinstance(pair, Pair):
        raise AttackError(f"An attack is on one Pair, not on {pair!r:.60}.")
    repetitions = integer("The number of repetitions", repetitions, 1, error=AttackError)
    stream = generator(rng)
    model = fit_gaussian(table, query, pair, n, replacement=bool(replacement))
    model = with_records(model, table)
    some = {"as it is": None} if noises is None else noises
    if not some:
        raise AttackError("There is nothing to attack; give at least one release.")
    seed = rng if isinstance(rng, int) else int(stream.integers(2**32))
    attack = PropertyInferenceAttack.of(
        model, some, adaptive=adaptive, classifier=classifier, known=known, seed=seed
    )
    runs = map(attack.repetition, range(repetitions))
    return attack.collect(tracked(runs, repetitions, "Repetitions of the attack", progress))


def parts_suffice(without: int, having: int, numbers: FloatArray) -> bool:
    """Return whether parts of groups of these sizes hold the records of datasets [share, group]."""
    return bool((numbers <= _part_sizes(without, having)).all())


def _part_sizes(without: int, having: int) -> tuple[int, int]:
    total = without + having
    part = min(_LARGEST_PART, int(_SHARE * total))
    return without * part // total, having * part // total


def _labels(datasets: int) -> IntArray:
    return np.repeat([0, 1], datasets // 2)


def _mean_interval(
    values: FloatArray, trials: int, confidence: float
) -> tuple[float, float, float]:
    """Mean of repetitions and Student's interval, or Wilson's of their trials without spread."""
    number("The confidence", confidence, 0, 1, above=True, below=True, error=AttackError)
    repetitions, mean = len(values), float(values.mean())
    level = (1 + confidence) / 2
    error = float(values.std(ddof=1)) / math.sqrt(repetitions) if repetitions > 1 else 0.0
    if error > 0:
        half = float(special.stdtrit(repetitions - 1, level)) * error
        return mean, max(0.0, mean - half), min(1.0, mean + half)
    z, total = float(special.ndtri(level)), trials * repetitions
    center = (mean + z**2 / (2 * total)) / (1 + z**2 / total)
    half = math.sqrt(mean * (1 - mean) / total + (z / (2 * total)) ** 2) * z / (1 + z**2 / total)
    return mean, max(0.0, center - half), min(1.0, center + half)
