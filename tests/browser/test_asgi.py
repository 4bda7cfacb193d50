"""Another server than Streamlit's own: its first session may open any address as well."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from distpriv.dashboard.shell.pages import PAGES
from distpriv.resources import HOME

pytestmark = pytest.mark.browser


def _opens_with_frame_and_page(address, watch):
    page = watch.page
    attack = next(spec for spec in PAGES if spec.name == "attack")
    page.goto(f"{address}/attack?dp=0.2&eps=2.5&mech=ExpM")
    watch.idle()
    expect(page.get_by_role("heading", name=attack.heading, exact=True)).to_be_visible()
    expect(page.get_by_role("spinbutton", name="ε, exactly")).to_have_value("2.5")
    expect(page.get_by_role("button", name=attack.section, exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile(r"With ExpM at ε\s=\s2.5")).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"/attack\?.*eps=2.5"))


def test_another_asgi_server_serves_it_as_well(watched):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "app:app", f"--port={port}"],
        cwd=HOME,
        env=dict(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{address}/_stcore/health"):
                    break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        _opens_with_frame_and_page(address, watched())
    finally:
        process.terminate()
        process.wait()
