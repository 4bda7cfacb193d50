"""How long the server takes to rerun each page of the dashboard after one slider moved."""

from __future__ import annotations

import json
import logging
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

__all__ = ["GOAL_MS", "PageTime", "measure"]

GOAL_MS = 150
ROOT = Path(__file__).parent.parent
MAIN = ROOT / "distpriv" / "dashboard" / "main.py"
# Values that each control takes in turn, ever new ones, so that no rerun is answered from a cache.
CONTROLS: Mapping[str, Sequence[float]] = {
    "eps": [0.83, 1.17, 1.41, 0.69, 2.3, 1.9, 0.57, 3.1, 1.06, 0.94, 2.7],
    "dp": [0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26, 0.08, 0.06, 0.28],
    "n": [110, 120, 90, 130, 140, 80, 150, 160, 70, 170, 180],
}
KINDS = ("number_input", "slider", "select_slider")
TIMEOUT = 120


@dataclass(frozen=True)
class PageTime:
    """Reruns of one page.

    Attributes
    ----------
    name : str
    milliseconds : dict of control to float
        Median server time of a rerun after this control moved, until its answer is there.
    later : dict of control to float
        Where the answer leaves a part of the page to be drawn a tick later: median server time of
        a run of the whole page that draws it, no less than that of the tick. The browser asks for
        it a tenth of a second after the answer.
    problem : str
        Why there are no times; empty if there are.
    """

    name: str
    milliseconds: dict[str, float] = field(default_factory=dict)
    later: dict[str, float] = field(default_factory=dict)
    problem: str = ""

    @property
    def slowest_ms(self) -> float:
        """The largest of the medians, of what comes later too."""
        return max(*self.milliseconds.values(), *self.later.values(), 0.0)

    @property
    def times(self) -> str:
        """Each control's in words."""
        told = []
        for control, took in self.milliseconds.items():
            rest = self.later.get(control)
            told.append(f"{control} {took:.0f} ms" + (f", the rest {rest:.0f} ms" if rest else ""))
        return "; ".join(told)


def measure(rounds: int = 9) -> list[PageTime]:
    """Time every page; a page that fails is told and does not stop the others.

    Parameters
    ----------
    rounds : int
        Reruns per page and control.
    """
    # AppTest runs without a server, and Streamlit warns of that at every turn.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").disabled = True
    from distpriv.dashboard.shell.pages import PAGES

    with _inside(ROOT):
        return [_measure_page(spec.name, spec.file, rounds) for spec in PAGES]


def _measure_page(name: str, script: str, rounds: int) -> PageTime:
    from streamlit.testing.v1 import AppTest

    try:
        app = AppTest.from_file(str(MAIN), default_timeout=TIMEOUT)
        app.run()
        app.switch_page(os.path.relpath(script, MAIN.parent))
        app.run()
        milliseconds, later = {}, {}
        for key, values in CONTROLS.items():
            times, times_later = _reruns(app, key, values, rounds)
            if times:
                milliseconds[key] = statistics.median(times)
            if times_later:
                later[key] = statistics.median(times_later)
    except Exception as error:  # noqa: BLE001 - whatever a page under work raises
        return PageTime(name, problem=f"{type(error).__name__}: {error}".splitlines()[0])
    if app.exception:
        return PageTime(name, problem=f"the page shows {app.exception[0].message}")
    if not milliseconds:
        return PageTime(name, problem=f"it has none of the controls {', '.join(CONTROLS)}")
    return PageTime(name, milliseconds, later)


def _reruns(
    app: Any, key: str, values: Sequence[float], rounds: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of reruns with ever new values, and of drawing what these leave for later.

    None if there is no such control, or nothing is left.
    """
    times: list[float] = []
    later: list[float] = []
    candidates = cycle(values)
    # The first reruns import what the page needs, and are not counted.
    for index in range(rounds + 2):
        widget = _widget(app, key)
        if widget is None:
            return [], []
        widget.set_value(type(widget.value)(next(candidates)))
        milliseconds = _run(app)
        if index >= 2:
            times.append(milliseconds)
        if _pending(app):
            milliseconds = _run(app)
            if index >= 2:
                later.append(milliseconds)
    return times, later


def _run(app: Any) -> float:
    start = time.perf_counter()
    app.run()
    return 1e3 * (time.perf_counter() - start)


def _pending(app: Any) -> bool:
    """Whether any chart says that it is being computed."""
    figures = (json.loads(chart.proto.spec)["layout"] for chart in app.get("plotly_chart"))
    return any(layout.get("meta", {}).get("pending") for layout in figures)


def _widget(app: Any, key: str) -> Any | None:
    for kind in KINDS:
        for widget in getattr(app, kind):
            if widget.key == key:
                return widget
    return None


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work in a folder, with a database that goes afterwards: nobody's decisions are read."""
    before, database = Path.cwd(), os.environ.get("DATABASE_URL")
    os.chdir(folder)
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as kept:
            os.environ["DATABASE_URL"] = f"sqlite:///{kept}/kept.sqlite"
            yield
    finally:
        os.chdir(before)
        del os.environ["DATABASE_URL"]
        if database is not None:
            os.environ["DATABASE_URL"] = database
