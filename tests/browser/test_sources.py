"""A table of the server, from its name to a verdict, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.driver import Watched, blank, pick, shot, words

pytestmark = pytest.mark.browser

NAME = "Workers of the region"


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of Parquet that the server offers by a name."""
    rng, size = np.random.default_rng(4), 60_000
    private = rng.random(size) < 0.6
    folder = tmp_path / "kept-from-visitors"
    folder.mkdir()
    pd.DataFrame(
        {
            "wage": np.round(rng.normal(20, 4, size) + 2 * private, 2),
            "tenure": rng.integers(0, 30, size),
            "sector": np.where(private, "private", "public"),
            "union": rng.choice(["member", "not a member"], size, p=[0.2, 0.8]),
        }
    ).to_parquet(folder / "workers.parquet")
    file = tmp_path / "sources.toml"
    file.write_text(
        f'[[source]]\nname = "{NAME}"\nkind = "files"\nfiles = "{folder}/*.parquet"\n'
        "sample = 5000\n"
    )
    monkeypatch.setenv("DISTPRIV_SOURCES", str(file))


def test_a_large_upload_lies_on_disk_and_answers(
    fresh_server: str, watched: Callable[..., Watched], tmp_path: Path
) -> None:
    """Beyond 200 MB; numbers at random, which no file makes smaller."""
    rng, size = np.random.default_rng(5), 9_300_000
    private = rng.random(size) < 0.6
    pd.DataFrame(
        {
            "wage": rng.normal(20, 4, size) + 2 * private,
            "bonus": rng.normal(2, 1, size),
            "tenure": rng.normal(8, 1, size),
            "sector": pd.Categorical(np.where(private, "private", "public")),
        }
    ).to_parquet(tmp_path / "workers.parquet", compression=None)
    assert (tmp_path / "workers.parquet").stat().st_size > 200 * 1024**2
    watch = watched()
    page = watch.page
    page.goto(fresh_server)
    watch.idle()
    blank(page, "data")
    page.locator(".st-key-file input[type=file]").set_input_files(tmp_path / "workers.parquet")
    sentence = page.locator(".st-key-sentence")
    expect(sentence).to_contain_text(words("all 9 300 000 records"))
    expect(sentence).to_contain_text("workers.parquet")
    verdict = page.locator(".st-key-verdict p").first
    expect(verdict).to_contain_text("an attacker would guess")
    shot(page, "large_upload")
    watch.unharmed()


def test_a_table_of_the_server_is_chosen_by_name_and_answers(
    offered: None, fresh_server: str, watched: Callable[..., Watched]
) -> None:
    watch = watched()
    page = watch.page
    page.goto(fresh_server)
    watch.idle()
    blank(page, "data")
    pick(page, "Data", NAME)
    sentence = page.locator(".st-key-sentence")
    expect(sentence).to_contain_text(words("all 60 000 records"))
    expect(sentence).to_contain_text(NAME)
    verdict = page.locator(".st-key-verdict p").first
    expect(verdict).to_contain_text("an attacker would guess")
    watch.idle()
    before = verdict.text_content()
    epsilon = page.get_by_role("spinbutton", name="ε", exact=True)
    epsilon.fill("4")
    epsilon.press("Enter")
    expect(verdict).not_to_have_text(before or "")
    expect(verdict).to_contain_text(words("ε = 4"))
    expect(page.get_by_text(words("rest on a random sample of"))).to_have_count(1)
    shot(page, "source")
    assert "kept-from-visitors" not in page.content()
    assert "data=Workers" in page.url
    assert "wage" not in page.url
    page.reload()
    expect(verdict).to_contain_text(words("ε = 4"))
    expect(sentence).to_contain_text(words("all 60 000 records"))
    # The same address opens it for whoever comes next, but not for those who only look.
    other = watched()
    other.page.goto(page.url)
    expect(other.page.locator(".st-key-verdict p").first).to_contain_text(words("ε = 4"))
    expect(other.page.locator(".st-key-sentence")).to_contain_text(NAME)
    guest = watched()
    guest.page.goto(f"{page.url}&present=1")
    expect(guest.page.get_by_text("Tables of this server are for analysts")).to_be_visible()
    assert NAME not in guest.page.content()
    watch.unharmed()
    other.unharmed()
    guest.unharmed()
