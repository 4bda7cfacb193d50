"""A table in memory as a source: what the house computes of a table, wherever that lives."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.display import Result, plain
from distpriv.errors import DistprivError, SourceError
from distpriv.model.groups import Groups, Provenance
from distpriv.queries import Label, Query, SensitiveProperty
from distpriv.queries.columns import as_label, column_of
from distpriv.text import whole

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.sources.engine import EngineSource

__all__ = ["NO_RECORD", "Described", "EngineError", "FrameSource", "Kept", "Ranks", "Source"]
__all__ += ["check_enough", "kept_of", "not_unique", "source_of"]

NO_RECORD = "No record has all values that the figures need; leave figures out."

Ranks: TypeAlias = tuple[list[bytes], list[bytes]]
"""Ranks of the records of either group that a key keeps, the lowest first."""

_MOST_LABELS = 200  # of a column
_PROBE = 200  # numbers, which mostly show that there are more than two


class EngineError(SourceError):
    """Report that an engine did not answer: it was late, was cancelled, or is gone."""


class Kept(NamedTuple):
    """Hold the records that a secret key keeps, without (0) before with the property (1), by rank.

    Values, (kept, w), and having, (kept,), are of complete records only; ranks are of all, and
    counts, (2,), of all records that tell whether they have the property.
    """

    values: FloatArray
    having: FloatArray
    ranks: Ranks
    counts: tuple[int, int]


Source: TypeAlias = "FrameSource | EngineSource"
"""A table, wherever it lives."""


class Described(Result):
    """Describe a table without its records, wherever it lives; they are never pickled."""

    title: Any
    rows: Any
    units: Any
    kinds: Any  # of columns by their names

    def __repr__(self) -> str:
        return plain(f"{self.title}: {whole(self.rows)} records, {len(self.kinds)} columns")

    def to_frame(self) -> pd.DataFrame:
        """Return a row a column: its name, kind and unit; no records."""
        import pandas as pd

        rows = [(name, kind, self.units.get(name, "")) for name, kind in self.kinds.items()]
        return pd.DataFrame(rows, columns=["column", "kind", "unit"])

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("A table does not leave its session.")

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Columns that can be averaged."""
        return tuple(name for name, kind in self.kinds.items() if kind == "number")

    @cached_property
    def dates(self) -> tuple[str, ...]:
        """Columns of dates."""
        return tuple(name for name, kind in self.kinds.items() if kind == "date")


