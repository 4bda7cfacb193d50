"""Large uploads go to disk, and Streamlit is handed a ticket."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from distpriv.dashboard.shell import spooling
from distpriv.dashboard.shell.spooling import Spooling, claim

CONTENT = b"PAR1" + bytes(range(256)) * 40
ADDRESS = "/_stcore/upload_file/session-1/file-1"


@dataclass
class Server:
    """What stands behind the middleware: it notes the one file that it is handed."""

    taken: list[tuple[str, bytes]] = field(default_factory=list)
    status: int = 204

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        form = await Request(scope, receive).form()
        for upload in form.values():
            assert not isinstance(upload, str)
            self.taken.append((upload.filename or "", await upload.read()))
        await Response(status_code=self.status)(scope, receive, send)


class _Runtime:
    def __init__(self) -> None:
        self.sessions = {"session-1"}

    def is_active_session(self, session: str) -> bool:
        return session in self.sessions


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    known = _Runtime()
    monkeypatch.setattr(spooling.runtime, "exists", lambda: True)
    monkeypatch.setattr(spooling.runtime, "get_instance", lambda: known)
    monkeypatch.setattr(spooling, "IN_MEMORY", 1000)
    yield known.sessions
    spooling._waiting.clear()


def form(content: bytes, name: str = "people.parquet", files: int = 1) -> bytes:
    part = (
        f'--cut\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    ).encode() + content
    return b"\r\n".join([part] * files) + b"\r\n--cut--\r\n"


def put(
    server: Server,
    body: bytes,
    *,
    path: str = ADDRESS,
    most: int = 10**6,
    sized: bool = True,
    pieces: int = 97,
    said: int | None = None,
) -> int:
    """Send a request piece by piece; the status it is answered with."""
    headers = [(b"content-type", b"multipart/form-data; boundary=cut")]
    headers += [(b"content-length", str(len(body)).encode())] if sized else []
    if said is not None:
        headers += [(b"content-length", b"%d" % said), (b"transfer-encoding", b"chunked")]
    scope = {"type": "http", "method": "PUT", "path": path, "headers": headers, "query_string": b""}
    parts = [body[start : start + pieces] for start in range(0, len(body), pieces)]
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: Any) -> None:
        sent.append(message)

    # A browser's driver may have a loop in the tests' own thread.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, Spooling(server, lambda: most)(scope, receive, send)).result()
    return int(sent[0]["status"])


@pytest.mark.parametrize("sized", [True, False])
@pytest.mark.parametrize("pieces", [1, 97, 10**6])
def test_a_large_upload_lies_on_disk_as_it_came(
    sessions: set[str], sized: bool, pieces: int
) -> None:
    server = Server()
    content = CONTENT + b"\r\n--cut\r\n--cu" + CONTENT  # looks like an end and is none
    content = content.replace(b"--cut", b"-_cut")
    assert put(server, form(content), sized=sized, pieces=pieces) == 204
    ((name, ticket),) = server.taken
    assert name == "people.parquet"
    assert len(ticket) < 100
    spooled = claim(ticket)
    assert spooled is not None
    assert spooled.path.read_bytes() == content
    assert (spooled.name, spooled.size) == ("people.parquet", len(content))
    assert spooled.digest == blake2b(content, digest_size=32).hexdigest()
    assert claim(ticket) is spooled  # as often as its session asks


def test_a_length_beside_pieces_is_not_believed(sessions: set[str]) -> None:
    server = Server()
    assert put(server, form(CONTENT), sized=False, said=5) == 204
    spooled = claim(server.taken[0][1])
    assert spooled is not None
    assert spooled.path.read_bytes() == CONTENT


def test_the_file_goes_with_whoever_holds_it(sessions: set[str]) -> None:
    server = Server()
    put(server, form(CONTENT))
    spooled = claim(server.taken[0][1])
    assert spooled is not None
    path = spooled.path
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0
    del spooled
    gc.collect()
    assert not path.exists()
    assert not path.parent.exists()
    assert claim(server.taken[0][1]) is None


def test_a_session_that_ended_leaves_nothing(sessions: set[str]) -> None:
    server = Server()
    put(server, form(CONTENT))
    (waiting,) = spooling._waiting.values()
    path = waiting.path
    del waiting
    sessions.clear()
    sessions.add("session-2")
    put(server, form(CONTENT), path=ADDRESS.replace("session-1", "session-2"))
    gc.collect()
    assert not path.exists()
    assert claim(server.taken[0][1]) is None
    assert claim(server.taken[1][1]) is not None


def test_small_uploads_and_other_requests_pass(sessions: set[str]) -> None:
    server = Server()
    assert put(server, form(b"a,b\n1,2\n")) == 204
    assert server.taken == [("people.parquet", b"a,b\n1,2\n")]
    assert claim(server.taken[0][1]) is None
    assert put(server, form(CONTENT), path="/elsewhere") == 204
    assert server.taken[1][1] == CONTENT


def test_nobody_gets_a_file_by_guessing(sessions: set[str]) -> None:
    put(Server(), form(CONTENT))
    assert claim(b"distpriv-spooled:" + b"0" * 64) is None
    assert claim(b"distpriv-spooled:" + b"../../etc/passwd") is None


@pytest.mark.parametrize(
    ("body", "most", "status"),
    [
        (form(CONTENT, files=2), 10**6, 400),
        (form(CONTENT)[:-12], 10**6, 400),
        (CONTENT, 10**6, 400),
        (form(CONTENT * 20), 100_000, 413),
    ],
    ids=["two files", "cut off", "no form", "too large"],
)
@pytest.mark.parametrize("sized", [True, False])
def test_what_is_no_upload_is_refused_and_leaves_nothing(
    sessions: set[str], body: bytes, most: int, status: int, sized: bool
) -> None:
    server = Server()
    assert put(server, body, most=most, sized=sized) == status
    assert not server.taken
    assert not spooling._waiting


def test_an_unknown_session_is_refused_unread(sessions: set[str]) -> None:
    server = Server()
    assert put(server, form(CONTENT), path=ADDRESS.replace("session-1", "other")) == 400
    assert not spooling._waiting


def test_what_the_server_refuses_is_not_kept(sessions: set[str]) -> None:
    server = Server(status=403)
    assert put(server, form(CONTENT)) == 403
    assert not spooling._waiting
