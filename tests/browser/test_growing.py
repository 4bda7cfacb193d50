"""What grows on a page is drawn where it stands, and then nothing moves any more."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

pytestmark = pytest.mark.browser

# Timers that are open, by how often they fire.
TIMERS = """
window.timers = new Map();
const [set, clear] = [window.setInterval, window.clearInterval];
window.setInterval = (work, every, ...more) => {
    const timer = set(work, every, ...more);
    window.timers.set(timer, every);
    return timer;
};
window.clearInterval = (timer) => {
    window.timers.delete(timer);
    clear(timer);
};
"""
RESTS = "() => ![...window.timers.values()].some((every) => every < 5000)"


class Runs:
    """Counts the runs of the whole page and of its parts that the browser is told of."""

    def __init__(self, page) -> None:
        self.pages = self.parts = 0
        page.on("websocket", lambda socket: socket.on("framereceived", self._read))

    def _read(self, frame: bytes | str) -> None:
        message = ForwardMsg.FromString(frame) if isinstance(frame, bytes) else ForwardMsg()
        if message.WhichOneof("type") == "new_session":
            if message.metadata.run.fragment_ids:
                self.parts += 1
            else:
                self.pages += 1


@pytest.mark.parametrize(
    ("name", "grown", "pages"),
    [
        ("answer", "Do I need the bell curve?", 1),
        ("guarantee", "How much of that needs the curves?", 1),
        ("tradeoff", "recommended", 1),
        # What is inside the attack waits for the repetitions.
        ("attack", "Inside the attack", 2),
    ],
)
def test_the_page_is_drawn_once_and_then_rests(watched, server, name, grown, pages):
    watch = watched()
    page, runs = watch.page, Runs(watch.page)
    page.add_init_script(TIMERS)
    page.goto(f"{server}/{name}")
    expect(page.get_by_text(grown).first).to_be_attached()
    watch.idle()
    page.wait_for_function(RESTS)
    assert runs.parts >= 1
    assert runs.pages == pages
