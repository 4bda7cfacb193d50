"""The release that the attacker sees: simulated, or values that the user enters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from distpriv.attacks.posterior import ReleaseModel, simulate_release
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.model.theta import Theta
from distpriv.words import escape, exact, with_unit

__all__ = ["Release", "choose", "in_code", "model_of", "provenance", "table"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Release:
    """What the attacker sees.

    Attributes
    ----------
    values : ndarray, shape (m,)
    clear : ndarray, shape (m,), or None
        Without the noise; None for values that the user entered.
    truth : float or None
        Share of the released dataset.
    """

    values: FloatArray
    clear: FloatArray | None = None
    truth: float | None = None


def model_of(view: View) -> ReleaseModel:
    """The scenario's release for any share."""
    scenario = view.scenario
    return ReleaseModel(
        view.groups.moments(scenario.query, view.fit.pair.secret),
        scenario.query,
        scenario.n,
        view.noise,
        scenario.replacement,
        view.fit.population,
    )


def choose(view: View, model: ReleaseModel) -> Release:
    """A simulated release at a share the user sets, or values that they enter."""
    state, scenario = st.session_state, view.scenario
    entered = st.toggle(
        "Enter released values",
        key="belief_entered",
        persist_state="session",
        help="Values you were given, or gave away, instead of simulated ones. They stay in this "
        "session.",
    )
    simulated = _simulated(view, model, still=entered)
    keys = [f"belief_value_{scenario.digest}_{label}" for label in scenario.query.labels]
    if not entered:
        for key in keys:
            state.pop(key, None)
        return simulated
    columns = st.columns(2)
    values = []
    for index, key in enumerate(keys):
        # A box starts from the simulated value and stays as it is while ε moves.
        state.setdefault(key, float(f"{simulated.values[index]:.6g}"))
        label, unit = scenario.query.labels[index], view.units[index]
        values.append(
            columns[index % 2].number_input(
                escape(f"{label} ({unit})" if unit else label),
                format="%g",
                key=key,
                persist_state="session",
            )
        )
    return Release(np.array(values, dtype=np.float64))


def _simulated(view: View, model: ReleaseModel, *, still: bool) -> Release:
    """The same draws of the seed, scaled, while ε or the share moves."""
    state, scenario = st.session_state, view.scenario
    pair, n = view.fit.pair, scenario.n
    low, high = model.limits
    start = min(max(pair.p_i, low), high)
    # A new pair starts at its first share.
    key = f"belief_truth_{pair.p_i:g}_{pair.p_j:g}"
    if key in state:
        state[key] = min(max(state[key], low), high)
    chosen = st.slider(
        "True share of the simulated release",
        low,
        high if high > low else low + 0.01,
        start,
        0.01,
        format="percent",
        key=key,
        persist_state="session",
        disabled=still or high <= low,
        help="How many of the n records in the released dataset have the property.",
    )
    state.setdefault(Key.BELIEF_DRAW, 1)
    if st.button("Another release", icon=":material/casino:", key="belief_again", disabled=still):
        state[Key.BELIEF_DRAW] += 1
    truth = Theta(pair.secret, chosen, n).having / n
    draw = np.random.SeedSequence(scenario.seed, spawn_key=(state[Key.BELIEF_DRAW] - 1,))
    clear, values = simulate_release(model, truth, np.random.default_rng(draw))
    return Release(values, clear, truth)


def in_code(release: Release) -> dict[str, object]:
    """The release as the page's controls describe it, for its script."""
    return {
        "truth": release.truth,
        "draw": st.session_state[Key.BELIEF_DRAW],
        "released": () if release.truth is not None else tuple(release.values.tolist()),
    }


def provenance(view: View, model: ReleaseModel, release: Release) -> str:
    """Where the release comes from, and how its noise is reckoned with."""
    scenario = view.scenario
    if release.truth is None:
        origin = (
            "The released values are those you entered, taken for statistics of "
            f"{exact(scenario.n)} records with the noise of {escape(scenario.mechanism)}."
        )
    else:
        law = "fitted normals" if model.exact_laws([release.truth]) is None else "exact law"
        origin = (
            f"A simulation, not a release: the statistics of {exact(scenario.n)} records, "
            f"{round(release.truth * scenario.n)} of which have the property, drawn from the "
            f"{law}, seed {scenario.seed}, draw {st.session_state[Key.BELIEF_DRAW]}. The "
            "same draws are scaled while you move ε or the share."
        )
    if view.noise.distribution == "laplace" and np.count_nonzero(view.noise.scales) > 1:
        origin += (
            " Laplace noise along several directions leaves no closed form, so what is "
            "believed after it is integrated numerically."
        )
    if scenario.hidden_share == "table":
        origin += (
            " The shares here are those among the released records. Your promise is about the "
            "share of the table."
        )
    return origin


def table(view: View, release: Release) -> None:
    """A simulated release, beside what it would be without noise."""
    if release.clear is None:
        return
    columns = {"Without noise": release.clear, "Released": release.values}
    display.table(
        pd.DataFrame(
            {"Statistic": view.scenario.query.labels}
            | {
                name: [
                    with_unit(value, unit) for value, unit in zip(drawn, view.units, strict=True)
                ]
                for name, drawn in columns.items()
            }
        )
    )
