"""The Paper results page's parts: its records, the run, the result in words, the verdicts."""

from __future__ import annotations

import os
from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from distpriv.charts.papers import deviations
from distpriv.dashboard import widgets
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.errors import DistprivError
from distpriv.papers.attack_runs import PaperAttacks
from distpriv.papers.cells import VERDICTS, Cell, tally
from distpriv.papers.errata import ERRATA, evidence
from distpriv.papers.items import ITEMS
from distpriv.papers.records import (
    INCOME,
    QUERY,
    SEED,
    WORK_CLASS,
    PaperRecords,
    paper_records,
)
from distpriv.papers.report import MARKS, chance, rows
from distpriv.papers.results import Results, closed_results, simulated_results
from distpriv.tables.examples import EXAMPLES
from distpriv.words import escape

__all__ = [
    "all_errata",
    "all_figures",
    "choose_records",
    "choose_run",
    "closed",
    "drawn",
    "errata_of",
    "live",
    "results",
    "run_buttons",
]

_RUN, _CELLS = "paper_run", "paper_cells"
_EXAMPLE, _ADULT = (example.key for example in EXAMPLES)


def choose_records(dataset: Dataset) -> tuple[PaperRecords, str]:
    """The records to compute with, and their digest.

    UCI Adult where it is the table at hand or ADULT_DIR says where it is, else the synthetic
    example. Other tables are never used: the papers' figures say nothing of them.
    """
    at_hand = _if_adult(dataset)
    if at_hand is not None:
        return at_hand, dataset.digest
    if os.environ.get("ADULT_DIR"):
        try:
            adult = cache.example(_ADULT)
        except DistprivError as error:
            st.warning(escape(error), icon=":material/warning:")
        else:
            return _records(adult), adult.digest
    example = cache.example(_EXAMPLE)
    return _records(example), example.digest


def _if_adult(dataset: Dataset) -> PaperRecords | None:
    """The records of a table that is UCI Adult, whole."""
    needed = {*QUERY.columns, INCOME.column, WORK_CLASS.column}
    if not needed <= set(dataset.table.columns):
        return None
    try:
        found = _records(dataset)
    except DistprivError:
        return None
    return None if found.stand_in else found


def _records(dataset: Dataset) -> PaperRecords:
    return cache.computed(f"papers, records {dataset.digest}", lambda: paper_records(dataset.table))


def closed(records: PaperRecords, digest: str, seed: int) -> Results:
    """What has a closed form, computed once."""
    with st.spinner("Working out the tables …"):
        return cache.computed(
            f"papers, closed {digest} {seed}", lambda: closed_results(records, seed=seed)
        )


def choose_run(records: PaperRecords, digest: str) -> PaperAttacks:
    """Controls of the simulation, and the run that they describe."""
    count, seeds, _ = st.columns([1, 1, 3])
    repetitions = count.selectbox(
        "Repetitions",
        [20, 50, 200, 1000],
        key="paper_repetitions",
        persist_state="session",
        help="Of each attack of Table 4 and Figure 4. The paper has 50.",
    )
    seed = int(
        seeds.number_input(
            "Seed",
            0,
            2**31 - 1,
            SEED,
            key="paper_seed",
            persist_state="session",
            help="Of all that is simulated on this page: the same seed gives the same figures.",
        )
    )
    known = st.session_state.get(_RUN)
    if known is not None and known[0] == (digest, seed) and known[1].rounds <= repetitions:
        run: PaperAttacks = known[1]
        run.repetitions = repetitions  # what is done counts
    else:
        run = PaperAttacks(records, repetitions, seed)
        st.session_state[_RUN] = ((digest, seed), run)
    return run


def run_buttons(run: PaperAttacks) -> None:
    """Run, or run again, and stop."""
    start, stop, _ = st.columns([1, 1, 4])
    if start.button(
        "Run" if run.stopped or run.running else "Run again",
        icon=":material/play_arrow:",
        disabled=run.running,
        width="stretch",
        key="paper_start",
    ):
        if run.stopped:
            run.stopped = False
        else:
            again = PaperAttacks(run.records, run.repetitions, run.seed)
            st.session_state[_RUN] = (st.session_state[_RUN][0], again)
        st.rerun()
    if stop.button(
        "Stop",
        icon=":material/stop:",
        disabled=not run.running,
        width="stretch",
        key="paper_stop",
    ):
        run.stopped = True
        st.rerun()


def results(run: PaperAttacks, known: Results) -> Results:
    """Everything, as far as the attacks have got, in the papers' order."""
    state = st.session_state.get(_CELLS)
    if state is None or state[0] is not run or state[1] != run.done or state[2] is not known:
        found = {**known, **simulated_results(run)}
        state = (run, run.done, known, {key: found[key] for key in ITEMS})
        st.session_state[_CELLS] = state
    return state[3]


