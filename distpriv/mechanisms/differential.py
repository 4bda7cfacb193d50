"""DP and GroupDP: noise by how far one record, or all of them, move the statistics.

GroupDP promises (ε, δ) for any two tables of n records, whatever they hold between the bounds, and
so for any two shares. It is what hiding a share costs those who assume nothing. DP promises as much
for one record, and nothing about shares: a yardstick only.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms.base import NORMAL, Mechanism, Options, register
from distpriv.mechanisms.gaussian import classical_distance
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy.loss import normal_distance
from distpriv.privacy.persons import Bound, data_range, per_record, record_moves

__all__ = ["differential_release"]

_SLACK = 1e-6  # of δ, for rounding


def differential_release(
    name: str, model: GaussianModel, promise: Promise, options: Options
) -> Release:
    """Return equal noise by the norms Δ_1, Δ_2 of what one record moves, times k: 1 or n.

    Laplace noise of scale kΔ_1/ε gives (ε, 0) (Dwork & Roth 2014, Theorem 3.6), and a limit of
    guesses at ε = ln((1 + δ)/(1 − δ)). Normal noise of deviation kΔ_2/μ gives (ε, δ) with
    μ = μ*(ε, δ) (Balle & Wang 2018, Theorem 8); classical noise has ε/c for μ, which is proven for
    ε <= 1 only (Dwork & Roth 2014, Theorem A.1).

    Columns without public bounds take the data's own range, and the release says so. NotApplicable
    if DP has to keep a limit of guesses, ε and δ are 0, a column of numbers has a single value and
    no bounds, a statistic is no sum over the records, or a promise to persons is not kept.
    """
    if promise.guesses is not None and name.startswith("DP"):
        raise NotApplicable(
            f"{name} promises nothing about shares, so it keeps no limit of right guesses; give ε "
            f"and δ, or take Group{name}."
        )
    if promise.epsilon == promise.delta == 0:
        raise NotApplicable(f"{name} needs an ε or a δ above 0; raise one of them.")
    records = model.n if name.startswith("Group") else 1
    ranges, own = _ranges(model, options)
    try:
        moves = record_moves(model.query, model.n, ranges)
    except DistprivError as error:
        raise NotApplicable(str(error)) from None
    covariance, directions, scale = None, None, 0.0
    if name.endswith("(L)"):
        epsilon = promise.epsilon or 2 * math.atanh(promise.delta)
        scale = records * float(np.abs(moves).sum(axis=1).max()) / epsilon
        directions = np.eye(len(model.query))
    else:
        classical = options.calibration == "classical" and promise.guesses is None
        distance = classical_distance if classical else normal_distance
        mu = float(distance(np.array(promise.epsilon), np.array(promise.delta)))
        size = float(np.linalg.norm(moves / options.units, axis=1).max())
        covariance = np.diag((records * size / mu * options.units) ** 2)
    release = Release(
        name,
        covariance,
        directions,
        scale,
        promise=promise,
        calibration=options.calibration,
        own_range=own,
    )
    if options.calibration != "classical":
        delta = per_record(release, moves).group(records).delta(promise.epsilon)
        if not delta <= promise.delta + _SLACK * max(promise.delta, 1e-9):
            raise NotApplicable(f"{name} cannot be computed for this promise; raise ε or δ.")
    if options.persons is not None and options.moves is not None:
        delta = per_record(release, options.moves).delta(options.persons.epsilon)
        if not delta <= options.persons.delta * (1 + _SLACK):
            raise NotApplicable(
                f"{name} breaks the promise to single persons; lower its ε, or take OptM."
            )
    return release


def _ranges(model: GaussianModel, options: Options) -> tuple[list[Bound], bool]:
    """Return bounds of all columns of numbers, and whether some are the data's own range."""
    public = {column for column, _, _ in options.bounds}
    wanting = [(c, *ends) for c, ends in data_range(model).items() if c not in public]
    for column, least, largest in wanting:
        if not least < largest:
            raise NotApplicable(
                f"All records have the same {column!r}, so its range says nothing; give public "
                "bounds."
            )
    return [*options.bounds, *wanting], bool(wanting)


def _register(name: str, title: str, theorem: str) -> None:
    group = name.startswith("Group")
    register(
        Mechanism(
            name,
            theorem,
            title,
            "laplace" if name.endswith("(L)") else "gaussian",
            NORMAL | {"bounds"},
            "any data" if group else "none",
            make=partial(differential_release, name),
            protects=group,
        )
    )


_LAPLACE, _NORMAL = "Dwork & Roth (2014), Theorem 3.6", "Balle & Wang (2018), Theorem 8"
_register("GroupDP(L)", "group DP, Laplace", _LAPLACE)
_register("GroupDP", "group DP", _NORMAL)
_register("DP(L)", "DP, Laplace", _LAPLACE)
_register("DP", "DP", _NORMAL)
