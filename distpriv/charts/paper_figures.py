"""The papers' figures drawn anew, with the values that the papers print as points on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from plotly import graph_objects as go

from distpriv.charts.frame import accuracy_axis, decades, empty, linear_axis, log_axis
from distpriv.charts.intervals import GUESSING, SHARE, bars, in_words, within
from distpriv.charts.style import NEUTRAL, MechanismStyle, series_style, style_of
from distpriv.charts.text import listed, number, percent, safe
from distpriv.mechanisms.curves import Curves
from distpriv.model.sampling import Interval
from distpriv.papers.attacks import AttackCurve
from distpriv.papers.figures import Releases

__all__ = ["accuracy_lines", "error_lines", "f_scores_with_points", "releases_in_plane"]

_HEIGHT = 420

Points = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def error_lines(
    curves: Curves,
    *,
    title: str,
    x_title: str,
    x_log: bool,
    points: Points | None = None,
    undone: Mapping[str, tuple[float, float]] | None = None,
) -> go.Figure:
    """Expected L2 errors of the mechanisms along an axis.

    Parameters
    ----------
    curves : Curves
    title, x_title : str
    x_log : bool
    points : mapping of mechanism to (x, error), optional
        Printed values.
    undone : mapping of mechanism to (low, high), optional
        Between which x arithmetic undoes its noise; beyond, some need none at all.
    """
    values = np.concatenate(list(curves.y.values()))
    printed = [float(y) for _, ys in (points or {}).values() for y in ys]
    low, high = decades([*map(float, values), *printed])
    ends = float(curves.x[0]), float(curves.x[-1])
    last = {name: f"{number(float(y[-1]))} ({name})" for name, y in curves.y.items()}
    figure = empty(
        safe(title),
        alt=f"At {number(ends[1])} the expected L2 error is {listed(list(last.values()))}.",
        how_to_read=(
            "lines are the expected L2 error of each mechanism, computed here; lower is more "
            "accurate. A line that drops to the bottom needs no noise there."
            + (" Hollow marks are values that the paper prints." if points else "")
            + (
                " Noise that is undone hides nothing from whoever knows that counts are whole "
                "numbers."
                if undone
                else ""
            )
        ),
        height=_HEIGHT + 10 * len(curves.y),
    )
    figure.update_layout(
        xaxis=(log_axis if x_log else linear_axis)(safe(x_title), *ends),
        yaxis=log_axis("expected L2 error", low, high),
    )
    for name, y in curves.y.items():
        style = style_of(name)
        figure.add_scatter(
            x=list(map(float, curves.x)),
            y=[max(float(value), low) for value in y],
            mode="lines",
            name=safe(name + _undone(name, undone or {}, ends)),
            line={"color": style.color, "dash": style.dash, "width": 2.5},
            hovertext=[
                f"<b>{safe(name)}</b><br>{number(float(x))}: error {number(float(value))}"
                for x, value in zip(curves.x, y, strict=True)
            ],
            hoverinfo="text",
            meta={"y": [float(value) for value in y]},
        )
    for name, (x, errors) in (points or {}).items():
        _printed(figure, name, x, errors, style_of(name), "error")
    return figure


def _undone(name: str, undone: Mapping[str, tuple[float, float]], ends: tuple[float, float]) -> str:
    """What a legend adds to a mechanism's name."""
    if name not in undone:
        return ""
    low, high = undone[name]
    told = [f"from {number(low)}"] if low > ends[0] else []
    told += [f"up to {number(high)}"] if high < ends[1] else []
    return f" (undone{' ' if told else ''}{' '.join(told)})"


