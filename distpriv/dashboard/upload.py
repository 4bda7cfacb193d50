"""The dialogs about a visitor's table: how it is read, what one row is, what is secret."""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from distpriv import tables as files  # loads what reads files when that is used
from distpriv.analysis import tables
from distpriv.analysis.scenario import Scenario
from distpriv.dashboard import page, reading
from distpriv.dashboard.builders import ask_pair, close
from distpriv.dashboard.state import File, State
from distpriv.errors import DistprivError, ReadError
from distpriv.files import is_large
from distpriv.sources import FrameSource, Source, scan
from distpriv.tables import rows
from distpriv.tables.options import Row, RowKind

__all__ = ["dialog", "how", "offer_opened"]

KINDS: dict[RowKind, str] = {
    "record": "One record",
    "cell": "A count of records",
    "part": "One of several rows of a record",
}


@st.dialog("Use my own table", width="medium", on_dismiss=close)
def dialog(state: State) -> None:
    """Read a file, show how, ask three questions, and take all at once."""
    place = st.empty()
    with page.sentences():
        if state.file is None:
            # No types: the reader says what a file is that it does not read.
            chosen = place.file_uploader("Your table", label_visibility="collapsed")
            if chosen is None:
                st.caption(
                    "CSV, Excel, Parquet, JSON, SPSS, Stata, SAS and others, up to "
                    f"{st.get_option('server.maxUploadSize')} MB. The server forgets it when your "
                    "visit ends. Open a larger one by the command *distpriv FILE*, or ask the "
                    "server's owner to offer it (*DISTPRIV_SOURCES*)."
                )
                return
            file = File(chosen.file_id, chosen.name, chosen.getvalue())
            _read(state, file)
            state.file = file
            place.empty()
        _ask(state, state.file, None)


@st.dialog("How it was read", width="medium", on_dismiss=close)
def how(state: State) -> None:
    """Show how the table in use was read, and read its file otherwise."""
    with page.sentences():
        if state.file is not None:
            _ask(state, state.file, state.scenario)
            return
        source = state.source()
        st.markdown(f"{page.escape(source.title)} is read where it is.")
        reading.notices(getattr(source, "notices", ()))


def _ask(state: State, file: File, now: Scenario | None) -> None:
    """Show how a file is read and ask what it is about; at first as a scenario has it."""
    frame = _read(state, file)
    options, notices = files.how_read(frame)
    head = st.container(horizontal=True, vertical_alignment="center")
    head.markdown(f"**{page.escape(file.name, 100)}**", width="stretch")
    if options != file.first:
        undo: dict[str, Any] = {"on_click": file.change, "args": (None, ())}
        head.button("Read as at first", icon=":material/undo:", type="tertiary", **undo)
    if now is None:
        another: dict[str, Any] = {"on_click": setattr, "args": (state, "file", None)}
        head.button("Another file", icon=":material/upload:", type="tertiary", **another)
    line = st.empty()
    below, guess = state.memory(
        ("rows", file.key, file.request), lambda: (rows.tell_row(frame), rows.proposed(frame))
    )
    reading.notices([one for one in notices if one not in below], file, options)
    reading.preview(frame)
    row = _ask_row(frame, file.key, now.row if now else guess)
    key = now.source if now else "upload"
    source = state.memory(
        ("upload", file.key, options, row),
        lambda: FrameSource(key, file.name, rows.as_records(frame, row)),
    )
    merged = [one for one in files.how_read(source.frame)[1] if one not in notices]
    reading.notices([*below, *merged])
    line.markdown(reading.summary(source.frame, len(frame), options))
    content = source.fingerprint
    offered, begun = state.memory(
        ("offered", content), lambda: (tables.secrets(source), tables.start(source))
    )
    secret, first = begun.secrets[0].secret, now.secrets[0] if now else None
    if first and tables.fits(source, first.secret):
        secret = first.secret
    secrets = page.readable(offered | {secret: secret.label})
    secret = st.selectbox(
        "2. Nobody should find out the share of records with\u00a0…",
        list(secrets),
        list(secrets).index(secret),
        format_func=secrets.__getitem__,
        key=f"secret-{file.key}",
    )
    start = state.memory(("start", content, secret), lambda: tables.start(source, secret))
    before = first if first and first.secret == secret else None
    pair = ask_pair(start.secrets[0], "3. ", before)
    if st.button("Check", type="primary", width="stretch", disabled=pair is None):
        if pair is not None:
            start = replace(start, reading=options, row=row, secrets=(pair,))
            state.bring(source, start, file)
        close()
        st.rerun()


def _read(state: State, file: File) -> pd.DataFrame:
    """Read a file once for each request, in a process of its own.

    Where a click asks for what cannot be read, say so, and keep the former reading.
    """

    def read() -> pd.DataFrame | ReadError:
        options, changes = file.request
        try:
            return files.read_guarded(file.data, file.name, options, **dict(changes))
        except ReadError as error:
            return error

    wait = "Other tables are read first; yours is next …"
    with st.spinner(wait if files.busy() else "Reading the table …", show_time=True):
        frame = state.memory(("file", file.key, file.request), read)
    if isinstance(frame, ReadError):
        if file.former is None:
            raise frame
        st.error(page.escape(frame), icon=":material/error:")
        file.request, file.former = file.former, None
        return _read(state, file)
    if file.first is None:
        file.first = files.how_read(frame)[0]
    return frame


def _ask_row(frame: pd.DataFrame, file: str, guess: Row) -> Row:
    """Ask what one row is."""
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
    offered = rows.counts_of(frame) if kind == "cell" else rows.names_of(frame)
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
        source, start, data = opened
        state.uploads["open"] = {(start.reading, start.row): (source, start)}
        if data:
            state.files["open"] = File("open", source.title, data, first=start.reading)
        if start.row.kind != "record":
            how = "counted in" if start.row.kind == "cell" else "named by"
            state.notes.append(f"Records of {source.title} are {how} {start.row.column}.")
    return ""


@lru_cache(1)
def _opened(path: Path) -> tuple[Source, Scenario, bytes] | str:
    """Open the table that the command named, once a process; a sentence if that cannot be."""
    try:
        if is_large(path):
            with suppress(ReadError) if path.is_file() else nullcontext():
                lying = replace(scan(path), key="open")
                return lying, tables.start(lying), b""
        data = path.read_bytes()
        frame = files.read_guarded(data, path.name)
        row, options = rows.proposed(frame), files.how_read(frame)[0]
        source = FrameSource("open", path.name, rows.as_records(frame, row))
        return source, replace(tables.start(source), reading=options, row=row), data
    except DistprivError as error:
        return str(error)
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror}); check it and start again."
