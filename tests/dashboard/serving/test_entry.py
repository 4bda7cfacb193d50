"""The entry as a whole: a real server, asked over its socket as no browser would."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from distpriv.dashboard.serving.entry import guarded
from distpriv.dashboard.serving.headers import HEADERS
from distpriv.dashboard.serving.settings import read
from distpriv.resources import HOME
from tests.dashboard.serving.driver import asked

PROXY = "127.0.0.2"
SESSIONS = 6


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Of a server that believes one proxy, on another number of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "DISTPRIV_PROXIES": PROXY,
        "DISTPRIV_HOSTS": "stats.example.org",
        "DISTPRIV_FRAME_ANCESTORS": "https://course.example",
        "DISTPRIV_REQUESTS": f"sessions={SESSIONS}/hour uploads=2/hour",
    }
    options = ["--server.headless=true", f"--server.port={port}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", *options],
        cwd=HOME,
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health"):
                    break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


def said(port: int, head: str, *, rest: bytes = b"", source: str = "127.0.0.1") -> str:
    """What the server answers to a request until it hangs up."""
    lines = [*head.splitlines(), "Connection: close"]
    with socket.create_connection(("127.0.0.1", port), 60, (source, 0)) as connection:
        connection.sendall("".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + rest)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer.decode("latin-1")


HEALTH = "GET /_stcore/health HTTP/1.1\nHost: localhost"
UPLOAD = "PUT /_stcore/upload_file/session/file HTTP/1.1\nHost: localhost"


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (HEALTH, 200),
        (HEALTH.replace("_stcore/health", "ready"), 200),
        (HEALTH.replace("localhost", "stats.example.org"), 200),
        (HEALTH.replace("localhost", "evil.example"), 421),
        (HEALTH + "\nHost: evil.example", 400),
        (HEALTH.partition("\n")[0], 400),
        ("GET /_stcore/health HTTP/1.0", 400),
        (HEALTH.replace("/_stcore", "http://evil.example/_stcore"), 400),
        ("OPTIONS * HTTP/1.1\nHost: localhost", 400),
        ("TRACE / HTTP/1.1\nHost: localhost", 405),
        ("GET //evil.example/ HTTP/1.1\nHost: localhost", 400),
        ("GET /..%2f..%2fetc/passwd HTTP/1.1\nHost: localhost", 400),
        ("GET /static/..%5c..%5cx HTTP/1.1\nHost: localhost", 400),
        ("GET /%00 HTTP/1.1\nHost: localhost", 400),
        (UPLOAD + "\nContent-Length: 5\nTransfer-Encoding: chunked", 400),
        (UPLOAD + "\nContent-Length: 5\nContent-Length: 6", 400),
        (UPLOAD + "\nTransfer-Encoding : chunked", 400),
        (UPLOAD + "\nTransfer-Encoding: gzip, chunked", 400),
        (UPLOAD + "\nContent-Length: 0\nOrigin: null", 403),
        ("POST / HTTP/1.1\nHost: localhost\nContent-Length: 99999999", 413),
        ("GET / HTTP/1.1\nHost: localhost\nX: " + "a" * 1_000_000, 431),
        (f"GET /?scenario={'a' * 40_000} HTTP/1.1\nHost: localhost", 414),
        (f"GET /?scenario={'a' * 100_000} HTTP/1.1\nHost: localhost", 414),
        (f"GET /?scenario={'a' * 10_000_000} HTTP/1.1\nHost: localhost", 414),
        ("nonsense", 400),
    ],
    ids=lambda value: str(value)[:60],
)
def test_every_answer_has_the_headers(port: int, head: str, status: int) -> None:
    answer = said(port, head)
    assert answer.startswith(f"HTTP/1.1 {status} ")
    lines = dict(line.split(": ", 1) for line in answer.partition("\r\n\r\n")[0].splitlines()[1:])
    for name in HEADERS.keys() - {"X-Frame-Options"}:
        expected = HEADERS[name].replace("ancestors 'none'", "ancestors https://course.example")
        assert lines[name.lower()] == expected
    assert "Traceback" not in answer


def test_a_long_link_is_answered_in_a_sentence(port: int) -> None:
    for length in (40_000, 100_000):
        answer = said(port, f"GET /?scenario={'a' * length} HTTP/1.1\nHost: localhost")
        assert "The link is too long" in answer
        assert "saved to a file" in answer


def test_errors_have_the_headers_too() -> None:
    def fails(request: Request) -> Response:
        raise RuntimeError("no")

    inner = Starlette(routes=[Route("/", fails)])

    async def quiet(scope: Scope, receive: Receive, send: Send) -> None:
        with pytest.raises(RuntimeError):
            await inner(scope, receive, send)

    reply = asked(guarded(quiet, read({})))
    assert reply.status == 500
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS


def test_only_the_named_proxy_is_believed(port: int) -> None:
    forwarded = (
        "GET /_stcore/health HTTP/1.1\nHost: {host}\nX-Forwarded-Proto: https\n"
        "X-Forwarded-Host: stats.example.org\nX-Forwarded-For: 203.0.113.7"
    )
    behind_proxy = said(port, forwarded.format(host="inside"), source=PROXY)
    assert behind_proxy.startswith("HTTP/1.1 200 ")
    assert "strict-transport-security: max-age=31536000" in behind_proxy
    assert "SameSite=None; Secure; Partitioned" in behind_proxy  # uploads in another site's frame
    # Uvicorn alone would believe whoever asks from the same machine.
    spoofed = said(port, forwarded.format(host="localhost"))
    assert spoofed.startswith("HTTP/1.1 200 ")
    assert "strict-transport-security" not in spoofed
    assert said(port, forwarded.format(host="inside")).startswith("HTTP/1.1 421 ")


def handshake(origin: str, visitor: str, path: str = "/_stcore/stream") -> str:
    return (
        f"GET {path} HTTP/1.1\nHost: inside\nX-Forwarded-Host: stats.example.org\n"
        f"X-Forwarded-Proto: https\nX-Forwarded-For: {visitor}\nOrigin: {origin}\n"
        "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    ).replace("\n", "\r\n") + "\r\n\r\n"


def begun(port: int, request: str, rest: bytes = b"") -> bytes:
    """How the answer to a websocket's handshake begins; what is sent after it, and what follows."""
    with socket.create_connection(("127.0.0.1", port), 60, (PROXY, 0)) as connection:
        connection.sendall(request.encode())
        answer = connection.recv(65536)
        if rest:
            connection.sendall(rest)
            while piece := connection.recv(65536):
                answer += piece
    return answer


