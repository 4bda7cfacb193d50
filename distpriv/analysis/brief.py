"""Frames that print a few of their columns, rounded; all columns are there to compute with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from distpriv.display import html, plain
from distpriv.text import significant

__all__ = ["Brief", "brief"]

_MOST = 30  # rows that are printed


class Brief(pd.DataFrame):
    """A DataFrame that prints the columns that its attributes name; without one of them, all.

    ``attrs["brief"]`` has headings by column, each with digits behind a blank: "error 3" for three
    significant digits, "right .1" for one decimal place, "way " for what is not a number.
    """

    @property
    def _constructor(self) -> type[Brief]:
        return Brief

    def printed(self) -> pd.DataFrame | None:
        """Return what is printed; None for all of it."""
        columns: dict[str, list[str]] = {}
        headings: dict[str, str] = self.attrs.get("brief", {})
        if not headings or not set(headings) <= set(self.columns):
            return None
        for name, heading in headings.items():
            title, _, digits = heading.rpartition(" ")
            columns[title] = [_written(one, digits) for one in self[name]]
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        cells = self.printed()
        if cells is None:
            return str(super().__repr__())
        return plain(cells.to_string(index=False, max_rows=_MOST))

    def _repr_html_(self) -> str | None:
        cells, columns = self.printed(), len(self.columns)
        if cells is None:
            return pd.DataFrame(self)._repr_html_()  # type: ignore[operator]
        more = (
            f", {columns - len(cells.columns)} more columns" if columns > len(cells.columns) else ""
        )
        return html(f"{len(self)} rows{more}", cells)


def _written(value: Any, digits: str) -> str:
    """Write a number; what is just below 100 does not become it."""
    if pd.isna(value):
        return "–"
    if digits == ".1":
        return "> 99.9" if 99.95 <= value < 100 else f"{value:.1f}"
    return significant(value) if digits else str(value)


def brief(frame: pd.DataFrame, columns: Mapping[str, str]) -> Brief:
    """Return a frame that prints these columns under these headings, see `Brief`."""
    result = Brief(frame)
    result.attrs = {**frame.attrs, "brief": dict(columns)}
    return result
