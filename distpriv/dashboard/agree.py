"""Between the pages Decide, Release and Answer and the records: who acts, once, on which table."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any
from uuid import uuid5

import streamlit as st

from distpriv import report
from distpriv.analysis import Evaluation
from distpriv.dashboard.page import escape
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError, StoreError
from distpriv.records import ledger
from distpriv.records.decisions import ACTS, Decision
from distpriv.records.ledger import Known, Naming
from distpriv.records.store import Store
from distpriv.report.texts import day

__all__ = ["STATES", "author", "done", "files", "limit", "link", "naming", "offer_sign_in"]
__all__ += ["on_record", "refused", "sign_in_needed", "signed_in", "status", "store", "token"]
__all__ += ["watch"]

EVERY = 5.0  # seconds between two looks at what is on record
STATES = {
    "proposed": ("Waiting for an answer", "blue"),
    "agreed": ("Agreed", "green"),
    "changes": ("Changes wanted", "orange"),
    "rejected": ("Rejected", "red"),
}
"""What a decision's latest act makes of it, and its colour."""


def store() -> Store:
    """Return the records' database, one a process; StoreError if its address is none."""
    return _store(os.environ.get("DISTPRIV_DATABASE"))


@lru_cache(1)
def _store(address: str | None) -> Store:
    return Store(address)


def token(state: State, what: str) -> tuple[int, str]:
    """Return number and token of a form that writes.

    The form's key carries the number. Two clicks can run side by side: both then carry the same
    token, which writes once, and after `done` the form of the second one is gone.
    """
    number = state.tokens.get(what, 0)
    return number, uuid5(state.identity, f"{what} {number}").hex


def done(state: State, what: str, number: int) -> None:
    """Take the next token, for what was written with this one is on record."""
    state.tokens[what] = number + 1


def refused(error: DistprivError) -> None:
    """Say why something is not on record, or cannot be read."""
    st.error(escape(error), icon=":material/error:")


def sign_in_needed() -> bool:
    """Tell whether people have to sign in before they propose, answer or release.

    The owner sets that up by a section ``[auth]`` in Streamlit's secrets.
    """
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def signed_in() -> str:
    """Return who has signed in, "" for nobody.

    By the checked address of e-mail, for people choose the name in their account themselves.
    """
    user = st.user.to_dict()
    if not user.get("is_logged_in"):
        return ""
    checked = user.get("email") if user.get("email_verified", True) else None
    return str(checked or user.get("sub") or "")


def offer_sign_in(words: str = "") -> bool:
    """Draw the button "Sign in", outside of forms, where that is needed; True where it is not.

    With words on what that is for.
    """
    if not sign_in_needed() or signed_in():
        return True
    if words:
        st.markdown(words)
    st.button("Sign in", icon=":material/login:", on_click=st.login, key="sign-in")
    return False


def author(label: str, start: str = "", hint: str | None = None) -> str:
    """Draw who acts, in a form or outside: a text field, or who has signed in; return the name."""
    if sign_in_needed():
        name = signed_in()
        st.text_input(label, name, disabled=True, placeholder="Sign in first", help=hint)
        return name
    return st.text_input(label, start, help=hint)


def naming(state: State, now: Evaluation, records: Sequence[Known] | None = None) -> Naming | None:
    """Draw under which name the ledger has a table, and ask for it where it has none yet.

    None while it is not said whether the table is a newer version of one in the ledger; its tables
    are read unless they are given. Where the records cannot be read it asks for the name alone;
    the ledger's door checks it.
    """
    source = now.source
    if records is None:
        records = []
        with suppress(StoreError):
            records = ledger.tables(store())
    new = Naming(source.title, source.fingerprint, source.title, tuple(source.kinds))
    for one in records:
        if source.fingerprint in one.fingerprints:
            st.caption(f"In the ledger this table is **{escape(one.name)}**.")
            return replace(new, name=one.name)
    others = {one.name: one.name for one in ledger.likely(records, new)}
    start = state.names.get(source.fingerprint, source.title)
    older: str | None = ""
    columns = st.columns(2)
    if others:
        with columns[0]:
            words = {"": "No, it is another table"} | others
            older = st.selectbox(
                "A newer version of …?",
                [*others, ""],
                index=None,
                format_func=words.__getitem__,
                placeholder="Choose",
                help="Releases of all versions of a table count together.",
                key=f"older-{source.fingerprint}",
            )
    with columns[1 if others else 0]:
        name = st.text_input(
            "Its name, if it is another table" if others else "Name of this table",
            start,
            help="The ledger lists releases under it.",
            key=f"table-name-{source.fingerprint}",
        )
    state.names[source.fingerprint] = name
    if older is None:
        return None
    return replace(new, name=older or name, newer=bool(older))


def link(key: str) -> tuple[str, str]:
    """Return a decision's address, and its QR code as a picture's address."""
    import segno

    address = f"{(st.context.url or '').partition('?')[0].rpartition('/')[0]}/answer?decision={key}"
    return address, segno.make(address, error="m").svg_data_uri(scale=4, border=2, light="white")


def watch(read: Callable[[], Any], before: Any) -> None:
    """Draw the page anew once what is on record is no longer what it shows."""
    due = False  # with the page itself it was read already

    @st.fragment(run_every=EVERY)
    def look() -> None:
        nonlocal due
        with suppress(StoreError):
            if due and read() != before:
                st.rerun()
        due = True

    look()


def on_record(decision: Decision, releases: Iterable[ledger.Entry]) -> dict[str, Any]:
    """Return the report's record of a decision as it is now."""
    its_own = [one for one in releases if one.decision == decision.key]
    return report.with_decision(decision.proposal.body["record"], decision, its_own)


def status(decision: Decision) -> str:
    """Return who proposed it, who answered what and why, and until when that counts."""
    now, passed = decision.now, "The review date has passed, so it covers no further release."
    steps = (decision.proposal,) if decision.open else (decision.proposal, now)
    words = [f"{escape(one.author)} {ACTS[one.act]} on {day(str(one.at))}." for one in steps]
    if now.act == "agreed" and (until := now.body.get("review")):
        counts = f"It counts until {day(until)}."
        words.append(counts if decision.agreed else passed)
    return " ".join(words) + f"  \n{escape(now.reason, 4000)}" * (not decision.open)


def limit(decision: Decision) -> str:
    """Return what all releases of the table together may tell by a decision, "" without limit."""
    for one in decision.limits:  # the same for each secret
        words = f"reach at most ε = {one['epsilon']:g} at δ = {one['delta']:g}"
        if one["guesses"]:
            words = f"make an attacker right at most **{one['guesses']:g} times in 100**"
        return f"All releases of this table together may {words}."
    return ""


def files(decision: Decision, record: dict[str, Any]) -> None:
    """Draw what a decision is to keep: its report as HTML, Markdown and JSON, and its history."""
    address, code = link(decision.key)
    contents: dict[str, tuple[str, Callable[[], str]]] = {
        "Report": ("report.html", lambda: report.page(record, address, code)),
        "Markdown": ("report.md", lambda: report.markdown(record)),
        "JSON for reviewers": ("record.json", lambda: json.dumps(record, ensure_ascii=False)),
    }
    for label, (name, content) in contents.items():
        key = f"{label}-{decision.key}"
        st.download_button(label, content, name, on_click="ignore", key=key)
    with st.popover("History", type="tertiary"):
        for one in decision.versions:
            st.markdown(
                f"{day(str(one.at))}, {one.at:%H:%M}: **{escape(one.author)}** {ACTS[one.act]}.  \n"
                f"{escape(one.reason, 4000)}"
            )
