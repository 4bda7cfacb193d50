"""A large table of one's own: how far it is read shows, and impatience does not lose it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from playwright.sync_api import expect

from tests.browser.driver import Watched, upload, words

pytestmark = pytest.mark.browser

RECORDS = 1_000_000


def test_a_click_while_a_large_file_is_read_does_not_lose_it(app: Watched, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    columns = {f"count{place}": rng.integers(0, 1000, RECORDS) for place in range(18)}
    columns["sector"] = np.where(rng.random(RECORDS) < 0.4, "private", "public")
    path = tmp_path / "large.csv"
    pyarrow.csv.write_csv(pa.table(columns), path)
    page = app.page
    upload(page, path)
    reading = page.get_by_text("Reading large.csv:")
    expect(reading).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    page.get_by_role("slider").first.press("ArrowRight")
    sentence = page.locator(".st-key-sentence")
    expect(sentence).to_contain_text(words("all 1 000 000 records"), timeout=60_000)
    expect(sentence).to_contain_text("large.csv")
    expect(reading).to_have_count(0)
