"""The Attack page's finer print: what training without noise misses, error curves, the audit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.attacks.audit import Audit, audit_attack
from distpriv.attacks.best_attack import best_precision_recall, best_roc
from distpriv.attacks.knowledge import partial_knowledge_in_words
from distpriv.attacks.property_inference import AttackResult, linear_attack_accuracy
from distpriv.charts.roc import precision_recall_figure, roc_figure
from distpriv.dashboard.attack.simulation import Choice
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.promise import by_normals
from distpriv.privacy.noise import Noise
from distpriv.words import escape, exact, number, percent

__all__ = ["caption", "details", "formulas", "is_quick"]

_ALIKE = 5e-4  # accuracies that differ by less are shown as one


def is_quick(noise: Noise) -> bool:
    """Whether the best attack on the noise takes milliseconds, so that curves can have it."""
    return noise.distribution == "gaussian" or noise.directions.shape[1] <= 1


def caption(view: View) -> None:
    """What the figures are and are not, and what an attacker trained without noise misses."""
    st.caption(
        "A simulation, not a release. An attack's accuracy is a lower bound on the risk, not a "
        "guarantee; the optimal attack is computed from the two fitted normals, each share with "
        "its own covariance, exactly for Gaussian noise and to about ±0.15 percentage points for "
        "Laplace noise."
    )
    st.markdown(partial_knowledge_in_words(view.focused, view.noise))
    st.markdown(_training_gap(view))


def _training_gap(view: View) -> str:
    """What an attacker who trains on clean statistics misses, in words; empty if unknown."""
    noise, name = view.noise, escape(view.scenario.mechanism)
    if noise.is_zero or noise.distribution != "gaussian":
        return ""
    optimal = view.accuracy
    clean = linear_attack_accuracy(view.focused, noise)
    spread = view.fit.pooled + noise.covariance
    weights = np.asarray(np.linalg.solve(spread, view.fit.difference), np.float64)
    noisy = max(linear_attack_accuracy(view.focused, noise, weights), clean)
    squares = (
        f" Whoever weighs products of the statistics too, as the quadratic discriminant does, is "
        f"right in {percent(optimal)}: the two shares differ in their covariances."
        if optimal - noisy >= _ALIKE
        else ""
    )
    if noisy - clean < _ALIKE:
        return (
            f"Against {name} an attacker who trains on clean statistics, as in the paper, loses "
            f"nothing by it: a weighted sum of the statistics is right in {percent(clean)} in the "
            f"limit.{squares}"
        )
    return (
        f"In the paper's way, trained on clean statistics, the attacker would reach "
        f"**{percent(clean)}** in the limit: it trusts the statistics that were telling before "
        f"the noise, not those that still are. Training on noisy ones closes the gap to "
        f"{percent(noisy)}; the noise is public, so a real attacker would.{squares}"
    )


def details(view: View, choice: Choice, result: AttackResult | None) -> None:
    """What can be said once the simulation stands still."""
    if result:
        _error_curves(view, choice.releases, result, choice.attacker)
        _audit(view, choice.releases, result)


def _error_curves(
    view: View,
    noises: Mapping[str, Noise | None],
    result: AttackResult,
    attacker: str,
) -> None:
    """ROC and precision–recall curves of the simulated and of the best possible attacker."""
    st.header("How sure can the attacker be?")
    st.markdown(
        "An attacker need not guess every time. The stricter they are before they name the "
        "second share, the fewer of its datasets they catch, and the surer they are of those."
    )
    promise = (
        (view.scenario.epsilon, view.noise.delta)
        if mechanisms.get(view.scenario.mechanism).protects
        else None
    )
    left, right = st.columns(2, gap="large")
    common = {
        "pair": view.fit.pair,
        "repetitions": result.repetitions,
        "seed": result.seed,
        "attacker": attacker,
        "selected": view.scenario.mechanism,
    }
    with left:
        display.chart(
            roc_figure(
                {name: result.roc(name) for name in noises},
                optimal={name: best_roc(view.focused, noise) for name, noise in noises.items()},
                promise=promise,
                **common,  # type: ignore[arg-type]
            ),
            "roc",
        )
    with right:
        display.chart(
            precision_recall_figure(
                {name: result.precision_recall(name) for name in noises},
                optimal={
                    name: best_precision_recall(view.focused, noise)
                    for name, noise in noises.items()
                },
                **common,  # type: ignore[arg-type]
            ),
            "precision_recall",
        )
    by_normals(view, "The lines of the best attack in these two charts")


def _verdict(audit: Audit) -> str:
    if audit.claimed_epsilon is None:
        return "–"
    return "refuted" if audit.contradicted else "not refuted"


def _audit(view: View, noises: Mapping[str, Noise | None], result: AttackResult) -> None:
    """What the attack proves about the ε of each release, beside what is claimed."""
    st.header("What does the attack prove?")
    # A mechanism that protects single records claims nothing about the share.
    claims = {
        name: noise if noise is None or mechanisms.get(name).protects else None
        for name, noise in noises.items()
    }
    audits = {name: audit_attack(result, name, claim) for name, claim in claims.items()}
    st.markdown(
        f"{escape(view.scenario.mechanism)}: {escape(audits[view.scenario.mechanism].verdict)}",
        help="From how often the attacker is right and wrong, with Clopper–Pearson bounds: if "
        "they name a share e^ε times as often where it is right as where it is wrong, the release "
        "has at least that ε. An attack can refute a claim; it cannot confirm one.",
    )
    display.table(
        pd.DataFrame(
            [
                {
                    "Release": "no noise" if name == UNDEFENDED else name,
                    "Proven: ε at least": number(audit.epsilon),
                    "Claimed": "nothing"
                    if audit.claimed_epsilon is None
                    else f"ε = {audit.claimed_epsilon:g}, δ = {exact(audit.delta)}",
                    "Verdict": _verdict(audit),
                    "Right when the second share": percent(audit.default.true_positive_rate),
                    "Wrong when the first": percent(audit.default.false_positive_rate),
                }
                for name, audit in audits.items()
            ]
        )
    )


def formulas() -> None:
    """What is computed, and how the attack is simulated, with sources."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\text{optimal accuracy}=\tfrac12+\tfrac12\,\mathrm{TV}\bigl(N(\mu_i,\Sigma_i+S),"
            r"N(\mu_j,\Sigma_j+S)\bigr)\qquad \text{promise: at most }"
            r"\frac{e^\varepsilon+\delta}{1+e^\varepsilon}"
        )
        st.latex(
            r"\Sigma_i=\Sigma_j=\Sigma:\quad\text{optimal accuracy}=\Phi\!\left(\tfrac12"
            r"\sqrt{(\mu_i-\mu_j)^\top(\Sigma+S)^{-1}(\mu_i-\mu_j)}\right)"
        )
        st.latex(
            r"\text{arithmetic: guess } p_j \text{ if } \sum_x N(x;\mu_j,\Sigma_j)\,p(y-x)>"
            r"\sum_x N(x;\mu_i,\Sigma_i)\,p(y-x),\quad x \text{ on the grid}"
        )
        st.markdown(
            "A repetition splits the records into an auxiliary and a testing part, trains the "
            "classifier on 200 shadow datasets and guesses 200 test datasets, half at each share "
            "(Chen & Ohrimenko 2023, Section 5.3). Every mechanism meets the same datasets. TV is "
            "the total variation: the best test is the likelihood ratio's (Neyman & Pearson), "
            "quadratic in the statistics where the covariances differ."
        )
