"""The map of frameworks and its converter."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.frameworks.map import FRAMEWORKS, RECORDS, RELATIONS, convert

RECORD_LEVEL = ("DP", "DDP", "IP", "BP", "MP", "MIDP")


def test_differential_privacy_elsewhere():
    found = convert(1.0, "DP")
    assert found["DP"] == (1.0, 1.0)
    assert found["DDP"] == found["IP"] == found["BP"] == (1.0, math.inf)
    assert found["MP"] == (0.5, math.inf)
    assert found["MIDP"] == found["PP"] == found["DistP"] == (0.0, math.inf)


def test_inferential_is_dependent_differential_privacy():
    for key in RECORD_LEVEL:
        found = convert(0.7, key)
        assert found["IP"] == found["DDP"]


def test_membership_privacy_bounds_from_above():
    found = convert(2.0, "MP")
    assert found["DDP"] == found["IP"] == found["DP"] == (0.0, 4.0)
    assert found["MIDP"] == (0.0, 2.0)
    assert found["BP"] == (0.0, math.inf)


@pytest.mark.parametrize("records", RECORDS[1:])
def test_independent_records_make_four_notions_one(records):
    for key in ("DP", "DDP", "IP", "BP"):
        found = convert(3.0, key, records)
        assert all(found[other] == (3.0, 3.0) for other in ("DP", "DDP", "IP", "BP"))
        assert found["MP"] == (1.5, math.inf)
    assert convert(1.0, "MP", records)["BP"] == (0.0, 2.0)


@given(st.floats(0.01, 50), st.sampled_from(RECORD_LEVEL), st.sampled_from(RECORDS))
def test_ranges_hold_what_satisfies_the_inequalities_and_nothing_tighter(epsilon, given, records):
    """Beside the propagation, every assignment on a grid that satisfies each inequality."""
    found = convert(epsilon, given, records)
    grid = (0.25, 0.5, 1.0, 2.0, 4.0)
    used = [each for each in RELATIONS if records != "dependent" or not each.independent]
    seen = {key: [] for key in RECORD_LEVEL}
    for values in itertools.product(grid, repeat=len(RECORD_LEVEL)):
        point = dict(zip(RECORD_LEVEL, values, strict=True))
        if point[given] == 1.0 and all(
            point[each.smaller] <= each.factor * point[each.larger] for each in used
        ):
            for key, value in point.items():
                seen[key].append(value)
    for key, values in seen.items():
        low, high = found[key]
        assert low == pytest.approx(epsilon * min(values)) or (low == 0 and min(values) == 0.25)
        assert high == pytest.approx(epsilon * max(values)) or (
            math.isinf(high) and max(values) == 4.0
        )


def test_every_notion_says_what_it_protects():
    assert set(RECORD_LEVEL) | {"PP", "DistP"} == set(FRAMEWORKS)
    for key, each in FRAMEWORKS.items():
        assert each.key == key
        assert each.protects.endswith(".")
        assert each.neighbours.endswith(".")
        assert each.source.endswith(")")
    assert FRAMEWORKS["BP"].spoken == "Blowfish privacy"
    assert FRAMEWORKS["DP"].spoken == "differential privacy"


def test_bad_input_is_explained():
    with pytest.raises(dp.errors.HypothesisError, match="choose one of DP"):
        convert(1.0, "GDPR")
    with pytest.raises(dp.errors.HypothesisError, match="choose one of dependent"):
        convert(1.0, "DP", "odd")
    with pytest.raises(dp.errors.CalibrationError, match="positive"):
        convert(0.0, "DP")