@dataclass(frozen=True, eq=False, repr=False)
class FrameSource(Described):
    """A table in memory; its records are neither printed nor pickled."""

    key: str
    title: str
    frame: pd.DataFrame
    units: Mapping[str, str] = field(default_factory=dict)  # of columns
    provenance: Provenance = "table"

    @property
    def rows(self) -> int:
        """Number of records."""
        return len(self.frame)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of content and column types, 32 hexadecimal digits.

        Names, types, values and their order count; the index and the order of categories do not,
        for no figure depends on them.
        """
        import pandas as pd

        frame = self.frame
        head = repr([(str(name), _kind(frame.iloc[:, at])) for at, name in enumerate(frame)])
        digest = blake2b(head.encode(), digest_size=16)
        for at in range(frame.shape[1]):
            column = frame.iloc[:, at]
            try:
                rows = pd.util.hash_pandas_object(column, index=False)
            except TypeError:  # lists and the like
                rows = pd.util.hash_pandas_object(column.astype(str), index=False)
            digest.update(rows.to_numpy().tobytes())
        return digest.hexdigest()

    @cached_property
    def labels(self) -> dict[str, tuple[Label, ...]]:
        """Labels of each column that may be counted or hidden, at most 200, most frequent first.

        A column needs two of them, each of two records and more: constants, identifiers and free
        text have none to offer, nor have columns of more than two numbers.
        """
        every = {str(name): _labels(column) for name, column in self.frame.items()}
        return {name: labels for name, labels in every.items() if len(labels) > 1}

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Kind of each column: "number", "date" or "text"."""
        import pandas as pd

        is_date = pd.api.types.is_datetime64_any_dtype
        return {
            str(name): "number" if _is_number(one) else "date" if is_date(one) else "text"
            for name, one in self.frame.items()
        }

    def share(self, secret: SensitiveProperty) -> float:
        """Return the share with a property of the records that tell it; NaN where none does."""
        having = secret.mask(self.frame)
        known = np.isfinite(having)
        return float(having[known].mean()) if known.any() else math.nan

    def groups(self, query: Query, secret: SensitiveProperty) -> Groups:
        """Return moments of the records without and with a property, see `Groups.of`."""
        values, having = query.values(self.frame), secret.mask(self.frame)
        return Groups.of(values, having, secret.label, self.provenance)

    def columns(self, names: Sequence[str], most: int = 200_000, seed: int = 0) -> pd.DataFrame:
        """Return columns of at most so many records, sampled where there are more.

        A column that is not there is a DistprivError.
        """
        for name in names:
            column_of(self.frame, name)
        chosen = self.frame[list(dict.fromkeys(names))]
        return chosen if len(chosen) <= most else chosen.sample(most, random_state=seed)

    def complete(self, query: Query, secrets: Sequence[SensitiveProperty] = ()) -> int:
        """Count records in which nothing is missing that statistics and secrets need."""
        return len(self._complete(query, secrets))

    def answer(self, query: Query, secrets: Sequence[SensitiveProperty] = ()) -> FloatArray:
        """Return the statistics of those records, shape (m,); DistprivError if there are none."""
        values = self._complete(query, secrets)
        if not len(values):
            raise SourceError(NO_RECORD)
        return query.of(values)

    def kept(
        self,
        query: Query,
        secret: SensitiveProperty,
        numbers: Sequence[int],
        key: bytes,
        names: str = "",
        *,
        ranks: Ranks | None = None,
    ) -> Kept:
        """Return what statistics need of records that a secret key keeps, see `Kept`.

        Those are so many records without and with the property, `numbers`, whose names rank first
        by the SHA-256 of key and name, whatever their values; incomplete ones are left out then.
        `names` is a column of whole numbers or texts that are all different, "" for the row's
        number. With the ranks of what an older version of the table kept, these records alone are
        kept, but for those that have gone.

        SourceError if the column does not name the records, fewer are there than are to be kept, or
        a kept one has changed its group.
        """
        values, having = query.values(self.frame), secret.mask(self.frame)
        texts, start = _names(self.frame, names), key.hex()
        places = [np.flatnonzero(having == group).tolist() for group in (0, 1)]
        counts, parts = (len(places[0]), len(places[1])), places
        if ranks is not None:  # also of records whose property is missing now
            parts, numbers = [[*range(len(having))]], [len(having)]
        rank: dict[int, bytes] = {}
        order: list[int] = []
        for group, (part, number) in enumerate(zip(parts, numbers, strict=True)):
            check_enough(len(part), number, group, secret)
            if number:
                rank |= {at: sha256(f"{start}{texts[at]}".encode()).digest() for at in part}
                order += sorted(part, key=rank.__getitem__)[:number]
        return kept_of(values[order], having[order], [rank[at] for at in order], counts, ranks)

    def _complete(self, query: Query, secrets: Sequence[SensitiveProperty]) -> FloatArray:
        values = query.values(self.frame)
        needed = [*values.T, *(secret.mask(self.frame) for secret in secrets)]
        return values[np.isfinite(needed).all(axis=0)]


def not_unique(names: str) -> SourceError:
    """Return the error where a column does not tell records apart."""
    return SourceError(
        f"Column {names!r} does not name the records: its values must be whole numbers or texts, "
        "all there and all different; choose an identifier."
    )


