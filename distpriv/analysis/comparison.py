"""All ways of releasing the same figures, held against one limit and measured by one ruler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from distpriv.analysis.brief import brief
from distpriv.arrays import FloatArray
from distpriv.display import Progress, Result, showing
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import MECHANISMS, calibrate, calibrate_all, mechanism_named
from distpriv.mechanisms.calibration import check_model
from distpriv.model import (
    AS_IT_IS,
    GaussianModel,
    Promise,
    Release,
    best_estimate,
    no_data,
    release_error,
)
from distpriv.privacy import Verdict, delivered_epsilon, verdicts
from distpriv.text import percent, whole

__all__ = ["PUBLISHED", "ByLaw", "Recommendation", "Way", "by_law", "chosen_way", "compare"]
__all__ += ["compared", "costs_frame", "gaussian_names", "judge", "mean_percent", "noises"]
__all__ += ["recommend", "ruler", "ways", "ways_frame"]

PUBLISHED: dict[str, Any] = {"calibration": "exact", "grid_safe": False}
"""Options of noise as the papers make it: for equal covariances, without a grid."""
_NOTICED = 1.005  # ratio of errors from which on one is noticeably larger


def ruler(model: GaussianModel) -> FloatArray:
    """Return what 100 per cent of each statistic is, shape (m,), in its unit.

    The value at the middle of the first pair's range, or the statistic's sampling deviation where
    that is larger: a mean change of about 0 has no per cent of its own. 1 for what is always 0.
    """
    first = model.pairs[0]
    deviation = np.sqrt(np.diagonal(first.pooled).clip(0))
    size = np.maximum(np.abs(first.means.mean(axis=0)), deviation)
    return np.where(size > 0, size, 1.0)


def mean_percent(model: GaussianModel, errors: FloatArray) -> Any:
    """Return the mean over statistics of errors, shape (..., m), in per cent by the ruler."""
    return 100 * np.mean(errors / ruler(model), axis=-1)


_BRIEF = {"title": "way ", "guesses": "right of 100 .1", "percent": "error in % 3"}
_BRIEF |= {"kept": "keeps the limit ", "rests": "rests on "}
_COSTS = {"way": "title", "guesses": "guesses", "error": "percent"}
_COSTS |= {"estimated": "estimated_percent", "kept": "kept"}
_WORDS = {  # title, how, advice
    "as it is": ("As they are", "Changes nothing.", "Publish the figures as they are."),
    "BalM": ("Balanced", "", "Publish balanced figures."),
    "no data": ("No data", "", "Publish expected figures instead."),
}


@dataclass(frozen=True, eq=False)
class Way(Result):
    """One way of releasing the figures.

    Attributes
    ----------
    guesses : float
        Right guesses of 100 of the best attacker on the most exposed secret.
    errors, estimated : ndarray, shape (m,)
        Expected absolute error of each statistic in its unit, at the worse share, and that of the
        best linear estimate that a reader can make from the release.
    percent, estimated_percent : float
        Means of both by the ruler, see `ruler`.
    verdict : Verdict
        Against the limit.
    publishable : bool
        False for no data where the expectation comes from the very table that is to be released.
    simulated : bool
        Whether the model is estimated from simulated tables, for a figure is no sum.
    """

    release: Release
    guesses: float
    errors: FloatArray
    estimated: FloatArray
    percent: float
    estimated_percent: float
    verdict: Verdict
    publishable: bool
    simulated: bool = False

    def __repr__(self) -> str:
        broken = "" if self.kept else ", breaks the limit"
        return f"Way({self.title!r}, {self.guesses:.1f} of 100, {self.percent:.1f} % off{broken})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row, as :func:`distpriv.compare` has it for all ways."""
        return compared([self], [str(at) for at in range(1, len(self.errors) + 1)])

    @property
    def key(self) -> str:
        """Mechanism, "as it is" or "no data"."""
        return self.release.mechanism

    @property
    def kept(self) -> bool:
        """Whether it keeps the limit, and what is promised to each person, where that is asked."""
        return self.verdict.kept

    @property
    def delivered(self) -> float:
        """δ at the promise's ε that decides: of the most exposed pair, in the worse order."""
        return float(self.verdict.delivered.max())

    @property
    def rests(self) -> str:
        """Law that the verdict rests on: "model", "exact", "any data" or "none"."""
        return self.verdict.law

    @property
    def _words(self) -> tuple[str, str, str]:
        noise = (
            f"Noise, {self.key}",
            "Adds random noise.",
            f"Add {self.key} noise.",
        )
        return _WORDS.get(self.key, noise)

    @property
    def title(self) -> str:
        """Name in charts and tables."""
        return self._words[0]

    @property
    def how(self) -> str:
        """Sentence on how it works."""
        if self.release.kind == "no data":
            source = "public data" if self.publishable else "your own records"
            return f"Publishes what anybody would expect from {source}."
        if self.release.kind != "balanced":
            return self._words[1]
        without, having = self.release.kept if self.release.kept is not None else (0, 0)
        return (
            f"Uses {whole(having)} records with and {whole(without)} without the property, "
            f"weighted to {percent(self.release.reference or 0.0)}."
        )

    @property
    def advice(self) -> str:
        """Request to release this way."""
        return self._words[2]

    @property
    def by(self) -> str:
        """What its verdict rests on, as sentences and pictures say it."""
        words = {"any data": "for any data", "exact": "by the exact law"}
        return words.get(self.rests, "by simulation" if self.simulated else "by our model")

    @property
    def basis(self) -> str:
        """Basis of its promise, in a sentence."""
        if not self.publishable:
            return "Only a yardstick: publishing it would tell the share."
        if self.rests in ("any data", "exact"):
            return f"Holds {self.by}."
        return f"Rests on bell-shaped figures{', by simulation' * self.simulated}."


