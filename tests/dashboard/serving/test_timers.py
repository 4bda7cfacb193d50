"""Timers are heard while nothing else runs in their session, and each has its turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from distpriv.dashboard.serving import timers
from distpriv.dashboard.serving.timers import Ticks

LINK = ClientState(page_script_hash="asked for")
TICK = ClientState(page_script_hash="on screen", fragment_id="part", is_auto_rerun=True)
CLICK = ClientState(page_script_hash="on screen", fragment_id="part")


class Session:
    """As much of a session as a request needs: what is asked of it, and whether it runs."""

    def __init__(self) -> None:
        self.asked: list[ClientState | None] = []
        self._scriptrunner: object | None = None

    def ask(self, state: ClientState | None) -> None:
        self.asked.append(state)


@pytest.fixture
def request_rerun(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.setattr(AppSession, "request_rerun", Session.ask)
    timers.at_start()
    once = AppSession.request_rerun
    timers.at_start()
    assert AppSession.request_rerun is once
    return AppSession.request_rerun


def test_without_it_streamlit_takes_a_page_back() -> None:
    """Once this fails, there is less to do here."""
    requests = ScriptRequests()
    requests.request_rerun(RerunData(page_script_hash="asked for"))
    tick = RerunData(page_script_hash="on screen", fragment_id="part", is_auto_rerun=True)
    requests.request_rerun(tick)
    assert requests.on_scriptrunner_ready().rerun_data.page_script_hash == "on screen"


def test_people_are_always_heard_and_timers_while_nothing_runs(request_rerun) -> None:
    session = Session()
    request_rerun(session, TICK)
    assert session.asked == [TICK]
    session._scriptrunner = object()
    for state in (LINK, TICK, CLICK, TICK, None):
        request_rerun(session, state)
    assert session.asked == [TICK, LINK, CLICK, None]
    session._scriptrunner = None
    request_rerun(session, TICK)
    assert session.asked[4:] == [TICK]
    other = Session()
    other._scriptrunner = object()
    request_rerun(session, TICK)  # whatever goes on in others
    assert session.asked[4:] == [TICK, TICK]


@given(
    lasts=st.lists(st.integers(1, 12), min_size=1, max_size=4),
    phases=st.lists(st.integers(0, 4), min_size=4, max_size=4),
)
def test_every_part_has_its_turn(lasts, phases) -> None:
    """Timers of five units, parts that take as long as they like, and none is always too early."""
    ticks, heard, free = Ticks(), Counter(), 0
    for now in range(600):
        for part, last in enumerate(lasts):
            if (now + phases[part]) % 5 == 0 and ticks.heard(str(part), busy=now < free):
                heard[part] += 1
                free = now + last
    assert len(heard) == len(lasts)
    assert min(heard.values()) >= 10
