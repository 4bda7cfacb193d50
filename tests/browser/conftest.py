"""A running dashboard and a real browser, the system's own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.driver import Watched

ROOT = Path(__file__).parents[2]

# A busy machine draws late; what is expected is awaited, not timed.
LONG = 180_000
expect.set_options(timeout=LONG)


def _executable() -> str | None:
    return next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; where it is required and missing, that is a failure."""
    executable = _executable()
    if executable is None:
        message = "no Chromium on this machine: install your system's package `chromium`"
        if os.environ.get("DISTPRIV_REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=executable,
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()


@contextmanager
def serving() -> Iterator[str]:
    """A server of its own, by its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.headless=true", f"--server.port={port}"]
    environment = {key: value for key, value in os.environ.items() if key != "ADULT_DIR"}
    process = subprocess.Popen(
        [*command, *options],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{address}/_stcore/health"):
                    break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        else:
            raise RuntimeError("the dashboard did not come up")
        yield address
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of the dashboard that the tests share, each in sessions of its own."""
    with serving() as address:
        yield address


@pytest.fixture
def fresh_server() -> Iterator[str]:
    """The address of a dashboard that nobody has opened yet."""
    with serving() as address:
        yield address


@pytest.fixture
def watched(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """Open a fresh browser page of a given width."""
    contexts = []

    def opened(width: int = 1440, height: int = 900, scheme: str = "light") -> Watched:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(LONG)
        return Watched(page)

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def app(server: str, watched: Callable[..., Watched]) -> Iterator[Watched]:
    """The dashboard, just opened, which nothing may harm."""
    watch = watched()
    watch.page.goto(server)
    watch.idle()
    yield watch
    watch.unharmed()
