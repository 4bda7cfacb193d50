"""A real release: the statistics of the dataset with noise that nobody can draw again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import Within, checked
from distpriv.errors import CalibrationError, ModelError
from distpriv.moments import record_groups
from distpriv.noise import Noise
from distpriv.properties import SensitiveProperty
from distpriv.queries import Query

__all__ = ["Release", "draw_release", "noise_deviations", "released_decimals", "released_text"]

FloatArray = NDArray[np.float64]
_PARTS = 100  # of the noise's standard deviation that a released number is rounded to, at most


@dataclass(frozen=True, eq=False)
class Release:
    """What comes out of a release; the true statistics are not in it.

    Attributes
    ----------
    query : Query
    values : ndarray, shape (m,)
        With noise, rounded to `decimals`.
    decimals : tuple of int or None
        Decimal places of each value, negative for tens and hundreds; None where no noise is
        added, and the value is as it is.
    n : int
        Records they were computed from.
    noise : Noise
        The distribution of the noise.
    """

    query: Query
    values: FloatArray
    decimals: tuple[int | None, ...]
    n: int
    noise: Noise


def noise_deviations(noise: Noise) -> FloatArray:
    """Standard deviation of the noise on each statistic, shape (m,); 0 where there is none."""
    deviations = np.sqrt(np.diag(noise.covariance))
    return np.where(deviations > 1e-9 * deviations.max(initial=0.0), deviations, 0.0)


def released_text(value: float, deviation: float) -> str:
    """A released number with the decimal places it was rounded to.

    Parameters
    ----------
    value : float
    deviation : float >= 0
        Of its noise, as :func:`noise_deviations` has it.
    """
    places = _decimals(deviation)
    return f"{value:.12g}" if places is None else f"{value:.{max(places, 0)}f}"


def released_decimals(noise: Noise) -> tuple[int | None, ...]:
    """Decimal places that a release with this noise is rounded to, as :class:`Release` has them."""
    return tuple(map(_decimals, noise_deviations(noise).tolist()))


def _decimals(deviation: float) -> int | None:
    return None if deviation == 0 else -math.floor(math.log10(deviation / _PARTS))


@checked(ModelError)
def draw_release(
    table: pd.DataFrame,
    query: Query,
    secret: SensitiveProperty,
    noise: Noise,
    *,
    n: Annotated[int, Within(1)] | None = None,
    replacement: bool = False,
) -> Release:
    """Release the statistics of a table, or of n records drawn from it, once and for good.

    Records and noise are drawn from a generator seeded anew, with 128 bits of the operating
    system's entropy, for every call: it takes no seed, so nobody can draw the noise again. The
    sum is rounded to a decimal place between a hundredth and a thousandth of the noise's standard
    deviation, so that the last digits of floating-point numbers tell nothing of the true ones
    (Mironov 2012 shows how they would); rounding takes nothing from a promise.

    Parameters
    ----------
    table : DataFrame
    query : Query
    secret : SensitiveProperty
        Records that miss it, or a column of the query, are left out, as in the model.
    noise : Noise
        Calibrated for this query and this n.
    n : int, optional
        Records to draw, all alike likely; by default all complete records are taken as they are.
    replacement : bool
        Whether a record may be drawn twice.

    Raises
    ------
    CalibrationError
        If the noise is none at all: a release would be the true statistics themselves.
    QueryError, PropertyError
        If a column does not fit.
    ModelError
        If there are fewer records than are to be drawn.
    """
    if noise.is_zero:
        raise CalibrationError(
            f"{noise.mechanism} adds no noise here, so a release would be the true statistics "
            "themselves; choose a smaller ε or δ, or a mechanism that adds noise."
        )
    groups = record_groups(table, query, secret)
    records = np.concatenate([groups.without, groups.having])
    generator = np.random.default_rng()
    if n is not None:
        if n > len(records) and not replacement:
            raise ModelError(
                f"A sample of {n} records is to be drawn, but there are only {len(records)} "
                "complete ones; take a smaller n, or draw with replacement."
            )
        records = records[generator.choice(len(records), n, replace=replacement)]
    values = noise.release(query.evaluate(records[None])[0])
    decimals = released_decimals(noise)
    rounded = [
        value if places is None else round(value, places)
        for value, places in zip(values.tolist(), decimals, strict=True)
    ]
    return Release(query, np.array(rounded), decimals, len(records), noise)
