"""The guided tour in a real browser, start to end: every control moved, every question answered."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from distpriv.dashboard.tour.lesson import Option
from distpriv.dashboard.tour.steps import LESSONS
from distpriv.lessons import course_of, subtracted_noise
from distpriv.lessons.subtracting import TRIED
from distpriv.tables.examples import load_census_income
from tests.browser.driver import drawn, go, no_traceback, press, shot, unfold, words

pytestmark = pytest.mark.browser

# What the result says after one key on each step's slider.
AFTER = {
    1: "Without schooling as well",
    2: "Averages of 200 records",
    3: "Turned 15° away from the shift",
    4: "At ε = 3 the statistics bring",
    6: "right in 61 of 100 guesses",
    7: "After 10 releases",
}
SLIDERS = {
    1: "Statistics taken out",
    2: "Records in the release",
    3: "Noise turned away",
    4: "ε: more private",
    6: "Right guesses of 100",
    7: "Releases of the same",
}


def opened(page: Page, number: int) -> None:
    """Wait for a step, which opens at its top."""
    expect(page.get_by_text(f"Step {number} of 7", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=LESSONS[number - 1].title)).to_be_in_viewport()


def reveal(page: Page, number: int) -> None:
    """Guess, or have oneself shown what there is to tell apart."""
    name = "Show me" if LESSONS[number - 1].guess is None else "That is my guess"
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)


def move(page: Page, number: int) -> None:
    """Move the step's control by one and wait for its result."""
    if number == 5:
        press(page, "Compare OptM with", "DauM")
        expect(page.get_by_text(words("in all and DauM by")).last).to_be_visible()
        return
    # The sidebar has an ε of its own.
    slider = page.get_by_test_id("stMain").get_by_role("slider", name=SLIDERS[number])
    slider.press("ArrowRight")
    expect(page.get_by_text(words(AFTER[number])).last).to_be_visible()


def answer(page: Page, option: Option) -> None:
    """Choose an answer and wait for what is said to it."""
    page.get_by_test_id("stRadio").first.get_by_text(option.statement, exact=True).click()
    said = page.locator("p", has_text=option.why.partition(":")[0])
    expect(said.last).to_contain_text("right" if option.holds else "not so")


def test_the_tour_from_start_to_end(app):
    page, course = app.page, course_of(load_census_income())
    go(page, "Guided tour")
    for number, lesson in enumerate(LESSONS, 1):
        opened(page, number)
        reveal(page, number)
        drawn(page, 1 + (lesson.guess is not None) + 2 * (lesson.exercise is not None))
        move(page, number)
        question = lesson.question(course)
        if number == 1:
            wrong = next(option for option in question.options if not option.holds)
            answer(page, wrong)
        answer(page, question.right)
        no_traceback(page)
        shot(page, f"tour-{number}")
        page.get_by_role("button", name="Finish" if number == 7 else "Next").click()
    expect(page.get_by_text("you answered 7 of 7 questions, 7 of them right")).to_be_visible()
    expect(page).to_have_url(re.compile("lesson=summary"))
    shot(page, "tour-summary")

    # The papers' examples, the last of which leads to its page; the tour is there afterwards.
    unfold(page, "The papers' worked examples")
    for tab, says in {
        "Figure 1": "some mass has to move by 97",
        "Two statistics": "noise of variance 18.52 and 3.52 is enough",
        "The hospital": "the average weight by 18.378 pounds",
        "The school": "needs Laplace noise of scale 136",
    }.items():
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_text(words(says)).last).to_be_visible()
        drawn(page, 1)
        shot(page, f"tour-{tab}")
    page.get_by_role("link", name="Change the network").click()
    expect(page.get_by_role("heading", name="The network", exact=True)).to_be_visible()
    assert "lesson=" not in page.url
    go(page, "Guided tour")
    expect(page.get_by_text("you answered 7 of 7 questions, 7 of them right")).to_be_visible()
    press(page, "Step", "4")
    expect(page.get_by_text(words(AFTER[4])).last).to_be_visible()


def test_the_noise_is_subtracted_by_hand(app):
    page, found = app.page, subtracted_noise(course_of(load_census_income()))
    go(page, "Guided tour")
    press(page, "Step", "7")
    opened(page, 7)
    reveal(page, 7)
    drawn(page, 3)
    slider = page.get_by_role("slider", name="Suppose so many are")
    expect(page.get_by_text(words("not possible, so")).last).to_be_visible()
    truth = round(found.answer[TRIED])
    for _ in range(round(found.published.released[TRIED]) - truth):
        slider.press("ArrowLeft")
    expect(page.get_by_text(words(f"Only {truth} does that")).last).to_be_visible()
    no_traceback(page)
    shot(page, "tour-subtracted")


def test_a_step_on_a_phone(server, watched):
    watch = watched(390, 844, "dark")
    page = watch.page
    page.goto(f"{server}/tour?lesson=3")
    watch.idle()
    opened(page, 3)
    reveal(page, 3)
    drawn(page, 1)
    overflow = page.evaluate(
        "(() => { const main = document.querySelector('[data-testid=stMain]');"
        " return main.scrollWidth - main.clientWidth; })()"
    )
    assert overflow <= 0
    page.get_by_role("button", name="Next").click()
    opened(page, 4)
    expect(page).to_have_url(re.compile("lesson=4"))
    no_traceback(page)
    shot(page, "tour-phone")
