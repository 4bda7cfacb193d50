"""The Attribute privacy page in a real browser: tables typed into, wrong values, files."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import (
    alert,
    drawn,
    go,
    pick,
    pick_one_more,
    says,
    shot,
    type_into,
    unfold,
    words,
)

pytestmark = pytest.mark.browser


def table_of(page: Page, node: str) -> None:
    """Choose whose table is edited, and wait until it is the one that shows."""
    pick(page, "Table of", node)
    tables = page.locator("[class*=st-key-quilt_table_][data-stale=false]")
    expect(tables).to_have_class(re.compile(rf"st-key-quilt_table_\d+_\d+_{node}_"))


def test_the_hospital_is_edited_saved_and_loaded(app, tmp_path):
    page = app.page
    go(page, "Attribute privacy")
    says(page, "average weight by 12.5 pounds")
    drawn(page, 1)
    shot(page, "attribute-dataset")
    # Twice the distance of the shares.
    type_into(app, "assumptions", 0, 4, "0.5")
    says(page, "average weight by 25.1 pounds")
    # The upper slope below the lower one: a sentence, and the edit stays.
    type_into(app, "assumptions", 0, 6, "1")
    expect(alert(page)).to_contain_text("runs from 3 to 1")
    type_into(app, "assumptions", 0, 5, "1")
    says(page, "average weight by 6.99")
    expect(alert(page)).to_have_count(0)
    app.idle()
    unfold(page, "Save, load, start again")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as JSON").click()
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    row = json.loads(saved.read_text(encoding="utf-8"))["assumptions"][0]
    assert (row["diameter"], row["slope"]) == (0.5, [1, 1])
    page.get_by_role("button", name="The hospital again").click()
    says(page, "average weight by 12.5 pounds")
    page.locator("input[type=file]").set_input_files(saved)
    says(page, "average weight by 6.99")
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    page.locator("input[type=file]").set_input_files(broken)
    expect(alert(page)).to_contain_text("broken.json: The file is not JSON (line 1)")
    says(page, "average weight by 6.99")
    # The edits are there after a visit to another page.
    go(page, "Directions")
    go(page, "Attribute privacy")
    says(page, "average weight by 6.99")
    unfold(page, "From your table")
    says(page, "delivered, by the fitted normals")


def test_the_school_s_network_is_edited(app, tmp_path):
    page = app.page
    go(page, "Attribute privacy")
    page.get_by_role("tab", name="Distribution").click()
    says(page, "no noise is needed")
    says(page, "Algorithm 2 finds the same")
    drawn(page, 1)
    shot(page, "attribute-distribution")
    pick(page, "Release", "students taller than 66 inches with an SAT score above 1300")
    says(page, "moves it by 100 on average")
    # The scores alone move it by 60: a quilt is better than none.
    type_into(app, "quilt_delta_0_1", 1, 1, "60")
    says(page, "moves it by 62.8 on average")
    type_into(app, "quilt_delta_0_1", 1, 1, "-60")
    expect(alert(page)).to_contain_text("finite number from 0 on, got -60")
    type_into(app, "quilt_delta_0_1", 1, 1, "60")
    says(page, "moves it by 62.8 on average")

    # A row that does not sum to 1, then one that does.
    table_of(page, "gender")
    type_into(app, "quilt_table_0_0_gender", 1, 1, "0.9")
    expect(alert(page)).to_contain_text("'gender' where family income = middle sum to 1.13")
    table_of(page, "weight")
    table_of(page, "gender")
    expect(alert(page)).to_contain_text("'gender' where family income = middle sum to 1.13")
    type_into(app, "quilt_table_0_0_gender", 1, 2, "0.1")
    expect(alert(page)).to_have_count(0)
    expect(page.get_by_text(re.compile(r"take the quilt gender")).first).to_contain_text("0.956")

    # Two attributes hidden at once; the tab is in the address.
    pick_one_more(page, "Hide how these are distributed", "weight")
    says(page, "how family income and weight are distributed")
    expect(page).to_have_url(re.compile("attribute_tab=Distribution"))

    app.idle()
    unfold(page, "Save, load, start again")
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
    expect(alert(page)).to_contain_text("The edges make a cycle")
    page.get_by_role("button", name="The school again").click()
    says(page, "no noise is needed")
    expect(page.get_by_text(words("how family income and weight are distributed"))).to_have_count(0)

    unfold(page, "From your table")
    page.get_by_role("button", name="Learn a network").click()
    says(page, re.compile("Learned from 45.222 records of Census"))
    drawn(page, 1)
