"""The whole path in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driver import (
    arrived,
    drawn,
    go,
    next_page,
    no_traceback,
    people,
    says,
    upload,
    uploaded,
)

pytestmark = pytest.mark.browser


def test_the_whole_path(server, watched, tmp_path):
    watch = watched()
    page = watch.page
    page.goto(server)
    watch.idle()
    arrived(page, "Question")
    says(page, "an attacker would guess the share")
    drawn(page, 1)

    # The attack runs by itself and grows to its end.
    go(page, "Attack")
    expect(page.get_by_text("50 of 50 repetitions").first).to_be_visible()
    expect(page.locator("p", has_text="50 repetitions, seed 1")).to_be_visible()

    # ε moves the sentence, and the address keeps it.
    box = page.get_by_role("spinbutton", name="ε, exactly")
    box.fill("3")
    box.press("Enter")
    says(page, "With OptM at ε = 3")
    expect(page).to_have_url(re.compile(r"eps=3"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    go(page, "Privacy–utility")
    says(page, "with OptM at ε = 3")
    expect(page).to_have_url(re.compile(r"eps=3"))

    # An upload takes over; a bad one does not.
    go(page, "Question")
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n3,4,5\n")
    upload(page, bad)
    expect(page.locator("[data-testid=stAlert]").first).to_contain_text("bad.csv")
    says(page, "Census income (synthetic)")
    good = tmp_path / "people.csv"
    people(good)
    uploaded(page, good, "2 000")
    drawn(page, 1)
    for name in ("Gaussian fit", "Answer", "Compare", "Release"):
        next_page(page, "answer", name) if name == "Compare" else go(page, name)
        watch.idle()
        drawn(page, 1)
        no_traceback(page)
        expect(page.locator("[data-testid=stMain] [data-testid=stAlert]")).to_have_count(0)
    go(page, "Attack")
    expect(page.get_by_text("50 of 50 repetitions").first).to_be_visible()
    assert "sector" not in page.url
    assert "union" not in page.url
    watch.unharmed()


def test_a_cold_deep_link(fresh_server, watched):
    """The first session after a start opens an inner page: frame, scenario and address hold."""
    watch = watched()
    page = watch.page
    page.goto(f"{fresh_server}/attack?eps=2.5&dp=0.2&mech=ExpM&secret=workclass+%3D+Private")
    watch.idle()
    arrived(page, "Attack")
    expect(page.get_by_role("spinbutton", name="ε, exactly")).to_have_value("2.5")
    says(page, "With ExpM at ε = 2.5")
    says(page, "40 % from 60 % of")
    expect(page).to_have_url(re.compile(r"/attack\?.*eps=2.5"))
    assert watch.hosts == {"127.0.0.1"}

    # The same link gives the same figures to somebody else.
    result = page.locator("p", has_text="50 repetitions, seed 1")
    result.wait_for()
    other = watched()
    other.page.goto(page.url)
    expect(other.page.locator("p", has_text="50 repetitions, seed 1")).to_have_text(
        result.inner_text()
    )
