"""How a request is refused: a status and one sentence, to a page as to a websocket."""

from __future__ import annotations

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

__all__ = ["refuse"]

_POLICY_VIOLATION = 1008


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    status: int,
    sentence: str,
    headers: dict[str, str] | None = None,
) -> None:
    """Answer a request with a refusal, and end its connection.

    Parameters
    ----------
    scope, receive, send
        The request.
    status : int
        Of HTTP.
    sentence : str
        What is wrong and what to do.
    headers : dict, optional
        More of them.
    """
    if scope["type"] == "websocket" and "websocket.http.response" not in scope["extensions"]:
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": ""})
        return
    # What else comes on this connection is the rest of what was refused.
    more = {"Connection": "close", "Cache-Control": "no-store", **(headers or {})}
    await PlainTextResponse(sentence, status, headers=more)(scope, receive, send)
