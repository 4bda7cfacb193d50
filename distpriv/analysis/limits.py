"""Limits that a user sets, and the ε that they lead to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from distpriv.analysis.comparison import gaussian_names, judge, noises, ruler
from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import calibrate_all
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy import delivered_epsilon
from distpriv.text import near

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ErrorLimit", "Limit", "LimitKind", "choose"]

LimitKind = Literal["guesses", "accuracy", "f_score", "precision"]

_SEARCHED = 0.01, 50.0  # ε
_POINTS = (25, 6, 6, 6, 6)  # of a round; each searches the step that the one before ended in


@dataclass(frozen=True)
class Limit:
    """Hold what an attacker may reach at even odds.

    Attributes
    ----------
    kind : str
        "guesses" (right guesses of 100), "accuracy", "f_score" or "precision".
    value : float
    beta : float
        Weight of recall in an F-score.
    recall : float or None
        At which a precision counts.
    """

    kind: LimitKind
    value: float
    beta: float = 1.0
    recall: float | None = None

    @property
    def promise(self) -> Promise:
        """Promise that says the same: (0, 2a − 1) for an accuracy of a.

        Raises
        ------
        DistprivError
            If the value is out of range, or the limit is no promise of this kind.
        """
        if self.kind not in ("guesses", "accuracy"):
            raise NotApplicable(
                f"Limits on {self.kind.replace('_', '-')} are not built yet; set one on guesses."
            )
        return Promise.of_guesses(self.value if self.kind == "guesses" else 100 * self.value)


@dataclass(frozen=True)
class ErrorLimit:
    """Hold the largest expected absolute error of one statistic that is accepted.

    Attributes
    ----------
    label : str
        The statistic's, such as "mean age".
    value : float
        In its unit, or as a fraction of its value.
    relative : bool
        Whether it is such a fraction, by the ruler.
    """

    label: str
    value: float
    relative: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.value < math.inf:
            raise DistprivError(f"An error of {self.label} must be above 0, not {self.value!r}.")


def choose(
    limit: Limit | ErrorLimit | Sequence[ErrorLimit],
    model: GaussianModel,
    names: Sequence[str] | None = None,
    *,
    delta: float = 1e-3,
    **options: Any,
) -> pd.DataFrame:
    """Choose each mechanism's ε by what an attacker may reach, or by the errors that are accepted.

    Parameters
    ----------
    limit : Limit, ErrorLimit or sequence of ErrorLimit
        A `Limit` gives the largest ε that keeps it; error limits give the least ε from 0.01 to 50
        that meets all of them, to 0.1 %.
    model : GaussianModel
    names : sequence of str, optional
        Mechanisms, all Gaussian ones by default.
    delta : float
        At which ε counts.
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
        If the limit is out of range, or names a statistic that is not released.
    """
    import pandas as pd

    names = [*dict.fromkeys(names or gaussian_names())]
    options.setdefault("units", ruler(model))
    if isinstance(limit, Limit):
        releases = [*noises(model, limit.promise, names, **options)[0].values()]
        epsilons = [delivered_epsilon(model, one, delta) for one in releases]
    else:
        accepted = _accepted([limit] if isinstance(limit, ErrorLimit) else list(limit), model)
        least = [_least(name, model, accepted, delta, options) for name in names]
        releases = [one for one in least if one is not None]
        epsilons = [one.promise.epsilon for one in releases if one.promise is not None]
    rows = [
        (way.key, epsilon, way.guesses, way.percent)
        for way, epsilon in zip(judge(model, releases, Promise(0.0, delta)), epsilons, strict=True)
    ]
    columns = ["mechanism", "epsilon", "delta", "guesses", "percent"]
    frame = pd.DataFrame(rows, columns=[one for one in columns if one != "delta"])
    frame = frame.set_index("mechanism").reindex(names).rename_axis("mechanism")
    return frame.assign(delta=delta).reset_index()[columns]


def _accepted(limits: Sequence[ErrorLimit], model: GaussianModel) -> FloatArray:
    """List the largest error that is accepted of each statistic, (m,), ∞ where none is set."""
    labels = model.query.labels
    accepted, unit = np.full(len(labels), math.inf), ruler(model)
    if not limits:
        raise DistprivError("There is no limit to choose by; give at least one.")
    for limit in limits:
        if limit.label not in labels:
            raise DistprivError(
                f"There is no figure {limit.label!r} to limit.{near(limit.label, labels)}"
            )
        place = labels.index(limit.label)
        value = limit.value * unit[place] if limit.relative else limit.value
        accepted[place] = min(accepted[place], value)
    return accepted


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
