"""Pieces that several pages draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from distpriv import mechanisms
from distpriv.best_attack import optimal_attack_accuracies, optimal_attack_accuracy
from distpriv.charts.data import figure_data
from distpriv.charts.style import ImageFormat, config
from distpriv.dashboard import cache, downloads, promise_parts
from distpriv.dashboard.frame import View, moments_of
from distpriv.dashboard.text import escape, number, percent, share, with_unit
from distpriv.models import GaussianModel
from distpriv.noise import Noise
from distpriv.optimal import equivalent_separation
from distpriv.scenario import Scenario
from distpriv.utility import Curves, models_against_width

__all__ = [
    "accuracy",
    "along_width",
    "answer",
    "attacker_views",
    "chart",
    "drawn_once",
    "epsilon_grid",
    "errors_table",
    "fixed_epsilon_grid",
    "key_of",
    "l2",
    "mechanism_table",
    "models_by_width",
    "needs_closed_form",
    "pair_words",
    "profile_grid",
    "remembered",
    "shown_at_first",
    "table",
    "width_grid",
]


def chart(figure: go.Figure, key: str) -> None:
    """A figure with its alternative text, its reading aid, and its data to take away."""
    meta = figure.layout.meta or {}
    image: ImageFormat = st.session_state.get("image_format") or "SVG"
    st.plotly_chart(figure, key=key, config=config(key, image), alt=meta.get("alt"))
    below = st.container(horizontal=True, vertical_alignment="center")
    if meta.get("how_to_read"):
        below.caption(f"How to read this: {escape(meta['how_to_read'])}", width="stretch")
    waits = bool(meta.get("pending"))
    downloads.csv_button(below, lambda: figure_data(figure), key, disabled=waits)


def drawn_once(view: View, what: str, draw: Callable[[], go.Figure]) -> go.Figure:
    """A figure that depends on neither mechanism nor ε, drawn once for the model."""
    scenario = view.scenario
    model = (view.source.digest, scenario.query, view.fit.pair, scenario.n, scenario.replacement)
    return cache.figure(f"{what} {model!r} {scenario.seed}", draw)


def accuracy(model: GaussianModel, noise: Noise | None) -> float:
    """Accuracy of the optimal attack; simulated to 1.5e-3 where it has to be."""
    return float(optimal_attack_accuracies([(model, noise)])[0])


def remembered(view: View, what: str, compute: Callable[[], Curves], *, epsilon: bool) -> Curves:
    """Curves, from the session's cache where guarded calibration or several pairs make them slow.

    Parameters
    ----------
    what : str
        Which curves, and of what.
    epsilon : bool
        Whether they depend on the scenario's ε.
    """
    if not _slow(view.scenario):
        return compute()
    return cache.curves(key_of(view, what, epsilon=epsilon), compute)


def key_of(view: View, what: str, *, epsilon: bool) -> str:
    """What something that follows from the fitted model is remembered by.

    Parameters are those of :func:`remembered`.
    """
    scenario = view.scenario
    known = replace(
        scenario,
        mechanism="",
        seed=scenario.model_seed,
        look="",
        epsilon=scenario.epsilon if epsilon else 1.0,
    )
    return f"{what} {view.source.digest} {known!r}"


def _several(scenario: Scenario) -> bool:
    return bool(scenario.grid or scenario.others)


def _slow(scenario: Scenario) -> bool:
    return scenario.calibration == "guarded" or _several(scenario)


def _very_slow(scenario: Scenario) -> bool:
    return scenario.calibration == "guarded" and _several(scenario)


def pair_words(view: View) -> str:
    """The two shares of the secret, in words."""
    pair = view.fit.pair
    return f"{share(pair.p_i)} from {share(pair.p_j)} of **{escape(pair.secret.label)}**"


def answer(view: View) -> str:
    """The question answered in plain sentences."""
    scenario, noise = view.scenario, view.noise
    having = [theta.having for theta in view.fit.thetas]
    if having[0] == having[1]:
        return (
            f"Among {scenario.n} records both shares mean the same {having[0]} with "
            f"**{escape(view.fit.pair.secret.label)}**, so there is nothing to tell apart and no "
            "noise is needed; take a larger n or Δp."
        )
    undefended = optimal_attack_accuracy(view.focused)
    protected = accuracy(view.focused, noise)
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


def l2(view: View, noise: Noise) -> str:
    """Expected L2 error in the units it is reported in: ``8.5 in L2``."""
    error = number(view.reported(noise).expected_error())
    name = view.report_name
    return f"{error}\u00a0{name} in L2" if name else f"{error} in L2"


def epsilon_grid(scenario: Scenario) -> NDArray[np.float64]:
    """ε from 0.1 to 10 for curves, the current one among them.

    Not so where the curves take long enough to be remembered while ε moves.
    """
    grid = fixed_epsilon_grid(scenario)
    if _slow(scenario):
        return grid
    return np.unique(np.append(grid, np.clip(scenario.epsilon, 0.1, 10)))


def fixed_epsilon_grid(scenario: Scenario) -> NDArray[np.float64]:
    """ε from 0.1 to 10 for curves that do not depend on the current one."""
    points = 9 if _very_slow(scenario) else 13 if _slow(scenario) else 25
    return np.geomspace(0.1, 10, points)


def profile_grid(scenario: Scenario) -> NDArray[np.float64]:
    """ε from 0 to twice the current one, at least 2, the current one among them."""
    return np.unique(
        np.append(np.linspace(0, max(2.0, 2 * scenario.epsilon), 25), scenario.epsilon)
    )


def width_grid(scenario: Scenario) -> NDArray[np.float64]:
    """Δp from 0.02 to 0.8 for curves, the current one among them."""
    points = 5 if _very_slow(scenario) else 9 if _slow(scenario) else 27
    grid = np.linspace(0.02, 0.8, points)
    return np.unique(np.append(grid, np.clip(scenario.width, 0.02, 0.8)))


def needs_closed_form(view: View, what: str) -> bool:
    """Whether something can be computed from moments; if it cannot, say so in its place."""
    if view.scenario.query.is_linear:
        return True
    names = ", ".join(escape(each.label) for each in view.scenario.query if not each.linear)
    st.info(
        f"{what} is computed in closed form, which {names} does not have; take it out of the "
        "release to see it.",
        icon=":material/info:",
    )
    return False


def shown_at_first(offered: Sequence[str]) -> list[str]:
    """Mechanisms that a chart starts with."""
    chosen = [mechanisms.get(name) for name in offered]
    return [each.name for each in chosen if each.shown_at_first and not each.baseline]


def along_width(view: View, names: Sequence[str]) -> tuple[str, ...]:
    """Mechanisms with a curve against Δp; says which ones would have to be simulated for each."""
    left = tuple(
        name
        for name in names
        if view.scenario.distances == "normals" or not mechanisms.get(name).from_outcomes
    )
    if len(left) < len(names):
        out = ", ".join(escape(name) for name in names if name not in left)
        st.caption(f"Without {out}: their distances are simulated for the current Δp only.")
    return left


def models_by_width(view: View, widths: NDArray[np.float64]) -> list[GaussianModel | None]:
    """The scenario's model for other Δp, None where the data do not allow it."""
    scenario = view.scenario
    return models_against_width(
        moments_of(view.source, scenario),
        scenario.query,
        scenario.pairs_at,
        widths,
        scenario.n,
        replacement=scenario.replacement,
        bounds=dict(scenario.bounds),
    )


