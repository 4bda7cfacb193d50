"""The way from a table to a decision, counted in what a person does: clicks, texts, files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.driver import Watched, arrived, says, shot, words

pytestmark = pytest.mark.browser

SECRET = "Secret: share of records with …"
WIDE, NARROW = (1440, 900), (390, 844)
TO_EPSILON, TO_REPORT, TO_RELEASE = 3, 6, 9


@dataclass
class Hand:
    """What a person does, counted: a click, a typed text, a chosen file or option is one."""

    page: Page
    done: int = 0

    def click(self, what: Locator) -> None:
        """Click something."""
        self.done += 1
        what.click()

    def write(self, label: str, text: str) -> None:
        """Type a text into its field."""
        self.done += 1
        self.page.get_by_role("textbox", name=label, exact=True).fill(text)

    def open(self, path: Path) -> None:
        """Choose a file as one's table."""
        self.done += 1
        self.page.locator(".st-key-file input[type=file]").set_input_files(path)

    def choose(self, label: str, option: str) -> None:
        """Choose an option."""
        self.done += 1
        box = self.page.get_by_role("combobox", name=label, exact=True)
        box.click()
        self.page.get_by_role("option", name=option, exact=True).click()
        expect(box).to_have_value(option)


def hospital(path: Path) -> None:
    """A table whose secret is coded as 0 and 1, with a key and a date that nobody averages."""
    rng, size = np.random.default_rng(17), 1500
    again = (rng.random(size) < 0.3).astype(int)
    pd.DataFrame(
        {
            "patient_nbr": np.arange(size) + 70_000_001,
            "admitted": pd.date_range("2024-01-01", periods=size, freq="h").strftime("%Y-%m-%d"),
            "age": np.round(rng.normal(52, 14, size) + 6 * again),
            "days": rng.poisson(3 + 2 * again),
            "drugs": rng.poisson(9 + 4 * again),
            "diabetic": (rng.random(size) < 0.2 + 0.3 * again).astype(int),
            "readmitted": again,
        }
    ).to_csv(path, index=False)


def many(path: Path) -> None:
    """A hundred thousand records."""
    rng, size = np.random.default_rng(18), 100_000
    member = rng.random(size) < 0.4
    pd.DataFrame(
        {
            "hours": np.round(rng.normal(36, 6, size) + member, 1),
            "wage": np.round(rng.gamma(9, 2.5, size) + 2 * member, 2),
            "site": rng.choice(["north", "south", "west"], size),
            "contract": np.where(member, "permanent", "temporary"),
        }
    ).to_csv(path, index=False)


def recommended(page: Page, secret: str) -> None:
    """Wait for the verdict on a secret, with the noise to take at the guesses to start with."""
    verdict = page.locator(".st-key-verdict")
    expect(verdict).to_contain_text(secret)
    expect(verdict).to_contain_text(re.compile(r"We\srecommend\s\S+,\sε\s=\s[\d.]+:\s60\sof\s100"))
    expect(verdict).to_contain_text(words("promise kept"))


def seen_at_once(page: Page, size: tuple[int, int]) -> None:
    """What has to be seen without scrolling, wholly."""
    question, verdict = page.locator(".st-key-sentence"), page.locator(".st-key-verdict")
    slider = page.get_by_test_id("stSlider").filter(has_text="Right guesses you allow")
    whole = [question, verdict, slider]
    if size == WIDE:
        buttons = page.get_by_test_id("stMain").get_by_role("button")
        whole += [
            page.locator(".js-plotly-plot").first,
            page.get_by_test_id("stDataFrame").or_(page.get_by_test_id("stTable")).first,
            page.get_by_text("What is hidden, and what is not.").first,
            *(buttons.filter(has_text=way) for way in ("Save", "Compare", "Propose")),
        ]
    for part in whole:
        expect(part).to_be_in_viewport(ratio=1)


def reported(hand: Hand, browser: Browser, folder: Path, says_too: str) -> None:
    """Build the report, save it, and read and print it without a network."""
    page = hand.page
    hand.click(page.get_by_test_id("stMain").get_by_role("link", name="Report", exact=True))
    arrived(page, "Decide & report")
    hand.click(page.get_by_role("button", name="Build the report"))
    with page.expect_download() as download:
        hand.click(page.get_by_role("button", name="HTML, to read and print"))
    path = folder / "report.html"
    download.value.save_as(path)
    context = browser.new_context(offline=True)
    report = context.new_page()
    report.goto(path.as_uri())
    expect(report.get_by_text(says_too).first).to_be_visible()
    assert report.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    context.close()


def released(hand: Hand) -> None:
    """Release without a decision, with the reason that this takes."""
    page = hand.page
    hand.click(page.get_by_test_id("stMain").get_by_role("link", name="Release", exact=True).last)
    arrived(page, "Release")
    hand.click(page.get_by_role("button", name="Release …"))
    hand.write("Why it goes out all the same", "The board wants it today.")
    hand.click(page.get_by_role("button", name="Draw the noise and release"))
    expect(page.get_by_role("heading", name="What was released")).to_be_visible()
    says(page, "and stands in the ledger")


def begun(watched, server: str, size: tuple[int, int], scheme: str) -> tuple[Watched, Hand]:
    watch = watched(*size, scheme)
    watch.page.goto(server)
    watch.idle()
    return watch, Hand(watch.page)


@pytest.mark.parametrize(
    ("write", "secret", "size", "scheme"),
    [(hospital, "diabetic = 1", WIDE, "light"), (many, "contract = temporary", NARROW, "dark")],
    ids=["0/1-wide-light", "100000-narrow-dark"],
)
def test_from_an_upload_to_a_release(
    fresh_server, watched, browser, tmp_path, write, secret, size, scheme
):
    """On a database of its own, which no other test's decisions are in."""
    table = tmp_path / "mine.csv"
    write(table)
    watch, hand = begun(watched, fresh_server, size, scheme)
    page = hand.page
    hand.open(table)
    expect(page.locator(".st-key-sentence")).to_contain_text("mine.csv")
    watch.idle()  # nobody chooses before the verdict stands
    if page.get_by_role("combobox", name=SECRET).input_value() != secret:
        hand.choose(SECRET, secret)
    recommended(page, secret)
    assert hand.done <= TO_EPSILON
    seen_at_once(page, size)
    shot(page, f"first-minute-{size[0]}-{scheme}")
    watch.idle()
    reported(hand, browser, tmp_path, secret)
    assert hand.done <= TO_REPORT
    released(hand)
    assert hand.done <= TO_RELEASE
    assert "contract" not in page.url
    assert "diabetic" not in page.url
    watch.unharmed()


@pytest.mark.parametrize(
    ("example", "size", "scheme"),
    [
        ("Census income", WIDE, "dark"),
        ("Hospital stays", NARROW, "light"),
        ("Bank loans", WIDE, "light"),
        ("Company staff", NARROW, "dark"),
        ("School pupils", WIDE, "light"),
    ],
)
def test_from_an_example_to_a_report(server, watched, browser, tmp_path, example, size, scheme):
    watch, hand = begun(watched, server, size, scheme)
    hand.click(hand.page.locator("[class*=st-key-try_] button", has_text=example))
    expect(hand.page.locator(".st-key-sentence")).to_contain_text(example)
    expect(hand.page.get_by_role("heading", name="Check my table")).to_have_count(0)
    recommended(hand.page, "")
    assert hand.done <= TO_EPSILON
    seen_at_once(hand.page, size)
    watch.idle()
    reported(hand, browser, tmp_path, example)
    assert hand.done <= TO_REPORT
    watch.unharmed()
