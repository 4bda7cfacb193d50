"""Limits that a user sets, and the ε that they lead to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy import optimize

from distpriv.analysis.brief import brief
from distpriv.analysis.comparison import gaussian_names, judge, noises, ruler
from distpriv.arrays import FloatArray, number
from distpriv.display import Progress, plain, tracked
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import calibrate_all, mechanism_named
from distpriv.mechanisms.calibration import check_model
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy import delivered_epsilon, privacy_loss
from distpriv.text import one_of, percent

__all__ = ["ErrorLimit", "Limit", "LimitKind", "choose"]

LimitKind = Literal["guesses", "accuracy", "f_score", "precision"]

_BRIEF = {"mechanism": "mechanism ", "epsilon": "ε 3", "delta": "at δ 3"}
_BRIEF |= {"guesses": "right of 100 .1", "percent": "error in % 3"}
_SEARCHED = 0.01, 50.0  # ε
_POINTS = (25, 6, 6, 6, 6)  # of a round; each searches the step that the one before ended in


@dataclass(frozen=True, repr=False)
class Limit:
    """Hold what an attacker may reach at even odds.

    Attributes
    ----------
    kind : {"guesses", "accuracy", "f_score", "precision"}
        Right guesses of 100, an accuracy, an F-score in which recall has the weight β, or a
        precision at a recall, which no other kind has.
    value : float
        Above what guessing one share always reaches: 50, 0.5, (1 + β²) / (2 + β²) or 0.5.
    beta, recall : float

    Raises
    ------
    DistprivError
        If the value, β or recall is out of range, or a recall is missing.

    Examples
    --------
    >>> dp.Limit("guesses", 60).promise
    Promise(epsilon=0.0, delta=0.2, guesses=60.0)
    >>> dp.Limit("precision", 0.7, recall=0.5)
    Limit('precision', 0.7, recall=0.5)
    """

    kind: LimitKind
    value: float
    beta: float = 1.0
    recall: float | None = None

    def __post_init__(self) -> None:
        kinds = get_args(LimitKind)
        one_of("limit on", self.kind, kinds)
        words = f"The limit on {self.kind.replace('_', '-')}"
        object.__setattr__(self, "value", number(words, self.value))
        if self.kind in kinds[:2]:
            self.promise  # noqa: B018 - which checks the value
            return
        floor, words = 0.5, "precision"
        if self.kind == "f_score":
            number("β", self.beta, 0, 1e6, above=True, below=True)
            if self.recall is not None:
                raise DistprivError("A limit on an F-score takes no recall; leave it out.")
            floor, words = (1 + self.beta**2) / (2 + self.beta**2), "F-score"
        else:
            counts = "The recall at which a limit on precision counts"
            number(counts, self.recall, 0, 1, above=True, below=True)
        if not floor < self.value < 1:
            raise DistprivError(
                f"Always guessing the same share reaches {words} {floor:.3g}; set a limit "
                f"above it and below 1, not {self.value!r}."
            )

    def __repr__(self) -> str:
        beta = f", beta={self.beta:g}" if self.kind == "f_score" else ""
        recall = f", recall={self.recall:g}" if self.recall is not None else ""
        return f"Limit({self.kind!r}, {self.value:g}{beta}{recall})"

    @property
    def promise(self) -> Promise:
        """Promise that says the same: (0, 2a − 1) for an accuracy of a.

        Raises
        ------
        NotApplicable
            If the limit is no promise of this kind, so that `choose` has to search.
        """
        if self.kind not in ("guesses", "accuracy"):
            raise NotApplicable(
                f"A limit on {self.kind.replace('_', '-')} is kept by a search; pass it to choose."
            )
        return Promise.of_guesses(self.value if self.kind == "guesses" else 100 * self.value)


@dataclass(frozen=True, repr=False)
class ErrorLimit:
    """Hold the largest expected absolute error of one statistic that is accepted.

    The statistic by its label, such as "mean age"; the error in its unit, or as a fraction of its
    value, by the ruler, where it is relative.

    Examples
    --------
    >>> dp.ErrorLimit("mean age", 0.5)
    ErrorLimit('mean age', 0.5)
    >>> dp.ErrorLimit("mean age", 0.02, relative=True)
    ErrorLimit('mean age', 2 %)
    """

    label: str
    value: float
    relative: bool = False

    def __post_init__(self) -> None:
        words = f"The error of {self.label} that is accepted"
        object.__setattr__(self, "value", number(words, self.value, 0, above=True))

    def __repr__(self) -> str:
        size = plain(percent(self.value)) if self.relative else f"{self.value:g}"
        return f"ErrorLimit({self.label!r}, {size})"


def choose(
    limit: Limit | ErrorLimit | Sequence[ErrorLimit],
    model: GaussianModel,
    names: Sequence[str] | None = None,
    *,
    delta: float = 1e-3,
    progress: Progress = None,
    **options: Any,
) -> pd.DataFrame:
    """Choose each mechanism's ε by what an attacker may reach, or by the errors that are accepted.

    Parameters
    ----------
    limit : Limit, ErrorLimit or sequence of ErrorLimit
        A `Limit` gives the largest ε that keeps it, error limits the least ε that meets all of
        them, to 0.1 % and from 0.01 to 50 where it is searched for.
    names : sequence of str, optional
        Mechanisms, all Gaussian ones by default.
    delta : float
        At which ε counts.
    progress : bool or callable, optional
        Whether to show how far it is, or a function of mechanisms done and of all.
    **options
        Of `calibrate`; noise is made least by the ruler unless `units` says otherwise.

    Returns
    -------
    DataFrame
        One row a mechanism: mechanism, epsilon, delta, guesses (right, of 100), percent (mean
        expected error by the ruler). NaN where a mechanism does not apply or no ε does.

    Raises
    ------
    DistprivError
        If the limit is out of range, or names a statistic that is not released, or a mechanism is
        unknown or there twice.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(0.25, 0.2)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Mean("income"), pair, n=100)
    >>> dp.choose(dp.Limit("guesses", 60), model, ["OptM"])
    mechanism    ε  at δ right of 100 error in %
         OptM 1.41 0.001         60.0       11.1
    >>> dp.choose(dp.ErrorLimit("mean income", 0.05, relative=True), model, ["ExpM"])
    mechanism    ε  at δ right of 100 error in %
         ExpM 3.85 0.001         68.5          5
    """
    check_model(model)
    delta = number("δ", delta, 0, 1, below=True)
    names = [names] if isinstance(names, str) else [*(names or gaussian_names())]
    for name in names:
        mechanism_named(name)
        if names.count(name) > 1:
            raise DistprivError(f"{name} is there twice; name each mechanism once.")
    options.setdefault("units", ruler(model))
    every = tracked(names, len(names), "Mechanisms", progress)
    if isinstance(limit, Limit) and limit.kind in ("guesses", "accuracy"):
        releases = [*noises(model, limit.promise, names, **options)[0].values()]
        epsilons = [delivered_epsilon(model, one, delta) for one in releases]
    else:
        if isinstance(limit, Limit):
            searched = (_largest(name, model, limit, delta, options) for name in every)
        else:
            accepted = _accepted(limit, model)
            searched = (_least(name, model, accepted, delta, options) for name in every)
        releases = [one for one in searched if one is not None]
        epsilons = [one.promise.epsilon for one in releases if one.promise is not None]
    judged = zip(judge(model, releases, Promise(0.0, delta)), epsilons, strict=True)
    rows = [(way.key, epsilon, delta, way.guesses, way.percent) for way, epsilon in judged]
    columns = ["mechanism", "epsilon", "delta", "guesses", "percent"]
    frame = pd.DataFrame({"mechanism": names})
    frame = frame.merge(pd.DataFrame(rows, columns=columns), how="left").assign(delta=delta)
    return brief(frame, _BRIEF)


def _accepted(limits: Any, model: GaussianModel) -> FloatArray:
    """List the largest error that is accepted of each statistic, (m,), ∞ where none is set."""
    labels = model.query.labels
    accepted, unit = np.full(len(labels), math.inf), ruler(model)
    if isinstance(limits, str) or not hasattr(limits, "__iter__"):
        limits = [limits]
    if not limits:
        raise DistprivError("There is no limit to choose by; give at least one.")
    for one in limits:
        if not isinstance(one, ErrorLimit):
            raise DistprivError(
                f"{one!r} is not a limit; write Limit('guesses', 60) or an ErrorLimit."
            )
        one_of("figure", one.label, labels)
        place = labels.index(one.label)
        accepted[place] = min(accepted[place], one.value * (unit[place] if one.relative else 1.0))
    return accepted


def _largest(
    name: str, model: GaussianModel, limit: Limit, delta: float, options: dict[str, Any]
) -> Release | None:
    """Search the largest ε at which a mechanism keeps a limit; it need not apply at every ε."""
    keeping: dict[float, Release] = {}

    def excess(log_epsilon: float) -> float:
        job = name, Promise(math.exp(log_epsilon), delta)
        (release,) = calibrate_all([job], model, **options)
        if not isinstance(release, Release):
            return math.inf
        loss, recall = privacy_loss(model, release), limit.recall
        figure = loss.f_score(limit.beta) if recall is None else float(loss.precision(recall))
        if figure <= limit.value:
            keeping[log_epsilon] = release
        return figure - limit.value

    low, high = map(math.log, _SEARCHED)
    points = np.linspace(high, low, 9).tolist()
    place = next((at for at, one in enumerate(points) if excess(one) <= 0), 0)
    if place:
        optimize.brentq(excess, points[place], points[place - 1], xtol=1e-3)
    return keeping[max(keeping)] if keeping else None


def _least(
    name: str, model: GaussianModel, accepted: FloatArray, delta: float, options: dict[str, Any]
) -> Release | None:
    """Search the least ε at which a mechanism's errors are accepted; they need not fall with ε."""
    low, high = _SEARCHED
    best: Release | None = None
    for points in _POINTS:
        jobs = [(name, Promise(one, delta)) for one in np.geomspace(low, high, points).tolist()]
        fits = (
            (place, one)
            for place, one in enumerate(calibrate_all(jobs, model, **options))
            if isinstance(one, Release) and (one.expected_absolute_errors(model) <= accepted).all()
        )
        place, best = next(fits, (0, best))
        if place == 0:
            return best
        low, high = (job[1].epsilon for job in jobs[place - 1 : place + 1])
    return best
