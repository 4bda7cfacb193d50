"""A callback is done to its end, whatever waits."""

from __future__ import annotations

import pytest
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.state.safe_session_state import SafeSessionState

from distpriv.dashboard.serving import callbacks


class Runner:
    """A run for which the next one waits, as Streamlit's has it."""

    def __init__(self) -> None:
        self._execing = True

    def pause(self) -> None:
        if self._execing:
            raise RerunException(RerunData())


class State:
    """A state whose callback notes two things."""

    def __init__(self) -> None:
        self.noted: dict[str, int] = {}
        self.fails = False
        self.safe: SafeSessionState | None = None

    def on_script_will_rerun(self, _states: object, **_: object) -> None:
        assert self.safe is not None
        self.safe["one"] = 1
        if self.fails:
            raise ValueError("broken")
        self.safe["two"] = 2

    def __setitem__(self, key: str, value: int) -> None:
        self.noted[key] = value


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> tuple[Runner, State, SafeSessionState]:
    plain = getattr(SafeSessionState.on_script_will_rerun, "__wrapped__", None)
    if plain is not None:
        monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", plain)
    monkeypatch.setattr(
        SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun
    )
    runner, state = Runner(), State()
    runner._execing = False
    state.safe = SafeSessionState(state, runner.pause)  # type: ignore[arg-type]
    return runner, state, state.safe


def impatient(runner: Runner) -> None:
    """The next click comes when the callback has begun."""
    runner._execing = True


def test_without_it_the_second_half_is_lost(parts) -> None:
    runner, state, safe = parts
    begun = state.on_script_will_rerun
    state.on_script_will_rerun = lambda *args, **kwargs: (impatient(runner), begun(*args, **kwargs))
    with pytest.raises(RerunException):
        safe.on_script_will_rerun(None)
    assert state.noted == {}


def test_with_it_all_is_noted_and_the_next_run_is_served_then(parts) -> None:
    runner, state, safe = parts
    callbacks.at_start()
    callbacks.at_start()  # once is enough
    waiting = [None]

    def pause() -> None:  # nothing waits when the callback begins
        if waiting and runner._execing:
            waiting.pop()
        elif runner._execing:
            raise RerunException(RerunData())

    runner.pause = pause  # type: ignore[method-assign]
    runner._execing = True
    object.__setattr__(safe, "_yield_callback", Bound(runner))
    safe.on_script_will_rerun(None)
    assert state.noted == {"one": 1, "two": 2}
    assert runner._execing
    with pytest.raises(RerunException):
        safe["three"] = 3


class Bound:
    """Calls a run's pause, and says whose it is."""

    def __init__(self, runner: Runner) -> None:
        self.__self__ = runner

    def __call__(self) -> None:
        self.__self__.pause()


def test_a_callback_that_fails_leaves_the_run_as_it_was(parts) -> None:
    runner, state, safe = parts
    callbacks.at_start()
    state.fails = True
    runner._execing = True
    runner.pause = lambda: None  # type: ignore[method-assign]
    object.__setattr__(safe, "_yield_callback", Bound(runner))
    with pytest.raises(ValueError, match="broken"):
        safe.on_script_will_rerun(None)
    assert runner._execing
