"""The way through the tour: one step at a time, its question, and what is said at the end."""

from __future__ import annotations

import streamlit as st

from distpriv.dashboard.shell import cache, live, opening, presenting
from distpriv.dashboard.shell.pages import link
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.tour import attacker, predicting
from distpriv.dashboard.tour.adding import ALLY, DIRECTION, LEAST
from distpriv.dashboard.tour.deciding import CHOOSING, FAILING
from distpriv.dashboard.tour.examples import worked_examples
from distpriv.dashboard.tour.lesson import Lesson, Option, Question
from distpriv.dashboard.tour.seeing import HIDING, SEEING
from distpriv.dashboard.widgets import code, display
from distpriv.lessons import Course
from distpriv.lessons.course import QUERY, SECRET
from distpriv.tables.examples import EXAMPLES

__all__ = ["LESSONS", "PLACES", "course", "tour"]

LESSONS = (HIDING, SEEING, DIRECTION, ALLY, LEAST, CHOOSING, FAILING)
_SUMMARY, _EXERCISE = "summary", "exercise"
_MOMENT = 0.15  # seconds
PLACES = (*(str(number) for number in range(1, len(LESSONS) + 1)), _SUMMARY)
_GO_ON = (
    ("question", "Ask the question of your own table"),
    ("answer", "Find the ε that fits your limit"),
    ("assumptions", "Check what the promise rests on"),
    ("compare", "Compare scenarios and hand them on"),
)


def course() -> Course:
    """The tour's data: always the embedded example, whichever table is open."""
    dataset = cache.example(EXAMPLES[0].key)
    return cache.computed(lambda: Course(dataset.moments(QUERY, SECRET)), f"tour {dataset.digest}")


def tour() -> None:
    """The step that the address names, or the summary, and below it the papers' examples."""
    place = st.segmented_control(
        "Step",
        PLACES,
        default=PLACES[0],
        required=True,
        key=Key.LESSON,
        bind="query-params",
        persist_state="session",
        label_visibility="collapsed",
    )
    _heading(place)
    if st.session_state.pop(Key.TOUR_TURNING, False):
        _empty()
        return
    if place == _SUMMARY:
        _summary(course())
    else:
        _step(int(place), course())
    st.divider()
    worked_examples()


def _heading(place: str) -> None:
    if place == _SUMMARY:
        st.progress(1.0, text="The tour is done")
        st.header("What you have seen")
    else:
        st.progress(int(place) / len(LESSONS), text=f"Step {place} of {len(LESSONS)}")
        st.header(LESSONS[int(place) - 1].title)


def _empty() -> None:
    """A page that is short until the browser asks for it again.

    After Back or Next it leaves the place it had scrolled down to by that, and the next step opens
    at its top.
    """
    first = iter([True])

    @st.fragment
    def part() -> None:
        if not next(first, False):
            st.rerun()
        live.timer(_MOMENT)

    part()


def _step(number: int, data: Course) -> None:
    """The guess first; what is shown, once there is one, or once it was asked for."""
    lesson = LESSONS[number - 1]
    if number in predicting.given():
        _shown(number, lesson, data)
        return
    code.note("tour", lesson=number)
    st.markdown(lesson.intro)
    if lesson.guess is None:
        attacker.play(number, data)
    else:
        predicting.ask(number, lesson.guess)
    _onward(number)


def _shown(number: int, lesson: Lesson, data: Course) -> None:
    if lesson.guess is None:
        attacker.outcome(data)
    else:
        predicting.beside(number, lesson.guess, data)
    result_first = st.container()
    picture, controls = st.columns([3, 2], gap="large")
    with controls:
        st.markdown(f"{lesson.intro} {lesson.reading}")
        value = lesson.ask(data)
        code.note("tour", lesson=number, value=value)
        shown = lesson.show(data, value)
        _question(number, lesson.question(data))
        _onward(number)
    with result_first:
        st.markdown(shown.sentence)
    with picture:
        display.chart(shown.figure, f"tour_{number}")
    if lesson.more is not None:
        st.markdown(lesson.more(data))
    _deeper(lesson)
    if lesson.exercise is not None:
        st.subheader(lesson.exercise.title)
        lesson.exercise.draw(data)
        _question(_EXERCISE, lesson.exercise.question(data))


