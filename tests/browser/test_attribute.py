"""The Attribute privacy page in a real browser: tables typed into, wrong values, files."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched
from tests.browser.test_controls import app as opened  # noqa: F401
from tests.browser.test_controls import pick, pick_one_more
from tests.browser.test_walk import drawn, go, shot, words

pytestmark = pytest.mark.browser


def type_into(app: Watched, editor: str, row: int, column: int, value: str) -> None:
    """Type a value into a cell of the editor whose key starts so; the grid is a canvas.

    A cell is clicked, and the keys go on from the first one.
    """
    page = app.idle()
    grid = page.locator(f"[class*=st-key-{editor}]").first
    grid.scroll_into_view_if_needed()
    chosen = grid.locator("td[aria-selected=true]")
    grid.locator(".dvn-scroller").click(position={"x": 60, "y": 52})
    expect(chosen).to_have_count(1)
    # A grid just drawn lets the first keys pass.
    for _ in range(10):
        page.keyboard.press("Control+Home")
        if chosen.and_(grid.locator("#glide-cell-0-0, #glide-cell-1-0")).count():
            break
        page.wait_for_timeout(500)
    expect(chosen).to_have_id(re.compile("^glide-cell-[01]-0$"))
    first = int(str(chosen.get_attribute("id")).split("-")[2])
    for step in range(row):
        page.keyboard.press("ArrowDown")
        expect(chosen).to_have_id(f"glide-cell-{first}-{step + 1}")
    for step in range(column):
        page.keyboard.press("ArrowRight")
        expect(chosen).to_have_id(f"glide-cell-{first + step + 1}-{row}")
    page.keyboard.press("Enter")
    box = page.locator("input.gdg-input")
    box.fill(value)
    box.press("Enter")
    expect(box).to_have_count(0)
    app.idle()


def table_of(page: Page, node: str) -> None:
    """Choose whose table is edited, and wait until it is the one that shows."""
    pick(page, "Table of", node)
    tables = page.locator("[class*=st-key-quilt_table_][data-stale=false]")
    expect(tables).to_have_class(re.compile(rf"st-key-quilt_table_\d+_\d+_{node}_"))


def alert(page: Page) -> object:
    return expect(page.locator("[data-testid=stMain] [data-testid=stAlert]"))


def test_the_hospital_is_edited_saved_and_loaded(opened, tmp_path):  # noqa: F811
    page = opened.page
    go(page, "Attribute privacy")
    expect(page.get_by_text(words("average weight by 12.5 pounds")).first).to_be_visible()
    drawn(page, 1)
    shot(page, "attribute-dataset")
    # Twice the distance of the shares.
    type_into(opened, "assumptions", 0, 4, "0.5")
    expect(page.get_by_text(words("average weight by 25.1 pounds")).first).to_be_visible()
    # The upper slope below the lower one: a sentence, and the edit stays.
    type_into(opened, "assumptions", 0, 6, "1")
    alert(page).to_contain_text("runs from 3 to 1")
    type_into(opened, "assumptions", 0, 5, "1")
    expect(page.get_by_text(words("average weight by 6.99")).first).to_be_visible()
    alert(page).to_have_count(0)
    opened.idle()
    page.get_by_text("Save, load, start again", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as JSON").click()
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    row = json.loads(saved.read_text(encoding="utf-8"))["assumptions"][0]
    assert (row["diameter"], row["slope"]) == (0.5, [1, 1])
    page.get_by_role("button", name="The hospital again").click()
    expect(page.get_by_text(words("average weight by 12.5 pounds")).first).to_be_visible()
    page.locator("input[type=file]").set_input_files(saved)
    expect(page.get_by_text(words("average weight by 6.99")).first).to_be_visible()
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    page.locator("input[type=file]").set_input_files(broken)
    alert(page).to_contain_text("broken.json: The file is not JSON (line 1)")
    expect(page.get_by_text(words("average weight by 6.99")).first).to_be_visible()
    # The edits are there after a visit to another page.
    go(page, "Directions")
    go(page, "Attribute privacy")
    expect(page.get_by_text(words("average weight by 6.99")).first).to_be_visible()
    page.get_by_text("From your table", exact=True).click()
    expect(page.get_by_text(words("delivered, with the covariance")).first).to_be_visible()


def test_the_school_s_network_is_edited(opened, tmp_path):  # noqa: F811
    page = opened.page
    go(page, "Attribute privacy")
    page.get_by_role("tab", name="Distribution").click()
    expect(page.get_by_text(words("no noise is needed")).first).to_be_visible()
    expect(page.get_by_text(words("Algorithm 2 finds the same")).first).to_be_visible()
    drawn(page, 1)
    shot(page, "attribute-distribution")
    pick(page, "Release", "students taller than 66 inches with an SAT score above 1300")
    expect(page.get_by_text(words("moves it by 100 on average")).first).to_be_visible()
    # The scores alone move it by 60: a quilt is better than none.
    type_into(opened, "quilt_delta_0_1", 1, 1, "60")
    expect(page.get_by_text(words("moves it by 62.8 on average")).first).to_be_visible()
    type_into(opened, "quilt_delta_0_1", 1, 1, "-60")
    alert(page).to_contain_text("finite number from 0 on, got -60")
    type_into(opened, "quilt_delta_0_1", 1, 1, "60")
    expect(page.get_by_text(words("moves it by 62.8 on average")).first).to_be_visible()

    # A row that does not sum to 1, then one that does.
    table_of(page, "gender")
    type_into(opened, "quilt_table_0_0_gender", 1, 1, "0.9")
    alert(page).to_contain_text("'gender' where family income = middle sum to 1.13")
    table_of(page, "weight")
    table_of(page, "gender")
    alert(page).to_contain_text("'gender' where family income = middle sum to 1.13")
    type_into(opened, "quilt_table_0_0_gender", 1, 2, "0.1")
    alert(page).to_have_count(0)
    expect(page.get_by_text(re.compile(r"take the quilt gender")).first).to_contain_text("0.956")

    # Two attributes hidden at once; the tab is in the address.
    pick_one_more(page, "Hide how these are distributed", "weight")
    expect(
        page.get_by_text(words("how family income and weight are distributed")).first
    ).to_be_visible()
    expect(page).to_have_url(re.compile("attribute_tab=Distribution"))

    opened.idle()
    page.get_by_text("Save, load, start again", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as JSON").click()
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    whole = json.loads(saved.read_text(encoding="utf-8"))
    assert whole["protected"] == ["family income", "weight"]
    assert whole["tables"][0]["gender"][1] == [0.9, 0.1]
    whole["edges"].append(["weight", "gender"])
    saved.write_text(json.dumps(whole))
    page.locator("input[type=file]").set_input_files(saved)
    alert(page).to_contain_text("The edges make a cycle")
    page.get_by_role("button", name="The school again").click()
    expect(page.get_by_text(words("no noise is needed")).first).to_be_visible()
    expect(page.get_by_text(words("how family income and weight are distributed"))).to_have_count(0)

    page.get_by_text("From your table", exact=True).click()
    page.get_by_role("button", name="Learn a network").click()
    expect(
        page.get_by_text(re.compile("Learned from 45.222 records of Census")).first
    ).to_be_visible()
    drawn(page, 1)
