"""What a release delivers at least, by the fitted normals and at most, in sentences."""

from __future__ import annotations

from distpriv.analysis.answer import Wording
from distpriv.analysis.brackets import Brackets, Delivered
from distpriv.words import SPACE, exact, number, percent

__all__ = ["basis", "in_a_line", "judged", "proven", "without_curves"]

_ALONE = "That rests on nothing but how the records are drawn."


def without_curves(brackets: Brackets, *, strong: Wording = str, safe: Wording = str) -> str:
    """What is delivered at most, whatever the curves look like.

    Parameters
    ----------
    brackets : Brackets
    strong : callable
        Emphasises a text; by default nothing is.
    safe : callable
        Makes names of the data safe where the sentence is shown.
    """
    most, at = brackets.at_most, f"δ{SPACE}={SPACE}{exact(brackets.delta)}"
    if most is None:
        reason = safe(brackets.unbounded)
        return f"How much is delivered at most is not known without the curves. {reason}"
    if brackets.exact:
        return (
            f"Whatever the curves look like, {strong(_epsilon(most) + f' at {at}')}: this is what "
            f"the release delivers exactly; at ε{SPACE}={SPACE}{exact(brackets.epsilon)} it is "
            f"δ{SPACE}={SPACE}{number(most.delta)}."
        )
    bounded = f"δ{SPACE}={SPACE}{number(most.delta)}"
    here = f"at ε{SPACE}={SPACE}{exact(brackets.epsilon)}"
    if most.epsilon < float("inf"):
        return (
            f"Whatever the curves look like, {strong(_epsilon(most) + f' at {at}')} is not "
            f"exceeded, nor {bounded} {here}."
        )
    none = most.delta >= 1
    nothing = "no coupling shows less than δ = 1" if none else f"{bounded} is not exceeded"
    return (
        f"Whatever the curves look like: {at} is shown {strong('at no ε')}; {here}, "
        f"{nothing.replace(' = ', f'{SPACE}={SPACE}')}."
    )


def basis(brackets: Brackets) -> str:
    """What the figure that is not exceeded rests on."""
    if brackets.at_most is None:
        return ""
    start = "It rests only on this, that the records are drawn as described"
    if brackets.exact or brackets.bound is None:
        return f"{start}: the law of the statistics is computed from them, to a thousandth of δ."
    bound = brackets.bound
    swapped = "one record" if bound.swapped == 1 else f"{bound.swapped} records"
    swapped = f"about {swapped}" if bound.varying else swapped
    beside = "records like them" if bound.matched == "alike" else "any others"
    pairs = f", for the worst of {brackets.pairs} pairs" if brackets.pairs > 1 else ""
    differ = f"coupling bound, {swapped} swapped for {beside}{pairs}"
    if not bound.draws:
        return f"{start} ({differ}; enumerated, not drawn)."
    return (
        f"{start} ({differ}; {number(bound.draws)} draws, seed {bound.seed}, confidence "
        f"1{SPACE}−{SPACE}{exact(1 - bound.confidence)}, which is charged to δ)."
    )


def proven(brackets: Brackets) -> str:
    """What simulated attacks prove that is delivered at least, and what they could show at best."""
    audit = brackets.audit
    if brackets.exact:
        return ""
    if audit is None:
        return "No simulated attack has proven anything yet."
    delta = f"δ{SPACE}≥{SPACE}{number(audit.delta)}" if audit.delta else "no δ above 0"
    epsilon = (
        f"ε{SPACE}≥{SPACE}{number(audit.epsilon)} at δ{SPACE}={SPACE}{exact(audit.at_delta)}"
        if audit.epsilon
        else f"no ε above 0 at δ{SPACE}={SPACE}{exact(audit.at_delta)}"
    )
    return (
        f"Simulated attacks prove {delta} and {epsilon} (two attackers, one of whom knows the "
        f"steps of the statistics; {number(audit.guesses)} guesses on either share, "
        f"{percent(audit.confidence, 0)} confidence, seed {audit.seed}). "
        + (
            "So few guesses can prove no δ at all."
            if audit.visible >= 1
            else f"A δ below {number(audit.visible)} shows in no attack of so many guesses."
        )
    )


def judged(brackets: Brackets) -> str:
    """Whether the promise is kept without the curves, and what becomes of the curves."""
    least, most = brackets.at_least, brackets.at_most
    sentences = []
    if brackets.verdict == "kept":
        sentences.append("The promise is kept whatever the curves look like.")
    elif brackets.verdict == "broken":
        by = "by the exact law" if brackets.law is not None else "as simulated attacks prove"
        sentences.append(f"The promise is broken, {by}.")
    elif brackets.verdict == "open":
        sentences.append("Neither that the promise is kept nor that it is broken shows without "
                         "the curves: it rests on them.")  # fmt: skip
    else:
        sentences.append("Nothing is promised about the secret.")
    if brackets.refuted and least is not None:
        sentences.append(
            f"More is delivered than the fitted normals say ({number(least.delta)} against "
            f"{number(brackets.normals.delta)}): the curves "
            + ("understate it." if brackets.law is not None else "are refuted.")
        )
    elif brackets.overstated and most is not None:
        sentences.append(
            f"Less is delivered than the fitted normals say ({number(most.delta)} against "
            f"{number(brackets.normals.delta)}): the curves overstate it."
        )
    return " ".join(sentences)


def in_a_line(brackets: Brackets) -> str:
    """The three figures and what they rest on, for a report."""
    least, most, normals = brackets.at_least, brackets.at_most, brackets.normals
    start = f"δ at ε = {exact(brackets.epsilon)}"
    if brackets.exact and most is not None:
        figures = f"{start}: exactly {number(most.delta)}, whatever the curves look like"
        return f"{figures} (by the fitted normals {number(normals.delta)}). {_ALONE}"
    parts = [
        "at least not known"
        if least is None
        else f"at least {number(least.delta)}"
        + (
            ""
            if brackets.audit is None
            else f" (simulated attacks, {percent(brackets.audit.confidence, 0)} confidence)"
        ),
        f"by the fitted normals {number(normals.delta)}",
    ]
    if most is None:
        return f"{start}: {', '.join(parts)}, at most not known. {brackets.unbounded}"
    bound = brackets.bound
    sure = "" if bound is None or not bound.draws else f", 1 − {exact(1 - bound.confidence)}"
    return (
        f"{start}: {', '.join(parts)}, at most {number(most.delta)} whatever the curves look like "
        f"(coupling bound{sure}). {_ALONE}"
    )


def _epsilon(most: Delivered) -> str:
    return f"ε{SPACE}={SPACE}{number(most.epsilon)}"
