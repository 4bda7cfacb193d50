"""Lines against ε, Δp and the attacker: what mechanisms cost, and what attackers reach."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv.analysis.comparison import gaussian_names, mean_percent, ways
from distpriv.analysis.limits import choose
from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate_all
from distpriv.model import GaussianModel, Promise, Release, fit_groups
from distpriv.privacy import accuracies

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "EPSILONS",
    "accepted",
    "ceiling",
    "ceiling_frame",
    "epsilon_frame",
    "reach_frame",
    "width_frame",
]

EPSILONS = np.geomspace(0.2, 20.0, 25)
_TABLES = 1000  # simulated at each share of a range, for statistics that are no sums
_REACH = "release", "epsilon", "guesses"
_WIDTHS = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9])  # of the widest about this middle


def epsilon_frame(
    model: GaussianModel,
    names: Sequence[str] | None = None,
    epsilons: FloatArray = EPSILONS,
    delta: float = 1e-3,
    **options: Any,
) -> pd.DataFrame:
    """Return mean error and right guesses at each ε, of all Gaussian mechanisms by default.

    Columns mechanism, epsilon, guesses (of 100), error (mean, in per cent by the ruler) and each
    statistic's error in a column "± label". `options` are those of `calibrate_all`.
    """
    import pandas as pd

    lines = gaussian_names() if names is None else names
    jobs = [(name, Promise(float(epsilon), delta)) for name in lines for epsilon in epsilons]
    results = zip(jobs, calibrate_all(jobs, model, **options), strict=True)
    some = [(name, one.epsilon, got) for (name, one), got in results if isinstance(got, Release)]
    releases = [got for *_, got in some]
    errors = np.array([one.expected_absolute_errors(model) for one in releases])
    errors = errors.reshape(-1, len(model.query))
    frame = pd.DataFrame([head for *head, _ in some], columns=["mechanism", "epsilon"])
    frame = frame.assign(
        guesses=100 * accuracies(model, releases), error=mean_percent(model, errors)
    )
    columns = [f"± {label}" for label in model.query.labels]
    return pd.concat([frame, pd.DataFrame(errors, columns=columns)], axis=1)


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


def reach_frame(
    model: GaussianModel, releases: Mapping[str, Release], pair: int = 0, count: int = 16
) -> pd.DataFrame:
    """Return the best attacker's right guesses against Δp, of releases that stay as they are.

    The two shares move apart about the middle of a pair's range, by whole records. Noise is that
    of the model's own range; a release that keeps records ends where a range has fewer. Columns
    release, width (Δp, in points of 100) and guesses (of 100).
    """
    import pandas as pd

    one, n = model.pairs[pair], model.n
    half = n * min(one.pair.center, 1 - one.pair.center)
    own = n * one.pair.width / 2
    steps = np.unique(np.linspace(1, max(half, 1), count if model.exact else 6).round().clip(1))
    simulated: dict[str, Any] = {"method": model.method, "tables": None if model.exact else _TABLES}
    rows = []
    for step in sorted({*steps.tolist(), own}):
        low, high = one.pair.center - step / n, one.pair.center + step / n
        if not 0 <= low < high <= 1:
            continue
        wider = replace(one.pair, low=low, high=high)
        fitted = replace(model, pairs=(one,))
        try:
            if step != own:
                law = [one.groups], model.query, [wider], n, model.replacement
                fitted = fit_groups(*law, **simulated)
        except DistprivError:  # the table has too few records for this range
            continue
        added = {name: each for name, each in releases.items() if each.additive}
        right = dict(zip(added, 100 * accuracies(fitted, [*added.values()]), strict=True))
        numbers = fitted.pairs[0].numbers
        for name, each in releases.items():  # what is kept has one law at all shares in its range
            if each.kept is not None and (each.kept <= numbers).all():
                right[name] = 50.0
        rows += [(name, 200 * step / n, guesses) for name, guesses in right.items()]
    frame = pd.DataFrame(rows, columns=["release", "width", "guesses"])
    return pd.concat([frame[frame["release"] == name] for name in releases], ignore_index=True)


def accepted(blob: bytes, name: str) -> pd.DataFrame:
    """Return `choose` of one mechanism, in a worker: of a pickled model, limits and options."""
    model, limits, options = pickle.loads(blob)  # noqa: S301  # a pipe of our own brings it
    return choose(limits, model, [name], **options)


def ceiling(epsilon: Any, delta: float) -> Any:
    """Return right guesses of 100 that (ε, δ) allows any attacker: (e^ε + δ)/(1 + e^ε)."""
    return 100 * (1 - (1 - delta) / (1 + np.exp(np.minimum(epsilon, 700.0))))


def ceiling_frame(frame: pd.DataFrame, levels: Mapping[str, float], delta: float) -> pd.DataFrame:
    """Return right guesses against ε of a mechanism, of releases that know no ε, and at most.

    Parameters
    ----------
    frame : DataFrame
        Lines of `epsilon_frame`.
    levels : mapping of release to right guesses of 100
    delta : float
        Of the promises; what they allow whatever the data is the release "ceiling".

    Returns
    -------
    DataFrame
        Columns release, epsilon and guesses (of 100).
    """
    import pandas as pd

    epsilons = np.unique(frame["epsilon"])
    lines = {name: np.full(len(epsilons), guesses) for name, guesses in levels.items()}
    lines["ceiling"] = ceiling(epsilons, delta)
    parts = [frame[["mechanism", "epsilon", "guesses"]].set_axis([*_REACH], axis=1)]
    parts += [
        pd.DataFrame({"release": name, "epsilon": epsilons, "guesses": guesses})
        for name, guesses in lines.items()
    ]
    return pd.concat(parts, ignore_index=True)
