"""Where the scenario's controls stand: in the sidebar, in the sentence of the first screen.

Wherever they stand they are drawn by the frame, under the same keys: what they say, and what the
address says of them, is kept from page to page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.dashboard.shell.pages import PageSpec
from distpriv.dashboard.shell.state import Key
from distpriv.words import escape, number

__all__ = ["Places", "of_page", "points", "said"]


@dataclass(frozen=True)
class Places:
    """Containers of the controls; what the page itself draws among them comes last.

    Attributes
    ----------
    data, secret, width, size, whole, mechanism, budget, persons : DeltaGenerator
    look, finer, statistics, center, view, presets : DeltaGenerator
    in_sentence : bool
        Whether they are the blanks of a sentence, whose words are their labels.
    start, verdict, allowed : DeltaGenerator or None
        Above the sentence, and between it and the settings, for the page.
    """

    data: DeltaGenerator
    secret: DeltaGenerator
    width: DeltaGenerator
    size: DeltaGenerator
    whole: DeltaGenerator
    mechanism: DeltaGenerator
    budget: DeltaGenerator
    persons: DeltaGenerator
    look: DeltaGenerator
    finer: DeltaGenerator
    statistics: DeltaGenerator
    center: DeltaGenerator
    view: DeltaGenerator
    presets: DeltaGenerator
    in_sentence: bool = False
    start: DeltaGenerator | None = None
    verdict: DeltaGenerator | None = None
    allowed: DeltaGenerator | None = None


def of_page(page: PageSpec) -> Places:
    """The places on a page: a sentence on the first, the sidebar on those they act on.

    Elsewhere they are out of sight.
    """
    if page.name == "question":
        return _in_sentence()
    if page.of_scenario:
        return _below_one_another(st.sidebar)
    st.html("<style>.st-key-out_of_sight {display: none}</style>")
    return _below_one_another(st.container(key="out_of_sight"))


def _below_one_another(side: DeltaGenerator) -> Places:
    data, secret, width, size, whole = (side.container() for _ in range(5))
    mechanism, budget, persons, look = (side.container() for _ in range(4))
    more = side.expander("More settings", icon=":material/tune:")
    statistics, center, finer = (more.container() for _ in range(3))
    view, presets = side.container(), side.container()
    return Places(
        data, secret, width, size, whole, mechanism, budget, persons,
        look, finer, statistics, center, view, presets,
    )  # fmt: skip


def _in_sentence() -> Places:
    start = st.container()
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="sentence")

    def words(text: str) -> None:
        row.markdown(text, width="content")

    def blank(label: str, key: str) -> DeltaGenerator:
        return row.popover(label, width="content", key=f"blank_{key}")

    words("I publish")
    statistics = blank(_statistics(), "statistics")
    words("of")
    size = blank(_records(), "records")
    words("of")
    data = blank(escape(said(Key.DATA, "the example")), "data")
    words("and hide the share of records with")
    secret = row.container(width=230)
    words("to within")
    width = blank(points(float(said(Key.DP, 0.1))), "width")
    words("around")
    center = blank(f"{number(100 * float(said(Key.CENTER, 0.5)))}\u00a0%", "center")
    verdict, allowed = st.container(), st.container()
    settings = st.container(horizontal=True, vertical_alignment="bottom", key="settings")
    budget, mechanism = settings.container(width=220), settings.container(width=150)
    more = settings.popover("Settings", icon=":material/tune:", key="blank_settings")
    persons, look, finer = more.container(), more.container(), more.container()
    view = settings.container(width="content")
    presets = settings.container(width="content")
    return Places(
        data, secret, width, size, size, mechanism, budget, persons,
        look, finer, statistics, center, view, presets, True, start, verdict, allowed,
    )  # fmt: skip


def said(key: str, default: Any) -> Any:
    """What a control says, or the address where it has not been drawn yet."""
    if key in st.session_state:
        return st.session_state[key]
    return st.query_params.get(key, default)


def points(width: float) -> str:
    """The distance of two shares in words: ``10 points``."""
    return f"{number(round(100 * width, 4))} point{'' if round(100 * width, 4) == 1 else 's'}"


def _statistics() -> str:
    scenario = st.session_state.get(Key.SCENARIO)
    return "these statistics" if scenario is None else f"{len(scenario.query)} statistics"


def _records() -> str:
    if str(said(Key.WHOLE, False)).lower() == "true":
        return "all records"
    return f"{number(float(said(Key.N, 100)))} records"
