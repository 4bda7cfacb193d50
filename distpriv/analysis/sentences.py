"""What pages, alternative texts and reports say about results, in sentences of at most 25 words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.special import kolmogi

from distpriv.analysis.scenario import Scenario
from distpriv.text import percent, significant, times, whole

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.analysis.evaluation import Evaluation

__all__ = ["PLAIN", "Style", "advice", "attack_lead", "attack_title", "caveats", "chance"]
__all__ += ["check_lead", "check_title", "directions_advice", "directions_lead"]
__all__ += ["directions_title", "fit_advice", "fit_lead", "fit_title", "off", "tradeoff_advice"]
__all__ += ["tradeoff_lead", "tradeoff_title", "warning"]

_NEAR = 0.7  # of the error of no data, from which on that is said, too


@dataclass(frozen=True)
class Style:
    """Hold how a medium writes names that come from a table, and what is stressed."""

    name: Callable[[str], str] = str  # escapes and marks
    strong: Callable[[str], str] = str  # of the program's own text, or what `name` returned


PLAIN = Style()


def off(error: float) -> str:
    """Write a mean error: "2.9 %"."""
    return f"{significant(error, 2)}\u00a0%"


def check_title(now: Evaluation) -> str:
    """Return whether an attacker can tell the shares; what is accepted does not make that safe."""
    if now.needs_noise:
        return "An attacker could tell"
    return "An attacker cannot tell" if now.undefended <= Scenario.guesses else "Within your limit"


def check_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what an attacker guesses, how often that is right, and what is accepted.

    About the most exposed secret.
    """
    pair = now.scenario.secrets[now.exposed]
    low, high = map(style.strong, now.exposed_shares)
    accepts = f"you accept {significant(now.limit)}"
    if now.scenario.by == "epsilon":
        accepts = f"your ε allows an attacker to be right {times(now.limit)}"
    return (
        f"They guess whether {low} or {high} of {whole(now.n)} records have "
        f"{style.name(pair.secret.label)}, and are right {style.strong(times(now.undefended))}. "
        f"50 is a coin toss; {accepts}."
    )


