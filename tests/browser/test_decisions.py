"""Two people decide in two browser sessions, and one releases with an impatient finger."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import drawn, go, shot, words

pytestmark = pytest.mark.browser


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def fill(page: Page, label: str, text: str) -> None:
    field = page.get_by_role("textbox", name=label, exact=True)
    field.fill(text)
    expect(field).to_have_value(text)


def begin(page: Page) -> None:
    press(page, "Change it")
    field = page.get_by_role("textbox", name="Why now", exact=True)
    expect(field).to_have_value("Enough for the report.")


def test_two_people_decide_and_one_releases(fresh_server, watched):
    """On a database of their own, which another test's decisions are not in."""
    first = watched()
    ann = first.page
    ann.goto(fresh_server)
    first.idle()
    go(ann, "Decide & report")
    expect(ann.get_by_text("is decided or proposed about").first).to_be_visible()
    fill(ann, "Your name", "Ann")
    fill(ann, "Why", "Enough for the report.")
    press(ann, "Propose")
    expect(ann.get_by_text("is on record, proposed").first).to_be_visible()
    drawn(ann, 1)

    other = watched()
    bob = other.page
    bob.goto(ann.url.rsplit("/", 1)[0])
    other.idle()
    go(bob, "Decide & report")
    expect(bob.get_by_text("Enough for the report.").first).to_be_visible()

    # Ann begins to change it; Bob is faster; Ann is told and keeps what she typed.
    begin(ann)
    fill(ann, "Why now", "Ann's second thought.")
    fill(bob, "Your name", "Bob")
    begin(bob)
    fill(bob, "Why now", "Bob's view.")
    press(bob, "Save")
    expect(bob.get_by_text("Bob's view.").first).to_be_visible()
    expect(bob.get_by_role("button", name="Change it", exact=True)).to_be_visible()
    press(ann, "Save")
    expect(ann.get_by_text("Bob changed this decision on").first).to_be_visible()
    expect(ann.get_by_role("textbox", name="Why now", exact=True).first).to_have_value(
        "Ann's second thought."
    )
    shot(ann, "decision-conflict")

    # Neither of the two can agree to it; a third can.
    expect(bob.get_by_text(words("your name above is Bob: somebody else"))).to_be_visible()
    shot(bob, "decision-second-name")
    press(bob, "Agree")
    expect(bob.get_by_text(words("so somebody else has to agree to it")).first).to_be_visible()
    fill(bob, "Your name", "Cem")
    bob.get_by_role("textbox", name="Your name", exact=True).press("Enter")
    expect(bob.get_by_text(words("so it takes a second name")).first).to_be_visible()
    press(ann, "Save after theirs")
    expect(ann.get_by_role("button", name="Change it", exact=True)).to_be_visible()

    # Cem has not seen that, so his consent does not count until he has.
    press(bob, "Agree")
    expect(bob.get_by_text("Ann changed this decision on").first).to_be_visible()
    expect(bob.get_by_text("Ann's second thought.").first).to_be_visible()
    press(bob, "Agree")
    expect(bob.get_by_text("and agreed to by Cem").first).to_be_visible()
    expect(bob.get_by_role("button", name="Agree", exact=True)).to_have_count(0)
    shot(bob, "decision-agreed")

    go(ann, "Release")
    expect(ann.get_by_text(words("is on record. With one by OptM")).first).to_be_visible()
    press(ann, "Release …")
    expect(ann.get_by_text(words("It rests on the decision")).first).to_be_visible()
    expect(ann.get_by_role("textbox", name="Why it goes out all the same")).to_have_count(0)
    shot(ann, "release-agreed")
    ann.get_by_role("button", name="Draw the noise and release", exact=True).dblclick()
    expect(ann.get_by_role("heading", name="What was released")).to_be_visible()
    expect(ann.get_by_text(re.compile(r"were released\sonce")).first).to_be_visible()
    shot(ann, "released")
    with ann.expect_download() as download:
        ann.get_by_role("button", name="JSON", exact=True).click()
    assert "distpriv release" in download.value.path().read_text(encoding="utf-8")
    go(bob, "Release")
    expect(bob.get_by_text(re.compile(r"were released\sonce")).first).to_be_visible()
    for each in (first, other):
        each.unharmed()
