"""Names and numbers of machines, as hosts and origins of requests and as the server's settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

__all__ = ["Host", "Origin", "is_loopback", "matches", "number", "parse_host", "parse_origin"]

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_HOST = re.compile(
    rf"(?:\[(?P<six>[0-9A-Fa-f:.]{{2,45}})\]|(?P<name>{_LABEL}(?:\.{_LABEL})*)\.?)(?::(?P<port>[0-9]{{1,5}}))?"
)
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#@\\]+)", re.IGNORECASE)
_LONGEST = 255
_USUAL = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Host:
    """A machine as a request names it.

    Attributes
    ----------
    name : str
        In small letters, without a dot at its end; a number of version 6 without brackets.
    port : int or None
    """

    name: str
    port: int | None = None

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port is None else f"{name}:{self.port}"


@dataclass(frozen=True)
class Origin:
    """Where a page comes from, as browsers say it.

    Attributes
    ----------
    scheme : "http" or "https"
    host : Host
        Without the port that is the scheme's own.
    """

    scheme: str
    host: Host

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}"


def number(name: str) -> IPv4Address | IPv6Address | None:
    """The address that a name is, or None; version 4 within version 6 is version 4."""
    try:
        found = ip_address(name)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def is_loopback(name: str) -> bool:
    """Whether a name or number certainly leads to the machine itself."""
    address = number(name)
    if address is not None:
        return address.is_loopback
    return name == "localhost" or name.endswith(".localhost")


def parse_host(text: str) -> Host | None:
    """Read a host, with or without port; None where it is none."""
    found = _HOST.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    port = int(found["port"]) if found["port"] else None
    if port is not None and not 1 <= port <= 65535:
        return None
    if found["six"] is None:
        return Host(found["name"].lower(), port)
    address = number(found["six"])
    return Host(str(address), port) if address is not None and ":" in found["six"] else None


def parse_origin(text: str) -> Origin | None:
    """Read an origin; None where it is none, as ``null`` is none."""
    found = _ORIGIN.fullmatch(text)
    host = parse_host(found["host"]) if found is not None else None
    if found is None or host is None:
        return None
    scheme = found["scheme"].lower()
    return Origin(scheme, Host(host.name, None) if host.port == _USUAL[scheme] else host)


def matches(name: str, pattern: str) -> bool:
    """Whether a host's name is meant: by itself, by ``*.`` and a domain above it, or by ``*``."""
    if pattern.startswith("*."):
        return name.endswith(pattern[1:]) and len(name) >= len(pattern)
    return pattern in ("*", name)
