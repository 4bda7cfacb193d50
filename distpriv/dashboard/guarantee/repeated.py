"""Repeated releases: what is left of the protection when the noises average out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from distpriv.analysis.sweeps import (
    attack_accuracies,
    delivered_deltas,
    delivered_epsilons,
    sweep,
)
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.charts.attack_curves import accuracy_curves
from distpriv.charts.guarantee import delivered_by_releases
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import curves, display
from distpriv.glossary import hover
from distpriv.mechanisms.curves import Curves
from distpriv.privacy.covered import covered_releases
from distpriv.privacy.delivered import delivered_epsilon
from distpriv.privacy.noise import Noise
from distpriv.words import escape, exact, number, percent

__all__ = ["choose", "pictures", "sentence"]

RELEASES = (1, 2, 3, 5, 10, 20, 30, 50, 100)


def choose() -> int:
    """How often the same statistics are released."""
    return st.select_slider(
        "Releases",
        RELEASES,
        value=10,
        key="releases",
        persist_state="session",
        help=hover("repeated releases"),
    )


def _gaussian(noises: Mapping[str, Noise]) -> dict[str, Noise]:
    return {name: noise for name, noise in noises.items() if noise.distribution == "gaussian"}


def sentence(view: View, noises: Mapping[str, Noise], count: int) -> None:
    """What is left after so many releases, where the chosen noise is Gaussian."""
    name = view.scenario.mechanism
    if name in _gaussian(noises):
        st.markdown(_after_releases(view, count))
    else:
        st.markdown(
            f"{escape(name)} adds Laplace noise, or promises nothing about the secret; the charts "
            "show Gaussian mechanisms that do."
        )


def pictures(view: View, noises: Mapping[str, Noise], count: int) -> None:
    """The best attack and what is delivered, against the number of releases."""
    averaged, scenario = _gaussian(noises), view.scenario
    selected = scenario.mechanism if scenario.mechanism in averaged else None
    few = {selected: noises[selected]} if selected else dict(list(averaged.items())[:1])
    by_accuracy, by_delta, by_epsilon = st.columns(3, gap="large")
    with by_accuracy:
        display.chart(
            accuracy_curves(
                sweep(
                    attack_accuracies(by_law=False), "releases", RELEASES, view.focused, averaged
                ),
                x_title="releases of the same statistics",
                x_name="releases",
                x_log=True,
                current=count,
                undefended=view.undefended,
                ceiling=None,
                points=None,
                title="Best attack against releases",
                selected=selected,
            ),
            "releases_accuracy",
        )
    delivered: dict[Literal["δ", "ε"], Curves] = {
        "δ": curves.remembered(
            view,
            f"δ by releases {tuple(few)}",
            lambda: sweep(
                delivered_deltas(scenario.epsilon), "releases", RELEASES, view.model, few
            ),
            epsilon=True,
        ),
        "ε": curves.remembered(
            view,
            f"ε by releases {tuple(few)}",
            lambda: sweep(
                delivered_epsilons(scenario.delta), "releases", RELEASES, view.model, few
            ),
            epsilon=True,
        ),
    }
    for place, (quantity, lines) in zip((by_delta, by_epsilon), delivered.items(), strict=True):
        with place:
            display.chart(
                delivered_by_releases(
                    lines,
                    quantity,
                    count=count,
                    epsilon=scenario.epsilon,
                    delta=scenario.delta,
                    selected=selected,
                ),
                f"releases_{quantity}",
            )


def _after_releases(view: View, count: int) -> str:
    """What is left of the protection when the statistics are released several times."""
    left = view.noise.after_releases(count)
    covered = covered_releases(view.model, view.noise)
    protected = optimal_attack_accuracy(view.focused, left)
    epsilon = delivered_epsilon(view.model, left, view.scenario.delta)
    times = "one release" if count == 1 else f"{count} releases"
    basis = "" if view.laws_for(None) is None else "by the fitted normals "
    return (
        f"After **{times}** with {escape(view.scenario.mechanism)} {basis}the best attacker is "
        "right in "
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
