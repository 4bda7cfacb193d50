"""The Gaussian fit: the fitted normal curves against simulated releases, and the correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, panels
from distpriv.charts.lines import series
from distpriv.charts.style import GROUP_COLORS, GROUP_STYLES, group_names, translucent
from distpriv.model.gaussian import PairModel
from distpriv.words import number, percent, safe, shorten, titled, wrap

__all__ = ["covariance_heatmap", "fit_histograms"]

FloatArray = NDArray[np.float64]

_MOST_POINTS = 1800
_REACH = 4.0
_PANEL, _TICKS, _LINE = 130, 40, 17
_STRONG = 0.55


def fit_histograms(
    fit: PairModel,
    labels: Sequence[str],
    units: Sequence[str],
    simulated: FloatArray | None,
    *,
    columns: int = 2,
) -> go.Figure:
    """Simulated releases under both proportions, with the fitted normal curves on top.

    Parameters
    ----------
    fit : PairModel
    labels, units : sequence of str, one a statistic
    simulated : ndarray, shape (2, R, m), or None
        Statistics of R simulated datasets under p_i and p_j; None draws the curves alone.
    columns : int, at least 1
        Panels side by side; 1 suits a narrow screen.
    """
    m = len(labels)
    columns = max(1, min(columns, m))
    names = group_names(fit.pair)
    reading = (
        f"each panel is a statistic: blue when {names[0]}, vermillion when {names[1]}. The "
        "further the two lie apart, the more the statistic gives away"
    )
    if simulated is not None:
        reading += "; where the bars follow the curves, the Gaussian model fits"
    titles = [
        _panel_title(label, unit, max(46 // columns, 12))
        for label, unit in zip(labels, units, strict=True)
    ]
    gap = _TICKS + _LINE * max(title.count("<br>") + 1 for title in titles)
    figure = empty(
        "Distribution of each released statistic",
        alt=_alt_fit(fit, labels, units),
        how_to_read=f"{reading}. The area under each curve is 1.",
        height=100 + math.ceil(m / columns) * (_PANEL + gap),
    )
    figure.update_layout(barmode="overlay", bargap=0)
    budget = _MOST_POINTS // (2 * m)
    axes: dict[str, dict[str, object]] = {}
    for index, (key, across, up) in enumerate(panels(m, columns, _PANEL, gap, apart=0.07)):
        ends = _reach(fit, index)
        peak = _add_panel(
            figure, fit, index, labels[index], units[index], simulated, ends, budget, key
        )
        place: dict[str, Any] = {"domain": across, "anchor": f"y{key}"}
        axes[f"xaxis{key}"] = linear_axis(titles[index], *ends, nticks=6, **place)
        axes[f"yaxis{key}"] = linear_axis(
            "" if index % columns else "density",
            0.0,
            1.08 * peak,
            domain=up,
            anchor=f"x{key}",
            showticklabels=False,
            showgrid=False,
            rangemode="tozero",
        )
    return figure.update_layout(axes)


def covariance_heatmap(fit: PairModel, labels: Sequence[str]) -> go.Figure:
    """Correlations of the statistics in the pooled covariance, with their values.

    Parameters
    ----------
    fit : PairModel
    labels : sequence of str, one a statistic
    """
    m = len(labels)
    deviations = np.sqrt(np.diag(fit.pooled))
    correlations = fit.pooled / np.outer(deviations, deviations)
    positions = list(range(m))
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True, "tickvals": positions}
    axis |= {"constrain": "domain"}
    numbers = [str(position + 1) for position in positions]
    names = [f"{safe(label, 18)} · {place}" for label, place in zip(labels, numbers, strict=True)]
    across = {"ticktext": numbers, "constraintoward": "left"}
    up = {"ticktext": names, "constraintoward": "top", "scaleanchor": "x"}
    figure = empty(
        "Correlations of the statistics",
        alt=_alt_correlations(correlations, labels),
        how_to_read=(
            "each cell is the correlation of two statistics between datasets with the same "
            "share: vermillion where they rise together, blue where one rises as the other "
            "falls, pale where they have little to do with each other."
        ),
        height=120 + min(42, max(28, 330 // m)) * m,
        xaxis=linear_axis("statistic (number)", -0.5, m - 0.5) | axis | across,
        yaxis=linear_axis("", m - 0.5, -0.5) | axis | up,
    )
    shown = correlations.copy()
    np.fill_diagonal(shown, np.nan)
    figure.add_heatmap(
        x=positions,
        y=positions,
        z=[[None if math.isnan(value) else float(value) for value in line] for line in shown],
        zmin=-1,
        zmax=1,
        colorscale=[
            [0, GROUP_COLORS[0]],
            [0.5, translucent(GROUP_COLORS[0], 0.03)],
            [0.5, translucent(GROUP_COLORS[1], 0.03)],
            [1, GROUP_COLORS[1]],
        ],
        showscale=False,
        xgap=2,
        ygap=2,
        name="correlation",
        hovertext=[
            [
                f"{safe(labels[row])}<br>{safe(labels[column])}<br>"
                f"correlation {_signed(correlations[row, column])}"
                for column in positions
            ]
            for row in positions
        ],
        hoverinfo="text",
        hoverongaps=False,
        meta={
            "x": list(labels),
            "y": list(labels),
            "value": correlations.tolist(),
            "x_title": "statistic",
            "y_title": "other statistic",
        },
    )
    size = 12 if m <= 8 else 9
    # All at once: one by one, plotly checks those before again and again.
    figure.update_layout(
        annotations=[
            {
                "x": column,
                "y": row,
                "text": "1" if row == column else _signed(correlations[row, column]),
                "showarrow": False,
                "font": {"size": size}
                | (
                    {"color": "#ffffff"}
                    if row != column and abs(correlations[row, column]) > _STRONG
                    else {}
                ),
            }
            for row in positions
            for column in positions
        ]
    )
    return figure


def _panel_title(label: str, unit: str, width: int) -> str:
    """Label and unit in up to three lines; where they are too long, the unit stays."""
    unit = shorten(unit, width - 4)
    return wrap(titled(shorten(label, 3 * width - len(unit) - 8), unit), width, lines=3)


def _reach(fit: PairModel, index: int) -> tuple[float, float]:
    deviations = np.sqrt(fit.covariances[:, index, index])
    centers = fit.means[:, index]
    return (
        float((centers - _REACH * deviations).min()),
        float((centers + _REACH * deviations).max()),
    )


def _add_panel(
    figure: go.Figure,
    fit: PairModel,
    index: int,
    label: str,
    unit: str,
    simulated: FloatArray | None,
    ends: tuple[float, float],
    budget: int,
    key: str,
) -> float:
    """Draw one statistic and return the highest density."""
    names = group_names(fit.pair)
    axes: dict[str, Any] = {"xaxis": f"x{key}", "yaxis": f"y{key}"}
    full = {"x_title": titled(label, unit)}
    peak = 0.0
    if simulated is not None and simulated.shape[1]:
        edges = _edges(simulated[:, :, index], max(8, min(30, budget * 3 // 10)))
        for group in (0, 1):
            shares = np.histogram(simulated[group, :, index], edges)[0] / simulated.shape[1]
            densities = shares / np.diff(edges)
            peak = max(peak, float(densities.max()))
            figure.add_bar(
                x=((edges[1:] + edges[:-1]) / 2).tolist(),
                y=densities.tolist(),
                width=np.diff(edges).tolist(),
                marker={"color": translucent(GROUP_COLORS[group], 0.45), "line": {"width": 0}},
                name=f"simulated, {names[group]}",
                legendgroup=names[group],
                showlegend=False,
                hovertext=[
                    safe(f"{number(left)} to {number(right)} {unit}".strip())
                    + f"<br>{percent(share)} of the simulated datasets<br>{names[group]}"
                    for left, right, share in zip(edges[:-1], edges[1:], shares, strict=True)
                ],
                hoverinfo="text",
                meta=full,
                **axes,
            )
    x = np.linspace(*ends, max(15, min(81, budget * 6 // 10)))
    for group in (0, 1):
        center = float(fit.means[group, index])
        deviation = math.sqrt(float(fit.covariances[group, index, index]))
        if not deviation:
            continue  # the same in every dataset: a point, not a curve
        density = np.exp(-(((x - center) / deviation) ** 2) / 2)
        density /= deviation * math.sqrt(2 * math.pi)
        peak = max(peak, float(density.max()))
        style = GROUP_STYLES[group]
        sentence = safe(f"mean {number(center)}, standard deviation {number(deviation)} {unit}")
        filling: dict[str, Any] = {"fill": "tozeroy", "fillcolor": translucent(style.color, 0.15)}
        series(
            figure,
            names[group],
            x,
            density,
            style,
            told=f"<b>{names[group]}</b><br>{sentence}",
            x_title=titled(label, unit),
            group=names[group],
            showlegend=index == 0,
            **(filling if simulated is None else {}),
            **axes,
        )
    return peak


def _edges(values: FloatArray, most: int) -> FloatArray:
    """Edges of equal bins; whole steps each where the values lie on a grid, as counts do."""
    distinct = np.unique(values)
    low, high = float(distinct[0]), float(distinct[-1])
    if high == low:
        return np.array([low - 0.5, low + 0.5])
    step = float(np.diff(distinct).min())
    steps = (distinct - low) / step
    if step * 1000 < high - low or np.abs(steps - np.round(steps)).max() > 0.01:
        return np.linspace(low, high, most + 1)
    a_bin = step * math.ceil((round((high - low) / step) + 1) / most)
    bins = math.ceil((high - low + step) / a_bin - 1e-9)
    return np.asarray(low - step / 2 + a_bin * np.arange(bins + 1), dtype=np.float64)


def _signed(value: float) -> str:
    shown = f"{value:+.2f}".replace("-", "−")
    return shown if shown[1:] != "0.00" else "0.00"


def _alt_fit(fit: PairModel, labels: Sequence[str], units: Sequence[str]) -> str:
    separation = np.abs(fit.difference) / np.sqrt(np.diag(fit.pooled))
    widest = int(separation.argmax())
    names = group_names(fit.pair)
    values = [f"{number(float(fit.means[group, widest]))} if {names[group]}" for group in (0, 1)]
    unit = f" {units[widest]}" if units[widest] else ""
    return (
        f"The statistic that gives away most is {labels[widest]}: on average {values[0]} and "
        f"{values[1]}{unit and ', in'}{unit}, {number(float(separation[widest]))} standard "
        "deviations apart."
    )


def _alt_correlations(correlations: FloatArray, labels: Sequence[str]) -> str:
    if len(labels) < 2:
        return "There is one statistic, so there is no correlation."
    apart = np.triu(np.abs(correlations), 1)
    row, column = divmod(int(apart.argmax()), len(labels))
    return (
        f"The strongest correlation is {_signed(float(correlations[row, column]))}, of "
        f"{labels[row]} and {labels[column]}."
    )
