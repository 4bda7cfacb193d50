"""The guided tour without a browser: every step, control and question, and the way through."""

from __future__ import annotations

import pytest

from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.tour.steps import LESSONS, PLACES
from distpriv.lessons import Course, course_of, subtracted_noise
from distpriv.lessons.course import DELTA, EPSILON, PAIR, QUERY, SECRET
from distpriv.lessons.guessing import ROUNDS, game
from distpriv.lessons.subtracting import TRIED
from distpriv.tables.examples import load_census_income
from tests.app.driver import charts, errors, records, sound, texts, upload, wrong_numbers

# Each step's control, a value to move it to, and what the result says then.
CONTROLS = (
    ("slider", "tour_taken_out", 2, "Without schooling and never married as well"),
    ("select_slider", "tour_records", 400, "Averages of 400 records"),
    ("slider", "tour_angle", 30, "Turned 30° away from the shift"),
    ("select_slider", "tour_epsilon", 5.0, "At ε = 5 the statistics bring **100 %**"),
    ("segmented_control", "tour_mechanism", "DauM", "and DauM by 8.53"),
    ("slider", "tour_guesses", 55, "right in **55 of 100** guesses"),
    ("select_slider", "tour_releases", 100, "After **100 releases**"),
)


@pytest.fixture(scope="module")
def course() -> Course:
    return course_of(load_census_income())


@pytest.fixture
def tour(open_app):
    return open_app("tour")


def revealed(app, number: int = 1):
    """A step as it is shown after its guess."""
    if any(button.key == f"tour_show_{number}" for button in app.button):
        app.button(key=f"tour_show_{number}").click().run()
    sound(app)
    return app


def turned(app, key: str):
    """Another step, once its page has been short for a moment."""
    app.button(key=key).click().run()
    sound(app)
    assert not charts(app)
    return app.run()


def statements(app) -> list[str]:
    return list(app.radio[0].options)


def test_the_tour_from_start_to_end(tour, course):
    app = tour
    for number, (lesson, (kind, key, value, says)) in enumerate(
        zip(LESSONS, CONTROLS, strict=True), 1
    ):
        sound(app)
        assert [header.value for header in app.header] == [lesson.title]
        revealed(app, number)
        # One control besides the frame's and the question; the last step has an exercise.
        exercise = lesson.exercise is not None
        assert exercise == (number == 7)
        assert len(charts(app)) == 1 + 2 * exercise
        own = [
            widget.key
            for widgets in (app.main.slider, app.main.select_slider, app.main.segmented_control)
            for widget in widgets
            if widget.key not in vars(Key).values()  # the frame's, out of sight, and the steps
        ]
        assert sorted(own) == sorted([key, *["tour_tried"] * exercise])
        assert says not in texts(app)
        getattr(app, kind)(key=key).set_value(value).run()
        sound(app)
        assert says in texts(app)
        # The first question is answered wrongly, then put right, the others are right at once.
        question = lesson.question(course)
        assert statements(app) == [option.statement for option in question.options]
        if number == 1:
            wrong = next(option for option in question.options if not option.holds)
            app.radio[0].set_value(wrong.statement).run()
            assert "not so" in texts(app)
            assert wrong.why.replace("\u00a0", " ") in texts(app)
        app.radio[0].set_value(question.right.statement).run()
        assert "not so" not in texts(app)
        assert question.right.why.replace("\u00a0", " ") in texts(app)
        turned(app, f"tour_next_{number}")
    sound(app)
    assert "summary" in app.query_params["lesson"]
    assert "you answered **7 of 7** questions, **7** of them right" in texts(app)
    assert app.session_state["scenario"].epsilon == 1.0
    # Back leads to the last step as it was left.
    turned(app, "tour_back")
    assert app.select_slider(key="tour_releases").value == 100
    assert app.radio[0].value == LESSONS[-1].question(course).right.statement
    turned(app, "tour_back_7")
    assert [header.value for header in app.header] == [LESSONS[5].title]


def test_the_noise_is_subtracted_by_hand(open_app, course):
    found = subtracted_noise(course)
    truth = round(found.answer[TRIED])
    app = revealed(open_app("tour", lesson="7"), 7)
    assert app.slider(key="tour_tried").value != truth
    assert "not possible, so" in texts(app)
    assert "the noise is gone" not in texts(app)
    app.slider(key="tour_tried").set_value(truth).run()
    sound(app)
    assert f"Only **{truth}** does that: **the noise is gone**" in texts(app)
    assert "right in **76.2 %** of cases, as without noise, and not in 57.6 %" in texts(app)
    assert "has **0.41 % more variance**" in texts(app)
    (table,) = (each.value for each in app.dataframe)
    assert list(table["Statistic"]) == ["age", "schooling", "women", "working hours"]
    assert set(table["Off its grid"]) == {"possible"}
    # Its question is answered like the others, and is none of the seven.
    question = LESSONS[-1].exercise.question(course)
    app.radio(key="tour_answer_exercise").set_value(question.options[0].statement).run()
    assert "not so" in texts(app)
    app.radio(key="tour_answer_exercise").set_value(question.right.statement).run()
    assert "not so" not in texts(app)
    app.segmented_control(key="lesson").set_value("summary").run()
    assert "you answered **0 of 7** questions" in texts(app)
    turned(app, "tour_again")
    app.segmented_control(key="lesson").set_value("7").run()
    revealed(app, 7)
    assert app.radio(key="tour_answer_exercise").value is None


