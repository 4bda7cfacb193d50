"""Charts and tables as every page shows them, each with its data to take away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from distpriv.analysis.for_persons import RECORD_COLUMN
from distpriv.charts.data import figure_data
from distpriv.charts.frame import enlarged
from distpriv.charts.style import ImageFormat, config
from distpriv.dashboard.shell import cache, presenting
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import downloads
from distpriv.glossary import hover
from distpriv.words import escape

__all__ = ["chart", "drawn_once", "named", "table", "wrapped"]

# Headings of tables, and the glossary's words for them.
_TERMS = {
    "As good as reading": "best attacker's accuracy",
    "Best attacker right in": "best attacker's accuracy",
    "Delivered δ": "delivered",
    "Largest ε": "ε",
    "Mechanism": "mechanism",
    "Noise": "expected error",
    "Promise": "promise kept",
    "Total error": "L2 error",
    "Total error of each": "L2 error",
    "Without noise": "best attacker's accuracy",
    "δ": "δ",
    "ε": "ε",
    "ε of each": "ε",
    RECORD_COLUMN: "per-person promise",
}


def chart(figure: go.Figure, key: str) -> None:
    """A figure with its alternative text, its reading aid, and its data to take away."""
    meta = figure.layout.meta or {}
    image: ImageFormat = st.session_state.get(Key.IMAGE_FORMAT) or "SVG"
    drawn = enlarged(figure, presenting.SIZE) if presenting.on() else figure
    st.plotly_chart(drawn, key=key, config=config(key, image), alt=meta.get("alt"))
    below = st.container(horizontal=True, vertical_alignment="center")
    if meta.get("how_to_read"):
        aid = below.popover("How to read this", icon=":material/info:", type="tertiary")
        aid.markdown(_sentence(escape(meta["how_to_read"])))
    waits = bool(meta.get("pending"))
    downloads.csv_button(below, lambda: figure_data(figure), key, disabled=waits)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def drawn_once(view: View, what: str, draw: Callable[[], go.Figure]) -> go.Figure:
    """A figure that depends on neither mechanism nor ε, drawn once for the model."""
    scenario = view.scenario
    model = (view.source.digest, scenario.query, view.fit.pair, scenario.n, scenario.replacement)
    return cache.computed(draw, f"figure {what} {model!r} {scenario.seed}")


def named(frame: pd.DataFrame) -> str:
    """What a screen reader calls a table: its columns."""
    return "Table: " + ", ".join(map(str, frame.columns))


def table(frame: pd.DataFrame, key: str | None = None, **options: Any) -> None:
    """A read-only table without its index, and its data to take away.

    A heading that the glossary knows tells what it means.

    Parameters
    ----------
    frame : DataFrame
    key : str, optional
        Names the download; by default it follows from the columns.
    **options
        Of `st.dataframe`. Without a name of its own (`alt`) the table is read out by its columns.
    """
    options.setdefault("alt", named(frame))
    told: dict[str, Any] = {
        heading: st.column_config.Column(help=hover(_TERMS[heading]))
        for heading in map(str, frame.columns)
        if heading in _TERMS
    }
    options["column_config"] = told | dict(options.get("column_config") or {})
    st.dataframe(frame, hide_index=True, **options)
    _to_take_away(frame, key)


def wrapped(frame: pd.DataFrame, key: str | None = None) -> None:
    """A table of texts as long as they come: they wrap, and none is cut off.

    Parameters
    ----------
    frame : DataFrame
    key : str, optional
        As for :func:`table`.
    """
    st.table(frame.map(escape).rename(columns=escape), hide_index=True, alt=named(frame))
    _to_take_away(frame, key)


def _to_take_away(frame: pd.DataFrame, key: str | None) -> None:
    downloads.csv_button(
        st.container(horizontal=True, horizontal_alignment="right"),
        lambda: frame,
        key,
        list(frame.columns),
    )
