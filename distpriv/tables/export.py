"""Tables as delimited text that no spreadsheet takes for anything but data."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

__all__ = ["inert", "safe_csv"]

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def inert(cell: Any) -> Any:
    """Make a text one that no spreadsheet runs; anything else is left as it is.

    A text that starts like a formula (``=``, ``+``, ``-``, ``@``, tab or line break) gets an
    apostrophe in front, unless all of it is a number, which runs nothing.
    """
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def safe_csv(table: pd.DataFrame, *, index: bool = False) -> bytes:
    """Write a table as CSV for spreadsheets.

    Lines end with CR and LF and fields are quoted where they must be (RFC 4180); the text is
    UTF-8 with a mark that Excel knows it by. Numbers stay numbers; texts and names of columns
    are made :func:`inert`.

    Parameters
    ----------
    table : DataFrame
    index : bool
        Whether to write the index, as the first column.
    """
    shown = table.reset_index() if index else table
    columns = [_inert_column(shown.iloc[:, place]) for place in range(shown.shape[1])]
    written = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    written.columns = pd.Index([inert(str(name)) for name in shown.columns])
    text = written.to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8-sig")


def _inert_column(column: pd.Series[Any]) -> pd.Series[Any]:
    if pd.api.types.is_numeric_dtype(column.dtype):  # booleans among them
        return column
    return column.astype(object).map(
        lambda cell: cell if isinstance(cell, int | float) else inert(str(cell)),
        na_action="ignore",
    )
