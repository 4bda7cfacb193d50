"""Whether both shares vary alike, and what it costs where they do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from distpriv import mechanisms
from distpriv.charts.diagnostics import variance_ratios
from distpriv.charts.fit import covariance_heatmap
from distpriv.dashboard.fit.normality import p_value
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.glossary import hover
from distpriv.privacy.delivered import delivered_epsilon
from distpriv.robustness.diagnostics import FitDiagnostics
from distpriv.words import escape, exact, number, share

__all__ = ["covariances"]


def covariances(view: View, diagnostics: FitDiagnostics | str) -> None:
    """Correlations, what the two shares do to the variances, and what that does to ε."""
    labels, fit = view.scenario.query.labels, view.fit
    st.header("One covariance for both shares?")
    if not isinstance(diagnostics, str):
        st.markdown(_difference(diagnostics, labels) + _cost(view))
    left, right = st.columns(2, gap="large")
    with left:
        if not isinstance(diagnostics, str):
            display.chart(
                display.drawn_once(
                    view,
                    "variances",
                    lambda: variance_ratios(diagnostics.covariances, labels, fit.pair),
                ),
                "variances",
            )
    with right:
        display.chart(
            display.drawn_once(view, "correlations", lambda: covariance_heatmap(fit, labels)),
            "correlations",
        )
    p_i, p_j = share(fit.pair.p_i), share(fit.pair.p_j)
    which = st.segmented_control(
        "Covariance",
        ["pooled", p_i, p_j],
        default="pooled",
        required=True,
        key="covariance_of",
        persist_state="session",
        help=hover("covariance"),
    )
    matrix = {"pooled": fit.pooled, p_i: fit.covariances[0], p_j: fit.covariances[1]}[which]
    shown = pd.DataFrame(matrix, columns=list(labels)).map(number)
    shown.insert(0, "Statistic", labels)
    display.table(shown)


def _difference(diagnostics: FitDiagnostics, labels: tuple[str, ...]) -> str:
    difference = diagnostics.covariances
    with np.errstate(divide="ignore"):
        logarithms = np.abs(np.log(difference.variance_ratios))
        extreme = np.abs(np.log(difference.eigenvalues)).max()
    mixed = (
        f", and along the worst mixture of statistics by **{number(float(np.exp(extreme)))}**"
        if len(labels) > 1
        else ""
    )
    return (
        "The mechanisms take the mean of the two covariances. The variance that changes most "
        f"between the shares is that of {escape(labels[int(logarithms.argmax())])}, by a factor "
        f"of **{number(float(np.exp(logarithms.max())))}**{mixed}. Box's test of equal "
        f"covariances has p {_equals(difference.p_value)}. "
    )


def _cost(view: View) -> str:
    noise, scenario = view.noise, view.scenario
    name = escape(scenario.mechanism)
    if noise.distribution != "gaussian":
        delivered = view.delivered(noise)
        protects = mechanisms.get(scenario.mechanism).protects
        return (
            f"With a covariance of its own for each share, {name} at "
            f"ε\u00a0=\u00a0{noise.epsilon:g} delivers **δ\u00a0=\u00a0{number(delivered)}**"
            + (f", where {exact(noise.delta)} is promised." if protects else ".")
        )
    own = delivered_epsilon(view.focused, noise, scenario.delta)
    return (
        f"With a covariance of its own for each share, {name} at "
        f"ε\u00a0=\u00a0{scenario.epsilon:g} delivers **ε\u00a0=\u00a0{number(own)}** at "
        f"δ\u00a0=\u00a0{exact(scenario.delta)}."
    )


def _equals(value: float) -> str:
    return p_value(value) if value < 0.001 else f"=\u00a0{number(value)}"
