"""The committed tables are what ``data/make.py`` draws."""

import json

import numpy as np
import pandas as pd
import pytest

from data import make
from distpriv.files import DATA
from distpriv.sources import source_of
from tests import adult


@pytest.mark.parametrize("name", list(make.MODELS))
def test_table_is_drawn_from_its_model(name):
    committed = pd.read_parquet(DATA / f"{name}.parquet")
    drawn = make.draw(name)
    assert drawn.dtypes.to_dict() == committed.dtypes.to_dict()
    assert drawn.equals(committed)
    assert not committed.isna().any(axis=None)


def test_every_count_of_the_summary_stands_for_ten_records_or_more():
    summary = json.loads(make.SUMMARY.read_text(encoding="utf-8"))
    for stratum in summary["strata"]:
        for name in make.NUMBERS:
            counts = [part[2] for part in stratum[name]]
            assert min(counts) >= 10
            assert stratum["count"] == sum(counts)


@pytest.mark.parametrize("secret", list(adult.GROUPS), ids=["income", "workclass"])
def test_census_has_the_moments_of_adult(secret):
    """Within each group of either secret; covariances relative to the two deviations."""
    drawn, real = source_of(pd.read_parquet(DATA / "census_income.parquet")), adult.GROUPS[secret]
    groups = drawn.groups(adult.QUERY, secret)
    np.testing.assert_allclose(groups.counts, real.counts, rtol=1e-3)
    deviations = np.sqrt(np.diagonal(real.covariances, axis1=1, axis2=2))
    assert np.abs((groups.means - real.means) / deviations).max() < 0.005
    sizes = deviations[:, :, None] * deviations[:, None, :]
    assert np.abs((groups.covariances - real.covariances) / sizes).max() < 0.02