def test_websockets(port: int) -> None:
    own, foreign = "https://stats.example.org", "https://evil.example"
    refused = begun(port, handshake(foreign, "203.0.113.1"))
    assert refused.startswith(b"HTTP/1.1 403 ")
    assert b"content-security-policy" in refused.lower()
    assert begun(port, handshake("http://stats.example.org", "203.0.113.1")).startswith(
        b"HTTP/1.1 403 "
    )
    for length in (9_000, 40_000):
        long = handshake(own, "203.0.113.1", "/_stcore/stream?" + "a" * length)
        assert begun(port, long).startswith(b"HTTP/1.1 414 ")
    cookie = f"Cookie: a={'a' * 9_000}\r\n"
    laden = handshake(own, "203.0.113.1").replace("Upgrade: w", f"{cookie}Upgrade: w")
    assert begun(port, laden).startswith(b"HTTP/1.1 431 ")
    assert begun(port, handshake(own, "203.0.113.1")).startswith(b"HTTP/1.1 101 ")
    # The head of a message of 100 MB is enough.
    large = b"\x82\xff" + (10**8).to_bytes(8, "big") + b"\0\0\0\0"
    assert (1009).to_bytes(2, "big") in begun(port, handshake(own, "203.0.113.1"), large)


def test_sessions_and_uploads_are_counted_by_visitor(port: int) -> None:
    def opens(visitor: str) -> bytes:
        return begun(port, handshake("https://stats.example.org", visitor))

    assert all(opens("203.0.113.2").startswith(b"HTTP/1.1 101 ") for _ in range(SESSIONS))
    refused = opens("6.6.6.6, 203.0.113.2")
    assert refused.startswith(b"HTTP/1.1 429 ")
    assert b"retry-after: 600" in refused.lower()
    assert opens("203.0.113.3").startswith(b"HTTP/1.1 101 ")
    uploads = [said(port, UPLOAD + "\nContent-Length: 0", source="127.0.0.3") for _ in range(3)]
    assert [answer.split()[1] for answer in uploads] == ["403", "403", "429"]
    assert "try again in 30 minutes" in uploads[2]
