"""Steps 3 to 5 of the tour: where noise goes, and how much of it there has to be."""

from __future__ import annotations

import streamlit as st

from distpriv.charts.network import variance_bars
from distpriv.charts.plane import ellipses
from distpriv.charts.utility import error_against_epsilon
from distpriv.dashboard.tour.lesson import Guess, Lesson, Option, Question, Shown
from distpriv.lessons import (
    Course,
    OwnVariation,
    RotatedNoise,
    least_noise,
    own_variation,
    rotated_noise,
)
from distpriv.lessons.course import COUNTS, EPSILON, EPSILONS, MECHANISMS, NAMES
from distpriv.words import number, percent

__all__ = ["ALLY", "DIRECTION", "LEAST"]

_BEST = "OptM"
_QUESTION_EPSILON = 2.0


def _ask_direction(course: Course) -> int:
    return st.slider(
        "Noise turned away from the shift, in degrees",
        0,
        90,
        0,
        15,
        key="tour_angle",
        persist_state="session",
        help="0 is along the arrow from one centre to the other, 90 straight across it. The noise "
        "stays as large as it is.",
    )


def _show_direction(course: Course, degrees: int) -> Shown:
    lesson = rotated_noise(course, degrees)
    if degrees:
        name = "turned noise"
        sentence = (
            f"Turned {degrees}° away from the shift, the same noise leaves the best attacker "
            f"right in **{percent(lesson.accuracy)}** of cases, instead of {percent(lesson.along)} "
            f"along the shift; without noise it is {percent(lesson.undefended)}."
        )
    else:
        name = "DirM"
        sentence = (
            f"Noise along the shift alone (DirM, a total error of "
            f"**{number(lesson.noise.expected_error())}**) hides the share as well as noise in "
            f"every direction (ExpM, {number(lesson.everywhere.expected_error())}): the best "
            f"attacker falls from {percent(lesson.undefended)} to **{percent(lesson.along)}**, and "
            f"to {percent(lesson.around)} with ExpM."
        )
    return Shown(
        sentence,
        ellipses(
            lesson.fit,
            {"ExpM": lesson.everywhere, name: lesson.noise},
            0,
            1,
            tuple(NAMES[place] for place in COUNTS),
            ("records", "records"),
            to_scale=True,
        ),
    )


def _along(lesson: RotatedNoise) -> float:
    return lesson.noise.expected_error() / lesson.everywhere.expected_error()


def _question_direction(course: Course) -> Question:
    lesson = rotated_noise(course, 90)
    figures = f"{percent(lesson.along)} along the shift, {percent(lesson.across)} across it"
    clear = percent(lesson.undefended)
    return Question(
        "You have noise of one size and one direction to spend. Where does it hide the share best?",
        (
            Option(
                "Across the shift, where the clouds are side by side",
                lesson.across < lesson.along - 0.005,
                "Noise across the shift moves both clouds where they overlap anyway: the attacker "
                f"is right in {figures}, and {clear} without any.",
            ),
            Option(
                "Along the shift, from one cloud into the other",
                lesson.along < lesson.across - 0.005,
                f"It blurs just the difference that gives the share away: {figures}, and {clear} "
                "without any noise.",
            ),
            Option(
                "Anywhere: it is the size that counts",
                abs(lesson.along - lesson.across) <= 0.005,
                f"Of the same size, it makes all the difference where it goes: {figures}.",
            ),
        ),
    )


DIRECTION = Lesson(
    title="Noise in the right direction",
    intro=(
        "Between the two shares the statistics move along one line, the arrow. Noise on every "
        "statistic (ExpM) spends most of its size on directions that give nothing away."
    ),
    guess=Guess(
        "Noise along that one line alone (DirM) hides the share as well as noise on every "
        f"statistic (ExpM), at ε\u00a0=\u00a0{EPSILON:g} and on two counts. How large is its "
        "error, in per cent of ExpM's?",
        lambda course: 100 * _along(rotated_noise(course, 0)),
        (0.0, 100.0),
        form="{}\u00a0%",
    ),
    reading=(
        f"The picture shows two counts at ε\u00a0=\u00a0{EPSILON:g}: the circle is ExpM's noise, "
        "the narrow ellipse is noise in one direction, which you can turn. Its width comes of "
        "half a record of noise on each count, without which arithmetic would undo it; the last "
        "step shows how."
    ),
    takeaway="Noise helps along the shift, and hardly anywhere else.",
    ask=_ask_direction,
    show=_show_direction,
    question=_question_direction,
    formula=r"\text{ExpM: }Z\sim\mathcal N(0,\sigma^2I),\qquad\text{DirM: }"
    r"Z\sim\mathcal N(0,\sigma^2vv^\top),\quad v=\tfrac{\mu_i-\mu_j}{\lVert\mu_i-\mu_j\rVert_2}",
    source=(
        "σ is the length of the shift over the distance that (ε, δ) allows, for both. Chen & "
        "Ohrimenko (2023), Theorem 4.2 and Section 4.2, where the statistics are taken for "
        "densities; here DirM stands on a floor of half a step on each statistic."
    ),
    page="directions",
    leads_to="See all mechanisms' directions: Directions",
)


