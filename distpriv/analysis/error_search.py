"""Where errors first keep to their limits as ε rises.

A mechanism's error mostly falls as ε rises, but not always: the direction of least noise turns
while ε rises, so that a statistic which the secret hardly moves may get more of it; guarded noise
changes its shape as well as its size; and Laplace noise that no longer covers the grid of the
statistics gets a floor from some ε on. So nothing is bisected from afar:

1. ε is scanned from 0.001 to 100 in steps of 43 %, up to the first that keeps all limits.
2. Below it lie spans that the scan steps over. They are looked for where an error that falls, or
   rises, would cross its limit if it went on as between the two points before, and where one error
   exceeds its limit at the beginning of a step and another one at the end.
3. The first step that leads to an ε that keeps all limits is refined, from above, to a thousandth.

What is found keeps the limits, and an ε at most a thousandth below it does not. A lesser one can
only be missed in a span that lies within one step and shows in nothing at its ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv import mechanisms
from distpriv.analysis.design import EPSILON_RANGE
from distpriv.errors import CalibrationError
from distpriv.mechanisms.guarded import side_by_side
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import Calibration, check_delta
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons

__all__ = ["Errors", "least_kept", "scanned"]

FloatArray = NDArray[np.float64]
Step = tuple[float, float]

_SCAN = 33  # points
_NEAR = 1e-3  # how near the least ε is to be known, in its logarithm
_PARTS, _ROUNDS = 4, 12  # a step is cut into parts until it is as short as that


class Errors:
    """Noise and errors of mechanisms at many ε, each computed once.

    Parameters
    ----------
    model : GaussianModel
    places : sequence of int, shape (limits,)
        The statistics whose errors are limited.
    allowed : ndarray, shape (limits,), each > 0
        Largest expected absolute error of each, in its own unit.
    delta, calibration, units, persons
        See :func:`distpriv.calibrate`.
    """

    def __init__(
        self,
        model: GaussianModel,
        places: Sequence[int],
        allowed: FloatArray,
        *,
        delta: float,
        calibration: Calibration,
        units: ArrayLike | None,
        persons: Persons | None = None,
    ) -> None:
        self.model, self.places, self.allowed = model, list(places), allowed
        self._budget = (check_delta(delta), calibration, units)
        self._persons = persons
        self._known: dict[tuple[str, float], Noise | CalibrationError] = {}

    def noises(self, asked: Sequence[tuple[str, float]]) -> list[Noise | CalibrationError]:
        """Noise of (mechanism, ε), or why there is none; the new ones are searched together."""
        new = [place for place in dict.fromkeys(asked) if place not in self._known]
        searches = [
            mechanisms.searching(name, self.model, epsilon, *self._budget, persons=self._persons)
            for name, epsilon in new
        ]
        self._known.update(zip(new, side_by_side(searches), strict=True))
        return [self._known[place] for place in asked]

    def shares(self, asked: Sequence[tuple[str, float]]) -> FloatArray:
        """Each error as a share of its limit, shape (asked, limits); ∞ where there is no noise."""
        return np.array(
            [
                noise.expected_absolute_errors()[self.places] / self.allowed
                if isinstance(noise, Noise)
                else np.full(len(self.places), math.inf)
                for noise in self.noises(asked)
            ]
        ).reshape(len(asked), len(self.places))

    def used(self, asked: Sequence[tuple[str, float]]) -> FloatArray:
        """The largest of them, shape (asked,)."""
        largest: FloatArray = self.shares(asked).max(axis=1)
        return largest

    def along(self, name: str, epsilons: Sequence[float]) -> FloatArray:
        """The same of one mechanism, shape (epsilons,)."""
        return self.used([(name, epsilon) for epsilon in epsilons])


def scanned() -> list[float]:
    """The ε of the scan, four digits each."""
    return sorted({*EPSILON_RANGE, *_rounded(np.geomspace(*EPSILON_RANGE, _SCAN)[1:-1])})


def _rounded(epsilons: FloatArray) -> list[float]:
    """As short as they are told and taken over, so that what is found holds of just that ε."""
    return [float(f"{epsilon:.4g}") for epsilon in epsilons.tolist()]


def least_kept(errors: Errors, names: Sequence[str]) -> dict[str, float | None]:
    """The least ε of each mechanism that keeps all limits, None where none does."""
    scan = scanned()
    found: dict[str, float | None] = dict.fromkeys(names)
    # What lies above a point that keeps the limits need not be looked at any closer.
    _look(errors, found, dict.fromkeys(names, scan[::2]))
    spans = {name: [e for e in scan if e <= (found[name] or math.inf)] for name in names}
    steps = _look(errors, found, spans) | _stepped_over(errors, spans)
    for _ in range(_ROUNDS):
        found |= {name: high for name, (_, high) in steps.items()}
        spans = {
            name: [low, *inner, high]
            for name, (low, high) in steps.items()
            if (inner := _inside(errors, name, low, high))
        }
        if not spans:
            break
        steps = _look(errors, found, spans)
    return found


def _look(
    errors: Errors, found: dict[str, float | None], spans: dict[str, list[float]]
) -> dict[str, Step]:
    """Note the first ε of each span that keeps the limits; give the step that ends with it."""
    errors.noises([(name, epsilon) for name, span in spans.items() for epsilon in span])
    steps = {}
    for name, span in spans.items():
        kept = np.flatnonzero(errors.along(name, span) <= 1)
        if len(kept):
            place = int(kept[0])
            found[name] = span[place]
            if place:  # else it is where the range begins
                steps[name] = span[place - 1], span[place]
    return steps


def _stepped_over(errors: Errors, spans: dict[str, list[float]]) -> dict[str, Step]:
    """Steps to an ε that keeps the limits although both ends of a step of the scan do not.

    Of the last step of a span, which may end with one that does, too: there may be another before.
    """
    guesses = {name: _crossings(span, errors.along(name, span)) for name, span in spans.items()}
    errors.noises([(name, e) for name, known in guesses.items() for _, e in known])
    steps: dict[str, Step] = {}
    for name, span in spans.items():
        known = guesses[name]
        used = errors.along(name, [epsilon for _, epsilon in known]).tolist()
        kept = [step for step, share in zip(known, used, strict=True) if share <= 1]
        kept += _between_opposites(errors, name, span)
        if kept:
            steps[name] = min(kept, key=lambda step: step[1])
    return steps


def _crossings(span: Sequence[float], used: FloatArray) -> list[Step]:
    """Where errors cross their limits if they go on as before, each with the ε of the scan below.

    From below while they fall, and from above while they rise.
    """
    places = np.log(span)
    with np.errstate(divide="ignore"):
        sizes = np.log(used)
    guesses = []
    for index in range(len(span) - 1):
        for start, before, side in ((index, index - 1, 1), (index + 1, index + 2, -1)):
            if not 0 <= before < len(span) or not np.isfinite(sizes[[start, before]]).all():
                continue
            falling = (sizes[before] - sizes[start]) / abs(places[before] - places[start])
            if sizes[start] <= 0 or falling <= 0:
                continue
            guess = places[start] + side * (sizes[start] / falling + _NEAR)
            if places[index] < guess < places[index + 1]:
                (epsilon,) = _rounded(np.exp([guess]))
                guesses.append((span[index], epsilon))
    return guesses


def _between_opposites(errors: Errors, name: str, span: Sequence[float]) -> list[Step]:
    """The same where other errors exceed their limits at the end of a step than at its beginning.

    Both may keep them in between; halving tells, as each changes sides but once in a step.
    """
    over = errors.shares([(name, epsilon) for epsilon in span]) > 1
    for index, (low, high) in enumerate(pairwise(span)):
        first, last = over[index], over[index + 1]
        if not (first.any() and last.any()) or (first & last).any():
            continue
        while math.log(high / low) > _NEAR:
            (middle,) = _rounded(np.array([math.sqrt(low * high)]))
            (here,) = errors.shares([(name, middle)]) > 1
            if not here.any():
                return [(low, middle)]
            if (here & first).any() == (here & last).any():
                break
            low, high = (middle, high) if (here & first).any() else (low, middle)
    return []


def _inside(errors: Errors, name: str, low: float, high: float) -> list[float]:
    """Where to look between an ε that exceeds the limits and one that keeps them; in order."""
    ends = np.log([low, high])
    if ends[1] - ends[0] <= _NEAR:
        return []
    places = np.linspace(ends[0], ends[1], _PARTS + 1)[1:-1]
    used = errors.along(name, [low, high])
    if np.isfinite(used).all() and used[1] > 0:
        # Errors are nearly powers of ε: most often the end is just where that says.
        sizes = np.log(used)
        root = ends[0] - sizes[0] * (ends[1] - ends[0]) / (sizes[1] - sizes[0])
        places = np.append(places[1:2], [root - 0.45 * _NEAR, root + 0.45 * _NEAR])
    return sorted({e for e in _rounded(np.exp(places)) if low < e < high})
