"""A report's sentences."""

from __future__ import annotations

from distpriv.analysis.scenario import Scenario
from distpriv.mechanisms import Mechanism
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.covered import is_undone
from distpriv.privacy.delivered import delivered_epsilon, worst_case
from distpriv.privacy.noise import Noise
from distpriv.words import exact, listed, number, percent, share, with_unit

__all__ = ["HOLDS", "MARK", "PREAMBLE", "answer", "counted", "guarantee", "question"]

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

KEPT = 1 + 1e-6
"""Rounding that a promise is allowed."""


def counted(value: float, unit: str) -> str:
    """A figure with its unit, if it has one."""
    return with_unit(value, unit)


def question(scenario: Scenario, fit: PairModel, n: int) -> str:
    """What is asked."""
    counts = [theta.having for theta in fit.thetas]
    return (
        f"Can anybody who sees {listed(list(scenario.query.labels))} of {n} records tell whether "
        f"{counts[0]} or {counts[1]} of them ({share(fit.pair.p_i)} or {share(fit.pair.p_j)}) "
        f"have the property {fit.pair.secret.label}?"
    )


def answer(
    scenario: Scenario,
    model: GaussianModel,
    fit: PairModel,
    mechanism: str,
    undefended: float,
    accuracy: float,
    error: str,
) -> str:
    """The question answered."""
    counts = [theta.having for theta in fit.thetas]
    if counts[0] == counts[1]:
        return (
            f"Among {model.n} records both shares mean the same {counts[0]}, so there is nothing "
            "to tell apart; take a larger n or Δp."
        )
    told = (
        f"Without noise the best possible attacker is right in {percent(undefended)} of cases, "
        f"where guessing is in 50 %; with {mechanism} at ε = {scenario.epsilon:g} in "
        f"{percent(accuracy)}, and the released statistics move by {error} in L2."
    )
    if len(model.pairs) > 1:
        told += f" The same noise hides all {len(model.pairs)} pairs of shares."
    return told


def guarantee(
    mechanism: Mechanism, model: GaussianModel, noise: Noise
) -> tuple[str, float | None, float | None, bool | None]:
    """What is promised and delivered in words, δ and ε delivered, and whether that is enough."""
    if not mechanism.protects:
        return "It promises nothing about the secret, only about single records.", None, None, None
    promised = f"Promised: ε = {noise.epsilon:g}, δ = {exact(noise.delta)}."
    if is_undone(model, noise):
        worst = worst_case(model, None, noise.epsilon)
        told = (
            f"{promised} Undone by arithmetic: the noise leaves directions bare, and whoever knows "
            "in what steps the statistics move subtracts it. What holds is what holds without "
            f"noise: δ = {number(worst.delta)} at that ε."
        )
        return told, worst.delta, None, False
    worst = worst_case(model, noise, noise.epsilon)
    kept = worst.delta <= noise.delta * KEPT
    epsilon = delivered_epsilon(model, noise, noise.delta) if noise.delta else None
    where = f" ({model.pairs[worst.pair].pair.label})" if len(model.pairs) > 1 else ""
    told = (
        f"{promised} Delivered by the fitted normals, with the covariance each of them has, at "
        f"worst{where}: δ = {number(worst.delta)} at that ε"
        + ("" if epsilon is None else f", or ε = {number(epsilon)} at that δ")
        + (
            ". The promise is kept."
            if kept
            else ". The promise is not kept"
            + (
                "; the guarded calibration makes up for it."
                if noise.distribution == "gaussian"
                else ": the two shares do more than shift the statistics."
            )
        )
        + (
            ""
            if noise.floor is None
            else " Arithmetic does not undo it: there is noise of half a step or more on every "
            "statistic."
        )
    )
    return told, worst.delta, epsilon, kept
