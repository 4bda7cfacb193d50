"""Mechanisms for distribution privacy, one file a family.

A mechanism registers itself under its short name; every module of this package is imported
here, so that a new file is all a new mechanism takes.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from distpriv.arguments import checked
from distpriv.errors import CalibrationError
from distpriv.mechanisms.assumptions import Assumption
from distpriv.mechanisms.base import (
    GaussianMechanism,
    LaplaceMechanism,
    Mechanism,
    get,
    names,
    register,
    unregister,
)
from distpriv.mechanisms.by_exact_law import by_exact_law
from distpriv.mechanisms.for_persons import leaking, raised
from distpriv.mechanisms.grid_safe import grid_safe as make_grid_safe
from distpriv.mechanisms.guarded import Search, settled
from distpriv.mechanisms.release import Release, draw_release
from distpriv.mechanisms.release_intervals import ReleasedInterval, release_intervals
from distpriv.mechanisms.simulation_charge import charged
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibrated_for import CalibratedFor
from distpriv.privacy.calibration import Calibration, check_delta, check_epsilon
from distpriv.privacy.noise import Noise, check_units
from distpriv.privacy.persons import Persons
from distpriv.words import exact

__all__ = [
    "Assumption",
    "GaussianMechanism",
    "LaplaceMechanism",
    "Mechanism",
    "Release",
    "ReleasedInterval",
    "calibrate",
    "draw_release",
    "get",
    "names",
    "register",
    "release_intervals",
    "searching",
    "unregister",
]

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")


@checked(CalibrationError)
def calibrate(
    mechanism: str,
    model: GaussianModel,
    epsilon: float,
    delta: float | None = None,
    calibration: Calibration = "guarded",
    units: ArrayLike | None = None,
    *,
    grid_safe: bool = True,
    floor: ArrayLike | None = None,
    persons: Persons | None = None,
    guard_laplace: bool = False,
) -> Noise:
    """Calibrate a mechanism's noise to a fitted model.

    Parameters
    ----------
    mechanism : str
        Short name, one of :func:`distpriv.mechanisms.names`.
    model : GaussianModel
    epsilon : float > 0
    delta : float in (0, 1)
        Laplace mechanisms that promise δ = 0 ignore it, unless `guard_laplace`.
    calibration : "guarded", "exact", "classical" or "exact-law"
        Gaussian mechanisms only, see :func:`distpriv.privacy.calibration.gaussian_distance`;
        *exact-law*, for one to three counts or proportions, or one sum or mean of values on a
        grid, of a model fitted to records, assumes no normal curves at all
        (:func:`distpriv.mechanisms.by_exact_law.by_exact_law`).
    units : array-like, shape (m,), optional
        Calibrate as if each statistic were divided by its unit: what counts as much of an
        error as one unit of another. A linear change of variables that can be undone keeps
        the promise (post-processing); the noise is in the statistics' own units again.
    grid_safe : bool
        Make sure that arithmetic on the grid of the statistics does not undo the noise
        (:mod:`distpriv.mechanisms.grid_safe`). False is the mechanism as published, whose noise
        along few directions hides nothing of counts and of averages of whole numbers.
    floor : array-like, shape (m,), each > 0, optional
        Standard deviations of the independent noise that covers the grid, at least half of each
        statistic's step; by default they follow from the model's steps. Needed where those are
        not known.
    guard_laplace : bool
        Scale the noise of DirM(L) and ExpM(L), if the calibration is *guarded* and δ is given,
        until it delivers (ε, δ) to the fitted normals
        (:mod:`distpriv.mechanisms.guarded_laplace`), instead of promising (ε, 0) as published. It
        takes tens of milliseconds, hundreds for ExpM(L).

    Returns
    -------
    Noise

    Raises
    ------
    CalibrationError
        If there is no such mechanism, ε, δ, a unit or a floor is outside its domain, or a floor
        is given for a release that is not to be grid-safe.
    InapplicableError
        If no amount of the noise keeps the promise, or the exact law is not known, or the noise
        leaves out directions that a record moves.
    """
    return settled(
        searching(
            mechanism,
            model,
            epsilon,
            delta,
            calibration,
            units,
            grid_safe=grid_safe,
            floor=floor,
            persons=persons,
            guard_laplace=guard_laplace,
        )
    )


def searching(
    mechanism: str,
    model: GaussianModel,
    epsilon: float,
    delta: float | None = None,
    calibration: Calibration = "guarded",
    units: ArrayLike | None = None,
    *,
    grid_safe: bool = True,
    floor: ArrayLike | None = None,
    persons: Persons | None = None,
    guard_laplace: bool = False,
) -> Search:
    """:func:`calibrate`, to be run beside others by :func:`.guarded.side_by_side`."""
    chosen, size = get(mechanism), len(model.query)
    if guard_laplace and isinstance(chosen, LaplaceMechanism):
        chosen = chosen.guarding()
    if floor is not None and not grid_safe:
        raise CalibrationError(
            "A floor covers the grid of the statistics; leave it out with grid_safe=False."
        )
    sizes = np.ones(size) if units is None else check_units(units, size)
    scaled = model if units is None else model.in_units(sizes)
    covering = None if floor is None else check_units(floor, size, "floor") / sizes

    moves = None if persons is None else persons.moves(model).in_units(sizes)
    if persons is not None and moves is not None:
        chosen = chosen.with_persons(moves, persons.distance) or chosen

    def calibrated(at: float, way: Calibration) -> Search:
        def noise_for(allowed: float | None) -> Search:
            if grid_safe:
                return make_grid_safe(chosen, scaled, at, allowed, way, covering)
            return chosen.search(scaled.densities(), at, allowed, way)

        if way == "guarded" and chosen.from_normals and delta is not None:
            return charged(scaled, check_epsilon(at), check_delta(delta), noise_for)
        return noise_for(delta)

    if calibration == "exact-law":
        noise = yield from by_exact_law(chosen, scaled, epsilon, delta, calibrated)
    else:
        noise = yield from calibrated(epsilon, calibration)
    caveats = _same_counts(chosen, model)
    if persons is not None and moves is not None:
        if noise.is_zero and calibration == "exact-law":
            noise = replace((yield from calibrated(epsilon, "guarded")), calibration=calibration)
        noise = raised(noise, moves, persons)
        if not np.isfinite(noise.scales).all():
            raise CalibrationError(
                f"{mechanism} finds no finite noise that keeps the promise to each person as well: "
                "the public bounds let one record move the statistics too far; narrow them."
            )
        caveats += leaking(model, persons)
    noise = noise if units is None else noise.in_units(1 / sizes)
    return replace(
        noise,
        caveats=tuple(dict.fromkeys((*noise.caveats, *caveats))),
        calibrated_for=CalibratedFor.of(model),
    )


def _same_counts(chosen: Mechanism, model: GaussianModel) -> tuple[str, ...]:
    """Say of which pairs both shares are one number of records: any noise keeps that promise."""
    same = [fit for fit in model.pairs if fit.thetas[0].having == fit.thetas[1].having]
    if not same or not chosen.protects:
        return ()
    pairs = "; ".join(fit.pair.label for fit in same)
    return (
        f"Both shares mean the same number of n = {exact(model.n)} records ({pairs}), so that the "
        "promise says nothing about them; take more records, or shares further apart.",
    )
