"""Read a file of a stranger in a process of its own, under limits of memory and time.

The process is ``python -m distpriv.tables.guard``, not a fork of the server: it begins small, and
it does not import the script that Streamlit runs. Bytes go in and Arrow comes back through pipes;
nothing is pickled or written to disk.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from distpriv.errors import ReadError
from distpriv.tables.options import ReadOptions, how_as_json, how_from_json
from distpriv.tables.read import TOO_LARGE, frame_of, read

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FULL", "busy", "free", "read_guarded"]

FULL = "Too little memory is free for another table; choose the file again in some minutes."
MEMORY = 4 << 30
SECONDS = 120.0
_TOO_LONG = "Reading the file takes too long; choose the part that is needed."
_BROKEN = "The file is damaged or no table; save the table as CSV and choose that file."
_BUSY = "The server reads other tables; choose the file again in some minutes."
_FAILED = "The file cannot be read (%s); save the table as CSV and choose that file."
WAIT = 300.0  # seconds that a file may wait for others
_PARTS = threading.BoundedSemaphore(2)  # files that are read at a time


def busy() -> bool:
    """Tell whether a file has to wait for others before it is read."""
    if now := _PARTS.acquire(blocking=False):
        _PARTS.release()
    return not now


def free(root: Path = Path("/")) -> float:
    """Return how many bytes of memory are free, of the container's where it has a limit.

    Infinite where the system does not tell. `root` is the folder of ``proc`` and ``sys``.
    """
    amounts = [float("inf")]
    with suppress(OSError):
        amounts.append(1024 * _numbers(root / "proc/meminfo")["MemAvailable:"])
        group = root / "sys/fs/cgroup"
        kinds = _numbers(group / "memory.stat")
        cached = kinds["active_file"] + kinds["inactive_file"]  # given back when it is needed
        used = int((group / "memory.current").read_text()) - cached
        amounts.append(float((group / "memory.max").read_text().replace("max", "inf")) - used)
    return min(amounts)


def _numbers(path: Path) -> dict[str, int]:
    lines = (line.split() for line in path.read_text().splitlines())
    return {words[0]: int(words[1]) for words in lines}


def read_guarded(
    data: bytes,
    name: str,
    options: ReadOptions | None = None,
    memory: int = MEMORY,
    seconds: float = SECONDS,
    **changes: Any,
) -> pd.DataFrame:
    """Read a file as :func:`distpriv.read_table` does, in a process under limits.

    Messages begin with its name. Memory is address space in bytes, of which the table may take a
    quarter; seconds are processor time, and twice as much by the clock.
    """
    arguments = None if options is None else options.arguments()
    request = {"options": arguments, "changes": changes, "memory": memory, "seconds": seconds}
    if not _PARTS.acquire(timeout=WAIT):
        raise ReadError(f"{name}: {_BUSY}")
    try:
        if free() < memory // 4:
            raise ReadError(f"{name}: {FULL}")
        answer, code = _ask(json.dumps(request).encode() + b"\n", data, 2 * seconds)
        end = answer.find(b"\n") + 1
        if code or not end:
            # SIGXCPU ends what takes too long, SIGSEGV what breaks a library; all else that ends it
            # is want of memory.
            sentences = {-24: _TOO_LONG, -11: _BROKEN}
            raise ReadError(f"{name}: {sentences.get(code, TOO_LARGE)}")
        reply = json.loads(answer[:end])
        if "error" in reply:
            raise ReadError(f"{name}: {reply['error']}")
        options, notices = how_from_json(reply)
        table = pa.ipc.open_stream(pa.py_buffer(answer).slice(end)).read_all()
        return frame_of(table, options, notices)
    finally:
        _PARTS.release()


def _ask(request: bytes, data: bytes, seconds: float) -> tuple[bytes, int]:
    """Return what the process answers, and the code that it ends with."""
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Arrow's allocator takes 1 GB of address space, and each of malloc's arenas 64 MB, used or not.
    settings = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
    settings |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(paths)}
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-m", "distpriv.tables.guard"],
            input=request + data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | settings,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return b"", -24
    return process.stdout, process.returncode


def _limit(memory: int, seconds: float) -> None:
    """Limit this process; where the system knows no limits, time alone is limited by the parent."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    with suppress(OSError):  # if memory runs out all the same, this process goes, not the server
        Path("/proc/self/oom_score_adj").write_text("1000")


def _answer(source: IO[bytes], target: IO[bytes]) -> None:
    """Read a request and a file, and write the table."""
    request: dict[str, Any] = json.loads(source.readline())
    _limit(request["memory"], request["seconds"])
    try:
        arguments = request["options"]
        options = None if arguments is None else ReadOptions(**arguments)
        reading = read(source.read(), options, **request["changes"])
        table = reading.table
        if table.nbytes > request["memory"] // 4:
            raise MemoryError
        reply = how_as_json(reading.options, reading.notices)
    except ReadError as error:
        reply, table = {"error": str(error)}, None
    except Exception as error:  # noqa: BLE001 - libraries have their own for want of memory
        want = isinstance(error, MemoryError) or re.search("alloc|thread|memory", str(error))
        reply, table = {"error": TOO_LARGE if want else _FAILED % type(error).__name__}, None
    target.write(json.dumps(reply).encode() + b"\n")
    if table is not None:
        with pa.ipc.new_stream(target, table.schema) as writer:
            writer.write_table(table)
    target.flush()


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)  # what libraries print must not get into the answer
        _answer(sys.stdin.buffer, output)
