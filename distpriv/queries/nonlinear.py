"""Statistics that are not linear in the records: their distribution is simulated."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import QueryError
from distpriv.queries.base import NumberRange, Parameter, Statistic, register
from distpriv.tables.predicates import numeric_values

__all__ = ["Correlation", "Median", "Nonlinear", "Quantile", "StandardDeviation"]

FloatArray = NDArray[np.float64]
_FINEST = 1000  # parts of a step that a quantile may fall between


@dataclass(frozen=True)
class Nonlinear(Statistic):
    """A statistic computed from all n records together; see :func:`distpriv.fit_gaussian`."""

    linear: ClassVar[bool] = False

    def values(self, table: pd.DataFrame) -> FloatArray:
        """Values of each record, shape (N, 1); NaN where a record has none."""
        return numeric_values(table, self.column, self.kind)[:, None]

    def scale(self, n: int) -> float:
        raise QueryError(
            f"The statistic {self.label!r} is no sum over records, so it has no closed form; fit "
            'it with method="monte-carlo".'
        )

    def step(self, n: int, record_step: float) -> float:
        """0: on no grid, unless a statistic knows better."""
        return math.nan if math.isnan(record_step) else 0.0

    @abstractmethod
    def compute(self, records: FloatArray) -> FloatArray:
        """The statistic of many datasets: records of shape (subsets, n, columns) to (subsets,)."""


@register
@checked(QueryError)
@dataclass(frozen=True)
class Median(Nonlinear):
    """Median of a numeric column over the n records."""

    kind: ClassVar[str] = "median"
    title: ClassVar[str] = "Median of a numeric column"

    def compute(self, records: FloatArray) -> FloatArray:
        return np.median(records[:, :, 0], axis=1)

    def step(self, n: int, record_step: float) -> float:
        """The records' own for an odd n, half of it for an even one."""
        return Quantile(self.column, 0.5).step(n, record_step)

    def sensitivity(self, n: int, span: float) -> float:
        """As for the quantile 0.5: the span for an odd n, half of it for an even one."""
        return Quantile(self.column, 0.5).sensitivity(n, span)


@register
@checked(QueryError)
@dataclass(frozen=True)
class Quantile(Nonlinear):
    """Quantile of a numeric column over the n records, interpolated linearly.

    Parameters
    ----------
    column : str
    q : float in [0, 1]
        Which quantile; 0.5 is the median.

    Raises
    ------
    QueryError
        If q is not in [0, 1].
    """

    q: float
    kind: ClassVar[str] = "quantile"
    title: ClassVar[str] = "Quantile of a numeric column"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("q", "Quantile", NumberRange(0.0, 1.0, 0.9, 0.01)),
    )

    def __post_init__(self) -> None:
        if not 0 <= self.q <= 1:
            raise QueryError(
                f"A quantile of {self.column!r} needs a q in [0, 1], got q = {self.q:g}."
            )

    @property
    def label(self) -> str:
        return f"quantile {self.q:g} {self.column}"

    @classmethod
    def read(cls, text: str, columns: Collection[str]) -> Statistic | None:
        parts = re.fullmatch(r"(0|1|0?\.\d+) (.+)", text)
        return cls(parts[2], float(parts[1])) if parts and parts[2] in columns else None

    def compute(self, records: FloatArray) -> FloatArray:
        return np.quantile(records[:, :, 0], self.q, axis=1)

    def step(self, n: int, record_step: float) -> float:
        """The records' own times the common divisor of 1 and the weights of interpolation.

        On no grid if q(n − 1) is no fraction of small denominator.
        """
        part = Fraction(str(self.q)) * (n - 1) % 1
        return record_step / part.denominator if part.denominator <= _FINEST else 0.0

    def sensitivity(self, n: int, span: float) -> float:
        """max(t, 1 − t) times the span, t the fractional part of q(n − 1).

        It lies between two neighbouring order statistics with weights 1 − t and t; one record
        can carry one of the two across the whole span, while the other stays.
        """
        part = self.q * (n - 1) % 1.0
        return max(part, 1 - part) * span


@register
@checked(QueryError)
@dataclass(frozen=True)
class StandardDeviation(Nonlinear):
    """Standard deviation of a numeric column over the n records, with ddof 1."""

    kind: ClassVar[str] = "std"
    title: ClassVar[str] = "Standard deviation of a numeric column"

    def compute(self, records: FloatArray) -> FloatArray:
        return np.asarray(records[:, :, 0].std(axis=1, ddof=1))

    def sensitivity(self, n: int, span: float) -> float:
        """span/√n: a changed record moves the centred values by at most span·√(1 − 1/n) in L2.

        The standard deviation is their L2 norm over √(n − 1), and √((1 − 1/n)/(n − 1)) = 1/√n.
        """
        return span / math.sqrt(n)


@register
@checked(QueryError)
@dataclass(frozen=True)
class Correlation(Nonlinear):
    """Pearson's correlation of two numeric columns over the n records.

    Zero for a dataset in which one of the two columns is constant.

    Parameters
    ----------
    column, other : str
    """

    other: str
    kind: ClassVar[str] = "correlation"
    title: ClassVar[str] = "Correlation of two numeric columns"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("other", "And column", "column"),)
    takes_bounds: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[str, ...]:
        return self.column, self.other

    @property
    def label(self) -> str:
        return f"correlation {self.column} and {self.other}"

    @classmethod
    def read(cls, text: str, columns: Collection[str]) -> Statistic | None:
        for cut in re.finditer(" and ", text):
            pair = text[: cut.start()], text[cut.end() :]
            if {*pair} <= {*columns}:
                return cls(*pair)
        return None

    def unit(self, units: Mapping[str, str]) -> str:
        return ""

    def values(self, table: pd.DataFrame) -> FloatArray:
        """Values of each record, shape (N, 2)."""
        return np.column_stack(
            [numeric_values(table, name, "correlation") for name in self.columns]
        )

    def compute(self, records: FloatArray) -> FloatArray:
        centred = records - records.mean(axis=1, keepdims=True)
        squares = np.einsum("snc,snc->sc", centred, centred)
        product = np.einsum("sn,sn->s", centred[:, :, 0], centred[:, :, 1])
        # Rounding leaves a constant column a little more than nothing.
        magnitudes = np.abs(records).max(axis=1) ** 2 * records.shape[1]
        varies = (squares > 1e-24 * magnitudes).all(axis=1)
        norms = np.sqrt(squares[:, 0]) * np.sqrt(squares[:, 1])
        return np.clip(np.divide(product, norms, out=np.zeros(len(norms)), where=varies), -1, 1)

    def sensitivity(self, n: int, span: float) -> float:
        """2: from −1 to 1."""
        return 2.0
