"""The ε that limits leave: for the next release, or for each of several that are planned."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scipy.optimize import brentq

from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.fitting import Groups
from distpriv.errors import CalibrationError
from distpriv.store.checks import Check, check_all
from distpriv.store.ledger import LedgerEntry
from distpriv.store.limits import AgreedLimit, Terms

__all__ = ["Planned", "epsilon_that_fits", "largest_fitting", "naive_epsilon", "planned"]

_MUCH = 10.0


@dataclass(frozen=True, eq=False)
class Planned:
    """Several equal releases at one ε each, after all that were made.

    Attributes
    ----------
    epsilon : float
        Of each.
    error : float
        Expected L2 error of each, in the units that the evaluation reports in.
    checks : tuple of Check
        What the limits are then; `after` is after the last of them.
    """

    epsilon: float
    error: float
    checks: tuple[Check, ...]


def following(evaluation: Evaluation) -> LedgerEntry:
    """The release of an evaluation as far as it counts: without its values."""
    return LedgerEntry(
        evaluation.scenario,
        "",
        (),
        evaluation.units,
        evaluation.noise,
        token="following",  # nosec B106 # a name
    )


def planned(
    evaluation: Evaluation,
    epsilon: float,
    limits: Sequence[AgreedLimit],
    made: Sequence[LedgerEntry],
    sources: Mapping[str, Groups],
    releases: int = 1,
) -> Planned:
    """What so many releases at an ε each come to.

    Parameters
    ----------
    evaluation : Evaluation
        Of the scenario that is released, at any ε.
    epsilon : float > 0
    limits, made, sources
        As in :func:`distpriv.store.check`.
    releases : int, at least 1

    Raises
    ------
    CalibrationError
        If the mechanism cannot be calibrated to that ε.
    """
    at = evaluation.at(epsilon)
    checks = check_all(limits, made, following(at), sources, releases)
    return Planned(epsilon, at.error, checks)


def epsilon_that_fits(
    evaluation: Evaluation,
    limits: Sequence[AgreedLimit],
    made: Sequence[LedgerEntry],
    sources: Mapping[str, Groups],
    releases: int = 1,
    *,
    low: float = 0.001,
    high: float = 100.0,
) -> float | None:
    """The largest ε at which so many releases keep every limit; None if there is none.

    By exact accounting: what they tell together, with all that were made, is computed as for the
    ledger, not added up from promises. An ε at which the mechanism adds no noise, or cannot be
    calibrated, does not count as fitting.

    Parameters
    ----------
    evaluation, limits, made, sources, releases
        As in :func:`planned`.
    low, high : float
        0 < low < high.
    """

    def excess(epsilon: float) -> float:
        try:
            if evaluation.at(epsilon).noise.is_zero:
                return math.inf
            after = planned(evaluation, epsilon, limits, made, sources, releases)
        except CalibrationError:
            return math.inf
        return max((each.excess for each in after.checks), default=-1.0)

    return largest_fitting(excess, low, high)


def naive_epsilon(
    limits: Sequence[AgreedLimit],
    made: Sequence[LedgerEntry],
    delta: float,
    releases: int = 1,
) -> float | None:
    """ε of each release if promises were added up: what is left of the limit, divided equally.

    The ε of all releases add up to the limit's, whose δ they then exceed, their δ adding up too;
    and for a limit on accuracy to where (e^ε + Σδ)/(1 + e^ε), which no attacker exceeds (Kairouz
    et al. 2015, Theorem 2.1), is the limit. That is how a budget is divided where only promises
    are known. None if nothing is left.

    Parameters
    ----------
    limits, made
        As in :func:`distpriv.store.check`.
    delta : float in [0, 1)
        Of each planned release.
    releases : int, at least 1
    """
    spent = math.fsum(entry.noise.epsilon for entry in made)
    deltas = math.fsum(entry.noise.delta for entry in made) + releases * delta
    totals = [_total(limit.now.terms, deltas) for limit in limits if limit.in_force]
    left = (min(totals, default=math.inf) - spent) / releases
    return left if 0 < left < math.inf else None


def _total(terms: Terms, deltas: float) -> float:
    """ε that all promises may add up to under one limit."""
    totals = [math.inf]
    if terms.budget is not None:
        totals.append(terms.budget.epsilon)
    if terms.accuracy is not None:
        odds = (terms.accuracy - deltas) / (1 - terms.accuracy)
        totals.append(math.log(odds) if odds > 1 else 0.0)
    return min(totals)


def largest_fitting(
    excess: Callable[[float], float], low: float, high: float, digits: int = 4
) -> float | None:
    """The largest ε in [low, high] that fits, to some digits and never above it; None if none does.

    By root finding over ln ε: what a release gives away rises with its ε.

    Parameters
    ----------
    excess : callable
        By how much a release at an ε exceeds the limits, in any measure; at most 0 where it fits.
    low, high : float
        0 < low < high.
    digits : int
        Significant digits of the result.
    """

    def place(part: float) -> float:
        """From low at 0 to high at 1."""
        return high if part == 1 else low * (high / low) ** part

    if excess(low) > 0:
        return None
    if excess(high) <= 0:
        return high
    part = brentq(
        lambda part: max(min(excess(place(part)), _MUCH), -_MUCH),
        0.0,
        1.0,
        xtol=10.0**-digits / math.log(high / low),
    )
    root = place(float(part))
    step = 10.0 ** (math.floor(math.log10(root)) - digits + 1)
    steps = math.floor(root / step)
    while steps * step > low:
        if excess(found := round(steps * step, 12)) <= 0:
            return found
        steps -= 1
    return low
