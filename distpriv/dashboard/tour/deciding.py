"""Steps 6 and 7 of the tour: which ε, and what a promise rests on."""

from __future__ import annotations

import math

import streamlit as st

from distpriv.charts.attack_curves import accuracy_curves
from distpriv.charts.choosing import attackers_in_100
from distpriv.dashboard.tour.lesson import Guess, Lesson, Option, Question, Shown
from distpriv.dashboard.tour.subtracting import SUBTRACTING
from distpriv.lessons import Course, fewer_statistics, limited_attacker, repeated_releases
from distpriv.lessons.course import DELTA, EPSILON, RELEASES
from distpriv.words import exact, number, percent

__all__ = ["CHOOSING", "FAILING"]

_GUESSES = 60
_SOME, _WEEKS = 5, max(RELEASES)


def _ask_choosing(course: Course) -> int:
    open_ = fewer_statistics(course, 0).before
    return st.slider(
        "Right guesses of 100 that you allow",
        51,
        math.ceil(100 * open_) - 1,
        _GUESSES,
        key="tour_guesses",
        persist_state="session",
        help=f"By tossing a coin 50 are right, without any noise {percent(open_)}.",
    )


def _show_choosing(course: Course, guesses: int) -> Shown:
    lesson = limited_attacker(course, guesses)
    return Shown(
        f"If an attacker may be right in **{guesses} of 100** guesses, ε can be up to "
        f"**{number(lesson.epsilon)}** on these data. OptM's noise then makes a total error of "
        f"**{number(lesson.error)}**.",
        attackers_in_100(
            [
                (f"with ε = {number(lesson.epsilon)}", round(100 * lesson.reached)),
                ("by the promise alone", math.floor(100 * lesson.promised + 1e-9)),
                ("without noise", round(100 * lesson.undefended)),
            ],
            by_chance=50,
        ),
    )


def _question_choosing(course: Course) -> Question:
    lesson = limited_attacker(course, _GUESSES)
    promised = math.floor(100 * lesson.promised + 1e-9)
    epsilon = number(lesson.epsilon)
    figures = f"(e^ε + δ)/(1 + e^ε) is {percent(lesson.promised)} at ε\u00a0=\u00a0{epsilon}"
    return Question(
        f"You allow {_GUESSES} right guesses of 100 and find ε\u00a0=\u00a0"
        f"{number(lesson.epsilon)} on these data. What does the promise (ε, δ) alone allow, "
        "whatever the data?",
        (
            Option(
                "Fewer than that: a promise is always on the safe side",
                promised < _GUESSES,
                "A promise has to hold for the worst data one can think of, so by itself it rules "
                f"out less: {figures}.",
            ),
            Option(
                "Just as many: that is what ε means",
                promised == _GUESSES,
                "ε bounds how much likelier any outcome can become, which allows the attacker "
                f"more on other data than on these: {figures}.",
            ),
            Option(
                "More: these data are kinder than the promise has to assume",
                promised > _GUESSES,
                f"Right guesses count on the model of these data, the promise does not: {figures}. "
                "If the model may be wrong, choose ε by the promise.",
            ),
        ),
    )


CHOOSING = Lesson(
    title="Choosing ε",
    intro=(
        "ε is hard to picture, an attacker is not: a hundred of them each see one release and "
        "name one of the two shares. Fifty are right by luck. Say how many may be right at most, "
        "and the largest ε that keeps to it follows from the data."
    ),
    guess=Guess(
        f"You allow {_GUESSES} right guesses of 100. How large may ε be on these data?",
        lambda course: limited_attacker(course, _GUESSES).epsilon,
        (0.1, 5.0),
        0.1,
        "ε\u00a0=\u00a0{}",
    ),
    takeaway="Choose ε by what an attacker may achieve.",
    ask=_ask_choosing,
    show=_show_choosing,
    question=_question_choosing,
    formula=r"\Pr(M\in S\mid p_i)\le e^{\varepsilon}\Pr(M\in S\mid p_j)+\delta\quad\Rightarrow\quad"
    r"\text{right in at most }\frac{e^{\varepsilon}+\delta}{1+e^{\varepsilon}}",
    source=(
        "The promise for every set S of outcomes and both orders of the shares, and what it "
        "alone allows an attacker at equal odds (Kairouz et al. 2015). On the fitted normals the "
        "best attack is known exactly, which gives the larger ε."
    ),
    page="answer",
    leads_to="Set limits of other kinds: Answer",
)


