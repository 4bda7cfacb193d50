"""A report's sentences."""

from __future__ import annotations

import math

from distpriv.analysis.basis import basis_in_words, refuted_in_words, remedy_in_words
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.for_persons import per_record_in_words
from distpriv.analysis.keeping import keeping
from distpriv.analysis.recommendation import Recommendation, recommended_in_words
from distpriv.analysis.without_curves import CurvePrice, price_in_words, refused_in_words
from distpriv.model.sampling import Interval
from distpriv.words import exact, listed, number, percent, share, with_unit

__all__ = [
    "HOLDS",
    "MARK",
    "PREAMBLE",
    "UNLINKED",
    "counted",
    "delivered",
    "guarantee",
    "interval",
    "question",
    "recommended",
    "without_curves",
]

HOLDS = {
    "yes": "holds exactly",
    "within chance": "not refuted",
    "no": "does not hold exactly",
    "not measured": "not measured",
}
"""Verdicts in words."""

MARK = "Not to be shown: this file holds true values of the data."

PREAMBLE = (
    "Promised, delivered and assumed stand side by side: a promise holds as far as its "
    "assumptions do. An attacker's accuracy is a lower bound on the risk, not a guarantee; it is a "
    "simulation, and no release of the data."
)


UNLINKED = (
    "No link stands here, as none would open the scenario from another machine; its choices stand "
    "above, and its file can be saved on the page Compare."
)


def counted(value: float, unit: str) -> str:
    """A figure with its unit, if it has one."""
    return with_unit(value, unit)


def delivered(finding: Evaluation) -> tuple[float | None, float | None]:
    """δ at the promised ε and ε at the promised δ; None where nothing is promised or known."""
    if not finding.mechanism.protects:
        return None, None
    return finding.delivered_delta, None if finding.undone else finding.delivered_epsilon


def recommended(finding: Evaluation, found: Recommendation | None, price: CurvePrice) -> str:
    """Which mechanism to take at the same attack accuracy; plain.

    One that rests on normal curves is not recommended where another is because they do not hold.
    """
    if found is None:
        return ""
    if price.advised is not None:
        return (
            f"{price.advised.title} is recommended, as the normal curves are not to be trusted "
            "here: see below."
        )
    return recommended_in_words(finding, found)


def without_curves(price: CurvePrice) -> str:
    """Whether the answer's promise needs normal curves, and what doing without them costs."""
    advised = price.advised
    return f"Is the bell curve needed? {price_in_words(price)} {refused_in_words(price)}" + (
        "" if advised is None else f" {advised.title} is recommended."
    )


def question(asked: Evaluation) -> str:
    """What is asked."""
    fit = asked.fit
    counts = [theta.having for theta in fit.thetas]
    return (
        f"Can anybody who sees {listed(list(asked.labels))} of {exact(asked.model.n)} records tell "
        f"whether {exact(counts[0])} or {exact(counts[1])} of them ({share(fit.pair.p_i)} or "
        f"{share(fit.pair.p_j)}) have the property {fit.pair.secret.label}?"
    )


def guarantee(finding: Evaluation) -> str:
    """What is promised and delivered about the secret, and to each person."""
    record = per_record_in_words(finding.scenario, finding.noise, finding.per_record(), handed=True)
    return f"{_about_the_secret(finding)} {record}"


def _about_the_secret(finding: Evaluation) -> str:
    model, noise = finding.model, finding.noise
    if not finding.mechanism.protects:
        return "It promises nothing about the secret, only about single records."
    promised = f"Promised: ε = {noise.epsilon:g}, δ = {exact(noise.delta)}."
    delta = number(finding.delivered_delta)
    if finding.undone:
        return (
            f"{promised} Undone by arithmetic: the noise leaves directions bare, and whoever knows "
            "in what steps the statistics move subtracts it. What holds is what holds without "
            f"noise: δ = {delta} at that ε."
        )
    epsilon, basis = finding.delivered_epsilon, basis_in_words(finding.laws_for(noise))
    where = f" ({model.pairs[finding.worst.pair].pair.label})" if len(model.pairs) > 1 else ""
    return (
        f"{promised} Delivered {basis}, at worst{where}: δ = {delta} at that ε"
        + ("" if epsilon is None else f", or ε = {number(epsilon)} at that δ")
        + (
            ". The promise is kept."
            if finding.kept and keeping(finding.delivered_delta, noise.delta).kept
            else ", more than promised: these normals are not the distributions, and it is kept."
            if finding.kept
            else f".{refuted_in_words(finding.refuted)} The promise is {finding.promise.words}: "
            f"{_remedy(finding)}."
        )
        + _rests_on(finding)
    )


def _remedy(finding: Evaluation) -> str:
    """What makes up for a promise that is not kept, or why it is not."""
    by_law = finding.laws_for(finding.noise) is not None
    return remedy_in_words(finding.noise, by_law=by_law, refuted=finding.refuted is not None)


def _rests_on(finding: Evaluation) -> str:
    """Why arithmetic does not undo the noise, or why no calibration applies to it."""
    if finding.mechanism.from_records:
        return (
            " No calibration applies to it: the promise needs no normal curve, only that records "
            "are drawn as described."
        )
    if finding.noise.floor is None:
        return ""
    return " Arithmetic does not undo it: there is noise of half a step or more on every statistic."


def interval(simulated: Interval) -> str:
    """How often a simulated attacker is right; NaN where none was simulated."""
    if math.isnan(simulated.estimate):
        return "not simulated"
    return f"{percent(simulated.estimate)} ({percent(simulated.low)} to {percent(simulated.high)})"
