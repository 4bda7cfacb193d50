"""The exercise of step 7: noise along one direction, subtracted by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.charts.subtracting import off_the_grid
from distpriv.dashboard.tour.lesson import Exercise, Option, Question
from distpriv.dashboard.widgets import display
from distpriv.lessons import Course, SubtractedNoise, subtracted_noise
from distpriv.lessons.course import EPSILON, NAMES, RECORDS
from distpriv.lessons.subtracting import TRIED
from distpriv.words import number, percent

__all__ = ["SUBTRACTING"]

_OTHERS = [place for place in range(len(NAMES)) if place != TRIED]


def _exercise(course: Course) -> None:
    lesson = subtracted_noise(course)
    tried = [int(count) for count in lesson.tried]
    st.markdown(_intro(lesson))
    value = st.slider(
        f"Suppose so many are {NAMES[TRIED]}",
        tried[0],
        tried[-1],
        round(float(lesson.published.released[TRIED])),
        key="tour_tried",
        persist_state="session",
        help="The values within three deviations of the noise.",
    )
    place = tried.index(value)
    st.markdown(_result(lesson, place))
    published, covered = st.columns(2, gap="large")
    with published:
        display.chart(
            off_the_grid(lesson.published, tried, value, NAMES, title="As published (DirM)"),
            "tour_subtracted",
        )
    with covered:
        display.chart(
            off_the_grid(lesson.covered, tried, value, NAMES, title="With a floor (the default)"),
            "tour_covered",
        )
    display.table(_table(lesson, place), "tour_subtracted_values")
    st.markdown(_remedy(lesson, place))


def _intro(lesson: SubtractedNoise) -> str:
    step = 1 / RECORDS
    return (
        f"DirM as it was published has released the five statistics of {RECORDS} made-up records, "
        f"at ε\u00a0=\u00a0{EPSILON:g}. Its noise lies along one known direction, so *one* number "
        "decides it all, and some things you know for certain: a count is a whole number, and "
        f"these averages are multiples of {step:g}. Suppose how many are {NAMES[TRIED]}: then the "
        "noise follows, and you can subtract it from the others. **Move the slider until all of "
        "them are possible.**"
    )


def _result(lesson: SubtractedNoise, place: int) -> str:
    release, value = lesson.published, int(lesson.tried[place])
    if release.fits[place]:
        only = "Only **{}** does" if release.fits.sum() == 1 else "**{}** does, as few others do,"
        return (
            f"With {value} all the others are possible. {only.format(value)} that: **the noise is "
            f"gone**, and whoever subtracts it is right in **{percent(release.accuracy)}** of "
            f"cases, as without noise, and not in {percent(lesson.on_paper)}, as it would be on "
            "paper, if the statistics were densities."
        )
    worst = int(release.off[place].argmax())
    return (
        f"If {value} are {NAMES[TRIED]}, the noise has moved that by "
        f"{_signed(release.released[TRIED] - value)}, and without it {NAMES[worst]} would be "
        f"**{_figure(lesson, release.left[place, worst], worst)}**: not possible, so {value} is "
        "not it."
    )


def _table(lesson: SubtractedNoise, place: int) -> pd.DataFrame:
    release = lesson.published
    return pd.DataFrame(
        {
            "Statistic": NAMES[index],
            "Released": _figure(lesson, release.released[index], index),
            "Less the noise": _figure(lesson, release.left[place, index], index),
            "Off its grid": "possible"
            if release.off[place, index] < 1e-6
            else f"{release.off[place, index]:.2f} of a step",
        }
        for index in _OTHERS
    )


def _remedy(lesson: SubtractedNoise, place: int) -> str:
    release, value = lesson.covered, int(lesson.tried[place])
    nearest = int(release.farthest.argmin())
    deviations = [float(deviation) for deviation in release.noise.floor_deviations]
    return (
        "**The remedy** is a floor: independent noise of half a step on every statistic, "
        f"{number(deviations[TRIED])} of a person and {number(min(deviations))} of a year or an "
        "hour, which every mechanism gets here where its own noise would leave the grid bare. The "
        "picture on the right is the same release with it: no value stands out. With "
        f"{value} the farthest is {release.farthest[place]:.2f} of a step off; the value that fits "
        f"best, {lesson.tried[nearest]}, leaves one {release.farthest[nearest]:.2f} off"
        + (
            ", and it is not the true one."
            if lesson.tried[nearest] != round(lesson.answer[TRIED])
            else "."
        )
        + f" The best attacker is right in **{percent(release.accuracy)}** of cases, and the noise "
        f"has **{percent(lesson.cost, 2)} more variance**."
    )


def _figure(lesson: SubtractedNoise, value: float, index: int) -> str:
    """A statistic with two digits more than its grid has."""
    decimals = 2 + max(0, math.ceil(-math.log10(float(lesson.steps[index])) - 1e-9))
    return f"{value:.{decimals}f}"


def _signed(value: float) -> str:
    return f"{'−' if np.signbit(value) else '+'}{abs(value):.2f}"


def _question(course: Course) -> Question:
    lesson = subtracted_noise(course)
    right = lesson.published.accuracy
    figures = (
        f"{percent(lesson.on_paper)} on paper, **{percent(right)}** in fact, "
        f"{percent(lesson.undefended)} without noise, {percent(lesson.covered.accuracy)} with the "
        "floor"
    )
    kept = right <= lesson.on_paper + 0.01
    gone = not kept and lesson.undefended - right <= 0.01
    return Question(
        f"DirM at ε\u00a0=\u00a0{EPSILON:g} should leave the best attacker right in "
        f"{percent(lesson.on_paper)} of cases. How often are they right who can do sums?",
        (
            Option(
                "As often as that: the noise has been added",
                kept,
                f"Noise that can be computed from the release is no noise: {figures}.",
            ),
            Option(
                "A little more often: some of the noise comes off",
                not kept and not gone,
                "It comes off all at once, as soon as one value fits and no other does: "
                f"{figures}.",
            ),
            Option(
                "As often as without any noise",
                gone,
                f"One value fits, and with it all of the noise is known: {figures}.",
            ),
        ),
    )


SUBTRACTING = Exercise(
    title="Try it: subtract the noise by hand", draw=_exercise, question=_question
)