def _ask_failing(course: Course) -> int:
    return st.select_slider(
        "Releases of the same statistics",
        RELEASES,
        value=_SOME,
        key="tour_releases",
        persist_state="session",
        help="Of the same records, each with fresh noise.",
    )


def _show_failing(course: Course, count: int) -> Shown:
    lesson = repeated_releases(course, count)
    times = "one release" if count == 1 else f"{count} releases"
    undone = lesson.undone_from is not None and count >= lesson.undone_from
    return Shown(
        f"After **{times}** of the same statistics the best attacker is right in "
        f"**{percent(lesson.accuracy)}** of cases, and together they deliver "
        f"ε\u00a0=\u00a0**{number(lesson.epsilon)}**, not {EPSILON:g}; without noise it is "
        f"{percent(lesson.undefended)}."
        + (" So little noise is left that arithmetic undoes the rest." if undone else ""),
        accuracy_curves(
            lesson.curves,
            x_title="releases of the same statistics",
            x_name="releases",
            x_log=True,
            current=count,
            undefended=lesson.undefended,
            ceiling=None,
            points=None,
            title="Best attack against releases",
            selected="OptM",
        ),
    )


def _question_failing(course: Course) -> Question:
    lesson = repeated_releases(course, _WEEKS)
    figures = (
        f"the best attacker goes from {percent(lesson.single)} to {percent(lesson.accuracy)}, "
        f"where no noise at all gives {percent(lesson.undefended)}"
    )
    kept = lesson.accuracy <= lesson.single + 0.01
    gone = not kept and lesson.undefended - lesson.accuracy < 0.03
    return Question(
        f"You publish the statistics of the same records every week for {_WEEKS} weeks, with fresh "
        "noise each time. What is left of the protection?",
        (
            Option(
                "All of it: every release keeps its promise",
                kept,
                f"Each by itself does, but averaging takes the noise away: {figures}.",
            ),
            Option(
                "Next to nothing",
                gone,
                f"Fresh noise averages out: {figures}. Release once, or draw the noise once and "
                "publish the same figures again.",
            ),
            Option(
                "About half of it",
                not kept and not gone,
                f"The noise shrinks with the root of the number of releases, to a tenth here: "
                f"{figures}.",
            ),
        ),
    )


def _failures(course: Course) -> str:
    """What else can go wrong, in Markdown."""
    lesson = repeated_releases(course, 1)
    return (
        f"- **Unequal variation.** The papers take the two shares' covariances for their mean. "
        f"Calibrated so, one release would deliver δ\u00a0=\u00a0{number(lesson.pooled)} where "
        f"{exact(DELTA)} is promised; the *guarded* calibration, as here, delivers "
        f"{number(lesson.delta)}.\n"
        "- **Arithmetic.** Counts are whole numbers, which gives noise along one direction away. "
        "The exercise below does it by hand.\n"
        "- **Not normal.** Counts of rare values and averages of few records are not; the Gaussian "
        "fit page tests it.\n"
        "- **Other secrets.** Noise along one shift hides one share. What it does for another is "
        "luck, unless you hide both.\n"
        "- **A wrong model.** If the attacker knows records, or draws them otherwise than you "
        "think, the promise is about another world; the Assumptions page says what survives."
    )


FAILING = Lesson(
    title="What can go wrong",
    intro=(
        "A promise holds for what it is about: one release, of statistics that vary as the model "
        "says, against somebody who wants the one share that you hide. Here the first of these is "
        f"broken: OptM at ε\u00a0=\u00a0{EPSILON:g}, released again and again."
    ),
    guess=Guess(
        f"OptM at ε\u00a0=\u00a0{EPSILON:g} hides the share, and the same statistics are released "
        f"{_SOME} times, with fresh noise each time. Of 100 guesses, how many does the best "
        "attacker get right now?",
        lambda course: 100 * repeated_releases(course, _SOME).accuracy,
    ),
    takeaway="A promise is about one release, and rests on its assumptions.",
    ask=_ask_failing,
    show=_show_failing,
    question=_question_failing,
    formula=r"\tfrac1r\sum_{s=1}^r\left(F(\mathit{Data})+Z_s\right)=F(\mathit{Data})+\bar Z,\qquad"
    r"\bar Z\sim\mathcal N(0,S/r)",
    source=(
        "The average of r releases tells what all of them tell. In general promises do not add up "
        "either: Chen & Ohrimenko (2023, full version), Propositions A.4 and A.5, say when they do."
    ),
    page="assumptions",
    leads_to="See what each promise rests on: Assumptions",
    more=_failures,
    exercise=SUBTRACTING,
)