def accuracy_lines(
    curves: Mapping[str, AttackCurve],
    *,
    title: str,
    x_title: str,
    x_log: bool,
    mechanisms: bool,
    points: Points | None = None,
) -> go.Figure:
    """Accuracy of the simulated attacker along an axis, beside the best possible one.

    Parameters
    ----------
    curves : mapping of label to AttackCurve
    title, x_title : str
    x_log : bool
    mechanisms : bool
        Whether the labels are mechanisms, which have looks of their own.
    points : mapping of label to (x, accuracy), optional
        Printed values.
    """
    every = [x for curve in curves.values() for x in curve.x]
    ends = min(every), max(every)
    told = [
        f"{percent(curve.simulated[-1].estimate)} ({label})"
        for label, curve in curves.items()
        if curve.simulated
    ]
    best = [f"{percent(curve.best[-1].in_fact)} ({label})" for label, curve in curves.items()]
    undone = any(each.undone for curve in curves.values() for each in curve.best)
    figure = empty(
        safe(title),
        alt=f"At {number(ends[1])} the simulated attacker is right in {listed(told)} of cases."
        if told
        else f"At {number(ends[1])} the best attacker is right in {listed(best)} of cases.",
        how_to_read=(
            "marks with bars are the paper's attacker, simulated here, with 95 % intervals; lines "
            "are the best possible attacker on paper, if the statistics were densities with the "
            "pooled covariance"
            + (
                ", and crosses the same in fact, where arithmetic undoes the noise. "
                if undone
                else ". "
            )
            + "On the dotted line an attacker guesses."
            + (" Hollow marks are values that the paper prints." if points else "")
        ),
        height=_HEIGHT + 20 * len(curves),
    )
    figure.update_layout(
        xaxis=log_axis(safe(x_title), ends[0] / 1.15, ends[1] * 1.15)
        if x_log
        else linear_axis(safe(x_title), 0.0, ends[1] + 0.02),
        yaxis=accuracy_axis("accuracy of the attacker (%)"),
    )
    figure.add_scatter(
        x=list(ends),
        y=[GUESSING, GUESSING],
        mode="lines",
        name="guessing",
        line={"color": NEUTRAL, "dash": "dot", "width": 2},
        hoverinfo="skip",
        meta={"y_title": SHARE},
    )
    for order, (label, curve) in enumerate(curves.items()):
        style = style_of(label) if mechanisms else series_style(order)
        # Beside each other, so that the bars of one position do not overlap.
        moved = order - (len(curves) - 1) / 2
        positions = [x * 1.035**moved if x_log else x for x in curve.x]
        figure.add_scatter(
            x=list(curve.x),
            y=[each.on_paper for each in curve.best],
            mode="lines",
            name=safe(label),
            legendgroup=safe(label),
            line={"color": style.color, "dash": style.dash, "width": 2},
            hovertext=[
                f"<b>{safe(label)}</b><br>{number(x)}: best possible attacker on paper "
                f"{percent(each.on_paper)}"
                for x, each in zip(curve.x, curve.best, strict=True)
            ],
            hoverinfo="text",
            meta={"y_title": SHARE},
        )
        _in_fact(figure, label, curve, positions, style)
        if curve.simulated:
            _simulated(figure, label, curve.x, positions, curve.simulated, style)
        if points and label in points:
            x, accuracies = points[label]
            drawn = [at * 1.035**moved if x_log else at for at in x]
            _printed(figure, label, x, accuracies, style, SHARE, drawn=drawn)
    return figure


def _in_fact(
    figure: go.Figure,
    label: str,
    curve: AttackCurve,
    positions: Sequence[float],
    style: MechanismStyle,
) -> None:
    """The best attacker where arithmetic undoes the noise."""
    places = [place for place, each in enumerate(curve.best) if each.undone]
    if not places:
        return
    accuracies = [curve.best[place].in_fact for place in places]
    figure.add_scatter(
        x=[positions[place] for place in places],
        y=accuracies,
        mode="markers",
        name=safe(f"{label}, undone"),
        marker={"symbol": "x", "size": 9, "color": style.color},
        hovertext=[
            f"<b>{safe(label)}</b><br>{number(curve.x[place])}: undone by arithmetic, best "
            f"possible attacker {percent(value)}"
            for place, value in zip(places, accuracies, strict=True)
        ],
        hoverinfo="text",
        meta={"x": [curve.x[place] for place in places], "y_title": SHARE},
    )


def _simulated(
    figure: go.Figure,
    label: str,
    x: Sequence[float],
    drawn: Sequence[float],
    intervals: Sequence[Interval],
    style: MechanismStyle,
) -> None:
    figure.add_scatter(
        x=list(drawn),
        y=[within(each.estimate) for each in intervals],
        error_y=bars(intervals, style.color),
        mode="markers",
        name=safe(f"{label}, simulated"),
        marker={"symbol": style.symbol, "size": 9, "color": style.color},
        hovertext=[
            f"<b>{safe(label)}</b><br>{number(position)}<br>{in_words(each)}"
            for position, each in zip(x, intervals, strict=True)
        ],
        hoverinfo="text",
        legendgroup=safe(label),
        showlegend=False,
        meta={"x": list(x), "y": [each.estimate for each in intervals], "y_title": SHARE},
    )


