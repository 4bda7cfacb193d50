"""From a scenario and a table to figures, each computed when it is first asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from distpriv.analysis import curves, frames, guarantee
from distpriv.analysis.cache import Cache, Key
from distpriv.analysis.comparison import (
    ByLaw,
    Way,
    chosen_way,
    claimed,
    gaussian_names,
    judge,
    noises,
    ruler,
    ways,
    ways_frame,
)
from distpriv.analysis.exposure import exposure
from distpriv.analysis.guarantee import Meaning
from distpriv.analysis.limits import ErrorLimit
from distpriv.analysis.recommendation import Recommendation, recommend
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.tables import tells_secret
from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import calibrate, calibrate_all
from distpriv.model import AS_IT_IS, GaussianModel, Groups, Promise, Release, fit_groups
from distpriv.model.diagnostics import (
    CovarianceDifference,
    bootstrap_intervals,
    covariance_difference,
)
from distpriv.model.simulate import simulate
from distpriv.privacy import Bound, check_bounds, delivered_epsilon, record_moves
from distpriv.privacy.exact_law import known_law
from distpriv.privacy.meaning import knowing
from distpriv.queries import Pair, Query
from distpriv.sources import Source, source_of
from distpriv.text import percent, whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evaluation", "evaluate"]

T = TypeVar("T")
Work = tuple[Key, Callable[..., Any], Callable[[], bytes], list[tuple[Any, ...]]]
"""What workers do: a key, a function, the bytes that its calls share, and the calls."""

_SUMS, _COUNTS = 10_000, 450  # records whose exact laws take workers a few seconds at most
_SIMULATED = 10_000_000  # records of simulated tables at a share, where 200 tables have fewer
_COSTS = {
    "way": "title",
    "guesses": "guesses",
    "error": "percent",
    "estimated": "estimated_percent",
}
_COSTS |= {"kept": "kept"}
_EPSILONS = 0.2, 0.5, 1.0, 2.0, 5.0, 10.0  # at which attacks are simulated
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
        raise DistprivError("Nothing is to be hidden; choose whose share nobody should find out.")
    if scenario.reference_data and reference is None:
        raise DistprivError(
            f"The scenario takes its groups from {scenario.reference_data!r}; open that table, too."
        )
    public = None if reference is None else source_of(reference, "reference")
    return Evaluation(scenario, source_of(table), public, Cache() if cache is None else cache)


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

    def _groups_of(self, source: Source) -> tuple[Groups, ...]:
        head = ("groups", source.fingerprint, source.provenance, self.query)
        secrets = [pair.secret for pair in self.scenario.secrets]
        return tuple(
            self.cache((*head, one), lambda one=one: source.groups(self.query, one))  # type: ignore[misc]
            for one in secrets
        )

    @cached_property
    def groups(self) -> tuple[Groups, ...]:
        """The table's records without and with each secret."""
        return self._groups_of(self.source)

    @property
    def complete(self) -> int:
        """Number of records without a missing value."""
        return int(self.groups[0].counts.sum())

    @property
    def n(self) -> int:
        """Number of records that the statistics are of."""
        return self.scenario.records or self.complete

    @property
    def outside(self) -> Pair | None:
        """Secret whose range does not hold the share of the table, where all of it is released."""
        pairs = zip(self.scenario.secrets, self.groups, strict=True)
        wrong = (pair for pair, one in pairs if not pair.low <= one.share <= pair.high)
        return next(wrong, None) if self.n >= self.complete else None

    # ---------------------------------------------------------------- the model

    @cached_property
    def model_key(self) -> Key:
        """Key of everything that the model depends on."""
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
        groups = self.groups if self.reference is None else self._groups_of(self.reference)
        for one, pair in zip(groups, self.scenario.secrets, strict=True):
            for place in tells_secret(one, self.query):
                raise DistprivError(
                    f"{self.labels[place]} tells the secret itself, the share of "
                    f"{pair.secret.label}; leave it out."
                )
        endless = self.scenario.records is None or self.scenario.replacement
        return fit_groups(groups, self.query, self.scenario.secrets, self.n, endless)

    @property
    def values(self) -> FloatArray:
        """Expected statistics at the middle of the range, (m,): no record's."""
        return np.asarray(self.model.pairs[0].means.mean(axis=0))

    @cached_property
    def ruler(self) -> FloatArray:
        """Size that is 100 per cent of each statistic, (m,), see :func:`comparison.ruler`."""
        return ruler(self.model)

    @property
    def undefended(self) -> float:
        """Right guesses of 100 from the figures as they are."""
        return self.plain.guesses

    @property
    def exposed(self) -> int:
        """Place of the secret that the figures as they are show most; pictures are about it."""
        return int(self.plain.verdict.accuracy.argmax())

    @property
    def exposed_shares(self) -> tuple[str, str]:
        """Both shares of the most exposed secret, as sentences and charts name them."""
        pair = self.scenario.secrets[self.exposed]
        return percent(pair.low), percent(pair.high)

    @property
    def draws(self) -> FloatArray:
        """Simulated statistics at both shares of it, (2, 200 to 1000, m), fewer of many records."""
        count = int(np.clip(_SIMULATED // self.n, 200, 1000))
        return self._by_model("draws", lambda: simulate(self.model, self.exposed, count, _SEED))

    # ---------------------------------------------------------------- the promise

    @cached_property
    def promise(self) -> Promise:
        """Promise that the limit means."""
        return self.scenario.promise

    @property
    def limit(self) -> float:
        """Right guesses of 100 that the promise allows, whatever the data."""
        odds = np.exp(min(self.promise.epsilon, 700.0))
        return float(100 * (odds + self.promise.delta) / (1 + odds))

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Public bounds of columns; none where they exclude records and persons are not asked for.

        Raises
        ------
        DistprivError
            If they exclude records, and each is promised something.
        """
        one = self.scenario
        bounds = (one.persons and one.persons.bounds) or one.bounds
        try:
            check_bounds(self.model, bounds)
        except DistprivError:
            if one.persons is not None:
                raise
            return ()
        return bounds

    @property
    def bounded(self) -> bool:
        """Whether public bounds say how far one record moves each figure."""
        try:
            record_moves(self.query, self.n, self.bounds)
        except DistprivError:
            return False
        return True

    @cached_property
    def _options(self) -> dict[str, Any]:
        one = self.scenario
        units = self.ruler if one.units == "percent" else None
        options = {"calibration": one.calibration, "grid_safe": one.grid_safe, "units": units}
        return options | {"persons": one.persons, "bounds": self.bounds}

    @cached_property
    def _options_key(self) -> Key:
        one = self.scenario
        how = one.calibration, one.grid_safe, one.units, one.reference_share
        return *how, one.persons, one.bounds

    def _key(self, name: str, more: Key, exact: bool) -> Key:
        return (name, *more, exact, self.promise, *self._options_key, *self.model_key)

    @property
    def _law_key(self) -> Key:
        return self._key("law", (self.scenario.mechanism, self.scenario.delta), True)

    @cached_property
    def _by_law(self) -> ByLaw | None:
        """What workers have held against exact laws that take long."""
        key = self._law_key
        made: ByLaw | None = self.cache(key, lambda: None) if key in self.cache else None
        return made

    @property
    def exact(self) -> bool:
        """Whether figures as they are and the chosen way are held against laws that take long."""
        return self._by_law is not None

    @property
    def law_pending(self) -> bool:
        """Whether workers can hold them against exact laws that take a second or two, see `law`."""
        figures, pairs = self.query.statistics, self.model.pairs
        slow = len(figures) == 1 and self.n <= _SUMS and not self.model.replacement
        if len(figures) == 2:
            slow = self.n <= _COUNTS and all(one.value is not None for one in figures)
        if self.exact or not slow or not self.query.linear:
            return False
        return any(known_law(one, self.model) is None for one in pairs)

    def law(self) -> Work:
        """Return the work that holds them against these laws, for `take_law`."""
        one = self.scenario
        settings = self._options | {"reference": one.reference_share, "delta": one.delta}
        settings |= {"promise": self.promise, "mechanism": one.mechanism}
        return self._work("law", self._law_key, [{}], settings, laws=True)

    def take_law(self, result: ByLaw) -> None:
        """Let the result of `law` decide from now on, in the evaluations of this cache."""
        self.cache(self._law_key, lambda: result)

    def _by_promise(self, name: str, more: Key, make: Callable[[], T]) -> T:
        return self.cache(self._key(name, more, self.exact), make)

    @cached_property
    def plain(self) -> Way:
        """Figures as they are, against the limit."""
        if self._by_law:
            return self._by_law[0]
        claims = claimed(self._options)
        return self._by_promise(
            "plain", (), lambda: judge(self.model, [AS_IT_IS], self.promise, **claims)[0]
        )

    @property
    def needs_noise(self) -> bool:
        """Whether the figures as they are break the limit, or what persons are promised."""
        return not self.plain.kept

    @cached_property
    def way(self) -> Way:
        """The chosen mechanism, held against the limit; as it is where that keeps the limit.

        Raises
        ------
        NotApplicable
            If the mechanism cannot keep the limit.
        """
        if self._by_law and self._by_law[1]:
            return self._by_law[1]
        name, plain = self.scenario.mechanism, self.plain
        options = self._options | {"reference": self.scenario.reference_share}
        return self._by_promise(
            "way", (name,), lambda: chosen_way(self.model, self.promise, name, plain, **options)
        )

    @property
    def epsilon(self) -> float | None:
        """ε at the scenario's δ: chosen, or delivered by the chosen way.

        None where the figures as they are keep a limit on guesses.
        """
        if self.scenario.by == "epsilon":
            return self.scenario.epsilon
        if not self.needs_noise:
            return None
        if self._by_law:
            return self._by_law[2]
        delta = self.scenario.delta
        return self._by_promise(
            "epsilon",
            (self.scenario.mechanism, delta),
            lambda: delivered_epsilon(self.model, self.way.release, delta),
        )

    # ---------------------------------------------------------------- the comparison

    @cached_property
    def _compared(self) -> tuple[tuple[Way, ...], dict[str, str]]:
        return self._by_promise("ways", (self.scenario.mechanism,), self._compare)

    def _compare(self) -> tuple[tuple[Way, ...], dict[str, str]]:
        reference = self.scenario.reference_share  # the others do without laws that take long
        return ways(self.model, self.promise, self.guaranteed, reference=reference, **self._options)

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
        """Which way to take."""
        return recommend(self.ways, self.scenario.mechanism)

    # ---------------------------------------------------------------- frames of charts

    def exposed_guesses(self, way: Way) -> float:
        """Return right guesses of 100 about the secret that is most exposed without noise."""
        return 100 * float(way.verdict.accuracy[self.exposed])

    def bells(self, rows: Iterable[Way]) -> pd.DataFrame:
        """Return what the best attacker sees of some ways, the most exposed first."""
        panels = [(one.title, self.exposed_guesses(one), one.kept) for one in rows]
        panels.sort(key=lambda panel: -panel[1])
        return frames.bells_frame(panels, self.exposed_shares)

    def costs(self) -> pd.DataFrame:
        """Return each way's cost: way, guesses, error, estimated, kept, and ± of each statistic."""
        return ways_frame(self.ways, self.labels, _COSTS)

    def tradeoff(
        self, names: Sequence[str] | None = None, epsilons: FloatArray = curves.EPSILONS
    ) -> pd.DataFrame:
        """Return error and right guesses against ε at the scenario's δ, see `curves.epsilon_frame`.

        It does not depend on the limit.
        """
        lines, delta = None if names is None else tuple(names), self.scenario.delta
        key = ("tradeoff", lines, tuple(epsilons.tolist()), delta, *self._options_key)
        return self.cache(
            (*key, *self.model_key),
            lambda: curves.epsilon_frame(self.model, lines, epsilons, delta, **self._options),
        )

    def widths(self) -> pd.DataFrame:
        """Return error against Δp at the limit, see `curves.width_frame`."""
        options = self._options | {"reference": self.scenario.reference_share}
        return self._by_promise(
            "widths", (), lambda: curves.width_frame(self.model, self.promise, **options)
        )

    def exposure(self) -> pd.DataFrame:
        """Return every column as the secret, see :func:`exposure.exposure`."""
        key = (self.source.fingerprint, self.query, self.n, self.pair.width)
        return self.cache(
            ("exposure", *key),
            lambda: exposure(self.source, self.query, n=self.n, width=self.pair.width),
        )

    def contributions(self) -> pd.DataFrame:
        """Return right guesses from each statistic alone, and without it."""
        pair = self.model.pairs[self.exposed]
        return self._by_model(
            "contributions", lambda: frames.contributions_frame(pair, self.labels)
        )

    def fit(self) -> pd.DataFrame:
        """Return fitted curves and how far simulated tables are from them."""
        pair, shares = self.model.pairs[self.exposed], self.exposed_shares
        return self._by_model(
            "fit", lambda: frames.fit_frame(pair, self.draws, self.labels, shares)
        )

    def tests(self) -> pd.DataFrame:
        """Return how likely chance makes fits as bad, see `frames.tests_frame`."""
        pair, shares = self.model.pairs[self.exposed], self.exposed_shares
        return self._by_model(
            "tests", lambda: frames.tests_frame(pair, self.draws, self.labels, shares)
        )

    def distances(self) -> pd.DataFrame:
        """Return distances of the two shares, see `diagnostics.bootstrap_intervals`."""
        return self._by_model("distances", lambda: bootstrap_intervals(self.draws))

    def scatter(self) -> CovarianceDifference:
        """Return how far the scatter of the chosen release differs between the two shares."""
        pair, noise = self.model.pairs[self.exposed], self.way.release.total(len(self.labels))
        return covariance_difference(pair, noise, self.epsilon or 1.0)

    def fit_draws(self) -> pd.DataFrame:
        """Return the simulated tables: statistic, share, value."""
        return frames.draws_frame(self.draws, self.labels, self.exposed_shares)

    def noises(self) -> dict[str, Release]:
        """Return each mechanism's noise at the promise, of those that apply, where it is needed."""
        return {one.key: one.release for one in self.ways if one.release.kind == "noise"}

    def plane(
        self, axes: tuple[int, int], names: Sequence[str] = (), count: int = 350
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return `frames.plane_frames` of two statistics, with noises."""
        noise = {name: one for name, one in self.noises().items() if name in names}
        parts = axes, self.exposed_shares, noise, self.draws[:, :count]
        return frames.plane_frames(self.model.pairs[self.exposed], *parts)

    # ---------------------------------------------------------------- guarantee

    @property
    def guaranteed(self) -> tuple[Way, ...]:
        """As they are, the chosen mechanism and balanced figures, as far as they apply."""
        return self._by_promise("guaranteed", (self.scenario.mechanism,), self._guarantee)

    def _guarantee(self) -> tuple[Way, ...]:
        rows = [self.plain]
        with suppress(NotApplicable):  # the others do not depend on it
            rows += [self.way] if self.needs_noise else []
        if self.scenario.mechanism != "BalM" or not self.needs_noise:
            reference = self.scenario.reference_share
            with suppress(DistprivError):
                release = calibrate("BalM", self.model, reference=reference)
                rows += judge(self.model, [release], self.promise, **claimed(self._options))
        return tuple(rows)

    def promises(self) -> dict[str, tuple[float, float]]:
        """Return (ε, δ) that are promised, and where by guesses, what the noise gives at δ."""
        crosses = {"promised": (self.promise.epsilon, self.promise.delta)}
        if self.scenario.by == "guesses" and self.epsilon is not None:
            delta = self.scenario.delta
            crosses[f"ε = {self.epsilon:.3g} at δ = {delta:g}"] = self.epsilon, delta
        return crosses

    def profiles(self) -> pd.DataFrame:
        """Return δ(ε) of these ways, see `guarantee.profile_frame`."""
        end = max(2 * max(epsilon for epsilon, _ in self.promises().values()), 3.0)
        releases = [one.release for one in self.guaranteed]
        return self._by_promise(
            "profiles",
            (self.scenario.mechanism, self.scenario.delta),
            lambda: guarantee.profile_frame(self.model, releases, min(end, 30.0)),
        )

    def repeated(self) -> pd.DataFrame:
        """Return right guesses after several releases, see `guarantee.repeated_frame`."""
        releases = [one.release for one in self.guaranteed]
        return self._by_promise(
            "repeated",
            (self.scenario.mechanism,),
            lambda: guarantee.repeated_frame(self.model, releases, self.promise),
        )

    def knowing_guesses(self, way: Way) -> float:
        """Return right guesses of 100 of attackers who know so many records as the scenario says.

        Raises
        ------
        DistprivError
            If a group has fewer, or a figure is no sum over the records.
        """
        count = self.scenario.known_records
        return self._by_promise(
            "known", (way.key, count), lambda: 100 * knowing(self.model, way.release, count)
        )

    def knowing(self) -> pd.DataFrame:
        """Return right guesses of attackers who know records, see `guarantee.knowing_frame`."""
        releases, count = [one.release for one in self.guaranteed], self.scenario.known_records
        return self._by_promise(
            "knowing",
            (self.scenario.mechanism, count),
            lambda: guarantee.knowing_frame(self.model, releases, count),
        )

    def meaning(self, way: Way) -> Meaning:
        """Return what a way of releasing means to people."""
        accuracy = float(way.verdict.accuracy[self.exposed])
        return self._by_promise(
            "meaning",
            (way.key,),
            lambda: guarantee.meaning(self.model, way.release, accuracy, self.exposed),
        )

    # ---------------------------------------------------------------- attackers

    @property
    def published(self) -> Way | None:
        """DauM as it was published: without a floor, for the mean of both covariances.

        None where no noise is needed, it does not apply, or a figure is no sum, or none on a grid.
        """
        return self._by_promise("published", (), self._publish) if self.needs_noise else None

    def _publish(self) -> Way | None:
        way = {"calibration": "exact", "grid_safe": False}
        releases, _ = noises(self.model, self.promise, ["DauM"], **way)
        judged = judge(self.model, [*releases.values()], self.promise)
        simple = self.query.linear and self.model.steps.any()
        return judged[0] if judged and simple else None

    def ceiling(self, lines: pd.DataFrame) -> pd.DataFrame:
        """Add to lines of the chosen mechanism what no ε changes, see `curves.ceiling_frame`."""
        levels = {way.key: way.guesses for way in self.guaranteed if way.release.kind != "noise"}
        return curves.ceiling_frame(lines, levels, self.scenario.delta)

    def ranges(self, count: int = 6) -> dict[float, FloatArray]:
        """Return records [share, group] at some Δp, as far as the table has them."""
        pair, groups = self.model.pairs[self.exposed].pair, self.model.pairs[self.exposed].groups
        widths = curves.reach_widths(self.model, self.exposed)
        places = np.linspace(0, len(widths) - 1, min(count, len(widths))).round().astype(int)
        sizes, _ = groups.population(self.model.replacement)
        ranges = {}
        for width in np.array(widths)[places].tolist():
            low, high = pair.center - width / 2, pair.center + width / 2
            numbers = replace(pair, low=low, high=high).numbers(self.n)
            if (numbers <= sizes).all():
                ranges[100 * width] = numbers
        return ranges

    def at_epsilons(self) -> dict[float, Release]:
        """Return the chosen mechanism's noise at some ε and the scenario's δ."""
        name, delta = self.scenario.mechanism, self.scenario.delta
        jobs = [(name, Promise(epsilon, delta)) for epsilon in _EPSILONS]

        def make() -> dict[float, Release]:
            results = calibrate_all(jobs, self.model, **self._options)
            pairs = zip(_EPSILONS, results, strict=True)
            return {epsilon: one for epsilon, one in pairs if isinstance(one, Release)}

        key = ("at epsilons", name, delta, *self._options_key, *self.model_key)
        return self.cache(key, make)

    def recalls(self) -> pd.DataFrame:
        """Return precision against recall of the ways shown, see `frames.recall_frame`."""
        releases = {way.key: way.release for way in self.guaranteed}
        return self._by_promise(
            "recalls",
            (self.scenario.mechanism,),
            lambda: frames.recall_frame(self.model, releases, self.exposed),
        )

    def beliefs(self) -> tuple[pd.DataFrame, int]:
        """Return beliefs after one release by the scenario's seed, see `frames.belief_frame`."""
        releases, seed = {way.key: way.release for way in self.guaranteed}, self.scenario.seed
        return self._by_promise(
            "beliefs",
            (self.scenario.mechanism, seed),
            lambda: frames.belief_frame(self.model, releases, self.exposed, seed),
        )

    # ---------------------------------------------------------------- from an error to ε

    def errors_of(
        self, lines: pd.DataFrame, places: Sequence[int]
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return lines of `tradeoff` and releases without noise with the worst error of figures.

        In per cent by the ruler; the second has columns mechanism, guesses, error.
        """
        import pandas as pd

        chosen = [*places]
        columns = [f"± {self.query.labels[place]}" for place in chosen]
        worst = 100 * (lines.reindex(columns=columns) / self.ruler[chosen]).max(axis=1)
        points = [
            (way.key, way.guesses, 100 * float((way.errors / self.ruler)[chosen].max()))
            for way in self.ways
            if way.release.kind in ("balanced", "no data")
        ]
        without = pd.DataFrame(points, columns=["mechanism", "guesses", "error"])
        return lines.assign(error=worst), without

    def as_limit(self, mechanism: str, epsilon: float) -> dict[str, Any]:
        """Return changes of the scenario that make an ε, rounded up, at its δ the limit.

        By ε and not by guesses: at the same right guesses a mechanism may add other noise.
        """
        digits = 2 - math.floor(math.log10(epsilon))
        least = math.ceil(epsilon * 10**digits) / 10**digits
        return {"by": "epsilon", "epsilon": least, "mechanism": mechanism}

    # ---------------------------------------------------------------- what takes longer

    def lines(self, names: Sequence[str] | None = None) -> Work:
        """Return the work that makes `tradeoff`, a part a mechanism, all Gaussian by default."""
        every = names or ("OptM", *gaussian_names())
        parts = [{"names": [name]} for name in dict.fromkeys(every)]
        delta = self.scenario.delta
        return self._work("lines", (delta,), parts, self._options | {"delta": delta})

    def wider(self) -> Work:
        """Return the work that makes `widths`, a part a range."""
        options = self._options | {"reference": self.scenario.reference_share}
        parts = [{"widths": [width]} for width in curves.widths_of(self.model)]
        return self._work("widths", (self.promise,), parts, options | {"promise": self.promise})

    def reach(self) -> Work:
        """Return the work that makes right guesses against Δp, see `curves.reach_frame`."""
        releases = {way.key: way.release for way in self.guaranteed}
        widths = curves.reach_widths(self.model, self.exposed)
        parts = [{"widths": widths[start : start + 3]} for start in range(0, len(widths), 3)]
        key = self.promise, self.scenario.mechanism
        return self._work("reach", key, parts, {"releases": releases, "pair": self.exposed})

    def accepting(self, limits: tuple[ErrorLimit, ...]) -> Work:
        """Return the work that chooses mechanisms' least ε by errors, see `choose`.

        Where laws are simulated, a search takes long: of the chosen mechanism and OptM alone.
        """
        some = gaussian_names() if self.model.exact else (self.scenario.mechanism, "OptM")
        parts = [{"names": [name]} for name in dict.fromkeys(some)]
        settings = self._options | {"delta": self.scenario.delta, "limit": limits}
        return self._work("accepted", (self.scenario.delta, *limits), parts, settings)

    def _work(
        self,
        kind: str,
        key: Key,
        parts: Sequence[dict[str, Any]],
        settings: dict[str, Any],
        laws: bool = False,
    ) -> Work:
        return (
            (kind, self.exact, *map(repr, parts), *key, *self._options_key, *self.model_key),
            curves.part,
            lambda: curves.packed(self.model, laws or self.exact, **settings),
            [(kind, one) for one in parts],
        )
