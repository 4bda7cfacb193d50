"""The records that the papers' figures are computed with."""

from __future__ import annotations

import os

import streamlit as st

from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.errors import DistprivError
from distpriv.papers.records import INCOME, QUERY, WORK_CLASS, PaperRecords, paper_records
from distpriv.words import escape

__all__ = ["choose", "provenance"]

_EXAMPLE, _ADULT = "census-income", "adult"


def choose(dataset: Dataset) -> tuple[PaperRecords, str]:
    """The records to compute with, and their digest.

    UCI Adult where it is the table at hand or ADULT_DIR says where it is, else the synthetic
    example. Other tables are never used: the papers' figures say nothing of them.
    """
    at_hand = _if_adult(dataset)
    if at_hand is not None:
        return at_hand, dataset.digest
    if os.environ.get("ADULT_DIR"):
        try:
            adult = cache.example(_ADULT)
        except DistprivError as error:
            st.warning(escape(error), icon=":material/warning:")
        else:
            return _records(adult), adult.digest
    example = cache.example(_EXAMPLE)
    return _records(example), example.digest


def _if_adult(dataset: Dataset) -> PaperRecords | None:
    """The records of a table that is UCI Adult, whole."""
    needed = {*QUERY.columns, INCOME.column, WORK_CLASS.column}
    if dataset.source is not None or not needed <= set(dataset.table.columns):
        return None
    try:
        records = _records(dataset)
    except DistprivError:
        return None
    return None if records.stand_in else records


def _records(dataset: Dataset) -> PaperRecords:
    return cache.computed(lambda: paper_records(dataset.table), f"papers, records {dataset.digest}")


def provenance(records: PaperRecords) -> None:
    """Whose records they are, and how far the printed figures compare."""
    simulated = "A simulation, not a release; an attack's accuracy is a lower bound on the risk. "
    if records.stand_in:
        st.caption(
            simulated + "The printed figures of Chen & Ohrimenko are of UCI Adult; ours are of the "
            "embedded **synthetic** records, close to it in averages and correlations, and compare "
            "loosely. For the reproduction take UCI Adult under *Data*, or start the dashboard "
            "with ADULT_DIR naming the folder with its files."
        )
    else:
        st.caption(simulated + "Computed on UCI Adult, all 45 222 complete records.")
