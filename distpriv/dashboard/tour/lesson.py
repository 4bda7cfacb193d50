"""What a step of the tour consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plotly import graph_objects as go

from distpriv.lessons import Course

__all__ = ["Exercise", "Guess", "Lesson", "Option", "Question", "Shown"]


@dataclass(frozen=True)
class Option:
    """A statement to choose, whether it holds by what is computed, and why or why not.

    Attributes
    ----------
    statement : str
    holds : bool
    why : str
        One sentence, in Markdown.
    """

    statement: str
    holds: bool
    why: str


@dataclass(frozen=True)
class Question:
    """A question with statements to choose from, exactly one of which holds.

    Attributes
    ----------
    text : str
    options : tuple of Option
    """

    text: str
    options: tuple[Option, ...]

    @property
    def right(self) -> Option:
        """The statement that holds."""
        return next(option for option in self.options if option.holds)

    def chosen(self, statement: str | None) -> Option | None:
        """The option with that statement, None if there is none."""
        return next((option for option in self.options if option.statement == statement), None)


@dataclass(frozen=True)
class Guess:
    """What is asked for before anything is shown.

    Attributes
    ----------
    text : str
        The question, in Markdown.
    truth : callable
        From the course to the answer.
    ends : tuple of two float
        Of the scale.
    step : float
    form : str
        How a value is said, with braces where it stands.
    """

    text: str
    truth: Callable[[Course], float]
    ends: tuple[float, float] = (50.0, 100.0)
    step: float = 1.0
    form: str = "{} of 100"

    def said(self, value: float) -> str:
        """A value in words, with the digits of the scale."""
        return self.form.format(f"{value:.{0 if self.step >= 1 else 1}f}")


@dataclass(frozen=True, eq=False)
class Shown:
    """What a step shows for one setting of its control.

    Attributes
    ----------
    sentence : str
        The result, in Markdown.
    figure : Figure
    """

    sentence: str
    figure: go.Figure


@dataclass(frozen=True)
class Exercise:
    """What a step lets one try with one's own hands.

    Attributes
    ----------
    title : str
    draw : callable
        Draws it for the course, with its control.
    question : callable
        From the course to its question.
    """

    title: str
    draw: Callable[[Course], None]
    question: Callable[[Course], Question]


@dataclass(frozen=True)
class Lesson:
    """One step.

    Attributes
    ----------
    title : str
    intro : str
        What it is about, in Markdown.
    takeaway : str
        What to remember of it, in one sentence.
    ask : callable
        Draws the one control and returns its value.
    show : callable
        From the course and that value to what is shown.
    question : callable
        From the course to the question, whatever the control says.
    formula, source : str
        LaTeX, and what it says with where it is from.
    page, leads_to : str
        Name of the page that goes deeper, and what can be done there.
    more : callable, optional
        From the course to what is worth knowing besides, in Markdown.
    exercise : Exercise, optional
    guess : Guess, optional
        None where ten releases are told apart first.
    reading : str
        What the picture shows, in Markdown; said with it.
    """

    title: str
    intro: str
    takeaway: str
    ask: Callable[[Course], Any]
    show: Callable[[Course, Any], Shown]
    question: Callable[[Course], Question]
    formula: str
    source: str
    page: str
    leads_to: str
    more: Callable[[Course], str] | None = None
    exercise: Exercise | None = None
    guess: Guess | None = None
    reading: str = ""
