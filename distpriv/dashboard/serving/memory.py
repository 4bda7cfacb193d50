"""What sessions may keep in memory, alone and together, and that it goes when they do.

A file is asked about before it is parsed: what reading it may take is set aside, and given back but
for the table's own size, which counts until nobody holds the table any more. Where everything
together is near its limit, the process's own memory counts, whatever it consists of.
"""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import os
import re
import struct
import threading
import weakref
import zipfile
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pandas as pd
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState

from distpriv.dashboard.serving import allocation, settings
from distpriv.errors import ServingError, TableError
from distpriv.tables.labels import shown
from distpriv.words import exact

__all__ = [
    "Budget",
    "Limits",
    "at_start",
    "everybodys",
    "limits",
    "needed",
    "resident",
    "sweep",
    "sweeping",
    "table_of",
]

_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_AMOUNT = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*(|KB|MB|GB|TB)", re.IGNORECASE)
_SHARE, _SESSION_SHARE = 0.7, 0.4  # of the machine's memory for all, and of that for one session
_READING = 10.0  # times its own size that a file takes while it is parsed
_READING_TEXT = 6.0  # delimited text: 2.7 measured in UTF-8, 3.5 in cp1252
_WORKING = 2.0  # times its own size that a table takes with what is computed from it
_SHORT = 0.9
_LEAST = 64 * 10**6
_EVERY = 5.0  # seconds between two sweeps


@dataclass(frozen=True)
class Limits:
    """Bytes that tables may take.

    Attributes
    ----------
    everybody : int
        Of the whole process.
    session : int
        Of the tables of one session.
    """

    everybody: int
    session: int


def limits(everybody: str = "", session: str = "", machine: int | None = None) -> Limits:
    """Limits as the owner has set them, or shares of what there is.

    Parameters
    ----------
    everybody, session : str
        What ``DISTPRIV_MEMORY`` and ``DISTPRIV_SESSION_MEMORY`` say, as ``4GB``; empty for 70 % of
        the memory of machine or container, and 40 % of that.
    machine : int, optional
        Bytes that there are.

    Raises
    ------
    ServingError
        If a text is no amount, or a session may have more than everybody.
    """
    there = _machine() if machine is None else machine
    all_of = _amount("DISTPRIV_MEMORY", everybody) or int(_SHARE * there)
    one = _amount("DISTPRIV_SESSION_MEMORY", session) or int(_SESSION_SHARE * all_of)
    if one > all_of:
        raise ServingError(
            "DISTPRIV_SESSION_MEMORY must be at most what all sessions may have together, "
            f"{_readable(all_of)}, got {session[:80]!r}."
        )
    return Limits(all_of, one)


def _amount(name: str, text: str) -> int:
    if not text.strip():
        return 0
    found = _AMOUNT.fullmatch(text.strip())
    size = 0 if found is None else int(float(found[1]) * _UNITS[found[2].upper()])
    if size < _LEAST:
        raise ServingError(f"{name} must be at least 64MB, as 800MB or 4GB, got {text[:80]!r}.")
    return size


def _machine() -> int:
    """Bytes of memory of this machine, or of the container if that has less."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            there = min(there, int(Path(path).read_text(encoding="ascii")))
    return int(there)


def resident() -> int:
    """Bytes of memory that this process takes; 0 where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _readable(size: float) -> str:
    return f"{exact(max(1, round(size / 10**6)))}\u00a0MB"


def needed(content: bytes) -> int:
    """Bytes that reading a file may take at most, without reading it.

    Parameters
    ----------
    content : bytes
        Of a packed file what it says that it unpacks to counts.
    """
    size = len(content)
    if content[:2] == b"PK":
        with (
            suppress(zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError),
            zipfile.ZipFile(io.BytesIO(content)) as archive,
        ):
            size = max(size, sum(each.file_size for each in archive.infolist()))
    elif content[:2] == b"\x1f\x8b" and len(content) > 18:
        size = max(size, int.from_bytes(content[-4:], "little"))
    elif content[:4] == b"PAR1":
        size = max(size, _unpacked(content))
    else:
        head = content[:4096].lstrip()
        if b"\0" not in head and head[:1] not in (b"{", b"["):
            return int(_READING_TEXT * size)
    return int(_READING * size)


def _unpacked(content: bytes) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with suppress(pa.ArrowException, OSError, ValueError):
        said = pq.ParquetFile(pa.BufferReader(content)).metadata
        return sum(said.row_group(i).total_byte_size for i in range(said.num_row_groups))
    return 0


class _Kept(Protocol):
    @property
    def table(self) -> pd.DataFrame: ...


K = TypeVar("K", bound=_Kept)


