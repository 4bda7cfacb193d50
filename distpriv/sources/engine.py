"""A table that stays where it is: an engine computes the moments of its groups."""
# ruff: noqa: S608 - names are quoted, labels are bound, all else are numbers

from __future__ import annotations

import math
import re
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from threading import Event, RLock, Thread
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from distpriv.arrays import EXACT, FloatArray
from distpriv.errors import SourceError
from distpriv.model.grid import GroupGrids
from distpriv.model.groups import Groups, Provenance, check_sizes
from distpriv.queries import Label, Query, SensitiveProperty
from distpriv.sources import sql
from distpriv.sources.frame import (
    NO_RECORD,
    Described,
    EngineError,
    FrameSource,
    Kept,
    Ranks,
    check_enough,
    kept_of,
    not_unique,
    source_of,
)
from distpriv.tables.options import Notice
from distpriv.text import listed, whole

__all__ = ["Engine", "EngineSource", "typed_as", "written"]

_MOST = 200_000  # records of a table that is read once its records are needed
_Run = Callable[[str], list[tuple[Any, ...]]]
_CELLS = 8_000_000  # that are read for labels
_SCANS = 5
_MOST_KEPT = 1_000_000
_RANKS = {"postgres": "sha256(convert_to({}, 'UTF8'))"}
_CHANGED = "The table changed while it was read; read it again."
_MARKS = {"qmark": "?", "format": "%s", "pyformat": "%s", "numeric": ":{}", "named": ":{}"}


