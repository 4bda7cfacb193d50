"""What a page leaves for a tick later: its frame first, then itself, and no tick more."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.app.driver import charts, sound

CLOSER = ["How sure they can be", "Right and wrong", "F-score at"]


def layouts(app) -> list[dict]:
    """Of all charts but the one of the section on the bell curve, which grows by itself."""
    drawn = [chart["layout"] for chart in charts(app)]
    return [each for each in drawn if each["title"]["text"] != "Error against ε"]


def disabled(app) -> list[bool]:
    """Whether the charts have nothing to save yet."""
    saves = [each for each in app.get("download_button") if each.key.endswith("_csv")]
    return [each.disabled for each in saves if not each.key.startswith("bell_curve")]


def waiting(app) -> list[str]:
    return [
        each["title"]["text"].split(",")[0]
        for each in layouts(app)
        if each["meta"].get("pending", False)
    ]


@pytest.mark.parametrize("calibration", ["guarded", "exact"])
def test_the_answer_does_not_wait_for_the_closer_look(open_app, calibration):
    app = open_app("answer", cal=calibration)
    sound(app)
    assert len(waiting(app)) == 3
    assert all(any(each.startswith(start) for start in CLOSER) for each in waiting(app))
    assert any(metric.label == "Largest ε on these data" for metric in app.metric)
    framed = layouts(app)
    saves = disabled(app)
    app.run()
    sound(app)
    assert not waiting(app)
    # Nothing moves: the same titles, heights and words below.
    for before, after in zip(framed, layouts(app), strict=True):
        assert before["title"] == after["title"]
        assert before["height"] == after["height"]
        assert before["meta"]["how_to_read"] == after["meta"]["how_to_read"]
    assert sum(saves) == 3
    assert not any(disabled(app))


@pytest.mark.parametrize("calibration", ["guarded", "exact"])
def test_only_what_changes_the_curves_frames_them_again(open_app, calibration):
    app = open_app("answer", cal=calibration).run()
    app.number_input(key="eps").set_value(2.0).run()
    assert not waiting(app)
    app.slider(key="limit_guesses").set_value(62).run()
    assert not waiting(app)
    app.slider(key="limit_base_rate").set_value(40).run()
    assert len(waiting(app)) == 3
    # Whoever moves something else before the tick sees the curves at once.
    app.number_input(key="eps").set_value(1.5).run()
    assert not waiting(app)
    app.number_input(key="n").set_value(120).run()
    assert len(waiting(app)) == 3
    app.run()
    assert not waiting(app)
    sound(app)


def test_the_curve_has_the_current_epsilon_besides(open_app):
    app = open_app("answer", cal="exact", eps="1.23").run()
    drawn = charts(app)[-1]["data"]
    line = next(each for each in drawn if each["name"] == "OptM")
    assert len(line["x"]) == 26
    assert 1.23 in line["x"]
    assert line["x"] == sorted(line["x"])
    assert line["y"] == sorted(line["y"])


def test_a_part_is_framed_once_and_drawn_at_the_next_run():
    def page() -> None:
        import streamlit as st

        from distpriv.dashboard.widgets.later import drawn_later

        about = st.text_input("about", "one", key="about")
        drawn_later("part", about, lambda: st.text("frame"), lambda: st.text(f"drawn {about}"))

    st.cache_resource.clear()
    app = AppTest.from_function(page).run()
    assert [each.value for each in app.text] == ["frame"]
    app.run()
    assert [each.value for each in app.text] == ["drawn one"]
    app.text_input(key="about").set_value("two").run()
    assert [each.value for each in app.text] == ["frame"]
    app.text_input(key="about").set_value("one").run()
    assert [each.value for each in app.text] == ["frame"]
    app.run()
    assert [each.value for each in app.text] == ["drawn one"]
