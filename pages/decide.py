"""Decide: scenarios side by side, a proposal, and the link by which somebody else answers."""

import json
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import streamlit as st

from distpriv import report
from distpriv.analysis import Scenario, sentences
from distpriv.dashboard import agree, page, scenarios
from distpriv.dashboard.fields import BY_NAME
from distpriv.errors import DistprivError, StoreError
from distpriv.files import PAGES
from distpriv.records import decisions, ledger
from distpriv.records.decisions import Decision
from distpriv.records.ledger import Entry, Known
from distpriv.text import right_of_100

NEXT = {
    "proposed": "Hand on the link below. **Someone else** has to answer.",
    "agreed": "**Someone else agreed.** Release it by the link below.",
    "changes": "Change the settings on the left, and propose them again.",
    "rejected": "Change the settings on the left.",
}
KEPT = DistprivError("Nothing is on record; what you have written stays here.")
state, now = page.current()
scenario = now.scenario
plain = json.loads(scenario.to_json())


def on_record() -> tuple[list[Decision], list[Entry], list[Known]]:
    """Return decisions on and releases of all versions of this table, and the ledger's tables.

    Decisions on these settings first, the latest first. StoreError where they cannot be read.
    """
    store, mine = agree.store(), now.source.fingerprint
    tables = ledger.tables(store)
    table = next((one for one in tables if mine in one.fingerprints), None)
    if table is None:
        return [], [], tables
    histories = (decisions.decisions(store, version) for version in table.fingerprints)
    listed = {
        one.key: one for history in histories for one in history if "record" in one.proposal.body
    }
    latest = sorted(listed.values(), key=lambda one: one.now.at, reverse=True)
    latest.sort(key=lambda one: not covers(one))
    return latest, ledger.releases(store, table.name), tables


def covers(one: Decision) -> bool:
    """Tell whether a decision is on this version of the table and exactly these settings."""
    return one.covers(now.source.fingerprint, plain)


def lead(listed: list[Decision], warning: str) -> None:
    """Draw the page's answer: what is decided on these settings, or whether they can be."""
    title, advice = sentences.decide_title(now), sentences.decide_advice(now, page.WORDS)
    if listed and covers(listed[0]):
        act = listed[0].now.act
        title, advice = agree.STATES[act][0], NEXT[act]
    words = sentences.decide_lead(now, page.WORDS)
    page.headline(title, words, advice, sentences.warning(now, page.WORDS) or warning, "decision")


def card(one: Decision, releases: list[Entry]) -> None:
    """Draw a decision, its link, its report, and what follows."""
    record = agree.on_record(one, releases)
    release, (title, color) = record["release"], agree.STATES[one.now.act]
    words = (
        f"right {right_of_100(release['guesses'])} of 100, "
        f"off by {sentences.off(release['percent'])}."
    )
    with st.container(border=True):
        st.markdown(
            f":{color}-badge[{title}] **{page.escape(release['title'])}**, {words} "
            f"{agree.status(one)}"
        )
        st.caption(agree.limit(one))
        if one.proposal.fingerprint != now.source.fingerprint:
            st.caption("About another version of this table.")
        with st.container(horizontal=True, vertical_alignment="center"):
            look = "primary" if one.open else "secondary"
            icon = ":material/qr_code_2:"
            with st.popover("Link to hand on", icon=icon, type=look):  # type: ignore[arg-type]
                address, code = agree.link(one.key)
                st.image(code, width=180)
                st.code(address, language=None, wrap_lines=True)
                if "//127.0.0.1" in address or "//localhost" in address:
                    st.caption(
                        "This link works on this machine only. Open the dashboard by the address "
                        "that others use."
                    )
            agree.files(one, record)
            if not covers(one):
                st.button("Take its settings", key=f"take-{one.key}", on_click=take, args=(one,))
            if one.agreed:
                st.page_link(PAGES / "release.py", label="Release", icon=":material/lock_open:")


def take(one: Decision) -> None:
    """Take a decision's settings over; a sentence where they are of another program."""
    try:
        state.take(Scenario.from_json(json.dumps(one.proposal.body["scenario"])))
    except DistprivError as error:
        state.notes.append(str(error))


