"""The dashboard under load: sessions side by side against one alone, and memory over many visits.

``python -m benchmarks.serving``; ``--sessions``, ``--seconds`` and ``--visits`` bound it. It starts
a server of its own on this machine and prints ratios of times that were taken in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import socket
import statistics
import subprocess  # nosec B404 # starts the dashboard
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.visitor import Visitor

__all__ = ["Server", "load", "main", "served", "visits"]

ROOT = Path(__file__).parent.parent
RATIO = 3.0
"""What the 95th percentile of a slider may be of that of one session."""
GROWTH = 0.10
"""By what memory may grow over the visits."""
_COMING = 1.5  # seconds that a session is given to come
_SETTLES = 15.0  # seconds until all that visitors had is gone
_PAGES = ("answer", "attack", "compare", "release", "decide")
_EPSILONS = ("0.4", "0.5", "0.6", "0.8", "1", "1.2", "1.5", "2", "2.5", "3", "4")
_KEPT = 5  # seconds for which a session that has left can come back
_WARM = 25  # visits before memory is first read: imports and examples


@dataclass(frozen=True)
class Server:
    """A dashboard of its own.

    Attributes
    ----------
    port, process : int
    log : Path
        What it says.
    """

    port: int
    process: int
    log: Path

    @property
    def megabytes(self) -> float:
        """Resident memory."""
        return self._status("VmRSS") / 1024

    @property
    def threads(self) -> int:
        """How many there are."""
        return self._status("Threads")

    @property
    def complaints(self) -> list[str]:
        """What its log tells of errors, tracebacks whole."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return re.findall(r"^Traceback.*\n(?:\s.*\n)+.*|^.*(?:ERROR|Error:).*", text, re.MULTILINE)

    def _status(self, name: str) -> int:
        text = Path(f"/proc/{self.process}/status").read_text(encoding="ascii")
        found = re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)
        assert found is not None
        return int(found[1])


