"""The answer at a glance: as a picture, and in the errors of the statistics."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from distpriv.analysis.error_sizes import error_sizes, of_sampling, sampling_note
from distpriv.attacks.optimal import equivalent_separation
from distpriv.charts.answer import overlap
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.words import number, with_unit

__all__ = ["errors_table", "picture"]


def picture(view: View) -> None:
    """How well the best attacker tells the shares apart, without and with the noise."""
    undefended, protected = (
        (equivalent_separation(right), right) for right in (view.undefended, view.accuracy)
    )
    chart = overlap(view.fit.pair, undefended, protected, view.scenario.mechanism)
    display.chart(chart, "answer")


def errors_table(view: View) -> None:
    """How far the noise moves each statistic, on average."""
    shown = not view.scenario.presenting
    sizes = error_sizes(view.model, view.noise, view.units, valued=shown)
    columns: dict[str, Sequence[str]] = {
        "Statistic": view.labels,
        "Moves by": [f"± {with_unit(size.error, size.unit)}" for size in sizes],
        "× sampling": [of_sampling(size) for size in sizes],
    }
    if shown:
        columns["On"] = ["" if size.value is None else number(size.value) for size in sizes]
    if view.report_sizes is not None:
        columns[f"In {view.error_unit}"] = [
            number(size.error / unit)
            for size, unit in zip(sizes, view.report_sizes.tolist(), strict=True)
        ]
    narrow = {"Statistic": st.column_config.Column(width=130)}
    display.table(pd.DataFrame(columns), "errors", column_config=narrow)
    st.caption(sampling_note(view.model.n))
