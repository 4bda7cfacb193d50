"""The Decide page's record: what stands, what was weighed, and how it came about."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.analysis import decision_in_words as told
from distpriv.analysis.comparison import Summary, choices_in_words
from distpriv.analysis.decision import moment
from distpriv.analysis.error_sizes import size_in_words, worst
from distpriv.analysis.for_persons import RECORD_COLUMN
from distpriv.analysis.meaning import in_a_line, reading
from distpriv.analysis.scenario_file import read_scenario, write_scenario
from distpriv.charts.alternatives import alternatives_chart
from distpriv.dashboard.shell import opening, storage
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.errors import DistprivError
from distpriv.store import Alternative, Decision, Revision, all_decisions
from distpriv.store.rows import Found, refused
from distpriv.words import escape, exact, number, percent, with_unit

__all__ = [
    "ON_RECORD",
    "PROPOSE",
    "SHOWN",
    "alternatives",
    "answer",
    "badge",
    "chosen",
    "details",
    "known",
    "overview",
    "paragraphs",
    "picture",
    "tabs",
    "weighed",
]

SHOWN = "decision_shown"
ON_RECORD, PROPOSE, REPORT = "On record", "Propose", "Report"
_BADGES = {
    "proposed": ":blue-badge[:material/pending: proposed]",
    "agreed": ":green-badge[:material/check: agreed]",
    "rejected": ":red-badge[:material/close: rejected]",
}
_VERBS = {"proposed": "changed", "agreed": "agreed", "rejected": "rejected"}


def tabs(*, decided: bool) -> Sequence[DeltaGenerator]:
    """What is on record, a proposal, and the report: the first of them that holds something."""
    return st.tabs(
        [ON_RECORD, PROPOSE, REPORT],
        default=ON_RECORD if decided else PROPOSE,
        key=Key.DECIDE_TAB,
        bind="query-params",
    )


def alternatives(summaries: dict[str, Summary]) -> list[Alternative]:
    """What is on the Compare page, as a decision keeps it."""
    return [
        Alternative(
            name=name,
            scenario=write_scenario(summary.scenario),
            mechanism=summary.scenario.mechanism,
            epsilon=summary.scenario.epsilon,
            delta=summary.scenario.delta,
            errors=summary.errors,
            **summary.plain(),
        )
        for name, summary in summaries.items()
    ]


def known(dataset: Dataset) -> Found[Decision]:
    """Decisions about these data, or all if the user wants them."""
    everything = st.session_state.get(Key.DECISIONS_ALL, False)
    decisions = storage.ask(
        lambda store: all_decisions(store, None if everything else dataset.digest)
    )
    return Found() if decisions is None else decisions


def unreadable(decisions: Found[Decision]) -> None:
    """Which decisions cannot be read."""
    if said := refused(decisions.unreadable):
        st.caption(f":material/warning: {escape(said)}")


def answer(decisions: Sequence[Decision], dataset: Dataset, now: Sequence[Alternative]) -> str:
    """What has been decided, in a sentence or two."""
    title = f"**{escape(dataset.title)}**"
    here = [decision for decision in decisions if decision.digest == dataset.digest]
    if not here:
        if storage.trouble():
            return f"What was decided about {title} cannot be read now."
        sentence = f"**Nothing** is decided or proposed about {title} yet."
        if now:
            sentence += f" On screen is {_figures(now[0])}."
        return sentence
    agreed = next((decision for decision in here if decision.now.status == "agreed"), None)
    latest = agreed or here[0]
    counts = [
        f"{count} {status}"
        for status in ("agreed", "proposed", "rejected")
        if (count := sum(decision.now.status == status for decision in here))
    ]
    if len(here) == 1:
        sentence = f"**One decision** about {title} is on record, {latest.now.status}: it is for"
    else:
        sentence = (
            f"**{len(here)} decisions** about {title} are on record, {', '.join(counts)}. "
            f"{'Agreed' if agreed else 'Changed'} last was"
        )
    return (
        f"{sentence} {_figures(latest.now.choice)}. It was proposed by "
        f"{escape(latest.revisions[0].signed)}"
        + (f" and agreed to by {escape(latest.now.signed)}." if agreed else ".")
    )


def _figures(choice: Alternative) -> str:
    return (
        f"**ε\u00a0=\u00a0{choice.epsilon:g}** with {escape(choice.mechanism)}: the best attacker "
        f"is right in **{percent(choice.accuracy)}** of cases, and {_cost(choice)}"
    )


def _cost(choice: Alternative) -> str:
    if not choice.errors:
        return f"the total error is {_error(choice)}"
    # Drawing the records is public, the values are not: a decision is for everybody's eyes.
    most = worst([size.unvalued() for size in choice.errors])
    return f"the noise changes {escape(most.label)} most, {size_in_words(most)}"


def _error(choice: Alternative) -> str:
    return with_unit(choice.error, choice.unit) if choice.unit else number(choice.error)


def chosen(decisions: Sequence[Decision]) -> Decision | None:
    """The decision that the user looks at; the latest at first."""
    if not decisions:
        return None
    state = st.session_state
    by_key = {decision.key: decision for decision in decisions}
    if state.get(SHOWN) not in (None, *by_key):
        del state[SHOWN]
    key = st.selectbox(
        "Decision",
        list(by_key),
        format_func=lambda key: _title(by_key[key]),
        key=SHOWN,
        persist_state="session",
    )
    return by_key[key]


def _title(decision: Decision) -> str:
    """What tells it from every other one and never changes: the browser knows it by that."""
    first = decision.revisions[0]
    return (
        f"ε = {first.choice.epsilon:g} with {first.choice.mechanism}, proposed by {first.author} "
        f"on {moment(first.at)} · {decision.data} · {decision.key[:6]}"
    )


def overview(decisions: Sequence[Decision]) -> None:
    """All decisions in a table, where there are several."""
    if len(decisions) < 2:
        return
    with st.expander(f"All {len(decisions)} decisions", icon=":material/list:"):
        display.table(
            pd.DataFrame(
                {
                    "Status": decision.now.status,
                    "ε": f"{decision.now.choice.epsilon:g}",
                    "Mechanism": decision.now.choice.mechanism,
                    "Proposed by": decision.revisions[0].signed,
                    "Last change": moment(decision.now.at),
                    "By": decision.now.signed,
                    "Data": decision.data,
                    "No.": decision.key[:6],
                }
                for decision in decisions
            )
        )


def picture(seen: Sequence[Alternative], name: str | None) -> None:
    """What the alternatives let an attacker achieve, and what they cost."""
    display.chart(alternatives_chart(seen, name), "decision_alternatives")


def weighed(seen: Sequence[Alternative], name: str | None) -> None:
    """The same as a table."""
    display.table(
        pd.DataFrame(
            {
                "Alternative": f"{alternative.name} (proposed)"
                if alternative.name == name
                else alternative.name,
                "Mechanism": alternative.mechanism,
                "ε": f"{alternative.epsilon:g}",
                "δ": exact(alternative.delta),
                "Promise": kept.words if (kept := told.promise(alternative)) else "–",
                "Delivered δ": "–"
                if alternative.delivered is None
                else number(alternative.delivered),
                RECORD_COLUMN: alternative.per_record or "–",
                "Best attacker right in": percent(alternative.accuracy),
                "As good as reading": _reading(alternative),
                "Without noise": percent(alternative.undefended),
                "Total error": "–" if math.isnan(alternative.error) else _error(alternative),
            }
            for alternative in seen
        )
    )


def errors(seen: Sequence[Alternative]) -> None:
    """The error of each statistic with each alternative, where that is on record."""
    lines = {each.name: {line.label: line for line in told.error_lines(each)} for each in seen}
    labels = list(dict.fromkeys(label for found in lines.values() for label in found))
    if not labels:
        return
    with st.expander("Errors of each statistic", icon=":material/straighten:"):
        display.table(
            pd.DataFrame(
                {"Statistic": labels}
                | {
                    name: [
                        f"{found[label].size} ({found[label].meaning})" if label in found else "–"
                        for label in labels
                    ]
                    for name, found in lines.items()
                }
            )
        )
        st.caption(next(filter(None, map(told.chance, seen)), ""))


def _reading(alternative: Alternative) -> str:
    try:
        return reading(alternative.accuracy, read_scenario(alternative.scenario))
    except DistprivError:
        return "–"


def _meaning(choice: Alternative) -> str:
    """What the figures of the time mean; empty where another version wrote the scenario."""
    try:
        return in_a_line(choice.accuracy, read_scenario(choice.scenario))
    except DistprivError:
        return ""


def badge(revision: Revision) -> str:
    """The status as a coloured word."""
    return _BADGES[revision.status]


def paragraphs(text: str) -> str:
    """What somebody typed, line by line, as it is written."""
    lines = [escape(line.strip()) for line in text.split("\n")]
    return "  \n".join(line or "\u00a0" for line in lines)


def details(decision: Decision) -> None:
    """A decision: what and why, what else there was, and its history."""
    now, first = decision.now, decision.revisions[0]
    st.markdown(
        f"{badge(now)} {_figures(now.choice)}. Proposed by **{escape(first.signed)}** on "
        f"{moment(first.at)}, about {escape(decision.data)}."
    )
    if line := _meaning(now.choice):
        st.caption(f"What that means: {escape(line)}.")
    with st.container(border=True):
        st.markdown(f"**Why**  \n{paragraphs(now.reason)}")
        if now.status != "proposed":
            said = f"  \n{paragraphs(now.comment)}" if now.comment else ""
            verb = "Agreed to" if now.status == "agreed" else "Rejected"
            st.markdown(f"**{verb}** by {escape(now.signed)} on {moment(now.at)}{said}")
    weighed(now.alternatives, now.chosen)
    errors(now.alternatives)
    _scenario(decision)
    _history(decision)


def _scenario(decision: Decision) -> None:
    choice = decision.now.choice
    if message := st.session_state.pop(Key.DECISION_ERROR_TEXT, None):
        st.error(message, icon=":material/error:")
    with st.expander("Every choice of the proposed scenario", icon=":material/list:"):
        try:
            words = choices_in_words(read_scenario(choice.scenario), decision.data)
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
            return
        display.table(pd.DataFrame({"Choice": list(words), "Value": list(words.values())}))
        st.button(
            "Open this scenario",
            key="decision_open",
            icon=":material/open_in_new:",
            on_click=_open,
            args=(choice.scenario, decision.data),
            help="Put every control to it. If its table is not here, it is asked for.",
        )


def _open(text: str, data: str) -> None:
    try:
        opening.open_scenario(read_scenario(text), data)
    except DistprivError as error:
        st.session_state[Key.DECISION_ERROR_TEXT] = escape(error)


def _history(decision: Decision) -> None:
    with st.expander(
        f"History: {len(decision.revisions)} "
        f"{'entry' if len(decision.revisions) == 1 else 'entries'}",
        icon=":material/history:",
    ):
        display.table(
            pd.DataFrame(
                {
                    "When": moment(revision.at),
                    "Who": revision.signed,
                    "What": "proposed" if revision.version == 1 else _VERBS[revision.status],
                    "ε": f"{revision.choice.epsilon:g}",
                    "Mechanism": revision.choice.mechanism,
                    "Reason": revision.reason,
                    "Comment": revision.comment or "–",
                }
                for revision in decision.revisions
            )
        )
