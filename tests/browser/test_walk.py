"""Walks through the dashboard in Chromium: from a cold deep link to a phone, and to a release."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from distpriv.records import decisions, ledger
from distpriv.records.store import Store
from tests.browser.browsing import idle, open_tab, visit

expect.set_options(timeout=20_000)  # files are read in a process that two busy cores start slowly
pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

EVIL = "![x](http://a.example/x.png) www.a.example"
PEOPLE = [
    f"age;shop;{EVIL}",
    *(f"{20 + i % 50};{'ab'[i % 3 > 1]};{'yn'[i * 7 % 10 > 2]}" for i in range(390)),
    *["unknown;a;n"] * 10,
]
BUYERS = [
    "age;shop;buyer",
    *(f"{20 + i % 50};{'ab'[i % 3 > 1]};{'yn'[i * 7 % 10 > 2]}" for i in range(400)),
]
PAGES = ["Check", "Trade-off", "Fit", "Directions", "Guarantee", "Attack"]


@pytest.fixture(scope="module")
def screen(chromium) -> BrowserContext:
    """A browser that need not load again what it has loaded."""
    return chromium.new_context(reduced_motion="reduce")


def title(page: Page, *starts: str) -> None:
    """Wait for a title that begins so."""
    idle(page)
    text = page.locator("h1").first.text_content() or ""
    assert text.startswith(starts), text


def go(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()
    idle(page)
    expect(page).to_have_title(f"{name} · distpriv")


def upload(page: Page, name: str, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    file = {"name": name, "mimeType": "text/csv", "buffer": data}
    page.locator("[role=dialog] input[type=file]").set_input_files(file)


def test_walk(served, screen):
    # A cold deep link: no session has run yet, and the first one begins on a page of its own.
    urls: list[str] = []
    page = open_tab(screen, f"{served}/attack?limit=65", urls=urls)
    title(page, "Right ")
    expect(page.get_by_role("slider", name="Right guesses")).to_have_value("65")

    # The live attack climbs, and stops.
    progress = page.get_by_test_id("stProgress")
    page.get_by_role("button", name="Run again").click()
    expect(progress).to_contain_text("simulations")
    page.get_by_role("button", name="Stop").click()
    expect(progress).to_contain_text("Stopped after")

    go(page, "Check")

    # A wrong number is named, stays in its field, and changes nothing; then undo.
    page.get_by_role("radio", name="ε and δ", exact=True).click()
    epsilon = page.get_by_role("textbox", name="ε", exact=True)
    epsilon.fill("abc")
    epsilon.press("Enter")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("is not a number")
    expect(epsilon).to_have_value("abc")
    epsilon.fill("0,7")
    epsilon.press("Enter")
    idle(page)
    assert "epsilon=0.7" in page.url
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("slider", name="Right guesses")).to_be_visible()
    idle(page)
    assert urlsplit(page.url).query == "limit=65&seed=1"

    # Files that are none are a sentence; an ordinary one ends in a recommendation.
    page.get_by_role("button", name="Use my own table").click()
    for name, content in {"empty.csv": "", "photo.csv": b"\x89PNG\r\n\x1a\n\0\0"}.items():
        upload(page, name, content)
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(name)
    upload(page, "people.csv", "\n".join(PEOPLE))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("400 records, 3 columns")
    dialog.get_by_role("button", name="Keep as answers").click()
    dialog.get_by_role("button", name="Read as at first").click()
    expect(dialog.get_by_role("button", name="Keep as answers")).to_be_visible()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(dialog).to_be_hidden()
    title(page, "An attacker")
    expect(page.locator(".st-key-advice")).to_contain_text("Publish")
    expect(page.locator(".st-key-lead")).to_contain_text("![x](http:")
    assert urlsplit(page.url).query == "table=upload&limit=65&seed=1"
    page.get_by_role("button", name="How it was read").click()
    expect(dialog).to_contain_text("Read: semicolons between values")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    # Every page on it, without a look at another host, a picture of the table's, or a link.
    for name in PAGES:
        if name != "Check":
            go(page, name)
        assert page.get_by_test_id("stAlert").count() == 0
        assert page.get_by_test_id("stException").count() == 0
        assert page.locator("a[href*='a.example'], img[src*='a.example']").count() == 0
    assert {urlsplit(url).hostname for url in urls} <= {"127.0.0.1", None}

    # A phone: nothing is wider than the screen.
    phone = open_tab(screen, served, "390")
    for name in ("Check", "Attack", "Guarantee"):
        if name != "Check":
            phone.goto(f"{served}/{name.lower()}")
            idle(phone)
        assert phone.evaluate("document.scrollingElement.scrollWidth") <= 390
        main = "document.querySelector('[data-testid=stMain]')"
        assert phone.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")

    # And the sidebar, which covers most of it, shuts and opens; the browser remembers the last.
    opens = phone.get_by_test_id("stExpandSidebarButton")
    shuts = phone.get_by_role("button", name="Collapse sidebar")
    opens.click()
    shuts.click()
    opens.click()
    expect(shuts).to_be_visible()


# What is hit by a finger, or read by a machine: without a name, or under 24 pixels.
POOR = """() => [...document.querySelectorAll("a[href], button, input, textarea, [role=radio]")]
  .filter(one => one.checkVisibility({opacityProperty: true, visibilityProperty: true}))
  .filter(one => !one.matches("[type=file], [tabindex='-1'], [href='#stMain']"))
  .map(one => {
    const {width, height} = one.getBoundingClientRect();
    const label = document.getElementById(one.getAttribute("aria-labelledby"));
    const words = one.ariaLabel ?? (label ?? one.labels?.[0] ?? one).innerText;
    const framed = one.matches("input");  // whose frame is hit
    const small = Math.min(width, height) < 24 && !framed;
    return small || !words?.trim() ? `${width} ${height} ${words} ${one.outerHTML}` : "";
  }).filter(Boolean)"""

NAMED = """() => {
  const charts = document.querySelectorAll(".js-plotly-plot").length;
  return charts > 0 && document.querySelectorAll("main [role=figure][aria-label]").length >= charts;
}"""


def test_screen_readers_keyboards_and_large_print_are_served(served, screen):
    page = open_tab(screen, served)
    spoken, slider = page.locator("#spoken"), page.get_by_role("slider", name="Right guesses")
    expect(spoken).to_contain_text(page.locator("h1").inner_text())
    expect(spoken).to_have_role("status")
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.evaluate(POOR) == []
    levels = "[...document.querySelectorAll('main :is(h1, h2, h3)')].map(one => +one.tagName[1])"
    heads = page.evaluate(levels)
    assert heads[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(heads))
    page.wait_for_function(NAMED)  # charts are drawn late

    # The verdict is spoken when it changes, and so is what is wrong with a number.
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(spoken).to_contain_text("you accept 61.")
    expect(slider).to_be_focused()
    box = page.get_by_role("combobox", name="Of how many records")
    box.fill("1000")  # over 100, of which it is no continuation
    expect(box).to_have_value("1000")
    box.fill("2,5")
    box.press("Enter")
    expect(spoken).to_contain_text("Choose a number from 4 to")
    page.get_by_role("radio", name="ε and δ", exact=True).click()
    epsilon = page.get_by_role("textbox", name="ε", exact=True)
    epsilon.fill("0,250")
    epsilon.press("Enter")
    expect(epsilon).to_have_value("0.25")
    expect(epsilon).to_be_focused()

    # Nothing moves for those who ask for that, not for a moment: with 1 ms on every element, each
    # change of a style started thousands of transitions, and a page took 17 s instead of 3. With
    # colours of their own, choices have a frame.
    moving = "[...document.querySelectorAll('*')].filter(one => parseFloat("
    moving += "getComputedStyle(one).transitionDuration) > 0).length"
    assert page.evaluate(moving) == 0
    page.emulate_media(forced_colors="active")
    frame = "one => getComputedStyle(one).outlineStyle"
    chosen, other = (page.get_by_role("radio", name=name) for name in ("ε and δ", "Right guesses"))
    assert (chosen.evaluate(frame), other.evaluate(frame)) == ("solid", "none")
    page.emulate_media(forced_colors="none")

    # At 400 % nothing is cut off at the right.
    page.set_viewport_size({"width": 320, "height": 256})
    idle(page)
    assert narrow(page)
    page.close()


def narrow(page):
    main = "document.querySelector('[data-testid=stMain]')"
    page_fits = page.evaluate("document.scrollingElement.scrollWidth <= 320")
    return page_fits and page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")


@pytest.mark.skipif("DISTPRIV_ROUNDS" not in os.environ, reason="makes part of `make rounds`")
def test_what_is_typed_and_where_one_is_outlast_the_way_to_other_pages(served, screen):
    page = open_tab(screen, f"{served}/?epsilon=0.25")
    epsilon = page.get_by_role("textbox", name="ε", exact=True)

    # The browser's Back sends the number that is still being typed, and then leaves the page.
    go(page, "Fit")
    place = page.evaluate("navigation.currentEntry.index")
    epsilon.fill("0.75")
    page.go_back()
    page.wait_for_function("place => navigation.currentEntry.index < place", arg=place)
    idle(page)
    expect(epsilon).to_have_value("0.75")
    assert page.evaluate("navigation.currentEntry.index") < place

    # A guess by keyboard leaves one at the answer, also at 400 %.
    page.set_viewport_size({"width": 320, "height": 256})
    page.goto(f"{served}/tour?step=2")
    idle(page)
    assert narrow(page)
    page.get_by_role("button", name="That is my guess").focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_be_focused()
    page.close()


def test_two_people_agree_on_a_release(served, screen, chromium, tmp_path):
    actions: Counter[str] = Counter()

    def click(who: str, element: Locator, count: int = 1) -> None:
        actions[who] += 1
        element.click(click_count=count, delay=30)

    # Ana: from a CSV to a proposal.
    ana = open_tab(screen, served)
    path = tmp_path / "buyers.csv"
    path.write_text("\n".join(BUYERS))
    click("ana", ana.get_by_role("button", name="Use my own table"))
    actions["ana"] += 1
    ana.locator("[role=dialog] input[type=file]").set_input_files(path)
    expect(ana.get_by_role("dialog")).to_contain_text(f"{len(BUYERS) - 1} records")
    idle(ana)  # a click while the answers are drawn anew could fall between two buttons
    click("ana", ana.get_by_role("button", name="Check", exact=True))
    click("ana", ana.locator("[data-testid=stMain] a[href$=decide]"))
    expect(ana.get_by_role("heading", name="Propose", exact=True)).to_be_visible()
    idle(ana)
    ana.get_by_label("Who could want to know").fill("Competitors ![x](http://a.example/x.png)")
    ana.get_by_label("Why should it be published").fill("The board *asked*.")
    ana.get_by_role("textbox", name="Your name").fill("Ana")
    click("ana", ana.get_by_role("button", name="Propose"), 2)  # twice counts once
    expect(ana.locator("h1")).to_have_text("Waiting for an answer")
    assert actions["ana"] == 5
    store = Store(os.environ["DISTPRIV_DATABASE"])
    [decision] = [one for one in decisions.decisions(store) if one.now.name == "buyers.csv"]
    assert len(decision.versions) == 1

    # Bo: behind the link, on a phone that has seen nothing before.
    ana.get_by_role("button", name="Link to hand on").click()
    address = ana.get_by_test_id("stPopoverBody").locator("code").text_content()
    bo = visit(chromium, address, "390")
    expect(bo).to_have_title("Answer · distpriv")
    assert bo.url == address
    expect(bo.locator(".st-key-asked")).to_be_in_viewport(ratio=1)
    assert bo.evaluate("document.scrollingElement.scrollWidth") <= 390
    assert bo.locator("img[src*='a.example']").count() == 0
    bo.get_by_role("textbox", name="Your name").fill("Bo")
    click("bo", bo.get_by_text("Go ahead", exact=True))
    click("bo", bo.get_by_role("button", name="Put on record"), 2)
    expect(bo.locator("h1")).to_have_text("Agreed")
    assert actions["bo"] == 2

    # Ana's page, still open, has noticed; and she releases.
    release = ana.get_by_test_id("stMain").get_by_role("link", name="Release")
    expect(release).to_be_visible()
    ana.keyboard.press("Escape")
    click("ana", release)
    expect(ana.locator("h1")).to_have_text("Nothing released yet")
    idle(ana)
    click("ana", ana.get_by_test_id("stMain").get_by_role("button", name="Release"), 2)
    expect(ana.locator("h1")).to_have_text(re.compile("^1 release,"))
    assert actions["ana"] <= 8
    [entry] = ledger.releases(store, "buyers.csv")
    assert (entry.decision, entry.author) == (decision.key, "Ana")
    assert decisions.decision(store, decision.key).now.author == "Bo"
