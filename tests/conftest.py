"""Fixtures: a PostgreSQL server, a warm session, the dashboard served, and a browser."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
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


def lacks(what: str) -> None:
    """Skip a test whose program is not here; the gate requires all."""
    (pytest.fail if os.environ.get("DISTPRIV_REQUIRE") else pytest.skip)(f"no {what} here")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A server on a socket; the address of its database."""
    folders = [Path(found).resolve().parent] if (found := shutil.which("postgres")) else []
    folders += Path("/usr/lib/postgresql").glob("*/bin")  # where Debian has them
    programs = next((one for one in folders if (one / "initdb").exists()), None)
    if programs is None:
        lacks("PostgreSQL")
    folder = tempfile.mkdtemp(prefix="pg")  # short, for a socket's path may have 107 characters
    user = {"user": "nobody"} if os.geteuid() == 0 else {}  # a server does not start as root
    if user:
        shutil.chown(folder, **user)

    def run(*command):
        subprocess.run([programs / command[0], *data, *command[1:]], check=True, stdout=-3, **user)

    data = ["-D", f"{folder}/data"]
    start = ["-w", "-l", f"{folder}/log", "-o", f"-k {folder} -c listen_addresses='' -c fsync=off"]
    try:
        run("initdb", "-A", "trust", "-U", "me", "-E", "UTF8", "--no-sync")
        run("pg_ctl", *start, "start")
        yield f"postgresql:///postgres?host={folder}&user=me"
        run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _records(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep decisions and releases of tests out of the user's data folder."""
    folder = tmp_path_factory.mktemp("records")
    os.environ["DISTPRIV_DATABASE"] = f"sqlite:///{folder / 'records.sqlite'}"


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read uploads in this process and without limits, as their process does."""
    from distpriv.tables import guard

    def ask(request: bytes, data: bytes, seconds: float) -> tuple[bytes, int]:
        target = io.BytesIO()
        guard._answer(io.BytesIO(request + data), target)
        return target.getvalue(), 0

    monkeypatch.setattr(guard, "_limit", lambda *_: None)
    monkeypatch.setattr(guard, "_ask", ask)


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
        lacks("Chromium")
    with browsing() as browser:
        yield browser
