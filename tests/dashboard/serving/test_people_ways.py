"""The ways in and out: where they lead, and which cookies they leave."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.dashboard.serving import sign_in
from distpriv.dashboard.serving.sign_in import SignIn
from distpriv.dashboard.serving.ways import SignInWays, safe_path

KNOWN = SignIn(
    address="https://x.org", provider="https://id.org", client_id="c", client_secret="s",
    cookie_secret="k",
)  # fmt: skip


@given(st.text() | st.text("/\\.:%@#?25cCfF\t ax"))
def test_a_way_back_is_a_path_of_this_host(given_: str) -> None:
    from urllib.parse import urljoin, urlsplit

    path = safe_path(given_)
    assert path in ("", given_)
    if path:
        there = urlsplit(urljoin("https://x.org/oauth2callback?a=b", path))
        assert (there.scheme, there.netloc) == ("https", "x.org")
        assert path.isprintable()


def test_links_of_the_dashboard_are_kept() -> None:
    for path in (
        "/",
        "/decide?show=On+record",
        "/?role=stakeholder&decision=ab",
        "/dp/answer?a=%C3%A9",
    ):
        assert safe_path(path) == path


def answered(path: str, query: str, *headers: tuple[str, str], asked: str = "") -> list[Any]:
    """What comes of an answer on its way through."""

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        raw = [(name.encode(), value.encode()) for name, value in headers]
        await send({"type": "http.response.start", "status": 302, "headers": raw})

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.extend((name.decode(), value.decode()) for name, value in message["headers"])

    scope = {
        "type": "http", "path": path, "query_string": query.encode(),
        "headers": [(b"cookie", asked.encode())],
    }  # fmt: skip
    asyncio.run(SignInWays(app)(scope, None, send))  # type: ignore[arg-type]
    return sent


@pytest.fixture
def signing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "configured", lambda: KNOWN)


def test_where_nobody_signs_in_answers_pass_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "configured", lambda: None)
    given_ = [("location", "/"), ("set-cookie", "_streamlit_xsrf=x; Path=/")]
    assert answered("/oauth2callback", "code=x", *given_) == given_


@pytest.mark.usefixtures("signing")
def test_behind_tls_every_cookie_goes_over_tls_only() -> None:
    cookies = [("set-cookie", "a=b; Path=/"), ("set-cookie", "c=d; Secure; Path=/")]
    assert answered("/", "", *cookies) == [
        ("set-cookie", "a=b; Path=/; Secure"), ("set-cookie", "c=d; Secure; Path=/"),
    ]  # fmt: skip


@pytest.mark.usefixtures("signing")
def test_the_way_back_is_kept_in_a_cookie_and_used_once() -> None:
    ((_, kept),) = answered("/dp/auth/login", "provider=x&back=%2Fdecide%3Fa%3Db%26c%3D%2525")
    assert kept.startswith("distpriv_back=%2Fdecide%3Fa%3Db%26c%3D%2525; ")
    assert kept.endswith("HttpOnly; SameSite=Lax; Max-Age=600; Secure")
    came = [("location", "/"), ("set-cookie", "_streamlit_user=x.y; Path=/")]
    found = answered("/oauth2callback", "code=x&state=y", *came, asked=kept.partition(";")[0])
    assert ("location", "/decide?a=b&c=%25") in found
    assert any(value.startswith("distpriv_back=; ") and "Max-Age=0" in value for _, value in found)
    for forged in ("distpriv_back=//evil.org", "distpriv_back=%2F%2Fevil.org", "distpriv_back"):
        found = answered("/oauth2callback", "code=x&state=y", *came, asked=forged)
        assert ("location", "/") in found


@pytest.mark.usefixtures("signing")
def test_the_ways_out_say_so() -> None:
    out = answered("/auth/logout", "", ("location", "/"))
    assert out == [("location", "/?signed=out"), ("clear-site-data", '"storage"')]
    over = answered("/auth/logout", "", ("location", "https://id.org/end?x=y"))
    assert ("location", "https://id.org/end?x=y") in over
    assert ("location", "/?signed=out") in answered("/oauth2callback", "", ("location", "/"))
    gone = ("set-cookie", '_streamlit_user=""; Max-Age=0')
    assert ("location", "/?signed=failed") in answered(
        "/oauth2callback", "code=x&state=y", ("location", "/"), gone
    )
