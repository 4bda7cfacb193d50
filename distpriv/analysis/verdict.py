"""Whether it is safe to publish, in two sentences for whoever has no privacy vocabulary."""

from __future__ import annotations

from distpriv.analysis.answer import Wording
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.recommendation import Recommendation, down
from distpriv.model.gaussian import PairModel
from distpriv.words import exact, percent

__all__ = ["last_digits_in_words", "of_hundred", "right_of_hundred", "verdict_in_words"]

_CERTAIN = 1 - 1e-6  # by a law that leaves out what hardly ever happens
_COIN = "tossing a coin gives 50"


def of_hundred(accuracy: float) -> int:
    """Cases of 100 in which an attacker is right; 100 stands for certainty alone.

    Parameters
    ----------
    accuracy : float in [0, 1]
    """
    return 100 if accuracy >= 1 else min(round(100 * accuracy), 99)


def right_of_hundred(accuracy: float) -> str:
    """The same in words: ``60 of 100``, ``more than 99 of 100``.

    Parameters
    ----------
    accuracy : float in [0, 1]
    """
    more = "more than " if 0.995 <= accuracy < 1 else ""
    return f"{more}{of_hundred(accuracy)} of 100"


def last_digits_in_words(fit: PairModel, *, safe: Wording = str) -> str:
    """Return what the last digits of the statistics without noise tell; nothing where it is little.

    Parameters
    ----------
    fit : PairModel
    safe : callable
        See :func:`.answer`.
    """
    if not fit.apart:
        return ""
    if all(theta.fixed for theta in fit.thetas):
        return "The last digits give the share away."
    secret = safe(fit.pair.secret.label)
    return f"The last digits may tell how many of the released records have {secret}."


def verdict_in_words(
    evaluation: Evaluation,
    found: Recommendation | None = None,
    *,
    strong: Wording = str,
    safe: Wording = str,
) -> str:
    """What an attacker achieves without noise, what with it, and whether that noise is the one.

    Parameters
    ----------
    evaluation : Evaluation
    found : Recommendation, optional
        At the attack accuracy of the scenario's own noise; without it nothing is recommended.
    strong, safe : callable
        See :func:`.answer`.
    """
    having = [theta.having for theta in evaluation.fit.thetas]
    secret = strong(safe(evaluation.fit.pair.secret.label))
    if having[0] == having[1]:
        return (
            f"{strong('There is nothing to tell apart.')} Among {exact(evaluation.model.n)} "
            f"records both shares mean the same {exact(having[0])} with {secret}; take more "
            "records or a larger distance."
        )
    without = strong(right_of_hundred(evaluation.undefended))
    if evaluation.noise.is_zero:
        if evaluation.mechanism.protects:
            return (
                f"{strong('Yes, as it is.')} Even without noise an attacker guesses the share of "
                f"{secret} right only {without} times; {_COIN}."
            )
        return f"{strong('Not as it is.')} Without noise an attacker is right {without} times."
    start = (
        f"{strong('Not without noise:')} an attacker would guess the share of {secret} right "
        f"{without} times; {_COIN}."
    )
    digits = last_digits_in_words(evaluation.fit, safe=safe)
    if digits and (evaluation.undefended > _CERTAIN or evaluation.laws_for(None) is None):
        start = f"{start} {digits}"
    name = f"{safe(evaluation.scenario.mechanism)}, ε\u00a0=\u00a0{evaluation.scenario.epsilon:g}"
    if evaluation.undone:
        return f"{start} {strong(name)} does not help: arithmetic takes its noise off again."
    left = strong(right_of_hundred(evaluation.accuracy))
    best = None if found is None else found.best
    if best is not None and best.mechanism == evaluation.scenario.mechanism:
        return f"{start} We recommend {strong(name)}: {left}."
    end = f"With {strong(name)} it is {left}."
    # Where the floor alone is left, no ε moves the attacker, and a search may find only worse.
    if best is None or best.error >= evaluation.error:
        return f"{start} {end}"
    less = 1 - best.error / evaluation.error
    return (
        f"{start} {end} We recommend {strong(safe(best.mechanism))}, "
        f"ε\u00a0=\u00a0{down(best.epsilon)}: as safe, with an error {percent(less, 0)} smaller."
    )
