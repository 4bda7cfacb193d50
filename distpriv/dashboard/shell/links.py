"""Links that open a scenario."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import pack_scenario
from distpriv.dashboard.shell.state import Key

__all__ = ["SCENARIO", "share"]

SCENARIO = "scenario"  # the address's parameter


def share(scenario: Scenario) -> str:
    """Address of this page that opens the scenario, whoever follows it.

    It holds every choice, names of columns and values among them, and the data's fingerprint,
    but no record. It is made when the user asks for it; the address bar of an upload never holds
    those names.
    """
    page = (st.context.url or "").partition("?")[0]
    values = {SCENARIO: pack_scenario(scenario)}
    dataset = st.session_state.get(Key.DATASET)
    if dataset is not None and dataset.origin == "example" and dataset.digest == scenario.digest:
        values["data"] = dataset.title
    return f"{page}?{urlencode(values)}"
