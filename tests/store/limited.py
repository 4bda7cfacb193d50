"""A small table under an agreed limit, and writers who release it at the same moment."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd

import distpriv as dp
from distpriv.analysis.fitting import Groups
from distpriv.analysis.scenario import Scenario
from distpriv.errors import LimitError
from distpriv.mechanisms import calibrate
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Mean, Query
from distpriv.store import AgreedLimit, LedgerEntry, Store, Terms, agree, open_store, record

SCENARIO = Scenario(
    secret=SensitiveProperty("rich", "yes"),
    query=Query([Mean("age")]),
    digest="d",
    n=300,
    whole=True,
    replacement=True,
)


def table() -> pd.DataFrame:
    """300 made-up people."""
    rng = np.random.default_rng(3)
    rich = rng.random(300) < 0.5
    return pd.DataFrame(
        {
            "age": (40 + 12 * rich + rng.normal(0, 9, 300)).round(),
            "hours": (35 + 4 * rich + rng.normal(0, 6, 300)).round(),
            "rich": np.where(rich, "yes", "no"),
        }
    )


def sources() -> dict[str, Groups]:
    return {"": Groups(table())}


def noise(epsilon: float = 0.2, scenario: Scenario = SCENARIO) -> Noise:
    people = table()
    n = len(people) if scenario.whole else scenario.n
    model = dp.fit_gaussian(people, scenario.query, list(scenario.pairs), n=n, replacement=True)
    return calibrate("OptM", model, epsilon, 1e-3, "exact")


def release(author: str = "", epsilon: float = 0.2, scenario: Scenario = SCENARIO) -> LedgerEntry:
    made = replace(scenario, epsilon=epsilon)
    count = len(scenario.query)
    return LedgerEntry(
        made,
        "people.csv",
        (40.0,) * count,
        ("",) * count,
        noise(epsilon, scenario),
        author,
        reason="A first look.",
    )


def agreed(
    store: Store, terms: Terms, version: int = 0, scenario: Scenario = SCENARIO
) -> AgreedLimit:
    return agree(
        store,
        version,
        author="Ann",
        reason="Enough for a year.",
        data="people.csv",
        digest="d",
        scenario=scenario,
        terms=terms,
    )


def all_release(url: str, names: list[str]) -> int:
    """Each of several releases once, all at the same moment; how many were refused."""
    known, one = sources(), noise()

    def refused(name: str) -> bool:
        entry = replace(release(name), noise=one)
        try:
            record(open_store(url), entry, known)
        except LimitError:
            return True
        return False

    with ThreadPoolExecutor(len(names)) as pool:
        return sum(pool.map(refused, names))


if __name__ == "__main__":
    address, *everybody = sys.argv[1:]
    print(all_release(address, everybody))
