"""Which releases are of one dataset, and what those of each dataset tell of every pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from distpriv.composition.mixed_noise import conditional_noises
from distpriv.composition.overlaps import DrawnPart, moments_of_parts, simulated_parts
from distpriv.composition.releases import promised_of_one
from distpriv.composition.rules import Promise, compose
from distpriv.composition.stacked import Stacked, stacked
from distpriv.composition.table_releases import Records, TableRelease
from distpriv.errors import DistprivError, ModelError
from distpriv.model.gaussian import GaussianModel, PairModel, model_from_moments
from distpriv.model.monte_carlo import SimulatedFit
from distpriv.model.population import Population
from distpriv.model.theta import ShareOf
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query, Statistic

__all__ = ["Dataset", "Grouping", "Uncounted", "union_of"]

_OTHER_RECORDS = (
    "It is of the whole table and rests on {n} records, but {others} records have a value in all "
    "columns in use together; releases of different records of a table have no joint law here."
)
_OTHER_DRAWING = (
    "It is of the whole table, whose records are taken to be drawn {way} replacement here, unlike "
    "those of the other releases of it."
)
_OVERLAPPING = (
    "Promises do not add up: the samples overlap with each other or with the whole table."
)
_DATASETS = 1000  # that are simulated where a statistic is no sum
_DIFFERENT = (
    "Promises about one dataset add up for Laplace noise with δ = 0 on the same statistics only."
)


@dataclass(frozen=True)
class Uncounted:
    """A release that the joint figures leave out, and why.

    Attributes
    ----------
    index : int
        Its place among the releases.
    reason : str
        A sentence.
    """

    index: int
    reason: str


def union_of(queries: Iterable[Query]) -> Query:
    """All their statistics, each once, in order."""
    return Query([*dict.fromkeys(statistic for query in queries for statistic in query)])


@dataclass(frozen=True, eq=False)
class Dataset:
    """Releases of one dataset, and what they tell of each pair.

    Attributes
    ----------
    members : tuple of TableRelease
    told : tuple of Stacked
        One a pair.
    """

    members: tuple[TableRelease, ...]
    told: tuple[Stacked, ...]


Mixture = tuple[tuple[float, Stacked], ...]
"""Probabilities, and what is told where that has come about; which it is may be public."""


def _no_less(joint: Stacked, alone: Sequence[Stacked]) -> Stacked:
    """Return it with what the last digits of each dataset give away by themselves."""
    theta = math.prod(1 + part.theta for part in alone) - 1
    apart = joint.apart or any(part.apart for part in alone)
    return replace(joint, theta=max(joint.theta, theta), apart=apart)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Puts releases together that are of one dataset, with every fit made once.

    Attributes
    ----------
    records : Records
        What datasets are drawn from.
    table : Records
        What the releases were computed from.
    pairs : tuple of Pair
    seed : int
        Of what is simulated.
    """

    records: Records
    table: Records
    pairs: tuple[Pair, ...]
    seed: int
    _fits: dict[Any, PairModel] = field(default_factory=dict)

    def datasets(self, releases: Sequence[TableRelease]) -> tuple[list[Dataset], list[Uncounted]]:
        """What is known of each dataset, and the releases left out."""
        datasets: list[Dataset] = []
        uncounted: list[Uncounted] = []
        whole = [(index, release) for index, release in enumerate(releases) if release.whole]
        try:
            if whole:
                datasets.append(self._dataset([release for _, release in whole]))
        except DistprivError:
            # One after the other, to find out which.
            members: list[TableRelease] = []
            for index, release in whole:
                try:
                    datasets = [self._dataset([*members, release])]
                    members.append(release)
                except DistprivError as error:
                    uncounted.append(Uncounted(index, str(error)))
        for index, release in enumerate(releases):
            try:
                if not release.whole:
                    datasets.append(self._dataset([release]))
            except DistprivError as error:
                uncounted.append(Uncounted(index, str(error)))
        return datasets, uncounted

    def independent(self, datasets: Sequence[Dataset]) -> bool:
        """Return whether the datasets are independent given the records that they are drawn from.

        Samples of the records themselves are. A table that is drawn, from the records or from
        reference data, is not independent of its samples, nor are these of each other.
        """
        whole = any(dataset.members[0].whole for dataset in datasets)
        return len(datasets) < 2 or not (whole or self.records is not self.table)

    def overlap(
        self, releases: Sequence[TableRelease]
    ) -> tuple[tuple[Mixture, ...], list[Uncounted]]:
        """Return what all releases tell of each pair where the table itself is drawn.

        One mixture for each pair; none where there is but one dataset, and nothing else to know
        about it. Releases that have no joint law with the others are left out and listed.
        """
        samples = [release for release in releases if not release.whole]
        alone = len(samples) + any(release.whole for release in releases) < 2
        if not samples or (alone and self.records is self.table):
            return (), []
        try:
            return self._overlap(releases), []
        except DistprivError:
            counted: list[TableRelease] = []
            uncounted: list[Uncounted] = []
            found: tuple[Mixture, ...] = ()
            for index, release in enumerate(releases):
                try:
                    found = self._overlap([*counted, release])
                    counted.append(release)
                except DistprivError as error:
                    uncounted.append(Uncounted(index, str(error)))
            return found, uncounted

    def _overlap(self, releases: Sequence[TableRelease]) -> tuple[Mixture, ...]:
        whole = [release for release in releases if release.whole]
        datasets = [whole] if whole else []
        datasets += [[release] for release in releases if not release.whole]
        queries = [union_of(release.query for release in members) for members in datasets]
        starts = np.cumsum([0, *map(len, queries)])
        seen = []
        for members, query, start in zip(datasets, queries, starts, strict=False):
            places = {statistic: start + place for place, statistic in enumerate(query)}
            seen += [
                (tuple(int(places[statistic]) for statistic in release.query), release.noise)
                for release in members
            ]
        owners = np.repeat(np.arange(len(queries)), list(map(len, queries)))
        every = [statistic for query in queries for statistic in query]
        told = []
        for pair in self.pairs:

            def again(chosen: tuple[int, ...], pair: Pair = pair) -> PairModel:
                some: dict[int, list[Statistic]] = {}
                for index in chosen:
                    some.setdefault(int(owners[index]), []).append(every[index])
                # The statistics of a dataset follow one another, so that their order stays.
                order = sorted(chosen, key=lambda index: int(owners[index]))
                fit = self._joint(
                    [(Query(part), datasets[owner][0]) for owner, part in sorted(some.items())],
                    pair,
                )
                return fit.of_statistics([order.index(index) for index in chosen])

            fit = self._joint(
                [(query, members[0]) for query, members in zip(queries, datasets, strict=True)],
                pair,
            )
            place = self.pairs.index(pair)
            alone = [self._dataset(members).told[place] for members in datasets]
            cases: list[tuple[float, Stacked]] = []
            bare = [part.undefended() for part in alone]
            for mass, noises in conditional_noises([noise for _, noise in seen]):
                made = [(at, noise) for (at, _), noise in zip(seen, noises, strict=True)]
                # The first of several cases is that of Laplace noise of size 0.
                least = bare if mass < 1 and not cases else alone
                cases.append((mass, _no_less(stacked(fit, made, again), least)))
            told.append(tuple(cases))
        return tuple(told)

    def _joint(self, asked: Sequence[tuple[Query, TableRelease]], pair: Pair) -> PairModel:
        """Return the joint law of statistics of the table and of samples of it."""
        union, secret = union_of(query for query, _ in asked), pair.secret
        if not union.is_linear:
            count = sum(self.table.records(union, secret).totals)
            parts = [DrawnPart.of(query, release, count) for query, release in asked]
            groups = self.records.records(union, secret)
            key = f"overlapping {parts!r} {pair!r} {self.seed}"
            return self.records.computed(
                key,
                lambda: simulated_parts(groups, union, pair, parts, _DATASETS, self.seed),
            )
        counts = [self._complete(query, pair) for query, _ in asked]
        parts = [
            DrawnPart.of(query, release, count)
            for (query, release), count in zip(asked, counts, strict=True)
        ]
        shared = np.minimum.outer(counts, counts).astype(np.float64)
        if self._complete(union, pair) < max(counts):
            shared = np.array(
                [[self._complete(union_of([one, two]), pair) for two, _ in asked]
                 for one, _ in asked], dtype=np.float64,
            )  # fmt: skip
        return moments_of_parts(self.records.moments(union, secret), union, pair, parts, shared)

    def _complete(self, query: Query, pair: Pair) -> int:
        """Return how many records of the table have all values in use."""
        return sum(self.table.moments(query, pair.secret).counts)

    def _dataset(self, members: list[TableRelease]) -> Dataset:
        """What releases of one dataset tell of each pair."""
        union = union_of(release.query for release in members)
        places = {statistic: place for place, statistic in enumerate(union)}
        if members[0].whole:
            self._check_one_dataset(members, union)
        seen = [
            (tuple(places[statistic] for statistic in release.query), release.noise)
            for release in members
        ]
        size = members[-1].n, members[-1].replacement, members[-1].drawn_share
        told = []
        for pair in self.pairs:

            def again(chosen: tuple[int, ...], pair: Pair = pair) -> PairModel:
                return self._fit(Query([union.statistics[index] for index in chosen]), pair, *size)

            told.append(stacked(self._fit(union, pair, *size), seen, again))
        return Dataset(tuple(members), tuple(told))

    def _check_one_dataset(self, members: Sequence[TableRelease], union: Query) -> None:
        last = members[-1]
        if any(release.replacement != last.replacement for release in members):
            raise ModelError(_OTHER_DRAWING.format(way="with" if last.replacement else "without"))
        table = self.table
        for secret in dict.fromkeys(pair.secret for pair in self.pairs):
            others = sum(
                table.moments(union, secret).counts
                if union.is_linear
                else table.records(union, secret).totals
            )
            if any(release.n != others for release in members):
                raise ModelError(_OTHER_RECORDS.format(n=last.n, others=others))

    def _fit(
        self, query: Query, pair: Pair, n: int, replacement: bool, share_of: ShareOf
    ) -> PairModel:
        key = (query, pair, n, replacement, share_of)
        if key not in self._fits:
            self._fits[key] = self._fitted(*key)
        return self._fits[key]

    def _fitted(
        self, query: Query, pair: Pair, n: int, replacement: bool, share_of: ShareOf
    ) -> PairModel:
        secret = pair.secret
        population = {secret: self.records.population(query, secret, self.seed)}
        if query.is_linear:
            moments = {secret: self.records.moments(query, secret)}
            model = model_from_moments(
                moments,
                query,
                [pair],
                n,
                replacement=replacement,
                share_of=share_of,
                regular=False,
            )
        else:
            groups = {secret: self.records.records(query, secret)}
            fit = SimulatedFit(
                groups, query, [pair], n, replacement, share_of, seed=self.seed, regular=False
            )
            model = self.records.computed(
                f"stacked {(query, pair, n, replacement, share_of, self.seed)!r}", fit.run
            )
        return model.drawn_from(population).pairs[0]

    def reseeded(self, population: Population, more: int) -> Population:
        """The same records, from which everything is drawn anew."""
        query, secret = population.query, population.secret
        return self.records.population(query, secret, self.seed + more)

    def promise(self, datasets: Sequence[Dataset]) -> tuple[Promise | None, str]:
        """Of all, and a remark; none where datasets that overlap would have to be independent."""
        if not self.independent(datasets):
            return None, _OVERLAPPING
        return self.sum_of_promises(datasets)

    def sum_of_promises(self, datasets: Sequence[Dataset]) -> tuple[Promise | None, str]:
        """Return what datasets promise together that are independent, and a remark."""
        found = [self._of_one(dataset.members) for dataset in datasets]
        remark = next((remark for _, remark in found if remark), "")
        known = [promise for promise, _ in found if promise is not None]
        if not known or len(known) < len(found):
            return None, remark
        return compose(known, "independent"), remark

    def _of_one(self, members: Sequence[TableRelease]) -> tuple[Promise | None, str]:
        """Of releases of one dataset."""
        first = members[0]
        if any(set(release.query) != set(first.query) for release in members):
            return None, _DIFFERENT
        noises = [
            release.noise.in_order([release.query.statistics.index(each) for each in first.query])
            for release in members
        ]
        promises = [release.promise(self.pairs) for release in members]
        return promised_of_one(promises, noises, lambda: self.model(first))

    def model(self, release: TableRelease) -> GaussianModel:
        """Of a release by itself, for all pairs."""
        fits = [
            self._fit(release.query, pair, release.n, release.replacement, release.drawn_share)
            for pair in self.pairs
        ]
        return GaussianModel(
            query=release.query,
            n=release.n,
            pairs=tuple(fits),
            method="exact" if release.query.is_linear else "monte-carlo",
            replacement=release.replacement,
            share_of=release.drawn_share,
            record_sensitivities=np.zeros(len(release.query)),
        )
