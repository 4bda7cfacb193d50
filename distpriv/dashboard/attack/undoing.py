"""The Attack page's section on what the mechanisms give away as they were published."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.answer import error_in_words
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.attacks.knowledge import known_in_words
from distpriv.attacks.property_inference import ARITHMETIC, AttackResult
from distpriv.charts.undoing import UndoneRow, on_paper_and_on_the_grid
from distpriv.dashboard.shell import cache, live
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.run import Run, repeated
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.covered import is_undone
from distpriv.privacy.noise import Noise
from distpriv.words import escape, number, percent

__all__ = ["MECHANISMS", "Published", "compare", "section"]

MECHANISMS = ("DirM", "DauM", "OptM")
"""Those whose published noise leaves directions bare."""

_REPETITIONS = 20
_PUBLISHED, _SAFE = "published", "grid-safe"
_LABELS = live.Labels(
    again="Simulate again", go_on="Go on", stop="Pause", stop_icon=":material/pause:"
)


@dataclass(frozen=True, eq=False)
class Published:
    """A mechanism's noise as published and grid-safe, for the pair that is looked at.

    Attributes
    ----------
    name : str
    calibration : str
        The scenario's, or *exact* where that one does not apply.
    refusal : str
        Why the scenario's calibration does not apply; empty if it does.
    noises : dict of str to Noise
        Under "published" and "grid-safe"; empty where no calibration applies.
    on_paper, holds : dict of str to float
        Accuracy of the best attacker on each, if the statistics had densities, and as they are.
    undone : dict of str to bool
    """

    name: str
    calibration: Calibration
    refusal: str
    noises: dict[str, Noise]
    on_paper: dict[str, float]
    holds: dict[str, float]
    undone: dict[str, bool]

    @property
    def needs_noise(self) -> bool:
        """Whether there is noise that could be subtracted."""
        return any(not noise.is_zero for noise in self.noises.values())


def compare(view: View) -> tuple[Published, ...]:
    """The mechanisms as published and grid-safe, computed once for the scenario and the pair."""
    scenario = replace(view.scenario, mechanism="", seed=view.scenario.model_seed, look="")
    key = f"undoing {view.source.digest} {scenario!r} {view.focus}"
    return cache.computed(lambda: tuple(_compared(view, name) for name in MECHANISMS), key)


def _compared(view: View, name: str) -> Published:
    asked = view.scenario.calibration
    try:
        calibration, refusal, noises = asked, "", _noises(view, name, asked)
    except CalibrationError as error:
        calibration, refusal = "exact", str(error)
        try:
            noises = {} if asked == "exact" else _noises(view, name, "exact")
        except CalibrationError:
            noises = {}
    densities = _densities(view.focused)
    return Published(
        name,
        calibration,
        refusal,
        noises,
        {kind: optimal_attack_accuracy(densities, noise) for kind, noise in noises.items()},
        {kind: optimal_attack_accuracy(view.focused, noise) for kind, noise in noises.items()},
        {kind: is_undone(view.focused, noise) for kind, noise in noises.items()},
    )


def _noises(view: View, name: str, calibration: Calibration) -> dict[str, Noise]:
    return {
        kind: mechanisms.calibrate(
            name,
            view.model,
            view.scenario.epsilon,
            grid_safe=kind == _SAFE,
            **view.calibrating | {"calibration": calibration},
        )
        for kind in (_PUBLISHED, _SAFE)
    }


def _densities(model: GaussianModel) -> GaussianModel:
    """The model as the theorems take it: on no grid."""
    return replace(model, pairs=tuple(replace(fit, steps=None) for fit in model.pairs))


def section(view: View, compared: tuple[Published, ...]) -> None:
    """What published noise gives away, in sentences and as a picture that grows."""
    st.header("What the published mechanisms give away")
    if not (view.fit.grid > 0).any():
        st.markdown(
            "These statistics are on no grid: they do not move in steps, so arithmetic has nothing "
            "to hold on to, and the mechanisms protect as published."
        )
        return
    st.markdown(
        "The theorems take statistics for normal curves. Real ones move in steps: a count by "
        "whole numbers, an average of whole numbers by 1/n. Noise along few directions moves all "
        "statistics together, so whoever tries the values of one count, and keeps the value that "
        "puts all the others on their steps, has subtracted it. *Grid-safe* noise adds about half "
        "a step to every statistic, and nothing fits any better than anything else. "
        "The releases are simulated as the mechanisms publish them, with all their digits; that "
        "this dashboard rounds real ones hides a part of it, more where there is more noise."
    )
    drawn = tuple(row for row in compared if row.needs_noise)
    if not drawn:
        _sentences(view, compared, None)
        return
    undefended, seed = view.undefended, view.scenario.seed

    def draw(run: Run[AttackResult]) -> None:
        result = run.result()
        if run.failure:
            st.error(escape(run.failure), icon=":material/error:")
        _sentences(view, compared, result)
        display.chart(
            on_paper_and_on_the_grid(
                _rows(drawn, result), undefended=undefended, repetitions=run.done, seed=seed
            ),
            "undoing",
        )

    attack = view.attack(
        {f"{pair.name}, {kind}": noise for pair in drawn for kind, noise in pair.noises.items()},
        classifier=ARITHMETIC.name,
        rounded=False,
    )
    live.live(
        "undoing",
        (replace(view.scenario, mechanism=""), view.source.digest, view.fit.pair),
        lambda: repeated(attack.run, _REPETITIONS, attack.collect),
        draw,
        labels=_LABELS,
    )
    st.caption(known_in_words(attack))


def _rows(drawn: tuple[Published, ...], result: AttackResult | None) -> list[UndoneRow]:
    return [
        UndoneRow(
            row.name,
            kind,
            row.on_paper[kind],
            result.interval(f"{row.name}, {kind}") if result else None,
            row.undone[kind],
        )
        for row in drawn
        for kind in row.noises
    ]


def _sentences(view: View, compared: tuple[Published, ...], result: AttackResult | None) -> None:
    """One a mechanism; every figure is the one that holds, not the one on paper."""
    for row in compared:
        st.markdown(_sentence(view, row, result), help=escape(row.refusal) or None)


def _sentence(view: View, row: Published, result: AttackResult | None) -> str:
    name, asked = f"**{escape(row.name)}**", view.scenario.calibration
    if not row.noises:
        return f"{name} :gray-badge[:material/block: not applicable] {escape(row.refusal)}"
    if row.refusal:
        name += f", which cannot be calibrated *{asked}* here and stands with the *exact* one,"
    if not row.needs_noise:
        return f"{name} needs no noise at this ε and δ: there is nothing to undo."
    if not row.undone[_PUBLISHED]:
        return (
            f"{name} :green-badge[:material/verified_user: not undone] covers the grid as "
            f"published: the best attacker is right in **{percent(row.holds[_PUBLISHED])}**, "
            f"grid-safe in {percent(row.holds[_SAFE])}."
        )
    measured = "" if result is None else _simulated(row, result)
    errors = [number(view.reported(noise).expected_error()) for noise in row.noises.values()]
    cost = f"an error of {error_in_words(view, row.noises[_SAFE])}"
    cost += ", all but the same" if errors[0] == errors[1] else f" in place of {errors[0]}"
    return (
        f"{name} :red-badge[:material/calculate: undone by arithmetic] cannot be relied on as "
        f"published: up to **{percent(row.holds[_PUBLISHED])}** right, as without noise{measured}. "
        f"Grid-safe it is **{percent(row.holds[_SAFE])}**, with {cost}."
    )


def _simulated(row: Published, result: AttackResult) -> str:
    label = f"{row.name}, {_PUBLISHED}"
    interval, exact = result.interval(label), float(result.recovered[label].mean())
    return (
        f" (simulated: {percent(interval.estimate)}, 95\u00a0% interval {percent(interval.low)} to "
        f"{percent(interval.high)}, seed {result.seed}, and all true statistics read off exactly "
        f"from {percent(exact)} of the releases)"
    )
