"""Work that grows on a page: begun once, a little further at every tick, stopped and gone on with.

Everything that takes long is a :class:`.Run` in the session's state. A fragment takes it further
and draws what has come in, with its buttons where these stand with it; whoever clicks ends what is
under way between two of its pieces. What has ended is drawn where it stands: the page begins anew
only where the rest of it waits for what comes out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from distpriv.dashboard.serving import rates, turns
from distpriv.dashboard.shell import presenting, state
from distpriv.model.run import Progress, Run
from distpriv.words import escape, exact

__all__ = ["Labels", "bar", "begun", "buttons", "growing", "live", "timer", "toggle"]

T = TypeVar("T")

_BUDGET = 0.3  # seconds of work for a picture
_TICK = 0.2  # seconds between two ticks, of which those are heard that find nothing running
_PICTURES = 2.0  # times what a picture has taken, where that is longer
_WAITS = 1.5  # seconds for its turn, before the page says so


@dataclass(frozen=True)
class Labels:
    """What the buttons say: to begin anew, if that is offered, to go on, and to stop."""

    again: str = "Run again"
    go_on: str = "Run"
    stop: str = "Stop"
    icon: str = ":material/play_arrow:"
    stop_icon: str = ":material/stop:"
    kind: Literal["primary", "secondary"] = "secondary"


def live(
    name: str,
    key: object,
    begin: Callable[[], Iterator[Progress[T]]],
    draw: Callable[[Run[T]], None],
    *,
    labels: Labels = Labels(),
    picture: DeltaGenerator | None = None,
) -> Run[T]:
    """Work with its buttons here and what comes of it in `picture`, or below.

    Where the picture stands elsewhere, the page begins anew when the run ends.

    Parameters
    ----------
    name : str
        Of the work in the session, and of its buttons.
    key : object
        What it is made from: another key is another run.
    begin : callable
        Gives the generator that does the work.
    draw : callable
        Draws what has come in; called in a fragment, so that it must not write elsewhere.
    labels : Labels
    picture : container, optional
    """
    run = begun(name, key, begin, waits=True)

    def control() -> None:
        buttons(name, lambda: Run(begin, key), labels)

    def both(run: Run[T]) -> None:
        if state.runs().get(name) is not run:  # begun anew
            st.rerun()
        control()
        draw(run)

    if picture is None:
        growing(run, both)
    else:
        control()
        with picture:
            growing(run, draw, page_waits=True)
    return run


def begun(
    name: str, key: object, begin: Callable[[], Iterator[Progress[T]]], *, waits: bool = False
) -> Run[T]:
    """The run of that name, or a new one where there is none or its key is another.

    One that `waits` has a button, which it waits for while the page is presented.
    """
    runs = state.runs()
    if name not in runs or runs[name].key != key:
        run = Run(begin, key)
        runs[name] = presenting.waiting(run) if waits else run
    return cast(Run[T], runs[name])


def buttons(
    name: str,
    begin: Callable[[], Run[T]],
    labels: Labels,
    places: Sequence[DeltaGenerator] | None = None,
    *,
    ready: bool = True,
) -> None:
    """To begin or to go on, and to stop; `ready` says whether it can begin."""
    runs = state.runs()
    run = runs.get(name)
    resting = run is not None and run.stopped and not run.finished
    running = run is not None and run.running

    refused = f"{name}_refused"

    def start() -> None:
        allowed = rates.allow("runs", st.context.ip_address)
        if not allowed:
            st.session_state[refused] = time.monotonic() + allowed.wait, allowed.sentence
        elif run is not None and resting:
            run.stopped = False
        else:
            runs[name] = begin()

    first, second = places or st.columns([1, 1, 4])[:2]
    first.button(
        labels.go_on if resting or not labels.again else labels.again,
        key=f"{name}_start",
        icon=labels.icon,
        type=labels.kind,
        disabled=running or not (resting or (ready and labels.again)),
        width="stretch",
        on_click=start,
    )
    second.button(
        labels.stop,
        key=f"{name}_stop",
        icon=labels.stop_icon,
        disabled=not running,
        width="stretch",
        on_click=_turn,
        args=(run, True),
    )
    until, said = st.session_state.get(refused, (0.0, ""))
    if time.monotonic() < until and not running:
        st.warning(escape(said), icon=":material/hourglass_top:")


def toggle(run: Run[T], key: str, *, icons: bool = True) -> None:
    """One button to stop and to go on, while there is something to do."""
    if not (run.finished or run.failure):
        icon = ":material/play_arrow:" if run.stopped else ":material/stop:"
        st.button(
            ("Go on" if run.done else "Start") if run.stopped else "Stop",
            key=key,
            icon=icon if icons else None,
            on_click=_turn,
            args=(run, not run.stopped),
        )


def _turn(run: Run[T], stopped: bool) -> None:
    run.stopped = stopped


def growing(
    run: Run[T],
    draw: Callable[[Run[T]], None],
    *,
    at_once: bool = True,
    page_waits: bool = False,
) -> None:
    """Take a run further while it is open, and draw it.

    Parameters
    ----------
    run : Run
    draw : callable
        Draws what has come in.
    at_once : bool
        Whether a piece of it is done before it is first drawn.
    page_waits : bool
        Whether the rest of the page shows how far it is, buttons included, and begins anew when
        the run ends.
    """
    ticks = iter([at_once])
    first: list[int] = []  # how many went first, while that is said
    running = run.running

    @st.fragment
    def part() -> None:
        picture, place = st.container(), st.empty()
        works = next(ticks, True) and run.running
        here = works and not run.elsewhere
        with _turn_of_its_own(place, first) if here else nullcontext():
            if works:
                pause = _pause if here else _look
                run.step(_BUDGET if run.done else 0.0, pause)  # the first picture must not wait
                pause()
            began = time.monotonic()
            with picture:
                draw(run)
        if page_waits and run.running != running:
            st.rerun()
        timer(max(_TICK, _PICTURES * (time.monotonic() - began)) if run.running else None)

    part()


def _pause() -> float:
    """Let pages pass, for some seconds; who clicks on this one ends its work."""
    return turns.everybodys().pause(_look)


def _look() -> float:
    """Take no time; but a look at the state cuts a run short that another one is asked for."""
    state.runs()
    return 0.0


def timer(seconds: float | None) -> None:
    """Let the fragment that calls be run again every so many seconds, or no more.

    Streamlit's `run_every` has one interval, and ends with a run of the whole page only, which
    would draw everything else once more.
    """
    context, fragment = get_script_run_ctx(), ThreadState.get().fragment_id
    if context is None or fragment is None:
        return
    message = ForwardMsg()
    if seconds is None:
        message.stop_auto_rerun.fragment_ids.append(fragment)
    else:
        message.auto_rerun.interval, message.auto_rerun.fragment_id = seconds, fragment
    context.enqueue(message)


@contextmanager
def _turn_of_its_own(place: DeltaGenerator, first: list[int]) -> Iterator[None]:
    """Until it is this session's turn, with what it waits for where that takes a while."""
    context = get_script_run_ctx()
    began = time.monotonic()

    def say(before: int) -> None:
        others = "One other goes" if before == 1 else f"{exact(before)} others go"
        place.caption(f":material/hourglass_top: {others} first on this server.")

    def look(before: int) -> None:
        _look()
        if time.monotonic() - began > _WAITS and first != [before]:
            first[:] = [before]
            say(before)

    if first:  # the line stays from one piece to the next, so that nothing below it moves
        say(first[0])
    with turns.everybodys().long(context and context.session_id, look):
        if time.monotonic() - began <= _WAITS:
            first.clear()
        yield


def bar(run: Run[T], text: str) -> None:
    """How far it is, in a bar and in words, and why it cannot go on."""
    st.progress(run.share_done, text=text)
    if run.failure:
        st.error(escape(run.failure), icon=":material/error:")