def f_scores_with_points(curves: Curves, points: Points) -> go.Figure:
    """Largest F_β against ε, with the bounds and the ε of Liu et al.'s Table 1 as points.

    Parameters
    ----------
    curves : Curves
        By β.
    points : mapping of β to (ε, F)
        Printed values.
    """
    told = [f"{number(float(np.interp(1.0, curves.x, y)))} ({b})" for b, y in curves.y.items()]
    figure = empty(
        "Largest F-score of an attacker on one record",
        alt=f"At ε = 1 the largest F-score is {listed(told)}.",
        how_to_read=(
            "higher means an attacker who is right more often and misses less. Lines are computed "
            "here and flat where saying yes every time is the best one can do; hollow marks are "
            "the pairs of ε and bound that the paper's Table 1 prints."
        ),
        height=_HEIGHT + 10 * len(curves.y),
    )
    lowest = min(float(y.min()) for y in curves.y.values())
    figure.update_layout(
        xaxis=log_axis("ε (more private ← → more accurate)", curves.x[0], curves.x[-1]),
        yaxis=linear_axis("largest F-score", math.floor(20 * lowest - 0.2) / 20, 1.01),
    )
    for order, (label, y) in enumerate(curves.y.items()):
        style = series_style(order)
        figure.add_scatter(
            x=list(map(float, curves.x)),
            y=list(map(float, y)),
            mode="lines",
            name=safe(label),
            line={"color": style.color, "dash": style.dash, "width": 2.5},
            hovertext=[
                f"<b>{safe(label)}</b><br>ε = {number(float(x))}: {number(float(score))}"
                for x, score in zip(curves.x, y, strict=True)
            ],
            hoverinfo="text",
        )
        x, scores = points[label]
        _printed(figure, label, x, scores, style, "largest F-score")
    return figure


def releases_in_plane(
    releases: Releases,
    *,
    labels: Sequence[str],
    units: Sequence[str],
    across: int,
    up: int,
    title: str,
) -> go.Figure:
    """What mechanisms release of one subset's statistics, seen in two of them.

    Parameters
    ----------
    releases : Releases
    labels, units : sequence of str, one a statistic
    across, up : int
        Statistics to draw.
    title : str
    """
    every = np.vstack([releases.answer[None], *releases.released.values()])[:, [across, up]]
    low, high = every.min(axis=0), every.max(axis=0)
    margin = 0.05 * (high - low)
    spread = {
        name: f"{number(float(np.linalg.norm(points - releases.answer, axis=1).mean()))} ({name})"
        for name, points in releases.released.items()
    }
    figure = empty(
        safe(title),
        alt=f"The releases lie on average in L2 {listed(list(spread.values()))} from the "
        "statistics without noise.",
        how_to_read=(
            "the star is one random subset's statistics without noise; each other mark is a "
            "release of it. The wider a cloud, the less is left of the statistics; a line of "
            "marks is noise in one direction only."
        ),
        height=_HEIGHT + 10 * len(releases.released),
    )
    titles = [f"{labels[index]} ({units[index]})" for index in (across, up)]
    figure.update_layout(
        xaxis=linear_axis(safe(titles[0], 40), low[0] - margin[0], high[0] + margin[0]),
        yaxis=linear_axis(safe(titles[1], 40), low[1] - margin[1], high[1] + margin[1]),
    )
    for name, points in releases.released.items():
        style = style_of(name)
        figure.add_scatter(
            x=points[:, across].tolist(),
            y=points[:, up].tolist(),
            mode="markers",
            name=safe(name),
            marker={"symbol": style.symbol, "size": 9, "color": style.color},
            hovertext=[
                f"<b>{safe(name)}</b><br>{number(float(x))}, {number(float(y))}"
                for x, y in points[:, [across, up]]
            ],
            hoverinfo="text",
        )
    figure.add_scatter(
        x=[float(releases.answer[across])],
        y=[float(releases.answer[up])],
        mode="markers",
        name="without noise",
        marker={"symbol": "star", "size": 16, "color": NEUTRAL},
        hovertext=["<b>without noise</b>"],
        hoverinfo="text",
    )
    return figure


def _printed(
    figure: go.Figure,
    label: str,
    x: Sequence[float],
    y: Sequence[float],
    style: MechanismStyle,
    y_title: str,
    *,
    drawn: Sequence[float] | None = None,
) -> None:
    """Hollow marks for printed values, with one entry in the legend for all of them."""
    first = not any(trace.legendgroup == "printed" for trace in figure.data)
    figure.add_scatter(
        x=list(x if drawn is None else drawn),
        y=list(y),
        mode="markers",
        name="printed",
        legendgroup="printed",
        showlegend=first,
        marker={
            "symbol": f"{style.symbol.removesuffix('-open')}-open",
            "size": 12,
            "color": style.color,
            "line": {"width": 2},
        },
        hovertext=[
            f"<b>{safe(label)}</b><br>printed: {number(value)} at {number(at)}"
            for at, value in zip(x, y, strict=True)
        ],
        hoverinfo="text",
        meta={"x": list(x), "y_title": y_title},
    )
