"""Lines of the trade-off: what each mechanism costs against ε, the attacker and Δp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv.analysis.comparison import gaussian_names, mean_percent, ways
from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate_all
from distpriv.model import GaussianModel, Promise, Release, fit_groups
from distpriv.privacy import accuracies

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EPSILONS", "epsilon_frame", "width_frame"]

EPSILONS = np.geomspace(0.2, 20.0, 36)
_WIDTHS = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9])  # of the widest about this middle


def epsilon_frame(
    model: GaussianModel,
    names: Sequence[str] | None = None,
    epsilons: FloatArray = EPSILONS,
    delta: float = 1e-3,
    **options: Any,
) -> pd.DataFrame:
    """Return mean error and right guesses at each ε, of all Gaussian mechanisms by default.

    Columns mechanism, epsilon, guesses (of 100) and error (mean, in per cent by the ruler).
    `options` are those of `calibrate_all`.
    """
    import pandas as pd

    lines = gaussian_names() if names is None else names
    jobs = [(name, Promise(float(epsilon), delta)) for name in lines for epsilon in epsilons]
    results = zip(jobs, calibrate_all(jobs, model, **options), strict=True)
    some = [(name, one.epsilon, got) for (name, one), got in results if isinstance(got, Release)]
    releases = [got for *_, got in some]
    errors = np.array([one.expected_absolute_errors(model) for one in releases])
    frame = pd.DataFrame([head for *head, _ in some], columns=["mechanism", "epsilon"])
    return frame.assign(
        guesses=100 * accuracies(model, releases),
        error=mean_percent(model, errors.reshape(-1, len(model.query))),
    )


def width_frame(
    model: GaussianModel, promise: Promise, *, reference: float | None = None, **options: Any
) -> pd.DataFrame:
    """Return the mean error of all ways that keep a promise at each Δp of the first secret.

    Its range grows about its middle. Columns mechanism, guesses (of 100), error (mean, in per cent
    by the ruler) and width (Δp, in points of 100). Where the figures as they are keep the promise,
    mechanisms add nothing. `reference` and `options` are those of `ways`.
    """
    import pandas as pd

    first, *others = (one.pair for one in model.pairs)
    groups = [one.groups for one in model.pairs]
    widest = 2 * min(first.center, 1 - first.center)
    noisy, rows = gaussian_names(), []
    for width in sorted({*(widest * _WIDTHS).round(4), first.width}):
        pair = replace(first, low=first.center - width / 2, high=first.center + width / 2)
        try:
            fitted = fit_groups(groups, model.query, (pair, *others), model.n, model.replacement)
        except DistprivError:  # the table has too few records for this range
            continue
        for way in ways(fitted, promise, reference=reference, **options)[0]:
            names = (way.key,) if way.release.kind != "as it is" else noisy if way.kept else ()
            rows += [(name, way.guesses, way.percent, 100 * width) for name in names]
    frame = pd.DataFrame(rows, columns=["mechanism", "guesses", "error", "width"])
    lines = [frame[frame["mechanism"] == name] for name in (*noisy, "BalM", "no data")]
    return pd.concat(lines, ignore_index=True)
