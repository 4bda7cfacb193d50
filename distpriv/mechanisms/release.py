"""A real release: the statistics of the dataset with noise that nobody can draw again."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import Within, checked
from distpriv.errors import CalibrationError, ModelError
from distpriv.mechanisms.release_noise import added_delta, noisy, without_noise
from distpriv.model.source import Source, source_of
from distpriv.model.theta import ShareOf
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = ["Release", "draw_release", "noise_deviations", "released_decimals", "released_text"]

FloatArray = NDArray[np.float64]
_ROUNDING = 1e-14
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
        added, and the value has twelve digits.
    n : int
        Records they were computed from.
    noise : Noise
        The distribution of the noise.
    added_delta : float
        What the draw adds to the δ that the noise promises, at most.
    """

    query: Query
    values: FloatArray
    decimals: tuple[int | None, ...]
    n: int
    noise: Noise
    added_delta: float = 0.0


def noise_deviations(noise: Noise) -> FloatArray:
    """Standard deviation of the noise on each statistic, shape (m,); 0 where there is none.

    There is noise where the statistic has a floor, or a direction with noise leads along it by more
    than rounding leaves in a column of length 1, however much smaller than on other statistics.
    """
    along = np.abs(noise.directions[:, noise.scales > 0]) > _ROUNDING
    noised = along.any(axis=1) | (noise.floor_deviations > 0)
    return np.where(noised, np.sqrt(np.diag(noise.covariance)), 0.0)


def released_text(value: float, deviation: float) -> str:
    """A released number with the decimal places it was rounded to.

    Parameters
    ----------
    value : float
    deviation : float >= 0
        Of its noise, as :func:`noise_deviations` has it.
    """
    places = _decimals(deviation)
    return without_noise(value) if places is None else f"{value:.{max(places, 0)}f}"


def released_decimals(noise: Noise) -> tuple[int | None, ...]:
    """Decimal places that a release with this noise is rounded to, as :class:`Release` has them."""
    return tuple(map(_decimals, noise_deviations(noise).tolist()))


def _decimals(deviation: float) -> int | None:
    return None if deviation == 0 else -math.floor(math.log10(deviation / _PARTS))


@checked(ModelError)
def draw_release(
    table: pd.DataFrame | Source,
    query: Query,
    secret: SensitiveProperty,
    noise: Noise,
    *,
    n: Annotated[int, Within(1)] | None = None,
    replacement: bool = False,
    share_of: ShareOf | None = None,
) -> Release:
    """Release the statistics of a table, or of n records drawn from it, once and for good.

    The n records are drawn as the promise has them. Where it hides the share *of the release*,
    they are drawn stratified: of N records of which N_1 have the property, n N_1/N, rounded, with
    it and the others without. Where it hides that *of the table*, all records are alike likely.

    Records and noise are drawn with the operating system's random numbers, and without a seed, so
    that nobody can draw them again. The noise is exact (:mod:`distpriv.mechanisms.release_noise`):
    what the draw adds to δ is :attr:`Release.added_delta`, below 10⁻²⁵ for ε up to 100. The sum is
    rounded to a decimal place between a hundredth and a thousandth of the noise's standard
    deviation, so that the last digits of floating-point numbers tell nothing of the true ones
    (Mironov 2012 shows how they would); rounding takes nothing from a promise.

    A refusal is public, and tells nothing of how many records have the property: also a table in
    which all or none have it is released. It depends on what is asked for and on the noise, then on
    the table's columns and their types, on whether a statistic's column holds an infinite value,
    and last on how many records are complete, a number that the release of a whole table states.

    Parameters
    ----------
    table : DataFrame or Source
        One that stays where it is releases the statistics of all its records, which must be sums
        over them, or of n that its engine draws.
    query : Query
    secret : SensitiveProperty
        Records that miss it, or a column of the query, are left out, as in the model.
    noise : Noise
        Calibrated for this query and this n; :meth:`distpriv.Noise.detached` says that another one
        is taken on purpose.
    n : int, at least 2, optional
        Records to draw; by default all complete records are taken as they are.
    replacement : bool
        Whether a record may be drawn twice.
    share_of : "release" or "table", optional
        Whose share is hidden, see :func:`distpriv.fit_gaussian`; by default as the noise was
        calibrated, or else "release".

    Raises
    ------
    CalibrationError
        If the noise is none at all: a release would be the true statistics themselves; or if it
        is for another number of statistics, or calibrated for other statistics, another n or
        another way to draw.
    QueryError, PropertyError
        If a column does not fit.
    ModelError
        If n is not a whole number from 2 on, or there are fewer records than are to be drawn.
    """
    if share_of is None:
        share_of = noise.calibrated_for.share_of if noise.calibrated_for else "release"
    _check_asked(query, noise, n, replacement, share_of)
    source = random.SystemRandom()
    size = None if n is None else int(n)
    answer, count = source_of(table).answer(
        query,
        secret,
        size,
        replacement=replacement,
        stratified=share_of == "release",
        entropy=source,
    )
    if size is None and count < 2:
        raise ModelError(
            f"A release needs at least 2 complete records, and there are {count}; fill in "
            "missing values, or leave statistics out."
        )
    if size is None and noise.calibrated_for is not None:
        noise.calibrated_for.check_size(count)
    decimals = released_decimals(noise)
    return Release(
        query=query,
        values=noisy(answer, noise, decimals, source),
        decimals=decimals,
        n=count,
        noise=noise,
        added_delta=added_delta(noise, decimals, noise.epsilon),
    )


def _check_asked(
    query: Query, noise: Noise, n: int | None, replacement: bool, share_of: ShareOf
) -> None:
    """Refuse what needs no look at the data to be refused."""
    if noise.is_zero:
        raise CalibrationError(
            f"{noise.mechanism} adds no noise here, so a release would be the true statistics "
            "themselves; choose a smaller ε or δ, or a mechanism that adds noise."
        )
    if noise.dimension != len(query):
        raise CalibrationError(
            f"The noise is for {noise.dimension} statistics, but the query has {len(query)}; "
            "calibrate it on a model of this query."
        )
    if n is not None and (n < 2 or n % 1):
        raise ModelError(f"A sample needs a whole number of records, at least 2, got n = {n}.")
    known = noise.calibrated_for
    if known is not None:
        known.check_statistics(query)
        if n is not None:
            known.check_size(n)
            known.check_drawing(replacement, share_of)