def _ask_ally(course: Course) -> float:
    return st.select_slider(
        "ε: more private ← → more accurate",
        EPSILONS,
        value=2.0,
        key="tour_epsilon",
        persist_state="session",
        format_func=lambda value: f"{value:g}",
        help="The smaller ε, the more variance a release needs in every direction.",
    )


def _brought(lesson: OwnVariation) -> float:
    """Share of the variance needed that is there along the widest axis."""
    widest = next(iter(lesson.axes.values()))
    return min(float(widest.variances[0] / widest.needed[0]), 1.0)


def _show_ally(course: Course, epsilon: float) -> Shown:
    lesson = own_variation(course, epsilon)
    leader = next(iter(lesson.axes))
    share = _brought(lesson)
    named = {f"axis of {NAMES[place]}": noise for place, noise in lesson.axes.items()}
    return Shown(
        f"At ε\u00a0=\u00a0{epsilon:g} the statistics bring **{percent(share, 0)}** of the "
        f"variance that is needed along their widest axis (mostly {NAMES[leader]}) themselves; "
        f"noise for the rest alone (EigM) moves them by **{number(lesson.using)}** in all, where "
        f"noise that ignores it (ExpM) moves them by {number(lesson.ignoring)}.",
        variance_bars(named, "What the statistics bring themselves"),
    )


def _question_ally(course: Course) -> Question:
    lesson = own_variation(course, _QUESTION_EPSILON)
    figures = (
        f"at ε\u00a0=\u00a0{_QUESTION_EPSILON:g}, twice the variance takes EigM from "
        f"{number(lesson.using)} to {number(lesson.varied_more)} in all"
    )
    apart = 0.01 * lesson.using
    return Question(
        "Suppose that the statistics varied more from one set of records to the next. How much "
        "noise does the same ε need then?",
        (
            Option(
                "More: a wild release needs a firmer hand",
                lesson.varied_more > lesson.using + apart,
                f"What varies by itself hides the share already, and noise has less left to do: "
                f"{figures}.",
            ),
            Option(
                "As much: ε is the same",
                abs(lesson.varied_more - lesson.using) <= apart,
                "ε says how alike the *released* figures must look, and their own variation counts "
                f"towards that as much as noise does: {figures}.",
            ),
            Option(
                "Less: their own variation does part of the work",
                lesson.varied_more < lesson.using - apart,
                f"The attacker is uncertain anyway, and that counts: {figures}; from "
                f"ε\u00a0=\u00a0{number(lesson.noiseless)} on these data need no noise at all.",
            ),
        ),
    )


ALLY = Lesson(
    title="Uncertainty as an ally",
    intro=(
        "Nobody knows which 100 records you hold, so the statistics vary from one set to the next "
        "even without noise. Differential privacy does not count on that; distribution privacy "
        "may."
    ),
    guess=Guess(
        f"At ε\u00a0=\u00a0{_QUESTION_EPSILON:g}, how much of the variance that is needed do the "
        "statistics bring themselves, along the axis on which they vary most?",
        lambda course: 100 * _brought(own_variation(course, _QUESTION_EPSILON)),
        (0.0, 100.0),
        form="{}\u00a0%",
    ),
    reading=("Each bar is an axis along which the statistics vary together, the widest first."),
    takeaway="What the statistics vary by themselves need not be added.",
    ask=_ask_ally,
    show=_show_ally,
    question=_question_ally,
    formula=r"\text{EigM: }Z\sim\mathcal N\Big(0,\sum_k\sigma_k^2v_kv_k^\top\Big),\qquad"
    r"\sigma_k^2=\max\left(0,\,(\Delta/\mu^*)^2-v_k^\top\Sigma v_k\right)",
    source=(
        "v_k are the axes (eigenvectors of Σ), Δ is the length of the shift and μ\\* the distance "
        "that (ε, δ) allows, ε/c in the paper. Chen & Ohrimenko (2023), Theorem 4.5, and 4.4 for "
        "no noise at all."
    ),
    page="directions",
    leads_to="See where the data vary: Directions",
)