def check_enough(count: int, number: int, group: int, secret: SensitiveProperty) -> None:
    """Raise SourceError where a group has fewer records than are to be kept."""
    if count < number:
        raise SourceError(
            f"Only {whole(count)} records {('without', 'with')[group]} {secret.label} are there, "
            f"of which {whole(number)} were to be kept; keep fewer."
        )


def kept_of(
    values: FloatArray,
    having: FloatArray,
    names: Sequence[bytes],
    counts: tuple[int, int],
    ranks: Ranks | None = None,
) -> Kept:
    """Return what is kept of records, (n, w) and (n,), by their ranks; those alone that are passed.

    SourceError where one of these has the property no longer, or has it now.
    """
    before = {rank: group for group, part in enumerate(ranks or ()) for rank in part}
    some = [at for at, rank in enumerate(names) if ranks is None or rank in before]
    if any(before.get(names[at], having[at]) != having[at] for at in some):
        raise SourceError(
            "A kept record has gained or lost the property, so nothing more can be released of "
            "the kept records; release no further version."
        )
    some.sort(key=having.__getitem__)
    values, having = values[some], having[some]
    without, both = len(some) - int(having.sum()), [names[at] for at in some]
    there = np.isfinite(values).all(axis=1)
    return Kept(values[there], having[there], (both[:without], both[without:]), counts)


def _names(frame: pd.DataFrame, names: str) -> Sequence[object]:
    if not names:
        return range(len(frame))
    column = column_of(frame, names)
    if _is_number(column) and not (column % 1).any():
        column = column.astype("Int64")
    texts: list[object] = column.astype(object).tolist()
    if not all(type(one) in (str, int) for one in texts) or len({*texts}) < len(texts):
        raise not_unique(names)
    return texts


def _is_number(column: pd.Series) -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _kind(column: pd.Series) -> str:
    """Name of a column's type, text alike in all its ways of storage."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return f"category of {_kind(pd.Series(kind.categories))}"
    return "text" if pd.api.types.is_string_dtype(kind) else str(kind)


def _labels(column: pd.Series) -> tuple[Label, ...]:
    number = _is_number(column)
    try:
        if number and column.head(_PROBE).nunique() > 2:
            return ()
        counts = column.value_counts()
        if number and len(counts) > 2:
            return ()
        frequent = counts.index[counts.to_numpy() > 1][:_MOST_LABELS]
        return tuple(as_label(label) for label in frequent)
    except (DistprivError, TypeError):  # lists and the like are no labels
        return ()


def source_of(table: Any, provenance: Provenance | None = None) -> Source:
    """Return the source of whatever a user passes for a table; SourceError if it is none.

    That is a DataFrame of pandas, a table of Arrow or Polars or whatever else has Arrow's C stream,
    typed as `read_table` does, or a source. The provenance, if one is given, replaces what a source
    has; any other table is a "table".
    """
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        if not all(isinstance(name, str) for name in table.columns):
            table = table.set_axis(list(map(str, table.columns)), axis=1)
        return FrameSource("table", "Table", table, provenance=provenance or "table")
    if hasattr(table, "provenance") and hasattr(table, "fingerprint"):
        same = provenance in (None, table.provenance)
        source: Source = table if same else replace(table, provenance=provenance)
        return source
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        from distpriv.tables.read import frame_of_arrow

        return source_of(frame_of_arrow(table), provenance)
    advice = "pass a table of pandas, Polars or Arrow, as read_table gives, or what scan returns"
    if isinstance(table, str | bytes | os.PathLike):
        advice = "read the file by read_table, or pass what scan returns"
    else:  # of Polars, Spark and Arrow, before they are computed
        ways = {"createOrReplaceTempView": "from_spark(it)", "collect": "its collect()"}
        ways |= {"to_table": "its to_table()"}
        late = next((how for name, how in ways.items() if hasattr(table, name)), "")
        advice = f"pass {late}" if late else advice
    raise SourceError(f"{type(table).__name__} is not a table; {advice}.")
