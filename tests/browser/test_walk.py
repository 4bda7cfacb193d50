"""The whole path in a real browser."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PAGES = (
    "Data",
    "Secret & release",
    "Gaussian fit",
    "Directions",
    "Privacy–utility",
    "Guarantee",
    "Attack",
    "Belief",
    "Choosing ε",
    "Assumptions",
    "Compare & report",
    "Decisions",
    "Release",
    "Wasserstein",
    "Attribute privacy",
    "Guided tour",
    "Frameworks",
    "Paper results",
)
HEADINGS = {
    "Data": "What do these statistics give away?",
    "Secret & release": "The secret and the release",
    "Gaussian fit": "Are the statistics normal?",
    "Directions": "Where does the secret show?",
    "Privacy–utility": "What does hiding it cost?",
    "Guarantee": "Is the promise kept?",
    "Attack": "Can an attacker tell?",
    "Belief": "What does the attacker believe?",
    "Choosing ε": "Which ε is small enough?",
    "Assumptions": "What does the promise rest on?",
    "Compare & report": "Which scenario is better?",
    "Decisions": "Who decided on which ε, and why?",
    "Release": "What is out, and what comes next?",
    "Wasserstein": "How far must the statistics move?",
    "Attribute privacy": "Does a release give an attribute away?",
    "Guided tour": "A tour in seven steps",
    "Frameworks": "Which privacy is it?",
    "Paper results": "Do the papers' figures hold?",
}
SECTION = dict.fromkeys(PAGES, "Explore") | {
    "Data": "Set up",
    "Secret & release": "Set up",
    "Choosing ε": "Decide",
    "Assumptions": "Decide",
    "Compare & report": "Decide",
    "Decisions": "Decide",
    "Release": "Decide",
    "Wasserstein": "More mechanisms",
    "Attribute privacy": "More mechanisms",
    "Guided tour": "Learn",
    "Frameworks": "Learn",
    "Paper results": "Learn",
}
FILES = (
    "",
    "secret",
    "fit",
    "directions",
    "tradeoff",
    "guarantee",
    "attack",
    "belief",
    "choosing",
    "assumptions",
    "compare",
    "decisions",
    "release",
    "wasserstein",
    "attribute",
    "attribute?attribute_tab=Distribution",
    "tour",
    "frameworks",
    "papers",
)


def go(page, name):
    """Choose a page from the navigation."""
    page.get_by_role("button", name=SECTION[name], exact=True).click()
    page.get_by_role("menu").get_by_text(name, exact=True).click()
    expect(page.get_by_role("heading", name=HEADINGS[name], exact=True)).to_be_visible()


def drawn(page, at_least):
    """Wait until that many charts are drawn, each with something in it."""
    charts = page.locator(".js-plotly-plot .main-svg")
    expect(charts.nth(0)).to_be_visible()
    page.wait_for_function(
        "least => [...document.querySelectorAll('.js-plotly-plot')]"
        ".filter(plot => plot.querySelector('.trace, .heatmaplayer image, .shapelayer path'))"
        ".length >= least",
        arg=at_least,
    )


def shot(page, name):
    folder = os.environ.get("DISTPRIV_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def words(text):
    """A text, whether its blanks break or not."""
    return re.compile(r"\s".join(map(re.escape, text.split(" "))))


def no_traceback(page):
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def people(path, size=2000):
    rng = np.random.default_rng(4)
    private = rng.random(size) < 0.6
    pd.DataFrame(
        {
            "wage": np.round(rng.normal(20, 4, size) + 2 * private, 2),
            "tenure": rng.integers(0, 30, size),
            "sector": np.where(private, "private", "public"),
            "union": rng.choice(["member", "not a member"], size),
        }
    ).to_csv(path, index=False, sep=";", decimal=",")


def test_the_whole_path(server, watched, tmp_path):
    watch = watched()
    page = watch.page
    page.goto(server)
    watch.idle()
    expect(page.get_by_role("heading", name=HEADINGS["Data"])).to_be_visible()
    expect(page.get_by_text("best possible attacker tells").first).to_be_visible()
    drawn(page, 1)
    for name in PAGES[1:]:
        go(page, name)
        watch.idle()
        drawn(page, 1)
        no_traceback(page)
        shot(page, f"walk-{name}")

    # The attack runs by itself and grows to its end.
    go(page, "Attack")
    expect(page.get_by_text("50 of 50 repetitions").first).to_be_visible(timeout=120_000)
    expect(page.locator("p", has_text="50 repetitions, seed 1")).to_be_visible()

    # ε moves the sentence, and the address keeps it.
    box = page.get_by_role("spinbutton", name="ε, exactly")
    box.fill("3")
    box.press("Enter")
    expect(page.get_by_text(words("With OptM at ε = 3")).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"eps=3"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    go(page, "Privacy–utility")
    expect(page.get_by_text(words("with OptM at ε = 3")).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"eps=3"))

    # An upload takes over; a bad one does not.
    go(page, "Data")
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n3,4,5\n")
    page.locator("input[type=file]").set_input_files(bad)
    expect(page.locator("[data-testid=stAlert]").first).to_contain_text("bad.csv")
    expect(page.get_by_text("Census income (synthetic)").first).to_be_visible()
    good = tmp_path / "people.csv"
    people(good)
    page.locator("input[type=file]").set_input_files(good)
    expect(page.get_by_text("2000 records you uploaded").first).to_be_visible()
    drawn(page, 1)
    for name in ("Secret & release", "Gaussian fit", "Choosing ε", "Compare & report", "Release"):
        go(page, name)
        watch.idle()
        drawn(page, 1)
        no_traceback(page)
        expect(page.locator("[data-testid=stMain] [data-testid=stAlert]")).to_have_count(0)
    go(page, "Attack")
    expect(page.get_by_text("50 of 50 repetitions").first).to_be_visible(timeout=120_000)
    assert "sector" not in page.url
    assert "union" not in page.url
    assert watch.console == []
    assert watch.hosts == {"127.0.0.1"}


def test_a_cold_deep_link(fresh_server, watched):
    """The first session after a start opens an inner page: frame, scenario and address hold."""
    watch = watched()
    page = watch.page
    page.goto(f"{fresh_server}/attack?eps=2.5&dp=0.2&mech=ExpM&secret=workclass+%3D+Private")
    watch.idle()
    expect(page.get_by_role("heading", name=HEADINGS["Attack"])).to_be_visible()
    expect(page.get_by_role("spinbutton", name="ε, exactly")).to_have_value("2.5")
    expect(page.get_by_text(words("With ExpM at ε = 2.5")).first).to_be_visible()
    expect(page.get_by_text(words("40 % from 60 % of")).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"/attack\?.*eps=2.5"))
    assert watch.hosts == {"127.0.0.1"}

    # The same link gives the same figures to somebody else.
    result = page.locator("p", has_text="50 repetitions, seed 1")
    result.wait_for(timeout=120_000)
    other = watched()
    other.page.goto(page.url)
    expect(other.page.locator("p", has_text="50 repetitions, seed 1")).to_have_text(
        result.inner_text(), timeout=120_000
    )


def test_no_page_is_wider_than_its_window(server, watched):
    """Each page opens on a phone, then the window grows to a laptop's and turns dark."""
    watch = watched(390, 844)
    page = watch.page
    for name in FILES:
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"{server}/{name}")
        for width, scheme in ((390, "light"), (1440, "dark")):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            watch.idle()
            drawn(page, 1)
            no_traceback(page)
            page.wait_for_function(
                "() => { const main = document.querySelector('[data-testid=stMain]');"
                " return main.scrollWidth <= main.clientWidth; }"
            )
            shot(page, f"{name.replace('?', '-') or 'data'}-{width}-{scheme}")
