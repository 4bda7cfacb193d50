"""Does the Gaussian model hold: quantiles, covariances of the two shares, bootstrap intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, log_axis, panels, row_axis
from distpriv.charts.intervals import bars
from distpriv.charts.lines import grey, series
from distpriv.charts.style import GROUP_COLORS, NEUTRAL, MechanismStyle, group_names, translucent
from distpriv.model.sampling import Interval
from distpriv.queries.properties import Pair
from distpriv.robustness.bootstrap import DeliveredIntervals, ModelReplicates
from distpriv.robustness.diagnostics import CovarianceDifference, FitDiagnostics
from distpriv.words import exact, number, percent, safe, share, wrap

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
    grid = panels(m, columns, _PANEL, _GAP, apart=0.08)
    figure = empty(
        "Simulated against normal quantiles",
        alt=_alt_quantiles(diagnostics, labels),
        how_to_read=(
            "each point is a quantile of the simulated datasets, in standard deviations of the "
            f"fitted normal: circles if {group_names(diagnostics.pair)[0]}, crosses if "
            f"{group_names(diagnostics.pair)[1]}. Points on the line fit; 95\u00a0% of them lie in "
            "the grey band by chance alone. Counts show as steps."
        ),
        height=128 + math.ceil(m / columns) * (_PANEL + _GAP),
    )
    figure.update_layout(margin_t=82)
    kept = _thinned(len(diagnostics.quantiles), _MOST_POINTS // m)
    low, high = diagnostics.envelope[:, kept]
    ends = max(3.5, 1.05 * float(np.abs(diagnostics.quantiles).max()))
    axes: dict[str, dict[str, object]] = {}
    titles: list[dict[str, object]] = []
    for index, (label, (key, across, up)) in enumerate(zip(labels, grid, strict=True)):
        drawn = diagnostics.simulated[:, kept, index]
        reach = max(ends, 1.05 * float(np.abs(drawn).max()), 1.05 * float(np.abs(low).max()))
        x_title = "normal quantile" if index + columns >= m else ""
        y_title = "" if index % columns else "simulated"
        place = {"domain": across, "anchor": f"y{key}", "nticks": 7}
        axes[f"xaxis{key}"] = linear_axis(x_title, -ends, ends, **place)
        place = {"domain": up, "anchor": f"x{key}", "nticks": 5}
        axes[f"yaxis{key}"] = linear_axis(y_title, -reach, reach, **place)
        titles.append(
            {
                "x": across[0],
                "xref": "paper",
                "xanchor": "left",
                "y": up[1],
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
    rows = row_axis([wrap(name, 22) for name in names], end=0.5, autorange=False, showgrid=False)
    rows |= {"tickvals": positions, "range": [positions[-1] + 0.5, -0.5]}
    figure = empty(
        "Variances under the two shares",
        alt=_alt_ratios(difference, labels, (one, other)),
        how_to_read=(
            f"each point is the variance if {other} over that if {one}. At 1 they are the same, "
            "as the mechanisms assume"
            + ("; the directions mix statistics, for the most extreme ratios." if m > 1 else ".")
        ),
        height=150 + 36 * len(names),
        xaxis=log_axis("ratio of the variances", 1 / furthest, furthest) | _ratio_ticks(furthest),
        yaxis=rows,
    )
    groups = (
        ("statistic", slice(0, m), MechanismStyle(GROUP_COLORS[1], "solid", "circle")),
        ("direction", slice(m, m + 2), grey(symbol="diamond")),
    )
    for group, part, style in groups[: 1 + (m > 1)]:
        series(
            figure,
            group,
            ratios[part],
            names[part],
            style,
            mode="markers",
            at_x=drawn[part],
            at_y=positions[part],
            told=[
                f"<b>{safe(name)}</b><br>variance × {number(ratio)}"
                for name, ratio in zip(names[part], ratios[part], strict=True)
            ],
            y_title="statistic or direction",
            size=11,
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
            "each point is computed from these records; its bar spans 95\u00a0% of what as many "
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
        options: dict[str, Any] = {
            "xaxis": f"x{key}",
            "yaxis": f"y{key}",
            "x_title": "estimate",
            "y_title": "quantity",
            "showlegend": False,
        }
        series(
            figure,
            name,
            [interval.estimate],
            [name],
            MechanismStyle(GROUP_COLORS[0], "solid", "circle"),
            mode="markers",
            at_y=[0],
            error_x=bars([interval], GROUP_COLORS[0], thickness=3, width=7),
            told=[f"<b>{safe(name)}</b><br>{_in_words(interval)}"],
            size=12,
            **options,
        )
        if rule is not None:
            style, label = grey("dash"), "promised ε"
            options |= {"at_y": [-1, 1], "told": f"promised: ε = {exact(rule)}", "width": 1.5}
            series(figure, label, [rule, rule], [label] * 2, style, **options)
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
    options: dict[str, Any] = {
        "xaxis": f"x{key}",
        "yaxis": f"y{key}",
        "x_title": "normal quantile",
        "y_title": f"{label} (standardised)",
    }
    low, high = envelope
    series(
        figure,
        "95\u00a0% band",
        quantiles + quantiles[::-1],
        low.tolist() + high[::-1].tolist(),
        grey(),
        mode="none",
        fill="toself",
        fillcolor=translucent(NEUTRAL, 0.3),
        group="band",
        showlegend=index == 0,
        **options,
    )
    line = [-ends, ends]
    series(
        figure, "fitted normal", line, line, grey("solid"), width=1.5, showlegend=False, **options
    )
    for group in (0, 1):
        sentence = (
            f"skewness {number(float(diagnostics.skewness[group, index]))}, excess kurtosis "
            f"{number(float(diagnostics.excess_kurtosis[group, index]))}<br>"
            f"furthest from the normal: {percent(float(diagnostics.kolmogorov[group, index]))}<br>"
            f"{safe(diagnostics.test)}: p {_p(float(diagnostics.p_values[group, index]))}"
        )
        style = MechanismStyle(GROUP_COLORS[group], "solid", _SYMBOLS[group])
        series(
            figure,
            names[group],
            quantiles,
            diagnostics.simulated[group, kept, index],
            style,
            mode="markers",
            told=f"<b>{safe(label)}</b>, {names[group]}<br>{sentence}",
            size=6,
            marker={"line": {"width": 1.5 * group, "color": style.color}},
            group=names[group],
            showlegend=index == 0,
            **options,
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
        f"{number(interval.estimate)} ({share(interval.confidence)} interval: "
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
        f"{percent(diagnostics.kolmogorov_chance)} could be chance with "
        f"{exact(diagnostics.datasets)} datasets. Jointly, Mardia's kurtosis is "
        f"{number(joint.kurtosis)} where a normal has {number(joint.expected_kurtosis)}."
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
