"""Printed figures beside ours: all at once by how far they are off, and table by table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, row_axis
from distpriv.charts.lines import grey, series
from distpriv.charts.style import NEUTRAL, MechanismStyle, translucent
from distpriv.papers.cells import VERDICTS, Cell, Verdict, tally
from distpriv.papers.items import ITEMS
from distpriv.papers.report import figure as said
from distpriv.papers.report import range_of, summary
from distpriv.words import safe

__all__ = ["VERDICT_STYLES", "deviations", "printed_beside_ours"]

VERDICT_STYLES: dict[Verdict, MechanismStyle] = {
    "agrees": MechanismStyle("#009E73", "solid", "circle"),
    "within sampling error": MechanismStyle("#0072B2", "solid", "diamond"),
    "erratum": MechanismStyle("#E69F00", "solid", "square"),
    "differs": MechanismStyle("#D55E00", "solid", "x"),
    "other data": MechanismStyle("#CC79A7", "solid", "triangle-up"),
    "undecided": grey("solid", "circle-open"),
}

_ROW, _LINE = 34, 22
_FARTHEST = 2.0
_GOLDEN = 0.6180339887498949


def deviations(results: Mapping[str, Sequence[Cell]]) -> go.Figure:
    """How far every printed figure is from ours, in units of what is allowed.

    Parameters
    ----------
    results : mapping of item's key to its cells
        Those without cells get no row; a figure that is not known yet gets no mark.
    """
    keys = [key for key, cells in results.items() if cells]
    cells = [cell for key in keys for cell in results[key]]
    figure = empty(
        "How far our figures are from the printed ones",
        alt=f"{summary(tally(cells))}.",
        how_to_read=(
            "each mark is a printed figure. Between the dotted lines the difference is no larger "
            "than the tolerance or than chance explains; left of the middle ours is smaller, "
            f"right of it larger. Marks at the edge are {_FARTHEST:g} times too far off, or more. "
            "Figures that no repetition has reached yet have none."
        ),
        height=170 + _ROW * len(keys),
        xaxis=linear_axis(
            "difference / largest allowed",
            -_FARTHEST - 0.15,
            _FARTHEST + 0.15,
            tickvals=[-2, -1, 0, 1, 2],
            ticktext=["≤ −2", "−1", "0", "1", "≥ 2"],
        ),
        yaxis=row_axis([safe(_short(key)) for key in keys], fixedrange=True),
    )
    for edge in (-1, 1):
        figure.add_shape(
            type="line",
            x0=edge,
            x1=edge,
            y0=0,
            y1=1,
            yref="paper",
            line={"color": NEUTRAL, "dash": "dot", "width": 1.5},
        )
    for verdict in VERDICTS:
        chosen = [
            (cell, deviation, keys.index(cell.item) + _aside(place))
            for key in keys
            for place, cell in enumerate(results[key])
            if cell.verdict == verdict and (deviation := cell.deviation) is not None
        ]
        if chosen:
            series(
                figure,
                f"{verdict} ({len(chosen)})",
                [deviation for _, deviation, _ in chosen],
                [f"{_short(cell.item)}: {cell.row}, {cell.column}" for cell, _, _ in chosen],
                VERDICT_STYLES[verdict],
                mode="markers",
                at_x=lambda deviation: max(-_FARTHEST, min(_FARTHEST, deviation)),
                at_y=[height for _, _, height in chosen],
                told=[_hover(cell) for cell, _, _ in chosen],
                x_title="difference / largest allowed",
                y_title="printed figure",
                size=9,
                cliponaxis=False,
            )
    return figure


def printed_beside_ours(
    cells: Iterable[Cell],
    *,
    title: str,
    measure: str,
    ratio: bool = False,
    attackers: bool = False,
) -> go.Figure:
    """Printed figures and ours in one row each, with what repeats would print.

    Parameters
    ----------
    cells : iterable of Cell
    title : str
    measure : str
        What the figures are.
    ratio : bool
        As multiples of ours, where they are of different sizes.
    attackers : bool
        Whether to draw the best possible attacker on the noise behind each figure.
    """
    shown = [cell for cell in cells if not cell.at_least]
    height = {id(cell): place for place, cell in enumerate(shown)}
    known = [cell for cell in shown if cell.ours]
    on_paper = [(cell, cell.standing.on_paper) for cell in shown if attackers and cell.standing]
    in_fact = [
        (cell, cell.standing.in_fact)
        for cell in shown
        if attackers and cell.standing and cell.standing.undone
    ]
    unit = "times ours" if ratio else measure

    def at(cell: Cell, value: float) -> float:
        return value / cell.ours if ratio and cell.ours else value

    values = [at(cell, cell.paper) for cell in known] + [at(cell, cell.ours or 0) for cell in known]
    values += [at(cell, end) for cell in known for end in cell.repeats or ()]
    values += [at(cell, cell.alternative) for cell in known if cell.alternative]
    values += [value for _, value in on_paper + in_fact]
    if not known:
        values += [cell.paper for cell in shown] if not ratio else [0.8, 1.2]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.1
    names = [safe(f"{cell.row}, {cell.column}", 34) for cell in shown]
    x_title = safe(f"{measure}, {unit}" if ratio else measure)
    figure = empty(
        safe(title),
        alt=f"{summary(tally(shown))}.",
        how_to_read=(
            "each row is a printed figure: the hollow mark is the paper's, the full one ours, "
            "coloured by its verdict. The bar is the range in which 95\u00a0% of repeats of the "
            "paper's experiment would lie"
            + ("; all as multiples of ours" if ratio else "")
            + (
                ". Diamonds are the best possible attacker on paper, if the statistics were "
                "densities with the pooled covariance; crosses the same in fact, where arithmetic "
                "undoes the noise."
                if attackers
                else "."
            )
        ),
        height=210 + _LINE * max(len(shown), 1),
        xaxis=linear_axis(x_title, low - margin, high + margin),
        yaxis=row_axis(names, end=0.7, fixedrange=True),
    )
    for cell in known:
        if cell.repeats is not None:
            ends = [at(cell, end) for end in cell.repeats]
            _bar(figure, cell, ends, height[id(cell)], unit)
    printed = [(cell, at(cell, cell.paper)) for cell in (known if ratio else shown)]
    marks: list[tuple[str, Sequence[tuple[Cell, float]], MechanismStyle, int, float | None]] = [
        ("printed", printed, grey(symbol="circle-open"), 11, 2.5)
    ]
    for verdict, style in VERDICT_STYLES.items():
        ours = [(cell, at(cell, cell.ours or 0.0)) for cell in known if cell.verdict == verdict]
        marks.append((f"ours: {verdict}", ours, style, 9, None))
    corrected = [(cell, at(cell, cell.alternative)) for cell in known if cell.alternative]
    cross = MechanismStyle(VERDICT_STYLES["erratum"].color, "solid", "cross-open")
    marks += [
        ("ours, by the erratum", corrected, cross, 11, None),
        ("best attacker, on paper", on_paper, grey(symbol="diamond-open"), 10, None),
        ("best attacker, in fact: arithmetic", in_fact, VERDICT_STYLES["differs"], 10, None),
    ]
    for name, points, style, size, edge in marks:
        if points:
            series(
                figure,
                name,
                [value for _, value in points],
                [f"{cell.row}, {cell.column}" for cell, _ in points],
                style,
                mode="markers",
                at_y=[height[id(cell)] for cell, _ in points],
                told=[_hover(cell) for cell, _ in points],
                x_title=unit,
                y_title="figure",
                size=size,
                edge=edge,
                cliponaxis=False,
            )
    return figure


def _bar(figure: go.Figure, cell: Cell, ends: list[float], height: int, unit: str) -> None:
    series(
        figure,
        "95\u00a0% of repeats",
        ends,
        [f"{cell.row}, {cell.column}"] * 2,
        MechanismStyle(translucent(NEUTRAL, 0.45), "solid", "circle"),
        at_y=[height, height],
        x_title=unit,
        y_title="figure",
        width=7,
        group="repeats",
        showlegend=not any(trace.legendgroup == "repeats" for trace in figure.data),
    )


def _hover(cell: Cell) -> str:
    lines = [
        f"<b>{safe(f'{_short(cell.item)}: {cell.row}, {cell.column}')}</b>",
        safe(f"printed {cell.printed}, ours {said(cell, cell.ours)}"),
    ]
    if cell.repeats is not None:
        lines.append(safe(f"95\u00a0% of repeats: {range_of(cell, cell.repeats)}"))
    if cell.standing is not None and cell.standing.undone:
        lines.append("the noise is undone by arithmetic")
    return "<br>".join([*lines, safe(cell.said)])


def _short(key: str) -> str:
    """An item by paper and name, short enough for an axis."""
    item = ITEMS[key]
    author = item.paper.split(" ")[0].rstrip(",")
    return item.name if author == "Chen" else f"{author}, {item.name}"


def _aside(place: int) -> float:
    """A little up or down, so that marks of one row do not hide each other."""
    return 0.62 * ((place * _GOLDEN) % 1 - 0.5)
