"""Security headers: the browser takes scripts, pictures and data from the dashboard alone."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "SecurityHeaders"]

_PAGE = Path(st.__file__).parent / "static" / "index.html"


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
    "frame-ancestors": "'none'",
}

HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in _POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class SecurityHeaders:
    """ASGI middleware that adds :data:`HEADERS` to every answer.

    Parameters
    ----------
    app : ASGI application
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; websockets pass as they are."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
