"""What an agreed limit leaves to further releases, and when promises add up."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from distpriv.arrays import number
from distpriv.composition.releases import Part, joint_release
from distpriv.errors import DistprivError, NotApplicable
from distpriv.model import GaussianModel, Promise, Release
from distpriv.text import significant

__all__ = ["compose", "counterexample", "left_of"]

_MOST = 1e4  # factor on the noise
_NEAR = 1e-4  # of a factor


def left_of(
    limit: Promise, model: GaussianModel, parts: Sequence[Part | Release], further: Part | Release
) -> Release:
    """Return a further release with as much noise as an agreed limit on all together asks for.

    Its normal noise is multiplied by the least factor, to 0.01 %, with which all keeps the limit.
    Parts, of which there may be none, were released before; for them, the model and further errors
    see :func:`joint_release`. NotApplicable if these break the limit or leave nothing, or the
    further release has no noise to increase.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> noise, limit = dp.calibrate("OptM", model, guesses=55), dp.Promise.of_guesses(56)
    >>> more = dp.composition.left_of(limit, model, [noise], noise)
    >>> round(float(more.covariance[0, 0] / noise.covariance[0, 0]), 1)
    1.9
    """
    if not isinstance(limit, Promise):
        raise DistprivError(f"A limit is a Promise, such as Promise.of_guesses(60), not {limit!r}.")
    further = further if isinstance(further, Part) else Part(further)
    joint_release(model, [further])
    release, noise = further.release, further.release.covariance

    def kept(one: Release) -> bool:
        together = joint_release(model, [*parts, replace(further, release=one)])
        return together.verdict(limit).kept

    if parts and not (before := joint_release(model, parts).verdict(limit)).kept:
        raise NotApplicable(
            f"What has been released delivers δ = {before.delta.max():.3g} already, and the limit "
            f"is {limit.delta:.3g}; release nothing more, or agree on another limit."
        )
    if kept(release):
        return replace(release, promise=limit)
    if noise is None or not noise.any():
        raise NotApplicable(
            "With what has been released, these figures break the limit; add noise to them."
        )

    def noisier(step: int) -> Release:
        factor = math.exp(step * _NEAR)
        floor = None if release.floor is None else release.floor * math.sqrt(factor)
        return replace(release, covariance=noise * factor, floor=floor, promise=limit)

    steps = range(round(math.log(_MOST) / _NEAR))
    least = bisect_left(steps, True, key=lambda step: kept(noisier(step)))
    if least == len(steps):
        raise NotApplicable(
            "What has been released leaves nothing of the limit; release nothing more, or agree "
            "on another limit."
        )
    return noisier(least)


def compose(promises: Sequence[Promise], premise: Literal["independent", "point-mass"]) -> Promise:
    """Add promises up where that is proven: (Σ ε_k, Σ δ_k).

    It is for releases of *independent* datasets (Chen & Ohrimenko, full version, Proposition A.5),
    and where every θ is a *point mass* (A.4), which a share of random records is not. Of one table
    promises do not add up, see :func:`counterexample`; :func:`joint_release` takes their place.

    DistprivError if there is no promise, the premise is another one, or the δ add up to 1 or more.

    Examples
    --------
    >>> dp.compose([dp.Promise(0.5, 0.001), dp.Promise(1.0, 0.002)], "independent")
    Promise(epsilon=1.5, delta=0.003, guesses=None)
    """
    if premise not in ("independent", "point-mass"):
        raise DistprivError(
            "Promises add up for independent datasets or point masses only; count releases of one "
            "table by joint_release."
        )
    if isinstance(promises, Promise) or not promises:
        raise DistprivError("There is no promise to add up; give a list of at least one.")
    if not all(isinstance(one, Promise) for one in promises):
        raise DistprivError("Only promises add up; give a list of Promise(epsilon, delta).")
    delta = sum(one.delta for one in promises)
    if delta >= 1:
        raise DistprivError(f"The δ add up to {significant(delta)}, which promises nothing.")
    return Promise(sum(one.epsilon for one in promises), delta)


def counterexample(shift: float, correlation: float, noise: float = 0.0) -> dict[str, float]:
    """Show two releases of one table whose promises do not add up, by Mahalanobis distances.

    Two statistics are normal with variance 1 and correlation ρ, between −1 and 1. The secret moves
    the first by a shift a, which noise of deviation s hides, and leaves the second alone, which
    therefore promises (0, 0) without noise, and gives most of what hides the first away: a/√(1+s²)
    becomes a/√(1+s²−ρ²), of both "together". DistprivError for numbers out of their domain.

    Examples
    --------
    >>> distances = dp.composition.counterexample(shift=0.5, correlation=0.9, noise=0.1)
    >>> {name: round(distance, 2) for name, distance in distances.items()}
    {'first': 0.5, 'second': 0.0, 'together': 1.12}
    """
    number("The shift", shift)
    number("A correlation", correlation, -1, 1, above=True, below=True)
    number("The deviation of noise", noise, 0)
    own = 1 + noise**2
    together = abs(shift) / math.sqrt(own - correlation**2)
    return {"first": abs(shift) / math.sqrt(own), "second": 0.0, "together": together}
