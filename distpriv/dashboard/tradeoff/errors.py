"""Errors of the released statistics: the cost in words, against ε and Δp, and by mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.error_sizes import error_sizes, largest_in_words, sampling_note, short
from distpriv.analysis.for_persons import RECORD_COLUMN
from distpriv.analysis.recommendation import Recommendation, recommend, recommended_in_words
from distpriv.analysis.sweeps import expected_error, expected_errors
from distpriv.charts.utility import error_against_epsilon as epsilon_chart
from distpriv.charts.utility import error_against_width as width_chart
from distpriv.dashboard.shell import live
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import curves, display
from distpriv.glossary import hover
from distpriv.mechanisms.curves import Curves
from distpriv.model.run import Progress, Run
from distpriv.words import escape, exact, number, percent, share, with_unit

__all__ = [
    "Measure",
    "against_epsilon",
    "against_width",
    "choose",
    "formulas",
    "sentence",
    "table",
]


@dataclass(frozen=True)
class Measure:
    """Which error is looked at.

    Attributes
    ----------
    statistic : int or None
        Place of the statistic; None for the L2 error of all.
    name : str
    unit : str
        Empty where the statistic has none.
    """

    statistic: int | None
    name: str
    unit: str


def choose(view: View) -> tuple[Measure, list[str]]:
    """Controls: the error looked at, and the mechanisms beside each other."""
    labels = view.scenario.query.labels
    left, right = st.columns([1, 2])
    statistic = left.selectbox(
        "Error of",
        [None, *range(len(labels))],
        format_func=lambda index: "all statistics (L2)" if index is None else labels[index],
        key="tradeoff_measure",
        persist_state="session",
        help=hover("L2 error"),
    )
    offered = mechanisms.names()
    names = right.multiselect(
        "Mechanisms",
        offered,
        default=curves.shown_at_first(offered),
        key="tradeoff_mechanisms",
        persist_state="session",
        wrap=True,
        help="Group differential privacy is far off the scale and left out at first.",
    )
    if statistic is None:
        return Measure(None, "expected L2 error", view.error_unit or "mixed units"), names
    name = f"expected error of {labels[statistic]}"
    return Measure(statistic, name, view.units[statistic]), names


def sentence(view: View, measure: Measure) -> None:
    """The chosen mechanism's error, and what is recommended at the same attack accuracy."""
    scenario, pair = view.scenario, view.fit.pair
    own = expected_error(view.noise, measure.statistic, view.report_sizes)
    unit = "" if measure.unit == "mixed units" else measure.unit
    st.markdown(
        f"Hiding {share(pair.p_i)} from {share(pair.p_j)} of **{escape(pair.secret.label)}** with "
        f"{escape(scenario.mechanism)} at ε\u00a0=\u00a0{scenario.epsilon:g} costs an "
        f"{escape(measure.name)} of **{with_unit(own, unit)}**.{_size(view, measure)}"
    )
    key = curves.key_of(view, f"recommended {scenario.mechanism}", epsilon=True)
    run = live.begun("recommended", key, lambda: _search(view))
    # The search takes longer than the page may: what is above stands first.
    live.growing(run, lambda run: _recommended(view, measure, run), at_once=False)


def _search(view: View) -> Iterator[Progress[Recommendation]]:
    found = recommend(view)
    yield Progress(1, 1, lambda: found)


def _recommended(view: View, measure: Measure, run: Run[Recommendation]) -> None:
    found = run.result()
    if found is not None:
        st.markdown(
            recommended_in_words(
                view,
                found,
                statistic=measure.statistic,
                strong=lambda text: f"**{text}**",
                safe=escape,
            )
        )
    elif run.failure:
        st.markdown(f"No mechanism is recommended: {escape(run.failure)}")
    else:
        st.caption("Comparing the mechanisms at the same attack accuracy …")


def _size(view: View, measure: Measure) -> str:
    """The error of the statistic looked at, or the largest, beside its value and its sampling."""
    shown = not view.scenario.presenting
    sizes = error_sizes(view.model, view.noise, view.units, valued=shown)
    if measure.statistic is not None:
        return f" That is {largest_in_words([sizes[measure.statistic]], safe=escape)}."
    return f" The largest beside its sampling is {largest_in_words(sizes, safe=escape)}."


def against_epsilon(view: View, measure: Measure, names: Sequence[str]) -> None:
    """The error of each mechanism against ε."""
    scenario, epsilons = view.scenario, curves.epsilon_grid(view.scenario, names)
    errors = curves.remembered(
        view,
        f"error by ε {names} {measure.statistic}",
        lambda: curves.sweep_of(view)(
            expected_errors(measure.statistic, view.report_sizes),
            "epsilon",
            epsilons,
            view.model,
            names,
        ),
        epsilon=False,
        names=names,
    )
    display.chart(
        epsilon_chart(
            errors,
            epsilon=scenario.epsilon,
            unit=measure.unit,
            measure=measure.name,
            selected=scenario.mechanism,
        ),
        "error_epsilon",
    )


def against_width(view: View, measure: Measure, names: Sequence[str]) -> None:
    """The error of each mechanism against Δp, where the data allow it."""
    if not curves.needs_closed_form(view, "The error against Δp"):
        return
    scenario = view.scenario

    def draw(errors: Curves) -> None:
        figure = width_chart(
            errors,
            width=scenario.width,
            unit=measure.unit,
            measure=measure.name,
            selected=scenario.mechanism,
        )
        display.chart(figure, "error_width")

    curves.by_width(
        view,
        f"error by Δp {measure.statistic} {scenario.report}",
        names,
        lambda widths, models, along: curves.sweep_of(view)(
            expected_errors(measure.statistic, view.report_sizes),
            "width",
            widths,
            models,
            along,
            epsilon=scenario.epsilon,
        ),
        draw,
    )


def table(view: View, names: Sequence[str]) -> None:
    """Every mechanism's promise and errors at the scenario's ε and δ."""
    rows, shown = [], not view.scenario.presenting
    noises = view.noises(names)
    for name in names:
        noise = noises.get(name)
        if noise is None:
            rows.append({"Mechanism": name, "Promise (ε, δ)": "none: no such noise keeps it"})
            continue
        protected = view.accuracy_of(noise)
        budget = f"({noise.epsilon:g}, {exact(noise.delta)})"
        rows.append(
            {
                "Mechanism": name,
                "Promise (ε, δ)": budget
                if mechanisms.get(name).protects
                else f"{budget} for single records only",
                "Delivered δ": number(view.delivered(noise)),
                "Promise": view.promise_of(noise).words,
                RECORD_COLUMN: view.record_label(noise),
                "Best attack right in": percent(protected),
                "Error, L2": number(view.reported(noise).expected_error()),
                "RMS": number(view.reported(noise).rms_error()),
            }
            | {
                size.label: short(size)
                for size in error_sizes(view.model, noise, view.units, valued=shown)
            }
        )
    display.table(pd.DataFrame(rows).fillna("–"), "mechanisms")
    st.caption(sampling_note(view.model.n))


def formulas() -> None:
    """How the expected error is computed."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\mathbb E\lVert Z\rVert_2=\frac{1}{2\sqrt\pi}\int_0^\infty"
            r"\left(1-\mathbb E\,e^{-t\lVert Z\rVert^2}\right)t^{-3/2}\,dt"
        )
        st.markdown(
            "Computed by quadrature, not simulated. The paper's figures (Chen & Ohrimenko 2023, "
            "full version, Table 3) are means over 50 draws. Its row DirM (L) was computed with "
            "the scale Δ₁/ε; Theorem 4.3, used here, needs only Δ₂/ε, which is less."
        )
