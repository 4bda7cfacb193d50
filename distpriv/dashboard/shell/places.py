"""Where the scenario's controls stand: in the sidebar, in the sentence of the first screen.

Wherever they stand they are drawn by the frame, under the same keys: what they say, and what the
address says of them, is kept from page to page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.dashboard.shell.pages import PageSpec
from distpriv.dashboard.shell.state import Key
from distpriv.words import number

__all__ = ["Places", "of_page", "points", "said"]

_BLANKS = ("statistics", "size", "data", "width", "center")
_WIDTH = 720  # pixels of what is opened, at most


# What an emptied sidebar leaves; on a phone it holds the navigation.
_NO_SIDEBAR = """
<style>
.st-key-out_of_sight {display: none}
@media (min-width: 769px) {
    [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] {display: none}
}
</style>
"""


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
    blanks : mapping of str to DeltaGenerator
        Where the sentence says what a control says, by the control's place.
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
    blanks: Mapping[str, DeltaGenerator] = field(default_factory=dict)

    def blank(self, name: str, label: str) -> DeltaGenerator:
        """Where a control is drawn; in the sentence a button says what it says, and opens it."""
        if self.in_sentence:
            _opener(self.blanks[name], name, label)
        place: DeltaGenerator = getattr(self, name)
        return place


def _opener(where: DeltaGenerator, name: str, label: str) -> None:
    is_open = st.session_state.get(Key.BLANK_OPEN) == name
    where.button(
        label,
        key=f"open_{name}",
        icon=f":material/keyboard_arrow_{'up' if is_open else 'down'}:",
        icon_position="right",
        on_click=_open,
        args=(None if is_open else name,),
    )


def _open(name: str | None) -> None:
    st.session_state[Key.BLANK_OPEN] = name


def of_page(page: PageSpec) -> Places:
    """The places on a page: a sentence on the first, the sidebar on those they act on.

    Elsewhere they are out of sight. The places of other pages are emptied first: a browser that
    meets a control in its new place before it has taken it from the old one forgets that the
    address is to say what the control says.
    """
    in_sentence = page.name == "question"
    in_sidebar = page.of_scenario and not in_sentence
    side = st.sidebar.container() if in_sidebar else st.sidebar.empty()
    sentence = st.container() if in_sentence else st.empty()
    unseen = st.empty() if in_sentence or in_sidebar else st.container(key="out_of_sight")
    if in_sidebar:
        return _below_one_another(side)
    st.html(_NO_SIDEBAR)
    if not in_sentence:
        return _below_one_another(unseen)
    with sentence:
        return _in_sentence()


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
    row = st.container(horizontal=True, vertical_alignment="center", key="sentence")

    def words(text: str) -> DeltaGenerator:
        row.markdown(text, width="content")
        return row.container(width="content")

    blanks = {"statistics": words("I publish"), "size": words("of"), "data": words("of")}
    row.markdown("and hide the share of records with", width="content")
    secret = row.container(width=230)
    blanks |= {"width": words("to within"), "center": words("around")}
    statistics, size, data, width, center = (_folded(name) for name in _BLANKS)
    verdict = st.container(key="verdict")
    allowed, settings = st.columns([2, 3], gap="large", vertical_alignment="bottom")
    row = settings.container(horizontal=True, vertical_alignment="bottom", key="settings")
    budget, mechanism = row.container(width=270), row.container(width=150)
    _opener(row, "settings", "Settings")
    more = _folded("settings")
    persons, look, finer, view, presets = (more.container() for _ in range(5))
    return Places(
        data, secret, width, size, size, mechanism, budget, persons,
        look, finer, statistics, center, view, presets, True, start, verdict, allowed, blanks,
    )  # fmt: skip


def _folded(name: str) -> DeltaGenerator:
    """A place that shows while it is open.

    What is in it is drawn all the time, out of sight. In a popover it would not be, and a value
    that the program put into a control would be taken back by the one that the browser remembers.
    """
    key = f"blank_{name}"
    shown = "revert" if st.session_state.get(Key.BLANK_OPEN) == name else "none"
    wrapper = f'[data-testid="stLayoutWrapper"]:has(> .st-key-{key})'
    st.html(f"<style>{wrapper} {{display: {shown}}}</style>")
    return st.container(border=True, key=key, width=_WIDTH)


def said(key: str, default: Any) -> Any:
    """What a control says, or the address where it has not been drawn yet."""
    if key in st.session_state:
        return st.session_state[key]
    return st.query_params.get(key, default)


def points(width: float) -> str:
    """The distance of two shares in words: ``10 points``."""
    shown = round(100 * width, 4)
    return f"{number(shown)} point{'' if shown == 1 else 's'}"
