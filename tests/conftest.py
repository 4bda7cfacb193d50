"""Fixtures: a warm session of the dashboard, the dashboard served, and a browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parent.parent
# Two workers share two cores: threads of BLAS would only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def warm() -> Iterator[AppTest]:
    """Run the dashboard once; tests go from page to page in this session."""
    from streamlit.testing.v1 import AppTest

    from distpriv.dashboard import jobs

    jobs.start(ThreadPoolExecutor(1))
    yield AppTest.from_file(ROOT / "distpriv/dashboard/main.py", default_timeout=50).run()
    jobs.stop()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the dashboard on a free port of this worker, and give its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("served") / "log"
    command = [sys.executable, "-m", "distpriv", "--no-browser", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output)
    try:
        wait_until_served(f"http://127.0.0.1:{port}", 40)
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


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium; each test opens contexts of its own."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        (pytest.fail if os.environ.get("DISTPRIV_REQUIRE") else pytest.skip)("no Chromium here")
    from playwright.sync_api import sync_playwright

    switches = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=switches)
        yield browser
        browser.close()
