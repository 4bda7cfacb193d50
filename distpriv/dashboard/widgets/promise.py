"""What a release promises beside what it delivers, in words and badges."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from distpriv import mechanisms
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View
from distpriv.export.report.words import KEPT
from distpriv.model.sampling import Interval
from distpriv.privacy.covered import covered_releases, is_undone
from distpriv.privacy.delivered import (
    delivered_delta,
    delivered_epsilon,
    delivered_interval,
    worst_case,
)
from distpriv.privacy.noise import Noise
from distpriv.words import escape, exact, number, percent, share

__all__ = ["UNDONE", "after_releases", "caveats", "delivered", "guarantee", "keeps"]

_NEXT_TO_NOTHING = 1e-6


def caveats(noise: Noise) -> None:
    """Say where the promise does not hold as it stands."""
    for sentence in noise.caveats:
        st.warning(escape(sentence), icon=":material/report:")


def guarantee(view: View) -> None:
    """What is promised beside what is delivered, in words and in green or red."""
    noise, name = view.noise, escape(view.scenario.mechanism)
    if is_undone(view.model, noise):
        st.markdown(_undone(view))
    elif not mechanisms.get(view.scenario.mechanism).protects:
        st.markdown(
            f":red-badge[:material/gpp_bad: none] {name} promises nothing about the secret."
        )
    elif noise.distribution == "laplace" and not noise.is_zero:
        st.markdown(_delivered_laplace(view))
    else:
        st.markdown(_delivered(view))
    caveats(noise)


def delivered(view: View, noise: Noise) -> float:
    """δ delivered at the noise's ε; what Laplace noise delivers is remembered, as it takes long."""
    if noise.distribution == "gaussian" or noise.is_zero:
        return delivered_delta(view.model, noise, noise.epsilon)
    return _delivered_interval(view, noise).estimate


def _delivered_interval(view: View, noise: Noise) -> Interval:
    """Of Laplace noise, once for everything that its model and its size depend on."""
    scenario = replace(
        view.scenario, mechanism="", epsilon=1.0, look="", view="analyst", report="raw",
        seed=view.scenario.model_seed,
    )  # fmt: skip
    about = (view.source.digest, scenario, noise.mechanism, noise.epsilon, noise.scales.tolist())
    return cache.computed(
        f"delivered {about!r}", lambda: delivered_interval(view.model, noise, noise.epsilon)
    )


def keeps(view: View, noise: Noise) -> bool:
    """Whether a noise delivers the scenario's (ε, δ), as computed."""
    return delivered(view, noise) <= max(noise.delta, view.scenario.delta) * KEPT


def _delivered_laplace(view: View) -> str:
    """What Laplace noise promises, and delivers where the shares do not only shift."""
    noise = view.noise
    delta = exact(noise.delta)
    promised = f"ε\u00a0=\u00a0{noise.epsilon:g} with δ\u00a0=\u00a0{delta}, if {_premise(view)}"
    found = _delivered_interval(view, noise)
    delivers = (
        "delivered, by the fitted normals with the covariance each of them has: "
        f"**δ\u00a0=\u00a0{number(found.estimate)}**"
    )
    if found.estimate <= noise.delta:
        return (
            f":green-badge[:material/verified_user: promise kept] Promised {promised}; {delivers}."
        )
    simulated = (
        f" (computed from draws, 95\u00a0% interval {number(found.low)} to {number(found.high)})"
        if found.high > found.low
        else ""
    )
    return (
        f":orange-badge[:material/gpp_maybe: kept but for δ] Promised {promised}; "
        f"{delivers}{simulated}."
    )


def _premise(view: View) -> str:
    """What the promise of the Laplace noise rests on."""
    outcomes = view.fit.outcomes
    if not mechanisms.get(view.scenario.mechanism).from_outcomes or outcomes is None:
        return "the two shares do nothing but shift the statistics"
    if outcomes.exact:
        return "the records are drawn as described; the distributions are computed exactly"
    return "the statistics are distributed as simulated"


