"""What every mechanism is, and the registry that makes it appear everywhere."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import CalibrationError, InapplicableError
from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.guarded import Guard, Search, guarded
from distpriv.mechanisms.guarded_laplace import guarded_laplace
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import (
    Calibration,
    check_delta,
    check_epsilon,
    classical_caveat,
    gaussian_distance,
)
from distpriv.privacy.noise import Distribution, Noise, gaussian_noise
from distpriv.privacy.noised import noised
from distpriv.privacy.record_moves import RecordMoves
from distpriv.registry import Registry

__all__ = [
    "GaussianMechanism",
    "LaplaceMechanism",
    "Mechanism",
    "get",
    "kept_apart",
    "names",
    "register",
    "unregister",
]

FloatArray = NDArray[np.float64]


class Mechanism(ABC):
    """One way to calibrate noise to a Gaussian model.

    Class attributes
    ----------------
    name : str
        Short name, unique; what selectors, charts and tables show.
    title : str
        What the letters stand for.
    summary : str
        One plain sentence for a tooltip.
    source : str
        Theorem or algorithm, with its publication.
    protects : bool
        Whether it promises distribution privacy at all.
    baseline : bool
        Whether it stands for comparison only.
    distribution : "gaussian" or "laplace"
    position : int
        Where it stands in lists; the baselines follow the others.
    shown_at_first : bool
        Whether charts start with it.
    from_outcomes : bool
        Whether it takes the outcomes of a pair, where they are known, for its distributions.
    takes_delta : bool
        Whether its promise has a δ whatever the calibration.
    full_rank : bool
        Whether there is noise in every direction, as a rule.
    from_records : bool
        Whether it takes the records and not the normals that are fitted to their statistics: its
        promise holds on any grid, no calibration applies to it, and each n and Δp takes draws of
        its own.
    assumes : tuple of Assumption
        What the promise rests on, besides the distributions f_θ that are to be hidden and the
        pairs of them: empty if it holds whatever those distributions are.
    dispenses : tuple of Assumption
        What the cited theorem assumes and this implementation does without.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    protects: ClassVar[bool] = True
    baseline: ClassVar[bool] = False
    position: ClassVar[int] = 100
    shown_at_first: ClassVar[bool] = True
    from_outcomes: ClassVar[bool] = False
    from_records: ClassVar[bool] = False
    takes_delta: ClassVar[bool] = True
    full_rank: ClassVar[bool] = False
    assumes: ClassVar[tuple[Assumption, ...]] = ()
    dispenses: ClassVar[tuple[Assumption, ...]] = ()
    distribution: ClassVar[Distribution]

    @property
    def replaced_by_law(self) -> bool:
        """Whether the *exact-law* calibration says how much of its noise there has to be."""
        return self.distribution == "gaussian" and self.protects and not self.baseline

    @property
    def from_normals(self) -> bool:
        """Whether its *guarded* promise rests on the fitted normals."""
        return self.replaced_by_law and not self.from_records

    @abstractmethod
    def plan(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Noise | Guard:
        """Least noise of this kind that keeps the promise on the model, or what it has to guard."""

    def search(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Search:
        """Search for the noise of :meth:`plan`."""
        planned = self.plan(model, epsilon, delta, calibration)
        return planned if isinstance(planned, Noise) else (yield from guarded(planned))

    def with_persons(self, moves: RecordMoves, allowed: float) -> Mechanism | None:
        """One that finds the least noise for each record's promise too; None if there is none.

        The noise of the others is raised until it keeps both (:func:`.for_persons.raised`).

        Parameters
        ----------
        moves : RecordMoves
            In the units that the noise is calibrated in.
        allowed : float > 0
            The Mahalanobis length that a move may have.
        """
        return None

    def caveats(self, model: GaussianModel) -> tuple[str, ...]:
        """Why the promise may not hold as it stands, whatever ε and δ."""
        return ()

    def assumptions(
        self, model: GaussianModel, calibration: Calibration | None
    ) -> tuple[Assumption, ...]:
        """What the promise on a model rests on under a calibration.

        *exact-law* Gaussian noise delivers the promise to the law of the statistics itself, and
        nothing is left to assume but how records are drawn.
        *guarded* noise delivers the promise to normals with a covariance each: that the shares only
        shift the statistics, or vary them equally, is not assumed any more.
        """
        if calibration == "exact-law" and self.replaced_by_law:
            return ()
        eased = {Assumption.TRANSLATION, Assumption.EQUAL_COVARIANCE}
        scaled = isinstance(self, GaussianMechanism) or getattr(self, "guards", False)
        if not scaled or calibration != "guarded" or not eased & {*self.assumes}:
            return self.assumes
        left = [assumption for assumption in self.assumes if assumption not in eased]
        return tuple(dict.fromkeys([Assumption.GAUSSIAN, *left]))


class LaplaceMechanism(Mechanism):
    """Laplace noise: promises (ε, 0), as published, or (ε, δ) where it is *guarded*.

    On request, with a δ and the calibration *guarded*, it is as much of the published noise as
    delivers (ε, δ) to normals with a covariance each (:func:`.guarded_laplace.guarded_laplace`),
    less or more. Otherwise it is the published noise, and so are the baselines.
    """

    distribution: ClassVar[Distribution] = "laplace"
    takes_delta: ClassVar[bool] = False
    guards: bool = False

    @abstractmethod
    def directions(self, model: GaussianModel) -> FloatArray:
        """Orthonormal directions of the noise, shape (m, d)."""

    @abstractmethod
    def sensitivity(self, model: GaussianModel, directions: FloatArray) -> float:
        """L1 sensitivity in the coordinates of the directions."""

    def plan(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Noise:
        """Laplace noise of scale sensitivity/ε along each direction, or what *guarded* makes it."""
        epsilon = check_epsilon(epsilon)
        directions = self.directions(model)
        left = model.differences - model.differences @ directions @ directions.T
        if self.protects and np.abs(left / _units(model)).max() > _LEFT:
            raise _too_different(self.name)
        scale = held(self.name, self.sensitivity(model, directions) / epsilon)
        published = Noise(
            mechanism=self.name,
            distribution="laplace",
            directions=directions,
            scales=np.full(directions.shape[1], scale),
            epsilon=epsilon,
            delta=0.0,
            caveats=self.caveats(model),
        )
        if not self.is_guarded(delta, calibration):
            return published
        return guarded_laplace(model, published, check_delta(delta))

    def is_guarded(self, delta: float | None, calibration: Calibration) -> bool:
        """Whether its noise promises (ε, δ) to normals, and not (ε, 0) to translations."""
        return self.guards and delta is not None and calibration == "guarded"

    def guarding(self) -> Mechanism:
        """Return the mechanism whose noise is scaled to (ε, δ) where it is *guarded*."""
        if self.baseline or not self.protects:
            return self
        other = copy(self)
        other.guards = True
        return other


class GaussianMechanism(Mechanism):
    """Gaussian noise: promises (ε, δ) through the distance of the two normals it allows."""

    distribution: ClassVar[Distribution] = "gaussian"

    @abstractmethod
    def covariance(self, model: GaussianModel, distance: float) -> FloatArray:
        """Covariance of the noise, shape (m, m).

        Parameters
        ----------
        distance : float > 0
            The Mahalanobis distance that (ε, δ) allows: ε/c or μ*(ε, δ).
        """

    def solve(self, model: GaussianModel, distance: float) -> tuple[FloatArray, tuple[str, ...]]:
        """Covariance of the noise, and caveats of this solution."""
        return self.covariance(model, distance), ()

    def guard_start(self, model: GaussianModel, distance: float) -> FloatArray | None:
        """Where the search for the least guarded noise starts; None to keep the noise's form."""
        return None

    def guard_covariances(
        self, model: GaussianModel, largest: float
    ) -> Callable[[float], FloatArray]:
        """From a distance to the covariance, for the many, up to a largest, that *guarded* tries.

        It grows without bound as the distance falls.
        """
        return partial(self.covariance, model)

    def plan(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Noise | Guard:
        """Gaussian noise with the covariance that the distance allowed by (ε, δ) asks for."""
        guard = self.guard(model, epsilon, delta, calibration)
        distance = guard.distance
        if calibration == "guarded" and self.protects:
            return replace(
                guard,
                covariance_at=self.guard_covariances(model, distance),
                start=self.guard_start(model, distance),
            )
        covariance, own = self.solve(model, distance)
        noise = guard.noise_of(covariance)
        noise = replace(noise, caveats=noise.caveats + own)
        return kept_apart(model, noise, distance) if self.protects else noise

    def guard(
        self,
        model: GaussianModel,
        epsilon: float,
        delta: float | None,
        calibration: Calibration,
    ) -> Guard:
        """What its noise has to keep, and how noise of it is made from a covariance."""
        epsilon, delta = check_epsilon(epsilon), check_delta(delta)
        caveats = self.caveats(model)
        if calibration == "classical":
            outside = classical_caveat(epsilon, delta)
            caveats += (outside,) if outside else ()
        noise_of = partial(
            gaussian_noise,
            self.name,
            epsilon=epsilon,
            delta=delta,
            calibration=calibration,
            caveats=caveats,
        )
        distance = gaussian_distance(epsilon, delta, calibration)
        return Guard(model, epsilon, delta, distance, partial(self.covariance, model), noise_of)


def kept_apart(model: GaussianModel, noise: Noise, distance: float) -> Noise:
    """The noise, and a little more where rounding takes something off what it has to hide."""
    factor = 1.0
    while True:
        more = replace(noise, scales=noise.scales * math.sqrt(factor))
        pairs = [noised(fit, more) for fit in model.pairs]
        far = max(math.inf if pair is None else pair.distance for pair in pairs)
        if far <= distance * (1 + _ROUNDING):
            return more
        factor = 1 + 2 * max(factor - 1, _ROUNDING)
        if math.isinf(far) or noise.is_zero or factor > 2:
            raise _too_different(noise.mechanism)


def held(name: str, size: float) -> float:
    """The size of a noise, if numbers hold its square; raises InapplicableError."""
    if size < _LARGEST:
        return size
    raise InapplicableError(
        f"The noise of {name} is larger than numbers are here; take a larger ε, or public bounds "
        "that lie closer together."
    )


def _too_different(name: str) -> InapplicableError:
    return InapplicableError(
        f"The noise of {name} takes more digits than numbers have here, as the statistics differ "
        "too much in size; leave one of them out, or take OptM."
    )


def _units(model: GaussianModel) -> FloatArray:
    deviations = model.standard_deviations
    return np.where(deviations > 0, deviations, 1.0)


_LARGEST = 1e150
_ROUNDING = 1e-9
_LEFT = 1e-8  # of a standard deviation, beside the noise
_MECHANISMS: Registry[Mechanism] = Registry("mechanism", CalibrationError)
unregister = _MECHANISMS.remove
_BASELINES = 1_000_000  # places behind the others
_M = TypeVar("_M", bound=type[Mechanism])


def register(mechanism: _M) -> _M:
    """Class decorator: make a mechanism known under its short name."""
    place = mechanism.position + _BASELINES * mechanism.baseline
    _MECHANISMS.add(mechanism.name, mechanism(), place)
    return mechanism


@checked(CalibrationError)
def get(name: str) -> Mechanism:
    """Return the mechanism of that short name.

    Raises
    ------
    CalibrationError
        If there is none.
    """
    return _MECHANISMS.get(name)


@checked(CalibrationError)
def names(
    *,
    distribution: Distribution | None = None,
    baseline: bool | None = None,
    protects: bool | None = None,
) -> tuple[str, ...]:
    """Short names of the registered mechanisms, all or those of one kind."""
    kinds = {name: _MECHANISMS.get(name) for name in _MECHANISMS.names()}
    return tuple(
        name
        for name, mechanism in kinds.items()
        if distribution in (None, mechanism.distribution)
        and baseline in (None, mechanism.baseline)
        and protects in (None, mechanism.protects)
    )