def _ask_least(course: Course) -> str:
    return st.segmented_control(
        f"Compare {_BEST} with",
        [name for name in MECHANISMS if name != _BEST],
        default="ExpM",
        required=True,
        key="tour_mechanism",
        persist_state="session",
        help="*ExpM* adds the same to every statistic, *EigM* less where they vary anyway, *DirM* "
        "along the shift only, *DauM* along the shift what their variation leaves wanting.",
    )


def _show_least(course: Course, other: str) -> Shown:
    lesson = least_noise(course)
    factor = lesson.errors[other] / lesson.errors[_BEST]
    return Shown(
        f"At ε\u00a0=\u00a0{EPSILON:g} {_BEST} moves the statistics by "
        f"**{number(lesson.errors[_BEST])}** in all and {other} by {number(lesson.errors[other])}, "
        f"**{factor:.2f} times** as much, for the same promise: the best attacker is right in "
        f"{percent(lesson.accuracies[_BEST])} and {percent(lesson.accuracies[other])} of cases.",
        error_against_epsilon(
            lesson.curves,
            epsilon=EPSILON,
            unit="mixed units",
            measure="total error",
            selected=other,
        ),
    )


def _question_least(course: Course) -> Question:
    lesson = least_noise(course)
    saved = lesson.errors[_BEST] / lesson.errors["ExpM"]
    gain = lesson.accuracies[_BEST] - lesson.accuracies["ExpM"]
    figures = (
        f"{percent(lesson.accuracies[_BEST])} with {_BEST} and "
        f"{percent(lesson.accuracies['ExpM'])} with ExpM"
    )
    return Question(
        f"{_BEST} adds {percent(saved, 0)} of ExpM's noise. What does the best attacker gain from "
        "that?",
        (
            Option(
                "Next to nothing: at most one more right guess of 100",
                gain <= 0.01,
                f"The noise that is saved hid next to nothing: {figures}. {_BEST}'s points "
                f"almost along the shift, {number(lesson.tilt)}° off it to where the statistics "
                "vary less.",
            ),
            Option(
                "A little: two to five more of 100",
                0.01 < gain <= 0.05,
                "The noise that is saved lies where it hid nothing, so that the attacker gains "
                f"hardly anything: {figures}.",
            ),
            Option(
                "A lot: less noise is less privacy",
                gain > 0.05,
                "Less noise is less privacy only where it stands in the attacker's way: "
                f"{figures}.",
            ),
        ),
    )


LEAST = Lesson(
    title="The least noise",
    intro=(
        "Direction and uncertainty together: DauM adds along the shift just what the statistics' "
        "own variation leaves wanting. OptM asks the question outright: of all Gaussian noise "
        "that keeps the promise, which is least?"
    ),
    guess=Guess(
        f"At ε\u00a0=\u00a0{EPSILON:g}, how large is {_BEST}'s error, in per cent of ExpM's?",
        lambda course: 100 * least_noise(course).errors[_BEST] / least_noise(course).errors["ExpM"],
        (0.0, 100.0),
        form="{}\u00a0%",
    ),
    reading=(
        "Both axes of the chart are logarithmic. All five mechanisms are calibrated to the mean of "
        "the two clouds' variation, as the papers do."
    ),
    takeaway="One promise has many prices, and OptM asks the least of all Gaussian noise.",
    ask=_ask_least,
    show=_show_least,
    question=_question_least,
    formula=r"\text{OptM: }Z\sim\mathcal N(0,S),\qquad S=\left(\tfrac{dd^\top}{\mu^{*2}}-\Sigma"
    r"\right)_+,\quad d=\mu_i-\mu_j",
    source=(
        "The S of least trace with dᵀ(Σ + S)⁻¹d ≤ μ\\*², by the Schur complement; the plus keeps "
        "the positive eigenvalue. This project, from Corollary A.1 of Chen & Ohrimenko (2023); "
        "DauM is their Algorithm 1."
    ),
    page="tradeoff",
    leads_to="Compare errors on your data: Privacy–utility",
)
