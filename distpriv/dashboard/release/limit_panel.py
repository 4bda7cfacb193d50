"""The Release page's limits: what is used of them, what is left, and whether the next one fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from distpriv.charts.limits import limit_bars
from distpriv.dashboard.shell import cache, storage
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.frame import View, sources
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.store import (
    Check,
    LedgerEntry,
    OnRecord,
    Use,
    check_all,
    epsilon_that_fits,
    on_record,
)
from distpriv.store.checks import about_in_words
from distpriv.store.planning import following
from distpriv.store.rows import refused
from distpriv.words import escape, exact, number, percent, share

__all__ = [
    "HIGHEST",
    "LOWEST",
    "NOT_COVERED",
    "Left",
    "about",
    "answer",
    "calibrate",
    "kept",
    "left",
    "picture",
    "take",
]

LOWEST, HIGHEST = 0.001, 100.0
"""ε that the frame takes."""

_MOST_TOLD = 10.0  # times the limit

NOT_COVERED = (
    "A limit does not cover **another table**: one that differs in a single record, or a file that "
    "was saved anew in other words, has another fingerprint, and with it a ledger and limits of "
    "its own. Nor does it cover what is released outside this dashboard."
)


@dataclass(frozen=True, eq=False)
class Left:
    """What the limits in force leave for the release on screen.

    Attributes
    ----------
    checks : tuple of Check
        One for every limit in force.
    blind : str
        Why it is not known which limits there are; empty if it is.
    upcoming : bool
        Whether there is a release on screen that could be made.
    """

    checks: tuple[Check, ...] = ()
    blind: str = ""
    upcoming: bool = False

    @property
    def refusal(self) -> str:
        """Why the release is refused; empty if it is not."""
        return self.blind or " ".join(each.refusal for each in self.checks if not each.fits)

    @property
    def can_calibrate(self) -> bool:
        """Whether another ε could fit."""
        return bool(self.checks) and not any(each.uncounted for each in self.checks)


def kept(dataset: Dataset, unrecorded: Sequence[LedgerEntry]) -> OnRecord:
    """Releases and limits of the data, and this session's releases that the ledger has not."""
    prints = dataset.fingerprints
    found = storage.ask(lambda store: on_record(store, *prints)) or OnRecord()
    known = {entry.token for entry in found.made}
    more = [entry for entry in unrecorded if entry.token not in known and entry.digest in prints]
    made = sorted([*found.made, *more], key=lambda entry: entry.at)
    return replace(found, made=tuple(made))


def left(view: View | None, dataset: Dataset, found: OnRecord) -> Left:
    """What the limits leave; where the ledger cannot be read nothing may be released."""
    if silent := storage.silent():
        return Left(
            blind=f"{silent.message} A limit may be agreed on there, so nothing is released until "
            "it answers."
        )
    if found.unreadable:
        said = refused(found.unreadable)
        return Left(blind=f"Nothing more is released of this table: {said}")
    limits = [limit for limit in found.limits if limit.in_force]
    if not limits:
        return Left()
    upcoming = None if view is None or view.noise.is_zero else view
    entry = None if upcoming is None else following(upcoming)
    known = sources(dataset)
    checks = cache.computed(
        lambda: check_all(found.limits, found.made, entry, known),
        f"limits {about(dataset, found, upcoming)}",
        saying="Checking the limits …",
    )
    return Left(checks, upcoming=upcoming is not None)


def about(dataset: Dataset, found: OnRecord, view: View | None) -> str:
    """All that follows from the records, the ledger, the limits and the release on screen."""
    scenario = None if view is None else replace(view.scenario, view="analyst", look="")
    tokens, versions = found.mark
    unreadable = [entry.token for entry in found.made if entry.scenario is None]
    known = sorted(sources(dataset))
    return repr((dataset.digest, known, sorted(tokens), unreadable, sorted(versions), scenario))


def answer(here: Left) -> str:
    """How much of the limits is used, and whether the next release fits."""
    checks = here.checks
    if blocked := next((each for each in checks if each.uncounted), None):
        return f"**Nothing can be released**: {escape(blocked.refusal)}"
    each = max(checks, key=lambda check: check.excess)
    use = each.tightest
    assert use is not None
    about = escape(about_in_words(each.limit))
    which = "the agreed limit" if len(checks) == 1 else f"the tightest of {len(checks)} limits"
    start = f"Of {which} on {about}, {_limit(use)}, **{_part(use, use.used)}** is used so far"
    if not here.upcoming:
        return f"{start}: {_value(use, use.used)}."
    most = "" if use.exact else "at most "
    then = f"{most}**{_part(use, use.after)}** with this release ({_value(use, use.after)})"
    if each.fits:
        return f"{start}, and {then}: **it fits**."
    return (
        f"{start}, and it would be {then}: **it does not fit**, by {_beyond(use)}, and is refused."
    )


def _part(use: Use, value: float) -> str:
    part = use.part(value)
    return percent(part, 0) if part <= _MOST_TOLD else f"more than {percent(_MOST_TOLD, 0)}"


def _limit(use: Use) -> str:
    if use.measure == "accuracy":
        return f"right in at most {share(use.limit)}"
    whom = "" if use.measure == "budget" else " about each record"
    return f"ε\u00a0=\u00a0{exact(use.limit)} at δ\u00a0=\u00a0{exact(use.delta or 0)}{whom}"


def _value(use: Use, value: float) -> str:
    if use.measure == "accuracy":
        return f"right in {percent(value)}"
    return f"ε\u00a0=\u00a0{number(value)}"


def _beyond(use: Use) -> str:
    if use.measure == "accuracy":
        return f"{number(100 * use.beyond)} percentage points"
    return f"ε\u00a0=\u00a0{number(use.beyond)}"


def picture(checks: Sequence[Check]) -> None:
    """What is used, what this release takes, and what is left, in bars."""
    rows = [(about_in_words(each.limit), use) for each in checks for use in each.uses]
    if rows:
        display.chart(limit_bars(rows), "limit_bars")
        st.caption(NOT_COVERED)


def calibrate(view: View, found: OnRecord, here: Left) -> None:
    """Set ε so that the next release just fits."""
    if not here.can_calibrate:
        return
    if st.button(
        "Calibrate to what is left",
        key="limit_calibrate",
        icon=":material/straighten:",
        help="Sets ε to the largest one at which this release keeps every limit.",
    ):
        with st.spinner("Looking for the largest ε that fits …"):
            epsilon = epsilon_that_fits(
                view, found.limits, found.made, sources(view.dataset), low=LOWEST, high=HIGHEST
            )
        if epsilon is None:
            st.error(
                f"Nothing is left: even at ε = {LOWEST:g} this release would exceed a limit. "
                "Release less, or agree on another limit.",
                icon=":material/error:",
            )
            return
        take(epsilon)
        st.rerun()


def take(epsilon: float) -> None:
    """Set the frame's ε when it is drawn next."""
    st.session_state[Key.PENDING] = {Key.EPS: epsilon}
