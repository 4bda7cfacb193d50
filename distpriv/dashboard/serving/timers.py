"""A timer asks for its part only while nothing else goes on in its session."""

from __future__ import annotations

from functools import wraps
from weakref import WeakKeyDictionary

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession

__all__ = ["Ticks", "at_start"]

_MOST = 64  # parts that are remembered, more than a page has


class Ticks:
    """The ticks of one session's timers: which are heard.

    One that comes while something runs, or is about to, is not: it comes again. So that none is
    always the one that comes too early, a part lets those go first that were heard longer ago.
    """

    def __init__(self) -> None:
        self._count = 0
        self._heard: dict[str, int] = {}
        self._missed: set[str] = set()

    def heard(self, part: str, *, busy: bool) -> bool:
        """Whether a tick of a part's timer is heard.

        Parameters
        ----------
        part : str
            The fragment's id.
        busy : bool
            Whether something runs.
        """
        own = self._heard.get(part, 0)
        before = {other for other in self._missed if self._heard.get(other, 0) < own}
        self._missed -= before  # they go first once: they may be on the page no more
        if busy or before:
            self._missed.add(part)
            return False
        self._missed.discard(part)
        self._count += 1
        self._heard.pop(part, None)
        self._heard[part] = self._count
        if len(self._heard) > _MOST:
            del self._heard[next(iter(self._heard))]
        return True


def at_start() -> None:
    """Let no timer be heard while something runs in its session.

    Streamlit makes one of two requests that wait, with the page that the later one names: whoever
    has followed a link while the server was busy is led back by a timer of the page before. What a
    timer asks for while its part is being drawn is drawn twice. And where it comes between a run's
    end and the moment at which that is known, what the run has drawn is lost.
    """
    take = AppSession.request_rerun
    if hasattr(take, "__wrapped__"):
        return
    sessions: WeakKeyDictionary[AppSession, Ticks] = WeakKeyDictionary()

    @wraps(take)
    def patient(session: AppSession, asked: ClientState | None) -> None:
        if asked is not None and asked.is_auto_rerun:
            ticks = sessions.setdefault(session, Ticks())
            if not ticks.heard(asked.fragment_id, busy=session._scriptrunner is not None):
                return
        take(session, asked)

    AppSession.request_rerun = patient  # type: ignore[assignment]
