"""Who stands behind a name: an OpenID provider that vouched for it, or somebody who typed it."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["SIGN_IN", "Verified", "same_person", "signed", "typed_is_said"]

SIGN_IN = "DISTPRIV_SIGN_IN"
"""The variable that names the file by which people sign in; without it nobody does."""


@dataclass(frozen=True)
class Verified:
    """What a provider has said of who did something, when they did it.

    Attributes
    ----------
    issuer : str
        The provider's address; nobody else gives out its tokens.
    subject : str
        Who it is there; unlike the name it is never given to anybody else.
    email : str
        Only if the provider has verified it; else empty.
    role : str
        Roles at the time, such as ``"analyst, approver"``.
    """

    issuer: str
    subject: str
    email: str = ""
    role: str = ""

    @property
    def host(self) -> str:
        """The provider, for a sentence: its address without ``https://``."""
        return self.issuer.removeprefix("https://").rstrip("/")


def typed_is_said() -> bool:
    """Whether names that nobody has verified say so: where people can sign in."""
    return bool(os.environ.get(SIGN_IN, "").strip())


def signed(author: str, verified: Verified | None) -> str:
    """A name with what it rests on: ``Ann (ann@example.org, verified by id.example.org)``.

    Parameters
    ----------
    author : str
    verified : Verified or None
        Without it the name was typed, which is said where people can sign in.
    """
    if verified is not None:
        email = "" if verified.email in ("", author) else f"{verified.email}, "
        return f"{author} ({email}verified by {verified.host})"
    return f"{author} (as typed)" if author and typed_is_said() else author


def same_person(one: Verified | None, other: Verified | None) -> bool | None:
    """Whether two are the same; None where only their names can tell."""
    if one is None or other is None:
        return None
    return (one.issuer, one.subject) == (other.issuer, other.subject)
