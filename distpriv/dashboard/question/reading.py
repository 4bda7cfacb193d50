"""What was done to an uploaded file: one line, which opens to what can be undone and chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast, get_args

import pandas as pd
import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.shell import controls
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.settings import own_key
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.shell.uploads import reread
from distpriv.errors import DistprivError
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.tables import ColumnType, align, digest, summarise
from distpriv.tables.missing import Found
from distpriv.tables.notices import Notice
from distpriv.tables.repairs import REPAIRS, Choices, Repair, columns_shown
from distpriv.words import escape, exact

__all__ = ["draw", "replaced"]

_MOST = 500  # rows of the table of missing values


def draw(dataset: Dataset, scenario: Scenario) -> None:
    """Draw the line for an upload, or for columns of a table that cannot be read."""
    if dataset.source is not None:
        _left_out(dataset)
        return
    if dataset.content is None:
        return
    reading = dataset.reading
    said = _line(dataset)
    if scenario.presenting:
        st.caption(said)
        return
    with st.expander(said, icon=":material/build:", key="how_it_was_read"):
        if problem := st.session_state.pop(Key.READING_ERROR, None):
            st.error(problem, icon=":material/error:")
        _which(dataset)
        for repair in reading.repairs:
            _repair(dataset, repair)
        for place, notice in enumerate(reading.notices):
            _notice(dataset, notice, place)
        _missing(dataset)


def _line(dataset: Dataset) -> str:
    reading = dataset.reading
    count = len(reading.done)
    things = "1 thing was done" if count == 1 else f"{count} things were done"
    parts = [f"{things} to the file" if count else "nothing was done to the file"]
    if notices := len(reading.notices):
        parts.append("1 thing to look at" if notices == 1 else f"{notices} things to look at")
    return f"Read {exact(dataset.size)} records; {'; '.join(parts)}"


def _left_out(dataset: Dataset) -> None:
    """Nested and binary columns of a table that is asked where it lies."""
    source = dataset.source
    names = () if source is None else source.engine.left_out
    if not names:
        return
    count = "1 column was" if len(names) == 1 else f"{len(names)} columns were"
    said = f"Found {exact(dataset.size)} records; {count} left out"
    with st.expander(said, icon=":material/build:", key="how_it_was_read"):
        st.markdown(
            f"{escape(columns_shown(names))}: lists, records and bytes are not read; unfold them "
            "in the table to use them."
        )


def _which(dataset: Dataset) -> None:
    """Which table of an archive or sheet of a workbook, and whether its first row names columns."""
    reading, wished = dataset.reading, dataset.wished
    if reading.members:
        key = f"member_{dataset.digest}"
        st.selectbox(
            "Table in the file",
            reading.members,
            index=reading.members.index(reading.member),
            key=key,
            on_change=lambda: _again(dataset, replace(wished, member=st.session_state[key])),
            help="The largest table of an archive, or the first sheet with data, is read first.",
        )
    if reading.headed:
        of_header = f"header_{dataset.digest}"
        st.checkbox(
            "The first row names the columns",
            value=wished.header,
            key=of_header,
            on_change=lambda: _again(dataset, replace(wished, header=st.session_state[of_header])),
        )


def _repair(dataset: Dataset, repair: Repair) -> None:
    undo = dataset.wished.undo
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escape(repair.said), width="stretch")
        st.button(
            "As at first" if repair.undone else REPAIRS[repair.kind],
            key=f"repair_{repair.kind}_{dataset.digest}",
            icon=":material/redo:" if repair.undone else ":material/undo:",
            on_click=_again,
            args=(
                dataset,
                replace(
                    dataset.wished,
                    undo=tuple(kind for kind in undo if kind != repair.kind)
                    if repair.undone
                    else (*undo, repair.kind),
                ),
            ),
        )


def _notice(dataset: Dataset, notice: Notice, place: int) -> None:
    st.markdown(f":material/visibility: {escape(notice.said)}")
    if notice.low is None or notice.high is None:
        return
    others = tuple(one for one in dataset.wished.bounds if one[0] != notice.column)
    if notice.kind == "bounds":
        st.button(
            "Take all numbers as they are",
            key=f"unbound_{place}_{dataset.digest}",
            icon=":material/undo:",
            on_click=_again,
            args=(dataset, replace(dataset.wished, bounds=others)),
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # Of the file and not of its reading: what is typed stays while something else is undone.
        own = f"{dataset.fingerprints[0]}_{notice.column}"
        keys = [f"{end}_{own}" for end in ("low", "high")]
        st.number_input("At least", value=notice.low, key=keys[0], width=160)
        st.number_input("At most", value=notice.high, key=keys[1], width=160)

        def bound() -> None:
            ends = [float(st.session_state[key]) for key in keys]
            chosen = (*others, (notice.column, ends[0], ends[1]))
            _again(dataset, replace(dataset.wished, bounds=chosen))

        st.button(
            "Take others as missing",
            key=f"bound_{place}_{dataset.digest}",
            on_click=bound,
        )


def _missing(dataset: Dataset) -> None:
    """Which values count as missing, by column; any other can be added."""
    st.markdown("**Which values count as missing**")
    st.caption(
        "Blank cells always do, and what programs write for a missing value, such as NA or NaN. "
        "Words such as None or unknown do among numbers and dates only: among words they may be "
        "an answer. Say it here where that is wrong."
    )
    found = dataset.reading.found[:_MOST]
    if found:
        shown = pd.DataFrame(
            {
                "column": [one.column for one in found],
                "value": [one.text for one in found],
                "records": [one.records for one in found],
                "missing": [one.taken for one in found],
            }
        )
        st.data_editor(
            shown,
            key=_editor(dataset),
            hide_index=True,
            alt="Values that count as missing, or may",
            disabled=["column", "value", "records"],
        )
    else:
        st.markdown("No such value was found.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Column", list(dataset.types), key=f"missing_column_{dataset.digest}", width=220
        )
        st.text_input("Value", key=f"missing_text_{dataset.digest}", max_chars=200, width=180)
        st.button(
            "Apply",
            key=f"missing_apply_{dataset.digest}",
            icon=":material/check:",
            on_click=_again,
            args=(dataset, dataset.wished),
            help="The values that are ticked above, and the one that is written here.",
        )


def _editor(dataset: Dataset) -> str:
    return f"missing_{dataset.digest}"


def _chosen(dataset: Dataset) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What is missing in each column, with what was ticked or written and not yet applied."""
    ticked = dict(enumerate(dataset.reading.found))
    edits = st.session_state.get(_editor(dataset), {}).get("edited_rows", {})
    changed: dict[str, list[Found]] = {}
    for row, edit in edits.items():
        one = ticked.get(int(row))
        if one is not None and bool(edit.get("missing", one.taken)) != one.taken:
            changed.setdefault(one.column, []).append(one)
    chosen = {name: list(texts) for name, texts in dataset.wished.missing}
    for name, ones in changed.items():
        texts = chosen.setdefault(name, _taken(dataset, name))
        for one in ones:
            if one.taken:
                texts[:] = [text for text in texts if text != one.text]
            elif one.text not in texts:
                texts.append(one.text)
    written = str(st.session_state.get(f"missing_text_{dataset.digest}") or "").strip()
    column = str(st.session_state.get(f"missing_column_{dataset.digest}"))
    if written and column in dataset.types:
        texts = chosen.setdefault(column, _taken(dataset, column))
        if written not in texts:
            texts.append(written)
    return tuple((name, tuple(texts)) for name, texts in chosen.items())


