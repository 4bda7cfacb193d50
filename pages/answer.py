"""Answer a proposal behind a link, from what is on record alone: no table, no settings."""

from datetime import date
from typing import Any

import pandas as pd
import streamlit as st

from distpriv.dashboard import agree, login, page
from distpriv.errors import DistprivError, StoreError
from distpriv.records import decisions, ledger
from distpriv.text import percent, significant, whole

TITLES = {"agreed": "Agreed", "changes": "Changes are wanted", "rejected": "Rejected"}
CHOICES = {"agreed": "Go ahead", "changes": "Change it", "rejected": "Stop"}
key = st.query_params.get("decision", "")


def opened() -> tuple[decisions.Decision | None, dict[str, Any], str]:
    """Return decision and record as they are, or were when the records could last be read."""
    kept = st.session_state.get("answer-opened")
    try:
        store = agree.store()
        decision = decisions.decision(store, key)
        kept = decision, agree.on_record(decision, ledger.releases(store)), ""
    except StoreError as error:
        if kept is None or kept[0].key != key:
            return None, {}, str(error)
        return *kept[:2], str(error)
    st.session_state["answer-opened"] = kept
    return kept


def ask(decision: decisions.Decision, record: dict[str, Any]) -> None:
    """Draw what is asked, so that it fits a phone's screen."""
    question, release, proposal = record["question"], record["release"], decision.proposal
    low, high = (percent(share) for share in question["shares"])
    count = len(record["figures"])
    guesses, limit = release["guesses"], question["limit"]
    figures = f"{count} figures" if count > 1 else "1 figure"
    page.headline(
        "May this be published?" if decision.open else TITLES[decision.now.act],
        f"{page.escape(proposal.author)} asks to publish {figures} of {whole(question['records'])} "
        f"records of *{page.escape(question['table'])}*: **{page.escape(release['title'])}**.",
        f"An attacker could tell {low} from {high} in **{guesses:.0f} of 100** cases."
        if guesses > 50.5
        else f"An attacker **cannot tell** {low} from {high}: right 50 times in 100, a coin toss.",
    )
    kept = release["verdict"]["kept"]
    within = f"limit {significant(limit)}"
    look: dict[str, Any] = {"delta_arrow": "off", "delta_color": "off"}
    with st.container(key="asked", border=True):
        first, second, third = st.columns(3)
        color = {"delta_color": "normal" if kept else "inverse"}
        first.metric("Right of 100", f"{guesses:.0f}", within, **look | color)
        second.metric("Unchanged", f"{question['undefended']:.0f}", "of 100", **look)
        off = f"{significant(release['percent'], 2)} %"
        third.metric("Figures off by", off, "on average", **look)
    st.markdown(
        f"They guess whether **{low}** or **{high}** of the records have "
        f"*{page.escape(question['secret'])}*. {page.escape(release['how'])} "
        f"{page.escape(release['basis'])}"
    )


def weigh(decision: decisions.Decision, record: dict[str, Any]) -> None:
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
    rows = [
        {
            "": page.escape(one["label"][:1].upper() + one["label"][1:], 60),
            "about": f"{significant(one['value'], 3)} {page.escape(one['unit'])}".strip(),
            "off by": f"± {significant(one['error'], 2)} ({significant(one['percent'], 2)} %)",
        }
        for one in record["figures"]
    ]
    st.table(pd.DataFrame(rows).set_index(""))
    with st.expander("Ways that were weighed"):
        rows = [
            {
                "": one["title"],
                "right of 100": f"{one['guesses']:.0f}",
                "off by": f"{significant(one['percent'], 2)} %",
                "limit": "kept" if one["kept"] else "broken",
            }
            for one in record["ways"]
        ]
        st.table(pd.DataFrame(rows).set_index(""))


def answer(decision: decisions.Decision, trouble: str) -> None:
    """Draw the form, and put an answer on record."""
    st.header("Your answer", anchor=False)
    if not login.offer("Sign in, then open this link again."):
        return
    version, today = decision.now.version, date.today()
    planned = date.fromisoformat(decision.proposal.body["review"])
    proposers = {one.author: None for one in decision.versions if one.act == "proposed"}
    with st.form(f"answer-{key}-{version}"):
        act = st.segmented_control(
            "Answer", list(CHOICES), format_func=CHOICES.__getitem__, label_visibility="collapsed"
        )
        reason = st.text_area("Why", placeholder="Needed unless you agree", height=80)
        left, right = st.columns(2)
        with left:
            words = f"Somebody other than {page.escape(', '.join(proposers))} has to answer."
            author = login.author("Your name", hint=words)
        review = right.date_input("Look at it again on", max(planned, today), min_value=today)
        if st.form_submit_button("Put on record", type="primary", icon=":material/gavel:"):
            try:
                if act is None:
                    raise DistprivError("Choose an answer: go ahead, change it, or stop.")
                answer = {"author": author, "act": act, "reason": reason}
                decisions.answer(agree.store(), key, version, **answer, review=review)
                st.rerun()
            except DistprivError as error:
                agree.refused(error)
        elif trouble:
            st.error(page.escape(trouble), icon=":material/error:")
        if not login.needed():
            st.caption("Name and reason stay on record as you type them. Nobody checks names.")


def answered(decision: decisions.Decision) -> None:
    """Draw the answer."""
    last = decision.now
    lines = f"**{TITLES[last.act]}** by {page.escape(last.author)} on {last.at:%d %B %Y}."
    lines += f"  \n{page.escape(last.reason, 4000)}" if last.reason else ""
    if last.act == "agreed":
        day = date.fromisoformat(last.body["review"])
        lines += f"  \nTo be looked at again on {day:%d %B %Y}."
    (st.success if decision.agreed else st.warning)(lines)


decision, record, trouble = opened()
if decision is None:
    page.headline("This cannot be shown", page.escape(trouble))
    agree.watch(lambda: decisions.decision(agree.store(), key), None)
else:
    ask(decision, record)
    if not decision.open:
        answered(decision)
    weigh(decision, record)
    if decision.open:
        answer(decision, trouble)
    else:
        version = decision.now.version
        agree.watch(lambda: decisions.decision(agree.store(), key).now.version, version)
    with st.expander("What happened when"):
        agree.history(decision)
    with st.container(horizontal=True):
        agree.downloads(record, key)
