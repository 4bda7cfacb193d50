"""Where the two shares lie in the plane of two statistics, and where noise goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from distpriv.arrays import FloatArray
from distpriv.charts import style

_TURN = np.linspace(0, 2 * np.pi, 97)
_MOST = 2.4477  # deviations within which 95 % of a normal in the plane lie: √(−2 ln 0.05)


def picture(frame: pd.DataFrame, *, draws: pd.DataFrame, names: tuple[str, str]) -> go.Figure:
    """Return both clouds on equal axes, their difference, the axes of their spread, and the noises.

    Normals in the plane of the two statistics `names`, in pooled standard deviations from the
    middle: columns name, kind ("share", twice, or "noise"), x, y (mean) and xx, xy, yy
    (covariance). Simulated tables on the same scale: columns share, x, y.
    """
    shares, noises = (frame[frame["kind"] == kind] for kind in ("share", "noise"))
    clouds = list(zip(style.rows(shares), (style.LOW, style.HIGH), strict=False))
    outlines = [_outline(row) for row, _ in clouds]
    half = 1.08 * max([float(np.nanmax(np.abs(one))) for one in outlines], default=1.0)
    equal: dict[str, Any] = {"range": [-half, half], "constrain": "domain", "nticks": 7}
    across, up = (f"{style.short(name, 32)}, in deviations" for name in names)
    chart = style.figure(
        400,
        up,
        margin={"l": 8, "r": 8, "t": 50, "b": 44},
        xaxis=style.axis(across, **equal),
        yaxis=style.axis(scaleanchor="x", **equal),
    )
    for (row, hue), outline in zip(clouds, outlines, strict=True):
        cloud = draws[draws["share"] == row.name]
        pale = style.faint(hue, 0.4)
        style.marks(chart, cloud["x"], cloud["y"], pale, name=row.name, size=3.5)
        style.line(chart, outline[:, 0], outline[:, 1], hue, width=2)
    for row in style.rows(noises):
        x, y = _outline(row).T
        style.way(chart, x, y, row.name)
    _cross(chart, shares, half)
    start, end = shares[["x", "y"]].to_numpy()  # an arrow between the middles
    place = {"x": end[0], "y": end[1], "ax": start[0], "ay": start[1]}
    place |= {"xref": "x", "yref": "y", "axref": "x", "ayref": "y"}
    head = {"arrowhead": 2, "arrowwidth": 3, "arrowcolor": style.INK}
    chart.add_annotation(place | head, text="", showarrow=True)
    style.legend(chart, noises["name"], {f"● {row.name}": hue for row, hue in clouds})
    return chart


def alt(frame: pd.DataFrame) -> str:
    """Return the picture in words."""
    names = {kind: list(frame.loc[frame["kind"] == kind, "name"]) for kind in ("share", "noise")}
    noise = f"; outlines of the noise of {', '.join(names['noise'])}" if names["noise"] else ""
    clouds = " and ".join(names["share"])
    return f"Two clouds of simulated tables, at {clouds}, an arrow between their middles{noise}."


def _outline(row: Any) -> FloatArray:
    """Ellipse that holds 95 % of a normal, shape (97, 2); a segment where it has one direction."""
    values, vectors = np.linalg.eigh(np.array([[row.xx, row.xy], [row.xy, row.yy]]))
    root = vectors * np.sqrt(values.clip(0))
    circle = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)
    outline: FloatArray = np.array([row.x, row.y]) + _MOST * circle @ root.T
    return outline


def _cross(chart: go.Figure, shares: pd.DataFrame, half: float) -> None:
    """Draw the eigenvectors of the clouds' mean covariance, a deviation long, and its length."""
    xx, xy, yy = shares[["xx", "xy", "yy"]].mean()
    values, vectors = np.linalg.eigh(np.array([[xx, xy], [xy, yy]]))
    for size, vector in zip(np.sqrt(values.clip(0)), vectors.T, strict=True):
        ends = np.outer([-size, size], vector)
        style.line(chart, ends[:, 0], ends[:, 1], style.INK, width=1.5)
        if size > 0.12 * half:
            look: dict[str, Any] = {"xshift": 10, "yshift": 8, "font": {"size": 12}}
            style.note(chart, ends[1, 0], ends[1, 1], f"{size:.2g}", **look)
