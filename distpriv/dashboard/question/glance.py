"""The answer at a glance: a hundred attackers, and what happens to each figure."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from distpriv.analysis.error_sizes import error_sizes, of_sampling, sampling_note
from distpriv.analysis.verdict import of_hundred
from distpriv.charts.choosing import attackers_in_100
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.words import number, percent, with_unit

__all__ = ["errors_table", "picture"]


def picture(view: View) -> None:
    """Of 100 attackers, how many guess right before and after the noise."""
    groups = [
        ("without noise", of_hundred(view.undefended)),
        (f"with {view.scenario.mechanism}", of_hundred(view.accuracy)),
    ]
    display.chart(attackers_in_100(groups, by_chance=50), "attackers")


def errors_table(view: View) -> None:
    """Each statistic, how far the noise moves it, and how much that is."""
    shown = not view.scenario.presenting
    sizes = error_sizes(view.model, view.noise, view.units, valued=shown)
    columns: dict[str, Sequence[str]] = {"Statistic": view.labels}
    if shown:
        columns["About"] = ["" if size.value is None else number(size.value) for size in sizes]
    columns["Noise"] = [f"± {with_unit(size.error, size.unit)}" for size in sizes]
    if shown:
        columns["In %"] = [
            "" if size.of_value is None else percent(size.of_value, 1 + 2 * (size.of_value < 1e-3))
            for size in sizes
        ]
    columns["× sampling"] = [of_sampling(size) for size in sizes]
    if view.report_sizes is not None:
        columns[f"In {view.error_unit}"] = [
            number(size.error / unit)
            for size, unit in zip(sizes, view.report_sizes.tolist(), strict=True)
        ]
    widths = {
        "Statistic": st.column_config.Column(width=220),
        "× sampling": st.column_config.Column(help=sampling_note(view.model.n)),
    }
    st.markdown("**What the noise does to each figure, on average**")
    display.table(pd.DataFrame(columns), "errors", column_config=widths)
