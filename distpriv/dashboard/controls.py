"""Controls of the scenario, drawn from its table of fields."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from distpriv.dashboard.fields import BY_NAME, Field, number, plain
from distpriv.dashboard.page import escape, readable, tip
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError
from distpriv.text import whole

__all__ = ["ask", "control"]


def ask(
    label: str,
    start: str,
    key: str,
    domain: tuple[float, ...] = (),
    place: Any = st,
    percent: bool = False,
    **look: Any,
) -> str:
    """Draw a field for a number of a domain, and return its text.

    What was read is shown: 1.000,5 becomes 1000.5; else what is wrong. A number of per cent may
    have their sign.
    """
    text, wrong = st.session_state.setdefault(key, start), ""
    try:
        if text or start:
            _show(key, plain(number(text.rstrip(" %") if percent else text, *domain)))
    except DistprivError as error:
        wrong = str(error)
    text = place.text_input(label, key=key, **look)
    if wrong:
        _say(wrong, place)
    return text


def _say(wrong: str, place: Any = st) -> None:
    """Say beside a control what is wrong with what it holds."""
    place.caption(f":red[{escape(wrong)}]")


def _show(key: str, text: str) -> None:
    if st.session_state.get(key) != text:  # else what is being typed would be lost
        st.session_state[key] = text


def control(state: State, name: str, label: str = "", **extra: Any) -> None:
    """Draw the control of a field; the next run reads it (`State.read_controls`).

    With another label than the field's own, if there is one, and arguments of Streamlit's widget.
    """
    field = BY_NAME[name]
    if label:
        field = replace(field, label=label)
    value = field.get(state.scenario)
    key, text = state.key(field), field.write(value)
    arguments = {"key": key, "help": tip(field.term) if field.term else None} | extra
    written = field.kind in ("text", "number or all") or (field.kind == "range" and state.typed)
    if written and name not in state.errors:
        _show(key, text)
    if field.kind in ("select", "multiselect", "segmented"):
        _choose(field, value, state.offered(name), arguments)
    elif field.kind == "number or all":
        words = {text: text, "all": f"All {whole(state.source().rows)}"}
        arguments |= {"format_func": lambda item: words.get(item, item)}
        st.selectbox(field.label, [*words], accept_new_options=True, **arguments)
    elif written:
        st.text_input(field.label, **arguments)
    else:
        low, high, step = map(float, field.bounds)
        start: Any = tuple(map(float, value)) if field.kind == "range" else float(value)
        unit = "%g %%" if field.kind == "range" else "%g"
        st.slider(field.label, low, high, start, step, format=unit, **arguments)
    if name in state.errors:
        _say(state.errors[name])


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
