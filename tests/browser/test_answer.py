"""The Answer and the Frameworks page, every control moved in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driver import drawn, enter, go, pick, press, says, shot

pytestmark = pytest.mark.browser


def test_a_limit_its_consequence_and_what_is_wrong_with_one(app):
    page = app.page
    go(page, "Answer")
    drawn(page, 1)
    says(page, "You allow 60 right guesses of 100")
    says(page, "limit kept")
    metric = page.get_by_test_id("stMetricValue").first
    before = metric.inner_text()
    slider = page.get_by_role("slider", name="At most this many right of 100")
    slider.press("ArrowLeft")
    expect(metric).not_to_have_text(before)
    enter(page, "ε, exactly", "4")
    says(page, "limit exceeded")
    page.get_by_role("button", name=re.compile("Take ε = .* with ")).click()
    says(page, "limit kept")
    expect(page).to_have_url(re.compile(r"eps=1\.[12]"))

    pick(page, "What you limit", "F-score")
    enter(page, "F-score at most", "0.5")
    expect(page.get_by_test_id("stAlert").first).to_contain_text("the nearest is 0.6667")
    enter(page, "F-score at most", "0.7")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    page.get_by_role("tab", name="The attacker, closer").click()
    drawn(page, 4)
    weight = page.get_by_role("slider", name="β: finding counts")
    expect(weight).to_have_count(1)  # while the page is drawn anew there may be two
    weight.press("ArrowRight")
    says(page, "F-score at β = 1.1, by mechanism")
    pick(page, "What you limit", "how sure they may be (precision)")
    page.get_by_role("slider", name="while they find this much").press("ArrowRight")
    page.get_by_role("slider", name="How often the share is").press("ArrowLeft")
    says(page, "a precision of 60.0 %")
    pick(page, "What you limit", "what they may believe afterwards")
    says(page, "a belief of 60.0 %")


def test_errors_that_are_accepted_and_both_limits_in_one_picture(app):
    page = app.page
    go(page, "Answer")
    press(page, "Start from", "the error you accept")
    says(page, "These errors take at least ε")
    button = page.get_by_role("button", name=re.compile("Take ε = .* with "))
    least = page.get_by_test_id("stMetricValue").first
    before = least.inner_text()
    enter(page, "mean age: ± at most", "60")
    expect(least).not_to_have_text(before)
    shot(page, "answer-error")
    # A click while it is drawn anew goes nowhere.
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    button.first.click()  # it stands in a fragment, and moves the controls of the frame
    says(page, "errors accepted")
    expect(page).to_have_url(re.compile(r"mech=\w+.*eps="))
    press(page, "Start from", "both, in one picture")
    says(page, "both limits")
    expect(button.first).to_be_visible(timeout=60_000)
    page.get_by_role("slider", name="At most this many right of 100").press("ArrowLeft")
    expect(
        page.get_by_text(re.compile("satisfies both|Nothing satisfies both")).first
    ).to_be_visible()
    expect(button.first).to_be_visible(timeout=60_000)
    shot(page, "answer-both")


def test_one_record_the_table_and_the_frameworks(app):
    page = app.page
    go(page, "Answer")
    page.get_by_role("tab", name="The attacker, closer").click()
    press(page, "Who asks", "about one record")
    says(page, "F-score of one record, by β")
    drawn(page, 3)
    shot(page, "answer-record")
    page.get_by_role("slider", name="A hunch about this person").press("ArrowRight")
    says(page, "by what they know")
    page.get_by_role("slider", name="What others' records say").press("End")
    expect(page.get_by_test_id("stAlert").first).to_contain_text(
        "knows the answer without any release"
    )
    page.get_by_role("slider", name="What others' records say").press("Home")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    press(page, "Noise", "Gaussian")
    press(page, "Curves for several", "δ")
    says(page, "δ = 1 × 10⁻⁵")
    page.get_by_role("slider", name="False alarms").press("ArrowRight")
    says(page, "puts up with 6 % false alarms")
    press(page, "Who asks", "table of ε")
    says(page, "Table 1, which cuts")
    shot(page, "answer-table")

    go(page, "Frameworks")
    drawn(page, 2)
    press(page, "The records are", "independent and uniform")
    says(page, "exactly 1 in dependent differential privacy")
    pick(page, "ε is given in", "Membership privacy")
    says(page, "at most 2 in differential privacy")
    shot(page, "frameworks")


def test_the_closer_look_comes_after_the_answer_without_a_jump(app):
    page = app.page
    go(page, "Answer")
    page.get_by_role("tab", name="The attacker, closer").click()
    drawn(page, 4)
    expect(page.get_by_text("Being computed")).to_have_count(0, timeout=60_000)
    # While the number of records changes, every frame of the screen is looked at.
    page.evaluate(
        """() => {
            const seen = window.seen = {below: new Set()};
            const main = document.querySelector('[data-testid=stMain]');
            const look = () => {
                const below = [...document.querySelectorAll('summary')]
                    .find(each => each.textContent.includes('The formulas'));
                const top = below && below.getBoundingClientRect().top + main.scrollTop;
                if (below) seen.below.add(Math.round(top));
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    before = page.get_by_test_id("stMetricValue").first.inner_text()
    enter(page, re.compile("^n: records"), "160")
    expect(page.get_by_test_id("stMetricValue").first).not_to_have_text(before)
    expect(page.get_by_text("Being computed")).to_have_count(0, timeout=60_000)
    drawn(page, 4)
    below = page.evaluate("[...window.seen.below]")
    assert max(below) - min(below) <= 2
    # It comes to rest: no tick after the one that drew it.
    page.wait_for_function(
        """() => {
            const state = document.querySelector('[data-testid=stApp]').dataset.testScriptState;
            const now = performance.now();
            if (state !== 'notRunning' || !window.still) window.still = now;
            return now - window.still > 2000;
        }"""
    )
