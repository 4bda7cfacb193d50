"""Does the Gaussian model hold: quantiles, covariances of the two shares, bootstrap intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, log_axis
from distpriv.charts.style import GROUP_COLORS, NEUTRAL, group_names, translucent
from distpriv.charts.text import number, percent, safe, wrap
from distpriv.model.sampling import Interval
from distpriv.queries.properties import Pair
from distpriv.robustness.bootstrap import DeliveredIntervals, ModelReplicates
from distpriv.robustness.diagnostics import CovarianceDifference, FitDiagnostics

__all__ = ["bootstrap_intervals", "qq_plot", "variance_ratios"]

FloatArray = NDArray[np.float64]

_MOST_POINTS = 1900
_PANEL, _GAP = 180, 66
_SYMBOLS = ("circle", "x-thin-open")
_REACH = 1000.0


def qq_plot(diagnostics: FitDiagnostics, labels: Sequence[str], *, columns: int = 2) -> go.Figure:
    """Simulated quantiles of every statistic against those of its fitted normal.

    Parameters
    ----------
    diagnostics : FitDiagnostics
    labels : sequence of str, one a statistic
    columns : int, at least 1
        Panels side by side; 1 suits a narrow screen.
    """
    m = len(labels)
    columns = max(1, min(columns, m))
    rows = math.ceil(m / columns)
    figure = empty(
        "Simulated against normal quantiles",
        alt=_alt_quantiles(diagnostics, labels),
        how_to_read=(
            "each point is a quantile of the simulated datasets, in standard deviations of the "
            f"fitted normal: circles if {group_names(diagnostics.pair)[0]}, crosses if "
            f"{group_names(diagnostics.pair)[1]}. Points on the line fit; 95 % of them lie in the "
            "grey band by chance alone. Counts show as steps."
        ),
        height=128 + rows * (_PANEL + _GAP),
    )
    figure.update_layout(margin_t=82)
    kept = _thinned(len(diagnostics.quantiles), _MOST_POINTS // m)
    low, high = diagnostics.envelope[:, kept]
    ends = max(3.5, 1.05 * float(np.abs(diagnostics.quantiles).max()))
    total = rows * _PANEL + (rows - 1) * _GAP
    width = (1 - 0.08 * (columns - 1)) / columns
    axes: dict[str, dict[str, object]] = {}
    titles: list[dict[str, object]] = []
    for index, label in enumerate(labels):
        row, column = divmod(index, columns)
        key = "" if index == 0 else str(index + 1)
        top, left = 1 - row * (_PANEL + _GAP) / total, column * (width + 0.08)
        drawn = diagnostics.simulated[:, kept, index]
        reach = max(ends, 1.05 * float(np.abs(drawn).max()), 1.05 * float(np.abs(low).max()))
        last = index + columns >= m
        axes[f"xaxis{key}"] = linear_axis(
            "normal quantile" if last else "",
            -ends,
            ends,
            domain=(left, min(left + width, 1.0)),
            anchor=f"y{key}",
            nticks=7,
        )
        axes[f"yaxis{key}"] = linear_axis(
            "simulated" if column == 0 else "",
            -reach,
            reach,
            domain=(max(top - _PANEL / total, 0.0), top),
            anchor=f"x{key}",
            nticks=5,
        )
        titles.append(
            {
                "x": left,
                "xref": "paper",
                "xanchor": "left",
                "y": top,
                "yref": "paper",
                "yanchor": "bottom",
                "text": wrap(label, max(46 // columns, 12)),
                "align": "left",
                "showarrow": False,
            }
        )
        _add_quantiles(figure, diagnostics, index, label, kept, (low, high), ends, key)
    return figure.update_layout(axes, annotations=titles)


def variance_ratios(
    difference: CovarianceDifference, labels: Sequence[str], pair: Pair
) -> go.Figure:
    """Variance under the second share over that under the first, for statistics and directions.

    Parameters
    ----------
    difference : CovarianceDifference
    labels : sequence of str, one a statistic
    pair : Pair
    """
    m = len(labels)
    names, positions = [*labels], [*map(float, range(m))]
    ratios = difference.variance_ratios.tolist()
    if m > 1:
        names += ["direction of least ratio", "direction of greatest ratio"]
        positions += [m + 0.5, m + 1.5]
        ratios += difference.eigenvalues[[0, -1]].tolist()
    drawn = [min(max(ratio, 1 / _REACH), _REACH) for ratio in ratios]
    furthest = max(1.25, *(1.1 * max(value, 1 / value) for value in drawn))
    one, other = group_names(pair)
    figure = empty(
        "Variances under the two shares",
        alt=_alt_ratios(difference, labels, (one, other)),
        how_to_read=(
            f"each point is the variance if {other} over that if {one}. At 1 they are the same, "
            "as the mechanisms assume"
            + ("; the directions mix statistics, for the most extreme ratios." if m > 1 else ".")
        ),
        height=150 + 36 * len(names),
    )
    options = {"autorange": False, "showgrid": False}
    figure.update_layout(
        xaxis=log_axis("ratio of the variances", 1 / furthest, furthest) | _ratio_ticks(furthest),
        yaxis=linear_axis("", positions[-1] + 0.5, -0.5)
        | options
        | {"tickvals": positions, "ticktext": [wrap(name, 22) for name in names]},
    )
    parts = (("statistic", slice(0, m)), ("direction", slice(m, m + 2)))
    for group, part in parts[: 1 + (m > 1)]:
        color = GROUP_COLORS[1] if group == "statistic" else NEUTRAL
        figure.add_scatter(
            x=drawn[part],
            y=positions[part],
            mode="markers",
            marker={
                "color": color,
                "size": 11,
                "symbol": "circle" if group == "statistic" else "diamond",
            },
            name=group,
            hovertext=[
                f"<b>{safe(name)}</b><br>variance × {number(ratio)}"
                for name, ratio in zip(names[part], ratios[part], strict=True)
            ],
            hoverinfo="text",
            meta={"x": ratios[part], "y": names[part], "y_title": "statistic or direction"},
        )
    figure.add_vline(x=1, line={"color": NEUTRAL, "width": 1.5, "dash": "dash"})
    return figure


def bootstrap_intervals(
    replicates: ModelReplicates,
    delivered: DeliveredIntervals | None = None,
    *,
    promised: float | None = None,
    mechanism: str = "",
) -> go.Figure:
    """Bootstrap intervals of the distances, and of the ε and accuracy that a noise delivers.

    Parameters
    ----------
    replicates : ModelReplicates
    delivered : DeliveredIntervals, optional
    promised : float, optional
        ε that the noise was calibrated for, drawn as a dashed rule.
    mechanism : str
        Short name, for the ε and the accuracy.
    """
    with_noise = f"with {mechanism}" if mechanism else "with this noise"
    rows: list[tuple[str, Interval, float | None]] = [
        ("distance of the two means (L2)", replicates.sensitivity, None),
        ("distance in standard deviations (Mahalanobis)", replicates.mahalanobis, None),
    ]
    if delivered is not None:
        rows += [
            (f"ε delivered {with_noise}, pooled covariance", delivered.epsilon, promised),
            (
                f"best attacker {with_noise}, pooled covariance (share right)",
                delivered.accuracy,
                None,
            ),
        ]
    figure = empty(
        "What other records would have given",
        alt=_alt_bootstrap(rows),
        how_to_read=(
            "each point is computed from these records; its bar spans 95 % of what as many "
            "records drawn again from the same population would give. The noise stays the same"
            + ("; the dashed rule is the promised ε." if promised is not None else ".")
        ),
        height=70 + 92 * len(rows),
    )
    step = 1 / len(rows)
    for index, (name, interval, rule) in enumerate(rows):
        key = "" if index == 0 else str(index + 1)
        low, high = _around(interval, rule)
        bottom = 1 - (index + 1) * step
        figure.update_layout(
            {
                f"xaxis{key}": linear_axis(safe(name), low, high, anchor=f"y{key}", nticks=7),
                f"yaxis{key}": linear_axis(
                    "",
                    -1,
                    1,
                    anchor=f"x{key}",
                    domain=(bottom + 0.62 * step, bottom + step),
                    showticklabels=False,
                    showgrid=False,
                ),
            }
        )
        axes = {"xaxis": f"x{key}", "yaxis": f"y{key}"}
        figure.add_scatter(
            x=[interval.estimate],
            y=[0],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [interval.high - interval.estimate],
                "arrayminus": [interval.estimate - interval.low],
                "color": GROUP_COLORS[0],
                "thickness": 3,
                "width": 7,
            },
            mode="markers",
            marker={"color": GROUP_COLORS[0], "size": 12},
            name=safe(name),
            showlegend=False,
            hovertext=[f"<b>{safe(name)}</b><br>{_in_words(interval)}"],
            hoverinfo="text",
            meta={"x_title": "estimate", "y": [name], "y_title": "quantity"},
            **axes,
        )
        if rule is not None:
            figure.add_scatter(
                x=[rule, rule],
                y=[-1, 1],
                mode="lines",
                line={"color": NEUTRAL, "width": 1.5, "dash": "dash"},
                name="promised ε",
                showlegend=False,
                hovertext=f"promised: ε = {number(rule)}",
                hoverinfo="text",
                meta={"x_title": "estimate", "y": ["promised ε"] * 2, "y_title": "quantity"},
                **axes,
            )
    return figure


def _add_quantiles(
    figure: go.Figure,
    diagnostics: FitDiagnostics,
    index: int,
    label: str,
    kept: NDArray[np.intp],
    envelope: tuple[FloatArray, FloatArray],
    ends: float,
    key: str,
) -> None:
    """Draw one statistic: the band, the line, and the points of both shares."""
    names = group_names(diagnostics.pair)
    quantiles = diagnostics.quantiles[kept].tolist()
    axes = {"xaxis": f"x{key}", "yaxis": f"y{key}"}
    titles = {"x_title": "normal quantile", "y_title": f"{label} (standardised)"}
    figure.add_scatter(
        x=quantiles + quantiles[::-1],
        y=envelope[0].tolist() + envelope[1][::-1].tolist(),
        mode="none",
        fill="toself",
        fillcolor=translucent(NEUTRAL, 0.3),
        name="95 % band",
        legendgroup="band",
        showlegend=index == 0,
        hoverinfo="skip",
        meta=titles,
        **axes,
    )
    figure.add_scatter(
        x=[-ends, ends],
        y=[-ends, ends],
        mode="lines",
        line={"color": NEUTRAL, "width": 1.5},
        name="fitted normal",
        showlegend=False,
        hoverinfo="skip",
        meta=titles,
        **axes,
    )
    for group in (0, 1):
        told = (
            f"skewness {number(float(diagnostics.skewness[group, index]))}, excess kurtosis "
            f"{number(float(diagnostics.excess_kurtosis[group, index]))}<br>"
            f"furthest from the normal: {percent(float(diagnostics.kolmogorov[group, index]))}<br>"
            f"{safe(diagnostics.test)}: p {_p(float(diagnostics.p_values[group, index]))}"
        )
        figure.add_scatter(
            x=quantiles,
            y=diagnostics.simulated[group, kept, index].tolist(),
            mode="markers",
            marker={
                "color": GROUP_COLORS[group],
                "symbol": _SYMBOLS[group],
                "size": 6,
                "line": {"width": 1.5 * group, "color": GROUP_COLORS[group]},
            },
            name=names[group],
            legendgroup=names[group],
            showlegend=index == 0,
            hovertext=f"<b>{safe(label)}</b>, {names[group]}<br>{told}",
            hoverinfo="text",
            meta=titles,
            **axes,
        )


def _thinned(count: int, budget: int) -> NDArray[np.intp]:
    """Evenly spaced indices, both ends among them; a panel draws four points for each."""
    most = max((budget - 2) // 4, 3)
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))


def _ratio_ticks(furthest: float) -> dict[str, object]:
    steps = [(1, 1), (1.1, 0.9), (1.25, 0.8), (1.5, 0.67), (2, 0.5), (3, 0.33), (5, 0.2), (10, 0.1)]
    steps += [(100, 0.01), (1000, 0.001)]
    shown = [step for step in steps if step[0] <= furthest]
    if len(shown) > 5:
        shown = [steps[0], *shown[:0:-2]]
    ticks = sorted({float(tick) for step in shown for tick in step})
    return {"tickvals": ticks, "ticktext": [number(tick) for tick in ticks]}


def _around(interval: Interval, rule: float | None) -> tuple[float, float]:
    values = [interval.low, interval.high, *([] if rule is None else [rule])]
    room = 0.15 * (max(values) - min(values)) or 0.1 * abs(values[0]) or 0.1
    return min(values) - room, max(values) + room


def _in_words(interval: Interval) -> str:
    return (
        f"{number(interval.estimate)} ({percent(interval.confidence)} interval: "
        f"{number(interval.low)} to {number(interval.high)})"
    )


def _p(value: float) -> str:
    return "below 0.001" if value < 0.001 else f"= {number(value)}"


def _alt_quantiles(diagnostics: FitDiagnostics, labels: Sequence[str]) -> str:
    group, index = divmod(int(diagnostics.kolmogorov.argmax()), len(labels))
    joint = diagnostics.mardia[0]
    return (
        f"The statistic furthest from its fitted normal is {labels[index]} if "
        f"{group_names(diagnostics.pair)[group]}: the distributions differ by at most "
        f"{percent(float(diagnostics.kolmogorov[group, index]))}, and "
        f"{percent(diagnostics.kolmogorov_chance)} could be chance with {diagnostics.datasets} "
        f"datasets. Jointly, Mardia's kurtosis is {number(joint.kurtosis)} where a normal has "
        f"{number(joint.expected_kurtosis)}."
    )


def _alt_ratios(
    difference: CovarianceDifference, labels: Sequence[str], names: tuple[str, str]
) -> str:
    with np.errstate(divide="ignore"):
        furthest = int(np.abs(np.log(difference.variance_ratios)).argmax())
    return (
        f"The variance that changes most is that of {labels[furthest]}: it is "
        f"{number(float(difference.variance_ratios[furthest]))} times as large if {names[1]} as if "
        f"{names[0]}; Box's test of equal covariances has p {_p(difference.p_value)}."
    )


def _alt_bootstrap(rows: Sequence[tuple[str, Interval, float | None]]) -> str:
    return "; ".join(f"{name}: {_in_words(interval)}" for name, interval, _ in rows) + "."
