"""From an acceptable error of single statistics to the least ε that keeps to it.

The other direction of :mod:`distpriv.analysis.design`. What is limited is the expected absolute
error E|Z_k| of a statistic, the figure that is shown everywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv import mechanisms
from distpriv.analysis.design import EPSILON_RANGE
from distpriv.analysis.error_search import Errors, least_kept, scanned
from distpriv.analysis.error_sizes import expected_values
from distpriv.analysis.sweeps import expected_error
from distpriv.arguments import POSITIVE, checked
from distpriv.attacks.hypothesis.releases import release_tests
from distpriv.attacks.hypothesis.scores import best_accuracy
from distpriv.attacks.hypothesis.trials import OptimalTest
from distpriv.errors import QueryError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons
from distpriv.words import number

__all__ = ["COUNTED_IN", "CountedIn", "ErrorChoice", "ErrorDesign", "ErrorLimit", "choose_by_error"]

FloatArray = NDArray[np.float64]
CountedIn = Literal["unit", "value", "deviation"]
COUNTED_IN: tuple[CountedIn, ...] = get_args(CountedIn)


@checked(QueryError)
@dataclass(frozen=True)
class ErrorLimit:
    """What the expected absolute error of a statistic may be at most.

    Attributes
    ----------
    statistic : int
        Its place in the query, from 0.
    value : float > 0
        The limit: in the statistic's own unit, or as a share, 0.05 for 5 %.
    counted_in : "unit", "value" or "deviation"
        A share of what: of the value that the model expects of the statistic
        (:func:`distpriv.analysis.error_sizes.expected_values`), or of the standard deviation by
        which drawing n records varies it.
    """

    statistic: int
    value: float
    counted_in: CountedIn = "unit"

    def __post_init__(self) -> None:
        if self.statistic < 0:
            raise QueryError(f"There is no statistic number {self.statistic}; the first is 0.")
        if self.value not in POSITIVE:
            raise QueryError(
                f"The limit on an error must be a positive number, got {self.value:g}; take the "
                "largest error that you can live with."
            )
        if self.counted_in not in COUNTED_IN:
            raise QueryError(
                f"An error is not counted in {self.counted_in!r}; choose one of "
                f"{', '.join(COUNTED_IN)}."
            )

    def allowed(self, model: GaussianModel) -> float:
        """The limit in the statistic's own unit; raises QueryError where there is none."""
        labels = model.query.labels
        if self.statistic >= len(labels):
            raise QueryError(
                f"There is no statistic number {self.statistic}; the query has {len(labels)}."
            )
        if self.counted_in == "unit":
            return self.value
        if self.counted_in == "deviation":
            return self.value * float(model.standard_deviations[self.statistic])
        value = abs(float(expected_values(model)[self.statistic]))
        if not value:
            raise QueryError(
                f"{labels[self.statistic]} is expected to be 0, of which there is no share; limit "
                "its error in its own unit or in its sampling deviation."
            )
        return self.value * value


@dataclass(frozen=True, eq=False)
class ErrorChoice:
    """One mechanism at the least ε that keeps the limits.

    Attributes
    ----------
    mechanism : str
    epsilon : float
        Four digits at most; at least 0.001, where the search begins.
    noise : Noise
    errors : tuple of float, shape (m,)
        Expected absolute error of each statistic, in its own unit.
    used : float in [0, 1]
        The largest error as a share of its limit.
    error : float
        Expected L2 error, in the units asked for.
    test : OptimalTest
        The best attack on such a release, by the fitted model.
    """

    mechanism: str
    epsilon: float
    noise: Noise
    errors: tuple[float, ...]
    used: float
    error: float
    test: OptimalTest

    @property
    def accuracy(self) -> float:
        """How often the best attacker is right who has no hunch, in [0.5, 1]."""
        return float(best_accuracy(self.test, 0.5))


@dataclass(frozen=True, eq=False)
class ErrorDesign:
    """What limits on errors ask of a release.

    Attributes
    ----------
    limits : tuple of ErrorLimit
    allowed : tuple of float
        Each limit in its statistic's own unit.
    choices : tuple of ErrorChoice
        By the accuracy of the best attacker, the least first, then by ε.
    skipped : dict of mechanism to sentence
        Those that do not apply here, or exceed a limit at any ε.
    """

    limits: tuple[ErrorLimit, ...]
    allowed: tuple[float, ...]
    choices: tuple[ErrorChoice, ...]
    skipped: dict[str, str]


