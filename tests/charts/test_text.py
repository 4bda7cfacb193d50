"""Labels shown as they are written, and numbers rounded for reading."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.charts.text import listed, number, percent, plain, safe, shorten, summed_up, wrap


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
    assert plain(shown) == plain(safe(plain(shown)))


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
        (0.946, "0.946"),
        (12.7083, "12.7"),
        (40.02, "40.0"),
        (40, "40"),
        (1105.6, "1\u202f106"),
        (-3.461, "−3.46"),
        (1.234e-7, "1.23 × 10⁻⁷"),
        (2e9, "2 × 10⁹"),
        (math.inf, "∞"),
        (math.nan, "unknown"),
    ],
)
def test_numbers_have_three_digits(value: float, shown: str) -> None:
    assert number(value) == shown


def test_percentages_have_no_needless_digits() -> None:
    assert percent(0.45) == "45 %"
    assert percent(0.5772) == "57.7 %"


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
