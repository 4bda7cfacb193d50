"""How many records are released: n of them, or the whole table; examples and uploads apart."""

from __future__ import annotations

from typing import cast, get_args

import streamlit as st

from distpriv.dashboard.shell import cache, putting, scanning, settings
from distpriv.dashboard.shell.dataset import Dataset, Origin
from distpriv.dashboard.shell.places import Places, said
from distpriv.dashboard.shell.state import Key
from distpriv.model.theta import ShareOf
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.words import number

__all__ = ["FEWEST", "MOST", "START", "draw", "follow", "share_of"]

FEWEST, START, MOST = 2, 100, 1_000_000


def follow(origin: Origin) -> None:
    """Go on with the size last released of data of that origin, when others were shown.

    Parameters
    ----------
    origin : "example", "upload" or "source"
        Of what is shown from now on. An upload and a source start whole, an example with 100
        records.
    """
    state = st.session_state
    known = cast("Dataset | None", state.get(Key.DATASET))
    before: Origin = "example" if known is None else known.origin
    if before == origin:
        return
    sizes = state.setdefault(Key.SIZES, {})
    sizes[before] = (state.get(Key.N, START), state.get(Key.WHOLE, False))
    start = cast(Dataset, state[Key.UPLOAD]).start_n if origin == "upload" else START
    size = sizes.get(origin, (start, origin != "example"))
    putting.put(dict(zip((Key.N, Key.WHOLE), size, strict=True)))


def draw(
    places: Places, dataset: Dataset, query: Query, secret: SensitiveProperty
) -> tuple[bool, int, int | None]:
    """Draw the number of records; return whether all are released, n, and how many all are.

    The size of the whole table has a box of its own, so that n is there again when a sample is
    released, and so that the size of an upload stays out of the address.
    """
    state = st.session_state
    whole = str(said(Key.WHOLE, False)).lower() == "true"
    found = _all(dataset, query, secret) if whole else None
    shown = places.blank("size", _in_words(found))
    box = shown.container()
    whole = (shown if places.in_sentence else places.whole).toggle(
        "Release the whole table",
        key=Key.WHOLE,
        bind="query-params",
        help="The table itself is the dataset: n is its number of complete records, thought of as "
        "drawn, with replacement, from the table or from reference data of the same kind.",
    )
    label = "n: records in the release"
    if not whole:
        n = box.number_input(
            label,
            FEWEST,
            MOST,
            START,
            key=Key.N,
            bind="query-params",
            help="The statistics are computed from n records; the model says how they vary.",
        )
        return False, int(n), None
    found = _all(dataset, query, secret) if found is None else found
    state[Key.N] = n = _kept()
    state[Key.N_WHOLE] = found
    box.number_input(
        label,
        key=Key.N_WHOLE,
        step=1,
        disabled=True,
        help="All records of the table that miss no value in a column in use.",
    )
    return True, n, found


def _all(dataset: Dataset, query: Query, secret: SensitiveProperty) -> int:
    """Complete records; all there are, as long as a source is being asked for those."""
    if not scanning.known(dataset, query, secret):
        return dataset.size
    return cache.computed(Dataset.complete, dataset, query, secret)


def _in_words(found: int | None) -> str:
    if found is not None:
        return f"all {number(found)} records"
    n = str(said(Key.N, START))
    asked = int(n) if n.isdecimal() else START
    return f"{number(asked if FEWEST <= asked <= MOST else START)} records"


def _kept() -> int:
    """The n of a sample while none is drawn: as set before, or as the address has it."""
    if Key.N in st.session_state:
        return int(st.session_state[Key.N])
    asked = settings.linked(Key.N)
    known = asked[0] if asked else ""
    return min(max(int(known), FEWEST), MOST) if known.isdecimal() else START


def share_of(whole: bool, *, several: bool) -> ShareOf:
    """Draw whose share is hidden: that of the released records, or that of the table."""
    chosen: ShareOf = st.segmented_control(
        "Hide the share of",
        get_args(ShareOf),  # as they stand: the address takes an option as it is shown
        default="release",
        required=True,
        key=Key.SHARE_OF,
        bind="query-params",
        disabled=whole or several,
        help="*release*: the released records; they are drawn with exactly the table's share of "
        "the property, as the papers assume. *table*: all its records; the released ones are drawn "
        "at random, so that their share varies by itself and less noise is needed.",
    )
    if several and not whole:
        st.caption("With several properties, the shares of the table are hidden.")
    return chosen
