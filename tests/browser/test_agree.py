"""Two people take a table from its upload to an agreed decision and a release, in Chromium."""

from __future__ import annotations

import os
import re
from collections import Counter

import pytest
from playwright.sync_api import Locator, expect

from distpriv.records import decisions, ledger
from distpriv.records.store import Store
from tests.browser.browsing import idle, visit

expect.set_options(timeout=20_000)
pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

PEOPLE = [
    "age;shop;buyer",
    *(f"{20 + i % 50};{'ab'[i % 3 > 1]};{'yn'[i * 7 % 10 > 2]}" for i in range(400)),
]


def test_two_people_agree_on_a_release(served, chromium, tmp_path):
    actions: Counter[str] = Counter()

    def click(who: str, element: Locator, count: int = 1) -> None:
        actions[who] += 1
        element.click(click_count=count, delay=30)

    # Ana: from a CSV to a proposal.
    ana = visit(chromium, served)
    path = tmp_path / "buyers.csv"
    path.write_text("\n".join(PEOPLE))
    click("ana", ana.get_by_role("button", name="Use my own table"))
    actions["ana"] += 1
    ana.locator("[role=dialog] input[type=file]").set_input_files(path)
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
    expect(ana.locator("h1")).to_have_text(re.compile("^1 released"))
    assert actions["ana"] <= 8
    [entry] = ledger.releases(store, "buyers.csv")
    assert (entry.decision, entry.author) == (decision.key, "Ana")
    assert decisions.decision(store, decision.key).now.author == "Bo"
