"""Dialogs that build what no list offers: a secret and a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from distpriv.dashboard import page
from distpriv.dashboard.fields import number
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError
from distpriv.queries import Label, Pair, SensitiveProperty, Statistic
from distpriv.queries.statistics import KINDS
from distpriv.sources import FrameSource

__all__ = ["DIALOGS", "ask_pair", "close"]

VALUE, ABOVE, BELOW, BETWEEN = "is", "is more than", "is less than", "is between"


def close() -> None:
    """Close the dialog that is open."""
    page.session().dialog = ""


@st.dialog("Build a secret", on_dismiss=close)
def secret(state: State) -> None:
    """Hide the share of records with a property that is built here, alone or beside others."""
    with page.sentences():
        built = _property(state.source())
        asked = ask_pair(state.range_of(built)) if built is not None else None
        alone = st.button(
            "Hide this share", type="primary", width="stretch", disabled=asked is None
        )
        too = st.button("Hide it too, beside the first", width="stretch", disabled=asked is None)
        if asked is not None and (alone or too):
            first, *others = state.scenario.secrets
            state.change(secrets=(first, *others, asked) if too else (asked, *others))
            _end()


@st.dialog("Add a figure", on_dismiss=close)
def figure(state: State) -> None:
    """Release one more statistic."""
    source = state.source()
    with page.sentences():
        kind = st.selectbox("Figure", list(KINDS), format_func=KINDS.get)
        numbers = kind in ("mean", "sum")
        column = st.selectbox("Column", source.numbers if numbers else _columns(source))
        if column is None:
            raise DistprivError("No column of the table holds numbers; choose another figure.")
        value = None if numbers else _one_value(source, column)
        missing = not numbers and value is None
        if st.button("Add", type="primary", width="stretch", disabled=missing):
            built = Statistic(kind, column, value)
            if built in state.scenario.statistics:
                raise DistprivError("This figure is released already; choose another one.")
            if not state.fits(built):
                raise DistprivError(f"No record has {column} = {value}; choose another value.")
            state.change(statistics=(*state.scenario.statistics, built))
            _end()


DIALOGS: dict[str, Callable[[State], None]] = {"secret": secret, "figure": figure}


def _end() -> None:
    close()
    st.rerun()


def _columns(source: FrameSource) -> list[str]:
    return list(dict.fromkeys([*source.labels, *source.numbers]))


def _one_value(source: FrameSource, column: str) -> Label | None:
    """Ask for a value of a column."""
    if column in source.labels:
        return st.selectbox("Value", source.labels[column], key=f"value-{column}")
    text = st.text_input("Value", key=f"value-{column}")
    return _number(text) if text else None


def _number(text: str) -> int | float:
    value = number(text, -1e300, 1e300)
    return int(value) if value == int(value) else value


def _property(source: FrameSource) -> SensitiveProperty | None:
    """Ask for a property: column, then values or thresholds; None while it is not whole."""
    column = st.selectbox("Share of records whose", _columns(source))
    ways = [VALUE] if column in source.labels else []
    ways += [ABOVE, BELOW, BETWEEN] if column in source.numbers else []
    way = ways[0]
    if ways != [VALUE]:
        look = {"required": True, "label_visibility": "collapsed"}
        way = st.segmented_control("Is", ways, default=way, key=f"way-{column}", **look)
    if way == VALUE:
        values: Sequence[Label] = st.multiselect(
            "Any of these values", source.labels[column], key=f"values-{column}"
        )
        return SensitiveProperty(column, tuple(values)) if values else None
    if way == BETWEEN:
        left, right = st.columns(2)
        texts = left.text_input("From"), right.text_input("To")
        if not all(texts):
            return None
        return SensitiveProperty(column, between=(_number(texts[0]), _number(texts[1])))
    text = st.text_input("Number", key=f"number-{column}")
    if not text:
        return None
    value = _number(text)
    return SensitiveProperty(column, **{"above" if way == ABOVE else "below": value})


def ask_pair(start: Pair, number: str = "") -> Pair | None:
    """Ask for the range of a share: the fixed grid's cell, or what outsiders think.

    Parameters
    ----------
    start : Pair
        The cell. It is where the slider starts, too, which is never centred on the table's share.
    number : str
        Of the question.

    Returns
    -------
    Pair or None
        None while both ends are the same.
    """
    cell, key = (100 * start.low, 100 * start.high), start.secret.label
    grid, free = f"{cell[0]:g} and {cell[1]:g} %, of a fixed grid", "What outsiders think"
    way = st.segmented_control(
        f"{number}Which shares must look alike?",
        [grid, free],
        default=grid,
        required=True,
        key=f"range-{key}",
    )
    st.caption("The range tells that the share lies in it; nothing inside it is told.")
    if way != free:
        return start
    low, high = st.slider(
        "From, to", 0.0, 100.0, cell, 1.0, "%g %%", key=f"ends-{key}", label_visibility="collapsed"
    )
    return Pair(start.secret, low / 100, high / 100) if low < high else None
