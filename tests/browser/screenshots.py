"""Photograph every page in every size and theme, and make the pictures of README and docs.

``python -m tests.browser.screenshots [page ...]`` writes to build/screenshots, and those pages that
the docs show to docs/images. It exits 1 if a page is wider than the screen or shows an error.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import expect

from distpriv.dashboard.main import MENU
from distpriv.records import decisions, store
from tests.browser.browsing import ROOT, SIZES, browsing, idle, serving, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SHOTS, IMAGES = ROOT / "build/screenshots", ROOT / "docs/images"
PICTURES = ["check", "tradeoff", "attack", "decide", "release", "tour"]  # of README and docs
TALLEST = 4500  # pixels of a page that is photographed whole


def settle(page: Page) -> None:
    """Wait until simulations have ended and pictures stand."""
    idle(page)
    expect(page.get_by_role("button", name="Stop", disabled=False)).to_have_count(
        0, timeout=240_000
    )
    page.wait_for_timeout(900)


def photograph(page: Page, name: str) -> list[str]:
    """Write the page as it is, all of it; list what is wrong with it."""
    settle(page)
    size = page.viewport_size
    main = "document.querySelector('[data-testid=stMain]')"
    tall = page.evaluate(f"{main}.scrollHeight") + 20
    page.set_viewport_size(size | {"height": max(size["height"], min(tall, TALLEST))})
    settle(page)
    page.screenshot(path=SHOTS / f"{name}.png")
    page.set_viewport_size(size)
    wide = page.evaluate("document.scrollingElement.scrollWidth") > size["width"]
    wide |= page.evaluate(f"{main}.scrollWidth > {main}.clientWidth")
    faults = {"is wider than the screen": wide}
    faults["shows an exception"] = page.get_by_test_id("stException").count() > 0
    return [f"{name} {fault}" for fault, there in faults.items() if there]


def picture(page: Page, name: str) -> None:
    """Write what the screen shows as a small picture of the docs."""
    settle(page)
    shot = Image.open(io.BytesIO(page.screenshot()))
    rare = Image.Quantize.MAXCOVERAGE  # thin lines keep their hues
    colors = shot.convert("RGB").quantize(256, rare, kmeans=1, dither=Image.Dither.NONE)
    colors.save(IMAGES / f"{name}.png", optimize=True)


def agree(browser: Browser, address: str, database: str) -> str:
    """Propose, agree as somebody else, release; return the decision's key."""
    page = visit(browser, f"{address}/decide")
    for label, text in {
        "Who could want to know the share?": "Competitors and the press",
        "What could they do with it?": "Aim their offers at those who earn most",
        "Why": "The board asked for these five figures.",
        "Your name": "Ana",
    }.items():
        page.get_by_role("textbox", name=label).first.fill(text)
    page.get_by_role("button", name="Propose").last.click()
    settle(page)
    key = decisions.decisions(store.Store(database))[0].key
    answer = visit(browser, f"{address}/answer?decision={key}")
    answer.get_by_text("Go ahead").first.click()
    answer.get_by_role("textbox", name="Your name").fill("Bo")
    answer.get_by_role("button", name="Put on record").click()
    settle(answer)
    page.goto(f"{address}/release")
    idle(page)
    page.get_by_role("textbox", name="Your name").first.fill("Ana")
    page.get_by_role("button", name="Release", exact=True).click()
    settle(page)
    for one in (page, answer):
        one.context.close()
    return key


def main(*names: str) -> int:
    """Photograph the named pages, or all; return the faults."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    IMAGES.mkdir(exist_ok=True)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{Path(folder) / 'records.sqlite'}"
        with serving(DISTPRIV_DATABASE=database) as address, browsing() as browser:
            key = agree(browser, address, database)
            for name in names or MENU:
                place = f"answer?decision={key}" if name == "answer" else name
                for size in SIZES:
                    for scheme in ("light", "dark"):
                        page = visit(browser, f"{address}/{place}", size, scheme)
                        if (size, scheme) == ("1440", "light") and name in PICTURES:
                            picture(page, name)
                        faults += photograph(page, f"{name}-{size}-{scheme}")
                        page.context.close()
                print(name, flush=True)
    print(*faults, f"{len(faults)} faults; the pictures are in {SHOTS}", sep="\n")
    return len(faults)


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
