"""All tables and figures together: what has a closed form, and what is simulated."""

from __future__ import annotations

from collections.abc import Mapping

from distpriv.papers import attacks as attacked
from distpriv.papers import attribute_privacy, figures, hypothesis_testing, tables
from distpriv.papers.attack_runs import PaperAttacks
from distpriv.papers.cells import Cell
from distpriv.papers.items import ITEMS
from distpriv.papers.records import SEED, PaperRecords
from distpriv.papers.repeats import REPEATS

__all__ = ["Results", "closed_results", "simulated_results"]

Results = Mapping[str, tuple[Cell, ...]]


def closed_results(records: PaperRecords, *, repeats: int = REPEATS, seed: int = SEED) -> Results:
    """Everything but the attacks, by table or figure.

    Parameters
    ----------
    records : PaperRecords
    repeats : int
        How many times the paper's random experiments are repeated.
    seed : int
        Of the repeats.
    """
    cells: dict[str, tuple[Cell, ...]] = {
        "table-1": tables.table1(records),
        "table-3": tables.table3(records, repeats=repeats, seed=seed),
        "figure-1": figures.figure1(),
        "figure-3": figures.figure3(records),
        "figure-5": figures.figure5(records, repeats=repeats, seed=seed),
        "hospital": attribute_privacy.hospital_cells(),
        "example-1": attribute_privacy.example1(),
        "liu-table-1": hypothesis_testing.table1(),
        "liu-figure-3": hypothesis_testing.precision_cell(),
    }
    return {key: cells.get(key, ()) for key, item in ITEMS.items() if not item.simulated}


def simulated_results(attacks: PaperAttacks) -> Results:
    """Table 4 and Figure 4, as far as the attacks have got."""
    return {"table-4": attacked.table4(attacks), "figure-4": attacked.figure4(attacks)}
