"""How one distribution is moved into another, how far, and what noise that takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, log_axis, row_axis, rule
from distpriv.charts.lines import grey, hover, row_bars, series
from distpriv.charts.style import GROUP_COLORS, GROUP_STYLES, NEUTRAL, MechanismStyle, style_of
from distpriv.distances.coupling import Coupling
from distpriv.words import exact, listed, number, safe, share, shorten, titled, with_unit

__all__ = ["closeness_curves", "moves_in_plane", "moves_on_line", "noise_bars"]

FloatArray = NDArray[np.float64]

_BEYOND = MechanismStyle("#CC79A7", "dash", "circle")
_FEW = 14  # places that stand side by side, whatever lies between them
_MOST_MOVES = 60
_DRAWN = 150


def moves_on_line(
    x: FloatArray,
    y: FloatArray,
    masses: tuple[FloatArray, FloatArray],
    coupling: Coupling,
    *,
    names: tuple[str, str],
    axis_title: str,
) -> go.Figure:
    """The masses of two distributions on a line, above and below, and the moves between them.

    Parameters
    ----------
    x, y : ndarray, shape (k,) and (l,)
    masses : tuple of two ndarrays, shape (k,) and (l,)
        Positive.
    coupling : Coupling
        The 60 moves of the most mass are drawn.
    names : tuple of two str
        Of the distribution above and of the one below.
    axis_title : str
    """
    places = np.unique(np.concatenate([x, y]))
    beside = len(places) <= _FEW
    if beside:
        axis = linear_axis(
            safe(axis_title),
            -0.6,
            len(places) - 0.4,
            tickvals=list(range(len(places))),
            ticktext=[number(float(place)) for place in places],
        )
    else:
        margin = 0.04 * float(places[-1] - places[0])
        axis = linear_axis(safe(axis_title), places[0] - margin, places[-1] + margin)
    figure = empty(
        "Which mass moves where",
        alt=_told(coupling, names),
        how_to_read=(
            f"the dots above are {names[0]}, those below {names[1]}, as large as their "
            "probability. Lines are moves, as thick as the mass that moves"
            + (
                "; dashed ones go further than W and are left out."
                if coupling.beyond.any()
                else "; none goes further than W."
            )
            + (" Places stand side by side, not to scale." if beside else "")
        ),
        height=380,
        xaxis=axis,
        yaxis=row_axis([safe(name, 20) for name in names], end=0.35, showgrid=False),
    )

    def at(values: FloatArray) -> list[float]:
        return (np.searchsorted(places, values) if beside else values).astype(float).tolist()

    legend = set[str]()
    for move in np.argsort(-coupling.masses)[:_MOST_MOVES]:
        beyond = bool(coupling.beyond[move])
        ends = np.array([x[coupling.sources[move]], y[coupling.targets[move]]])
        mass, distance = float(coupling.masses[move]), float(coupling.distances[move])
        label = _label(coupling, beyond)
        start, end = (number(float(place)) for place in ends)
        series(
            figure,
            label,
            ends,
            [mass, mass],
            _BEYOND if beyond else grey("solid"),
            at_x=at(ends),
            at_y=[0, 1],
            told=[f"{number(mass)} from {start} to {end}: {number(distance)} far"] * 2,
            x_title=axis_title,
            y_title="mass",
            width=1.5 + 12 * mass,
            group=label,
            showlegend=label not in legend,
        )
        legend.add(label)
    for index, (values, weights) in enumerate(zip((x, y), masses, strict=True)):
        sizes = 8 + 34 * np.sqrt(weights / max(weights.max(), 1e-300)) / math.sqrt(2)
        series(
            figure,
            shorten(names[index], 30),
            values,
            weights,
            GROUP_STYLES[index],
            mode="markers+text" if beside else "markers",
            at_x=at(values),
            at_y=[index] * len(values),
            told=[
                f"{safe(names[index])}: {number(float(mass))} at {number(float(value))}"
                for value, mass in zip(values, weights, strict=True)
            ],
            x_title=axis_title,
            y_title="mass",
            marker={"size": sizes.tolist()},
            text=[number(float(mass)) for mass in weights] if beside else None,
            textposition=("top center", "bottom center")[index],
            cliponaxis=False,
        )
    return figure


def _label(coupling: Coupling, beyond: bool) -> str:
    return "moved further, left out" if beyond else f"moved by at most {number(coupling.reach)}"


def moves_in_plane(
    x: FloatArray,
    y: FloatArray,
    coupling: Coupling,
    *,
    across: int,
    up: int,
    labels: Sequence[str],
    units: Sequence[str],
    names: tuple[str, str],
) -> go.Figure:
    """Moves between two samples, seen in two of the statistics.

    Parameters
    ----------
    x, y : ndarray, shape (k, m) and (l, m)
    coupling : Coupling
        Of all statistics; the moves drawn are spread evenly among all by their length, and the
        longest is one of them.
    across, up : int
        Statistics to draw.
    labels, units : sequence of str, length m
    names : tuple of two str
        Of the two samples.
    """
    order = np.argsort(-coupling.distances)
    moves = order[np.unique(np.linspace(0, len(order) - 1, _DRAWN).astype(int))]
    starts = x[coupling.sources[moves]][:, [across, up]]
    ends = y[coupling.targets[moves]][:, [across, up]]
    both = np.vstack([starts, ends])
    low, high = both.min(axis=0), both.max(axis=0)
    margin = 0.05 * np.maximum(high - low, 1e-9)
    titles = [titled(labels[index], units[index]) for index in (across, up)]
    figure = empty(
        "Which datasets pair up",
        alt=_told(coupling, names),
        how_to_read=(
            f"each line joins a dataset of {names[0]} (circle) with the one of {names[1]} "
            f"(diamond) that it becomes; {len(moves)} of {len(order)} moves. All statistics count "
            "for the distance, of which two are seen."
        ),
        height=430,
        xaxis=linear_axis(safe(titles[0], 40), low[0] - margin[0], high[0] + margin[0]),
        yaxis=linear_axis(safe(titles[1], 40), low[1] - margin[1], high[1] + margin[1]),
    )
    for beyond in (False, True):
        chosen = coupling.beyond[moves] == beyond
        if chosen.any():
            gap = np.full((int(chosen.sum()), 2), np.nan)
            joined = np.stack([starts[chosen], ends[chosen], gap], axis=1).reshape(-1, 2)
            style, name = _BEYOND if beyond else grey("solid"), _label(coupling, beyond)
            series(figure, name, joined[:, 0], joined[:, 1], style, width=1.2, opacity=0.7)
    texts = [f"{number(float(coupling.distances[move]))} from one to the other" for move in moves]
    for name, points, style in zip(names, (starts, ends), GROUP_STYLES, strict=True):
        label, (left, right) = shorten(name, 30), points.T
        series(figure, label, left, right, style, mode="markers", told=texts, size=7)
    return figure


def _told(coupling: Coupling, names: tuple[str, str]) -> str:
    left = f", leaving out {share(coupling.mass_beyond)}" if coupling.mass_beyond > 1e-9 else ""
    return f"{names[0]} becomes {names[1]} by moves of at most {number(coupling.reach)}{left}."


def closeness_curves(
    curves: Mapping[str, Mapping[float, float]],
    *,
    delta: float,
    largest: float,
    steps: bool = False,
) -> go.Figure:
    """The least W against δ, for one or more pairs of distributions.

    Parameters
    ----------
    curves : mapping of name to (mapping of δ to W)
        As far as they are known.
    delta : float
        Where the rule stands.
    largest : float
        End of the δ axis.
    steps : bool
        Whether W stays what it is from one δ to the next.
    """
    known = {name: dict(sorted(values.items())) for name, values in curves.items() if values}
    highest = max((value for values in known.values() for value in values.values()), default=1.0)
    figure = empty(
        "How far they have to move",
        alt=(
            "With nothing left out, W is "
            + listed(
                [
                    f"{number(values[0.0])} for {name}"
                    for name, values in known.items()
                    if 0.0 in values
                ]
            )
            + "."
            if any(0.0 in values for values in known.values())
            else "Nothing is known yet."
        ),
        how_to_read=(
            "W is the furthest that anything has to move, in the L1 norm, if the share δ that "
            "would have to move furthest is left out; at δ = 0 it is the distance W∞."
        ),
        height=400,
        xaxis=linear_axis("δ, the share left out", -0.02 * largest, 1.02 * largest),
        yaxis=linear_axis("W (L1)", 0, 1.08 * max(highest, 1e-9)),
    )
    styles = (
        MechanismStyle(GROUP_COLORS[0], "solid", "circle"),
        grey("dot", "square-open"),
        MechanismStyle(GROUP_COLORS[1], "dash", "diamond"),
    )
    for (name, values), style in zip(known.items(), styles, strict=False):
        x, y = list(values), list(values.values())
        series(
            figure,
            shorten(name, 40),
            x,
            y,
            style,
            mode="lines+markers",
            told=hover(name, ("δ = ", x), ("W = ", y)),
            line={"shape": "hv" if steps else "linear"},
            size=5 if steps else 8,
        )
    rule(figure, delta, f"δ = {exact(delta)}")
    return figure


def noise_bars(errors: Mapping[str, float], *, selected: str | None, unit: str) -> go.Figure:
    """Expected L2 error of several noises, side by side.

    Parameters
    ----------
    errors : mapping of name to error
        Not empty; those that are 0 get no bar.
    selected : str, optional
        Drawn with an outline.
    unit : str
        Of the error.
    """
    positive = [value for value in errors.values() if value > 0]
    low, high = (min(positive), max(positive)) if positive else (0.1, 1.0)
    figure = empty(
        "What the noise costs",
        alt=f"The expected L2 error is "
        f"{listed([f'{number(value)} with {name}' for name, value in errors.items()])}.",
        how_to_read="expected distance, L2, of what is released from the truth; shorter is better.",
        height=120 + 44 * len(errors),
        xaxis=log_axis(safe(titled("expected L2 error", unit)), low / 2, high * 2, most_ticks=6),
        yaxis=row_axis([safe(name, 26) for name in errors], showgrid=False),
        showlegend=False,
        bargap=0.35,
    )
    row_bars(
        figure,
        "expected L2 error",
        list(errors.values()),
        list(errors),
        [style_of(name).color for name in errors],
        told=[f"{safe(name)}: {safe(with_unit(x, unit))}" for name, x in errors.items()],
        at_x=lambda error: max(error, low / 2),
        x_title="expected L2 error",
        y_title="mechanism",
        marker={"line": {"color": NEUTRAL, "width": [3 * (name == selected) for name in errors]}},
        text=[number(value) for value in errors.values()],
        textposition="outside",
        cliponaxis=False,
    )
    return figure
