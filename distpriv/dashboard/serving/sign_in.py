"""How people sign in: the file that says so, read once, and what is wrong with it in a sentence.

The file that ``DISTPRIV_SIGN_IN`` names holds the OpenID provider and who has which role. Without
the variable nobody signs in, and everything is as on a laptop; with a file that is wrong nobody
gets in.
"""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from distpriv.analysis.person import SIGN_IN
from distpriv.errors import DistprivError

__all__ = [
    "ROLES",
    "Role",
    "SignIn",
    "SignInError",
    "configured",
    "problem",
    "secrets",
]

Role = Literal["viewer", "analyst", "approver"]
ROLES: tuple[Role, ...] = get_args(Role)

_CALLBACK = "/oauth2callback"
_LEAST_SECRET = 32  # characters
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class SignInError(DistprivError):
    """A file of the sign-in that is wrong."""


@dataclass(frozen=True, kw_only=True)
class SignIn:
    """How people sign in.

    Attributes
    ----------
    address : str
        Where people open the dashboard; they can sign in there and nowhere else.
    provider : str
        Address of the OpenID provider's configuration.
    client_id, client_secret, cookie_secret : str
        The dashboard's name and password there, and what its cookies are signed with.
    name : str
        The provider's, for the button.
    scope : str
        What is asked for at the provider.
    hours : float, positive
        After which one signs in again.
    visitors : "nobody", "viewer" or "analyst"
        What those may do who have not signed in.
    claim : tuple of str
        The way to the token's claim that holds roles; none where there is none.
    values : mapping of Role to tuple of str
        Which of the claim's values give a role.
    addresses : mapping of Role to frozenset of str
        Whose verified e-mail addresses give a role, folded.
    everybody : tuple of Role
        Roles of everybody who has signed in.
    """

    address: str
    provider: str
    client_id: str
    client_secret: str = field(repr=False)
    cookie_secret: str = field(repr=False)
    name: str = ""
    scope: str = "openid email profile"
    hours: float = 8.0
    visitors: str = "nobody"
    claim: tuple[str, ...] = ()
    values: Mapping[Role, tuple[str, ...]] = field(default_factory=dict)
    addresses: Mapping[Role, frozenset[str]] = field(default_factory=dict)
    everybody: tuple[Role, ...] = ()

    @property
    def origin(self) -> str:
        """Scheme and host of the address."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def secure(self) -> bool:
        """Whether the address is behind TLS."""
        return self.address.startswith("https://")


def configured() -> SignIn | None:
    """How people sign in; None where nobody does, or where the file is wrong."""
    return _read(os.environ.get(SIGN_IN, "").strip())[0]


def problem() -> str:
    """What is wrong with the file, as a sentence; empty if nothing is."""
    return _read(os.environ.get(SIGN_IN, "").strip())[1]


def secrets() -> dict[str, Any] | None:
    """What Streamlit's own sign-in is told, for ``App(secrets=…)``; None where nobody signs in.

    They are told at once as well: Streamlit signs the cookie of a sign-in that is under way with
    what it knows before the app starts, and by several replicas it has to be the same.
    """
    found = configured()
    if found is None:
        return None
    told: dict[str, Any] = {
        "auth": {
            "redirect_uri": found.address + _CALLBACK,
            "cookie_secret": found.cookie_secret,
            "client_id": found.client_id,
            "client_secret": found.client_secret,
            "server_metadata_url": found.provider,
            "client_kwargs": {"scope": found.scope},
        }
    }
    from streamlit.runtime.secrets import secrets_singleton

    secrets_singleton.load_if_toml_exists()
    secrets_singleton.merge_programmatic_secrets(told)
    return told


@cache
def _read(path: str) -> tuple[SignIn | None, str]:
    """What a file says, once for as long as the server runs."""
    if not path:
        return None, ""
    try:
        return _parsed(path), ""
    except SignInError as error:
        sentence = f"Nobody can sign in: {error}"
        logging.getLogger("distpriv").warning("%s (%s)", sentence, SIGN_IN)
        return None, sentence


def _parsed(path: str) -> SignIn:
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise SignInError(f"the file that {SIGN_IN} names cannot be read.") from None
    except tomllib.TOMLDecodeError:
        raise SignInError(f"the file that {SIGN_IN} names is no TOML.") from None
    for name in ("authlib", "httpx"):
        if find_spec(name) is None:
            raise SignInError(f"{name} is not installed; install distpriv[sign-in].")
    entry, roles = content.pop("sign_in", None), content.pop("roles", {})
    if content or not isinstance(entry, dict) or not isinstance(roles, dict):
        raise SignInError(
            f"the file that {SIGN_IN} names must hold the tables [sign_in] and [roles], and "
            "nothing else."
        )
    return SignIn(**_entry(entry), **_roles(roles))


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise SignInError(f"{what}.")


_TEXTS = ("address", "provider", "client_id", "name", "scope", "visitors")
_SECRETS = ("client_secret", "cookie_secret")


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    known = {*_TEXTS, "hours", *_SECRETS, *(f"{name}_env" for name in _SECRETS)}
    for key, value in entry.items():
        _must(key in known, f"{key!r} in [sign_in] is no setting; there are {_listed(known)}")
        if key == "hours":
            right = isinstance(value, int | float) and not isinstance(value, bool)
            _must(right and 0 < value <= 24 * 30, "'hours' must be above 0 and at most 720")
        else:
            _must(isinstance(value, str) and bool(value.strip()), f"{key!r} must be a text")
    found = {key: entry[key].strip() for key in _TEXTS if key in entry}
    for key in ("address", "provider", "client_id"):
        _must(key in found, f"{key!r} is missing in [sign_in]")
    for key in ("address", "provider"):
        _must(_is_safe(found[key]), f"{key!r} must be an address that begins with https://")
    found["address"] = found["address"].rstrip("/")
    parts = urlsplit(found["address"])
    _must(not (parts.query or parts.fragment), "'address' must have neither ? nor #")
    found |= {key: _secret(entry, key) for key in _SECRETS}
    long = len(found["cookie_secret"]) >= _LEAST_SECRET
    _must(long, f"'cookie_secret' must have at least {_LEAST_SECRET} characters, made at random")
    _must("openid" in found.get("scope", "openid").split(), "'scope' must hold openid")
    choices = ("nobody", "viewer", "analyst")
    visitors = found.get("visitors", "nobody")
    _must(visitors in choices, f"'visitors' must be one of {', '.join(choices)}")
    return found | ({"hours": float(entry["hours"])} if "hours" in entry else {})


def _is_safe(address: str) -> bool:
    """Whether nobody on the way can read or change what is said there."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or parts.username or parts.password or any(sign.isspace() for sign in address):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)


