"""Names of tables stand for themselves, and errors become sentences without the table's words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st
from streamlit.testing.v1 import AppTest

from distpriv.dashboard.page import escape, readable

SIGNS = set("\\`*_{}[]()<>#+-.!|~$:&=^\"'")


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet=[*SIGNS, "a", " ", "\n", "/", "@", "w"], max_size=30))
def test_no_sign_of_markdown_stays_alone(text):
    escaped = escape(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_{}\[\]()<>#+.!|~$:&=^-]", escaped)
    assert "\n" not in escaped
    assert re.sub(r"\\(.)", r"\1", escaped).replace("\u2060", "") == " ".join(text.split())


LATE = "http://a.example/x.png WWW.a.example me@a.example :material/home: :+1: -> >= <->"


@pytest.mark.parametrize("text", LATE.split())
def test_addresses_do_not_become_links_nor_signs_icons(text):
    assert "\u2060" in escape(text)


def test_long_names_are_cut_where_they_differ_still():
    assert escape("x" * 10_000, 60) == "x" * 59 + "…"
    long = "x" * 100
    titles = {1: f"{long} = 1", 2: f"a{long}b{long} = 2", 3: f"a{long}c{long} = 2", 4: "age"}
    assert readable(titles) == titles | {1: f"{'x' * 30} … {'x' * 26} = 1"}


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("DistprivError('No *column* has it.')", r"No \*column\* has it\."),
        ("RuntimeError(''.join(['An', 'a']))", "Something went wrong in the program."),
    ],
)
def test_error_is_the_pages_answer_in_a_sentence(error, text, caplog):
    app = AppTest.from_string(
        f"""
        from distpriv.dashboard import page
        from distpriv.errors import DistprivError

        page.session().answered = False
        with page.sentences():
            raise {error}
        """
    ).run()
    assert not app.exception
    assert app.title[0].value == "No answer for this"
    assert text in app.markdown[0].value
    assert "Ana" not in app.markdown[0].value + caplog.text


def test_error_below_the_answer_does_not_replace_it():
    app = AppTest.from_string(
        """
        from distpriv.dashboard import page
        from distpriv.errors import DistprivError

        with page.sentences():
            page.headline("An attacker could tell", "They do.")
            raise DistprivError("No picture.")
        """
    ).run()
    assert [title.value for title in app.title] == ["An attacker could tell"]
    assert app.error[0].value == r"No picture\."
