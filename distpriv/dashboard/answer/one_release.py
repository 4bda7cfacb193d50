"""The closer look of the page Answer at this release: curves for every ε and mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

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
from distpriv.attacks.hypothesis.releases import false_alarms_along, false_alarms_of, release_tests
from distpriv.charts.choosing import f_score_lines, precision_recall_lines, roc_lines
from distpriv.charts.frame import pending
from distpriv.charts.style import group_names
from distpriv.dashboard.answer import search
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import curves as sweeps
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.later import drawn_later
from distpriv.mechanisms import searching
from distpriv.mechanisms.curves import Curves
from distpriv.mechanisms.guarded import side_by_side
from distpriv.privacy.noise import Noise

__all__ = ["ask", "release"]

FloatArray = NDArray[np.float64]

_RECALL = np.append(0.005, np.linspace(0.025, 1.0, 40))
_NOTHING = np.full(2, np.nan)  # of a line that is not computed yet


@dataclass(frozen=True)
class _Look:
    """What the curves are about, besides the scenario.

    Attributes
    ----------
    limit : Limit or None
    beta, base_rate : float
    epsilons : tuple of float
        Side by side, the current one among them.
    names : tuple of str
        Mechanisms with a curve of the F-score.
    """

    limit: Limit | None
    beta: float
    base_rate: float
    epsilons: tuple[float, ...]
    names: tuple[str, ...]

    def key(self, view: View) -> str:
        """What the F-scores follow from, but for the current ε."""
        what = f"F {self.beta} {self.base_rate} {self.names} {view.focus}"
        return sweeps.key_of(view, what, epsilon=False)


def ask() -> str:
    """Which attacker is looked at."""
    return st.segmented_control(
        "Who asks",
        ["about this release", "about one record", "table of ε"],
        default="about this release",
        required=True,
        key="choosing_look",
        persist_state="session",
        help="*This release*: somebody who wants the share. *One record*: the attacker of "
        "differential privacy. *Table*: the largest ε for a limit on the F-score.",
    )


def release(view: View, limit: Limit | None) -> None:
    """The best attacker on this release, for several ε and every mechanism."""
    beta = search.weight()
    chosen = search.epsilons_to_compare("release_epsilons", view.scenario.epsilon)
    base_rate = limit.base_rate if limit else 0.5
    look = _Look(limit, beta, base_rate, tuple(chosen), _quick(view))
    drawn_later(
        "choosing_release",
        look.key(view),
        lambda: _waiting(view, look),
        lambda: _draw(view, look),
    )


def _waiting(view: View, look: _Look) -> None:
    """The charts' frames, which say nothing about the model and are drawn once for their texts."""
    lines = dict.fromkeys(_labels(look), (_NOTHING, _NOTHING))
    ends = sweeps.fixed_epsilon_grid(view.scenario)[[0, -1]]
    curves = Curves(ends, dict.fromkeys(look.names, _NOTHING))
    about = f"{look!r} {view.fit.pair!r} {view.scenario.mechanism} {view.scenario.epsilon}"

    def frame(name: str, draw: Callable[[], go.Figure]) -> go.Figure:
        return cache.computed(lambda: pending(draw()), f"frame of {name} {about}")

    _charts(
        frame("precision", lambda: _precision_recall(view, look, lines)),
        frame("right and wrong", lambda: roc_lines(lines, selected=_bold(view))),
        frame("F", lambda: _f_scores(view, look, curves, None)),
    )


def _draw(view: View, look: _Look) -> None:
    """The charts."""
    errors = _errors(view, look)
    tests = {
        name: CurveTest(np.append(0.0, errors[name]), np.append(0.0, _RECALL))
        for name in _labels(look)
        if name in errors
    }
    odds = odds_against(look.base_rate)
    _charts(
        _precision_recall(
            view,
            look,
            {name: (_RECALL, precision_at(test, _RECALL, odds)) for name, test in tests.items()},
        ),
        roc_lines(
            {name: (test.false_positive_rate(_RECALL), _RECALL) for name, test in tests.items()},
            selected=_bold(view),
        ),
        _f_scores(view, look, _f_curves(view, look), _undefended(view, look)),
    )


