"""The least noise any Gaussian mechanism can add."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from distpriv.errors import InapplicableError
from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import (
    FloatArray,
    GaussianMechanism,
    Mechanism,
    kept_apart,
    register,
)
from distpriv.mechanisms.guarded import Guard, Search
from distpriv.mechanisms.least_for_both import ToPersons
from distpriv.mechanisms.least_guarded import counting
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import (
    Calibration,
)
from distpriv.privacy.noise import Noise
from distpriv.privacy.record_moves import RecordMoves

__all__ = ["LeastNoise", "least_noise"]

_LARGE = 2000  # entries of all pairs' matrices together
_TOLERANCE = 1e-9
_ROUNDING = 1e-13
_SOLVED = 1e-6  # of the trace
# Where the search for guarded noise starts: noise in the other directions as a share of that in the
# direction that wants most, and of the statistics' own variation.
_ASIDE, _LITTLE = 0.2, 1e-3
_LEAST_AT_START = 1e-4
_ONE_AT_A_TIME = threading.Lock()  # compiled programs are shared and take their matrices in turn
_UNSOLVED = (
    "The semidefinite program for the least noise did not solve; this noise keeps the promise but "
    "is not the least."
)


@dataclass(frozen=True, eq=False)
class LeastNoise:
    """Solution of :func:`least_noise`.

    Attributes
    ----------
    covariance : ndarray, shape (m, m)
        Positive semidefinite; meets every pair's condition whether or not it is the least.
    solved : bool
        Whether it is the least: False if the program did not solve.
    """

    covariance: FloatArray
    solved: bool


def least_noise(
    differences: FloatArray,
    covariances: FloatArray,
    distance: float,
    weights: FloatArray | None = None,
) -> LeastNoise:
    r"""Covariance S of least tr(W S) with dᵀ(Σ + S)⁻¹d ≤ distance² for every pair (d, Σ).

    By the Schur complement the condition (Corollary A.1 of Chen & Ohrimenko 2023) is
    :math:`S \succeq A`, :math:`A = dd^\top/t - \Sigma`, t = distance². The :math:`S \succeq 0` of
    least trace above one A is its positive part: at most one eigenvalue of A is positive, so that
    the noise is one-dimensional. Weights are a change of units. Several pairs make the
    semidefinite program min tr(W S) subject to S ⪰ A_k for all k, S ⪰ 0 (CVXPY with Clarabel),
    unless the positive part of one A_k lies above all the others. SCS takes over where there are
    many.

    Parameters
    ----------
    differences : ndarray, shape (pairs, m)
    covariances : ndarray, shape (pairs, m, m)
        Positive definite.
    distance : float > 0
        The Mahalanobis distance allowed.
    weights : ndarray, shape (m,), optional
        Positive diagonal of W; ones by default.

    Returns
    -------
    LeastNoise
    """
    units = np.sqrt(np.mean(np.diagonal(covariances, axis1=1, axis2=2), axis=0))
    objective = units**2 * (1.0 if weights is None else weights)
    wanted = _conditions(differences, covariances, distance, units)
    if not len(wanted):
        return LeastNoise(np.zeros_like(covariances[0]), solved=True)
    best, solved = _least_above(wanted, objective)
    return LeastNoise(best * np.outer(units, units), solved)


def _conditions(
    differences: FloatArray, covariances: FloatArray, distance: float, units: FloatArray
) -> FloatArray:
    """Matrices that the noise has to lie above, in units in which the statistics are alike."""
    apart = differences / units
    outer = np.einsum("ka,kb->kab", apart, apart)
    return _maximal(outer / distance**2 - covariances / np.outer(units, units))


def _maximal(wanted: FloatArray) -> FloatArray:
    """Leave out the matrices that are nowhere positive, and those below another one."""
    wanted = wanted[np.linalg.eigvalsh(wanted)[:, -1] > 0]
    kept: list[FloatArray] = []
    for index, matrix in enumerate(wanted):
        others = [*kept, *wanted[index + 1 :]]
        if not others or np.linalg.eigvalsh(matrix - np.array(others))[:, -1].min() > 0:
            kept.append(matrix)
    return np.array(kept)


def _least_above(wanted: FloatArray, objective: FloatArray) -> tuple[FloatArray, bool]:
    """Matrix of least weighted trace above all of `wanted` and zero, and whether that is proven."""
    across = _across(counting(objective))
    closed = _closed_form(wanted, across)
    if closed is not None:
        return closed, True
    largest_first = wanted[np.argsort(-np.linalg.eigvalsh(wanted * across)[:, -1])]
    safe = min(
        (_stacked(order, across) for order in (largest_first, largest_first[::-1])),
        key=lambda matrix: float(np.trace(matrix * across)),
    )
    solution = _solve(wanted * across)
    if solution is None:
        return safe, False
    mended = _mend(solution / across, wanted)
    best = min((mended, safe), key=lambda matrix: float(np.trace(matrix * across)))
    # A solution that took much mending is none.
    solved = float(np.trace(best * across)) <= float(np.trace(solution)) * (1 + _SOLVED)
    return best, solved


def _across(weights: FloatArray) -> FloatArray:
    """Change of scale after which the weighted trace is one of equal weights, shape (m, m)."""
    scale = np.sqrt(weights / weights.max())
    return np.outer(scale, scale)


def _closed_form(wanted: FloatArray, across: FloatArray) -> FloatArray | None:
    """The positive part of one of them if it lies above all the others."""
    for matrix in wanted:
        candidate = _mend(_positive_part(matrix * across) / across, matrix[None])
        if _lies_above(candidate, wanted):
            return candidate
    return None


def _positive_part(matrix: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def _lies_above(candidate: FloatArray, wanted: FloatArray) -> bool:
    magnitude = float(np.abs(wanted).max())
    return bool(np.linalg.eigvalsh(candidate - wanted)[:, 0].min() >= -1e-12 * magnitude)


def _stacked(wanted: FloatArray, across: FloatArray) -> FloatArray:
    """A matrix above all of them in closed form: each adds what is still missing."""
    total = np.zeros_like(wanted[0])
    for matrix in wanted:
        total = total + _positive_part((matrix - total) * across) / across
    return _mend(total, wanted)


def _mend(solution: FloatArray, wanted: FloatArray) -> FloatArray:
    """Make up for rounding and the solver's tolerance: the promise does not hang on them."""
    total = _positive_part(solution)
    rounding = _ROUNDING * float(np.abs(wanted).max())
    for matrix in wanted:
        missing = _positive_part(matrix - total)
        if float(np.trace(missing)) > rounding:
            total = total + missing
    return total


