"""The papers' tables and figures as functions; ``python -m distpriv.experiments`` prints them."""

from distpriv.experiments.attack_runs import PaperAttacks
from distpriv.experiments.attacks import figure4, table4, table4_attackers
from distpriv.experiments.cells import VERDICTS, Cell, Standing, Tally, Verdict, tally
from distpriv.experiments.errata import ERRATA, Erratum, evidence
from distpriv.experiments.items import ITEMS, Item
from distpriv.experiments.records import PaperRecords, paper_records
from distpriv.experiments.results import Results, closed_results, simulated_results
from distpriv.experiments.tables import table3

__all__ = [
    "ERRATA",
    "ITEMS",
    "VERDICTS",
    "Cell",
    "Erratum",
    "Item",
    "PaperAttacks",
    "PaperRecords",
    "Results",
    "Standing",
    "Tally",
    "Verdict",
    "closed_results",
    "evidence",
    "figure4",
    "paper_records",
    "simulated_results",
    "table3",
    "table4",
    "table4_attackers",
    "tally",
]