@dataclass(frozen=True, eq=False)
class Engine:
    """A connection of Python's DB-API, and the dialect of its SQL by sqlglot's name.

    `current` is asked before each query, and tells whether the table is still the one that was
    opened. One query runs at a time, for so many seconds; `quiet` keeps the engine's own words,
    which may name its address, out of errors.
    """

    connection: Any = field(repr=False)
    dialect: str
    current: Callable[[], bool] = field(default=lambda: True, repr=False)
    timeout: float = math.inf
    quiet: bool = False
    lock: RLock = field(default_factory=RLock, repr=False)

    def is_open(self) -> bool:
        """Tell whether queries would be answered from the table that was opened."""
        return not getattr(self.connection, "closed", False) and self.current()

    def cancel(self) -> None:
        """Stop the query that runs, if one does; whoever asked it gets a SourceError."""
        for name in ("interrupt", "cancel"):
            if stop := getattr(self.connection, name, None):
                stop()

    def rows(self, text: str, labels: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run SQL in DuckDB's dialect and return its rows; SourceError where the engine fails."""
        return list(self.answer(text, labels)[1])

    def frame(self, text: str) -> pd.DataFrame:
        """Run SQL and return its rows, the columns numbered, see `rows`."""
        if self.dialect != "duckdb":
            return pd.DataFrame(self.rows(text), dtype=object)
        frame: pd.DataFrame = self.answer(text, fetch=lambda cursor: cursor.df())[1]
        return frame.set_axis(range(frame.shape[1]), axis=1)

    def answer(
        self,
        text: str,
        labels: Sequence[object] = (),
        fetch: Callable[[Any], Any] = lambda cursor: list(cursor.fetchall()),
    ) -> tuple[list[tuple[Any, ...]], Any]:
        """Return what the DB-API describes columns with, and rows, see `rows`."""
        driver: Any = self.connection
        if not hasattr(driver, "paramstyle"):
            driver = sys.modules[type(driver).__module__.partition(".")[0]]
        if self.dialect != "duckdb":
            text, labels = written(text, labels, self.dialect, driver.paramstyle)
        with self.lock, self._limited() as late:
            if not self.current():
                raise EngineError("The table changed since it was opened; open it again.")
            try:
                cursor = self.connection if self.dialect == "duckdb" else self.connection.cursor()
                cursor.execute(text, labels) if labels else cursor.execute(text)
                return list(cursor.description), fetch(cursor)
            except driver.Error as error:
                reason = "" if self.quiet else f" ({str(error).partition(chr(10))[0]})"
                with suppress(driver.Error, AttributeError):
                    self.connection.rollback()  # else some would refuse all that follows
                if late.is_set():
                    raise EngineError(
                        f"The table took longer than {self.timeout:g} seconds to read; choose a "
                        "smaller part of it, or allow more."
                    ) from None
                raise EngineError(
                    f"The table could not be read where it is{reason}; check its name, your "
                    "rights and the time limit."
                ) from None

    @contextmanager
    def _limited(self) -> Iterator[Event]:
        """Cancel what takes longer than it may, again and again, for it may not have begun."""
        done, late = Event(), Event()

        def watch() -> None:
            wait = self.timeout
            while not done.wait(wait):
                late.set()
                self.cancel()
                wait = 1.0

        watcher = Thread(target=watch, daemon=True)
        if math.isfinite(self.timeout):
            watcher.start()
        try:
            yield late
        finally:
            done.set()
            if watcher.ident:
                watcher.join()  # else it might cancel the next query


def written(
    text: str, labels: Sequence[object], dialect: str, style: str
) -> tuple[str, list[object]]:
    """Return SQL in another dialect, and the labels in the order in which it asks for them."""
    from sqlglot import exp, parse_one

    tree, mark = parse_one(text, read="duckdb"), f"l{secrets.token_hex(8)}_"
    for node in list(tree.find_all(exp.Placeholder, exp.Parameter)):
        node.replace(exp.column(f"{mark}{node.name}"))
    parts = re.split(f"{mark}(\\d+)", tree.sql(dialect))
    if labels and _MARKS[style] == "%s":
        parts = [part.replace("%", "%%") for part in parts]
    places = [int(part) - 1 for part in parts[1::2]]
    parts[1::2] = [_MARKS[style].format(at) for at in range(1, len(places) + 1)]
    return "".join(parts), [labels[place] for place in places]


class _Moments(NamedTuple):
    """Counts, totals and covariances of complete records, by group, and what else a scan tells.

    `numbers` are of all records by known property, extremes of both groups, `largest` of all.
    """

    counts: FloatArray
    numbers: FloatArray
    dropped: int
    totals: FloatArray
    covariances: FloatArray
    extremes: FloatArray
    largest: FloatArray
    grids: GroupGrids | None


def _moments(run: _Run, records: str, width: int) -> _Moments:
    """Scan records for counts, ends, sums of deviations and of their products.

    Deviations are from short numbers near the means, so that sums of whole numbers stay exact. If
    the means of the first records prove to be far from those of all, these are the next centres.
    """
    columns = ", ".join(f"v{at}" for at in range(width))

    def some(where: str, most: int = _MOST // 2) -> FloatArray:
        rows = run(f"SELECT {columns} FROM ({records}) AS r WHERE {where} LIMIT {most}")
        return np.reshape(np.array(rows, dtype=float), (-1, width))

    samples = [some("grp = 0"), some("grp = 1")]
    filled = [one if len(one) else np.zeros((1, width)) for one in samples]
    means = np.array([one.mean(axis=0) for one in filled])
    deviations = np.array([one.std(axis=0) for one in filled])
    grids, off = None, "1 = 0"
    lower, ends = np.tril_indices(width), np.full((3, width, 2), np.nan)
    for _ in range(_SCANS):
        if all(map(len, samples)):
            grids = GroupGrids.of(*samples)
            off = sql.off_grid(samples, [grid.steps for grid in grids.alone])
        centre = means.mean(axis=0)  # one is quicker than two
        close = ((np.abs(means - centre) <= deviations / 2) & (deviations > 0)).all(axis=0)
        near = np.where(close, centre, means)
        scale = np.where(close, deviations.min(axis=0), deviations)
        with np.errstate(divide="ignore", invalid="ignore"):
            units = np.exp2(np.floor(np.log2(scale / 4)))
            short = np.rint(near / units) * units
        centres = np.where(np.isfinite(short), short, near)
        heads, sums = np.zeros((3, 4)), np.zeros((2, width))
        products = np.zeros((2, width, width))
        for group, *row in run(sql.scan(records, centres, off)):
            heads[group] = [cell or 0 for cell in row[:4]]
            ends[group] = np.reshape(row[4 : 4 + 2 * width], (width, 2)).astype(float)
            if group < 2:
                sums[group] = row[4 + 2 * width : 4 + 3 * width]
                products[group][lower] = products[group].T[lower] = row[4 + 3 * width :]
        counts, known, having, odd = heads.T
        size = counts[:2].clip(1)[:, None, None]
        spread = products - sums[:, :, None] * sums[:, None, :] / size
        means = centres + sums / size[:, 0]
        deviations = np.sqrt(np.diagonal(spread / size, 0, 1, 2).clip(0))
        covariances = spread / (size - 1).clip(1)
        grown = False
        for group, where in _unseen(samples, covariances) if grids else []:
            more = some(where, 1000)
            samples[group] = np.concatenate([samples[group], more])
            grown |= len(more) > 0
        if not grown and (np.abs(means - centres) <= deviations + 1e-9 * np.abs(means)).all():
            break
    if grown:
        raise SourceError(_CHANGED)
    return _Moments(
        counts=counts[:2],
        numbers=np.array([(known - having).sum(), having.sum()]),
        dropped=int(counts[2]),
        totals=counts[:2, None] * centres + sums,
        covariances=covariances,
        extremes=np.array([np.fmin.reduce(ends[:2, :, 0]), np.fmax.reduce(ends[:2, :, 1])]),
        largest=np.fmax.reduce(ends[:, :, 1]),
        grids=grids and _honest(grids, exact=not odd[:2].any()),
    )


def _unseen(samples: Sequence[FloatArray], covariances: FloatArray) -> list[tuple[int, str]]:
    """List groups, and what is true of their records that leave the span of the sample's.

    A lattice of fewer dimensions than that of all records would ask for less noise.
    """
    conditions = []
    for group, (sample, covariance) in enumerate(zip(samples, covariances, strict=True)):
        unit = np.sqrt(np.diagonal(covariance))
        unit = np.where(unit > 0, unit, 1.0)
        scaled = (sample - sample[0]) / unit
        values, vectors = np.linalg.eigh(scaled.T @ scaled / len(sample))
        lost = vectors[:, values <= 1e-9].T / unit
        conditions += [
            (group, sql.away(group, sample[0], along))
            for along in lost
            if along @ covariance @ along > 1e-11
        ]
    return conditions


def _honest(grids: GroupGrids, *, exact: bool) -> GroupGrids:
    """Return the grids of some records as they hold for all, of which none is off if `exact`.

    Fewer vectors span a part of the lattice, which asks for more noise where it has as many
    dimensions (`_unseen`). It is the whole where every step is found alone and no record lies
    between. Else, arithmetic is taken to tell shares at which a group gives none or all of its
    records.
    """
    grids = replace(grids, replaced=(True, True), totals=True)
    if exact and all((grid.steps == grid.joint_steps).all() for grid in grids.alone):
        return grids
    # Bases that equal no other one.
    without, having = (replace(grid, basis=((-1, at),)) for at, grid in enumerate(grids.alone))
    return replace(grids, alone=(without, having))


@dataclass(frozen=True, eq=False, repr=False)
class EngineSource(Described):
    """A table that an engine reads, see `scan`, `connect`, `from_spark`; never printed or pickled.

    Sums, counts and averages are of all of its records. Whatever else needs records has a sample of
    a table with more than `most`, or is refused. `table` is SQL that stands behind FROM; `draw`
    makes such SQL of about a share of the records, drawn at random by a seed.
    """

    key: str
    title: str
    engine: Engine
    table: str
    cells: Mapping[str, sql.Cell]  # by columns
    rows: int  # number of records
    draw: Callable[[float, int], str]
    stamp: Callable[[], object]  # returns what changes with the table's content
    units: Mapping[str, str] = field(default_factory=dict)  # of columns
    provenance: Provenance = "table"
    notices: tuple[Notice, ...] = ()  # how columns were read
    most: int = _MOST
    place: str = ""  # SQL of a record's number, from 0; "" where records have no order

    @property
    def kinds(self) -> dict[str, sql.Kind]:
        """Kind of each column."""
        return {name: cell.kind for name, cell in self.cells.items()}

    @cached_property
    def fingerprint(self) -> str:
        """Digest of content and column types, 32 hexadecimal digits."""
        about = [*self.kinds.items()], self.stamp()
        return blake2b(repr(about).encode(), digest_size=16).hexdigest()

    @cached_property
    def labels(self) -> Mapping[str, tuple[Label, ...]]:
        """Labels of each column, see `FrameSource`; of large tables those of random records."""
        most = max(1_000, min(_MOST, _CELLS // len(self.cells)))
        return source_of(self.columns(list(self.cells), most)).labels

    def share(self, secret: SensitiveProperty) -> float:
        """Return the share with a property of the records that tell it; NaN where none does."""
        labels = sql.Labels()
        having = sql.property_of(secret, self.cells, labels)
        ((share,),) = self.engine.rows(f"SELECT avg({having}) FROM {self.table}", labels)
        return math.nan if share is None else float(share)

    def groups(self, query: Query, secret: SensitiveProperty) -> Groups:
        """Return moments of the records without and with a property, see `Groups.of`.

        Of a table with more than `most` records there are no records, and the grid is that of some
        of them; where it does not hold for all, it is too coarse, which takes more noise.
        """
        if self.rows <= self.most:
            return self._frame([*query.columns, secret.column]).groups(query, secret)
        self._check_linear(query)
        moments = self._scanned(query, by=secret)
        check_sizes(moments.counts, moments.numbers.astype(int).tolist(), secret.label)
        if moments.grids is None:
            raise SourceError(_CHANGED)
        return Groups(
            counts=moments.counts,
            means=moments.totals / moments.counts[:, None],
            covariances=moments.covariances,
            grids=moments.grids,
            extremes=moments.extremes,
            provenance=self.provenance,
            dropped=moments.dropped,
        )

    def columns(self, names: Sequence[str], most: int = _MOST, seed: int = 0) -> pd.DataFrame:
        """Return columns of at most so many records, sampled where there are more.

        A column that is not there is a DistprivError.
        """
        cells = {name: sql.cell_of(name, self.cells) for name in names}
        share = (most + 8 * most**0.5 + 20) / self.rows  # hardly ever too few
        table = self.table if self.rows <= most else self.draw(share, seed)
        values = ", ".join(cell.sql for cell in cells.values()) or "1"
        frame = self.engine.frame(f"SELECT {values} FROM {table}")
        if len(frame) > most:
            frame = frame.sample(most, random_state=seed)
        every = enumerate(cells.items())
        typed = {name: typed_as(frame[at], cell.kind) for at, (name, cell) in every}
        return pd.DataFrame(typed, index=frame.index)

    def complete(self, query: Query, secrets: Sequence[SensitiveProperty] = ()) -> int:
        """Count records in which nothing is missing that statistics and secrets need."""
        return int(self._scanned(query, secrets).counts.sum())

    def answer(self, query: Query, secrets: Sequence[SensitiveProperty] = ()) -> FloatArray:
        """Return the statistics of those records, shape (m,); DistprivError if there are none."""
        if self.rows <= self.most:
            names = [*query.columns, *(secret.column for secret in secrets)]
            return self._frame(names).answer(query, secrets)
        self._check_linear(query)
        moments = self._scanned(query, secrets)
        count = int(moments.counts.sum())
        if not count:
            raise SourceError(NO_RECORD)
        return np.asarray(moments.totals.sum(axis=0)[: len(query)] * query.scales(count))

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
        """Return what statistics need of records that a secret key keeps, see `FrameSource`."""
        if not (names or self.place):
            raise SourceError(
                "The records here have no fixed order, so no numbers; choose a column that names "
                "each of them, as an identifier does."
            )
        if sum(numbers) > _MOST_KEPT:
            raise SourceError(f"At most {whole(_MOST_KEPT)} records can be kept; keep fewer.")
        labels, name = sql.Labels(), self.place
        if names:
            kind, name = sql.cell_of(names, self.cells)
            if kind not in ("number", "text"):
                raise not_unique(names)
            if kind == "number":
                whole_number = f"CAST(CAST({name} AS BIGINT) AS VARCHAR)"
                name = f"CASE WHEN {name} = floor({name}) THEN {whole_number} END"
        having = sql.property_of(secret, self.cells, labels)
        heads = f"SELECT {name} AS name, {having} AS flag FROM {self.table}"
        counted = "count(DISTINCT name), sum(1 - flag), sum(flag)"
        ((different, *counts),) = self.engine.rows(f"SELECT {counted} FROM ({heads}) AS t", labels)
        if different < self.rows:
            raise not_unique(names)
        cells = sql.values_of(query, self.cells, labels)
        ranked = f"CAST({labels.bind(key.hex())} AS VARCHAR) || CAST({name} AS VARCHAR)"
        rank = _RANKS.get(self.engine.dialect, "sha256({})").format(ranked)
        records = sql.grouped(self.table, [*cells, rank], having)
        columns = ", ".join(f"v{at}" for at in range(len(cells) + 1))
        last, sizes = f"v{len(cells)}", (int(counts[0] or 0), int(counts[1] or 0))
        wheres = []
        for group, number in enumerate(numbers if ranks is None else ()):
            check_enough(sizes[group], number, group, secret)
            wheres.append(f"flag = {group} ORDER BY {last} LIMIT {int(number)}")
        if ranks is not None:
            bound = labels.bind(max((b"", *ranks[0], *ranks[1])).hex())
            wheres = [f"{last} <= {bound} ORDER BY {last}"]
        start = f"SELECT {columns}, flag FROM ({records}) AS r WHERE "
        rows = [row for where in wheres for row in self.engine.rows(start + where, labels)]
        every = np.array([(*row[:-2], row[-1]) for row in rows], dtype=float)
        every = np.reshape(every, (-1, len(cells) + 1))
        texts = [bytes.fromhex(rank) for *_, rank, _ in rows]
        return kept_of(every[:, :-1], every[:, -1], texts, sizes, ranks)

    def _frame(self, names: Sequence[str]) -> FrameSource:
        frame = self.columns(names)
        return FrameSource(self.key, self.title, frame, self.units, self.provenance)

    def _scanned(
        self,
        query: Query,
        secrets: Sequence[SensitiveProperty] = (),
        by: SensitiveProperty | None = None,
    ) -> _Moments:
        """Scan what statistics and secrets need of the records, in groups by one secret or none."""
        labels = sql.Labels()
        cells = sql.values_of(query, self.cells, labels)
        cells += [sql.property_of(secret, self.cells, labels) for secret in secrets]
        having = sql.property_of(by, self.cells, labels) if by else sql.double(0)
        records = sql.grouped(self.table, cells, having)
        moments = _moments(partial(self.engine.rows, labels=labels), records, len(cells))
        looked: list[tuple[str, Query | SensitiveProperty | None]] = [
            (one.column, None if one.value is None else Query((one,)))
            for one in query.statistics
            for _ in one.columns
        ]
        looked += [
            (one.column, one if one.values or one.contains else None)  # noqa: PD011
            for one in (*secrets, by)
            if one
        ]
        most = [*moments.largest, *moments.numbers[1:]][: len(looked)]
        for (column, label), largest in zip(looked, most, strict=True):
            if label and not largest >= 1:  # no record has it, which the same call says in memory
                some = self.columns([column])
                label.values(some) if isinstance(label, Query) else label.mask(some)
                raise SourceError(_CHANGED)
        return moments

    def _check_linear(self, query: Query) -> None:
        if not query.linear:
            titles = [one.title for one in query.statistics if not one.linear]
            raise SourceError(
                f"The {listed(titles)} needs all {whole(self.rows)} records in memory, more than "
                f"{whole(self.most)}; take sums, counts and averages, or a sample by columns()."
            )


def typed_as(column: pd.Series, kind: sql.Kind) -> pd.Series:
    """Return an engine's values as `read_table` types them."""
    if kind == "number":
        numbers = pd.to_numeric(column).astype(float)
        exact = (numbers == np.floor(numbers)) & (np.abs(numbers) <= EXACT)
        return numbers.astype("int64") if exact.all() else numbers
    if kind == "date":
        return pd.to_datetime(column).astype("datetime64[us]")
    if kind == "boolean":
        return column.astype(object).astype("category" if column.isna().any() else bool)
    return column.astype("str").astype("category")
