"""The table of fields: links give scenarios back, and what cannot be read is a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from distpriv.analysis.tables import example_source, start
from distpriv.dashboard.fields import BY_NAME, from_query, number, on_table, plain, to_query
from distpriv.errors import DistprivError
from distpriv.privacy import Persons
from distpriv.queries import Count, Mean, Pair, Proportion, SensitiveProperty, Sum

START = start(example_source("census-income"))
AWKWARD = Pair(SensitiveProperty("a~1:b", ("x:~0,", True, 1, "!1")), 0.07, 0.295)
RICH_OLD = Pair(SensitiveProperty("age", between=(30, 39.5)), 0.4, 0.6)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"guesses": 71.0, "records": 250, "mechanism": "DauM", "seed": 7},
        {"by": "epsilon", "epsilon": 0.7, "delta": 1e-5},
        {"records": None, "replacement": False, "units": "raw", "calibration": "exact"},
        {"reference_share": 0.225, "statistics": ()},
        {"secrets": (AWKWARD,), "statistics": (Count("a,b", "~"), Mean("age"), Sum("age"))},
        {"secrets": (RICH_OLD, AWKWARD, RICH_OLD), "statistics": (Proportion("late", 1),)},
        {"persons": Persons(0.7, 1e-5), "bounds": (("a:~,", -1.5, 1e6),), "known_records": 20},
    ],
)
def test_link_gives_the_scenario_back(changes):
    scenario = replace(START, **changes)
    query = to_query(scenario, START)
    assert from_query(query, START) == (scenario, [])
    assert all(query.values()) or not scenario.statistics


@pytest.mark.parametrize("source", ["upload", "open"])
def test_link_about_an_own_table_holds_nothing_of_its_rows(source):
    bounds = (("age", 0, 99),)
    scenario = replace(START, source=source, secrets=(AWKWARD, RICH_OLD), bounds=bounds)
    scenario = replace(scenario, statistics=(Mean("x"),))
    assert to_query(replace(scenario, guesses=70.0), START) == {"table": source, "limit": "70"}


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        ("epsilon", "abc"),
        ("epsilon", "-1"),
        ("limit", "nan"),
        ("limit", "1e999"),
        ("n", "2.5"),
        ("n", "1"),
        ("shares", "95-105"),
        ("shares", "30-20"),
        ("shares", "20"),
        ("shares", "20-20"),
        ("secret", "income"),
        ("release", "largest:age"),
        ("also", "sex:Female"),
        ("also", ",".join(f"sex:Female:{k}-40" for k in range(10, 31))),
        ("units", "dozens"),
        ("persons", "1"),
        ("persons", "1,2"),
        ("bounds", "age:90:17"),
        ("bounds", "age:17"),
        ("bounds", "age:nan:17"),
        ("known", "2.5"),
        ("seed", "-1"),
    ],
)
def test_link_with_a_part_that_is_none_keeps_the_rest_and_names_it(parameter, text):
    scenario, problems = from_query({"delta": "0.01", parameter: text}, START)
    assert scenario == replace(START, delta=0.01)
    assert len(problems) == 1
    assert problems[0].endswith(".")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0,7", 0.7),
        (" 2 ", 2.0),
        ("1e-3", 0.001),
        ("0,250", 0.25),
        ("1.000,5", 1000.5),
        ("1,000.5", 1000.5),
        ("−1\u202f000\u202f000", -1e6),
        ("1'234.5", 1234.5),
        ("1.5000", 1.5),
        ("9007199254740991", 2.0**53 - 1),  # 16 digits
        ("0.30000000000000004", 0.1 + 0.2),
    ],
)
def test_number_reads_point_comma_and_thousands(text, value):
    assert number(text) == number(plain(value)) == value


@pytest.mark.parametrize("text", ["1.500", "1,500"])
def test_number_with_two_meanings_is_asked_for_again(text):
    with pytest.raises(DistprivError, match=r"can mean 1500 or 1\.5000; write one of them"):
        number(text, 0, 1e6)
    assert number(text, 0, 50) == 1.5  # a domain decides
    assert number(text, 0, 1e6, whole=True) == 1500
    assert BY_NAME["records"].read(text) == 1500
    assert number(plain(1.5), 0, 1e6) == number(plain(1.125), 0, 1e6) + 0.375 == 1.5


@pytest.mark.parametrize("text", ["", "abc", "−1", "nan", "inf", "1e999", "0,7,1"])
def test_number_refuses_what_is_none_in_a_sentence(text):
    with pytest.raises(DistprivError, match=r"^[^.]+\.\d?.*\.$|^Choose a number from 0 to 50\.$"):
        number(text, 0, 50)


@pytest.mark.parametrize("text", ["2,5-4", "2.5 – 4 %", "2.5−4", "2.5 to 4"])
def test_shares_are_read_as_people_write_them(text):
    assert BY_NAME["shares"].read(text) == (2.5, 4.0)


def test_every_share_in_per_cent_survives_the_fraction():
    shares = BY_NAME["shares"]
    for low in range(99):
        for high in (low + 0.7, low + 1.0):
            assert shares.get(shares.put(START, (float(low), high))) == (low, high)


def test_another_table_keeps_limit_and_noise_alone():
    bank = start(example_source("bank"))
    scenario = replace(START, by="epsilon", epsilon=2.0, mechanism="DauM", reference_share=0.2)
    expected = replace(bank, by="epsilon", epsilon=2.0, mechanism="DauM")
    assert on_table(scenario, bank) == expected
