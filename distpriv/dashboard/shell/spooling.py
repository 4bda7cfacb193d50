"""Large uploads: what passes the memory's share goes to a temporary file of its session.

Streamlit keeps what is uploaded in memory. A request that brings more than :data:`IN_MEMORY` is
written to disk as it comes, and Streamlit is handed a few bytes in its place: a ticket that nobody
can guess, for which :func:`claim` gives the file. The file goes when the last who holds it does,
and at the latest with the process.
"""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO
from weakref import WeakValueDictionary

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime

from distpriv.dashboard.serving.bounds import UPLOAD

__all__ = ["IN_MEMORY", "MEGABYTES", "Spooled", "Spooling", "claim"]

IN_MEMORY = 200 * 1024**2
"""Bytes of an upload that are kept in memory at most."""

MEGABYTES = IN_MEMORY // 1024**2
"""The same, for controls that take nothing larger."""

_TICKET = re.compile(rb"distpriv-spooled:([0-9a-f]{64})")
_FRAMING = 64 * 1024  # bytes of a request beside its file
_FREE = 0.9  # of the disk's free room that an upload may take


@dataclass(eq=False)
class Spooled:
    """An upload on disk.

    Attributes
    ----------
    path : Path
    name : str
        As it was called where it came from.
    size : int
        Bytes.
    session : str
        Whose upload it is.
    digest : str
        Of the full content.
    """

    path: Path
    name: str
    size: int
    session: str
    digest: str
    _folder: tempfile.TemporaryDirectory[str]


_lock = threading.Lock()
_waiting: dict[str, Spooled] = {}
_claimed: WeakValueDictionary[str, Spooled] = WeakValueDictionary()


def claim(content: bytes) -> Spooled | None:
    """The file that an upload's content is a ticket for, or None if it is a file itself."""
    found = _TICKET.fullmatch(content[:100]) if len(content) <= 100 else None
    if found is None:
        return None
    ticket = found[1].decode()
    with _lock:
        spooled = _waiting.pop(ticket, None) or _claimed.get(ticket)
        if spooled is not None:
            _claimed[ticket] = spooled
        return spooled


def _forget() -> None:
    """Let go of files whose session has ended before it claimed them."""
    active = runtime.get_instance().is_active_session
    with _lock:
        for ticket in [ticket for ticket, one in _waiting.items() if not active(one.session)]:
            del _waiting[ticket]


class _File:
    """The one file of a multipart request, written out as its parts come."""

    def __init__(self, content_type: str, target: BinaryIO) -> None:
        self.name, self.size = "", 0
        self._target, self._files, self._inside = target, 0, False
        self._state = blake2b(digest_size=32)
        self._field, self._value, self._ended = b"", b"", False
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data" or b"boundary" not in options:
            raise MultipartParseError("no form")
        self._parser = MultipartParser(
            options[b"boundary"],
            {
                "on_part_begin": self._begin,
                "on_header_field": self._on_field,
                "on_header_value": self._on_value,
                "on_header_end": self._on_header,
                "on_part_data": self._on_data,
                "on_end": self._on_end,
            },
        )

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the request."""
        self._parser.write(chunk)

    @property
    def digest(self) -> str:
        """Of the file's content so far."""
        return self._state.hexdigest()

    @property
    def complete(self) -> bool:
        """Whether the request ended as a form with one file does."""
        return self._ended and self._files == 1

    def _begin(self) -> None:
        self._inside, self._field, self._value = False, b"", b""

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header(self) -> None:
        if self._field.lower() == b"content-disposition":
            _, options = parse_options_header(self._value)
            if b"filename" in options:
                self.name = options[b"filename"].decode(errors="replace")
                self._files += 1
                self._inside = self._files == 1
        self._field, self._value = b"", b""

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._inside:
            self.size += end - start
            self._state.update(data[start:end])
            self._target.write(data[start:end])

    def _on_end(self) -> None:
        self._ended = True


class Spooling:
    """ASGI middleware that writes large uploads to disk.

    Parameters
    ----------
    app : ASGI application
    most : callable, optional
        Gives the largest number of bytes that is taken; the server's ``maxUploadSize`` by default.
    """

    def __init__(self, app: ASGIApp, most: Callable[[], int] | None = None) -> None:
        self.app = app
        self._most = most or (lambda: int(config.get_option("server.maxUploadSize")) * 1024**2)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; all but large uploads pass as they are."""
        found = UPLOAD.search(scope["path"]) if scope["type"] == "http" else None
        if found is None or scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "")
        chunked = "transfer-encoding" in Headers(scope=scope)  # the length does not hold then
        size = int(length) if length.isdecimal() and not chunked else None
        if size is not None and size <= IN_MEMORY:
            await self.app(scope, receive, send)
            return
        problem = self._problem(found[1], size)
        if problem is not None:
            await problem(scope, receive, send)
            return
        await self._spool(found[1], scope, receive, send)

    def _problem(self, session: str, size: int | None) -> PlainTextResponse | None:
        if not runtime.exists() or not runtime.get_instance().is_active_session(session):
            return PlainTextResponse("Unknown session", 400)
        _forget()
        free = shutil.disk_usage(tempfile.gettempdir()).free
        if size is not None and size > min(self._most() + _FRAMING, _FREE * free):
            return PlainTextResponse("File too large", 413)
        return None

    async def _spool(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        folder = tempfile.TemporaryDirectory(prefix="distpriv-upload-")
        path = Path(folder.name) / "upload"
        most = min(self._most(), _FREE * shutil.disk_usage(folder.name).free)
        try:
            with path.open("wb") as target:
                file = _File(Headers(scope=scope).get("content-type", ""), target)
                async for chunk in Request(scope, receive).stream():
                    file.feed(chunk)
                    if file.size > most:
                        await PlainTextResponse("File too large", 413)(scope, receive, send)
                        return
        except (MultipartParseError, OSError):
            await PlainTextResponse("The upload was cut off", 400)(scope, receive, send)
            return
        if not file.complete:
            await PlainTextResponse("Expected 1 file", 400)(scope, receive, send)
            return
        ticket = secrets.token_hex(32)
        with _lock:
            _waiting[ticket] = Spooled(path, file.name, file.size, session, file.digest, folder)
        if not await self._handed(f"distpriv-spooled:{ticket}", file.name, scope, send):
            with _lock:
                _waiting.pop(ticket, None)

    async def _handed(self, ticket: str, name: str, scope: Scope, send: Send) -> bool:
        """Hand the ticket on as the file; whether it was taken."""
        boundary = secrets.token_hex(16)
        plain = re.sub(r'[\r\n"\\]', "_", name)
        body = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{plain}"\r\n'
            f"Content-Type: application/octet-stream\r\n\r\n{ticket}\r\n--{boundary}--\r\n"
        ).encode()
        replaced = {
            b"content-type": f"multipart/form-data; boundary={boundary}".encode(),
            b"content-length": str(len(body)).encode(),
        }
        headers = [each for each in scope["headers"] if each[0] not in replaced] + [
            *replaced.items()
        ]
        headers = [each for each in headers if each[0] != b"transfer-encoding"]
        status: list[int] = []

        async def once() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                status.append(message["status"])
            await send(message)

        passed: dict[str, Any] = {**scope, "headers": headers}
        await self.app(passed, once, noted)
        return bool(status) and status[0] < 300
