"""The dashboard through its proxy, with TLS and PostgreSQL."""

from __future__ import annotations

import http.client
import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from websockets.exceptions import InvalidMessage

from distpriv.records.decisions import decisions
from distpriv.records.store import Store
from tests.browser.browsing import idle
from tests.conftest import lacks
from tests.served.provider import signing_in
from tests.served.stack import PROXY, stack
from tests.served.visitor import TRUST, Visitor, ask

pytestmark = [pytest.mark.served, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def site(server):
    if PROXY is None:
        lacks("nginx")
    with stack(server) as one:
        yield one


def test_page_loads_with_its_headers(site, chromium):
    status, headers, _ = ask(site.plain, path="/fit")
    assert (status, headers["Location"][:18]) == (308, "https://127.0.0.1/")
    page = chromium.new_context(ignore_https_errors=True).new_page()
    console, hosts, sockets = [], set(), []
    page.on("console", lambda message: console.append(message.text))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.on("websocket", lambda one: sockets.append(one.url))
    answer = page.goto(site.address)
    idle(page)
    assert "distpriv" in page.title()
    assert page.locator(".js-plotly-plot").count() > 0
    assert not [text for text in console if "Content Security Policy" in text]
    assert hosts == {urlsplit(site.address).netloc}
    assert sockets[0].startswith("wss://")
    headers = answer.headers
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert all(cookie["secure"] for cookie in page.context.cookies())
    page.context.close()


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/openapi.json"])
def test_what_nobody_needs_is_not_served(site, path):
    assert ask(site.address, path=path)[0] == 404


def test_other_sites_get_no_session(site):
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    headers["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    for more in (
        {"Origin": "https://a.example"},
        {"Origin": "https://a.example", "Host": "a.example"},
    ):
        assert ask(site.address, path="/_stcore/stream", **headers, **more)[0] == 403


def test_large_tables_arrive_and_larger_ones_get_an_answer(site):
    with Visitor(site.address) as one:
        assert one.upload("large.csv", bytes(201 << 20)) == 413
        assert one.answer[2].startswith(b"The file is larger than 200 MB")
        lines = [b"%d;%c;%d%s\n" % (i % 60, b"ab"[i % 2], i, b"x" * 990) for i in range(150_000)]
        assert one.upload("people.csv", b"age;shop;note\n" + b"".join(lines)) == 204
        assert one.says("000 records**, 3 columns")


def test_one_address_cannot_keep_others_out(site):
    place = urlsplit(site.address)
    line = http.client.HTTPSConnection(
        place.hostname, place.port, context=TRUST, source_address=("127.0.0.2", 0)
    )
    statuses, text = [], b""
    while len(statuses) < 3000 and 429 not in statuses:
        line.request("GET", "/favicon.png")
        answer = line.getresponse()
        statuses.append(answer.status)
        text = answer.read()
    line.close()
    assert statuses[:600] == [200] * 600
    assert text.startswith(b"Too many requests come from your address")
    assert ask(site.address, path="/favicon.png", source="127.0.0.3")[0] == 200


def test_silent_connections_do_not_keep_others_out(site):
    place = urlsplit(site.address)
    with ExitStack() as silent:
        for number in range(300):
            line = silent.enter_context(socket.create_connection((place.hostname, place.port)))
            if number % 3:
                line = silent.enter_context(TRUST.wrap_socket(line))
            if number % 3 == 2:
                line.sendall(b"GET / HTTP/1.1\r\nHost: ")
        try:
            visitor = Visitor(site.address, source="127.0.0.4")
        except InvalidMessage:  # the proxy may end a new line among silent ones; browsers try again
            visitor = Visitor(site.address, source="127.0.0.4")
        with visitor as one:
            one.slide("Right guesses", 70)
            assert one.says("you accept 70")


def test_decision_survives_the_end_of_the_server(site, server):
    with Visitor(site.address, "decide") as one:
        one.write("Who could want", "Competitors")
        one.write("What could they", "Undercut us")
        one.write("Your name", "Ada")
        one.write("Why should", "The board asked")
        one.press("Propose")
        [decision] = decisions(Store(server))
        assert decision.now.author == "Ada"
        site.kill()
    status, _, text = ask(site.address)
    assert (status, text) == (503, b"The dashboard does not answer; try again in a minute.\n")
    site.start()
    with Visitor(site.address, "answer", query=f"decision={decision.key}") as other:
        assert other.says("Ada asks to publish")


def test_name_comes_from_the_sign_in(site, chromium):
    with signing_in(site.address) as settings:
        (site.folder / "secrets.toml").write_text(settings)
        site.settings["STREAMLIT_SECRETS_FILES"] = str(site.folder / "secrets.toml")
        site.kill()
        site.start()
        page = chromium.new_context(ignore_https_errors=True).new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{site.address}/decide")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{site.address}/")
        idle(page)
        page.goto(f"{site.address}/decide")
        name = page.get_by_role("textbox", name="Your name")
        expect(name).to_have_value("ada@example.org", timeout=60_000)
        expect(name).to_be_disabled()
        page.context.close()
