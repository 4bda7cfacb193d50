"""The tour: all steps are guessed and answered, and the file at the end holds what was typed."""

from __future__ import annotations

import pytest

from distpriv.files import PAGES
from distpriv.lessons import QUESTIONS, ROUNDS, STEPS
from tests.pages.conftest import widget

TYPED = "<script>alert(1)</script> & *60*"


@pytest.fixture
def tour(fresh):
    fresh.query_params.clear()
    return fresh.switch_page(PAGES / "tour.py").run()


def press(app, label):
    widget(app.main.button, label).click().run()
    assert not app.exception
    assert not app.error


def test_all_steps_are_guessed_and_answered_and_the_file_holds_it(tour):
    mine = tour.session_state["tour"]
    for _ in range(ROUNDS):
        press(tour, "30")
    own, best = (one.value for one in tour.main.metric)
    assert (own, best) == tuple(f"{right} of {ROUNDS}" for right in mine.score())
    for place, step in enumerate(STEPS):
        if place:
            press(tour, "Next")
            assert tour.title[0].value == step.prose["title"]
            if step.key == "noise":  # moved by the very click
                tour.main.select_slider[0].set_value(20.5)
            press(tour, "That is my guess")
            assert tour.main.metric[0].value == step.write(mine.guesses[step.key])
            assert tour.main.metric[1].value == step.write(step.show().truth)
        assert tour.query_params["step"] == str(place + 1)
        right = step.show().right
        tour.main.radio[0].set_value(right).run()
        assert any(":green-badge[Right]" in one.value for one in tour.main.markdown)
    press(tour, "Next")
    assert mine.done() == (len(STEPS), len(STEPS))
    assert mine.guesses["noise"] == 20.5
    tour.main.text_area[0].set_value(TYPED)
    press(tour, "Back")  # which ends the text as well
    assert tour.main.radio[0].value == STEPS[-1].show().right
    press(tour, "Next")
    assert tour.main.text_area[0].value == TYPED
    page = mine.export()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; *60*" in page
    assert "<script>" not in page
    assert mine.texts == {QUESTIONS[0]: TYPED, QUESTIONS[1]: ""}


def test_an_address_of_no_step_and_no_pair_is_set_right(fresh):
    fresh.query_params["step"], fresh.query_params["pair"] = "99", "abc"
    app = fresh.switch_page(PAGES / "tour.py").run()
    assert app.query_params["step"] == str(len(STEPS) + 1)
    assert "pair" not in app.query_params


def test_a_link_of_a_pair_opens_its_step_with_its_draws(fresh):
    fresh.query_params["step"], fresh.query_params["pair"] = "4", "7"
    app = fresh.switch_page(PAGES / "tour.py").run()
    mine = app.session_state["tour"]
    assert (mine.place, mine.pair) == (4, 7)
    shown = STEPS[3].show(None, 7)
    assert app.main.markdown[0].value == STEPS[3].text("intro", shown)
    assert shown.figures["x"] != STEPS[3].show(None, 8).figures["x"]
    app.main.segmented_control[0].set_value(6).run()
    assert app.title[0].value == STEPS[5].prose["title"]
    assert app.query_params["step"] == "6"
    assert app.query_params["pair"] == "7"
    widget(app.main.slider, "Pairs").set_value(3).run()
    assert [line.partition("?")[2] for line in app.main.code[0].value.splitlines()] == [
        f"pair={pair}" for pair in (1, 2, 3)
    ]
