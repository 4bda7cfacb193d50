"""The Frameworks page's converter: one ε in every notion of privacy, and the sources."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from distpriv.charts.frameworks import (
    epsilon_ranges,
    known,
    neighbouring_databases,
    words,
)
from distpriv.dashboard.widgets import display
from distpriv.frameworks.map import FRAMEWORKS, RECORDS, Range, Records, convert
from distpriv.words import listed

__all__ = ["ask", "formulas", "result"]


def ask() -> tuple[str, Records]:
    """The notion that ε is given in, and what is assumed of the records."""
    left, right = st.columns(2)
    usable = [key for key in FRAMEWORKS if sum(map(known, convert(1.0, key).values())) > 1]
    given = left.selectbox(
        "ε is given in",
        usable,
        format_func=lambda key: FRAMEWORKS[key].name,
        key="framework",
        persist_state="session",
        help="The ε of the sidebar, taken as this notion's.",
    )
    records = right.segmented_control(
        "The records are",
        RECORDS,
        default=RECORDS[0],
        required=True,
        key="framework_records",
        wrap=True,
        persist_state="session",
        help="*dependent*: one may tell about another, as within a family. *independent*: none "
        "does; *and uniform*: every value is as likely beforehand.",
    )
    return given, records


def result(epsilon: float, given: str, records: Records) -> None:
    """The ε in every notion, in words, beside each other, and in a table."""
    ranges = convert(epsilon, given, records)
    st.markdown(_sentence(epsilon, given, records, ranges))
    convertible, compared = st.columns(2, gap="large")
    with convertible:
        display.chart(epsilon_ranges(ranges, FRAMEWORKS, given=given), "ranges")
    with compared:
        display.chart(neighbouring_databases(FRAMEWORKS), "neighbours")
    _table(ranges)


def _sentence(epsilon: float, given: str, records: Records, ranges: Mapping[str, Range]) -> str:
    """What the ε means elsewhere, in words."""
    worth: dict[str, list[str]] = {}
    for key, span in ranges.items():
        if key != given and known(span):
            worth.setdefault(words(span), []).append(FRAMEWORKS[key].spoken)
    elsewhere = "; ".join(f"**{span}** in {listed(names)}" for span, names in worth.items())
    return (
        f"To an attacker ε\u00a0=\u00a0{epsilon:g} in **{FRAMEWORKS[given].spoken}** is worth an ε "
        f"of {elsewhere}, if records are {records}. Distribution privacy, which this dashboard is "
        "about, protects a property of the whole and not a record: no inequality leads from one "
        "to the other."
    )


def _table(ranges: Mapping[str, Range]) -> None:
    """What each notion protects, and from what."""
    # A plain table: its texts wrap.
    st.table(
        pd.DataFrame(
            {
                "Notion": notion.name,
                "ε here": words(ranges[key]),
                "Protects": notion.protects,
                "Neighbours": notion.neighbours,
                "Source": notion.source,
            }
            for key, notion in FRAMEWORKS.items()
        ),
        hide_index=True,
        alt="The notions of privacy",
    )


def formulas() -> None:
    """The inequalities and where they come from."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\varepsilon_{BP}\ge\varepsilon_{DDP}=\varepsilon_{IP}\ge\varepsilon_{DP},\qquad"
            r"\varepsilon_{DDP}\le2\,\varepsilon_{MP},\qquad"
            r"\varepsilon_{MIDP}\le\varepsilon_{MP}"
        )
        st.markdown(
            "Liu et al. (2019), Theorem 7, at equal performance of the attacker: the same noise, "
            "tested in the same way. With independent records, uniform or not, Blowfish (BP), "
            "dependent differential (DDP), inferential (IP) and differential privacy (DP) agree "
            "(Propositions 1 and 2); membership (MP) and mutual-information differential privacy "
            "(MIDP) keep their two inequalities. The converter follows every chain of them. "
            "Blowfish privacy is meant with constraints on counts or margins. It is a kind of "
            "Pufferfish privacy, and so is distribution privacy, with distributions of the data "
            "for secrets (Chen & Ohrimenko 2023, Section 3); their secrets differ, so no "
            "inequality follows."
        )
