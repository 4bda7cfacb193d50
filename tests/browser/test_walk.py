"""One walk through the dashboard in Chromium, from a cold deep link to a phone."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.browsing import idle, visit

expect.set_options(timeout=20_000)  # files are read in a process that two busy cores start slowly
pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

EVIL = "![x](http://a.example/x.png) www.a.example"
PEOPLE = [
    f"age;shop;{EVIL}",
    *(f"{20 + i % 50};{'ab'[i % 3 > 1]};{'yn'[i * 7 % 10 > 2]}" for i in range(390)),
    *["unknown;a;n"] * 10,
]
PAGES = ["Trade-off", "Fit", "Directions", "Guarantee", "Attack", "Check"]


def title(page: Page, *starts: str) -> None:
    """Wait for a title that begins so."""
    idle(page)
    text = page.locator("h1").first.text_content() or ""
    assert text.startswith(starts), text


def go(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()
    idle(page)
    expect(page).to_have_title(f"{name} · distpriv")


def upload(page: Page, name: str, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    file = {"name": name, "mimeType": "text/csv", "buffer": data}
    page.locator("[role=dialog] input[type=file]").set_input_files(file)


def test_walk(served: str, chromium) -> None:
    # A cold deep link: no session has run yet, and the first one begins on a page of its own.
    urls: list[str] = []
    page = visit(chromium, f"{served}/attack?limit=65", urls=urls)
    title(page, "Right ")
    expect(page.get_by_role("slider", name="Right guesses")).to_have_value("65")

    # The live attack climbs, and stops.
    progress = page.get_by_test_id("stProgress")
    page.get_by_role("button", name="Run again").click()
    expect(progress).to_contain_text("simulations")
    page.get_by_role("button", name="Stop").click()
    expect(progress).to_contain_text("Stopped after")

    # A wrong number is named, stays in its field, and changes nothing; then undo.
    page.get_by_role("radio", name="ε and δ", exact=True).click()
    epsilon = page.get_by_role("textbox", name="ε", exact=True)
    epsilon.fill("abc")
    epsilon.press("Enter")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("is no number")
    expect(epsilon).to_have_value("abc")
    epsilon.fill("0,7")
    epsilon.press("Enter")
    idle(page)
    assert "epsilon=0.7" in page.url
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("slider", name="Right guesses")).to_be_visible()
    idle(page)
    assert urlsplit(page.url).query == "limit=65&seed=1"

    # Files that are none are a sentence; an ordinary one ends in a recommendation.
    go(page, "Check")
    page.get_by_role("button", name="Use my own table").click()
    for name, content in {"empty.csv": "", "photo.csv": b"\x89PNG\r\n\x1a\n\0\0"}.items():
        upload(page, name, content)
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(name)
    upload(page, "people.csv", "\n".join(PEOPLE))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("400 records, 3 columns")
    dialog.get_by_role("button", name="Keep as answers").click()
    dialog.get_by_role("button", name="Read as at first").click()
    expect(dialog.get_by_role("button", name="Keep as answers")).to_be_visible()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(dialog).to_be_hidden()
    title(page, "An attacker")
    expect(page.locator(".st-key-advice")).to_contain_text("Publish")
    expect(page.locator(".st-key-lead")).to_contain_text("![x](http:")
    assert urlsplit(page.url).query == "table=upload&limit=65&seed=1"
    page.get_by_role("button", name="How it was read").click()
    expect(dialog).to_contain_text("Read: semicolons between values")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    # Every page on it, without a look at another host, a picture of the table's, or a link.
    for name in PAGES:
        go(page, name)
        assert page.get_by_test_id("stAlert").count() == 0
        assert page.get_by_test_id("stException").count() == 0
        assert page.locator("a[href*='a.example'], img[src*='a.example']").count() == 0
    assert {urlsplit(url).hostname for url in urls} <= {"127.0.0.1", None}

    # A phone: nothing is wider than the screen.
    phone = visit(chromium, served, "390")
    for name in ("Check", "Attack", "Guarantee"):
        if name != "Check":
            phone.goto(f"{served}/{name.lower()}")
            idle(phone)
        assert phone.evaluate("document.scrollingElement.scrollWidth") <= 390
        main = "document.querySelector('[data-testid=stMain]')"
        assert phone.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")
