"""What an alternative on record comes to, for somebody who has only the decision; all plain."""

from __future__ import annotations

import math
from typing import NamedTuple

from distpriv.analysis.decision import Alternative, Revision, moment
from distpriv.analysis.error_sizes import ErrorSize, of_sampling
from distpriv.analysis.keeping import NO_PROMISE, Keeping
from distpriv.analysis.verdict import right_of_hundred
from distpriv.words import SPACE, exact, number, percent, share, with_unit

__all__ = [
    "ErrorLine",
    "chance",
    "chances",
    "error_lines",
    "how",
    "promise",
    "promise_in_words",
    "settled",
    "verdict",
]


class ErrorLine(NamedTuple):
    """A statistic, how far its figure is off on average, and what that means."""

    label: str
    size: str
    meaning: str


def chances(accuracy: float) -> str:
    """How often a guess is right, in people's own numbers: ``58 of 100``."""
    return f"an unknown number of{SPACE}100" if math.isnan(accuracy) else right_of_hundred(accuracy)


def how(choice: Alternative) -> str:
    """The noise in a phrase: ``OptM with ε = 1 and δ = 0.001``."""
    equal = f"{SPACE}={SPACE}"
    return f"{choice.mechanism} with ε{equal}{exact(choice.epsilon)} and δ{equal}" + exact(
        choice.delta
    )


def verdict(choice: Alternative) -> str:
    """What the release lets anybody learn about the secret, in a sentence or two."""
    scenario = choice.read()
    told = "the secret"
    if scenario is not None:
        pair = scenario.pair
        told = f"whether {share(pair.p_i)} or {share(pair.p_j)} of the records have "
        told += pair.secret.label
    return (
        f"From what is published, the best attacker tells {told} in {chances(choice.accuracy)} "
        f"guesses: without noise it would be {chances(choice.undefended)}, with a coin "
        f"50 of{SPACE}100."
    )


def promise(choice: Alternative) -> Keeping | None:
    """How well the promise was kept when it was put on record; None where that is not known."""
    if not choice.promise:
        return None
    ratio = math.nan
    if choice.delivered is not None and choice.promised > 0:
        ratio = choice.delivered / choice.promised
    return Keeping(choice.promise, ratio)


def promise_in_words(choice: Alternative) -> str:
    """The same as a sentence."""
    kept = promise(choice)
    if kept is None:
        return "Whether the promise is kept is not on record."
    if kept.state == NO_PROMISE.state:
        return "It promises nothing about the secret."
    return f"The promise is {kept.words}."


def error_lines(choice: Alternative) -> tuple[ErrorLine, ...]:
    """The error of each statistic; none where another version of distpriv wrote the decision."""
    return tuple(
        ErrorLine(size.label, f"±{SPACE}{_size(size)}", _meaning(size)) for size in choice.errors
    )


def _size(size: ErrorSize) -> str:
    if size.label.startswith("share ") and not size.unit:
        return f"{number(100 * size.error)} percentage points"
    return with_unit(size.error, size.unit)


def _meaning(size: ErrorSize) -> str:
    """Against what is public: how many records there are, and what drawing them does anyway."""
    if size.error == 0:
        return "exact"
    part = ""
    if size.unit == "records":
        part = f"{percent(size.error / size.n)} of all, "
    return f"{part}{of_sampling(size)}{SPACE}×{SPACE}chance"


def chance(choice: Alternative) -> str:
    """What "chance" is in the lines of the errors, to stand below them."""
    if not choice.errors:
        return ""
    return (
        f"“1.5{SPACE}×{SPACE}chance”: 1.5 times what the draw of the {number(choice.errors[0].n)} "
        "records changes a figure by anyway, without noise."
    )


def settled(now: Revision) -> str:
    """What became of a decision: ``agreed by Bob on 2025-01-31 14:03 UTC``."""
    if now.status == "proposed":
        return "not agreed yet"
    return f"{now.status} by {now.signed} on {moment(now.at)}"
