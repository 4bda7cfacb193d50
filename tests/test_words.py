"""One rule for every figure and name in sentences, charts and tables."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.words import (
    escape,
    exact,
    fixed,
    listed,
    number,
    percent,
    plain,
    safe,
    share,
    shorten,
    statistic_errors,
    summed_up,
    titled,
    with_unit,
    wrap,
)

ANY = st.floats(-1e300, 1e300)
SHARES = st.floats(0, 1)
SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> float:
    """The figure that a text tells."""
    bare = text.removesuffix("\u00a0%").replace("\u202f", "").replace("−", "-")
    mantissa, _, power = bare.partition("\u00a0×\u00a010")
    return float(f"{mantissa}e{power.translate(SUPERSCRIPT) or 0}")


def well_written(text: str) -> None:
    assert "e" not in text
    assert "-" not in text
    assert not re.match(r"−0(\.0*)?(\u00a0%)?$", text)
    assert " " not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("income = >50K", "income = &gt;50K"),
        ("<img src=x onerror=1>", "&lt;img src=x onerror=1&gt;"),
        ("R & D", "R &amp; D"),
        ("$x$", "&#36;x&#36;"),
        ("%{meta[alt]}", "%&#123;meta[alt]}"),
        ("two\nlines\x00\u202e", "two lines"),
    ],
)
def test_a_label_is_escaped(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(st.text())
def test_an_escaped_label_reads_as_it_was(text: str) -> None:
    shown = safe(text)
    assert "<" not in shown
    assert ">" not in shown
    assert "$" not in shown
    assert "%{" not in shown
    assert plain(shown).split() == plain(safe(plain(shown))).split()


def test_plain_drops_the_tags_of_plotly_and_no_text_of_the_user() -> None:
    assert plain(f"<b>{safe('a <b> & c')}</b><br>1") == "a <b> & c 1"
    assert plain(None) == ""


def test_a_long_label_ends_in_an_ellipsis() -> None:
    assert shorten("marital-status", 8) == "marital…"
    assert safe("<" * 10, 3) == "&lt;&lt;…"


@given(st.text(), st.integers(5, 40))
def test_wrapped_lines_fit(text: str, width: int) -> None:
    lines = wrap(text, width).split("<br>")
    assert len(lines) <= 2
    assert all(len(plain(line)) <= width for line in lines)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (-0.0, "0"),
        (0.946, "0.946"),
        (12.7083, "12.7"),
        (40.02, "40.0"),
        (40, "40"),
        (0.99996, "1.00"),
        (9.996, "10.0"),
        (99.96, "100"),
        (1105.6, "1\u202f106"),
        (-3.461, "−3.46"),
        (2e-5, "2\u00a0×\u00a010⁻⁵"),
        (1.234e-7, "1.23\u00a0×\u00a010⁻⁷"),
        (2e9, "2\u00a0×\u00a010⁹"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "unknown"),
    ],
)
def test_numbers_have_three_digits(value: float, shown: str) -> None:
    assert number(value) == shown


@given(ANY)
def test_a_number_reads_back_to_three_digits(value: float) -> None:
    shown = number(value)
    well_written(shown)
    assert read(shown) == pytest.approx(value, rel=0.00501)
    assert number(-value) == (f"−{shown}" if value > 0 else shown.removeprefix("−"))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (1.0, "1"),
        (0.001, "0.001"),
        (1e-5, "1\u00a0×\u00a010⁻⁵"),
        (12.75, "12.75"),
        (25000, "25\u202f000"),
        (2e6, "2\u202f000\u202f000"),
        (math.inf, "∞"),
    ],
)
def test_a_chosen_figure_is_as_short_as_it_is(value: float, shown: str) -> None:
    assert exact(value) == shown


@given(ANY)
def test_a_chosen_figure_reads_back_to_six_digits(value: float) -> None:
    shown = exact(value)
    well_written(shown)
    assert read(shown) == pytest.approx(value, rel=5.01e-6)


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [(45222, 0, "45\u202f222"), (-1234.5, 2, "−1\u202f234.50"), (-0.001, 2, "0.00")],
)
def test_decimals_of_a_column_match(value: float, decimals: int, shown: str) -> None:
    assert fixed(value, decimals) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0.0\u00a0%"),
        (-1e-9, "0.0\u00a0%"),
        (0.5772, "57.7\u00a0%"),
        (0.58, "58.0\u00a0%"),
        (1, "100.0\u00a0%"),
        (-0.2, "−20.0\u00a0%"),
        (247.311, "24\u202f731.1\u00a0%"),
        (math.nan, "unknown"),
    ],
)
def test_a_computed_share_has_one_decimal(value: float, shown: str) -> None:
    assert percent(value) == shown


def test_decimals_are_chosen_where_they_matter() -> None:
    assert percent(0.9972, 2) == "99.72\u00a0%"
    assert percent(0.4, 0) == "40\u00a0%"


@given(SHARES, st.integers(0, 4))
def test_a_share_reads_back(value: float, decimals: int) -> None:
    shown = percent(value, decimals)
    well_written(shown)
    assert read(shown) == pytest.approx(100 * value, abs=0.501 * 10.0**-decimals)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0\u00a0%"),
        (1, "100\u00a0%"),
        (0.45, "45\u00a0%"),
        (0.4125, "41.25\u00a0%"),
        (1 / 3, "33.33\u00a0%"),
        (1e-5, "0.001\u00a0%"),
        (1e-9, "1\u00a0×\u00a010⁻⁷\u00a0%"),
        (math.nan, "unknown"),
    ],
)
def test_a_chosen_share_is_as_short_as_it_is(value: float, shown: str) -> None:
    assert share(value) == shown


@given(SHARES)
def test_a_chosen_share_reads_back_to_four_digits(value: float) -> None:
    shown = share(value)
    well_written(shown)
    assert read(shown) == pytest.approx(100 * value, rel=5.01e-4)


def test_a_figure_does_not_break_from_its_unit() -> None:
    assert with_unit(1.2345, "years") == "1.23\u00a0years"
    assert with_unit(7, "") == "7"
    assert titled("error", "years") == "error (years)"
    assert titled("error", "") == "error"
    told = statistic_errors(["mean age", "count"], [1.234, 5], ["years", ""])
    assert told == ["mean age ± 1.23\u00a0years", "count ± 5"]
    assert safe(with_unit(1105.6, "$")) == "1\u202f106\u00a0&#36;"
    assert plain(safe(with_unit(1105.6, "$"))) == "1 106 $"


@given(st.text())
def test_markdown_shows_a_label_as_it_is(text: str) -> None:
    escaped = escape(text)
    assert "\n" not in escaped
    assert re.sub(r"\\(.)", r"\1", escaped) == text.replace("\n", " ")
    assert not re.search(r"(?<!\\)(\\\\)*[*_`$<\[]", escaped)


def test_lists_end_with_and() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_many_figures_are_summed_up_by_their_extremes() -> None:
    values = dict(zip("ABCDE", [3.0, 1.0, 5.0, 2.0, 4.0], strict=True))
    texts = {name: f"{value:g}" for name, value in values.items()}
    assert summed_up(values, texts, None) == "between 1 with B and 5 with C"
    assert summed_up(values, texts, "A") == "3 with A, in all between 1 with B and 5 with C"
    few = {name: texts[name] for name in "AB"}
    assert summed_up(values, few, "A") == "3 with A and 1 with B"


def test_things_that_are_counted_are_written_out() -> None:
    assert number(45_000_000) == exact(45_000_000) == "45\u202f000\u202f000"
    assert number(-12_345_678) == "−12\u202f345\u202f678"
    assert exact(45_000_000.0) == "4.5\u00a0×\u00a010⁷"
    assert number(10**15) == "1\u00a0×\u00a010¹⁵"
