"""The examples agree with their files."""

from __future__ import annotations

import pytest

import distpriv as dp
from distpriv.tables.examples import EXAMPLES


@pytest.mark.parametrize("key", EXAMPLES)
def test_example_agrees_with_its_file(key):
    example, frame = EXAMPLES[key], dp.load_example(key)
    column, label = example.secret
    low, high = example.shares
    assert low < (frame[column] == label).mean() < high
    for kind, name, *labels in example.statistics:
        if kind == "mean":
            assert frame[name].dtype == "int64"
            assert example.units[name]
        else:
            assert 0 < (frame[name] == labels[0]).sum() < len(frame)
    for name, (least, most) in example.bounds.items():
        assert frame[name].between(least, most).all()
    assert not frame.isna().any().any()
    assert "synthetic" in example.title
    assert f"{len(frame):,}".replace(",", " ") in example.attribution


def test_census_income_is_the_first_and_unknown_examples_are_refused():
    assert next(iter(EXAMPLES)) == "census-income"
    assert dp.load_census_income().equals(dp.load_example("census-income"))
    with pytest.raises(dp.ReadError, match="no example 'adult'; take 'census-income'"):
        dp.load_example("adult")
