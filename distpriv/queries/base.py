"""What every statistic of n records is, and the registry that makes it appear everywhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import QueryError
from distpriv.registry import Registry
from distpriv.tables.predicates import numeric_values

__all__ = [
    "NumberRange",
    "Parameter",
    "Statistic",
    "get",
    "names",
    "read_statistic",
    "register",
    "unregister",
]

FloatArray = NDArray[np.float64]


class NumberRange(NamedTuple):
    """Numbers to choose from, where the choice begins, and how finely it moves."""

    low: float
    high: float
    start: float
    step: float


@dataclass(frozen=True)
class Parameter:
    """What a statistic asks for besides its column.

    Attributes
    ----------
    name : str
        Of its field.
    title : str
        What selectors call it.
    domain : "value", "column" or NumberRange
        A value that the column has, another column of the same kind, or a number.
    """

    name: str
    title: str
    domain: Literal["value", "column"] | NumberRange


@dataclass(frozen=True)
class Statistic(ABC):
    """One number computed from n records.

    A linear statistic, the usual kind, is ``scale(n)`` times the sum over the records of a
    value each record has by itself; that is what makes its mean and covariance exact in closed
    form. Unless it says otherwise it is computed from one numeric column, in its unit.

    Attributes
    ----------
    column : str
        The column it is computed from.
    kind : str
        Short name, unique; its label begins with it, in selectors, charts, tables and links.
    title : str
        What it is of, for selectors.
    takes : tuple of str
        Types of the columns it can be computed from, see :mod:`distpriv.tables`.
    parameters : tuple of Parameter
        What else it asks for, in the order of its other fields.
    linear : bool
        Whether it is a sum over the records; the others are in :mod:`distpriv.queries.nonlinear`.
    takes_bounds : bool
        Whether one record's value is bounded only by public knowledge of the column.
    indicates : bool
        Whether a record's value is 0 or 1.
    """

    column: str
    kind: ClassVar[str]
    title: ClassVar[str]
    takes: ClassVar[tuple[str, ...]] = ("number",)
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    linear: ClassVar[bool] = True
    takes_bounds: ClassVar[bool] = True
    indicates: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns it is computed from."""
        return (self.column,)

    @property
    def label(self) -> str:
        """Short name, e.g. ``mean age``."""
        return f"{self.kind} {self.column}"

    @classmethod
    def read(cls, text: str, columns: Collection[str]) -> Statistic | None:
        """The statistic whose label is this text behind its kind, or None if there is none.

        Parameters
        ----------
        text : str
        columns : collection of str
            Those of the table.
        """
        return cls(text) if text in columns else None

    def values(self, table: pd.DataFrame) -> FloatArray:
        """Value of each record, shape (N,); NaN where the record has none."""
        return numeric_values(table, self.column, self.kind)

    @abstractmethod
    def scale(self, n: int) -> float:
        """Factor that turns the sum over n records into the statistic."""

    def unit(self, units: Mapping[str, str]) -> str:
        """Unit of the statistic, given the units of the columns."""
        return units.get(self.column, "")

    def compute(self, records: FloatArray) -> FloatArray:
        """The statistic of many datasets: records of shape (subsets, n, columns) to (subsets,)."""
        return self.scale(records.shape[1]) * np.asarray(records[:, :, 0].sum(axis=1))

    def sensitivity(self, n: int, span: float) -> float:
        """How far replacing one of n records can move it if its values lie within a span."""
        return self.scale(n) * span

    def step(self, n: int, record_step: float) -> float:
        """In what steps it moves if its records' values move in steps; 0 if it is on no grid."""
        return self.scale(n) * record_step


_STATISTICS: Registry[type[Statistic]] = Registry("statistic", QueryError)
names, get, unregister = _STATISTICS.names, _STATISTICS.get, _STATISTICS.remove
_S = TypeVar("_S", bound=type[Statistic])


def register(statistic: _S) -> _S:
    """Class decorator: make a statistic known under its kind; sums over records come first."""
    _STATISTICS.add(statistic.kind, statistic, position=0 if statistic.linear else 1)
    return statistic


@checked(QueryError)
def read_statistic(label: str, columns: Collection[str]) -> Statistic | None:
    """Read a statistic from its label, or None if it names none of these columns."""
    for kind in names():
        if label.startswith(f"{kind} "):
            statistic = get(kind).read(label.removeprefix(f"{kind} "), columns)
            if statistic is not None:
                return statistic
    return None
