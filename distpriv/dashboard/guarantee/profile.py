"""The privacy profile: the δ that is delivered at every ε."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.sweeps import profiles
from distpriv.charts.guarantee import profile_curves
from distpriv.dashboard.guarantee import brackets
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import curves, display
from distpriv.privacy.noise import Noise

__all__ = ["choose", "formulas", "noises", "picture"]


def _protecting() -> list[str]:
    return [*mechanisms.names(baseline=False, protects=True)]


def choose() -> list[str]:
    """The mechanisms beside the chosen one."""
    offered = _protecting()
    return st.multiselect(
        "Mechanisms",
        offered,
        default=[name for name in ("ExpM", "DauM", "OptM") if name in offered],
        key="guarantee_mechanisms",
        persist_state="session",
        wrap=True,
        help="What Laplace noise delivers has no closed form; it is computed from draws that are "
        "the same every time. The mean of several Laplace noises is none: the charts on repeated "
        "releases show Gaussian mechanisms only.",
    )


def noises(view: View, shown: Sequence[str]) -> dict[str, Noise]:
    """Noise of the mechanisms shown, and of the chosen one if it promises anything."""
    chosen = view.scenario.mechanism
    return view.noises([*shown, chosen] if chosen in _protecting() else shown)


def picture(view: View, noises: Mapping[str, Noise]) -> None:
    """δ against ε, and the promise among it."""
    scenario = view.scenario
    profile = curves.remembered(
        view,
        f"profiles {tuple(noises)}",
        lambda: profiles(
            view.model, noises, curves.profile_grid(scenario), law=view.laws_for(None)
        ),
        epsilon=True,
    )
    display.chart(
        profile_curves(
            profile,
            epsilon=scenario.epsilon,
            delta=scenario.delta,
            selected=scenario.mechanism,
        ),
        "profile",
    )


def formulas() -> None:
    """What is delivered, and how it is computed."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\delta(\varepsilon)=\sup_S\,P(S)-e^{\varepsilon}Q(S)="
            r"\mathbb E_P\!\left[(1-e^{\varepsilon-L})_+\right],\qquad L=\ln\frac{dP}{dQ}"
        )
        st.markdown(
            "P and Q are the two fitted normals of a pair, each with its own covariance plus that "
            "of the noise; both orders count, and the worst pair. L is a quadratic form of normals "
            "(generalised chi-squared), inverted numerically. Several releases of the same "
            "statistics tell what one release with the covariance S/r tells. The mechanisms' own "
            "theorems take the two covariances for their mean, which is why a promise can be "
            "missed by a little; the *guarded* calibration makes up for it. Under the *exact-law* "
            "calibration P and Q are no normals but the laws of the counts themselves, with the "
            "noise: δ is an integral over a sum of bells, one for every vector of counts."
        )
        brackets.formulas()
