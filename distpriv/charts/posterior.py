"""What the attacker believes about the share, before and after a release."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.attacks.posterior import Belief
from distpriv.charts.frame import empty, linear_axis, rule
from distpriv.charts.style import GROUP_COLORS, GROUP_DASHES, NEUTRAL, style_of, translucent
from distpriv.charts.text import percent, safe
from distpriv.queries.properties import Pair

__all__ = ["posterior_curve"]

FloatArray = NDArray[np.float64]

_FEW = 15
_MOST = 500
_BEFORE, _AFTER, _CLEAR = "before the release", "after the release", "after it, without noise"


def posterior_curve(
    prior: Belief,
    updated: Belief,
    clear: Belief | None = None,
    *,
    truth: float | None = None,
    pair: Pair | None = None,
    label: str = "",
    mechanism: str = UNDEFENDED,
    title: str = "What the attacker believes",
) -> go.Figure:
    """Prior and posterior probabilities of every share: curves, or bars where there are few.

    A sharp posterior without noise is cut at the frame, so that the others can be read; the
    frame grows in powers of two.

    Parameters
    ----------
    prior, updated : Belief
        About the same shares.
    clear : Belief, optional
        The posterior without noise, for comparison.
    truth : float, optional
        The share of the released dataset.
    pair : Pair, optional
        Its two shares are marked.
    label : str
        Of the sensitive property.
    mechanism : str
        Short name; the posterior is drawn in its colour.
    title : str
    """
    few = len(prior.shares) <= _FEW
    beliefs = {_BEFORE: prior, _AFTER: updated} | ({} if clear is None else {_CLEAR: clear})
    kept = _thinned(*beliefs.values())
    heights = {name: belief.weights[kept] for name, belief in beliefs.items()}
    shares = prior.shares[kept]
    cut, top = _frame(heights, few)
    marks = "bars" if few else "curves"
    figure = empty(
        safe(title),
        alt=_alt(beliefs),
        how_to_read=(
            f"the {marks} show how probable each share is to the attacker, grey before the release "
            "and filled in colour after it. A release that gives nothing away leaves them the same."
            + (
                " The two rules are the shares that must not be told apart."
                if pair and not few
                else ""
            )
            + (" The curve without noise goes on above the frame." if cut else "")
        ),
        height=420,
        bottom=92,
    )
    x_title = safe(f"share with {label}" if label else "share", 60)
    options: dict[str, Any] = {"nticks": 6, "showticklabels": few}
    if few:
        options |= {"tickvals": [0, 0.25, 0.5, 0.75, 1], "tickformat": ".0%"}
    figure.update_layout(
        barmode="group",
        xaxis=linear_axis(x_title, -0.6, len(shares) - 0.4, type="category")
        if few
        else linear_axis(x_title + " (%)", 0.0, 100.0, nticks=11),
        yaxis=linear_axis("probability", 0.0, top, **options),
    )
    color = style_of(mechanism).color
    looks = {
        _BEFORE: (translucent(NEUTRAL, 0.25), {"color": NEUTRAL, "width": 1, "dash": "dash"}),
        _AFTER: (translucent(color, 0.35), {"color": color, "width": 2.5}),
        _CLEAR: (None, {"color": NEUTRAL, "width": 2}),
    }
    for name, weights in heights.items():
        filling, line = looks[name]
        common = {
            "x": [percent(at, 2) for at in shares] if few else (100 * shares).tolist(),
            "y": weights.tolist(),
            "name": name,
            "hovertext": [
                f"<b>{name}</b><br>share {percent(at, 2)}<br>probability "
                f"{percent(float(weight), 2)}"
                for at, weight in zip(shares, weights, strict=True)
            ],
            "hoverinfo": "text",
        }
        if few:
            outline = {key: line[key] for key in ("color", "width")}
            figure.add_bar(**common, marker={"color": filling or "rgba(0,0,0,0)", "line": outline})
        else:
            fill = None if filling is None else "tozeroy"
            figure.add_scatter(**common, mode="lines", line=line, fill=fill, fillcolor=filling)
    if not few:
        if pair is not None:
            _mark(figure, pair, top)
        if truth is not None:
            rule(figure, 100 * truth, f"the released dataset: {percent(truth)}")
    return figure


def _frame(heights: dict[str, FloatArray], few: bool) -> tuple[bool, float]:
    """Whether the curve without noise is cut, and the top of the axis."""
    if few:
        return False, 1.08
    peaks = {name: float(weights.max()) for name, weights in heights.items()}
    tallest = max(peaks.values())
    others = max(peaks[_BEFORE], peaks[_AFTER])
    limit = 2.0 ** math.ceil(math.log2(4 * others))
    return limit < tallest, min(1.12 * tallest, limit)


def _mark(figure: go.Figure, pair: Pair, top: float) -> None:
    """Rules at the two shares of the pair, in the colours and dashes of the groups."""
    first_is_left = pair.p_i <= pair.p_j
    for group, share in enumerate((pair.p_i, pair.p_j)):
        at = 100 * share
        figure.add_shape(
            type="line",
            x0=at,
            x1=at,
            y0=0,
            y1=top,
            line={"color": GROUP_COLORS[group], "width": 2, "dash": GROUP_DASHES[group]},
        )
        left = (group == 0) == first_is_left
        figure.add_annotation(
            x=at,
            y=top,
            yanchor="top",
            xanchor="right" if (left and share > 0.1) or share > 0.9 else "left",
            text=percent(share),
            showarrow=False,
            font={"color": GROUP_COLORS[group]},
        )


def _thinned(*beliefs: Belief) -> NDArray[np.intp]:
    """Evenly spaced indices, and the peaks: a narrow posterior must not vanish."""
    count = len(beliefs[0].shares)
    even = np.linspace(0, count - 1, min(count, _MOST)).round().astype(np.intp)
    peaks = [int(belief.weights.argmax()) for belief in beliefs]
    return np.unique(np.concatenate([even, np.array(peaks, dtype=np.intp)]))


def _alt(beliefs: dict[str, Belief]) -> str:
    told = []
    for name, belief in beliefs.items():
        interval = belief.credible_interval()
        told.append(
            f"{name} the attacker expects a share of {percent(interval.estimate)}, between "
            f"{percent(interval.low)} and {percent(interval.high)} with 95 % probability"
        )
    text = "; ".join(told)
    return f"{text[0].upper()}{text[1:]}."
