"""Requests as a server hands them to an application, malformed ones too, and what is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

T = TypeVar("T")
Pairs = Sequence[tuple[str, str]]


def run(work: Coroutine[Any, Any, T]) -> T:
    """What comes of work; a browser's driver may have a loop in the tests' own thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@dataclass
class Behind:
    """What stands behind a middleware: it notes what it is asked, and answers 200."""

    seen: list[Scope] = field(default_factory=list)
    body: bytes = b""
    received: list[Message] = field(default_factory=list)
    cookies: Sequence[str] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen.append(scope)
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            while True:
                message = await receive()
                self.received.append(message)
                if message["type"] == "websocket.disconnect":
                    # Whatever is still on its way goes nowhere.
                    await send({"type": "websocket.send", "bytes": b"late"})
                    return
        more = True
        while more:
            message = await receive()
            self.body += message.get("body", b"")
            more = message.get("more_body", False)
        cookies = [(b"set-cookie", cookie.encode()) for cookie in self.cookies]
        await send({"type": "http.response.start", "status": 200, "headers": cookies})
        await send({"type": "http.response.body", "body": b"behind"})

    @property
    def scope(self) -> Scope:
        """The one request that came through."""
        (scope,) = self.seen
        return scope

    @property
    def headers(self) -> Headers:
        """Its headers."""
        return Headers(scope=self.scope)


@dataclass
class Reply:
    """What was answered; a status of 0 where only the websocket was closed."""

    status: int
    headers: Headers
    body: str
    sent: list[Message]


def asked(
    app: ASGIApp,
    path: str = "/",
    *,
    method: str = "GET",
    headers: Pairs = (),
    host: str | None = "localhost:8501",
    query: str = "",
    scheme: str = "http",
    client: tuple[str, int] | None = ("127.0.0.1", 4000),
    server: tuple[str, int] = ("127.0.0.1", 8501),
    pieces: Sequence[bytes | float] = (b"",),
    websocket: Sequence[Message] | None = None,
    can_say_no: bool = True,
) -> Reply:
    """Send a request, by pieces with pauses between them, or a websocket's messages."""
    named = [("host", host)] if host is not None else []
    scope: dict[str, Any] = {
        "type": "http" if websocket is None else "websocket",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "scheme": scheme,
        "client": client,
        "server": server,
        "extensions": {"websocket.http.response": {}} if can_say_no else {},
        "headers": [(name.encode(), value.encode()) for name, value in [*named, *headers]],
    }
    coming: list[Any] = list(pieces)
    if websocket is not None:
        del scope["method"]
        coming = [{"type": "websocket.connect"}, *websocket]
    sent: list[Message] = []

    async def receive() -> Message:
        if websocket is not None:
            return coming.pop(0)
        while coming and isinstance(coming[0], float):
            await asyncio.sleep(coming.pop(0))
        if not coming:
            return {"type": "http.disconnect"}
        body = coming.pop(0)
        more = any(isinstance(each, bytes) for each in coming)
        return {"type": "http.request", "body": body, "more_body": more}

    async def send(message: Message) -> None:
        sent.append(message)

    run(app(scope, receive, send))
    starts = [each for each in sent if each["type"].endswith("http.response.start")]
    bodies = [each["body"] for each in sent if each["type"].endswith("http.response.body")]
    return Reply(
        starts[0]["status"] if starts else 0,
        Headers(raw=starts[0]["headers"]) if starts else Headers(),
        b"".join(bodies).decode(),
        sent,
    )
