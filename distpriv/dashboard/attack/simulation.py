"""The Attack page's simulated attacker: chosen, run, and held against the best possible one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sklearn.linear_model  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv import mechanisms
from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.attacks.knowledge import known_in_words
from distpriv.attacks.property_inference import (
    ARITHMETIC,
    AttackResult,
    PropertyInferenceAttack,
    attacker_names,
    get_attacker,
)
from distpriv.charts.attack import accuracy_by_mechanism
from distpriv.dashboard.shell import live
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.curves import shown_at_first
from distpriv.dashboard.widgets.scenario import pair_words
from distpriv.glossary import hover
from distpriv.model.run import Run, repeated
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise
from distpriv.words import escape, percent

__all__ = ["Choice", "choose", "show"]


@dataclass(frozen=True, eq=False)
class Choice:
    """An attacker and the releases that it meets.

    Attributes
    ----------
    adaptive : bool
        Whether it trains on noisy statistics.
    classifier : str
    repetitions : int
    noises : dict of str to Noise
        By mechanism, the scenario's among them.
    """

    adaptive: bool
    classifier: str
    repetitions: int
    noises: dict[str, Noise]

    @property
    def releases(self) -> dict[str, Noise | None]:
        """The noises, and none."""
        return {UNDEFENDED: None, **self.noises}

    @property
    def attacker(self) -> str:
        """The attacker in words."""
        title = get_attacker(self.classifier).title.lower()
        if self.classifier == ARITHMETIC.name:
            return title
        return title + (", adaptive" if self.adaptive else ", trained without noise")


def choose(view: View) -> Choice:
    """Controls of the attacker, its repetitions and the mechanisms."""
    mode, kind, count, which = st.columns([2, 2, 1, 4])
    # Drawn first: arithmetic needs no training.
    classifier = kind.selectbox(
        "Attacker",
        attacker_names(),
        format_func=lambda name: get_attacker(name).title,
        key="attack_classifier",
        persist_state="session",
        help="\n".join(
            f"- **{get_attacker(name).title}**: {get_attacker(name).summary}"
            for name in attacker_names()
        ),
    )
    training = mode.segmented_control(
        "Attacker trains on",
        ["noisy data", "clean data"],
        default="noisy data",
        required=True,
        key="attack_training",
        persist_state="session",
        disabled=classifier == ARITHMETIC.name,
        help=f"{hover('adaptive attacker')} Arithmetic needs no training.",
    )
    repetitions = count.selectbox(
        "Repetitions",
        [20, 50, 200, 1000],
        index=1,
        key="attack_repetitions",
        persist_state="session",
    )
    offered = mechanisms.names()
    shown = which.multiselect(
        "Mechanisms",
        offered,
        default=shown_at_first(offered),
        key="attack_mechanisms",
        persist_state="session",
        wrap=True,
    )
    noises = view.noises(tuple(dict.fromkeys([*shown, view.scenario.mechanism])))
    return Choice(training == "noisy data", classifier, repetitions, noises)


def show(view: View, choice: Choice, picture: DeltaGenerator) -> Run[AttackResult]:
    """Buttons here; the result in words and its picture, which grows, there."""
    scenario, pair = view.scenario, view.fit.pair
    attack = view.attack(choice.releases, adaptive=choice.adaptive, classifier=choice.classifier)
    key = (scenario, view.source.digest, pair, choice.adaptive, choice.classifier,
           choice.repetitions, tuple(choice.noises))  # fmt: skip
    return live.live(
        "attack",
        key,
        lambda: repeated(attack.run, choice.repetitions, attack.collect),
        _drawing(view, choice, attack),
        picture=picture,
    )


def _drawing(
    view: View, choice: Choice, attack: PropertyInferenceAttack
) -> Callable[[Run[AttackResult]], None]:
    scenario, knows = view.scenario, known_in_words(attack)
    optimal = {name: view.accuracy_of(noise) for name, noise in choice.releases.items()}

    def draw(run: Run[AttackResult]) -> None:
        result = run.result()
        st.markdown(_sentence(view, optimal, result) + f" {knows}" * bool(result))
        live.bar(
            run,
            f"{run.done} of {choice.repetitions} repetitions, "
            f"{attack.tests} datasets guessed in each",
        )
        display.chart(
            accuracy_by_mechanism(
                {name: result.interval(name) for name in result.accuracy} if result else {},
                optimal=optimal,
                undefended_optimal=optimal[UNDEFENDED],
                ceiling=accuracy_ceiling(scenario.epsilon, scenario.delta),
                repetitions=run.done,
                seed=scenario.seed,
                attacker=choice.attacker,
                knows=knows,
                selected=scenario.mechanism,
            ),
            "attack",
        )

    return draw


def _sentence(view: View, optimal: dict[str, float], result: AttackResult | None) -> str:
    """How often the attacker names the right share, in words."""
    scenario = view.scenario
    known = [f"the best possible attacker in **{percent(optimal[scenario.mechanism])}**"]
    if result:
        measured = result.interval(scenario.mechanism)
        known.append(
            f"the simulated one in {percent(measured.estimate)} "
            f"(95\u00a0% interval {percent(measured.low)} to {percent(measured.high)}, "
            f"{result.repetitions} repetitions, seed {result.seed})"
        )
    return (
        f"With {escape(scenario.mechanism)} at ε\u00a0=\u00a0{scenario.epsilon:g} "
        f"{' and '.join(known)} of cases tells {pair_words(view)}; without noise "
        f"{percent(optimal[UNDEFENDED])}, by guessing 50\u00a0%."
    )
