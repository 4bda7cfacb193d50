"""Questions to a table that stays where it is: asked beside the page, with progress and a stop.

A new statistic or secret is a scan of the table. It runs in a thread of its own, which touches
nothing of Streamlit; the page looks at it every now and then, and can be left or changed meanwhile.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from distpriv.dashboard.serving import rates
from distpriv.dashboard.shell import live, state
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError, SourceError
from distpriv.model.run import Progress, Run
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.sources.table import EngineSource
from distpriv.words import escape

__all__ = ["Asked", "ask", "asked", "changed", "known", "missing", "waiting"]

T = TypeVar("T")

_LOOK = 0.05  # seconds between two looks at an answer
_AT_ONCE = 0.4  # seconds that a page waits for it before it shows progress
EVERY = 2.0
"""Seconds for which a table counts as unchanged, once that has been asked."""

_MAIN, _OTHERS = "asking", "asking_others"

LEFT = 150.0
"""Seconds after which nobody waits any more: a session that has gone is kept for two minutes, and a
tab in the background looks once a minute."""

MOST = max(2, os.cpu_count() or 1)
"""Questions of all sessions of this process that engines answer at once: each takes every core."""

_ENGINES = threading.BoundedSemaphore(MOST)
_TURNS: WeakKeyDictionary[EngineSource, threading.Semaphore] = WeakKeyDictionary()
_TURNS_LOCK = threading.Lock()


class Asked(Run[T], Generic[T]):
    """Work of an engine, done in a thread; it is stopped when nobody has asked for it any more.

    Parameters
    ----------
    work : callable
        Does it. It is given what it tells the source to whose statements are to be stopped.
    doing : str
        For a sentence, such as ``Asking People``.
    key : object
        What it is made from.
    source : EngineSource, optional
        What is asked, if it is open already: sessions ask it one after another, so that who stops a
        question stops their own. Of all questions, `MOST` are answered at once.
    """

    elsewhere = True

    def __init__(
        self,
        work: Callable[[Callable[[EngineSource], None]], T],
        doing: str,
        key: object,
        source: EngineSource | None = None,
    ) -> None:
        super().__init__(self._awaited, key)
        self._looked = time.monotonic()
        self._work, self._said = work, doing
        self._future: Future[T] = Future()
        self._stop = threading.Event()
        self._source, self._waits = source, False

    def stop(self) -> None:
        """End it, in the engine too."""
        self._stop.set()

    @property
    def ended(self) -> bool:
        """Whether somebody has stopped it."""
        return self._stop.is_set()

    def _check(self) -> None:
        if self._stop.is_set():
            raise SourceError(f"{self._said} was stopped; ask again to go on.")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        own = [] if self._source is None else [_own(self._source)]
        with ExitStack() as held:
            # The source's comes first: who waits for it keeps no engine from others.
            for turn in (*own, _ENGINES):
                while not turn.acquire(timeout=_LOOK):
                    self._waits = True
                    self._check()
                held.callback(turn.release)
            self._waits = False
            self._check()
            yield

    def _awaited(self) -> Iterator[Progress[T]]:
        began, long, address = time.monotonic(), False, st.context.ip_address
        if not (allowed := rates.allow("runs", address, taking=False)):
            raise SourceError(f"{self._said} has not begun. {allowed.sentence}")
        threading.Thread(target=self._run, daemon=True).start()
        while not self._future.done():
            self._looked = time.monotonic()
            time.sleep(_LOOK)
            if not long and self._looked - began > _AT_ONCE:  # what is known counts for none
                long = True
                rates.allow("runs", address)
            passed = int(time.monotonic() - began)
            waits = " waits for other questions" if self._waits else ""
            yield Progress(0, 1, lambda: None, f"{self._said}{waits} … {passed}\u00a0s")
        result = self._future.result()
        yield Progress(1, 1, lambda: result)

    def _run(self) -> None:
        told: list[EngineSource] = []
        over = threading.Event()
        threading.Thread(target=self._watch, args=(told, over), daemon=True).start()
        try:
            with self._turn():
                result = self._work(told.append)
            self._future.set_result(result)
        except DistprivError as error:
            self._future.set_exception(error)
        except Exception as error:  # noqa: BLE001 - whoever awaits it has to be told
            # What an engine's driver says stays away from pages and logs.
            logging.getLogger("distpriv").warning("%s: %s", self._said, type(error).__name__)
            self._future.set_exception(SourceError(f"{self._said} has failed; try again."))
        finally:
            over.set()

    def _watch(self, told: list[EngineSource], over: threading.Event) -> None:
        """Once it is to stop, say so until it does: one statement follows another."""
        while not over.wait(_LOOK):
            if time.monotonic() - self._looked > LEFT:
                self._stop.set()
            if self._stop.is_set() and told:
                told[0].cancel()


def asked(
    name: str, dataset: Dataset, query: Query, secrets: tuple[SensitiveProperty, ...]
) -> Asked[None] | None:
    """The question for moments and samples, given a moment to be answered at once.

    None where nothing has to be asked: a table in memory, or no secrets. What it finds, the source
    knows from then on.
    """
    source = dataset.source
    if source is None or not secrets:
        return None
    runs, key = state.runs(), (dataset.digest, query, secrets)
    known = runs.get(name)
    if isinstance(known, Asked):
        if known.key == key:
            known.step(_AT_ONCE)
            return known
        known.stop()  # nobody waits for it any more

    def work(tell: Callable[[EngineSource], None]) -> None:
        tell(source)
        for secret in secrets:
            if query.is_linear:
                source.group_moments(query, secret)
            source.sample(query, secret)

    run = Asked(work, f"Asking {dataset.title}", key, source)
    runs[name] = run
    run.step(_AT_ONCE)
    return run


def _own(source: EngineSource) -> threading.Semaphore:
    with _TURNS_LOCK:
        return _TURNS.setdefault(source, threading.BoundedSemaphore())


def ask(dataset: Dataset, query: Query, secret: SensitiveProperty) -> None:
    """Begin with the question of the scenario's first secret."""
    asked(_MAIN, dataset, query, (secret,))