def _solve(wanted: FloatArray) -> FloatArray | None:
    """The semidefinite program, or None if it does not solve.

    With more matrices than a symmetric matrix has entries most conditions are idle: the program
    starts with the largest matrix and takes in whichever is violated most until none is.
    """
    size = wanted.shape[-1]
    magnitude = float(np.linalg.eigvalsh(wanted)[:, -1].max())
    scaled = wanted / magnitude
    if len(wanted) <= size * (size + 1) // 2:
        solution = _program(scaled)
        return None if solution is None else solution * magnitude
    active = [int(np.argmax(np.linalg.eigvalsh(scaled)[:, -1]))]
    while True:
        solution = _program(scaled[active])
        if solution is None:
            return None
        missing = np.linalg.eigvalsh(solution - scaled)[:, 0]
        worst = int(np.argmin(missing))
        if missing[worst] >= -_TOLERANCE or worst in active:
            return solution * magnitude
        active.append(worst)


def _program(wanted: FloatArray) -> FloatArray | None:
    """min tr S subject to S ⪰ A for all A and S ⪰ 0, for matrices of magnitude 1."""
    with _ONE_AT_A_TIME:
        return _solved(wanted)


def _solved(wanted: FloatArray) -> FloatArray | None:
    import cvxpy

    padded = 1 << (len(wanted) - 1).bit_length()  # few shapes, each compiled once
    problem, variable, parameters = _compiled(padded, wanted.shape[-1])
    for index, parameter in enumerate(parameters):
        matrix = wanted[min(index, len(wanted) - 1)]
        parameter.value = (matrix + matrix.T) / 2
    # Interior points are exact, but take half a minute for 50 pairs of 20 statistics; operator
    # splitting takes half a second, and what it leaves wanting is mended.
    attempts = [
        (cvxpy.CLARABEL, {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}),
        (cvxpy.SCS, {"eps": 1e-7, "max_iters": 20_000}),
    ]
    if wanted.size > _LARGE:
        attempts.reverse()
    for solver, options in attempts:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # an inaccurate solution is mended
                problem.solve(solver=solver, warm_start=False, **options)
        except cvxpy.SolverError:
            continue
        if problem.status in (cvxpy.OPTIMAL, cvxpy.OPTIMAL_INACCURATE):
            return np.asarray(variable.value, dtype=np.float64)
    return None


