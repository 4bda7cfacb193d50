"""Guarantee: what is promised, what is delivered, and what repeated releases add up to."""

from typing import Literal

import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.sweeps import (
    accuracy_against_releases,
    delta_against_releases,
    epsilon_against_releases,
    profiles,
)
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.charts.attack_curves import accuracy_curves
from distpriv.charts.guarantee import delivered_by_releases, profile_curves
from distpriv.dashboard import widgets
from distpriv.dashboard.secret import builders
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code, promise
from distpriv.mechanisms.curves import Curves
from distpriv.words import escape

RELEASES = (1, 2, 3, 5, 10, 20, 30, 50, 100)

view = frame.modelled()
scenario = view.scenario

st.title("Is the promise kept?")
promise.guarantee(view)
result_first = st.container()
offered = [name for name in mechanisms.names(baseline=False) if mechanisms.get(name).protects]
shown = st.multiselect(
    "Mechanisms",
    offered,
    default=[name for name in ("ExpM", "DauM", "OptM") if name in offered],
    key="guarantee_mechanisms",
    persist_state="session",
    wrap=True,
    help="What Laplace noise delivers has no closed form; it is computed from draws that are the "
    "same every time. The mean of several Laplace noises is none: the charts on repeated releases "
    "show Gaussian mechanisms only.",
)
names = dict.fromkeys([*shown, *([scenario.mechanism] if scenario.mechanism in offered else [])])
noises = view.noises(tuple(names))
averaged = {name: each for name, each in noises.items() if each.distribution == "gaussian"}
gaussian = scenario.mechanism in averaged
selected = scenario.mechanism if gaussian else None
with result_first:
    widgets.chart(
        profile_curves(
            widgets.remembered(
                view,
                f"profiles {tuple(noises)}",
                lambda: profiles(view.model, noises, widgets.profile_grid(scenario)),
                epsilon=True,
            ),
            epsilon=scenario.epsilon,
            delta=scenario.delta,
            selected=scenario.mechanism,
        ),
        "profile",
    )
    builders.pairs_table(view)

st.subheader("What if the same statistics are released again?")
again = st.container()
releases = st.select_slider(
    "Releases",
    RELEASES,
    value=10,
    key="releases",
    persist_state="session",
    help="Each with noise drawn anew on the same true statistics: the noises average out.",
)
code.note("guarantee", names=shown, releases=releases)
with again:
    if gaussian:
        st.markdown(promise.after_releases(view, releases))
    else:
        st.markdown(
            f"{escape(scenario.mechanism)} adds Laplace noise, or promises nothing about the "
            "secret; the charts show Gaussian mechanisms that do."
        )
    few = {selected: noises[selected]} if selected else dict(list(averaged.items())[:1])
    by_accuracy, by_delta, by_epsilon = st.columns(3, gap="large")
    with by_accuracy:
        widgets.chart(
            accuracy_curves(
                accuracy_against_releases(view.focused, averaged, RELEASES),
                x_title="releases of the same statistics",
                x_name="releases",
                x_log=True,
                current=releases,
                undefended=optimal_attack_accuracy(view.focused),
                ceiling=None,
                points=None,
                title="Best attack against releases",
                selected=selected,
            ),
            "releases_accuracy",
        )
    curves: dict[Literal["δ", "ε"], Curves] = {
        "δ": widgets.remembered(
            view,
            f"δ by releases {tuple(few)}",
            lambda: delta_against_releases(view.model, few, RELEASES, scenario.epsilon),
            epsilon=True,
        ),
        "ε": widgets.remembered(
            view,
            f"ε by releases {tuple(few)}",
            lambda: epsilon_against_releases(view.model, few, RELEASES, scenario.delta),
            epsilon=True,
        ),
    }
    for place, (quantity, drawn) in zip((by_delta, by_epsilon), curves.items(), strict=True):
        with place:
            widgets.chart(
                delivered_by_releases(
                    drawn,
                    quantity,
                    count=releases,
                    epsilon=scenario.epsilon,
                    delta=scenario.delta,
                    selected=selected,
                ),
                f"releases_{quantity}",
            )
with st.expander("The formulas", icon=":material/function:"):
    st.latex(
        r"\delta(\varepsilon)=\sup_S\,P(S)-e^{\varepsilon}Q(S)="
        r"\mathbb E_P\!\left[(1-e^{\varepsilon-L})_+\right],\qquad L=\ln\frac{dP}{dQ}"
    )
    st.markdown(
        "P and Q are the two fitted normals of a pair, each with its own covariance plus that of "
        "the noise; both orders count, and the worst pair. L is a quadratic form of normals "
        "(generalised chi-squared), inverted numerically. Several releases of the same statistics "
        "tell what one release with the covariance S/r tells. The mechanisms' own theorems take "
        "the two covariances for their mean, which is why a promise can be missed by a little; "
        "the *guarded* calibration makes up for it."
    )
