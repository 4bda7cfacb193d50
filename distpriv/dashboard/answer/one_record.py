"""The closer look of the page Answer at one record: curves, what is known, and the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.analysis.design import Limit
from distpriv.attacks.hypothesis import (
    auxiliary_factor,
    epsilon_table,
    f_score_floor,
    knowledge_before,
    max_f_score,
    plausible_deniability,
    precision_at,
    record_test,
    turning_point,
)
from distpriv.charts.choosing import f_score_lines, precision_recall_lines
from distpriv.dashboard.answer import one_release, search
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.errors import HypothesisError
from distpriv.mechanisms.curves import Curves
from distpriv.privacy.calibration import Calibration
from distpriv.words import escape, exact, number, percent

__all__ = ["closer"]

_RECALL = np.linspace(0.005, 1.0, 67)
_BETAS = (0.5, 0.6, 0.8, 1.0, 1.5, 2.0)
_DELTAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
_FIGURE_BOUNDS = (0.55, 0.58, 0.62, 0.67, 0.76, 0.83, 0.9, 0.95)


def closer(view: View, limit: Limit | None) -> None:
    """The attacker on this release, on one record, or the table of ε."""
    looked_at = one_release.ask()
    if looked_at == "about this release":
        one_release.release(view, limit)
    elif looked_at == "about one record":
        record(view)
    else:
        table(view)


def record(view: View) -> None:
    """The attacker of differential privacy, who asks after one record (Liu et al. 2019)."""
    st.markdown(
        "Differential privacy asks whether *one person's record* is in the data. There ε alone "
        "decides, whatever the data; what the attacker knows beforehand decides with it."
    )
    kind, versus, left = st.columns([2, 2, 3])
    gaussian = (
        kind.segmented_control(
            "Noise",
            ["Laplace", "Gaussian"],
            default="Laplace",
            required=True,
            key="record_noise",
            persist_state="session",
            help="Gaussian noise takes the δ and the calibration of the sidebar; *guarded* is "
            "*exact* here.",
        )
        == "Gaussian"
    )
    over_delta = gaussian and (
        versus.segmented_control(
            "Curves for several",
            ["ε", "δ"],
            default="ε",
            required=True,
            key="record_versus",
            persist_state="session",
        )
        == "δ"
    )
    with left:
        epsilons = search.epsilons_to_compare("record_epsilons", view.scenario.epsilon)
    known = _knowledge()
    if known is None:
        return
    factor, epsilon = auxiliary_factor(*known), view.scenario.epsilon
    delta = view.scenario.delta if gaussian else None
    calibration: Calibration = "classical" if view.scenario.calibration == "classical" else "exact"
    if over_delta:
        tests = {
            f"δ = {exact(other)}": record_test(epsilon, other, calibration) for other in _DELTAS
        }
    else:
        tests = {f"ε = {other:g}": record_test(other, delta, calibration) for other in epsilons}
    beta = search.weight()
    precision_recall, f_score = st.columns(2, gap="large")
    with precision_recall:
        display.chart(
            precision_recall_lines(
                {
                    label: (_RECALL, precision_at(test, _RECALL, factor))
                    for label, test in tests.items()
                },
                guessing=knowledge_before(factor),
                hypothesis="the record is there",
                title="How sure they can be of one record",
                selected=f"ε = {epsilon:g}",
            ),
            "record_precision",
        )
    with f_score:
        grid = np.geomspace(0.1, 10, 41)
        steps = _steps(known)
        curves = {
            label: (weight, test)
            for label, weight, test in (
                [(label, beta, test) for label, test in steps.items()]
                if len(steps) > 1
                else [(f"β = {weight:g}", weight, known) for weight in _BETAS]
            )
        }
        display.chart(
            f_score_lines(
                Curves(
                    grid,
                    {
                        label: max_f_score(
                            grid, weight, *test, delta=delta, calibration=calibration
                        )
                        for label, (weight, test) in curves.items()
                    },
                ),
                epsilon=epsilon,
                title=f"F-score at β = {beta:g}, by what they know"
                if len(steps) > 1
                else "F-score of one record, by β",
                turning=None
                if gaussian
                else {
                    label: (
                        turning_point(weight, *test),
                        f_score_floor(weight, auxiliary_factor(*test)),
                    )
                    for label, (weight, test) in curves.items()
                },
            ),
            "record_f_score",
        )
    _deniability(epsilon)


def _steps(known: tuple[float, float, float]) -> dict[str, tuple[float, float, float]]:
    """From knowing nothing to all that is known, one kind of knowledge after the other."""
    names = ("a hunch", "other records", "earlier releases")
    steps = {"nothing": (0.0, 0.0, 0.0)}
    reached = [0.0, 0.0, 0.0]
    for place, (name, value) in enumerate(zip(names, known, strict=True)):
        if value:
            reached[place] = value
            steps[name if len(steps) == 1 else f"and {name}"] = tuple(reached)  # type: ignore[assignment]
    return steps


def _knowledge() -> tuple[float, float, float] | None:
    """What the attacker knows beforehand; None, with a sentence, if that is everything."""
    st.markdown("**What does the attacker know before the release?**")
    tips = (
        (
            "A hunch about this person (ρ_p)",
            "1 − the ratio of the two probabilities beforehand. 20\u00a0%: the answer they look "
            "for is 1 / 0.8 = 1.25 times as likely as the other.",
        ),
        (
            "What others' records say (ρ_c)",
            "How much more likely other people's records make the answer: relatives, colleagues. "
            "10\u00a0%: by a factor of 1 / 0.9.",
        ),
        (
            "What earlier releases say (ρ_t)",
            "How much more likely what was released before makes the answer. 10\u00a0%: by a "
            "factor of 1 / 0.9.",
        ),
    )
    known = tuple(
        place.slider(
            label,
            0,
            100,
            0,
            format="%d %%",
            key=f"record_{key}",
            persist_state="session",
            help=tip,
        )
        / 100
        for place, key, (label, tip) in zip(
            st.columns(3), ("prior", "records", "time"), tips, strict=True
        )
    )
    try:
        factor = auxiliary_factor(*known)
    except HypothesisError as error:
        st.error(escape(error), icon=":material/error:")
        return None
    right = knowledge_before(factor)
    st.caption(
        f"Before any release such an attacker is right in {percent(right)} of cases "
        f"(κ = {number(factor)}); no ε brings that down."
    )
    return known[0], known[1], known[2]


def _deniability(epsilon: float) -> None:
    alarm = (
        st.slider(
            "False alarms that the attacker puts up with (α)",
            1,
            99,
            5,
            format="%d %%",
            key="record_alarm",
            persist_state="session",
            help="How often they accuse somebody whose record is not there.",
        )
        / 100
    )
    ratio = float(plausible_deniability(epsilon, alarm))
    st.markdown(
        f"With Laplace noise an attacker who puts up with {percent(alarm, 0)} false alarms accuses "
        f"when the release is **{number(ratio)}** times as likely with the record as without it"
        + (
            f"; no release is more than e^ε = {number(float(np.exp(epsilon)))} times as likely, so "
            "even on the most telling ones they accuse by lot, and everybody can plausibly deny."
            if ratio > np.exp(epsilon)
            else "."
        )
    )


def table(view: View) -> None:
    """Table 1 of Liu et al. (2019), for any β and whatever the attacker knows."""
    weights = st.multiselect(
        "β of the rows",
        [*_BETAS, 0.3, 3.0, 5.0],
        default=list(_BETAS),
        format_func=lambda value: f"{value:g}",
        accept_new_options=True,
        key="table_betas",
        persist_state="session",
        help="Type any positive number to add a row.",
    )
    known = _knowledge()
    try:
        rows = sorted({float(weight) for weight in weights})
        table = epsilon_table(_FIGURE_BOUNDS, rows, *known) if known and rows else None
    except HypothesisError as error:
        st.error(escape(error), icon=":material/error:")
        return
    except ValueError:
        st.error(
            "β must be a positive number; take e.g. 1 and remove what is no number.",
            icon=":material/error:",
        )
        return
    if table is None:
        return
    display.table(
        pd.DataFrame(
            {"F-score at most": [f"β = {weight:g}" for weight in rows]}
            | {
                f"{bound:g}": ["–" if np.isnan(value) else f"{value:.2f}" for value in column]
                for bound, column in zip(_FIGURE_BOUNDS, table.T, strict=True)
            }
        )
    )
    st.caption(
        "Largest ε of Laplace noise at which no attacker on one record exceeds the F-score of the "
        "column (Liu et al. 2019, Table 1, which cuts most figures to two digits where these are "
        "rounded). A dash: saying yes every time exceeds it without any release. Bounds less than "
        "0.01 below that stand for it."
    )
