"""Two statistics at a time: the shift, the variation and the noise in their plane."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis
from distpriv.charts.lines import grey, series
from distpriv.charts.style import (
    GROUP_STYLES,
    NEUTRAL,
    MechanismStyle,
    group_names,
    style_of,
    translucent,
)
from distpriv.model.gaussian import PairModel
from distpriv.privacy.noise import Noise
from distpriv.words import listed, number, safe, shorten, titled, with_unit

__all__ = ["ellipses"]

FloatArray = NDArray[np.float64]

# √ of the 95 % quantile of χ² with 2 degrees of freedom.
_HALF_LENGTH = math.sqrt(-2 * math.log(0.05))
_CIRCLE = np.linspace(0, 2 * math.pi, 73)
_ZOOMS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def ellipses(
    fit: PairModel,
    noises: Mapping[str, Noise],
    i: int,
    j: int,
    labels: Sequence[str],
    units: Sequence[str],
    *,
    names: tuple[str, str] | None = None,
    widest: PairModel | None = None,
    to_scale: bool = False,
) -> go.Figure:
    """Two statistics: the fitted 95 % ellipses, the shift between them, and the noise.

    The view grows with the noise in fixed steps, up to six times the extent of the model;
    noise beyond that is cut by the frame.

    Parameters
    ----------
    fit : PairModel
    noises : mapping of mechanism to Noise
    i, j : int
        The statistics on the x and the y axis.
    labels, units : sequence of str, one a statistic
    names : tuple of two str, optional
        Safe texts for the two distributions; by default the shares of the pair.
    widest : PairModel, optional
        Sets the extent of the axes in place of `fit`, so that charts can be compared.
    to_scale : bool
        Whether a unit is as long upwards as across, so that angles are what they are.
    """
    chosen = [i, j]
    names = names or group_names(fit.pair)
    outlines = _outlines(fit, chosen)
    middle = fit.means[:, chosen].mean(axis=0)
    seen = outlines if widest is None else _outlines(widest, chosen)
    extent = np.abs(np.concatenate(seen) - middle).max(axis=0)
    noise_outlines = {
        name: _outline(middle, noise.covariance[np.ix_(chosen, chosen)])
        for name, noise in noises.items()
    }
    # Noise in other statistics only is a point here.
    noise_outlines = {
        name: outline
        for name, outline in noise_outlines.items()
        if (np.abs(outline - middle) / extent).max() > 1e-6
    }
    sizes = {
        name: float((np.abs(outline - middle) / extent).max())
        for name, outline in noise_outlines.items()
    }
    zoom = next((step for step in _ZOOMS if step >= max(sizes.values(), default=0)), _ZOOMS[-1])
    cut = [name for name, size in sizes.items() if size > zoom]
    absent = [name for name in noises if name not in sizes]
    low, high = middle - 1.12 * zoom * extent, middle + 1.12 * zoom * extent
    titles = [safe(titled(shorten(labels[index], 36), units[index])) for index in chosen]
    scale = {"scaleanchor": "x"} if to_scale else {}
    figure = empty(
        "Secret, variation and noise" if noises else "Secret and variation",
        alt=_alt_ellipses(fit, chosen, labels, units, sizes, names),
        how_to_read=_reading_ellipses(names, bool(noises), cut, absent),
        height=520,
        xaxis=linear_axis(titles[0], float(low[0]), float(high[0]), nticks=7),
        yaxis=linear_axis(titles[1], float(low[1]), float(high[1]), nticks=7, **scale),
    )
    full: dict[str, Any] = {
        f"{axis}_title": titled(labels[index], units[index])
        for axis, index in zip("xy", chosen, strict=True)
    }
    draw: Callable[..., None] = partial(series, figure, **full)
    _add_eigenvectors(draw, fit, chosen, middle)
    # Broken lines on top of solid ones, so that noises along one line all show.
    for name in sorted(noise_outlines, key=lambda name: style_of(name).dash != "solid"):
        outline, variances = noise_outlines[name], np.diag(noises[name].covariance)
        spreads = [_spread(labels[at], units[at], float(variances[at])) for at in chosen]
        draw(
            f"noise of {name}",
            outline[:, 0],
            outline[:, 1],
            style_of(name),
            mode="lines+markers" if len(outline) == 2 else "lines",
            told="<br>".join([f"<b>noise of {safe(name)}</b>", *spreads]),
            size=9,
        )
    for group, outline in enumerate(outlines):
        style, mean = GROUP_STYLES[group], fit.means[group]
        text = "<br>".join(
            [f"<b>{names[group]}</b>"]
            + [safe(f"{labels[at]}: {with_unit(float(mean[at]), units[at])}") for at in chosen]
        )
        draw(
            html.unescape(names[group]),
            outline[:, 0],
            outline[:, 1],
            style,
            told=text,
            fill="toself",
            fillcolor=translucent(style.color, 0.14),
            legendrank=900,
            hoveron="points",
        )
        draw(
            html.unescape(f"mean, {names[group]}"),
            [float(mean[i])],
            [float(mean[j])],
            MechanismStyle(style.color, style.dash, "circle"),
            mode="markers",
            told=text,
            showlegend=False,
        )
    if fit.difference[chosen].any():
        _add_arrow(figure, *fit.means[:, chosen])
    return figure


def _outlines(fit: PairModel, chosen: list[int]) -> list[FloatArray]:
    """The 95 % ellipses of the two distributions."""
    return [
        _outline(fit.means[group, chosen], fit.covariances[group][np.ix_(chosen, chosen)])
        for group in (0, 1)
    ]


def _outline(center: FloatArray, covariance: FloatArray) -> FloatArray:
    """The 95 % ellipse of a normal distribution in the plane; a segment if it is degenerate."""
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0))
    scale = np.where(deviations > 0, deviations, 1.0)
    eigenvalues, eigenvectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    radii = _HALF_LENGTH * np.sqrt(np.maximum(eigenvalues, 0))
    if eigenvalues[0] < 1e-9 * eigenvalues[1]:
        unit = np.outer([-radii[1], radii[1]], eigenvectors[:, 1])
    else:
        circle = np.column_stack([np.cos(_CIRCLE), np.sin(_CIRCLE)])
        unit = (circle * radii) @ eigenvectors.T
    outline: FloatArray = center + unit * scale
    return outline


def _add_arrow(figure: go.Figure, start: FloatArray, end: FloatArray) -> None:
    """The shift from μ_i to μ_j."""
    figure.add_annotation(
        x=float(end[0]),
        y=float(end[1]),
        ax=float(start[0]),
        ay=float(start[1]),
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        showarrow=True,
        arrowhead=2,
        arrowsize=0.9,
        arrowwidth=2,
        standoff=3,
        arrowcolor=NEUTRAL,
        text="",
    )


def _add_eigenvectors(
    draw: Callable[..., None], fit: PairModel, chosen: list[int], middle: FloatArray
) -> None:
    eigenvalues, eigenvectors = np.linalg.eigh(fit.pooled)
    for rank, index in enumerate(range(len(eigenvalues) - 1, -1, -1)):
        reach = _HALF_LENGTH * math.sqrt(eigenvalues[index]) * eigenvectors[chosen, index]
        draw(
            "axes of variation",
            *np.transpose([middle - reach, middle + reach]),
            grey("solid"),
            told=(
                f"axis of variation {rank + 1} of {len(eigenvalues)}<br>"
                f"variance {number(float(eigenvalues[index]))}"
            ),
            width=1,
            group="axes",
            legendrank=1100,
            showlegend=rank == 0,
        )


def _spread(label: str, unit: str, variance: float) -> str:
    return safe(f"{label}: ± {with_unit(math.sqrt(max(variance, 0)), unit)}")


def _reading_ellipses(
    names: tuple[str, str], noisy: bool, cut: Sequence[str], absent: Sequence[str]
) -> str:
    text = (
        f"the filled ellipses hold 95\u00a0% of the releases when {names[0]} (blue) and when "
        f"{names[1]} (vermillion, dashed); the arrow is the shift between them, the thin grey "
        "lines are the axes of variation."
    )
    if noisy:
        text += (
            " Each coloured outline holds 95\u00a0% of a mechanism's noise (for Laplace noise, of "
            "normal noise with its variance); a line or needle is noise along one direction."
        )
    if cut:
        text += f" The frame cuts the noise of {listed(list(cut))}, which reaches further."
    if absent:
        text += f" There is no noise in these two statistics from {listed(list(absent))}."
    return text


def _alt_ellipses(
    fit: PairModel,
    chosen: Sequence[int],
    labels: Sequence[str],
    units: Sequence[str],
    sizes: Mapping[str, float],
    names: tuple[str, str],
) -> str:
    moves = [
        f"{labels[index]} {'rises' if fit.difference[index] <= 0 else 'falls'} by "
        + with_unit(abs(float(fit.difference[index])), units[index])
        for index in chosen
    ]
    text = f"From {names[0]} to {names[1]}, {listed(moves)} on average"
    if sizes:
        widest, narrowest = max(sizes, key=sizes.__getitem__), min(sizes, key=sizes.__getitem__)
        text += (
            f"; the noise of {widest} reaches {number(sizes[widest])} times as far as the "
            "statistics' own variation"
        )
        if narrowest != widest:
            text += f", that of {narrowest} {number(sizes[narrowest])} times"
    return f"{text}."
