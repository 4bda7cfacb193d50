"""Noise along one direction, subtracted for every value that one count may have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis
from distpriv.charts.lines import series
from distpriv.charts.style import NEUTRAL, series_style, translucent
from distpriv.lessons.subtracting import TRIED, Release
from distpriv.words import number, safe

__all__ = ["off_the_grid"]

_HEIGHT = 400
_Y_TITLE = "off its grid (steps)"


def off_the_grid(
    release: Release, tried: Sequence[int], value: int, names: Sequence[str], *, title: str
) -> go.Figure:
    """How far the other statistics are from their grids, for every value tried.

    Parameters
    ----------
    release : Release
    tried : sequence of int
        Values of the count.
    value : int
        The one that is looked at, among them.
    names : sequence of str, one a statistic
    title : str
    """
    farthest = [float(off) for off in release.farthest]
    fitting = [count for count, fits in zip(tried, release.fits, strict=True) if fits]
    place, best = list(tried).index(value), farthest.index(min(farthest))
    figure = empty(
        safe(title),
        alt=f"Only {number(fitting[0])} puts all other statistics on their grids."
        if len(fitting) == 1
        else f"No value puts all other statistics on their grids: the nearest, {tried[best]}, "
        f"leaves one {number(farthest[best])} of a step off.",
        how_to_read=(
            "each bar is a value that the count may have: subtract the noise it implies, and this "
            "is how far the statistic is off that is farthest from a possible value; half a step "
            "is the most. The coloured marks are all of them for the value that the slider is at. "
            "A gap between the bars is a value for which all are possible."
        ),
        height=_HEIGHT,
        xaxis=linear_axis(
            safe(f"number {names[TRIED]} that is tried"), tried[0] - 1.0, tried[-1] + 1.0
        ),
        yaxis=linear_axis(_Y_TITLE, -0.025, 0.54),
        bargap=0.25,
    )
    figure.add_bar(
        x=list(tried),
        y=farthest,
        name="the farthest of the others",
        marker={
            "color": [NEUTRAL if count == value else translucent(NEUTRAL, 0.45) for count in tried]
        },
        hovertext=[
            f"<b>{count}</b><br>{number(off)} of a step"
            if off > 1e-6
            else f"<b>{count}</b><br>all fit"
            for count, off in zip(tried, farthest, strict=True)
        ],
        hoverinfo="text",
    )
    others = [index for index in range(len(names)) if index != TRIED]
    for order, index in enumerate(others):
        off, name = float(release.off[place, index]), names[index]
        texts = [f"<b>{safe(name)}</b><br>{value}: {number(off)} of a step"]
        look: dict[str, Any] = {"mode": "markers", "size": 10, "cliponaxis": False}
        series(figure, name, [value], [off], series_style(order), told=texts, **look)
    return figure
