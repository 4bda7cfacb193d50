"""The normal model of statistics under two shares: exact for sums, estimated for all others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from distpriv.arrays import FloatArray, generator, integer
from distpriv.display import Progress, Result, html, plain, tracked
from distpriv.errors import DistprivError
from distpriv.model.estimated import Estimate, estimated_law, spacings, stretched
from distpriv.model.grid import GroupGrids, smoothness, solve_in_units
from distpriv.model.groups import PROVENANCES, Groups, Provenance
from distpriv.model.simulate import records_of
from distpriv.queries import Pair, Query
from distpriv.text import listed, one_of, percent, significant, whole

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.model.release import Release

__all__ = ["GaussianModel", "Method", "PairModel", "exact_pair", "fit_groups"]

Method = Literal["exact", "monte-carlo"]

_LARGEST = 10**15  # records; whole numbers above it are not all of double precision
_SEED = 0  # of simulated tables, so that figures do not move
_TABLES = 1000  # at each share, in the paper's way
_FAR, _RARE = 6.0, 2e-3  # deviations, and the share of tables beyond them that normal noise betrays


@dataclass(frozen=True, eq=False)
class PairModel:
    """Two normal laws of the statistics that must not be told apart.

    Alternatives are laws that are as likely where these were estimated from simulated tables; a
    promise has to hold under all of them.
    """

    pair: Pair
    groups: Groups  # what it was computed from, in units of the columns
    numbers: FloatArray  # (2, 2), of records [share, group]
    means: FloatArray  # (2, m)
    covariances: FloatArray  # (2, m, m)
    steps: FloatArray  # (m,), of each statistic by itself, 0 where it has no grid
    joint_steps: FloatArray  # (2, m), while all others stay, see `Grid`
    apart: bool  # whether arithmetic tells the shares, see `GroupGrids.apart`
    alternatives: tuple[PairModel, ...] = ()
    # Standard errors of means, (2, m), and covariances, (2, m, m), that are estimated.
    errors: tuple[FloatArray, FloatArray] | None = None

    def __repr__(self) -> str:
        return plain(
            f"PairModel({self.title}; the means are {self.distance():.3g} deviations apart)"
        )

    @property
    def title(self) -> str:
        """What must not be told apart: "20 % and 30 % with income = >50K"."""
        shares = f"{percent(self.pair.low)} and {percent(self.pair.high)}"
        return f"{shares} with {self.pair.secret.label}"

    @property
    def difference(self) -> FloatArray:
        """Mean at the lower share less that at the higher one, shape (m,)."""
        return np.asarray(self.means[0] - self.means[1])

    @property
    def pooled(self) -> FloatArray:
        """Mean of the two covariances, which the published mechanisms use, shape (m, m)."""
        return np.asarray(self.covariances.mean(axis=0))

    @property
    def middle(self) -> float:
        """Middle of the two shares as whole records give them, a fraction."""
        return float(self.numbers[:, 1].mean() / self.numbers[0].sum())

    def distance(self, noise: FloatArray | float = 0.0) -> float:
        """Return the Mahalanobis distance of the means under pooled covariance and noise."""
        square = self.difference @ solve_in_units(self.pooled + noise, self.difference)
        return math.sqrt(max(float(square), 0.0))

    def smoothness(self, noise: FloatArray) -> FloatArray:
        """Return θ for covariances of noise, shape (..., m, m); ∞ where arithmetic undoes it."""
        return smoothness(self.covariances, self.joint_steps, self.steps, noise)

    def in_units(self, units: FloatArray) -> PairModel:
        """Return the laws of statistics divided by units, shape (m,); the groups stay."""
        return replace(
            self,
            means=self.means / units,
            covariances=self.covariances / np.outer(units, units),
            steps=self.steps / units,
            joint_steps=self.joint_steps / units,
            alternatives=tuple(one.in_units(units) for one in self.alternatives),
            errors=self.errors
            and (self.errors[0] / units, self.errors[1] / np.outer(units, units)),
        )


@dataclass(frozen=True, eq=False)
class GaussianModel(Result):
    """Normal laws of a query's statistics under the shares of one or several pairs.

    `fit_gaussian` returns it; `summary` says in a frame what it knows.

    Attributes
    ----------
    query : Query
    pairs : tuple of PairModel
        Of each pair means (2, m), covariances (2, m, m), difference (m,), pooled (m, m).
    n : int
        Records that the statistics are of.
    replacement : bool
        Whether the records count as drawn with replacement; whole tables always do.
    scales : ndarray, shape (m,)
        What turns sums over the records into the statistics; 1 for statistics that are no sums.
    method : str
        "exact", where all but sums is estimated from simulated tables, or "monte-carlo".

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=100)
    GaussianModel(mean age of 100 records; 10 % and 20 % with late = yes)
    """

    query: Query
    n: int
    replacement: bool
    pairs: tuple[PairModel, ...]
    scales: FloatArray
    method: Method = "exact"

    def __repr__(self) -> str:
        pairs, labels = "; ".join(pair.title for pair in self.pairs), self.query.labels
        some = listed(labels) if len(labels) <= 3 else f"{len(labels)} statistics"
        return plain(f"GaussianModel({some} of {whole(self.n)} records; {pairs})")

    def _repr_html_(self) -> str:
        return html(repr(self), self.summary())

    @property
    def steps(self) -> FloatArray:
        """Step of each statistic by itself, the largest over the pairs, shape (m,)."""
        return np.asarray(np.max([pair.steps for pair in self.pairs], axis=0))

    @property
    def exact(self) -> bool:
        """Whether no law is estimated from simulated tables."""
        return self.method == "exact" and self.query.linear

    @property
    def provenance(self) -> Provenance:
        """Where the groups come from, the least public of them."""
        return min((pair.groups.provenance for pair in self.pairs), key=PROVENANCES.index)

    def pair_at(self, place: int) -> PairModel:
        """Return one pair's laws, the first at 0; DistprivError if there is none."""
        return self.pairs[integer("The place of a pair", place, 0, len(self.pairs) - 1)]

    def summary(
        self,
        releases: Mapping[str, Release | None] | None = None,
        units: Mapping[str, str] | None = None,
    ) -> pd.DataFrame:
        """Return what each statistic tells, and all together, a row for each and each pair.

        Columns are statistic, secret, unit (as `units` name it by column; counts are of records);
        low and high, its mean at the lower and the higher share, and deviation, at their mean
        variance, in that unit; gap, between the means in deviations; guesses, how often of 100 the
        best attacker is right who sees this statistic alone, or all of them (50 is a coin toss).
        Each of the releases, by name, gets a column of right guesses from all that it releases.
        """
        import pandas as pd

        from distpriv.analysis.brief import brief  # later rooms
        from distpriv.privacy import NormalLoss, privacy_loss

        if not isinstance(releases, Mapping | None):
            raise DistprivError(f"Releases are a mapping of names to them, not {releases!r:.60}.")
        frames, named = [], {"guesses": None} | dict(releases or {})
        for place, one in enumerate(self.pairs):
            low, high = one.means
            variances = np.diagonal(one.covariances, axis1=1, axis2=2)
            deviation = np.sqrt(variances.mean(axis=0).clip(0))
            alone = NormalLoss.between(one.difference[:, None], *variances[..., None, None])
            columns = {
                "statistic": self.query.labels,
                "secret": one.pair.secret.label,
                "unit": [each.unit(units or {}) for each in self.query.statistics],
                "low": low,
                "high": high,
                "deviation": deviation,
                "gap": (high - low) / np.where(deviation > 0, deviation, np.nan),
                "guesses": 50 + 50 * alone.profile(np.zeros(len(low))),
            }
            every = {
                name: [100 * privacy_loss(self, release, place).accuracy()]
                for name, release in named.items()
            }
            head = {"statistic": ["all together"], "secret": one.pair.secret.label, "unit": ""}
            frames += [pd.DataFrame(columns), pd.DataFrame(head | every)]
        low, high = (f"at the {which} share 3" for which in ("lower", "higher"))
        columns = {"statistic": "statistic ", "secret": "secret ", "low": low, "high": high}
        if len(self.pairs) == 1:
            del columns["secret"]
            low, high = (f"at {100 * share:g} % 3" for share in (one.pair.low, one.pair.high))
            columns |= {"low": low, "high": high}
        columns |= {name: f"{name} .1" for name in named} | {"guesses": "right of 100 .1"}
        return brief(pd.concat(frames, ignore_index=True), columns)

    def to_frame(self) -> pd.DataFrame:
        """Return columns statistic, secret, share, mean and deviation, a row at every share."""
        import pandas as pd

        rows = [
            (label, one.pair.secret.label, share, mean[at], math.sqrt(covariance[at, at]))
            for one in self.pairs
            for share, mean, covariance in zip(
                (one.pair.low, one.pair.high), one.means, one.covariances, strict=True
            )
            for at, label in enumerate(self.query.labels)
        ]
        return pd.DataFrame(rows, columns=["statistic", "secret", "share", "mean", "deviation"])


