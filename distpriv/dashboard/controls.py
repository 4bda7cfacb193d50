"""Controls of the scenario, drawn from its table of fields."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from distpriv.dashboard.fields import BY_NAME, Field
from distpriv.dashboard.page import escape, readable, tip
from distpriv.dashboard.state import State
from distpriv.text import whole

__all__ = ["control"]


def control(state: State, name: str, label: str = "", **extra: Any) -> None:
    """Draw the control of a field; the next run reads it (`State.read_controls`).

    With another label than the field's own, if there is one, and arguments of Streamlit's widget.
    """
    field = BY_NAME[name]
    if label:
        field = replace(field, label=label)
    value = field.get(state.scenario)
    arguments = {"key": state.key(field), "help": tip(field.term) if field.term else None} | extra
    if field.kind in ("select", "multiselect", "segmented"):
        _choose(field, value, state.offered(name), arguments)
    elif field.kind == "number or all":
        words = {field.write(value): field.write(value), "all": f"All {whole(state.source().rows)}"}
        arguments |= {"format_func": lambda item: words.get(item, item)}
        st.selectbox(field.label, [*words], accept_new_options=True, **arguments)
    elif field.kind == "slider" or (field.kind == "range" and not state.typed):
        low, high, step = map(float, field.bounds)
        start: Any = tuple(map(float, value)) if field.kind == "range" else float(value)
        unit = "%g %%" if field.kind == "range" else "%g"
        st.slider(field.label, low, high, start, step, format=unit, **arguments)
    else:
        st.text_input(field.label, field.write(value), **arguments)
    if name in state.errors:
        st.caption(f":red[{escape(state.errors[name])}]")


def _choose(field: Field, value: Any, options: Any, arguments: dict[str, Any]) -> None:
    values, titles = list(options), readable(options)
    arguments |= {"format_func": lambda item: titles.get(item, str(item))}
    if field.kind == "select":
        st.selectbox(field.label, values, values.index(value), **arguments)
    elif field.kind == "multiselect":
        st.multiselect(field.label, values, list(value), **arguments)
    else:
        arguments |= {"required": True, "width": "stretch"}
        st.segmented_control(field.label, values, default=value, **arguments)
