"""Parts of the page on assumptions: what guarantee survives without them, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from distpriv import mechanisms
from distpriv.analysis.fitting import scenario_moments
from distpriv.analysis.sweeps import profiles
from distpriv.charts.guarantee import profile_curves
from distpriv.charts.relaxations import Line, attacker_curve, frontier_curves
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.curves import profile_grid, remembered
from distpriv.errors import DistprivError
from distpriv.glossary import hover
from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.curves import Curves
from distpriv.model.gaussian import model_from_moments
from distpriv.model.theta import Theta
from distpriv.privacy.delivered import delivered_epsilon
from distpriv.robustness.relaxations import (
    close_attacker_divergence,
    normal_etas,
    relaxed_promise,
)
from distpriv.words import escape, exact, number, share

__all__ = ["LAMBDAS", "attacker", "choose_lambda", "covariances", "formulas", "rests_on"]

LAMBDAS = np.unique(np.round([*np.arange(0, 0.5, 0.025), *np.arange(0.5, 1.51, 0.1)], 3))
LAMBDA_HELP = hover("λ")


def rests_on(view: View, *assumptions: Assumption) -> bool:
    """Whether the chosen mechanism needs one of them; if not, say so in its place."""
    scenario = view.scenario
    mechanism = mechanisms.get(scenario.mechanism)
    wanted = mechanism.assumptions(view.model, scenario.calibration)
    if mechanism.protects and {*wanted} & {*assumptions}:
        return True
    name = escape(scenario.mechanism)
    if not mechanism.protects:
        st.info(f"{name} promises nothing about the share, so there is nothing to relax.")
    elif Assumption.GAUSSIAN in wanted:
        st.info(
            f"The guarded calibration of {name} keeps its promise to the fitted normals with the "
            "covariance each of them has: nothing is lost to unequal covariances."
        )
    else:
        st.info(f"The promise of {name} does not rest on this, so there is nothing to relax.")
    return False


def _kept(view: View) -> None:
    """What guarded noise delivers at every ε, with the covariances as they are."""
    scenario, noise = view.scenario, view.noise
    curves = remembered(
        view,
        f"profiles {(scenario.mechanism,)}",
        lambda: profiles(view.model, {scenario.mechanism: noise}, profile_grid(scenario)),
        epsilon=True,
    )
    display.chart(
        profile_curves(
            curves, epsilon=noise.epsilon, delta=noise.delta, selected=scenario.mechanism
        ),
        "guarded_profile",
    )


def covariances(view: View) -> None:
    """Theorem 4.6 where the two shares have a covariance each, beside the exact figures."""
    scenario, noise = view.scenario, view.noise
    name = escape(scenario.mechanism)
    if not rests_on(view, Assumption.TRANSLATION, Assumption.EQUAL_COVARIANCE):
        if Assumption.GAUSSIAN in mechanisms.get(scenario.mechanism).assumptions(
            view.model, scenario.calibration
        ):
            _kept(view)
        return
    first, picture = st.container(), st.container()
    lam = choose_lambda("covariance_lambda", LAMBDAS, 0.3)
    gaussian = noise.distribution == "gaussian"
    curves = remembered(
        view,
        f"relaxed covariances {scenario.mechanism}",
        lambda: _covariance_curves(view),
        epsilon=True,
    )
    lines = {}
    titles = {"after": "Theorem 4.6, after the noise", "before": "Theorem 4.6, before the noise"}
    for way, title in titles.items():
        if way in curves.y:
            kept = relaxed_promise(noise.epsilon, noise.delta, LAMBDAS, curves.y[way].clip(0, 1))
            lines[title] = Line(kept.epsilons, kept.deltas)
    if gaussian:
        lines["computed exactly"] = Line(noise.epsilon + 2 * LAMBDAS, curves.y["delivered"])
    best = next(iter(lines.values()))
    index = int(np.abs(LAMBDAS - lam).argmin())
    chosen = float(best.epsilons[index]), float(best.deltas[index])
    least = int(best.deltas.argmin())
    with first:
        sentence = (
            f"If the statistics are normal with a covariance of its own at each share, {name} at "
            f"λ\u00a0=\u00a0{lam:g} still promises **ε′\u00a0=\u00a0{number(chosen[0])} with "
            f"δ′\u00a0=\u00a0{number(chosen[1])}** (Theorem 4.6); δ′ is least, "
            f"{number(float(best.deltas[least]))}, at λ\u00a0=\u00a0{LAMBDAS[least]:g}."
        )
        if gaussian:
            sentence += (
                " For normals and Gaussian noise that detour is not needed: computed exactly, the "
                f"noise delivers **δ\u00a0=\u00a0{number(float(curves.y['delivered'][index]))}** "
                f"at that ε′, and {number(float(curves.y['delivered'][0]))} at "
                f"ε\u00a0=\u00a0{noise.epsilon:g}."
            )
        else:
            sentence += (
                " Computed from draws, the noise delivers "
                f"δ\u00a0=\u00a0{number(view.delivered(noise))} at "
                f"ε\u00a0=\u00a0{noise.epsilon:g}."
            )
        st.markdown(sentence)
    with picture:
        display.chart(
            frontier_curves(
                lines,
                title="What is left without equal covariances",
                promised=(noise.epsilon, noise.delta),
                chosen=chosen,
                how_to_read=(
                    "every point of a line is a promise that holds if the statistics are normal "
                    "with separate covariances; lower and further left is better. The cross is "
                    "what was promised for equal ones. The theorem may be measured before or after "
                    "the noise; noise blurs the difference, so after it less is lost."
                ),
            ),
            "relaxed_covariances",
        )


def _covariance_curves(view: View) -> Curves:
    noise = view.noise
    etas = {"before": normal_etas(view.model, LAMBDAS)}
    if noise.distribution == "gaussian":
        etas["after"] = normal_etas(view.model, LAMBDAS, noise)
        known = profiles(view.model, {"own": noise}, noise.epsilon + 2 * LAMBDAS)
        etas["delivered"] = known.y["own"]
    return Curves(LAMBDAS, etas)


def attacker(view: View) -> None:
    """Proposition A.7: an attacker who compares shares that were not to be hidden."""
    scenario, noise, pair = view.scenario, view.noise, view.fit.pair
    if not mechanisms.get(scenario.mechanism).protects:
        st.info(f"{escape(scenario.mechanism)} promises nothing about the share.")
        return
    first, picture = st.container(), st.container()
    off = st.slider(
        "Attacker's shares off by (percentage points)",
        0.0,
        2.0,
        0.1,
        0.05,
        key="attacker_off",
        persist_state="session",
        help="The attacker compares a share a little below the lower one with a share a little "
        "above the higher one.",
    )
    offsets = np.round(np.arange(0, 2.001, 0.05), 3)
    thetas = [fit.thetas for fit in view.model.pairs if fit.pair.secret == pair.secret]
    outward = np.sign(pair.p_j - pair.p_i) or 1.0

    def believed(offset: float) -> tuple[float, float]:
        step = outward * offset / 100
        return float(np.clip(pair.p_i - step, 0, 1)), float(np.clip(pair.p_j + step, 0, 1))

    distances = np.array(
        [
            close_attacker_divergence(believed(offset), thetas, independent=True)
            for offset in offsets
        ]
    )
    at = believed(off)
    divergence = close_attacker_divergence(at, thetas, independent=True)
    with first:
        st.markdown(
            f"Say that each of the {exact(scenario.n)} records has the property independently, and "
            f"the promise is for probabilities {share(pair.p_i)} and {share(pair.p_j)}. An "
            f"attacker who compares {share(at[0])} with {share(at[1])} is "
            f"c\u00a0=\u00a0{number(divergence)} away (the largest logarithm by which the "
            "probability of a dataset differs), so against "
            f"them the promise is **ε + 2c\u00a0=\u00a0{number(noise.epsilon + 2 * divergence)}** "
            f"with the same δ (Proposition A.7). {_fixed(view, at, thetas)}"
        )
    with picture:
        display.chart(
            attacker_curve(
                offsets, noise.epsilon + 2 * distances, promised=noise.epsilon, chosen=off
            ),
            "close_attacker",
        )


def _fixed(view: View, believed: tuple[float, float], thetas: list[tuple[Theta, Theta]]) -> str:
    """What holds where exactly k of the n records have the property, as in the model."""
    scenario, noise, pair = view.scenario, view.noise, view.fit.pair
    start = (
        "In the model of the other pages the dataset has a fixed number of records with the "
        "property: "
    )
    if close_attacker_divergence(believed, thetas, independent=False) == 0:
        return start + "rounded to whole records, these are the shares that are hidden, and c = 0."
    sentence = (
        start + "no dataset is possible under two different numbers, c\u00a0=\u00a0∞, and the "
        "proposition says nothing; hide that pair of shares as well if it matters."
    )
    if noise.distribution != "gaussian" or not scenario.query.is_linear:
        return sentence
    try:
        other = model_from_moments(
            scenario_moments(scenario, view.groups),
            scenario.query,
            [replace(pair, p_i=believed[0], p_j=believed[1])],
            scenario.n,
            replacement=scenario.replacement,
            share_of=scenario.hidden_share,
        )
        epsilon = delivered_epsilon(other, noise.detached(), noise.delta)
    except DistprivError:
        return sentence
    return (
        sentence + f" By the fitted normals the noise delivers ε\u00a0=\u00a0{number(epsilon)} at "
        f"δ\u00a0=\u00a0{exact(noise.delta)} against this attacker."
    )


def choose_lambda(key: str, options: NDArray[np.float64], default: float) -> float:
    """A slider over values of λ."""
    return float(
        st.select_slider(
            "λ: how much ε to give up",
            options.tolist(),
            default,
            key=key,
            persist_state="session",
            help=LAMBDA_HELP,
        )
    )


def formulas() -> None:
    """The theorems, with their sources."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\varepsilon'=\varepsilon+2\lambda,\qquad"
            r"\delta'=(1+e^{\varepsilon+\lambda})\,\eta+e^{\lambda}\delta,\qquad"
            r"\eta=\max_{\theta}\max\bigl(H_{e^\lambda}(f_\theta\|\tilde f_\theta),\,"
            r"H_{e^\lambda}(\tilde f_\theta\|f_\theta)\bigr)"
        )
        st.markdown(
            "$f_\\theta$ is the true distribution of the statistics, $\\tilde f_\\theta$ the one "
            "the noise was calibrated to, $H_{e^\\lambda}(P\\|Q)=\\sup_S P(S)-e^\\lambda Q(S)$ "
            "(Chen & Ohrimenko 2023, Theorem 4.6). Only released values enter the proof, so both "
            "may be taken after the noise. Theorem 4.7 adds Lap(W/λ) on every statistic, W being "
            "the distance by which mass has to move; if a share $\\delta_c$ of it may move "
            "further, $\\eta=\\delta_c$. Close attackers: ε + 2c, c the max-divergence of "
            "believed and hidden distribution (Proposition A.7 of the full version)."
        )
