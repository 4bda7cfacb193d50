"""Controls of the scenario, drawn from its table of fields."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from distpriv.dashboard.fields import BY_NAME, Field, Options
from distpriv.dashboard.state import State


def control(state: State, name: str, options: Options, label: str = "", **extra: Any) -> None:
    """Draw the control of one field; the next run reads it (:meth:`State.read_controls`)."""
    field = replace(BY_NAME[name], label=label or BY_NAME[name].label)
    value = field.get(state.scenario)
    common = {"key": state.key(field), "help": field.help} | extra
    draw = globals()[f"_{field.kind}"]
    draw(field, value, options, common)
    if name in state.errors:
        st.caption(f":red[{state.errors[name]}]")


def _select(field: Field, value: Any, options: Options, common: dict[str, Any]) -> None:
    offered = getattr(options, field.options)
    st.selectbox(
        field.label,
        list(offered),
        index=list(offered).index(value),
        format_func=lambda item: offered.get(item, str(item)),
        **common,
    )


def _segmented(field: Field, value: Any, options: Options, common: dict[str, Any]) -> None:
    offered = getattr(options, field.options)
    st.segmented_control(
        field.label,
        list(offered),
        default=value,
        format_func=lambda item: offered.get(item, str(item)),
        required=True,
        width="stretch",
        **common,
    )


def _multiselect(field: Field, value: Any, options: Options, common: dict[str, Any]) -> None:
    offered = getattr(options, field.options)
    st.multiselect(
        field.label,
        list(offered),
        default=list(value),
        format_func=lambda item: offered.get(item, str(item)),
        **common,
    )


def _range(field: Field, value: Any, options: Options, common: dict[str, Any]) -> None:
    low, high, step = map(float, field.bounds)
    st.slider(field.label, low, high, tuple(map(float, value)), step, format="%g %%", **common)


def _slider(field: Field, value: Any, options: Options, common: dict[str, Any]) -> None:
    low, high, step = map(float, field.bounds)
    st.slider(field.label, low, high, float(value), step, format="%g", **common)


def _number(field: Field, value: Any, options: Options, common: dict[str, Any]) -> None:
    low, high, step = map(int, field.bounds)
    st.number_input(field.label, low, high, int(value), step, **common)


def _text(field: Field, value: Any, options: Options, common: dict[str, Any]) -> None:
    st.text_input(field.label, field.write(value), **common)
