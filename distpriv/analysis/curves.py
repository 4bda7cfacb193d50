"""Lines against ε, Δp and the attacker: what mechanisms cost, and what attackers reach."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from distpriv.analysis.comparison import gaussian_names, mean_percent, ways
from distpriv.arrays import FloatArray
from distpriv.attacks import worker
from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate_all
from distpriv.model import AS_IT_IS, GaussianModel, Promise, Release, fit_groups
from distpriv.privacy import accuracies
from distpriv.privacy.delivered import delivered_epsilons
from distpriv.privacy.exact_law import compute_law
from distpriv.queries import Pair

__all__ = ["EPSILONS", "about", "ceiling", "ceiling_frame", "epsilon_frame", "packed", "part"]
__all__ += ["guesses_frame", "reach_frame", "reach_widths", "width_frame", "widths_of"]

T = TypeVar("T")

EPSILONS = np.geomspace(0.2, 20.0, 25)
_NEARER = np.array([0.1, 0.2, 0.5, 0.99])  # parts of the way from a coin toss on
_COIN = 50.001  # right guesses of 100, up to which a limit asks for too much noise
_TABLES = 1000  # simulated at each share of a range, for statistics that are no sums
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
    lines = gaussian_names() if names is None else names
    promises = [Promise(float(epsilon), delta) for epsilon in epsilons]
    releases = _calibrated(model, lines, promises, options)
    return _lines(model, releases, [one.promise.epsilon for one in releases if one.promise])


def guesses_frame(
    model: GaussianModel,
    names: Sequence[str] | None = None,
    delta: float = 1e-3,
    **options: Any,
) -> pd.DataFrame:
    """Return the columns of `epsilon_frame` at each limit on right guesses that asks for noise.

    At the same right guesses a mechanism may add other noise than by ε. The limits are those that a
    slider has, every other one where there are many, and more between them where there are few; ε
    is what is delivered at δ, and rows that deliver none are left out.
    """
    top = 100 * float(accuracies(model, [AS_IT_IS])[0])
    step = 1.0 if top < 80 else 2.0
    limits = {51.0, *np.arange(50 + step, top, step), *(50 + (min(top, 58) - 50) * _NEARER)}
    promises = [Promise.of_guesses(float(one)) for one in sorted(limits) if _COIN < one < top]
    lines = gaussian_names() if names is None else names
    releases = _calibrated(model, lines, promises, options)
    frame = _lines(model, releases, delivered_epsilons(model, releases, delta).tolist())
    return frame[np.isfinite(frame["epsilon"])].reset_index(drop=True)


def _calibrated(
    model: GaussianModel, names: Sequence[str], promises: Sequence[Promise], options: Any
) -> list[Release]:
    jobs = [(name, promise) for name in names for promise in promises]
    return [one for one in calibrate_all(jobs, model, **options) if isinstance(one, Release)]


def _lines(
    model: GaussianModel, releases: Sequence[Release], epsilons: Sequence[float]
) -> pd.DataFrame:
    errors = np.array([one.expected_absolute_errors(model) for one in releases])
    errors = errors.reshape(-1, len(model.query))
    frame = pd.DataFrame({"mechanism": [one.mechanism for one in releases], "epsilon": epsilons})
    frame = frame.astype({"mechanism": object, "epsilon": float})
    frame["guesses"] = 100 * accuracies(model, releases)
    frame["error"] = mean_percent(model, errors)
    columns = [f"± {label}" for label in model.query.labels]
    return pd.concat([frame, pd.DataFrame(errors, columns=columns)], axis=1)


def widths_of(model: GaussianModel) -> list[float]:
    """Return Δp of ranges about the middle of the first secret's, from narrow to nearly all."""
    first = model.pairs[0].pair
    widest = 2 * min(first.center, 1 - first.center)
    return sorted({*(widest * _WIDTHS).round(4).tolist(), first.width})


