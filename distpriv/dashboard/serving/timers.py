"""What a person has asked for, no timer takes back."""

from __future__ import annotations

from functools import wraps

from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)

__all__ = ["at_start"]


def at_start() -> None:
    """Let no timer have a say in a page that waits to be run.

    Of two requests Streamlit makes one, with the page that the later one names. A timer of a part
    names the page that was on screen: whoever has followed a link a moment before, while the server
    was busy, would be led back. A run of a whole page runs its parts anyway.
    """
    take = ScriptRequests._request_rerun_locked
    if hasattr(take, "__wrapped__"):
        return

    @wraps(take)
    def unless_a_timer(requests: ScriptRequests, asked: RerunData) -> bool:
        waits = requests._state is ScriptRequestType.RERUN
        if asked.is_auto_rerun and waits and not requests._rerun_data.fragment_id_queue:
            return True
        return take(requests, asked)

    ScriptRequests._request_rerun_locked = unless_a_timer  # type: ignore[assignment]
