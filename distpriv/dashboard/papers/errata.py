"""The errata of the papers, with what shows them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from distpriv.dashboard.shell import cache
from distpriv.dashboard.widgets import display
from distpriv.papers.errata import ERRATA, evidence
from distpriv.papers.items import ITEMS
from distpriv.papers.records import PaperRecords
from distpriv.words import escape

__all__ = ["in_a_table", "of_item"]


def of_item(key: str, records: PaperRecords) -> None:
    """The errata that concern a table or figure, explained beside it."""
    for number in ITEMS[key].errata:
        erratum = ERRATA[number]
        with st.expander(f"Erratum {number}: {escape(erratum.where)}", icon=":material/edit_note:"):
            st.markdown(
                f"{escape(erratum.says)} **{escape(erratum.instead)}** "
                f"{escape(evidence(number, records))}"
            )


def in_a_table(records: PaperRecords, digest: str) -> None:
    """All errata in a table, with where they show and what shows them."""
    shown = cache.computed(
        lambda: {number: evidence(number, records) for number in ERRATA},
        f"papers, errata {digest}",
    )
    display.wrapped(
        pd.DataFrame(
            {
                "Erratum": str(erratum.number),
                "Where": f"{erratum.paper}: {erratum.where}",
                "The paper": erratum.says,
                "Instead": erratum.instead,
                "Computed here": shown[erratum.number],
            }
            for erratum in ERRATA.values()
        ),
        "errata",
    )
