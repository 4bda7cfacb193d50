"""Every pair of shares that is hidden, and another one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.attacks.optimal import binding_pair
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.settings import own_key
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.errors import DistprivError
from distpriv.privacy.delivered import delivered_delta
from distpriv.words import escape, number, percent

__all__ = ["builder", "table"]


def table(view: View) -> None:
    """Every pair that is hidden, how well, and which of them binds."""
    if len(view.model.pairs) < 2:
        return
    binding = binding_pair(view.model, view.noise)
    rows, laws = [], view.laws_for(view.noise)
    for index, fit in enumerate(view.model.pairs):
        alone = view.of(view.scenario.mechanism, index)
        law = None if laws is None else laws[index]
        delivered = delivered_delta(alone.focused, view.noise, view.scenario.epsilon, law=law)
        rows.append(
            {
                "Pair": fit.pair.label,
                "Binds": index == binding,
                "Best attack without noise": percent(alone.undefended),
                "With noise": percent(alone.accuracy),
                "Delivered δ": number(delivered),
            }
        )
    st.header(f"{len(rows)} pairs are hidden at once")
    st.markdown(
        f"The noise is as large as it is because of **{escape(rows[binding]['Pair'])}**: no other "
        "pair is told apart more often."
    )
    display.table(pd.DataFrame(rows), "pairs")


def builder(dataset: Dataset, scenario: Scenario) -> None:
    """Hide another pair of shares as well, of any secret known."""
    st.header("Hide another pair as well")
    state = st.session_state
    own = state.get(Key.OWN_SECRETS, {}).get(dataset.digest, {})
    secrets = dict(dataset.secrets) | {scenario.secret.label: scenario.secret} | own
    label = st.selectbox(
        "Share of records with", list(secrets), key="pair_secret", persist_state="session"
    )
    left, right = st.columns(2)
    center = left.number_input(
        "Centre", 0.0, 1.0, 0.5, 0.01, key="pair_center", persist_state="session"
    )
    width = right.number_input(
        "Δp", 0.001, 1.0, 0.1, 0.01, format="%g", key="pair_width", persist_state="session"
    )
    if st.button("Hide it too", icon=":material/add:", key="build_pair"):
        try:
            pair = secrets[label].pair(center, width)
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
            return
        key = own_key(dataset, Key.ALSO)
        state.setdefault(Key.OWN_PAIRS, {}).setdefault(dataset.digest, {})[pair.label] = pair
        state[Key.PENDING] = {key: list(dict.fromkeys([*state.get(key, []), pair.label]))}
        st.rerun()
    st.caption("Pairs are taken out, and grids of shares chosen, under More settings.")
