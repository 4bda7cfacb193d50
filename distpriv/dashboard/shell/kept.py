"""Scenarios that the session keeps beside the one on screen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from distpriv.analysis.comparison import Summary
from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.shell.state import Key

__all__ = ["LONGEST_NAME", "MOST", "NOW", "Kept", "free_name", "keep_before", "kept", "same"]

MOST = 7  # beside the current one
NOW = "now"
LONGEST_NAME = 60


@dataclass(frozen=True, eq=False)
class Kept:
    """A scenario that was kept, the title of its data, and what came of it if that is known."""

    scenario: Scenario
    data: str
    summary: Summary | None = None


def kept() -> dict[str, Kept]:
    """The session's scenarios by their names, the first kept first."""
    scenarios: dict[str, Kept] = st.session_state.setdefault(Key.KEPT, {})
    return scenarios


def keep_before(scenario: Scenario, data: str) -> None:
    """Keep what is about to leave the screen, if there is room and it is not kept yet."""
    if len(kept()) < MOST and not any(same(one.scenario, scenario) for one in kept().values()):
        kept()[free_name("before")] = Kept(scenario, data)


def free_name(name: str) -> str:
    """The name itself, or with the first number that makes it one of its own."""
    taken = {NOW, *kept()}
    others = (f"{name} ({place})" for place in range(2, len(taken) + 3))
    return name if name not in taken else next(other for other in others if other not in taken)


def same(one: Scenario, other: Scenario) -> bool:
    """Whether two scenarios are alike in all but who may see them."""
    return replace(one, view="analyst") == replace(other, view="analyst")
