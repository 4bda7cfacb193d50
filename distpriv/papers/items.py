"""Tables and figures of the papers: a name, a function that gives rows, a verdict on each row."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from distpriv.display import Progress, tracked
from distpriv.errors import DistprivError
from distpriv.text import near

if TYPE_CHECKING:
    from distpriv.papers.run import Run, Task

__all__ = ["ERRATA", "ITEMS", "PRINTED", "SHIPPED", "Item", "Row", "curve", "frame", "item"]
__all__ += ["named", "recompute", "shipped", "tally"]

_FOLDER = Path(__file__).parent


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))


_ITEMS = _toml("items.toml")
PRINTED = _toml("printed.toml")
"""Figures with the digits that the papers print."""
ERRATA: dict[int, str] = {int(number): text for number, text in _toml("errata.toml").items()}
"""What is wrong or left open in the papers, in a sentence or two, by number."""
SHIPPED = _FOLDER / "adult.parquet"
"""All items, computed on UCI's Adult by ``distpriv papers --table … --write …``; no records."""


class Row(NamedTuple):
    """Hold one printed figure or statement, or a point of a curve, beside ours.

    `series` is the row of a table or the curve of a figure, `at` the column of a table and `x` the
    place on a figure's axis. `printed` is as the paper has it, "" where nothing is; `value` is its
    number where it is a statement in words. Up to `tolerance` the two agree. `low` and `high` are
    the 95 % range of the printed figure if the paper's experiment were repeated, or the interval of
    our simulation widened by the tolerance. NaN is what is not there, or not simulated yet.
    """

    series: str
    at: str = ""
    printed: str = ""
    ours: float = math.nan
    tolerance: float = 0.005
    low: float = math.nan
    high: float = math.nan
    erratum: int = 0
    note: str = ""
    value: float = math.nan
    x: float = math.nan
    panel: str = ""

    @property
    def paper(self) -> float:
        """The printed figure as a number, NaN where nothing is printed."""
        if not self.printed or not math.isnan(self.value):
            return self.value
        return float(self.printed)

    @property
    def verdict(self) -> str:
        """How the two compare: agrees, within sampling error, erratum n, differs, or ""."""
        if math.isnan(self.paper):
            return ""
        if math.isnan(self.ours):
            return "not simulated yet"
        if abs(self.ours - self.paper) <= self.tolerance * (1 + 1e-9):
            return "agrees"
        if self.low <= self.paper <= self.high:
            return "within sampling error"
        return f"erratum {self.erratum}" if self.erratum else "differs"


Rows = Callable[["Run"], Iterable[Row]]
Tasks = Callable[["Run"], Sequence["Task"]]


def curve(series: str, x: Iterable[float], y: Iterable[float], panel: str = "") -> Iterator[Row]:
    """Return the points of a curve as rows."""
    for one, other in zip(x, y, strict=True):
        yield Row(series, ours=float(other), x=float(one), panel=panel)


@dataclass(frozen=True, repr=False)
class Item:
    """Describe a table or figure; items.toml says what the attributes are.

    `rows` takes a `Run`, looks up what is simulated and computes the rest; `tasks` says what is to
    be simulated.
    """

    rows: Rows
    tasks: Tasks | None
    paper: str
    name: str
    title: str
    about: str
    axes: Sequence[str] = ("", "")
    log: bool = False
    marks: bool = False
    table: bool = False
    errata: Sequence[int] = ()

    def __repr__(self) -> str:
        return f"Item({self.name} of {self.paper}: {self.title})"


ITEMS: dict[str, Item] = {}
"""All tables and figures by their keys, such as "table-3"."""


def item(key: str, tasks: Tasks | None = None) -> Callable[[Rows], Rows]:
    """Register the function below as a table or figure of items.toml."""

    def register(rows: Rows) -> Rows:
        ITEMS[key] = Item(rows, tasks, **_ITEMS[key])
        return rows

    return register


def frame(key: str, run: Run | None = None, progress: Progress = None) -> pd.DataFrame:
    """Return the rows of a table or figure of `ITEMS`, printed beside ours.

    A run computes them on its table; without one they are those on UCI's Adult that are shipped.
    Columns are the attributes of `Row`, and verdict. DistprivError if there is no such item, or the
    run's table cannot give it.
    """
    if run is not None:
        return recompute(key, run, progress)
    every, _ = shipped(), named(key)
    return every.loc[every["item"] == key].drop(columns="item").reset_index(drop=True)


def recompute(key: str, run: Run, progress: Progress = None, *, wait: bool = True) -> pd.DataFrame:
    """Compute a table or figure, see `frame`.

    Without waiting, it takes the repetitions that are there, and NaN where there is none.
    """
    one = named(key)
    tasks = one.tasks(run) if one.tasks and wait else ()
    for task in tracked(tasks, len(tasks), one.name, progress):
        if task not in run.results:
            run.results[task] = run.perform(task)
    rows = list(one.rows(run))
    table = pd.DataFrame(rows, columns=Row._fields)
    table.insert(4, "verdict", [row.verdict for row in rows])
    return table


def named(key: str) -> Item:
    """Return an item by its key, or raise a DistprivError with the nearest one."""
    if key not in ITEMS:
        hint = near(key, ITEMS) or f" There are {', '.join(ITEMS)}."
        raise DistprivError(f"The papers have no item {key!r}.{hint}")
    return ITEMS[key]


@lru_cache(1)
def shipped() -> pd.DataFrame:
    """Return all rows as computed on UCI's Adult; ``attrs`` says on what, how often, which seed."""
    return pd.read_parquet(SHIPPED)


def tally(verdicts: Iterable[str]) -> dict[str, int]:
    """Count verdicts on printed figures, the most frequent first."""
    every = [one for one in verdicts if one]
    return {one: every.count(one) for one in sorted({*every}, key=every.count, reverse=True)}
