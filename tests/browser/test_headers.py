"""Security headers: they are on every answer, and no page misses what they forbid."""

from __future__ import annotations

import urllib.request

import pytest
from playwright.sync_api import expect

from distpriv.dashboard.serving.headers import HEADERS
from distpriv.dashboard.shell.pages import PAGES
from tests.app.driver import WITHOUT_CHARTS
from tests.browser.driver import uploaded

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/", "/attack", "/_stcore/health", "/favicon.png"])
def test_every_answer_has_them(server, path):
    with urllib.request.urlopen(f"{server}{path}") as answer:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def _forbidden(watch):
    return [message for message in watch.console if "Content Security Policy" in message]


def test_no_page_asks_for_what_they_forbid(server, watched):
    watch = watched()
    page = watch.page
    for spec in PAGES:
        page.goto(server if spec is PAGES[0] else f"{server}/{spec.name}")
        watch.idle()
        expect(page.get_by_role("heading", name=spec.heading, exact=True)).to_be_visible()
        if spec.name not in WITHOUT_CHARTS:
            expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert _forbidden(watch) == []
    assert watch.hosts == {"127.0.0.1"}


def test_formulas_and_code_are_drawn(server, watched):
    watch = watched()
    page = watch.page
    page.goto(f"{server}/tradeoff")
    watch.idle()
    formulas = page.locator("[data-testid=stExpander]", has_text="The formulas")
    formulas.locator("summary").click()
    expect(formulas.locator(".katex").first).to_be_visible()
    page.get_by_text("As code", exact=True).click()
    expect(page.locator("[data-testid=stCode]")).to_be_visible()
    assert _forbidden(watch) == []


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
    assert _forbidden(watch) == []
