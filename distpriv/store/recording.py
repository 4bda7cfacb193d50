"""A release goes into the ledger, unless it lacks its grounds or would exceed a limit by then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from distpriv.analysis.fitting import Groups
from distpriv.errors import LimitError, StoreError
from distpriv.store import trail
from distpriv.store.checks import check_all, refuse
from distpriv.store.engine import Store
from distpriv.store.failures import TakenError
from distpriv.store.ledger import LedgerEntry, entries_in, row_of
from distpriv.store.limits import AgreedLimit, limits_in
from distpriv.store.matching import deciding, grounds_missing, matching_in
from distpriv.store.models import ReleaseRow
from distpriv.store.rows import Unreadable, refused
from distpriv.store.texts import cleaned

__all__ = ["NoReasonError", "OnRecord", "on_record", "record"]

_ROUNDS = 200


class NoReasonError(StoreError):
    """A release without an agreed decision for it, or without a promise, and without a reason."""


@dataclass(frozen=True, eq=False)
class OnRecord:
    """Releases and limits of one table, as they stand at one moment.

    Attributes
    ----------
    made : tuple of LedgerEntry
    limits : tuple of AgreedLimit
        Lifted ones among them.
    unreadable : tuple of Unreadable
        Releases and limits that cannot be read: nothing more is released while there are any.
    """

    made: tuple[LedgerEntry, ...] = ()
    limits: tuple[AgreedLimit, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def mark(self) -> tuple[frozenset[str], frozenset[tuple[str, int, str]]]:
        """What changes with every release and with every version of a limit.

        Another database, or one put back from a copy, counts its versions anew: what they agree on
        is part of it.
        """
        tokens = frozenset(entry.token for entry in self.made)
        versions = ((limit.key, limit.now.version, limit.now.terms) for limit in self.limits)
        return tokens, frozenset((key, number, repr(terms)) for key, number, terms in versions)


def on_record(store: Store, *digests: str) -> OnRecord:
    """Releases and limits of the data of any of some fingerprints, read at one moment.

    Raises
    ------
    StoreError
        If the database fails.
    """
    with store.reading() as session:
        return _on_record(session, digests, has_limits=store.has_limits)


def _on_record(session: Session, digests: tuple[str, ...], *, has_limits: bool = True) -> OnRecord:
    found = [limits_in(session, digest) for digest in digests] if has_limits else []
    made = entries_in(session, *digests)
    unreadable = (*made.unreadable, *(each for some in found for each in some.unreadable))
    limits = tuple(limit for some in found for limit in some)
    return OnRecord(tuple(made), limits, tuple(dict.fromkeys(unreadable)))


def record(
    store: Store,
    entry: LedgerEntry,
    sources: Mapping[str, Groups] | None = None,
    *,
    out: bool = False,
) -> None:
    """Put a release into the ledger; one that is there already stays as it is.

    It rests on an agreed decision for exactly this release, whose key is recorded with it, or it
    has a reason.

    What the limits leave is computed from what was read a moment before. It is written only while
    that is still so; if somebody else has released or agreed on something in between, it is
    computed again. So no two releases fit into what is left for one.

    Parameters
    ----------
    store : Store
    entry : LedgerEntry
    sources : mapping of fingerprint to Groups, optional
        What limits are checked with, as :func:`distpriv.store.check` has it. Without it the
        release is refused as soon as there is a limit.
    out : bool
        Whether somebody has seen the values already, where there was no database. It counts
        then, whatever the limits say, and what comes after it is refused.

    Raises
    ------
    LimitError
        If it would exceed a limit, or cannot be checked against one; nothing is kept then.
    StoreError
        If no agreed decision is for it, or its mechanism promises nothing, and it has no reason;
        if a text is too long, or the database fails; nothing is kept then.
    """
    row_of(entry)  # it can be one at all
    digests = _digests(entry)
    with store.reading() as session:
        if session.scalar(select(ReleaseRow.number).where(ReleaseRow.token == entry.token)):
            return
        row = row_of(_grounded(session, entry, digests))
    seen: OnRecord | None = None
    try:
        for _ in range(_ROUNDS):
            with store.exclusive(entry.digest) as session:
                trail.by(session, entry.verified)
                if out or _still(session, digests, seen):
                    session.add(row)
                    session.flush()
                    return
            seen = on_record(store, *digests)
            if any(other.token == entry.token for other in seen.made):
                return
            _check(seen, entry, sources)
    except TakenError:
        return
    raise StoreError(f"The {store.place} is busy with releases of these data; try again later.")


def _grounded(session: Session, entry: LedgerEntry, digests: tuple[str, ...]) -> LedgerEntry:
    """With the decision that it rests on. What is agreed stays so: it need not be asked again."""
    assert entry.scenario is not None
    found = matching_in(session, entry.scenario, *digests)
    missing = grounds_missing(entry.scenario, found)
    if missing and not cleaned(entry.reason, "reason"):
        raise NoReasonError(f"{' '.join(missing)} To release it all the same, give a reason.")
    agreed = deciding(found)
    return replace(entry, decision="" if agreed is None else agreed.key)


def _still(session: Session, digests: tuple[str, ...], seen: OnRecord | None) -> bool:
    """Whether there is no limit, or nothing has changed since it was checked."""
    now = _on_record(session, digests)
    if now.unreadable:
        raise LimitError(f"Nothing more is released of this table: {refused(now.unreadable)}")
    if not any(limit.in_force for limit in now.limits):
        return True
    return seen is not None and seen.mark == now.mark


def _digests(entry: LedgerEntry) -> tuple[str, ...]:
    assert entry.scenario is not None
    return tuple(dict.fromkeys((entry.digest, entry.scenario.digest)))


def _check(seen: OnRecord, entry: LedgerEntry, sources: Mapping[str, Groups] | None) -> None:
    if not any(limit.in_force for limit in seen.limits):
        return
    if sources is None:
        raise LimitError(
            "There is an agreed limit for these data, and what is left of it cannot be computed "
            "without their records; give the table."
        )
    refuse(check_all(seen.limits, seen.made, entry, sources))
