"""What a person does in the browser, and what they wait for: states and values, never a time."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Locator, Page, WebSocket, expect

from distpriv.dashboard.shell.pages import PAGES

TITLES = {page.title: page for page in PAGES}

# The script has come to the links at the page's foot. It need not be still: what grows by itself
# runs again and again, so that there may be no moment at which nothing runs; and before the first
# run nothing runs either.
WHOLE = """() => {
    const { testConnectionState: connection, testScriptState: state } =
        document.querySelector('[data-testid=stApp]')?.dataset ?? {};
    const foot = [...document.querySelectorAll(
        '[class*=st-key-foot_] [data-testid=stElementContainer]:has([data-testid=stPageLink])'
    )].at(-1);
    return connection === 'CONNECTED' && state !== 'rerunRequested'
        && foot?.dataset.stale === 'false';
}"""


_OF_HEADERS = ("Content Security Policy", "Permissions-Policy", "Cross-Origin", "cookie", "frame")


class Watched:
    """A page with what its console said and where its requests went."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.console: list[str] = []
        self.hosts: set[str] = set()
        page.on(
            "console",
            lambda message: (
                self.console.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.on("request", lambda request: self._note(request.url))
        page.on("websocket", self._connected)

    def _connected(self, socket: WebSocket) -> None:
        self.socket = socket
        self._note(socket.url)

    def _note(self, url: str) -> None:
        scheme, _, rest = url.partition("://")
        if scheme in ("http", "https", "ws", "wss"):
            self.hosts.add(rest.split("/")[0].rsplit(":", 1)[0])

    def idle(self) -> Page:
        """Wait until the page is whole; then wait for the value you want, not for a time."""
        self.page.wait_for_function(WHOLE)
        return self.page

    def forbidden(self) -> list[str]:
        """What the console says of the security headers."""
        return [said for said in self.console if any(word in said for word in _OF_HEADERS)]

    def unharmed(self) -> None:
        """No traceback, nothing in the console, no request to another machine."""
        no_traceback(self.page)
        assert self.console == []
        assert self.hosts == {"127.0.0.1"}


def go(page: Page, title: str) -> None:
    """Choose a page from the navigation, and wait until it is whole.

    What is opened before, as a menu, closes again where the run draws it anew.
    """
    spec = TITLES[title]
    if spec.section:
        page.get_by_role("button", name=spec.section, exact=True).click()
        page.get_by_role("menu").get_by_text(title, exact=True).click()
    else:
        page.get_by_role("link", name=title, exact=True).first.click()
    arrived(page, title)
    page.wait_for_function(WHOLE)


def arrived(page: Page, title: str) -> None:
    """Wait until a page's heading shows."""
    question = TITLES[title].heading
    expect(page.get_by_role("heading", name=question, exact=True)).to_be_visible()


def next_page(page: Page, before: str, title: str) -> None:
    """Follow the link at a page's foot by the link itself.

    A finger aims at a place, and what grows or shrinks above the foot moves another link there.
    """
    foot = page.locator(f".st-key-foot_{before}")
    foot.get_by_test_id("stPageLink-NavLink").last.dispatch_event("click")
    arrived(page, title)


def drawn(page: Page, at_least: int) -> None:
    """Wait until that many charts are drawn, each with something in it."""
    expect(page.locator(".js-plotly-plot .main-svg").filter(visible=True).first).to_be_visible()
    page.wait_for_function(
        "least => [...document.querySelectorAll('.js-plotly-plot')]"
        ".filter(plot => plot.querySelector('.trace, .heatmaplayer image, .shapelayer path'))"
        ".length >= least",
        arg=at_least,
    )


def shot(page: Page, name: str) -> None:
    """Keep a picture of the page where somebody wants to look at it."""
    folder = os.environ.get("DISTPRIV_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def words(text: str) -> re.Pattern[str]:
    """A text, whether its blanks break or not."""
    return re.compile(r"\s".join(map(re.escape, text.split(" "))))


def says(page: Page, text: str | re.Pattern[str]) -> None:
    """Wait until the page says something where it can be seen; a closed tab may say it too."""
    pattern = words(text) if isinstance(text, str) else text
    expect(page.get_by_text(pattern).filter(visible=True).first).to_be_visible()


def no_traceback(page: Page) -> None:
    """No exception shows; where one does, the failure says which."""
    expect(page.get_by_test_id("stApp")).to_be_visible()
    shown = page.get_by_test_id("stException").all_inner_texts()
    assert not shown, shown


def alert(page: Page) -> Locator:
    """What is wrong, outside the sidebar."""
    return page.locator("[data-testid=stMain] [data-testid=stAlert]")


def people(path: Path, size: int = 2000) -> None:
    """Write a table of somebody's own, with the marks of a German spreadsheet."""
    rng = np.random.default_rng(4)
    private = rng.random(size) < 0.6
    pd.DataFrame(
        {
            "wage": np.round(rng.normal(20, 4, size) + 2 * private, 2),
            "tenure": rng.integers(0, 30, size),
            "sector": np.where(private, "private", "public"),
            "union": rng.choice(["member", "not a member"], size),
        }
    ).to_csv(path, index=False, sep=";", decimal=",")


def blank(page: Page, name: str) -> None:
    """Open a blank of the first screen's sentence, or close it again."""
    inside = page.locator(f".st-key-blank_{name}")
    was_open = inside.is_visible()
    page.locator(f".st-key-open_{name} button").click()
    (expect(inside).to_be_hidden if was_open else expect(inside).to_be_visible)()


def upload(page: Page, path: Path) -> None:
    """Open a table of one's own: in the first card, or behind the blank of the data."""
    expect(page.locator(".st-key-verdict p").first).to_be_visible()
    chooser = page.locator(".st-key-file input[type=file]")
    if not page.get_by_role("heading", name="Check my table").is_visible():
        blank(page, "data")
    chooser.set_input_files(path)


def uploaded(page: Page, path: Path, records: str) -> None:
    """Open a table of one's own and wait until it is what the first screen is about."""
    upload(page, path)
    sentence = page.locator(".st-key-sentence")
    expect(sentence).to_contain_text(words(f"all {records} records"))
    expect(sentence).to_contain_text(path.name)
    if page.locator(".st-key-blank_data").is_visible():
        blank(page, "data")


# What slides away between the button's going down and up is not pressed.
SLID = """async summary => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    const slides = summary.parentElement.getAnimations();
    await Promise.all(slides.map(slide => slide.finished.catch(() => null)));
}"""


def unfold(page: Page, label: str) -> None:
    """Open what is folded away under a label, and wait until it has slid open."""
    summary = page.locator("summary", has_text=label)
    summary.click()
    summary.evaluate(SLID)


def open_settings(page: Page) -> None:
    """Open the finer settings: in the sidebar, or on the first screen beside the slider."""
    first = page.get_by_role("heading", name=PAGES[0].heading, exact=True)
    if first.is_visible():
        blank(page, "settings")
    else:
        unfold(page, "More settings")


def pick(page: Page, label: str, option: str) -> None:
    """Choose from a selectbox."""
    box = page.get_by_role("combobox", name=label, exact=True)
    expect(box).to_have_count(1)  # that of the page before has gone
    if box.input_value() == option:
        return
    box.click()
    # Long lists are drawn in part. What is filled in at once is taken for the letters that it has
    # more than the option chosen: "Median" for the "di" that "Mean" lacks.
    box.press("Control+A")
    box.press_sequentially(option)
    expect(page.get_by_role("option", name=option, exact=True)).to_be_visible()
    box.press("Enter")
    expect(box).to_have_value(option)


def pick_one_more(page: Page, label: str, option: str) -> None:
    """Add to a multiselect."""
    box = page.get_by_role("combobox", name=label)
    box.click()
    box.press_sequentially(option)
    expect(page.get_by_role("option", name=option)).to_have_count(1)
    box.press("Enter")
    page.keyboard.press("Escape")


def press(page: Page, group: str, option: str | re.Pattern[str]) -> None:
    """Choose from a segmented control."""
    page.get_by_role("radiogroup", name=group).get_by_role("radio", name=option).click()


def enter(page: Page, label: str | re.Pattern[str], value: str) -> None:
    """Type a number."""
    box = page.get_by_role("spinbutton", name=label)
    box.fill(value)
    box.press("Enter")


def type_into(app: Watched, editor: str, row: int, column: int, value: str) -> None:
    """Type a value into a cell of the editor whose key starts so; the grid is a canvas.

    A cell is clicked, and the keys go on from the first one.
    """
    page = app.idle()
    grid = page.locator(f"[class*=st-key-{editor}][data-stale=false]").first
    grid.scroll_into_view_if_needed()
    chosen = grid.locator("td[aria-selected=true]")
    grid.locator(".dvn-scroller").click(position={"x": 60, "y": 52})
    expect(chosen).to_have_count(1)
    page.keyboard.press("Control+Home")
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
    # The editor keeps what was typed for a moment before it sends it.
    with app.socket.expect_event("framesent"):
        box.press("Enter")
    app.idle()
