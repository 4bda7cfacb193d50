"""The server's settings: the one place that reads them from the environment, once, and checks them.

A new one is a field of :class:`Settings` with its variable and a function that reads its text.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from distpriv.dashboard.serving.addresses import Origin, parse_host, parse_origin
from distpriv.errors import ServingError

__all__ = ["Network", "Rate", "Settings", "at_start", "current", "read", "variable"]

Network = IPv4Network | IPv6Network

_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_RATE = re.compile(r"(?P<kind>[a-z]+)=(?P<count>[0-9]{1,6})/(?P<unit>[a-z]+)")
_ANCESTOR = re.compile(r"(?P<scheme>https?)://(?P<wild>\*\.)?(?P<host>[^/?#@\\*]+)")


@dataclass(frozen=True)
class Rate:
    """How often something may be asked for.

    Attributes
    ----------
    count : int
        At once.
    seconds : float
        In which as many become possible again.
    """

    count: int
    seconds: float


# A whole class opens its sessions at once, and often from one address.
_RATES = {"sessions": Rate(300, 60), "uploads": Rate(60, 60), "runs": Rate(120, 60)}


def variable(name: str, parse: Callable[[str], Any]) -> Any:
    """A field that is read from the environment.

    Parameters
    ----------
    name : str
        The variable.
    parse : callable
        Gives the field's value from the variable's text, which is empty where it is not set;
        raises ServingError with a sentence that goes on after the variable's name.
    """
    return field(metadata={"variable": name, "parse": parse})


def _items(text: str) -> list[str]:
    return [item for item in re.split(r"[\s,]+", text) if item]


def _hosts(text: str) -> tuple[str, ...]:
    patterns = []
    for item in _items(text):
        wild = item.startswith("*.")
        host = parse_host(item.removeprefix("*."))
        if host is None and item.count(":") > 1:
            host = parse_host(f"[{item}]")
        if item != "*" and (host is None or host.port is not None):
            raise ServingError(
                "must be names of hosts without scheme, port or path, as stats.example.org or "
                f"*.example.org, got {item[:80]!r}."
            )
        patterns.append(item if host is None else "*." * wild + host.name)
    return tuple(patterns)


def _origins(text: str) -> tuple[Origin, ...]:
    origins = []
    for item in _items(text):
        origin = parse_origin(item)
        if origin is None:
            raise ServingError(
                f"must be origins without path, as https://stats.example.org, got {item[:80]!r}."
            )
        origins.append(origin)
    return tuple(origins)


def _frame_ancestors(text: str) -> tuple[str, ...]:
    ancestors = []
    for item in _items(text):
        found = _ANCESTOR.fullmatch(item)
        if item.strip("'") == "self":
            ancestors.append("'self'")
        elif found is not None and (host := parse_host(found["host"])) is not None:
            ancestors.append(f"{found['scheme']}://{found['wild'] or ''}{host}")
        else:
            raise ServingError(
                "must be self or origins of pages, as https://course.example.org or "
                f"https://*.example.org, got {item[:80]!r}."
            )
    return tuple(ancestors)


def _proxies(text: str) -> tuple[Network, ...]:
    networks = []
    for item in _items(text):
        try:
            network = ip_network(item)
        except ValueError:
            raise ServingError(
                "must be numeric addresses or networks of your reverse proxies, as 10.0.0.2 or "
                f"10.0.0.0/24, got {item[:80]!r}."
            ) from None
        if network.prefixlen == 0:
            raise ServingError(
                f"must not be every address, as {item} is: whoever asks could say that they are "
                "somebody else; name your reverse proxies."
            )
        networks.append(network)
    return tuple(networks)


def _requests(text: str) -> Mapping[str, Rate]:
    if text == "off":
        return {}
    rates = dict(_RATES)
    for item in _items(text):
        found = _RATE.fullmatch(item)
        if found is None or found["kind"] not in _RATES or found["unit"] not in _SECONDS:
            raise ServingError(
                f"must be off or any of {', '.join(_RATES)} with a number per second, minute or "
                f"hour, as uploads=60/minute, got {item[:80]!r}."
            )
        if int(found["count"]) == 0:
            raise ServingError(f"must allow at least one, got {item!r}.")
        rates[found["kind"]] = Rate(int(found["count"]), _SECONDS[found["unit"]])
    return rates


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the server's owner has set.

    Attributes
    ----------
    hosts : tuple of str
        Names that the server answers to beside those of its own machine, ``*.`` for all below one;
        none where it goes by the address that it listens on.
    origins : tuple of Origin
        Of pages that may connect though they come from another host than they ask.
    frame_ancestors : tuple of str
        Whose pages may show the dashboard in a frame.
    proxies : tuple of network
        Whose word is taken for who asks, by which name and whether over TLS.
    requests : mapping of str to Rate
        By kind, for each address; empty where nothing is limited.
    memory, session_memory : str
        What tables may take together, and those of one session, as
        :func:`distpriv.dashboard.serving.memory.limits` reads it.
    """

    hosts: tuple[str, ...] = variable("DISTPRIV_HOSTS", _hosts)
    origins: tuple[Origin, ...] = variable("DISTPRIV_ORIGINS", _origins)
    frame_ancestors: tuple[str, ...] = variable("DISTPRIV_FRAME_ANCESTORS", _frame_ancestors)
    proxies: tuple[Network, ...] = variable("DISTPRIV_PROXIES", _proxies)
    requests: Mapping[str, Rate] = variable("DISTPRIV_REQUESTS", _requests)
    memory: str = variable("DISTPRIV_MEMORY", str)
    session_memory: str = variable("DISTPRIV_SESSION_MEMORY", str)


def read(environment: Mapping[str, str]) -> Settings:
    """Read the settings.

    Parameters
    ----------
    environment : mapping of str to str

    Raises
    ------
    ServingError
        If a variable holds what it cannot; the sentence names it.
    """
    values = {}
    for each in fields(Settings):
        name = each.metadata["variable"]
        try:
            values[each.name] = each.metadata["parse"](environment.get(name, "").strip())
        except ServingError as error:
            raise ServingError(f"{name} {error}") from None
    return Settings(**values)


@cache
def current() -> Settings:
    """The settings of this process, read once.

    Raises
    ------
    ServingError
        As `read`.
    """
    return read(os.environ)


def at_start() -> Settings:
    """The settings, or the end of the process: a server that misunderstands them is not safe."""
    try:
        return current()
    except ServingError as error:
        logging.getLogger(__name__).critical("The dashboard does not start: %s", error)
        raise SystemExit(2) from None
