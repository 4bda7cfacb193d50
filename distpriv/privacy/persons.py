"""What a release gives away about single records: public bounds, and the promise to each person."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Bound", "Persons"]

Bound = tuple[str, float, float]
"""Column, and public numbers that none of its values is below or above."""


@dataclass(frozen=True)
class Persons:
    """Hold a promise to every single record, besides that for the share.

    Attributes
    ----------
    epsilon, delta : float
    bounds : tuple of Bound
        Public bounds of the columns; () takes the scenario's.
    """

    epsilon: float
    delta: float
    bounds: tuple[Bound, ...] = ()
