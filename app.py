"""ASGI entry of the dashboard: ``streamlit run app.py`` or ``uvicorn app:app``."""

from __future__ import annotations

import gc
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path

from starlette.middleware import Middleware
from streamlit.starlette import App

import distpriv.dashboard
from distpriv.dashboard import jobs
from distpriv.dashboard.front import Front


def _send_at_once() -> None:
    """Let an answer's body follow its head at once.

    On the socket that Streamlit opens it waits for the browser, which takes 40 ms a file.
    """
    for one in gc.get_objects():
        if isinstance(one, socket.socket) and one.family in (socket.AF_INET, socket.AF_INET6):
            with suppress(OSError):  # no stream, or closed
                if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@asynccontextmanager
async def lifespan(_: App) -> AsyncIterator[None]:
    """Start the workers and load pages before the first visitor; end workers with the server."""
    jobs.start()
    _send_at_once()
    for name in ("distpriv.dashboard.main", "distpriv.papers"):  # a few seconds
        import_module(name)
    yield
    jobs.stop()


# Not this file's folder: Streamlit would take pages/ beside it for its old kind of pages.
MAIN = Path(distpriv.dashboard.__file__).with_name("main.py")
app = App(MAIN, lifespan=lifespan, middleware=[Middleware(Front)])
