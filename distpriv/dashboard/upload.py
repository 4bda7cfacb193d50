"""The dialog that takes a table: what is one row, what is secret, what do outsiders think?"""

from __future__ import annotations

from dataclasses import replace

import distpriv as dp
import streamlit as st

from distpriv.dashboard import page, rows
from distpriv.dashboard.results import Table
from distpriv.dashboard.state import State

TYPES = ["csv", "tsv", "txt", "gz", "zip", "xlsx", "parquet", "json"]


@st.dialog("Check a table of your own", width="medium")
def upload(own: State) -> None:
    """Read a file, ask three questions, and take all at once."""
    file = st.file_uploader(
        "Your table", type=TYPES, help="It stays in this server's memory, and goes with your visit."
    )
    if file is None:
        return
    try:
        frame = parsed(file)
        table = as_records(frame, file)
        secrets = list(table.secrets)
        start = table.start
    except (dp.DistprivError, AttributeError) as error:
        st.error(
            str(error)
            if isinstance(error, dp.DistprivError)
            else "This table has no property to hide."
        )
        return
    secret = st.selectbox(
        "2. Nobody should find out the share of records with …",
        secrets,
        index=secrets.index(start.secret),
        key=f"secret-{file.file_id}-{table.digest[:8]}",
    )
    shares = st.slider(
        "3. Without your figures, what do outsiders think this share is?",
        1.0,
        99.0,
        (45.0, 55.0),
        1.0,
        format="%g %%",
        help="The two ends are what an attacker tries to tell apart. Choose them from what is public, not from the table.",
    )
    own_share = 100 * table.secrets[secret].mask(table.frame).mean()
    inside = shares[0] <= own_share <= shares[1]
    st.caption(
        "Your table lies between them."
        if inside
        else f":orange[Your table lies {'below' if own_share < shares[0] else 'above'} them:] move or widen them. Only you see this."
    )
    if st.button("Check", type="primary", disabled=shares[0] == shares[1], width="stretch"):
        own.upload = table
        own.take(replace(start, secret=secret, shares=shares))
        st.rerun()


def as_records(frame, file) -> Table:
    """Ask what one row is, and say how many records that makes."""
    kind, column = rows.proposed(frame)
    kind = st.segmented_control(
        "1. What is one row?",
        list(rows.KINDS),
        default=kind,
        format_func=rows.KINDS.get,
        required=True,
        key=f"row-{file.file_id}",
    )
    if kind != "record":
        offered = rows.counts_of(frame) if kind == "cell" else rows.names_of(frame)
        if not offered:
            raise dp.DistprivError(
                "No column of whole numbers counts records."
                if kind == "cell"
                else "No column repeats."
            )
        label = "Counted in" if kind == "cell" else "A record is named by"
        column = st.selectbox(
            label,
            offered,
            index=offered.index(column) if column in offered else 0,
            key=f"by-{kind}-{file.file_id}",
        )
    made = rows.records(frame, kind, column)
    counted = f"{page.whole(len(frame))} rows are " if kind != "record" else ""
    st.caption(f"{counted}{page.whole(len(made))} records, {len(made.columns)} columns.")
    return Table("upload", file.name, made, dp.digest(made), {})


def parsed(file):
    """Parse an upload once."""
    if st.session_state.get("parsed", (None,))[0] != file.file_id:
        st.session_state["parsed"] = (file.file_id, dp.read_table(file))
    return st.session_state["parsed"][1]
