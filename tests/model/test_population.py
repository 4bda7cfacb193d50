"""The records behind a fitted model."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.model.population import Population
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Query

SECRET = SensitiveProperty("income", ">50K")
QUERY = Query([Mean("age"), Count("sex", "Female")])


def test_records_are_loaded_once_for_every_unit_and_choice() -> None:
    loads = []

    def load() -> dp.model.RecordGroups:
        loads.append(1)
        return dp.record_groups(dp.load_census_income(), QUERY, SECRET)

    population = Population.of(QUERY, SECRET, load, seed=3)
    scaled = population.in_units(np.array([2.0, 4.0])).of_statistics([1])
    assert scaled.statistics == (1,)
    assert scaled.units == pytest.approx([4.0])
    assert scaled.seed == 3
    assert scaled.groups is population.groups
    assert len(loads) == 1
    assert scaled.computed("a figure", lambda: 1) == population.computed("a figure", lambda: 2)


def test_a_fitted_model_knows_its_records() -> None:
    table = dp.load_census_income()
    model = dp.fit_gaussian(table, QUERY, SECRET.pair(center=0.5, width=0.1), 50, rng=7)
    population = model.pairs[0].population
    assert population is not None
    assert population.seed == 7
    groups = dp.record_groups(table, QUERY, SECRET)
    assert population.groups.having == pytest.approx(groups.having)
    turned = model.in_units(np.array([3.0, 2.0])).of_statistics(1, 0).pairs[0].population
    assert turned is not None
    assert turned.statistics == (1, 0)
    assert turned.units == pytest.approx([2.0, 3.0])
