"""What is offered of a table, and what is picked at the start."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.uploads import from_upload

SIZE = 900


def uploaded(**columns: object) -> Dataset:
    content = pd.DataFrame(columns).to_csv(index=False).encode()
    return from_upload(content, "mine.csv")


@pytest.fixture
def hospital(rng: np.random.Generator) -> Dataset:
    """Patients as hospitals keep them: numbers that count nobody come first."""
    return uploaded(
        encounter=rng.permutation(SIZE) * 3 + 12_000,
        patient_nbr=rng.integers(10**5, 10**7, SIZE),
        zip=rng.integers(10_000, 99_999, SIZE),
        admission_type_id=rng.integers(1, 9, SIZE),
        admitted=20_200_101 + 100 * rng.integers(0, 12, SIZE) + rng.integers(0, 28, SIZE),
        born=rng.integers(1930, 2005, SIZE),
        payer_code=rng.choice(["MC", "HM", "SP"], SIZE),
        ward=rng.choice(["A", "B", "C"], SIZE),
        days_in=rng.integers(1, 15, SIZE),
        medicines=rng.integers(0, 60, SIZE),
        readmitted=rng.choice([0, 1], SIZE, p=[0.89, 0.11]),
    )


def test_a_column_of_0_and_1_is_the_secret(hospital: Dataset) -> None:
    assert hospital.secret == dp.SensitiveProperty("readmitted", 1)
    assert hospital.secret.label == "readmitted = 1"
    assert {"readmitted = 0", "readmitted = 1"} <= set(hospital.secrets)
    having = hospital.secrets["readmitted = 1"].mask(hospital.table).sum()
    assert having == hospital.table["readmitted"].sum()


def test_what_is_released_first_is_what_is_measured(hospital: Dataset) -> None:
    labels = [statistic.label for statistic in hospital.query]
    assert labels[:2] == ["mean days_in", "mean medicines"]
    assert [label[:12] for label in labels[2:]] == ["count ward ="]


def test_keys_codes_and_dates_are_offered_last(hospital: Dataset) -> None:
    statistics = [each.column for each in hospital.statistics.values()]
    keys = {"encounter", "patient_nbr", "zip", "admission_type_id", "admitted", "born"}
    keys.add("payer_code")
    first = min(statistics.index(column) for column in keys if column in statistics)
    assert set(statistics[first:]) == keys & set(statistics)
    secrets = [secret.column for secret in hospital.secrets.values()]
    assert set(secrets[-11:]) == {"payer_code", "admission_type_id"}


def test_only_columns_of_0_and_1(rng: np.random.Generator) -> None:
    made = uploaded(**{name: rng.integers(0, 2, SIZE) for name in "abc"})
    assert made.secret.values == (1,)
    assert len(made.query) == 2
    assert all(isinstance(statistic, dp.Mean) for statistic in made.query)


def test_missing_values_do_not_hide_a_column_of_0_and_1(rng: np.random.Generator) -> None:
    values = rng.choice([0, 1, np.nan], SIZE)
    made = uploaded(smoker=values, age=rng.integers(18, 90, SIZE))
    assert made.secret == dp.SensitiveProperty("smoker", 1)
    assert made.complete(dp.Query(made.query), made.secret) == np.isfinite(values).sum()


def test_few_numbers_are_offered_but_not_picked(rng: np.random.Generator) -> None:
    made = uploaded(children=rng.integers(0, 6, SIZE), pay=rng.normal(size=SIZE).round(3))
    assert [f"children = {count}" for count in range(6)] == list(made.secrets)
    assert made.secret.label.startswith("children > ")


def test_where_there_is_nothing_but_keys_they_are_taken(rng: np.random.Generator) -> None:
    """A column that only looks like a key may be all that somebody has."""
    made = uploaded(
        nr=rng.permutation(SIZE) + 4000,
        zip=rng.integers(10_000, 99_999, SIZE),
        year=rng.integers(2000, 2024, SIZE),
    )
    assert made.secret.column in ("nr", "zip", "year")
    assert made.query


def test_beside_a_property_a_key_is_taken_if_it_is_all_there_is(rng: np.random.Generator) -> None:
    made = uploaded(sex=rng.choice(["F", "M"], SIZE), patient_nbr=rng.integers(10**5, 10**7, SIZE))
    assert made.secret.column == "sex"
    assert [statistic.label for statistic in made.query] == ["mean patient_nbr"]


def test_the_example_starts_as_ever(census: Dataset) -> None:
    assert census.secret.label == "income = >50K"
    assert len(census.query) == 5
    assert census.start_n == 100


@pytest.fixture(scope="module")
def census() -> Dataset:
    from distpriv.dashboard.shell.dataset import from_example
    from distpriv.tables.examples import EXAMPLES

    return from_example(EXAMPLES[0])
