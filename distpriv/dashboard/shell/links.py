"""Links that open a scenario, or a decision for those who take it."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import pack_scenario
from distpriv.dashboard.shell.state import Key

__all__ = [
    "DECISION",
    "ROLE",
    "SCENARIO",
    "STAKEHOLDER",
    "TABLE",
    "for_stakeholders",
    "holds",
    "share",
]

# The address's parameters.
SCENARIO = "scenario"
ROLE, STAKEHOLDER = "role", "stakeholder"
DECISION, TABLE = "decision", "table"


def share(scenario: Scenario) -> str:
    """Address of this page that opens the scenario, whoever follows it.

    It holds every choice, names of columns and values among them, and the data's fingerprint,
    but no record. It is made when the user asks for it; the address bar of an upload never holds
    those names.
    """
    values = {SCENARIO: pack_scenario(scenario)}
    dataset = st.session_state.get(Key.DATASET)
    if dataset is not None and dataset.origin != "upload" and dataset.digest == scenario.digest:
        values["data"] = dataset.title
    return f"{_here()}?{urlencode(values)}"


def for_stakeholders(**about: str) -> str:
    """Address of this page that opens it for those who decide.

    Parameters
    ----------
    **about : str
        The key of one `decision`, or the fingerprint of the `table` whose open decisions show.
    """
    return f"{_here()}?{urlencode({ROLE: STAKEHOLDER, **about})}"


def holds(address: str) -> bool:
    """Whether an address can be opened from another machine than this one."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    try:
        number = ip_address(host)
    except ValueError:
        return bool(host) and not f".{host}".endswith(".localhost")
    return not (number.is_loopback or number.is_unspecified)


def _here() -> str:
    """This page as the visitor came to it, by whatever name."""
    return (st.context.url or "").partition("?")[0]
