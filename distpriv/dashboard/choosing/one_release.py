"""The closer look of the Choosing ε page at this release: curves for every ε and mechanism."""

from __future__ import annotations

import numpy as np
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.design import Limit
from distpriv.attacks.hypothesis import (
    CurveTest,
    best_f_score,
    f_score_against_epsilon,
    odds_against,
    precision_at,
    release_test,
)
from distpriv.attacks.hypothesis.releases import false_alarms_along, release_tests
from distpriv.charts.choosing import f_score_lines, precision_recall_lines, roc_lines
from distpriv.charts.style import group_names
from distpriv.dashboard import widgets
from distpriv.dashboard.choosing import search
from distpriv.dashboard.shell.frame import View
from distpriv.mechanisms import searching
from distpriv.mechanisms.curves import Curves
from distpriv.mechanisms.guarded import side_by_side
from distpriv.privacy.noise import Noise

__all__ = ["release"]

_RECALL = np.append(0.005, np.linspace(0.025, 1.0, 40))


def release(view: View, limit: Limit | None) -> None:
    """The best attacker on this release, for several ε and every mechanism."""
    scenario = view.scenario
    base_rate = limit.base_rate if limit else 0.5
    beta = search.weight()
    bold = f"ε = {scenario.epsilon:g}"
    chosen = search.epsilons_to_compare("release_epsilons", scenario.epsilon)
    others = tuple(epsilon for epsilon in chosen if epsilon != scenario.epsilon)
    errors = widgets.remembered(
        view,
        f"errors {scenario.mechanism} {others} {view.focus}",
        lambda: _errors(view, others),
        epsilon=False,
    ).y | {bold: false_alarms_along(release_test(view.focused, view.noise), _RECALL)}
    order = [f"ε = {epsilon:g}" for epsilon in chosen] + ["no noise"]
    tests = {
        name: CurveTest(np.append(0.0, errors[name]), np.append(0.0, _RECALL))
        for name in order
        if name in errors
    }
    precision_recall, roc, f_score = st.columns(3, gap="medium")
    with precision_recall:
        lines = {
            label: (_RECALL, precision_at(test, _RECALL, odds_against(base_rate)))
            for label, test in tests.items()
        }
        widgets.chart(
            precision_recall_lines(
                lines,
                guessing=base_rate,
                hypothesis=f"it is {group_names(view.fit.pair)[1]}",
                title=f"How sure they can be, with {scenario.mechanism}",
                selected=bold,
            ),
            "release_precision",
        )
    with roc:
        lines = {
            label: (test.false_positive_rate(_RECALL), _RECALL) for label, test in tests.items()
        }
        widgets.chart(roc_lines(lines, selected=bold), "release_roc")
    with f_score:
        names = _quick(view)
        widgets.chart(
            f_score_lines(
                widgets.remembered(
                    view,
                    f"F {beta} {base_rate} {names} {view.focus}",
                    lambda: f_score_against_epsilon(
                        view.model,
                        names,
                        widgets.epsilon_grid(scenario),
                        scenario.delta,
                        scenario.calibration,
                        beta=beta,
                        base_rate=base_rate,
                        units=view.sizes,
                        pair=view.focus,
                    ),
                    epsilon=False,
                ),
                epsilon=scenario.epsilon,
                title=f"F-score at β = {beta:g}, by mechanism",
                limit=limit.value if limit and limit.kind == "f_score" else None,
                undefended=float(
                    best_f_score(release_test(view.focused), beta, odds_against(base_rate))
                ),
                mechanisms=True,
                selected=scenario.mechanism,
            ),
            "release_f_score",
        )


def _errors(view: View, epsilons: tuple[float, ...]) -> Curves:
    """Fewest false alarms at each recall, for several ε and without noise."""
    scenario = view.scenario
    budget = (scenario.delta, scenario.calibration, view.sizes)
    noises = side_by_side(
        [searching(scenario.mechanism, view.model, epsilon, *budget) for epsilon in epsilons]
    )
    known = [
        (f"ε = {epsilon:g}", noise)
        for epsilon, noise in zip(epsilons, noises, strict=True)
        if isinstance(noise, Noise)
    ]
    tests = release_tests([(view.focused, noise) for _, noise in [*known, ("", None)]])
    wrong = zip([*(name for name, _ in known), "no noise"], tests, strict=True)
    return Curves(_RECALL, {name: false_alarms_along(test, _RECALL) for name, test in wrong})


def _quick(view: View) -> tuple[str, ...]:
    """Mechanisms whose curve of many ε takes little simulation at every point."""
    names = [name for name in mechanisms.names(baseline=False) if mechanisms.get(name).protects]
    many = len(view.scenario.query) > 1
    directed = [
        name
        for name in names
        if mechanisms.get(name).distribution == "laplace"
        and not (mechanisms.get(name).full_rank and many)
    ]
    few = {name for name, noise in view.noises(directed).items() if noise.directions.shape[1] == 1}
    return tuple(
        name for name in names if mechanisms.get(name).distribution == "gaussian" or name in few
    )
