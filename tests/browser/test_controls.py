"""Every control of the finer settings and of the later pages, moved in a real browser."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_walk import HEADINGS, drawn, go, no_traceback, people, words

pytestmark = pytest.mark.browser


def open_settings(page: Page) -> None:
    page.get_by_text("More settings", exact=True).click()


def pick(page: Page, label: str, option: str) -> None:
    """Choose from a selectbox."""
    box = page.get_by_role("combobox", name=label, exact=True)
    if box.input_value() == option:
        return
    box.click()
    box.fill(option)  # long lists are drawn in part
    expect(page.get_by_role("option", name=option, exact=True)).to_be_visible()
    box.press("Enter")
    expect(box).to_have_value(option)


def pick_one_more(page: Page, label: str, option: str) -> None:
    """Add to a multiselect."""
    box = page.get_by_role("combobox", name=label)
    box.click()
    box.press_sequentially(option)
    expect(page.get_by_role("option", name=option)).to_have_count(1)
    box.press("Enter")
    page.keyboard.press("Escape")


def press(page: Page, group: str, option: str) -> None:
    """Choose from a segmented control."""
    page.get_by_role("radiogroup", name=group).get_by_role("radio", name=option).click()


def enter(page: Page, label: str | re.Pattern[str], value: str) -> None:
    box = page.get_by_role("spinbutton", name=label)
    box.fill(value)
    box.press("Enter")


@pytest.fixture
def app(server, watched):
    watch = watched()
    watch.page.goto(server)
    watch.idle()
    yield watch
    no_traceback(watch.page)
    assert watch.console == []
    assert watch.hosts == {"127.0.0.1"}


def test_several_secrets_grids_units_and_calibrations(app):
    page = app.page
    go(page, "Secret & release")
    pick(page, "Share of records with", "workclass = Private")
    enter(page, "Centre", "0.6")
    page.get_by_role("button", name="Hide it too").click()
    expect(page.get_by_role("heading", name="2 pairs are hidden at once")).to_be_visible()
    expect(page).to_have_url(re.compile(r"also=workclass"))
    pick(page, "Look at", "workclass = Private: 55 % or 65 %")
    go(page, "Data")
    expect(page.get_by_text(words("tells 55 % from 65 % of")).first).to_be_visible()
    expect(page.get_by_text(words("The same noise hides all 2 pairs")).first).to_be_visible()

    open_settings(page)
    press(page, "Shares of the secret to hide", "grid")
    expect(page.get_by_text(words("hides all 16 pairs")).first).to_be_visible()
    page.get_by_role("slider", name="Ends of the grid").first.press("ArrowRight")
    pick(page, "Step of the grid", "0.1")
    expect(page.get_by_text(re.compile(r"hides\sall\s\d\spairs")).first).to_be_visible()
    press(page, "Shares of the secret to hide", "one pair")
    expect(page.get_by_text(words("hides all 2 pairs")).first).to_be_visible()

    pick_one_more(page, "Hide as well", "race = Black")
    expect(page.get_by_text(words("hides all 3 pairs")).first).to_be_visible()
    page.get_by_role("combobox", name="Hide as well").press("Backspace")
    expect(page.get_by_text(words("hides all 2 pairs")).first).to_be_visible()

    press(page, "Units for calibrating", "standardised")
    press(page, "Units for reporting the L2 error", "standardised")
    expect(page.get_by_text(re.compile(r"standard deviations in L2")).first).to_be_visible()
    press(page, "Units for calibrating", "custom")
    enter(page, re.compile("Tolerance of mean age"), "0.5")
    expect(page).to_have_url(re.compile(r"tol0=0\.5"))

    expect(page.get_by_text("promise kept").first).to_be_visible()
    press(page, "Calibration", "exact")
    expect(page.get_by_text("promise not kept").first).to_be_visible()
    press(page, "Calibration", "classical")
    enter(page, "ε, exactly", "5")
    expect(page.get_by_text(re.compile("proven for ε ≤ 1 only")).first).to_be_visible()


def test_guarantee_attack_and_belief(app):
    page = app.page
    go(page, "Guarantee")
    drawn(page, 4)
    expect(page.get_by_text(words("After 10 releases with OptM")).first).to_be_visible()
    pick_one_more(page, "Mechanisms", "EigM")
    slider = page.get_by_role("slider", name="Releases")
    slider.press("ArrowRight")
    expect(page.get_by_text(words("After 20 releases with OptM")).first).to_be_visible()

    go(page, "Attack")
    expect(page.get_by_text("50 of 50 repetitions").first).to_be_visible(timeout=120_000)
    pick(page, "Attacker", "Linear discriminant")
    pick(page, "Repetitions", "20")
    expect(page.get_by_text("20 of 20 repetitions").first).to_be_visible(timeout=120_000)
    expect(page.get_by_role("heading", name="What does the attack prove?")).to_be_visible()
    drawn(page, 5)
    press(page, "Attacker trains on", "clean data")
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("20 of 20 repetitions").first).to_be_visible(timeout=120_000)

    go(page, "Belief")
    before = page.get_by_text(re.compile("Before the release the attacker took")).first
    expect(before).to_be_visible()
    told = before.inner_text()
    page.get_by_role("button", name="Another release").click()
    expect(page.get_by_text(words("draw 2")).first).to_be_visible()
    expect(before).not_to_have_text(told)
    page.get_by_role("slider", name="True share of the simulated release").press("ArrowRight")
    expect(page.get_by_text(re.compile("46 of which have the property")).first).to_be_visible()
    for prior, controls in (("a bell", ("around", "give or take")), ("Beta(a, b)", ())):
        press(page, "Before the release the attacker expects", prior)
        for control in controls:
            told = before.inner_text()
            page.get_by_role("slider", name=control).press("ArrowRight")
            expect(before).not_to_have_text(told)
    told = before.inner_text()
    enter(page, re.compile("^a$"), "9")
    expect(before).not_to_have_text(told)
    press(page, "Before the release the attacker expects", "the two shares")
    expect(page.get_by_text(re.compile("The odds changed by a factor of")).first).to_be_visible()
    page.get_by_text("Enter released values", exact=True).click()
    expect(page.get_by_role("spinbutton", name=re.compile("mean age"))).to_be_visible()


def test_the_gaussian_fit_and_a_median(app):
    page = app.page
    go(page, "Gaussian fit")
    expect(page.get_by_text(re.compile("Close enough|Not quite")).first).to_be_visible()
    drawn(page, 5)
    press(page, "Charts side by side", "3")
    press(page, "Covariance", words("45 %"))
    app.idle()
    go(page, "Secret & release")
    pick(page, "Kind", "Median of a numeric column")
    page.get_by_role("button", name="Release it too").click()
    expect(page.get_by_text(re.compile("mean hours-per-week, median age")).first).to_be_visible()
    pick(page, "Kind", "Quantile of a numeric column")
    page.get_by_role("slider", name="Quantile").press("ArrowLeft")
    page.get_by_role("button", name="Release it too").click()
    expect(page.get_by_text(re.compile(r"median age, quantile 0\.89 age")).first).to_be_visible()
    pick(page, "Kind", "Correlation of two numeric columns")
    page.get_by_role("button", name="Release it too").click()
    expect(
        page.get_by_text(re.compile("correlation age and education-num of")).first
    ).to_be_visible()
    go(page, "Privacy–utility")
    expect(page.get_by_text(re.compile("closed form, which median age")).first).to_be_visible()
    go(page, "Gaussian fit")
    drawn(page, 4)


def test_the_whole_table_with_reference_data(app, tmp_path):
    page = app.page
    mine, public = tmp_path / "people.csv", tmp_path / "public.csv"
    people(mine)
    people(public, size=3000)
    wrong = tmp_path / "wrong.csv"
    pd.read_csv(public, sep=";", decimal=",").drop(columns="wage").to_csv(wrong, index=False)
    page.locator("input[type=file]").set_input_files(mine)
    expect(page.get_by_text("2000 records you uploaded").first).to_be_visible()
    page.get_by_text("Release the whole table", exact=True).click()
    expect(page.get_by_text(words("statistics of 2000 records")).first).to_be_visible()
    reference = page.locator("input[type=file]").nth(1)
    reference.set_input_files(wrong)
    expect(page.locator("[data-testid=stAlert]").first).to_contain_text(
        "must have the same columns"
    )
    page.locator("input[type=file]").nth(1).set_input_files(public)
    expect(page.get_by_text("3000 records of reference data").first).to_be_visible()
    go(page, "Secret & release")
    drawn(page, 1)
    go(page, "Data")
    page.get_by_role("button", name="Take the table itself instead").click()
    expect(page.get_by_text(words("from the table itself")).first).to_be_visible()
    go(page, "Attack")
    expect(page.get_by_role("heading", name=HEADINGS["Attack"])).to_be_visible()
    assert "wage" not in page.url
