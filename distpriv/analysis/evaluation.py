"""From a scenario and a table to figures, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from distpriv.analysis import frames
from distpriv.analysis.cache import Cache, Key
from distpriv.analysis.comparison import Way, mean_percent, noises, ruler, way, ways
from distpriv.analysis.exposure import exposure
from distpriv.analysis.recommendation import Recommendation, recommend
from distpriv.analysis.scenario import Scenario
from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import MECHANISMS, calibrate
from distpriv.model import AS_IT_IS, GaussianModel, Groups, Promise, Release, fit_groups
from distpriv.model.simulate import simulate
from distpriv.privacy import (
    Verdict,
    accuracies,
    delivered_epsilon,
    optimal_attack_accuracy,
    verdict,
)
from distpriv.queries import Pair, Query
from distpriv.sources import Source, source_of
from distpriv.text import percent, whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evaluation", "evaluate"]

T = TypeVar("T")

_DRAWN = 4_000_000  # numbers of records that simulated tables take at most
_CURVE = np.geomspace(0.1, 20.0, 22)  # ε of a trade-off
_SEED = 1  # of simulated tables: the same picture each time


def evaluate(
    scenario: Scenario, table: Any, cache: Cache | None = None, *, reference: Any = None
) -> Evaluation:
    """Return what a scenario comes to on a table; nothing is computed before it is asked for.

    Parameters
    ----------
    scenario : Scenario
    table : DataFrame or Source
    cache : Cache, optional
        Of a session, so that what a change leaves as it was is not computed again.
    reference : DataFrame or Source, optional
        Public table with the same columns that the groups' laws are taken from.

    Raises
    ------
    DistprivError
        If the scenario has no secret, or asks for what is not built.
    """
    if not scenario.secrets:
        raise DistprivError(
            "There is no secret to hide; choose whose share nobody should find out."
        )
    if scenario.persons is not None or scenario.known_records:
        raise NotApplicable(
            "Protection of single records, and attackers who know records, are not built yet; leave "
            "both out."
        )
    if scenario.reference_data and reference is None:
        raise DistprivError(
            f"The scenario takes its groups from {scenario.reference_data!r}; open that table, too."
        )
    public = None if reference is None else source_of(reference, "reference")
    return Evaluation(scenario, source_of(table), public, cache or Cache())


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Results of one scenario on one table, made by `evaluate`; neither pickled nor shared.

    Attributes
    ----------
    scenario : Scenario
    source : Source
        The table.
    reference : Source or None
        Public table that the groups' laws are taken from, instead of the table itself.
    cache : Cache
    """

    scenario: Scenario
    source: Source = field(repr=False)
    reference: Source | None = field(repr=False)
    cache: Cache = field(repr=False)

    def __getstate__(self) -> NoReturn:
        raise TypeError("A session's results do not leave it.")

    # ---------------------------------------------------------------- the table

    @cached_property
    def query(self) -> Query:
        """Statistics that are released."""
        return Query(self.scenario.statistics)

    @property
    def pair(self) -> Pair:
        """The two shares of the first secret."""
        return self.scenario.secrets[0]

    @property
    def labels(self) -> tuple[str, ...]:
        """Titles of the statistics."""
        return tuple(one.title for one in self.query.statistics)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the statistics, "" where there is none."""
        return tuple(one.unit(self.source.units) for one in self.query.statistics)

    @property
    def shares(self) -> tuple[str, str]:
        """Both shares as sentences and charts name them."""
        return percent(self.pair.low), percent(self.pair.high)

    def _groups_of(self, source: Source, pair: Pair) -> Groups:
        key = ("groups", source.fingerprint, source.provenance, self.query, pair.secret)
        return self.cache(key, lambda: source.groups(self.query, pair.secret))

    @cached_property
    def groups(self) -> tuple[Groups, ...]:
        """The table's records without and with each secret."""
        return tuple(self._groups_of(self.source, pair) for pair in self.scenario.secrets)

    @property
    def own_share(self) -> float:
        """Share of the table's own records, a fraction; for the analyst alone."""
        return self.groups[0].share

    @property
    def complete(self) -> int:
        """Number of records without a missing value."""
        return int(self.groups[0].counts.sum())

    @property
    def n(self) -> int:
        """Number of records that the statistics are of."""
        return self.scenario.records or self.complete

    # ---------------------------------------------------------------- the model

    @cached_property
    def model_key(self) -> Key:
        """Hash of all that the model depends on, for keys of the cache."""
        one, public = self.scenario, self.reference
        where = (self.source.fingerprint, self.source.provenance, public and public.fingerprint)
        return (*where, one.statistics, one.secrets, one.records, one.replacement)

    def _by_model(self, name: str, make: Callable[[], T]) -> T:
        return self.cache((name, *self.model_key), make)

    @cached_property
    def model(self) -> GaussianModel:
        """Normal laws of the statistics under both shares of each secret.

        Raises
        ------
        DistprivError
            If more records are asked for than the table has, or a figure is also the secret.
        """
        return self._by_model("model", self._fit)

    def _fit(self) -> GaussianModel:
        if self.n > self.complete:
            raise DistprivError(
                f"The figures are of {whole(self.n)} records, and the table has "
                f"{whole(self.complete)} complete ones; take at most so many."
            )
        groups, pairs = self.groups, self.scenario.secrets
        if self.reference is not None:
            groups = tuple(self._groups_of(self.reference, pair) for pair in pairs)
        for fitted, pair in zip(groups, pairs, strict=True):
            self._check_figures(fitted, pair)
        endless = self.scenario.records is None or self.scenario.replacement
        return fit_groups(groups, self.query, pairs, self.n, endless)

    def _check_figures(self, groups: Groups, pair: Pair) -> None:
        """Refuse a statistic that is the same for all records of either group, but not of both."""
        size = np.abs(groups.means).max(axis=0)
        spread = np.sqrt(np.diagonal(groups.covariances, axis1=1, axis2=2).max(axis=0))
        apart = np.abs(groups.means[1] - groups.means[0])
        for label, tells in zip(
            self.labels, (spread <= 1e-9 * size) & (apart > 1e-6 * size), strict=True
        ):
            if tells:
                raise DistprivError(
                    f"{label} is the secret itself: it follows from {pair.secret.label} alone; leave it "
                    "out."
                )

    @cached_property
    def values(self) -> FloatArray:
        """Expected statistics at the middle of the range, (m,): no record's."""
        return np.asarray(self.model.pairs[0].means.mean(axis=0))

    @cached_property
    def ruler(self) -> FloatArray:
        """What 100 per cent of each statistic is, (m,), see :func:`comparison.ruler`."""
        return ruler(self.model)

    def percent(self, errors: FloatArray) -> float:
        """Return the mean of errors, (m,), by the ruler."""
        return float(mean_percent(self.model, errors))

    @property
    def undefended(self) -> float:
        """Right guesses of 100 from the figures as they are."""
        return self._by_model("undefended", lambda: 100 * optimal_attack_accuracy(self.model))

    @property
    def draws(self) -> FloatArray:
        """Simulated statistics at both shares, (2, at most 1000, m)."""
        count = int(np.clip(_DRAWN // (self.n * len(self.query)), 100, 1000))
        return self._by_model("draws", lambda: simulate(self.model, 0, count, _SEED))

    @property
    def outside(self) -> bool:
        """Whether the whole table is released and its share lies outside the range."""
        inside = self.pair.low <= self.own_share <= self.pair.high
        return self.n >= self.complete and not inside

    # ---------------------------------------------------------------- the promise

    @cached_property
    def promise(self) -> Promise:
        """Promise that the limit means."""
        limit = self.scenario.limit
        return limit if isinstance(limit, Promise) else limit.promise

    @property
    def limit(self) -> float:
        """Right guesses of 100 that the promise allows on any data."""
        odds = np.exp(min(self.promise.epsilon, 700.0))
        return float(100 * (odds + self.promise.delta) / (1 + odds))

    @cached_property
    def options(self) -> dict[str, Any]:
        """Options of `calibrate` that the scenario chooses."""
        one = self.scenario
        chosen: dict[str, Any] = {"calibration": one.calibration}
        if not one.grid_safe:
            chosen["grid_safe"] = False
        return chosen | {"units": self.ruler if one.units == "percent" else None}

    @cached_property
    def options_key(self) -> Key:
        """Hash of what calibrations depend on besides model and promise."""
        one = self.scenario
        return one.calibration, one.grid_safe, one.units, one.reference_share

    def _by_promise(self, name: str, more: Key, make: Callable[[], T]) -> T:
        return self.cache((name, *more, self.promise, *self.options_key, *self.model_key), make)

    @cached_property
    def _plain(self) -> Verdict:
        return self._by_promise("plain", (), lambda: verdict(self.model, AS_IT_IS, self.promise))

    @property
    def needs_noise(self) -> bool:
        """Whether the figures as they are break the limit."""
        return not self._plain.kept

    @cached_property
    def release(self) -> Release:
        """Release of the chosen mechanism; the figures as they are where these keep the limit.

        Raises
        ------
        NotApplicable
            If the mechanism cannot keep the limit.
        """
        name = self.scenario.mechanism
        return self._by_promise("release", (name,), lambda: self._release(name))

    def _release(self, name: str) -> Release:
        if not self.needs_noise:
            return AS_IT_IS
        if name not in MECHANISMS:
            raise NotApplicable(
                f"There is no mechanism {name!r}; take one of {', '.join(MECHANISMS)}."
            )
        if MECHANISMS[name].noise == "none":
            return calibrate(name, self.model, reference=self.scenario.reference_share)
        releases, unavailable = noises(self.model, self.promise, [name], **self.options)
        if name in unavailable:
            raise NotApplicable(unavailable[name])
        return releases[name]

    @cached_property
    def way(self) -> Way:
        """The chosen mechanism's release, held against the limit."""
        key = (self.release.mechanism,)
        plain = self._plain if self.release is AS_IT_IS else None
        return self._by_promise(
            "way", key, lambda: way(self.model, self.release, self.promise, plain)
        )

    @property
    def verdict(self) -> Verdict:
        """Whether the chosen release keeps the limit."""
        return self.way.verdict

    @property
    def guesses(self) -> float:
        """Right guesses of 100 from the chosen release."""
        return self.way.guesses

    @property
    def errors(self) -> FloatArray:
        """Expected absolute error of each statistic of the chosen release, (m,)."""
        return self.way.errors

    @property
    def epsilon(self) -> float | None:
        """ε at the scenario's δ: chosen, or delivered by the chosen release.

        None where the figures as they are keep a limit on guesses.
        """
        if self.scenario.by == "epsilon":
            return self.scenario.epsilon
        if not self.needs_noise:
            return None
        delta = self.scenario.delta
        return self._by_promise(
            "epsilon",
            (self.release.mechanism, delta),
            lambda: delivered_epsilon(self.model, self.release, delta),
        )

    # ---------------------------------------------------------------- the comparison

    @cached_property
    def _compared(self) -> tuple[tuple[Way, ...], dict[str, str]]:
        return self._by_promise("ways", (self.scenario.mechanism,), self._compare)

    def _compare(self) -> tuple[tuple[Way, ...], dict[str, str]]:
        try:
            chosen = [self.way]
        except NotApplicable:  # the others do not depend on it
            chosen = []
        return ways(
            self.model,
            self.promise,
            reference=self.scenario.reference_share,
            verdicts={"as it is": self._plain} | {one.key: one.verdict for one in chosen},
            releases={one.key: one.release for one in chosen if one.release.kind == "noise"},
            **self.options,
        )

    @property
    def ways(self) -> tuple[Way, ...]:
        """Ways of releasing that apply, the least error first."""
        return self._compared[0]

    @property
    def unavailable(self) -> dict[str, str]:
        """Why other mechanisms do not apply, a sentence each."""
        return self._compared[1]

    @cached_property
    def recommendation(self) -> Recommendation:
        """What to release."""
        return recommend(self.ways, self.outside)

    # ---------------------------------------------------------------- frames of charts

    def bells(self, shown: Iterable[Way] | None = None) -> pd.DataFrame:
        """Return what the best attacker sees of some ways, see :func:`frames.bells_frame`.

        As it is, the chosen mechanism and the recommended way by default, the most exposed first.
        """
        if shown is None:
            keys = ("as it is", self.scenario.mechanism)
            best = self.recommendation.way
            shown = [one for one in self.ways if one.key in keys or one is best]
        rows = sorted(shown, key=lambda one: -one.guesses)
        return frames.bells_frame([(one.title, one.guesses, one.kept) for one in rows], self.shares)

    def costs(self) -> pd.DataFrame:
        """Return what each way costs: way, guesses, error, estimated, kept, and ± of each statistic."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "way": one.title,
                    "guesses": one.guesses,
                    "error": one.percent,
                    "estimated": one.estimated_percent,
                    "kept": one.kept,
                }
                | {f"± {label}": one.errors[place] for place, label in enumerate(self.labels)}
                for one in self.ways
            ]
        )

    def tradeoff(
        self, names: Sequence[str] | None = None, epsilons: FloatArray = _CURVE
    ) -> pd.DataFrame:
        """Return mean error and right guesses against ε at the scenario's δ, a line a mechanism.

        Parameters
        ----------
        names : sequence of str, optional
            Gaussian mechanisms, all by default.
        epsilons : ndarray

        Returns
        -------
        DataFrame
            Columns mechanism, epsilon, guesses (of 100), error (mean, in per cent by the ruler).
        """
        gaussian = [name for name, one in MECHANISMS.items() if one.noise == "gaussian"]
        lines = tuple(gaussian if names is None else names)
        delta = self.scenario.delta
        key = ("tradeoff", lines, tuple(map(float, epsilons)), delta, *self.options_key)
        return self.cache((*key, *self.model_key), lambda: self._tradeoff(lines, epsilons, delta))

    def _tradeoff(self, names: Sequence[str], epsilons: FloatArray, delta: float) -> pd.DataFrame:
        import pandas as pd

        from distpriv.mechanisms import calibrate_all

        jobs = [(name, Promise(float(one), delta)) for name in names for one in epsilons]
        results = calibrate_all(jobs, self.model, **self.options)
        lines = [
            (*job, one) for job, one in zip(jobs, results, strict=True) if isinstance(one, Release)
        ]
        total = np.array([one.total(len(self.query)) for *_, one in lines])
        deviations = np.sqrt(np.diagonal(total, axis1=1, axis2=2).clip(0))
        return pd.DataFrame(
            {
                "mechanism": [name for name, *_ in lines],
                "epsilon": [promise.epsilon for _, promise, _ in lines],
                "guesses": 100 * accuracies(self.model, [one for *_, one in lines]),
                "error": mean_percent(self.model, deviations * np.sqrt(2 / np.pi)),
            }
        )

    def exposure(self) -> pd.DataFrame:
        """Return every other label as the secret, see :func:`exposure.exposure`."""
        width = self.pair.width

        def make() -> pd.DataFrame:
            frame = exposure(self.source, self.query, n=self.n, width=width)
            secret = self.pair.secret
            own = (frame["column"] == secret.column) & (frame["label"] == secret.label)
            return frame[~own].reset_index(drop=True)

        return self._by_model("exposure", make)

    def contributions(self) -> pd.DataFrame:
        """Return right guesses from each statistic alone, and without it."""
        return self._by_model(
            "contributions", lambda: frames.contributions_frame(self.model.pairs[0], self.labels)
        )

    def fit(self) -> pd.DataFrame:
        """Return fitted curves and how far simulated tables are from them."""
        return self._by_model(
            "fit",
            lambda: frames.fit_frame(self.model.pairs[0], self.draws, self.labels, self.shares),
        )

    def fit_draws(self) -> pd.DataFrame:
        """Return the simulated tables: statistic, share, value."""
        return frames.draws_frame(self.draws, self.labels, self.shares)

    def noises(self, names: Iterable[str] | None = None) -> dict[str, Release]:
        """Return the noise of several mechanisms at the promise, of those that apply; none if not needed."""
        made = {one.key: one.release for one in self.ways if one.release.kind == "noise"}
        return made if names is None else {name: made[name] for name in names if name in made}

    def plane(
        self, axes: tuple[int, int], names: Sequence[str] = (), most: int = 350
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the plane of two statistics and `most` simulated tables of each share in it.

        Parameters
        ----------
        axes : (int, int)
            Places of the statistics across and up.
        names : sequence of str
            Mechanisms whose noise is added to the picture.

        Returns
        -------
        plane, clouds : DataFrame
            See :func:`frames.plane_frame` and :func:`frames.clouds_frame`.
        """
        pair = self.model.pairs[0]
        noise = self.noises(names) if names else {}
        plane = frames.plane_frame(pair, axes, self.shares, noise)
        return plane, frames.clouds_frame(pair, axes, self.shares, self.draws[:, :most])