def warning(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what comes before any advice, for the analyst alone; "" for nothing."""
    if (pair := now.outside) is None:
        return ""
    low, high, secret = percent(pair.low), percent(pair.high), style.name(pair.secret.label)
    return (
        f"{style.strong('Widen the two shares first.')} Your table's own share of {secret} lies "
        f"outside {low} to {high}. Only you see this."
    )


def advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return which way of releasing to take, and what it comes to."""
    way, nothing = now.recommendation.way, now.recommendation.nothing
    request = style.strong(way.advice)
    if way.release.kind == "as it is":
        return f"{request} This keeps your limit, by our model."
    if now.recommendation.worse_than_nothing:
        request = request if way.publishable else style.strong("Release nothing from this table.")
        return (
            f"{request} Every way that keeps your limit is worse than an educated guess, which is "
            f"off by {style.strong(off(nothing.percent))}."
        )
    text = (
        f"{request} Then an attacker is right {style.strong(times(way.guesses))}, and the figures "
        f"are off by {style.strong(off(way.percent))} on average."
    )
    if way.percent > _NEAR * nothing.percent:
        text += f" An educated guess, without any data, is off by {off(nothing.percent)}."
    return text


def caveats(now: Evaluation) -> tuple[str, ...]:
    """Return what the answer rests on or leaves out, a sentence each."""
    one, sentences = now.scenario, []
    if now.model.provenance == "table":
        sentences += [
            "The range tells that the share lies in it; nothing inside it is told.",
            "No data and best estimates are only yardsticks: they are computed from your table, "
            "and publishing them would tell its share.",
        ]
    if dropped := now.groups[0].dropped:
        verb = "record lacks a value and is" if dropped == 1 else "records lack a value and are"
        sentences.append(f"{whole(dropped)} {verb} left out.")
    if now.needs_noise and one.calibration == "classical" and (now.epsilon or 0) > 1:
        sentences.append("Classical calibration is proven only up to ε = 1; take guarded noise.")
    if now.needs_noise and one.calibration != "guarded":
        sentences.append("This noise assumes equal scatter at both shares; guarded noise does not.")
    if now.needs_noise and not one.grid_safe:
        sentences.append("Rounding tricks can remove this noise; grid-safe noise prevents that.")
    return tuple(sentences)


def tradeoff_title(now: Evaluation) -> str:
    """Return the error that the limit costs with the chosen mechanism."""
    if not now.needs_noise:
        return "No noise needed"
    return f"{off(now.way.percent)} off for {now.way.guesses:.0f} of 100"


def tradeoff_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what the chosen mechanism comes to."""
    if not now.needs_noise:
        return f"Without noise an attacker is right {style.strong(times(now.undefended))}."
    at = "" if now.epsilon is None else f" at ε = {significant(now.epsilon)}"
    right, error = style.strong(times(now.way.guesses)), style.strong(off(now.way.percent))
    return (
        f"With {now.way.key}{at} an attacker is right {right}, and the figures are off by {error} "
        "on average."
    )


def tradeoff_advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return a better way than the chosen mechanism, or that there is none; "" without noise."""
    if not now.needs_noise:
        return ""
    if now.recommendation.way.key == now.way.key:
        return style.strong("No mechanism does noticeably better.")
    return advice(now, style)


def attack_title(now: Evaluation) -> str:
    """Return how often the best attacker is right about the most exposed secret."""
    return f"Right {times(now.exposed_guesses(now.way))}"


def attack_lead(now: Evaluation, frame: pd.DataFrame, name: str, style: Style = PLAIN) -> str:
    """Return how a simulated attacker does on a release beside the best one, of `attack_frame`."""
    part, best = frame[frame["release"] == name], now.exposed_guesses(now.way)
    if not len(part):
        return f"The best possible attacker is right {times(best)}."
    last = part.iloc[-1]
    spread, done = last["high"] - last["guesses"], int(last["simulations"])
    score = f"{last['guesses']:.1f}" + ("" if math.isnan(spread) else f" ± {spread:.1f}")
    repetitions = f"{whole(done)} repetition" + ("" if done == 1 else "s")
    return (
        f"After {repetitions} a trained attacker is right {style.strong(score)} times in 100; the "
        f"best possible one {best:.0f}."
    )


def chance(draws: int, curves: int = 1) -> float:
    """Return the misfit in points of 100 that chance exceeds once in 100 times, on any curve.

    By Kolmogorov's law, which is generous for statistics on a grid.
    """
    return 100 * float(kolmogi(0.01 / curves)) / math.sqrt(draws)


def _misfit(now: Evaluation) -> tuple[float, float, str]:
    """Return the worst misfit, what is chance, and the statistic."""
    frame = now.fit()
    worst = frame.sort_values("misfit").iloc[-1]
    return worst["misfit"], chance(now.draws.shape[1], len(frame)), worst["statistic"]


def _fits(now: Evaluation) -> bool:
    misfit, by_chance, _ = _misfit(now)
    return misfit <= by_chance + 1


def fit_title(now: Evaluation) -> str:
    """Return whether the figures are bell-shaped."""
    return "Close to bell curves" if _fits(now) else "Not all bell curves"


def fit_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return how far the worst figure is from its curve."""
    misfit, by_chance, statistic = _misfit(now)
    points = style.strong(f"{misfit:.0f} points of 100")
    return (
        f"The worst fit is {style.name(statistic)}: off by about {points}, in "
        f"{whole(now.draws.shape[1])} simulated tables. Up to {by_chance:.0f} is chance."
    )


def fit_advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what the fit means for noise and for balanced figures."""
    if _fits(now):
        request = style.strong("You can rely on the promise of noise.")
        return f"{request} Balanced figures need no bell curves."
    if "BalM" in now.unavailable:
        return style.strong("Take more records: noise is proven only for bell curves.")
    request = style.strong("Take balanced figures: they hold for any data.")
    return f"{request} Noise is proven only for bell curves."


def directions_title(now: Evaluation) -> str:
    """Return the question of the page."""
    return "Which figure tells most?" if len(now.labels) > 1 else "One figure, one direction"


def directions_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return which figure tells most."""
    frame = now.contributions()
    first = frame.sort_values("alone").iloc[-1]
    alone = min(first["alone"], now.undefended)  # near 100 by rounding alone
    lead = f"An attacker guesses right {style.strong(times(alone))} from "
    lead += f"{style.name(first['statistic'])} alone; "
    if len(frame) == 1:
        return f"{lead}there is no other figure."
    together = "both" if len(frame) == 2 else f"all {len(frame)}"
    return f"{lead}from {together} together, {style.strong(times(now.undefended))}."


def directions_advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return the figure to leave out, where that alone keeps the limit; else nothing."""
    frame = now.contributions()
    least = frame.sort_values("without").iloc[0]
    if len(frame) == 1 or not now.needs_noise or least["without"] > now.limit:
        return ""
    figure = style.name(least["statistic"])
    return f"{style.strong('Leave out')} {figure}, and they are right {times(least['without'])}."
