"""What arithmetic on the grid of the statistics takes back of a mechanism's protection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from plotly import graph_objects as go

from distpriv.charts.frame import accuracy_axis, empty, row_axis
from distpriv.charts.intervals import GUESSING, by_row, in_words, levels, within
from distpriv.charts.lines import key
from distpriv.charts.style import MechanismStyle, style_of, translucent
from distpriv.model.sampling import Interval
from distpriv.words import percent, safe

__all__ = ["UndoneRow", "on_paper_and_on_the_grid"]

_ROW_HEIGHT = 34
_ROW = "release"
_PAPER = "best attacker on paper (normal curves)"
_GRID = "attacker who knows the grid, simulated, 95\u00a0% interval"


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
            "circle is the simulated attacker who knows in what steps they move, with its "
            "95\u00a0% interval. Where the circle is far to the right of the diamond, arithmetic "
            "undoes noise; at the solid line nothing is left of it."
        ),
        height=250 + _ROW_HEIGHT * max(len(rows), 1),
        xaxis=accuracy_axis("accuracy of the attacker (%)"),
        yaxis=row_axis([safe(row.label, 20) for row in rows], fixedrange=True),
    )
    references = (("guessing", GUESSING, "dot"), ("without noise, at best", undefended, "solid"))
    levels(figure, references, len(rows), _ROW)
    key(figure, _PAPER, "diamond-open")
    key(figure, _GRID, "circle")
    for place, row in enumerate(rows):
        _add_row(figure, place, row)
    return figure


def _add_row(figure: go.Figure, place: int, row: UndoneRow) -> None:
    color, start = style_of(row.mechanism).color, f"<b>{safe(row.label)}</b>"
    diamond = MechanismStyle(color, "solid", "diamond-open")
    text = f"{start}<br>on paper: {percent(row.on_paper)}"
    mark = partial(by_row, figure, place=place, name=row.label, y_title=_ROW)
    mark(_PAPER, accuracy=row.on_paper, style=diamond, told=text, size=13, edge=2.5)
    if row.simulated is None:
        return
    figure.add_shape(
        type="line",
        x0=within(row.on_paper),
        x1=within(row.simulated.estimate),
        y0=place,
        y1=place,
        line={"color": translucent(color, 0.4), "width": 6},
        layer="below",
    )
    circle = MechanismStyle(color, "solid", "circle")
    text = f"{start}, {'' if row.undone else 'not '}undone"
    text = f"{text}{' by arithmetic' * row.undone}<br>{in_words(row.simulated)}"
    mark(_GRID, accuracy=row.simulated, style=circle, told=text, size=10)


def _alt(rows: Sequence[UndoneRow], undefended: float, repetitions: int) -> str:
    phrases = [
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
        f"How often an attacker is right; guessing is in 50\u00a0%, without noise in "
        f"{percent(undefended)}. {'; '.join(phrases)}.{simulated}"
    )
