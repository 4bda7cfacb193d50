"""What a release hides and what it does not: right guesses against how far apart two shares are."""

from __future__ import annotations

from plotly import graph_objects as go

from distpriv.analysis.hiding import Hiding, finding, said
from distpriv.charts.frame import accuracy_axis, empty, linear_axis
from distpriv.charts.intervals import GUESSING, SHARE
from distpriv.charts.lines import across, grey, hover, series
from distpriv.charts.style import NEUTRAL, MechanismStyle, style_of, translucent
from distpriv.words import number, percent, safe, share

__all__ = ["hidden_distances"]

_HEIGHT = 340
_HIGHEST = 1.08  # room for a name above a line at 100 %
_POINTS = "difference of the two shares (points)"


def hidden_distances(hidden: Hiding) -> go.Figure:
    """How often the best attacker tells two shares apart, without and with the noise.

    Parameters
    ----------
    hidden : Hiding
    """
    around = f"around {share(hidden.center)}"
    points = f"{number(100 * hidden.width)}\u00a0points"
    figure = empty(
        safe(finding(hidden)),
        alt=" ".join(said(hidden)),
        how_to_read=(
            f"each place on the axis is two shares {around}, that far apart; the height says in "
            "how many of 100 cases the best possible attacker tells which of the two it is. "
            f"Guessing is right in 50. The shaded part, up to {points}, is what is to be hidden; "
            "the lines are by normal curves fitted to both shares."
        ),
        height=_HEIGHT,
        xaxis=linear_axis("how far the two shares are apart (points)", 0, 100 * hidden.largest),
        yaxis=accuracy_axis("right guesses (%)", range=[0.45, _HIGHEST]),
        showlegend=False,
    )
    figure.add_shape(
        type="rect",
        layer="below",
        x0=0,
        x1=100 * hidden.width,
        y0=0,
        y1=1,
        yref="paper",
        fillcolor=translucent(NEUTRAL, 0.16),
        line={"width": 0},
    )
    _name(figure, "to be hidden", 0, 0.455, "left", "bottom")
    across(figure, GUESSING)
    _line(figure, hidden, "without noise", grey("solid"), noise=False)
    _line(figure, hidden, f"with {hidden.mechanism}", style_of(hidden.mechanism), noise=True)
    return figure


def _line(
    figure: go.Figure, hidden: Hiding, name: str, style: MechanismStyle, *, noise: bool
) -> None:
    """One line, with its name beside it: the one with noise below, the other above."""
    accuracies = hidden.defended if noise else hidden.undefended
    pairs = [
        f"{share(first)} against {share(second)}"
        for first, second in map(hidden.shares, hidden.distances)
    ]
    told = hover(name, ("right guesses: ", accuracies, percent))
    series(
        figure,
        name,
        100 * hidden.distances,
        accuracies,
        style,
        told=[f"{text}<br>{pair}" for text, pair in zip(told, pairs, strict=True)],
        x_title=_POINTS,
        y_title=SHARE,
        bold=noise,
    )
    place = hidden.largest * (0.6 if noise else 0.72)
    beside = ("left", "top") if noise else ("center", "bottom")
    _name(figure, name, 100 * place, hidden.accuracy(place, noise=noise), *beside)


def _name(figure: go.Figure, text: str, x: float, y: float, across: str, up: str) -> None:
    figure.add_annotation(
        x=x,
        y=y,
        xanchor=across,
        yanchor=up,
        text=safe(text),
        showarrow=False,
        font={"color": NEUTRAL},
    )