@contextmanager
def served(**environment: str) -> Iterator[Server]:
    """Start a dashboard on a free port of this machine, with a store of its own.

    Parameters
    ----------
    **environment : str
        Variables that it is given.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="distpriv-serving-") as folder:
        log = Path(folder) / "log"
        options = ["--server.headless=true", f"--server.port={port}"]
        with log.open("wb") as out:
            process = subprocess.Popen(  # nosec B603 # no shell, no input
                [sys.executable, "-m", "streamlit", "run", "app.py", *options],
                cwd=ROOT,
                env={
                    **os.environ,
                    "DATABASE_URL": f"sqlite:///{folder}/kept.sqlite",
                    # Visits are to be over when memory is read.
                    "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": str(_KEPT),
                    **environment,
                },
                stdout=out,
                stderr=out,
            )
        try:
            _await(f"http://127.0.0.1:{port}/_stcore/health")
            yield Server(port, process.pid, log)
        finally:
            process.terminate()
            process.wait()


def _await(address: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(address):  # nosec B310 # of this machine
            return
        time.sleep(0.1)
    raise RuntimeError("the dashboard did not come up")


@dataclass
class Seen:
    """What visitors met.

    Attributes
    ----------
    moves, pages : list of float
        Seconds from a slider moved, and from a link followed, to the answer.
    problems : list of str
    runs : int
        Of pages and fragments.
    """

    moves: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    runs: int = 0

    def forget(self) -> None:
        """Times so far do not count; problems do."""
        self.moves.clear()
        self.pages.clear()


async def _move(visitor: Visitor, chance: random.Random, seen: Seen) -> None:
    if chance.random() < 0.5 and "eps_slider" in visitor.controls:
        seen.moves.append(await visitor.put("eps_slider", chance.choice(_EPSILONS)))
    elif "dp" in visitor.controls:
        seen.moves.append(await visitor.put("dp", round(chance.uniform(0.05, 0.3), 2)))


async def _session(port: int, number: int, until: float, thinks: float, seen: Seen) -> None:
    """A visitor who stays on a page, moves sliders and lets long work run, until the time is up."""
    chance = random.Random(number)  # nosec B311 # no secret
    page = _PAGES[number % len(_PAGES)]
    await asyncio.sleep(chance.uniform(0, thinks))
    async with Visitor(port, page) as visitor:
        while time.monotonic() < until and not visitor.problems:
            await asyncio.sleep(chance.uniform(0.5 * thinks, 1.5 * thinks))
            start = {"attack": "attack_start", "decide": "report_start"}.get(visitor.page)
            if start in visitor.controls and chance.random() < 0.5:
                await visitor.click(start)
            elif chance.random() < 0.1:
                seen.pages.append(await visitor.go(chance.choice(_PAGES)))
            else:
                await _move(visitor, chance, seen)
        seen.problems += visitor.problems
        seen.runs += visitor.runs


async def load(ports: Sequence[int], sessions: int, seconds: float, thinks: float) -> Seen:
    """Mixed sessions side by side; what counts begins once all of them have come.

    Parameters
    ----------
    ports : sequence of int
        Of the replicas, each of which has its share of the sessions, as behind a sticky proxy.
    sessions : int
        How many; their pages take turns.
    seconds : float
        Until they leave.
    thinks : float
        Seconds between two moves of one, on average.
    """
    seen = Seen()
    coming = sessions * _COMING
    until = time.monotonic() + coming + seconds
    forgetting = asyncio.get_running_loop().call_later(coming, seen.forget)
    places = [ports[number // len(_PAGES) % len(ports)] for number in range(sessions)]
    await _all(_session(port, number, until, thinks, seen) for number, port in enumerate(places))
    forgetting.cancel()
    return seen


async def alone(port: int, seconds: float, thinks: float) -> Seen:
    """The same sessions, one after another."""
    seen = Seen()
    for number in range(len(_PAGES)):
        until = time.monotonic() + seconds / len(_PAGES)
        await _session(port, number, until, thinks, seen)
    return seen


async def visits(server: Server, count: int, tell: Callable[[int, float], None]) -> Seen:
    """Visitors who come, move two sliders and leave, four at a time.

    Parameters
    ----------
    server : Server
    count : int
    tell : callable
        Is told how many have left and the memory, now and then.
    """
    seen = Seen()
    numbers = iter(range(count))

    async def some() -> None:
        for number in numbers:
            chance = random.Random(number)  # nosec B311 # no secret
            async with Visitor(server.port, _PAGES[number % len(_PAGES)]) as visitor:
                for _ in range(2):
                    await _move(visitor, chance, seen)
                seen.problems += visitor.problems
                seen.runs += visitor.runs
            if number % 20 == 19:
                tell(number + 1, server.megabytes)

    await _all(some() for _ in range(4))
    return seen


async def _all(works: Iterator[Coroutine[None, None, None]]) -> None:
    await asyncio.gather(*works)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _said(name: str, seen: Seen) -> tuple[float, float]:
    middle, high = statistics.median(seen.moves), percentile(seen.moves, 0.95)
    print(
        f"  {name:<14}{len(seen.moves):>5} moves  p50 {1000 * middle:>6.0f} ms  "
        f"p95 {1000 * high:>6.0f} ms  {seen.runs} runs, {len(seen.problems)} errors",
        flush=True,
    )
    for problem in seen.problems[:5]:
        print(f"    {problem}")
    return middle, high


def _sliders(
    servers: Sequence[Server], sessions: int, seconds: float, thinks: float, rounds: int
) -> bool:
    ports = [server.port for server in servers]
    print(f"Sliders, {sessions} sessions side by side on {len(ports)} replicas against one on one")
    for port in ports:
        asyncio.run(alone(port, 5 * len(_PAGES), 0.5))  # imports, examples
    ratios, clean = [], True
    for _ in range(rounds):
        one = asyncio.run(alone(ports[0], 1.5 * seconds, thinks / 8))
        many = asyncio.run(load(ports, sessions, seconds, thinks))
        (low, high), (low_many, high_many) = _said("one", one), _said(f"{sessions}", many)
        ratios.append(high_many / high)
        print(f"    ratio p50 {low_many / low:.1f}, p95 {high_many / high:.1f}", flush=True)
        clean = clean and not one.problems and not many.problems
    ratio = statistics.median(ratios)
    good = ratio <= RATIO
    print(f"  p95: {ratio:.1f} × one, goal {RATIO:g}: {'met' if good else 'MISSED'}")
    return good and clean


def _memory(server: Server, count: int) -> bool:
    print(f"Memory over {count} visits")

    def tell(number: int, megabytes: float) -> None:
        print(f"  {number:>5} visits  {megabytes:.0f} MB, {server.threads} threads", flush=True)

    asyncio.run(visits(server, _WARM, lambda *_: None))
    time.sleep(_SETTLES)
    before = server.megabytes
    print(f"  before        {before:.0f} MB, {server.threads} threads", flush=True)
    seen = asyncio.run(visits(server, count, tell))
    time.sleep(_SETTLES)
    after = server.megabytes
    print(f"  after         {after:.0f} MB, {server.threads} threads", flush=True)
    growth = after / before - 1
    good = growth <= GROWTH
    print(
        f"  growth {100 * growth:.0f} %, goal {100 * GROWTH:.0f} %: {'met' if good else 'MISSED'}; "
        f"{len(seen.problems)} errors"
    )
    return good and not seen.problems


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; the number of goals that are missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument(
        "--replicas", type=int, default=os.cpu_count() or 1, help="by default one for each core"
    )
    parser.add_argument("--seconds", type=float, default=50.0, help="of each measurement")
    parser.add_argument("--thinks", type=float, default=4.0, help="seconds between two moves")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--visits", type=int, default=200)
    asked = parser.parse_args(arguments)
    missed = 0
    with ExitStack() as stack:
        servers = [stack.enter_context(served()) for _ in range(asked.replicas)]
        if asked.sessions:
            missed += not _sliders(
                servers, asked.sessions, asked.seconds, asked.thinks, asked.rounds
            )
        if asked.visits:
            missed += not _memory(servers[0], asked.visits)
        complaints = [line for server in servers for line in server.complaints]
        for line in complaints[:10]:
            print(f"  the server says: {line}")
        missed += bool(complaints)
    return missed


if __name__ == "__main__":
    sys.exit(main())
