"""A timer of the page that was on screen takes back no page that was asked for."""

from __future__ import annotations

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from distpriv.dashboard.serving import timers

LINK = RerunData(page_script_hash="asked for")
TICK = RerunData(page_script_hash="on screen", fragment_id="part", is_auto_rerun=True)
CLICK = RerunData(page_script_hash="on screen", fragment_id="other")


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's own, until a test wraps it."""
    own = ScriptRequests._request_rerun_locked
    own = getattr(own, "__wrapped__", own)
    monkeypatch.setattr(ScriptRequests, "_request_rerun_locked", own)


def taken(*asked: RerunData) -> RerunData:
    """What is run next."""
    requests = ScriptRequests()
    for one in asked:
        assert requests.request_rerun(one)
    return requests.on_scriptrunner_ready().rerun_data


@pytest.mark.usefixtures("plain")
def test_without_it_the_page_is_taken_back() -> None:
    """Once this fails, Streamlit needs no help."""
    assert taken(LINK, TICK).page_script_hash == "on screen"


@pytest.mark.usefixtures("plain")
def test_with_it_the_page_that_was_asked_for_comes() -> None:
    timers.at_start()
    timers.at_start()  # once is enough
    for asked in ((LINK, TICK), (TICK, LINK), (TICK, LINK, TICK), (CLICK, LINK, TICK, TICK)):
        next_run = taken(*asked)
        assert next_run.page_script_hash == "asked for"
        assert next_run.fragment_id_queue == []
    assert taken(LINK, CLICK).page_script_hash == "on screen"  # who clicks later has a say
    assert taken(TICK, CLICK, TICK).fragment_id_queue == ["part", "other"]
    assert taken(TICK).fragment_id_queue == ["part"]
