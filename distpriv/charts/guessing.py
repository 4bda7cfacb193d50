"""Guesses: a number guessed beside the true one, and releases told apart by eye."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from distpriv.charts.frame import empty, linear_axis, row_axis, rule, share_axis
from distpriv.charts.intervals import GUESSING, bars
from distpriv.charts.lines import grey, series
from distpriv.charts.plane import ellipses
from distpriv.charts.style import GROUP_STYLES, MechanismStyle, group_names, series_style
from distpriv.model.gaussian import PairModel
from distpriv.model.sampling import Interval
from distpriv.words import number, percent, safe, share, titled, with_unit

__all__ = ["guess_and_truth", "one_release", "pooled_guesses", "releases_guessed"]

FloatArray = NDArray[np.float64]

_REACH = 3.2  # standard deviations around the middle that the axes show at least
_GUESS, _BEST = series_style(0), series_style(2)
_RELEASE = MechanismStyle(series_style(3).color, "solid", "star")


def guess_and_truth(
    guess: float, truth: float, ends: tuple[float, float], say: Callable[[float], str]
) -> go.Figure:
    """A number that was guessed, beside what it is, on the scale of the guesses.

    Parameters
    ----------
    guess, truth : float
    ends : tuple of two float
        Of the scale.
    say : callable
        A value in words.
    """
    figure = empty(
        "Your guess and the answer",
        alt=f"The guess is {say(guess)}, the answer {say(truth)}.",
        how_to_read="the line is the way from your guess to what it is.",
        height=150,
        xaxis=linear_axis("", *_widened(ends)),
        yaxis=linear_axis("", -1.0, 1.0, visible=False),
        showlegend=False,
    )
    series(figure, "the way between", [guess, truth], [0, 0], grey("solid"), width=4)
    below = "bottom" if abs(guess - truth) < 0.3 * (ends[1] - ends[0]) else "top"
    for name, value, style, side in (
        ("your guess", guess, _GUESS, below),
        ("the answer", truth, _BEST, "top"),
    ):
        text = f"{name}: {say(value)}"
        series(
            figure,
            name,
            [value],
            [0],
            style,
            mode="markers+text",
            told=safe(text),
            size=18,
            text=safe(text),
            textposition=f"{side} {_side(value, ends)}",
            cliponaxis=False,
        )
    return figure


def _side(value: float, ends: tuple[float, float]) -> str:
    along = (value - ends[0]) / (ends[1] - ends[0])
    return "right" if along < 0.2 else "left" if along > 0.8 else "center"


def _widened(ends: tuple[float, float]) -> tuple[float, float]:
    margin = 0.03 * (ends[1] - ends[0])
    return ends[0] - margin, ends[1] + margin


def one_release(
    fit: PairModel, released: FloatArray, labels: Sequence[str], units: Sequence[str]
) -> go.Figure:
    """One release of two statistics, and where those of each share lie on average.

    Parameters
    ----------
    fit : PairModel
        Of the two statistics as they are released; only its centres are drawn.
    released : ndarray, shape (2,)
    labels, units : sequence of two str
    """
    middle = fit.means.mean(axis=0)
    reach = _REACH * np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2).max(axis=0))
    reach = np.maximum(reach, 1.05 * np.abs(released - middle))
    low, high = middle - reach, middle + reach
    names = group_names(fit.pair)
    titles = [titled(label, unit) for label, unit in zip(labels, units, strict=True)]
    figure = empty(
        "Which share is it from?",
        alt="The release: "
        + _at(released, labels, units)
        + ". On average: "
        + "; ".join(
            f"{name}, {_at(mean, labels, units)}"
            for name, mean in zip(names, fit.means, strict=True)
        )
        + ".",
        how_to_read=(
            "the star is the release; the two other marks are where the releases of each share lie "
            "on average. Releases vary, so the nearer mark is the likelier one and no more."
        ),
        height=360,
        xaxis=linear_axis(safe(titles[0]), float(low[0]), float(high[0]), nticks=6),
        yaxis=linear_axis(safe(titles[1]), float(low[1]), float(high[1]), nticks=6),
    )
    marks = [
        *(
            (name, mean, style, 15)
            for name, mean, style in zip(
                (f"{name}, on average" for name in names), fit.means, GROUP_STYLES, strict=True
            )
        ),
        ("the release", released, _RELEASE, 18),
    ]
    for name, place, style, size in marks:
        series(
            figure,
            name,
            [float(place[0])],
            [float(place[1])],
            style,
            mode="markers",
            told="<br>".join([f"<b>{safe(name)}</b>", safe(_at(place, labels, units))]),
            x_title=titles[0],
            y_title=titles[1],
            size=size,
        )
    return figure


def _at(place: FloatArray, labels: Sequence[str], units: Sequence[str]) -> str:
    return ", ".join(
        f"{label} {with_unit(float(value), unit)}"
        for label, value, unit in zip(labels, place, units, strict=True)
    )


def releases_guessed(
    fit: PairModel,
    released: FloatArray,
    shares: Sequence[int],
    right: Sequence[bool],
    labels: Sequence[str],
    units: Sequence[str],
) -> go.Figure:
    """The releases that were guessed, in the two clouds that they are from.

    Parameters
    ----------
    fit : PairModel
        Of the two statistics as they are released.
    released : ndarray, shape (releases, 2)
    shares : sequence of int
        0 or 1: which share each is of.
    right : sequence of bool
        Whether it was told.
    labels, units : sequence of two str
    """
    figure = ellipses(fit, {}, 0, 1, labels, units)
    figure.update_layout(
        title_text=f"{sum(right)} of {len(right)} told apart",
        meta={
            "alt": f"{sum(right)} of {len(right)} releases were assigned to their share.",
            "how_to_read": (
                "each ellipse holds 95\u00a0% of the releases of one share. A filled mark is a "
                "release that was told by its share, a cross one that was not; the colour is "
                "its share."
            ),
        },
    )
    told, of = np.asarray(right, bool), np.asarray(shares, int)
    for group, name in enumerate(group_names(fit.pair)):
        for hit, word, symbol in ((True, "right", "circle"), (False, "wrong", "x")):
            chosen = released[(of == group) & (told == hit)]
            if len(chosen):
                style = MechanismStyle(GROUP_STYLES[group].color, "solid", symbol)
                series(
                    figure,
                    f"{name}, {word}",
                    chosen[:, 0],
                    chosen[:, 1],
                    style,
                    mode="markers",
                    told=[safe(_at(place, labels, units)) for place in chosen],
                    size=10,
                )
    return figure


def pooled_guesses(rounds: Sequence[tuple[str, Interval, int, float]]) -> go.Figure:
    """Right guesses of a class, round by round, beside those of the best attacker.

    Parameters
    ----------
    rounds : sequence of (name, Interval, int, float)
        What was released, the share of right guesses with its interval, how many guesses there
        are, and the accuracy of the best attacker.
    """
    names = [name for name, *_ in rounds]
    said = [
        f"{name}: {percent(right.estimate)} of {guesses} guesses, the best attacker {percent(best)}"
        if guesses
        else f"{name}: no guess yet, the best attacker {percent(best)}"
        for name, right, guesses, best in rounds
    ]
    figure = empty(
        "Right guesses",
        alt="; ".join(said) + ".",
        how_to_read=(
            "the dot is the share of right guesses so far, the line its 95\u00a0% interval: what "
            "the class would reach in the long run lies there. The diamond is the best attacker "
            "there can be; on the dashed rule one may as well toss a coin."
        ),
        height=150 + 70 * len(rounds),
        xaxis=share_axis("right (%)"),
        yaxis=row_axis([safe(name) for name in names]),
    )
    seen = [place for place, (_, _, guesses, _) in enumerate(rounds) if guesses]
    intervals = [rounds[place][1] for place in seen]
    series(
        figure,
        "the best attacker",
        [best for *_, best in rounds],
        names,
        _BEST,
        mode="markers",
        told=[f"<b>the best attacker</b><br>{percent(best)}" for *_, best in rounds],
        at_y=list(range(len(rounds))),
        size=15,
    )
    series(
        figure,
        "the class",
        [interval.estimate for interval in intervals],
        [names[place] for place in seen],
        _GUESS,
        mode="markers",
        told=[
            f"<b>the class</b><br>{percent(rounds[place][1].estimate)} of "
            f"{number(rounds[place][2])} guesses<br>{share(rounds[place][1].confidence)} interval: "
            f"{percent(rounds[place][1].low)} to {percent(rounds[place][1].high)}"
            for place in seen
        ],
        at_y=seen,
        size=16,
        error_x=bars(intervals, _GUESS.color),
    )
    rule(figure, GUESSING, "a coin")
    return figure
