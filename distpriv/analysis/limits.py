"""Limits that a user sets, and the ε that they lead to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from distpriv.analysis.comparison import gaussian_names, mean_percent, noises, ruler
from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import calibrate_all
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy import delivered_epsilon, optimal_attack_accuracy
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

    names = list(names or gaussian_names())
    options.setdefault("units", ruler(model))
    chosen: dict[str, tuple[float, Release] | None] = {}
    if isinstance(limit, Limit):
        for name, release in noises(model, limit.promise, names, **options)[0].items():
            chosen[name] = delivered_epsilon(model, release, delta), release
    else:
        accepted = _accepted([limit] if isinstance(limit, ErrorLimit) else list(limit), model)
        chosen = {name: _least(name, model, accepted, delta, options) for name in names}
    rows = []
    for name in names:
        epsilon = guesses = error = math.nan
        if (pair := chosen.get(name)) is not None:
            epsilon, release = pair
            guesses = 100 * optimal_attack_accuracy(model, release)
            error = float(mean_percent(model, release.expected_absolute_errors(model)))
        rows.append((name, epsilon, delta, guesses, error))
    return pd.DataFrame(rows, columns=["mechanism", "epsilon", "delta", "guesses", "percent"])


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
) -> tuple[float, Release] | None:
    """Search the least ε at which a mechanism's errors are accepted; they need not fall with ε."""
    low, high = map(math.log, _SEARCHED)
    best = None
    for points in _POINTS:
        steps = np.exp(np.linspace(low, high, points))
        jobs = [(name, Promise(float(one), delta)) for one in steps]
        for place, one in enumerate(calibrate_all(jobs, model, **options)):
            if not isinstance(one, Release):
                continue
            if (one.expected_absolute_errors(model) <= accepted).all():
                best = float(steps[place]), one
                break
        else:
            return best
        if place == 0:
            return best
        low, high = math.log(steps[place - 1]), math.log(steps[place])
    return best
