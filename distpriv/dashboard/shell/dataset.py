"""The table of a session with all that is worked out once when it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import pandas as pd

from distpriv.dashboard.shell import choices
from distpriv.dashboard.shell.spooling import MEGABYTES, Spooled
from distpriv.errors import TableError
from distpriv.model.moments import GroupMoments, RecordGroups, group_moments, record_groups
from distpriv.model.source import Profile
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query, Statistic
from distpriv.sources.duckdb_files import FileEngine
from distpriv.sources.table import EngineSource
from distpriv.tables import ColumnType, column_types, digest, read_table, retype
from distpriv.tables.examples import Example
from distpriv.tables.labels import shown
from distpriv.tables.loading import UNTOLD, Reading
from distpriv.tables.reference import align
from distpriv.tables.repairs import AS_FOUND, Choices
from distpriv.words import exact

__all__ = [
    "UPLOAD",
    "Dataset",
    "Origin",
    "as_reference",
    "assembled",
    "from_example",
    "from_source",
    "from_spooled",
    "retyped",
]

UPLOAD = "Your file"
"""What stands for an upload among the titles."""

Origin = Literal["example", "upload", "source"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table, its types and digest, and what can be chosen from it.

    Attributes
    ----------
    origin : "example", "upload" or "source"
        What came from an upload stays in its session and out of the address bar, as columns and
        labels of a source do, which is a table that the server's owner has named.
    title, description, attribution : str
    table : DataFrame
        All records, or of a source a random sample.
    types : mapping of column to ColumnType
    units : mapping of column to str
    digest : str
        Of the full content; what caches are keyed by.
    secrets, statistics : dict
        What can be chosen, by label.
    secret : SensitiveProperty
        The one to start with.
    query : tuple of Statistic
        Those to start with.
    center, width : float
        Of the two shares to start with.
    bounds : mapping of column to (lowest, highest)
        Of numeric columns, as far as they are public.
    start_n : int
        Records of a sample to start with: 100, or as many as leave an attacker records to train
        on. An upload starts with all of its records.
    corrected : mapping of column to ColumnType
        Types that the user set.
    first_digest : str
        Digest as the file is read of itself, if the user set other types or chose how.
    content : bytes or None
        The uploaded file, in memory, so that it can be read otherwise.
    read_as, wished : Choices
        How it is read, and what was chosen altogether: what is chosen for a column waits while the
        column is not there.
    wished_types : mapping of column to ColumnType
        The same of types that were corrected.
    reading : Reading
        What was done to the file.
    source : EngineSource or None
        What has the records where `table` is a sample; whatever is said of all records comes from
        it.
    profile : Profile or None
        Of the source.
    shows_records : bool
        Whether single records may be shown.
    file : Spooled or None
        A large upload on disk, which goes when nobody holds it any more.
    labels : mapping of column to mapping of str to int
        How many records have each label, of a source; without those that too few have.
    """

    origin: Origin
    title: str
    description: str
    attribution: str
    table: pd.DataFrame
    types: Mapping[str, ColumnType]
    units: Mapping[str, str]
    digest: str
    secrets: Mapping[str, SensitiveProperty] = field(repr=False)
    statistics: Mapping[str, Statistic] = field(repr=False)
    secret: SensitiveProperty
    query: tuple[Statistic, ...]
    start_n: int
    center: float = 0.5
    width: float = 0.1
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    corrected: Mapping[str, ColumnType] = field(default_factory=dict)
    first_digest: str = ""
    content: bytes | None = field(default=None, repr=False)
    read_as: Choices = AS_FOUND
    wished: Choices = AS_FOUND
    wished_types: Mapping[str, ColumnType] = field(default_factory=dict)
    reading: Reading = field(default=UNTOLD, repr=False)
    source: EngineSource | None = field(default=None, repr=False)
    profile: Profile | None = field(default=None, repr=False)
    shows_records: bool = True
    file: Spooled | None = field(default=None, repr=False)
    labels: choices.Labels = field(default_factory=dict, repr=False)

    @property
    def records(self) -> pd.DataFrame | EngineSource:
        """All records, or what can be asked for them."""
        return self.table if self.source is None else self.source

    @property
    def size(self) -> int:
        """How many records there are."""
        return len(self.table) if self.profile is None else self.profile.records

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Under which the ledger and limits know the table, whatever types its columns have.

        The one to write under comes first.
        """
        return tuple(dict.fromkeys((self.first_digest or self.digest, self.digest)))

    def complete(self, query: Query, secret: SensitiveProperty) -> int:
        """Records that miss no value in a column in use, as many as the whole table releases."""
        if self.source is not None:
            if query.is_linear:
                return sum(self.moments(query, secret).counts)
            return sum(self.groups(query, secret).totals)
        columns = {column for statistic in query for column in statistic.columns}
        return int(self.table[[*{*columns, secret.column}]].notna().all(axis=1).sum())

    def moments(self, query: Query, secret: SensitiveProperty) -> GroupMoments:
        """Moments of the records with and without a property."""
        if self.source is not None:
            return self.source.group_moments(query, secret)
        return group_moments(self.table, query, secret)

    def groups(self, query: Query, secret: SensitiveProperty) -> RecordGroups:
        """Record-level values split by a property, for simulations."""
        if self.source is not None:
            return self.source.sample(query, secret)
        return record_groups(self.table, query, secret)


def assembled(
    origin: Origin,
    table: pd.DataFrame,
    title: str,
    description: str,
    attribution: str,
    units: Mapping[str, str],
    example: Example | None = None,
    profile: Profile | None = None,
    labels: choices.Labels = choices.NO_LABELS,
) -> Dataset:
    """A table with what can be chosen from it; raises TableError if that is nothing."""
    types = column_types(table) if profile is None else profile.types
    secret = choices.parse_secret(example.secret, table) if example is not None else None
    secret = secret or choices.default_secret(table, types, labels)
    if secret is None:
        raise TableError(
            "The table has no column that could be a secret: every usable column holds one "
            "value only; choose a table in which records differ (identifiers, free text and "
            "dates do not count)."
        )
    wanted = () if example is None else example.statistics
    parsed = (choices.parse_statistic(label, table) for label in wanted)
    query = tuple(filter(None, parsed)) or choices.default_statistics(table, types, secret, labels)
    if not query:
        raise TableError(
            f"The table has no column to release beside {secret.column!r}; choose a table with "
            "at least two usable columns (identifiers, free text and dates do not count)."
        )
    counts = group_moments(table, Query(query), secret).counts
    return Dataset(
        origin=origin,
        title=title,
        description=description,
        attribution=attribution,
        table=table,
        types=types,
        units=units,
        digest="" if profile is not None else digest(table),
        secrets=choices.secrets(table, types, labels),
        statistics=choices.statistics(table, types, labels),
        secret=secret,
        query=query,
        start_n=max(2, min(100, int(0.3 * min(counts) / 0.55))),
        labels=labels,
    )


def from_example(example: Example) -> Dataset:
    """Load an example; raises DatasetError."""
    made = assembled(
        "example",
        example.load(),
        example.title,
        example.description,
        example.attribution,
        example.units,
        example,
    )
    return replace(made, center=example.center, width=example.width, bounds=example.bounds)


def from_spooled(
    spooled: Spooled, tell: Callable[[EngineSource], None] = lambda source: None
) -> Dataset:
    """Open a large upload where it lies on disk; raises TableError.

    Parameters
    ----------
    spooled : Spooled
    tell : callable
        Is told the source before it is asked anything, so that it can be stopped.
    """
    source = EngineSource(FileEngine([_named(spooled)], spooled.name))
    tell(source)
    profile = source.profile()
    labels = {name: known.labels for name, known in profile.columns.items() if known.labels}
    about = f"{exact(profile.records)} records you uploaded, read from a temporary file."
    made = assembled("upload", profile.sample, spooled.name, about, "", {}, None, profile, labels)
    return replace(made, digest=spooled.digest, source=source, profile=profile, file=spooled)


def _named(spooled: Spooled) -> Path:
    """The file with the ending that tells what it is."""
    with spooled.path.open("rb") as file:
        start = file.read(4)
    if start[:2] in (b"PK", b"\xd0\xcf") or start[:1] in (b"{", b"["):
        raise TableError(
            f"{shown(spooled.name)}: only Parquet and CSV are read beyond "
            f"{MEGABYTES} MB; save the table as one of them."
        )
    packed = ".csv.gz" if start[:2] == b"\x1f\x8b" else ".csv"
    path = spooled.path.with_name("upload" + (".parquet" if start == b"PAR1" else packed))
    if spooled.path.exists():
        spooled.path.rename(path)
        spooled.path = path
    return path


def from_source(
    source: EngineSource,
    title: str,
    description: str,
    units: Mapping[str, str],
    shows_records: bool,
) -> Dataset:
    """A table that stays where it is; raises SourceError, TableError."""
    profile = source.profile()
    about = description or "A table of this server; its records stay where they are."
    labels = {
        name: {label: count for label, count in known.labels.items() if count >= source.least_group}
        for name, known in profile.columns.items()
        if known.labels
    }
    made = assembled("source", profile.sample, title, about, "", units, None, profile, labels)
    state = blake2b(f"{title}\0{source.fingerprint()}".encode(), digest_size=32)
    return replace(
        made,
        digest=state.hexdigest(),
        source=source,
        profile=profile,
        shows_records=shows_records,
    )


def retyped(dataset: Dataset, types: Mapping[str, ColumnType]) -> Dataset:
    """The same data with the user's column types; raises TableError."""
    made = assembled(
        dataset.origin,
        retype(dataset.table, types),
        dataset.title,
        dataset.description,
        dataset.attribution,
        dataset.units,
    )
    return replace(
        made,
        corrected={**dataset.corrected, **types},
        wished_types={**dataset.wished_types, **types},
        first_digest=dataset.fingerprints[0],
        content=dataset.content,
        read_as=dataset.read_as,
        wished=dataset.wished,
        reading=dataset.reading,
    )


def as_reference(
    dataset: Dataset, content: bytes, name: str, watch: Callable[[float], object] | None = None
) -> Dataset:
    """The dataset with uploaded reference data in the place of its records; raises TableError."""
    table = align(read_table(content, name=name, progress=watch), dataset.table)
    return replace(
        dataset,
        origin="upload",
        title=name,
        description=f"{exact(len(table))} records of reference data you uploaded.",
        attribution="",
        table=table,
        digest=digest(table),
        content=None,
        read_as=AS_FOUND,
        wished=AS_FOUND,
        wished_types={},
        reading=UNTOLD,
        source=None,
        profile=None,
        shows_records=True,
        labels=choices.NO_LABELS,
    )
