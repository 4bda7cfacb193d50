"""What a click does is done to its end, even if the next click is waiting."""

from __future__ import annotations

from functools import wraps
from typing import Any

from streamlit.runtime.state.safe_session_state import SafeSessionState

__all__ = ["at_start"]


def at_start() -> None:
    """Let no callback be cut off; what waits is served as soon as it has ended.

    Streamlit ends a run for the sake of the next one wherever it asks for the session's state, in a
    callback too, and does not call that callback again: a file that was being read, a choice of
    which half was noted, would be lost to whoever clicks twice.
    """
    cut_off = SafeSessionState.on_script_will_rerun
    if hasattr(cut_off, "__wrapped__"):
        return

    @wraps(cut_off)
    def whole(state: SafeSessionState, *args: Any, **kwargs: Any) -> None:
        state._yield_callback()
        runner: Any = getattr(state._yield_callback, "__self__", None)
        running = getattr(runner, "_execing", False)
        if not running:
            cut_off(state, *args, **kwargs)
            return
        runner._execing = False
        try:
            cut_off(state, *args, **kwargs)
        finally:
            runner._execing = running

    SafeSessionState.on_script_will_rerun = whole  # type: ignore[assignment]
