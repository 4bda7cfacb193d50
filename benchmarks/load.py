"""Load one server through its proxy: sliders of 20 sessions, then all that is large at once.

``make load`` (sessions and moves may follow the module's name). It needs nginx and 16 GB of memory.
"""

from __future__ import annotations

import io
import random
import socket
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import numpy as np
import psutil

from tests.served.stack import Stack, stack
from tests.served.visitor import TRUST, Visitor
from tests.tables.test_guard import gzip_bomb, parquet_bomb, workbook_bomb

THINKING = (5.0, 15.0)  # seconds between two moves of a visitor, who reads what comes
MEGABYTE = 1 << 20


def place(number: int) -> str:
    """Return an address of this machine for a visitor."""
    return f"127.0.0.{number + 10}"


def moves(address: str, number: int, count: int) -> list[float]:
    """Move a slider to values that are new to a session; return the seconds that each took."""
    rng = random.Random(number)
    values, times = rng.sample(range(51, 99), count), []
    with Visitor(address, source=place(number)) as one:
        one.slide("Right guesses", 50.5 + rng.random())
        for value in values:
            time.sleep(rng.uniform(*THINKING))
            begin = time.perf_counter()
            one.slide("Right guesses", value)
            times.append(time.perf_counter() - begin)
            assert one.says(f"you accept {value}"), "the page does not follow"
    return times


def sliders(site: Stack, sessions: int, count: int) -> bool:
    """Compare the p95 of many sessions with that of one."""
    alone = np.quantile(moves(site.address, 0, count), 0.95)
    with ThreadPoolExecutor(sessions) as pool:
        results = pool.map(lambda number: moves(site.address, number, count), range(sessions))
        together = np.quantile([one for times in results for one in times], 0.95)
    ratio = f"{together / alone:.1f} times as much"
    print(f"p95 of a slider: {alone:.2f} s; {together:.2f} s with {sessions} sessions, {ratio}")
    return bool(together <= 3 * alone)


def zip_bomb() -> bytes:
    """Write 5 GB of one line in 10 MB."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("people.csv", "w", force_zip64=True) as file,
    ):
        for _ in range(5000):
            file.write(b"1234567,1234567\n" * (MEGABYTE // 16))
    return target.getvalue()


def attacks() -> dict[str, bytes]:
    """Return 15 bombs and 15 files of 195 MB by name."""
    bombs = {
        "people.csv.gz": gzip_bomb(),
        "people.parquet": parquet_bomb(),
        "people.xlsx": workbook_bomb(),
        "people.zip": zip_bomb(),
        "people.json": b'{"a":' * 4_000_000,
    }
    line = b"%d;%c;some words that are longer than the rest of the line\n"
    lines = b"".join(line % (i % 70, b"ab"[i % 3 > 1]) for i in range(50_000))
    large = b"age;shop;note\n" + lines * (195 * MEGABYTE // len(lines))
    return {f"{i}-{name}": data for name, data in bombs.items() for i in range(3)} | {
        f"{i}-large.csv": large for i in range(15)
    }


def send(site: Stack, number: int, name: str, data: bytes) -> str:
    """Offer a file as a visitor does; return what the page says of it."""
    kind = name.partition("-")[2]
    with Visitor(site.address, source=place(number)) as one:
        status = one.upload(name, data, seconds=1800)
        if status != 204:
            return f"{kind} {status}: {one.answer[2].decode()[:70]}"
        texts = [item.alert.body for _, item in one.elements.values() if item.HasField("alert")]
        read = one.says(" records**, ")
        says = " ".join(texts).replace("\\", "").rpartition(f"{name}: ")[2]
        return f"{kind}: {'read' if read else says[:100]}"


class Memory(threading.Thread):
    """Sample the memory of the server and of what it starts, in bytes."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.server, self.highest, self.alone = psutil.Process(process), 0, 0
        self.start()

    def run(self) -> None:
        while self.server.is_running():
            try:
                sizes = [self.server.memory_info().rss]
                self.alone = max(self.alone, *sizes)
                sizes += [one.memory_info().rss for one in self.server.children(recursive=True)]
                self.highest = max(self.highest, sum(sizes))
            except psutil.NoSuchProcess:
                continue
            time.sleep(0.2)


def large(site: Stack) -> bool:
    """Send all that is large while one visitor works and 300 connections say nothing."""
    files = attacks()
    memory, begin = Memory(site.server.pid), time.perf_counter()
    where = urlsplit(site.address)
    with ExitStack() as silent, ThreadPoolExecutor(len(files) + 1) as pool:
        for _ in range(300):
            line = socket.create_connection((where.hostname, where.port))
            silent.enter_context(TRUST.wrap_socket(line))
        usual = pool.submit(moves, site.address, 200, 20)
        sent = [pool.submit(send, site, i, *file) for i, file in enumerate(files.items())]
        answers = Counter(outcome(one.result) for one in sent)
        times = usual.result()
    for answer, count in sorted(answers.items()):
        print(f"{count:3} × {answer}")
    stands = site.server.poll() is None
    print(f"{time.perf_counter() - begin:.0f} s; the server {'stands' if stands else 'has ended'}")
    print(f"a visitor's slider meanwhile: {np.median(times):.1f} s, at most {max(times):.1f} s")
    print(f"memory: {memory.alone / 1e9:.1f} GB, with readers {memory.highest / 1e9:.1f} GB")
    return stands


def outcome(call: Callable[[], str]) -> str:
    """Return what a call does, or how it fails."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001  # told in the list
        return f"{type(error).__name__}: {error}"[:90]


def main(sessions: int = 20, count: int = 20) -> int:
    with tempfile.TemporaryDirectory() as folder, stack(f"sqlite:///{folder}/records") as site:
        good = sliders(site, sessions, count)
        return 0 if large(site) and good else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
