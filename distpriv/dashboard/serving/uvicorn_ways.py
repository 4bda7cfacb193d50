"""What Uvicorn does of itself before the dashboard is asked, where that is not what is wanted.

Streamlit starts Uvicorn and passes it no setting for it. Under another server nothing is changed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
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
        more = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

        def refuse(protocol: Any, _reason: str) -> None:
            _refuse(protocol, more)

        speaking.__dict__["H11Protocol"].send_400_response = refuse


def _as_they_came(app: ASGIApp, trusted_hosts: object) -> ASGIApp:
    return app


def _refuse(protocol: Any, more: list[tuple[bytes, bytes]]) -> None:
    """Answer what could not be read, and take the rest for a moment, so that the answer is."""
    import h11

    connection = protocol.conn
    if connection.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
        protocol.transport.close()
        return
    status, sentence = _MALFORMED
    if getattr(sys.exception(), "error_status_hint", None) == _TOO_LONG:
        status, sentence = _HEADERS if b"\n" in connection.trailing_data[0] else _LINK
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
        protocol.transport.write(connection.send(event))
    protocol.data_received = lambda _rest: None
    protocol.loop.call_later(_LINGER, protocol.transport.close)
