"""The Belief page's parts: what the attacker believes beforehand, the release, and the result."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from distpriv import mechanisms
from distpriv.attacks.posterior import (
    Belief,
    ReleaseModel,
    beta_prior,
    normal_prior,
    pair_prior,
    share_grid,
    simulate_release,
    uniform_prior,
)
from distpriv.dashboard import widgets
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View
from distpriv.model.theta import Theta
from distpriv.words import escape, number, share, with_unit

__all__ = [
    "Release",
    "choose_prior",
    "choose_release",
    "formulas",
    "in_code",
    "provenance",
    "release_model",
    "release_table",
    "sentence",
]

FloatArray = NDArray[np.float64]

UNIFORM, BELL, BETA, PAIR = "any share alike", "a bell", "Beta(a, b)", "the two shares"


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


def release_model(view: View) -> ReleaseModel:
    """The scenario's release for any share."""
    scenario = view.scenario
    return ReleaseModel(
        cache.moments(view.source, scenario.query, view.fit.pair.secret),
        scenario.query,
        scenario.n,
        view.noise,
        scenario.replacement,
    )


def choose_prior(view: View) -> Belief:
    """What the attacker takes the share to be before the release."""
    pair, n = view.fit.pair, view.scenario.n
    kind = st.segmented_control(
        "Before the release the attacker expects",
        [UNIFORM, BELL, BETA, PAIR],
        default=UNIFORM,
        required=True,
        key="belief_prior",
        persist_state="session",
        wrap=True,
        help="The prior. *a bell* is a normal distribution cut off at 0 and 1; *Beta(a, b)* is "
        "what somebody believes who has seen a − 1 records with the property and b − 1 without; "
        "*the two shares* is an attacker who knows that it is one of the pair.",
    )
    shares = share_grid(n)
    if kind == UNIFORM:
        return uniform_prior(shares)
    left, right = st.columns(2)
    if kind == BELL:
        center = _fraction(left, "around", "belief_center", 0.0, 1.0, pair.center)
        return normal_prior(
            shares, center, _fraction(right, "give or take", "belief_width", 0.01, 0.5, 0.1)
        )
    if kind == BETA:
        return beta_prior(shares, *(_count(at, name) for at, name in ((left, "a"), (right, "b"))))
    label = f"probability of {share(pair.p_i)}"
    return pair_prior(pair, n, _fraction(left, label, "belief_weight", 0.01, 0.99, 0.5))


def _fraction(
    place: DeltaGenerator, label: str, key: str, low: float, high: float, default: float
) -> float:
    return place.slider(
        label, low, high, default, 0.01, format="percent", key=key, persist_state="session"
    )


def _count(place: DeltaGenerator, name: str) -> float:
    return place.number_input(
        name, 0.01, 1e6, 4.0, 1.0, format="%g", key=f"belief_{name}", persist_state="session"
    )


def choose_release(view: View, model: ReleaseModel) -> Release:
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


def in_code(release: Release) -> dict[str, object]:
    """What the page's controls say, for its script."""
    state = st.session_state
    priors = {
        UNIFORM: "uniform_prior(shares)",
        BELL: f"normal_prior(shares, {state.get('belief_center')}, {state.get('belief_width')})",
        BETA: f"beta_prior(shares, {state.get('belief_a')}, {state.get('belief_b')})",
        PAIR: f"pair_prior(fit.pair, n, {state.get('belief_weight')})",
    }
    return {
        "prior": f"dp.posterior.{priors[state['belief_prior']]}",
        "truth": release.truth,
        "draw": state["belief_draw"],
        "released": () if release.truth is not None else tuple(release.values.tolist()),
    }


