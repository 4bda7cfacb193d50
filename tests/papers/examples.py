"""How the tests read the papers' figures."""

from __future__ import annotations

from distpriv.papers.cells import Cell


def by_place(cells: tuple[Cell, ...]) -> dict[tuple[str, str], Cell]:
    found = {(cell.row, cell.column): cell for cell in cells}
    assert len(found) == len(cells)
    return found
