"""Links by the name that the visitor came by, and which of them hold elsewhere."""

from __future__ import annotations

from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest

from distpriv.dashboard.shell import links


@pytest.mark.parametrize(
    ("address", "elsewhere"),
    [
        ("https://privacy.example.org/decide", True),
        ("http://192.168.1.7:8501/decide", True),
        ("http://[2001:db8::7]:8501/", True),
        ("http://localhost:8501/decide", False),
        ("http://tools.localhost/decide", False),
        ("http://127.0.0.1:8501/", False),
        ("http://[::1]:8501/", False),
        ("http://0.0.0.0:8501/", False),
        ("http://[oops/", False),
        ("?scenario=abc", False),
        ("", False),
    ],
)
def test_which_links_hold_on_another_machine(address: str, elsewhere: bool) -> None:
    assert links.holds(address) is elsewhere


def test_those_who_decide_get_the_address_that_the_visitor_came_by(monkeypatch) -> None:
    came = SimpleNamespace(url="https://privacy.example.org/tool/decide?eps=2")
    monkeypatch.setattr("streamlit.context", came)
    made = urlsplit(links.for_stakeholders(decision="a" * 32))
    assert made.geturl().startswith("https://privacy.example.org/tool/decide?")
    assert parse_qs(made.query) == {"role": ["stakeholder"], "decision": ["a" * 32]}


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        ({}, set()),
        ({"n": ["100"], "seed": ["7"], "cal": ["exact"], "also": [""], "scenario": [""]}, set()),
        ({"n": ["100", "inf"], "seed": ["nan"], "eps": ["inf"]}, {"n", "seed"}),
        (
            {"n": ["9" * 5000], "seed": ["x"], "view": [""], "units": ["raw", ""]},
            {"n", "seed", "view", "units"},
        ),
    ],
)
def test_what_no_control_reads_is_left_out(asked: dict[str, list[str]], left_out: set[str]) -> None:
    kept = links.readable(asked)
    assert kept == {key: values for key, values in asked.items() if key not in left_out}
    assert links.readable(kept) == kept
