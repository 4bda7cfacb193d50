"""The results of the guided tour."""

from __future__ import annotations

import dataclasses

import pytest

from distpriv import lessons
from distpriv.dashboard.tour.lesson import Question
from distpriv.dashboard.tour.steps import LESSONS


@pytest.mark.parametrize("number", range(len(LESSONS)))
def test_exactly_one_answer_holds_and_each_says_why(course: lessons.Course, number: int) -> None:
    lesson = LESSONS[number]
    questions = [lesson.question(course)]
    questions += [lesson.exercise.question(course)] if lesson.exercise else []
    for question in questions:
        one_holds(question)


def one_holds(question: Question) -> None:
    assert [option.holds for option in question.options].count(True) == 1
    assert len({option.statement for option in question.options}) == len(question.options) == 3
    assert all(option.why.endswith(".") for option in question.options)
    assert question.chosen(question.right.statement) == question.right
    assert question.chosen(None) is None
    assert question.chosen("something else") is None


def test_the_right_answer_follows_the_data(course: lessons.Course) -> None:
    """A secret that hardly shows in the statistics turns the answer of the first question."""
    moments = course.moments
    alike = moments.means.mean(axis=0) + 0.1 * (moments.means - moments.means.mean(axis=0))
    quiet = lessons.Course(dataclasses.replace(moments, means=alike))
    first = LESSONS[0].question
    assert first(course).options.index(first(course).right) == 2
    assert first(quiet).options.index(first(quiet).right) == 0
