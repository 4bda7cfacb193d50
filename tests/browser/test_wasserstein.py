"""The Wasserstein and Assumptions pages in a real browser: measured, stopped, edited, uploaded."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import (
    alert,
    drawn,
    go,
    open_settings,
    people,
    pick,
    press,
    says,
    shot,
    type_into,
    uploaded,
    words,
)

pytestmark = pytest.mark.browser


def no_error(page: Page) -> None:
    expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)


def test_distances_come_in_and_can_be_stopped(app):
    page = app.page
    go(page, "Wasserstein")
    says(page, "some have to move by")
    drawn(page, 3)
    expect(page.get_by_text(re.compile(r"\d+ of \d+ distances"))).to_have_count(0)
    expect(page.get_by_text("Which datasets pair up").first).to_be_visible()
    shot(page, "wasserstein-release")
    # Another Δp starts anew; it stops where it is told to, and goes on.
    page.get_by_role("spinbutton", name="n: records in the release").fill("150")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Go on")).to_be_enabled()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("Which datasets pair up").first).to_be_visible()
    app.idle()


def test_figure_1_is_edited(app):
    page = app.page
    go(page, "Wasserstein")
    page.get_by_role("tab", name="A small example").click()
    says(page, "has to move by 97; if 10 % may be left out, by 1.")
    drawn(page, 2)
    shot(page, "wasserstein-example")
    # 100 becomes 50, from where mass goes to 100 and to 3; one of the two may be left out.
    type_into(app, "example_mu", 2, 0, "50")
    says(page, "has to move by 50; if 10 % may be left out, by 47.")
    # A weight too many: the sentence gives the sum, and the table keeps what was typed.
    type_into(app, "example_mu", 0, 1, "0.7")
    expect(alert(page)).to_contain_text("The weights of μ must sum to 1, they sum to 1.1.")
    go(page, "Directions")
    go(page, "Wasserstein")
    page.get_by_role("tab", name="A small example").click()
    expect(alert(page)).to_contain_text("they sum to 1.1")
    page.get_by_role("button", name="Back to the paper's example").click()
    says(page, "has to move by 97; if 10 % may be left out, by 1.")
    app.idle()


def test_simulated_distances_move_the_other_pages(app):
    page = app.page
    go(page, "Privacy–utility")
    pick(page, "Mechanism", "Wasserstein")
    says(page, "costs an expected L2 error of 21.1")
    open_settings(page)
    press(page, "Distances for Wasserstein mechanisms", "simulated")
    says(page, "1000 simulated datasets for each share")
    expect(page.get_by_text(words("costs an expected L2 error of 21.1"))).to_have_count(0)
    app.idle()


def test_what_survives_on_the_example_and_on_an_upload(app, tmp_path):
    page = app.page
    go(page, "Assumptions")
    says(page, "one assumption")
    open_settings(page)
    press(page, "Calibration", "exact")
    says(page, "two assumptions")
    says(page, "still promises ε′ = 1.6")
    for tab in ("Without the normal curve", "An attacker who knows more", "Several releases"):
        page.get_by_role("tab", name=tab).click()
        app.idle()
        no_error(page)
    says(page, "No rule holds.")
    page.get_by_role("tab", name="In Pufferfish's words").click()
    app.idle()
    go(page, "Question")
    table = tmp_path / "people.csv"
    people(table)
    uploaded(page, table, "2 000")
    for name, sentence in (
        ("Assumptions", "the promise rests on"),
        ("Wasserstein", "some have to move by"),
    ):
        go(page, name)
        expect(page.get_by_text(sentence).first).to_be_visible()
        drawn(page, 1)
        no_error(page)
    assert "sector" not in page.url
    app.idle()