def _charts(*figures: go.Figure) -> None:
    keys = ("release_precision", "release_roc", "release_f_score")
    for column, figure, key in zip(st.columns(3, gap="medium"), figures, keys, strict=True):
        with column:
            display.chart(figure, key)


def _bold(view: View) -> str:
    return f"ε = {view.scenario.epsilon:g}"


def _labels(look: _Look) -> list[str]:
    return [f"ε = {epsilon:g}" for epsilon in look.epsilons] + ["no noise"]


def _precision_recall(
    view: View, look: _Look, lines: Mapping[str, tuple[FloatArray, FloatArray]]
) -> go.Figure:
    return precision_recall_lines(
        lines,
        guessing=look.base_rate,
        hypothesis=f"it is {group_names(view.fit.pair)[1]}",
        title=f"How sure they can be, with {view.scenario.mechanism}",
        selected=_bold(view),
    )


def _undefended(view: View, look: _Look) -> float:
    test, odds = release_test(view.focused), odds_against(look.base_rate)
    return float(best_f_score(test, look.beta, odds))


def _f_scores(view: View, look: _Look, curves: Curves, undefended: float | None) -> go.Figure:
    limit = look.limit
    return f_score_lines(
        curves,
        epsilon=view.scenario.epsilon,
        title=f"F-score at β = {look.beta:g}, by mechanism",
        limit=limit.value if limit and limit.kind == "f_score" else None,
        undefended=undefended,
        mechanisms=True,
        selected=view.scenario.mechanism,
    )


def _f_curves(view: View, look: _Look) -> Curves:
    """Remembered while ε moves, with the current ε besides where curves have it."""

    def at(epsilons: FloatArray) -> Curves:
        return f_score_against_epsilon(
            view.model,
            look.names,
            epsilons,
            beta=look.beta,
            base_rate=look.base_rate,
            pair=view.focus,
            **view.calibrating,
        )

    fixed = sweeps.fixed_epsilon_grid(view.scenario)
    known = cache.computed(lambda: at(fixed), look.key(view))
    more = np.setdiff1d(sweeps.epsilon_grid(view.scenario), fixed)
    if not len(more):
        return known
    here, places = at(more), np.searchsorted(fixed, more)
    return Curves(
        np.insert(fixed, places, more),
        {name: np.insert(y, places, here.y[name]) for name, y in known.y.items()},
    )


def _errors(view: View, look: _Look) -> dict[str, FloatArray]:
    """Fewest false alarms at each recall, by label; what several runs ask for is remembered."""
    scenario = view.scenario
    others = tuple(epsilon for epsilon in look.epsilons if epsilon != scenario.epsilon)

    def at_others() -> dict[str, FloatArray]:
        noises = side_by_side(
            [
                searching(scenario.mechanism, view.model, epsilon, **view.calibrating)
                for epsilon in others
            ]
        )
        known: dict[str, Noise | None] = {
            f"ε = {epsilon:g}": noise
            for epsilon, noise in zip(others, noises, strict=True)
            if isinstance(noise, Noise)
        }
        known["no noise"] = None
        tests = release_tests([(view.focused, noise) for noise in known.values()])
        return dict(zip(known, false_alarms_of(tests, _RECALL), strict=True))

    what = f"errors {scenario.mechanism} {others} {view.focus}"
    alarms = cache.computed(at_others, sweeps.key_of(view, what, epsilon=False))
    here = false_alarms_along(release_test(view.focused, view.noise), _RECALL)
    return alarms | {_bold(view): here}


def _quick(view: View) -> tuple[str, ...]:
    """Mechanisms whose curve of many ε takes little simulation at every point."""
    names = [
        name
        for name in mechanisms.names(baseline=False)
        if mechanisms.get(name).protects and not mechanisms.get(name).from_records
    ]
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