@lru_cache(maxsize=32)
def _compiled(count: int, size: int) -> tuple[Any, Any, list[Any]]:
    """The program with its matrices left open; slow to set up, fast to solve again."""
    import cvxpy  # slow to import, and needed for several pairs only

    variable = cvxpy.Variable((size, size), PSD=True)
    parameters = [cvxpy.Parameter((size, size), symmetric=True) for _ in range(count)]
    constraints = [variable - parameter >> 0 for parameter in parameters]
    return cvxpy.Problem(cvxpy.Minimize(cvxpy.trace(variable)), constraints), variable, parameters


@register
class OptimalNoise(GaussianMechanism):
    """N(0, S) with the S of least trace that brings the two normals of every pair close enough.

    Least expected squared L2 error of all Gaussian mechanisms under the same assumptions as
    DauM; see :func:`least_noise`. This project's, from Corollary A.1 of Chen & Ohrimenko (2023).
    """

    name = "OptM"
    position = 50
    title = "Least noise, Gaussian"
    summary = "The least Gaussian noise that keeps the promise, in the best direction there is."
    source = "distpriv, from Chen & Ohrimenko (2023), Corollary A.1"
    assumes = (Assumption.GAUSSIAN, Assumption.EQUAL_COVARIANCE)

    def covariance(self, model: GaussianModel, distance: float) -> FloatArray:
        return self.solve(model, distance)[0]

    def solve(self, model: GaussianModel, distance: float) -> tuple[FloatArray, tuple[str, ...]]:
        """The least noise; says so if it is not the least."""
        pooled = np.array([fit.pooled for fit in model.pairs])
        covariance = least_noise(model.differences, pooled, distance)
        return covariance.covariance, () if covariance.solved else (_UNSOLVED,)

    def with_persons(self, moves: RecordMoves, allowed: float) -> Mechanism:
        """The least noise for both promises, :func:`.least_for_both`."""
        return _OptimalForPersons(moves, allowed)

    def guard_start(self, model: GaussianModel, distance: float) -> FloatArray:
        """Noise for equal covariances, or a bound on it, with some noise in every direction."""
        units = model.standard_deviations
        across = _across(counting(units**2, _LEAST_AT_START))
        wanted = self._wanted(model, distance)
        enough = _stacked(wanted, across) if len(wanted) else np.zeros_like(across)
        trace = max(float(np.trace(enough * across)), _LITTLE * float(np.trace(across)))
        aside = np.diag(_ASIDE * trace / len(units) / np.diag(across))
        return np.asarray((enough + aside) * np.outer(units, units))

    def guard_covariances(
        self, model: GaussianModel, largest: float
    ) -> Callable[[float], FloatArray]:
        """The least noise for equal covariances where it has a closed form; else none."""
        return partial(self._closed, model)

    def _closed(self, model: GaussianModel, distance: float) -> FloatArray:
        units, wanted = model.standard_deviations, self._wanted(model, distance)
        closed = _closed_form(wanted, _across(counting(units**2))) if len(wanted) else None
        if closed is None:
            return np.zeros_like(model.pairs[0].pooled)
        return np.asarray(closed * np.outer(units, units))

    def _wanted(self, model: GaussianModel, distance: float) -> FloatArray:
        """What the noise has to lie above, were the covariances equal, largest first."""
        pooled, units = np.array([fit.pooled for fit in model.pairs]), model.standard_deviations
        wanted = _conditions(model.differences, pooled, distance, units)
        return wanted[np.argsort(-np.linalg.eigvalsh(wanted)[:, -1])] if len(wanted) else wanted


class _OptimalForPersons(OptimalNoise):
    """OptM with a promise to each record besides."""

    full_rank = True

    def __init__(self, moves: RecordMoves, allowed: float) -> None:
        self.moves, self.allowed = moves, allowed

    def plan(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Guard:
        """The least noise that keeps both promises is to be found."""
        guard = self.guard(model, epsilon, delta, calibration)
        apart = None if calibration == "guarded" else guard.distance
        return replace(
            guard,
            start=self.guard_start(model, guard.distance),
            also=ToPersons(self.moves, self.allowed, apart),
        )

    def search(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Search:
        """Search for it, and take a little more where rounding takes something off."""
        guard = self.plan(model, epsilon, delta, calibration)
        noise: Noise | None = yield guard
        if noise is None:
            raise InapplicableError(
                "No noise was found that keeps both promises; take a larger ε or δ, or leave a "
                "statistic out that is far larger than the others."
            )
        return noise if calibration == "guarded" else kept_apart(model, noise, guard.distance)
