"""Wasserstein mechanisms: Laplace noise by how far mass moves between the laws of two shares.

Where the exact law of a single statistic is known, it is that law: then the promise needs no bell
curve and no grid. Mass that a law leaves out is charged to δ, so that δ = 0 is promised only for a
count whose every probability is computed. Several statistics, and one without a known law, are
taken for normals, whose distances are closed if their covariances agree; guarded noise is then held
against what the two covariances deliver, above the floor of the grid, as ExpM(L) is.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.distances import closeness, normal_closeness, normal_reach, rounding_mass, steps_apart
from distpriv.errors import NotApplicable
from distpriv.mechanisms.base import PROMISE, Mechanism, Options, register
from distpriv.mechanisms.laplace import NO_EPSILON, laplace_release, rounded_up
from distpriv.model import GaussianModel, PairModel, Promise, Release
from distpriv.privacy.delivered import verdict
from distpriv.privacy.exact_law import ExactLaw, known_law

__all__ = ["law_distance", "normal_distance_moved", "single_laws"]

_POINTS = 20_000  # of a law on a line; more are taken together
_CHARGED = 101  # times a law's error: verdicts confirm what errs by less than a hundredth of δ
_TRACE = 1e-12  # of a variance, so that what does not vary does
_SOME = 0.05  # of the shift, where normals need no noise and their covariances do


def single_laws(model: GaussianModel) -> list[ExactLaw] | None:
    """Return the exact law of a single statistic for each pair, or None if one is not known."""
    if len(model.query) > 1:
        return None
    laws = [law for pair in model.pairs if (law := known_law(pair, model)) is not None]
    return laws if len(laws) == len(model.pairs) else None


def law_distance(name: str, law: ExactLaw, delta: float) -> float:
    """Compute the distance by which a mechanism's noise is scaled, from an exact law on a line.

    "Wasserstein" is W_∞, "ApproxWasserstein" the least W of (W, δ)-closeness, "BoundedWasserstein"
    Δ_E + 2c with ‖F − E F‖_1 <= c but for a probability of δ/2. The δ is without the error of the
    law; for W_∞ it is not used. More than 20 000 points are taken together, which makes W larger by
    less than twice the points' distance.
    """
    masses = law.probabilities if law.complete is None else law.complete
    step, places = float(law.steps[0]), np.arange(masses.shape[1])
    if name == "BoundedWasserstein":
        means = masses @ places
        reach = max(map(_reach, np.abs(places - means[:, None]), masses, [delta / 2] * 2))
        return step * (abs(float(means[0] - means[1])) + 2 * reach)
    bundle = math.ceil(len(places) / _POINTS)
    masses = np.add.reduceat(masses, places[::bundle], axis=1)
    places = np.arange(masses.shape[1])
    spare = delta - rounding_mass(masses.size, 1)
    if name == "Wasserstein" or spare <= 0:
        return step * (bundle * steps_apart(*masses) + bundle - 1)
    return step * (bundle * closeness(places, places, spare, *masses) + bundle - 1)


def _reach(lengths: FloatArray, masses: FloatArray, outside: float) -> float:
    """Return the least length that is exceeded with such a probability at most."""
    order = np.argsort(-lengths)
    place = int(np.searchsorted(np.cumsum(masses[order]), outside, "right"))
    return float(lengths[order[min(place, len(order) - 1)]])


def normal_distance_moved(name: str, pair: PairModel, delta: float) -> float:
    """Compute the same from fitted normals, for W_∞ and closeness as if covariances agreed."""
    d = pair.difference
    if name == "ApproxWasserstein":
        unit = np.diagonal(pair.pooled) + d**2
        trace = _TRACE * np.diag(np.where(unit > 0, unit, 1.0))
        return normal_closeness(d, pair.pooled + trace, delta)
    shift = float(np.abs(d).sum())
    if name == "Wasserstein":
        return shift
    return shift + 2 * max(normal_reach(one, delta / 2) for one in pair.covariances)


def _by_law(name: str, laws: list[ExactLaw], promise: Promise, options: Options) -> Release:
    error = max(0.0 if law.complete is not None else law.error for law in laws)
    if promise.delta < _CHARGED * error:
        promise = replace(promise, delta=rounded_up(_CHARGED * error))
    size = max(law_distance(name, law, promise.delta - error) for law in laws)
    return Release(
        name,
        None if size else np.zeros((1, 1)),
        np.eye(1) if size else None,
        size / promise.epsilon,
        promise=promise,
        calibration=options.calibration,
    )


def _by_normals(name: str, model: GaussianModel, promise: Promise, options: Options) -> Release:
    m = len(model.query)
    size = max(normal_distance_moved(name, pair, promise.delta) for pair in model.pairs)
    shift = max(float(np.abs(pair.difference).sum()) for pair in model.pairs)
    if size == 0 < shift:
        calibration = options.calibration
        bare = Release(name, np.zeros((m, m)), promise=promise, calibration=calibration)
        if calibration != "guarded" or verdict(model, bare).kept:
            return bare
        size = _SOME * shift
    return laplace_release(name, model, np.eye(m), promise, options, size)


def _wasserstein_release(
    name: str, model: GaussianModel, promise: Promise, options: Options
) -> Release:
    if promise.epsilon == 0:
        raise NotApplicable(NO_EPSILON.format(name))
    if name == "BoundedWasserstein" and promise.delta == 0:
        raise NotApplicable(
            f"{name} needs a δ above 0, the chance that a figure is out of bounds; give ε and δ, "
            "or take Wasserstein."
        )
    laws = single_laws(model)
    if laws is None:
        return _by_normals(name, model, promise, options)
    return _by_law(name, laws, promise, options)


for _name, _theorem, _title in (
    ("Wasserstein", "Theorem 3.1", "Wasserstein"),
    ("ApproxWasserstein", "Theorem 3.2", "Wasserstein, approximate"),
    ("BoundedWasserstein", "Theorem 3.3", "Wasserstein, bounded"),
):
    _make = partial(_wasserstein_release, _name)
    register(Mechanism(_name, _theorem, _title, "laplace", PROMISE, make=_make, always=True))