def _taken(dataset: Dataset, name: str) -> list[str]:
    return [one.text for one in dataset.reading.found if one.column == name and one.taken]


def _types(dataset: Dataset) -> dict[str, ColumnType]:
    """Types that were picked and have not been applied yet."""
    edits = st.session_state.get(f"types_{dataset.digest}", {}).get("edited_rows", {})
    if not edits:
        return {}
    names = list(summarise(dataset.table)["column"])
    kinds = {names[int(row)]: edit["type"] for row, edit in edits.items() if "type" in edit}
    return {
        name: cast(ColumnType, kind) for name, kind in kinds.items() if kind in get_args(ColumnType)
    }


def _again(dataset: Dataset, wished: Choices) -> None:
    """Read the file again; where that fails the table stays and a sentence says why."""
    missing = _chosen(dataset)
    try:
        new = reread(dataset, replace(wished, missing=missing), _types(dataset))
    except DistprivError as error:
        st.session_state[Key.READING_ERROR] = escape(error)
        return
    replaced(dataset, new)


def replaced(old: Dataset, new: Dataset) -> None:
    """Put the same file, read or typed otherwise, in the place of the table.

    Secrets, statistics, pairs and reference data of one's own go along as far as the columns are
    there.
    """
    state = st.session_state
    columns = set(new.types)
    of: Mapping[str, Callable[[Any], set[str]]] = {
        Key.OWN_SECRETS: lambda one: {cast(SensitiveProperty, one).column},
        Key.OWN_PAIRS: lambda one: {cast(Pair, one).secret.column},
        Key.OWN_STATISTICS: lambda one: set(one.columns),
    }
    for key, named in of.items():
        known = state.setdefault(key, {})
        before = known.get(old.digest, {})
        mine = {label: one for label, one in before.items() if named(one) <= columns}
        if mine:
            known[new.digest] = {**mine, **known.get(new.digest, {})}
    references = state.setdefault(Key.REFERENCES, {})
    if (reference := references.get(old.digest)) is not None and new.digest not in references:
        with suppress(DistprivError):
            moved = replace(new, **_of_reference(reference, new))
            state[Key.REFERENCES] = {new.digest: moved}
    _choose_anew(old, new)
    controls.replace_upload(new)


def _choose_anew(old: Dataset, new: Dataset) -> None:
    """Drop from the controls what was offered of the table and is no more, a label for instance."""
    state = st.session_state
    before = cast("Scenario | None", state.get(Key.SCENARIO))
    if before is None or before.digest != old.digest:
        return
    secrets, statistics = before.secret.label, before.query.labels
    gone = {*old.statistics, *(one.label for one in old.query)} - set(new.statistics)
    gone -= {one.label for one in new.query}
    values: dict[str, object] = {}
    if gone & set(statistics):
        kept = [label for label in statistics if label not in gone]
        values[own_key(new, Key.STAT)] = kept or [one.label for one in new.query]
    if secrets in set(old.secrets) - set(new.secrets) and secrets != new.secret.label:
        values[own_key(new, Key.SECRET)] = new.secret.label
    if values:
        state[Key.PENDING] = {**state.get(Key.PENDING, {}), **values}


def _of_reference(reference: Dataset, new: Dataset) -> dict[str, Any]:
    table = align(reference.table, new.table)
    return {
        "title": reference.title,
        "description": reference.description,
        "table": table,
        "digest": digest(table),
        "content": None,
    }
