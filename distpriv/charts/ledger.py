"""What releases of the same statistics add up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plotly import graph_objects as go

from distpriv.charts.frame import accuracy_axis, empty, linear_axis
from distpriv.charts.intervals import GUESSING, within
from distpriv.charts.lines import grey, series
from distpriv.charts.style import GROUP_COLORS, MechanismStyle
from distpriv.composition.releases import Standing
from distpriv.words import percent, share

__all__ = ["adding_up"]

_SHORTEST = 5  # releases that the axis has room for, so that the first ones do not move it
_MEASURE = "accuracy of the best attacker (share)"


def adding_up(
    standings: Sequence[Standing], *, undefended: float | None, ceiling: float | None
) -> go.Figure:
    """The best attacker's accuracy after every release, and after the next one.

    Parameters
    ----------
    standings : sequence of Standing
        By rising count, at least two; the last is with the next release.
    undefended : float or None
        Accuracy from the true statistics; None where every release has statistics of its own.
    ceiling : float or None
        What one release promises that nobody exceeds; None if it promises nothing.
    """
    made, following = standings[:-1], standings[-1]
    last = following.count
    end = max(last, _SHORTEST)
    step = -(-end // 10)
    figure = empty(
        f"After {_releases(last)} an attacker is right in {_told(following)}",
        alt=(
            f"After {_releases(made[-1].count)} the best attacker is right in {_told(made[-1])} "
            f"of cases, after {_releases(last)} in {_told(following)}."
        ),
        how_to_read=(
            "filled marks are releases that were made, the hollow one is the next; 50\u00a0% is "
            "guessing. A triangle is a bound: the attacker is right at most so often."
        ),
        height=380,
        xaxis=linear_axis("releases", -0.03 * end, 1.03 * end, dtick=step, tick0=0),
        yaxis=accuracy_axis("accuracy (%)"),
    )
    _line(figure, made, "released so far", "solid", GROUP_COLORS[0])
    _line(figure, [made[-1], following], "with the next one", "dot", GROUP_COLORS[1])
    for value, name, dash in (
        (undefended, "true statistics", "dash"),
        (ceiling, "one release promises no more than", "dot"),
    ):
        if value is not None:
            text = f"{name}: {percent(value)}"
            options: dict[str, Any] = {
                "told": text,
                "at_y": within,
                "y_title": _MEASURE,
                "width": 1.5,
            }
            series(figure, name, [0, end], [value] * 2, grey(dash), **options)
    return figure


def _line(
    figure: go.Figure, standings: Sequence[Standing], name: str, dash: str, color: str
) -> None:
    following = dash == "dot"
    filled = ["circle" if standing.exact else "triangle-down" for standing in standings]
    symbols = [
        f"{symbol}-open" if following and place else symbol for place, symbol in enumerate(filled)
    ]
    series(
        figure,
        name,
        [standing.count for standing in standings],
        [standing.accuracy for standing in standings],
        MechanismStyle(color, dash, "circle"),
        mode="lines+markers",
        at_y=within,
        told=[
            f"<b>{_releases(standing.count)}</b><br>right in {_told(standing)}"
            for standing in standings
        ],
        y_title=_MEASURE,
        marker={
            "symbol": symbols,
            "size": [0 if following and not place else 11 for place in range(len(standings))],
            "line": {"width": 2, "color": color},
        },
        cliponaxis=False,
    )


def _releases(count: int) -> str:
    return f"{count or 'no'} release{'' if count == 1 else 's'}"


def _told(standing: Standing) -> str:
    if standing.count == 0:
        return share(GUESSING)
    return f"{'' if standing.exact else 'at most '}{percent(standing.accuracy)}"
