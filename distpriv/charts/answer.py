"""The answer in a picture: what an attacker sees, and what the secret moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, row_axis
from distpriv.charts.lines import row_bars, series
from distpriv.charts.style import GROUP_COLORS, GROUP_STYLES, NEUTRAL, translucent
from distpriv.model.gaussian import PairModel
from distpriv.queries.properties import Pair
from distpriv.words import listed, number, percent, safe, share, with_unit, wrap

__all__ = ["overlap", "scores", "shifts"]

_SCORES = np.linspace(-5.0, 5.0, 241)
_DENSITY = np.exp(-(_SCORES**2) / 2)
_WIDEST = 10.0


def overlap(
    pair: Pair,
    undefended: tuple[float, float],
    defended: tuple[float, float] | None,
    mechanism: str,
) -> go.Figure:
    """What the best attacker sees under the two proportions, without and with noise.

    Parameters
    ----------
    pair : Pair
    undefended, defended : tuple of (separation, accuracy)
        Distance of two unit normals the attacker has to tell apart, and how often that
        succeeds; None where it is not known.
    mechanism : str
        Short name.
    """
    panels = {"Without noise": undefended}
    if defended is not None:
        panels[f"With {mechanism}"] = defended
    return scores(pair, panels)


def scores(
    pair: Pair,
    panels: Mapping[str, tuple[float, float]],
    title: str = "What the best attacker sees",
) -> go.Figure:
    """What the best attacker sees under the two proportions, release by release.

    Parameters
    ----------
    pair : Pair
    panels : mapping of name to (separation, accuracy)
        Not empty; as for :func:`overlap`. The first one sets the width.
    title : str
    """
    results = [f"{percent(right)} of cases ({name})" for name, (_, right) in panels.items()]
    figure = empty(
        safe(title),
        alt=f"The best attacker is right in {listed(results)}.",
        how_to_read=(
            "each curve shows where the attacker's best score falls under one of the two shares; "
            "the attacker decides by the side of the dotted rule. The more the curves overlap, the "
            "less the score tells; curves on top of each other leave nothing but guessing."
        ),
        height=150 + 155 * len(panels),
        bottom=84,
    )
    figure.update_layout(margin_t=78)
    figure.set_subplots(
        rows=len(panels),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.16,
        subplot_titles=[
            safe(f"{name}: right in {percent(right)} of cases")
            + (" (further apart than drawn)" if separation > _WIDEST else "")
            for name, (separation, right) in panels.items()
        ],
    )
    for row, (separation, _) in enumerate(panels.values(), start=1):
        for index, proportion in enumerate((pair.p_i, pair.p_j)):
            style, center = GROUP_STYLES[index], min(separation, _WIDEST) * (index - 0.5)
            series(
                figure,
                f"share {share(proportion)}",
                _SCORES + center,
                _DENSITY,
                style,
                group=str(index),
                showlegend=row == 1,
                fill="tozeroy",
                fillcolor=translucent(style.color, 0.22),
                row=row,
                col=1,
            )
        figure.add_vline(x=0, line={"color": NEUTRAL, "width": 1.5, "dash": "dot"}, row=row, col=1)
    widest = next(iter(panels.values()))[0]
    reach = max(4.0, min(widest, _WIDEST) / 2 + 3.2)
    figure.update_xaxes(linear_axis("", -reach, reach, showgrid=False, showticklabels=False))
    figure.update_xaxes(
        title_text="the attacker's score (std. deviations)",
        showticklabels=True,
        row=len(panels),
        col=1,
    )
    figure.update_yaxes(visible=False, range=[0, 1.15], fixedrange=True)
    figure.update_annotations(x=0, xanchor="left", font={"size": 14})
    return figure


def shifts(fit: PairModel, labels: Sequence[str], units: Sequence[str]) -> go.Figure:
    """How far the secret moves each statistic, in its own standard deviations.

    Parameters
    ----------
    fit : PairModel
    labels, units : sequence of str, length m
    """
    moved = -fit.difference
    relative = moved / np.sqrt(np.diag(fit.pooled))
    strongest = int(np.argmax(np.abs(relative)))
    reach = max(1.0, float(np.abs(relative).max()) * 1.15)
    figure = empty(
        f"What moves from {share(fit.pair.p_i)} to {share(fit.pair.p_j)}",
        alt=(
            f"{labels[strongest]} moves most, by {number(abs(float(relative[strongest])))} of its "
            "standard deviations."
        ),
        how_to_read=(
            "a bar to the right is a statistic that is larger when the share is larger. A bar of "
            "length 1 moves by as much as the statistic varies anyway."
        ),
        height=130 + 44 * len(labels),
        xaxis=linear_axis("shift, in standard deviations", -reach, reach),
        yaxis=row_axis([wrap(label, 22) for label in labels], showgrid=False),
    )
    row_bars(
        figure,
        "shift",
        relative,
        labels,
        [GROUP_COLORS[int(shift > 0)] for shift in relative],
        told=[
            safe(f"{label} moves by {with_unit(float(shift), unit)}")
            for label, shift, unit in zip(labels, moved, units, strict=True)
        ],
        y_title="statistic",
        width=0.6,
    )
    figure.add_vline(x=0, line={"color": NEUTRAL, "width": 1})
    return figure
