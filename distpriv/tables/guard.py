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
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from distpriv.errors import ReadError
from distpriv.tables.options import ReadOptions, how_as_json, how_from_json
from distpriv.tables.read import TOO_LARGE, frame_of, read

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_guarded"]

MEMORY = 4 << 30
SECONDS = 120.0
_TOO_LONG = "Reading the file takes too long; choose the part that is needed."
_BROKEN = "The file is damaged or no table; save the table as CSV and choose that file."
_FAILED = "The file cannot be read (%s); save the table as CSV and choose that file."
_PARTS = threading.BoundedSemaphore(2)  # files that are read at a time


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
    with _PARTS:
        answer, code = _ask(json.dumps(request).encode() + b"\n", data, 2 * seconds)
    head, _, table = answer.partition(b"\n")
    if code or not head:
        # SIGXCPU and SIGKILL end what takes too long, SIGSEGV what breaks a library; all else that
        # ends it is want of memory.
        sentences = {-24: _TOO_LONG, -9: _TOO_LONG, -11: _BROKEN}
        raise ReadError(f"{name}: {sentences.get(code, TOO_LARGE)}")
    reply = json.loads(head)
    if "error" in reply:
        raise ReadError(f"{name}: {reply['error']}")
    options, notices = how_from_json(reply)
    return frame_of(pa.ipc.open_stream(table).read_all(), options, notices)


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
        return b"", -9
    return process.stdout, process.returncode


def _limit(memory: int, seconds: float) -> None:
    """Limit this process; where the system knows no limits, time alone is limited by the parent."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))


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
