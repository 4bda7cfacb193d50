"""Who asks: what named proxies say is believed, and nothing that anybody else says."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from distpriv.dashboard.serving.proxies import Proxies
from tests.dashboard.serving.driver import Behind, Pairs, asked

PROXIES = [ip_network("10.0.0.0/24"), ip_network("fd00::/8")]
PROXY = ("10.0.0.2", 4000)
SAID: Pairs = [
    ("x-forwarded-for", "203.0.113.7"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-host", "stats.example.org"),
    ("x-forwarded-port", "443"),
    ("forwarded", "for=203.0.113.7;proto=https"),
    ("x-real-ip", "203.0.113.7"),
]


def seen(headers: Pairs, client: tuple[str, int] | None, people: tuple[str, ...] = ()) -> Behind:
    behind = Behind()
    asked(Proxies(behind, PROXIES, people), headers=headers, client=client, host="inside:8501")
    return behind


@pytest.mark.parametrize(
    "client",
    [("203.0.113.9", 1), ("127.0.0.1", 1), ("10.0.1.2", 1), ("::1", 1), ("unix", 0), None],
)
def test_nobody_else_is_believed(
    client: tuple[str, int] | None, caplog: pytest.LogCaptureFixture
) -> None:
    behind = seen(SAID, client)
    assert behind.scope["client"] == client
    assert behind.scope["scheme"] == "http"
    assert list(behind.headers.items()) == [("host", "inside:8501")]
    assert "DISTPRIV_PROXIES does not name" in caplog.text


@pytest.mark.parametrize("address", ["10.0.0.2", "::ffff:10.0.0.2", "fd00::5"])
def test_a_named_proxy_is(address: str, caplog: pytest.LogCaptureFixture) -> None:
    behind = seen(SAID, (address, 4000))
    assert behind.scope["client"][0] == "203.0.113.7"
    assert behind.scope["scheme"] == "https"
    assert list(behind.headers.items()) == [("host", "stats.example.org")]
    assert not caplog.text


@pytest.mark.parametrize(
    ("ways", "visitor"),
    [
        (["203.0.113.7"], "203.0.113.7"),
        (["6.6.6.6, 203.0.113.7"], "203.0.113.7"),  # what a visitor sent, the proxy's word after it
        (["6.6.6.6", "203.0.113.7, 10.0.0.9"], "203.0.113.7"),
        (["10.0.0.8"], "10.0.0.8"),
        (["6.6.6.6, unknown, 10.0.0.9"], "10.0.0.9"),
        (["203.0.113.7:5123"], "203.0.113.7"),
        (["2001:db8::7"], "2001:db8::7"),
        (["[2001:db8::7]:443"], "2001:db8::7"),
        (["203.0.113.7,"], "10.0.0.2"),
        (["<script>"], "10.0.0.2"),
        ([""], "10.0.0.2"),
        ([], "10.0.0.2"),
    ],
)
def test_the_visitor_is_the_last_who_is_no_proxy(ways: list[str], visitor: str) -> None:
    behind = seen([("x-forwarded-for", way) for way in ways], PROXY)
    assert behind.scope["client"][0] == visitor


@pytest.mark.parametrize("proto", ["ftp", "https, http", "", "javascript"])
def test_a_scheme_that_is_none_is_not_taken(proto: str) -> None:
    assert seen([("x-forwarded-proto", proto)], PROXY).scope["scheme"] == "http"


@pytest.mark.parametrize("host", ["a.example, b.example", "a b", "a\r\nx: y", "user@a.example"])
def test_a_host_that_is_none_is_not_taken(host: str) -> None:
    assert seen([("x-forwarded-host", host)], PROXY).headers["host"] == "inside:8501"
    twice = [("x-forwarded-host", "a.example"), ("x-forwarded-host", "b.example")]
    assert seen(twice, PROXY).headers["host"] == "inside:8501"


def test_who_somebody_is_only_proxies_may_say() -> None:
    said = [("x-auth-user", "ada")]
    assert "x-auth-user" not in seen(said, ("203.0.113.9", 1), ("X-Auth-User",)).headers
    assert seen(said, PROXY, ("X-Auth-User",)).headers["x-auth-user"] == "ada"
