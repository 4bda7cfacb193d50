"""How much of agreed limits is used, what the next release takes, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plotly import graph_objects as go

from distpriv.charts.frame import empty, finding, linear_axis, row_axis, rule
from distpriv.charts.lines import row_bars
from distpriv.charts.style import GROUP_COLORS, NEUTRAL, translucent
from distpriv.words import exact, listed, number, percent, share, wrap

if TYPE_CHECKING:  # a notebook's charts need no database
    from distpriv.store import Use

__all__ = ["limit_bars"]

_ROOM, _MOST = 1.25, 2.0
_MOST_TOLD = 10.0  # times the limit
_MEASURE = "share of what the limit allows beyond guessing"
_ROW = 70


def limit_bars(rows: Sequence[tuple[str, Use]]) -> go.Figure:
    """A bar for every figure that is limited: used, this release, and left.

    Parameters
    ----------
    rows : sequence of (name, Use)
        What the limit is about, and how much of it is taken; not empty.
    """
    names = [f"{name}: {_measured(use)}" for name, use in rows]
    uses = [use for _, use in rows]
    used = [use.part(use.used) for use in uses]
    following = [max(use.part(use.after) - use.part(use.used), 0.0) for use in uses]
    left = [max(1 - use.part(use.after), 0.0) for use in uses]
    end = _ROOM if max(map(sum, zip(used, following, strict=True))) <= _ROOM else _MOST
    figure = empty(
        _title(uses),
        alt=" ".join(_told(name, use) for name, use in rows),
        how_to_read=(
            "each bar is one figure of a limit, from nothing learned to the limit at the rule: "
            "filled is what has been released, hatched is this release, pale is what is left "
            "after it. A bar beyond the rule is refused."
        ),
        height=150 + _ROW * len(rows),
        xaxis=linear_axis(
            "share of the limit (%)",
            0,
            end,
            tickvals=[0, 0.25, 0.5, 0.75, 1, 1.5, 2],
            ticktext=["0", "25", "50", "75", "100", "150", "200"],
        ),
        yaxis=row_axis([wrap(name, 30, 3) for name in names]),
        barmode="stack",
        bargap=0.45,
    )
    layers = (
        ("released so far", used, GROUP_COLORS[0], "", [0.0] * len(uses)),
        ("this release", following, GROUP_COLORS[1], "/", used),
        (
            "left",
            left,
            translucent(NEUTRAL, 0.35),
            "",
            [one + other for one, other in zip(used, following, strict=True)],
        ),
    )
    for label, lengths, color, pattern, starts in layers:
        row_bars(
            figure,
            label,
            lengths,
            names,
            color,
            told=[
                f"{label}: {percent(length)} of the limit<br>{_hover(use)}"
                for length, use in zip(lengths, uses, strict=True)
            ],
            at_x=[
                max(min(start + length, end) - min(start, end), 0.0)
                for start, length in zip(starts, lengths, strict=True)
            ],
            x_title=_MEASURE,
            y_title="limit",
            marker={"pattern": {"shape": pattern}} if pattern else None,
        )
    figure.update_layout(legend_traceorder="normal")  # as the bars run, not as they are stacked
    rule(figure, 1.0, "limit")
    return figure


def _title(uses: Sequence[Use]) -> str:
    """Whether the next release fits, and how much of the tightest limit is used."""
    tightest = max(uses, key=lambda use: use.part(use.after))
    part = tightest.part(tightest.after)
    of = "the limit" if len(uses) == 1 else "the tightest limit"
    much = f"{percent(min(part, _MOST_TOLD), 0)} of {of}"
    if part > _MOST_TOLD:
        much = f"more than {much}"
    if all(use.used == use.after for use in uses):
        return finding("", f"Used so far: {much}")
    fits = "It fits" if all(use.fits for use in uses) else "It does not fit"
    return finding("", f"{fits}: {much}")


def _measured(use: Use) -> str:
    if use.measure == "accuracy":
        return f"right in {share(use.limit)}"
    whom = "" if use.measure == "budget" else " for each record"
    return f"ε = {exact(use.limit)} at δ = {exact(use.delta or 0)}{whom}"


def _figure(use: Use, value: float) -> str:
    return percent(value) if use.measure == "accuracy" else f"ε = {number(value)}"


def _hover(use: Use) -> str:
    most = "" if use.exact else "at most "
    return (
        f"so far {_figure(use, use.used)}, with this release {most}{_figure(use, use.after)}, "
        f"limit {_figure(use, use.limit)}"
    )


def _told(name: str, use: Use) -> str:
    fits = "which fits" if use.fits else "which is beyond it"
    parts = listed(
        [
            percent(use.part(use.used)) + " so far",
            percent(use.part(use.after)) + " with this release",
        ]
    )
    return f"Of the limit {_measured(use)} on {name} {parts} are taken, {fits}."