def fit_groups(
    groups: Sequence[Groups],
    query: Query,
    pairs: Sequence[Pair],
    n: int,
    replacement: bool = False,
    *,
    method: Method = "exact",
    rng: np.random.Generator | int | None = None,
    tables: int | None = None,
    progress: Progress = None,
) -> GaussianModel:
    """Compute the model from the groups of each pair's secret, see :func:`distpriv.fit_gaussian`.

    Groups are one for each pair, with their records, where something is to be simulated; n is from
    2 to 10¹⁵. By the method "exact" sums have their exact law and all other statistics are
    estimated beside them, by "monte-carlo" all is estimated from simulated tables (Chen & Ohrimenko
    2023, Section 5.1): so many at each share, by default 1000, or as many as about half a second
    allows. DistprivError if n is no such number, both shares mean as many records, a group has too
    few, or a statistic that is no sum is the same in all tables, or far off in a few.
    """
    if not pairs:
        raise DistprivError("Nothing is to be hidden; give at least one pair of shares.")
    one_of("method", method, ("exact", "monte-carlo"))
    n = integer("The number of records n", n, 2, _LARGEST)
    scales, each = query.scales(n), zip(groups, pairs, strict=True)
    if method == "exact" and query.linear:
        fitted = [
            exact_pair(one, pair, _numbers(one, pair, n, replacement), scales, replacement)
            for one, pair in each
        ]
    else:
        how = query, n, replacement, method == "exact"
        stream = generator(_SEED if rng is None else rng)
        several = tracked(each, len(pairs), "Simulated laws of pairs", progress)
        fitted = [_estimated_pair(one, pair, *how, stream, tables) for one, pair in several]
    return GaussianModel(query, n, replacement, tuple(fitted), scales, method)


