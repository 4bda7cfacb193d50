"""How much a request or a message may bring, and how slowly."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from distpriv.dashboard.serving.refusing import refuse

__all__ = ["MESSAGE", "UPLOAD", "Bodies", "Messages", "Pace"]

MESSAGE = 8_000_000
"""Bytes of a message over the websocket; the largest, a saved workspace, has 2 million."""

_BODY = 1024**2  # bytes of a request that is no upload
_TOO_BIG, _NO_TEXT = 1009, 1003

UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")
"""The path of an upload; its group is the session."""


@dataclass(frozen=True)
class Pace:
    """How slowly a request may come.

    Attributes
    ----------
    pause : float
        Seconds without any of it.
    start : float
        Seconds that it may take whatever its size.
    bytes_per_second : float
        What it brings on average after that.
    """

    pause: float = 30.0
    start: float = 60.0
    bytes_per_second: float = 16 * 1024


class Bodies:
    """ASGI middleware that ends requests which bring too much, or too slowly.

    How large an upload may be is Streamlit's setting, and held where it is taken.

    Parameters
    ----------
    app : ASGI application
    pace : Pace, optional
    """

    def __init__(self, app: ASGIApp, pace: Pace | None = None) -> None:
        self.app = app
        self._pace = pace or Pace()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and watch what it brings."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = None if UPLOAD.search(scope["path"]) else _BODY
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            length = Headers(scope=scope).get("content-length", "0")
            if most is not None and int(length) > most:
                raise _too_large(most)
            await self.app(scope, self._watched(receive, most), noted)
        except ClientDisconnect:
            return
        except HTTPException as error:
            if begun:
                raise
            await refuse(scope, receive, noted, status=error.status_code, sentence=error.detail)

    def _watched(self, receive: Receive, most: int | None) -> Receive:
        brought, waited, more = 0, 0.0, True
        pace = self._pace

        async def watched() -> Message:
            nonlocal brought, waited, more
            if not more:
                return await receive()
            left = pace.start + brought / pace.bytes_per_second - waited
            loop = asyncio.get_running_loop()
            since = loop.time()
            try:
                async with asyncio.timeout(min(pace.pause, left)):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(
                    408, "The request came too slowly; try again over a better connection."
                ) from None
            waited += loop.time() - since
            brought += len(message.get("body", b""))
            more = message.get("more_body", False)
            if most is not None and brought > most:
                raise _too_large(most)
            return message

        return watched


def _too_large(most: int) -> HTTPException:
    return HTTPException(413, f"The request is too large; {most:,} bytes are taken at most.")


class Messages:
    """ASGI middleware that closes a websocket whose message is too large, or is text.

    Parameters
    ----------
    app : ASGI application
    most : int, optional
        Bytes.
    """

    def __init__(self, app: ASGIApp, most: int = MESSAGE) -> None:
        self.app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a websocket's messages on."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        closed = False

        async def bounded() -> Message:
            nonlocal closed
            message = await receive()
            if message["type"] != "websocket.receive" or closed:
                return message
            data = message.get("bytes")
            code = _NO_TEXT if data is None else _TOO_BIG if len(data) > self._most else None
            if code is None:
                return message
            closed = True
            await send({"type": "websocket.close", "code": code})
            return {"type": "websocket.disconnect", "code": code}

        async def while_open(message: Message) -> None:
            if not closed:
                await send(message)

        await self.app(scope, bounded, while_open)
