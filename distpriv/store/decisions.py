"""Decisions: who proposes which ε, why, what else there was, and what became of it.

A decision is the row of its revisions. Whoever changes it says which version they have seen;
if there is a later one by then, nothing is written and they are told of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, get_args
from uuid import uuid4

from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from distpriv.analysis.decision import Alternative, Decision, Revision, Status, moment
from distpriv.analysis.error_sizes import ErrorSize
from distpriv.analysis.person import Verified, same_person
from distpriv.errors import ConflictError, StoreError
from distpriv.store import trail
from distpriv.store.engine import Store
from distpriv.store.failures import TakenError
from distpriv.store.models import RevisionRow
from distpriv.store.rows import Found, check_fields, collected, refused
from distpriv.store.texts import cleaned, same_name, title
from distpriv.store.trail import Vouched
from distpriv.words import listed

__all__ = [
    "MOST_ALTERNATIVES",
    "all_decisions",
    "by_two",
    "check_second",
    "decisions_in",
    "one_decision",
    "propose",
    "revise",
    "settle",
]

MOST_ALTERNATIVES = 20


def propose(
    store: Store,
    *,
    author: str,
    reason: str,
    data: str,
    digest: str,
    alternatives: Sequence[Alternative],
    chosen: str,
    verified: Verified | None = None,
) -> Decision:
    """Put a proposal on record.

    Parameters
    ----------
    store : Store
    author, reason : str
        Not empty.
    data, digest : str
        Title and fingerprint of the data.
    alternatives : sequence of Alternative
        At most 20, of different names.
    chosen : str
        Name of one of them.
    verified : Verified or None
        Who vouches for the author's name.

    Raises
    ------
    StoreError
        If a text is missing or too long, or the database fails; nothing is kept then.
    """
    first = Revision(
        version=1,
        at=datetime.now(UTC),
        author=cleaned(author, "name", required=True),
        status="proposed",
        reason=cleaned(reason, "reason", required=True),
        comment="",
        chosen=chosen,
        alternatives=_checked(alternatives, chosen),
        verified=verified,
    )
    decision = Decision(uuid4().hex, title(data), digest, (first,))
    with store.writing() as session:
        trail.by(session, verified)
        session.add(_row(decision, first))
    return decision


def revise(
    store: Store,
    key: str,
    version: int,
    *,
    author: str,
    reason: str,
    alternatives: Sequence[Alternative],
    chosen: str,
    verified: Verified | None = None,
) -> Decision:
    """Change a decision that is proposed and not yet agreed or rejected.

    Parameters
    ----------
    version : int
        The one that the author has seen.

    Other parameters and errors are those of :func:`propose`.

    Raises
    ------
    ConflictError
        If there is a later version; nothing is written.
    """
    return _append(
        store,
        key,
        version,
        author=cleaned(author, "name", required=True),
        reason=cleaned(reason, "reason", required=True),
        chosen=chosen,
        alternatives=_checked(alternatives, chosen),
        verified=verified,
    )


def settle(
    store: Store,
    key: str,
    version: int,
    *,
    author: str,
    status: Status,
    comment: str = "",
    verified: Verified | None = None,
) -> Decision:
    """Agree to a proposed decision or reject it.

    Parameters
    ----------
    version : int
        The one that the author has seen.
    author : str
        Who agrees or rejects; not empty, and none of those who proposed or changed it.
    status : "agreed" or "rejected"
    comment : str
    verified : Verified or None
        Who vouches for the author's name.

    Raises
    ------
    ConflictError
        If there is a later version; nothing is written.
    StoreError
        As :func:`propose`, and if it is somebody who proposed or changed it.
    """
    if status not in get_args(Status) or status == "proposed":
        raise StoreError(f"A decision is agreed or rejected, got {status!r}.")
    return _append(
        store,
        key,
        version,
        author=cleaned(author, "name", required=True),
        status=status,
        comment=cleaned(comment, "comment"),
        verified=verified,
    )


def all_decisions(store: Store, digest: str | None = None) -> Found[Decision]:
    """Every decision, or those about the data of one fingerprint, the latest change first."""
    with store.reading() as session:
        return decisions_in(session, *(() if digest is None else (digest,)))


def decisions_in(session: Session, *digests: str) -> Found[Decision]:
    """The same in a session of the store that is open already, of any of some fingerprints."""
    return _found(session, RevisionRow.digest.in_(digests) if digests else None)


def one_decision(store: Store, key: str) -> Decision:
    """A decision by its key; raises StoreError if there is none."""
    with store.reading() as session:
        return _one(session, key)


def check_second(decision: Decision, author: str, verified: Verified | None = None) -> None:
    """Raise StoreError if somebody who proposed or changed a decision would agree to it.

    Parameters
    ----------
    decision : Decision
    author : str
        Who agrees or rejects. Case, blanks and how letters are coded make no other name.
    verified : Verified or None
        Who vouches for that name. Two people that one provider knows are two, whatever their
        names; wherever a name was typed, names are compared.
    """
    if any(
        _same(author, verified, each) for each in decision.revisions if each.status == "proposed"
    ):
        raise StoreError(
            f"This decision was proposed or changed by {listed(decision.proposers)}, so somebody "
            f"else has to agree to it or reject it, got the name {author!r}."
        )


def by_two(decision: Decision) -> bool:
    """Whether its latest version is of somebody who neither proposed nor changed it."""
    now = decision.now
    return not any(
        _same(now.author, now.verified, each)
        for each in decision.revisions
        if each.status == "proposed"
    )


def _same(author: str, verified: Verified | None, other: Revision) -> bool:
    known = same_person(verified, other.verified)
    return same_name(author, other.author) if known is None else known


def _append(store: Store, key: str, version: int, **changes: Any) -> Decision:
    """Add the next revision to the version that was seen, unless somebody else has."""
    try:
        with store.writing() as session:
            trail.by(session, changes["verified"])
            before = _one(session, key)
            _check_latest(before, version)
            if "status" in changes:
                check_second(before, changes["author"], changes["verified"])
            after = replace(before.now, version=version + 1, at=datetime.now(UTC), **changes)
            session.add(_row(before, after))
            session.flush()
            return replace(before, revisions=(*before.revisions, after))
    except TakenError:
        _check_latest(one_decision(store, key), version)
        raise StoreError("The decision could not be changed; open it again.") from None


def _check_latest(decision: Decision, version: int) -> None:
    now = decision.now
    if now.version != version:
        seen = next(
            (revision for revision in decision.revisions if revision.version == version), None
        )
        raise ConflictError(
            f"{now.author} {_verb(now)} this decision on {moment(now.at)}, after you opened it"
            f"{_difference(seen, now)}; what you did was not written over it."
        )
    if now.status != "proposed":
        raise ConflictError(
            f"{now.author} {_verb(now)} this decision on {moment(now.at)}, so it cannot be "
            "changed any more; propose a new one."
        )


def _verb(revision: Revision) -> str:
    return {"proposed": "changed", "agreed": "agreed to", "rejected": "rejected"}[revision.status]


def _difference(before: Revision | None, now: Revision) -> str:
    """What is different, in brackets."""
    if before is None:
        return ""
    differences = []
    if before.choice.epsilon != now.choice.epsilon:
        differences.append(f"ε from {before.choice.epsilon:g} to {now.choice.epsilon:g}")
    if before.choice.mechanism != now.choice.mechanism:
        differences.append(f"{before.choice.mechanism} to {now.choice.mechanism}")
    if before.choice.scenario != now.choice.scenario and not differences:
        differences.append("another scenario")
    if before.reason != now.reason:
        differences.append("another reason")
    return f" ({', '.join(differences)})" if differences else ""


def _one(session: Session, key: str) -> Decision:
    found = _found(session, RevisionRow.decision == key)
    if any(each.key == key for each in found.unreadable):
        raise StoreError(refused([each for each in found.unreadable if each.key == key]))
    if not found:
        raise StoreError("The decision is not in the database any more; it was opened elsewhere.")
    return found[0]


def _found(session: Session, where: ColumnElement[bool] | None) -> Found[Decision]:
    found = collected(session, RevisionRow, where, _decision)
    found.sort(key=lambda each: each.now.at, reverse=True)
    return found


def _checked(alternatives: Sequence[Alternative], chosen: str) -> tuple[Alternative, ...]:
    names = [alternative.name for alternative in alternatives]
    if chosen not in names:
        raise StoreError("A decision must be for one of the alternatives; choose one.")
    if len(set(names)) < len(names):
        raise StoreError("Two of the alternatives have the same name; rename one.")
    if len(names) > MOST_ALTERNATIVES:
        raise StoreError(
            f"A decision holds {MOST_ALTERNATIVES} alternatives at most, got {len(names)}; leave "
            "some out."
        )
    return tuple(alternatives)


def _row(decision: Decision, revision: Revision) -> RevisionRow:
    return RevisionRow(
        decision=decision.key,
        version=revision.version,
        at=revision.at,
        author=revision.author,
        status=revision.status,
        reason=revision.reason,
        comment=revision.comment,
        digest=decision.digest,
        data=decision.data,
        epsilon=revision.choice.epsilon,
        delta=revision.choice.delta,
        chosen=revision.chosen,
        alternatives=[_plain(alternative) for alternative in revision.alternatives],
    )


def _plain(values: Any) -> dict[str, Any]:
    """A dataclass as JSON has it, which knows no infinity."""
    plain = {
        field.name: None if isinstance(value, float) and not math.isfinite(value) else value
        for field in fields(values)
        for value in (getattr(values, field.name),)
    }
    if isinstance(values, Alternative):
        plain["errors"] = [_plain(size) for size in values.errors]
    return plain


def _alternative(plain: dict[str, Any]) -> Alternative:
    values = {field.name: plain.get(field.name) for field in fields(Alternative)}
    for name in ("undefended", "accuracy", "error", "promised"):
        values[name] = math.nan if values[name] is None else values[name]
    # Earlier versions knew none of these.
    values["per_record"] = values["per_record"] or ""
    values["promise"] = values["promise"] or ""
    values["errors"] = tuple(map(_error, values["errors"] or ()))
    read = Alternative(**values)  # type: ignore[arg-type]
    for each in (read, *read.errors):
        check_fields(each)
    return read


def _error(plain: dict[str, Any]) -> ErrorSize:
    error, deviation = (
        math.inf if plain[name] is None else plain[name] for name in ("error", "deviation")
    )
    return ErrorSize(plain["label"], plain["unit"], error, deviation, plain["n"])


def _decision(rows: Sequence[RevisionRow], known: Vouched) -> Decision:
    for row in rows:
        if row.status not in get_args(Status):
            raise ValueError("no status")
        if row.chosen not in [plain["name"] for plain in row.alternatives]:
            raise ValueError("what was chosen is not there")
    return Decision(
        rows[0].decision,
        rows[0].data,
        rows[0].digest,
        tuple(
            Revision(
                version=row.version,
                at=row.at,
                author=row.author,
                status=row.status,  # type: ignore[arg-type]
                reason=row.reason,
                comment=row.comment,
                chosen=row.chosen,
                alternatives=tuple(map(_alternative, row.alternatives)),
                verified=known.get((row.decision, row.version)),
            )
            for row in rows
        ),
    )
