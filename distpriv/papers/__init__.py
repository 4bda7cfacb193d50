"""The papers' tables and figures as functions; ``python -m distpriv.papers`` prints them."""

from distpriv.papers.attack_runs import PaperAttacks
from distpriv.papers.attacks import figure4, table4, table4_attackers
from distpriv.papers.cells import VERDICTS, Cell, Standing, Tally, Verdict, tally
from distpriv.papers.errata import ERRATA, Erratum, evidence
from distpriv.papers.items import ITEMS, Item
from distpriv.papers.records import PaperRecords, paper_records
from distpriv.papers.results import Results, closed_results, simulated_results
from distpriv.papers.tables import table3

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
