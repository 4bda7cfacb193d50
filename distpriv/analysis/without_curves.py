"""Whether a promise needs normal curves, and what it costs to do without them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from scipy.optimize import brentq

from distpriv import mechanisms
from distpriv.analysis.answer import Wording
from distpriv.analysis.design import EPSILON_RANGE
from distpriv.analysis.evaluation import Evaluation
from distpriv.arguments import checked
from distpriv.errors import CalibrationError
from distpriv.mechanisms.assumptions import Assumption
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.noise import Noise
from distpriv.words import exact, number, percent

__all__ = [
    "BY_LAW",
    "LEAST",
    "SCALE",
    "WITHOUT",
    "CurvePrice",
    "Priced",
    "curve_price",
    "price_in_words",
    "refused_in_words",
]

WITHOUT = "CoupM"
"""The mechanism that assumes nothing of the statistics' distributions."""

LEAST = "OptM"
"""The least noise if the curves hold."""

SCALE = ("ExpM", "GroupDP")
"""What stands beside the two, for scale."""

BY_LAW: Calibration = "exact-law"
"""The calibration that takes the exact law of a few counts for the curves."""

_NEAR = 1e-4
_FEW_STEPS = 2.0  # in a deviation; a curve is then 10 percentage points off, see `coarse_steps`


@dataclass(frozen=True, eq=False)
class Priced:
    """One noise and what it costs.

    Attributes
    ----------
    mechanism : str
    noise : Noise
    error : float
        Expected L2 error, in the units that the scenario reports it in.
    assumes : tuple of Assumption
        What its promise rests on.
    """

    mechanism: str
    noise: Noise
    error: float
    assumes: tuple[Assumption, ...]

    @property
    def title(self) -> str:
        """The mechanism, and the exact law if it goes by that."""
        by_law = " by the exact law" if self.noise.calibration == BY_LAW else ""
        return f"{self.mechanism}{by_law}"

    @property
    def relies(self) -> bool:
        """Whether its promise rests on how the statistics are distributed."""
        return relies(self.assumes)


@dataclass(frozen=True, eq=False)
class CurvePrice:
    """What a scenario's promise costs with normal curves and without; see :func:`curve_price`.

    Nothing is computed before it is asked for.

    Attributes
    ----------
    evaluation : Evaluation
        Of the scenario.
    """

    evaluation: Evaluation

    @cached_property
    def own(self) -> Priced | None:
        """The scenario's own noise; None if it cannot be calibrated."""
        return self._priced(self.evaluation.scenario.mechanism)

    @cached_property
    def relying(self) -> Priced | None:
        """The noise that rests on curves: the scenario's, or else that of OptM.

        None if it cannot be calibrated.
        """
        if self.own is not None and self.own.relies:
            return self.own
        least = self._priced(LEAST, _by_curves(self.evaluation))
        return least if least is not None and least.relies else None

    @cached_property
    def without(self) -> Priced | None:
        """CoupM's noise, or None where it does not apply, see `refusal`."""
        return self._priced(WITHOUT)

    @property
    def refusal(self) -> str:
        """Why there is no noise of CoupM; empty if there is."""
        return "" if self.without is not None else self.evaluation.left_out[WITHOUT]

    @cached_property
    def by_law(self) -> Priced | None:
        """The noise by the exact law of the statistics; None where that is not to be had."""
        evaluation = self.evaluation
        name = LEAST if self.relying is None else self.relying.mechanism
        if evaluation.law is None:
            return None
        return self._priced(name, _calibrated(evaluation, BY_LAW))

    @cached_property
    def beside(self) -> tuple[Priced, ...]:
        """ExpM and group DP, for scale, as far as they can be calibrated."""
        known = {one.mechanism for one in (self.relying, self.without) if one is not None}
        self.evaluation.noises(SCALE)
        found = (self._priced(name) for name in SCALE if name not in known)
        return tuple(one for one in found if one is not None)

    @cached_property
    def epsilon(self) -> float | None:
        """ε at which CoupM's error is that of the noise that rests on curves.

        Searched for from 0.001 to 100, to a ten-thousandth; None if there is none.
        """
        if self.relying is None or self.without is None or not self.relying.error:
            return None
        return _epsilon_at(self.evaluation, self.relying.error, self.without.error)

    @cached_property
    def refused(self) -> tuple[str, ...]:
        """Why normal curves are not to be trusted here, in plain sentences; empty if they are.

        Simulated datasets do not follow them (the verdict on :attr:`.Assumption.GAUSSIAN`), or a
        statistic moves in few steps.
        """
        reasons = []
        if self.evaluation.verdicts[Assumption.GAUSSIAN].holds == "no":
            reasons.append("simulated datasets do not follow the fitted normal curves")
        reasons += coarse_steps(self.evaluation)
        return tuple(reasons)

    @property
    def advised(self) -> Priced | None:
        """What to take in place of the scenario's own noise; None if that may stay."""
        if self.own is None or not self.own.relies or not self.refused:
            return None
        return self.by_law or self.without

    def _priced(self, name: str, evaluation: Evaluation | None = None) -> Priced | None:
        there = self.evaluation if evaluation is None else evaluation
        noise = there.noises((name,)).get(name)
        if noise is None:
            return None
        assumes = mechanisms.get(name).assumptions(there.model, there.scenario.calibration)
        return Priced(name, noise, there.reported(noise).expected_error(), assumes)


