"""Uploads: a file to the table of a session, and the same file read otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from distpriv.dashboard.serving import memory
from distpriv.dashboard.shell import progress
from distpriv.dashboard.shell.dataset import Dataset, assembled, from_spooled, retyped
from distpriv.dashboard.shell.spooling import claim
from distpriv.errors import TableError
from distpriv.tables import ColumnType, digest, how_read, read_table
from distpriv.tables.labels import shown
from distpriv.tables.members import archive_of
from distpriv.tables.repairs import AS_FOUND, Choices
from distpriv.words import exact

__all__ = ["from_upload", "reread"]

_READING = 0.75  # of the time; the rest is for what can be asked of the table
_TRIED = 10  # other tables of an archive


def from_upload(content: bytes, name: str, choices: Choices | None = None) -> Dataset:
    """Read an uploaded file, or open one that lies on disk; raises TableError.

    Parameters
    ----------
    content : bytes
    name : str
        Of the file.
    choices : Choices, optional
        How to read it; without them the first table that can be used is taken of an archive or a
        workbook, the likeliest first.
    """
    spooled = claim(content)
    if spooled is not None:
        return from_spooled(spooled)
    if choices is not None and choices != AS_FOUND:
        return _read(content, name, choices)
    try:
        return _read(content, name, AS_FOUND)
    except TableError:
        for member in _members(content, name):
            with suppress(TableError):
                return _read(content, name, Choices(member=member))
        raise


def _members(content: bytes, name: str) -> tuple[str, ...]:
    """Further tables of an archive or sheets of a workbook."""
    try:
        if content.startswith(b"PK") and (names := archive_of(content).names):
            return names[1 : 1 + _TRIED]
        reading = how_read(read_table(content, name=name))
    except TableError:
        return ()
    return tuple(each for each in reading.members if each != reading.member)[:_TRIED]


def _read(content: bytes, name: str, choices: Choices) -> Dataset:
    with progress.shown(name, len(content)) as watch:
        return memory.table_of(content, name, partial(_parsed, content, name, choices, watch))


def _parsed(
    content: bytes, name: str, choices: Choices, watch: Callable[[float], object] | None
) -> Dataset:
    reading = watch and (lambda share: watch(_READING * share))
    table = read_table(content, name=name, progress=reading, **choices.arguments())
    about = f"{exact(len(table))} records you uploaded."
    made = assembled("upload", table, name, about, "", {})
    first = ""
    if choices != Choices(member=choices.member):
        with suppress(TableError):
            first = digest(read_table(content, name=name, member=choices.member))
    return replace(
        made,
        first_digest=first,
        content=content,
        read_as=choices,
        wished=choices,
        reading=how_read(table),
    )


def reread(
    dataset: Dataset, wished: Choices, types: Mapping[str, ColumnType] | None = None
) -> Dataset:
    """The same file read otherwise, with the types that were corrected; raises TableError.

    Parameters
    ----------
    dataset : Dataset
        An upload that is in memory.
    wished : Choices
        What is chosen for columns that are not there waits until they are.
    types : mapping of column to ColumnType, optional
        Further types to correct; one that the values do not go with is left out.
    """
    content = dataset.content
    if content is None:
        raise TableError(f"{shown(dataset.title)} is not in memory; upload the file again.")
    bare = replace(wished, missing=(), bounds=())
    choices = wished
    if wished != bare:
        there = set(read_table(content, name=dataset.title, **bare.arguments()).columns)
        choices = replace(
            wished,
            missing=tuple(one for one in wished.missing if one[0] in there),
            bounds=tuple(one for one in wished.bounds if one[0] in there),
        )
    made = _read(content, dataset.title, choices)
    wished_types = {**dataset.wished_types, **(types or {})}
    for name, kind in wished_types.items():
        if name in made.types and made.types[name] != kind:
            with suppress(TableError):
                made = retyped(made, {name: kind})
    return replace(made, wished=wished, wished_types=wished_types)
