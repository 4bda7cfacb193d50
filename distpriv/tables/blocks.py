"""Delimited text read block by block, every column as the labels that it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

__all__ = ["Columns", "holds_lines", "is_utf8", "joined", "labels_in"]

_BLOCK = 1 << 21
_WIDEST_BLOCK = 1 << 24
_TOGETHER = 32  # blocks that become one: many small pieces leave holes in memory
_COLUMNS = 64  # that a block of the smallest size is read of
_LABEL = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class Columns:
    """What a text holds.

    Attributes
    ----------
    labels : list of DictionaryArray
        The columns, without the records that end early.
    short : list of (int, str)
        Those: number of the record, from 1 for the text's first, and its text.
    """

    labels: list[Any]
    short: list[tuple[int, str]]


def labels_in(
    content: Any,
    delimiter: str,
    width: int,
    *,
    below: bool = False,
    watch: Callable[[float], object] | None = None,
) -> Columns | None:
    """Columns of a text as arrow dictionaries, so that a label costs its characters once.

    Of a file only the labels of a block are held beside the narrow codes of those before it.

    Parameters
    ----------
    content : buffer
        UTF-8.
    delimiter : str
    width : int
        How many columns there are.
    below : bool
        Whether the first line, whether blank or not, is left out.
    watch : callable, optional
        Is given the share of the text that has been read, between 0 and 1.

    Returns
    -------
    Columns or None
        None if no record is complete, or one has too many values, is too long for a block or is no
        UTF-8.
    """
    short: list[tuple[int, str]] = []
    if not is_utf8(content):  # The reader does not look at records that end early.
        return None
    try:
        blocks = _blocks(content, delimiter, width, below, short, watch)
    except pa.ArrowException:
        return None
    if not blocks[0]:
        return None
    labels = []
    while blocks:  # Emptied on the way, so that no column is held twice.
        labels.append(joined(blocks.pop()))
    pa.default_memory_pool().release_unused()
    return Columns(labels[::-1], short)


def is_utf8(content: Any) -> bool:
    """Whether a text is UTF-8, without its characters beside it.

    Parameters
    ----------
    content : buffer
    """
    ends = pa.py_buffer(np.array([0, len(content)], dtype=np.int64))
    text = pa.LargeStringArray.from_buffers(1, ends, pa.py_buffer(content))
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _blocks(
    content: Any,
    delimiter: str,
    width: int,
    below: bool,
    short: list[tuple[int, str]],
    watch: Callable[[float], object] | None,
) -> list[list[Any]]:
    """Dictionaries of every column, one after the other; notes the records that end early."""

    def met(row: pyarrow.csv.InvalidRow) -> str:
        if row.actual_columns > row.expected_columns:
            return "error"
        short.append((row.number, row.text))
        return "skip"

    names = [str(place) for place in range(width)]
    blocks: list[list[Any]] = [[] for _ in names]
    size = min(_WIDEST_BLOCK, _BLOCK * -(-width // _COLUMNS))
    read = 0
    with pyarrow.csv.open_csv(
        pa.BufferReader(content),
        read_options=pyarrow.csv.ReadOptions(
            column_names=names,
            skip_rows_after_names=int(below),
            block_size=size,
            use_threads=False,  # No slower block by block, and it numbers the records.
        ),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, invalid_row_handler=met
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, _LABEL), strings_can_be_null=False
        ),
    ) as reader:
        for batch in reader:
            for block, column in zip(blocks, batch.columns, strict=True):
                block.append(_narrow(column))
                if len(block) == _TOGETHER:
                    block[:] = [joined(block)]
            read += size
            if watch is not None:
                watch(min(1.0, read / len(content)))
    return blocks


def _narrow(column: Any) -> Any:
    codes = pa.from_numpy_dtype(np.min_scalar_type(-len(column.dictionary) - 1))
    return pa.DictionaryArray.from_arrays(column.indices.cast(codes), column.dictionary)


def joined(blocks: list[Any]) -> Any:
    """Arrow dictionaries of text, one after the other, as one with the narrowest codes."""
    if len(blocks) == 1:
        return blocks[0]
    wide = [
        pa.DictionaryArray.from_arrays(block.indices.cast(pa.int32()), block.dictionary)
        for block in blocks
    ]
    return _narrow(pa.concat_arrays(wide))


def holds_lines(content: bytes, columns: list[Any]) -> bool:
    """Whether a quotation mark may be open: it then swallows the lines that follow.

    Parameters
    ----------
    content : bytes
        The text that the columns, arrow dictionaries, were read from.
    """
    quotes = content.count(b'"')
    return quotes % 2 > 0 or (
        quotes > 0
        and any(pc.any(pc.match_substring(each.dictionary, "\n")).as_py() for each in columns)
    )
