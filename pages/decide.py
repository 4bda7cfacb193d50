"""Decide: scenarios side by side, a proposal, and the link by which somebody else answers."""

import json
from datetime import date, timedelta
from typing import Any

import streamlit as st

from distpriv import report
from distpriv.analysis import Scenario, sentences
from distpriv.dashboard import agree, login, page, scenarios
from distpriv.dashboard.fields import BY_NAME
from distpriv.errors import DistprivError, StoreError
from distpriv.model import Promise
from distpriv.records import decisions, ledger
from distpriv.records.decisions import Decision, Version
from distpriv.site import PAGES
from distpriv.text import significant

state, now = page.current()
scenario = now.scenario
ways = {
    way.key: way
    for way in sorted(now.ways, key=lambda way: (not way.kept, way.percent))
    if way.publishable
}
STATES = {
    "proposed": ("proposed", "blue"),
    "agreed": ("agreed", "green"),
    "changes": ("changes wanted", "orange"),
    "rejected": ("rejected", "red"),
}


def on_record() -> tuple[list[Decision], list[ledger.Entry]]:
    """Return decisions on this table and releases; StoreError where they cannot be read."""
    store, mine = agree.store(), now.source.fingerprint
    known = [one.fingerprints for one in ledger.tables(store) if mine in one.fingerprints]
    found = [one for each in known or [(mine,)] for one in each]
    listed = [one for each in found for one in decisions.decisions(store, each)]
    unique = {one.key: one for one in listed if one.proposal.body.get("record")}
    listed = sorted(unique.values(), key=lambda one: one.now.at, reverse=True)
    return listed, ledger.releases(store)


def covers(proposal: Version) -> bool:
    """Tell whether a proposal is of this version of the table and exactly this scenario."""
    same = proposal.body["scenario"] == json.loads(scenario.to_json())
    return same and proposal.fingerprint == now.source.fingerprint


def lead(mine: list[Decision]) -> None:
    """Draw the page's answer: what is decided on these settings, or whether they can be."""
    title = sentences.decide_title(now)
    advice = sentences.decide_advice(now, page.WORDS)
    if mine:
        who = f"**{page.escape(mine[0].now.author)}**"
        title, advice = {
            "proposed": (
                "Waiting for an answer",
                "Hand on the link below. **Someone else** has to answer.",
            ),
            "agreed": ("Agreed", f"{who} agreed to these settings. Release them below."),
            "changes": (
                "Changes wanted",
                f"{who} asked for changes. Change the settings at the "
                "left, and propose them again.",
            ),
            "rejected": ("Rejected", f"{who} rejected these settings. Change them at the left."),
        }[mine[0].now.act]
    words = sentences.decide_lead(now, page.WORDS)
    page.headline(title, words, advice, sentences.warning(now, page.WORDS))


def limits() -> list[tuple[str, str]]:
    """Draw what all releases together may tell; return fields and texts, to be read."""
    names = ["guesses"] if scenario.by == "guesses" else ["epsilon", "delta"]
    labels = {"guesses": "Right guesses of 100, for all releases together"}
    labels |= {"epsilon": "ε, for all releases together", "delta": "δ"}
    texts = []
    for name, column in zip(names, st.columns(len(names)), strict=True):
        field = BY_NAME[name]
        start = field.write(field.get(scenario))
        texts.append((name, column.text_input(labels[name], start, key=f"all-{name}-{start}")))
    return texts