def known(dataset: Dataset, query: Query, secret: SensitiveProperty) -> bool:
    """Whether the table tells of a query and a secret without a scan."""
    if dataset.source is None:
        return True
    run = state.runs().get(_MAIN)
    return run is not None and run.finished and run.key == (dataset.digest, query, (secret,))


def missing(
    dataset: Dataset, query: Query, secrets: Sequence[SensitiveProperty]
) -> Asked[None] | None:
    """The question that has to be answered before the page; None once all are.

    The first secret's is one of its own, since the controls speak of it.
    """
    for name, some in ((_MAIN, secrets[:1]), (_OTHERS, secrets[1:])):
        run = asked(name, dataset, query, tuple(some))
        if run is not None and not run.finished:
            return run
    return None


def waiting(run: Asked[T], name: str) -> DeltaGenerator:
    """Look at it until it is answered, with the time it has taken and a way to stop it.

    Returns the row of its buttons.
    """
    if not run.failure:
        live.growing(run, _passed, page_waits=True)
        row = st.container(horizontal=True)
        row.button("Stop", key=f"{name}_stop", icon=":material/stop:", on_click=run.stop)
        return row
    if run.ended:
        st.info(escape(run.failure), icon=":material/stop_circle:")
    else:
        st.error(escape(run.failure), icon=":material/error:")
    row = st.container(horizontal=True)
    row.button(
        "Ask again",
        key=f"{name}_again",
        icon=":material/refresh:",
        on_click=_forget,
        args=({name, _OTHERS},),
    )
    return row


def _passed(run: Run[T]) -> None:
    st.markdown(f":material/hourglass_top: {escape(run.doing)}")


def _forget(names: set[str]) -> None:
    for name in names:
        state.runs().pop(name, None)


def changed(dataset: Dataset) -> str:
    """Why a table has to be opened again, as a sentence; empty if it is as it was."""
    if dataset.source is None:
        return ""
    kept = st.session_state
    before, when, said = kept.get(Key.SOURCE_CHECKED, ("", 0.0, ""))
    if before != dataset.digest or said or time.monotonic() - when > EVERY:
        said = ""
        try:
            dataset.source.check()
        except SourceError as error:
            said = str(error)
        kept[Key.SOURCE_CHECKED] = dataset.digest, time.monotonic(), said
    return said