def drawn(run: PaperAttacks, what: str, draw: Callable[[], go.Figure]) -> go.Figure:
    """A figure of a run, from the session's cache once the run stands still."""
    if run.running:
        return draw()
    return cache.figure(f"papers, {what} {st.session_state[_RUN][0]} {run.done}", draw)


def live(run: PaperAttacks, known: Results) -> None:
    """The result in words and as a picture, growing while repetitions come in."""

    @st.fragment(run_every=0.2 if run.running else None)
    def growing() -> None:
        was_running = run.running
        if was_running:
            run.step(0.15 if run.done else 0.0)  # the first picture must not wait
        found = results(run, known)
        st.markdown(_sentence(run, found))
        st.progress(
            run.done / run.wanted,
            text=f"{run.rounds} of {run.repetitions} repetitions of {run.attacks} attacks"
            + (", stopped" if run.stopped else ""),
        )
        widgets.chart(drawn(run, "deviations", lambda: deviations(found)), "papers")
        if was_running and not run.running:
            st.rerun()

    growing()
    _data_said(run.records)
    with st.expander("What the verdicts mean", icon=":material/gavel:"):
        for verdict, meaning in VERDICTS.items():
            st.markdown(f"- {MARKS[verdict]} **{verdict}**: {meaning}.")
        st.markdown(
            "Tolerances: 0.02 for an accuracy; 0.01 for the largest ε, which the paper prints cut "
            "to two digits; a step of 0.02 for a Δp read off a figure; half a unit of the last "
            "digit for everything else."
        )
        st.markdown(escape(chance(tally(_flat(results(run, known))))))


def _sentence(run: PaperAttacks, found: Results) -> str:
    cells = _flat(found)
    counts = tally(cells).counts
    told = [f"**{counts.get('agrees', 0)} agree** with what comes out here"]
    if counts.get("within sampling error"):
        told.append(f"{counts['within sampling error']} differ by no more than chance explains")
    if counts.get("erratum"):
        told.append(f"{counts['erratum']} are explained by an erratum")
    if counts.get("other data"):
        told.append(f"{counts['other data']} differ on the synthetic records")
    wrong = [cell for cell in cells if cell.verdict == "differs"]
    if wrong:
        names = "; ".join(f"{cell.row}, {cell.column}" for cell in wrong[:3])
        told.append(
            f"**{len(wrong)} {'differs' if len(wrong) == 1 else 'differ'}** ({escape(names)})"
        )
    if counts.get("undecided"):
        told.append(f"{counts['undecided']} wait for more repetitions")
    so_far = " so far" if run.done < run.wanted else ""
    last = f" and {told.pop()}" if len(told) > 1 else ""
    undone = sum(cell.standing is not None and cell.standing.undone for cell in cells)
    return (
        f"Of **{len(cells)}** figures that three papers print,{so_far} {', '.join(told)}{last}. "
        f"Behind **{undone}** of them stands noise that is **undone by arithmetic**: the figures "
        "come out as printed, and the noise hides nothing (erratum 12)."
    )


def _data_said(records: PaperRecords) -> None:
    simulated = "A simulation, not a release; an attack's accuracy is a lower bound on the risk. "
    if records.stand_in:
        st.caption(
            simulated + "The printed figures of Chen & Ohrimenko are of UCI Adult; ours are of the "
            "embedded **synthetic** records, close to it in averages and correlations, and compare "
            "loosely. For the reproduction take UCI Adult under *Data*, or start the dashboard "
            "with ADULT_DIR naming the folder with its files."
        )
    else:
        st.caption(simulated + "Computed on UCI Adult, all 45 222 complete records.")


def errata_of(key: str, records: PaperRecords) -> None:
    """The errata that concern a table or figure, explained beside it."""
    for number in ITEMS[key].errata:
        each = ERRATA[number]
        with st.expander(
            f"Erratum {number}: {escape(each.where)}", icon=":material/edit_note:", expanded=True
        ):
            st.markdown(
                f"{escape(each.says)} **{escape(each.instead)}** "
                f"{escape(evidence(number, records))}"
            )


def all_errata(records: PaperRecords, digest: str) -> None:
    """All errata in a table, with where they show and what shows them."""
    told = cache.computed(
        f"papers, errata {digest}",
        lambda: {number: evidence(number, records) for number in ERRATA},
    )
    with st.expander("All errata, and what shows them", icon=":material/edit_note:"):
        # A plain table: its texts wrap.
        st.table(
            pd.DataFrame(
                {
                    "Erratum": str(each.number),
                    "Where": escape(f"{each.paper}: {each.where}"),
                    "The paper": escape(each.says),
                    "Instead": escape(each.instead),
                    "Computed here": escape(told[each.number]),
                }
                for each in ERRATA.values()
            ),
            hide_index=True,
        )


def all_figures(found: Results) -> None:
    """Every printed figure in one table, to sort, search and download."""
    with st.expander("All figures in one table", icon=":material/table:"):
        widgets.table(pd.DataFrame(rows(_flat(found))))


def _flat(found: Results) -> list[Cell]:
    return [cell for cells in found.values() for cell in cells]
