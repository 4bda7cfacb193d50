"""What pages say about attackers, accepted errors and tests, in sentences of at most 25 words."""

from __future__ import annotations

import math

import pandas as pd

from distpriv.analysis.curves import ceiling
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.guarantee import NEAR, SCATTERED, extra_noise
from distpriv.analysis.sentences import PLAIN, SAMPLED, Style
from distpriv.attacks import Audit
from distpriv.distances import close_attackers
from distpriv.model.diagnostics import bootstrap_intervals, covariance_difference
from distpriv.text import listed, percent, significant, times, whole

__all__ = ["accepted_advice", "accepted_lead", "accepted_title", "audit", "basis"]
__all__ += ["belief_lead", "close_lead", "extra_lead", "failing", "fit_table", "fit_tests"]
__all__ += ["reach_lead", "recall_lead", "relaxed_lead"]


def basis(now: Evaluation) -> str:
    """Return by which law figures about attackers are computed."""
    return "by the exact law" if now.plain.rests == "exact" else "by our model"


def failing(now: Evaluation, style: Style = PLAIN) -> tuple[str, str]:
    """Return what arithmetic does to DauM as it was published, and to the chosen noise."""
    way = now.published
    reached = now.undefended if way is None else now.exposed_guesses(way)
    lead = (
        f"DauM as published promises at most {significant(now.limit)} right guesses of 100. "
        f"Arithmetic subtracts its noise and is right {style.strong(times(reached))}."
    )
    right = times(now.exposed_guesses(now.way))
    return lead, f"{style.strong('Our noise stays.')} The same attacker is right {right}, at best."


def reach_lead(now: Evaluation, frame: pd.DataFrame, across: str, style: Style = PLAIN) -> str:
    """Return what the best attacker reaches on the chosen way against Δp ("width") or ε."""
    right = style.strong(times(now.way.guesses))
    if across == "width":
        own = significant(100 * now.scenario.secrets[now.exposed].width)
        lead = f"Without noise, an attacker is right {right} at Δp = {own} points."
        if now.needs_noise:
            made = f"{now.way.key} noise is made for Δp = {own} points"
            lead = f"{made}: there an attacker is right {right}."
        part = frame[frame["release"] == now.way.key]
        if not len(part):
            return lead
        far = part.iloc[-1]
        return f"{lead} At {far['width']:.0f} points it is {style.strong(times(far['guesses']))}."
    if now.epsilon is None:
        return f"Without noise an attacker is right {right}. Noise of a smaller ε hides more."
    most = float(ceiling(now.epsilon, now.scenario.delta))
    return (
        f"At ε = {significant(now.epsilon)} an attacker is right {right}. The promise alone would "
        f"allow {style.strong(times(most))}, whatever the data."
    )


def relaxed_lead(frame: pd.DataFrame, off: float, style: Style = PLAIN) -> str:
    """Return right guesses where figures scatter otherwise, from `guarantee.relaxed_frame`."""
    first = frame[frame["epsilon"] == 0].set_index("way")["delta"]
    right = {way: style.strong(f"{50 + 50 * delta:.1f}") for way, delta in first.items()}
    return (
        f"If the figures scatter {percent(off)} more or less than our curves say, an attacker is "
        f"right at most {right[SCATTERED]} times in\u00a0100. For laws of any shape that differ "
        f"as much, the proven bound is {right[NEAR]}."
    )


def extra_lead(now: Evaluation, off: float) -> str:
    """Return what more Laplace noise proves for laws of any shape, see `guarantee.extra_noise`."""
    scale, left = now.cache.once(extra_noise, now.model, now.promise, off)
    return (
        f"With further Laplace noise of scale {significant(scale)} on every figure, all such laws "
        f"allow at most {float(ceiling(left.epsilon, left.delta)):.1f} right guesses of 100 "
        "(Theorem 4.7)."
    )


def close_lead(now: Evaluation) -> str:
    """Return what a promise is worth against attackers who compare shares beside the hidden ones.

    By Proposition A.7, a point further out, where each record has the property by itself.
    """
    pair = now.scenario.secrets[now.exposed]
    shares = max(pair.low - 0.01, pair.low / 2), min(pair.high + 0.01, (1 + pair.high) / 2)
    c = close_attackers(shares, [(pair.low, pair.high)], now.n, independent=True)
    low, high = (percent(share, 3) for share in shares)
    factor = significant(math.exp(c)) if c < 700 else f"e^{significant(c)}"
    return (
        f"An attacker may compare {low} and {high} instead. If records are independent, ε then "
        f"grows by {significant(2 * c)}, and δ by a factor of {factor} "
        "(Proposition A.7)."
    )