UNDONE = ":red-badge[:material/calculate: undone by arithmetic]"


def _undone(view: View) -> str:
    """That the noise hides nothing, and why."""
    undefended = percent(optimal_attack_accuracy(view.focused))
    return (
        f"{UNDONE} The noise leaves directions bare, and the statistics move in steps: whoever "
        "knows these subtracts it. Promised "
        f"δ\u00a0=\u00a0{exact(view.noise.delta)} at ε\u00a0=\u00a0{view.noise.epsilon:g}; "
        "what holds "
        f"is what holds without noise: the best attacker is right in **{undefended}**."
    )


def _delivered(view: View) -> str:
    noise = view.noise
    worst = worst_case(view.model, noise, noise.epsilon)
    delta, pair = worst.delta, view.model.pairs[worst.pair].pair
    first, second = (pair.p_i, pair.p_j) if worst.order == 0 else (pair.p_j, pair.p_i)
    secret = f"{escape(pair.secret.label)}, " if len(view.model.pairs) > 1 else ""
    where = f" at worst ({secret}{share(first)} against {share(second)})"
    figures = (
        f"Promised δ\u00a0=\u00a0{exact(noise.delta)} at ε\u00a0=\u00a0{noise.epsilon:g}; "
        "delivered, "
        f"by the fitted normals with the covariance each of them has,{where}: "
        f"**δ\u00a0=\u00a0{number(delta)}**"
    )
    if delta <= noise.delta * KEPT:
        covers = "" if noise.floor is None else f" {_covering(view)}"
        return f":green-badge[:material/verified_user: promise kept] {figures}.{covers}"
    epsilon = delivered_epsilon(view.model, noise, noise.delta)
    return (
        f":red-badge[:material/gpp_bad: promise not kept] {figures}, or "
        f"ε\u00a0=\u00a0{number(epsilon)} at δ\u00a0=\u00a0{exact(noise.delta)}. The calibration "
        "takes both covariances for the mean of the two; the *guarded* calibration under More "
        "settings makes up for it."
    )


def _covering(view: View) -> str:
    """What the floor is for, and what the steps still show through it."""
    smoothness = view.noise.smoothness(view.model)
    shows = (
        "what they still show is next to nothing"
        if smoothness < _NEXT_TO_NOTHING
        else "what they still show moves probabilities by a factor "
        f"1\u00a0±\u00a0{number(smoothness)} at most, which the noise makes up for"
    )
    return (
        "Arithmetic does not undo it: there is noise of half a step or more on every statistic, "
        f"however small its steps; {shows}."
    )


def after_releases(view: View, count: int) -> str:
    """What is left of the protection when the statistics are released several times."""
    left = view.noise.after_releases(count)
    covered = covered_releases(view.model, view.noise)
    protected = optimal_attack_accuracy(view.focused, left)
    epsilon = delivered_epsilon(view.model, left, view.scenario.delta)
    times = "one release" if count == 1 else f"{count} releases"
    return (
        f"After **{times}** with {escape(view.scenario.mechanism)} the best attacker is right in "
        f"**{percent(protected)}** of cases, and what they deliver together is "
        f"ε\u00a0=\u00a0{number(epsilon)} at δ\u00a0=\u00a0{exact(view.scenario.delta)}. "
        + _shows_from(covered)
    )


def _shows_from(covered: int, most: int = 10_000) -> str:
    """From how many releases on the steps of the statistics show."""
    if covered >= most:
        return "However often, their mean covers the steps in which the statistics move."
    if not covered:
        return "Arithmetic undoes a single release."
    times = "one release" if covered == 1 else f"{covered} releases"
    return (
        f"The mean of {times} still covers the steps in which the statistics move; from "
        f"**{covered + 1}** on the steps show, and the noise is taken for undone."
    )
