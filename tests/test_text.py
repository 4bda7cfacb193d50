import math

import pytest
from hypothesis import given, strategies as st

from distpriv.text import listed, near, percent, significant, times, whole, within


def test_whole_and_percent_keep_their_parts_on_a_line():
    assert percent(0.2) == "20\u00a0%"
    assert percent(0.0287, 2) == "2.9\u00a0%"
    assert whole(45_222) == "45\u202f222"
    assert whole(1_234_567.6) == "1\u202f234\u202f568"
    assert whole(-1_000) == "−1\u202f000"
    assert whole(12) == "12"


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (3643.4, 3, "3\u202f643"),
        (0.0123456, 3, "0.0123"),
        (2.0, 3, "2"),
        (12.34, 3, "12.3"),
        (0.99999, 3, "1"),
        (100.0, 2, "100"),
        (-6.5, 3, "−6.5"),
        (0.0, 3, "0"),
        (1.2e-7, 3, "1.2e-7"),
        (-1e-6, 3, "−1e-6"),
        (3e20, 3, "3e20"),
        (math.inf, 3, "∞"),
        (-math.inf, 3, "−∞"),
        (math.nan, 3, "–"),
    ],
)
def test_significant_keeps_the_whole_part_and_drops_zeros(value, digits, text):
    assert significant(value, digits) == text


@given(st.floats(1e-12, 1e18), st.integers(1, 6))
def test_significant_is_read_back_within_its_digits(value, digits):
    back = float(significant(value, digits).replace("\u202f", ""))
    assert math.isclose(back, value, rel_tol=0.5001 * 10 ** (1 - digits))


@pytest.mark.parametrize(
    ("guesses", "words"), [(60, "60"), (99.4, "99"), (99.6, "more than 99"), (100, "100")]
)
def test_times_calls_only_certainty_a_hundred(guesses, words):
    assert times(guesses) == f"{words}\u00a0times in\u00a0100"


def test_listed_joins_as_a_sentence_does_and_near_names_what_was_meant():
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed("ab") == "a and b"
    assert listed([1, 2, 3], "or") == "1, 2 or 3"
    assert near("incom", ["age", "income"]) == " Did you mean 'income'?"
    assert near("AGE", ["age", "income"]) == " Did you mean 'age'?"
    assert near("zzz", ["age", "income"]) == ""


def test_numbers_and_their_deviations_end_at_the_same_place():
    pairs = (10.04, 0.2418), (10.2, 0.2418), (1234.56, 47.3), (23.14, 4.96), (7.0, 0.0)
    assert [within(*pair) for pair in pairs] == [
        "10.04 ± 0.24",
        "10.20 ± 0.24",
        "1\u202f235 ± 47",
        "23.1 ± 5.0",
        "7",
    ]
