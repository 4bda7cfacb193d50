"""Frames that print a few of their columns, rounded; all columns are there to compute with."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from distpriv.display import html, plain
from distpriv.text import significant

__all__ = ["Brief", "brief"]

_MOST = 30  # rows that are printed


class Brief(pd.DataFrame):
    """A DataFrame that prints the columns that its attributes name; without one of them, all.

    ``attrs["brief"]`` has headings by column, each with digits behind a blank: "error 3" for three
    significant digits, "right .1" for one decimal place, "way " for what is no number.
    """

    @property
    def _constructor(self) -> type[Brief]:
        return Brief

    def _cells(self) -> pd.DataFrame | None:
        columns, headings = {}, self.attrs.get("brief", {})
        if not headings or not set(headings) <= set(self.columns):
            return None
        for name, heading in headings.items():
            title, _, digits = heading.rpartition(" ")
            columns[title] = [
                "–"
                if pd.isna(one)
                else (one if not digits else f"{one:.1f}" if digits == ".1" else significant(one))
                for one in self[name]
            ]
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        cells = self._cells()
        if cells is None:
            return str(super().__repr__())
        return plain(cells.to_string(index=False, max_rows=_MOST))

    def _repr_html_(self) -> str | None:
        cells, columns = self._cells(), len(self.columns)
        if cells is None:
            return pd.DataFrame(self)._repr_html_()  # type: ignore[operator]
        more = (
            f", {columns - len(cells.columns)} more columns" if columns > len(cells.columns) else ""
        )
        return html(f"{len(self)} rows{more}", cells)


def brief(frame: pd.DataFrame, columns: Mapping[str, str]) -> Brief:
    """Return a frame that prints these columns under these headings, see `Brief`."""
    result = Brief(frame)
    result.attrs = {**frame.attrs, "brief": dict(columns)}
    return result
