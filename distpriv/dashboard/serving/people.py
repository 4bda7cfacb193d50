"""Who is at the screen, and what they may do: asked wherever something is written."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from distpriv.analysis.person import Verified, typed_is_said
from distpriv.dashboard.serving import sign_in
from distpriv.dashboard.serving.sign_in import ROLES, Role, SignIn
from distpriv.errors import StoreError
from distpriv.store import open_store
from distpriv.store.audit import signed_out
from distpriv.store.texts import LONGEST, cleaned

__all__ = [
    "Action",
    "NotAllowedError",
    "Person",
    "end",
    "ended",
    "grants",
    "may",
    "now",
    "on",
    "owner",
    "person_of",
    "refusal",
    "require",
    "roles",
    "roles_of",
    "verified",
]

Action = Literal["look", "ask", "propose", "release", "settle", "limit", "audit"]

_GRANTED: Mapping[Role, frozenset[Action]] = {
    "viewer": frozenset({"look"}),
    "analyst": frozenset({"look", "ask", "propose", "release"}),
    "approver": frozenset({"look", "ask", "settle", "limit", "audit"}),
}
_DOES: Mapping[Action, str] = {
    "look": "sees decisions and results",
    "ask": "asks questions of tables",
    "propose": "proposes and changes decisions",
    "release": "releases",
    "settle": "agrees to decisions or rejects them",
    "limit": "sets, changes and lifts limits",
    "audit": "sees the audit trail",
}
_LEEWAY = 120  # seconds by which the provider's clock may be ahead
_LONGEST = 2048  # characters of an issuer or a subject

_ENDED: set[str] = set()  # sign-ins, by their marks
_LOCK = threading.Lock()


class NotAllowedError(StoreError):
    """Something that the role of whoever asks for it does not allow."""


@dataclass(frozen=True)
class Person:
    """Somebody who has signed in.

    Attributes
    ----------
    name : str
    verified : Verified
    roles : tuple of Role
    mark : str
        Of this sign-in.
    until : float
        When it ends, in seconds since 1970.
    """

    name: str
    verified: Verified
    roles: tuple[Role, ...]
    mark: str
    until: float


def on() -> bool:
    """Whether people sign in here; true too where the file that says how is wrong."""
    return typed_is_said()


def now() -> Person | None:
    """Who has signed in and not out since; None if nobody has."""
    found = _person()
    return None if found is None or _is_over(found) else found


def grants(person: Person, action: Action) -> bool:
    """Whether the roles of somebody whose sign-in is not over allow something."""
    return not _is_over(person) and any(action in _GRANTED[role] for role in person.roles)


def verified() -> Verified | None:
    """Who vouches for the name of whoever is at the screen; None if nobody does."""
    person = now()
    return None if person is None else person.verified


def ended() -> bool:
    """Whether somebody had signed in to this session, and it is over: by its time, or elsewhere."""
    found = _person()
    return found is not None and _is_over(found)


def _is_over(person: Person) -> bool:
    return time.time() >= person.until or person.mark in _ENDED


def roles() -> tuple[Role, ...]:
    """The roles of whoever is at the screen."""
    if not on():
        return ROLES
    if (person := now()) is not None:
        return person.roles
    known = sign_in.configured()
    if known is None or ended():
        return ()  # nobody goes on with what somebody else has opened
    return tuple(role for role in ROLES if role == known.visitors)


def may(action: Action) -> bool:
    """Whether whoever is at the screen may do something; where nobody signs in, all may do all."""
    return any(action in _GRANTED[role] for role in roles())


def require(action: Action) -> Person | None:
    """Who does something, the moment before it is written; raises NotAllowedError.

    Whether the sign-in has been ended elsewhere is asked of the database: another tab, or another
    server, may have done so.
    """
    person = now()
    if person is not None and signed_out(open_store(), person.mark):
        end(person.mark)
        person = None
    if not may(action):
        raise NotAllowedError(refusal(action))
    return person


def refusal(action: Action) -> str:
    """Why somebody may not do something, as a sentence; empty if they may."""
    if may(action):
        return ""
    who = " or ".join(f"an {role}" if role[0] == "a" else f"a {role}"
                      for role in ROLES if action in _GRANTED[role])  # fmt: skip
    if now() is None:
        return f"{'Your sign-in has ended; sign in again' if ended() else 'Sign in'} as {who}."
    mine = " and ".join(roles()) or "none"
    return f"{who[:1].upper()}{who[1:]} {_DOES[action]}; your role here is {mine}."


def end(mark: str) -> None:
    """Let a sign-in count no longer, in whatever session of this server it is."""
    with _LOCK:
        _ENDED.add(mark)


def owner() -> str:
    """Whose what is kept in the browser's tab is; empty for nobody's."""
    person = now()
    if person is None:
        return ""
    said = json.dumps([person.verified.issuer, person.verified.subject])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _person() -> Person | None:
    known = sign_in.configured()
    if known is None:
        return None
    try:
        claims = st.user.to_dict()
    except Exception:  # noqa: BLE001 - whatever it is, nobody has signed in
        return None
    return person_of(claims, known) if claims.get("is_logged_in") is True else None


def person_of(claims: Mapping[str, Any], known: SignIn) -> Person | None:
    """Whom the claims of a token tell of, or None where they tell of nobody.

    Streamlit has checked the token's signature, issuer, audience, nonce and times when it came in,
    and hands on its claims from a signed cookie.

    Parameters
    ----------
    claims : mapping
    known : SignIn
    """
    issuer, subject, begun = claims.get("iss"), claims.get("sub"), claims.get("iat")
    for each in (issuer, subject):
        if not isinstance(each, str) or not 0 < len(each) <= _LONGEST:
            return None
    assert isinstance(issuer, str)
    assert isinstance(subject, str)
    audience = claims.get("aud")
    if known.client_id not in (audience if isinstance(audience, list) else [audience]):
        return None  # another application's, whose cookies are signed alike
    if isinstance(begun, bool) or not isinstance(begun, int | float) or not math.isfinite(begun):
        return None
    if begun > time.time() + _LEEWAY:
        return None
    email = _email(claims)
    found = roles_of(claims, known)
    told = json.dumps([issuer, subject, begun, claims.get("nonce")])
    return Person(
        _name(claims, email, subject),
        Verified(issuer, subject, email, ", ".join(found)),
        found,
        hashlib.sha256(told.encode()).hexdigest()[:32],
        begun + 3600 * known.hours,
    )


def roles_of(claims: Mapping[str, Any], known: SignIn) -> tuple[Role, ...]:
    """The roles that a token's claims give.

    A list of e-mail addresses counts only for those that the provider has verified.
    """
    said = _values(claims, known.claim) if known.claim else set()
    email = _email(claims).casefold()
    return tuple(
        role
        for role in ROLES
        if role in known.everybody
        or said & set(known.values.get(role, ()))
        or (email and email in known.addresses.get(role, ()))
    )


def _values(claims: Mapping[str, Any], path: Iterable[str]) -> set[str]:
    """A claim's text, or the texts of its list."""
    found: Any = claims
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return {found}
    return {each for each in found if isinstance(each, str)} if isinstance(found, list) else set()


def _email(claims: Mapping[str, Any]) -> str:
    """The address, if the provider says that it is verified."""
    email = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(email, str):
        return ""
    return email.strip() if email.isprintable() and len(email) <= 320 else ""


def _name(claims: Mapping[str, Any], email: str, subject: str) -> str:
    """What to call them: a name if there is one, else the address, else what the provider says."""
    for key in ("name", "preferred_username"):
        if isinstance(said := claims.get(key), str):
            name = " ".join(cleaned(said[: 4 * LONGEST["name"]].replace("\n", " "), "note").split())
            if name:
                return name[: LONGEST["name"]]
    return (email or subject)[: LONGEST["name"]]
