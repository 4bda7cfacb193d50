"""Every control of the finer settings and of the later pages, moved in a real browser."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.driver import (
    arrived,
    drawn,
    enter,
    go,
    open_settings,
    people,
    pick,
    pick_one_more,
    press,
    says,
    unfold,
    uploaded,
    words,
)

pytestmark = pytest.mark.browser


def test_several_secrets_grids_units_and_calibrations(app):
    page = app.page
    unfold(page, "What is promised, and what is delivered")
    unfold(page, "The question, more exactly")
    pick(page, "Share of records with", "workclass = Private")
    enter(page, "Centre", "0.6")
    page.get_by_role("button", name="Hide it too").click()
    expect(page.get_by_role("heading", name="2 pairs are hidden at once")).to_be_visible()
    expect(page).to_have_url(re.compile(r"also=workclass"))
    open_settings(page)
    pick(page, "Look at", "workclass = Private: 55 % or 65 %")
    says(page, "tells 55 % from 65 % of")
    says(page, "The same noise hides all 2 pairs")

    press(page, "Shares of the secret to hide", "grid")
    says(page, "hides all 16 pairs")
    page.get_by_role("slider", name="Ends of the grid").first.press("ArrowRight")
    pick(page, "Step of the grid", "0.1")
    says(page, re.compile(r"hides\sall\s\d\spairs"))
    press(page, "Shares of the secret to hide", "one pair")
    says(page, "hides all 2 pairs")

    pick_one_more(page, "Hide as well", "race = Black")
    says(page, "hides all 3 pairs")
    page.get_by_role("combobox", name="Hide as well").press("Backspace")
    says(page, "hides all 2 pairs")

    press(page, "Units for calibrating", "standardised")
    press(page, "Units of the total error", "standardised")
    says(page, re.compile(r"The total error is [\d.]+\sstandard deviations"))
    press(page, "Units for calibrating", "custom")
    enter(page, re.compile("Tolerance of mean age"), "0.5")
    expect(page).to_have_url(re.compile(r"tol0=0\.5"))

    says(page, "promise kept")
    press(page, "Calibration", "exact")
    says(page, re.compile(r"promise missed, [\d.]+ times"))
    press(page, "Calibration", "classical")
    enter(page, re.compile("^ε$"), "5")
    says(page, re.compile("proven for ε ≤ 1 only"))


def test_guarantee_attack_and_belief(app):
    page = app.page
    go(page, "Guarantee")
    drawn(page, 4)
    says(page, "After 10 releases with OptM")
    pick_one_more(page, "Mechanisms", "EigM")
    slider = page.get_by_role("slider", name="Releases")
    slider.press("ArrowRight")
    says(page, "After 20 releases with OptM")

    go(page, "Attack")
    expect(page.get_by_text("50 of 50 repetitions").first).to_be_visible()
    pick(page, "Attacker", "Linear discriminant")
    pick(page, "Repetitions", "20")
    expect(page.get_by_text("20 of 20 repetitions").first).to_be_visible()
    for tab in ("Against ε and n", "Noise taken off again", "Inside the attack"):
        page.get_by_role("tab", name=tab).click()
    expect(page.get_by_role("heading", name="What does the attack prove?")).to_be_visible()
    drawn(page, 5)
    press(page, "Attacker trains on", "clean data")
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("20 of 20 repetitions").first).to_be_visible()

    go(page, "Belief")
    before = page.get_by_text(re.compile("Before the release the attacker took")).first
    expect(before).to_be_visible()
    told = before.inner_text()
    page.get_by_role("button", name="Another release").click()
    says(page, "draw 2")
    expect(before).not_to_have_text(told)
    page.get_by_role("slider", name="True share of the simulated release").press("ArrowRight")
    says(page, re.compile("46 of which have the property"))
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
    says(page, re.compile("The odds changed by a factor of"))
    page.get_by_text("Enter released values", exact=True).click()
    expect(page.get_by_role("spinbutton", name=re.compile("mean age"))).to_be_visible()


def test_the_gaussian_fit_and_a_median(app):
    page = app.page
    go(page, "Gaussian fit")
    says(page, re.compile("Close enough|Not quite"))
    drawn(page, 5)
    press(page, "Charts side by side", "3")
    page.get_by_role("tab", name="Covariances").click()
    press(page, "Covariance", words("45 %"))
    app.idle()
    go(page, "Question")
    unfold(page, "The question, more exactly")
    pick(page, "Kind", "Median of a numeric column")
    page.get_by_role("button", name="Release it too").click()
    says(page, re.compile("mean hours-per-week, median age"))
    pick(page, "Kind", "Quantile of a numeric column")
    page.get_by_role("slider", name="Quantile").press("ArrowLeft")
    page.get_by_role("button", name="Release it too").click()
    says(page, re.compile(r"median age, quantile 0\.89 age"))
    pick(page, "Kind", "Correlation of two numeric columns")
    page.get_by_role("button", name="Release it too").click()
    says(page, re.compile("correlation age and education-num of"))
    go(page, "Privacy–utility")
    says(page, re.compile("closed form, which median age"))
    go(page, "Gaussian fit")
    drawn(page, 4)


def test_the_whole_table_with_reference_data(app, tmp_path):
    page = app.page
    mine, public = tmp_path / "people.csv", tmp_path / "public.csv"
    people(mine)
    people(public, size=3000)
    wrong = tmp_path / "wrong.csv"
    pd.read_csv(public, sep=";", decimal=",").drop(columns="wage").to_csv(wrong, index=False)
    uploaded(page, mine, "2 000")
    unfold(page, "What is promised, and what is delivered")
    says(page, "statistics of 2 000 records")
    unfold(page, "The table")
    reference = page.locator("[class*=st-key-reference_] input[type=file]")
    reference.set_input_files(wrong)
    expect(page.locator("[data-testid=stAlert]").first).to_contain_text(
        "must have the same columns"
    )
    reference.set_input_files(public)
    says(page, "3 000 records of reference data")
    drawn(page, 1)
    page.get_by_role("button", name="Take the table itself instead").click()
    says(page, "from the table itself")
    go(page, "Attack")
    arrived(page, "Attack")
    assert "wage" not in page.url