def gaussian_names() -> tuple[str, ...]:
    """Return the names of the mechanisms that add normal noise and are compared."""
    return tuple(name for name, one in MECHANISMS.items() if one.shape and one.compared)


def noises(
    model: GaussianModel, promise: Promise, names: Sequence[str], **options: Any
) -> tuple[dict[str, Release], dict[str, str]]:
    """Calibrate mechanisms to one promise: releases by name, and why others do not apply."""
    results = calibrate_all([(name, promise) for name in names], model, **options)
    named = dict(zip(names, results, strict=True))
    releases = {name: one for name, one in named.items() if isinstance(one, Release)}
    return releases, {name: str(one) for name, one in named.items() if name not in releases}


def chosen_way(
    model: GaussianModel,
    promise: Promise,
    mechanism: str,
    plain: Way,
    *,
    reference: float | None = None,
    **options: Any,
) -> Way:
    """Hold a mechanism against a promise; figures as they are where these keep it.

    Raises NotApplicable if the mechanism cannot keep it.
    """
    without = mechanism_named(mechanism).noise == "none"
    if plain.kept:
        return plain
    settings = options | {"epsilon": promise.epsilon, "delta": promise.delta}
    settings = {"reference": reference} if without else settings
    return judge(model, [calibrate(mechanism, model, **settings)], promise, **options)[0]


ByLaw = tuple["Way", "Way | None", "float | None"]
"""Figures as they are, a mechanism that applies, and its ε, by exact laws."""


def by_law(
    model: GaussianModel, promise: Promise, mechanism: str, delta: float, **options: Any
) -> ByLaw:
    """Hold figures as they are and a mechanism against a promise, and return its ε at a δ.

    No mechanism where it does not apply, and no ε where no noise is needed.
    """
    plain = judge(model, [AS_IT_IS], promise, **options)[0]
    try:
        way = chosen_way(model, promise, mechanism, plain, **options)
    except NotApplicable:
        return plain, None, None
    return plain, way, None if plain.kept else delivered_epsilon(model, way.release, delta)


def ways(
    model: GaussianModel,
    promise: Promise,
    ready: Sequence[Way] = (),
    *,
    reference: float | None = None,
    progress: Progress = None,
    **options: Any,
) -> tuple[tuple[Way, ...], dict[str, str]]:
    """Hold every way of releasing against a promise, besides those that are ready.

    As it is, no data, the balanced release at the reference share and, where noise is needed, every
    Gaussian mechanism, the least error first; and why some do not apply, in a sentence each.
    """
    rows = {one.key: one for one in ready}
    with showing("Ways of releasing", 3, progress) as report:
        if "as it is" not in rows:
            rows["as it is"] = judge(model, [AS_IT_IS], promise, **options)[0]
        report(1)
        releases, unavailable = [no_data(model, reference)], {}
        if "BalM" not in rows:
            try:
                releases.append(calibrate("BalM", model, reference=reference))
            except DistprivError as error:
                unavailable["BalM"] = str(error)
        if not rows["as it is"].kept:
            rest = [name for name in gaussian_names() if name not in rows]
            added, reasons = noises(model, promise, rest, **options)
            releases += added.values()
            unavailable |= reasons
        report(2)
        every = [*rows.values(), *judge(model, releases, promise, **options)]
        report(3)
    return tuple(sorted(every, key=lambda one: one.percent)), unavailable


def judge(
    model: GaussianModel, releases: Sequence[Release], promise: Promise, **options: Any
) -> list[Way]:
    """Hold releases against promises to shares and persons, and measure their errors.

    Of the options of `calibrate` persons and bounds count.
    """
    claims = {name: options[name] for name in ("persons", "bounds") if name in options}
    judged = verdicts(model, releases, [promise] * len(releases), **claims)
    rows, simulated = [], not model.query.linear
    for release, verdict in zip(releases, judged, strict=True):
        errors = release_error(model, release).absolute.max(axis=0)
        estimated = np.minimum(errors, best_estimate(model, release)[2].absolute.max(axis=0))
        percent, best = mean_percent(model, np.array([errors, estimated])).tolist()
        guesses = 100 * float(verdict.accuracy.max())
        fine = release.kind != "no data" or model.provenance != "table"
        row = Way(release, guesses, errors, estimated, percent, best, verdict, fine, simulated)
        rows.append(row)
    return rows


