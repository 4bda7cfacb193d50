"""Scenarios side by side: what an attacker achieves and what the release costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plotly import graph_objects as go

from distpriv.analysis.comparison import Summary, best_of
from distpriv.analysis.equal_terms import Contender
from distpriv.charts.frame import (
    accuracy_axis,
    decades,
    empty,
    finding,
    linear_axis,
    log_axis,
    row_axis,
)
from distpriv.charts.intervals import GUESSING, within
from distpriv.charts.lines import Place, apart, grey, hover, row_bars, series
from distpriv.charts.style import NEUTRAL, series_style, style_of
from distpriv.mechanisms.curves import Curves
from distpriv.words import exact, listed, number, percent, safe, shorten, titled, with_unit

__all__ = [
    "accuracies_against_epsilon",
    "accuracy_bars",
    "error_bars",
    "errors_against_epsilon",
    "mechanism_bars",
]

_NAME_LENGTH, _BESIDE_LENGTH = 26, 20
_ACCURACY = "accuracy of the best attacker (share)"
_ERROR = "total error"
_MIXED = "the statistics' own units, mixed"


def accuracy_bars(summaries: Mapping[str, Summary]) -> go.Figure:
    """How often the best attacker is right, with and without each scenario's noise."""
    phrases = [
        f"{percent(summary.accuracy)} ({name}; {percent(summary.undefended)} without noise)"
        for name, summary in summaries.items()
    ]
    figure = _bars(
        summaries,
        title=_safest(summaries),
        alt=f"The best attacker is right in {listed(phrases)} of cases.",
        how_to_read=(
            "a bar starts at 50\u00a0%, where an attacker guesses, and ends at the best attacker's "
            "accuracy with the noise; the hollow mark is without. Shorter is safer."
        ),
        axis=accuracy_axis("right guesses (%)"),
        values=[summary.accuracy for summary in summaries.values()],
        texts=[percent(summary.accuracy) for summary in summaries.values()],
        measure=_ACCURACY,
        at=lambda accuracy: within(accuracy) - GUESSING,
        base=GUESSING,
    )
    series(
        figure,
        "without noise",
        [summary.undefended for summary in summaries.values()],
        list(summaries),
        grey(symbol="diamond-open"),
        mode="markers",
        at_x=within,
        at_y=list(range(len(summaries))),
        told=[f"without noise: {percent(summary.undefended)}" for summary in summaries.values()],
        x_title=_ACCURACY,
        y_title="scenario",
        size=12,
        edge=2,
        showlegend=False,
    )
    for summary in list(summaries.values())[:1]:  # the name of the mark, above the first of them
        figure.add_annotation(
            x=within(summary.undefended) or GUESSING,
            y=-0.5,
            yanchor="bottom",
            xanchor="right" if summary.undefended > 0.9 else "center",
            text="without noise",
            showarrow=False,
            font={"color": NEUTRAL},
        )
    return figure


def _safest(summaries: Mapping[str, Summary]) -> str:
    right = {percent(summary.accuracy) for summary in summaries.values()}
    if len(right) == 1:
        (text,) = right
        if len(summaries) == 1:
            return f"The best attacker is right in {text} of cases"
        return f"All are as safe: the attacker is right in {text}"
    safest, _ = best_of(summaries)
    return finding(safest, f" is the safest: right in {percent(summaries[safest].accuracy)}")


def error_bars(summaries: Mapping[str, Summary]) -> go.Figure:
    """Total error of each scenario, as expected."""
    texts = [with_unit(summary.error, summary.unit) for summary in summaries.values()]
    phrases = [f"{text} ({name})" for name, text in zip(summaries, texts, strict=True)]
    most = max((summary.error for summary in summaries.values()), default=0.0)
    units = sorted({summary.unit or _MIXED for summary in summaries.values()})
    title = safe(titled(_ERROR, " / ".join(units)))
    return _bars(
        summaries,
        title=_most_exact(summaries),
        alt=f"The total error is {listed(phrases)}.",
        how_to_read=(
            "a bar is as long as the errors of all statistics are as one number, on average. "
            "Shorter is more exact."
        ),
        axis=linear_axis(title, 0, 1.25 * most or 1.0),
        values=[summary.error for summary in summaries.values()],
        texts=texts,
        measure=_ERROR,
    )


