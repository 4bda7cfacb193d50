"""Scenarios side by side: what an attacker achieves and what the release costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from plotly import graph_objects as go

from distpriv.analysis.comparison import Summary
from distpriv.charts.frame import accuracy_axis, decades, empty, linear_axis, log_axis
from distpriv.charts.intervals import GUESSING, within
from distpriv.charts.style import NEUTRAL, series_style
from distpriv.charts.text import listed, number, percent, safe, with_unit
from distpriv.mechanisms.curves import Curves

__all__ = ["accuracies_against_epsilon", "accuracy_bars", "error_bars", "errors_against_epsilon"]

_NAME_LENGTH = 26
_ACCURACY = "accuracy of the best attacker (share)"
_MIXED = "the statistics' own units, mixed"


def accuracy_bars(summaries: Mapping[str, Summary]) -> go.Figure:
    """How often the best attacker is right, with and without each scenario's noise."""
    told = [
        f"{percent(each.accuracy)} ({name}; {percent(each.undefended)} without noise)"
        for name, each in summaries.items()
    ]
    figure = _bars(
        summaries,
        title="The best attacker is right in",
        alt=f"The best attacker is right in {listed(told)} of cases.",
        how_to_read=(
            "a bar starts at 50 %, where an attacker guesses, and ends at the best attacker's "
            "accuracy with the noise; the hollow mark is without. Shorter is safer."
        ),
        values=[within(each.accuracy) - GUESSING for each in summaries.values()],
        texts=[percent(each.accuracy) for each in summaries.values()],
        base=GUESSING,
        told=_told([each.accuracy for each in summaries.values()], summaries, _ACCURACY),
    )
    figure.add_scatter(
        x=[within(each.undefended) for each in summaries.values()],
        y=list(range(len(summaries))),
        mode="markers",
        name="without noise",
        marker={"symbol": "diamond-open", "size": 12, "color": NEUTRAL, "line": {"width": 2}},
        hovertext=[f"without noise: {percent(each.undefended)}" for each in summaries.values()],
        hoverinfo="text",
        meta=_told([each.undefended for each in summaries.values()], summaries, _ACCURACY),
    )
    figure.update_layout(xaxis=accuracy_axis("accuracy (%)"))
    return figure


def error_bars(summaries: Mapping[str, Summary]) -> go.Figure:
    """Expected L2 error of each scenario."""
    told = [f"{_error(each)} ({name})" for name, each in summaries.items()]
    most = max((each.error for each in summaries.values()), default=0.0)
    figure = _bars(
        summaries,
        title="The released statistics move by (L2)",
        alt=f"The expected L2 error is {listed(told)}.",
        how_to_read="the length of the vector of all changes, on average. Shorter is more exact.",
        values=[each.error for each in summaries.values()],
        texts=[_error(each) for each in summaries.values()],
        base=0.0,
        told=_told([each.error for each in summaries.values()], summaries, "expected L2 error"),
    )
    units = sorted({each.unit or _MIXED for each in summaries.values()})
    figure.update_layout(
        xaxis=linear_axis(safe(f"expected L2 error ({' / '.join(units)})"), 0, 1.25 * most or 1.0)
    )
    return figure


def accuracies_against_epsilon(summaries: Mapping[str, Summary]) -> go.Figure:
    """Accuracy of the best attack on each scenario's mechanism, with its own ε marked."""
    figure = _lines(
        {name: (each.accuracies, each.accuracy) for name, each in summaries.items()},
        summaries,
        title="Accuracy of the best attacker against ε",
        measure=_ACCURACY,
        words=percent,
        low=None,
    )
    figure.update_layout(yaxis=accuracy_axis("accuracy (%)"))
    return figure


def errors_against_epsilon(summaries: Mapping[str, Summary]) -> go.Figure:
    """L2 error of each scenario's mechanism, with its own ε marked."""
    ends = decades(
        float(value)
        for each in summaries.values()
        for value in (*next(iter(each.costs.y.values())), each.error)
    )
    figure = _lines(
        {name: (each.costs, each.error) for name, each in summaries.items()},
        summaries,
        title="Error against ε",
        measure="expected L2 error",
        words=number,
        low=ends[0],
    )
    figure.update_layout(yaxis=log_axis("expected L2 error", *ends))
    return figure


