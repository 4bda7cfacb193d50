"""Names of machines: read strictly, and alike whatever their spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distpriv.dashboard.serving.addresses import (
    Host,
    Origin,
    is_loopback,
    matches,
    number,
    parse_host,
    parse_origin,
)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("localhost:8501", Host("localhost", 8501)),
        ("Stats.Example.ORG.", Host("stats.example.org")),
        ("app_1:80", Host("app_1", 80)),
        ("[::1]:8501", Host("::1", 8501)),
        ("[0:0:0:0:0:0:0:1]", Host("::1")),
        ("10.0.0.2", Host("10.0.0.2")),
    ],
)
def test_hosts(text: str, host: Host) -> None:
    assert parse_host(text) == host
    assert parse_host(str(host)) == host


@pytest.mark.parametrize(
    "text",
    [
        "",
        " localhost",
        "localhost:",
        "localhost:0",
        "localhost:65536",
        "localhost:80:80",
        "localhost:٨٠",
        "me@localhost",
        "localhost/x",
        "a..b",
        "-a",
        "::1",
        "[::1",
        "[127.0.0.1]",
        "[::1]x",
        "a\nb",
        "localhost\n",
        "löcal",
        "a" * 300,
    ],
)
def test_what_is_no_host(text: str) -> None:
    assert parse_host(text) is None


@given(st.text(alphabet="aA0.:[]-_@/\\ \n%é", max_size=12))
@settings(max_examples=200, deadline=None)
def test_whatever_is_read_is_read_alike_again(text: str) -> None:
    host = parse_host(text)
    assert host is None or parse_host(str(host)) == host


def test_origins() -> None:
    assert parse_origin("https://A.example:443") == Origin("https", Host("a.example"))
    assert parse_origin("http://a.example:443") == Origin("http", Host("a.example", 443))
    assert str(parse_origin("http://[::1]:8501")) == "http://[::1]:8501"
    for text in ("null", "", "a.example", "ftp://a", "https://a/", "https://a b", "https://b@a"):
        assert parse_origin(text) is None


def test_loopback() -> None:
    assert all(
        map(is_loopback, ("localhost", "a.localhost", "127.9.9.9", "::1", "::ffff:127.0.0.1"))
    )
    assert not any(map(is_loopback, ("localhost.example", "10.0.0.1", "", "127.1", "2130706433")))
    assert number("::ffff:10.0.0.1") == number("10.0.0.1")


def test_patterns() -> None:
    assert matches("a.example.org", "*.example.org")
    assert matches("a.b.example.org", "*.example.org")
    assert matches("any.where", "*")
    assert not matches("example.org", "*.example.org")
    assert not matches("badexample.org", "*.example.org")
    assert not matches(".example.org", "*.example.org")
    assert not matches("a.example.org.evil", "*.example.org")