@checked(QueryError)
def choose_by_error(
    limits: Sequence[ErrorLimit],
    model: GaussianModel,
    names: Sequence[str] | None = None,
    *,
    delta: float,
    calibration: Calibration = "guarded",
    units: ArrayLike | None = None,
    report: NDArray[np.float64] | None = None,
    persons: Persons | None = None,
) -> ErrorDesign:
    """Least ε of each mechanism that keeps limits on errors, and what the best attacker then knows.

    How the least is looked for, and what might be missed, see
    :mod:`distpriv.analysis.error_search`.

    Parameters
    ----------
    limits : sequence of ErrorLimit
        At least one. All are to be kept.
    model : GaussianModel
    names : sequence of str, optional
        Mechanisms; by default all that protect the share and are no baselines.
    delta : float in (0, 1)
    calibration : "exact-law", "guarded", "exact" or "classical"
    units, report : ndarray, shape (m,), optional
        What the noise is calibrated in, and what its L2 error is counted in; raw by default.
    persons : Persons, optional
        What each record is promised besides.

    Raises
    ------
    QueryError
        If there is no limit, no such statistic, or a limit that is a share of zero.
    CalibrationError
        If δ, a mechanism or a unit is outside its domain.
    """
    names = mechanisms.names(baseline=False, protects=True) if names is None else names
    errors = errors_under(
        limits, model, delta=delta, calibration=calibration, units=units, persons=persons
    )
    return least_epsilons(tuple(limits), errors, list(dict.fromkeys(names)), report)


def least_epsilons(
    limits: tuple[ErrorLimit, ...],
    errors: Errors,
    names: Sequence[str],
    report: NDArray[np.float64] | None = None,
) -> ErrorDesign:
    """:func:`choose_by_error` from what is known of the errors already."""
    found, skipped = least_kept(errors, names), {}
    kept = [(name, epsilon) for name, epsilon in found.items() if epsilon is not None]
    for name in names:
        if found[name] is None:
            skipped[name] = _why_not(errors, name)
    noises = [noise for noise in errors.noises(kept) if isinstance(noise, Noise)]
    tests = release_tests([(errors.model, noise) for noise in noises])
    choices = [
        ErrorChoice(
            mechanism=name,
            epsilon=epsilon,
            noise=noise,
            errors=tuple(noise.expected_absolute_errors().tolist()),
            used=float(used),
            error=expected_error(noise, units=report),
            test=test,
        )
        for (name, epsilon), noise, used, test in zip(
            kept, noises, errors.used(kept), tests, strict=True
        )
    ]
    return ErrorDesign(
        limits,
        tuple(errors.allowed.tolist()),
        tuple(sorted(choices, key=lambda choice: (choice.accuracy, choice.epsilon))),
        skipped,
    )


def errors_under(
    limits: Sequence[ErrorLimit],
    model: GaussianModel,
    *,
    delta: float,
    calibration: Calibration,
    units: ArrayLike | None,
    persons: Persons | None = None,
) -> Errors:
    """Errors beside the limits; parameters and errors are those of :func:`choose_by_error`."""
    if not limits:
        raise QueryError("There is no limit on any error; limit at least one statistic's.")
    allowed = np.array([limit.allowed(model) for limit in limits])
    places = [limit.statistic for limit in limits]
    return Errors(
        model, places, allowed, delta=delta, calibration=calibration, units=units, persons=persons
    )


def _why_not(errors: Errors, name: str) -> str:
    """Why a mechanism keeps the limits at no ε, in a sentence."""
    asked = [(name, epsilon) for epsilon in scanned()]
    used = errors.used(asked)
    nearest = int(np.argmin(used))
    noise = errors.noises(asked)[nearest]
    if not isinstance(noise, Noise):
        return str(errors.noises(asked)[-1])
    model = errors.model
    found = noise.expected_absolute_errors()[errors.places]
    worst = int(np.argmax(found / errors.allowed))
    label = model.query.labels[errors.places[worst]]
    return (
        f"{name} exceeds the limits at any ε from {EPSILON_RANGE[0]:g} to {EPSILON_RANGE[1]:g}: at "
        f"its nearest, ε = {asked[nearest][1]:g}, it moves {label} by {number(found[worst])}, and "
        f"{number(errors.allowed[worst])} is allowed."
    )
