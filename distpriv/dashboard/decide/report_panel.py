"""The Decide page's report: what goes into it, building it, and saving it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import streamlit as st

from distpriv import mechanisms
from distpriv.dashboard.decide.so_far import so_far
from distpriv.dashboard.shell import links, live, state, storage
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import downloads, meaning
from distpriv.export.report import ReportRun
from distpriv.export.report import label as labels
from distpriv.export.report.parts import RECORDS
from distpriv.export.report.report import Report
from distpriv.model.run import Run
from distpriv.store import Alternative, Decision, deciding, matching
from distpriv.words import escape

__all__ = ["draw"]

MOST = 6  # mechanisms: columns of a table on paper
_CHOSEN, _FOLLOWS = "report_mechanisms", "report_follows"
_RUN = "report"
_LABELS = live.Labels(
    again="Build the report",
    go_on="Go on with the report",
    icon=":material/description:",
    kind="primary",
)


def draw(view: View | None, seen: Sequence[Alternative]) -> None:
    """Choose what goes into a report on the current scenario, build it and save it.

    Parameters
    ----------
    view : View or None
    seen : sequence of Alternative
        What it is compared with; a decision for this release brings its own.
    """
    st.markdown(
        "One file: a summary of one page, the alternatives, the decision with its signatures, "
        "and all the details. It opens without a network and prints on A4."
    )
    if view is None:
        st.info(
            "There is no report on this scenario: its mechanism has no result yet. Change what the "
            "message above names, or choose another mechanism in the sidebar; everything else "
            "stays as it is.",
            icon=":material/info:",
        )
        return
    names = _names(view)
    truth, records = _confidential(view)
    scenario, runs = st.session_state[Key.SCENARIO], state.runs()
    decision = _decision(view)
    stands = None if decision is None else (decision.key, decision.now.version)
    key = (
        *(scenario, view.source.digest, tuple(names), truth, records, meaning.prior(), stands),
        tuple(each.name for each in seen),
    )
    run = cast("Run[Report] | None", runs.get(_RUN))
    if run is not None and not run.finished and run.key != key:
        del runs[_RUN]  # of what was chosen before, and not done
        run = None

    def begin() -> Run[Report]:
        return Run(lambda: _report(view, names, truth, records, seen, decision).steps(), key)

    _label(view)
    live.buttons(_RUN, begin, _LABELS, st.columns([2, 1, 3])[:2], ready=bool(names))
    if run is None:
        return
    report = run.result()
    if report is None:
        live.growing(run, _progress, page_waits=True)
    elif report.confidential and view.scenario.presenting:
        st.caption("The report with true values waits in the analyst view.")
    else:
        _save(report, current=run.key == key)


def _names(view: View) -> list[str]:
    """The mechanisms to report on; the sidebar's, until others are chosen."""
    session, own = st.session_state, view.scenario.mechanism
    if session.get(_CHOSEN, [session.get(_FOLLOWS)]) == [session.get(_FOLLOWS)]:
        session[_CHOSEN] = [own]
    session[_FOLLOWS] = own
    names = st.multiselect(
        "Mechanisms in the report",
        mechanisms.names(),
        key=_CHOSEN,
        persist_state="session",
        max_selections=MOST,
        wrap=True,
        help="The answer is about the sidebar's mechanism if it is among them; the others stand "
        "beside it, at the same ε and δ.",
    )
    if not names:
        st.warning(
            "A report needs a mechanism, and none is chosen: choose at least one above, for "
            f"example {escape(own)}. Everything else stays as it is.",
            icon=":material/rule:",
        )
    return names


