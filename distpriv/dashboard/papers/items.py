"""The tables and figures of the Paper results page, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from distpriv import mechanisms
from distpriv.attribute.files import school
from distpriv.charts.choosing import precision_recall_lines
from distpriv.charts.coupling import moves_on_line
from distpriv.charts.fit import fit_histograms
from distpriv.charts.network import network_graph
from distpriv.charts.paper_figures import (
    accuracy_lines,
    error_lines,
    f_scores_with_points,
    releases_in_plane,
)
from distpriv.charts.papers import printed_beside_ours
from distpriv.dashboard.papers import errata, simulation
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.widgets import display
from distpriv.papers import attacks as attacked
from distpriv.papers import attribute_privacy, figures, hypothesis_testing, printed
from distpriv.papers.attack_runs import PANELS, PaperAttacks
from distpriv.papers.cells import Cell
from distpriv.papers.items import ITEMS
from distpriv.papers.records import QUERY, SECRETS
from distpriv.papers.report import ON_PAPER, arithmetic, notes, row_of, standing_row
from distpriv.papers.results import Results
from distpriv.papers.tables import PAIR
from distpriv.words import escape, number

__all__ = ["choose", "show"]

_UNITS = ("years", "years", "records", "records", "hours")
_NEVER_MARRIED = 2
_LEAST_WIDTH, _CHARACTER, _MOST_WIDTH = 20, 7, 240  # of a column, in pixels


def choose() -> str:
    """Key of the table or figure to look at."""
    return st.segmented_control(
        "Table or figure",
        list(ITEMS),
        default="table-3",
        format_func=_short,
        required=True,
        key="paper_item",
        persist_state="session",
        wrap=True,
        help="Those without an author are of Chen & Ohrimenko (2023), numbered as in its full "
        "version: its Tables 3 and 4 and its Figure 4b are Tables 2 and 3 and Figure 4 of the "
        "proceedings.",
    )


def _short(key: str) -> str:
    item = ITEMS[key]
    author = item.paper.split(" ")[0]
    return item.name if author == "Chen" else f"{author}: {item.name}"


def show(key: str, run: PaperAttacks, known: Results) -> None:
    """A table or figure: its figures with their verdicts, its picture, its errata."""
    item = ITEMS[key]
    st.header(f"{item.name}: {item.title}")
    st.caption(escape(f"{item.paper}. {item.printed}"))

    @st.fragment(run_every=0.5 if item.simulated and simulation.running().running else None)
    def growing() -> None:
        _PARTS[key](run, simulation.results(run, known)[key])

    growing()
    errata.of_item(key, run.records)


def _table(cells: Sequence[Cell], **more: Sequence[str]) -> None:
    """Cells as a table without empty columns, and what there is to say of them."""
    if undone := arithmetic(cells):
        st.warning(escape(undone), icon=":material/calculate:")
    frame = pd.DataFrame([row_of(cell) for cell in cells]).drop(columns="Note")
    standing = [standing_row(cell) for cell in cells]
    named = {name: [row[name] for row in standing] for name in standing[0]}
    named |= {name.replace("_", " "): list(column) for name, column in more.items()}
    for place, (name, column) in enumerate(named.items()):
        frame.insert(5 + place, name, column)
    # Of one height for every item, so that the page keeps its length.
    st.dataframe(
        frame.loc[:, (frame != "").any()],
        hide_index=True,
        alt="Printed and computed values",
        column_config={
            name: st.column_config.TextColumn(
                width=min(_LEAST_WIDTH + _CHARACTER * int(frame[name].str.len().max()), _MOST_WIDTH)
            )
            for name in ("Row", "Column", "Verdict")
        }
        | {
            "Best on paper": st.column_config.TextColumn(
                help=f"Accuracy of the best possible attacker {ON_PAPER}."
            ),
            "Best in fact": st.column_config.TextColumn(
                help="Accuracy of the best possible attacker, who knows the grid of the statistics."
            ),
        },
    )
    lines = [f"- {escape(about)}: {escape(note)}." for about, note in notes(cells).items()]
    if lines:
        st.caption("\n".join(lines))


def _chart(run: PaperAttacks, key: str, draw: Callable[[], go.Figure]) -> None:
    display.chart(simulation.drawn(run, key, draw), f"papers_{key}")


def _query(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    fit = run.records.model(PAIR).pairs[0]
    shares = [f"Mean at p = {theta.proportion:g}" for theta in fit.thetas]
    display.table(
        pd.DataFrame(
            {
                "Attribute": attribute,
                "Statistic of interest": statistic,
                "Here": label,
                shares[0]: number(float(means[0])),
                shares[1]: number(float(means[1])),
            }
            for (attribute, statistic), label, means in zip(
                printed.TABLE_1, QUERY.labels, fit.means.T, strict=True
            )
        )
    )
    _table(cells)


def _mechanisms(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    # A plain table: its texts wrap.
    st.table(
        pd.DataFrame(
            {
                "Variant": variant,
                "Shorthand": shorthand,
                "Here": name,
                "What it does": escape(mechanisms.get(name).summary),
                "Source": escape(mechanisms.get(name).source),
            }
            for variant, shorthand, name in printed.TABLE_2
        ),
        hide_index=True,
        alt="The mechanisms of the paper",
    )


def _errors(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    _chart(
        run,
        "table_3",
        lambda: printed_beside_ours(
            cells, title="L2 errors, printed and ours", measure="L2 error", ratio=True
        ),
    )
    _table(cells)


def _accuracies(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    rows = attacked.table4_attackers(run)
    _chart(
        run,
        "table_4",
        lambda: printed_beside_ours(
            cells,
            title="Accuracy of the attack, printed and ours",
            measure="accuracy (share)",
            attackers=True,
        ),
    )
    adaptive = ["–" if row.adaptive is None else f"{row.adaptive.estimate:.3f}" for row in rows]
    _table(cells, Adaptive_attacker=adaptive)
    st.caption(
        "*Ours* is the paper's attacker, trained on clean statistics. The adaptive one is trained "
        f"on noisy statistics. No attacker passes the best one: {ON_PAPER}, or in fact, when they "
        "know that counts are whole numbers."
    )


def _coupling(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    _chart(
        run,
        "figure_1",
        lambda: moves_on_line(*figures.figure1_moves(), names=("μ", "ν"), axis_title="value"),
    )
    _table(cells)


def _against_epsilon(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    points = {
        name: (printed.EPSILONS, [float(text) for text in printed.TABLE_3[name]])
        for name in figures.VARIANTS
    }
    panels = (
        ("income", "(a) Income, Δp = 0.1", points),
        ("work class", "(b), (c) Work class, Δp = 0.04", None),
    )
    for column, (name, title, marked) in zip(st.columns(2, gap="large"), panels, strict=True):
        with column:
            _chart(
                run,
                f"figure_2_{name}",
                lambda name=name, title=title, marked=marked: error_lines(  # type: ignore[misc]
                    figures.figure2(run.records)[name],
                    title=title,
                    x_title="ε",
                    x_log=True,
                    points=marked,
                    undone=figures.figure2_undone(run.records, name),
                ),
            )
    st.caption(
        "DirM(L) is drawn as Theorem 4.3 has it; the printed points lie above it (erratum 1)."
    )


def _against_width(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    for column, name in zip(st.columns(2, gap="large"), SECRETS, strict=True):
        with column:
            _chart(
                run,
                f"figure_3_{name}",
                lambda name=name: error_lines(  # type: ignore[misc]
                    figures.figure3_curves(run.records)[name],
                    title=f"Protecting {name}, ε = 1",
                    x_title="Δp, distance of the two shares",
                    x_log=False,
                    undone=figures.figure3_undone(run.records, name),
                ),
            )
    _table(cells)


def _attack_curves(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    by_width, by_epsilon = attacked.figure4a_curves(run), attacked.figure4bc_curves(run)
    stated = {"income": ((0.1, 0.4), (0.75, 1.0)), "work class": ((0.4,), (0.9,))}
    _chart(
        run,
        "figure_4a",
        lambda: accuracy_lines(
            by_width,
            title="(a) Without noise",
            x_title="Δp, distance of the two shares",
            x_log=False,
            mechanisms=False,
            points=stated,
        ),
    )
    place = printed.DELTAS.index(1e-3)
    points = {
        name: (
            printed.EPSILONS,
            [float(printed.TABLE_4[name, epsilon][place]) for epsilon in printed.EPSILONS],
        )
        for name in figures.GAUSSIAN
    }
    panels = (
        ("income", f"(b) Income, Δp = {PANELS['income']:g}", points),
        ("work class", f"(c) Work class, Δp = {PANELS['work class']:g}", None),
    )
    for column, (name, title, marked) in zip(st.columns(2, gap="large"), panels, strict=True):
        with column:
            _chart(
                run,
                f"figure_4_{name}",
                lambda name=name, title=title, marked=marked: accuracy_lines(  # type: ignore[misc]
                    by_epsilon[name],
                    title=title,
                    x_title="ε",
                    x_log=True,
                    mechanisms=True,
                    points=marked,
                ),
            )
    _table(cells)


def _normality(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    def draw() -> go.Figure:
        fit, drawn = figures.figure5_draws(run.records, seed=run.seed)
        return fit_histograms(fit, QUERY.labels, _UNITS, drawn)

    _chart(run, "figure_5", draw)
    _table(cells)


def _clouds(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    for column, name in zip(st.columns(2, gap="large"), SECRETS, strict=True):
        with column:
            _chart(
                run,
                f"figure_6_{name}",
                lambda name=name: releases_in_plane(  # type: ignore[misc]
                    figures.figure6(run.records, seed=run.seed)[name],
                    labels=QUERY.labels,
                    units=_UNITS,
                    across=_NEVER_MARRIED,
                    up=figures.FEMALES,
                    title=f"Protecting {name}, Δp = {figures.FIGURE_6_WIDTHS[name]:g}",
                ),
            )


def _hospital(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    random = [cell for cell in cells if cell.repeats is not None]
    _chart(
        run,
        "hospital",
        lambda: printed_beside_ours(
            random, title="Averages and errors, printed and ours", measure="figure", ratio=True
        ),
    )
    _table(cells)
    link("attribute", "The hospital on the Attribute privacy page")


def _school(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    tall = attribute_privacy.school_results()[0]
    query = school().queries[0].attributes
    network = attribute_privacy.school_network()
    _chart(run, "school", lambda: network_graph(network, tall.binding, query))
    _table(cells)
    link("attribute", "The school on the Attribute privacy page")


def _bounds(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    _f_scores(run)
    _table(cells)


def _f_scores(run: PaperAttacks) -> None:
    _chart(
        run,
        "f_scores",
        lambda: f_scores_with_points(
            hypothesis_testing.figure3b(), hypothesis_testing.printed_points()
        ),
    )


def _precision(run: PaperAttacks, cells: Sequence[Cell]) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        _chart(
            run,
            "precision",
            lambda: precision_recall_lines(
                hypothesis_testing.figure3a(),
                guessing=0.5,
                hypothesis="the record is there",
                title="(a) Precision and recall",
            ),
        )
    with right:
        _f_scores(run)
    _table(cells)
    link("answer", "The same curves for other attackers, on the page Answer")


_PARTS: dict[str, Callable[[PaperAttacks, Sequence[Cell]], None]] = {
    "table-1": _query,
    "table-2": _mechanisms,
    "table-3": _errors,
    "table-4": _accuracies,
    "figure-1": _coupling,
    "figure-2": _against_epsilon,
    "figure-3": _against_width,
    "figure-4": _attack_curves,
    "figure-5": _normality,
    "figure-6": _clouds,
    "hospital": _hospital,
    "example-1": _school,
    "liu-table-1": _bounds,
    "liu-figure-3": _precision,
}
