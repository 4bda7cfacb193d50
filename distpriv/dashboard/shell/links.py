"""Links that open a scenario, or a decision for those who take it."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
    "readable",
    "share",
]

# The address's parameters.
SCENARIO = "scenario"
ROLE, STAKEHOLDER = "role", "stakeholder"
DECISION, TABLE = "decision", "table"
# Streamlit takes it from an address that these controls say nothing, which they never do, and
# breaks off where a whole number is infinite.
_NEVER_EMPTY = (Key.CAL, Key.DIST, Key.PAIRS, Key.SHARE_OF, Key.UNITS, Key.REPORT, Key.VIEW)
_WHOLE = (Key.N, Key.SEED)
_MOST_DIGITS = 20


def readable(asked: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """What of an address can be read by the controls that it is for.

    What it leaves out, those say as they do without an address.

    Parameters
    ----------
    asked : mapping of str to list of str
        The address's parameters.

    Returns
    -------
    dict
        Those without the ones that Streamlit would break off at.
    """
    broken = {key for key in _NEVER_EMPTY if not all(asked.get(key, []))}
    broken |= {key for key in _WHOLE if not all(map(_is_moderate, asked.get(key, [])))}
    return {key: values for key, values in asked.items() if key not in broken}


def _is_moderate(text: str) -> bool:
    """Whether it is a number of as many digits as anybody types."""
    try:
        return len(text) <= _MOST_DIGITS and math.isfinite(float(text))
    except ValueError:
        return False


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