def limits_of(texts: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Read the limit, and return it for each secret."""
    values = {name: BY_NAME[name].read(text) for name, text in texts}
    guesses = values.get("guesses")
    promise = Promise(**values) if guesses is None else Promise.of_guesses(guesses)
    limit = {"epsilon": promise.epsilon, "delta": promise.delta, "guesses": guesses}
    return [{"secret": pair.plain(), **limit} for pair in scenario.secrets]


def propose(asked: list[Decision]) -> None:
    """Draw the form, and put a proposal on record."""
    st.header("Propose", anchor=False)
    if now.outside:
        st.markdown("Widen the two shares first: nothing is released outside of them.")
        return
    if not login.offer("Sign in first, and open your table after that: it is not kept meanwhile."):
        return
    what = f"propose-{now.source.fingerprint}"
    number, token = agree.token(state, what)
    with st.form(f"{what}-{number}"):
        changed = None
        if asked:
            titles = {one.key: f"Changed, as {one.now.author} has asked" for one in asked}
            titles[""] = "A new proposal"
            changed = st.selectbox("What is this?", list(titles), format_func=titles.__getitem__)
        former: dict[str, str] = {}
        former |= next((one.proposal.body["record"]["risk"] for one in asked), {})
        way = st.selectbox(
            "Way to publish", list(ways), format_func=lambda key: sentences.offered(ways[key])
        )
        left, right = st.columns(2)
        who = left.text_input(
            "Who could want to know the share?",
            former.get("who", ""),
            placeholder="Competitors, the press, an insurer",
        )
        harm = right.text_input(
            "What could they do with it?",
            former.get("harm", ""),
            placeholder="Undercut our prices",
        )
        why = st.text_area("Why should it be published, and why this way?", height=80)
        left, middle, right = st.columns(3)
        with left:
            author = login.author("Your name", state.author)
        today = date.today()
        with middle:
            year = today + timedelta(365)
            review = st.date_input("Look at it again on", year, min_value=today)
        with right:
            texts = limits()
        naming = agree.naming(state, now)
        if not st.form_submit_button("Propose", type="primary", icon=":material/how_to_vote:"):
            return
        try:
            if naming is None:
                raise DistprivError("Say whether this is a newer version of a table in the ledger.")
            risk = {"why": why, "who": who, "harm": harm}
            body = {
                "scenario": json.loads(scenario.to_json()),
                "way": way,
                "record": report.record(now, ways[way], risk=risk, name=naming.name),
                "review": f"{review or year}",
                "limits": limits_of(texts),
            }
            before = next((one.now.version for one in asked if one.key == changed), 0)
            decisions.propose(
                agree.store(),
                naming,
                token=token,
                author=author,
                reason=why,
                body=body,
                key=changed or "",
                seen=before,
            )
        except DistprivError as error:
            agree.refused(error)
            return
    agree.done(state, what, number)
    state.author = author
    state.notes.append("Proposed. Hand on the link.")
    st.rerun()


def card(one: Decision, releases: list[ledger.Entry]) -> None:
    """Draw a decision, its link, its report, and what follows."""
    last, body = one.now, one.proposal.body
    release = body["record"]["release"]
    status, color = STATES[last.act]
    if last.act == "agreed" and not one.agreed:
        status, color = "to be looked at again", "orange"
    lines = (
        f":{color}-badge[{status}] **{page.escape(release['title'])}**, right "
        f"{release['guesses']:.0f} of 100, off by {significant(release['percent'], 2)} %. "
    )
    for version in (one.proposal,) if one.open else (one.proposal, last):
        author, act = page.escape(version.author), decisions.ACTS[version.act]
        lines += f"{author} {act} on {version.at:%d %B %Y}. "
    lines += f"  \n{page.escape(last.reason, 4000)}" if last.reason and not one.open else ""
    with st.container(border=True):
        st.markdown(lines)
        if one.proposal.fingerprint != now.source.fingerprint:
            st.caption("About an older version of this table.")
        with st.container(horizontal=True, vertical_alignment="center"):
            address, code = agree.link(one.key)
            icon = ":material/qr_code_2:"
            with st.popover(
                "Link to hand on", icon=icon, type="primary" if one.open else "secondary"
            ):
                st.image(code, width=180)
                st.code(address, language=None, wrap_lines=True)
                if any(place in address for place in agree.LOCAL):
                    st.caption(
                        "This link works on this machine only. Open the dashboard by the address "
                        "that others use."
                    )
            agree.downloads(agree.on_record(one, releases), one.key)
            with st.popover("History", type="tertiary"):
                agree.history(one)
            take_over(one)
            if one.agreed:
                st.page_link(PAGES / "release.py", label="Release", icon=":material/lock_open:")


def take_over(one: Decision) -> None:
    """Draw what takes a decision's scenario over, where that is another one than the sidebar's."""
    body = one.proposal.body
    if body["scenario"] == json.loads(scenario.to_json()):
        return
    try:
        brought = Scenario.from_json(json.dumps(body["scenario"]))
    except DistprivError:  # of another version of the program
        return
    icon = ":material/check:"
    st.button(
        "Take its settings", icon=icon, key=f"take-{one.key}", on_click=state.take, args=(brought,)
    )


remembered = f"decisions-{now.source.fingerprint}"
trouble = None
try:
    listed, releases = st.session_state[remembered] = on_record()
except StoreError as error:
    listed, releases = st.session_state.get(remembered, ([], []))
    trouble = error
listed.sort(key=lambda one: not covers(one.proposal))  # those of these settings first
lead([one for one in listed if covers(one.proposal) and (one.agreed or one.now.act != "agreed")])
scenarios.side_by_side(state, now)
scenarios.file(state)
if trouble or listed:
    st.header("On record", anchor=False)
if trouble:
    agree.refused(trouble)
else:
    for one in listed:
        card(one, releases)
propose([one for one in listed if one.now.act == "changes"])
seen = None if trouble else {one.key: one.now.version for one in listed}
agree.watch(lambda: {one.key: one.now.version for one in on_record()[0]}, seen)
