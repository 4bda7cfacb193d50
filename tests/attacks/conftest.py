"""The example census, and the paper's query and pair on it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from distpriv.queries import Pair
from distpriv.sources import fit_gaussian
from tests.adult import INCOME, QUERY

PAIR = Pair(INCOME, 0.45, 0.55)


@pytest.fixture(scope="session")
def census():
    return pd.read_parquet(Path(__file__).parents[2] / "data/census_income.parquet")


@pytest.fixture(scope="session")
def model(census):
    return fit_gaussian(census, QUERY, PAIR, 100)
