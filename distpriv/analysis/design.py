"""From what an attacker may achieve at most to the largest ε and the least noise that allow it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal, get_args

import dp_accounting
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from distpriv import mechanisms
from distpriv.analysis.bracketing import Bracket
from distpriv.analysis.sweeps import expected_error
from distpriv.arguments import checked
from distpriv.attacks.hypothesis.auxiliary import odds_against
from distpriv.attacks.hypothesis.releases import figures, release_test, release_tests
from distpriv.attacks.hypothesis.scores import (
    believed_after,
    best_accuracy,
    best_f_score,
    check_beta,
    check_open,
    f_score_floor,
    precision_at,
)
from distpriv.attacks.hypothesis.trials import GaussianTest, OptimalTest, PromiseTest
from distpriv.errors import CalibrationError, HypothesisError
from distpriv.mechanisms.guarded import side_by_side
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import Calibration, check_delta, gaussian_distance
from distpriv.privacy.delivered import delivered_epsilon
from distpriv.privacy.known_laws import model_laws
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons
from distpriv.words import exact

__all__ = [
    "EPSILON_RANGE",
    "KINDS",
    "Choice",
    "Design",
    "Kind",
    "Limit",
    "choose",
    "noiseless_epsilon",
    "promised_epsilon",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Kind = Literal["guesses", "accuracy", "precision", "f_score", "belief"]
KINDS: tuple[Kind, ...] = get_args(Kind)
EPSILON_RANGE = (1e-3, 100.0)

_DISTANCES = (1e-6, 60.0)
_TABLE = np.geomspace(1e-3, 30.0, 61)
_TINY = 1e-12


@checked(HypothesisError)
@dataclass(frozen=True)
class Limit:
    """What an attacker may achieve at most, in the words of whoever sets it.

    Attributes
    ----------
    kind : str
        What is limited: ``guesses`` right of 100; ``accuracy``; ``precision``, how often the
        attacker is right when they name the second share, at a recall; ``f_score``, F_β; or
        ``belief``, the probability that they give the true share after a release.
    value : float
        The limit: 50 to 100 guesses, else a share.
    base_rate : float in (0, 1)
        How often the second share is the true one, as the attacker knows.
    recall : float in (0, 1)
        For a precision: the share of the cases with the second share in which they name it.
    beta : float > 0
        For F_β.
    confidence : float in (0, 1)
        For a belief: in this share of the releases it stays within the limit.
    """

    kind: Kind
    value: float
    base_rate: float = 0.5
    recall: float = 0.5
    beta: float = 1.0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise HypothesisError(
                f"There is no limit on {self.kind!r}; choose one of {', '.join(KINDS)}."
            )
        odds_against(self.base_rate)
        check_open("recall", self.recall)
        check_open("confidence", self.confidence)
        check_beta(self.beta)
        if not self.floor <= self.value < self.top:
            nearest = self.floor if not self.value >= self.top else self.top * 0.999
            raise HypothesisError(
                f"The limit must be from {self.floor:.4g}, which takes no information at all, to "
                f"below {self.top:g}, got {self.value:g}; the nearest is {nearest:.4g}."
            )

    @property
    def floor(self) -> float:
        """What whoever sees no release achieves."""
        if self.kind in ("guesses", "accuracy"):
            return self.top * max(self.base_rate, 1 - self.base_rate)
        if self.kind == "f_score":
            return f_score_floor(self.beta, odds_against(self.base_rate))
        return self.base_rate

    @property
    def top(self) -> float:
        """What certainty achieves."""
        return 100.0 if self.kind == "guesses" else 1.0

    def reached(self, test: OptimalTest) -> float:
        """What the best attacker on a test achieves, in the limit's own measure."""
        return float(self.figure(test))

    def figure(self, test: OptimalTest) -> Any:
        """The same of a test of any shape."""
        if self.kind in ("guesses", "accuracy"):
            return self.top * best_accuracy(test, self.base_rate)
        if self.kind == "precision":
            return precision_at(test, self.recall, odds_against(self.base_rate))
        if self.kind == "f_score":
            return best_f_score(test, self.beta, odds_against(self.base_rate))
        return believed_after(test, self.base_rate, self.confidence)


@dataclass(frozen=True, eq=False)
class Choice:
    """One mechanism at the largest ε that keeps a limit.

    Attributes
    ----------
    mechanism : str
    epsilon : float
        At most 100, where the search ends.
    noise : Noise
    reached : float
        What the best attacker then achieves, in the limit's measure.
    error : float
        Expected L2 error, in the units asked for.
    """

    mechanism: str
    epsilon: float
    noise: Noise
    reached: float
    error: float


