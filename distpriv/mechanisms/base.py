"""Mechanisms as values, and the register of all of them.

A further mechanism is a file of this folder that ends in `register(Mechanism(...))`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy.persons import Bound, Persons
from distpriv.text import one_of

__all__ = ["MECHANISMS", "NORMAL", "PROMISE", "Calibration", "Make", "Mechanism", "Options"]
__all__ += ["differences", "mechanism_named", "register"]

Calibration = Literal["guarded", "exact", "classical", "exact-law"]
Shape = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""From differences (K, m), mean covariances (B, K, m, m) and the Mahalanobis distances that B
promises allow to covariances of noise (B, m, m), as if the covariances of both shares agreed."""

PROMISE = frozenset({"epsilon", "delta"})
NORMAL = PROMISE | {"guesses", "units"}
"""What Laplace and normal noise take."""


@dataclass(frozen=True, eq=False)
class Options:
    """How releases are calibrated, see :func:`distpriv.mechanisms.calibrate`."""

    calibration: Calibration
    grid_safe: bool
    units: FloatArray
    reference: float | None = None
    persons: Persons | None = None
    bounds: tuple[Bound, ...] = ()
    moves: FloatArray | None = None  # of a replaced record, (V, m), where persons are promised


Make = Callable[[GaussianModel, Promise, Options], Release]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A way to release statistics that keeps a promise, and what it rests on."""

    name: str
    theorem: str  # where it is proven; of Chen & Ohrimenko (2023) unless another source is there
    title: str = ""  # for readers; the name by default
    noise: Literal["gaussian", "laplace", "none"] = "gaussian"
    # Those of epsilon, delta, guesses, units and reference that `calibrate` needs or heeds. Without
    # guesses, a limit on them is kept by a search for ε.
    takes: frozenset[str] = NORMAL
    rests: Literal["model", "any data", "none"] = "model"  # the normal model, or no assumption
    shape: Shape | None = None  # of normal noise
    make: Make | None = None  # of all other kinds: a release that keeps the promise
    # From a model to "", or to a sentence that says why the mechanism does not suit it. It is asked
    # before anything is computed.
    applies: Callable[[GaussianModel], str] = lambda _: ""
    always: bool = False  # whether noise is added where none is needed, too
    least: bool = False  # whether guarded noise is the least; others keep their shape, scaled
    compared: bool = True  # whether comparisons of normal noise list it
    protects: bool = True  # whether it promises anything about shares
    erratum: int | None = None  # number of the one that concerns it

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name)


MECHANISMS: dict[str, Mechanism] = {}
"""All mechanisms by name, in the order of the papers."""


def register(mechanism: Mechanism) -> None:
    """Add a mechanism to the register; raises ValueError if its name is taken."""
    if mechanism.name in MECHANISMS:
        raise ValueError(f"There is a mechanism {mechanism.name!r} already.")
    MECHANISMS[mechanism.name] = mechanism


def mechanism_named(name: object) -> Mechanism:
    """Return a mechanism by name; raises DistprivError with the nearest name if there is none."""
    if not isinstance(name, str):
        kind = type(name).__name__
        raise DistprivError(f"Pass a mechanism's name, such as 'OptM', first, not {kind}.")
    one_of("mechanism", name, MECHANISMS)
    return MECHANISMS[name]


def differences(model: GaussianModel) -> FloatArray:
    """Return the differences of means of all pairs, shape (K, m)."""
    return np.array([pair.difference for pair in model.pairs])
