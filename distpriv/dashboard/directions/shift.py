"""The shift between the two shares: its directions, and the noise along and around it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from distpriv import mechanisms
from distpriv.charts.directions import eigenvalue_shares, ellipses, shift_components
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.glossary import hover
from distpriv.words import escape, number, percent

__all__ = ["components", "eigenvalues", "formulas", "plane", "sentence"]


def sentence(view: View) -> None:
    """How far the statistics move, which of them most, and how much of the noise goes there."""
    scenario, fit = view.scenario, view.fit
    shift = float(np.linalg.norm(fit.difference))
    if shift == 0:
        st.success("The two shares move no statistic at all: no noise is needed.")
        return
    direction = fit.difference / shift
    strongest = int(np.argmax(np.abs(direction)))
    inside = float(np.trace(view.noise.covariance))
    along = float(direction @ view.noise.covariance @ direction)
    st.markdown(
        f"Between the two shares the statistics move by **{number(shift)}** in L2, "
        f"{percent(direction[strongest] ** 2, 0)} of it (squared) in "
        f"**{escape(scenario.query.labels[strongest])}**. "
        f"{escape(scenario.mechanism)} at ε\u00a0=\u00a0{scenario.epsilon:g} "
        + (
            f"puts **{percent(along / inside, 0)}** of its noise variance along that shift."
            if inside
            else "needs no noise."
        ),
        help=hover("shift"),
    )


def plane(view: View) -> None:
    """Two statistics with the noise of several mechanisms, and the controls to choose them."""
    labels, fit = view.scenario.query.labels, view.fit
    if len(labels) < 2:
        st.info(
            "With a single statistic there is one direction only; release a second one to compare."
        )
        return
    picture = st.container()
    controls = st.columns([1, 1, 2])
    order = np.argsort(-np.abs(fit.difference)).tolist()
    across = controls[0].selectbox(
        "Across",
        range(len(labels)),
        index=order[0],
        format_func=lambda index: labels[index],
        key="direction_x",
        persist_state="session",
    )
    others = [index for index in range(len(labels)) if index != across]
    up = controls[1].selectbox(
        "Up",
        others,
        index=others.index(next(index for index in order if index != across)),
        format_func=lambda index: labels[index],
        key="direction_y",
        persist_state="session",
    )
    offered = mechanisms.names(baseline=False)
    shown = controls[2].multiselect(
        "Mechanisms",
        offered,
        default=[name for name in ("ExpM", "EigM", "DauM", "OptM") if name in offered],
        key="direction_mechanisms",
        persist_state="session",
        wrap=True,
    )
    with picture:
        display.chart(ellipses(fit, view.noises(shown), across, up, labels, view.units), "ellipses")


def components(view: View) -> None:
    """The part of each statistic in the shift."""
    display.chart(
        shift_components(view.fit, view.scenario.query.labels, units=view.units), "components"
    )


def eigenvalues(view: View) -> None:
    """The axes of variation, and the share of the shift along each."""
    display.chart(eigenvalue_shares(view.fit, view.scenario.query.labels), "eigenvalues")


def formulas() -> None:
    """The noise in one direction, and the least there is."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"v = \frac{\mu_i-\mu_j}{\lVert\mu_i-\mu_j\rVert_2},\qquad"
            r"\text{DauM: } Z\sim\mathcal N(0,\sigma^2vv^\top),\;"
            r"\sigma^2=\max\left(0,\ "
            r"\tfrac{\alpha^2}{\mu^{*2}}-\tfrac{1}{v^\top\Sigma^{-1}v}\right)"
        )
        st.latex(
            r"\text{OptM: } Z\sim\mathcal N(0,S),\quad"
            r"S=\left(\tfrac{dd^\top}{\mu^{*2}}-\Sigma\right)_+,\quad d=\mu_i-\mu_j"
        )
        st.markdown(
            "α is the length of the shift, μ\\* the distance that (ε, δ) allows (ε/c under the "
            "classical calibration). OptM has the least trace of all S that bring the two normals "
            "that close; the plus keeps the positive eigenvalues, one at most. EigM tops every "
            "eigenvalue of Σ up to (α/μ\\*)²; what Theorem 4.5 calls squared eigenvalues λ² are "
            "the eigenvalues themselves. Chen & Ohrimenko (2023), Sections 4.2 and 4.3."
        )
