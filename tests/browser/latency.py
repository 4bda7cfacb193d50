"""Time a slider to the new sentence in Chromium, beside a page of one slider and one sentence.

``python -m tests.browser.latency``
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.browser.browsing import IDLE, browsing, serving, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOY = """
import streamlit as st
st.title("Toy")
value = st.sidebar.slider("Right guesses", 51.0, 99.0, 60.0, 1.0)
with st.container(key="lead"):
    st.markdown(f"You accept {value}.")
"""
SENTENCE = (
    "document.querySelector('h1').textContent + document.querySelector('.st-key-lead').textContent"
)


def median(browser: Browser, address: str, moves: int = 9) -> float:
    """Return the median time of moves to values that are new, in milliseconds."""
    page = visit(browser, address)
    page.wait_for_timeout(1500)
    times = []
    for _ in range(moves):
        page.get_by_role("slider", name="Right guesses").focus()
        before, begin = page.evaluate(SENTENCE), time.perf_counter()
        page.keyboard.press("ArrowRight")
        while page.evaluate(SENTENCE) == before:
            pass
        times.append(1000 * (time.perf_counter() - begin))
        page.wait_for_selector(IDLE)
        page.wait_for_timeout(400)
    page.context.close()
    return statistics.median(times)


def main() -> None:
    with browsing() as browser, TemporaryDirectory() as folder:
        toy = Path(folder) / "toy.py"
        toy.write_text(TOY)
        command = ("streamlit", "run", str(toy), "--server.port={port}", "--server.headless=true")
        with serving(*command) as address:
            usual = median(browser, address)
            print(f"toy: {usual:.0f} ms")
        with serving() as address:
            for name in ("", "tradeoff", "attack"):
                one = median(browser, f"{address}/{name}")
                print(f"{name or 'check'}: {one:.0f} ms, {one / usual:.2f} times the toy's")


if __name__ == "__main__":
    main()
