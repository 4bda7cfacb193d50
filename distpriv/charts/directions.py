"""Where the two shares lie in the plane of two statistics, and where noise goes."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from distpriv.charts.style import (
    DASHES,
    HIGH,
    INK,
    LOW,
    axis,
    color,
    faint,
    figure,
    legend,
    line,
    note,
    short,
    upright,
)

_TURN = np.linspace(0, 2 * np.pi, 97)


def ellipse(mean: np.ndarray, covariance: np.ndarray, radius: float) -> np.ndarray:
    """Outline of a two-dimensional normal, shape (97, 2); a segment where it has one direction."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(values.clip(0))
    return mean + radius * np.stack([np.cos(_TURN), np.sin(_TURN)], 1) @ root.T


def plane(
    clouds: np.ndarray,
    means: np.ndarray,
    covariances: np.ndarray,
    noises: dict[str, np.ndarray],
    names: tuple[str, str],
    shares: list[str],
    unit: str,
    height: int = 390,
) -> go.Figure:
    """Both clouds on equal axes, their difference, the axes of their spread, and the noises.

    Parameters
    ----------
    clouds : ndarray, shape (2, draws, 2)
    means, covariances : ndarray, shape (2, 2) and (2, 2, 2)
    noises : mapping of mechanism to covariance, shape (2, 2)
        Drawn as the outline that holds 95 % of each noise, around the middle.
    """
    middle = means.mean(axis=0)
    half = 1.12 * max(
        np.abs(ellipse(m - middle, c, 2.45)).max() for m, c in zip(means, covariances)
    )
    chart = figure(
        height,
        margin={"l": 8, "r": 8, "t": 50, "b": 44},
        xaxis=axis(
            f"{short(names[0], 32)}{unit}",
            range=[middle[0] - half, middle[0] + half],
            constrain="domain",
            nticks=7,
        ),
        yaxis=axis(
            range=[middle[1] - half, middle[1] + half],
            scaleanchor="x",
            constrain="domain",
            nticks=7,
        ),
    )
    upright(chart, f"{short(names[1], 32)}{unit}")
    for cloud, mean, covariance, hue in zip(clouds, means, covariances, (LOW, HIGH)):
        chart.add_scatter(
            x=cloud[:, 0],
            y=cloud[:, 1],
            mode="markers",
            hoverinfo="skip",
            marker={"size": 3.5, "color": faint(hue, 0.4)},
        )
        line(chart, *ellipse(mean, covariance, 2.45).T, hue, width=2)
    for name, noise in noises.items():
        line(
            chart,
            *ellipse(middle, noise, 2.45).T,
            color(name),
            width=3,
            dash=DASHES.get(name, "solid"),
        )
    values, vectors = np.linalg.eigh(covariances.mean(axis=0))
    for size, vector in zip(np.sqrt(values.clip(0)), vectors.T):
        ends = middle + np.outer([-size, size], vector)
        line(chart, *ends.T, INK, width=1.5)
        if size > 0.12 * half:
            note(chart, *ends[1], f"{size:.2g}", xshift=10, yshift=8, font={"size": 12})
    start, end = means
    chart.add_annotation(
        x=end[0],
        y=end[1],
        ax=start[0],
        ay=start[1],
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        showarrow=True,
        arrowhead=2,
        arrowwidth=3,
        arrowcolor=INK,
        text="",
    )
    words = {share: (f"● {share}", hue) for share, hue in zip(shares, (LOW, HIGH))}
    legend(chart, words | {name: (f"○ {name}", color(name)) for name in noises})
    return chart
