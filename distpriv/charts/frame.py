"""What all charts share: the empty figure, its axes, and rules drawn across it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from plotly import graph_objects as go

from distpriv.charts.style import NEUTRAL, translucent
from distpriv.words import number, safe, share, shorten

__all__ = [
    "ACCURACY_RANGE",
    "QUARTERS",
    "accuracy_axis",
    "decades",
    "empty",
    "enlarged",
    "finding",
    "linear_axis",
    "log_axis",
    "panels",
    "pending",
    "row_axis",
    "rule",
    "share_axis",
]

ACCURACY_RANGE = (0.45, 1.02)

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)

QUARTERS: dict[str, Any] = {"tickvals": [*_QUARTERS], "ticktext": [*map(share, _QUARTERS)]}
"""Ticks of an axis of few shares."""

_TITLE_HEIGHT = 46
_SUBTITLE_HEIGHT = 20
_MOST_DECADES = 7
_TEXT_SIZE, _TITLE_SIZE = 12, 16  # pixels, of Streamlit's theme
_GRID = translucent(NEUTRAL, 0.22)
_LONGEST, _SHORTEST_NAME = 60, 12  # characters of a title, and of a name in it


def empty(
    title: str,
    *,
    alt: str,
    how_to_read: str,
    height: int,
    subtitle: str = "",
    bottom: int = 40,
    **layout: Any,
) -> go.Figure:
    """A figure with its title, its texts and room for a legend below, but no trace.

    Parameters
    ----------
    title, subtitle : str
        Safe texts.
    alt, how_to_read : str
        Plain texts for ``layout.meta``; the second goes on from "How to read this: ".
    height : int
        Pixels.
    bottom : int
        Least margin below the plot, in pixels.
    layout
        Of plotly: the axes, and how bars stand.
    """
    heading: dict[str, Any] = {
        "text": title,
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "top",
        "yref": "container",
        "pad": {"t": 8},
    }
    if subtitle:
        heading["subtitle"] = {"text": subtitle, "font": {"color": NEUTRAL}}
    figure = go.Figure(
        layout={
            "title": heading,
            "height": height,
            "margin": {
                "t": _TITLE_HEIGHT + (_SUBTITLE_HEIGHT if subtitle else 0),
                "r": 12,
                "b": bottom,
                "l": 8,
            },
            "legend": {
                "orientation": "h",
                "xref": "container",
                "x": 0,
                "xanchor": "left",
                "yref": "container",
                "y": 0,
                "yanchor": "bottom",
            },
            "separators": ".\u202f",
            "hovermode": "closest",
            "hoverlabel": {"align": "left", "namelength": -1},
            "dragmode": False,
            "meta": {"alt": alt, "how_to_read": how_to_read},
            **layout,
        }
    )
    figure.layout.template = None  # Streamlit's own theme
    return figure


def finding(name: str, said: str) -> str:
    """A title that says something of what has a name, which is cut where it is long.

    Parameters
    ----------
    name, said : str
        Plain texts, e.g. ``OptM`` and `` is the safest``.
    """
    most = max(_LONGEST - len(said), _SHORTEST_NAME)
    return safe(shorten(shorten(name, most) + said, _LONGEST))


def enlarged(figure: go.Figure, factor: float) -> go.Figure:
    """The same figure with everything larger that is measured in pixels, for a projector.

    Parameters
    ----------
    figure : Figure
        Stays as it is.
    factor : float
    """
    large = go.Figure(figure)
    layout = large.layout
    text = _TEXT_SIZE * factor
    large.update_layout(
        font_size=text,
        title_font_size=_TITLE_SIZE * factor,
        title_subtitle_font_size=text,
        legend_font_size=text,
        hoverlabel_font_size=text,
        height=None if layout.height is None else round(factor * layout.height),
    )
    for side in ("t", "b", "l", "r"):
        if layout.margin[side]:
            layout.margin[side] = round(factor * layout.margin[side])
    for axes in (large.for_each_xaxis, large.for_each_yaxis):
        axes(
            lambda axis: axis.update(
                tickfont_size=text,
                title_font_size=text,
                title_standoff=factor * (axis.title.standoff or 0),
            )
        )
    for note in layout.annotations:
        note.font.size = factor * (note.font.size or _TEXT_SIZE)
    for trace in large.data:
        for part, name in (("marker", "size"), ("line", "width"), ("textfont", "size")):
            if f"{part}.{name}" not in trace:
                continue
            size = trace[part][name] or (text / factor if part == "textfont" else None)
            if isinstance(size, int | float):
                trace[part][name] = factor * size
    return large


def linear_axis(title: str, low: float, high: float, **options: Any) -> dict[str, Any]:
    """A linear axis with a fixed range; the title is a safe text."""
    return _axis(title) | {"range": [low, high]} | options


def log_axis(
    title: str, low: float, high: float, *, most_ticks: int = 9, **options: Any
) -> dict[str, Any]:
    """A logarithmic axis with a fixed range and ticks in plain numbers.

    Parameters
    ----------
    title : str
        Safe text.
    low, high : float
        Ends of the axis, positive, in the unit of the data.
    most_ticks : int
        Decades are left out where there would be more.
    """
    ends = (math.log10(low), math.log10(high))
    steps = (1, 2, 5) if ends[1] - ends[0] <= 2.5 else (1,)
    candidates = [
        step * 10.0**power
        for power in range(math.floor(ends[0]), math.ceil(ends[1]) + 1)
        for step in steps
    ]
    ticks = [tick for tick in candidates if low * 0.999 <= tick <= high * 1.001]
    ticks = ticks[:: math.ceil(len(ticks) / most_ticks)] or [low, high]
    axis = {"type": "log", "tickvals": ticks, "ticktext": [number(tick) for tick in ticks]}
    # A hair wider: the browser's logarithm of 1000 is below 3, and marks at the end would vanish.
    return _axis(title) | axis | {"range": [ends[0] - 1e-6, ends[1] + 1e-6]} | options


def row_axis(names: Sequence[str], *, end: float = 0.6, **options: Any) -> dict[str, Any]:
    """The y axis of rows with names, safe texts: the first on top, at 0."""
    places = list(range(len(names)))
    most = max(len(names), 1) - 1 + end
    return linear_axis("", most, -end, tickvals=places, ticktext=list(names)) | options


def share_axis(title: str, low: float = 0.0) -> dict[str, Any]:
    """An axis of shares up to 1; the title is a safe text.

    Parameters
    ----------
    title : str
    low : float
        Where it starts.
    """
    ticks = [tick for tick in (0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0) if tick >= low]
    if not low:
        ticks.remove(0.5)
    texts = [share(tick) for tick in ticks]
    return linear_axis(title, low - 0.02, 1.02, tickvals=ticks, ticktext=texts)


def accuracy_axis(title: str, **options: Any) -> dict[str, Any]:
    """The axis of every accuracy: from a little below guessing to certainty."""
    ticks = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    texts = [share(tick) for tick in ticks]
    return linear_axis(title, *ACCURACY_RANGE, tickvals=ticks, ticktext=texts) | options


def panels(
    count: int, columns: int, panel: int, gap: int, *, apart: float
) -> list[tuple[str, tuple[float, float], tuple[float, float]]]:
    """Place panels in columns, row by row.

    Parameters
    ----------
    count, columns : int
    panel, gap : int
        Height of a panel and of what lies between two, in pixels.
    apart : float
        Between two columns, as a share of the width.

    Returns
    -------
    list of (key, domain of x, domain of y)
        The key is what plotly adds to ``xaxis`` and ``yaxis``.
    """
    rows = math.ceil(count / columns)
    total = rows * panel + (rows - 1) * gap
    width = (1 - apart * (columns - 1)) / columns
    places = []
    for index in range(count):
        row, column = divmod(index, columns)
        top, left = 1 - row * (panel + gap) / total, column * (width + apart)
        across, up = (left, min(left + width, 1.0)), (max(top - panel / total, 0.0), top)
        places.append((str(index + 1) if index else "", across, up))
    return places


def decades(values: Iterable[float]) -> tuple[float, float]:
    """Whole decades around the positive values, at least one and at most seven."""
    positive = [value for value in values if value > 0 and math.isfinite(value)]
    if not positive:
        return 0.1, 1.0
    top = math.ceil(math.log10(max(positive)) - 1e-9)
    bottom = math.floor(math.log10(min(positive)) + 1e-9)
    bottom = min(max(bottom, top - _MOST_DECADES), top - 1)
    return 10.0**bottom, 10.0**top


def rule(figure: go.Figure, value: float, label: str) -> None:
    """A dashed vertical rule at a value of the x axis, labelled above; none outside the axis."""
    axis = figure.layout.xaxis
    position = math.log10(value) if axis.type == "log" and value > 0 else value
    low, high = axis.range
    if not low <= position <= high:
        return
    figure.add_shape(
        type="line",
        x0=value,
        x1=value,
        xref="x",
        y0=0,
        y1=1,
        yref="paper",
        line={"color": NEUTRAL, "width": 1.5, "dash": "dash"},
    )
    along = (position - low) / (high - low)
    figure.add_annotation(
        x=position,
        xref="x",
        y=1,
        yref="paper",
        yanchor="bottom",
        xanchor="left" if along < 0.12 else "right" if along > 0.88 else "center",
        text=safe(label),
        showarrow=False,
        font={"color": NEUTRAL},
    )


def pending(figure: go.Figure) -> go.Figure:
    """Say of a figure whose lines have no points yet that they are being computed.

    It takes the place of the one with its lines, of the same size, and is known by
    ``layout.meta["pending"]``.
    """
    figure.layout.meta = figure.layout.meta | {"alt": "Being computed.", "pending": True}
    figure.add_annotation(
        x=0.5,
        xref="paper",
        y=0.5,
        yref="paper",
        text="Being computed …",
        showarrow=False,
        font={"color": NEUTRAL},
    )
    return figure


def _axis(title: str) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": 10},
        "automargin": True,
        # Numbers as words.number writes them: no 20k, and a power only where zeros would be many.
        "separatethousands": True,
        "exponentformat": "power",
        "minexponent": 6,
        "showgrid": True,
        "gridcolor": _GRID,
        "zeroline": False,
    }
