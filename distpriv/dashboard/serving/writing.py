"""The one place of the dashboard in which anything goes on record: by whom, and whether they may.

Names come from the sign-in, whatever has been typed; only who has not signed in, where visitors
may write at all, goes on record as typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from distpriv.analysis.decision import Alternative, Decision, Status
from distpriv.analysis.fitting import Groups
from distpriv.analysis.person import Verified
from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.serving import people
from distpriv.dashboard.serving.people import Action, NotAllowedError
from distpriv.dashboard.shell import storage
from distpriv.store import AgreedLimit, LedgerEntry, Terms, open_store
from distpriv.store import agree as _agree
from distpriv.store import propose as _propose
from distpriv.store import record as _record
from distpriv.store import revise as _revise
from distpriv.store import settle as _settle
from distpriv.store.audit import set_aside as _set_aside

__all__ = ["By", "agree", "propose", "record", "releasing", "revise", "set_aside", "settle"]


class By(TypedDict):
    """A name, and who vouches for it."""

    author: str
    verified: Verified | None


def _by(action: Action, typed: str) -> By:
    person = people.require(action)
    if person is None:
        return {"author": typed, "verified": None}
    return {"author": person.name, "verified": person.verified}


def propose(
    author: str,
    reason: str,
    data: str,
    digest: str,
    alternatives: Sequence[Alternative],
    chosen: str,
) -> Decision:
    """Propose a decision, as :func:`distpriv.store.propose`; raises StoreError."""
    return storage.keep(
        _propose,
        **_by("propose", author),
        reason=reason,
        data=data,
        digest=digest,
        alternatives=alternatives,
        chosen=chosen,
    )


def revise(
    key: str,
    version: int,
    author: str,
    reason: str,
    alternatives: Sequence[Alternative],
    chosen: str,
) -> Decision:
    """Change a proposal, as :func:`distpriv.store.revise`; raises StoreError."""
    return storage.keep(
        _revise,
        key,
        version,
        **_by("propose", author),
        reason=reason,
        alternatives=alternatives,
        chosen=chosen,
    )


def settle(key: str, version: int, author: str, status: Status, comment: str) -> Decision:
    """Agree or reject, as :func:`distpriv.store.settle`; raises StoreError."""
    return storage.keep(
        _settle, key, version, **_by("settle", author), status=status, comment=comment
    )


def agree(
    version: int,
    author: str,
    reason: str,
    data: str,
    digest: str,
    scenario: Scenario,
    terms: Terms,
) -> AgreedLimit:
    """Set, change or lift a limit, as :func:`distpriv.store.agree`; raises StoreError."""
    return storage.keep(
        _agree,
        version,
        **_by("limit", author),
        reason=reason,
        data=data,
        digest=digest,
        scenario=scenario,
        terms=terms,
    )


def set_aside(author: str) -> Path:
    """Keep a damaged database aside and begin a new one; raises StoreError.

    No limit counts any more then, so it takes the role that lifts them. Whether a sign-in has been
    ended elsewhere stands in the database that cannot be read.
    """
    if not people.may("limit"):
        raise NotAllowedError(people.refusal("limit"))
    person = people.now()
    if person is None:
        return storage.keep(_set_aside, author)
    return storage.keep(_set_aside, person.name, person.verified)


def releasing(author: str) -> By:
    """Under whose name a release is about to be drawn; raises NotAllowedError if they may not."""
    return _by("release", author)


def record(entry: LedgerEntry, sources: Mapping[str, Groups], *, out: bool) -> None:
    """Put a release into the ledger, as :func:`distpriv.store.record`; raises DistprivError.

    Whoever drew it was allowed to; that it is kept is nobody's to refuse once it is out.
    """
    if not out:
        people.require("release")
    # Without a look at the session's state: a second click would cut the run short there, with
    # numbers drawn and nobody told what became of them.
    _record(open_store(), entry, sources, out=out)
