"""Answer a proposal behind a link, from what is on record alone: no table, no settings."""

from datetime import date
from typing import Any

import pandas as pd
import streamlit as st

from distpriv.analysis.sentences import off
from distpriv.dashboard import agree, page
from distpriv.errors import DistprivError, StoreError
from distpriv.records import decisions, ledger
from distpriv.records.decisions import Decision
from distpriv.text import percent, right_of_100, significant, whole

CHOICES = {"agreed": "Go ahead", "changes": "Change it", "rejected": "Stop"}
key = st.query_params.get("decision", "")


def current() -> Decision:
    """Return the decision as it is; StoreError where that cannot be read."""
    return decisions.decision(agree.store(), key)


def ask(decision: Decision, record: dict[str, Any]) -> None:
    """Draw what is asked, so that it fits a phone's screen."""
    question, release, count = record["question"], record["release"], len(record["figures"])
    low, high = (percent(share) for share in question["shares"])
    guesses, kept = release["guesses"], release["verdict"]["kept"]
    page.headline(
        "May this be published?" if decision.open else agree.STATES[decision.now.act][0],
        f"{page.escape(decision.proposal.author)} asks to publish {count} "
        f"figure{'s' * (count > 1)} of {whole(question['records'])} records of "
        f"*{page.escape(question['table'])}*: **{page.escape(release['title'])}**.",
        f"An attacker could tell {low} from {high}: right **{right_of_100(guesses)} times in 100**."
        if guesses > 50.5
        else f"An attacker **cannot tell** {low} from {high}: right 50 times in 100, a coin toss.",
    )
    with st.container(key="asked", border=True):
        color = "normal" if kept else "inverse"
        before = right_of_100(question["undefended"], "> 99")
        limit = f"of 100, limit {significant(question['limit'])}"
        look: dict[str, Any] = {"delta_arrow": "off", "delta_color": "off"}
        first, second, third = st.columns(3)
        first.metric(
            "Attacker right", right_of_100(guesses, "> 99"), limit, **look | {"delta_color": color}
        )
        second.metric("If unprotected", before, "of 100", **look)
        third.metric("Figures off by", off(release["percent"]), "on average", **look)
    how = f"{release['how'][:1].lower()}{release['how'][1:]} {release['basis']}"
    st.markdown(
        f"An attacker guesses whether **{low}** or **{high}** of the records have "
        f"*{page.escape(question['secret'])}*. **{page.escape(release['title'])}** "
        f"{page.escape(how)}"
    )


def weigh(decision: Decision, record: dict[str, Any]) -> None:
    """Draw what speaks for and against it, the figures, and the other ways."""
    risk = record["risk"]
    st.header("For and against", anchor=False)
    with st.container(border=True):
        for title, text in {
            "Why it should be published": decision.proposal.reason,
            "Who could want to know the share": risk["who"],
            "What they could do with it": risk["harm"],
            "What is not protected": " ".join(record["not_protected"]),
        }.items():
            st.markdown(f"**{title}**  \n{page.escape(text, 4000) or 'Not said.'}")
    st.header("The figures", anchor=False)
    figures = [
        {
            "": page.escape(one["label"][:1].upper() + one["label"][1:], 60),
            "about": f"{significant(one['value'], 3)} {page.escape(one['unit'])}".strip(),
            "off by": f"± {significant(one['error'], 2)} ({off(one['percent'])})",
        }
        for one in record["figures"]
    ]
    st.table(pd.DataFrame(figures).set_index(""))
    with st.expander("Ways that were weighed"):
        ways = pd.DataFrame(record["ways"])
        rows = {
            "": ways["title"].map(page.escape),
            "right of 100": ways["guesses"].map(right_of_100),
            "off by": ways["percent"].map(off),
            "limit": ways["kept"].map({True: "kept", False: "broken"}),
        }
        st.table(pd.DataFrame(rows).set_index(""))


def answer(decision: Decision, trouble: str) -> None:
    """Draw the form, and put an answer on record."""
    st.header("Your answer", anchor=False)
    if not agree.offer_sign_in("Sign in, then open this link again."):
        return
    version, today = decision.now.version, date.today()
    planned = date.fromisoformat(decision.proposal.body.get("review") or f"{today}")
    with st.form(f"answer-{key}-{version}"):
        st.markdown(f"By going ahead you set this limit. {agree.limit(decision)}")
        act = st.radio("Answer", [*CHOICES], None, CHOICES.__getitem__, horizontal=True)
        reason = st.text_area("Why", placeholder="Needed unless you go ahead", height=80)
        first, second = st.columns(2)
        with first:
            words = f"Someone other than {page.escape(decision.proposal.author)} has to answer."
            author = agree.author("Your name", hint=words)
        review = second.date_input("Look at it again on", max(planned, today), min_value=today)
        if st.form_submit_button("Put on record", type="primary", icon=":material/gavel:"):
            try:
                if act is None:
                    raise DistprivError("Choose an answer: go ahead, change it, or stop.")
                texts = {"author": author, "act": act, "reason": reason}
                decisions.answer(agree.store(), key, version, **texts, review=review)
                st.session_state.pop("answer-opened", None)
                st.rerun()
            except DistprivError as error:
                agree.refused(error)
        elif trouble:
            st.error(page.escape(trouble), icon=":material/error:")
        if not agree.sign_in_needed():
            st.caption("Name and reason stay on record as you type them. Nobody checks names.")


trouble, opened = "", st.session_state.get("answer-opened")
try:
    decision = current()
    if opened and opened[0].open and opened[0].key == key and not decision.open:
        trouble = (
            f"{decision.now.author} has answered before you, so nothing of yours is on record. "
            "Open the link again to see the answer; another proposal can change it."
        )
    else:
        releases = ledger.releases(agree.store(), decision.now.name)
        opened = decision, agree.on_record(decision, releases)
        st.session_state["answer-opened"] = opened
except StoreError as error:  # what is being typed stays
    trouble = str(error)
    opened = opened if opened and opened[0].key == key else None
if opened is None:
    page.headline("This cannot be shown", page.escape(trouble))
else:
    decision, record = opened
    ask(decision, record)
    if not decision.open:
        (st.success if decision.agreed else st.warning)(agree.status(decision))
        agree.watch(lambda: current().now.version, decision.now.version)
    weigh(decision, record)
    if decision.open:
        answer(decision, trouble)
    with st.container(horizontal=True):
        agree.files(decision, record)
