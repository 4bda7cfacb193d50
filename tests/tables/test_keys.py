"""Columns that name records, places or times: by their names, and by their numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from distpriv.tables.keys import few_values, names_records

SIZE = 400


def codes(name: str) -> pd.Series:
    """Eight numbers in no order, under a name."""
    return pd.Series(np.arange(SIZE) * 37 % 8 + 1, name=name)


@pytest.mark.parametrize(
    "name",
    ["patient_nbr", "admission_type_id", "zip", "ZIP code", "wardCode", "PatientID", "house no",
     "account number", "phone1", "date", "birth_year", "id_2", "idnr", "PLZ", "join-date"],
)  # fmt: skip
def test_names_of_keys_codes_and_dates(name: str) -> None:
    assert names_records(codes(name))
    assert names_records(codes(name).astype(str).astype("category"))
    assert names_records(codes(name).astype(float).where(codes(name) > 1))


@pytest.mark.parametrize(
    "name",
    ["age", "education-num", "num_lab_procedures", "number of rooms", "hours-per-week", "paid",
     "cigarettes per day", "idle hours", "key rate", "nose", "", "17", "notes", "zipper"],
)  # fmt: skip
def test_names_of_measures(name: str) -> None:
    assert not names_records(codes(name))


def test_two_values_and_fractions_are_measures_whatever_their_name() -> None:
    assert not names_records(pd.Series([0, 1] * 50, name="barcode no"))
    assert not names_records(pd.Series(["yes", "no"] * 50, name="yes/no", dtype="category"))
    assert not names_records(pd.Series([True, False] * 50, name="id"))
    assert not names_records(pd.Series([1.5, 2.25, 3.0] * 50, name="code"))


def test_running_numbers_and_numbers_given_out(rng: np.random.Generator) -> None:
    running = np.arange(SIZE) + 5000
    for numbers in (
        running,
        rng.permutation(running),
        running[:12],
        np.cumsum(rng.integers(1, 1000, SIZE)),
        rng.choice(10**7, SIZE, replace=False),
    ):
        assert names_records(pd.Series(numbers, name="x"))


def test_measures_that_are_all_different(rng: np.random.Generator) -> None:
    incomes = np.unique(rng.lognormal(10, 0.6, SIZE).round())
    assert len(incomes) > 0.95 * SIZE
    assert not names_records(pd.Series(rng.permutation(incomes), name="x"))
    # Ages of a class may be all different without counting anybody.
    ages = rng.choice(np.arange(18, 90), 20, replace=False)
    assert not names_records(pd.Series(ages, name="x"))
    assert not names_records(pd.Series(rng.normal(size=SIZE), name="x"))


def test_dates_written_as_numbers(rng: np.random.Generator) -> None:
    months, days = rng.integers(1, 13, SIZE), rng.integers(1, 32, SIZE)
    years = rng.integers(1950, 2024, SIZE)
    for numbers in (years, 100 * years + months, 10_000 * years + 100 * months + days):
        assert names_records(pd.Series(numbers, name="x"))
    assert names_records(pd.Series([2019, 2020] * 50, name="x"))
    pay = rng.integers(190_000, 210_000, SIZE)
    assert not names_records(pd.Series(np.repeat(pay[:50], 8), name="x"))


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [3, 3, 3], [0.0, np.nan, 1.0]])
def test_columns_with_next_to_nothing_in_them(values: list[float]) -> None:
    assert not names_records(pd.Series(values, name="x", dtype=float))


@pytest.mark.parametrize(
    ("values", "few"),
    [
        ([0, 1, 1], (0, 1)),
        ([1.0, np.nan, 0.0], (0, 1)),
        ([0.5, 1.0, 0.5], (0.5, 1)),
        ([3, 1, 2, 2], (1, 2, 3)),
        (list(range(12)), tuple(range(12))),
        (list(range(13)), ()),
        ([0.5, 1, 2], ()),
        ([7, 7], ()),
        ([], ()),
    ],
)
def test_few_values(values: list[float], few: tuple[float, ...]) -> None:
    found = few_values(pd.Series(values, dtype=float))
    assert found == few
    assert [type(value) for value in found] == [type(value) for value in few]


def test_many_values_behind_few_are_seen() -> None:
    column = pd.Series(np.r_[np.zeros(9_000), np.arange(13)])
    assert few_values(column) == ()
