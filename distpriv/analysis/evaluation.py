"""From a scenario and a table to figures, each computed when it is first asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NoReturn, TypeVar

import numpy as np
import pandas as pd

from distpriv.analysis import comparison, curves, frames, guarantee
from distpriv.analysis.cache import Cache, Key, key_of
from distpriv.analysis.comparison import ByLaw, Recommendation, Way, gaussian_names, judge
from distpriv.analysis.exposure import exposure
from distpriv.analysis.guarantee import Meaning
from distpriv.analysis.limits import ErrorLimit, choose
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.tables import tells_secret
from distpriv.arrays import FloatArray
from distpriv.display import Result
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import calibrate, calibrate_all
from distpriv.mechanisms.draws import rounded_up
from distpriv.model import AS_IT_IS, GaussianModel, Groups, Promise, Release, fit_groups
from distpriv.model.simulate import simulate
from distpriv.privacy import Bound, Persons, check_bounds, delivered_epsilon, record_moves
from distpriv.privacy.exact_law import known_law
from distpriv.privacy.meaning import knowing
from distpriv.queries import Pair, Query
from distpriv.sources import Source, source_of
from distpriv.sources.fit import check_pairs, with_records
from distpriv.text import whole

__all__ = ["Evaluation", "evaluate"]

T = TypeVar("T")
Work = tuple[Key, Callable[..., Any], Callable[[], bytes], list[tuple[Any, ...]]]
"""What workers do: a key, a function, the bytes that its calls share, and the calls."""

_SUMS, _COUNTS = 10_000, 450  # records whose exact laws take workers a few seconds at most
_SIMULATED = 10_000_000  # records of simulated tables at a share, where 200 tables have fewer
_BESIDE = {"way": "title", "mechanism": "key", "guesses": "guesses", "error": "percent"}
_EPSILONS = 0.2, 0.5, 1.0, 2.0, 5.0, 10.0  # at which attacks are simulated
_SEED = 1  # of simulated tables: the same picture each time


def evaluate(
    scenario: Scenario, table: Any, cache: Cache | None = None, *, reference: Any = None
) -> Evaluation:
    """Return the results of a scenario on a table; each is computed once it is asked for.

    Parameters
    ----------
    scenario : Scenario
    table, reference : DataFrame or Source
        Of pandas, Polars or Arrow, or what `scan` returns. The second is a public table with the
        same columns that the groups' laws are taken from.
    cache : Cache, optional
        Of a session, so that what a change leaves as it was is not computed again.

    Returns
    -------
    Evaluation
        Among others `ways` and `recommendation`, `plain` (figures as they are), `way` (the chosen
        mechanism), `epsilon`, `model` and `to_frame()`.

    Raises
    ------
    DistprivError
        If the scenario has no secret, or one twice, or its reference is not there.

    Examples
    --------
    >>> late = dp.SensitiveProperty("late", "yes").pair(0.25, 0.2)
    >>> scenario = dp.Scenario("bank", secrets=late, statistics=[dp.Mean("income")], guesses=60)
    >>> now = dp.evaluate(scenario, dp.load_example("bank"))
    >>> now.plain, now.recommendation.way
    (Way('As they are', 79.8 of 100, 0.0 % off, breaks the limit),
     Way('Balanced', 50.0 of 100, 3.8 % off))
    """
    if not isinstance(scenario, Scenario):
        raise DistprivError(
            f"{type(scenario).__name__} is not a Scenario; pass one first, the table second."
        )
    if not scenario.secrets:
        raise DistprivError("Nothing is to be hidden; choose whose share nobody should find out.")
    check_pairs(scenario.secrets)
    if scenario.reference_data and reference is None:
        raise DistprivError(
            f"The scenario takes its groups from {scenario.reference_data!r}; open that table, too."
        )
    public = None if reference is None else source_of(reference, "reference")
    return Evaluation(scenario, source_of(table), public, Cache() if cache is None else cache)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """Results of one scenario on one table, made by `evaluate`; neither pickled nor shared.

    Its groups' laws are taken from the reference, a public table, if there is one.
    """

    scenario: Scenario
    source: Source = field(repr=False)
    reference: Source | None = field(repr=False)
    cache: Cache = field(repr=False)

    def __repr__(self) -> str:
        return f"Evaluation of {self.scenario!r}"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a way of releasing that applies, as :func:`distpriv.compare` does."""
        return comparison.compared(self.ways, self.query.labels)

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
        return tuple(
            self.cache((*head, one.secret), partial(source.groups, self.query, one.secret))
            for one in self.scenario.secrets
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
    def model(self) -> GaussianModel:
        """Normal laws of the statistics under both shares of each secret.

        A DistprivError if more records are asked for than the table has, or a figure is also the
        secret.
        """
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
        secrets = self.scenario.secrets
        return self.cache.once(fit_groups, groups, self.query, secrets, self.n, endless)

    @property
    def values(self) -> FloatArray:
        """Expected statistics at the middle of the range, (m,): no record's."""
        return np.asarray(self.model.pairs[0].means.mean(axis=0))

    @cached_property
    def ruler(self) -> FloatArray:
        """Size that is 100 per cent of each statistic, (m,), see :func:`comparison.ruler`."""
        return comparison.ruler(self.model)

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
        return frames.shares_of(self.model, self.exposed)

    @property
    def sampled(self) -> bool:
        """Whether simulations draw from a sample, for the table is large and stays where it is."""
        return any(one.groups.records is None for one in self.model.pairs)

    @cached_property
    def drawn(self) -> GaussianModel:
        """The model whose groups have the records that simulations draw, see `with_records`."""
        return self._once(with_records, self.reference or self.source)

    @property
    def draws(self) -> FloatArray:
        """Simulated statistics at both shares of it, (2, 200 to 1000, m), fewer of many records."""
        count = int(np.clip(_SIMULATED // self.n, 200, 1000))
        return self.cache.once(simulate, self.drawn, self.exposed, count, _SEED)

    def _once(self, function: Callable[..., T], *more: Any, **options: Any) -> T:
        """Return what a function gives for the model and more, computed once."""
        return self.cache.once(function, self.model, *more, **options)

    # ---------------------------------------------------------------- the promise

    @cached_property
    def promise(self) -> Promise:
        """Promise that the limit means."""
        return self.scenario.promise

    @property
    def limit(self) -> float:
        """Right guesses of 100 that the promise allows, whatever the data."""
        return float(curves.ceiling(self.promise.epsilon, self.promise.delta))

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Public bounds of columns; none where they exclude records and persons are not asked for.

        A DistprivError if they exclude records, and each is promised something.
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

    @cached_property
    def persons(self) -> Persons | None:
        """Promise to each record drawn that keeps the one to each person of the table.

        A sample of n of N records holds each group by its share. A person who changes groups is
        drawn in one or the other at most λ = 2(n/N + 1/N₀) times on average, N₀ the smaller group.
        Without replacement the samples then differ in one record if λ <= 1; with it in more with a
        chance of at most λ²/2, which is taken off δ. A DistprivError where nothing is left.
        """
        one, scenario = self.scenario.persons, self.scenario
        if one is None or scenario.records is None:
            return one
        average = 2 * (self.n / self.complete + 1 / max(min(self.groups[0].counts), 1))
        twice = average**2 / 2 if scenario.replacement else 0.0
        if average > 1 or twice >= one.delta > 0 or twice > one.delta:
            raise DistprivError(
                f"A sample of {whole(self.n)} of {whole(self.complete)} records may hold one "
                "person twice; to protect single persons, release all records or a smaller sample."
            )
        return replace(one, delta=one.delta - twice)

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
        units = tuple(self.ruler.tolist()) if one.units == "percent" else None
        options = {"calibration": one.calibration, "grid_safe": one.grid_safe, "units": units}
        return options | {"persons": self.persons, "bounds": self.bounds}

    @cached_property
    def _balanced(self) -> dict[str, Any]:
        return self._options | {"reference": self.scenario.reference_share}

    @cached_property
    def _by_law(self) -> ByLaw | None:
        """What workers have held against exact laws that take long."""
        return self.cache.get(self.law()[0])

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
        if self.exact or not slow or not self.query.linear or self.sampled:
            return False
        return any(known_law(one, self.model) is None for one in pairs)

    def law(self) -> Work:
        """Return the work that holds them against these laws, for `take_law`."""
        parts, delta = [{"mechanism": self.scenario.mechanism}], self.scenario.delta
        settings = self._balanced | {"promise": self.promise, "delta": delta}
        return self._work(comparison.by_law, parts, laws=True, **settings)

    def take_law(self, result: ByLaw) -> None:
        """Let the result of `law` decide from now on, in the evaluations of this cache."""
        self.cache(self.law()[0], lambda: result)

    @cached_property
    def plain(self) -> Way:
        """Figures as they are, against the limit."""
        return self._by_law[0] if self._by_law else self._judged(AS_IT_IS)

    def _judged(self, release: Release) -> Way:
        return self._once(judge, (release,), self.promise, **self._options)[0]

    @property
    def needs_noise(self) -> bool:
        """Whether the figures as they are break the limit, or what persons are promised."""
        return not self.plain.kept

    @cached_property
    def way(self) -> Way:
        """The chosen mechanism, held against the limit; as it is where that keeps the limit.

        NotApplicable if the mechanism cannot keep the limit.
        """
        if self._by_law and self._by_law[1]:
            return self._by_law[1]
        chosen = self.promise, self.scenario.mechanism, self.plain
        return self._once(comparison.chosen_way, *chosen, **self._balanced)

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
        return self._once(delivered_epsilon, self.way.release, self.scenario.delta)

    # ---------------------------------------------------------------- the comparison

    @cached_property
    def _compared(self) -> tuple[tuple[Way, ...], dict[str, str]]:
        # all but those that are guaranteed do without laws that take long
        return self._once(comparison.ways, self.promise, self.guaranteed, **self._balanced)

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
        return comparison.recommend(self.ways, self.scenario.mechanism)

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
        """Return each way's cost, see `comparison.costs_frame`."""
        return comparison.costs_frame(self.ways, self.labels)

    def beside(self, name: str, way: Way) -> pd.DataFrame:
        """Return a way under a scenario's name, a row to stand beside other scenarios' rows.

        Columns scenario, way, mechanism, epsilon (at the scenario's δ; NaN without noise), guesses,
        error, and ± of each statistic.
        """
        epsilon = None
        if way.release.kind == "noise":
            own = way.key == self.scenario.mechanism or self.scenario.by == "epsilon"
            delta = self.scenario.delta
            epsilon = self.epsilon if own else self._once(delivered_epsilon, way.release, delta)
        row = comparison.ways_frame([way], self.labels, _BESIDE)
        row.insert(0, "scenario", name)
        row.insert(3, "epsilon", math.nan if epsilon is None else epsilon)
        return row

    def exposure(self) -> pd.DataFrame:
        """Return every column as the secret, see :func:`exposure.exposure`."""
        chosen: dict[str, Any] = {"query": self.query, "n": self.n, "width": self.pair.width}
        key = ("exposure", self.source.fingerprint, *chosen.values())
        return self.cache(key, partial(exposure, self.source, **chosen))

    def contributions(self) -> pd.DataFrame:
        """Return right guesses from each statistic alone, and without it."""
        return self._once(frames.contributions_frame, self.exposed)

    def fit(self) -> pd.DataFrame:
        """Return fitted curves and how far simulated tables are from them."""
        return self.cache.once(frames.fit_frame, self.drawn, self.draws, self.exposed)

    def tests(self) -> pd.DataFrame:
        """Return how likely chance makes fits as bad, see `frames.tests_frame`."""
        return self.cache.once(frames.tests_frame, self.drawn, self.draws, self.exposed)

    def fit_draws(self) -> pd.DataFrame:
        """Return the simulated tables: statistic, share, value."""
        return frames.draws_frame(self.model, self.draws, self.exposed)

    def noises(self) -> dict[str, Release]:
        """Return each mechanism's noise at the promise, of those that apply, where it is needed."""
        return {one.key: one.release for one in self.ways if one.release.kind == "noise"}

    def plane(
        self, axes: tuple[int, int], names: Sequence[str] = (), count: int = 350
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return `frames.plane_frames` of two statistics, with noises."""
        noise = {name: one for name, one in self.noises().items() if name in names}
        draws = self.draws[:, :count]
        return frames.plane_frames(self.drawn, axes, noise, draws, self.exposed)

    # ---------------------------------------------------------------- guarantee

    @cached_property
    def guaranteed(self) -> tuple[Way, ...]:
        """As they are, the chosen mechanism and balanced figures, as far as they apply."""
        rows, reference = [self.plain], self.scenario.reference_share
        with suppress(NotApplicable):  # the others do not depend on it
            rows += [self.way] if self.needs_noise else []
        if self.scenario.mechanism != "BalM" or not self.needs_noise:
            with suppress(DistprivError):
                balanced = self.cache.once(calibrate, "BalM", self.model, reference=reference)
                rows.append(self._judged(balanced))
        return tuple(rows)

    @cached_property
    def _releases(self) -> dict[str, Release]:
        return {way.key: way.release for way in self.guaranteed}

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
        releases = (*self._releases.values(),)
        return self._once(guarantee.profile_frame, releases, min(end, 30.0))

    def repeated(self) -> pd.DataFrame:
        """Return right guesses after several releases, see `guarantee.repeated_frame`."""
        releases = (*self._releases.values(),)
        return self._once(guarantee.repeated_frame, releases, self.promise)

    def knowing_guesses(self, way: Way) -> float:
        """Return right guesses of 100 of attackers who know so many records as the scenario says.

        A DistprivError if a group has fewer, or a figure is no sum over the records.
        """
        count = self.scenario.known_records
        return 100 * self._once(knowing, way.release, count)

    def knowing(self) -> pd.DataFrame:
        """Return right guesses of attackers who know records, see `guarantee.knowing_frame`."""
        releases, count = (*self._releases.values(),), self.scenario.known_records
        return self._once(guarantee.knowing_frame, releases, count)

    def meaning(self, way: Way) -> Meaning:
        """Return what a way of releasing means to people."""
        accuracy = float(way.verdict.accuracy[self.exposed])
        return self._once(guarantee.meaning, way.release, accuracy, self.exposed)

    # ---------------------------------------------------------------- attackers

    @property
    def published(self) -> Way | None:
        """DauM as it was published: without a floor, for the mean of both covariances.

        None where no noise is needed, it does not apply, or a figure is no sum, or none on a grid.
        """
        if not (self.needs_noise and self.query.linear and self.model.steps.any()):
            return None
        added, _ = self._once(comparison.noises, self.promise, ("DauM",), **comparison.PUBLISHED)
        return self._judged(added["DauM"]) if added else None

    def ceiling(self, lines: pd.DataFrame) -> pd.DataFrame:
        """Add to lines of the chosen mechanism what no ε changes, see `curves.ceiling_frame`."""
        levels = {way.key: way.guesses for way in self.guaranteed if way.release.kind != "noise"}
        return curves.ceiling_frame(lines, levels, self.scenario.delta)

    def ranges(self, count: int = 6) -> dict[float, FloatArray]:
        """Return records [share, group] at some Δp, as far as the table has them."""
        one, widths = self.model.pairs[self.exposed], curves.reach_widths(self.model, self.exposed)
        places = np.linspace(0, len(widths) - 1, min(count, len(widths))).round().astype(int)
        drawn = self.drawn.pairs[self.exposed].groups
        sizes, _ = drawn.population(self.drawn.replacement)
        numbers = {widths[at]: curves.about(one.pair, widths[at]).numbers(self.n) for at in places}
        return {100 * width: each for width, each in numbers.items() if (each <= sizes).all()}

    def at_epsilons(self) -> dict[float, Release]:
        """Return the chosen mechanism's noise at some ε and the scenario's δ."""
        name, delta = self.scenario.mechanism, self.scenario.delta
        jobs = tuple((name, Promise(epsilon, delta)) for epsilon in _EPSILONS)
        results = self.cache.once(calibrate_all, jobs, self.model, **self._options)
        pairs = zip(_EPSILONS, results, strict=True)
        return {epsilon: one for epsilon, one in pairs if isinstance(one, Release)}

    def recalls(self) -> pd.DataFrame:
        """Return precision against recall of the ways shown, see `frames.recall_frame`."""
        return self._once(frames.recall_frame, self._releases, self.exposed)

    def beliefs(self) -> tuple[pd.DataFrame, int]:
        """Return beliefs after one release by the scenario's seed, see `frames.belief_frame`."""
        parts = self._releases, self.exposed, self.scenario.seed
        return self.cache.once(frames.belief_frame, self.drawn, *parts)

    # ---------------------------------------------------------------- from an error to ε

    def errors_of(
        self, lines: pd.DataFrame, places: Sequence[int]
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return lines against ε and releases without noise with the worst error of figures.

        In per cent by the ruler; the second has columns mechanism, guesses, error.
        """
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
        return {"by": "epsilon", "epsilon": float(rounded_up(epsilon)), "mechanism": mechanism}

    # ---------------------------------------------------------------- what takes longer

    def lines(self, names: Sequence[str] | None = None, by: str = "") -> Work:
        """Return the work that makes error and right guesses against ε, a part a mechanism.

        At the scenario's δ, of all Gaussian mechanisms by default. It depends on no limit, but on
        whether this is one "by" guesses or ε, so that the chosen setting lies on its line.
        """
        every = names or ("OptM", *gaussian_names())
        parts = [{"names": [name]} for name in dict.fromkeys(every)]
        guesses = (by or self.scenario.by) == "guesses"
        function = curves.guesses_frame if guesses else curves.epsilon_frame
        return self._work(function, parts, **self._options, delta=self.scenario.delta)

    def wider(self) -> Work:
        """Return the work that makes error against Δp at the limit, a part a range."""
        parts = [{"widths": [width]} for width in curves.widths_of(self.model)]
        return self._work(curves.width_frame, parts, **self._balanced, promise=self.promise)

    def reach(self) -> Work:
        """Return the work that makes right guesses against Δp, see `curves.reach_frame`."""
        widths = curves.reach_widths(self.model, self.exposed)
        parts = [{"widths": widths[start : start + 3]} for start in range(0, len(widths), 3)]
        shown: dict[str, Any] = {"releases": self._releases, "pair": self.exposed}
        return self._work(curves.reach_frame, parts, **shown)

    def accepting(self, limits: tuple[ErrorLimit, ...]) -> Work:
        """Return the work that chooses mechanisms' least ε by errors, see `choose`.

        Where laws are simulated, a search takes long: of the chosen mechanism and OptM alone.
        """
        some = gaussian_names() if self.model.exact else (self.scenario.mechanism, "OptM")
        parts = [{"names": [name]} for name in dict.fromkeys(some)]
        delta = self.scenario.delta
        return self._work(choose, parts, **self._options, delta=delta, limit=limits)

    def _work(
        self, function: Callable[..., Any], parts: list[Any], laws: bool = False, **settings: Any
    ) -> Work:
        laws = laws or self.exact
        return (
            key_of(function.__name__, laws, self.model, *parts, **settings),
            curves.part,
            partial(curves.packed, self.model, laws, **settings),
            [(function, one) for one in parts],
        )