@checked(CalibrationError)
def curve_price(evaluation: Evaluation) -> CurvePrice:
    """What a scenario's (ε, δ) costs with normal curves, and without.

    CoupM (:mod:`distpriv.mechanisms.coupling`) rests on the coupling bound and so on how records
    are drawn, and on nothing else.

    Parameters
    ----------
    evaluation : Evaluation
        See :func:`distpriv.evaluate`.

    Returns
    -------
    CurvePrice
    """
    return CurvePrice(evaluation)


def relies(assumes: tuple[Assumption, ...]) -> bool:
    """Whether one of the assumptions is about the distributions of the statistics."""
    return any(assumption is not Assumption.KNOWN_BOUNDS for assumption in assumes)


def coarse_steps(evaluation: Evaluation) -> list[str]:
    """The statistic that varies by the fewest of its steps, where a curve cannot follow it.

    Over one step g a normal curve of standard deviation σ gains g·φ(0)/σ in the middle, and the
    statistic all of that at one value: they are about half of it apart, 10 percentage points
    where σ is two steps.
    """
    model = evaluation.model
    deviations = np.sqrt(np.diag(evaluation.fit.pooled))
    moving = (model.steps > 0) & (deviations > 0)
    if not moving.any():
        return []
    counts = np.where(moving, deviations, math.inf) / np.where(moving, model.steps, 1.0)
    worst = int(counts.argmin())
    if counts[worst] >= _FEW_STEPS:
        return []
    return [
        f"the standard deviation of {evaluation.labels[worst]} is {number(float(counts[worst]))} "
        "of its steps only, which no smooth curve follows"
    ]


def _calibrated(evaluation: Evaluation, calibration: Calibration) -> Evaluation:
    """The same with another calibration, about the same pair."""
    scenario = replace(evaluation.scenario, calibration=calibration)
    return replace(
        evaluation,
        scenario=scenario,
        fitted=evaluation.model,
        looked_at=evaluation.focus,
        calibrated={},
    )


def _by_curves(evaluation: Evaluation) -> Evaluation:
    """The same with a calibration that takes the normal curves."""
    if evaluation.scenario.calibration == BY_LAW:
        return _calibrated(evaluation, "guarded")
    return evaluation


