"""The Attribute privacy page's tab *Dataset*: releases, what is assumed of them, their noise."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from distpriv.analysis.basis import basis_in_words
from distpriv.analysis.keeping import keeping
from distpriv.analysis.scenario import Scenario
from distpriv.attribute.assumptions import AttributeAssumption, noise_by_release
from distpriv.attribute.files import (
    AssumptionFile,
    hospital,
    load_assumptions,
    save_assumptions,
)
from distpriv.attribute.gaussian import (
    AttributeGaussian,
    gaussian_from_model,
    protected_properties,
)
from distpriv.charts.network import variance_bars
from distpriv.dashboard.shell import frame
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import code, display
from distpriv.dashboard.widgets.editing import edited, example_bar
from distpriv.errors import AttributePrivacyError, DistprivError
from distpriv.words import escape, exact, number, percent, with_unit

__all__ = ["dataset_tab"]

Noises = dict[str, AttributeGaussian]
# Columns of the editor with the entry of an assumption they hold.
_NUMBERS = {
    "Records": ("n", None, "How many records the average is taken of."),
    "Distance of shares": (
        "diameter",
        None,
        "The largest distance of two shares to be hidden: 0.25 hides 50\u00a0% from 75\u00a0%.",
    ),
    "Slope from": ("slope", 0, "How much the release changes for each unit of the difference."),
    "Slope to": ("slope", 1, "The largest slope thought possible."),
    "Difference from": (
        "difference",
        0,
        "How far records with the attribute differ from the others on average.",
    ),
    "Difference to": ("difference", 1, "The largest difference thought possible."),
    "Deviation from": (
        "deviation",
        0,
        "Standard deviation of a record given the attribute: the least thought possible.",
    ),
    "Deviation to": ("deviation", 1, "The largest standard deviation thought possible."),
}


def _file() -> AssumptionFile:
    state = st.session_state
    if Key.ASSUMPTION_FILE not in state:
        _take(hospital())
    return state[Key.ASSUMPTION_FILE]


def _take(file: AssumptionFile) -> None:
    """Work with another file from now on."""
    state = st.session_state
    state[Key.ASSUMPTION_FILE] = file
    state[Key.ASSUMPTION_ROWS] = _rows(file)
    state[Key.ASSUMPTION_ROUND] = state.get(Key.ASSUMPTION_ROUND, -1) + 1


def _rows(file: AssumptionFile) -> pd.DataFrame:
    rows = []
    for assumption in file.assumptions:
        row: dict[str, Any] = {
            "Release": assumption.release,
            "Unit": assumption.unit,
            "Hides": assumption.protected,
        }
        for column, (name, end, _) in _NUMBERS.items():
            value = getattr(assumption, name)
            row[column] = float(value if end is None else value[end])
        rows.append(row)
    columns = ["Release", "Unit", "Hides", *_NUMBERS]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(_NUMBERS, "float64"))


def _assumptions(rows: pd.DataFrame) -> tuple[AttributeAssumption, ...]:
    """What the editor says; raises AttributePrivacyError for a row that makes no sense."""
    known = {
        _without_paper(assumption): assumption.paper_error for assumption in _file().assumptions
    }
    assumptions = []
    for place, row in enumerate(rows.to_dict("records"), 1):
        empty = [column for column in _NUMBERS if pd.isna(row[column])]
        if empty:
            raise AttributePrivacyError(
                f"Row {place} has no number under {empty[0]!r}; fill it in, or delete the row."
            )
        values: dict[str, Any] = {
            name: "" if pd.isna(row[column]) else str(row[column])
            for column, name in (("Release", "release"), ("Unit", "unit"), ("Hides", "protected"))
        }
        for column, (name, end, _) in _NUMBERS.items():
            value = float(row[column])
            values[name] = value if end is None else (*values.get(name, ()), value)
        assumption = AttributeAssumption(**values)
        assumptions.append(replace(assumption, paper_error=known.get(_without_paper(assumption))))
    return tuple(assumptions)


def _without_paper(assumption: AttributeAssumption) -> tuple[object, ...]:
    entries = vars(assumption)
    return tuple(entries[name] for name in entries if name != "paper_error")


def dataset_tab(dataset: Dataset, scenario: Scenario) -> None:
    """What each release needs, the picture, and every assumption to be edited."""
    file = _file()
    state = st.session_state
    result_first = st.container()
    st.header("What is assumed")
    if file.description:
        st.caption(escape(file.description))
    config: dict[str, Any] = {
        column: st.column_config.NumberColumn(column, help=help_text, format="%g")
        for column, (_, _, help_text) in _NUMBERS.items()
    }
    config["Hides"] = st.column_config.TextColumn(
        "Hides", help="The share that the release must not give away."
    )
    state[Key.ASSUMPTION_ROWS] = rows = edited(
        f"assumptions_{state[Key.ASSUMPTION_ROUND]}",
        state[Key.ASSUMPTION_ROWS],
        config,
        rows="dynamic",
    )
    assumptions: tuple[AttributeAssumption, ...] = ()
    with result_first:
        try:
            assumptions = _assumptions(rows)
            written = save_assumptions(AssumptionFile(file.title, file.description, assumptions))
            unchanged = assumptions == hospital().assumptions
            code.note("attribute", assumptions="" if unchanged else written)
            _results(assumptions, scenario)
        except DistprivError as error:
            assumptions = ()
            st.error(escape(error), icon=":material/error:")
    example_bar(
        "assumptions",
        lambda content: _take(load_assumptions(content)),
        save_assumptions(AssumptionFile(file.title, file.description, assumptions))
        if assumptions
        else None,
        lambda: _take(hospital()),
        "The hospital again",
    )
    _from_table(dataset, scenario)
    _formulas()


def _results(assumptions: tuple[AttributeAssumption, ...], scenario: Scenario) -> None:
    budget = (scenario.epsilon, scenario.delta)
    calibration = "classical" if scenario.calibration == "classical" else "exact"
    by_way = {way: noise_by_release(assumptions, *budget, way) for way in ("exact", "classical")}
    noises = by_way[calibration]
    st.markdown(
        _sentence(assumptions, noises, scenario),
        help="Dataset attribute privacy (Zhang et al. 2022, Definition 4): from the released "
        "value nobody can tell two values of the share apart better than (ε, δ) allows. ε and δ "
        "are the sidebar's, and hold for each release by itself.",
    )
    for caveat in next(iter(noises.values())).noise.caveats:
        st.warning(escape(caveat), icon=":material/report:")
    display.chart(variance_bars(noises), "attribute_variance")
    _table(assumptions, by_way)
    if any(assumption.paper_error is not None for assumption in assumptions):
        _erratum(by_way["classical"])
    _accuracy(assumptions, noises)


def _units(assumptions: tuple[AttributeAssumption, ...]) -> dict[str, str]:
    return {assumption.release: assumption.unit for assumption in assumptions}


def _sentence(
    assumptions: tuple[AttributeAssumption, ...], noises: Noises, scenario: Scenario
) -> str:
    units = _units(assumptions)
    parts = []
    for release, noise in noises.items():
        # A tiny noise must not read as none.
        moved = with_unit(noise.expected_absolute_error, escape(units[release]))
        hidden = "by **nothing at all**" if noise.noise.is_zero else f"by **{moved}**"
        parts.append(f"the {escape(release)} {hidden}")
    shares = list(dict.fromkeys(escape(assumption.protected) for assumption in assumptions))
    counts = sorted({assumption.n for assumption in assumptions})
    records = f"{counts[0]:g} records" if len(counts) == 1 else "the records"
    return (
        f"Can anybody tell the **{' or the '.join(shares)}** from an average of {records}? Not "
        f"better than ε\u00a0=\u00a0{scenario.epsilon:g} and δ\u00a0=\u00a0{exact(scenario.delta)} "
        f"allow, if noise moves {_listed(parts)}, on average."
    )


def _listed(parts: list[str]) -> str:
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]


def _table(assumptions: tuple[AttributeAssumption, ...], by_way: dict[str, Noises]) -> None:
    """Errors under both calibrations, beside what a paper reports."""
    units = _units(assumptions)
    papers = {assumption.release: assumption.paper_error for assumption in assumptions}
    rows = []
    for release, noise in by_way["exact"].items():
        classical, unit = by_way["classical"][release], units[release]
        shift = float(noise.sensitivities[noise.binding])
        spread = math.sqrt(float(noise.variances[noise.binding]))
        row = {
            "Release": release,
            "The share moves it by": with_unit(shift, unit),
            "Varies by itself": f"± {with_unit(spread, unit)}",
            "Noise, exact": f"± {with_unit(noise.expected_absolute_error, unit)}",
            "Noise, classical": f"± {with_unit(classical.expected_absolute_error, unit)}",
        }
        if any(value is not None for value in papers.values()):
            paper = papers[release]
            row["Paper, at ε = 1, δ = 0.001"] = "–" if paper is None else f"± {number(paper)}"
        rows.append(row)
    st.markdown("**What the noise does to each release, on average**")
    display.table(pd.DataFrame(rows))


def _erratum(classical: Noises) -> None:
    tiny = [name for name, noise in classical.items() if 0 < noise.variance < 1e-3]
    sentence = (
        "The paper's errors are means of 100 runs with the *classical* calibration; ours are the "
        "expectation. "
    )
    if tiny:
        sentence += (
            f"For the {escape(tiny[0])} the paper reports no noise, but its own Algorithm 1 asks "
            f"for a variance of {number(classical[tiny[0]].variance)}; the *exact* calibration "
            "needs less. "
        )
    st.caption(
        sentence
        + "The paper also takes 0.25 for the distance of two shares, where its secrets, from "
        "0.25 to 0.5 and from 0.5 to 0.75, can be 0.5 apart: change it below to see what that "
        "costs."
    )


def _accuracy(assumptions: tuple[AttributeAssumption, ...], noises: Noises) -> None:
    """(α, β) both ways."""
    units = _units(assumptions)
    with st.expander("How far can a single release be off?", icon=":material/straighten:"):
        left, right = st.columns(2)
        beta = left.number_input(
            "β: accepted probability of a larger error",
            1e-6,
            0.999999,
            0.05,
            0.01,
            format="%g",
            key="attribute_beta",
            persist_state="session",
            help="α is the error that is exceeded with this probability: α = σ Φ⁻¹(1 − β/2).",
        )
        alpha = right.number_input(
            "α: accepted error",
            0.0,
            1e12,
            10.0,
            format="%g",
            key="attribute_alpha",
            persist_state="session",
            help="In each release's own unit. β is the probability that the error is larger.",
        )
        display.table(
            pd.DataFrame(
                {
                    "Release": list(noises),
                    f"Within, {percent(1 - beta, 4 if beta < 0.001 else 1)} of the time": [
                        f"± {with_unit(noise.accuracy(beta), units[release])}"
                        for release, noise in noises.items()
                    ],
                    f"Off by more than {number(alpha)}": [
                        percent(noise.failure(alpha), 2) for noise in noises.values()
                    ],
                }
            )
        )


def _from_table(dataset: Dataset, scenario: Scenario) -> None:
    """The same mechanism with means and covariances of the session's table."""
    place = st.expander(
        "From your table",
        icon=":material/table:",
        key="attribute_from_table",
        on_change="rerun",
    )
    if not place.open:
        return
    with place:
        st.caption(
            "The sidebar's table, secrets and statistics: how the statistics behave given the "
            "share is computed from the records instead of assumed."
        )
        view = frame.attempt(dataset, scenario)
        if view is None:
            return
        try:
            result = view.groups.computed(
                f"attribute noise {view.scenario!r}",
                lambda: gaussian_from_model(
                    view.model,
                    scenario.epsilon,
                    scenario.delta,
                    "guarded" if scenario.calibration == "exact-law" else scenario.calibration,
                ),
            )
            best = view.noise_of("OptM")
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
            return
        secrets = protected_properties(view.model)
        names = _listed([f"**{escape(secret.label)}**" for secret in secrets])
        if result.noise.is_zero:
            sentence = f"Hiding the share with {names} needs **no noise at all**."
        else:
            sentence = (
                f"To hide the share with {names}, noise of ±\u00a0"
                f"{number(result.expected_absolute_error)} goes on each of "
                f"the {len(scenario.query)} statistics; in L2 that is "
                f"**{number(result.noise.expected_error())}**. OptM, which knows the direction in "
                "which the share shows, needs "
                f"{number(best.expected_error())}."
            )
        delivered = view.delivered(result.noise)
        promise = keeping(delivered, scenario.delta)
        st.markdown(
            f"{sentence} Promised δ\u00a0=\u00a0{exact(scenario.delta)}; delivered, "
            f"{basis_in_words(view.laws_for(result.noise))}: "
            f"**δ\u00a0=\u00a0{number(delivered)}**, {promise.words}."
        )
        display.table(
            pd.DataFrame(
                {
                    "Hidden share": [secret.label for secret in secrets],
                    "Moves the statistics by (L2)": [
                        number(float(x)) for x in result.sensitivities
                    ],
                    "Least own variation": [
                        f"± {number(math.sqrt(float(x)))}" for x in result.variances
                    ],
                    "Asks for noise σ": [
                        number(math.sqrt(max(float(need - own), 0.0)))
                        for need, own in zip(result.needed, result.variances, strict=True)
                    ],
                }
            )
        )


def _formulas() -> None:
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\sigma^2=\max_i\Big[\Big(\frac{c\,\Delta_iF}{\varepsilon}\Big)^2-\min_{\theta}"
            r"\mathrm{Var}(F\mid g_i,\theta)\Big]_+,\qquad"
            r"\Delta_iF=\max_{\theta}\tfrac{V_{ij}}{V_{ii}}\,d(U),\qquad"
            r"\alpha=\sigma\,\Phi^{-1}(1-\beta/2)"
        )
        st.markdown(
            "Algorithm 1, Section 4.2 and Theorem 2 of Zhang et al. (2022). The box of "
            "assumptions gives Δ as largest slope times largest difference times the distance of "
            "the shares, and the variance as the least squared deviation divided by the number of "
            "records. c = √(2 ln(1.25/δ)) under the *classical* calibration, proven for ε ≤ 1; "
            "*exact* puts its own constant for c/ε. It holds if the release is normal given the "
            "share, with a variance that does not depend on it. For several statistics at once Δ "
            "is an L2 distance, and the least eigenvalue of the conditional covariance stands for "
            "the variance."
        )
