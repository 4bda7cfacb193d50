"""Pictures of a model, as the dashboard draws them: figures of plotly.

In a notebook a figure shows itself; ``figure.write_html("name.html")`` keeps one. Releases are a
mapping of names to releases, a list of them, or one; None among them is the figures as they are.
The examples draw this model:

>>> pair, bank = dp.Pair(dp.SensitiveProperty("late", "yes"), 0.1, 0.2), dp.load_example("bank")
>>> model = dp.fit_gaussian(bank, dp.Query([dp.Mean("age"), dp.Mean("amount")]), pair, n=100)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv import charts
from distpriv.analysis import compare, curves, frames, guarantee
from distpriv.analysis.comparison import gaussian_names, ruler
from distpriv.arrays import integer, number
from distpriv.errors import DistprivError
from distpriv.mechanisms import MECHANISMS
from distpriv.model import AS_IT_IS, Promise, Release, check_release
from distpriv.model.simulate import simulate
from distpriv.privacy import accuracies
from distpriv.text import near, one_of

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from distpriv.model import GaussianModel

    Releases = Mapping[str, Release | None] | Sequence[Release | None] | Release | None

__all__ = ["attackers_who_know", "belief", "bells", "contributions", "costs", "directions"]
__all__ += ["error_against_attacker", "error_against_epsilon", "error_against_width", "fit"]
__all__ += ["guesses_against_epsilon", "guesses_against_width", "precision_against_recall"]
__all__ += ["promised_and_delivered", "repeated_releases"]

_EPSILONS = np.geomspace(0.05, 20.0, 45)
_ACROSS = 3  # panels side by side


def _several(model: GaussianModel, releases: Releases) -> list[Release]:
    """Return releases in a list, once they are checked."""
    if isinstance(releases, Mapping):
        some = [*releases.values()]
    else:
        some = [*releases] if isinstance(releases, Sequence) else [releases]
    check_release(model, *some)
    if not some:
        raise DistprivError("There is nothing to draw; give at least one release.")
    return [one or AS_IT_IS for one in some]


def _named(model: GaussianModel, releases: Releases, bare: str = "as it is") -> dict[str, Release]:
    """Return releases by name, after the figures as they are."""
    check_release(model)
    some = _several(model, releases) if releases else []
    names = [*releases] if isinstance(releases, Mapping) else [one.mechanism for one in some]
    if len(set(names)) < len(names):
        raise DistprivError("Two releases have one name; pass a mapping of names to releases.")
    return {bare: AS_IT_IS} | dict(zip(names, some, strict=True))


def _lines(
    model: GaussianModel, names: Sequence[str] | None, delta: float
) -> tuple[pd.DataFrame, str]:
    """Return errors and guesses along ε of mechanisms, and the one that is emphasised."""
    check_release(model)
    normal = [name for name, one in MECHANISMS.items() if one.shape]
    some = [names] if isinstance(names, str) else list(names or gaussian_names())
    for name in some:
        one_of("mechanism of normal noise", name, normal)
    number("δ", delta, 0, 1, below=True)
    frame = curves.epsilon_frame(model, some, _EPSILONS, delta, units=ruler(model))
    return frame, "OptM" if "OptM" in some else some[0]


def _on_line(
    frame: pd.DataFrame, mechanism: str, across: str, at: float
) -> dict[str, float] | None:
    """Return the place on a mechanism's line at a value across; None where it has none."""
    line = frame[frame["mechanism"] == mechanism].sort_values(across)
    error = np.interp(at, line[across], line["error"], np.nan, np.nan) if len(line) else np.nan
    return {across: at, "error": float(error)} if math.isfinite(error) else None


def _together(panels: list[go.Figure]) -> go.Figure:
    """Return one figure of several side by side."""
    import plotly.graph_objects as go

    columns, height = min(_ACROSS, len(panels)), panels[0].layout.height
    rows = math.ceil(len(panels) / columns)
    layout: dict[str, Any] = {"annotations": [], "height": rows * (height + 20)}
    both = go.Figure()
    for place, panel in enumerate(panels):
        key, (row, column) = str(place + 1) if place else "", divmod(place, columns)
        plain = panel.layout.to_plotly_json()
        x, y = plain.pop("xaxis"), plain.pop("yaxis")
        top = 1 - row / rows
        x |= {"domain": [(column + 0.03) / columns, (column + 0.97) / columns], "anchor": f"y{key}"}
        y |= {"domain": [top - 0.72 / rows, top - 0.1 / rows], "anchor": f"x{key}"}
        for note in plain.pop("annotations", ()):
            ends = {f"{axis}ref": f"{axis}{key}" for axis in "xy"}
            ends |= {k: f"{end} domain" for k, end in ends.items() if note.get(k) == "paper"}
            layout["annotations"].append(note | ends)
        layout = plain | layout | {f"xaxis{key}": x, f"yaxis{key}": y}
        both.add_traces([trace.update(xaxis=f"x{key}", yaxis=f"y{key}") for trace in panel.data])
    return both.update_layout(layout)


