"""Releases that tests of beliefs share."""

from __future__ import annotations

import pandas as pd
import pytest

import distpriv as dp
from distpriv.attacks.posterior import ReleaseModel


@pytest.fixture(scope="module")
def moments(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty
) -> dp.model.GroupMoments:
    return dp.group_moments(people, query, rich)


@pytest.fixture(scope="module")
def clear(moments: dp.model.GroupMoments, query: dp.Query) -> ReleaseModel:
    return ReleaseModel(moments, query, 60)
