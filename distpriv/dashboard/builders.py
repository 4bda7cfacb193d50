"""Dialogs that build what no list offers: a secret and a figure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from distpriv.dashboard import page
from distpriv.dashboard.controls import ask
from distpriv.dashboard.fields import number, plain
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError
from distpriv.privacy.persons import Persons, as_bounds, check_bounds, record_moves
from distpriv.queries import Pair, SensitiveProperty, Statistic
from distpriv.queries.statistics import KINDS
from distpriv.sources import Source

__all__ = ["DIALOGS", "ask_pair", "close"]

VALUE, ANSWER, BETWEEN = "is", "holds the answer", "is between"
THRESHOLDS = {"is more than": "above", "is less than": "below", BETWEEN: "between"}
DATED = {"is after": "above", "is before": "below", BETWEEN: "between"}
STRETCH: dict[str, Any] = {"width": "stretch"}


def close() -> None:
    """Close the dialog that is open."""
    state = page.session()
    state.dialog, state.file = "", None


@st.dialog("Build a secret", on_dismiss=close)
def secret(state: State) -> None:
    """Hide the share of records with a property that is built here, alone or beside others."""
    with page.sentences():
        built = _property(state.source())
        pair = ask_pair(state.range_of(built)) if built is not None else None
        alone = st.button("Hide this share", type="primary", disabled=pair is None, **STRETCH)
        too = st.button("Hide it too, beside the first", disabled=pair is None, **STRETCH)
        if pair is not None and (alone or too):
            first, *others = state.scenario.secrets
            if too and any(one.secret == pair.secret for one in (first, *others)):
                raise DistprivError("This share is hidden already; choose another secret.")
            _take(state, secrets=(first, *others, pair) if too else (pair, *others))


@st.dialog("Add a figure", on_dismiss=close)
def figure(state: State) -> None:
    """Release one more statistic."""
    source = state.source()
    with page.sentences():
        kind = st.selectbox("Figure", list(KINDS), format_func=KINDS.__getitem__)
        of_numbers = kind not in ("count", "proportion")
        column = st.selectbox("Column", source.numbers if of_numbers else _columns(source))
        more: dict[str, Any] = {}
        if column is None:
            raise DistprivError("No column of the table holds numbers; choose another figure.")
        if not of_numbers:
            key, labels = f"value-{column}", source.labels.get(column)
            asked = st.selectbox("Value", labels, key=key) if labels else _ask_number("Value", key)
            more["value"] = asked
        elif kind == "quantile":
            words = "Per cent of the records that are below it"
            text = ask(words, "90", "quantile", (0, 100), percent=True)
            more["level"] = round(number(text, 0, 100) / 100, 11)
        elif kind == "correlation":
            more["other"] = st.selectbox(
                "And column", [one for one in source.numbers if one != column]
            )
        if st.button("Add", type="primary", disabled=None in more.values(), **STRETCH):
            built = Statistic(kind, column, **more)
            if built in state.scenario.statistics:
                raise DistprivError("This figure is released already; choose another one.")
            if not state.fits(built):
                raise DistprivError(f"The table has no {built.title}; choose another value.")
            _take(state, statistics=(*state.scenario.statistics, built))


@st.dialog("Protect single persons too", on_dismiss=close)
def persons(state: State) -> None:
    """Promise each record an ε and δ of its own, between public bounds of the columns in use."""
    now = state.scenario
    start = now.persons or Persons(1.0, 1e-3)
    ranges: dict[str, tuple[str, ...]]
    ranges = {column: (plain(low), plain(high)) for column, low, high in now.bounds}
    columns = dict.fromkeys(one.column for one in now.statistics if one.value is None)
    with page.sentences():
        left, right = st.columns(2)
        epsilon = ask("ε for each person", plain(start.epsilon), "person-ε", (0.01, 50), left)
        delta = ask("δ for each person", plain(start.delta), "person-δ", (1e-9, 0.5), right)
        if columns:
            st.caption(
                "Public bounds: the least and the largest value, as everybody knows them. Those "
                "of your own table would tell about it."
            )
        for column in columns:
            name, low, high = st.columns([2, 1, 1], vertical_alignment="center")
            name.markdown(page.escape(column))
            asked = zip(
                (low, high), ("Least", "Largest"), ranges.get(column, ("", "")), strict=True
            )
            ranges[column] = tuple(
                ask(
                    words := f"{word} {column}",
                    end,
                    words,
                    place=place,
                    label_visibility="collapsed",
                )
                for place, word, end in asked
            )
        if now.persons and st.button("Protect the share alone", **STRETCH):
            _take(state, persons=None)
        if st.button("Protect them", type="primary", **STRETCH):
            ends = ((name, _number(low), _number(high)) for name, (low, high) in ranges.items())
            bounds = as_bounds(ends)
            model = state.evaluation().model
            check_bounds(model, bounds)
            record_moves(model.query, model.n, bounds)  # which some figures do not have
            promise = Persons(number(epsilon, 0.01, 50), number(delta, 1e-9, 0.5))
            _take(state, persons=promise, bounds=bounds)


def _take(state: State, **values: Any) -> None:
    """Change the scenario and close the dialog."""
    state.change(**values)
    close()
    st.rerun()


DIALOGS: dict[str, Callable[[State], None]]
DIALOGS = {"secret": secret, "figure": figure, "persons": persons}


def _columns(source: Source) -> list[str]:
    return list(dict.fromkeys([*source.labels, *source.numbers, *source.dates]))


def _number(text: str) -> float:
    return number(text, -1e300, 1e300)


def _ask_number(label: str, key: str) -> int | float | None:
    text = ask(label, "", key)
    value = _number(text) if text else None
    return int(value) if value is not None and value == int(value) else value


def _ask_date(label: str, key: str) -> str | None:
    return st.text_input(label, key=key, placeholder="2010-01-31") or None


def _property(source: Source) -> SensitiveProperty | None:
    """Ask for a property: column, then values or thresholds; None while it is not whole."""
    column = st.selectbox("Share of records whose", _columns(source)) or ""
    labels, dated = source.labels.get(column, ()), column in source.dates
    thresholds = DATED if dated else THRESHOLDS
    ways = [VALUE] if labels else []
    ways += [ANSWER] if any(re.search("[;|,]", str(one)) for one in labels) else []
    ways += thresholds if dated or column in source.numbers else []
    way = ways[0]
    if ways != [VALUE]:
        look: dict[str, Any] = {"required": True, "label_visibility": "collapsed"}
        way = st.segmented_control("Is", ways, default=way, key=f"way-{column}", **look)
    if way == VALUE:
        values = st.multiselect("Any of these values", labels, key=f"values-{column}")
        return SensitiveProperty(column, tuple(values)) if values else None
    if way == ANSWER:
        answer = st.text_input("Answer", key=f"answer-{column}")
        return SensitiveProperty(column, contains=answer) if answer.strip() else None
    one = "Date" if dated else "Number"
    words = {"From": "low", "To": "high"} if way == BETWEEN else {one: "low"}
    ask = _ask_date if dated else _ask_number
    ends = [ask(word, f"{end}-{column}") for word, end in words.items()]
    if None in ends:
        return None
    threshold: dict[str, Any] = {thresholds[way]: tuple(ends) if way == BETWEEN else ends[0]}
    return SensitiveProperty(column, **threshold)


def ask_pair(start: Pair, number: str = "", chosen: Pair | None = None) -> Pair | None:
    """Ask for the range of a share: the fixed grid's cell, or what outsiders think.

    The slider, too, starts at the cell, which is never centred on the table's share, unless another
    range was chosen before. None while both ends are the same. A number comes before the question.
    """
    grid, chosen = f"{100 * start.low:g} and {100 * start.high:g} %", chosen or start
    key = f"{start.secret.label}-{grid}"  # else an option whose words change is chosen no longer
    ways = {"grid": f"{grid}, of a fixed grid", "free": "What outsiders think"}
    way = st.radio(
        f"{number}Which shares must look alike?",
        list(ways),
        int(chosen != start),
        format_func=ways.__getitem__,
        horizontal=True,
        key=f"range-{key}",
    )
    st.caption("The range tells that the share lies in it; nothing inside it is told.")
    if way == "grid":
        return start
    ends = round(100 * chosen.low, 9), round(100 * chosen.high, 9)
    low, high = st.slider(
        "From, to", 0.0, 100.0, ends, 1.0, "%g %%", key=f"ends-{key}", label_visibility="collapsed"
    )
    return Pair(start.secret, low / 100, high / 100) if low < high else None