def _bars(
    summaries: Mapping[str, Summary],
    *,
    title: str,
    alt: str,
    how_to_read: str,
    values: list[float],
    texts: list[str],
    base: float,
    told: dict[str, object],
) -> go.Figure:
    figure = empty(title, alt=alt, how_to_read=how_to_read, height=140 + 44 * len(summaries))
    figure.add_bar(
        x=values,
        y=list(range(len(summaries))),
        base=base,
        orientation="h",
        marker={"color": [series_style(place).color for place in range(len(summaries))]},
        text=[safe(text) for text in texts],
        textposition="outside",
        cliponaxis=False,
        hovertext=[
            f"{safe(name)}: {safe(text)}" for name, text in zip(summaries, texts, strict=True)
        ],
        hoverinfo="text",
        name="with noise",
        meta=told,
        showlegend=False,
    )
    figure.update_layout(
        yaxis={
            "range": [len(summaries) - 0.5, -0.5],
            "tickvals": list(range(len(summaries))),
            "ticktext": [_label(name) for name in summaries],
            "automargin": True,
        },
        bargap=0.35,
    )
    return figure


def _lines(
    curves: Mapping[str, tuple[Curves, float]],
    summaries: Mapping[str, Summary],
    *,
    title: str,
    measure: str,
    words: Callable[[float], str],
    low: float | None,
) -> go.Figure:
    told = [
        f"{words(own)} at ε = {number(summaries[name].scenario.epsilon)} ({name})"
        for name, (_, own) in curves.items()
    ]
    figure = empty(
        title,
        alt=f"The {measure.removesuffix(' (share)')} is {listed(told)}.",
        how_to_read=(
            "a line is a scenario's mechanism at other ε, all else as it is; the large mark is "
            "the scenario's own ε."
        ),
        height=400 + 12 * len(curves),
    )
    epsilons = [value for curve, _ in curves.values() for value in curve.x]
    epsilons += [summaries[name].scenario.epsilon for name in curves]
    ends = (min(epsilons, default=0.1), max(epsilons, default=10.0))
    figure.update_layout(xaxis=log_axis("ε (more private ← → more accurate)", *ends))
    for place, (name, (curve, own)) in enumerate(curves.items()):
        style, epsilon = series_style(place), summaries[name].scenario.epsilon
        (values,) = curve.y.values()
        line = [None if math.isnan(value) else float(value) for value in values]
        figure.add_scatter(
            x=list(map(float, curve.x)),
            y=[y if y is None or low is None else max(y, low) for y in line],
            name=_label(name),
            mode="lines",
            line={"color": style.color, "dash": style.dash, "width": 2.5},
            hovertext=[
                f"<b>{safe(name)}</b><br>ε = {number(x)}<br>{measure}: "
                + ("not known" if y is None else words(y))
                for x, y in zip(curve.x, line, strict=True)
            ],
            hoverinfo="text",
            meta={"y": line, "y_title": measure},
            legendgroup=str(place),
        )
        figure.add_scatter(
            x=[epsilon],
            y=[within(own) if low is None else max(own, low)],
            name=safe(f"{name}, as chosen"),
            mode="markers",
            marker={
                "symbol": style.symbol,
                "size": 14,
                "color": style.color,
                "line": {"width": 1.5, "color": "white"},
            },
            hovertext=[f"<b>{safe(name)}</b>, as chosen<br>ε = {number(epsilon)}"],
            hoverinfo="text",
            meta={"y": [own], "y_title": measure},
            legendgroup=str(place),
            showlegend=False,
            cliponaxis=False,
        )
    return figure


def _told(values: list[float], summaries: Mapping[str, Summary], title: str) -> dict[str, object]:
    return {"x": values, "y": list(summaries), "x_title": title, "y_title": "scenario"}


def _label(name: str) -> str:
    return safe(name, _NAME_LENGTH)


def _error(summary: Summary) -> str:
    return with_unit(number(summary.error), summary.unit) if summary.unit else number(summary.error)
