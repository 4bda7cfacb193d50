"""The gate: what is no proper request, or not meant for this server, gets no further."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

from distpriv.dashboard.serving.addresses import (
    Host,
    Origin,
    is_loopback,
    matches,
    number,
    parse_host,
    parse_origin,
)
from distpriv.dashboard.serving.refusing import refuse

__all__ = ["LONGEST_LINK", "Gate", "hosts_listened_on"]

LONGEST_LINK = 32 * 1024
"""Characters of an address, from its path on; a scenario that needs more goes into a file."""

_ASKS_ONLY = ("GET", "HEAD", "OPTIONS")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")
_ANY_NUMBER = "number"
_FIGURES = ("/_stcore/metrics", "/st-metrics")  # of sessions, and of caches by name and size


def hosts_listened_on() -> tuple[str, ...]:
    """Names by which the server is reached where its owner gives none.

    That is the address that it listens on, and the one that it shows. Where it listens on all of
    the machine's, it is the machine's name and any number: a page elsewhere can have a name of its
    own lead here, but no number.
    """
    shown = config.get_option("browser.serverAddress")
    names = [config.get_option("server.address") or "0.0.0.0"]  # nosec B104 # compared, not bound
    names += [shown] if config.is_manually_set("browser.serverAddress") else []
    hosts: list[str] = []
    for name in map(str, names):
        found, host = number(name), parse_host(name)
        if found is not None and found.is_unspecified:
            own = socket.gethostname().lower()
            hosts += [_ANY_NUMBER, own, f"{own.partition('.')[0]}.local"]
        elif found is not None or host is not None:
            hosts.append(str(found) if host is None or found is not None else host.name)
    return tuple(hosts)


class _RefusedError(Exception):
    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Gate:
    """ASGI middleware that refuses what is malformed, too long, or meant for another server.

    Parameters
    ----------
    app : ASGI application
    hosts : sequence of str
        Names and patterns that the server answers to, beside those of its own machine.
    origins : sequence of Origin
        Of pages that may connect though they come from another host.
    """

    def __init__(
        self, app: ASGIApp, hosts: Sequence[str] = (), origins: Sequence[Origin] = ()
    ) -> None:
        self.app = app
        self._hosts = hosts
        self._origins = frozenset(origins)
        self._told: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            _check_form(scope, headers)
            host = self._host(scope, headers)
            origin = self._origin(scope, headers, host)
            client = scope.get("client")
            if scope["path"].endswith(_FIGURES) and not (client and is_loopback(client[0])):
                raise _RefusedError(404, "The server's figures are for its own machine.")
        except _RefusedError as refused:
            await refuse(scope, receive, send, status=refused.status, sentence=str(refused))
            return
        if scope["type"] == "websocket" and origin is not None:
            # Streamlit compares the two, and what differs it looks up on other machines.
            kept = [each for each in scope["headers"] if each[0] != b"host"]
            named = str(origin).partition("://")[2].encode("ascii")
            scope = {**scope, "headers": [*kept, (b"host", named)]}
        await self.app(scope, receive, send)

    def _host(self, scope: Scope, headers: Headers) -> Host:
        given = headers.getlist("host")
        host = parse_host(given[0]) if len(given) == 1 else None
        if host is None:
            raise _RefusedError(400, "A request has to name one host.")
        if not (is_loopback(host.name) or self._is_ours(host, scope)):
            self._tell("host", host.name)
            raise _RefusedError(
                421,
                "This server does not go by the name that the link has; open it by its own name. "
                "Whoever runs it sets its names in DISTPRIV_HOSTS.",
            )
        return host

    def _is_ours(self, host: Host, scope: Scope) -> bool:
        address = number(host.name)
        if address is not None:
            ours = scope["server"][0] if scope.get("server") else ""
            if _ANY_NUMBER in self._hosts or address == number(str(ours)):
                return True
        return any(matches(host.name, pattern) for pattern in self._hosts)

    def _origin(self, scope: Scope, headers: Headers, host: Host) -> Origin | None:
        """Where a request comes from that could change something; None where it does not say."""
        given = headers.getlist("origin")
        if not given or (scope["type"] == "http" and scope["method"] in _ASKS_ONLY):
            return None
        origin = parse_origin(given[0]) if len(given) == 1 else None
        if origin is not None:
            # Where TLS ends at a proxy that nobody named, it is not known of.
            schemes = ("https",) if scope["scheme"] in ("https", "wss") else ("http", "https")
            same = [parse_origin(f"{scheme}://{host}") for scheme in schemes]
            if origin in self._origins or origin in same:
                return origin
        self._tell("origin", given[0])
        raise _RefusedError(
            403,
            "A page of another server asked for this; open the dashboard itself. Whoever runs it "
            "sets which other origins may in DISTPRIV_ORIGINS.",
        )

    def _tell(self, what: str, value: str) -> None:
        """Say once in the log what was refused, so that a wrong setting is found."""
        if what not in self._told:
            self._told.add(what)
            logging.getLogger(__name__).warning(
                "A request with the %s %r was refused; the next ones are not reported.",
                what,
                value[:100],
            )


def _check_form(scope: Scope, headers: Headers) -> None:
    path = scope["path"]
    if not path.startswith("/") or path.startswith("//") or _CONTROL.search(path):
        raise _RefusedError(400, "The link's path is none of this server.")
    length = len(scope.get("raw_path") or path.encode()) + len(scope["query_string"])
    if length > LONGEST_LINK:
        raise _RefusedError(
            414,
            f"The link is too long: {length:,} characters of {LONGEST_LINK:,} at most. A scenario "
            "that needs more is saved to a file, and opened from it.",
        )
    lengths = headers.getlist("content-length")
    if len(lengths) + len(headers.getlist("transfer-encoding")) > 1 or any(
        not (each.isascii() and each.isdecimal()) for each in lengths
    ):
        raise _RefusedError(400, "A request has to say once how long it is.")