def _question(number: int | str, question: Question) -> None:
    """The question, and what the chosen answer deserves; any answer can be changed."""
    with st.container(border=True):
        statement = st.radio(
            question.text,
            [option.statement for option in question.options],
            index=None,
            key=_answer_key(number),
            persist_state="session",
        )
        answers = st.session_state.setdefault(Key.TOUR_ANSWERS, {})
        if (chosen := question.chosen(statement)) is not None:
            answers[number] = statement
            st.markdown(_verdict(chosen))


def _answer_key(number: int | str) -> str:
    return f"tour_answer_{number}"


def _verdict(chosen: Option) -> str:
    badge = (
        ":green-badge[:material/check: right]"
        if chosen.holds
        else ":red-badge[:material/close: not so]"
    )
    return f"{badge} {chosen.why}"


def _onward(number: int) -> None:
    row = st.container(horizontal=True)
    row.button(
        "Back",
        icon=":material/arrow_back:",
        disabled=number == 1,
        key=f"tour_back_{number}",
        shortcut=presenting.shortcut("Left"),
        on_click=_open,
        args=(PLACES[max(number - 2, 0)],),
    )
    last = number == len(LESSONS)
    row.button(
        "Finish" if last else "Next",
        icon=":material/flag:" if last else ":material/arrow_forward:",
        type="primary",
        key=f"tour_next_{number}",
        shortcut=presenting.shortcut("Right"),
        help=None if last else LESSONS[number].title,
        on_click=_open,
        args=(PLACES[number],),
    )


def _open(place: str) -> None:
    st.session_state[Key.LESSON] = place
    st.session_state[Key.TOUR_TURNING] = True


def _deeper(lesson: Lesson) -> None:
    """The formula, and the page that goes on from here."""
    with st.expander("The formula", icon=":material/function:"):
        st.latex(lesson.formula)
        st.markdown(lesson.source)
    link(lesson.page, lesson.leads_to, icon=":material/open_in_new:")


def _summary(data: Course) -> None:
    """The seven results, how the questions were answered, and where to go on."""
    answers: dict[int | str, str] = st.session_state.get(Key.TOUR_ANSWERS, {})
    questions = {number: lesson.question(data) for number, lesson in enumerate(LESSONS, 1)}
    given = {
        number: chosen
        for number, question in questions.items()
        if (chosen := question.chosen(answers.get(number))) is not None
    }
    right = sum(chosen.holds for chosen in given.values())
    st.markdown(
        "A share can be read off statistics that never mention it, and a little noise in the "
        f"right place hides it: you answered **{len(given)} of {len(LESSONS)}** questions, "
        f"**{right}** of them right."
    )
    for number, (lesson, question) in enumerate(zip(LESSONS, questions.values(), strict=True), 1):
        st.markdown(
            f"{number}. **{lesson.takeaway}** {_mark(given.get(number))}  \n{question.right.why} "
            + predicting.in_words(number, lesson.guess, data)
        )
    row = st.container(horizontal=True)
    row.button(
        "Back",
        icon=":material/arrow_back:",
        key="tour_back",
        on_click=_open,
        args=(PLACES[-2],),
        shortcut=presenting.shortcut("Left"),
    )
    row.button(
        "Start again", icon=":material/restart_alt:", key="tour_again", on_click=_start_again
    )
    row.button(
        "Go on with the tour's scenario",
        icon=":material/done:",
        type="primary",
        key="tour_take",
        on_click=_take,
        help="45\u00a0% or 55\u00a0% high earners among 100 records, five statistics, OptM at ε = "
        "1: to change it on every other page.",
    )
    if st.session_state.pop(Key.TOUR_TAKEN, False):
        st.caption("Every other page shows the tour's scenario now.")
    st.subheader("Where to go on")
    for page, label in _GO_ON:
        link(page, label)


def _mark(chosen: Option | None) -> str:
    if chosen is None:
        return ":gray-badge[not answered]"
    return (
        ":green-badge[:material/check: right]"
        if chosen.holds
        else ":red-badge[:material/close: answered otherwise]"
    )


def _start_again() -> None:
    state = st.session_state
    state[Key.TOUR_ANSWERS] = {}
    predicting.forget()
    attacker.forget()
    for number in (*range(1, len(LESSONS) + 1), _EXERCISE):
        state[_answer_key(number)] = None
    _open(PLACES[0])


def _take() -> None:
    opening.open_scenario(course().scenario(cache.example(EXAMPLES[0].key).digest))
    st.session_state[Key.TOUR_TAKEN] = True
