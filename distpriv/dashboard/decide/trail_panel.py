"""The Decide page's audit trail: who did what, whether it is unbroken, and a file of it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from distpriv.analysis.decision import moment
from distpriv.dashboard.serving import people
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display, downloads
from distpriv.errors import StoreError
from distpriv.store.audit import (
    LIMITS_OF_A_CHAIN,
    TrailRow,
    check_trail,
    export_trail,
    trail,
)
from distpriv.words import escape

__all__ = ["draw"]

_SHOWN = 200  # rows


def draw() -> None:
    """The trail, for approvers; nothing where nobody signs in."""
    if not people.on():
        return
    if not people.may("audit"):
        storage.barred("audit")
        return
    with st.expander("Audit trail", icon=":material/history_edu:"):
        rows = storage.ask(lambda store: trail(store, _SHOWN))
        if not rows:
            st.caption("No row yet." if rows is not None else "The trail cannot be read now.")
            return
        st.markdown(
            f"Who proposed, changed, agreed, rejected, released, set limits, signed in and out: "
            f"{rows[-1].number} rows, the last at {moment(rows[-1].at)}."
            + (f" The latest {_SHOWN} are shown." if rows[0].number > 1 else "")
        )
        display.table(pd.DataFrame(map(_line, reversed(rows))), "audit_trail")
        _checking()
        row = st.container(horizontal=True)
        row.download_button(
            "JSON, to be checked",
            lambda: storage.keep(export_trail).encode(),
            file_name=f"{downloads.file_name('audit-trail')}.json",
            mime="application/json",
            icon=":material/download:",
            key="trail_json",
            on_click="ignore",
            help="All rows with their hashes and the head; distpriv.store.audit.check_file checks "
            "it without the database.",
        )
        downloads.csv_button(
            row,
            lambda: pd.DataFrame([_line(each) | _hashes(each) for each in storage.keep(trail)]),
            "audit_trail_all",
        )
        st.caption(LIMITS_OF_A_CHAIN)


def _line(row: TrailRow) -> dict[str, object]:
    return {
        "Row": row.number,
        "When": moment(row.at),
        "Who": row.signed or "–",
        "Role": row.role or "–",
        "What": row.act,
        "On": f"{row.about[:6]}, version {row.version}" if row.version else row.about[:6],
        "Hash": row.hash[:12],
    }


def _hashes(row: TrailRow) -> dict[str, object]:
    return {
        "Hash": row.hash,
        "Hash of the row before": row.before,
        "Hash of what was written": row.told or "–",
        "Key": row.about,
        "Issuer": row.issuer,
        "Subject": row.subject,
        "Data": row.data,
    }


def _checking() -> None:
    with st.form("trail_check", border=False):
        st.text_input(
            "A head that was kept earlier",
            key=Key.TRAIL_HEAD,
            placeholder="412:5a…; without it, rows that were cut off do not show",
            max_chars=100,
        )
        st.form_submit_button("Check the trail", icon=":material/rule:", on_click=_check)
    found: tuple[bool, str] | None = st.session_state.get(Key.TRAIL_FOUND)
    if found is not None:
        right, said = found
        (st.success if right else st.error)(
            said, icon=":material/check:" if right else ":material/error:"
        )


def _check() -> None:
    state = st.session_state
    try:
        found = storage.keep(check_trail, str(state[Key.TRAIL_HEAD] or ""))
    except StoreError as error:
        state[Key.TRAIL_FOUND] = False, escape(error)
        return
    said = escape(found.sentence)
    if not found.wrong:
        said += f" Its head, to be kept elsewhere: `{found.head}`"
    state[Key.TRAIL_FOUND] = not found.wrong, said
