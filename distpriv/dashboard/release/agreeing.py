"""The Release page's agreement: a limit is set, changed or lifted, and how it came about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.errors import DistprivError
from distpriv.store import AgreedLimit, Budget, Terms, agree
from distpriv.store.checks import about_in_words
from distpriv.store.limits import limit_key, terms_in_words
from distpriv.store.values import moment
from distpriv.words import escape

__all__ = ["agreement", "history"]

_FIELDS = ("accuracy", "epsilon", "delta", "author", "reason")


def agreement(dataset: Dataset, scenario: Scenario, limits: Sequence[AgreedLimit]) -> None:
    """Set a limit for the secret on screen, or change any that there is."""
    own = limit_key(dataset.fingerprints[0], scenario)
    by_key = {limit.key: limit for limit in limits}
    force = any(limit.in_force for limit in limits)
    with st.expander(
        "Change a limit, or set another" if force else "Agree on a limit",
        icon=":material/handshake:",
        expanded=False,
    ):
        st.markdown(
            "A limit holds for **all releases of these data together**, whatever statistics and "
            "whatever secret they are made for, and for everybody who uses this database. It is "
            "changed by a new version only, and earlier ones stay to be read. It does not cover "
            "**another table**: one that differs in a single record, or a file that was saved "
            "anew in other words, has another fingerprint, and with it a ledger and limits of its "
            "own. Nor does it cover what is released outside this dashboard."
        )
        keys = [own, *(key for key in by_key if key != own)]
        chosen = own
        if len(keys) > 1:
            chosen = st.selectbox(
                "Limit on",
                keys,
                format_func=lambda key: _named(by_key.get(key), scenario),
                key="limit_chosen",
            )
        _form(dataset, scenario, by_key.get(chosen), chosen)


def _named(limit: AgreedLimit | None, scenario: Scenario) -> str:
    if limit is None:
        pair = scenario.pair
        return f"{pair.label} (on screen, no limit yet)"
    state = "" if limit.in_force else " (lifted)"
    return f"{about_in_words(limit)}: {terms_in_words(limit.now.terms)}{state}"


def _form(dataset: Dataset, scenario: Scenario, limit: AgreedLimit | None, key: str) -> None:
    if said := st.session_state.pop(Key.LIMIT_SAID, ""):
        st.error(escape(said), icon=":material/error:")
    terms = Terms() if limit is None else limit.now.terms
    if limit is not None and limit.now.scenario is not None:
        scenario = limit.now.scenario
    version = 0 if limit is None else limit.now.version
    # Fields of another version are other fields: they begin with what is agreed on now.
    about = f"{key}_{version}"
    typed_for, typed = st.session_state.pop(Key.LIMIT_TYPED, ("", {}))
    if typed_for == key:  # somebody else was first: what was typed goes on from theirs
        st.session_state.update({f"{name}_{about}": value for name, value in typed.items()})
    with st.form(f"limit_{about}", border=True):
        st.markdown(f"**{escape(_subject(scenario))}**")
        columns = st.columns(3)
        columns[0].number_input(
            "Best attacker right in at most … of 100",
            50.1,
            99.9,
            None if terms.accuracy is None else round(100 * terms.accuracy, 4),
            1.0,
            format="%g",
            key=f"limit_accuracy_{about}",
            placeholder="no limit",
            help="Who has all releases and tells the two shares apart; guessing is right in 50.",
        )
        budget = terms.budget
        columns[1].number_input(
            "All releases deliver at most ε",
            0.001,
            1000.0,
            None if budget is None else budget.epsilon,
            0.1,
            format="%g",
            key=f"limit_epsilon_{about}",
            placeholder="no limit",
        )
        columns[2].number_input(
            "at δ",
            1e-12,
            0.5,
            scenario.delta if budget is None else budget.delta,
            1e-3,
            format="%g",
            key=f"limit_delta_{about}",
        )
        st.text_input(
            "Who agrees",
            storage.name(),
            max_chars=80,
            key=f"limit_author_{about}",
            help="It goes on record as you type it; nobody checks it.",
        )
        st.text_area(
            "Why",
            key=f"limit_reason_{about}",
            max_chars=4000,
            placeholder="What the figures rest on, and who decided",
        )
        row = st.container(horizontal=True)
        with row:
            st.form_submit_button(
                "Set this limit" if version == 0 else "Change this limit",
                key=f"limit_set_{about}",
                icon=":material/handshake:",
                on_click=_agree,
                args=(dataset, scenario, about, version, False),
            )
            if terms.any:
                st.form_submit_button(
                    "Lift it",
                    key=f"limit_lift_{about}",
                    icon=":material/lock_open:",
                    on_click=_agree,
                    args=(dataset, scenario, about, version, True),
                )


def _subject(scenario: Scenario) -> str:
    pairs = scenario.pairs
    more = f" and {len(pairs) - 1} more pairs" if len(pairs) > 1 else ""
    return f"{pairs[0].label}{more}"


def _agree(dataset: Dataset, scenario: Scenario, about: str, version: int, lifted: bool) -> None:
    state = st.session_state
    try:
        storage.keep(
            agree,
            version,
            author=state[f"limit_author_{about}"],
            reason=state[f"limit_reason_{about}"],
            data=dataset.title,
            digest=dataset.fingerprints[0],
            scenario=replace(scenario, digest=dataset.digest),
            terms=Terms() if lifted else _terms(about),
        )
    except DistprivError as error:
        state[Key.LIMIT_SAID] = f"Not kept: {error} What you typed is still here."
        names = [f"limit_{field}" for field in _FIELDS]
        typed = {name: state[f"{name}_{about}"] for name in names}
        state[Key.LIMIT_TYPED] = (about.rpartition("_")[0], typed)


def _terms(about: str) -> Terms:
    state = st.session_state
    right, epsilon = state[f"limit_accuracy_{about}"], state[f"limit_epsilon_{about}"]
    return Terms(
        None if right is None else right / 100,
        None if epsilon is None else Budget(epsilon, state[f"limit_delta_{about}"]),
    )


def history(limits: Sequence[AgreedLimit]) -> None:
    """Every version of every limit of the data, the latest first."""
    if not limits:
        return
    count = sum(len(limit.versions) for limit in limits)
    rows = [
        (
            version.at,
            {
                "When": moment(version.at),
                "Who": version.author,
                "What": "set"
                if version.version == 1
                else "changed"
                if version.terms.any
                else "lifted",
                "Limit": terms_in_words(version.terms),
                "On": about_in_words(limit),
                "Reason": version.reason,
            },
        )
        for limit in limits
        for version in limit.versions
    ]
    with st.expander(
        f"History of the limits: {count} {'entry' if count == 1 else 'entries'}",
        icon=":material/history:",
    ):
        ordered = sorted(rows, key=lambda row: row[0], reverse=True)
        display.table(pd.DataFrame([row for _, row in ordered]), "limit_history")