def test_a_question_holds_nobody_up_and_a_wrong_answer_counts_as_one(tour, course):
    app = revealed(tour)
    wrong = next(option for option in LESSONS[0].question(course).options if not option.holds)
    app.radio[0].set_value(wrong.statement).run()
    for number in range(1, 8):
        turned(app, f"tour_next_{number}")
    assert "you answered **1 of 7** questions, **0** of them right" in texts(app)
    assert texts(app).count("not answered") == 6
    assert texts(app).count("answered otherwise") == 1
    turned(app, "tour_again")
    sound(app)
    assert app.session_state["lesson"] == "1"
    revealed(app)
    assert app.radio[0].value is None
    app.segmented_control(key="lesson").set_value("summary").run()
    assert "you answered **0 of 7** questions" in texts(app)


@pytest.mark.parametrize("place", PLACES)
def test_a_link_opens_its_step(open_app, place):
    app = open_app("tour", lesson=place)
    sound(app)
    assert app.session_state["lesson"] == place


def test_a_damaged_link_opens_the_first_step(open_app):
    app = open_app("tour", lesson="99")
    sound(app)
    assert [header.value for header in app.header] == [LESSONS[0].title]


def test_what_was_answered_and_moved_is_there_after_another_page(open_app):
    app = revealed(open_app("tour", lesson="2"), 2)
    app.select_slider(key="tour_records").set_value(200).run()
    app.radio[0].set_value(statements(app)[0]).run()
    app.switch_page("../../pages/directions.py").run()
    app.switch_page("../../pages/tour.py").run()
    sound(app)
    assert app.session_state["lesson"] == "2"
    assert app.select_slider(key="tour_records").value == 200
    assert "not so" in texts(app)


def test_the_tour_goes_its_own_way_whatever_the_sidebar_holds(open_app):
    app = revealed(open_app("tour"))
    before = texts(app)
    app.number_input(key="eps").set_value(4.0).run()
    app.selectbox(key="secret").set_value("workclass = Private").run()
    assert texts(app) == before
    app.switch_page("../../pages/question.py").run()
    upload(app, records(500))
    app.switch_page("../../pages/tour.py").run()
    assert texts(app) == before
    # On demand the sidebar follows, even from an upload.
    app.segmented_control(key="lesson").set_value("summary").run()
    app.button(key="tour_take").click().run()
    sound(app)
    assert not errors(app)
    scenario = app.session_state["scenario"]
    assert (scenario.secret, scenario.pair, scenario.query) == (SECRET, PAIR, QUERY)
    assert (scenario.epsilon, scenario.delta, scenario.mechanism) == (EPSILON, DELTA, "OptM")
    assert app.session_state["dataset"].origin == "example"
    assert "Every other page shows the tour" in " ".join(each.value for each in app.caption)
    app.run()
    assert "Every other page shows the tour" not in " ".join(each.value for each in app.caption)


EXAMPLES = {
    "Figure 1": (
        "some mass has to move by **97**; leave out the 10 % that moves furthest and nothing "
        "moves by more than **1**"
    ),
    "Two statistics": (
        "needs a variance of **28.52**; the two statistics bring 10 and 25 of it along their axes "
        "themselves, so that noise of variance **18.52** and **3.52** is enough"
    ),
    "The hospital": (
        "the average weight by **18.378 pounds**, the average blood pressure by **7.448 mmHg** "
        "and the average temperature by **0.0119 °F**"
    ),
    "The school": "it needs **no noise**; counting",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_papers_worked_examples(open_app, name):
    app = open_app()
    app.session_state["tour_examples"] = True
    app.session_state["tour_example"] = name
    app.switch_page("../../pages/tour.py").run()
    sound(app)
    assert EXAMPLES[name] in texts(app)
    # The step shows none before its guess.
    assert len(charts(app)) == 1


def test_nothing_shows_before_the_guess_and_the_guess_stands_beside_the_truth(open_app, course):
    app = open_app("tour", lesson="1")
    assert not charts(app)
    assert "76" not in texts(app)
    assert not app.radio
    app.slider(key="tour_guess_1").set_value(60.0).run()
    app.button(key="tour_guessed_1").click().run()
    sound(app)
    beside, _ = charts(app)
    drawn = {trace["name"]: trace["x"] for trace in beside["data"]}
    assert drawn["your guess"] == [60]
    assert not wrong_numbers(app)
    truth = LESSONS[0].guess.truth(course)
    assert drawn["the answer"] == [truth]
    assert "**76.2 %**" in texts(app)
    app.segmented_control(key="lesson").set_value("summary").run()
    assert "You guessed 60 of 100; it is 76 of 100." in texts(app)
    # Every truth lies on its scale, and is no end of it that could not be missed.
    for lesson in LESSONS:
        if lesson.guess is not None:
            low, high = lesson.guess.ends
            assert low < lesson.guess.truth(course) < high
    assert [number for number, lesson in enumerate(LESSONS, 1) if lesson.guess is None] == [2]


def test_ten_releases_are_told_apart_before_the_clouds_show(open_app, course):
    app = open_app("tour", lesson="2")
    for place in range(ROUNDS):
        (chart,) = charts(app)
        assert chart["layout"]["title"]["text"] == "Which share is it from?"
        assert f"Release **{place + 1} of {ROUNDS}**" in texts(app)
        assert "best attacker" not in texts(app)
        app.button(key=f"tour_say_{place % 2}").click().run()
    sound(app)
    played, clouds = charts(app)
    seen = app.session_state["tour_play"].seen(game(course))
    right = sum(each.share == place % 2 for place, each in enumerate(seen))
    best = sum(each.share == each.best for each in seen)
    assert f"You told **{right} of 10** releases" in texts(app)
    assert f"**{best}** of the same ones, and 69.8 % in the long run" in texts(app)
    assert "it would be 2 to 8, nineteen times of twenty" in texts(app)
    assert played["layout"]["title"]["text"] == f"{right} of 10 told apart"
    assert clouds["layout"]["title"]["text"] == "Secret and variation"
    assert not wrong_numbers(app)
