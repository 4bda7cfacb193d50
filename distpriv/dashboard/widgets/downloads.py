"""Downloads of tables and charts' data: CSV that no spreadsheet takes for formulas."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Callable
from contextlib import suppress

import pandas as pd
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitDuplicateElementKey

from distpriv.tables.export import safe_csv

__all__ = ["csv_button", "file_name", "key_of"]


def csv_button(
    place: DeltaGenerator,
    data: Callable[[], pd.DataFrame],
    key: str | None,
    columns: object = (),
    *,
    disabled: bool = False,
) -> None:
    """A small button that saves a table, written when it is asked for.

    Parameters
    ----------
    place : DeltaGenerator
        Where it is drawn.
    data : callable
        Gives the table.
    key : str or None
        Names the button and the file; by default it follows from the columns.
    columns : object
        What the table is known by where it has no key.
    disabled : bool
        Whether there is nothing to save yet.
    """
    name = key or key_of(columns)
    # Two tables of a page may be alike; the second one's button counts on.
    for count in itertools.count(1):
        with suppress(StreamlitDuplicateElementKey):
            place.download_button(
                "CSV",
                lambda: safe_csv(data()),
                file_name=f"{file_name(key or 'table')}.csv",
                mime="text/csv",
                key=f"{name}_csv" if count == 1 else f"{name}_csv_{count}",
                icon=":material/download:",
                help="Download the data",
                type="tertiary",
                on_click="ignore",
                disabled=disabled,
            )
            return


def key_of(columns: object) -> str:
    """The same for the same columns, in every run."""
    return f"table_{zlib.crc32(repr(columns).encode()):08x}"


def file_name(name: str) -> str:
    """A name with which every system can save a file."""
    return "distpriv-" + re.sub(r"[^\w-]+", "-", name).strip("-")
