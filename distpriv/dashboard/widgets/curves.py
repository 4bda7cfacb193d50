"""Curves against ε and Δp: their grids and mechanisms, remembered where they take long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from distpriv import mechanisms
from distpriv.analysis.fitting import scenario_moments, scenario_populations
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.sweeps import models_along, sweep
from distpriv.dashboard.shell import cache, live
from distpriv.dashboard.shell.frame import View
from distpriv.mechanisms.curves import Curves
from distpriv.model.gaussian import GaussianModel, model_from_moments
from distpriv.model.run import Progress, Run
from distpriv.words import escape, percent

__all__ = [
    "along_width",
    "by_width",
    "epsilon_grid",
    "fixed_epsilon_grid",
    "key_of",
    "models_by_width",
    "needs_closed_form",
    "profile_grid",
    "remembered",
    "shown_at_first",
    "sweep_of",
    "width_grid",
]


_QUICK = 2  # statistics whose exact law takes milliseconds


def shown_at_first(offered: Sequence[str]) -> list[str]:
    """Mechanisms that a chart starts with."""
    chosen = [mechanisms.get(name) for name in offered]
    return [
        mechanism.name
        for mechanism in chosen
        if mechanism.shown_at_first and not mechanism.baseline
    ]


def remembered(
    view: View,
    what: str,
    compute: Callable[[], Curves],
    *,
    epsilon: bool,
    names: Sequence[str] = (),
) -> Curves:
    """Curves, from the session's cache where they are slow.

    That is so for guarded calibration, several pairs, and mechanisms that draw records.

    Parameters
    ----------
    what : str
        Which curves, and of what.
    epsilon : bool
        Whether they depend on the scenario's ε.
    names : sequence of str
        Mechanisms that are calibrated for them.
    """
    if not _slow(view.scenario, names):
        return compute()
    key = key_of(view, f"curves {what}", epsilon=epsilon)
    return cache.computed(compute, key, saying="Computing …", common=view.common)


def key_of(view: View, what: str, *, epsilon: bool) -> str:
    """What something that follows from the fitted model is remembered by.

    Parameters are those of :func:`remembered`.
    """
    scenario = view.scenario
    known = replace(
        scenario,
        mechanism="",
        seed=scenario.model_seed,
        look="",
        epsilon=scenario.epsilon if epsilon else 1.0,
    )
    return f"{what} {view.source.digest} {known!r}"


def epsilon_grid(scenario: Scenario, names: Sequence[str] = ()) -> NDArray[np.float64]:
    """ε from 0.1 to 10 for curves of some mechanisms, the current one among them.

    Not so where the curves take long enough to be remembered while ε moves.
    """
    grid = fixed_epsilon_grid(scenario)
    if _slow(scenario, names):
        return grid
    return np.unique(np.append(grid, np.clip(scenario.epsilon, 0.1, 10)))


def fixed_epsilon_grid(scenario: Scenario) -> NDArray[np.float64]:
    """ε from 0.1 to 10 for curves that do not depend on the current one."""
    points = 9 if _very_slow(scenario) else 13 if _slow(scenario, ()) else 25
    return np.geomspace(0.1, 10, points)


def profile_grid(scenario: Scenario) -> NDArray[np.float64]:
    """ε from 0 to twice the current one, at least 2, the current one among them."""
    points = 13 if _very_slow(scenario) else 25
    return np.unique(
        np.append(np.linspace(0, max(2.0, 2 * scenario.epsilon), points), scenario.epsilon)
    )


def width_grid(scenario: Scenario, names: Sequence[str] = ()) -> NDArray[np.float64]:
    """Δp from 0.02 to 0.8 for curves of some mechanisms, the current one among them."""
    points = 5 if _very_slow(scenario, names) else 9 if _slow(scenario, names) else 27
    grid = np.linspace(0.02, 0.8, points)
    return np.unique(np.append(grid, np.clip(scenario.width, 0.02, 0.8)))


def along_width(view: View, names: Sequence[str]) -> tuple[str, ...]:
    """Mechanisms with a curve against Δp; says which ones would have to be simulated for each."""
    left = tuple(
        name
        for name in names
        if view.scenario.distances == "normals" or not mechanisms.get(name).from_outcomes
    )
    if len(left) < len(names):
        out = ", ".join(escape(name) for name in names if name not in left)
        st.caption(f"Without {out}: their distances are simulated for the current Δp only.")
    return left


def sweep_of(view: View) -> partial[Curves]:
    """:func:`distpriv.analysis.sweeps.sweep` with the scenario's δ, calibration and units."""
    return partial(sweep, **view.calibrating)


