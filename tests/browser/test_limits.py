"""A limit is agreed on in one browser session and kept in another."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import drawn, go, shot, unfold

pytestmark = pytest.mark.browser

WHY = "Why it goes out all the same"


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def test_a_limit_is_kept_by_everybody(fresh_server, watched):
    """On a database of their own, which another test's releases are not in."""
    first = watched()
    ann = first.page
    ann.goto(fresh_server)
    first.idle()
    go(ann, "Release")
    unfold(ann, "Agree on a limit")
    right = ann.get_by_role("spinbutton", name=re.compile("^Best attacker right in at most"))
    right.fill("60")
    ann.get_by_role("textbox", name="Who agrees", exact=True).fill("Ann")
    ann.get_by_role("textbox", name="Why", exact=True).fill("For this year.")
    press(ann, "Set this limit")
    expect(ann.get_by_text(re.compile(r"is used so far, and.*it fits")).first).to_be_visible()
    drawn(ann, 2)

    # Bob opens the release while there is room for it; Ann is faster.
    other = watched()
    bob = other.page
    bob.goto(fresh_server)
    other.idle()
    go(bob, "Release")
    press(bob, "Release …")
    expect(bob.get_by_role("button", name="Draw the noise and release")).to_be_visible()
    press(ann, "Release …")
    # Nobody has agreed to it, so it takes a reason.
    press(ann, "Draw the noise and release")
    expect(ann.get_by_text("The reason is empty").first).to_be_visible()
    shot(ann, "release-reason")
    ann.get_by_role("textbox", name=WHY).fill("The board wants it today.")
    press(ann, "Draw the noise and release")
    expect(ann.get_by_role("heading", name="What was released")).to_be_visible()
    expect(ann.get_by_text(re.compile("it does not fit")).first).to_be_visible()
    shot(ann, "limit-used")
    bob.get_by_role("textbox", name=WHY).fill("For the press.")
    press(bob, "Draw the noise and release")
    expect(bob.get_by_text(re.compile("Beyond the limit on income")).first).to_be_visible()
    expect(bob.get_by_role("heading", name="What was released")).to_have_count(0)
    shot(bob, "limit-refused")

    press(ann, "Calibrate to what is left")
    expect(ann.get_by_text(re.compile(r"is used so far, and.*it fits")).first).to_be_visible()
    expect(ann.get_by_role("spinbutton", name="ε, exactly")).not_to_have_value("1")
    for each in (first, other):
        each.unharmed()