def bells(model: GaussianModel, releases: Releases = None) -> go.Figure:
    """Draw what the best attacker sees: the figures as they are, then releases by their names.

    Examples
    --------
    >>> figure = dp.plot.bells(model, {"Noise": dp.calibrate("OptM", model, guesses=52)})
    """
    named = _named(model, releases, "As they are")
    guesses = 100 * accuracies(model, list(named.values()))
    panels = [(title, float(one), None) for title, one in zip(named, guesses, strict=True)]
    return _together(charts.bells.picture(frames.bells_frame(panels, frames.shares_of(model))))


def costs(model: GaussianModel, guesses: float = 60.0) -> go.Figure:
    """Draw what each way of releasing costs at a limit on right guesses of 100, 50 to 100.

    Examples
    --------
    >>> figure = dp.plot.costs(model, guesses=52)
    """
    check_release(model)
    columns = {"title": "way", "percent": "error", "estimated_percent": "estimated"}
    return charts.bars.costs(compare(model, guesses=guesses).rename(columns=columns))


def error_against_attacker(
    model: GaussianModel,
    names: Sequence[str] | None = None,
    delta: float = 1e-3,
    guesses: float = 60.0,
) -> go.Figure:
    """Draw each mechanism's mean error against the best attacker's right guesses of 100.

    Of all Gaussian mechanisms, or those named, along promises (ε, δ) of that δ, beside the balanced
    release and no data. A band shows the guesses that are accepted, and a dot their error.

    Examples
    --------
    >>> figure = dp.plot.error_against_attacker(model, ["OptM", "DauM"], guesses=52)
    """
    limit = Promise.of_guesses(guesses)
    frame, mechanism = _lines(model, names, delta)
    ways = compare(model, epsilon=limit.epsilon, delta=limit.delta)
    free = ways[ways["key"].isin(["BalM", "no data"])]
    points = free.rename(columns={"key": "mechanism", "percent": "error"})
    here = _on_line(frame, mechanism, "guesses", guesses)
    return charts.tradeoff.picture(
        frame,
        across="guesses",
        points=points[["mechanism", "guesses", "error"]],
        here=here,
        mechanism=mechanism,
        limit=guesses,
    )


def error_against_epsilon(
    model: GaussianModel,
    names: Sequence[str] | None = None,
    delta: float = 1e-3,
    epsilon: float = 1.0,
) -> go.Figure:
    """Draw each mechanism's mean error against ε, of all Gaussian mechanisms or those named.

    Along promises (ε, δ) of that δ, from ε = 0.05 to 20; a dot shows the error at an ε.

    Examples
    --------
    >>> figure = dp.plot.error_against_epsilon(model, ["OptM", "DauM"], epsilon=0.5)
    """
    number("ε", epsilon, _EPSILONS[0], _EPSILONS[-1])
    frame, mechanism = _lines(model, names, delta)
    here = _on_line(frame, mechanism, "epsilon", epsilon)
    return charts.tradeoff.picture(frame, across="epsilon", here=here, mechanism=mechanism)


def error_against_width(model: GaussianModel, guesses: float = 60.0) -> go.Figure:
    """Draw each way's mean error against Δp, at a limit on right guesses of 100, 50 to 100.

    Examples
    --------
    >>> figure = dp.plot.error_against_width(model, guesses=55)
    """
    check_release(model)
    frame = curves.width_frame(model, Promise.of_guesses(guesses), units=ruler(model))
    return charts.tradeoff.picture(frame, across="width")


def guesses_against_width(model: GaussianModel, releases: Releases = None) -> go.Figure:
    """Draw the best attacker's right guesses against Δp, of releases that stay as they are.

    Examples
    --------
    >>> figure = dp.plot.guesses_against_width(model, dp.calibrate("OptM", model, guesses=52))
    """
    return charts.attack.reach(curves.reach_frame(model, _named(model, releases)), across="width")


def guesses_against_epsilon(
    model: GaussianModel, mechanism: str = "OptM", delta: float = 1e-3
) -> go.Figure:
    """Draw the best attacker's right guesses against ε, and what the promise allows at most.

    Of a Gaussian mechanism, along promises (ε, δ) of that δ.

    Examples
    --------
    >>> figure = dp.plot.guesses_against_epsilon(model, "DauM")
    """
    lines, _ = _lines(model, [mechanism], delta)
    levels = {"as it is": 100 * float(accuracies(model, [AS_IT_IS])[0])}
    return charts.attack.reach(curves.ceiling_frame(lines, levels, delta), across="epsilon")


