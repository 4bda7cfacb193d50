"""What tables offer, and what they begin with."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from distpriv.analysis import evaluate
from distpriv.analysis.tables import (
    EXAMPLE_TITLES,
    cell,
    example_source,
    fits,
    grid_pair,
    secrets,
    source_by_key,
    start,
    statistics,
)
from distpriv.errors import DistprivError
from distpriv.queries import Count, Mean, SensitiveProperty, Sum
from distpriv.sources import FrameSource


def test_cell_holds_the_share():
    edges = [1, 2, 5, *range(10, 100, 10), 95, 98, 99]  # per cent
    for low, high in pairwise(one / 100 for one in edges):
        for share in (low, (low + high) / 2, high - 1e-6):
            assert cell(share) == pytest.approx((low, high))
            assert cell(1 - share - 1e-7) == pytest.approx((1 - high, 1 - low))
    for share in (0.0, 0.0099, 0.99, 1.0):
        with pytest.raises(DistprivError, match=r"too near an end .*\.$"):
            cell(share)


@pytest.mark.parametrize("key", list(EXAMPLE_TITLES))
def test_example_begins_with_a_question_that_has_an_answer(key, evaluations):
    now = evaluations[key]
    assert now.scenario.source == key
    assert now.pair.low <= now.groups[0].share <= now.pair.high
    assert now.needs_noise
    assert now.recommendation.way.kept
    assert {*now.scenario.statistics} <= {*statistics(now.source)}
    assert now.pair.secret in secrets(now.source)
    assert source_by_key(key) is example_source(key) is now.source


def upload(**columns):
    return FrameSource("upload", "people.csv", pd.DataFrame(columns))


def test_upload_begins_with_its_plainest_secret_in_its_cell():
    rng = np.random.default_rng(2)
    source = upload(
        name=[f"n{place}" for place in range(300)],
        group=rng.choice(["a", "b", "c"], 300),
        age=rng.integers(20, 60, 300),
        early_code=[1] * 40 + [0] * 260,  # says the same as the next
        left_early=["yes"] * 40 + ["no"] * 260,
        rare=["y"] * 2 + ["n"] * 298,
        row=[*range(300)],
        gaps=[None] * 60 + [*range(60)] * 4,
    )
    first = start(source)
    assert first.secrets == (grid_pair(source, SensitiveProperty("left_early", "yes")),)
    assert (first.secrets[0].low, first.secrets[0].high) == (0.1, 0.2)
    assert first.records is None
    assert first.statistics[0] == Mean("age")
    assert {one.column for one in first.statistics} == {"age", "group", "rare"}
    assert Count("early_code", 1) in statistics(source)
    assert evaluate(first, source).recommendation.way.kept
    offered = statistics(source)
    assert {Mean("age"), Sum("age"), Count("group", "c")} <= {*offered}
    assert Count("name", "n1") not in offered
    dated = upload(
        group=source.frame["group"], day=pd.to_datetime(["2024-01-01", "2024-01-02"] * 150)
    )
    assert not any(one.column == "day" for one in statistics(dated))
    assert start(dated).secrets[0].secret.column == "day"  # whose dates are labels


def test_every_label_and_medians_of_numbers_and_dates_are_offered():
    rng = np.random.default_rng(3)
    day = pd.Timestamp("2012-06-30") + pd.to_timedelta(rng.integers(-9, 10, 999), unit="D")
    source = upload(
        code=np.repeat([f"D{place:03}" for place in range(111)], 9),
        age=rng.permutation([30] * 500 + [40] * 499),
        pay=rng.permutation([1, 2, 3] + [9] * 996),  # the median is the largest
        hired=day,
        never=[None] * 999,
    )
    offered = secrets(source)
    assert {SensitiveProperty("code", label) for label in source.labels["code"]} < {*offered}
    assert len(source.labels["code"]) == 111
    assert SensitiveProperty("pay", above=3) in offered
    median = str(np.sort(day)[499])[:10]
    assert offered[SensitiveProperty("hired", above=median)] == f"hired after {median}"
    assert sum(one.kind == "count" and one.column == "code" for one in statistics(source)) == 20
    wide = {f"c{place}": source.frame["code"] for place in range(30)}
    assert len(secrets(upload(**wide))) == 600
    for item, expected in [
        (Mean("age"), True),
        (Mean("code"), False),
        (Count("code", "D110"), True),
        (Count("code", "D111"), False),
        (SensitiveProperty("hired", above=median), True),
        (SensitiveProperty("age", above=40), True),
        (SensitiveProperty("nobody", 1), False),
    ]:
        assert fits(source, item) is expected


def test_numbers_alone_begin_above_the_median():
    rng = np.random.default_rng(2)
    first = start(upload(a=rng.normal(size=50), b=rng.normal(size=50)))
    assert first.secrets[0].secret.above is not None
    assert first.statistics == (Mean("b"),)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"late": ["y", "n", "n", "n"] * 5}, "Besides 'late'"),
        ({"a": ["x"] * 9, "b": [f"t{place}" for place in range(9)]}, "no share to hide"),
        ({"a": [5] * 9}, "no share to hide"),
    ],
)
def test_table_without_a_question_is_one_sentence(columns, words):
    with pytest.raises(DistprivError, match=words):
        start(upload(**columns))
