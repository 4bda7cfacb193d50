"""Samples are fair, and hostile names touch nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pytest

import distpriv as dp
from distpriv.model.source import SampledGroups
from tests.sources.tables import NAMES, VALUES, hostile

GROUP = dp.SensitiveProperty("team", "b")


@pytest.mark.parametrize("engine", ["parquet", "csv", "postgres", "spark"])
def test_each_record_is_as_likely_in_a_sample_as_any_other(
    opened: Callable[..., Any], engine: str
) -> None:
    """Chi-square of how often each tenth of a sorted table comes, at one in a million."""
    made = pa.table({"row": np.arange(4000) * 0.5, "team": ["a", "b"] * 2000})
    source = opened(engine, made, size=100)
    query = dp.Query([dp.Mean("row")])
    found = np.zeros((2, 10))
    for seed in range(10):
        drawn = source.sample(query, GROUP, seed=seed)
        assert isinstance(drawn, SampledGroups)
        for place, part in enumerate((drawn.without, drawn.having)):
            assert len(np.unique(part)) == 100
            found[place] += np.histogram(part[:, 0], bins=10, range=(0, 2000))[0]
    assert ((found - 100) ** 2 / 100).sum() < 63  # 18 degrees of freedom


def test_hostile_names_leave_other_tables_as_they_are(
    opened: Callable[..., Any], database: str
) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS canary")
        connection.execute("CREATE TABLE canary AS SELECT 7 AS song")
    source = opened("postgres", hostile())
    label = NAMES[1]
    for value in VALUES:
        source.group_moments(
            dp.Query([dp.Mean(NAMES[20]), dp.Count(label, value)]),
            dp.SensitiveProperty(NAMES[0], above=4),
        )
    with psycopg.connect(database, autocommit=True) as connection:
        assert connection.execute("SELECT song FROM canary").fetchall() == [(7,)]
        connection.execute("DROP TABLE canary")
