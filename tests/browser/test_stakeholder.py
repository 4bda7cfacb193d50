"""A stakeholder with nothing but a link and a phone agrees, and the analyst sees it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.driver import drawn, go, no_traceback, says, shot, unfold, words

pytestmark = pytest.mark.browser

CONTROLS = "[data-testid=stSidebar], [data-testid=stFileUploader], [data-testid=stPageLink], nav"


def test_from_a_link_on_a_phone_to_a_yes_that_the_analyst_sees(fresh_server, watched):
    """On a server of its own: the phone's session is the first to read that page."""
    analyst = watched()
    page = analyst.page
    page.goto(fresh_server)
    analyst.idle()
    go(page, "Decide & report")
    page.get_by_role("textbox", name="Your name", exact=True).fill("Ann")
    page.get_by_role("textbox", name="Why", exact=True).fill("Enough for the report.")
    page.get_by_role("button", name="Propose", exact=True).click()
    says(page, "is on record, proposed")
    drawn(page, 1)
    unfold(page, "Link for those who decide")
    place = page.locator("[data-testid=stCode]", has_text="decision=").first
    expect(place).to_be_visible()
    says(page, "this link works on this machine only")
    shot(page, "decide-link")
    address = place.inner_text().strip()
    assert address.startswith(f"{fresh_server}/decide?role=stakeholder&decision=")

    phone = watched(390, 844)
    small = phone.page
    small.goto(address)
    expect(small.get_by_role("heading", name="May this be published?")).to_be_visible()
    says(small, "in 57 of 100 guesses: without noise")
    expect(small.locator(CONTROLS)).to_have_count(0)
    expect(small.get_by_text("Enough for the report.").first).to_be_visible()
    assert small.evaluate("document.documentElement.scrollWidth") <= 390
    small.get_by_role("textbox", name="Your name", exact=True).fill("Bob")
    small.get_by_role("textbox", name="Your reason", exact=True).fill("The shares stay hidden.")
    shot(small, "stakeholder-390")
    small.get_by_role("button", name="Agree", exact=True).click()
    expect(small.get_by_text(words("Agreed by Bob on")).first).to_be_visible()
    expect(small.get_by_role("button", name="Agree", exact=True)).to_have_count(0)
    small.reload()
    expect(small.get_by_text(words("Agreed by Bob on")).first).to_be_visible()
    no_traceback(small)

    go(page, "Compare")
    go(page, "Decide & report")
    says(page, "and agreed to by Bob")
    says(page, "The shares stay hidden.")
    analyst.unharmed()
