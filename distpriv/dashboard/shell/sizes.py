"""How many records are released: n of them, or the whole table; examples and uploads apart."""

from __future__ import annotations

from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.dashboard.shell import cache, settings
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query

__all__ = ["FEWEST", "MOST", "START", "follow", "records"]

FEWEST, START, MOST = 2, 100, 1_000_000


def follow(upload: bool) -> None:
    """Go on with the size last released of examples, or of uploads, when the other was shown.

    Parameters
    ----------
    upload : bool
        Whether an upload is shown from now on. It starts whole, an example with 100 records.
    """
    state = st.session_state
    known = cast("Dataset | None", state.get(Key.DATASET))
    was_upload = known is not None and known.origin == "upload"
    if was_upload == upload:
        return
    sizes = state.setdefault(Key.SIZES, {})
    sizes[was_upload] = (state.get(Key.N, START), state.get(Key.WHOLE, False))
    start = cast(Dataset, state[Key.UPLOAD]).start_n if upload else START
    state[Key.N], state[Key.WHOLE] = sizes.get(upload, (start, upload))


def records(
    place: DeltaGenerator,
    dataset: Dataset,
    query: Query,
    secret: SensitiveProperty,
    *,
    whole: bool,
) -> tuple[int, int | None]:
    """Draw the number of records; return n, and the records of the whole table if it is released.

    The size of the whole table has a box of its own, so that n is there again when a sample is
    released, and so that the size of an upload stays out of the address.
    """
    state, label = st.session_state, "n: records in the release"
    if not whole:
        n = place.number_input(
            label,
            FEWEST,
            MOST,
            START,
            key=Key.N,
            bind="query-params",
            help="The statistics are computed from n records; the model says how they vary.",
        )
        return int(n), None
    state[Key.N] = n = _kept()
    state[Key.N_WHOLE] = found = cache.computed(Dataset.complete, dataset, query, secret)
    place.number_input(
        label,
        key=Key.N_WHOLE,
        step=1,
        disabled=True,
        help="All records of the table that miss no value in a column in use.",
    )
    return n, found


def _kept() -> int:
    """The n of a sample while none is drawn: as set before, or as the address has it."""
    if Key.N in st.session_state:
        return int(st.session_state[Key.N])
    asked = settings.linked(Key.N)
    known = asked[0] if asked else ""
    return min(max(int(known), FEWEST), MOST) if known.isdecimal() else START
