"""Security headers of every kind of answer, and what cookies lack."""

from __future__ import annotations

import pytest
from starlette.types import Receive, Scope, Send

from distpriv.dashboard.serving.bounds import Messages
from distpriv.dashboard.serving.headers import HEADERS, SecurityHeaders, headers_for
from tests.dashboard.serving.driver import Behind, asked

TEXT = {"type": "websocket.receive", "text": "hello"}
TOKEN = "_streamlit_xsrf=2|a|b|1; Path=/; SameSite=Lax"


def test_they_replace_what_stands_there_already() -> None:
    reply = asked(SecurityHeaders(Behind()))
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    assert all(len(reply.headers.getlist(name)) == 1 for name in HEADERS)
    policy = reply.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert not {"*", "http:", "https:", "'unsafe-eval'"} & set(policy.replace(";", " ").split())
    assert "script-src 'self' 'sha256-" in policy
    script = policy.partition("script-src")[2].partition(";")[0]
    assert "unsafe-inline" not in script


@pytest.mark.parametrize(
    ("ancestors", "said", "frame"),
    [
        ((), "'none'", "DENY"),
        (("'self'",), "'self'", "SAMEORIGIN"),
        (("https://course.example",), "https://course.example", None),
        (("'self'", "https://course.example"), "'self' https://course.example", None),
    ],
)
def test_who_may_frame_it(ancestors: tuple[str, ...], said: str, frame: str | None) -> None:
    headers = headers_for(ancestors)
    assert headers["Content-Security-Policy"].endswith(f"frame-ancestors {said}")
    assert headers.get("X-Frame-Options") == frame


def test_tls_is_asked_for_where_it_is() -> None:
    plain = asked(SecurityHeaders(Behind(cookies=[TOKEN])), host="stats.example.org")
    assert "strict-transport-security" not in plain.headers
    assert "cross-origin-opener-policy" not in plain.headers  # browsers would complain of it
    assert plain.headers["set-cookie"] == TOKEN
    tls = asked(SecurityHeaders(Behind(cookies=[TOKEN])), host="stats.example.org", scheme="https")
    assert tls.headers["strict-transport-security"] == "max-age=31536000"
    assert tls.headers["cross-origin-opener-policy"] == "same-origin"
    assert tls.headers["set-cookie"] == f"{TOKEN}; Secure"
    assert asked(SecurityHeaders(Behind())).headers["cross-origin-opener-policy"] == "same-origin"


def test_a_websocket_that_is_closed_before_it_is_open_is_answered() -> None:
    async def closes(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.close", "code": 1000})

    reply = asked(SecurityHeaders(closes), websocket=())
    assert (reply.status, len(reply.sent)) == (403, 2)
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    again = asked(SecurityHeaders(closes), websocket=())
    assert len(again.headers) == len(reply.headers)
    unable = asked(SecurityHeaders(closes), websocket=(), can_say_no=False)
    assert [each["type"] for each in unable.sent] == ["websocket.close"]
    opened = asked(SecurityHeaders(Messages(Behind())), websocket=[TEXT])
    assert [each["type"] for each in opened.sent] == ["websocket.accept", "websocket.close"]


def test_cookies_over_tls() -> None:
    given = [TOKEN, "_streamlit_user=x; HttpOnly; SameSite=Lax; secure"]
    framed = SecurityHeaders(Behind(cookies=given), ["https://course.example"])
    reply = asked(framed, scheme="https")
    assert reply.headers.getlist("set-cookie") == [
        "_streamlit_xsrf=2|a|b|1; Path=/; SameSite=None; Secure; Partitioned",
        given[1],
    ]
    own = SecurityHeaders(Behind(cookies=given), ["'self'"])
    assert asked(own, scheme="https").headers.getlist("set-cookie")[0] == f"{TOKEN}; Secure"