def _numbers(groups: Groups, pair: Pair, n: int, replacement: bool) -> FloatArray:
    """Return numbers of records [share, group], (2, 2), which the groups must have."""
    numbers = pair.numbers(n)
    if numbers[0, 1] == numbers[1, 1]:
        raise DistprivError(
            f"Both shares of {pair.secret.label} mean {whole(numbers[0, 1])} of {whole(n)} "
            "records; move them apart or take more records."
        )
    sizes, _ = groups.population(replacement)
    if (numbers > sizes).any():
        _, group = np.argwhere(numbers > sizes)[0]
        who = "with" if group else "without"
        raise DistprivError(
            f"{whole(n)} records at {percent(pair.low)} and {percent(pair.high)} need "
            f"{whole(numbers[:, group].max())} {who} {pair.secret.label}, and the table has "
            f"{whole(sizes[group])}; take fewer records, or draw with replacement."
        )
    return numbers


def law_of_sums(
    groups: Groups, numbers: FloatArray, scales: FloatArray, replacement: bool
) -> tuple[FloatArray, FloatArray]:
    """Compute means and covariances of sums over numbers of records, (S, 2), times scales, (m,)."""
    sizes, covariances = groups.population(replacement)
    factors = numbers * (1 - numbers / np.maximum(sizes, 1))
    means = numbers @ groups.means * scales
    return means, np.tensordot(factors, covariances, 1) * np.outer(scales, scales)


