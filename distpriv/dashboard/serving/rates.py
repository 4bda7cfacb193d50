"""How often one address may begin something that costs: a session, an upload, a long run."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from distpriv.dashboard.serving import settings
from distpriv.dashboard.serving.addresses import number
from distpriv.dashboard.serving.bounds import UPLOAD
from distpriv.dashboard.serving.refusing import refuse

__all__ = ["Answer", "Buckets", "Rates", "allow"]

_MOST = 20_000  # addresses that are remembered
_OWN_NET = 64  # bits of a number of version 6 that one visitor has


@dataclass(frozen=True)
class Answer:
    """Whether something may begin; true if it may.

    Attributes
    ----------
    wait : int
        Seconds until it may, 0 if it may now.
    """

    wait: int = 0

    def __bool__(self) -> bool:
        return not self.wait

    @property
    def sentence(self) -> str:
        """What is said to whoever has to wait."""
        count, unit = (self.wait, "second") if self.wait < 120 else (-(-self.wait // 60), "minute")
        pause = f"{count} {unit}{'s' * (count != 1)}"
        return f"That was asked for too often from your address; try again in {pause}."


class Buckets:
    """A bucket of tokens for each kind and address; what begins takes one, time gives them back.

    The bucket that was asked longest ago is forgotten for a new one: what is kept is bounded,
    whoever asks.

    Parameters
    ----------
    rates : mapping of str to Rate
        By kind; another kind is not limited.
    most : int, optional
        Buckets that are kept.
    clock : callable, optional
        Gives seconds.
    """

    def __init__(
        self,
        rates: Mapping[str, settings.Rate],
        most: int = _MOST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rates = rates
        self._most = most
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def allow(self, kind: str, address: str | None, *, taking: bool = True) -> Answer:
        """Whether something of a kind may begin; see :func:`allow`."""
        rate = self._rates.get(kind)
        if rate is None:
            return Answer()
        key = (kind, _visitor(address))
        with self._lock:
            now = self._clock()
            tokens, since = self._kept.pop(key, (float(rate.count), now))
            tokens = min(rate.count, tokens + (now - since) * rate.count / rate.seconds)
            enough = tokens >= 1
            self._kept[key] = (tokens - (enough and taking), now)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        if enough:
            return Answer()
        return Answer(max(1, math.ceil((1 - tokens) * rate.seconds / rate.count)))


def _visitor(address: str | None) -> str:
    """Whom an address belongs to: of version 6 one visitor has a whole net."""
    found = number(address or "")
    if isinstance(found, IPv6Address) and not found.is_loopback:
        return str(ip_network((int(found), _OWN_NET), strict=False))
    return "here" if found is None or found.is_loopback else str(found)


@cache
def _buckets() -> Buckets:
    return Buckets(settings.current().requests)


def allow(kind: str, address: str | None, *, taking: bool = True) -> Answer:
    """Whether something may begin, and if so that it has.

    Parameters
    ----------
    kind : "sessions", "uploads" or "runs"
    address : str or None
        Of whoever asks, as ``st.context.ip_address`` says it; None is the machine itself.
    taking : bool, optional
        Whether it begins; False only looks whether it may.

    Returns
    -------
    Answer
        True if it may; else with the seconds to wait and the sentence to say.
    """
    return _buckets().allow(kind, address, taking=taking)


class Rates:
    """ASGI middleware that refuses sessions and uploads that come too often from one address.

    Parameters
    ----------
    app : ASGI application
    allow : callable, optional
        As :func:`allow`.
    """

    def __init__(self, app: ASGIApp, allow: Callable[..., Answer] = allow) -> None:
        self.app = app
        self._allow = allow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or ask for patience."""
        kind, taking = _kind(scope), True
        if kind is None and _opens_a_page(scope):
            # Its websocket would be refused, and nobody would see why.
            kind, taking = "sessions", False
        client = scope.get("client")
        answer = Answer()
        if kind is not None:
            answer = self._allow(kind, client[0] if client else None, taking=taking)
        if answer:
            await self.app(scope, receive, send)
            return
        await refuse(
            scope,
            receive,
            send,
            status=429,
            sentence=answer.sentence,
            headers={"Retry-After": str(answer.wait)},
        )


def _kind(scope: Scope) -> str | None:
    if scope["type"] == "websocket":
        return "sessions"
    if scope["type"] == "http" and scope["method"] == "PUT" and UPLOAD.search(scope["path"]):
        return "uploads"
    return None


def _opens_a_page(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and "text/html" in Headers(scope=scope).get("accept", "")
    )
