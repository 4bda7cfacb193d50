"""The Attack page's curves: the best attack against ε and against Δp."""

from __future__ import annotations

import numpy as np
import streamlit as st

from distpriv.analysis.sweeps import UNDEFENDED, accuracy_against_epsilon, accuracy_against_width
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.attacks.results import AttackResult
from distpriv.charts.attack import accuracy_curves
from distpriv.dashboard import widgets
from distpriv.dashboard.attack import inspection
from distpriv.dashboard.shell.frame import View
from distpriv.mechanisms.curves import Curves
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise

__all__ = ["show"]


def show(view: View, noises: dict[str, Noise], result: AttackResult | None) -> None:
    """Both, side by side, of the mechanisms whose best attack takes milliseconds."""
    names = tuple(name for name, noise in noises.items() if inspection.is_quick(noise))
    over_epsilon, over_width = st.columns(2, gap="large")
    with over_epsilon:
        _against_epsilon(view, names, result)
    with over_width:
        if widgets.needs_closed_form(view, "The best attack against Δp"):
            _against_width(view, names)


def _against_epsilon(view: View, names: tuple[str, ...], result: AttackResult | None) -> None:
    scenario, epsilons = view.scenario, widgets.epsilon_grid(view.scenario)
    curves = widgets.remembered(
        view,
        f"accuracy by ε {names} {view.focus}",
        lambda: accuracy_against_epsilon(
            view.model,
            names,
            epsilons,
            scenario.delta,
            scenario.calibration,
            units=view.sizes,
            pair=view.focus,
        ),
        epsilon=False,
    )
    points = {name: [(scenario.epsilon, result.interval(name))] for name in names} if result else {}
    figure = accuracy_curves(
        curves,
        x_title="ε",
        x_log=True,
        current=scenario.epsilon,
        undefended=optimal_attack_accuracy(view.focused),
        ceiling=np.array([accuracy_ceiling(float(e), scenario.delta) for e in epsilons]),
        points=points,
        title="Best attack against ε",
        selected=scenario.mechanism,
    )
    widgets.chart(figure, "attack_epsilon")


def _against_width(view: View, names: tuple[str, ...]) -> None:
    scenario, widths = view.scenario, widgets.width_grid(view.scenario)
    models, along = widgets.models_by_width(view, widths), widgets.along_width(view, names)
    curves = widgets.remembered(
        view,
        f"accuracy by Δp {along}",
        lambda: accuracy_against_width(
            models,
            widths,
            along,
            scenario.epsilon,
            scenario.delta,
            scenario.calibration,
            units=view.sizes,
        ),
        epsilon=True,
    )
    figure = accuracy_curves(
        Curves(widths, {name: curves.y[name] for name in along}),
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
    widgets.chart(figure, "attack_width")
