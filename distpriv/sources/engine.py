"""What an engine does for a table that stays with it: name its columns and run one statement."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from sqlalchemy import ColumnElement, FromClause, Select, column, table
from sqlalchemy.sql.elements import quoted_name

from distpriv.errors import SourceError

__all__ = ["Engine", "Kind", "RawColumn", "relation"]

Kind = Literal["whole", "real", "boolean", "moment", "text"]
T = TypeVar("T")


@dataclass(frozen=True)
class RawColumn:
    """A column as its engine stores it.

    Attributes
    ----------
    name : str
    kind : "whole", "real", "boolean", "moment" or "text"
        Whole numbers, other numbers, truth values, dates and times, or what is read as text.
    """

    name: str
    kind: Kind


def relation(name: str, columns: Sequence[str], schema: str | None = None) -> FromClause:
    """A table for statements, every name of it quoted."""
    return table(
        quoted_name(name, quote=True),
        *(column(quoted_name(each, quote=True)) for each in columns),
        schema=None if schema is None else quoted_name(schema, quote=True),
    )


class Engine(ABC):
    """Where a table lives.

    Attributes
    ----------
    title : str
        What sentences call the table.
    columns : tuple of RawColumn
        Those that can be read, in order.
    left_out : tuple of str
        Names of nested and binary columns, which cannot.
    records : FromClause
        The table.
    seconds : float or None
        How long a statement may take.
    """

    title: str
    columns: tuple[RawColumn, ...]
    left_out: tuple[str, ...] = ()
    records: FromClause
    seconds: float | None = None

    @abstractmethod
    def rows(self, statement: Select[Any]) -> list[tuple[Any, ...]]:
        """Run a statement that only reads; raises :class:`SourceError` in the project's words."""

    @abstractmethod
    def numbered(self, seed: int) -> tuple[FromClause, ColumnElement[Any]]:
        """The table, and a number in [0, 1) for each record that a seed gives it for good."""

    @abstractmethod
    def moment(self, column: ColumnElement[Any]) -> ColumnElement[int]:
        """Microseconds since 1970, UTC, of a date or time."""

    @abstractmethod
    def fingerprint(self) -> str:
        """What the catalogue knows that changes with the data, without reading them."""

    @abstractmethod
    def cancel(self) -> None:
        """Stop every statement that runs, from another thread."""


@contextmanager
def limited(seconds: float | None, stop: Callable[[], None]) -> Iterator[threading.Event]:
    """Call `stop` if the block takes longer; the event says whether it was called."""
    late = threading.Event()
    if seconds is None:
        yield late
        return

    def ring() -> None:
        late.set()
        stop()

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def stopped(title: str) -> SourceError:
    """The sentence for a statement that somebody has stopped."""
    return SourceError(f"The query of {title} was stopped; ask again to go on.")


def too_long(title: str, seconds: float | None) -> SourceError:
    """The sentence for a statement that took too long."""
    return SourceError(
        f"The query of {title} took longer than the {seconds:g} seconds it may take; choose fewer "
        "statistics, or ask whoever runs the server for more time."
    )


def failed(title: str) -> SourceError:
    """The sentence for everything else: what a driver says stays away from pages."""
    return SourceError(
        f"{title} could not be read; check that it is still there and can be reached, and try "
        "again."
    )
