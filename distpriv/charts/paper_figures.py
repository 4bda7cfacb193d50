"""The papers' figures drawn anew, with the values that the papers print as points on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from operator import mul
from typing import Any

import numpy as np
from plotly import graph_objects as go

from distpriv.charts.frame import accuracy_axis, decades, empty, linear_axis, log_axis
from distpriv.charts.intervals import GUESSING, SHARE, bars, in_words, within
from distpriv.charts.lines import Place, grey, hover, series
from distpriv.charts.style import MechanismStyle, series_style, style_of
from distpriv.mechanisms.curves import Curves
from distpriv.papers.attacks import AttackCurve
from distpriv.papers.figures import Releases
from distpriv.words import exact, listed, number, percent, safe, titled

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
        alt=f"At {exact(ends[1])} the expected L2 error is {listed(list(last.values()))}.",
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
        xaxis=(log_axis if x_log else linear_axis)(safe(x_title), *ends),
        yaxis=log_axis("expected L2 error", low, high),
    )
    for name, y in curves.y.items():
        series(
            figure,
            name + _undone(name, undone or {}, ends),
            curves.x,
            y,
            style_of(name),
            at_y=lambda error: max(error, low),
            told=hover(name, ("at ", curves.x), ("error ", y)),
        )
    for name, (x, errors) in (points or {}).items():
        _printed(figure, name, x, errors, style_of(name), "error")
    return figure


def _undone(name: str, undone: Mapping[str, tuple[float, float]], ends: tuple[float, float]) -> str:
    """What a legend adds to a mechanism's name."""
    if name not in undone:
        return ""
    low, high = undone[name]
    phrases = [f"from {number(low)}"] if low > ends[0] else []
    phrases += [f"up to {number(high)}"] if high < ends[1] else []
    return f" (undone{' ' if phrases else ''}{' '.join(phrases)})"


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
    phrases = [
        f"{percent(curve.simulated[-1].estimate)} ({label})"
        for label, curve in curves.items()
        if curve.simulated
    ]
    best = [f"{percent(curve.best[-1].in_fact)} ({label})" for label, curve in curves.items()]
    undone = any(best.undone for curve in curves.values() for best in curve.best)
    figure = empty(
        safe(title),
        alt=f"At {exact(ends[1])} the simulated attacker is right in {listed(phrases)} of cases."
        if phrases
        else f"At {exact(ends[1])} the best attacker is right in {listed(best)} of cases.",
        how_to_read=(
            "marks with bars are the paper's attacker, simulated here, with 95\u00a0% intervals; "
            "lines are the best possible attacker on paper, if the statistics were densities with "
            "the pooled covariance"
            + (
                ", and crosses the same in fact, where arithmetic undoes the noise. "
                if undone
                else ". "
            )
            + "On the dotted line an attacker guesses."
            + (" Hollow marks are values that the paper prints." if points else "")
        ),
        height=_HEIGHT + 20 * len(curves),
        xaxis=log_axis(safe(x_title), ends[0] / 1.15, ends[1] * 1.15)
        if x_log
        else linear_axis(safe(x_title), 0.0, ends[1] + 0.02),
        yaxis=accuracy_axis("accuracy of the attacker (%)"),
    )
    series(figure, "guessing", ends, [GUESSING] * 2, grey("dot"), y_title=SHARE, width=2)
    for order, (label, curve) in enumerate(curves.items()):
        style = style_of(label) if mechanisms else series_style(order)
        # Beside each other, so that the bars of one position do not overlap.
        beside = partial(mul, 1.035 ** (order - (len(curves) - 1) / 2) if x_log else 1.0)
        _attack(figure, label, curve, style, beside)
        if points and label in points:
            x, accuracies = points[label]
            _printed(figure, label, x, accuracies, style, SHARE, at=beside)
    return figure


