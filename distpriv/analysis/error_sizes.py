"""How large an error is: beside the value it is an error of, and beside what sampling varies.

The yardstick is the standard deviation of the statistic over datasets of n records, which are
drawn at random whatever is done for privacy: noise of 0.4 of it hardly shows beside it, noise of 4
times it drowns the statistic. Both are the fitted model's, which whoever attacks is taken to know.

A value and an error in per cent of it give the value away together with the error, so that neither
is told in the presentation view: there the yardstick stands alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import ModelError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.noise import Noise
from distpriv.words import exact, number, percent, with_unit

__all__ = [
    "ErrorSize",
    "error_sizes",
    "expected_values",
    "largest_in_words",
    "of_sampling",
    "sampling_note",
    "short",
    "size_in_words",
    "worst",
]

FloatArray = NDArray[np.float64]

_MANY = 3.0  # times its value: per cent say no more
_KINDS = {"mean": "an average", "count": "a count", "sum": "a sum", "share": "a share"}


@dataclass(frozen=True)
class ErrorSize:
    """The expected absolute error of a statistic, and what it is to be held against.

    Attributes
    ----------
    label, unit : str
        Of the statistic; the unit is empty where it has none.
    error : float >= 0
        Expected absolute error, in its unit.
    deviation : float > 0
        By how much drawing n records varies it anyway: one standard deviation, in its unit.
    n : int
        Records of the dataset.
    value : float or None
        What the statistic is expected to be, in its unit; None where that is not to be shown.
    """

    label: str
    unit: str
    error: float
    deviation: float
    n: int
    value: float | None = None

    def unvalued(self) -> ErrorSize:
        """The same without the value, for where that is not to be shown."""
        return replace(self, value=None)

    @property
    def of_deviation(self) -> float:
        """The error as a share of the deviation."""
        return self.error / self.deviation

    @property
    def of_value(self) -> float | None:
        """The error as a share of the value; None where that is zero, or not to be shown."""
        return self.error / abs(self.value) if self.value else None


@checked(ModelError)
def expected_values(model: GaussianModel) -> FloatArray:
    """What each statistic is expected to be, shape (m,): the mean over the shares of all pairs."""
    means: FloatArray = np.mean([fit.means.mean(axis=0) for fit in model.pairs], axis=0)
    return means


@checked(ModelError)
def error_sizes(
    model: GaussianModel, noise: Noise, units: Sequence[str], *, valued: bool
) -> tuple[ErrorSize, ...]:
    """How large the error of each statistic is.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise
    units : sequence of str, shape (m,)
        Of the statistics; empty for those that have none.
    valued : bool
        Whether the values may be shown: not in the presentation view.

    Raises
    ------
    ModelError
        If noise or units are of another number of statistics.
    """
    size = len(model.query)
    if not noise.dimension == len(units) == size:
        raise ModelError(
            f"The model has {size} statistics, the noise {noise.dimension} and the units "
            f"{len(units)}; give as many of each."
        )
    values = expected_values(model).tolist() if valued else [None] * len(units)
    return tuple(
        ErrorSize(label, unit, error, deviation, model.n, value)
        for label, unit, error, deviation, value in zip(
            model.query.labels,
            units,
            noise.expected_absolute_errors().tolist(),
            model.standard_deviations.tolist(),
            values,
            strict=True,
        )
    )


def short(size: ErrorSize) -> str:
    """For a table's cell: ``± 1.5 years on 39.2; 0.41 × sampling``.

    The value is left out where it is not to be shown; :func:`sampling_note` says the rest.
    """
    on = "" if size.value is None else f" on {number(size.value)}"
    return f"± {with_unit(size.error, size.unit)}{on}; {of_sampling(size)}\u00a0×\u00a0sampling"


def sampling_note(n: int) -> str:
    """What the multiples of the sampling deviation are, to stand below a table."""
    return (
        f"“0.4 × sampling”: 0.4 of the standard deviation by which drawing n = {exact(n)} records "
        "varies the statistic anyway, without any noise."
    )


def largest_in_words(sizes: Sequence[ErrorSize], *, safe: Callable[[str], str] = str) -> str:
    """The error that is largest beside what sampling varies, in a phrase.

    ``mean age ± 1.5 years on an average of 39.2 years (3.8 %), 0.4 of what sampling n = 100 records
    varies it by anyway``.

    Parameters
    ----------
    sizes : sequence of ErrorSize
        Not empty.
    safe : callable
        Makes the table's own names safe where the phrase is shown.
    """
    size = max(sizes, key=lambda each: each.of_deviation)
    on = ""
    if size.value is not None:
        kind = _KINDS.get(size.label.partition(" ")[0], "a value")
        on = f" on {kind} of {with_unit(size.value, size.unit)}"
    if size.of_value is not None:
        on += f" ({percent(size.of_value)})"
    return (
        f"{safe(size.label)} ±\u00a0{with_unit(size.error, size.unit)}{on}, {of_sampling(size)} "
        f"{'of' if size.of_deviation < 1 else 'times'} what sampling n\u00a0=\u00a0{exact(size.n)} "
        "records varies it by anyway"
    )


def worst(sizes: Sequence[ErrorSize]) -> ErrorSize:
    """The error of the statistic that suffers most.

    In per cent of its value; where values are not to be shown, beside what sampling varies, so that
    the choice gives none of them away.

    Parameters
    ----------
    sizes : sequence of ErrorSize
        Not empty.
    """
    parts = [(each.of_value, each) for each in sizes if each.of_value is not None]
    if parts:
        return max(parts, key=lambda part: part[0])[1]
    return max(sizes, key=lambda each: each.of_deviation)


def size_in_words(size: ErrorSize) -> str:
    """An error and how much that is: ``± 1.5 years (3.8 %)``, ``± 90 (300 times its value)``."""
    if size.of_value is None:
        part = f"{of_sampling(size)}\u00a0× what sampling varies"
    elif size.of_value > _MANY:
        part = f"{number(float(f'{size.of_value:.2g}'))} times its value"
    else:
        part = percent(size.of_value)
    return f"±\u00a0{with_unit(size.error, size.unit)} ({part})"


def of_sampling(size: ErrorSize) -> str:
    """The share of the deviation to two digits: it is for judging by, not for computing with."""
    ratio = size.of_deviation
    return number(float(f"{ratio:.2g}")) if math.isfinite(ratio) else number(ratio)
