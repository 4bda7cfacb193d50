"""What is promised to each person, and by which bounds."""

from __future__ import annotations

import dp_accounting
import numpy as np
import pytest

import distpriv as dp
from distpriv.errors import CalibrationError, QueryError
from distpriv.privacy.persons import leaking_columns


def test_the_distance_is_that_of_dp_accounting():
    sigma = dp_accounting.get_sigma_gaussian(0.7, 1e-4)
    assert dp.Persons(0.7, 1e-4).distance == pytest.approx(1 / sigma, rel=1e-6)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.1), (1e7, 0.1), (1, 0), (1, 1)])
def test_its_domain_is_that_of_every_promise(epsilon, delta):
    with pytest.raises(CalibrationError):
        dp.Persons(epsilon, delta)


def test_public_bounds_take_the_place_of_the_data(people, query, pair):
    model = dp.fit_gaussian(people, query, pair, n=50)
    own = dp.Persons(1.0, 1e-3).moves(model).reach
    assert own == pytest.approx(model.record_sensitivities)
    wide = dp.Persons(1.0, 1e-3, bounds={"age": (0, 120)}).moves(model).reach
    assert wide[0] == pytest.approx(120 / 50)
    assert wide[1:] == pytest.approx(own[1:])


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
@pytest.mark.parametrize("fitted", [None, {"age": (0, 120), "hours": (0, 168)}])
@pytest.mark.parametrize("side", ["lower", "upper", "shifted", "inside"])
def test_bounds_that_exclude_records_are_refused_as_by_a_fit(
    people, query, pair, method, fitted, side
):
    """Wider than the records reach or not, and whatever the model's own bounds are."""
    least, greatest = float(people["age"].min()), float(people["age"].max())
    age = {
        "lower": (least + 1, greatest),
        "upper": (least, greatest - 1),
        "shifted": (least + 1, greatest + 100),
        "inside": (30.0, 40.0),
    }[side]
    with pytest.raises(QueryError, match="do not hold all its records") as refused:
        dp.fit_gaussian(people, query, pair, n=50, bounds={"age": age})
    model = dp.fit_gaussian(
        people, query, pair, n=50, method=method, bounds=fitted, subsets=100, rng=1
    )
    bounds = {"age": age, "hours": (0.0, 168.0)}
    persons = dp.Persons(1.0, 1e-3, bounds)
    noise = dp.calibrate("OptM", model, epsilon=1.0, delta=1e-3)
    for refuse in (
        lambda: persons.moves(model),
        lambda: persons.moves(model.in_units(np.full(len(query), 7.0)).of_statistics(0)),
        lambda: dp.calibrate("OptM", model, epsilon=1.0, delta=1e-3, persons=persons),
        lambda: noise.per_record(query, n=50, bounds=bounds),
    ):
        with pytest.raises(QueryError) as again:
            refuse()
        assert str(again.value) == str(refused.value)
    noise.detached().per_record(query, n=50, bounds=bounds)  # of other records, on purpose


def test_bounds_at_the_extremes_of_the_records_are_taken(people, query, pair):
    model = dp.fit_gaussian(people, query, pair, n=50, bounds={"age": (0, 120)})
    age = float(people["age"].min()), float(people["age"].max())
    narrow = dp.Persons(1.0, 1e-3, bounds={"age": age}).moves(model).reach
    assert narrow[0] == pytest.approx((age[1] - age[0]) / 50)


def test_bounds_that_are_none_are_refused(people, query, pair):
    model = dp.fit_gaussian(people, query, pair, n=50)
    with pytest.raises(QueryError, match="the lower one first"):
        dp.Persons(1.0, 1e-3, bounds={"age": (90, 17)}).moves(model)


def test_columns_without_public_bounds_are_named(people, query, pair):
    model = dp.fit_gaussian(people, query, pair, n=50, bounds={"age": (0, 120)})
    assert leaking_columns(model) == ("hours",)
    assert leaking_columns(model, dp.Persons(1.0, 1e-3, bounds={"hours": (0, 100)})) == ()


def test_neighbouring_tables_move_no_further(people, query, pair, rng):
    """Of random datasets with one record replaced by another of the table."""
    model = dp.fit_gaussian(people, query, pair, n=50)
    reach = dp.Persons(1.0, 1e-3).moves(model)
    factor = rng.normal(size=(len(query), len(query)))
    longest, _ = reach.longest(factor)
    values = query.values(people)
    for _ in range(200):
        rows = rng.choice(len(values), 51, replace=False)
        both = query.evaluate(values[[rows[:50], rows[1:]]])
        assert np.linalg.norm((both[0] - both[1]) @ factor) <= longest * (1 + 1e-12)
