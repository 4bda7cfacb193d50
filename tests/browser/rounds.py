"""Act at random on the pages in Chromium; scenario, controls and address have to agree.

``python -m tests.browser.rounds [rounds] [seed]``; each round counts the seed up, so that one can be
had again alone.
"""

from __future__ import annotations

import json
import random
import sys
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from distpriv.analysis.tables import EXAMPLE_TITLES
from tests.browser.browsing import SIZES, browsing, idle, scenario, serving, visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

LONG = 12  # actions of a round
KEYS = {title: key for key, title in EXAMPLE_TITLES.items()}
LINKS = ["", "?limit=65", "tradeoff?epsilon=0.7&shares=40-60", "?table=bank", "fit?table=hospital"]
LINKS += ["tour?step=3", "?secret=%3Cb%3E&n=-1&release=x&limit=nan&foo=1"]
NAMES = [
    "age",
    ":red[x] $y$",
    "<img src=x onerror=alert(1)>",
    "![x](http://a.example/x.png)",
    "mean",
]
LINES = [f"{20 + i % 50},{'ab'[i % 3 > 1]},{'yn'[i * 7 % 10 > 2]},{i},{i % 5}" for i in range(400)]
FILES = [
    "\n".join([",".join(NAMES), *LINES]),
    "\n".join(["age;shop", *["30;a", "40;b"] * 20]),
    "",
    "{",
]


class Visitor:
    """Does one thing after the other, sometimes before the page is at rest."""

    def __init__(self, page: Page, rng: random.Random) -> None:
        self.page, self.rng = page, rng

    def slide(self, label: str, place: int = 0) -> None:
        self.page.get_by_role("slider", name=label).nth(place).focus(timeout=3000)
        for _ in range(self.rng.randint(1, 4)):
            self.page.keyboard.press(self.rng.choice(["ArrowRight", "ArrowLeft"]))

    def choose(self, label: str) -> None:
        self.page.get_by_role("combobox", name=label).first.click(timeout=5000)
        options = self.page.get_by_role("option")
        options.first.wait_for(timeout=5000)
        options.nth(self.rng.randrange(min(options.count(), 6))).click(timeout=5000)

    def press(self, name: str) -> None:
        button = self.page.get_by_role("button", name=name, exact=True)
        if button.count() and button.first.is_enabled():
            button.first.click(click_count=self.rng.choice([1, 1, 2]), timeout=5000)

    def write(self, role: str, label: str, *texts: str) -> None:
        box = self.page.get_by_role(role, name=label, exact=True).first  # type: ignore[arg-type]
        box.click(timeout=5000)
        box.fill(self.rng.choice(texts), timeout=5000)
        box.press("Enter")

    def switch(self, name: str) -> None:
        self.page.get_by_role("radio", name=name, exact=True).click(timeout=5000)

    def epsilon(self) -> None:
        self.switch("ε and δ")
        self.write("textbox", "ε", "0,7", "1.5", "3", "abc", "2")

    def link(self) -> None:
        links = self.page.get_by_test_id("stTopNavLink")
        links.nth(self.rng.randrange(links.count())).click(timeout=5000)

    def menu(self) -> None:
        self.page.get_by_test_id("stTopNavSection").nth(self.rng.randrange(3)).click(timeout=5000)
        links = self.page.get_by_test_id("stTopNavDropdownLink")
        links.first.wait_for(timeout=5000)
        links.nth(self.rng.randrange(links.count())).click(timeout=5000)

    def back(self) -> None:
        if self.page.evaluate("history.length") > 2:
            self.page.go_back(wait_until="commit")
        if self.page.url == "about:blank":
            self.page.go_forward()

    def upload(self) -> None:
        self.press("Use my own table")
        data = self.rng.choice(FILES)
        file = {"name": "a <b>.csv", "mimeType": "text/csv", "buffer": data.encode()}
        dialog = self.page.get_by_role("dialog")
        dialog.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
        if len(data) < 2:
            dialog.get_by_role("alert").wait_for(timeout=15_000)
            self.page.keyboard.press("Escape")
        elif self.rng.random() < 0.7:
            dialog.get_by_role("button", name="Check", exact=True).click(timeout=15_000)
            dialog.wait_for(state="hidden", timeout=15_000)

    def look(self) -> None:
        """Change theme and size; on a phone the sidebar is shut."""
        self.page.emulate_media(color_scheme=self.rng.choice(["light", "dark"]))
        width, height = SIZES[self.rng.choice(["1440", "1440", "1280", "1280", "390"])]
        self.page.set_viewport_size({"width": width, "height": height})

    def rest(self) -> None:
        """Come back to a page with controls, on a wide screen."""
        idle(self.page)
        self.page.keyboard.press("Escape")
        self.page.set_viewport_size({"width": 1440, "height": 900})
        self.page.get_by_role("link", name="Check", exact=True).first.click()
        idle(self.page)
        idle(self.page)

    def act(self) -> str:
        """Do one thing, and say what it was; ``!`` where it was not to be had."""
        name = self.rng.choice(list(ACTIONS))
        try:
            ACTIONS[name](self)
        except Exception as error:  # noqa: BLE001  # a control may just have gone
            name += f"! ({str(error).splitlines()[0][:60]})"
        if self.rng.random() < 0.45:
            self.page.wait_for_timeout(self.rng.choice([0, 20, 60, 150, 400]))
        else:
            idle(self.page)
        return name


