"""Every figure in closed form, and what is said of it."""

from __future__ import annotations

import pytest

from distpriv.papers import PaperRecords, Results, closed_results
from distpriv.papers.cells import tally
from tests.papers.examples import by_place


@pytest.mark.adult
def test_verdicts_on_adult(adult_records: PaperRecords) -> None:
    found = closed_results(adult_records)
    cells = [cell for part in found.values() for cell in part]
    assert not any(cell.stand_in for cell in cells)
    assert {cell.verdict for cell in cells} == {
        "agrees", "within sampling error", "erratum", "differs",
    }  # fmt: skip
    assert [(c.row, c.column) for c in cells if c.verdict == "differs"] == [
        ("average weight", "true average")
    ]
    assert [(c.row, c.said) for c in cells if c.verdict == "erratum"] == [
        *[("DirM (L)", "erratum 1")] * 3,
        ("average temperature", "erratum 6"),
    ]
    counted = tally(cells)
    assert counted.random == 25
    assert counted.outside == 1  # the weight
    crossing = by_place(found["figure-3"])
    assert crossing["income: DauM below DP", "up to Δp"].ours == pytest.approx(0.118, abs=1e-3)
    assert crossing["work class: DauM below DP", "up to Δp"].ours == pytest.approx(0.291, abs=1e-3)


def test_on_the_synthetic_records(closed: Results) -> None:
    assert list(closed) == [
        "table-1", "table-2", "table-3", "figure-1", "figure-2", "figure-3", "figure-5",
        "figure-6", "hospital", "example-1", "liu-table-1", "liu-figure-3",
    ]  # fmt: skip
    assert {key: len(cells) for key, cells in closed.items() if cells} == {
        "table-1": 1, "table-3": 22, "figure-1": 2, "figure-3": 2, "figure-5": 2, "hospital": 12,
        "example-1": 2, "liu-table-1": 33, "liu-figure-3": 1,
    }  # fmt: skip
    of_data = {key for key, cells in closed.items() if any(cell.stand_in for cell in cells)}
    assert of_data == {"table-1", "table-3", "figure-3", "figure-5"}
    assert [cell.ours for cell in closed["figure-1"]] == [97, 1]
