"""The map of privacy frameworks, their neighbours, and ranges of ε."""

from __future__ import annotations

import math
from collections.abc import Mapping

from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, log_axis, row_axis, rule
from distpriv.charts.lines import grey, series
from distpriv.charts.style import GROUP_COLORS, MechanismStyle
from distpriv.frameworks.map import Framework, Range
from distpriv.words import exact, listed, number, safe, wrap

__all__ = ["epsilon_ranges", "neighbouring_databases"]

_SPAN = (1e-2, 1e2)


def neighbouring_databases(frameworks: Mapping[str, Framework]) -> go.Figure:
    """Which records differ between the two databases that each notion compares.

    Parameters
    ----------
    frameworks : mapping of key to Framework
        Those that compare no two databases are left out.
    """
    drawn = {
        key: framework for key, framework in frameworks.items() if framework.changed is not None
    }
    phrases = [
        f"{sum(framework.changed or ())} of 5 for {framework.spoken}"
        for framework in drawn.values()
    ]
    figure = empty(
        "What may differ between neighbours",
        alt=f"In a picture of five records the neighbours differ in {listed(phrases)}.",
        how_to_read=(
            "each row is a small database of five records. The diamond is the record that is "
            "asked about, or one of those that make up the secret; full dots may change with it, "
            "hollow ones stay as they are. The more may change, the harder is what is promised."
        ),
        height=130 + 46 * len(drawn),
        xaxis=linear_axis("records of a small database", 0.4, 5.6, tickvals=[1, 2, 3, 4, 5]),
        yaxis=row_axis([wrap(framework.name, 20, 3) for framework in drawn.values()]),
    )
    kinds = (
        ("asked about", MechanismStyle(GROUP_COLORS[1], "solid", "diamond"), 17),
        ("may change with it", MechanismStyle(GROUP_COLORS[0], "solid", "circle"), 15),
        ("stays", grey(symbol="circle-open"), 15),
    )
    marks: list[list[tuple[int, int, str]]] = [[], [], []]
    for row, framework in enumerate(drawn.values()):
        whole = framework.key in ("PP", "DistP")
        for place, moved in enumerate(framework.changed or ()):
            kind = 2 if not moved else 0 if place == 0 or whole else 1
            marks[kind].append(
                (place + 1, row, f"<b>{safe(framework.name)}</b><br>{framework.neighbours}")
            )
    for (name, style, size), points in zip(kinds, marks, strict=True):
        series(
            figure,
            name,
            [x for x, _, _ in points],
            [y for _, y, _ in points],
            style,
            mode="markers",
            told=[text for _, _, text in points],
            x_title="record",
            y_title="framework",
            size=size,
        )
    return figure


def epsilon_ranges(
    ranges: Mapping[str, Range], frameworks: Mapping[str, Framework], *, given: str
) -> go.Figure:
    """What ε can be in every notion at equal attackers.

    Parameters
    ----------
    ranges : mapping of key to Range
        From :func:`distpriv.frameworks.map.convert`.
    frameworks : mapping of key to Framework
    given : str
        The notion that ε was given in.
    """
    epsilon = ranges[given].low
    phrases = [
        f"{frameworks[key].spoken} {words(interval)}"
        for key, interval in ranges.items()
        if key != given and known(interval)
    ]
    span = (min(_SPAN[0], epsilon / 10), max(_SPAN[1], epsilon * 10))
    figure = empty(
        "ε of the same strength elsewhere",
        alt=f"ε = {exact(epsilon)} in {frameworks[given].spoken} means for "
        f"{listed(phrases) or 'no other notion anything that is known'}.",
        how_to_read=(
            "a bar is the range of ε with which an attacker does equally well, by the "
            "inequalities; a bar without an end in the chart is not bounded there, a mark alone is "
            "exact, and no bar means that nothing is known."
        ),
        height=130 + 44 * len(ranges),
        xaxis=log_axis("ε", *span),
        yaxis=row_axis([wrap(frameworks[key].name, 20, 3) for key in ranges]),
    )
    for row, (key, interval) in enumerate(ranges.items()):
        name, ends = frameworks[key].name, [interval.low, interval.high] if known(interval) else []
        series(
            figure,
            name,
            ends,
            [row for _ in ends],
            MechanismStyle(GROUP_COLORS[int(key == given)], "solid", "diamond"),
            mode="lines+markers" if interval.low == interval.high else "lines",
            at_x=[min(max(end, span[0]), span[1]) for end in ends],
            told=f"<b>{safe(name)}</b><br>ε {words(interval)}",
            x_title="ε",
            y_title="framework",
            width=9,
            size=15,
            showlegend=False,
        )
    rule(figure, epsilon, f"ε = {exact(epsilon)}")
    return figure


def known(found: Range) -> bool:
    """Whether the range says anything."""
    return found.low > 0 or math.isfinite(found.high)


def words(found: Range) -> str:
    """A range in words."""
    if not known(found):
        return "unknown"
    if found.low == found.high:
        return f"exactly {number(found.low)}"
    if not math.isfinite(found.high):
        return f"at least {number(found.low)}"
    if not found.low:
        return f"at most {number(found.high)}"
    return f"from {number(found.low)} to {number(found.high)}"
