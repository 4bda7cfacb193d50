"""What several releases promise together, and the same promise in another framework's words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.charts.composition import added_up, two_statistics
from distpriv.composition.counterexample import (
    CompositionExample,
    example_against_correlation,
    example_against_releases,
)
from distpriv.composition.rules import Promise, compose, mixture
from distpriv.dashboard.assumptions import joint
from distpriv.dashboard.assumptions.pufferfish import pufferfish
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.errors import CalibrationError, DistprivError
from distpriv.privacy.calibration import gaussian_distance
from distpriv.words import escape, exact, number

__all__ = ["composition", "pufferfish", "read_promises"]

SAME = "the same dataset"
INDEPENDENT = "different, independently drawn datasets"
KNOWN = "one dataset, and the attacker knows every candidate"
COIN = "one dataset, and a coin decides which is released"
PREMISES = {
    SAME: "Two tables about the same people, say.",
    INDEPENDENT: "Last year's sample and this year's, with nobody in both.",
    KNOWN: "For each possibility there is a single dataset; nothing but the noise is random.",
    COIN: "Only one of them ever comes out.",
}
REPEATS = tuple(range(1, 11))


def composition(view: View) -> None:
    """What several releases promise together, and what they deliver where no rule holds."""
    result_first = st.container()
    left, right = st.columns(2, gap="large")
    with left:
        premise = st.radio(
            "What are the releases computed from?",
            list(PREMISES),
            captions=list(PREMISES.values()),
            key="composition_premise",
            persist_state="session",
        )
    with right:
        releases = _edited(view, coin=premise == COIN)
    try:
        result_first.markdown(_together(premise, releases))
    except DistprivError as error:
        result_first.error(escape(error), icon=":material/error:")
    if premise == SAME:
        _demonstration(view)
    st.header("This release in two parts")
    joint.in_two_parts(view)
    st.header("This release again and again")
    joint.again(view)
    _formulas()


def read_promises(table: pd.DataFrame) -> list[Promise]:
    """The promises of a table with the columns ε and δ, one a row.

    Raises
    ------
    CalibrationError
        If a row is incomplete or outside the domain of ε and δ; it says which.
    """
    promises = []
    for row, (epsilon, delta) in enumerate(zip(table["ε"], table["δ"], strict=True), start=1):
        if pd.isna(epsilon) or pd.isna(delta):
            missing = "ε" if pd.isna(epsilon) else "δ"
            raise CalibrationError(
                f"Row {row} of the releases has no {missing}; fill it in, or delete the row."
            )
        try:
            if delta == 1:
                raise CalibrationError("δ must be in [0, 1), got δ = 1.")
            promises.append(Promise(float(epsilon), float(delta)))
        except CalibrationError as error:
            raise CalibrationError(f"In row {row} of the releases, {error}") from None
    return promises


def _edited(view: View, *, coin: bool) -> pd.DataFrame:
    """The releases as the user entered them, kept while the table is out of sight."""
    state, scenario = st.session_state, view.scenario
    key = f"composition_releases_{'coin' if coin else 'sum'}"
    if Key.COMPOSITION_PROMISES not in state:
        state[Key.COMPOSITION_PROMISES] = pd.DataFrame(
            {"ε": [scenario.epsilon] * 2, "δ": [scenario.delta] * 2, "chance": [0.5, 0.5]}
        )
    if key not in state:
        # A row added where there is no column for its chance has none.
        kept = state[Key.COMPOSITION_PROMISES].fillna({"chance": 0.0})
        state[f"{key}_start"] = kept.reset_index(drop=True)
    edited = st.data_editor(
        state[f"{key}_start"],
        key=key,
        num_rows="dynamic",
        hide_index=True,
        alt="The releases and their promises",
        column_order=["ε", "δ", "chance"] if coin else ["ε", "δ"],
        column_config={
            "ε": st.column_config.NumberColumn(
                "ε of the release", default=1.0, format="%g", help="Each release's own promise."
            ),
            "δ": st.column_config.NumberColumn(
                "δ of the release", default=0.001, format="%g", help="0 for Laplace noise."
            ),
            "chance": st.column_config.NumberColumn(
                "its chance", default=0.0, format="%g", help="From 0 to 1; they sum to 1."
            ),
        },
    )
    state[Key.COMPOSITION_PROMISES] = edited
    st.caption("A release a row: change a figure, add a row at the end, or mark one and delete it.")
    return edited


def _together(premise: str, table: pd.DataFrame) -> str:
    """What the releases promise together, in words."""
    promises = read_promises(table)
    if premise == COIN:
        weights = table["chance"].to_numpy(dtype=np.float64, na_value=np.nan)
        if np.isnan(weights).any():
            raise CalibrationError(
                f"Row {int(np.isnan(weights).argmax()) + 1} of the releases has no chance; fill it "
                "in, or delete the row."
            )
        together = mixture(promises, weights)
        return (
            f"A coin that picks one of the {len(promises)} releases promises "
            f"**{_figures(together)}**: the largest ε, and δ by the chances. It holds whether or "
            "not anybody sees which was picked, for one release; picking anew for a second one is "
            f"a case of *{SAME}*."
        )
    together = compose(promises, "point-mass" if premise == KNOWN else "independent")
    count = "release promises" if len(promises) == 1 else f"{len(promises)} releases promise"
    if together.delta == 1:
        return f"Their δ add up to 1 or more, so the {count} **nothing** together."
    if premise == INDEPENDENT:
        return (
            f"Together the {count} **{_figures(together)}**: the promises add up, because no "
            "dataset gives away the chance that hides another."
        )
    if premise == KNOWN:
        return (
            f"Together the {count} **{_figures(together)}**: the promises add up as in "
            "differential privacy, because only the noises hide the secret, and they are drawn "
            "independently."
        )
    if len(promises) == 1:
        return f"One release promises **{_figures(together)}**; add another to see what follows."
    return (
        f"**No rule holds.** Adding up would say {_figures(together)}, but what hides the secret "
        "is chance in the data as well as the noise, and all releases share the data. Below: two "
        "releases that are fine alone and not together."
    )


def _figures(promise: Promise) -> str:
    return f"ε\u00a0=\u00a0{number(promise.epsilon)} with δ\u00a0=\u00a0{number(promise.delta)}"


def _demonstration(view: View) -> None:
    """Two statistics of one dataset, of which the secret shifts one."""
    epsilon, delta = view.scenario.epsilon, view.scenario.delta
    st.header("Two releases that do not add up")
    if 2 * delta >= 1:
        st.info(
            f"At δ\u00a0=\u00a0{exact(delta)} two releases promise nothing in any case; "
            "take a smaller "
            "δ to see more.",
            icon=":material/info:",
        )
        return
    sentence = st.container()
    pictures = st.container()
    left, right = st.columns(2, gap="large")
    correlation = left.slider(
        "How closely the two statistics vary together (correlation)",
        0.0,
        0.999,
        0.99,
        0.001,
        key="composition_correlation",
        persist_state="session",
    )
    part = right.slider(
        "How far the secret shifts the first one",
        0.1,
        3.0,
        0.8,
        0.1,
        format="percent",
        key="composition_shift",
        persist_state="session",
        help="100\u00a0% is as far as its own variation hides, at the current ε and δ; beyond that "
        "it needs noise.",
    )
    shift = part * gaussian_distance(epsilon, delta)
    example = CompositionExample.calibrated(shift, correlation, epsilon, delta)
    sentence.markdown(_example_words(example, epsilon, delta))
    correlations = np.unique(
        [*np.linspace(0, 0.9, 10), *(1 - np.geomspace(0.1, 0.001, 17)), correlation]
    )
    with pictures:
        plane, by_correlation, by_releases = st.columns(3, gap="large")
    with plane:
        display.chart(two_statistics(example), "composition_plane")
    with by_correlation:
        display.chart(
            added_up(
                example_against_correlation(shift, epsilon, delta, correlations.tolist()),
                title=f"ε at δ = {exact(2 * delta)} against correlation",
                x_title="correlation of the two statistics",
                x_name="correlation",
                current=correlation,
                how_to_read=(
                    "the ε that two releases deliver. Above the dotted line they deliver less "
                    "privacy than adding up says; a line that leaves the chart goes on rising. "
                    "The coin is tossed twice."
                ),
            ),
            "composition_correlation_chart",
        )
    with by_releases:
        counts = [count for count in REPEATS if count * delta < 1]
        display.chart(
            added_up(
                example_against_releases(example, epsilon, delta, counts),
                title="ε against releases",
                x_title="releases",
                x_name="releases",
                current=2,
                how_to_read=(
                    "the ε of so many releases, at δ times their number. A coin that picks one of "
                    "the two statistics each time keeps its promise once and breaks it at the "
                    "second toss; the first statistic again and again stays below the dotted line."
                ),
            ),
            "composition_releases_chart",
        )


def _example_words(example: CompositionExample, epsilon: float, delta: float) -> str:
    noise = (
        "needs no noise"
        if example.noise == 0
        else f"takes noise of {number(example.noise)} standard deviations"
    )
    twice = 2 * epsilon
    fails = example.delta(twice) > 2 * delta
    tosses = example.coin_delta(twice, 2)
    return (
        f"A dataset has two statistics that vary together, with correlation "
        f"{example.correlation:g}. The secret shifts the first by {number(example.shift)} of its "
        f"standard deviations and the second not at all. Alone at ε\u00a0=\u00a0{epsilon:g}, "
        f"δ\u00a0=\u00a0{exact(delta)}, the first {noise}, for its own variation hides the "
        "shift, and "
        "the second gives nothing away. But the second tells much of how the first happened to "
        f"vary: **both together deliver ε\u00a0=\u00a0{number(example.epsilon(2 * delta))}** at "
        f"δ\u00a0=\u00a0{exact(2 * delta)}, where adding up says {twice:g}, or "
        f"δ\u00a0=\u00a0{number(example.delta(twice))} at ε\u00a0=\u00a0{twice:g}: "
        + ("the sum rule **fails**." if fails else "here they stay within the sum.")
        + " A coin that picks one of the two to release keeps its promise; tossed again, both come "
        f"out in half of all cases, and two tosses deliver δ\u00a0=\u00a0{number(tosses)}."
    )


def _formulas() -> None:
    with st.expander("The rules", icon=":material/function:"):
        st.latex(
            r"\text{sum rule: }\Bigl(\sum_k\varepsilon_k,\ \sum_k\delta_k\Bigr)\qquad"
            r"\text{coin: }\Bigl(\max_k\varepsilon_k,\ \sum_k w_k\delta_k\Bigr)\qquad"
            r"\text{two statistics: }\frac{a}{\sqrt{1+s^2-\rho^2}}"
        )
        st.markdown(
            "Chen & Ohrimenko (2023, full version): promises add up for independent datasets "
            "(Proposition A.5) and where every possible distribution is a single dataset (A.4); a "
            "coin keeps the promise (A.3), and so does whatever is computed from a release (A.2). "
            "In the example the two possibilities are a/√(1 + s² − ρ²) standard deviations apart, "
            "for the shift a, noise s on the first statistic and the correlation ρ. The same "
            "statistics released r times are one release with the noise's covariance S divided by "
            "r. If both shares have the same covariance Σ, the sum rule holds for them: "
            "Σ + S/r ⪰ (Σ + S)/r, so the distance grows by √r at most, as it does for r "
            "independent datasets. With unequal covariances that proves nothing; a search "
            "over thousands of random cases found no exception, and the figures here are "
            "computed in any case."
        )