ACTIONS: dict[str, Callable[[Visitor], object]] = {
    "limit": lambda one: one.slide("Right guesses"),
    "shares": lambda one: one.slide("Must look alike", one.rng.randint(0, 1)),
    "type": lambda one: one.press(one.rng.choice(["Type shares", "Drag shares"])),
    "table": lambda one: one.choose("Table"),
    "secret": lambda one: one.choose("Secret"),
    "records": lambda one: one.write("combobox", "Of how many records", "200", "75", "1000"),
    "by": lambda one: one.switch(one.rng.choice(["Right guesses", "ε and δ"])),
    "epsilon": Visitor.epsilon,
    "figure": lambda one: one.page.locator("[aria-label^='Remove ']:visible").first.click(
        timeout=5000
    ),
    "undo": lambda one: one.press("Undo"),
    "redo": lambda one: one.press("Redo"),
    "link": Visitor.link,
    "menu": Visitor.menu,
    "step": lambda one: one.press(one.rng.choice(["Next", "Back", "Show me", "That is my guess"])),
    "upload": Visitor.upload,
    "escape": lambda one: one.page.keyboard.press("Escape"),
    "look": Visitor.look,
    "back": Visitor.back,
    "forward": lambda one: one.page.go_forward(wait_until="commit"),
    "reload": lambda one: one.page.reload(),
}
WIDE = "[document.scrollingElement, document.querySelector('[data-testid=stMain]')].some(one => one.scrollWidth > one.clientWidth)"


def disagreements(page: Page) -> list[str]:
    """Compare the scenario with the address and with what the controls show."""
    held = json.loads(scenario(page) or "{}")
    fields, found = held["fields"], {}
    controls = {
        "guesses": page.get_by_role("slider", name="Right guesses"),
        "epsilon": page.get_by_role("textbox", name="ε", exact=True),
        "delta": page.get_by_role("textbox", name="δ", exact=True),
    }
    for name, control in controls.items():
        if control.count():
            found[name] = control.first.input_value().replace(",", ".")
    ends = page.get_by_role("slider", name="Must look alike")
    typed = page.get_by_role("textbox", name="Must look alike")
    values = [ends.nth(place).input_value() for place in range(ends.count())]
    found["shares"] = "-".join(values) if values else typed.input_value()
    found["source"] = page.get_by_role("combobox", name="Table").first.input_value()
    records = page.get_by_role("combobox", name="Of how many").first.input_value()
    found["records"] = "all" if records.startswith("All ") else records
    found["source"] = KEYS.get(found["source"], "upload")
    wrong = [
        f"{name} is {fields[name]} and shown as {value}"
        for name, value in found.items()
        if fields.get(name, value) != value
    ]
    address = dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))
    chips, chosen = page.locator("[data-tag]:visible").count(), fields["statistics"]
    if chips != len(chosen.split(",")) * bool(chosen):
        wrong.append(f"{chips} figures are shown, not {chosen}")
    if address != held["address"]:
        wrong.append(f"the address is {address}, not {held['address']}")
    faults = page.get_by_test_id("stException").or_(page.get_by_text("Something went wrong"))
    wrong += faults.all_inner_texts()
    if page.evaluate(WIDE):
        wrong.append("wider than the screen")
    return wrong


def main(rounds: int = 20, seed: int = 1) -> int:
    bad = 0
    with serving(DISTPRIV_TEST="1") as address, browsing() as browser:
        for number in range(seed, seed + rounds):
            rng = random.Random(number)
            actions: list[str] = []
            wrong: list[str] = []
            try:
                page = visit(browser, f"{address}/{rng.choice(LINKS)}")
                page.set_default_timeout(60_000)
                page.on("pageerror", lambda error, wrong=wrong: wrong.append(str(error)))
                page.on(
                    "dialog", lambda box, wrong=wrong: wrong.append(box.message) or box.dismiss()
                )
                visitor = Visitor(page, rng)
                actions.extend(visitor.act() for _ in range(LONG))
                visitor.rest()
                wrong += disagreements(page)
            except Exception as error:  # noqa: BLE001
                wrong.append(str(error)[:300])
            bad += bool(wrong)
            print("WRONG" if wrong else "right", number, ", ".join(actions), *wrong, flush=True)
            for context in browser.contexts:
                context.close()
    print(f"{bad} of {rounds} rounds went wrong")
    return bad


if __name__ == "__main__":
    sys.exit(min(main(*map(int, sys.argv[1:])), 1))
