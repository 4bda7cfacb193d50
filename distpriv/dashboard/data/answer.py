"""The answer at a glance: as a picture, and in the errors of the statistics."""

from __future__ import annotations

import pandas as pd

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
    errors = view.noise.expected_absolute_errors()
    columns = {
        "Statistic": view.scenario.query.labels,
        "Moves by": [
            f"± {with_unit(float(error), unit)}"
            for error, unit in zip(errors, view.units, strict=True)
        ],
    }
    if view.report_sizes is not None:
        columns[f"In {view.error_unit}"] = [
            number(float(error)) for error in errors / view.report_sizes
        ]
    display.table(pd.DataFrame(columns), "errors")