@dataclass(frozen=True, eq=False)
class Design:
    """What a limit asks of a release.

    Attributes
    ----------
    limit : Limit
    choices : tuple of Choice
        By error, the least first; empty if the limit takes no noise.
    skipped : dict of mechanism to sentence
        Those that do not apply here, or exceed the limit at any ε.
    undefended : float
        What the best attacker achieves on a release without noise.
    noiseless : float
        ε from which on the mechanisms that know the statistics' own variation add no noise.
    """

    limit: Limit
    choices: tuple[Choice, ...]
    skipped: dict[str, str]
    undefended: float
    noiseless: float

    @property
    def needs_no_noise(self) -> bool:
        """Whether the limit holds without any noise."""
        return self.undefended <= self.limit.value


@checked(HypothesisError)
def promised_epsilon(limit: Limit, delta: float = 0.0) -> float:
    """Largest ε whose promise alone keeps a limit, whatever the data.

    Parameters
    ----------
    limit : Limit
    delta : float in [0, 1)

    Returns
    -------
    float
        At most 100, where the search ends.

    Raises
    ------
    HypothesisError
        If no ε from 0.001 on keeps it; the message names the least limit that one does.
    """
    if delta:
        check_delta(delta)

    def reached(epsilons: FloatArray, _: IntArray) -> FloatArray:
        return np.array(
            [limit.reached(PromiseTest(epsilon, delta)) for epsilon in epsilons.tolist()]
        )

    (epsilon,) = _largest(reached, limit, 1).tolist()
    if math.isnan(epsilon):
        least = limit.reached(PromiseTest(EPSILON_RANGE[0], delta))
        raise _infeasible(limit, least, f"a promise with δ = {exact(delta)}")
    return float(epsilon)


def noiseless_epsilon(
    model: GaussianModel, delta: float, calibration: Calibration = "guarded"
) -> float:
    """ε from which on no noise is needed (Chen & Ohrimenko 2023, Theorem 4.4).

    Where the statistics vary so much by themselves that (ε, δ) holds already: by their exact law,
    by the two covariances of every pair (*guarded*), or by the mean of these. It may be infinite.

    Parameters
    ----------
    model : GaussianModel
    delta : float in (0, 1)
    calibration : "exact-law", if the law is known, "guarded", "exact" or "classical"
    """
    delta = check_delta(delta)
    if calibration in ("exact-law", "guarded"):
        law = model_laws(model) if calibration == "exact-law" else None
        return delivered_epsilon(model, None, delta, law=law)
    distance = max(fit.mahalanobis for fit in model.pairs)
    if calibration == "classical":
        return distance / gaussian_distance(1.0, delta, calibration)
    return float(dp_accounting.get_epsilon_gaussian(1 / distance, delta)) if distance else 0.0


@checked(HypothesisError)
def choose(
    limit: Limit,
    model: GaussianModel,
    names: Sequence[str] | None = None,
    *,
    delta: float,
    calibration: Calibration = "guarded",
    units: ArrayLike | None = None,
    report: NDArray[np.float64] | None = None,
    persons: Persons | None = None,
    guard_laplace: bool = False,
) -> Design:
    """Largest ε and error of each mechanism under a limit on the best attacker, by the model.

    The attacker achieves more the larger ε is; the largest ε is searched for to a thousandth.

    Parameters
    ----------
    limit : Limit
    model : GaussianModel
        The limit holds for every pair.
    names : sequence of str, optional
        Mechanisms; by default all that protect the share and are no baselines.
    delta : float in (0, 1)
    calibration : "exact-law", "guarded", "exact" or "classical"
    units, report : ndarray, shape (m,), optional
        What the noise is calibrated in, and what its error is counted in; raw by default.
    persons : Persons, optional
    guard_laplace : bool
        See :func:`distpriv.calibrate`.

    Raises
    ------
    HypothesisError
        If no mechanism keeps the limit at any ε from 0.001 on.
    """
    names = mechanisms.names(baseline=False, protects=True) if names is None else names
    undefended = limit.reached(release_test(model))
    noiseless = noiseless_epsilon(model, delta, calibration)
    choices: list[Choice] = []
    skipped: dict[str, str] = {}
    least = math.inf
    asked = list(names) if undefended > limit.value else []
    known: dict[tuple[int, float], tuple[Noise | CalibrationError, float]] = {}
    searching = partial(mechanisms.searching, persons=persons, guard_laplace=guard_laplace)

    def reached(epsilons: FloatArray, which: IntArray) -> FloatArray:
        places = list(zip(which.tolist(), epsilons.tolist(), strict=True))
        new = [place for place in dict.fromkeys(places) if place not in known]
        noises = side_by_side(
            [
                searching(asked[index], model, epsilon, delta, calibration, units)
                for index, epsilon in new
            ]
        )
        tests = release_tests([(model, noise) for noise in noises if isinstance(noise, Noise)])
        values = iter(figures(tests, limit.figure).tolist())
        for place, noise in zip(new, noises, strict=True):
            # Guarded noise may exist from some larger ε on.
            known[place] = noise, next(values) if isinstance(noise, Noise) else limit.floor
        return np.array([known[place][1] for place in places])

    found = _largest(reached, limit, len(asked), _equal_epsilon(limit, delta) if asked else None)
    for index, (name, epsilon) in enumerate(zip(asked, found.tolist(), strict=True)):
        if math.isnan(epsilon):
            value = known[index, EPSILON_RANGE[0]][1]
            skipped[name] = str(_infeasible(limit, value, name))
            least = min(least, value)
            continue
        noise, value = known[index, epsilon]
        if isinstance(noise, CalibrationError):
            skipped[name] = str(noise)
        else:
            error = expected_error(noise, units=report)
            choices.append(Choice(name, epsilon, noise, value, error))
    if not choices and math.isfinite(least):
        raise _infeasible(limit, least, f"noise with δ = {exact(delta)}")
    least_first = tuple(sorted(choices, key=lambda choice: choice.error))
    return Design(limit, least_first, skipped, undefended, noiseless)