def width_frame(
    model: GaussianModel,
    promise: Promise,
    *,
    widths: Sequence[float] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Return the mean error of all ways that keep a promise at each Δp of the first secret.

    Its range grows about its middle, by default as `widths_of`. Columns mechanism, guesses (of
    100), error (mean, in per cent by the ruler) and width (Δp, in points of 100). Where the figures
    as they are keep the promise, mechanisms add nothing. Options are those of `ways`.
    """
    first, *others = (one.pair for one in model.pairs)
    groups = [one.groups for one in model.pairs]
    noisy, rows = gaussian_names(), []
    for width in widths_of(model) if widths is None else widths:
        pairs = about(first, width), *others
        try:
            fitted = fit_groups(groups, model.query, pairs, model.n, model.replacement)
        except DistprivError:  # the table has too few records for this range
            continue
        for way in ways(fitted, promise, **options)[0]:
            names = (way.key,) if way.release.kind != "as it is" else noisy if way.kept else ()
            rows += [(name, way.guesses, way.percent, 100 * width) for name in names]
    frame = pd.DataFrame(rows, columns=["mechanism", "guesses", "error", "width"])
    lines = [frame[frame["mechanism"] == name] for name in (*noisy, "BalM", "no data")]
    return pd.concat(lines, ignore_index=True)


def about(pair: Pair, width: float) -> Pair:
    """Return a range of that width about the same middle."""
    return replace(pair, low=pair.center - width / 2, high=pair.center + width / 2)


def reach_widths(model: GaussianModel, pair: int = 0) -> list[float]:
    """Return Δp about the middle of a pair's range by whole records, and that range's own."""
    one, n = model.pairs[pair].pair, model.n
    half = n * min(one.center, 1 - one.center)
    count = 16 if model.exact and len(model.query) > 2 else 8  # others take longer
    steps = np.unique(np.linspace(1, max(half, 1), count).round().clip(1))
    return sorted({*(2 * steps[steps <= half] / n).round(11).tolist(), one.width})


def reach_frame(
    model: GaussianModel,
    releases: Mapping[str, Release],
    pair: int = 0,
    widths: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Return the best attacker's right guesses against Δp, of releases that stay as they are.

    The two shares move apart about the middle of a pair's range, by default as `reach_widths`.
    Noise is that of the model's own range; a release that keeps records ends where a range has
    fewer. Columns release, width (Δp, in points of 100) and guesses (of 100).
    """
    one, rows = model.pairs[pair], []
    simulated: dict[str, Any] = {"method": model.method, "tables": None if model.exact else _TABLES}
    for width in reach_widths(model, pair) if widths is None else widths:
        fitted = replace(model, pairs=(one,))
        try:
            if width != one.pair.width:
                law = [one.groups], model.query, [about(one.pair, width)], model.n
                fitted = fit_groups(*law, model.replacement, **simulated)
        except DistprivError:  # the table has too few records for this range
            continue
        added = {name: each for name, each in releases.items() if each.additive}
        right = dict(zip(added, 100 * accuracies(fitted, [*added.values()]), strict=True))
        numbers = fitted.pairs[0].numbers
        for name, each in releases.items():  # what is kept has one law at all shares in its range
            if each.kept is not None and (each.kept <= numbers).all():
                right[name] = 50.0
        rows += [(name, 100 * width, guesses) for name, guesses in right.items()]
    return pd.DataFrame(rows, columns=["release", "width", "guesses"])


def ceiling(epsilon: Any, delta: float) -> Any:
    """Return right guesses of 100 that (ε, δ) allows any attacker: (e^ε + δ)/(1 + e^ε)."""
    return 100 * (1 - (1 - delta) / (1 + np.exp(np.minimum(epsilon, 700.0))))


def ceiling_frame(frame: pd.DataFrame, levels: Mapping[str, float], delta: float) -> pd.DataFrame:
    """Return right guesses against ε of a mechanism, of releases that know no ε, and at most.

    From lines of `epsilon_frame`, and levels of right guesses by release. Columns release, epsilon
    and guesses (of 100); what promises of that δ allow whatever the data is the release "ceiling".
    """
    epsilons = np.unique(frame["epsilon"]) if len(frame) else EPSILONS
    lines = {**levels, "ceiling": ceiling(epsilons, delta)}
    parts = [frame[["mechanism", "epsilon", "guesses"]].rename(columns={"mechanism": "release"})]
    parts += [
        pd.DataFrame({"release": name, "epsilon": epsilons, "guesses": guesses})
        for name, guesses in lines.items()
    ]
    return pd.concat(parts, ignore_index=True)


# ---------------------------------------------------------------- in workers


def packed(model: GaussianModel, laws: bool, **settings: Any) -> bytes:
    """Pickle a model and what all parts share for workers.

    With records where exact laws or simulations need them; `laws` tells whether exact laws decide
    that take a while to compute.
    """
    needed = not model.exact or len(model.query) <= 2
    records = [one.groups.records if needed else None for one in model.pairs]
    return pickle.dumps((model, records, laws, settings))


def part(blob: bytes, function: Callable[..., T], chosen: dict[str, Any]) -> T:
    """Call a function of a model in a worker, with what all parts share and what this one has.

    The bytes are those of `packed`; they go through a pipe to a process of our own and nowhere
    else.
    """
    model, settings = _unpacked(blob)
    return function(model=model, **chosen, **settings)


@worker.remembered
def _unpacked(blob: bytes) -> tuple[GaussianModel, dict[str, Any]]:
    model, records, laws, settings = pickle.loads(blob)  # noqa: S301
    pairs = [
        replace(one, groups=replace(one.groups, records=each))
        for one, each in zip(model.pairs, records, strict=True)
    ]
    model = replace(model, pairs=tuple(pairs))
    for one in model.pairs if laws else ():
        compute_law(one, model)
    return model, settings
