"""A scenario built in one browser session opens in another with the same figures."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import (
    Watched,
    drawn,
    go,
    no_traceback,
    open_settings,
    people,
    pick,
    pick_one_more,
    says,
    shot,
    unfold,
    uploaded,
    words,
)

pytestmark = pytest.mark.browser

PROMISED = "What is promised, and what is delivered"


def link(app: Watched) -> str:
    page = app.idle()
    page.locator(".st-key-share button").click()
    code = page.get_by_test_id("stPopoverBody").locator("[data-testid=stCode] code")
    expect(code).to_contain_text("?scenario=")
    address = code.inner_text().strip()
    page.keyboard.press("Escape")
    return address


def answer(page: Page) -> str:
    go(page, "Question")
    drawn(page, 1)
    unfold(page, PROMISED)
    said = page.get_by_text("best possible attacker tells").first
    expect(said).to_be_visible()
    return str(said.text_content())


def test_a_link_opens_the_scenario_in_another_session(app, watched):
    page = app.page
    go(page, "Compare")
    pick(page, "Mechanism", "DauM")
    page.get_by_label("ε, exactly", exact=True).fill("2.2")
    page.get_by_label("ε, exactly", exact=True).press("Enter")
    says(page, "DauM")
    open_settings(page)
    pick_one_more(page, "Hide as well", "race = White: 45 % or 55 %")
    pick(page, "Secret: share of records with …", "workclass = Private")
    says(page, "is the safest")
    drawn(page, 4)
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_label("Name of kept scenario 1")).to_have_value("DauM, ε = 2.2")
    drawn(page, 4)
    shot(page, "compare")
    address = link(app)
    first = answer(page)
    assert "DauM" in first
    # What the address says without the link is what it said on every page before.
    for opened in (address, page.url):
        other = watched()
        other.page.goto(opened)
        other.idle()
        assert answer(other.page) == first
        assert "scenario=" not in other.page.url
        no_traceback(other.page)


def test_a_link_about_an_upload_waits_for_the_table(app, watched, tmp_path):
    page, table = app.page, tmp_path / "people.csv"
    people(table)
    uploaded(page, table, "2 000")
    app.idle()
    first = answer(page)
    assert "sector" not in page.url
    go(page, "Compare")
    address = link(app)
    other = watched(width=390, height=844)
    other.page.goto(address)
    expect(other.page.get_by_text("about a table that is not here").first).to_be_visible()
    shot(other.page, "link-without-table")
    other.page.locator("input[type=file]").set_input_files(table)
    expect(other.page.get_by_text("about a table that is not here")).to_have_count(0)
    other.page.set_viewport_size({"width": 1440, "height": 900})
    go(other.page, "Question")
    unfold(other.page, PROMISED)
    said = other.page.get_by_text("best possible attacker tells").first
    expect(said).to_have_text(re.compile(words(first).pattern))
    no_traceback(other.page)
