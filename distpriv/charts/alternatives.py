"""The alternatives of a decision: what each lets an attacker achieve, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plotly import graph_objects as go

from distpriv.charts.frame import accuracy_axis, empty, linear_axis
from distpriv.charts.intervals import within
from distpriv.charts.style import series_style
from distpriv.charts.text import listed, number, percent, safe, with_unit
from distpriv.store.values import Alternative

__all__ = ["alternatives_chart"]

_MIXED = "the statistics' own units, mixed"


def alternatives_chart(alternatives: Sequence[Alternative], chosen: str | None) -> go.Figure:
    """Attack against error of every alternative; the proposed one is ringed.

    Parameters
    ----------
    alternatives : sequence of Alternative
        At least one.
    chosen : str or None
        Name of the proposed one.
    """
    told = [
        f"{percent(each.accuracy)} and {_error(each)} ({each.name})"
        + (", the proposed one" if each.name == chosen else "")
        for each in alternatives
    ]
    figure = empty(
        "What was weighed",
        alt=f"Accuracy of the best attacker and expected L2 error: {listed(told)}.",
        how_to_read=(
            "each mark is an alternative; further down is safer, further left more exact. The "
            "ring is the proposed one."
        ),
        height=400 + 12 * len(alternatives),
    )
    errors = [each.error for each in alternatives if math.isfinite(each.error)]
    most = max(errors, default=1.0) or 1.0
    units = sorted({each.unit or _MIXED for each in alternatives})
    figure.update_layout(
        xaxis=linear_axis(
            safe(f"expected L2 error ({' / '.join(units)})"), -0.06 * most, 1.1 * most
        ),
        yaxis=accuracy_axis("accuracy of the best attacker (%)"),
    )
    for place, each in enumerate(alternatives):
        style, ringed = series_style(place), each.name == chosen
        figure.add_scatter(
            x=[each.error],
            y=[within(each.accuracy)],
            mode="markers",
            name=safe(f"{each.name}, proposed" if ringed else each.name, 40),
            marker={"symbol": style.symbol, "size": 14, "color": style.color},
            hovertext=(
                f"<b>{safe(each.name)}</b><br>{safe(each.mechanism)}, ε = {number(each.epsilon)}, "
                f"δ = {number(each.delta)}<br>best attacker right in {percent(each.accuracy)}"
                f"<br>expected L2 error: {safe(_error(each))}"
            ),
            hoverinfo="text",
            meta={"y": [each.accuracy], "y_title": "accuracy of the best attacker (share)"},
            cliponaxis=False,
        )
    ring = next((each for each in alternatives if each.name == chosen), None)
    if ring is not None:
        figure.add_scatter(
            x=[ring.error],
            y=[within(ring.accuracy)],
            mode="markers",
            name="proposed",
            showlegend=False,
            marker={
                "symbol": "circle-open",
                "size": 28,
                "color": series_style(alternatives.index(ring)).color,
                "line": {"width": 2.5},
            },
            hoverinfo="skip",
            meta={"y": [ring.accuracy], "y_title": "accuracy of the best attacker (share)"},
            cliponaxis=False,
        )
    return figure


def _error(alternative: Alternative) -> str:
    error = number(alternative.error)
    return with_unit(error, alternative.unit) if alternative.unit else error
