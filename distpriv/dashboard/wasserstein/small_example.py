"""Two small distributions to edit, Figure 1 of the paper to begin with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.charts.coupling import closeness_curves, moves_on_line
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import code, display
from distpriv.distances.outcomes import Outcomes
from distpriv.distances.wasserstein import distribution
from distpriv.errors import DistprivError
from distpriv.glossary import hover
from distpriv.words import escape, exact, number, percent

__all__ = ["FIGURE_1", "example"]

FIGURE_1 = {
    "μ": pd.DataFrame({"Value": [1.0, 2.0, 100.0], "Weight": [0.6, 0.2, 0.2]}),
    "ν": pd.DataFrame({"Value": [1.0, 2.0, 3.0, 100.0], "Weight": [0.4, 0.3, 0.2, 0.1]}),
}
KEYS = {"μ": "example_mu", "ν": "example_nu"}


def example(view: View) -> None:
    """Two small tables of weights, Figure 1 of the paper to begin with."""
    result_first = st.container()
    st.markdown("Two distributions of one number. Edit any cell, add rows or delete them.")
    tables = st.columns([2, 2, 3], gap="large")
    edited = []
    for place, (name, default) in zip(tables, FIGURE_1.items(), strict=False):
        with place:
            edited.append(_editor(name, default))
    with tables[2]:
        delta = st.slider(
            "δ, the share that may be left out",
            0.0,
            0.5,
            0.1,
            0.01,
            key="example_delta",
            persist_state="session",
            help=hover("closeness"),
        )
        if st.button("Back to the paper's example", icon=":material/restart_alt:"):
            for key in KEYS.values():
                for part in ("", "_base", "_edited"):
                    st.session_state.pop(f"{key}{part}", None)
            st.rerun()
    with result_first:
        try:
            _worked_example(edited[0], edited[1], round(delta, 4), view.scenario.epsilon)
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")


def _editor(name: str, default: pd.DataFrame) -> pd.DataFrame:
    """A table that stays as it was edited when the page is left and opened again."""
    state, key = st.session_state, KEYS[name]
    if key not in state:
        state[f"{key}_base"] = state.get(f"{key}_edited", default)
    st.markdown(f"**{name}**")
    number_column = st.column_config.NumberColumn
    edited = st.data_editor(
        state[f"{key}_base"],
        key=key,
        num_rows="dynamic",
        hide_index=True,
        alt=f"The values of {name} and their weights",
        column_config={
            "Value": number_column("Value", help="What the statistic can come out as."),
            "Weight": number_column("Weight", help=f"Its probability; those of {name} sum to 1."),
        },
    )
    state[f"{key}_edited"] = edited
    return edited


def _worked_example(
    first: pd.DataFrame, second: pd.DataFrame, delta: float, epsilon: float
) -> None:
    points, weights = [], []
    for name, table in zip(FIGURE_1, (first, second), strict=True):
        filled = table.dropna(how="all")
        points.append(filled["Value"].to_numpy(dtype=float))
        weights.append(filled["Weight"].to_numpy(dtype=float))
        distribution(name, points[-1], weights[-1])  # its sentence names the table
    given = dict(zip(FIGURE_1, zip(points, weights, strict=True), strict=True))
    code.note("wasserstein", example=given, delta=delta)
    outcomes = Outcomes((points[0], points[1]), (weights[0], weights[1]), exact=True)
    x, y = (points[:, 0] for points in outcomes.points)
    x_masses, y_masses = outcomes.masses
    coupling = outcomes.coupling(delta)
    furthest = outcomes.closeness()
    shift = abs(float(x @ x_masses - y @ y_masses))
    left = (
        f"; if {percent(delta, 0)} may be left out, by **{number(coupling.reach)}**"
        if delta
        else ""
    )
    st.markdown(
        f"To turn μ into ν some mass has to move by **{number(furthest)}**{left}. At "
        f"ε\u00a0=\u00a0{epsilon:g} that is Laplace noise of scale "
        f"**{number(furthest / epsilon)}**"
        + (
            f", or **{number(coupling.reach / epsilon)}** with δ\u00a0=\u00a0{exact(delta)}"
            if delta
            else ""
        )
        + f"; the means alone, {number(shift)} apart, would ask for {number(shift / epsilon)}, "
        "which promises nothing here unless ν is μ shifted."
    )
    grid = sorted({*np.linspace(0, 0.5, 26).round(4).tolist(), delta})
    picture, curve = st.columns(2, gap="large")
    with picture:
        display.chart(
            moves_on_line(x, y, outcomes.masses, coupling, names=("μ", "ν"), axis_title="value"),
            "example_moves",
        )
    with curve:
        display.chart(
            closeness_curves(
                {"μ and ν": {share: outcomes.closeness(share) for share in grid}},
                delta=delta,
                largest=0.5,
                steps=True,
            ),
            "example_closeness",
        )
