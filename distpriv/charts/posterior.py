"""What the attacker believes about the share, before and after a release."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.attacks.posterior import Belief
from distpriv.charts.frame import QUARTERS, empty, linear_axis, rule
from distpriv.charts.lines import series
from distpriv.charts.style import GROUP_STYLES, NEUTRAL, MechanismStyle, style_of, translucent
from distpriv.queries.properties import Pair
from distpriv.words import percent, safe, share

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
    x_title = safe(f"share with {label}" if label else "share", 60)
    options: dict[str, Any] = {"nticks": 6, "showticklabels": few}
    if few:
        options |= QUARTERS
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
        barmode="group",
        xaxis=linear_axis(x_title, -0.6, len(shares) - 0.4, type="category")
        if few
        else linear_axis(x_title + " (%)", 0.0, 100.0, nticks=11),
        yaxis=linear_axis("probability", 0.0, top, **options),
    )
    color = style_of(mechanism).color
    looks = {
        _BEFORE: (translucent(NEUTRAL, 0.25), MechanismStyle(NEUTRAL, "dash", ""), 1.0),
        _AFTER: (translucent(color, 0.35), MechanismStyle(color, "solid", ""), 2.5),
        _CLEAR: (None, MechanismStyle(NEUTRAL, "solid", ""), 2.0),
    }
    for name, weights in heights.items():
        filling, style, width = looks[name]
        phrases = [
            f"<b>{name}</b><br>share {share(at)}<br>probability {percent(weight, 2)}"
            for at, weight in zip(shares.tolist(), weights.tolist(), strict=True)
        ]
        if few:
            figure.add_bar(
                x=[share(at) for at in shares],
                y=weights.tolist(),
                name=name,
                marker={
                    "color": filling or "rgba(0,0,0,0)",
                    "line": {"color": style.color, "width": width},
                },
                hovertext=phrases,
                hoverinfo="text",
            )
        else:
            area: dict[str, Any] = (
                {} if filling is None else {"fill": "tozeroy", "fillcolor": filling}
            )
            series(figure, name, 100 * shares, weights, style, told=phrases, width=width, **area)
    if not few:
        if pair is not None:
            _mark(figure, pair, top)
        if truth is not None:
            rule(figure, 100 * truth, f"the released dataset: {share(truth)}")
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
    for group, proportion in enumerate((pair.p_i, pair.p_j)):
        at, style = 100 * proportion, GROUP_STYLES[group]
        figure.add_shape(
            type="line",
            x0=at,
            x1=at,
            y0=0,
            y1=top,
            line={"color": style.color, "width": 2, "dash": style.dash},
        )
        left = (group == 0) == first_is_left
        figure.add_annotation(
            x=at,
            y=top,
            yanchor="top",
            xanchor="right" if (left and proportion > 0.1) or proportion > 0.9 else "left",
            text=share(proportion),
            showarrow=False,
        )


def _thinned(*beliefs: Belief) -> NDArray[np.intp]:
    """Evenly spaced indices, and the peaks: a narrow posterior must not vanish."""
    count = len(beliefs[0].shares)
    even = np.linspace(0, count - 1, min(count, _MOST)).round().astype(np.intp)
    peaks = [int(belief.weights.argmax()) for belief in beliefs]
    return np.unique(np.concatenate([even, np.array(peaks, dtype=np.intp)]))


def _alt(beliefs: dict[str, Belief]) -> str:
    phrases = []
    for name, belief in beliefs.items():
        interval = belief.credible_interval()
        low, high = (share(round(end, 3)) for end in (interval.low, interval.high))
        phrases.append(
            f"{name} the attacker expects a share of {percent(interval.estimate)}, between "
            f"{low} and {high} with 95\u00a0% probability"
        )
    text = "; ".join(phrases)
    return f"{text[0].upper()}{text[1:]}."
