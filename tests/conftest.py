"""Fixtures: a warm session of the dashboard, the dashboard served, and a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.browsing import browsing, program, serving

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
def served() -> Iterator[str]:
    """Serve the dashboard on a free port of this worker, and give its address."""
    with serving(DISTPRIV_TEST="1") as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium; each test opens contexts of its own."""
    if program() is None:
        (pytest.fail if os.environ.get("DISTPRIV_REQUIRE") else pytest.skip)("no Chromium here")
    with browsing() as browser:
        yield browser
