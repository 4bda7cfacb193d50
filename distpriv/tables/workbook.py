"""The process that opens a workbook, apart from the program: whatever a hostile file does to it.

It takes the file on standard input and gives its rows as JSON on standard output. The cells of a
workbook may lie anywhere in a grid of 17 thousand million, which a reader fills in memory, so it
has a bound of memory and of time that are its own. It imports nothing of the package, which would
take longer than the reading.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import Any

__all__ = ["rows_of"]

_MEMORY = 2 * 2**30
_SECONDS = 120


def rows_of(content: bytes, wanted: str, most_cells: int) -> dict[str, Any]:
    """Rows of a sheet, or of the first one with data, without blank rows and blanks at their end.

    Parameters
    ----------
    content : bytes
    wanted : str
        Name of the sheet; empty for the first with data.
    most_cells : int

    Returns
    -------
    dict
        ``sheets``: names of all sheets of cells; ``sheet``: the one that was read, or None;
        ``rows``: lists of None, bool, int, float, str, or ["date" or "time", ISO text];
        ``large``: whether there were more cells.
    """
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    names = [one.name for one in book.sheets_metadata if one.typ == SheetTypeEnum.WorkSheet]
    for name in [wanted] if wanted else names:
        if name not in names:
            break
        rows, cells = [], 0
        for row in book.get_sheet_by_name(name).iter_rows():
            filled = [_plain(value) for value in row]
            while filled and filled[-1] is None:
                filled.pop()
            if filled:
                rows.append(filled)
                cells += len(filled)
            if cells > most_cells:
                return {"sheets": names, "sheet": name, "rows": [], "large": True}
        if rows:
            return {"sheets": names, "sheet": name, "rows": rows, "large": False}
    return {"sheets": names, "sheet": None, "rows": [], "large": False}


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.strip() else None
    if kind is float:
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if value is None or kind is bool or kind is int:
        return value
    if hasattr(value, "year"):
        return ["date", value.isoformat()]
    return ["time", value.isoformat() if hasattr(value, "isoformat") else str(value)]


def _main() -> None:
    with contextlib.suppress(ImportError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    result = rows_of(sys.stdin.buffer.read(), sys.argv[1], int(sys.argv[2]))
    # A lone surrogate is written as an escape and refused where the cell is read.
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    _main()
