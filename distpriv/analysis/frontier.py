"""Error against attack: what each mechanism trades along ε, and what satisfies both limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv import mechanisms
from distpriv.analysis.acceptable_error import (
    ErrorChoice,
    ErrorDesign,
    ErrorLimit,
    errors_under,
    least_epsilons,
)
from distpriv.analysis.design import Design, Limit, choose
from distpriv.analysis.error_search import Errors
from distpriv.arguments import checked
from distpriv.attacks.hypothesis.releases import figures, release_test, release_tests
from distpriv.errors import HypothesisError, QueryError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.run import Progress, completed
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons

__all__ = ["Frontier", "FrontierLine", "LeastError", "Satisfied", "frontier", "frontier_steps"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

_POINTS = 41
_FEW = 9  # of noise whose best attack is simulated, or which is found by drawing records
_EPSILONS = (0.01, 100.0)


@dataclass(frozen=True, eq=False)
class FrontierLine:
    """One mechanism along ε; NaN where it has no noise that keeps its promise.

    Attributes
    ----------
    epsilons : ndarray, shape (points,)
        Rising, those at which a limit is just kept among them.
    errors : ndarray, shape (points,)
        The largest error as a share of its limit: 1 is just acceptable.
    reached : ndarray, shape (points,)
        What the best attacker achieves, in the attack limit's measure.
    worst : ndarray, shape (points,)
        Which of the limits on errors that largest share is of.
    """

    epsilons: FloatArray
    errors: FloatArray
    reached: FloatArray
    worst: IntArray


@dataclass(frozen=True)
class Satisfied:
    """A mechanism that keeps both limits.

    Attributes
    ----------
    mechanism : str
    low : float
        The least ε that keeps the limits on errors.
    high : float
        The largest that keeps the limit on the attack; infinite if that takes no noise.
    """

    mechanism: str
    low: float
    high: float


@dataclass(frozen=True)
class LeastError:
    """The least of the largest errors under the limit on the attack.

    Attributes
    ----------
    mechanism : str
    epsilon : float
    used : float
        The largest error as a share of its limit.
    worst : int
        Which of the limits on errors that is of.
    """

    mechanism: str
    epsilon: float
    used: float
    worst: int


@dataclass(frozen=True, eq=False)
class Frontier:
    """What an error buys, and the two limits on it.

    Attributes
    ----------
    limit : Limit
        On the best attacker.
    by_error : ErrorDesign
        The least ε under the limits on errors.
    by_attack : Design or None
        The largest ε under the limit on the attack; None where no mechanism keeps it.
    lines : dict of mechanism to FrontierLine
    undefended : float
        What the best attacker achieves without noise, in the limit's measure.
    """

    limit: Limit
    by_error: ErrorDesign
    by_attack: Design | None
    lines: dict[str, FrontierLine]
    undefended: float

    @property
    def both(self) -> tuple[Satisfied, ...]:
        """Mechanisms that keep both limits, in the order of `by_error`.

        The attacker achieves more the larger ε is: where the least ε of the errors exceeds the
        limit on the attack, so does every other that keeps the errors.
        """
        highest: dict[str, float] = {}
        if self.by_attack is not None:
            highest = {choice.mechanism: choice.epsilon for choice in self.by_attack.choices}
        return tuple(
            Satisfied(
                choice.mechanism,
                choice.epsilon,
                # A search to a thousandth may end just below the ε that it was to find.
                max(choice.epsilon, highest.get(choice.mechanism, math.inf)),
            )
            for choice in self.by_error.choices
            if self.limit.reached(choice.test) <= self.limit.value
        )

    @property
    def least_attack(self) -> tuple[ErrorChoice, float] | None:
        """Nearest by the errors: the choice that keeps them at the least attack, and that."""
        known = [(choice, self.limit.reached(choice.test)) for choice in self.by_error.choices]
        return min(known, key=lambda pair: pair[1], default=None)

    @property
    def least_error(self) -> LeastError | None:
        """Nearest by the attack: the least error of the points on the lines that keep it.

        Not only of those at the largest ε: an error may rise with ε.
        """
        known = [
            LeastError(name, float(epsilon), float(error), int(worst))
            for name, line in self.lines.items()
            for epsilon, error, reached, worst in zip(
                line.epsilons, line.errors, line.reached, line.worst, strict=True
            )
            if reached <= self.limit.value
        ]
        return min(known, key=lambda each: each.used, default=None)


@checked(QueryError)
def frontier(
    limit: Limit,
    limits: Sequence[ErrorLimit],
    model: GaussianModel,
    names: Sequence[str] | None = None,
    *,
    delta: float,
    calibration: Calibration = "guarded",
    units: ArrayLike | None = None,
    report: NDArray[np.float64] | None = None,
    persons: Persons | None = None,
) -> Frontier:
    """Error against attack of each mechanism along ε, and what keeps a limit on each.

    Parameters
    ----------
    limit : Limit
        On the best attacker; what they achieve is measured as it is.
    limits : sequence of ErrorLimit
        At least one.
    model, names, delta, calibration, units, report, persons
        Those of :func:`distpriv.choose` and :func:`distpriv.choose_by_error`.

    Raises
    ------
    QueryError, CalibrationError
        As :func:`distpriv.choose_by_error`.
    """
    names = mechanisms.names(baseline=False, protects=True) if names is None else names
    return completed(
        frontier_steps(
            limit,
            limits,
            model,
            names,
            delta=delta,
            calibration=calibration,
            units=units,
            report=report,
            persons=persons,
        )
    )


def frontier_steps(
    limit: Limit,
    limits: Sequence[ErrorLimit],
    model: GaussianModel,
    names: Sequence[str],
    *,
    delta: float,
    calibration: Calibration,
    units: ArrayLike | None,
    report: NDArray[np.float64] | None,
    persons: Persons | None = None,
) -> Iterator[Progress[Frontier]]:
    """:func:`frontier` for a :class:`.Run`: first what keeps each limit, then line by line."""
    chosen = list(dict.fromkeys(names))
    wanted, lines = len(chosen) + 2, dict[str, FrontierLine]()
    yield Progress(0, wanted, lambda: None, "Looking for the least ε that keeps the errors")
    errors = errors_under(
        limits, model, delta=delta, calibration=calibration, units=units, persons=persons
    )
    by_error = least_epsilons(tuple(limits), errors, chosen, report)
    yield Progress(1, wanted, lambda: None, "Looking for the largest ε that keeps the attack")
    by_attack: Design | None
    try:
        by_attack = choose(
            limit, model, chosen,
            delta=delta, calibration=calibration, units=units, report=report, persons=persons,
        )  # fmt: skip
    except HypothesisError:
        by_attack = None
    undefended = limit.reached(release_test(model))

    def found() -> Frontier:
        return Frontier(limit, by_error, by_attack, dict(lines), undefended)

    for done, name in enumerate(chosen):
        yield Progress(done + 2, wanted, found, f"Drawing {name}")
        lines[name] = _line(errors, name, limit, by_error, by_attack)
    yield Progress(wanted, wanted, found)


def _line(
    errors: Errors, name: str, limit: Limit, by_error: ErrorDesign, by_attack: Design | None
) -> FrontierLine:
    epsilons = {*_grid(errors, name)}
    epsilons |= {choice.epsilon for choice in by_error.choices if choice.mechanism == name}
    if by_attack is not None:
        epsilons |= {choice.epsilon for choice in by_attack.choices if choice.mechanism == name}
    along = sorted(epsilons)
    asked = [(name, epsilon) for epsilon in along]
    noises, shares = errors.noises(asked), errors.shares(asked)
    used = shares.max(axis=1)
    kept = [place for place, noise in enumerate(noises) if isinstance(noise, Noise)]
    tests = release_tests([(errors.model, noise) for noise in noises if isinstance(noise, Noise)])
    reached = np.full(len(along), math.nan)
    reached[kept] = figures(tests, limit.figure)
    used[~np.isfinite(used)] = math.nan
    return FrontierLine(np.array(along), used, reached, shares.argmax(axis=1))


def _grid(errors: Errors, name: str) -> list[float]:
    """ε of a line: few where each takes long."""
    (noise,) = errors.noises([(name, 1.0)])
    slow = mechanisms.get(name).from_records or (
        isinstance(noise, Noise)
        and noise.distribution == "laplace"
        and noise.directions.shape[1] > 1
    )
    points = np.geomspace(*_EPSILONS, _FEW if slow else _POINTS)
    return [float(f"{epsilon:.4g}") for epsilon in points.tolist()]
