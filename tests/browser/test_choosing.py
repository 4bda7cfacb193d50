"""The Choosing ε and the Frameworks page, every control moved in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_controls import app, enter, pick, press  # noqa: F401
from tests.browser.test_walk import drawn, go, shot, words

pytestmark = pytest.mark.browser


def test_a_limit_its_consequence_and_what_is_wrong_with_one(app):  # noqa: F811
    page = app.page
    go(page, "Choosing ε")
    drawn(page, 4)
    expect(page.get_by_text(words("of 100 such attackers 57 guess right")).first).to_be_visible()
    expect(page.get_by_text("limit kept").first).to_be_visible()
    metric = page.get_by_test_id("stMetricValue").first
    before = metric.inner_text()
    slider = page.get_by_role("slider", name="At most this many right of 100")
    slider.press("ArrowLeft")
    expect(metric).not_to_have_text(before)
    enter(page, "ε, exactly", "4")
    expect(page.get_by_text("limit exceeded").first).to_be_visible()
    page.get_by_role("button", name=re.compile("Take ε = .* with ")).click()
    expect(page.get_by_text("limit kept").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"eps=1\.[12]"))

    pick(page, "What you limit", "F-score")
    enter(page, "F-score at most", "0.5")
    expect(page.get_by_test_id("stAlert").first).to_contain_text("the nearest is 0.6667")
    enter(page, "F-score at most", "0.7")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    page.get_by_role("slider", name="β: finding counts").press("ArrowRight")
    expect(page.get_by_text("F-score at β = 1.1, by mechanism").first).to_be_visible()
    pick(page, "What you limit", "how sure they may be (precision)")
    page.get_by_role("slider", name="while they find this much").press("ArrowRight")
    page.get_by_role("slider", name="How often the share is").press("ArrowLeft")
    expect(page.get_by_text(words("a precision of 60.0 %")).first).to_be_visible()
    pick(page, "What you limit", "what they may believe afterwards")
    expect(page.get_by_text(words("a belief of 60.0 %")).first).to_be_visible()


def test_one_record_the_table_and_the_frameworks(app):  # noqa: F811
    page = app.page
    go(page, "Choosing ε")
    press(page, "Who asks", "about one record")
    expect(page.get_by_text("F-score of one record, by β").first).to_be_visible()
    drawn(page, 3)
    shot(page, "choosing-record")
    page.get_by_role("slider", name="A hunch about this person").press("ArrowRight")
    expect(page.get_by_text("by what they know").first).to_be_visible()
    page.get_by_role("slider", name="What others' records say").press("End")
    expect(page.get_by_test_id("stAlert").first).to_contain_text(
        "knows the answer without any release"
    )
    page.get_by_role("slider", name="What others' records say").press("Home")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    press(page, "Noise", "Gaussian")
    press(page, "Curves for several", "δ")
    expect(page.get_by_text("δ = 1e-05").first).to_be_visible()
    page.get_by_role("slider", name="False alarms").press("ArrowRight")
    expect(page.get_by_text(words("puts up with 6 % false alarms")).first).to_be_visible()
    press(page, "Who asks", "table of ε")
    expect(page.get_by_text("Table 1, which cuts").first).to_be_visible()
    shot(page, "choosing-table")

    go(page, "Frameworks")
    drawn(page, 2)
    press(page, "The records are", "independent and uniform")
    expect(
        page.get_by_text(words("exactly 1 in dependent differential privacy")).first
    ).to_be_visible()
    pick(page, "ε is given in", "Membership privacy")
    expect(page.get_by_text(words("at most 2 in differential privacy")).first).to_be_visible()
    shot(page, "frameworks")


def test_the_closer_look_comes_after_the_answer_without_a_jump(app):  # noqa: F811
    page = app.page
    go(page, "Choosing ε")
    page.get_by_text("A closer look at the attacker").wait_for()
    drawn(page, 4)
    expect(page.get_by_text("Being computed")).to_have_count(0)
    # While the number of records changes, every frame of the screen is looked at.
    page.evaluate(
        """() => {
            const seen = window.seen = {waited: 0, below: new Set()};
            const main = document.querySelector('[data-testid=stMain]');
            const look = () => {
                const texts = [...document.querySelectorAll('.js-plotly-plot text')];
                seen.waited += texts.some(each => each.textContent.includes('Being computed'));
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
    expect(page.get_by_text("Being computed")).to_have_count(0)
    drawn(page, 4)
    assert page.evaluate("window.seen.waited") > 0
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
