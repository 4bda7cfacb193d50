"""What the release taught the attacker: the belief before and after it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from distpriv import mechanisms
from distpriv.attacks.posterior import Belief, ReleaseModel, posterior
from distpriv.charts.posterior import posterior_curve
from distpriv.dashboard.belief.release import Release
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.words import escape, number, share

__all__ = ["Learned", "formulas", "learn", "picture", "sentence"]


@dataclass(frozen=True)
class Learned:
    """The attacker's beliefs about the share.

    Attributes
    ----------
    prior : Belief
        Before the release.
    posterior : Belief
        After it.
    clear : Belief or None
        After the same release without noise, where that is known.
    basis : str
        What the beliefs after the release rest on.
    """

    prior: Belief
    posterior: Belief
    clear: Belief | None
    basis: str


def learn(model: ReleaseModel, prior: Belief, release: Release) -> Learned:
    """By Bayes' rule; raises DistprivError where the release rules out every share."""
    without = replace(model, noise=None)
    return Learned(
        prior,
        posterior(model, prior, release.values),
        None if release.clear is None else posterior(without, prior, release.clear),
        _basis(
            model.is_exact(prior.shares),
            release.clear is not None and without.is_exact(prior.shares),
        ),
    )


def _basis(noisy: bool, clear: bool) -> str:
    """Words for what rests on exact laws: the belief after the release, and that without noise."""
    if noisy:
        return "We computed this from the exact law of the statistics."
    if clear:
        return (
            "We computed this from the fitted normals, which can mislead where counts are small. "
            "Only the figure without noise rests on the exact law."
        )
    return "We computed this from the fitted normals, which can mislead where counts are small."


def sentence(view: View, learned: Learned) -> str:
    """What the release taught the attacker, in words."""
    prior, updated, clear = learned.prior, learned.posterior, learned.clear
    secret = escape(view.fit.pair.secret.label)
    if len(prior.shares) == 2:
        chances = [f"**{share(float(belief.weights[0]))}**" for belief in (prior, updated)]
        without = (
            f"; without noise it would be {share(round(float(clear.weights[0]), 3))}"
            if clear
            else ""
        )
        return (
            f"Before the release the attacker gave a share of {share(float(prior.shares[0]))} of "
            f"**{secret}**, against {share(float(prior.shares[1]))}, a probability of "
            f"{chances[0]}; after it **{share(round(float(updated.weights[0]), 3))}**{without}. "
            f"{_odds(view, prior, updated)} {learned.basis}"
        )
    return (
        f"Before the release the attacker took the share of **{secret}** to be {_between(prior)}; "
        f"after it **{_between(updated)}**"
        + (f"; without noise it would be {_between(clear)}" if clear else "")
        + f". Each range holds the share with 95\u00a0% probability. {learned.basis}"
    )


def picture(view: View, learned: Learned, truth: float | None) -> None:
    """The beliefs as curves over the share."""
    display.chart(
        posterior_curve(
            learned.prior,
            learned.posterior,
            learned.clear,
            truth=truth,
            pair=view.fit.pair,
            label=view.fit.pair.secret.label,
            mechanism=view.scenario.mechanism,
        ),
        "belief",
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
            "noise's covariance: each share has its own. Where the exact law of the statistics is "
            "computed, and the noise is Gaussian, one bell on each possible outcome takes the "
            "place of the normal. Laplace noise is integrated one direction "
            "after the other, in closed form given those before (Reed 2006), over evenly spread "
            "points; between two shares of the same covariance the odds are held within what the "
            "noise provably allows. The attacker knows the model, the "
            "mechanism and its noise, and nothing of the records; (ε, δ) bounds how far the odds "
            "of the two shares can move (Chen & Ohrimenko 2023, Definition 2.2)."
        )