def attacker_views(view: View) -> tuple[tuple[float, float], tuple[float, float]]:
    """Separation and accuracy of the best attacker, without and with the noise."""
    undefended = optimal_attack_accuracy(view.focused)
    protected = accuracy(view.focused, view.noise)
    return (
        (equivalent_separation(undefended), undefended),
        (equivalent_separation(protected), protected),
    )


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
    if view.report is not None:
        columns[f"In {view.report_name}"] = [number(float(e)) for e in errors / view.report]
    table(pd.DataFrame(columns), "errors")


def mechanism_table(view: View, names: tuple[str, ...]) -> None:
    """Every mechanism's promise and errors at the scenario's ε and δ."""
    rows = []
    noises = view.noises(names)
    for name in names:
        noise = noises.get(name)
        if noise is None:
            rows.append({"Mechanism": name, "Promise (ε, δ)": "none: no such noise keeps it"})
            continue
        protected = accuracy(view.focused, noise)
        promise = f"({noise.epsilon:g}, {noise.delta:g})"
        rows.append(
            {
                "Mechanism": name,
                "Promise (ε, δ)": promise
                if mechanisms.get(name).protects
                else f"{promise} for single records only",
                "Delivered δ": number(promise_parts.delivered(view, noise)),
                "Best attack right in": percent(protected),
                "Error, L2": number(view.reported(noise).expected_error()),
                "RMS": number(view.reported(noise).rms_error()),
            }
            | {
                label: f"± {with_unit(float(error), unit)}"
                for label, error, unit in zip(
                    view.scenario.query.labels,
                    noise.expected_absolute_errors(),
                    view.units,
                    strict=True,
                )
            }
        )
    table(pd.DataFrame(rows).fillna("–"), "mechanisms")


def table(frame: pd.DataFrame, key: str | None = None, **options: Any) -> None:
    """A read-only table without its index, and its data to take away.

    Parameters
    ----------
    frame : DataFrame
    key : str, optional
        Names the download; by default it follows from the columns.
    **options
        Of `st.dataframe`.
    """
    st.dataframe(frame, hide_index=True, **options)
    downloads.csv_button(
        st.container(horizontal=True, horizontal_alignment="right"),
        lambda: frame,
        key,
        list(frame.columns),
    )
