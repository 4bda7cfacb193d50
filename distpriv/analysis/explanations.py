"""What pages say about attackers, accepted errors and tests, in sentences of at most 25 words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distpriv.analysis.curves import ceiling
from distpriv.analysis.sentences import PLAIN, Style
from distpriv.text import significant, times

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.analysis.evaluation import Evaluation

__all__ = [
    "FAILING",
    "accepted_advice",
    "accepted_lead",
    "accepted_title",
    "failing_lead",
    "reach_lead",
]

FAILING = (
    "Adds DauM noise as it was published, and attacks by arithmetic. Figures move in steps: who "
    "tries each possible count can subtract noise along one direction."
)


def failing_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what arithmetic does to DauM as it was published, and to the chosen noise."""
    way = now.published
    reached = now.undefended if way is None else now.exposed_guesses(way)
    return (
        f"DauM as published promises at most {significant(now.limit)} right guesses. Arithmetic "
        f"subtracts its noise and is right {style.strong(times(reached))}; our noise stays."
    )


def reach_lead(now: Evaluation, frame: pd.DataFrame, across: str, style: Style = PLAIN) -> str:
    """Return what the best attacker reaches on the chosen way against Δp ("width") or ε."""
    right = style.strong(times(now.way.guesses))
    if across == "width":
        last = frame[frame["release"] == now.way.key].iloc[-1]
        own = significant(100 * now.scenario.secrets[now.exposed].width)
        made = f"{now.way.key} noise is made for" if now.needs_noise else "Without noise, at"
        return (
            f"{made} Δp = {own} points: there an attacker is right {right}. At "
            f"{last['width']:.0f} points it is {style.strong(times(last['guesses']))}."
        )
    if now.epsilon is None:
        return f"Without noise an attacker is right {right}. Noise of a smaller ε hides more."
    most = float(ceiling(now.epsilon, now.scenario.delta))
    return (
        f"At ε = {significant(now.epsilon)} an attacker is right {right}. The promise alone would "
        f"allow {style.strong(times(most))}, whatever the data."
    )


def accepted_title(frame: pd.DataFrame) -> str:
    """Return the right guesses that an accepted error means, from rows of `choose`."""
    some = frame.dropna(subset=["epsilon"])
    return f"Right {times(some['guesses'].min())}" if len(some) else "Which ε for this error?"


def accepted_lead(frame: pd.DataFrame, error: str, done: bool, style: Style = PLAIN) -> str:
    """Return which mechanism hides most at an accepted error, from rows of `choose`."""
    some = frame.dropna(subset=["epsilon"]).sort_values("guesses")
    if not done:
        return "Each mechanism's least ε is being searched."
    if not len(some):
        return "No mechanism is that exact at any ε up to 50."
    best = some.iloc[0]
    return (
        f"If {error}, {best['mechanism']} at ε = {significant(best['epsilon'])} hides "
        f"most: an attacker is right {style.strong(times(best['guesses']))}."
    )


def accepted_advice(points: pd.DataFrame, level: float, style: Style = PLAIN) -> str:
    """Return that balanced figures keep an accepted error, in per cent, too; "" if they do not."""
    balanced = points[(points["mechanism"] == "BalM") & (points["error"] <= level)]
    if not len(balanced):
        return ""
    request = style.strong("Publish balanced figures.")
    return f"{request} They keep this error, and an attacker is right {times(50)}."