def provenance(view: View, release: Release) -> str:
    """Where the release comes from, and how its noise is reckoned with."""
    scenario = view.scenario
    if release.truth is None:
        told = (
            f"The released values are those you entered, taken for statistics of {scenario.n} "
            f"records with the noise of {escape(scenario.mechanism)}."
        )
    else:
        told = (
            f"A simulation, not a release: the statistics of {scenario.n} records, "
            f"{round(release.truth * scenario.n)} of which have the property, drawn from the "
            f"fitted model, seed {scenario.seed}, draw {st.session_state['belief_draw']}. The same "
            "draws are scaled while you move ε or the share."
        )
    if view.noise.distribution == "laplace" and np.count_nonzero(view.noise.scales) > 1:
        told += (
            " Laplace noise along several directions leaves no closed form, so what is "
            "believed after it is integrated numerically."
        )
    return told


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
    state.setdefault("belief_draw", 1)
    if st.button("Another release", icon=":material/casino:", key="belief_again", disabled=still):
        state["belief_draw"] += 1
    truth = Theta(pair.secret, chosen, n).having / n
    draw = np.random.SeedSequence(scenario.seed, spawn_key=(state["belief_draw"] - 1,))
    clear, values = simulate_release(model, truth, np.random.default_rng(draw))
    return Release(values, clear, truth)


def release_table(view: View, release: Release) -> None:
    """A simulated release, beside what it would be without noise."""
    if release.clear is None:
        return
    columns = {"Without noise": release.clear, "Released": release.values}
    widgets.table(
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


def sentence(view: View, prior: Belief, updated: Belief, clear: Belief | None) -> str:
    """What the release taught the attacker, in words."""
    secret = escape(view.fit.pair.secret.label)
    if len(prior.shares) == 2:
        told = [f"**{share(float(belief.weights[0]))}**" for belief in (prior, updated)]
        without = (
            f"; without noise it would be {share(round(float(clear.weights[0]), 3))}"
            if clear
            else ""
        )
        return (
            f"Before the release the attacker gave a share of {share(float(prior.shares[0]))} of "
            f"**{secret}**, against {share(float(prior.shares[1]))}, a probability of {told[0]}; "
            f"after it **{share(round(float(updated.weights[0]), 3))}**{without}. "
            f"{_odds(view, prior, updated)}"
        )
    return (
        f"Before the release the attacker took the share of **{secret}** to be {_between(prior)}; "
        f"after it **{_between(updated)}**"
        + (f"; without noise it would be {_between(clear)}" if clear else "")
        + ". Each range holds the share with 95\u00a0% probability."
    )


def _between(belief: Belief) -> str:
    interval = belief.credible_interval()
    low, high = (share(round(end, 3)) for end in (interval.low, interval.high))
    return f"between {low} and {high}" if low != high else low


def _odds(view: View, prior: Belief, updated: Belief) -> str:
    """The change of the odds beside what ε allows."""
    scenario = view.scenario
    with np.errstate(divide="ignore"):
        change = np.diff(np.log(updated.weights))[0] - np.diff(np.log(prior.weights))[0]
    moved = f"The odds changed by a factor of **{number(math.exp(min(abs(change), 700)))}**"
    if not mechanisms.get(scenario.mechanism).protects:
        return f"{moved}; {escape(scenario.mechanism)} promises nothing about it."
    allowed = (
        f"{moved}; a promise of ε\u00a0=\u00a0{scenario.epsilon:g} allows "
        f"e^ε\u00a0=\u00a0{number(math.exp(scenario.epsilon))} either way"
    )
    if view.noise.delta:
        return f"{allowed}, but for the rare releases that δ excepts."
    if abs(change) > scenario.epsilon * (1 + 1e-6):
        return (
            f"{allowed} to two shares whose statistics are spread alike. These are not, which "
            "the noise hides only in part."
        )
    return f"{allowed}."


def formulas() -> None:
    """The rule behind the page."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\Pr(p\mid y)\;\propto\;\Pr(p)\;\mathcal N(y;\,\mu_p,\,\Sigma_p+S),\qquad"
            r"\frac{\Pr(p_i\mid y)}{\Pr(p_j\mid y)}=\frac{\Pr(p_i)}{\Pr(p_j)}\cdot"
            r"\frac{f(y\mid p_i)}{f(y\mid p_j)}"
        )
        st.markdown(
            "Bayes' rule. $\\mu_p$ and $\\Sigma_p$ are the fitted model's at k = n·p, S is the "
            "noise's covariance: each share has its own. Laplace noise is integrated one direction "
            "after the other, in closed form given those before (Reed 2006), over evenly spread "
            "points; between two shares of the same covariance the odds are held within what the "
            "noise provably allows. The attacker knows the model, the "
            "mechanism and its noise, and nothing of the records; (ε, δ) bounds how far the odds "
            "of the two shares can move (Chen & Ohrimenko 2023, Definition 2.2)."
        )
