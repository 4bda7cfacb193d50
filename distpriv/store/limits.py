"""Agreed limits: what all releases of one table may give away together of a secret.

A limit is the row of its versions, as a decision is. Whoever changes it says which version they
have seen; if there is a later one by then, nothing is written and they are told of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b

from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from distpriv.analysis.decision import moment
from distpriv.analysis.person import Verified, signed
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import read_scenario, write_scenario
from distpriv.errors import ConflictError, ScenarioError, StoreError
from distpriv.queries.properties import Pair
from distpriv.store import trail
from distpriv.store.engine import Store
from distpriv.store.failures import TakenError
from distpriv.store.models import LimitRow
from distpriv.store.rows import Found, collected, refused
from distpriv.store.texts import cleaned, title
from distpriv.store.trail import Vouched
from distpriv.words import exact, listed, share

__all__ = [
    "AgreedLimit",
    "Budget",
    "LimitVersion",
    "Terms",
    "agree",
    "limit_key",
    "limits",
    "limits_in",
    "terms_in_words",
]


@dataclass(frozen=True)
class Budget:
    """An ε at a δ, that all releases together may deliver.

    Attributes
    ----------
    epsilon : float, positive and finite
    delta : float in (0, 1)
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < math.inf:
            raise StoreError(f"A limit's ε must be a positive number, got ε = {self.epsilon:g}.")
        if not 0 < self.delta < 1:
            raise StoreError(f"A limit's δ must be between 0 and 1, got δ = {self.delta:g}.")


@dataclass(frozen=True)
class Terms:
    """What is limited; nothing at all once a limit has been lifted.

    Attributes
    ----------
    accuracy : float in (0.5, 1), or None
        The best attacker tells each pair of shares in at most so many of cases, at even odds.
    budget : Budget or None
        What is delivered about each pair of shares.
    persons : Budget or None
        What is delivered about each record, as differential privacy per record has it, within the
        public bounds of the limit's scenario.
    """

    accuracy: float | None = None
    budget: Budget | None = None
    persons: Budget | None = None

    def __post_init__(self) -> None:
        if self.accuracy is not None and not 0.5 < self.accuracy < 1:
            raise StoreError(
                "A limit on right guesses must be more than 50 and less than 100 of 100, got "
                f"{100 * self.accuracy:g}; guessing is right in 50."
            )

    @property
    def any(self) -> bool:
        """Whether anything is limited."""
        return not (self.accuracy is None and self.budget is None and self.persons is None)


@dataclass(frozen=True)
class LimitVersion:
    """A limit as it stood at one time.

    Attributes
    ----------
    version : int
        From 1 on.
    at : datetime
        In UTC.
    author, reason : str
        Who set it, and why.
    terms : Terms
    scenario : Scenario or None
        Of which the secret and its pairs, the reference data and the public bounds count; None if
        another version of distpriv wrote it in words that this one does not know.
    verified : Verified or None
        Who vouches for the author's name; None where it was typed.
    """

    version: int
    at: datetime
    author: str
    reason: str
    terms: Terms
    scenario: Scenario | None
    verified: Verified | None = None

    @property
    def signed(self) -> str:
        """The author, and who vouches for the name."""
        return signed(self.author, self.verified)