def compare(
    model: GaussianModel,
    epsilon: float | None = None,
    delta: float = 1e-3,
    guesses: float | None = None,
    *,
    reference: float | None = None,
    progress: Progress = None,
    **options: Any,
) -> pd.DataFrame:
    """Compare all ways of releasing at one promise or one limit.

    Parameters
    ----------
    epsilon, delta : float, optional
        The promise.
    guesses : float, optional
        Right guesses of 100 that the best attacker may make, instead of ε and δ.
    reference : float, optional
        Share that the balanced release means; the middle of the range by default.
    progress : bool or callable, optional
        Whether to show how far it is, or a function of what is done and of all.
    **options
        Of `calibrate`; noise is made least by the ruler unless `units` says otherwise.

    Returns
    -------
    DataFrame
        One row a way, the least error first: key, title, guesses, percent (mean expected error by
        the ruler, see :func:`distpriv.analysis.comparison.ruler`), estimated_percent (of the best
        linear estimate), kept, rests, and one column of errors a statistic. A few are printed.

    Raises
    ------
    DistprivError
        Unless exactly one of `epsilon` and `guesses` is given, within its domain.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(0.25, 0.2)
    >>> query = dp.Query([dp.Mean("income"), dp.Mean("amount")])
    >>> model = dp.fit_gaussian(dp.load_example("bank"), query, pair, n=100)
    >>> dp.compare(model, guesses=60)
            way right of 100 error in %  keeps the limit rests on
    As they are         80.0          0            False    model
       Balanced         50.0       3.62             True any data
        No data         50.0       5.52             True any data
    Noise, OptM         60.0       6.89             True    model
    ...
    """
    check_model(model)
    if guesses is not None and epsilon is None:
        promise = Promise.of_guesses(guesses)
    elif epsilon is not None and guesses is None:
        promise = Promise(epsilon, delta)
    else:
        raise DistprivError("Give either epsilon (with delta) or guesses.")
    options.setdefault("units", ruler(model))
    rows = ways(model, promise, reference=reference, progress=progress, **options)[0]
    return compared(rows, model.query.labels)


def compared(rows: Iterable[Way], labels: Sequence[str]) -> pd.DataFrame:
    """Return a row a way, see `compare`."""
    names = "key", "title", "guesses", "percent", "estimated_percent", "kept", "rests"
    return brief(ways_frame(rows, labels, dict(zip(names, names, strict=True))), _BRIEF)


def ways_frame(
    rows: Iterable[Way], labels: Sequence[str], columns: Mapping[str, str]
) -> pd.DataFrame:
    """Return attributes of ways by column, then each statistic's errors in a column "± label"."""
    values = [(*(getattr(one, name) for name in columns.values()), *one.errors) for one in rows]
    return pd.DataFrame(values, columns=[*columns, *(f"± {label}" for label in labels)])


def costs_frame(rows: Iterable[Way], labels: Sequence[str]) -> pd.DataFrame:
    """Return each way's cost: way, guesses, error, estimated, kept, and ± of each statistic."""
    return ways_frame(rows, labels, _COSTS)


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Result):
    """Hold which way of releasing to take, and why.

    The way of least error, by the ruler, among those that keep the limit and are better than no
    data; all others that keep it, the least error first; and no data, which is the error of whoever
    sees none of the figures.
    """

    way: Way
    others: tuple[Way, ...]
    nothing: Way

    def __repr__(self) -> str:
        return f"Recommendation({self.way!r}, {len(self.others)} others keep the limit)"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a way that keeps the limit, the recommended one first."""
        return compared(
            [self.way, *self.others], [str(at + 1) for at in range(len(self.way.errors))]
        )

    @property
    def worse_than_nothing(self) -> bool:
        """Whether nothing that keeps the limit is better than no data, which `way` then is."""
        return self.way is self.nothing


def recommend(ways: Sequence[Way], mechanism: str = "") -> Recommendation:
    """Choose among ways of releasing that are held against one limit, no data among them.

    Of ways whose errors differ by less than 0.5 % the chosen mechanism comes first, then figures as
    they are, BalM, OptM and other mechanisms, the papers' last first. Raises ValueError if no data
    is not among the ways, or does not keep the limit on shares.
    """
    kept = sorted((way for way in ways if way.kept), key=lambda way: way.percent)
    nothing = next((way for way in ways if way.release.kind == "no data"), None)
    if nothing is None or not nothing.verdict.shares_kept:  # persons only with public data
        raise ValueError("No data has to be among the ways, and it keeps any limit.")
    better = [way for way in kept if way.percent < nothing.percent]
    alike = [way for way in better if way.percent <= _NOTICED * better[0].percent]
    order = (mechanism, "as it is", *reversed(MECHANISMS))
    best = min(alike, key=lambda way: order.index(way.key), default=nothing)
    return Recommendation(best, tuple(way for way in kept if way is not best), nothing)