def _most_exact(summaries: Mapping[str, Summary]) -> str:
    if not summaries:
        return "Total error"
    _, best = best_of(summaries)
    if best is None:
        return "Errors in units of their own: compare each statistic"
    error = with_unit(summaries[best].error, summaries[best].unit)
    if len(summaries) == 1:
        return finding("", f"The total error is {error}")
    if len({number(summary.error) for summary in summaries.values()}) == 1:
        return finding("", f"All are as exact: total error {error}")
    return finding(best, f" is the most exact: total error {error}")


def accuracies_against_epsilon(summaries: Mapping[str, Summary]) -> go.Figure:
    """Accuracy of the best attack on each scenario's mechanism, with its own ε marked."""
    return _lines(
        {name: (summary.accuracies, summary.accuracy) for name, summary in summaries.items()},
        summaries,
        about="Right guesses",
        axis=accuracy_axis("right guesses (%)"),
        measure=_ACCURACY,
        beside=("top left", "bottom right"),
        words=percent,
        at_line=None,
        at_mark=within,
    )


def errors_against_epsilon(summaries: Mapping[str, Summary]) -> go.Figure:
    """Total error of each scenario's mechanism, with its own ε marked."""
    ends = decades(
        float(value)
        for summary in summaries.values()
        for value in (*next(iter(summary.costs.y.values())), summary.error)
    )
    return _lines(
        {name: (summary.costs, summary.error) for name, summary in summaries.items()},
        summaries,
        about="Total error",
        axis=log_axis(_ERROR, *ends),
        measure=_ERROR,
        beside=("top right", "bottom left"),
        words=number,
        at_line=lambda error: max(error, ends[0]),
        at_mark=lambda error: max(error, ends[0]),
    )


def mechanism_bars(contenders: Sequence[Contender], *, equal: str, unit: str) -> go.Figure:
    """Total error of each mechanism at one promise, or against one attacker.

    Parameters
    ----------
    contenders : sequence of Contender
        By error, the least first.
    equal : str
        What is the same for all of them, plain.
    unit : str
        Of the errors; empty for the statistics' own units, mixed.
    """
    names = [one.mechanism for one in contenders]
    texts = [
        f"{number(one.error)}" + ("" if one.promise.kept else f" ({one.promise.words})")
        for one in contenders
    ]
    told = [
        f"{safe(one.mechanism)}: error {safe(with_unit(one.error, unit))}, promise "
        f"({one.epsilon:.3g}, {exact(one.delta)}), the attacker is right "
        f"{number(one.guesses)} times in 100"
        for one in contenders
    ]
    phrases = [f"{text} ({name})" for name, text in zip(names, texts, strict=True)]
    most = max((one.error for one in contenders), default=0.0)
    figure = empty(
        finding("", f"Error at equal {equal}"),
        alt=f"At equal {equal} the total error is {listed(phrases)}.",
        how_to_read=(
            "a bar is as long as the errors of all statistics are as one number, on average. "
            "Shorter is more exact."
        ),
        height=140 + 36 * max(len(contenders), 1),
        xaxis=linear_axis(safe(titled(_ERROR, unit or _MIXED)), 0, 1.3 * most or 1.0),
        yaxis=row_axis([safe(name, _NAME_LENGTH) for name in names], end=0.5),
        bargap=0.35,
    )
    row_bars(
        figure,
        "error",
        [one.error for one in contenders],
        names,
        [style_of(name).color for name in names],
        told=told,
        x_title=_ERROR,
        y_title="mechanism",
        text=[safe(text) for text in texts],
        textposition="outside",
        cliponaxis=False,
        showlegend=False,
    )
    return figure


