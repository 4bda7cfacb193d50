"""A page that is really loaded again: everything is there, and a table is asked for first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import (
    Watched,
    arrived,
    drawn,
    go,
    no_traceback,
    people,
    says,
    shot,
    uploaded,
)

pytestmark = pytest.mark.browser


def set_epsilon(page: Page, value: str) -> None:
    box = page.get_by_role("spinbutton", name="ε, exactly")
    box.fill(value)
    box.press("Enter")


def saved(page: Page, text: str) -> None:
    """Wait until the tab has kept something."""
    page.wait_for_function(
        "text => sessionStorage.getItem('distpriv.workspace')?.includes(text)", arg=text
    )


def keep(page: Page, name: str) -> None:
    page.get_by_label("Name for the current scenario", exact=True).fill(name)
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_label("Name of kept scenario 1")).to_have_value(name)
    saved(page, name)


@pytest.fixture
def app(server: str, watched: Callable[..., Watched]) -> Iterator[Watched]:
    """The dashboard, which no reload may harm."""
    watch = watched()
    watch.page.goto(server)
    watch.idle()
    yield watch
    no_traceback(watch.page)
    assert watch.hosts == {"127.0.0.1"}
    # The address of a page, loaded anew: Streamlit looks for its own parts below it first.
    assert [text for text in watch.console if "404" not in text] == []


def test_an_example_is_all_there_after_a_reload(app: Watched) -> None:
    page = app.page
    go(page, "Compare")
    app.idle()
    keep(page, "first")
    set_epsilon(page, "2.5")
    saved(page, r"epsilon\": 2.5")
    set_epsilon(page, "4")
    saved(page, r"epsilon\": 4")
    # Where nobody writes: a shortcut takes one step back, and one forward.
    page.locator("h1").click()
    page.keyboard.press("Alt+z")
    expect(page.get_by_label("ε, exactly", exact=True)).to_have_value("2.5")
    page.keyboard.press("Alt+y")
    expect(page.get_by_label("ε, exactly", exact=True)).to_have_value("4")
    saved(page, r"epsilon\": 4")
    page.reload()
    expect(page.get_by_label("Name of kept scenario 1")).to_have_value("first")
    expect(page.get_by_label("ε, exactly", exact=True)).to_have_value("4")
    # An address that asks for nothing shows it too; one that asks for something has its way.
    page.goto(page.url.split("/compare")[0])
    expect(page.get_by_role("spinbutton", name="ε", exact=True)).to_have_value("4")
    page.goto(page.url.partition("?")[0] + "compare?eps=0.5")
    expect(page.get_by_label("Name of kept scenario 2")).to_have_value("before")
    expect(page.get_by_label("ε, exactly", exact=True)).to_have_value("0.5")
    assert "first" not in page.url


def test_an_upload_is_asked_for_before_anything_else(app: Watched, tmp_path: Path) -> None:
    page, table = app.page, tmp_path / "people.csv"
    people(table)
    uploaded(page, table, "2 000")
    go(page, "Compare")
    app.idle()
    set_epsilon(page, "2.5")
    saved(page, r"epsilon\": 2.5")
    app.idle()
    keep(page, "mine")
    drawn(page, 4)
    shown = page.get_by_text("is the safest").first
    expect(shown).to_contain_text("mine")
    before = shown.inner_text()
    assert "wage" not in page.url
    page.reload()
    says(page, "You were working on")
    says(page, "people.csv")
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    expect(page.locator("[data-testid=stDataFrame]")).to_have_count(0)
    expect(page.get_by_text("income")).to_have_count(0)
    shot(page, "reload-asks")
    people(tmp_path / "other.csv", 1900)
    page.locator("input[type=file]").set_input_files(tmp_path / "other.csv")
    says(page, "other.csv is another table")
    shot(page, "reload-other")
    page.locator("input[type=file]").set_input_files(table)
    arrived(page, "Compare")
    expect(page.get_by_label("Name of kept scenario 1")).to_have_value("mine")
    expect(page.get_by_label("ε, exactly", exact=True)).to_have_value("2.5")
    drawn(page, 4)
    expect(page.get_by_text("is the safest").first).to_have_text(before)
