"""The dialog that takes a table: what one row is, what is secret, which range outsiders see."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from distpriv import tables as files  # loads what reads files when that is used
from distpriv.analysis import tables
from distpriv.dashboard import page
from distpriv.dashboard.builders import ask_pair, close
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError, ReadError
from distpriv.sources import FrameSource
from distpriv.tables.options import Row, RowKind
from distpriv.tables.rows import as_records, counts_of, names_of, proposed
from distpriv.text import whole

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from distpriv.analysis.scenario import Scenario

__all__ = ["dialog", "offer_opened"]

TYPES = ["csv", "tsv", "txt", "gz", "zip", "xlsx", "xlsm", "parquet"]
KINDS: dict[RowKind, str] = {
    "record": "One record",
    "cell": "A count of records",
    "part": "One of several rows of a record",
}
NOTICES = 3  # in sight; the others unfold


@st.dialog("Use my own table", width="medium", on_dismiss=close)
def dialog(state: State) -> None:
    """Read a file, ask three questions, and take all at once."""
    file = st.file_uploader("Your table", TYPES, label_visibility="collapsed")
    if file is None:
        st.caption("CSV, Excel or Parquet. The server forgets it when your visit ends.")
        return
    with page.sentences():
        frame = _read(state, file)
        _tell_notices(frame)
        row = _ask_row(frame, file.file_id)
        source = state.memory(
            ("upload", file.file_id, row),
            lambda: FrameSource("upload", file.name, as_records(frame, row)),
        )
        st.caption(f"{whole(source.rows)} records, {len(source.frame.columns)} columns.")
        secrets = tables.secrets(source)
        usual = tables.start(source).secrets[0].secret
        secrets.setdefault(usual, usual.label)
        secret = st.selectbox(
            "2. Nobody should find out the share of records with …",
            list(secrets),
            list(secrets).index(usual),
            format_func=secrets.__getitem__,
            key=f"secret-{source.fingerprint}",
        )
        start = tables.start(source, secret)
        pair = ask_pair(start.secrets[0], "3. ")
        if st.button("Check", type="primary", width="stretch", disabled=pair is None):
            if pair is not None:
                reading = files.how_read(frame)[0]
                state.bring(source, replace(start, reading=reading, row=row, secrets=(pair,)))
            close()
            st.rerun()


def _read(state: State, file: UploadedFile) -> pd.DataFrame:
    """Read an upload once, in a process of its own."""

    def read() -> pd.DataFrame | ReadError:
        try:
            return files.read_guarded(file.getvalue(), file.name)
        except ReadError as error:
            return error

    with st.spinner("Reading the table …"):
        frame = state.memory(("file", file.file_id), read)
    if isinstance(frame, ReadError):
        raise frame
    return frame


def _tell_notices(frame: pd.DataFrame) -> None:
    """List what was guessed in reading."""
    texts = [f"- {page.escape(notice.text)}" for notice in files.how_read(frame)[1]]
    if texts:
        st.caption("\n".join(texts[:NOTICES]))
    if len(texts) > NOTICES:
        with st.expander(f"{len(texts) - NOTICES} more"):
            st.caption("\n".join(texts[NOTICES:]))


def _ask_row(frame: pd.DataFrame, file: str) -> Row:
    """Ask what one row is."""
    guess = proposed(frame)
    kind = st.radio(
        "1. What is one row?",
        list(KINDS),
        list(KINDS).index(guess.kind),
        format_func=KINDS.__getitem__,
        horizontal=True,
        key=f"row-{file}",
    )
    if kind == "record":
        return Row()
    offered = counts_of(frame) if kind == "cell" else names_of(frame)
    if not offered:
        lacking = "whole numbers, which could count records" if kind == "cell" else "repeated names"
        raise DistprivError(f"No column holds {lacking}; choose what one row is again.")
    column = st.selectbox(
        "Counted in" if kind == "cell" else "A record is named by",
        offered,
        offered.index(guess.column) if guess.column in offered else 0,
        key=f"row-{kind}-{file}",
    )
    return Row(kind, column)


def offer_opened(state: State) -> str:
    """Offer the file that the command named; return a sentence if it cannot be read, else ""."""
    path = os.environ.get("DISTPRIV_OPEN")
    opened = _opened(Path(path)) if path else ""
    if isinstance(opened, str):
        return opened
    if "open" not in state.uploads:
        state.uploads["open"] = source, start = opened
        if start.row.kind != "record":
            how = "counted in" if start.row.kind == "cell" else "named by"
            state.notes.append(f"Records of {source.title} are {how} {start.row.column}.")
    return ""


@lru_cache(1)
def _opened(path: Path) -> tuple[FrameSource, Scenario] | str:
    """Read the file that the command named, once a process; a sentence if that cannot be."""
    try:
        frame = files.read_guarded(path.read_bytes(), path.name)
        row, reading = proposed(frame), files.how_read(frame)[0]
        source = FrameSource("open", path.name, as_records(frame, row))
        return source, replace(tables.start(source), reading=reading, row=row)
    except DistprivError as error:
        return str(error)
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror}); check it and start again."
