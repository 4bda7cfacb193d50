"""What a step of the tour consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plotly import graph_objects as go

from distpriv.lessons import Course

__all__ = ["Exercise", "Lesson", "Option", "Question", "Shown"]


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
