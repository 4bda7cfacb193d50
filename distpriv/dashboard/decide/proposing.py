"""A proposal from any page: the current scenario, beside those that it was compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

import streamlit as st

from distpriv.dashboard.compare.alternatives import compared, kept
from distpriv.dashboard.decide.panels import ON_RECORD, SHOWN, alternatives
from distpriv.dashboard.serving import writing
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.kept import same
from distpriv.dashboard.shell.state import Key
from distpriv.store import Alternative, Decision

__all__ = ["named", "propose_current"]


class _Named(TypedDict):
    alternatives: list[Alternative]
    chosen: str


def named(seen: Sequence[Alternative], chosen: str, name: str = "") -> _Named:
    """Alternatives under names that still say something when they are read another day.

    Parameters
    ----------
    seen : sequence of Alternative
        As they are called on screen: "now" and "half the ε" among them.
    chosen : str
        Name of the proposed one on screen.
    name : str
        What it is to be called; empty for the name the visitor kept it under, or else its
        mechanism and ε.
    """
    taken: dict[str, str] = {each.name: each.name for each in seen if each.name in kept()}
    for each in sorted(seen, key=lambda one: one.name != chosen):
        wanted = name if each.name == chosen else ""
        if not wanted and each.name in taken:
            continue
        wanted = wanted or f"{each.mechanism}, ε = {each.epsilon:g}"
        used = {other for mine, other in taken.items() if mine != each.name}
        choices = [wanted, *(f"{wanted} ({place})" for place in range(2, len(seen) + 2))]
        taken[each.name] = next(choice for choice in choices if choice not in used)
    return {
        "alternatives": [replace(each, name=taken[each.name]) for each in seen],
        "chosen": taken[chosen],
    }


def propose_current(view: View, name: str, reason: str, who: str) -> Decision:
    """Put the current scenario on record as proposed, beside all that is compared with it.

    Parameters
    ----------
    view : View
        Of the current scenario.
    name : str
        What the proposed scenario is to be called; empty for the name it is kept under.
    reason, who : str
        Not empty.

    Raises
    ------
    StoreError
        If a text is missing or too long, or the database fails; nothing is kept then.
    """
    summaries, now = compared(view), st.session_state[Key.SCENARIO]
    chosen = next(each for each, found in summaries.items() if same(found.scenario, now))
    seen = alternatives(summaries)
    made = writing.propose(
        author=who,
        reason=reason,
        data=view.dataset.title,
        digest=view.dataset.digest,
        **named(seen, chosen, name.strip()),
    )
    st.session_state.update({SHOWN: made.key, Key.DECIDE_TAB: ON_RECORD})
    return made
