"""How much may come, and how slowly: bodies of requests, messages of websockets."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from distpriv.dashboard.serving.bounds import MESSAGE, Bodies, Messages, Pace
from tests.dashboard.serving.driver import Behind, asked

UPLOAD = "/_stcore/upload_file/session/file"
MEGABYTE = b"a" * 1024**2


def test_a_body_that_is_no_upload_is_small() -> None:
    behind = Behind()
    assert asked(Bodies(behind), method="POST", pieces=[MEGABYTE]).status == 200
    assert behind.body == MEGABYTE
    assert asked(Bodies(Behind()), method="POST", pieces=[MEGABYTE, b"a"]).status == 413
    said = [("content-length", str(len(MEGABYTE) + 1))]
    unread = Behind()
    assert asked(Bodies(unread), method="POST", headers=said, pieces=[b"a"]).status == 413
    assert not unread.seen


def test_an_upload_is_as_large_as_streamlit_takes() -> None:
    behind = Behind()
    assert asked(Bodies(behind), UPLOAD, method="PUT", pieces=[MEGABYTE, MEGABYTE]).status == 200
    assert behind.body == 2 * MEGABYTE


@pytest.mark.parametrize(
    "pace",
    [Pace(pause=0.01, start=60), Pace(pause=60, start=0.01, bytes_per_second=1e6)],
    ids=["a long pause", "slow on the whole"],
)
@pytest.mark.parametrize("path", [UPLOAD, "/"])
def test_what_comes_too_slowly_is_ended(pace: Pace, path: str) -> None:
    behind = Behind()
    reply = asked(Bodies(behind, pace), path, method="PUT", pieces=[b"a", 60.0, b"b"])
    assert reply.status == 408
    assert reply.headers["connection"] == "close"
    assert behind.body == b"a"


def test_what_reads_it_need_not_know() -> None:
    async def reads(request: Request) -> Response:
        return Response(str(len(await request.body())))

    inner = Starlette(routes=[Route("/", reads, methods=["POST"])])
    app = Bodies(inner, Pace(pause=0.05))
    assert asked(app, method="POST", pieces=[b"a", b"b"]).body == "2"
    slow = asked(app, method="POST", pieces=[b"a", 60.0, b"b"])
    assert (slow.status, slow.body[:30]) == (408, "The request came too slowly; t")
    assert asked(app, method="POST", pieces=[MEGABYTE, b"a"]).status == 413


def test_waiting_for_the_visitor_to_leave_is_not_bounded() -> None:
    class Waits(Behind):
        async def __call__(self, scope, receive, send) -> None:  # type: ignore[no-untyped-def]
            await receive()
            assert (await receive())["type"] == "http.disconnect"
            await send({"type": "http.response.start", "status": 204, "headers": []})

    reply = asked(Bodies(Waits(), Pace(pause=0.01, start=0.01)), pieces=[b"", 0.05])
    assert reply.status == 204


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "websocket.receive", "bytes": b"a" * (MESSAGE + 1)}, 1009),
        ({"type": "websocket.receive", "text": "hello"}, 1003),
        ({"type": "websocket.receive", "bytes": None, "text": ""}, 1003),
    ],
)
def test_a_message_that_is_none_ends_the_websocket(message: dict[str, object], code: int) -> None:
    behind = Behind()
    fine = {"type": "websocket.receive", "bytes": b"a" * MESSAGE}
    reply = asked(Messages(behind), websocket=[fine, message, fine])
    assert [each["type"] for each in reply.sent] == ["websocket.accept", "websocket.close"]
    assert reply.sent[-1]["code"] == code
    assert behind.received == [fine, {"type": "websocket.disconnect", "code": code}]


def test_what_is_saved_of_a_session_fits_into_a_message() -> None:
    from distpriv.analysis.json_values import LONGEST

    assert 2 * LONGEST < MESSAGE
