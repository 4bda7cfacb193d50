"""What Uvicorn does of itself before the dashboard is asked, where that is not what is wanted.

Streamlit starts Uvicorn and passes it no setting for it. Under another server nothing is changed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.types import ASGIApp

__all__ = ["take_over"]

_LINK = (
    414,
    "The link is too long. A scenario that needs so much is saved to a file, and opened from it.",
)
_HEADERS = (431, "The request's headers are too long; delete the cookies of this server.")
_MALFORMED = (400, "That is no request that can be read.")
_TOO_LONG = 431  # h11's word for what did not end in time
_LINE, _LINES = 8000, 100  # bytes and number of lines of a websocket's request
_LINGER = 2.0  # seconds in which the rest may come


def take_over(headers: Mapping[str, str]) -> None:
    """Have Uvicorn leave requests as they came, and refuse what is none as the dashboard does.

    Of itself it believes what is said of visitors by whoever asks from the same machine, which
    behind a reverse proxy there is everybody; and it answers an overlong link without a reason.

    Parameters
    ----------
    headers : mapping of str to str
        Of every answer.
    """
    serving = sys.modules.get("uvicorn.config")
    if serving is not None:
        serving.__dict__["ProxyHeadersMiddleware"] = _as_they_came
    speaking = sys.modules.get("uvicorn.protocols.http.h11_impl")
    if speaking is not None:
        _speak(speaking.__dict__["H11Protocol"], [*headers.items()])


def _speak(protocol: Any, headers: Sequence[tuple[str, str]]) -> None:
    """Answer in its place what a class of connections refuses, or leaves without an answer."""
    more = [(name.lower().encode(), value.encode()) for name, value in headers]
    upgrade = protocol.handle_websocket_upgrade

    def refused(self: Any, _reason: str) -> None:
        refusal = _MALFORMED
        if _leave(self):
            pass
        elif getattr(sys.exception(), "error_status_hint", None) == _TOO_LONG:
            refusal = _HEADERS if b"\n" in self.conn.trailing_data[0] else _LINK
        _refuse(self, *refusal, more)

    def upgraded(self: Any, event: Any) -> None:
        # What the library for websockets takes for too long gets no answer from it.
        if len(event.target) > _LINE:
            _refuse(self, *_LINK, more)
        elif len(event.headers) > _LINES or max(map(_length, event.headers)) > _LINE:
            _refuse(self, *_HEADERS, more)
        else:
            upgrade(self, event)

    protocol.send_400_response, protocol.handle_websocket_upgrade = refused, upgraded


def _as_they_came(app: ASGIApp, trusted_hosts: object) -> ASGIApp:
    return app


def _leave(self: Any) -> bool:
    """Whether a request was being answered; what answers it is told that the visitor has gone."""
    cycle = self.cycle
    if cycle is None or cycle.response_complete:
        return False
    cycle.disconnected = True
    cycle.message_event.set()
    return True


def _length(header: tuple[bytes, bytes]) -> int:
    return len(header[0]) + len(header[1])


def _refuse(self: Any, status: int, sentence: str, more: list[tuple[bytes, bytes]]) -> None:
    """Answer a connection, and take the rest for a moment, so that the answer is read."""
    import h11

    if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
        self.transport.close()
        return
    body = sentence.encode()
    headers = [
        *more,
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    for event in (
        h11.Response(status_code=status, headers=headers),
        h11.Data(data=body),
        h11.EndOfMessage(),
    ):
        self.transport.write(self.conn.send(event))
    if self.transport.can_write_eof():
        self.transport.write_eof()
    self.data_received = lambda _rest: None
    self.loop.call_later(_LINGER, self.transport.close)