def _equal_epsilon(limit: Limit, delta: float) -> float | None:
    """ε at which noise that just hides two normals of one covariance reaches a limit."""

    def excess(distance: float) -> float:
        return limit.reached(GaussianTest(distance)) - limit.value

    if excess(_DISTANCES[0]) >= 0 or excess(_DISTANCES[1]) <= 0:
        return None
    distance = float(brentq(excess, *_DISTANCES, xtol=1e-9, rtol=1e-4))
    return float(dp_accounting.get_epsilon_gaussian(1 / distance, delta))


def _largest(
    reached: Callable[[FloatArray, IntArray], FloatArray],
    limit: Limit,
    count: int,
    about: float | None = None,
) -> FloatArray:
    """Largest ε at which each of `count` figures that rise with ε keeps a limit; NaN for none.

    All are searched for side by side. The search is fast if the roots are near `about`.

    Parameters
    ----------
    reached : callable
        From ε and which of the figures to the figures, all of one shape.
    """
    ends = np.log(EPSILON_RANGE)
    levels, places = _as_distances(limit)
    aim = float(np.interp(limit.value, levels, places))

    def excess(position: FloatArray, which: IntArray) -> FloatArray:
        value = reached(_epsilons(position), which)
        # On a scale on which it rises about like ln ε, so that few steps do.
        moved = np.interp(value, levels, places) - aim
        return np.where(value > limit.value, np.maximum(moved, _TINY), np.minimum(moved, -_TINY))

    searches = [Bracket(*ends) for _ in range(count)]
    start = float(np.clip(math.log(about) if about else ends.mean(), *ends))
    asked = {index: [start] for index in range(count)}
    while asked:
        which = np.repeat([*asked], [len(group) for group in asked.values()])
        positions = np.concatenate([*asked.values()])
        for index, place, over in zip(which, positions, excess(positions, which), strict=True):
            searches[index].known[float(place)] = float(over)
        asked = {index: new for index in asked if (new := searches[index].next())}
    return _epsilons(np.array([search.low for search in searches]))


def _epsilons(positions: FloatArray) -> FloatArray:
    """ε from their logarithms, rounded: mechanisms share what is remembered of one."""
    ends = np.log(EPSILON_RANGE)
    inner = np.array([float(f"{math.exp(position):.9g}") for position in positions.tolist()])
    return np.where(positions <= ends[0], EPSILON_RANGE[0], np.minimum(inner, EPSILON_RANGE[1]))


@lru_cache(maxsize=64)
def _as_distances(limit: Limit) -> tuple[FloatArray, FloatArray]:
    """What the best attacker on two unit normals achieves, and the logarithm of their distance."""
    levels = [limit.reached(GaussianTest(distance)) for distance in _TABLE.tolist()]
    kept = np.flatnonzero(np.diff(levels, prepend=-math.inf) > 0)
    return np.array(levels)[kept], np.log(_TABLE)[kept]


def _infeasible(limit: Limit, least: float, what: str) -> HypothesisError:
    nearest = math.ceil(least * 1e4 / limit.top) * limit.top / 1e4
    return HypothesisError(
        f"With {what} an attacker exceeds the limit of {limit.value:g} at any ε from "
        f"{EPSILON_RANGE[0]:g} on; the nearest that can be kept is {nearest:g}."
    )
