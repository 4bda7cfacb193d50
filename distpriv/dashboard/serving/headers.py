"""Security headers: the browser takes scripts, pictures and data from the dashboard alone."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from distpriv.dashboard.serving.addresses import is_loopback, parse_host

__all__ = ["HEADERS", "SecurityHeaders", "headers_for"]

_PAGE = Path(st.__file__).parent / "static" / "index.html"
_YEAR = 365 * 24 * 3600
_TOKEN = "_streamlit_xsrf="  # nosec B105 # a cookie's name
_EXTENSION = "websocket.http.response"
_STARTS = ("http.response.start", f"{_EXTENSION}.start")
# What a server says of itself where a websocket is closed before it is open.
_NO: tuple[Message, ...] = (
    {"type": f"{_EXTENSION}.start", "status": 403, "headers": [(b"content-length", b"0")]},
    {"type": f"{_EXTENSION}.body", "body": b"", "more_body": False},
)


def _inline_scripts() -> str:
    """Fingerprints of the scripts that stand in Streamlit's own page."""
    scripts = re.findall("<script>(.*?)</script>", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


_POLICY = {
    "default-src": "'self'",
    "script-src": f"'self' {_inline_scripts()}",
    # Charts, formulas and the page itself write their styles where they stand.
    "style-src": "'self' 'unsafe-inline'",
    # Charts are saved as pictures of their own making.
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
_UNUSED = (
    "accelerometer",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "hid",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
    "xr-spatial-tracking",
)


def headers_for(ancestors: Sequence[str] = ()) -> dict[str, str]:
    """The headers of every answer.

    Parameters
    ----------
    ancestors : sequence of str
        Sources, in the policy's own words, of pages that may show the dashboard in a frame.
    """
    policy = {**_POLICY, "frame-ancestors": " ".join(ancestors) or "'none'"}
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": ", ".join(f"{name}=()" for name in _UNUSED),
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    # For browsers that do not know frame-ancestors; other origins it has no words for.
    if not ancestors:
        headers["X-Frame-Options"] = "DENY"
    elif set(ancestors) == {"'self'"}:
        headers["X-Frame-Options"] = "SAMEORIGIN"
    return headers


HEADERS = headers_for()
"""Those of a server that no other page may show in a frame."""


class SecurityHeaders:
    """ASGI middleware that adds the headers to every answer, and what they lack to cookies.

    Parameters
    ----------
    app : ASGI application
    ancestors : sequence of str
        As of `headers_for`.
    """

    def __init__(self, app: ASGIApp, ancestors: Sequence[str] = ()) -> None:
        self.app = app
        self._headers = headers_for(ancestors)
        self._framed = any(ancestor != "'self'" for ancestor in ancestors)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; an open websocket has no headers."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        secure = scope["scheme"] in ("https", "wss")
        headers = dict(self._headers)
        if secure:
            headers["Strict-Transport-Security"] = f"max-age={_YEAR}"
        # Elsewhere browsers ignore it, and complain.
        host = parse_host(Headers(scope=scope).get("host", ""))
        if secure or (host is not None and is_loopback(host.name)):
            headers["Cross-Origin-Opener-Policy"] = "same-origin"

        undecided = scope["type"] == "websocket" and _EXTENSION in scope.get("extensions", {})

        async def with_headers(message: Message) -> None:
            nonlocal undecided
            if message["type"] == "websocket.close" and undecided:
                for part in _NO:
                    await with_headers(dict(part))
                return
            undecided = False
            if message["type"] in _STARTS:
                MutableHeaders(scope=message).update(headers)
                if secure:
                    message["headers"] = [
                        (name, self._over_tls(value) if name.lower() == b"set-cookie" else value)
                        for name, value in message["headers"]
                    ]
            await send(message)

        await self.app(scope, receive, with_headers)
        if scope["type"] == "websocket":
            # Uvicorn takes a handshake that was refused for forgotten until it has hung up.
            await asyncio.sleep(0)

    def _over_tls(self, cookie: bytes) -> bytes:
        """A cookie that goes over TLS alone; Streamlit knows of its own TLS, not of a proxy's."""
        text = cookie.decode("latin-1")
        if "secure" not in [part.strip().lower() for part in text.split(";")]:
            text += "; Secure"
        if self._framed and text.startswith(_TOKEN):
            # In another site's frame uploads would come without it. It is the frame's own there.
            text = re.sub(r"SameSite=\w+", "SameSite=None", text) + "; Partitioned"
        return text.encode("latin-1")
