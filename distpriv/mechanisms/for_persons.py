"""Any mechanism's noise, raised until each record has its promise too."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from distpriv.errors import InapplicableError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons, leaking_columns
from distpriv.privacy.record_moves import RecordMoves

__all__ = ["leaking", "raised"]

_ROUNDING = 1e-12
_RANK = 1e-13


def raised(noise: Noise, moves: RecordMoves, persons: Persons) -> Noise:
    """As much more of a noise as it takes to keep each record's promise.

    c times a normal or a Laplace variable, c ≥ 1, is the variable itself and independent noise
    besides (of the Laplace variable: none with probability 1/c², else the larger one), so that
    what it promises about the share stays (post-processing).

    Parameters
    ----------
    noise : Noise
    moves : RecordMoves
        In the units of the noise.
    persons : Persons

    Raises
    ------
    InapplicableError
        If the noise leaves out directions that a record moves: what covers the grid there is no
        noise to be raised.
    """
    if not moves.blocks:
        return noise
    size = noise.dimension
    present = noise.scales > 0
    if np.linalg.matrix_rank(noise.directions[:, present], tol=_RANK) < size:
        count = int(present.sum())
        had = f"has noise in {count} of {size} directions" if count else "adds no noise"
        raise InapplicableError(
            f"{noise.mechanism} {had} here, and a record moves the statistics beyond it, "
            "so that it cannot protect each person; take OptM or CoupM, which find one noise for "
            "both promises."
        )
    against = noise.against(moves)
    factor = against.mu / persons.distance
    if math.isfinite(against.pure):
        # A pure promise of ε₀ is one of ε at δ up to ln((e^ε + δ)/(1 − δ)).
        pure = math.log(
            (math.exp(min(persons.epsilon, 700.0)) + persons.delta) / (1 - persons.delta)
        )
        factor = min(factor, against.pure / pure)
    if factor <= 1:
        return noise
    factor *= 1 + _ROUNDING
    floor = None if noise.floor is None else noise.floor * factor
    return replace(noise, scales=noise.scales * factor, floor=floor)


def leaking(model: GaussianModel, persons: Persons | None = None) -> tuple[str, ...]:
    """Say for which columns the data's own range stands in for public bounds."""
    columns = leaking_columns(model, persons)
    if not columns:
        return ()
    return (
        f"The sensitivities use the data's own range of {', '.join(columns)}, which leaks it; set "
        "public bounds.",
    )
