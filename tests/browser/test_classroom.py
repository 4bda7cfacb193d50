"""A class in real browsers: a teacher who presents, and two students on phones."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from distpriv.dashboard.tour.attacker import SHARES
from tests.browser.driver import drawn, no_traceback, says, shot

pytestmark = pytest.mark.browser


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def fits(page: Page) -> None:
    """Nothing stands out at the side."""
    overflow = page.evaluate(
        "(() => { const main = document.querySelector('[data-testid=stMain]');"
        " return main.scrollWidth - main.clientWidth; })()"
    )
    assert overflow <= 0


def test_a_class_with_a_projector_and_two_phones(server, watched):
    projector = watched(1280, 720)
    teacher = projector.page
    teacher.goto(f"{server}/classroom?present=1")
    projector.idle()
    expect(teacher.get_by_test_id("stSidebar")).to_be_hidden()
    press(teacher, "Open a room")
    says(teacher, "0 have joined")
    link = str(teacher.get_by_test_id("stCode").first.text_content()).strip()
    shot(teacher, "classroom-open")

    phones = [watched(390, 844, scheme) for scheme in ("light", "dark")]
    for phone in phones:
        phone.page.goto(link)
        phone.idle()
        says(phone.page, "You are in.")
    # Nobody reloads anything: the projector and the phones follow by themselves.
    says(teacher, "2 have joined")
    press(teacher, "Start round 1")
    for phone, name in zip(phones, SHARES, strict=True):
        says(phone.page, "Round 1: 45")
        drawn(phone.page, 1)
        fits(phone.page)
        shot(phone.page, f"classroom-phone-{phones.index(phone)}")
        press(phone.page, name)
        says(phone.page, "You said")
    says(teacher, "of 2 guesses are right so far")
    drawn(teacher, 1)
    shot(teacher, "classroom-guessed")
    press(teacher, "Reveal")
    says(teacher, "of 2 told apart")
    for phone in phones:
        says(phone.page, "It was")
        says(phone.page, "So far you were right in")
        fits(phone.page)
    shot(teacher, "classroom-revealed")
    shot(phones[0].page, "classroom-phone-revealed")
    press(teacher, "Close the room")
    for phone in phones:
        says(phone.page, "is closed.")
    for each in (projector, *phones):
        no_traceback(each.page)
        assert each.hosts == {"127.0.0.1"}


def test_the_arrow_keys_while_presenting(server, watched):
    watch = watched(1280, 720)
    page = watch.page
    page.goto(f"{server}/tour?present=1")
    watch.idle()
    expect(page.get_by_text("Step 1 of 7", exact=True)).to_be_visible()
    # The keys are those of the buttons: they answer once these are drawn.
    expect(page.get_by_role("button", name="Next")).to_be_enabled()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Step 2 of 7", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Back")).to_be_enabled()
    shot(page, "presenting-tour")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Step 1 of 7", exact=True)).to_be_visible()
    page.goto(f"{server}/belief?present=1")
    watch.idle()
    drawn(page, 1)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="ε = 1.5")).to_be_visible()
    watch.idle()  # the chart of the ε before may still go
    drawn(page, 1)
    # What plotly tells under the pointer stands where the pointer is.
    plot = page.locator(".js-plotly-plot .nsewdrag").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    at = box["x"] + 0.5 * box["width"]
    for step in range(12):
        page.mouse.move(at, box["y"] + (step + 0.5) / 12 * min(box["height"], 500))
        if page.locator(".hoverlayer .hovertext").count():
            break
    told = page.locator(".hoverlayer .hovertext").first.bounding_box()
    assert told is not None
    assert told["x"] - 30 <= at <= told["x"] + told["width"] + 30
    shot(page, "presenting-belief")
    press(page, "Stop presenting")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    no_traceback(page)