def _confidential(view: View) -> tuple[bool, bool]:
    """Whether true statistics and records are to be included."""
    presenting = view.scenario.presenting
    restriction = " Not in the presentation view." if presenting else ""
    row = st.container(horizontal=True)
    truth = row.checkbox(
        "Include the true statistics",
        key="report_truth",
        persist_state="session",
        disabled=presenting,
        help="The statistics of your table and the true share. The file is marked as not to be "
        f"shown then.{restriction}",
    )
    shown = view.dataset.shows_records
    records = row.checkbox(
        "Include "
        + (f"the first {RECORDS} records" if view.dataset.source is None else f"{RECORDS} records"),
        key="report_records",
        persist_state="session",
        disabled=presenting or not shown,
        help=f"In the columns in use. The file is marked as not to be shown then.{restriction}",
    )
    truth, records = (wanted and not presenting for wanted in (truth, records and shown))
    if truth or records:
        st.warning(
            "The report will hold what the noise is there to hide: give it to nobody who must not "
            "know.",
            icon=":material/visibility_off:",
        )
    return truth, records


def _label(view: View) -> None:
    """The report's page that says what is promised, to be read before anything is built."""
    place = st.expander(
        "The label: what is promised, to whom, and what is not, on one page",
        icon=":material/description:",
        key="report_label",
        on_change="rerun",
    )
    if not place.open:
        return
    with place:
        shown = labels.label(view, prior=meaning.prior(), so_far=so_far(view))
        st.markdown(f"**{escape(shown.headline)}**")
        for part in shown.parts:
            st.markdown(f"## {escape(part.title)}")
            st.markdown(
                "\n".join(
                    f"- {escape(fact.title)}: **{escape(fact.figure)}**. {escape(fact.sentence)}"
                    for fact in part.facts
                )
            )
        st.download_button(
            "Label, to print on one A4 page",
            _encoded(lambda: labels.label_html(shown)),
            file_name=f"{downloads.file_name('label')}.html",
            mime="text/html",
            key="label_html",
            icon=":material/download:",
            on_click="ignore",
        )


def _decision(view: View) -> Decision | None:
    """The agreed one for exactly this release, else the latest."""
    scenario, prints = view.scenario, view.dataset.fingerprints
    found = storage.ask(lambda store: matching(store, scenario, *prints)) or []
    return deciding(found) or next(iter(found), None)


def _report(
    view: View,
    names: list[str],
    truth: bool,
    records: bool,
    seen: Sequence[Alternative],
    decision: Decision | None,
) -> ReportRun:
    address = links.share(st.session_state[Key.SCENARIO])
    return ReportRun(
        view.apart(),
        names,
        data=view.dataset.title,
        link=address if links.holds(address) else "",
        truth=truth,
        records=records,
        prior=meaning.prior(),
        so_far=so_far(view),
        alternatives=seen,
        decision=decision,
    )


def _progress(run: Run[Report]) -> None:
    if run.failure:
        st.error(
            f"The report cannot be built: {escape(run.failure)} Nothing else has changed.",
            icon=":material/error:",
        )
    else:
        live.bar(run, "The report is stopped" if run.stopped else f"{run.doing} …")


def _encoded(write: Callable[[], str]) -> Callable[[], bytes]:
    return lambda: write().encode()


def _save(report: Report, *, current: bool) -> None:
    first = report.main.mechanism.name
    if current:
        st.success(
            f"The report on {escape(first)} is ready. {escape(report.answer)}",
            icon=":material/task_alt:",
        )
    else:
        st.info(
            f"This report on {escape(first)} was built from what was chosen before; build it "
            "again for what is chosen now.",
            icon=":material/history:",
        )
    if report.confidential:
        st.caption("It holds true values of your data: not to be shown.")
    row = st.container(horizontal=True)
    for label, ending, mime, write in (
        ("HTML, to read and print", "html", "text/html", report.to_html),
        ("Markdown", "md", "text/markdown", report.to_markdown),
        ("JSON", "json", "application/json", report.to_json),
    ):
        row.download_button(
            label,
            _encoded(write),
            file_name=f"{downloads.file_name('report')}.{ending}",
            mime=mime,
            key=f"report_{ending}",
            icon=":material/download:",
            on_click="ignore",
        )
