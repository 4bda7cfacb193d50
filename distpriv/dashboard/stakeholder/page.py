"""The stakeholder's page: the verdict, the alternatives, who proposed what and why, yes or no.

It needs no table: a decision on record holds what it shows, and nothing that must not be shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from distpriv.analysis.decision import moment
from distpriv.analysis.decision_in_words import (
    chance,
    chances,
    error_lines,
    how,
    promise,
    promise_in_words,
    settled,
    verdict,
)
from distpriv.analysis.keeping import NO_PROMISE
from distpriv.dashboard.decide import deciding
from distpriv.dashboard.decide.panels import badge, paragraphs
from distpriv.dashboard.serving import people
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.banner import banner
from distpriv.dashboard.shell.links import DECISION, TABLE
from distpriv.dashboard.shell.state import Key
from distpriv.store import Alternative, Decision, Revision, all_decisions
from distpriv.store.rows import Found, Unreadable, refused
from distpriv.words import escape, listed, with_unit

__all__ = ["draw"]

_WIDTH = 344  # of a card: one beside the other on a laptop, one a row on a phone


def draw() -> None:
    """The decision that the address names, or those that wait for one."""
    found = storage.ask(all_decisions)
    found = Found() if found is None else found
    banner("What is to be decided cannot be shown until it answers.")
    if storage.trouble():
        st.title("Decide")
        return
    _unread(found.unreadable)
    key = str(st.query_params.get(DECISION) or st.session_state.get(Key.DECIDING) or "")
    decision = next((each for each in found if each.key == key), None)
    table = str(st.query_params.get(TABLE) or "")
    waiting = [
        each
        for each in found
        if each.now.status == "proposed" and each.key != key and table in ("", each.digest)
    ]
    if decision is None:
        _waiting(waiting, lost=bool(key))
        return
    st.session_state[Key.DECIDING] = decision.key
    _decision(decision)
    if waiting:
        st.button(
            f"Others that wait: {len(waiting)}",
            key="others",
            icon=":material/arrow_back:",
            on_click=_leave,
        )


def _unread(unreadable: Sequence[Unreadable]) -> None:
    if said := refused(unreadable):
        st.caption(f":material/warning: {escape(said)}")


def _waiting(decisions: Sequence[Decision], *, lost: bool) -> None:
    st.title("What waits for you")
    if lost:
        st.warning(
            "The decision of this link is not on record here; ask who sent it for another link.",
            icon=":material/link_off:",
        )
    if not decisions:
        st.markdown("No decision waits for anybody to agree.")
        return
    count = len(decisions)
    st.markdown(
        "**One decision** waits."
        if count == 1
        else f"**{count} decisions** wait, the latest first."
    )
    for decision in decisions:
        with st.container(border=True):
            first = decision.revisions[0]
            st.markdown(
                f"**{escape(decision.data)}**: {escape(verdict(decision.now.choice))}  \n"
                f"Proposed by {escape(first.signed)} on {moment(first.at)}."
            )
            st.button(
                "Look at it", key=f"look_{decision.key}", on_click=_look, args=(decision.key,)
            )


def _look(key: str) -> None:
    st.session_state[Key.DECIDING] = st.query_params[DECISION] = key


def _leave() -> None:
    st.session_state.pop(Key.DECIDING, None)
    st.query_params.pop(DECISION, None)


def _decision(decision: Decision) -> None:
    now = decision.now
    st.title("May this be published?")
    st.markdown(f"**{escape(f'{verdict(now.choice)} {promise_in_words(now.choice)}')}**")
    st.markdown(
        f"{badge(now)} It is about {escape(decision.data)}, proposed by "
        f"**{escape(decision.revisions[0].signed)}** on {moment(decision.revisions[0].at)}: "
        f"{escape(now.chosen)}."
    )
    with st.container(border=True):
        st.markdown(f"**Why**  \n{paragraphs(now.reason)}")
    st.header("The alternatives")
    row = st.container(horizontal=True)
    for alternative in sorted(now.alternatives, key=lambda each: each.name != now.chosen):
        with row.container(border=True, width=_WIDTH):
            _card(alternative, proposed=alternative.name == now.chosen)
    st.caption(
        "Fewer right guesses hide more; smaller errors say more. "
        f"{escape(chance(now.choice))} Only this secret is hidden: other properties are not, and "
        "each later release adds to what is known."
    )
    if now.status == "proposed":
        _form(decision)
    else:
        _outcome(now)
    _history(decision)


def _card(alternative: Alternative, *, proposed: bool) -> None:
    kept = promise(alternative)
    badges = [":blue-badge[:material/how_to_vote: proposed]"] if proposed else []
    if kept is not None:
        noun = "" if kept.state == NO_PROMISE.state else "promise "
        badges.append(f":{kept.color}-badge[:material/{kept.icon}: {noun}{kept.words}]")
    st.markdown(f"**{escape(alternative.name)}**  \n{' '.join(badges)}".rstrip())
    st.markdown(f"Right in **{chances(alternative.accuracy)}** guesses")
    lines = [
        f"- {escape(label)} **{escape(size)}** :small[({escape(meaning)})]"
        for label, size, meaning in error_lines(alternative)
    ]
    if not lines and not math.isnan(alternative.error):
        error = with_unit(alternative.error, alternative.unit)
        lines = [f"The total error is {escape(error)}; nothing more is on record."]
    st.markdown("\n".join(lines))
    st.caption(escape(how(alternative)))


def _form(decision: Decision) -> None:
    st.header("Do you agree?")
    deciding.said("settling", decision.key)
    names = escape(listed(decision.signers))
    storage.barred("settle")
    with st.form("stakeholder", border=True):
        st.markdown(f"It takes the name of somebody other than **{names}**.")
        if not (fixed := storage.fixed()):
            st.text_input("Your name", key=Key.WHO, max_chars=80)
        st.text_area("Your reason", key=Key.SETTLING_COMMENT, max_chars=2000)
        row = st.container(horizontal=True)
        for label, status, icon in (
            ("Agree", "agreed", ":material/check:"),
            ("Reject", "rejected", ":material/close:"),
        ):
            row.form_submit_button(
                label,
                key=f"stakeholder_{status}",
                icon=icon,
                disabled=not people.may("settle"),
                on_click=deciding.settle_as,
                args=(decision.key, decision.now.version, status),
                kwargs={"reasoned": True},
            )
        st.caption(
            "Your reason goes on record as you type it, with the name of your sign-in, for good."
            if fixed
            else "Name and reason go on record as you type them, for good; nobody checks names."
        )


def _outcome(now: Revision) -> None:
    st.header("What was decided")
    said = f"  \n{paragraphs(now.comment)}" if now.comment else ""
    told = settled(now)
    text = f"**{escape(told[:1].upper() + told[1:])}**{said}"
    if now.status == "agreed":
        st.success(text, icon=":material/check:")
    else:
        st.error(text, icon=":material/close:")


def _history(decision: Decision) -> None:
    with st.expander("Who proposed what, and why", icon=":material/history:"):
        for revision in decision.revisions:
            verb = "proposed" if revision.version == 1 else "changed it to"
            if revision.status != "proposed":
                verb = revision.status
            choice = revision.choice
            why = revision.reason if revision.status == "proposed" else revision.comment
            st.markdown(
                f"**{escape(revision.signed)}** {verb} {escape(choice.name)} "
                f"({escape(how(choice))}) on {moment(revision.at)}  \n{paragraphs(why or '–')}"
            )