def ask_limit() -> dict[str, str]:
    """Draw what all releases together may tell; return texts by field, to be read."""
    together = "for all releases together"
    labels = {"epsilon": f"ε, {together}", "delta": "δ"}
    if scenario.by == "guesses":
        labels = {"guesses": f"Right guesses of 100, {together}"}
    texts = {name: BY_NAME[name].write(getattr(scenario, name)) for name in labels}
    columns = st.columns(len(labels), vertical_alignment="bottom")
    for (name, label), column in zip(labels.items(), columns, strict=True):
        texts[name] = column.text_input(label, texts[name], help=page.tip(BY_NAME[name].term))
    return texts


def propose(changes: list[Decision], tables: list[Known]) -> None:
    """Draw the form, and put a proposal on record."""
    st.header("Propose", anchor=False)
    if now.outside:
        st.markdown("Widen the two shares first: nothing is released outside of them.")
        return
    ways = {sentences.offered(one): one for one in now.ways if one.publishable and one.kept}
    if not ways:
        st.markdown("No way of releasing keeps your limit. Change the limit or the figures.")
        return
    if not agree.offer_sign_in(
        "Sign in first, and open your table after that: it is not kept meanwhile."
    ):
        return
    what, today = f"propose-{now.source.fingerprint}", date.today()
    number, token = agree.token(state, what)
    with st.form(f"{what}-{number}"):
        versions = {one.key: one.now.version for one in changes}
        words = {one.key: f"changed, as {one.now.author} asked" for one in changes}
        words[""], key, risk = "a new one", "", {"why": "", "who": "", "harm": ""}
        if changes:
            key = st.selectbox("This proposal is", list(words), format_func=words.__getitem__)
            risk = changes[0].proposal.body["record"]["risk"]
        way = ways[st.selectbox("Way to publish", list(ways))]
        first, second = st.columns(2)
        hint = "Competitors, the press, an insurer"
        who = first.text_input("Who could want to know the share?", risk["who"], placeholder=hint)
        hint = "Undercut our prices"
        harm = second.text_input("What could they do with it?", risk["harm"], placeholder=hint)
        why = st.text_area("Why should it be published, and why this way?", risk["why"], height=80)
        first, second, third = st.columns(3, vertical_alignment="bottom")
        with first:
            author = agree.author("Your name", state.author)
        review = second.date_input("Look at it again on", today + timedelta(365), min_value=today)
        with third:
            texts = ask_limit()
        naming = agree.naming(state, now, tables)
        if not st.form_submit_button("Propose", type="primary", icon=":material/how_to_vote:"):
            return
        try:
            if naming is None:
                raise DistprivError("Say first whether this is a newer version of another table.")
            values = {name: BY_NAME[name].read(text) for name, text in texts.items()}
            limit = replace(scenario, **values).promise
            limits = {"epsilon": limit.epsilon, "delta": limit.delta, "guesses": limit.guesses}
            risk = {"why": why, "who": who, "harm": harm}
            body: dict[str, Any] = {
                "scenario": plain,
                "way": way.key,
                "record": report.record(now, way, risk=risk, name=naming.name),
                "review": review.isoformat(),
                "limits": [{"secret": one.plain(), **limits} for one in scenario.secrets],
            }
            about = {"token": token, "author": author, "reason": why, "key": key}
            decisions.propose(agree.store(), naming, **about, body=body, seen=versions.get(key, 0))
        except DistprivError as error:
            away = str(error) == str(trouble)  # which the page has said
            agree.refused(
                DistprivError("Nothing is on record; your text stays.") if away else error
            )
            return
    agree.done(state, what, number)
    state.author = author
    state.notes.append("Proposed. Hand on the link.")
    st.rerun()


remembered, trouble = f"decisions-{now.source.fingerprint}", None
try:
    listed, releases, tables = st.session_state[remembered] = on_record()
except StoreError as error:  # what is being typed stays
    listed, releases, tables = st.session_state.get(remembered, ([], [], []))
    trouble = error
lead(listed, "**Nothing can be put on record now.** The reason is below." if trouble else "")
others = [] if trouble else listed
if others and covers(others[0]):
    card(others[0], releases)
    others = others[1:]
scenarios.side_by_side(state, now)
scenarios.file(state)
if trouble or others:
    st.header("On record", anchor=False)
if trouble:
    agree.refused(trouble)
for one in others:
    card(one, releases)
propose([one for one in listed if one.now.act == "changes"], tables)
if not trouble:
    versions = {one.key: one.now.version for one in listed}
    agree.watch(lambda: {one.key: one.now.version for one in on_record()[0]}, versions)
