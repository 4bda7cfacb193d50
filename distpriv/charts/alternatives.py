"""The alternatives of a decision: what each lets an attacker achieve, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from plotly import graph_objects as go

from distpriv.analysis.decision import Alternative
from distpriv.charts.frame import accuracy_axis, empty, finding, linear_axis
from distpriv.charts.intervals import within
from distpriv.charts.lines import apart, series
from distpriv.charts.style import MechanismStyle, series_style
from distpriv.words import exact, listed, percent, safe, shorten, titled, with_unit

__all__ = ["alternatives_chart"]

_MEASURE = "accuracy of the best attacker (share)"
_MIXED = "the statistics' own units, mixed"
_BESIDE_LENGTH = 28


def alternatives_chart(alternatives: Sequence[Alternative], chosen: str | None) -> go.Figure:
    """Attack against error of every alternative; the proposed one is ringed.

    Parameters
    ----------
    alternatives : sequence of Alternative
        At least one.
    chosen : str or None
        Name of the proposed one.
    """
    phrases = [
        f"{percent(option.accuracy)} and {with_unit(option.error, option.unit)} ({option.name})"
        + (", the proposed one" if option.name == chosen else "")
        for option in alternatives
    ]
    errors = [option.error for option in alternatives if math.isfinite(option.error)]
    most = max(errors, default=1.0) or 1.0
    units = sorted({option.unit or _MIXED for option in alternatives})
    figure = empty(
        _title(alternatives, chosen),
        alt=f"Accuracy of the best attacker and total error: {listed(phrases)}.",
        how_to_read=(
            "each mark is an alternative; further down is safer, further left more exact. The "
            "ring is the proposed one."
        ),
        height=400 + 12 * len(alternatives),
        xaxis=linear_axis(safe(titled("total error", " / ".join(units))), -0.06 * most, 1.1 * most),
        yaxis=accuracy_axis("right guesses of the best attacker (%)"),
    )
    named = len(errors) == len(alternatives) and apart(
        figure, errors, [within(option.accuracy) or 0.0 for option in alternatives]
    )
    draw = partial(series, figure, at_y=within, y_title=_MEASURE, cliponaxis=False)
    for place, option in enumerate(alternatives):
        name = f"{option.name}, proposed" if option.name == chosen else option.name
        text = (
            f"<b>{safe(option.name)}</b><br>{safe(option.mechanism)}, ε = {exact(option.epsilon)}, "
            f"δ = {exact(option.delta)}<br>best attacker right in {percent(option.accuracy)}"
            f"<br>total error: {safe(with_unit(option.error, option.unit))}"
        )
        style = series_style(place)
        draw(
            shorten(name, 40),
            [option.error],
            [option.accuracy],
            style,
            mode="markers+text" if named else "markers",
            text=[safe(name, _BESIDE_LENGTH)] if named else None,
            textposition="middle left" if option.error > most / 2 else "middle right",
            told=text,
            size=14,
            showlegend=not named,
        )
    ring = next((option for option in alternatives if option.name == chosen), None)
    if ring is not None:
        color = series_style(alternatives.index(ring)).color
        style, point = (
            MechanismStyle(color, "solid", "circle-open"),
            ([ring.error], [ring.accuracy]),
        )
        draw("proposed", *point, style, mode="markers", size=28, edge=2.5, showlegend=False)
    return figure


def _title(alternatives: Sequence[Alternative], chosen: str | None) -> str:
    """What the proposed one comes to, or the safest where none is proposed."""
    proposed = [option for option in alternatives if option.name == chosen]
    found = (proposed or sorted(alternatives, key=lambda option: option.accuracy))[0]
    what = "is proposed" if proposed else "is the safest"
    return finding(found.name, f" {what}: right in {percent(found.accuracy)}")
