"""Steps 1 and 2 of the tour: what a release without noise gives away."""

from __future__ import annotations

import streamlit as st

from distpriv.attacks.optimal import equivalent_separation
from distpriv.charts.answer import scores
from distpriv.charts.plane import ellipses
from distpriv.dashboard.tour.lesson import Guess, Lesson, Option, Question, Shown
from distpriv.lessons import Course, fewer_statistics, more_records
from distpriv.lessons.course import NAMES, PAIR, PLANE, QUERY, RECORDS, SIZES
from distpriv.words import percent

__all__ = ["HIDING", "SEEING"]

_UNITS = ("years", "years")


def _listed(places: tuple[int, ...]) -> str:
    names = [NAMES[place] for place in places]
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _ask_hiding(course: Course) -> int:
    return st.slider(
        "Statistics taken out as well, the most telling first",
        0,
        len(QUERY) - 1,
        0,
        key="tour_taken_out",
        persist_state="session",
        help="Each time the one goes whose loss costs the best attacker most.",
    )


def _show_hiding(course: Course, count: int) -> Shown:
    lesson = fewer_statistics(course, count)
    panels = {f"All {len(QUERY)} statistics": lesson.before}
    if count:
        panels[f"{len(lesson.left)} of {len(QUERY)} left"] = lesson.after
        sentence = (
            f"Without {_listed(lesson.taken_out)} as well, the best attacker is still right in "
            f"**{percent(lesson.after)}** of cases; guessing is right in 50\u00a0%."
        )
    else:
        sentence = (
            "The column *income* is not in the release, and yet the best attacker tells 45\u00a0% "
            "high earners from 55\u00a0% by the other columns, right in "
            f"**{percent(lesson.before)}** of cases; guessing is right in 50\u00a0%."
        )
    views = {name: (equivalent_separation(right), right) for name, right in panels.items()}
    return Shown(sentence, scores(PAIR, views))


def _question_hiding(course: Course) -> Question:
    lesson = fewer_statistics(course, 1)
    left = lesson.after
    facts = (
        f"without {_listed(lesson.taken_out)}, the most telling of the five, the attacker is right "
        f"in {percent(left)} of cases."
    )
    return Question(
        "Income is hidden, and you take the most telling of the five statistics out as well. What "
        "is left for the attacker?",
        (
            Option(
                "Nothing: they can only guess",
                left < 0.53,
                f"The other four still look different under the two shares: {facts}",
            ),
            Option(
                "Little: right in 53 to 65 of 100 cases",
                0.53 <= left < 0.65,
                f"Each of the four that are left shows the share too, and they add up: {facts}",
            ),
            Option(
                "Most of it: right in more than 65 of 100",
                left >= 0.65,
                f"Income is tied to all the other columns at once, so hiding columns is not "
                f"enough: {facts}",
            ),
        ),
    )


HIDING = Lesson(
    title="Why hiding a column is not enough",
    intro=(
        f"You release five statistics of {RECORDS} records: average age, years of schooling and "
        "hours of work, and how many people have never married and how many are women. How many "
        "of them earn more than 50K is nobody's business, so you leave that column out. People who "
        "earn more are older, went to school for longer and are married more often, though."
    ),
    guess=Guess(
        "An attacker sees the five statistics and says whether 45\u00a0% or 55\u00a0% of the "
        "records have high earnings. Of 100 such guesses, how many does the best attacker get "
        "right? Tossing a coin gets 50.",
        lambda course: 100 * fewer_statistics(course, 0).before,
    ),
    takeaway="The columns you release tell of the one you hide.",
    ask=_ask_hiding,
    show=_show_hiding,
    question=_question_hiding,
    formula=r"\text{right in }\tfrac12+\tfrac12\,\mathrm{TV}\approx"
    r"\Phi\left(\tfrac12\sqrt{d^\top\Sigma^{-1}d}\right)\text{ of cases},\quad d=\mu_i-\mu_j",
    source=(
        "μ are the averages of the released statistics under the two shares, Σ is their "
        "covariance: how they vary from one set of 100 records to the next. TV, the total "
        "variation of the two normal distributions, is what the best test there is makes of them "
        "(Neyman & Pearson), both shares being equally likely before; Φ is that where both vary "
        "alike, as they nearly do here."
    ),
    page="question",
    leads_to="Ask the same of your own table: Data",
)


def _ask_seeing(course: Course) -> int:
    return st.select_slider(
        "Records in the release",
        SIZES,
        value=RECORDS,
        key="tour_records",
        persist_state="session",
        help="The two averages are taken of this many records.",
    )


def _show_seeing(course: Course, n: int) -> Shown:
    lesson = more_records(course, n)
    first, second = (NAMES[place] for place in PLANE)
    return Shown(
        f"Averages of {n} records fall into one of two clouds, one for each share: from {first} "
        f"and {second} alone the best attacker is right in **{percent(lesson.accuracy)}** of "
        f"cases, from all five statistics in {percent(lesson.together)}.",
        ellipses(
            lesson.fit,
            {},
            0,
            1,
            (f"average {first}", f"average {second}"),
            _UNITS,
            widest=lesson.widest,
        ),
    )


def _question_seeing(course: Course) -> Question:
    few, many = (more_records(course, n).accuracy for n in (RECORDS, 4 * RECORDS))
    figures = f"right in {percent(many)} of cases instead of {percent(few)}"
    return Question(
        f"You release the same two averages of {4 * RECORDS} records instead of {RECORDS}. Is the "
        "share safer?",
        (
            Option(
                "Yes: every single record counts for less",
                many < few - 0.005,
                "That helps each record, but the share is a property of all of them, and averages "
                f"of more records vary less: {figures}.",
            ),
            Option(
                "No: the clouds shrink, and come apart",
                many > few + 0.005,
                f"Averages of more records vary less around what the share makes them: {figures}. "
                "Single records are safer in a crowd; the crowd is not.",
            ),
            Option(
                "It makes no difference: the averages are the same",
                abs(many - few) <= 0.005,
                "The centres of the clouds stay where they are, but the clouds around them change "
                f"their size: {figures}.",
            ),
        ),
    )


SEEING = Lesson(
    title="What an attacker sees",
    intro=(
        "Draw many sets of records with 45\u00a0% high earners, and many with 55\u00a0%, and mark "
        "each set by its averages: the marks form two clouds. The attacker sees one mark, the "
        "one that you release, and asks which cloud it is from. That is all that an attack on a "
        "share is, and no single record matters for it."
    ),
    takeaway="An attack on a share compares two clouds, and more records pull them apart.",
    ask=_ask_seeing,
    show=_show_seeing,
    question=_question_seeing,
    formula=r"F(\mathit{Data})\mid p\;\sim\;\mathcal N(\mu_p,\Sigma_p)",
    source=(
        "Each cloud is described by a normal distribution, fitted to the records with and without "
        "the property. Chen & Ohrimenko (2023), Sections 2 and 5."
    ),
    page="fit",
    leads_to="See how normal the clouds are: Gaussian fit",
)
