"""The Release page's grounds: the agreed decision that a release rests on, or its reason."""

from __future__ import annotations

import streamlit as st

from distpriv.analysis.decision import moment
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.frame import View
from distpriv.store import Decision, deciding, grounds_missing, matching
from distpriv.store.texts import cleaned
from distpriv.words import escape, listed

__all__ = ["asked", "given"]


def asked(view: View, token: str) -> tuple[str, ...]:
    """Say what the release rests on, and ask for a reason if that is not enough.

    Returns why one is asked for, each a sentence; empty if none is.
    """
    scenario, prints = view.scenario, view.dataset.fingerprints
    found = storage.ask(lambda store: matching(store, scenario, *prints)) or []
    agreed = deciding(found)
    if agreed is not None:
        st.markdown(_agreed(agreed))
    missing = grounds_missing(scenario, found, view.kept)
    if missing:
        st.warning(
            f"{escape(' '.join(missing))} **So it needs a reason**, which stands in the ledger.",
            icon=":material/contract_edit:",
        )
        st.text_area(
            "Why it goes out all the same",
            key=_key(token),
            max_chars=4000,
            persist_state="session",
            placeholder="Who has allowed it, and what makes up for it",
        )
    return missing


def given(token: str) -> str:
    """The reason that was typed for a release; raises StoreError if it is none."""
    return cleaned(str(st.session_state.get(_key(token)) or ""), "reason", required=True)


def _key(token: str) -> str:
    return f"release_reason_{token}"


def _agreed(decision: Decision) -> str:
    now = decision.now
    return (
        ":green-badge[:material/check: agreed] It rests on the decision "
        f"{decision.key[:6]}, proposed by {escape(listed(decision.signers))} and agreed to by "
        f"{escape(now.signed)} on {moment(now.at)}, and is recorded with it."
    )
