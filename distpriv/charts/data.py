"""The numbers behind a chart, for download."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from plotly import graph_objects as go

from distpriv.tables.export import inert
from distpriv.words import plain

__all__ = ["figure_data"]

_OWN_COLUMNS = ("series", "x axis", "y axis", "value", "low", "high")


def figure_data(figure: go.Figure) -> pd.DataFrame:
    """Read a chart's numbers back as a long table, one row a point.

    Where a trace draws a stand-in, a position for a name or the floor of the axis for a zero,
    its ``meta`` holds what it stands for under ``x`` and ``y``, the full titles of its axes
    under ``x_title`` and ``y_title``, and the table shows those.

    Parameters
    ----------
    figure : Figure
        One of this package's charts.

    Returns
    -------
    DataFrame
        Columns: ``series``; the axis titles of x and y, or ``x axis`` and ``x``
        (``y axis`` and ``y``) if the panels' titles differ; ``value`` for a heatmap; ``low``
        and ``high`` where there are intervals. A text that a spreadsheet would take for a
        formula starts with an apostrophe.
    """
    traces = [trace for trace in figure.data if _points(trace)]
    titles = {axis: [_title(figure, trace, axis) for trace in traces] for axis in "xy"}
    parts = []
    for index, trace in enumerate(traces):
        columns: dict[str, Any] = {"series": plain(trace.name)}
        values = _values(trace)
        for axis in "xy":
            title = titles[axis][index]
            if len(set(titles[axis])) > 1:
                columns[f"{axis} axis"] = title
                columns[axis] = values[axis]
            else:
                taken = title in _OWN_COLUMNS or title in columns
                columns[f"{title} ({axis})" if taken else title or axis] = values[axis]
        columns |= {name: values[name] for name in ("value", "low", "high") if name in values}
        parts.append(pd.DataFrame(columns))
    if not parts:
        return pd.DataFrame({"series": pd.Series(dtype="str")})
    table = pd.concat(parts, ignore_index=True)
    table.columns = pd.Index([inert(name) for name in table.columns])
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name].dtype):
            table[name] = table[name].map(inert)
    return table


def _points(trace: Any) -> bool:
    """Whether a trace shows anything but its entry in the legend."""
    x = (trace.meta or {}).get("x", trace.x)
    return x is not None and any(place is not None for place in x)


def _values(trace: Any) -> dict[str, Any]:
    """Columns of a trace by their role."""
    meta = trace.meta if isinstance(trace.meta, dict) else {}
    x, y = (list(meta.get(axis, trace[axis])) for axis in "xy")
    if trace.type == "heatmap":
        return {
            "x": x * len(y),
            "y": [name for name in y for _ in x],
            "value": np.asarray(meta.get("value", trace.z), dtype=np.float64).ravel(),
        }
    values: dict[str, Any] = {"x": x, "y": y}
    for axis in "xy":
        error = trace.to_plotly_json().get(f"error_{axis}")
        if error is not None and "array" in error:
            middle = np.asarray(values[axis], dtype=np.float64)
            below = error.get("arrayminus", error["array"])
            values["low"] = middle - np.asarray(below, dtype=np.float64)
            values["high"] = middle + np.asarray(error["array"], dtype=np.float64)
    return values


def _title(figure: go.Figure, trace: Any, axis: str) -> str:
    """Title of the axis a trace is drawn on, in full where the axis shows it shortened."""
    meta = trace.meta if isinstance(trace.meta, dict) else {}
    if f"{axis}_title" in meta:
        return str(meta[f"{axis}_title"])
    reference = trace[f"{axis}axis"] or axis
    layout = figure.layout[f"{axis}axis{reference[1:]}"]
    return plain(layout.title.text)