def exact_pair(
    groups: Groups, pair: Pair, numbers: FloatArray, scales: FloatArray, replacement: bool
) -> PairModel:
    """Compute the laws of sums over numbers of records, [share, group], times scales, (m,)."""
    sizes, _ = groups.population(replacement)
    means, covariances = law_of_sums(groups, numbers, scales, replacement)
    grids = [groups.grids.at(row, sizes) for row in numbers]
    steps = np.max([grid.steps for grid in grids], axis=0) * scales
    joint_steps = np.array([grid.joint_steps for grid in grids]) * scales
    apart = groups.grids.apart(numbers, sizes)
    return PairModel(pair, groups, numbers, means, covariances, steps, joint_steps, apart)


def _estimated_pair(
    groups: Groups,
    pair: Pair,
    query: Query,
    n: int,
    replacement: bool,
    controlled: bool,
    rng: np.random.Generator,
    tables: int | None,
) -> PairModel:
    """Estimate what is no sum, or all.

    The step of a statistic that is no sum is the spacing of its values, and at least its column's:
    a coarser grid than the true one, on which they lie while the others stay, takes more noise.
    """
    numbers = _numbers(groups, pair, n, replacement)
    tables = tables or (None if controlled else _TABLES)
    laws = [
        estimated_law(query, groups, row[None], row[None], replacement, rng, tables, controlled)
        for row in numbers
    ]
    linear = np.array([one.linear for one in query.statistics])
    columns = np.array([place.start for place in query.places])
    quantiles = np.array([one.kind in ("median", "quantile") for one in query.statistics])
    steps = np.where(quantiles, groups.grids.both.steps[columns], 0.0)
    steps = np.maximum(steps, np.max([spacings(law.draws) for law in laws], axis=0))
    joint = np.array([steps, steps])
    if linear.any():
        some = columns[linear]
        own = replace(
            groups,
            means=groups.means[:, some],
            covariances=groups.covariances[:, some[:, None], some],
            grids=GroupGrids.of(*(group[:, some] for group in records_of(groups))),
        )
        sums = exact_pair(own, pair, numbers, query.scales(n)[linear], replacement)
        steps[linear], joint[:, linear] = sums.steps, sums.joint_steps
    _check_laws(query, laws)
    means = np.array([law.mean for law in laws])
    covariances = np.array([law.covariance for law in laws])
    cosets = groups.grids.apart(numbers, groups.population(replacement)[0])
    first = PairModel(pair, groups, numbers, means, covariances, steps, joint, cosets)
    errors = (
        np.array([law.mean_error for law in laws]),
        np.array([law.covariance_error for law in laws]),
    )
    alternatives = [
        replace(first, means=np.array(means), covariances=np.array(covariances))
        for both in zip(*(law.resampled for law in laws), strict=True)
        for means, covariances in [zip(*both, strict=True)]
    ]
    for at in np.flatnonzero(~linear):
        spread = np.sqrt(covariances[:, at, at])
        apart = stretched(means[:, at], spread, [law.draws[:, at] for law in laws])
        more = apart - abs(first.difference[at])
        if more > 0:  # the tables are no bell curves, and differ by more than those would
            sign = 1.0 if first.difference[at] > 0 else -1.0
            move = sign * more / 2 * first.pooled[at] / first.pooled[at, at]
            alternatives.append(replace(first, means=means + np.array([move, -move])))
    return replace(first, alternatives=tuple(alternatives), errors=errors)


def _check_laws(query: Query, laws: Sequence[Estimate]) -> None:
    """Raise DistprivError where a statistic that is no sum has one value, or far too long tails."""
    for at in [place for place, one in enumerate(query.statistics) if not one.linear]:
        title, means = query.statistics[at].title, [float(law.mean[at]) for law in laws]
        spread = [math.sqrt(max(law.covariance[at, at], 0.0)) for law in laws]
        if max(spread) <= 1e-9 * max(map(abs, means)):
            low, high = (significant(mean, 6) for mean in means)
            both = f"{low} at both shares"
            where = both if low == high else f"{low} at one share, {high} at the other"
            raise DistprivError(
                f"The {title} is the same in all simulated tables, {where}; take fewer records, or "
                "leave it out."
            )
        cases = zip(laws, means, spread, strict=True)
        far = max((np.abs(law.draws[:, at] - mean) > _FAR * s).mean() for law, mean, s in cases)
        if far > _RARE:
            raise DistprivError(
                f"The {title} lies far from its usual values in about {1000 * far:.0f} of 1000 "
                "simulated tables; take more records, or leave it out."
            )
