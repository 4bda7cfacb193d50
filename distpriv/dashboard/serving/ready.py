"""Whether the server can do its work: asked by whoever sends visitors to it, or starts it anew."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable

from sqlalchemy import select
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from distpriv.errors import StoreError
from distpriv.store import open_store
from distpriv.store.models import SchemaRow

__all__ = ["PATH", "Readiness", "ask_database"]

PATH = "/ready"
_SECONDS = 2.0  # that the database has for its answer
_FRESH = 1.0  # seconds that an answer holds
_SILENT = "The database does not answer."


def ask_database() -> str | None:
    """What is wrong with the database that the server is given, or None; none given is ready."""
    if not os.environ.get("DATABASE_URL", "").strip():
        return None
    try:
        with open_store().reading() as session:
            session.execute(select(SchemaRow.version).limit(1))
    except StoreError as error:
        logging.getLogger(__name__).warning("Not ready: %s", error)
        return _SILENT
    return None


class Readiness:
    """ASGI middleware that answers; the database is asked once, whoever waits for it.

    Parameters
    ----------
    app : ASGI application
    base : str, optional
        Path below which the dashboard is served.
    ask : callable, optional
        Gives what is wrong, or None.
    seconds : float, optional
        That it has for it.
    fresh : float, optional
        Seconds that its answer holds.
    """

    def __init__(
        self,
        app: ASGIApp,
        base: str = "",
        ask: Callable[[], str | None] = ask_database,
        seconds: float = _SECONDS,
        fresh: float = _FRESH,
    ) -> None:
        self.app = app
        self._path = f"/{base}{PATH}" if (base := base.strip("/")) else PATH
        self._ask = ask
        self._seconds = seconds
        self._fresh = fresh
        self._asked: asyncio.Task[str | None] | None = None
        self._since = 0.0

    async def problem(self) -> str | None:
        """What is wrong, or None. A question that gets no answer is not asked a second time."""
        now = time.monotonic()
        asked = self._asked
        if asked is None or (asked.done() and now - self._since > self._fresh):
            asked = self._asked = asyncio.create_task(asyncio.to_thread(self._ask))
            self._since = now
        await asyncio.wait({asked}, timeout=max(0.0, self._since + self._seconds - now))
        return asked.result() if asked.done() else _SILENT

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request: 200, or 503 with a sentence; all but its own path pass as they are."""
        if scope["type"] != "http" or scope["path"] != self._path:
            await self.app(scope, receive, send)
            return
        problem = await self.problem()
        said = {"ready": problem is None} | ({} if problem is None else {"problem": problem})
        headers = {"Cache-Control": "no-store"}
        answer = JSONResponse(said, 200 if problem is None else 503, headers=headers)
        await answer(scope, receive, send)
