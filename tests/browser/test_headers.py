"""Security headers: they are on every answer, and no page misses what they forbid."""

from __future__ import annotations

import threading
import urllib.request
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from distpriv.dashboard.serving.headers import HEADERS
from tests.browser.driver import unfold, uploaded

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/", "/attack", "/_stcore/health", "/favicon.png"])
def test_every_answer_has_them(server, path):
    with urllib.request.urlopen(f"{server}{path}") as answer:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_formulas_and_code_are_drawn(server, watched):
    watch = watched()
    page = watch.page
    page.goto(f"{server}/tradeoff")
    watch.idle()
    formulas = page.locator("[data-testid=stExpander]", has_text="The formulas")
    formulas.locator("summary").click()
    expect(formulas.locator(".katex").first).to_be_visible()
    unfold(page, "As code")
    expect(page.locator("[data-testid=stCode]")).to_be_visible()
    assert watch.forbidden() == []


def test_uploads_downloads_and_pictures_go_on(server, watched, tmp_path):
    watch = watched()
    page = watch.page
    page.goto(server)
    watch.idle()
    table = tmp_path / "people.csv"
    table.write_text(
        "pay,group\n" + "".join(f"{20 + row % 7},{'ab'[row % 2]}\n" for row in range(400))
    )
    uploaded(page, table, "400")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).first.click()
    assert download.value.path().read_text()
    chart = page.locator(".js-plotly-plot").first
    chart.hover()
    with page.expect_download() as download:
        chart.locator(".modebar-btn[data-title*='Download']").click()
    assert download.value.path().read_bytes()
    assert watch.forbidden() == []


@contextmanager
def _course(content):
    """A page of somebody else's, by its origin; it shows what stands after its address's ``?``."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            shown = self.path.partition("?")[2]
            self.wfile.write(content.format(shown=shown).encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


ICON = "<!doctype html><title>Course</title><link rel=icon href=data:,>"
FRAME = f"{ICON}<iframe src='{{shown}}' width=1300 height=800></iframe>"


@pytest.fixture
def embedding(monkeypatch, request):
    """Origins of a course that may show the dashboard in a frame and of one that may not; it."""
    with ExitStack() as stack:
        allowed, foreign = (stack.enter_context(_course(FRAME)) for _ in range(2))
        monkeypatch.setenv("DISTPRIV_FRAME_ANCESTORS", allowed)
        yield allowed, foreign, request.getfixturevalue("fresh_server")


def test_in_the_frame_of_a_course_it_works_as_alone(embedding, watched, tmp_path):
    allowed, foreign, server = embedding
    watch = watched()
    watch.page.goto(f"{allowed}/?{server}")
    frame = watch.page.frame_locator("iframe")
    expect(frame.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    table = tmp_path / "people.csv"
    rows = "".join(f"{20 + row % 7},{'ab'[row % 2]}\n" for row in range(400))
    table.write_text(f"pay,group\n{rows}")
    expect(frame.locator(".st-key-verdict p").first).to_be_visible()
    if not frame.get_by_role("heading", name="Check my table").is_visible():
        frame.locator(".st-key-open_data button").click()
    frame.locator(".st-key-file input[type=file]").set_input_files(table)
    expect(frame.locator(".st-key-sentence")).to_contain_text("people.csv")
    assert watch.console == []

    other = watched()
    with other.page.expect_event("console", lambda message: "frame-ancestors" in message.text):
        other.page.goto(f"{foreign}/?{server}")
    expect(other.page.frame_locator("iframe").locator("[data-testid=stApp]")).to_have_count(0)


OPENS = """address => new Promise(done => {
    const socket = new WebSocket(address + '/_stcore/stream', ['streamlit']);
    socket.onopen = () => { socket.close(); done('open'); };
    socket.onerror = () => done('refused');
})"""


def test_a_page_of_another_origin_opens_no_websocket(server, watched):
    page = watched().page
    socket = server.replace("http", "ws", 1)
    page.goto(f"{server}/_stcore/health")
    assert page.evaluate(OPENS, socket) == "open"
    with _course(ICON) as elsewhere:
        for origin in (elsewhere, elsewhere.replace("127.0.0.1", "localhost")):
            page.goto(origin)
            assert page.evaluate(OPENS, socket) == "refused"
