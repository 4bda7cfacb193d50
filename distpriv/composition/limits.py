"""What an agreed limit leaves to further releases, and when promises add up."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from distpriv.composition.releases import Part, joint_release
from distpriv.errors import DistprivError, NotApplicable
from distpriv.model import GaussianModel, Promise, Release
from distpriv.text import significant

__all__ = ["compose", "counterexample", "left_of"]

_MOST = 1e4  # factor on the noise
_NEAR = 1e-4  # of a factor


def left_of(limit: Promise, model: GaussianModel, parts: Sequence[Part], further: Part) -> Release:
    """Return a further release with as much noise as an agreed limit on all together asks for.

    Its normal noise is multiplied by the least factor, to 0.01 %, with which all keeps the limit.
    The parts were released before; there may be none. NotApplicable if these break the limit or
    leave nothing, or the further release has no noise to increase; else see :func:`joint_release`.
    """
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
    """
    if premise not in ("independent", "point-mass"):
        raise DistprivError(
            "Promises add up for independent datasets or point masses only; count releases of one "
            "table by joint_release."
        )
    if not promises:
        raise DistprivError("There is no promise to add up; give at least one.")
    delta = sum(one.delta for one in promises)
    if delta >= 1:
        raise DistprivError(f"The δ add up to {significant(delta)}, which promises nothing.")
    return Promise(sum(one.epsilon for one in promises), delta)


def counterexample(shift: float, correlation: float, noise: float = 0.0) -> dict[str, float]:
    """Show two releases of one table whose promises do not add up, by Mahalanobis distances.

    Two statistics are normal with variance 1 and correlation ρ, between −1 and 1. The secret moves
    the first by a shift a, which noise of deviation s hides, and leaves the second alone, which
    therefore promises (0, 0) without noise, and gives most of what hides the first away: a/√(1+s²)
    becomes a/√(1+s²−ρ²), of both "together".
    """
    if not -1 < correlation < 1 or noise < 0:
        raise DistprivError("A correlation lies between −1 and 1, and noise is not negative.")
    own = 1 + noise**2
    together = abs(shift) / math.sqrt(own - correlation**2)
    return {"first": abs(shift) / math.sqrt(own), "second": 0.0, "together": together}
