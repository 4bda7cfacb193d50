"""The parts of the page Question: where the records come from, uploads, types and preview."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import cast, get_args

import pandas as pd
import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.question.reading import replaced
from distpriv.dashboard.serving import memory
from distpriv.dashboard.shell import cache, controls, progress, scanning, selecting, spooling
from distpriv.dashboard.shell.dataset import Dataset, as_reference, retyped
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.shell.uploads import from_upload
from distpriv.errors import DistprivError
from distpriv.model.source import Profile
from distpriv.tables import ColumnType, summarise
from distpriv.tables.examples import EXAMPLES
from distpriv.words import escape, number, percent

__all__ = ["adult", "preview", "reference", "source", "upload"]

PREVIEW_ROWS = 200


def source(dataset: Dataset) -> None:
    """Which records these are, said plainly."""
    st.header("The records")
    st.markdown(f"**{escape(dataset.title)}** · {escape(dataset.description)}")
    if dataset.attribution:
        st.caption(escape(dataset.attribution))


def upload() -> None:
    """Take a file; a bad one ends in a sentence and the old data stay."""
    st.file_uploader(
        "CSV, a workbook, Parquet, JSON or UCI's raw files, zipped or not; one row a record",
        key=Key.FILE,
        on_change=_read_upload,
        help="Delimiter, encoding, decimal comma and column types are found out. The table stays "
        "in this session's memory on the machine that runs the dashboard and goes when you close "
        "the page; one beyond 200 MB, up to 20 GB of Parquet or CSV, lies in a temporary file "
        "meanwhile and is asked there.",
    )
    progress.place()
    if message := st.session_state.pop(Key.UPLOAD_ERROR, None):
        st.error(message, icon=":material/error:")


def adult() -> None:
    """Take the census records of the papers."""
    st.button(
        "Load UCI Adult",
        icon=":material/cloud_download:",
        on_click=_choose_adult,
        help="The real census records of the papers, from ADULT_DIR or OpenML.",
    )


def _read_upload() -> None:
    file = st.session_state.get(Key.FILE)
    if file is None:
        return
    try:
        content = file.getvalue()
        spooled = spooling.claim(content)
        if spooled is None:
            controls.keep_upload(from_upload(content, file.name))
        else:
            st.session_state[Key.SPOOLED] = spooled
    except DistprivError as error:
        st.session_state[Key.UPLOAD_ERROR] = escape(error)


def _choose_adult() -> None:
    selecting.begin(next(e.title for e in EXAMPLES if e.key == "adult"))


def reference(dataset: Dataset, scenario: Scenario) -> None:
    """Reference data that the whole table is thought of as drawn from; none by default."""
    if not scenario.whole:
        return
    state = st.session_state
    st.header("Reference data")
    known = state.setdefault(Key.REFERENCES, {}).get(dataset.digest)
    if known is None:
        st.markdown(
            "The whole table is released. An attacker who knows nothing better takes it for "
            "records drawn, with replacement, from **the table itself**. If there are public data "
            "of the same kind, upload them: the model is fitted to those instead."
        )
    else:
        st.markdown(f"The model is fitted to **{escape(known.title)}**: {known.description}")
        if st.button("Take the table itself instead", icon=":material/undo:", key="no_reference"):
            del state[Key.REFERENCES][dataset.digest]
            st.rerun()
    file = st.file_uploader(
        "Reference data: a table with the same columns",
        key=f"reference_{dataset.digest}",
        max_upload_size=spooling.MEGABYTES,
        help="Kept in this session's memory only, as your own table is.",
    )
    if file is None or state.get(Key.REFERENCE_READ) == file.file_id:
        return
    progress.place()
    try:
        content = file.getvalue()
        with progress.shown(file.name, len(content)) as watch:
            read = partial(as_reference, dataset, content, file.name, watch)
            state[Key.REFERENCES] = {dataset.digest: memory.table_of(content, file.name, read)}
    except DistprivError as error:
        st.error(escape(error), icon=":material/error:")
        return
    state[Key.REFERENCE_READ] = file.file_id
    st.rerun()


def preview(dataset: Dataset, scenario: Scenario) -> None:
    """Columns with their types, correctable for an upload, and the first records."""
    if dataset.profile is not None:
        _profile(dataset, dataset.profile, scenario)
        return
    summary = summarise(dataset.table)
    missing = int(summary["missing"].sum()) if "missing" in summary else 0
    incomplete = int(dataset.table.isna().any(axis=1).sum()) if missing else 0
    st.markdown(
        f"{number(len(dataset.table))} records, {dataset.table.shape[1]} columns; "
        + (
            f"{incomplete} of them miss a value somewhere, and a record that misses one in a "
            "column in use is left out."
            if incomplete
            else "no value is missing."
        )
    )
    if scenario.presenting:
        st.caption("The records and their summary are left out of the presentation view.")
        return
    secret = scenario.secret
    try:
        share = float(secret.mask(dataset.table).mean())
        st.markdown(
            f"In the data **{percent(share)}** of the records have the property "
            f"**{escape(secret.label)}** (true share: not to be shown)."
        )
    except DistprivError as error:
        st.error(escape(error), icon=":material/error:")
    columns, rows = st.tabs(["Columns", "First records"])
    with columns:
        _types(dataset, summary)
    with rows:
        st.dataframe(dataset.table.head(PREVIEW_ROWS), hide_index=True, alt="The first records")


def _profile(dataset: Dataset, profile: Profile, scenario: Scenario) -> None:
    """What is known of a table that stays where it is, and some of its records if they may show."""
    missing = any(column.missing for column in profile.columns.values())
    st.markdown(
        f"{number(profile.records)} records, {len(profile.columns)} columns; "
        + (
            "a record that misses a value in a column in use is left out."
            if missing
            else "no value is missing."
        )
    )
    secret, query = scenario.secret, scenario.query
    if query.is_linear and scanning.known(dataset, query, secret):
        counts = cache.computed(Dataset.moments, dataset, query, secret).counts
        st.markdown(
            f"Of the records that miss none, **{percent(counts[1] / sum(counts))}** have the "
            f"property **{escape(secret.label)}** (true share: not to be shown)."
        )
    columns = profile.columns.values()
    shown = pd.DataFrame(
        {
            "column": [column.name for column in columns],
            "type": [column.type for column in columns],
            "missing": [column.missing for column in columns],
            "labels": [str(len(column.labels) or "") for column in columns],
        }
    )
    st.dataframe(shown, hide_index=True, alt="The columns and their types")
    if not dataset.shows_records:
        st.caption("Single records of this table are not shown.")
        return
    some = dataset.table.head(PREVIEW_ROWS)
    if not profile.whole:
        st.caption(f"{number(len(some))} records at random:")
    st.dataframe(some, hide_index=True, alt="Some of the records")


def _types(dataset: Dataset, summary: pd.DataFrame) -> None:
    shown = summary.copy()
    edited = st.data_editor(
        shown,
        key=f"types_{dataset.digest}",
        hide_index=True,
        alt="The columns and their types",
        disabled=[name for name in shown.columns if name != "type"]
        if dataset.origin == "upload"
        else True,
        column_config={
            "type": st.column_config.SelectboxColumn(
                "type",
                options=list(get_args(ColumnType)),
                required=True,
                help="Identifiers, free text and dates are kept out of the choices.",
            )
        },
    )
    if dataset.origin != "upload":
        st.caption("The types of an example are given; those of your own table can be corrected.")
        return
    wanted = _changed(dataset.types, edited)
    if st.button("Apply column types", disabled=not wanted, icon=":material/check:"):
        try:
            replaced(dataset, retyped(dataset, wanted))
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
        else:
            st.rerun()


def _changed(types: Mapping[str, ColumnType], edited: pd.DataFrame) -> dict[str, ColumnType]:
    chosen = dict(zip(edited["column"], edited["type"], strict=True))
    return {
        column: cast(ColumnType, kind) for column, kind in chosen.items() if types[column] != kind
    }
