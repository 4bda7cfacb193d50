"""Lines of the trade-off: what each mechanism costs against ε, the attacker and Δp."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv.analysis.comparison import gaussian_names, mean_percent, noises
from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate, calibrate_all
from distpriv.model import (
    AS_IT_IS,
    GaussianModel,
    Promise,
    Release,
    fit_groups,
    no_data,
    release_error,
)
from distpriv.privacy import accuracies, verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EPSILONS", "epsilon_frame", "width_frame"]

EPSILONS = np.geomspace(0.2, 20.0, 36)
_WIDTHS = np.array(
    [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9]
)  # of the widest range about the same middle


def epsilon_frame(
    model: GaussianModel,
    names: Sequence[str] | None = None,
    epsilons: FloatArray = EPSILONS,
    delta: float = 1e-3,
    **options: Any,
) -> pd.DataFrame:
    """Return mean error and right guesses at each ε.

    Parameters
    ----------
    model : GaussianModel
    names : sequence of str, optional
        Mechanisms, all Gaussian ones by default.
    epsilons : ndarray
    delta : float
    **options
        Of `calibrate_all`.

    Returns
    -------
    DataFrame
        Columns mechanism, epsilon, guesses (of 100), error (mean, in per cent by the ruler).
    """
    import pandas as pd

    lines = gaussian_names() if names is None else names
    jobs = [(name, Promise(float(epsilon), delta)) for name in lines for epsilon in epsilons]
    results = calibrate_all(jobs, model, **options)
    releases = [
        (*job, one) for job, one in zip(jobs, results, strict=True) if isinstance(one, Release)
    ]
    m = len(model.query)
    total = np.array([one.total(m) for *_, one in releases]).reshape(-1, m, m)
    deviations = np.sqrt(np.diagonal(total, axis1=1, axis2=2).clip(0))
    return pd.DataFrame(
        {
            "mechanism": [name for name, *_ in releases],
            "epsilon": [promise.epsilon for _, promise, _ in releases],
            "guesses": 100 * accuracies(model, [one for *_, one in releases]),
            "error": mean_percent(model, deviations * np.sqrt(2 / np.pi)),
        }
    )


def width_frame(
    model: GaussianModel, promise: Promise, *, reference: float | None = None, **options: Any
) -> pd.DataFrame:
    """Return the mean error of releases at each Δp, the first secret's range about its middle.

    Parameters
    ----------
    model : GaussianModel
    promise : Promise
        Kept at each Δp.
    reference : float, optional
        Share that the balanced release means; the middle of the range by default.
    **options
        Of `calibrate_all`.

    Returns
    -------
    DataFrame
        Columns mechanism, width (Δp, in points of 100), guesses (of 100), error (mean, in per cent
        by the ruler). Where the figures as they are keep the promise, mechanisms add nothing.
    """
    import pandas as pd

    first, *others = (one.pair for one in model.pairs)
    groups = [one.groups for one in model.pairs]
    widest = 2 * min(first.center, 1 - first.center)
    rows = []
    for width in sorted({*(widest * _WIDTHS).round(4), first.width}):
        pair = replace(first, low=first.center - width / 2, high=first.center + width / 2)
        try:
            fitted = fit_groups(groups, model.query, (pair, *others), model.n, model.replacement)
        except DistprivError:  # the table has too few records for this range
            continue
        releases = _releases(fitted, promise, reference, options)
        errors = [release_error(fitted, one).absolute.max(axis=0) for one in releases.values()]
        guesses = 100 * accuracies(fitted, list(releases.values()))
        errors = mean_percent(fitted, np.array(errors))
        rows += [(*one, width) for one in zip(releases, guesses, errors, strict=True)]
    frame = pd.DataFrame(rows, columns=["mechanism", "guesses", "error", "width"])
    frame["width"] *= 100
    lines = [frame[frame["mechanism"] == name] for name in (*gaussian_names(), "BalM", "no data")]
    return pd.concat(lines, ignore_index=True)


def _releases(
    model: GaussianModel, promise: Promise, reference: float | None, options: dict[str, Any]
) -> dict[str, Release]:
    """Every mechanism's release and those without noise, as far as they apply."""
    releases = {"no data": no_data(model, reference)}
    with suppress(DistprivError):
        releases["BalM"] = calibrate("BalM", model, reference=reference)
    names = gaussian_names()
    if verdict(model, AS_IT_IS, promise).kept:
        return releases | dict.fromkeys(names, AS_IT_IS)
    return releases | noises(model, promise, names, **options)[0]
