"""What every page begins with and how it shows a picture."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from distpriv.dashboard.state import State
from distpriv.analysis.evaluation import Evaluation, Way
from distpriv.analysis.tables import source_of

CONFIG = {"displaylogo": False, "displayModeBar": False, "typesetMath": False}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&=^\"'])")


def state() -> State:
    """This session's state."""
    if "state" not in st.session_state:
        st.session_state["state"] = State()
    return st.session_state["state"]


def current() -> tuple[State, Evaluation]:
    """State and results, for a page's first line."""
    own = state()
    source = source_of(own.scenario.source, own.upload)
    key = (own.scenario, source.fingerprint)
    return own, own.remember(key, lambda: Evaluation(own.scenario, source, own.remember))


def escape(text: object) -> str:
    """Make text from the data stand for itself in Markdown."""
    return _MARKDOWN.sub(r"\\\1", str(text).replace("\n", " "))


def headline(title: str, lead: str, advice: str = "", warning: str = "") -> None:
    """The page's answer: a title of few words, what it says, and what to do (or do first)."""
    st.title(title, anchor=False)
    with st.container(key="lead"):
        st.markdown(lead)
    if warning or advice:
        with st.container(key="warning" if warning else "advice"):
            st.markdown(warning or advice)


def whole(count: float) -> str:
    """A number of records as sentences have it."""
    return f"{count:,.0f}".replace(",", "\u202f")


def errors(now: Evaluation, way: Way) -> pd.DataFrame:
    """Value and expected error of each figure, as people read it."""
    return pd.DataFrame(
        {
            "": [escape(label[:1].upper() + label[1:]) for label in now.labels],
            "value": [f"{value:,.4g}".replace(",", "\u202f") for value in now.values],
            "error": [f"± {one:.2g} {escape(unit)}" for one, unit in zip(way.errors, now.units)],
            "%": [
                f"{100 * one / max(abs(value), 1e-9):.1f}"
                for one, value in zip(way.errors, now.values)
            ],
        }
    ).set_index("")


def show(
    figure: go.Figure | list[go.Figure],
    frame: pd.DataFrame,
    alt: str,
    *,
    key: str,
    note: str = "",
    title: str = "",
    columns: int = 3,
) -> None:
    """Draw a chart; below it how to read it, and its numbers as a table and a file.

    Parameters
    ----------
    figure : Figure or list of Figure
        Made from `frame`; several stand side by side, on a phone below each other.
    frame : DataFrame
        The chart's data, which are its table and its CSV.
    alt : str
        What a screen reader says.
    key : str
        Constant over reruns; also names the file.
    note : str
        How to read it.
    title : str
        Above it, where the page has several.
    columns : int
        Most panels in a row.
    """
    config: dict[str, Any] = CONFIG | {"toImageButtonOptions": {"filename": key}}
    figures = figure if isinstance(figure, list) else [figure]
    if title:
        st.subheader(title, anchor=False)
    with st.container(key=f"{key}-panels"):
        for begin in range(0, len(figures), columns):
            row = figures[begin : begin + columns]
            for place, column in enumerate(
                st.columns(len(row) if len(figures) < columns else columns)[: len(row)], begin
            ):
                column.plotly_chart(
                    figures[place],
                    key=f"{key}-{place}",
                    alt=alt if place == 0 else f"Panel {place + 1} of the same picture.",
                    config=config,
                )
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}-foot"):
        if note:
            st.caption(note, width="stretch")
        with st.popover("Numbers", icon=":material/table:", type="tertiary"):
            st.dataframe(frame, hide_index=True)
            st.download_button(
                "CSV",
                lambda: frame.to_csv(index=False),
                f"{key}.csv",
                "text/csv",
                on_click="ignore",
                key=f"{key}-csv",
            )


def warning(now: Evaluation) -> str:
    """What comes before any advice; empty if nothing does."""
    return f"**Widen the two shares first.** Your own table lies outside {now.shares[0]} to {now.shares[1]}; only you see this." if now.outside else ""
