"""What is hidden from what, and how far the secret moves each statistic of the release."""

from __future__ import annotations

from random import Random

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from distpriv.analysis.verdict import last_digits_in_words
from distpriv.charts.answer import shifts
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.words import escape, exact, number, share, with_unit

__all__ = ["formulas", "picture", "sentence", "table"]


def sentence(view: View) -> str:
    """What is hidden, from what, in a sentence."""
    fit = view.fit
    scenario, counts = view.scenario, [theta.having for theta in fit.thetas]
    names = ", ".join(escape(label) for label in view.scenario.query.labels)
    dropped = (
        f" {exact(view.model.dropped)} records miss a value in a column in use and are left out."
        if view.model.dropped
        else ""
    )
    has = f"the property **{escape(fit.pair.secret.label)}**"
    ends = [share(fit.pair.p_i), share(fit.pair.p_j)]
    if scenario.hidden_share == "table":
        return (
            f"Whoever sees {names} of {exact(scenario.n)} records must not be able to tell "
            f"whether **{ends[0]}** or **{ends[1]}** of the table have {has}.{dropped}"
        )
    return (
        f"Whoever sees {names} of {exact(scenario.n)} records must not be able to tell "
        f"whether **{exact(counts[0])}** or **{exact(counts[1])}** of them have {has} "
        f"({ends[0]} or {ends[1]}).{dropped}"
    )


def picture(view: View) -> None:
    """How far the secret moves each statistic."""
    display.chart(shifts(view.fit, view.scenario.query.labels, view.units), "shifts")


def table(view: View) -> None:
    """What each statistic is under the two shares, and how far the secret moves it."""
    fit = view.fit
    first, second, deviations = (
        [with_unit(value, unit) for value, unit in zip(values, view.units, strict=True)]
        for values in (*fit.means, np.sqrt(np.diag(fit.pooled)))
    )
    columns = {
        "Statistic": view.scenario.query.labels,
        f"At {share(fit.pair.p_i)}": first,
        f"At {share(fit.pair.p_j)}": second,
        "Varies by (std. dev.)": deviations,
        "Moves in": _moves(view),
        "Shift in std. deviations": [
            number(shift) for shift in -fit.difference / np.sqrt(np.diag(fit.pooled))
        ],
    }
    summed = view.dataset.source is None or view.scenario.query.is_linear
    if view.scenario.whole and summed and not view.scenario.presenting:
        columns["Your table (not to be shown)"] = [
            with_unit(value, unit) for value, unit in zip(_true(view), view.units, strict=True)
        ]
    display.table(pd.DataFrame(columns), "release")
    if (view.fit.grid > 0).any():
        st.caption(
            "A count moves in steps of 1, an average of whole numbers in steps of 1/n. Whoever "
            "knows that could subtract noise that leaves directions bare, so the noise here lies "
            "on every statistic, half a step of it at least. "
            + last_digits_in_words(view.fit, safe=escape)
        )


def _true(view: View) -> NDArray[np.float64]:
    """The statistics of all records."""
    query, secret = view.scenario.query, view.fit.pair.secret
    if view.dataset.source is not None:
        return view.dataset.source.answer(query, secret, entropy=Random(0))[0]  # nosec B311 # nothing is drawn
    records = view.dataset.table
    return query.answer(records[records[secret.column].notna()])


def _moves(view: View) -> list[str]:
    """The grid of each statistic in words."""
    return [
        "steps not known"
        if np.isnan(step)
        else f"steps of {'1 record' if (step, unit) == (1, 'records') else with_unit(step, unit)}"
        if step > 0
        else "no steps"
        for step, unit in zip(view.fit.grid.tolist(), view.units, strict=True)
    ]


def formulas() -> None:
    """The definition behind the page."""
    with st.expander("The definition", icon=":material/function:"):
        st.latex(
            r"\Pr(M(\mathit{Data})\in S\mid\theta_i)\le e^{\varepsilon}"
            r"\Pr(M(\mathit{Data})\in S\mid\theta_j)+\delta"
        )
        st.markdown(
            "for both orders of the two shares and every set S of outcomes: (ε, δ)-distribution "
            "privacy, Chen & Ohrimenko (2023), Definition 2.2."
        )
