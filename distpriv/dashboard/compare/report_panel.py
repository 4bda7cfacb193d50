"""The Compare page's report: what goes into it, building it, and saving it."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import streamlit as st

from distpriv import mechanisms
from distpriv.dashboard.shell import cache, links
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import downloads
from distpriv.errors import DistprivError
from distpriv.export.report import ReportRun
from distpriv.export.report.parts import RECORDS
from distpriv.export.report.report import Report
from distpriv.words import escape

__all__ = ["draw"]

MOST = 6  # mechanisms: columns of a table on paper
_CHOSEN, _FOLLOWS = "report_mechanisms", "report_follows"


def draw(view: View | None) -> None:
    """Choose what goes into a report on the current scenario, build it and save it."""
    st.subheader("A report to hand on")
    st.markdown(
        "One file with the question, the answer, what is promised and delivered, the error of "
        "each statistic, assumptions, simulated attacks and figures. It opens without a network "
        "and prints on A4."
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
    key = (st.session_state["scenario"], view.source.digest, tuple(names), truth, records)
    run = cast("ReportRun | None", st.session_state.get("report_run"))
    if run is not None and run.report is None and run.key != key:
        run = None  # of what was chosen before, and not done
        st.session_state.pop("report_run")
    _buttons(view, run, names, key)
    if run is not None:
        _progress(run)
        if run.report is not None and run.report.confidential and view.scenario.presenting:
            st.caption("The report with true values waits in the analyst view.")
        elif run.report is not None:
            _save(run.report, current=run.key == key)


def _names(view: View) -> list[str]:
    """The mechanisms to report on; the sidebar's, until others are chosen."""
    state, own = st.session_state, view.scenario.mechanism
    if state.get(_CHOSEN, [state.get(_FOLLOWS)]) == [state.get(_FOLLOWS)]:
        state[_CHOSEN] = [own]
    state[_FOLLOWS] = own
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
    told = " Not in the presentation view." if presenting else ""
    row = st.container(horizontal=True)
    truth = row.checkbox(
        "Include the true statistics",
        key="report_truth",
        persist_state="session",
        disabled=presenting,
        help="The statistics of your table and the true share. The file is marked as not to be "
        f"shown then.{told}",
    )
    records = row.checkbox(
        f"Include the first {RECORDS} records",
        key="report_records",
        persist_state="session",
        disabled=presenting,
        help=f"In the columns in use. The file is marked as not to be shown then.{told}",
    )
    truth, records = (each and not presenting for each in (truth, records))
    if truth or records:
        st.warning(
            "The report will hold what the noise is there to hide: give it to nobody who must not "
            "know.",
            icon=":material/visibility_off:",
        )
    return truth, records


def _buttons(view: View, run: ReportRun | None, names: list[str], key: object) -> None:
    state = st.session_state
    if message := state.pop("report_error", None):
        st.error(message, icon=":material/error:")
    start, stop, _ = st.columns([2, 1, 3])
    running = run is not None and run.running
    halted = run is not None and run.stopped and run.report is None
    label = "Go on with the report" if halted else "Build the report"
    if start.button(
        label,
        icon=":material/description:",
        key="report_build",
        type="primary",
        width="stretch",
        disabled=running or not names,
    ):
        if halted and run is not None:
            run.stopped = False
        else:
            state["report_run"] = _begun(view, names, key)
        st.rerun()
    if stop.button(
        "Stop", icon=":material/stop:", key="report_stop", width="stretch", disabled=not running
    ):
        if run is not None:
            run.stopped = True
        st.rerun()


def _begun(view: View, names: list[str], key: object) -> ReportRun | None:
    scenario = st.session_state["scenario"]
    _, _, _, truth, records = cast("tuple[object, object, object, bool, bool]", key)
    try:
        return ReportRun(
            view.dataset.table,
            scenario,
            view.model,
            names,
            data=view.dataset.title,
            column_units=view.dataset.units,
            link=links.share(scenario),
            reference=None if view.source is view.dataset else view.source.table,
            truth=truth,
            records=records,
            groups=cache.records(view.source, scenario.query, view.fit.pair.secret),
            focus=view.focus,
            key=key,
        )
    except DistprivError as error:
        st.session_state["report_error"] = escape(error)
        return None


def _progress(run: ReportRun) -> None:
    if run.failure:
        st.error(
            f"The report cannot be built: {escape(run.failure)} Nothing else has changed.",
            icon=":material/error:",
        )
        return
    if run.report is not None:
        return

    @st.fragment(run_every=0.2 if run.running else None)
    def live() -> None:
        was_running = run.running
        run.step(0.1)
        st.progress(
            min(run.share, 1.0), text=f"{run.doing} …" if run.running else "The report is stopped"
        )
        if was_running and not run.running:
            st.rerun()

    live()


def _encoded(write: Callable[[], str]) -> Callable[[], bytes]:
    return lambda: write().encode()


def _save(report: Report, *, current: bool) -> None:
    first = report.findings[0].mechanism
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