@dataclass(frozen=True)
class AgreedLimit:
    """An agreed limit for one table and one secret with its pairs, with its history.

    Attributes
    ----------
    key : str
        The same for everybody who sets a limit for the same table, secret and pairs.
    data, digest : str
        Title and fingerprint of the data.
    versions : tuple of LimitVersion
        The first one first; never empty.
    """

    key: str
    data: str
    digest: str
    versions: tuple[LimitVersion, ...]

    @property
    def now(self) -> LimitVersion:
        """The latest version."""
        return self.versions[-1]

    @property
    def in_force(self) -> bool:
        """Whether it limits anything now."""
        return self.now.terms.any

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of shares it is about; none if its scenario cannot be read."""
        return self.now.scenario.pairs if self.now.scenario else ()


def limit_key(digest: str, scenario: Scenario) -> str:
    """Key of the limit for a table and everything that a scenario hides."""
    written = json.loads(write_scenario(replace(scenario, others=scenario.pairs)))
    pairs = {json.dumps(pair, sort_keys=True) for pair in written["scenario"]["others"]}
    said = json.dumps([digest, *sorted(pairs)])
    return blake2b(said.encode(errors="replace"), digest_size=16).hexdigest()


def agree(
    store: Store,
    version: int,
    *,
    author: str,
    reason: str,
    data: str,
    digest: str,
    scenario: Scenario,
    terms: Terms,
    verified: Verified | None = None,
) -> AgreedLimit:
    """Set a limit, or change it: by a new version, never in place.

    Parameters
    ----------
    store : Store
    version : int
        The one that the author has seen, 0 if there was none.
    author, reason : str
        Not empty.
    data, digest : str
        Title and fingerprint of the data.
    scenario : Scenario
        The secret and its pairs, the reference data and the public bounds.
    terms : Terms
        Without any the limit is lifted.
    verified : Verified or None
        Who vouches for the author's name.

    Raises
    ------
    ConflictError
        If there is a later version; nothing is written.
    StoreError
        If a text is missing or too long, there is nothing to lift, or the database fails.
    """
    scenario = replace(scenario, view="analyst", look="", whole=True)
    after = LimitVersion(
        version + 1,
        datetime.now(UTC),
        cleaned(author, "name", required=True),
        cleaned(reason, "reason", required=True),
        terms,
        scenario,
        verified,
    )
    if not (terms.any or version):
        raise StoreError("The limit limits nothing; fill in at least one of its figures.")
    key = limit_key(digest, scenario)
    row = LimitRow(
        agreement=key,
        version=after.version,
        at=after.at,
        author=after.author,
        reason=after.reason,
        digest=digest,
        data=title(data),
        scenario=write_scenario(scenario),
        terms=asdict(terms),
    )
    try:
        with store.exclusive(digest) as session:
            trail.by(session, verified)
            before = _one(session, key)
            _check_latest(before, version)
            session.add(row)
            session.flush()
            return AgreedLimit(key, row.data, digest, (*(before.versions if before else ()), after))
    except TakenError:
        raise ConflictError(
            "Somebody else has changed this limit since you opened it; open it again."
        ) from None


def limits(store: Store, digest: str) -> Found[AgreedLimit]:
    """Every limit for the data of one fingerprint, the first one first, lifted ones among them.

    What cannot be read is left out and listed beside them.

    Raises
    ------
    StoreError
        If the database fails.
    """
    with store.reading() as session:
        return limits_in(session, digest) if store.has_limits else Found()


def limits_in(session: Session, digest: str) -> Found[AgreedLimit]:
    """The same in a session of the store that is open already."""
    return _found(session, LimitRow.digest == digest)


def terms_in_words(terms: Terms) -> str:
    """What is limited, as the end of a sentence: "the best attacker right in at most 60 of 100"."""
    said = []
    if terms.accuracy is not None:
        said.append(f"the best attacker right in at most {_of_100(terms.accuracy)} of 100")
    if terms.budget is not None:
        said.append(f"{_budget(terms.budget)} about the secret")
    if terms.persons is not None:
        said.append(f"{_budget(terms.persons)} about each record")
    return listed(said) or "nothing is limited"


def _of_100(accuracy: float) -> str:
    return share(accuracy).removesuffix("\u00a0%")


def _budget(budget: Budget) -> str:
    return f"ε\u00a0=\u00a0{exact(budget.epsilon)} at δ\u00a0=\u00a0{exact(budget.delta)}"


def _one(session: Session, key: str) -> AgreedLimit | None:
    found = _found(session, LimitRow.agreement == key)
    if any(each.key in (key, "") for each in found.unreadable):
        raise StoreError(refused(found.unreadable))
    return next(iter(found), None)


def _found(session: Session, where: ColumnElement[bool]) -> Found[AgreedLimit]:
    """One version that cannot be read makes the whole limit so: it may be the one in force."""
    found = collected(session, LimitRow, where, _limit)
    found.sort(key=lambda limit: (limit.versions[0].at, limit.key))
    return found


def _check_latest(limit: AgreedLimit | None, version: int) -> None:
    latest = 0 if limit is None else limit.now.version
    if latest == version:
        return
    if limit is None:
        raise ConflictError("The limit is not in the database any more; it was opened elsewhere.")
    now = limit.now
    did = "set" if now.version == 1 else "changed" if now.terms.any else "lifted"
    raise ConflictError(
        f"{now.author} {did} this limit on {moment(now.at)}, after you opened it, to "
        f"{terms_in_words(now.terms)}; what you did was not written over it."
    )


def _limit(rows: Sequence[LimitRow], known: Vouched) -> AgreedLimit:
    last = rows[-1]
    versions = tuple(_version(row, known.get((row.agreement, row.version))) for row in rows)
    return AgreedLimit(last.agreement, last.data, last.digest, versions)


def _version(row: LimitRow, verified: Verified | None) -> LimitVersion:
    try:
        scenario = read_scenario(row.scenario)
    except ScenarioError:
        scenario = None
    if not set(row.terms) <= {"accuracy", "budget", "persons"}:
        raise ValueError("terms that this version does not know")
    budgets = {
        name: None if row.terms.get(name) is None else Budget(**row.terms[name])
        for name in ("budget", "persons")
    }
    terms = Terms(row.terms.get("accuracy"), **budgets)
    return LimitVersion(row.version, row.at, row.author, row.reason, terms, scenario, verified)
