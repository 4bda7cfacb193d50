"""Pages get the style sheet, files come packed, and all else passes as it is."""

from __future__ import annotations

import asyncio
import gzip
import re
import socket
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.responses import Response

import app
from distpriv.charts.style import COLORS, HIGH, INK, LOW
from distpriv.dashboard import front
from distpriv.dashboard.front import ALONE, BARE, SLOW, Front
from distpriv.dashboard.main import MENU
from distpriv.tables import guard

SCRIPT = b"let a = 1;\n" * 99


async def inner(scope, receive, send):
    page = "." not in scope["path"]
    kind = "text/html" if page else "text/javascript"
    body = b"<head></head>" if page else SCRIPT
    await Response(body, media_type=kind, headers={"etag": "x"})(scope, receive, send)


def get(path, method="GET", app=inner, **headers):
    """Return headers and body of what the middleware answers."""
    messages = []
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": raw}
    scope["query_string"] = b"limit=65"

    async def send(message):
        messages.append(message)

    # In a thread: Playwright leaves a loop running in that of the tests.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, Front(app)(scope, None, send)).result()
    return dict(messages[0]["headers"]), b"".join(each.get("body", b"") for each in messages)


def test_page_gets_the_style_sheet():
    headers, body = get("/", accept="text/html")
    assert b".st-key-lead" in body
    assert headers[b"content-length"] == str(len(body)).encode()
    assert b"etag" not in headers


def test_pages_that_stand_alone_keep_no_place_for_the_sidebar():
    alone = {f"/{name}" for name, entry in MENU.items() if not entry.asks}
    assert {*ALONE} == alone
    assert [BARE.encode() in get(path, accept="text/html")[1] for path in ("/fit", *alone)] == [
        False,
        *[True] * len(alone),
    ]


@pytest.mark.parametrize(
    ("path", "accepted", "packed"),
    [
        ("/static/a.js", "gzip, br", True),
        ("/static/a.js", "br", False),
        ("/media/a.js", "gzip", False),
    ],
)
def test_files_are_packed_where_that_is_asked(path, accepted, packed):
    headers, body = get(path, **{"accept-encoding": accepted})
    assert (headers.get(b"content-encoding") == b"gzip") is packed
    assert (gzip.decompress(body) if packed else body) == SCRIPT


def test_first_page_has_a_name_too():
    headers, _ = get("/check")
    assert headers[b"location"] == b"./?limit=65"


@pytest.mark.parametrize(
    ("path", "method"), [("/fit", "GET"), ("/check", "GET"), ("/static/a.js", "GET"), ("/x", "PUT")]
)
def test_every_answer_keeps_other_sites_out(path, method):
    headers, _ = get(path, method, accept="text/html")
    policy = dict(
        part.split(" ", 1) for part in headers[b"content-security-policy"].decode().split("; ")
    )
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in policy["script-src"]
    assert headers[b"referrer-policy"] == b"no-referrer"
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert headers[b"cross-origin-opener-policy"] == b"same-origin"
    assert b"strict-transport-security" not in headers  # the proxy's: here may be no TLS


def test_tables_come_in_where_there_is_room_and_time(monkeypatch):
    async def slow(scope, receive, send):
        await asyncio.sleep(9)

    monkeypatch.setattr(front, "SECONDS", 0.01)
    assert SLOW.encode() in get("/x", "PUT", app=slow)[1]
    monkeypatch.setattr(guard, "free", lambda: 1e9)
    assert get("/x", "PUT")[1] == guard.FULL.encode()


def test_an_answers_body_follows_its_head_at_once():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.socket(socket.AF_UNIX) as other:
        app._send_at_once()
        assert one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert other.fileno() >= 0


def _light(color, share=1.0, over="#000000"):
    """Relative luminance of a colour mixed over another (WCAG 2)."""
    mixed = [
        (share * one + (1 - share) * other) / 255
        for one, other in zip(bytes.fromhex(color[1:]), bytes.fromhex(over[1:]), strict=True)
    ]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in mixed]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_words_in_the_colours_of_pictures_are_legible_in_both_themes():
    sheet = get("/")[1].decode()
    rules = re.findall(r"color-mix\(in srgb, (#\w{6}) (\d+)%, currentColor\)", sheet)
    assert {LOW, HIGH, *COLORS.values()} - {INK} <= {color for color, _ in rules}
    settings = tomllib.loads(
        (Path(__file__).parents[2] / ".streamlit/config.toml").read_text("utf-8")
    )["theme"]
    for theme in (settings["light"], settings["dark"]):
        ground = _light(theme["backgroundColor"])
        for color, share in rules:
            word = _light(color, int(share) / 100, theme["textColor"])
            dim, bright = sorted([ground, word])
            assert (bright + 0.05) / (dim + 0.05) >= 4.5, (color, theme)
