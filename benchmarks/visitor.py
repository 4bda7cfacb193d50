"""One visitor of the dashboard without a browser: Streamlit's messages over its WebSocket.

A visitor asks for pages, moves controls and lets the timers of fragments run as the browser does,
but draws nothing: twenty of them cost less than one browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

__all__ = ["LONGEST", "Visitor"]

LONGEST = 90.0
"""Seconds that an answer may take before it counts as an error."""

Control = tuple[str, str, Any]  # its id, its kind, what is said of it
_WRITTEN = {"slider": "double_array_value", "number_input": "double_value",
            "button": "trigger_value", "checkbox": "bool_value",
            "selectbox": "string_value"}  # fmt: skip


class Visitor:
    """A session over a connection of its own; used as an asynchronous context.

    Parameters
    ----------
    port : int
        Of a dashboard on this machine.
    page : str
        Whose address is opened first.
    query : mapping of str to str
        Parameters of that address.

    Attributes
    ----------
    controls : dict of str to Control
        Those of the page, by their key.
    texts : list of str
        What stands in sentences that warn or say an error, since the last full run.
    problems : list of str
        What no visitor should meet: an exception on a page, no answer, a closed connection.
    received : int
        Bytes.
    runs : int
        Of the whole page and of fragments that have ended.
    """

    def __init__(self, port: int, page: str, query: Mapping[str, str] | None = None) -> None:
        self.controls: dict[str, Control] = {}
        self.texts: list[str] = []
        self.problems: list[str] = []
        self.received = self.runs = 0
        self.session = ""
        self._address = f"ws://127.0.0.1:{port}/_stcore/stream"
        self.page, self._query = page, urlencode(query or {})
        self._pages: dict[str, str] = {}
        self._hash = ""
        self._cached: dict[str, ForwardMsg] = {}
        self._said: dict[str, WidgetState] = {}  # what controls were moved to; always said again
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._full = False  # whether the run under way is one of the whole page
        self._began = False  # whether such a run has begun since something was last asked
        self._answered = asyncio.Event()
        self._connection: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Visitor:
        protocol: Any = "streamlit"
        self._connection = await connect(self._address, subprotocols=[protocol], max_size=None)
        self._reader = asyncio.create_task(self._read())
        await self._run()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.leave()

    async def leave(self) -> None:
        """Close the tab."""
        self._stop_timers()
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader
        if self._connection is not None:
            await self._connection.close()

    async def go(self, page: str) -> float:
        """Follow a link to a page; seconds until it stands there."""
        self.page, self._hash = page, self._pages.get(page, "")
        self.controls.clear()
        return await self._run()

    async def put(self, key: str, value: Any) -> float:
        """Move a control; seconds until the page has answered."""
        state = self._state(key, value)
        self._said[state.id] = state
        return await self._run()

    async def click(self, key: str) -> float:
        """Press a button; seconds until the page has answered."""
        return await self._run(self._state(key, True))

    def _state(self, key: str, value: Any) -> WidgetState:
        identity, kind, _ = self.controls[key]
        state = WidgetState(id=identity)
        name = _WRITTEN[kind]
        if kind == "slider":  # of numbers, or of texts
            name = "string_array_value" if isinstance(value, str) else name
            getattr(state, name).data.append(value)
        else:
            setattr(state, name, value)
        return state

    async def _run(self, *states: WidgetState) -> float:
        self._answered.clear()
        self._began = False  # one that is under way does not answer this
        began = time.perf_counter()
        await self._send(*states)
        try:
            await asyncio.wait_for(self._answered.wait(), LONGEST)
        except TimeoutError:
            assert self._reader is not None
            if self._reader.done():
                self._reader.result()
            self.problems.append(f"{self.page}: no answer in {LONGEST:g} s")
        return time.perf_counter() - began

    async def _send(self, *states: WidgetState, fragment: str = "") -> None:
        message = BackMsg()
        wanted = message.rerun_script
        wanted.query_string, wanted.page_script_hash = self._query, self._hash
        wanted.page_name = "" if self._hash else self.page
        wanted.fragment_id, wanted.is_auto_rerun = fragment, bool(fragment)
        wanted.widget_states.widgets.extend([*self._said.values(), *states])
        wanted.cached_message_hashes.extend(self._cached)
        assert self._connection is not None
        with contextlib.suppress(ConnectionClosed):  # the reader tells of it
            await self._connection.send(message.SerializeToString())

    async def _read(self) -> None:
        assert self._connection is not None
        try:
            async for raw in self._connection:
                assert isinstance(raw, bytes)
                self.received += len(raw)
                message = ForwardMsg.FromString(raw)
                kind = message.WhichOneof("type")
                if kind == "ref_hash":
                    kept = self._cached[message.ref_hash]
                    message, kind = kept, kept.WhichOneof("type")
                elif message.metadata.cacheable:
                    self._cached[message.hash] = message
                self._take(str(kind), message)
        except ConnectionClosed as error:
            self.problems.append(f"{self.page}: the connection closed, {error}")
        else:
            self.problems.append(f"{self.page}: the server closed the connection")
        self._answered.set()

    def _take(self, kind: str, message: ForwardMsg) -> None:
        if kind == "new_session":
            self._begin(message)
        elif kind == "navigation":
            self._pages = {
                each.url_pathname: each.page_script_hash for each in message.navigation.app_pages
            }
            self._hash = message.navigation.page_script_hash
        elif kind == "auto_rerun":
            timer = message.auto_rerun
            if timer.fragment_id not in self._timers:
                ticking = self._tick(timer.fragment_id, timer.interval)
                self._timers[timer.fragment_id] = asyncio.create_task(ticking)
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self._stop(fragment)
        elif kind == "delta":
            self._element(message)
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "script_finished":
            self._end(message.script_finished)

    def _begin(self, message: ForwardMsg) -> None:
        new = message.new_session
        self.session = new.initialize.session_id or self.session
        self._full = not message.metadata.run.fragment_ids
        if self._full:
            self._began = True
            self._stop_timers()
            self.texts.clear()

    def _end(self, status: int) -> None:
        self.runs += 1
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.problems.append(f"{self.page}: does not compile")
        done = status in (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR)
        if done and self._began:
            self._answered.set()

    def _element(self, message: ForwardMsg) -> None:
        if message.delta.WhichOneof("type") != "new_element":
            return
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        said: Any = getattr(element, kind) if kind else None
        if kind == "exception":
            self.problems.append(f"{self.page}: {said.type}: {said.message}")
        elif kind == "alert":
            self.texts.append(said.body)
        elif isinstance(identity := getattr(said, "id", None), str):
            self.controls[identity.split("-", 2)[-1]] = (identity, str(kind), said)
            if getattr(said, "set_value", False):  # the program has moved it
                self._said.pop(identity, None)

    async def _tick(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            await self._send(fragment=fragment)

    def _stop(self, fragment: str) -> None:
        timer = self._timers.pop(fragment, None)
        if timer is not None:
            timer.cancel()

    def _stop_timers(self) -> None:
        for fragment in list(self._timers):
            self._stop(fragment)
