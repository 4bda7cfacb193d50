"""What arithmetic on the grid of the statistics takes back of a mechanism's protection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plotly import graph_objects as go

from distpriv.charts.frame import accuracy_axis, empty, linear_axis
from distpriv.charts.intervals import GUESSING, SHARE, bars, in_words, within
from distpriv.charts.style import NEUTRAL, style_of, translucent
from distpriv.charts.text import percent, safe
from distpriv.model.sampling import Interval

__all__ = ["UndoneRow", "on_paper_and_on_the_grid"]

_ROW_HEIGHT = 34
_PAPER = "best attacker on paper (normal curves)"
_GRID = "attacker who knows the grid, simulated, 95 % interval"


@dataclass(frozen=True)
class UndoneRow:
    """One release.

    Attributes
    ----------
    mechanism : str
        Short name.
    variant : str
        How its noise is made, in a word or two: ``published``.
    on_paper : float
        Accuracy of the best attacker if the statistics had densities.
    simulated : Interval or None
        Of the arithmetic attacker; None before the first repetition.
    undone : bool
        Whether arithmetic undoes its noise.
    """

    mechanism: str
    variant: str
    on_paper: float
    simulated: Interval | None
    undone: bool

    @property
    def label(self) -> str:
        """``DirM, published``."""
        return f"{self.mechanism}, {self.variant}"


def on_paper_and_on_the_grid(
    rows: Sequence[UndoneRow], *, undefended: float, repetitions: int, seed: int
) -> go.Figure:
    """Accuracy on paper and of the arithmetic attacker, one row a release.

    Parameters
    ----------
    rows : sequence of UndoneRow
        From the top down.
    undefended : float
        Accuracy of the best attacker without noise.
    repetitions, seed : int
        Of the simulation.
    """
    count = max(len(rows), 1)
    figure = empty(
        "Published and grid-safe noise",
        subtitle=(
            f"arithmetic attacker, {repetitions} repetition{'s' * (repetitions != 1)}, seed {seed}"
            if repetitions
            else "on paper; nothing simulated yet"
        ),
        alt=_alt(rows, undefended, repetitions),
        how_to_read=(
            "the diamond is the best attacker if the statistics followed normal curves; the "
            "circle is the simulated attacker who knows in what steps they move, with its 95 % "
            "interval. Where the circle is far to the right of the diamond, arithmetic undoes "
            "noise; at the solid line nothing is left of it."
        ),
        height=250 + _ROW_HEIGHT * count,
    )
    places = list(range(len(rows) - 1, -1, -1))
    figure.update_layout(
        xaxis=accuracy_axis("accuracy of the attacker (%)"),
        yaxis=linear_axis(
            "",
            -0.6,
            count - 0.4,
            tickvals=places,
            ticktext=[safe(row.label, 20) for row in rows],
            fixedrange=True,
        ),
    )
    for label, value, dash in (
        ("guessing", GUESSING, "dot"),
        ("without noise, at best", undefended, "solid"),
    ):
        figure.add_scatter(
            x=[within(value)] * 2,
            y=[-0.6, count - 0.4],
            mode="lines",
            line={"color": NEUTRAL, "dash": dash, "width": 2},
            name=f"{label}: {percent(value)}",
            hovertext=f"{label}: {percent(value)}",
            hoverinfo="text",
            meta={"x": [value] * 2, "y": ["", ""], "x_title": SHARE, "y_title": "release"},
        )
    _add_key(figure, _PAPER, "diamond-open")
    _add_key(figure, _GRID, "circle")
    for place, row in zip(places, rows, strict=True):
        _add_row(figure, place, row)
    return figure


def _add_row(figure: go.Figure, place: int, row: UndoneRow) -> None:
    color = style_of(row.mechanism).color
    told = {"y": [row.label], "x_title": SHARE, "y_title": "release"}
    if row.simulated is not None:
        figure.add_shape(
            type="line",
            x0=within(row.on_paper),
            x1=within(row.simulated.estimate),
            y0=place,
            y1=place,
            line={"color": translucent(color, 0.4), "width": 6},
            layer="below",
        )
    figure.add_scatter(
        x=[within(row.on_paper)],
        y=[place],
        mode="markers",
        name=_PAPER,
        marker={"symbol": "diamond-open", "size": 13, "color": color, "line": {"width": 2.5}},
        hovertext=f"<b>{safe(row.label)}</b><br>on paper: {percent(row.on_paper)}",
        hoverinfo="text",
        legendgroup=_PAPER,
        showlegend=False,
        meta=told | {"x": [row.on_paper]},
    )
    if row.simulated is None:
        return
    verdict = "undone by arithmetic" if row.undone else "not undone"
    figure.add_scatter(
        x=[within(row.simulated.estimate)],
        y=[place],
        error_x=bars([row.simulated], color),
        mode="markers",
        name=_GRID,
        marker={"symbol": "circle", "size": 10, "color": color},
        hovertext=f"<b>{safe(row.label)}</b>, {verdict}<br>{in_words(row.simulated)}",
        hoverinfo="text",
        legendgroup=_GRID,
        showlegend=False,
        meta=told | {"x": [row.simulated.estimate]},
    )


def _add_key(figure: go.Figure, label: str, symbol: str) -> None:
    """An entry of the legend for marks that differ in color."""
    figure.add_scatter(
        x=[None],
        y=[None],
        mode="markers",
        name=label,
        marker={"symbol": symbol, "size": 11, "color": NEUTRAL, "line": {"width": 2}},
        legendgroup=label,
        hoverinfo="skip",
    )


def _alt(rows: Sequence[UndoneRow], undefended: float, repetitions: int) -> str:
    told = [
        f"{row.label}: {percent(row.on_paper)} on paper"
        + (
            ""
            if row.simulated is None
            else f", {percent(row.simulated.estimate)} ({percent(row.simulated.low)} to "
            f"{percent(row.simulated.high)}) with arithmetic"
        )
        for row in rows
    ]
    simulated = f" Simulated {repetitions} times." if repetitions else ""
    return (
        f"How often an attacker is right; guessing is in 50 %, without noise in "
        f"{percent(undefended)}. {'; '.join(told)}.{simulated}"
    )