def models_by_width(view: View, widths: NDArray[np.float64]) -> list[GaussianModel | None]:
    """The scenario's model for other Δp, None where the data do not allow it."""
    scenario = view.scenario
    moments = scenario_moments(scenario, view.groups)
    populations = scenario_populations(scenario, view.groups)
    return models_along(
        widths,
        lambda width: model_from_moments(
            moments,
            scenario.query,
            scenario.pairs_at(width),
            scenario.n,
            replacement=scenario.replacement,
            share_of=scenario.hidden_share,
            bounds=dict(scenario.bounds),
        ).drawn_from(populations),
    )


def by_width(
    view: View,
    what: str,
    names: Sequence[str],
    compute: Callable[[NDArray[np.float64], Sequence[GaussianModel | None], Sequence[str]], Curves],
    draw: Callable[[Curves], None],
) -> None:
    """Curves against Δp; those for which records are drawn at every Δp come in a little later.

    Parameters
    ----------
    what : str
        Names the curves, and the work.
    names : sequence of str
        Mechanisms.
    compute : callable
        From values of Δp, their models and mechanisms to the curves.
    draw : callable
        Draws the chart.
    """
    widths = width_grid(view.scenario, names)
    models, along = models_by_width(view, widths), along_width(view, names)
    drawing = tuple(name for name in along if mechanisms.get(name).from_records)
    quick = tuple(name for name in along if name not in drawing)
    curves = remembered(
        view,
        f"{what} {quick} {len(widths)}",
        lambda: compute(widths, models, quick),
        epsilon=True,
    )
    if not drawing:
        draw(curves)
        return
    shown = ", ".join(drawing)

    def points() -> Iterator[Progress[list[Curves]]]:
        found: list[Curves] = []
        for place, model in enumerate(models):
            # The first piece is none at all: the page is not to wait.
            yield Progress(place, len(widths), lambda: found)
            found.append(compute(widths[[place]], [model], drawing))
        yield Progress(len(widths), len(widths), lambda: found)

    def part(run: Run[list[Curves]]) -> None:
        found = run.result() if run.finished else None
        if found is None:
            draw(curves)
            st.caption(f"{escape(shown)} draws records for each Δp: {percent(run.share_done, 0)}.")
            return
        late = {name: np.concatenate([point.y[name] for point in found]) for name in drawing}
        known = curves.y | late
        draw(Curves(widths, {name: known[name] for name in dict.fromkeys([*along, *known])}))
        st.caption(f"{escape(shown)} draws records for each Δp, hence few of them.")

    run = live.begun(what, key_of(view, f"{what} {drawing}", epsilon=True), points)
    live.growing(run, part)


def needs_closed_form(view: View, what: str) -> bool:
    """Whether something can be computed from moments; if it cannot, say so in its place."""
    if view.scenario.query.is_linear:
        return True
    names = ", ".join(
        escape(statistic.label) for statistic in view.scenario.query if not statistic.linear
    )
    st.info(
        f"{what} is computed in closed form, which {names} does not have; take it out of the "
        "release to see it.",
        icon=":material/info:",
    )
    return False


def _slow(scenario: Scenario, names: Sequence[str]) -> bool:
    careful = scenario.calibration in ("exact-law", "guarded")
    return careful or scenario.several or _draw_records(names)


def _very_slow(scenario: Scenario, names: Sequence[str] = ()) -> bool:
    if _draw_records(names):
        return True
    if scenario.calibration == "exact-law":
        return scenario.several or len(scenario.query) > _QUICK
    return scenario.calibration == "guarded" and scenario.several


def _draw_records(names: Sequence[str]) -> bool:
    return any(mechanisms.get(name).from_records for name in names)
