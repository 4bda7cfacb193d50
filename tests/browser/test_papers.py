"""Paper results in a real browser: the run grows and stops, a table shows its verdicts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_the_run_and_a_table(server, watched):
    watch = watched()
    page = watch.page
    page.goto(server)
    watch.idle()
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("menu").get_by_text("Paper results", exact=True).click()
    expect(page.get_by_text("figures that three papers print").first).to_be_visible()
    expect(page.get_by_text(re.compile("repetitions of 23 attacks")).first).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_enabled()
    expect(page.get_by_text(re.compile(r"attacks, stopped")).first).to_be_visible()
    run.click()
    expect(page.get_by_text("20 of 20 repetitions of 23 attacks").first).to_be_visible(
        timeout=120_000
    )
    expect(page.get_by_role("button", name="Run again", exact=True)).to_be_enabled()
    expect(page.get_by_text("wait for more repetitions")).to_have_count(0)
    page.get_by_role("radio", name="Figure 1", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("^Figure 1: "))).to_be_visible()
    expect(page.get_by_text(re.compile("^Erratum 9: ")).first).to_be_visible()
    expect(page.get_by_text("Which mass moves where").first).to_be_visible()
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
    assert watch.console == []
    assert watch.hosts == {"127.0.0.1"}
