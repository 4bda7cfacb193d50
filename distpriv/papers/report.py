"""Results as text: rows of a table, the tally in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from distpriv.papers.cells import Cell, Tally
from distpriv.papers.items import ITEMS
from distpriv.words import exact, fixed, number, percent

__all__ = [
    "MARKS",
    "ON_PAPER",
    "UNDONE",
    "arithmetic",
    "chance",
    "figure",
    "notes",
    "range_of",
    "row_of",
    "rows",
    "standing_row",
    "summary",
]

MARKS = {
    "agrees": "✓",
    "within sampling error": "≈",
    "erratum": "§",
    "differs": "✗",
    "other data": "–",
    "undecided": "…",
}
"""A sign for each verdict, beside the word."""

UNDONE = "✗ undone"
"""By arithmetic."""

ON_PAPER = "on paper, if the statistics were densities with the pooled covariance"


def figure(cell: Cell, value: float | None) -> str:
    """A figure of a cell with as many digits as the paper prints; – if there is none."""
    if value is None:
        return "–"
    if "%" in cell.printed:
        return percent(value)
    digits = re.fullmatch(r"\D*[\d ]+(?:\.(\d+))?", cell.printed)
    if digits is None:
        return number(value)
    decimals = len(digits[1] or "")
    # A figure that rounding would make 0 is told from one that is.
    if round(value, decimals) or not value:
        return fixed(value, decimals)
    return number(float(f"{value:.2g}"))


def range_of(cell: Cell, ends: tuple[float, float] | None) -> str:
    """A range of a cell's figure, e.g. ``0.49 to 0.51``; empty if there is none."""
    if ends is None:
        return ""
    return f"{figure(cell, ends[0])} to {figure(cell, ends[1])}"


def row_of(cell: Cell) -> dict[str, str]:
    """A cell as a row of a table, all of it text."""
    interval = None if cell.interval is None else (cell.interval.low, cell.interval.high)
    return {
        "Row": cell.row,
        "Column": cell.column,
        "Printed": cell.printed,
        "Ours": figure(cell, cell.ours),
        "Verdict": f"{MARKS[cell.verdict]} {cell.said}",
        "95 % interval": range_of(cell, interval),
        "95 % of repeats": range_of(cell, cell.repeats),
        "Note": cell.note,
    }


def standing_row(cell: Cell) -> dict[str, str]:
    """What the noise behind a figure is worth, as more of its row; empty texts if there is none."""
    standing = cell.standing
    return {
        "Arithmetic": UNDONE if standing is not None and standing.undone else "",
        "Best on paper": "" if standing is None else f"{standing.on_paper:.3f}",
        "Best in fact": "" if standing is None else f"{standing.in_fact:.3f}",
    }


def arithmetic(cells: Iterable[Cell]) -> str:
    """Which noise arithmetic undoes, in one sentence; empty if none."""
    undone: dict[str, list[str]] = {}
    standing_still: set[str] = set()
    broken = []
    for cell in cells:
        if cell.standing is not None and cell.standing.undone:
            undone.setdefault(cell.row, []).append(cell.column)
            broken.append(cell.standing)
        elif cell.standing is not None:
            standing_still.add(cell.row)
    if not broken:
        return ""
    names = [
        f"{row} at {', '.join(columns)}" if row in standing_still else row
        for row, columns in undone.items()
    ]
    return (
        f"Arithmetic undoes the noise behind {len(broken)} of these figures ({'; '.join(names)}): "
        f"the best attacker is right in {_between([cell.in_fact for cell in broken])} of cases, as "
        f"without noise, and not in {_between([cell.on_paper for cell in broken])}, as {ON_PAPER} "
        "(erratum 12)."
    )


def _between(values: Sequence[float]) -> str:
    """Least and largest, or the one if they are the same to three digits."""
    return " to ".join(dict.fromkeys(f"{value:.3f}" for value in (min(values), max(values))))


def notes(cells: Iterable[Cell]) -> dict[str, str]:
    """What there is to say of cells, and before it of which: one entry for a note."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.note:
            groups.setdefault(cell.note, []).append(cell)
    notes = {}
    for note, about in groups.items():
        names = ", ".join(dict.fromkeys(cell.row for cell in about))
        columns = ", ".join(dict.fromkeys(cell.column for cell in about))
        notes[f"{names}, {columns}"] = note
    return notes


def rows(cells: Iterable[Cell]) -> list[dict[str, str]]:
    """Cells of any tables and figures as rows, with where they stand and what was done."""
    return [
        {"Paper": ITEMS[cell.item].paper, "Item": ITEMS[cell.item].name}
        | row_of(cell)
        | standing_row(cell)
        | {
            "Tolerance": exact(cell.tolerance),
            "Repetitions": "" if cell.repetitions is None else str(cell.repetitions),
            "Seed": "" if cell.seed is None else str(cell.seed),
            "Data": "synthetic" if cell.stand_in else "as the paper",
        }
        for cell in cells
    ]


def summary(found: Tally) -> str:
    """The tally in one sentence: ``115 printed figures: 84 agree, 24 …``."""
    words = {
        "agrees": ("agrees", "agree"),
        "within sampling error": ("is within sampling error", "are within sampling error"),
        "erratum": ("is explained by an erratum", "are explained by an erratum"),
        "differs": ("differs", "differ"),
        "other data": ("differs on other data", "differ on other data"),
        "undecided": ("is not decided yet", "are not decided yet"),
    }
    parts = [f"{count} {words[verdict][count != 1]}" for verdict, count in found.counts.items()]
    return f"{found.total} printed figures: {', '.join(parts)}"


def chance(found: Tally) -> str:
    """How many figures lie where few repeats would put them, beside what chance makes of it."""
    return (
        f"Of {found.random} figures that are means of random draws in the papers {found.outside} "
        "lie outside the range of 95\u00a0% of repeats, which holds for each by itself; by chance "
        f"about {found.by_chance:.1f} would. Those of Table 4 share their datasets here, and go "
        "astray together."
    )
