"""What one of several writers does, in a thread or in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from distpriv.analysis.scenario import Scenario
from distpriv.errors import ConflictError
from distpriv.privacy.noise import gaussian_noise
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Mean, Query
from distpriv.store import LedgerEntry, one_decision, open_store, propose, record, revise
from tests.examples import alternative

EACH = 3


def entry(author: str = "", **changes: object) -> LedgerEntry:
    scenario = Scenario(
        secret=SensitiveProperty("income", "high"), query=Query([Mean("age")]), digest="d"
    )
    noise = gaussian_noise("OptM", np.eye(1), epsilon=1.0, delta=1e-3, calibration="exact")
    values: dict[str, object] = {"values": (38.2,), "units": ("years",), "author": author}
    values["reason"] = "A first look."
    return LedgerEntry(scenario, "people.csv", noise=noise, **values | changes)  # type: ignore[arg-type]


def work(url: str, decision: str, name: str) -> int:
    """Propose, release and change one shared decision a few times; how often others were first."""
    store, conflicts = open_store(url), 0
    for turn in range(EACH):
        propose(
            store,
            author=name,
            reason=f"turn {turn}",
            data="people.csv",
            digest="d",
            alternatives=[alternative()],
            chosen="now",
        )
        record(store, entry(name, note=f"turn {turn}"))
        while True:
            seen = one_decision(store, decision)
            try:
                revise(
                    store,
                    decision,
                    seen.now.version,
                    author=name,
                    reason=f"{seen.now.reason}\n{name} {turn}",
                    alternatives=seen.now.alternatives,
                    chosen="now",
                )
            except ConflictError:
                conflicts += 1
                continue
            break
    return conflicts


def work_in_threads(url: str, decision: str, names: list[str]) -> int:
    """Several writers of one process at once; conflicts in all."""
    with ThreadPoolExecutor(len(names)) as pool:
        return sum(pool.map(lambda name: work(url, decision, name), names))


def beginning(url: str, decision: str, names: list[str]) -> subprocess.Popen[bytes]:
    """The same in a process of its own, which ends with 0 if nothing failed."""
    command = [sys.executable, "-m", "tests.store.writers", url, decision, *names]
    return subprocess.Popen(command, cwd=Path(__file__).parents[2])


if __name__ == "__main__":
    address, key, *everybody = sys.argv[1:]
    work_in_threads(address, key, everybody)
