"""Serve the dashboard and drive Chromium, for tests and for the tools beside this file."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).parents[2]
SIZES = {"1440": (1440, 900), "1280": (1280, 720), "390": (390, 844)}
IDLE = (
    "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
)


def program() -> str | None:
    """Return the path of the system's Chromium."""
    return shutil.which("chromium") or shutil.which("google-chrome")


@contextmanager
def serving(*command: str, **environment: str) -> Iterator[str]:
    """Serve the dashboard on a free port, and give its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    words = [word.format(port=port) for word in command] or ["distpriv", "--port", port]
    words += [] if command else ["--no-browser"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=log,
            stderr=log,
        )
        try:
            wait_until_served(f"http://127.0.0.1:{port}", 90)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)


def wait_until_served(address: str, seconds: float) -> None:
    """Ask again until the server answers."""
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start Chromium; open a context of its own for each visit."""
    from playwright.sync_api import sync_playwright

    switches = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=switches)
        yield browser
        browser.close()


def visit(browser: Browser, address: str, size: str = "1440", scheme: str = "light") -> Page:
    """Open an address in a context of its own."""
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    return open_tab(context, address, size)


def open_tab(
    context: BrowserContext, address: str, size: str = "1440", urls: list[str] | None = None
) -> Page:
    """Open an address in a context that may have loaded its files; list what it loads in `urls`."""
    page = context.new_page()
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.set_default_timeout(20_000)
    if urls is not None:
        page.on("request", lambda request: urls.append(request.url))
    page.goto(address)
    if address != "about:blank":
        idle(page)
    return page


def idle(page: Page) -> None:
    """Wait until the page has been at rest for a third of a second."""
    page.wait_for_selector("h1")
    quiet, last = 0, None
    for _ in range(600):
        page.wait_for_selector(IDLE, timeout=60_000)
        now = (page.url, page.locator("h1").first.text_content(), scenario(page))
        quiet = quiet + 1 if now == last else 0
        if quiet >= 6:
            return
        last = now
        page.wait_for_timeout(50)


def scenario(page: Page) -> str | None:
    """Return the address that the server holds for right, where it shows it."""
    return page.evaluate("document.querySelector('#scenario')?.textContent")
