"""Workbooks of any kind (.xlsx, .xlsb, .xls, .ods): one sheet as columns."""

from __future__ import annotations

import json
import subprocess  # nosec B404 # this package's own reader, in a process of its own
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from distpriv.errors import TableError
from distpriv.tables import workbook
from distpriv.tables.labels import shown, text_of

__all__ = ["Sheet", "as_values", "read_workbook"]

CELLS = 20_000_000
_SECONDS = 180
_ERRORS = {"#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"}


@dataclass(frozen=True, eq=False)
class Sheet:
    """A sheet of a workbook.

    Attributes
    ----------
    name : str
    sheets : tuple of str
        Names of all sheets of cells.
    rows : list of rows
        Those that are not blank, the first with the names; shorter where the last cells are blank.
    """

    name: str
    sheets: tuple[str, ...]
    rows: list[list[Any]]


def read_workbook(content: bytes, sheet: str = "") -> Sheet:
    """Read one sheet of a workbook.

    The reader runs in a process of its own with a bound of memory and time, because a file of a few
    kilobytes can name cells at the far corner of a sheet.

    Parameters
    ----------
    content : bytes
    sheet : str
        Its name; by default the first with data.

    Raises
    ------
    TableError
        If the workbook is damaged, locked or too large, or has no such sheet or none with data.
    """
    command = [sys.executable, "-I", str(Path(workbook.__file__)), sheet, str(CELLS)]
    try:
        done = subprocess.run(  # nosec B603 # no shell; the sheet is one argument
            command, input=content, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _too_large() from None
    except ValueError:
        raise TableError("there is no sheet of such a name; choose another.") from None
    except OSError:
        raise TableError("workbooks cannot be opened here; save the sheet as CSV.") from None
    if done.returncode:
        raise _failure(done.returncode, done.stderr)
    found = json.loads(done.stdout)
    if found["large"]:
        raise _too_large()
    names = tuple(found["sheets"])
    if sheet and sheet not in names:
        listed = ", ".join(map(shown, names[:10]))
        raise TableError(f"there is no sheet {shown(sheet)}; the workbook has {listed}.")
    if not found["rows"]:
        where = f"the sheet {shown(sheet)} is blank" if sheet else "the workbook has no sheet"
        raise TableError(f"{where}{'' if sheet else ' with data'}; fill one in and save it.")
    return Sheet(found["sheet"], names, found["rows"])


def _too_large() -> TableError:
    return TableError(
        "the workbook is too large, or has a cell far from all others; save the sheet as CSV, or "
        "choose a random part of the rows."
    )


def _failure(code: int, said: bytes) -> TableError:
    last = said.decode("utf-8", "replace").strip().rpartition("\n")[2]
    if code < 0 or "MemoryError" in last or "memory allocation" in last:
        return _too_large()
    if "assword" in last:
        return TableError(
            "the workbook is locked with a password; open it in Excel and save it without one."
        )
    return TableError("the workbook is damaged; open it in Excel and save it again.")


def as_values(cells: Sequence[Any]) -> list[Any]:
    """Cells of a column as Python values; an error of a formula is missing.

    Parameters
    ----------
    cells : sequence
        As :class:`Sheet` has them.
    """
    return [_value(cell) for cell in cells]


def _value(cell: Any) -> Any:
    if type(cell) is list:
        kind, text = cell
        return pd.Timestamp(datetime.fromisoformat(text)) if kind == "date" else text
    return None if cell in _ERRORS else cell


def name_of(cell: Any) -> str:
    """What a cell of the first row says."""
    if cell is None:
        return ""
    return cell[1].removesuffix("T00:00:00") if type(cell) is list else text_of(cell)