class Budget:
    """What tables of sessions take, and whether another one fits.

    Parameters
    ----------
    limits : Limits
    resident : callable, optional
        Gives the bytes of memory that the process takes.
    """

    def __init__(self, limits: Limits, resident: Callable[[], int] = resident) -> None:
        self.limits = limits
        self._resident = resident
        self._lock = threading.Lock()
        self._counted: Counter[Hashable] = Counter()
        self._gone: deque[tuple[Hashable, int]] = deque()
        self._reading = 0

    def counted(self, session: Hashable) -> int:
        """Bytes that count for a session."""
        with self._lock:
            self._settle()
            return self._counted[session]

    @property
    def sessions(self) -> int:
        """How many sessions something counts for."""
        with self._lock:
            self._settle()
            return len(self._counted)

    @property
    def short(self) -> bool:
        """Whether the process takes nearly all that everybody may have."""
        return self._resident() > _SHORT * self.limits.everybody

    def _settle(self) -> None:
        # A table may go wherever the collector runs, which is while the lock is held as well: what
        # has gone is noted without it, and taken off here.
        while self._gone:
            session, size = self._gone.popleft()
            self._counted[session] -= size
        self._counted += Counter()  # without whom nothing counts for

    @contextmanager
    def reading(self, session: Hashable, size: int, what: str) -> Iterator[None]:
        """Set memory aside for as long as a file is read.

        Parameters
        ----------
        session : hashable
        size : int
            Bytes.
        what : str
            It is, for the sentence.

        Raises
        ------
        TableError
            If the session, or all together, would have more than their limit.
        """
        with self._lock:
            self._settle()
            own = self.limits.session - self._counted[session]
            left = self.limits.everybody - self._resident() - self._reading
            if size > own:
                raise TableError(
                    f"{what} may take {_readable(size)} of memory, and {_readable(own)} of the "
                    f"{_readable(self.limits.session)} of a session are left: choose fewer "
                    "columns or records, or save the table as Parquet."
                )
            if size > left:
                raise TableError(
                    f"{what} may take {_readable(size)} of memory, and this server has "
                    f"{_readable(left)} left for everybody: try again later, or choose fewer "
                    "columns or records."
                )
            self._counted[session] += size
            self._reading += size
        try:
            yield
        finally:
            with self._lock:
                self._gone.append((session, size))
                self._reading -= size

    def keep(self, session: Hashable, table: pd.DataFrame) -> None:
        """Count a table for as long as anybody holds it.

        Parameters
        ----------
        session : hashable
        table : DataFrame
        """
        size = int(_WORKING * table.memory_usage(deep=True).sum())
        with self._lock:
            self._counted[session] += size
        weakref.finalize(table, self._gone.append, (session, size)).atexit = False


@cache
def everybodys() -> Budget:
    """The server's budget.

    Raises
    ------
    ServingError
        As `limits`.
    """
    said = settings.current()
    return Budget(limits(said.memory, said.session_memory))


def at_start() -> None:
    """End the process where its limits cannot be read: others than were meant would hold."""
    try:
        everybodys()
    except ServingError as error:
        logging.getLogger(__name__).critical("The dashboard does not start: %s", error)
        raise SystemExit(2) from None


def table_of(content: bytes, name: str, read: Callable[[], K]) -> K:
    """Read a file within what its session may have.

    Parameters
    ----------
    content : bytes
        Of the file.
    name : str
        Of the file, for the sentence.
    read : callable
        Reads it, and gives what has the table.

    Raises
    ------
    TableError
        If it would take more than is left; nothing has been read then. Also what `read` raises.
    """
    context = get_script_run_ctx()
    session = None if context is None else context.session_id
    budget = everybodys()
    with budget.reading(session, needed(content), shown(name)):
        made = read()
    budget.keep(session, made.table)
    return made


def sweep(budget: Budget | None = None) -> int:
    """Let go of sessions that left longer ago than they are kept; how many.

    Streamlit itself forgets them when the next one leaves, which may be tomorrow, and its loop
    holds the last one that it served until it serves another: so what they had is let go of here.
    Where memory is short that is at once: who comes back begins anew.

    Parameters
    ----------
    budget : Budget, optional
        The server's by default.
    """
    if not runtime.exists():
        return 0
    manager: Any = runtime.get_instance()._session_mgr
    left = manager._session_storage._cache
    before = dict(left._data)
    if (budget or everybodys()).short:
        left.clear()
    else:
        left.expire()
    gone = [info.session for name, info in before.items() if name not in left._data]
    for session in gone:
        session.shutdown()
        session._session_state = SessionState()
        session._fragment_storage.clear()
    return len(gone)


@asynccontextmanager
async def sweeping(_app: object) -> AsyncIterator[None]:
    """Sweep for as long as the server runs; what has gone is given back to the system at once."""
    task = asyncio.create_task(_sweep_on())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _sweep_on() -> None:
    while True:
        await asyncio.sleep(_EVERY)
        if sweep():
            await asyncio.to_thread(_collect)


def _collect() -> None:
    """Sessions hold on to themselves in circles, which Python finds when it comes by."""
    gc.collect()
    allocation.give_back()
