"""The question answered in sentences, for whoever shows them."""

from __future__ import annotations

from collections.abc import Callable

from distpriv.analysis.error_sizes import error_sizes, size_in_words, worst
from distpriv.analysis.evaluation import Evaluation
from distpriv.privacy.noise import Noise
from distpriv.words import exact, number, percent, share

__all__ = ["answer", "error_in_words", "pair_in_words"]

Wording = Callable[[str], str]


def answer(
    evaluation: Evaluation,
    *,
    strong: Wording = str,
    safe: Wording = str,
    valued: bool | None = None,
) -> str:
    """How often the best attacker is right without and with the noise, and what that costs.

    Parameters
    ----------
    evaluation : Evaluation
    strong : callable
        Emphasises a text; by default nothing is.
    safe : callable
        Makes the table's own names safe where the sentences are shown.
    valued : bool, optional
        Whether the statistics' values may be shown; by default unless the scenario is in its
        presentation view.
    """
    scenario, noise = evaluation.scenario, evaluation.noise
    having = [theta.having for theta in evaluation.fit.thetas]
    if having[0] == having[1]:
        return (
            f"Among {exact(evaluation.model.n)} records both shares mean the same "
            f"{exact(having[0])} with {strong(safe(evaluation.fit.pair.secret.label))}, so there "
            "is nothing to tell apart and no noise is needed; take a larger n or Δp."
        )
    start = (
        f"From these {len(scenario.query)} statistics of {exact(evaluation.model.n)} records the "
        f"best possible attacker tells {pair_in_words(evaluation, strong=strong, safe=safe)} in "
        f"{strong(percent(evaluation.undefended))} of cases; guessing is right in 50\u00a0%."
    )
    with_noise = f"{safe(scenario.mechanism)} at ε\u00a0=\u00a0{scenario.epsilon:g}"
    if noise.is_zero:
        return f"{start} {with_noise} needs no noise at all."
    shown = not scenario.presenting if valued is None else valued
    most = worst(error_sizes(evaluation.model, noise, evaluation.units, valued=shown))
    sentences = (
        f"{start} With {with_noise} it is right in {strong(percent(evaluation.accuracy))}. "
        f"The noise changes {safe(most.label)} most: {size_in_words(most)} on average."
    )
    if evaluation.error_unit:
        error = number(evaluation.reported(noise).expected_error())
        sentences += f" The total error is {error}\u00a0{evaluation.error_unit}."
    if evaluation.laws_for(noise) is not None:
        sentences += " These figures are by the exact law of the statistics, with no normal curve."
    if len(evaluation.model.pairs) > 1:
        sentences += f" The same noise hides all {len(evaluation.model.pairs)} pairs of shares."
    return sentences


def pair_in_words(evaluation: Evaluation, *, strong: Wording = str, safe: Wording = str) -> str:
    """The two shares of the secret that are looked at."""
    pair = evaluation.fit.pair
    return f"{share(pair.p_i)} from {share(pair.p_j)} of {strong(safe(pair.secret.label))}"


def error_in_words(evaluation: Evaluation, noise: Noise) -> str:
    """Expected L2 error in the units it is reported in: ``8.5 in L2``."""
    error, unit = number(evaluation.reported(noise).expected_error()), evaluation.error_unit
    return f"{error}\u00a0{unit} in L2" if unit else f"{error} in L2"
