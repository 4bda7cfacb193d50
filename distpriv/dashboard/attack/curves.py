"""The Attack page's curves: the best attack against ε and against Δp."""

from __future__ import annotations

import numpy as np
import streamlit as st

from distpriv.analysis.sweeps import UNDEFENDED, attack_accuracies, curve_laws
from distpriv.attacks.results import AttackResult
from distpriv.charts.attack import accuracy_curves
from distpriv.dashboard.attack import inspection
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.curves import (
    by_width,
    epsilon_grid,
    needs_closed_form,
    remembered,
    sweep_of,
)
from distpriv.dashboard.widgets.promise import by_normals
from distpriv.mechanisms.curves import Curves
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise

__all__ = ["show"]


def show(view: View, noises: dict[str, Noise], result: AttackResult | None) -> None:
    """Both, side by side, of the mechanisms whose best attack takes milliseconds."""
    names = tuple(name for name, noise in noises.items() if inspection.is_quick(noise))
    if curve_laws(view.focused, view.noise) is None:
        by_normals(view, "These curves")
    over_epsilon, over_width = st.columns(2, gap="large")
    with over_epsilon:
        _against_epsilon(view, names, result)
    with over_width:
        if needs_closed_form(view, "The best attack against Δp"):
            _against_width(view, names)


def _against_epsilon(view: View, names: tuple[str, ...], result: AttackResult | None) -> None:
    scenario, sweep = view.scenario, sweep_of(view)
    epsilons = epsilon_grid(scenario, names)
    curves = remembered(
        view,
        f"accuracy by ε {names} {view.focus}",
        lambda: sweep(attack_accuracies(view.focus), "epsilon", epsilons, view.model, names),
        epsilon=False,
        names=names,
    )
    points = {name: [(scenario.epsilon, result.interval(name))] for name in names} if result else {}
    figure = accuracy_curves(
        curves,
        x_title="ε",
        x_log=True,
        current=scenario.epsilon,
        undefended=view.undefended,
        ceiling=np.array([accuracy_ceiling(float(e), scenario.delta) for e in epsilons]),
        points=points,
        title="Best attack against ε",
        selected=scenario.mechanism,
    )
    display.chart(figure, "attack_epsilon")


def _against_width(view: View, names: tuple[str, ...]) -> None:
    scenario, sweep = view.scenario, sweep_of(view)

    def draw(curves: Curves) -> None:
        shown = {name: y for name, y in curves.y.items() if name != UNDEFENDED}
        figure = accuracy_curves(
            Curves(curves.x, shown),
            x_title="Δp",
            x_log=False,
            current=scenario.width,
            undefended=curves.y[UNDEFENDED],
            ceiling=None,
            points=None,
            title=f"Best attack against Δp at ε = {scenario.epsilon:g}"
            + (", hardest pair" if len(view.model.pairs) > 1 else ""),
            selected=scenario.mechanism,
        )
        display.chart(figure, "attack_width")

    by_width(
        view,
        "accuracy by Δp",
        names,
        lambda widths, models, along: sweep(
            attack_accuracies(),
            "width",
            widths,
            models,
            along,
            epsilon=scenario.epsilon,
            undefended=True,
        ),
        draw,
    )
