"""Another secret, another statistic, and public bounds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from distpriv import queries
from distpriv.analysis.for_persons import bounds_from_data, leaking_in_words
from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.shell import choices
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.settings import beside, own_key
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError
from distpriv.queries.properties import SensitiveProperty
from distpriv.words import escape, exact

__all__ = ["bounds_editor", "secret_builder", "statistic_builder"]


def secret_builder(dataset: Dataset) -> None:
    """Define a property by several values or by thresholds, and make it the secret."""
    st.header("Another secret")
    state = st.session_state
    columns = [c for c, kind in dataset.types.items() if kind in ("number", "category", "boolean")]
    column = st.selectbox("Column", columns, key="build_secret_column", persist_state="session")
    offered = choices.offered_values(dataset.table, column, dataset.types, dataset.labels)
    arguments: dict[str, object]
    if dataset.types[column] != "number":
        arguments = {"values": _values(dataset, column, offered)}
    else:
        kinds = [*(["one of"] if offered else []), "above", "below", "between"]
        kind = st.segmented_control(
            "Records whose value is",
            kinds,
            default=kinds[0],
            required=True,
            key=_own("kind", dataset, column),
            persist_state="session",
        )
        if kind == "one of":
            arguments = {"values": _values(dataset, column, offered)}
        else:
            arguments = {str(kind): _thresholds(dataset, column, between=kind == "between")}
    if st.button("Make it the secret", icon=":material/lock:", key="build_secret"):
        try:
            secret = SensitiveProperty(column, **arguments)  # type: ignore[arg-type]
            having = int(secret.mask(dataset.table).sum())
            # Of a source, the records that are here are some of many: the scan will tell.
            if having in (0, len(dataset.table)) and len(dataset.table) == dataset.size:
                st.error(
                    f"{exact(having)} of the {exact(len(dataset.table))} records have that "
                    "property, so there is nothing to hide; choose other values or thresholds.",
                    icon=":material/error:",
                )
                return
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
            return
        state.setdefault(Key.OWN_SECRETS, {}).setdefault(dataset.digest, {})[secret.label] = secret
        state[Key.PENDING] = {
            own_key(dataset, Key.SECRET): secret.label,
            **beside(dataset, secret),
        }
        st.rerun()


def _own(part: str, dataset: Dataset, column: str) -> str:
    """Key of a widget that belongs to a column of a table."""
    return f"build_secret_{part}_{dataset.digest}_{column}"


def _values(dataset: Dataset, column: str, offered: tuple[str | float, ...]) -> list[str | float]:
    """The values that are picked of those that are offered."""
    return st.multiselect(
        "Records whose value is one of",
        offered,
        key=_own("values", dataset, column),
        persist_state="session",
    )


def _thresholds(dataset: Dataset, column: str, *, between: bool) -> float | tuple[float, float]:
    """The threshold, or two; they start where some records lie on either side."""
    values = dataset.table[column].dropna().astype(float)
    middle, least, largest = (float(each) for each in (values.median(), values.min(), values.max()))
    if dataset.profile is not None and not dataset.shows_records:
        largest = middle  # the greatest value is a record's
    if values.empty:
        middle = largest = 0.0
    elif least < largest and middle in (least, largest):
        beside = values[values != middle]
        middle += ((beside.min() if middle == least else beside.max()) - middle) / 2
    low, high = st.columns(2)
    first = low.number_input(
        "Threshold",
        value=float(middle),
        format="%g",
        key=_own("low", dataset, column),
        persist_state="session",
    )
    if not between:
        return first
    last = high.number_input(
        "Upper threshold",
        value=largest,
        format="%g",
        key=_own("high", dataset, column),
        persist_state="session",
    )
    return first, last


def statistic_builder(dataset: Dataset) -> None:
    """Add a statistic to the release, or take one out."""
    st.header("Another statistic")
    state = st.session_state
    kind = queries.get(
        st.selectbox(
            "Kind",
            queries.names(),
            format_func=lambda name: queries.get(name).title,
            key="build_stat_kind",
            persist_state="session",
        )
    )
    columns = [column for column, its in dataset.types.items() if its in kind.takes]
    if len(columns) <= sum(parameter.domain == "column" for parameter in kind.parameters):
        st.info("The table has too few such columns; correct a column's type on the page Question.")
        return
    column = st.selectbox("Of column", columns, key=f"build_stat_column_{'number' in kind.takes}")
    given = [_parameter(dataset, columns, column, parameter) for parameter in kind.parameters]
    label = kind(column, *given).label
    key = own_key(dataset, Key.STAT)
    released = list(state[key])
    if st.button(
        "Release it too",
        icon=":material/add:",
        key="build_stat",
        disabled=label in released,
        help="It is already released." if label in released else None,
    ):
        state[Key.PENDING] = {key: [*released, label]}
        st.rerun()
    st.caption(
        ("It has no closed form: the model is fitted to simulations. " if not kind.linear else "")
        + "Statistics are taken out, or put back, under More settings in the sidebar."
    )


def _parameter(
    dataset: Dataset, columns: list[str], column: str, parameter: queries.Parameter
) -> str | float:
    """What a statistic asks for besides its column."""
    title, key, domain = parameter.title, f"build_stat_{parameter.name}", parameter.domain
    if domain == "value":
        return st.selectbox(title, choices.levels(dataset.table, column, dataset.labels), key=key)
    if domain == "column":
        return st.selectbox(title, [name for name in columns if name != column], key=key)
    return st.slider(title, *domain, key=key, persist_state="session")


def bounds_editor(dataset: Dataset, scenario: Scenario) -> None:
    """Public bounds of the numeric columns in use: how far one record can move a statistic."""
    columns = list(dict.fromkeys(s.column for s in scenario.query if s.takes_bounds))
    if not columns:
        return
    promised = scenario.persons is not None
    with st.expander("Public bounds: how far one record can move a statistic", expanded=promised):
        st.markdown(
            "A promise to each person, as the switch in the sidebar and the baselines Group DP and "
            "DP make it, needs to know how far one record can move a statistic. Give each column "
            "bounds that are public knowledge; where there are none, the data's own range is used, "
            "which leaks it."
        )
        if promised and (words := leaking_in_words(bounds_from_data(scenario, dataset.records))):
            st.warning(escape(words), icon=":material/report:")
        known = dict(scenario.bounds)
        start = pd.DataFrame(
            {
                "column": columns,
                "lowest": [known.get(column, (None, None))[0] for column in columns],
                "highest": [known.get(column, (None, None))[1] for column in columns],
            }
        ).astype({"lowest": "float64", "highest": "float64"})
        edited = st.data_editor(
            start,
            hide_index=True,
            disabled=["column"],
            key=f"bounds_{dataset.digest}",
            alt="The lowest and the highest value of each column",
        )
        if st.button("Apply bounds", key="apply_bounds", icon=":material/check:"):
            bounds = {}
            for column, low, high in zip(
                edited["column"],
                edited["lowest"].to_numpy(dtype=float),
                edited["highest"].to_numpy(dtype=float),
                strict=True,
            ):
                if np.isnan(low) and np.isnan(high):
                    continue
                if not low < high:
                    st.error(
                        f"The bounds of {escape(column)} must be two numbers, the lower one "
                        "first; fill in both, or neither.",
                        icon=":material/error:",
                    )
                    return
                bounds[column] = (float(low), float(high))
            st.session_state[own_key(dataset, Key.BOUNDS)] = bounds
            st.rerun()