def _attack(
    figure: go.Figure, label: str, curve: AttackCurve, style: MechanismStyle, beside: Place
) -> None:
    """The best attacker on paper, the same where arithmetic undoes the noise, and a simulated."""
    start = f"<b>{safe(label)}</b><br>"
    on_paper = [best.on_paper for best in curve.best]
    phrases = [
        f"{start}{exact(x)}: best possible attacker on paper {percent(accuracy)}"
        for x, accuracy in zip(curve.x, on_paper, strict=True)
    ]
    common: dict[str, Any] = {"y_title": SHARE, "width": 2}
    series(figure, label, curve.x, on_paper, style, told=phrases, group=label, **common)
    in_fact = {x: b.in_fact for x, b in zip(curve.x, curve.best, strict=True) if b.undone}
    if in_fact:
        series(
            figure,
            f"{label}, undone",
            list(in_fact),
            list(in_fact.values()),
            MechanismStyle(style.color, style.dash, "x"),
            mode="markers",
            at_x=beside,
            told=[
                f"{start}{exact(x)}: undone by arithmetic, best possible attacker "
                f"{percent(accuracy)}"
                for x, accuracy in in_fact.items()
            ],
            y_title=SHARE,
            size=9,
        )
    if curve.simulated:
        series(
            figure,
            f"{label}, simulated",
            curve.x,
            [interval.estimate for interval in curve.simulated],
            style,
            mode="markers",
            at_x=beside,
            at_y=within,
            error_y=bars(curve.simulated, style.color),
            told=[
                f"{start}{exact(x)}<br>{in_words(interval)}"
                for x, interval in zip(curve.x, curve.simulated, strict=True)
            ],
            y_title=SHARE,
            size=9,
            group=label,
            showlegend=False,
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
    phrases = [f"{number(float(np.interp(1.0, curves.x, y)))} ({b})" for b, y in curves.y.items()]
    lowest = min(float(y.min()) for y in curves.y.values())
    figure = empty(
        "Largest F-score of an attacker on one record",
        alt=f"At ε = 1 the largest F-score is {listed(phrases)}.",
        how_to_read=(
            "higher means an attacker who is right more often and misses less. Lines are computed "
            "here and flat where saying yes every time is the best one can do; hollow marks are "
            "the pairs of ε and bound that the paper's Table 1 prints."
        ),
        height=_HEIGHT + 10 * len(curves.y),
        xaxis=log_axis("ε (more private ← → more accurate)", curves.x[0], curves.x[-1]),
        yaxis=linear_axis("largest F-score", math.floor(20 * lowest - 0.2) / 20, 1.01),
    )
    for order, (label, y) in enumerate(curves.y.items()):
        style, phrases = series_style(order), hover(label, ("ε = ", curves.x), ("F-score ", y))
        series(figure, label, curves.x, y, style, told=phrases)
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
    titles = [titled(labels[index], units[index]) for index in (across, up)]
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
        xaxis=linear_axis(safe(titles[0], 40), low[0] - margin[0], high[0] + margin[0]),
        yaxis=linear_axis(safe(titles[1], 40), low[1] - margin[1], high[1] + margin[1]),
    )
    for name, points in releases.released.items():
        x, y = points[:, across], points[:, up]
        texts = hover(name, (f"{labels[across]}: ", x), (f"{labels[up]}: ", y))
        series(figure, name, x, y, style_of(name), mode="markers", told=texts, size=9)
    series(
        figure,
        "without noise",
        [float(releases.answer[across])],
        [float(releases.answer[up])],
        grey(symbol="star"),
        mode="markers",
        told=["<b>without noise</b>"],
        size=16,
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
    at: Place | None = None,
) -> None:
    """Hollow marks for printed values, with one entry in the legend for all of them."""
    series(
        figure,
        "printed",
        x,
        y,
        MechanismStyle(style.color, style.dash, f"{style.symbol.removesuffix('-open')}-open"),
        mode="markers",
        at_x=at,
        told=[
            f"<b>{safe(label)}</b><br>printed: {number(value)} at {exact(position)}"
            for position, value in zip(x, y, strict=True)
        ],
        y_title=y_title,
        size=12,
        edge=2,
        group="printed",
        showlegend=not any(trace.legendgroup == "printed" for trace in figure.data),
    )
