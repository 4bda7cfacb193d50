"""What agreed limits leave: all releases of a table together, and the next one with them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from distpriv.analysis.decision import moment
from distpriv.analysis.fitting import Groups
from distpriv.errors import LimitError
from distpriv.store.ledger import LedgerEntry
from distpriv.store.limits import AgreedLimit
from distpriv.store.tally import Tally, tally
from distpriv.words import exact, number, percent, share

__all__ = [
    "Check",
    "Measure",
    "Use",
    "about_in_words",
    "check",
    "check_all",
    "refuse",
]

Measure = Literal["accuracy", "budget", "persons"]
_ROUNDING = 1e-9
_GUESSING = 0.5


@dataclass(frozen=True)
class Use:
    """How much of one figure of a limit releases take.

    Attributes
    ----------
    measure : "accuracy", "budget" or "persons"
        The best attacker's accuracy, ε about the pairs of shares, or ε about each record.
    limit : float
        An accuracy, or an ε.
    delta : float or None
        At which ε is counted.
    used, after : float
        By the releases so far, and with the next one; at most, where they are not exact.
    exact : bool
        Whether `after` is computed itself, by the fitted normals, and not bounded from above.
    """

    measure: Measure
    limit: float
    delta: float | None
    used: float
    after: float
    exact: bool = True

    @property
    def fits(self) -> bool:
        """Whether the limit holds with the next release."""
        return self.after <= self.limit * (1 + _ROUNDING)

    @property
    def beyond(self) -> float:
        """By how much the limit is exceeded with the next release; not above 0 if it is not."""
        return self.after - self.limit

    def part(self, value: float) -> float:
        """A figure as a share of the limit: 0 for what nobody learns from, 1 for the limit."""
        nothing = _GUESSING if self.measure == "accuracy" else 0.0
        return (value - nothing) / (self.limit - nothing)


@dataclass(frozen=True)
class Check:
    """One limit, and what the releases take of it.

    Attributes
    ----------
    limit : AgreedLimit
    uses : tuple of Use
        One for every figure that is limited; none where something cannot be counted.
    uncounted : tuple of str
        What cannot be counted, and why, each a sentence.
    """

    limit: AgreedLimit
    uses: tuple[Use, ...]
    uncounted: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether everything can be counted, and the limit holds with the next release."""
        return not self.uncounted and all(use.fits for use in self.uses)

    @property
    def tightest(self) -> Use | None:
        """The figure of which most is taken with the next release."""
        return max(self.uses, key=lambda use: use.part(use.after), default=None)

    @property
    def excess(self) -> float:
        """By what share of the limit it is exceeded with the next release; at most 0 if it fits."""
        if self.uncounted:
            return math.inf
        most = max((use.part(use.after) - 1 for use in self.uses), default=-1.0)
        return min(most, 0.0) if self.fits else max(most, _ROUNDING)

    @property
    def refusal(self) -> str:
        """Why the next release is refused and by how much it exceeds; empty if it fits."""
        about = about_in_words(self.limit)
        if self.uncounted:
            return f"The limit on {about} cannot be checked, so nothing is released: " + " ".join(
                self.uncounted
            )
        beyond = [_exceeded(use) for use in self.uses if not use.fits]
        if not beyond:
            return ""
        now = self.limit.now
        return (
            f"Beyond the limit on {about}, which {now.author} set on {moment(now.at)}: with this "
            f"release {' and '.join(beyond)}; nothing is released."
        )


def check(
    limit: AgreedLimit,
    made: Sequence[LedgerEntry],
    following: LedgerEntry | None,
    sources: Mapping[str, Groups],
    again: int = 1,
) -> Check:
    """What the releases so far take of a limit, and what they would with the next one.

    Parameters
    ----------
    limit : AgreedLimit
        Its own secret and pairs count, whatever a release was made for.
    made : sequence of LedgerEntry
        Every release of the table.
    following : LedgerEntry or None
        The next one; its values do not matter. None asks for the releases so far.
    sources : mapping of fingerprint to Groups
        The table under the empty text, and reference data under their fingerprint.
    again : int, at least 1
        How often the next one is to be made.
    """
    so_far = tally(limit, made, sources)
    after = so_far
    if following is not None:
        after = tally(limit, [*made, *[following] * again], sources)
    uncounted = tuple(dict.fromkeys([*so_far.uncounted, *after.uncounted]))
    return Check(limit, () if uncounted else _uses(limit, so_far, after), uncounted)


def check_all(
    limits: Sequence[AgreedLimit],
    made: Sequence[LedgerEntry],
    following: LedgerEntry | None,
    sources: Mapping[str, Groups],
    again: int = 1,
) -> tuple[Check, ...]:
    """The same for every limit that is in force."""
    return tuple(
        check(limit, made, following, sources, again) for limit in limits if limit.in_force
    )


def refuse(checks: Sequence[Check]) -> None:
    """Raise LimitError unless the next release keeps every limit."""
    refusals = [each.refusal for each in checks if not each.fits]
    if refusals:
        raise LimitError(" ".join(refusals))


def about_in_words(limit: AgreedLimit) -> str:
    """What a limit is about: the secret and its pairs, in plain words."""
    pairs = limit.pairs
    if not pairs:
        return "a secret of another version of distpriv"
    first = pairs[0]
    more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
    return f"{first.secret.label}, {share(first.p_i)} against {share(first.p_j)}{more}"


def _uses(limit: AgreedLimit, so_far: Tally, after: Tally) -> tuple[Use, ...]:
    terms, uses = limit.now.terms, []
    if terms.accuracy is not None:
        known = (so_far.accuracy, after.accuracy, after.exact)
        uses.append(Use("accuracy", terms.accuracy, None, *known))
    if terms.budget is not None:
        budget = terms.budget
        known = (so_far.epsilon, after.epsilon, after.exact)
        uses.append(Use("budget", budget.epsilon, budget.delta, *known))
    if terms.persons is not None:
        budget = terms.persons
        uses.append(
            Use("persons", budget.epsilon, budget.delta, so_far.per_record, after.per_record)
        )
    return tuple(uses)


def _exceeded(use: Use) -> str:
    already = use.used > use.limit * (1 + _ROUNDING)
    most = "" if use.exact else "at most "
    if use.measure == "accuracy":
        return (
            f"the best attacker would be right in {most}{percent(use.after, 2)} of cases, "
            f"{number(100 * use.beyond)} percentage points more than the agreed "
            f"{share(use.limit)}" + (" (exceeded already)" if already else "")
        )
    whom = "about the secret" if use.measure == "budget" else "about each record"
    return (
        f"all releases together would come to {most}ε\u00a0=\u00a0{number(use.after)} at "
        f"δ\u00a0=\u00a0{exact(use.delta or 0)} {whom}, {number(use.beyond)} more than the agreed "
        f"ε\u00a0=\u00a0{exact(use.limit)}" + (" (exceeded already)" if already else "")
    )
