"""The committed tables are what ``data/make.py`` draws."""

import json

import numpy as np
import pandas as pd
import pytest

from data import make
from distpriv.site import DATA


@pytest.mark.parametrize("name", list(make.MODELS))
def test_table_is_drawn_from_its_model(name):
    committed = pd.read_parquet(DATA / f"{name}.parquet")
    pd.testing.assert_frame_equal(make.draw(name), committed)
    assert not committed.isna().any(axis=None)


def test_every_count_of_the_summary_stands_for_ten_records_or_more():
    summary = json.loads(make.SUMMARY.read_text(encoding="utf-8"))
    counts = [
        part[2] for stratum in summary["strata"] for name in make.NUMBERS for part in stratum[name]
    ]
    assert min(counts) >= 10
    assert all(
        stratum["count"] == sum(part[2] for part in stratum[name])
        for stratum in summary["strata"]
        for name in make.NUMBERS
    )


# Means of the five statistics in UCI Adult's 45 222 complete records, computed from its raw files:
# age, years of education, never married, female, hours a week; income <=50K, then >50K.
ADULT = np.array(
    [
        [36.749427, 9.630770, 0.408567, 0.382960, 39.372023],
        [44.006067, 11.598501, 0.062545, 0.148911, 45.690489],
    ]
)


def test_census_has_the_group_means_of_adult():
    table = pd.read_parquet(DATA / "census_income.parquet")
    rich = table["income"] == ">50K"
    assert (len(table), rich.sum()) == (45_222, 11_208)
    values = np.column_stack(
        [
            table["age"],
            table["education-num"],
            table["marital-status"] == "Never-married",
            table["sex"] == "Female",
            table["hours-per-week"],
        ]
    )
    means = np.array([values[~rich].mean(axis=0), values[rich].mean(axis=0)])
    np.testing.assert_allclose(means, ADULT, rtol=2e-3)