def _epsilon_at(evaluation: Evaluation, error: float, now: float) -> float | None:
    """ε at which CoupM has an error, from the one that it has now."""

    @cache
    def excess(place: float) -> float:
        noise = mechanisms.calibrate(
            WITHOUT,
            evaluation.model,
            math.exp(place),
            **evaluation.calibrating,
        )
        return math.log(max(evaluation.reported(noise).expected_error(), 1e-300) / error)

    start = math.log(evaluation.scenario.epsilon)
    end = math.log(EPSILON_RANGE[1] if now > error else EPSILON_RANGE[0])
    try:
        if now == error or (excess(end) > 0) == (now > error):
            return evaluation.scenario.epsilon if now == error else None
        low, high = sorted((start, end))
        return math.exp(brentq(excess, low, high, xtol=_NEAR, rtol=_NEAR))
    except CalibrationError:
        return None


def refused_in_words(price: CurvePrice) -> str:
    """Whether the curves are to be trusted here, in one sentence."""
    if not price.refused:
        return (
            "As far as simulated datasets tell, the curves hold here; the rare datasets that δ is "
            "about they cannot show."
        )
    reasons = "; ".join(price.refused)
    return f"{reasons[0].upper()}{reasons[1:]}."


def price_in_words(price: CurvePrice, *, strong: Wording = str, safe: Wording = str) -> str:
    """Whether the promise needs the curve and what doing without it costs, in one sentence.

    Parameters
    ----------
    price : CurvePrice
    strong : callable
        Emphasises a text; by default nothing is.
    safe : callable
        Makes the table's own names safe where the sentence is shown.
    """
    own, relying, without = price.own, price.relying, price.without
    unit = price.evaluation.error_unit

    def moved(one: Priced) -> str:
        text = f"{number(one.error)}\u00a0{unit}" if unit else number(one.error)
        return strong(text) if one is without else text

    if without is None:
        refusal = safe(price.refusal[0].lower() + price.refusal[1:].rstrip("."))
        return f"{WITHOUT}, which needs no normal curve, does not apply here: {refusal}."
    alone = f"{strong(WITHOUT)}, which rests on how the records are drawn alone,"
    if relying is None:
        return f"{alone} has a total error of {moved(without)}."
    start = f"The promise of {safe(relying.title)} rests on {_rests_on(relying)}"
    law = "" if price.by_law is None else _by_law_in_words(price.by_law, moved)
    if own is not None and own is not relying and price.evaluation.mechanism.protects:
        return (
            f"The promise of {safe(own.title)} rests on no curve: it has a total error "
            f"of {moved(own)}, where {safe(relying.title)}, whose promise rests on "
            f"{_rests_on(relying)}, {_errs(relying, moved)}."
        )
    if not relying.error:
        return (
            f"{start}, and takes no noise here; {alone} has a total error of {moved(without)}.{law}"
        )
    ratio = _times(without.error / relying.error)
    return (
        f"{start}; {alone} has a total error of {moved(without)} where {safe(relying.title)} has "
        f"{moved(relying)}: {ratio}. {_reaching(price)}.{law}"
    )


def _rests_on(one: Priced) -> str:
    if Assumption.GAUSSIAN in one.assumes:
        return "normal curves"
    titles = [f"“{assumption.title}”" for assumption in one.assumes]
    return f"what its theorem assumes of the distributions ({', '.join(titles)})"


def _by_law_in_words(one: Priced, moved: Callable[[Priced], str]) -> str:
    return (
        f" The exact law of these statistics is known, and {one.title} needs no curve either: it "
        f"{_errs(one, moved)}."
    )


def _errs(one: Priced, moved: Callable[[Priced], str]) -> str:
    return f"has one of {moved(one)}" if one.error else "takes no noise"


def _times(ratio: float) -> str:
    if 1 <= ratio < 1.995:
        return f"{percent(ratio - 1, 0)} more"
    return f"{number(ratio)} times as much" if ratio >= 1 else f"{percent(1 - ratio, 0)} less"


def _reaching(price: CurvePrice) -> str:
    """Which ε has CoupM at the error of the noise that rests on curves."""
    now = price.evaluation.scenario.epsilon
    if price.epsilon is None:
        low, high = map(exact, EPSILON_RANGE)
        return f"No ε from {low} to {high} brings it to that error"
    return f"It has that error at ε\u00a0=\u00a0{number(price.epsilon)} in place of {now:g}"
