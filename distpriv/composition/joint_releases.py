"""All releases of one table together: different statistics, secrets, sizes and noises as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
import pandas as pd

from distpriv.arguments import checked
from distpriv.attacks.best_attack import optimal_attack_estimate
from distpriv.composition import joint_bounds
from distpriv.composition.datasets import Dataset, Grouping, Mixture, Uncounted
from distpriv.composition.joint_bounds import JointBound, joint_bound
from distpriv.composition.joint_loss import Bounds, JointLoss, PromisedLoss, worst_epsilon
from distpriv.composition.joint_per_record import JointPerRecord, joint_per_record
from distpriv.composition.mixed_noise import MixedLoss
from distpriv.composition.releases import Standing
from distpriv.composition.rules import Promise
from distpriv.composition.table_releases import Records, TableRelease, records_of
from distpriv.errors import CalibrationError, InapplicableError, ModelError
from distpriv.model.record_access import ReachesRecords
from distpriv.model.regularity import check_regular
from distpriv.privacy.calibration import check_delta
from distpriv.privacy.coupling_bound import CouplingBound
from distpriv.queries.properties import Pair

__all__ = ["JointReleases", "joint_releases"]

_TOLERANCE = 1.5e-3


@dataclass(frozen=True, eq=False)
class JointReleases(ReachesRecords, through=("_bounds",)):
    """What all releases together tell about the secret; see :func:`joint_releases`.

    Attributes
    ----------
    releases : tuple of TableRelease
        Those that are counted, in order.
    uncounted : tuple of Uncounted
        The others: every figure is without them, and no bound on what they add.
    pairs : tuple of Pair
    datasets : tuple of Dataset
        What is told of each dataset by itself.
    overlap : tuple of Mixture
        What all releases tell where the table is drawn, one a pair; empty for a single dataset.
    promise : Promise or None
        What all promise together, where adding up is proven.
    remark : str
        Why promises do not add up, or come to more than their sum; empty if they do.
    """

    releases: tuple[TableRelease, ...]
    uncounted: tuple[Uncounted, ...]
    pairs: tuple[Pair, ...]
    datasets: tuple[Dataset, ...]
    overlap: tuple[Mixture, ...]
    promise: Promise | None
    remark: str
    _grouping: Grouping = field(repr=False)

    @property
    def count(self) -> int:
        """Releases that are counted."""
        return len(self.releases)

    @property
    def exact(self) -> bool:
        """Whether the figures are what the normals deliver, not bounds from above."""
        return all(release.is_normal for release in self.releases)

    @property
    def accuracy(self) -> float:
        """Of the best attacker who has all releases, at equal priors, for the worst pair.

        A bound from above where Laplace noise is among several releases.
        """
        return max(self.accuracies)

    @cached_property
    def accuracies(self) -> tuple[float, ...]:
        """The same, one a pair."""
        return tuple(map(self.accuracy_on, range(len(self.pairs))))

    def accuracy_on(self, pair: int) -> float:
        """The same on one pair, by its index."""
        if not self.releases:
            return 0.5
        if self._alone and not self.overlap:
            return self._alone[pair]
        return max(min(bound.accuracy for bound in bounds) for bounds in self._losses[pair])

    def delta(self, epsilon: float) -> float:
        """δ delivered together at one ε >= 0, for the worst pair and order.

        By the fitted normals, each with its own covariance; at most, where noise is Laplace.

        Raises
        ------
        CalibrationError
            For a negative ε.
        """
        if not epsilon >= 0:
            raise CalibrationError(f"ε must not be negative, got ε = {epsilon:g}.")
        if not self.releases:
            return 0.0
        return max(
            min(bound.delta(epsilon) for bound in bounds)
            for readings in self._losses
            for bounds in readings
        )

    def epsilon(self, delta: float) -> float:
        """Least ε >= 0 delivered together at δ in (0, 1); ∞ where there is none.

        Raises
        ------
        CalibrationError
            If δ is outside its domain.
        """
        delta = check_delta(delta)
        if not self.releases:
            return 0.0
        return worst_epsilon(chain.from_iterable(self._losses), delta)

    def bounded_delta(self, epsilon: float) -> CouplingBound:
        """At most this δ is delivered together at ε >= 0, whatever the laws of the statistics.

        The coupling bound of the stacked releases, for the worst pair; of Laplace noise its normal
        floor alone is counted.

        Raises
        ------
        CalibrationError
            For a negative ε, or if there is no release.
        InapplicableError
            If a statistic is no sum over records, or the datasets overlap.
        """
        if not epsilon >= 0:
            raise CalibrationError(f"ε must not be negative, got ε = {epsilon:g}.")
        return joint_bounds.bounded_delta(self._bounds, epsilon)

    def bounded_epsilon(self, delta: float) -> float:
        """Least ε >= 0 at which the coupling bound is δ in (0, 1); ∞ if it never is.

        Errors are those of :meth:`bounded_delta`.
        """
        return joint_bounds.bounded_epsilon(self._bounds, check_delta(delta))

    def per_record(self, bounds: Mapping[str, tuple[float, float]]) -> JointPerRecord:
        """What all releases together promise about each record, of which one is replaced.

        A record of the table may be in every sample, so that samples all count, and nothing is
        promised where a sample is drawn with replacement: it may be in it again and again.

        Parameters
        ----------
        bounds : mapping of column to (lowest, highest)
            Public bounds of every numeric column that the releases use.

        Raises
        ------
        QueryError
            If bounds are missing, or not two finite numbers, the lower one first.
        """
        return joint_per_record([dataset.members for dataset in self.datasets], bounds)

    @cached_property
    def _bounds(self) -> list[JointBound]:
        """One a pair."""
        if not self.releases:
            raise CalibrationError("There is no release to be bounded; give at least one.")
        if not self._grouping.independent(self.datasets):
            raise InapplicableError(
                "The coupling bound is for datasets that are drawn independently, and these "
                "overlap; ask for a bound on each release."
            )
        return [
            joint_bound([dataset.told[place] for dataset in self.datasets], self._grouping.reseeded)
            for place in range(len(self.pairs))
        ]

    def standing(self, delta: float | None, pair: int | None = None) -> Standing:
        """The figures of the picture; of ε none where noise is Laplace.

        Parameters
        ----------
        delta : float in (0, 1), or None
            At which ε is asked for; None if it is not.
        pair : int, optional
            Index of the pair that the accuracy is about; by default the worst one.
        """
        return Standing(
            count=self.count,
            accuracy=self.accuracy if pair is None else self.accuracy_on(pair),
            exact=self.exact or bool(self._alone and not self.overlap),
            epsilon=None if delta is None or not self.exact else self.epsilon(delta),
            promise=self.promise,
            remark=self.remark,
        )

    @cached_property
    def _losses(self) -> tuple[tuple[Bounds, ...], ...]:
        """Of each pair, in every reading of how the datasets are drawn; the worst counts.

        Datasets that are independent count by themselves, Laplace noise by its normal floor alone
        and by promises where these add up. Beside that counts what all tell where the table is
        drawn.
        """
        datasets = self.datasets
        if self.overlap and any(not dataset.members[0].whole for dataset in datasets):
            datasets = tuple(dataset for dataset in datasets if not dataset.members[0].whole)
        other = [
            dataset
            for dataset in datasets
            if not all(release.is_normal for release in dataset.members)
        ]
        normal = [dataset for dataset in datasets if dataset not in other]
        promise = self._grouping.sum_of_promises(other)[0] if other else None
        losses: list[tuple[Bounds, ...]] = []
        for place in range(len(self.pairs)):
            bounds: Bounds = (_loss(datasets, place),)
            if promise is not None:
                rest = _loss(normal, place) if normal else None
                bounds = (*bounds, PromisedLoss(promise, rest))
            readings: tuple[Bounds, ...] = (bounds,)
            if self.overlap:
                cases = [(mass, JointLoss((told,))) for mass, told in self.overlap[place]]
                readings = (bounds, (MixedLoss(tuple(cases)),))
            losses.append(readings)
        return tuple(losses)

    @cached_property
    def _alone(self) -> tuple[float, ...]:
        """Accuracy on a single release with Laplace noise, simulated, one a pair; else empty."""
        if self.count != 1 or self.exact:
            return ()
        (release,) = self.releases
        model, noise = self._grouping.model(release), release.noise.detached()
        try:
            for fit in model.pairs:
                check_regular(fit.pooled, np.abs(fit.means).max(axis=0), release.query)
        except ModelError:
            return ()
        return tuple(
            optimal_attack_estimate(model.only(place), noise, rng=0, tolerance=_TOLERANCE).estimate
            for place in range(len(self.pairs))
        )


def _loss(datasets: Sequence[Dataset], place: int) -> JointLoss:
    return JointLoss(tuple(dataset.told[place] for dataset in datasets))


@checked(CalibrationError)
def joint_releases(
    releases: Sequence[TableRelease],
    records: pd.DataFrame | Records,
    pairs: Pair | Sequence[Pair],
    *,
    seed: int = 0,
    table: pd.DataFrame | Records | None = None,
) -> JointReleases:
    """What releases of one table tell together about one secret, whatever they were made for.

    *Of the whole table*: one dataset, so that their statistics have one joint law, that of the
    union of all statistics, and only the noises are independent: they are one release of the
    union (:mod:`distpriv.composition.stacked`). *Of samples*: two readings count, and of their
    figures the greater one. Where the records of the table are fixed, samples are independent and
    their log-likelihood ratios add up. Where the table itself is drawn, samples overlap with it and
    with each other, and all releases are one release with their joint covariances
    (:mod:`distpriv.composition.overlaps`). A whole table beside its samples, and reference data,
    are of the second kind. Whoever reads all of it is one attacker.

    In both readings means and covariances are exact for sums over records, and figures are what
    normals with these deliver. Records that lack values are taken to lack them at random.

    The normals are fitted as those of a single release are: in closed form from the group moments
    of the union, or by simulation where a statistic has none. Where Laplace noise is among several
    releases the figures are bounds. Of independent datasets: the lesser of what is told without the
    Laplace part, its floor left, and of what the promises about it come to beside what the others
    deliver. Promises are taken at their word, and rest on what the mechanism assumes. Of datasets
    that overlap: what is told if the size of the noise is known
    (:mod:`distpriv.composition.mixed_noise`).

    Parameters
    ----------
    releases : sequence of TableRelease
    records : DataFrame or Records
        What datasets are drawn from.
    pairs : Pair or sequence of Pair
        The shares that are told apart.
    seed : int
        Of what is simulated.
    table : DataFrame or Records, optional
        What the releases were computed from; by default `records`, which may be reference data.

    Returns
    -------
    JointReleases
        A release that has no joint law with the others is named, with the reason.

    Raises
    ------
    CalibrationError
        If there is no pair.
    """
    asked = (pairs,) if isinstance(pairs, Pair) else tuple(pairs)
    if not asked:
        raise CalibrationError("There is no pair of shares to tell apart; give at least one.")
    source = records_of(records)
    grouping = Grouping(source, source if table is None else records_of(table), asked, seed)
    datasets, uncounted = grouping.datasets(releases)
    left_out = {each.index for each in uncounted}
    counted = [index for index in range(len(releases)) if index not in left_out]
    overlap, apart = grouping.overlap([releases[index] for index in counted])
    if apart:
        uncounted += [Uncounted(counted[each.index], each.reason) for each in apart]
        left_out = {each.index for each in uncounted}
        datasets, _ = grouping.datasets(
            [each for index, each in enumerate(releases) if index not in left_out]
        )
    promise, remark = grouping.promise(datasets)
    return JointReleases(
        releases=tuple(each for index, each in enumerate(releases) if index not in left_out),
        uncounted=tuple(sorted(uncounted, key=lambda each: each.index)),
        pairs=asked,
        datasets=tuple(datasets),
        overlap=overlap,
        promise=promise,
        remark=remark,
        _grouping=grouping,
    )
