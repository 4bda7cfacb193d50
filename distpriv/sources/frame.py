"""A table in memory as a source: what the house computes of a table, wherever that lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import SourceError
from distpriv.model.groups import Groups, Provenance
from distpriv.queries import Label, Query, SensitiveProperty
from distpriv.queries.statistics import as_label

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FrameSource", "Source", "source_of"]

_FEW = 20  # labels that a column may have to be offered


class Source(Protocol):
    """What the house asks of a table.

    Attributes
    ----------
    key, title : str
    units : mapping of column to unit
    provenance : str
        "table", "reference" or "example".
    rows : int
    fingerprint : str
        32 hexadecimal digits of content and column types; every cache key begins with it.
    """

    key: str
    title: str
    units: Mapping[str, str]
    provenance: Provenance

    @property
    def rows(self) -> int:
        """Number of records."""

    @property
    def fingerprint(self) -> str:
        """Digest of content and column types."""

    @property
    def labels(self) -> Mapping[str, tuple[Label, ...]]:
        """Labels of each column that has few, the most frequent first."""

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns that can be averaged."""

    def groups(self, query: Query, secret: SensitiveProperty) -> Groups:
        """Return moments of the records without and with a property."""

    def columns(self, names: Sequence[str], most: int = 200_000, seed: int = 0) -> pd.DataFrame:
        """Return columns of at most so many records, sampled where there are more."""


@dataclass(frozen=True, eq=False)
class FrameSource:
    """A table in memory; its records are neither printed nor pickled.

    Attributes
    ----------
    key, title : str
    frame : DataFrame
    units : mapping of column to unit
    provenance : str
    """

    key: str
    title: str
    frame: pd.DataFrame = field(repr=False)
    units: Mapping[str, str] = field(default_factory=dict)
    provenance: Provenance = "table"

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("A table does not leave its session.")

    @property
    def rows(self) -> int:
        """Number of records."""
        return len(self.frame)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of content and column types, 32 hexadecimal digits."""
        import pandas as pd

        rows = pd.util.hash_pandas_object(self.frame, index=False, categorize=True).to_numpy()
        head = repr([(str(name), str(kind)) for name, kind in self.frame.dtypes.items()]).encode()
        return blake2b(head + rows.tobytes(), digest_size=16).hexdigest()

    @cached_property
    def labels(self) -> dict[str, tuple[Label, ...]]:
        """Labels of each column that has few, the most frequent first."""
        import pandas as pd

        offered = {}
        for name, column in self.frame.items():
            number = pd.api.types.is_numeric_dtype(column) and column.dtype != bool
            if number and column.nunique() > 2:
                continue
            counts = column.value_counts()
            found = counts.index[counts > 0][:_FEW]
            if len(found):
                offered[str(name)] = tuple(as_label(label) for label in found)
        return offered

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Columns that can be averaged."""
        import pandas as pd

        return tuple(
            str(name)
            for name, column in self.frame.items()
            if pd.api.types.is_numeric_dtype(column) and column.dtype != bool
        )

    def groups(self, query: Query, secret: SensitiveProperty) -> Groups:
        """Return moments of the records without and with a property.

        Raises
        ------
        DistprivError
            If a column is not there, or a group has fewer than two complete records.
        """
        values, having = query.values(self.frame), secret.mask(self.frame)
        return Groups.of(values, having, secret.label, self.provenance)

    def columns(self, names: Sequence[str], most: int = 200_000, seed: int = 0) -> pd.DataFrame:
        """Return columns of at most so many records, sampled where there are more."""
        chosen = self.frame[list(names)]
        return chosen if len(chosen) <= most else chosen.sample(most, random_state=seed)

    def answer(self, query: Query) -> FloatArray:
        """Return the statistics of all complete records, shape (m,)."""
        values = query.values(self.frame)
        complete = values[np.isfinite(values).all(axis=1)]
        return np.asarray(complete.sum(axis=0) * query.scales(len(complete)))


def source_of(table: Any, provenance: Provenance = "table") -> Source:
    """Return the source of whatever a user passes for a table.

    Raises
    ------
    SourceError
        If it is no table.
    """
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return FrameSource("table", "Table", table, provenance=provenance)
    if isinstance(table, FrameSource):
        return table
    raise SourceError(
        f"A {type(table).__name__} is no table; pass a DataFrame, as read_table gives."
    )