def _secret(entry: Mapping[str, Any], key: str) -> str:
    variable = entry.get(f"{key}_env")
    both = key in entry and variable is not None
    _must(not both, f"{key!r} and '{key}_env' are both given; give one of them")
    if variable is None:
        _must(key in entry, f"{key!r} is missing in [sign_in]; or name its variable as '{key}_env'")
        return str(entry[key])
    found = os.environ.get(variable, "").strip()
    _must(bool(found), f"the variable {variable} that '{key}_env' names is not set")
    return found


def _roles(entry: Mapping[str, Any]) -> dict[str, Any]:
    known = {"claim", "values", "addresses", "everybody"}
    for key in entry:
        _must(key in known, f"{key!r} in [roles] is no setting; there are {_listed(known)}")
    claim = entry.get("claim", [])
    claim = (claim,) if isinstance(claim, str) else claim
    _must(_are_texts(claim), "'claim' must be a text, or a list of texts that lead to it")
    values = _by_role(entry.get("values", {}), "values")
    _must(bool(claim) or not values, "[roles.values] needs a 'claim' that holds them")
    if claim and "values" not in entry:
        values = {role: (role,) for role in ROLES}
    everybody = entry.get("everybody", [])
    right = _are_texts(everybody) and set(everybody) <= set(ROLES)
    _must(right, f"'everybody' must be a list of {_listed(ROLES)}")
    addresses = _by_role(entry.get("addresses", {}), "addresses")
    for each in addresses.values():
        for address in each:
            _must(address.count("@") == 1, "[roles.addresses] must hold e-mail addresses")
    return {
        "claim": tuple(claim),
        "values": values,
        "addresses": {
            role: frozenset(address.strip().casefold() for address in each)
            for role, each in addresses.items()
        },
        "everybody": tuple(everybody),
    }


def _by_role(entry: object, name: str) -> dict[Role, tuple[str, ...]]:
    right = isinstance(entry, dict) and set(entry) <= set(ROLES)
    _must(right, f"[roles.{name}] may hold {_listed(ROLES)} only")
    assert isinstance(entry, dict)
    for role, each in entry.items():
        _must(_are_texts(each), f"{role!r} in [roles.{name}] must be a list of texts")
    return {role: tuple(each) for role, each in entry.items()}


def _are_texts(found: object) -> bool:
    return isinstance(found, list | tuple) and all(isinstance(e, str) and e for e in found)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
