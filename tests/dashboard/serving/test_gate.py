"""The gate: foreign hosts and origins, malformed requests and overlong links get no further."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from starlette.types import Message
from streamlit import config
from streamlit.web.server.starlette import starlette_websocket

from distpriv.dashboard.serving.addresses import Origin, parse_origin
from distpriv.dashboard.serving.gate import LONGEST_LINK, Gate, hosts_listened_on
from tests.dashboard.serving.driver import Behind, Pairs, Reply, asked

OPEN = ({"type": "websocket.disconnect", "code": 1001},)
HOSTS = ("stats.example.org", "*.example.net")


def origins(*texts: str) -> list[Origin]:
    return [origin for origin in map(parse_origin, texts) if origin is not None]


@pytest.mark.parametrize(
    "host",
    [
        "localhost:8501",
        "127.0.0.1",
        "[::1]:9",
        "lab.localhost",
        "stats.example.org",
        "STATS.example.org.:443",
        "a.b.example.net",
        "192.168.7.7:8501",  # where the connection came in
    ],
)
def test_its_own_hosts(host: str) -> None:
    assert asked(Gate(Behind(), HOSTS), host=host, server=("192.168.7.7", 8501)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "example.net",
        "stats.example.org.evil.example",
        "192.168.7.8",
        "[2001:db8::1]",
        "0.0.0.0",
        "127.1",
    ],
)
@pytest.mark.parametrize("websocket", [None, OPEN])
def test_another_host_is_refused(host: str, websocket: Sequence[Message] | None) -> None:
    behind = Behind()
    reply = asked(Gate(behind, HOSTS), host=host, websocket=websocket)
    assert reply.status == 421
    assert "DISTPRIV_HOSTS" in reply.body
    assert not behind.seen


@pytest.mark.parametrize("host", [None, "", "a b", "localhost@evil.example", "localhost:99999"])
def test_a_host_that_is_none_is_refused(host: str | None) -> None:
    assert asked(Gate(Behind(), ["*"]), host=host).status == 400


def test_two_hosts_are_refused() -> None:
    assert asked(Gate(Behind(), ["*"]), headers=[("host", "localhost")]).status == 400


def test_where_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    def listened(address: str | None) -> Gate:
        options = {"server.address": address, "browser.serverAddress": "shown.example"}
        monkeypatch.setattr(config, "get_option", options.get)
        monkeypatch.setattr(config, "is_manually_set", lambda name: True)
        return Gate(Behind(), hosts_listened_on())

    for address in ("0.0.0.0", "::", None):
        gate = listened(address)
        assert asked(gate, host="192.168.7.8:80").status == 200
        assert asked(gate, host="shown.example").status == 200
        assert asked(gate, host="evil.example").status == 421
    gate = listened("192.168.7.7")
    assert asked(gate, host="192.168.7.7").status == 200
    assert asked(gate, host="192.168.7.8").status == 421
    assert asked(listened("stats.example.org"), host="stats.example.org").status == 200
    assert asked(listened("127.0.0.1"), host="192.168.7.8").status == 421


def connected(
    origin: str | None,
    *,
    host: str = "stats.example.org",
    scheme: str = "ws",
    also: tuple[str, ...] = (),
) -> tuple[Reply, Behind]:
    behind = Behind()
    headers = [] if origin is None else [("origin", origin)]
    gate = Gate(behind, HOSTS, origins(*also))
    return asked(gate, host=host, headers=headers, scheme=scheme, websocket=OPEN), behind


@pytest.mark.parametrize(
    ("origin", "host", "scheme"),
    [
        (None, "stats.example.org", "ws"),
        ("http://stats.example.org", "stats.example.org", "ws"),
        ("https://stats.example.org", "stats.example.org", "ws"),  # TLS ends before
        ("https://stats.example.org", "stats.example.org:443", "wss"),
        ("http://localhost:8501", "localhost:8501", "ws"),
        ("http://[::1]:8501", "[::1]:8501", "ws"),
        ("https://front.example.com", "stats.example.org", "ws"),
    ],
)
def test_own_pages_connect(
    origin: str | None, host: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply, behind = connected(origin, host=host, scheme=scheme, also=("https://front.example.com",))
    assert reply.sent[0]["type"] == "websocket.accept"
    # Streamlit's own check agrees, and asks no other machine.
    monkeypatch.setattr(starlette_websocket, "is_url_from_allowed_origins", lambda url: False)
    headers = behind.headers
    assert starlette_websocket._is_origin_allowed(headers.get("origin"), headers["host"])
    assert headers.get("origin") == origin


@pytest.mark.parametrize(
    ("origin", "scheme"),
    [
        ("http://evil.example", "ws"),
        ("null", "ws"),
        ("", "ws"),
        ("http://stats.example.org.evil.example", "ws"),
        ("http://stats.example.org:8501", "ws"),
        ("http://other.example.net", "ws"),  # a host of the server is no origin of another
        ("http://localhost", "ws"),
        ("http://stats.example.org", "wss"),  # the same name, without TLS
        ("https://stats.example.org@evil.example", "wss"),
        ("file://stats.example.org", "ws"),
    ],
)
def test_foreign_pages_do_not(origin: str, scheme: str) -> None:
    reply, behind = connected(origin, scheme=scheme)
    assert reply.status == 403
    assert not behind.seen


def test_a_server_that_cannot_say_why_hangs_up() -> None:
    gate = Gate(Behind(), HOSTS)
    foreign = [("origin", "http://evil.example")]
    reply = asked(gate, headers=foreign, websocket=OPEN, can_say_no=False)
    assert reply.sent == [{"type": "websocket.close", "code": 1008, "reason": ""}]


def test_two_origins_are_refused() -> None:
    same = ("origin", "http://localhost:8501")
    assert asked(Gate(Behind()), headers=[same, same], websocket=OPEN).status == 403


@pytest.mark.parametrize(("method", "status"), [("GET", 200), ("PUT", 403), ("DELETE", 403)])
def test_foreign_pages_change_nothing(method: str, status: int) -> None:
    foreign = [("origin", "http://evil.example")]
    assert asked(Gate(Behind()), method=method, headers=foreign).status == status


@pytest.mark.parametrize(
    "path", ["*", "http://evil.example/", "//evil.example/x", "/a\x00b", "/a\nb", "/a\\b", ""]
)
def test_paths_of_nowhere(path: str) -> None:
    assert asked(Gate(Behind()), path).status == 400


def test_a_long_link_is_refused_in_a_sentence() -> None:
    gate = Gate(Behind())
    assert asked(gate, query="a" * (LONGEST_LINK - 1)).status == 200
    for reply in (
        asked(gate, query="a" * LONGEST_LINK),
        asked(gate, path="/" + "a" * LONGEST_LINK),
        asked(gate, query="a" * LONGEST_LINK, websocket=OPEN),
    ):
        assert reply.status == 414
        assert reply.body.startswith("The link is too long: 32,769 characters of 32,768 at most.")
        assert reply.headers["connection"] == "close"


@pytest.mark.parametrize(
    "headers",
    [
        [("content-length", "5"), ("transfer-encoding", "chunked")],
        [("content-length", "5"), ("content-length", "5")],
        [("transfer-encoding", "chunked"), ("transfer-encoding", "chunked")],
        [("content-length", "-1")],
        [("content-length", "+5")],
        [("content-length", "٥")],
        [("content-length", "5, 5")],
    ],
)
def test_a_length_said_twice_is_refused(headers: Pairs) -> None:
    assert asked(Gate(Behind()), method="PUT", headers=headers).status == 400


def test_the_figures_are_for_the_machine_itself() -> None:
    for path in ("/_stcore/metrics", "/base/_stcore/metrics", "/st-metrics"):
        assert asked(Gate(Behind()), path).status == 200
        assert asked(Gate(Behind()), path, client=("203.0.113.7", 1)).status == 404
