"""Who asks, by which name and whether over TLS: the word of named reverse proxies, and no other."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from distpriv.dashboard.serving.addresses import number, parse_host
from distpriv.dashboard.serving.settings import Network

__all__ = ["Proxies"]

_SAYING = (b"x-forwarded-", b"forwarded", b"x-real-ip")
_SCHEMES = {("http", "http"): "http", ("http", "https"): "https"}
_SCHEMES |= {("websocket", "http"): "ws", ("websocket", "https"): "wss"}

Headers = Sequence[tuple[bytes, bytes]]


class Proxies:
    """ASGI middleware that puts who asks into a request, and takes out what others say of it.

    Parameters
    ----------
    app : ASGI application
    trusted : sequence of network
        Addresses of the proxies.
    names_people : collection of str, optional
        Further headers that only proxies may send.
    """

    def __init__(
        self, app: ASGIApp, trusted: Sequence[Network], names_people: Collection[str] = ()
    ) -> None:
        self.app = app
        self._trusted = trusted
        self._people = {name.lower().encode("latin-1") for name in names_people}
        self._told = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as it was when it left the visitor."""
        if scope["type"] in ("http", "websocket"):
            scope = self._seen(scope)
        await self.app(scope, receive, send)

    def _trusts(self, address: str) -> bool:
        found = number(address)
        return found is not None and any(
            found in network for network in self._trusted if network.version == found.version
        )

    def _seen(self, scope: Scope) -> Scope:
        headers: Headers = scope["headers"]
        said = [each for each in headers if each[0].startswith(_SAYING)]
        kept = [each for each in headers if not each[0].startswith(_SAYING)]
        peer = scope["client"][0] if scope.get("client") else ""
        if not self._trusts(peer):
            self._tell(said)
            kept = [each for each in kept if each[0] not in self._people]
            return {**scope, "headers": kept}
        seen: dict[str, Any] = {**scope, "client": (self._visitor(peer, said), 0)}
        scheme = _SCHEMES.get((scope["type"], _only(said, b"x-forwarded-proto").lower()))
        if scheme is not None:
            seen["scheme"] = scheme
        host = parse_host(_only(said, b"x-forwarded-host"))
        if host is not None:
            kept = [each for each in kept if each[0] != b"host"]
            kept.append((b"host", str(host).encode("ascii")))
        return {**seen, "headers": kept}

    def _visitor(self, peer: str, said: Headers) -> str:
        """The last address on the way that is no proxy's: what stands before it anybody can say."""
        way = b",".join(value for name, value in said if name == b"x-forwarded-for")
        visitor = peer
        for item in reversed(way.decode("latin-1").split(",")):
            host = parse_host(item.strip())
            address = number(host.name if host is not None else item.strip())
            if address is None:
                break
            visitor = str(address)
            if not self._trusts(visitor):
                break
        return visitor

    def _tell(self, said: Headers) -> None:
        if said and not self._told:
            self._told = True
            logging.getLogger(__name__).warning(
                "A reverse proxy that DISTPRIV_PROXIES does not name passes requests on; what it "
                "says of who asks is not believed, and all who come by it share its limits."
            )


def _only(said: Headers, name: bytes) -> str:
    """The value of a header that stands there once, else nothing."""
    values = [value for each, value in said if each == name]
    return values[0].decode("latin-1").strip() if len(values) == 1 else ""
