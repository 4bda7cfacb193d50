"""What keeps the workspace after every change: the browser's tab and, if asked for, the server.

The browser's part is a file of the dashboard's own, ``browser/autosave.js``: the security headers
let no script run that stands in the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest
from streamlit.components.v2.types import ComponentRenderer

from distpriv.analysis.workspace import Workspace, read_workspace, write_workspace
from distpriv.dashboard.serving import people
from distpriv.dashboard.shell import history, opening, storage, workspace
from distpriv.dashboard.shell.kept import kept
from distpriv.dashboard.shell.links import SCENARIO
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError
from distpriv.store import Store
from distpriv.store.workspaces import (
    forget_workspace,
    keep_workspace,
    new_key,
    open_workspace,
)
from distpriv.version import VERSION
from distpriv.words import escape

__all__ = ["LINK", "enter", "forget", "keep", "off_server", "on_server"]

LINK = "workspace"  # the address's parameter
_PART = "distpriv.autosave"
# Parameters that say who looks, not at what.
_OF_THE_VISITOR = {"present", "role"}


def on_server() -> None:
    """Keep the workspace on the server too, from now on, under a new key."""
    st.session_state[Key.WORKSPACE_KEY] = new_key()


def off_server() -> None:
    """Delete it from the server, and keep it there no longer; raises StoreError."""
    state = st.session_state
    storage.keep(forget_workspace, state[Key.WORKSPACE_KEY])
    del state[Key.WORKSPACE_KEY]
    state.pop(Key.WORKSPACE_ON_SERVER, None)


def enter() -> None:
    """Bring back what the browser or the server has kept; the first thing in a run."""
    state = st.session_state
    if Key.ENTRANCE not in state:
        state[Key.ENTRANCE] = dict(st.query_params)
    if (key := st.query_params.get(LINK)) is not None:
        del st.query_params[LINK]
        _follow(key)
    if (found := state.pop(Key.BROWSER_FOUND, None)) is not None:
        _bring_back(found)


def _follow(key: str) -> None:
    try:
        workspace.restore(storage.keep(open_workspace, key), on_screen=True)
        st.session_state.update({Key.WORKSPACE_KEY: key, Key.BEGUN: True})
    except DistprivError as error:
        st.session_state[Key.NOTICE] = escape(error)


def _bring_back(found: Mapping[str, Any]) -> None:
    """Put what the browser's tab had into the session; the address it was opened with goes first.

    Reloaded pages and addresses that ask for nothing show what was on screen before.
    """
    state = st.session_state
    entrance: Mapping[str, str] = state[Key.ENTRANCE]
    if found.get("owner") not in (None, "", people.owner()):
        return  # of somebody who has signed out since
    try:
        had = read_workspace(str(found["workspace"]))
        asked = set(entrance) - _OF_THE_VISITOR
        own = had.source.uploaded and entrance.get("data") == opening.UPLOAD
        again = found.get("again") is True and not asked & {LINK, SCENARIO}
        on_screen = again or own or not asked
        workspace.restore(had, on_screen=on_screen)
        if on_screen:
            state[Key.BEGUN] = True
            state.pop(Key.STEPS, None)  # nobody has made what the page showed until now
        if isinstance(key := found.get("key"), str):
            state.setdefault(Key.WORKSPACE_KEY, key)
    except DistprivError as error:
        state[Key.NOTICE] = f"What this tab had kept cannot be brought back: {escape(error)}"


def _answer() -> None:
    """The browser has said what its tab had, once in a session; with nothing it says nothing."""
    state = st.session_state
    if state.get(Key.BROWSER_ASKED) is True:
        return
    state[Key.BROWSER_ASKED] = True
    found = state[Key.AUTOSAVE].found
    if isinstance(found, Mapping) and found.get("workspace"):
        state[Key.BROWSER_FOUND] = found


def keep() -> None:
    """Keep what has been made, unless a table is awaited: then there is nothing newer."""
    state = st.session_state
    asked = state.setdefault(Key.BROWSER_ASKED, uuid4().hex)
    awaits = Key.AWAITING in state or Key.UPLOAD_WANTED in state or Key.SCENARIO not in state
    data: dict[str, Any] = {} if asked is True else {"asking": asked}
    if not awaits and (state.get(Key.BEGUN) or history.any_made() or kept()):
        now = workspace.current()
        data |= {"workspace": write_workspace(now), "key": state.get(Key.WORKSPACE_KEY)}
        data["owner"] = people.owner()
        if data["key"] and state.get(Key.WORKSPACE_ON_SERVER) != now:
            state[Key.WORKSPACE_ON_SERVER] = storage.ask(partial(_kept, data["key"], now))
    if state.pop(Key.BROWSER_FORGETS, False):
        data["forget"] = True
    _part()(key=Key.AUTOSAVE, data=data, on_found_change=_answer)


def forget() -> None:
    """Have the browser's tab forget what it keeps; instead of :func:`keep`, in a run."""
    _part()(key=Key.AUTOSAVE, data={"forget": True}, on_found_change=lambda: None)


def _kept(key: str, now: Workspace, store: Store) -> Workspace:
    keep_workspace(store, key, now)
    return now


def _part() -> ComponentRenderer:
    """The part of the page that runs in the browser and shows nothing."""
    manager = get_bidi_component_manager()
    if manager.get_component_path(_PART) is None:
        room, name = _PART.split(".")
        manifest = ComponentManifest(room, VERSION, [ComponentConfig(name, "browser")])
        manager.register_from_manifest(manifest, Path(__file__).parent)
    return _renderer()


@cache
def _renderer() -> ComponentRenderer:
    return st.components.v2.component(
        _PART,
        js="autosave.js",
        css=f".st-key-{Key.AUTOSAVE} {{ display: none; }}",
        isolate_styles=False,
    )
