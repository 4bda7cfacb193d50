"""Paper results in a real browser: the run grows and stops, a table shows its verdicts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driver import go, says

pytestmark = pytest.mark.browser


def test_the_run_and_a_table(app):
    page = app.page
    go(page, "Paper results")
    says(page, "figures that three papers print")
    says(page, re.compile("repetitions of 23 attacks"))
    page.get_by_role("button", name="Stop", exact=True).click()
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_enabled()
    says(page, re.compile(r"attacks, stopped"))
    run.click()
    expect(page.get_by_text("20 of 20 repetitions of 23 attacks").first).to_be_visible()
    expect(page.get_by_role("button", name="Run again", exact=True)).to_be_enabled()
    expect(page.get_by_text("wait for more repetitions")).to_have_count(0)
    page.get_by_role("tab", name="One at a time").click()
    page.get_by_role("radio", name="Figure 1", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("^Figure 1: "))).to_be_visible()
    says(page, re.compile("^Erratum 9: "))
    says(page, "Which mass moves where")
