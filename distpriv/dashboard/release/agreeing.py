"""The Release page's agreement: a limit is set, changed or lifted, and how it came about."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pandas as pd
import streamlit as st

from distpriv.analysis.decision import moment
from distpriv.analysis.for_persons import bounds_from_data, leaking_in_words, rounded_bounds
from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.release.limit_panel import NOT_COVERED
from distpriv.dashboard.serving import people, writing
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.errors import DistprivError, PropertyError
from distpriv.glossary import hover
from distpriv.store import AgreedLimit, Budget, Terms
from distpriv.store.checks import about_in_words
from distpriv.store.limits import limit_key, terms_in_words
from distpriv.words import escape, exact, listed

__all__ = ["agreement", "history"]

_FIELDS = (
    "accuracy",
    "epsilon",
    "delta",
    "person_epsilon",
    "person_delta",
    "author",
    "reason",
)
_PERSON_DELTA = 1e-5


def agreement(dataset: Dataset, scenario: Scenario, limits: Sequence[AgreedLimit]) -> None:
    """Set a limit for the secret on screen, or change any that there is."""
    by_key = {limit.key: limit for limit in limits}
    keys = [key for key, limit in by_key.items() if limit.now.scenario is not None]
    with suppress(PropertyError):  # the page says what is wrong with the shares
        own = limit_key(dataset.fingerprints[0], scenario)
        keys = [own, *(key for key in by_key if key != own)]
    force = any(limit.in_force for limit in limits)
    if said := st.session_state.pop(Key.LIMIT_SAID, ""):
        st.error(escape(said), icon=":material/error:")
    with st.expander(
        "Change a limit, or set another" if force else "Agree on a limit",
        icon=":material/handshake:",
        expanded=False,
    ):
        st.markdown(
            "A limit holds for **all releases of these data together**, whatever statistics and "
            "whatever secret they are made for, and for everybody who uses this database. It is "
            "changed by a new version only, and earlier ones stay to be read. What releases come "
            "to is computed by the fitted normals, with an upper bound for Laplace noise. "
            f"{NOT_COVERED}"
        )
        if not keys:
            st.caption("A limit needs two shares between 0 and 1; change them first.")
            return
        chosen = keys[0]
        if len(keys) > 1:
            chosen = st.selectbox(
                "Limit on",
                keys,
                format_func=lambda key: _named(key, by_key.get(key), scenario),
                key="limit_chosen",
            )
        _form(dataset, scenario, by_key.get(chosen), chosen)


def _named(key: str, limit: AgreedLimit | None, scenario: Scenario) -> str:
    """What never changes: the browser knows an option by its text."""
    if limit is None or limit.now.scenario is None:
        return _subject(scenario) if limit is None else f"{about_in_words(limit)} ({key[:6]})"
    return _subject(limit.now.scenario)


def _form(dataset: Dataset, scenario: Scenario, limit: AgreedLimit | None, key: str) -> None:
    terms = Terms() if limit is None else limit.now.terms
    if limit is not None and limit.now.scenario is not None:
        then = limit.now.scenario
        known = {**dict(then.bounds), **dict(scenario.bounds)}
        scenario = replace(then, bounds=tuple(sorted(known.items())), query=scenario.query)
    bounds = rounded_bounds(dataset.records, scenario.query) | dict(scenario.bounds)
    bounded = replace(scenario, bounds=tuple(sorted(bounds.items())))
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
            help=hover("best attacker's accuracy") + " Here they have all releases.",
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
            help=f"{hover('ε')} Here of all releases together.",
        )
        columns[2].number_input(
            "at δ",
            1e-12,
            0.5,
            scenario.delta if budget is None else budget.delta,
            1e-3,
            format="%g",
            key=f"limit_delta_{about}",
            help=hover("δ"),
        )
        columns = st.columns(3)
        persons = terms.persons
        columns[0].number_input(
            "About each person, at most ε",
            0.001,
            1000.0,
            None if persons is None else persons.epsilon,
            0.1,
            format="%g",
            key=f"limit_person_epsilon_{about}",
            placeholder="no limit",
            help=f"{hover('per-person promise')} Here of all releases together.",
        )
        columns[1].number_input(
            "at δ, for each person",
            1e-12,
            0.5,
            _PERSON_DELTA if persons is None else persons.delta,
            1e-5,
            format="%g",
            key=f"limit_person_delta_{about}",
        )
        columns[2].caption(_bounds_in_words(bounded, dataset))
        if not storage.fixed("Who agrees"):
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
        storage.barred("limit")
        row = st.container(horizontal=True)
        allowed = people.may("limit")
        with row:
            st.form_submit_button(
                "Set this limit" if version == 0 else "Change this limit",
                key=f"limit_set_{about}",
                disabled=not allowed,
                icon=":material/handshake:",
                on_click=_agree,
                args=(dataset, bounded, about, version, False),
            )
            if terms.any:
                st.form_submit_button(
                    "Lift it",
                    key=f"limit_lift_{about}",
                    disabled=not allowed,
                    icon=":material/lock_open:",
                    on_click=_agree,
                    args=(dataset, bounded, about, version, True),
                )


def _bounds_in_words(scenario: Scenario, dataset: Dataset) -> str:
    """Within which bounds persons are counted, and where these come from."""
    leaking = bounds_from_data(scenario, dataset.records)
    presenting = st.session_state[Key.SCENARIO].presenting
    shown = [
        f"{name} {exact(low)} to {exact(high)}"
        for name, (low, high) in scenario.bounds
        if not (presenting and name in leaking)
    ]
    if not scenario.bounds:
        return "Counts need no public bounds."
    within = f"Within the public bounds {listed(shown)}. " if shown else ""
    return escape(f"{within}{leaking_in_words(leaking)}".rstrip())


def _subject(scenario: Scenario) -> str:
    pairs = scenario.pairs
    more = f" and {len(pairs) - 1} more pairs" if len(pairs) > 1 else ""
    return f"{pairs[0].label}{more}"


def _agree(dataset: Dataset, scenario: Scenario, about: str, version: int, lifted: bool) -> None:
    state = st.session_state
    try:
        terms = Terms() if lifted else _terms(about)
        if terms.persons is None:
            scenario = replace(scenario, bounds=())
        writing.agree(
            version,
            author=str(state.get(f"limit_author_{about}", "")),
            reason=state[f"limit_reason_{about}"],
            data=dataset.title,
            digest=dataset.fingerprints[0],
            scenario=replace(scenario, digest=dataset.digest),
            terms=terms,
        )
    except DistprivError as error:
        state[Key.LIMIT_SAID] = f"Not kept: {error} What you typed is still here."
        names = [f"limit_{field}" for field in _FIELDS]
        typed = {name: state[key] for name in names if (key := f"{name}_{about}") in state}
        state[Key.LIMIT_TYPED] = (about.rpartition("_")[0], typed)


def _terms(about: str) -> Terms:
    state = st.session_state

    def budget(kind: str) -> Budget | None:
        epsilon = state[f"limit_{kind}epsilon_{about}"]
        return None if epsilon is None else Budget(epsilon, state[f"limit_{kind}delta_{about}"])

    right = state[f"limit_accuracy_{about}"]
    return Terms(None if right is None else right / 100, budget(""), budget("person_"))


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
                "Who": version.signed,
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
