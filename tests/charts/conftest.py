"""A model whose pictures are drawn, and releases from it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from distpriv.mechanisms import calibrate
from distpriv.model import AS_IT_IS
from distpriv.queries import Mean, Query, SensitiveProperty
from distpriv.sources import fit_gaussian


@pytest.fixture(scope="package")
def model():
    rng = np.random.default_rng(1)
    rich = rng.random(2000) < 0.25
    table = pd.DataFrame({"age": rng.normal(37, 13, 2000) + 7 * rich, "rich": rich})
    table["schooling"] = rng.normal(7, 14, 2000) + 2 * rich
    pair = SensitiveProperty("rich", True).pair(center=0.25, width=0.1)
    return fit_gaussian(table, Query([Mean("age"), Mean("schooling")]), pair, n=100)


@pytest.fixture(scope="package")
def releases(model):
    return [AS_IT_IS, calibrate("OptM", model, guesses=60), calibrate("BalM", model)]