def _bars(
    summaries: Mapping[str, Summary],
    *,
    title: str,
    alt: str,
    how_to_read: str,
    axis: dict[str, Any],
    values: list[float],
    texts: list[str],
    measure: str,
    at: Place | None = None,
    base: float = 0.0,
) -> go.Figure:
    names = [safe(name, _NAME_LENGTH) for name in summaries]
    figure = empty(
        title,
        alt=alt,
        how_to_read=how_to_read,
        height=140 + 44 * len(summaries),
        xaxis=axis,
        yaxis=row_axis(names, end=0.5),
        bargap=0.35,
    )
    row_bars(
        figure,
        "with noise",
        values,
        list(summaries),
        [series_style(place).color for place in range(len(summaries))],
        told=[f"{safe(name)}: {safe(text)}" for name, text in zip(summaries, texts, strict=True)],
        at_x=at,
        x_title=measure,
        y_title="scenario",
        base=base,
        text=[safe(text) for text in texts],
        textposition="outside",
        cliponaxis=False,
        showlegend=False,
    )
    return figure


def _lines(
    curves: Mapping[str, tuple[Curves, float]],
    summaries: Mapping[str, Summary],
    *,
    about: str,
    axis: dict[str, Any],
    measure: str,
    beside: tuple[str, str],
    words: Callable[[float], str],
    at_line: Place | None,
    at_mark: Place,
) -> go.Figure:
    phrases = [
        f"{words(own)} at ε = {exact(summaries[name].scenario.epsilon)} ({name})"
        for name, (_, own) in curves.items()
    ]
    epsilons = [value for curve, _ in curves.values() for value in curve.x]
    epsilons += [summaries[name].scenario.epsilon for name in curves]
    ends = (min(epsilons, default=0.1), max(epsilons, default=10.0))
    figure = empty(
        _along_epsilon(about, curves, words),
        alt=f"The {measure.removesuffix(' (share)')} is {listed(phrases)}.",
        how_to_read=(
            "a line is a scenario's mechanism at other ε, all else as it is; the large mark is "
            "the scenario's own ε."
        ),
        height=400 + 12 * len(curves),
        xaxis=log_axis("ε (more private ← → more accurate)", *ends),
        yaxis=axis,
    )
    own_places = {
        name: (summaries[name].scenario.epsilon, at_mark(own)) for name, (_, own) in curves.items()
    }
    named = apart(
        figure,
        [epsilon for epsilon, _ in own_places.values()],
        [0.0 if up is None else up for _, up in own_places.values()],
    )
    third, to_the_left = (ends[1] / ends[0]) ** (1 / 3), beside[0].endswith("left")
    for place, (name, (curve, own)) in enumerate(curves.items()):
        style, epsilon = series_style(place), summaries[name].scenario.epsilon
        (values,) = curve.y.values()
        series(
            figure,
            shorten(name, _NAME_LENGTH),
            curve.x,
            values,
            style,
            at_y=at_line,
            told=hover(name, ("ε = ", curve.x), (f"{measure}: ", values, words)),
            y_title=measure,
            group=str(place),
            showlegend=not named,
        )
        series(
            figure,
            f"{name}, as chosen",
            [epsilon],
            [own],
            style,
            mode="markers+text" if named else "markers",
            text=[safe(name, _BESIDE_LENGTH)] if named else None,
            textposition=beside[
                int(epsilon < ends[0] * third if to_the_left else epsilon > ends[1] / third)
            ],
            at_y=at_mark,
            told=[f"<b>{safe(name)}</b>, as chosen<br>ε = {exact(epsilon)}"],
            y_title=measure,
            size=14,
            group=str(place),
            marker={"line": {"width": 1.5, "color": "white"}},
            showlegend=False,
            cliponaxis=False,
        )
    return figure


def _along_epsilon(
    about: str, curves: Mapping[str, tuple[Curves, float]], words: Callable[[float], str]
) -> str:
    """Between which values the lines run."""
    known = [
        float(value)
        for curve, _ in curves.values()
        for values in curve.y.values()
        for value in values
        if math.isfinite(value)
    ]
    if not known:
        return f"{about} along ε"
    low, high = words(min(known)), words(max(known))
    return f"{about} along ε: " + (low if low == high else f"from {low} to {high}")
