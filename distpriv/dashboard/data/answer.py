"""The answer at a glance: in sentences, as a picture, and in the errors of the statistics."""

from __future__ import annotations

import pandas as pd

from distpriv.attacks.optimal import equivalent_separation
from distpriv.charts.answer import overlap
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.scenario import l2, pair_words
from distpriv.words import escape, number, percent, with_unit

__all__ = ["errors_table", "picture", "sentence"]


def sentence(view: View) -> str:
    """The question answered in plain sentences."""
    scenario, noise = view.scenario, view.noise
    having = [theta.having for theta in view.fit.thetas]
    if having[0] == having[1]:
        return (
            f"Among {scenario.n} records both shares mean the same {having[0]} with "
            f"**{escape(view.fit.pair.secret.label)}**, so there is nothing to tell apart and no "
            "noise is needed; take a larger n or Δp."
        )
    undefended, protected = view.undefended, view.accuracy
    error = f"The released statistics move by {l2(view, noise)}."
    if len(view.model.pairs) > 1:
        error += f" The same noise hides all {len(view.model.pairs)} pairs of shares."
    start = (
        f"From these {len(scenario.query)} statistics of {scenario.n} records the best possible "
        f"attacker tells {pair_words(view)} in **{percent(undefended)}** of cases; "
        "guessing is right in 50\u00a0%."
    )
    name = escape(scenario.mechanism)
    if noise.is_zero:
        return f"{start} {name} at ε\u00a0=\u00a0{scenario.epsilon:g} needs no noise at all."
    return (
        f"{start} With {name} at ε\u00a0=\u00a0{scenario.epsilon:g} it is right in "
        f"**{percent(protected)}**. {error}"
    )


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