def recall_lead(frame: pd.DataFrame, name: str, high: str, style: Style = PLAIN) -> str:
    """Return precision at a recall of half, and the F-score, of the best attacker on a release."""
    part = frame[frame["release"] == name]
    middle = part.iloc[(part["recall"] - 50).abs().argmin()]
    right = style.strong(f"{middle['precision']:.0f} of 100")
    score = style.strong(f"{middle['f_score']:.2f}")
    return (
        f"An attacker who finds half of the tables at {high} is right in {right} such guesses. "
        f"The largest F-score is {score}."
    )


def belief_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return how sure somebody undecided between the two shares is after one release."""
    frame, side = now.beliefs()
    (low, high), true, sure = now.exposed_shares, now.exposed_shares[side], {}
    for name, part in frame.groupby("release"):
        ends = part["belief"].iloc[[0, -1]]
        held = 100 * ends.iloc[-side] / (ends.sum() or 1.0)
        words = "over 99" if held > 99.5 else "under 1" if held < 0.5 else f"{held:.0f}"
        sure[name] = style.strong(f"{words} % sure")
    lead = (
        f"A table was drawn at {true}. Someone undecided between {low} and {high} ends "
        f"{sure[now.way.key]} of {true}"
    )
    plain = f" With the figures as they are, they end {sure['as it is']}."
    return f"{lead}." + plain * (now.way.key != "as it is")


def audit(found: Audit, style: Style = PLAIN) -> str:
    """Return what an attack proves about the ε that is claimed."""
    claim = "" if found.claimed is None else significant(found.claimed)
    least = style.strong(f"ε ≥ {significant(found.epsilon, 2)}")
    if found.refuted:
        return f"This attack refutes the promise: it proves {least}; the promise is ε = {claim}."
    return (
        f"This attack proves no more than {least}, with {percent(found.confidence)} confidence; "
        f"the promise is ε = {claim} at δ = {found.delta:g}."
    )


def accepted_title(frame: pd.DataFrame) -> str:
    """Return the right guesses that an accepted error means, from rows as of `accepted_lead`."""
    return f"Right {times(frame['guesses'].min())}" if len(frame) else "Which ε for this error?"


def accepted_lead(frame: pd.DataFrame, error: str, done: bool, style: Style = PLAIN) -> str:
    """Return which mechanism hides most, from rows of `choose` that have an ε, this one first."""
    if not done:
        return "The least ε of each mechanism is being computed."
    if not len(frame):
        return "No mechanism keeps this error at any ε up to 50."
    best = frame.iloc[0]
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


def fit_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return `frames.tests_frame` as people read it: a row a figure, p at each share."""
    p = frame.pivot_table("p", "statistic", "share", sort=False, dropna=False)
    words = p.map(lambda one: "does not vary" if one != one else _chance(one))  # NaN
    return words.rename(columns="p at {}".format).rename_axis(None).rename_axis(None, axis=1)


def fit_tests(now: Evaluation, style: Style = PLAIN) -> tuple[str, ...]:
    """Return what tests of the fit say, and how figures that are no sums were fitted."""
    p, tables = now.tests()["p"].dropna(), whole(now.draws.shape[1])
    distance = now.cache.once(bootstrap_intervals, now.draws).iloc[-1]
    pair, noise = now.model.pairs[now.exposed], now.way.release.total(len(now.labels))
    scatter = covariance_difference(pair, noise, now.epsilon or 1.0)
    level = 0.01 / max(len(p), 1)
    worst = f"the least p is {_chance(p.min())}" if len(p) else "no figure varies"
    low, high = (significant(distance[end]) for end in ("low", "high"))
    differs = percent(max(abs(1 - one) for one in scatter.extremes), 2)
    epsilon = significant(scatter.epsilon)
    words = [
        f"p says how often chance alone fits as badly, in {tables} simulated tables.",
        f"Of {len(p)} tests, {worst}. A p below {significant(level, 1)} is more than chance.",
        f"The two shares are {significant(distance['estimate'])} deviations apart: {low} to {high} "
        "in 95 of 100 resamples.",
        f"After release, the scatter at the two shares differs by up to {differs}. So δ at "
        f"ε = {epsilon} is {significant(scatter.delta, 2)}; with equal scatter "
        f"{significant(scatter.pooled, 2)}.",
    ]
    words += [SAMPLED] if now.sampled else []
    others = [one.title for one in now.query.statistics if not one.linear]
    if others:
        verb = "is not a sum, so its" if len(others) == 1 else "are not sums, so their"
        words.append(
            f"{listed(style.name(name) for name in others)} {verb} law was fitted to simulated "
            "tables; noise covers what these leave unknown."
        )
    return tuple(words)


def _chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