def precision_against_recall(model: GaussianModel, releases: Releases = None) -> go.Figure:
    """Draw how sure the best attacker can be of the larger share, by release.

    Examples
    --------
    >>> figure = dp.plot.precision_against_recall(model)
    """
    return charts.attack.recall(frames.recall_frame(model, _named(model, releases)))


def belief(model: GaussianModel, releases: Releases = None, seed: int = 0) -> go.Figure:
    """Draw what an attacker believes after one release of a simulated table, by release.

    The table is drawn by a seed, a whole number from 0 on.

    Examples
    --------
    >>> figure = dp.plot.belief(model, seed=1)
    """
    named, pair = _named(model, releases), model.pairs[0].pair
    frame, _ = frames.belief_frame(model, named, seed=integer("seed", seed, 0))
    return charts.attack.belief(frame, shares=(100 * pair.low, 100 * pair.high))


def contributions(model: GaussianModel) -> go.Figure:
    """Draw right guesses of 100 from each statistic alone.

    Examples
    --------
    >>> figure = dp.plot.contributions(model)
    """
    check_release(model)
    frame = frames.contributions_frame(model)
    return charts.bars.picture(frame.rename(columns={"statistic": "name", "alone": "guesses"}))


def fit(model: GaussianModel, kind: charts.fit.Kind = "histogram") -> go.Figure:
    """Draw 1000 simulated tables beside the fitted curves, a panel a statistic.

    The kind is "histogram", or "quantiles" for a QQ plot. The model needs its records.

    Examples
    --------
    >>> figure = dp.plot.fit(model, "quantiles")
    """
    check_release(model)
    one_of("kind of picture", kind, ("histogram", "quantiles"))
    draws = simulate(model, 0, 1000, 1)
    frame, clouds = frames.fit_frame(model, draws), frames.draws_frame(model, draws)
    return _together(charts.fit.picture(frame, draws=clouds, kind=kind))


def directions(model: GaussianModel, across: str, up: str, releases: Releases = None) -> go.Figure:
    """Draw both shares in the plane of two statistics, and the noise of releases.

    The statistics are named by their labels, as in `model.query.labels`; else DistprivError.

    Examples
    --------
    >>> figure = dp.plot.directions(model, "mean age", "mean amount")
    """
    check_release(model)
    labels, titles = model.query.labels, frames.titles_of(model)
    for label in (across, up):
        one_of("statistic", label, labels)
    named = dict(list(_named(model, releases).items())[1:])
    axes = labels.index(across), labels.index(up)
    plane, clouds = frames.plane_frames(model, axes, named, simulate(model, 0, 350, 1))
    names = titles[axes[0]], titles[axes[1]]
    return charts.directions.picture(plane, draws=clouds, names=names)


def promised_and_delivered(model: GaussianModel, releases: Releases) -> go.Figure:
    """Draw δ against ε of releases, and crosses at the promises that noise was calibrated for.

    Examples
    --------
    >>> figure = dp.plot.promised_and_delivered(model, dp.calibrate("OptM", model, 1, 1e-3))
    """
    several = _several(model, releases)
    crosses = {
        f"promised, {one.mechanism}": (one.promise.epsilon, one.promise.delta)
        for one in several
        if one.promise and one.kind == "noise"
    }
    most = max([3.0, *(2 * epsilon for epsilon, _ in crosses.values())])
    frame = guarantee.profile_frame(model, several, most)
    return charts.guarantee.profile(frame, crosses)


def repeated_releases(model: GaussianModel, releases: Releases, guesses: float = 60.0) -> go.Figure:
    """Draw right guesses of 100 against the number of releases, beside a limit on them.

    Examples
    --------
    >>> figure = dp.plot.repeated_releases(model, dp.calibrate("OptM", model, guesses=52))
    """
    promise, several = Promise.of_guesses(guesses), _several(model, releases)
    frame = guarantee.repeated_frame(model, several, promise)
    words = "releases of the same figures"
    return charts.guarantee.attackers(frame, "releases", words, guesses)


def attackers_who_know(
    model: GaussianModel, releases: Releases, guesses: float = 60.0
) -> go.Figure:
    """Draw right guesses of 100 against the number of known records, beside a limit on them.

    Examples
    --------
    >>> figure = dp.plot.attackers_who_know(model, dp.calibrate("OptM", model, guesses=52))
    """
    Promise.of_guesses(guesses)
    frame = guarantee.knowing_frame(model, _several(model, releases))
    return charts.guarantee.attackers(frame, "known", "records the attacker knows", guesses)


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    raise AttributeError(f"distpriv.plot has no {name!r}.{near(name, __all__)}")
