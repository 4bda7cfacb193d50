"""The figures that have a closed form and those of the simulated attacks, and their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd
import plotly.graph_objects as go
import sklearn.linear_model  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st

from distpriv.charts.papers import deviations
from distpriv.dashboard.papers.records import provenance
from distpriv.dashboard.shell import cache, live, state
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.model.run import Progress, Run
from distpriv.papers.attack_runs import PaperAttacks
from distpriv.papers.cells import VERDICTS, Cell, tally
from distpriv.papers.items import ITEMS
from distpriv.papers.records import (
    SEED,
    PaperRecords,
)
from distpriv.papers.report import MARKS, chance, rows
from distpriv.papers.results import Results, closed_results, simulated_results
from distpriv.words import escape

__all__ = [
    "all_figures",
    "choose_run",
    "closed",
    "drawn",
    "live_results",
    "overview",
    "results",
    "running",
    "verdicts",
]

_RUN = "paper"


def closed(records: PaperRecords, digest: str, seed: int) -> Results:
    """What has a closed form, computed once."""
    with st.spinner("Working out the tables …"):
        return cache.computed(
            lambda: closed_results(records, seed=seed), f"papers, closed {digest} {seed}"
        )


def choose_run(records: PaperRecords, digest: str) -> PaperAttacks:
    """Controls of the simulation, its buttons, and the attacks that they describe."""
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
    key = (digest, seed)

    def begin() -> Iterator[Progress[PaperAttacks]]:
        return PaperAttacks(records, repetitions, seed).steps()

    attacks = _attacks(live.begun(_RUN, key, begin, waits=True))
    if attacks.rounds > repetitions:
        del state.runs()[_RUN]
        attacks = _attacks(live.begun(_RUN, key, begin, waits=True))
    elif attacks.repetitions != repetitions:
        attacks.repetitions = repetitions  # what is done counts
        running().extend()
    live.buttons(_RUN, lambda: Run(begin, key), live.Labels())
    return attacks


def running() -> Run[PaperAttacks]:
    """The run that the attacks come from."""
    return state.runs()[_RUN]


def _attacks(run: Run[PaperAttacks]) -> PaperAttacks:
    """Known with the first progress, before any of the work."""
    if (attacks := run.result()) is None:
        run.step(0.0)
        attacks = run.result()
    assert attacks is not None
    return attacks


def results(run: PaperAttacks, known: Results) -> Results:
    """Everything, as far as the attacks have got, in the papers' order."""
    cells = st.session_state.get(Key.PAPER_CELLS)
    if cells is None or cells[0] is not run or cells[1] != run.done or cells[2] is not known:
        found = {**known, **simulated_results(run)}
        cells = (run, run.done, known, {key: found[key] for key in ITEMS})
        st.session_state[Key.PAPER_CELLS] = cells
    return cells[3]


def drawn(run: PaperAttacks, what: str, draw: Callable[[], go.Figure]) -> go.Figure:
    """A figure of a run, from the session's cache once the run stands still."""
    if running().running:
        return draw()
    return cache.computed(draw, f"papers, {what} {running().key} {run.done}")


def live_results(run: PaperAttacks, known: Results) -> None:
    """The result in words, while repetitions come in."""

    def draw(work: Run[PaperAttacks]) -> None:
        cells = results(run, known)
        st.markdown(_sentence(run, cells))
        live.bar(
            work,
            f"{run.rounds} of {run.repetitions} repetitions of {run.attacks} attacks"
            + (", stopped" if work.stopped else ""),
        )

    live.growing(running(), draw, page_waits=True)
    provenance(run.records)


def overview(run: PaperAttacks, known: Results) -> None:
    """Every figure beside the printed one, in a picture that grows with the run."""

    @st.fragment(run_every=0.5 if running().running else None)
    def growing() -> None:
        cells = results(run, known)
        display.chart(drawn(run, "deviations", lambda: deviations(cells)), "papers")

    growing()


def verdicts(found: Results) -> None:
    """What each verdict means, and how many of them chance explains."""
    st.markdown(
        "\n".join(
            f"- {MARKS[verdict]} **{verdict}**: {told}." for verdict, told in VERDICTS.items()
        )
    )
    st.markdown(
        "Tolerances: 0.02 for an accuracy; 0.01 for the largest ε, which the paper prints cut "
        "to two digits; a step of 0.02 for a Δp read off a figure; half a unit of the last "
        "digit for everything else."
    )
    st.markdown(escape(chance(tally(_flat(found)))))


def _sentence(run: PaperAttacks, found: Results) -> str:
    cells = _flat(found)
    counts = tally(cells).counts
    phrases = [f"**{counts.get('agrees', 0)} agree** with what comes out here"]
    if counts.get("within sampling error"):
        phrases.append(f"{counts['within sampling error']} differ by no more than chance explains")
    if counts.get("erratum"):
        phrases.append(f"{counts['erratum']} are explained by an erratum")
    if counts.get("other data"):
        phrases.append(f"{counts['other data']} differ on the synthetic records")
    wrong = [cell for cell in cells if cell.verdict == "differs"]
    if wrong:
        names = "; ".join(f"{cell.row}, {cell.column}" for cell in wrong[:3])
        phrases.append(
            f"**{len(wrong)} {'differs' if len(wrong) == 1 else 'differ'}** ({escape(names)})"
        )
    if counts.get("undecided"):
        phrases.append(f"{counts['undecided']} wait for more repetitions")
    so_far = " so far" if run.done < run.wanted else ""
    last = f" and {phrases.pop()}" if len(phrases) > 1 else ""
    undone = sum(cell.standing is not None and cell.standing.undone for cell in cells)
    return (
        f"Of **{len(cells)}** figures that three papers print,{so_far} {', '.join(phrases)}{last}. "
        f"Behind **{undone}** of them stands noise that is **undone by arithmetic**: the figures "
        "come out as printed, and the noise hides nothing (erratum 12)."
    )


def all_figures(cells: Results) -> None:
    """Every printed figure in one table, to sort, search and download."""
    display.table(pd.DataFrame(rows(_flat(cells))))


def _flat(found: Results) -> list[Cell]:
    return [cell for cells in found.values() for cell in cells]
