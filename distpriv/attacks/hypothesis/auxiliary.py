"""What an attacker knows before any release, as one factor."""

from __future__ import annotations

import math
from typing import Annotated

from distpriv.arguments import POSITIVE, checked
from distpriv.errors import HypothesisError

__all__ = ["auxiliary_factor", "knowledge_before", "odds_against"]

_NAMES = ("prior ρ_p", "records ρ_c", "time ρ_t")


@checked(HypothesisError)
def auxiliary_factor(prior: float = 0.0, records: float = 0.0, time: float = 0.0) -> float:
    """Factor κ by which auxiliary information thins out false alarms.

    κ = 1 − ρ_p − (2 − ρ_p)(ρ_c + ρ_t(1 − ρ_c)) = (2 − ρ_p)(1 − ρ_c)(1 − ρ_t) − 1: the odds
    against the attacker's hypothesis before any release (Liu et al. 2019, Equations 17, 20, 23).
    κ = 1 knows nothing; at κ ≤ 0 the attacker needs no release.

    Parameters
    ----------
    prior : float in [0, 1)
        ρ_p, one minus the least ratio of the prior probabilities of two values.
    records : float in [0, 1)
        ρ_c, from the correlation with other records.
    time : float in [0, 1)
        ρ_t, from the correlation with earlier releases.

    Returns
    -------
    float in (0, 1]

    Raises
    ------
    HypothesisError
        If a coefficient is outside [0, 1], or together they leave κ ≤ 0; the message names the
        nearest values that do not.
    """
    known = (float(prior), float(records), float(time))
    for name, value in zip(_NAMES, known, strict=True):
        if not 0 <= value <= 1:
            nearest = 0 if not value > 1 else 1
            raise HypothesisError(
                f"The {name} must be from 0 to 1, got {value:g}; the nearest is {nearest}."
            )
    factor = _factor(*known)
    if factor <= 0:
        nearest_known = ", ".join(
            f"{name} = {value:g}" for name, value in zip(_NAMES, _nearest(known), strict=True)
        )
        raise HypothesisError(
            f"The factor κ must be in (0, 1], got κ = {factor:.3g}: this attacker knows the answer "
            f"without any release, whatever ε; the nearest that leaves a doubt is {nearest_known}."
        )
    return factor


@checked(HypothesisError)
def knowledge_before(factor: Annotated[float, POSITIVE]) -> float:
    """Probability that the attacker gives the hypothesis before any release, 1/(1 + κ).

    Parameters
    ----------
    factor : float > 0
    """
    return 1 / (1 + factor)


@checked(HypothesisError)
def odds_against(base_rate: float) -> float:
    """Odds (1 − π)/π against a hypothesis that holds with a base rate π: the κ of that prior.

    Parameters
    ----------
    base_rate : float in (0, 1)

    Raises
    ------
    HypothesisError
        If the base rate is outside its domain.
    """
    if not 0 < base_rate < 1:
        nearest = 0.01 if not base_rate >= 1 else 0.99
        raise HypothesisError(
            f"The base rate must lie between 0 and 1, got {base_rate:g}; take e.g. {nearest}."
        )
    return (1 - base_rate) / base_rate


def _factor(prior: float, records: float, time: float) -> float:
    return 1 - prior - (2 - prior) * (records + time * (1 - records))


def _nearest(known: tuple[float, float, float]) -> tuple[float, float, float]:
    """Coefficients with κ > 0, to the hundredth: time gives way first, then records, then prior."""
    prior, records, _ = known
    if (2 - prior) * (1 - records) > 1 + 1e-9:
        return prior, records, _below(1 - 1 / ((2 - prior) * (1 - records)))
    if prior < 0.99:
        return prior, _below(1 - 1 / (2 - prior)), 0.0
    return 0.99, 0.0, 0.0


def _below(value: float) -> float:
    """The largest hundredth strictly below."""
    return max(math.ceil(value * 100 - 1e-9) - 1, 0) / 100
