"""How results show themselves in notebooks, and how far long work is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from distpriv.text import FIXED, THIN, significant

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Progress", "Result", "html", "plain", "showing", "tracked"]

T = TypeVar("T")
Progress = bool | Callable[[int, int], object] | None
"""None: a line on a terminal after a second; True and False: always and never; or a function that
is called with how much is done, and of how much in all."""

_ROWS = 40  # of a table in a notebook
_AFTER, _EVERY = 1.0, 0.2  # seconds


def plain(text: str) -> str:
    """Return a text with common spaces, as a repr has them."""
    return text.replace(FIXED, " ").replace(THIN, " ")


def html(title: str, frame: pd.DataFrame) -> str:
    """Return a frame as a table under a title, all names escaped."""
    digits = partial(significant, digits=4)
    heading = f"<p><code>{escape(title)}</code></p>"
    if frame.empty:
        return heading
    printed = getattr(type(frame), "printed", lambda _: None)(frame)
    frame = frame if printed is None else printed
    table = frame.to_html(index=False, border=0, na_rep="–", max_rows=_ROWS, float_format=digits)
    return f"{heading}\n{table}"


class Result:
    """Show a result in a notebook as its repr and the table of `to_frame`."""

    def to_frame(self) -> pd.DataFrame:
        """Return the single numbers and names that it holds, in one row."""
        import pandas as pd

        plain = {k: v for k, v in vars(self).items() if isinstance(v, str | int | float)}
        return pd.DataFrame([plain])

    def _repr_html_(self) -> str:
        return html(repr(self), self.to_frame())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_")]


@contextmanager
def showing(what: str, total: int, progress: Progress = None) -> Iterator[Callable[[int], None]]:
    """Give a function to call with how much is done; what it shows goes at the end."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise TypeError("progress must be None, True, False or a function of done and total")
    visible = sys.stderr.isatty() if progress is None else progress
    line, next_time = "", monotonic() + (_AFTER if progress is None else 0)

    def report(done: int) -> None:
        nonlocal line, next_time
        if callable(progress):
            progress(done, total)
        elif visible and (now := monotonic()) >= next_time:
            line, next_time = f"{what}: {done} of {total}", now + _EVERY
            print(f"\r{line} ", end="", file=sys.stderr, flush=True)

    try:
        yield report
    finally:
        if line:
            print(f"\r{' ' * len(line)} \r", end="", file=sys.stderr, flush=True)


def tracked(items: Iterable[T], total: int, what: str, progress: Progress = None) -> Iterator[T]:
    """Pass items on; each is done when the next one is asked for."""
    with showing(what, total, progress) as report:
        for done, item in enumerate(items, start=1):
            yield item
            report(done)
