"""What a release promises beside what it delivers, in words and badges."""

from __future__ import annotations

import streamlit as st

from distpriv.analysis.basis import (
    basis_in_words,
    normals_in_words,
    refuted_in_words,
)
from distpriv.analysis.for_persons import per_record_in_words
from distpriv.analysis.keeping import NO_PROMISE, SLIGHTLY, Keeping, keeping
from distpriv.dashboard.shell.frame import View
from distpriv.privacy.noise import Noise
from distpriv.words import escape, exact, number, percent, share

__all__ = ["UNDONE", "badge", "by_normals", "caveats", "guarantee", "per_record", "told_why"]

_NEXT_TO_NOTHING = 1e-6


def caveats(noise: Noise) -> None:
    """Say where the promise does not hold as it stands."""
    for sentence in noise.caveats:
        st.warning(escape(sentence), icon=":material/report:")


def by_normals(view: View, what: str) -> None:
    """Say that figures are by the fitted normals, where the promise beside them is not."""
    if sentence := normals_in_words(
        what, view.scenario, by_law=view.laws_for(view.noise) is not None
    ):
        st.caption(escape(sentence))


def badge(view: View) -> str:
    """How well the promise is kept, in green, amber or red; empty where there is none to keep."""
    if view.undone or view.promise is NO_PROMISE:
        return ""
    return f"{_colored(view.promise)} promise {view.promise.words}]"


def told_why(view: View) -> str | None:
    """What counts as a slight miss, for the tooltip beside one."""
    return SLIGHTLY if view.promise.state == "missed slightly" else None


def _colored(promise: Keeping) -> str:
    return f":{promise.color}-badge[:material/{promise.icon}:"


def guarantee(view: View) -> None:
    """What is promised beside what is delivered, in words and in green, amber or red."""
    noise, name = view.noise, escape(view.scenario.mechanism)
    if view.undone:
        st.markdown(_undone(view))
    elif not view.mechanism.protects:
        st.markdown(f"{_colored(NO_PROMISE)} none] {name} promises nothing about the secret.")
    else:
        laplace = noise.distribution == "laplace" and not noise.is_zero
        told = _delivered_laplace(view) if laplace else _delivered(view)
        st.markdown(f"{badge(view)} {told}", help=told_why(view))
    st.markdown(per_record(view))
    caveats(noise)


def per_record(view: View) -> str:
    """What the noise promises to each person, with a badge where that is a promise of its own."""
    scenario = view.scenario
    record = view.per_record()
    shown = ""
    if scenario.persons is not None:
        epsilon, delta = scenario.persons
        each = keeping(record.epsilon(delta), epsilon)
        shown = (
            f":{each.color}-badge[:material/person_check: each person too] "
            if each.kept
            else f":{each.color}-badge[:material/person_alert: for each person {each.words}] "
        )
    return shown + escape(per_record_in_words(scenario, view.noise, record))


def _delivered_laplace(view: View) -> str:
    """What Laplace noise promises, and delivers where the shares do not only shift."""
    noise = view.noise
    delta = exact(noise.delta)
    promised = f"ε\u00a0=\u00a0{noise.epsilon:g} with δ\u00a0=\u00a0{delta}, if {_premise(view)}"
    delivered = view.delivered_interval(noise)
    delivers = (
        f"delivered, {basis_in_words(view.laws_for(noise))}: "
        f"**δ\u00a0=\u00a0{number(delivered.estimate)}**"
    )
    simulated = (
        f" (computed from draws, 95\u00a0% interval {number(delivered.low)} to "
        f"{number(delivered.high)})"
        if delivered.high > delivered.low and not view.promise.kept
        else ""
    )
    return f"Promised {promised}; {delivers}{simulated}.{refuted_in_words(view.refuted)}"


def _premise(view: View) -> str:
    """What the promise of the Laplace noise rests on."""
    outcomes = view.fit.outcomes
    if view.noise.calibration == "guarded":
        return "the statistics are normal under either share"
    if not view.mechanism.from_outcomes or outcomes is None:
        return "the two shares do nothing but shift the statistics"
    if outcomes.exact:
        return "the records are drawn as described; the distributions are computed exactly"
    return "the statistics are distributed as simulated"


UNDONE = ":red-badge[:material/calculate: undone by arithmetic]"


def _undone(view: View) -> str:
    """That the noise hides nothing, and why."""
    undefended = percent(view.undefended)
    return (
        f"{UNDONE} The noise leaves directions bare, and the statistics move in steps: whoever "
        "knows these subtracts it. Promised "
        f"δ\u00a0=\u00a0{exact(view.noise.delta)} at ε\u00a0=\u00a0{view.noise.epsilon:g}; "
        "what holds "
        f"is what holds without noise: the best attacker is right in **{undefended}**."
    )


def _delivered(view: View) -> str:
    noise = view.noise
    worst = view.worst
    delta, pair = worst.delta, view.model.pairs[worst.pair].pair
    first, second = (pair.p_i, pair.p_j) if worst.order == 0 else (pair.p_j, pair.p_i)
    secret = f"{escape(pair.secret.label)}, " if len(view.model.pairs) > 1 else ""
    where = f" at worst ({secret}{share(first)} against {share(second)})"
    figures = (
        f"Promised δ\u00a0=\u00a0{exact(noise.delta)} at ε\u00a0=\u00a0{noise.epsilon:g}; "
        f"delivered, {basis_in_words(view.laws_for(noise))},{where}: "
        f"**δ\u00a0=\u00a0{number(delta)}**"
    )
    if view.refuted is not None:
        return (
            f"{figures}.{refuted_in_words(view.refuted)} The curves promise too much; the "
            "mechanism CoupM needs none."
        )
    if keeping(delta, noise.delta).kept:
        covers = "" if noise.floor is None else f" {_covering(view)}"
        covers += f" {_no_calibration(view)}" if view.mechanism.from_records else ""
        return f"{figures}.{covers}"
    if view.mechanism.from_records:
        return (
            f"{figures}, more than promised: these normals are not the distributions. "
            f"{_no_calibration(view)}"
        )
    by_law = view.laws_for(noise) is not None
    remedy = (
        "The curves that it is calibrated by promise too much; the *exact-law* calibration under "
        "More settings needs none"
        if by_law
        else "The calibration takes both covariances for the mean of the two; the *guarded* "
        "calibration under More settings makes up for it"
    )
    epsilon = view.delivered_epsilon or 0.0
    return (
        f"{figures}, or ε\u00a0=\u00a0{number(epsilon)} at "
        f"δ\u00a0=\u00a0{exact(noise.delta)}. {remedy}."
    )


def _no_calibration(view: View) -> str:
    """What the promise of noise that is computed from the records rests on."""
    return (
        f"No calibration applies to {escape(view.scenario.mechanism)}: its promise needs no normal "
        "curve, only that records are drawn as described."
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
