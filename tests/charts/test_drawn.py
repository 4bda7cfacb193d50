"""The numbers that every chart draws, against the numbers that it is given."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from plotly import graph_objects as go

import distpriv as dp
from distpriv import charts
from distpriv.analysis.acceptable_error import ErrorLimit
from distpriv.analysis.brackets import Brackets, Delivered
from distpriv.analysis.decision import Alternative
from distpriv.analysis.design import Limit
from distpriv.analysis.equal_terms import Contender
from distpriv.analysis.frontier import frontier
from distpriv.analysis.hiding import Hiding
from distpriv.analysis.keeping import Keeping
from distpriv.attacks.joint_audit import JointAudit
from distpriv.attacks.optimal import PrecisionRecallCurve, RocCurve
from distpriv.attacks.posterior import Belief
from distpriv.charts.alternatives import alternatives_chart
from distpriv.charts.answer import overlap, scores, shifts
from distpriv.charts.attack import accuracy_by_mechanism
from distpriv.charts.attack_curves import accuracy_curves
from distpriv.charts.brackets import delivered_brackets
from distpriv.charts.choosing import (
    attackers_in_100,
    f_score_lines,
    precision_recall_lines,
    roc_lines,
)
from distpriv.charts.comparison import (
    accuracies_against_epsilon,
    accuracy_bars,
    error_bars,
    errors_against_epsilon,
    mechanism_bars,
)
from distpriv.charts.composition import added_up, two_statistics
from distpriv.charts.coupling import closeness_curves, moves_in_plane, moves_on_line, noise_bars
from distpriv.charts.diagnostics import bootstrap_intervals, qq_plot, variance_ratios
from distpriv.charts.directions import eigenvalue_shares, shift_components
from distpriv.charts.fit import covariance_heatmap, fit_histograms
from distpriv.charts.frameworks import epsilon_ranges, neighbouring_databases
from distpriv.charts.frontier import error_against_attack
from distpriv.charts.guarantee import delivered_by_releases, profile_curves
from distpriv.charts.guessing import (
    guess_and_truth,
    one_release,
    pooled_guesses,
    releases_guessed,
)
from distpriv.charts.hiding import hidden_distances
from distpriv.charts.ledger import adding_up
from distpriv.charts.limits import limit_bars
from distpriv.charts.network import network_graph, variance_bars
from distpriv.charts.paper_figures import (
    accuracy_lines,
    error_lines,
    f_scores_with_points,
    releases_in_plane,
)
from distpriv.charts.papers import deviations, printed_beside_ours
from distpriv.charts.plane import ellipses
from distpriv.charts.posterior import posterior_curve
from distpriv.charts.relaxations import Line, attacker_curve, error_curve, frontier_curves
from distpriv.charts.roc import precision_recall_figure, roc_figure
from distpriv.charts.style import group_names
from distpriv.charts.subtracting import off_the_grid
from distpriv.charts.undoing import UndoneRow, on_paper_and_on_the_grid
from distpriv.charts.utility import error_against_epsilon, error_against_width
from distpriv.composition.counterexample import COIN, CompositionExample
from distpriv.composition.releases import Standing as Release
from distpriv.composition.rules import SUM_RULE
from distpriv.distances.outcomes import Outcomes
from distpriv.frameworks.map import FRAMEWORKS, Range
from distpriv.lessons.course import NAMES
from distpriv.lessons.subtracting import TRIED
from distpriv.lessons.subtracting import Release as Tried
from distpriv.mechanisms.curves import Curves
from distpriv.model.sampling import Interval
from distpriv.papers import Cell, Standing
from distpriv.papers.attacks import AttackCurve
from distpriv.papers.figures import Releases
from distpriv.privacy.coupling_bound import CouplingBound
from distpriv.robustness.bootstrap import DeliveredIntervals, ModelReplicates
from distpriv.robustness.diagnostics import fit_diagnostics
from distpriv.store import Use
from distpriv.words import plain

Array = NDArray[np.float64]
Drawn = dict[str, tuple[Any, Any]]
Case = Callable[["Given"], tuple[go.Figure, Drawn]]

X = np.array([0.1, 1.0, 4.0, 10.0])
ENDS = [0.1, 10.0]
RISING = {"ExpM": np.array([0.52, 0.55, 0.7, 0.8]), "DauM": np.array([0.51, 0.57, 0.6, np.nan])}
FALLING = {"ExpM": np.array([200.0, 30.0, 8.0, 2.0]), "DauM": np.array([50.0, 11.0, 3.0, 0.0])}
WIDE, NARROW = Interval(0.62, 0.55, 0.7), Interval(0.57, 0.56, 0.58)
PAIR = dp.SensitiveProperty("income", "high").pair(0.5, 0.1)
ROWS = [-0.6, 1.6]


@dataclass(frozen=True)
class Given:
    """What the cases start from: a fitted model and releases simulated from it."""

    model: dp.GaussianModel
    fit: dp.PairModel
    simulated: Array

    @property
    def labels(self) -> list[str]:
        return ["age", "hours", "married", "rich"]


CASES: dict[Callable[..., go.Figure], Case] = {}


def case(chart: Callable[..., go.Figure]) -> Callable[[Case], Case]:
    """Register what a chart draws."""

    def register(function: Case) -> Case:
        CASES[chart] = function
        return function

    return register


def _charts() -> Iterator[Callable[..., go.Figure]]:
    for module in pkgutil.iter_modules(charts.__path__, "distpriv.charts."):
        for name, function in inspect.getmembers(
            importlib.import_module(module.name), inspect.isfunction
        ):
            public = not name.startswith("_") and function.__module__ == module.name
            if public and function.__annotations__.get("return") == "go.Figure":
                yield function


def test_every_chart_has_a_case() -> None:
    assert set(_charts()) - {
        charts.frame.empty,
        charts.frame.enlarged,
        charts.frame.pending,
    } == set(CASES)


@pytest.mark.parametrize("chart", CASES, ids=lambda chart: chart.__name__)
def test_a_chart_draws_what_it_is_given(
    chart: Callable[..., go.Figure],
    model: dp.GaussianModel,
    fit: dp.PairModel,
    simulated: Array,
    draws: Callable[[go.Figure, Mapping[str, Any]], None],
) -> None:
    figure, expected = CASES[chart](Given(model, fit, simulated))
    draws(figure, expected)
    # On a projector it is the same, and larger.
    large = charts.frame.enlarged(figure, 1.5)
    draws(large, expected)
    assert large.layout.height == pytest.approx(1.5 * figure.layout.height, abs=1)


def _same(x: Array, curves: Mapping[str, Array]) -> Drawn:
    return {name: (x, y) for name, y in curves.items()}


@case(alternatives_chart)
def _alternatives(_: Given) -> tuple[go.Figure, Drawn]:
    rest = {"scenario": "", "delta": 1e-3, "undefended": 0.76, "unit": "", "promised": 0.731}
    now = Alternative(
        name="now", mechanism="DauM", epsilon=1.0, accuracy=0.577, error=8.0, delivered=None, **rest
    )
    half = replace(now, name="half", accuracy=0.54, error=15.4)
    return alternatives_chart([now, half], "half"), {
        "now": ([8.0], [0.577]),
        "half, proposed": ([15.4], [0.54]),
        "proposed": ([15.4], [0.54]),
    }


@case(scores)
def _scores(_: Given) -> tuple[go.Figure, Drawn]:
    figure = scores(PAIR, {"One": (3.0, 0.93), "Two": (1.0, 0.69)})
    x = np.linspace(-5, 5, 241)
    y = np.exp(-(x**2) / 2)
    both = {
        f"share {share} %": (np.append(x + 1.5 * side, x + 0.5 * side), np.append(y, y))
        for share, side in ((45, -1), (55, 1))
    }
    return figure, both


@case(overlap)
def _overlap(given: Given) -> tuple[go.Figure, Drawn]:
    return overlap(PAIR, (3.0, 0.93), (1.0, 0.69), "DauM"), _scores(given)[1]


@case(shifts)
def _shifts(given: Given) -> tuple[go.Figure, Drawn]:
    moved = given.fit.means[1] - given.fit.means[0]
    relative = moved / np.sqrt(np.diag(given.fit.pooled))
    return shifts(given.fit, given.labels, [""] * 4), {"shift": (relative, range(4))}


@case(accuracy_by_mechanism)
def _accuracy_by_mechanism(_: Given) -> tuple[go.Figure, Drawn]:
    figure = accuracy_by_mechanism(
        {"none": WIDE, "DauM": NARROW},
        optimal={"none": 0.76, "DauM": 0.577},
        undefended_optimal=0.76,
        ceiling=0.731,
        repetitions=3,
        seed=7,
        attacker="adaptive",
    )
    return figure, {
        "guessing: 50 %": ([0.5, 0.5], ROWS),
        "the promise alone allows: 73.1 %": ([0.731, 0.731], ROWS),
        "without noise, at best: 76.0 %": ([0.76, 0.76], ROWS),
        "best possible attacker": ([0.76, 0.577], [0, 1]),
        "simulated attacker, 95 % interval": ([0.62, 0.57], [0, 1]),
    }


@case(accuracy_curves)
def _accuracy_curves(_: Given) -> tuple[go.Figure, Drawn]:
    figure = accuracy_curves(
        Curves(X, RISING),
        x_title="ε",
        x_log=True,
        current=1.0,
        undefended=0.76,
        ceiling=X / 20 + 0.5,
        points={"ExpM": [(1.0, WIDE), (4.0, NARROW)]},
        title="Accuracy",
    )
    return figure, {
        "guessing": (X, [0.5] * 4),
        "the promise alone allows": (X, X / 20 + 0.5),
        "without noise": (X, [0.76] * 4),
        **_same(X, RISING),
        "ExpM, simulated": ([1.0, 4.0], [0.62, 0.57]),
    }


@case(guess_and_truth)
def _guess(_: Given) -> tuple[go.Figure, Drawn]:
    figure = guess_and_truth(60, 76.2, (50, 100), "{:g} of 100".format)
    return figure, {
        "the way between": ([60, 76.2], [0, 0]),
        "your guess": ([60], [0]),
        "the answer": ([76.2], [0]),
    }


@case(one_release)
def _release_to_guess(given: Given) -> tuple[go.Figure, Drawn]:
    fit = given.model.of_statistics(0, 1).pairs[0]
    released = fit.means[0] + 0.1
    figure = one_release(fit, released, ["age", "hours"], ["years", "hours"])
    low, high = map(plain, group_names(fit.pair))
    places = {
        f"{low}, on average": fit.means[0],
        f"{high}, on average": fit.means[1],
        "the release": released,
    }
    return figure, {name: ([x], [y]) for name, (x, y) in places.items()}


@case(releases_guessed)
def _guessed(given: Given) -> tuple[go.Figure, Drawn]:
    fit = given.model.of_statistics(0, 1).pairs[0]
    released = np.array([fit.means[0], fit.means[1], fit.means[1] + 0.5])
    figure = releases_guessed(
        fit, released, [0, 1, 1], [True, False, True], ["age", "hours"], ["years", "hours"]
    )
    low, high = map(plain, group_names(fit.pair))
    clouds: dict[str, tuple[list[float], list[float]]] = {}
    for trace in ellipses(fit, {}, 0, 1, ["age", "hours"], ["years", "hours"]).data:
        for places, more in zip(
            clouds.setdefault(plain(trace.name), ([], [])), (trace.x, trace.y), strict=True
        ):
            places.extend(more)
    return figure, clouds | {
        f"{low}, right": ([released[0, 0]], [released[0, 1]]),
        f"{high}, right": ([released[2, 0]], [released[2, 1]]),
        f"{high}, wrong": ([released[1, 0]], [released[1, 1]]),
    }


@case(pooled_guesses)
def _pooled(_: Given) -> tuple[go.Figure, Drawn]:
    empty = Interval(0.5, 0.0, 1.0)
    figure = pooled_guesses([("1: no noise", WIDE, 30, 0.7), ("2: ε = 1", empty, 0, 0.57)])
    return figure, {
        "the best attacker": ([0.7, 0.57], [0, 1]),
        "the class": ([WIDE.estimate], [0]),
    }


@case(attackers_in_100)
def _attackers(_: Given) -> tuple[go.Figure, Drawn]:
    places = [(index % 10, index // 10) for index in range(100)]
    parts = {
        "right by luck": places[:50],
        "right because of the release": places[50:58],
        "wrong": places[58:],
    }
    figure = attackers_in_100([("DauM", 58)], by_chance=50)
    return figure, {name: tuple(zip(*part, strict=True)) for name, part in parts.items()}


@case(error_against_attack)
def _frontier(given: Given) -> tuple[go.Figure, Drawn]:
    limits = [ErrorLimit(0, 2.0), ErrorLimit(2, 5.0)]
    found = frontier(Limit("accuracy", 0.6), limits, given.model, ["ExpM", "OptM"], delta=1e-3)
    figure = error_against_attack(
        found, measure="error", unit="years", scale=2.0, attack="right", percent=True
    )
    drawn: Drawn = {}
    for name, line in found.lines.items():
        low = 10 ** figure.layout.yaxis.range[0]
        x, y = 100 * line.reached, np.maximum(2.0 * line.errors, low * (1 + 2.4e-6))
        kept = (line.errors <= 1) & (line.reached <= 0.6 * (1 + 1e-9))
        drawn[name] = (x, y)
        if kept.any():
            drawn[f"{name}, keeps both"] = (x[kept], y[kept])
    return figure, drawn


@case(hidden_distances)
def _hidden(_: Given) -> tuple[go.Figure, Drawn]:
    apart, undefended, defended = np.array([[0.0, 0.1, 1.0], [0.5, 0.9, 1.0], [0.5, 0.6, 0.7]])
    return hidden_distances(Hiding(0.5, 0.1, apart, undefended, defended, "OptM", True)), {
        "without noise": (100 * apart, undefended),
        "with OptM": (100 * apart, defended),
    }


@case(f_score_lines)
def _f_scores(_: Given) -> tuple[go.Figure, Drawn]:
    figure = f_score_lines(
        Curves(X, RISING),
        epsilon=1.0,
        title="F",
        turning={"ExpM": (0.5, 0.53)},
        limit=0.65,
        undefended=0.9,
    )
    return figure, {
        "your limit": (ENDS, [0.65] * 2),
        "no noise": (ENDS, [0.9] * 2),
        **_same(X, RISING),
        "turning point": ([0.5], [0.53]),
    }


RATES = {
    "one": (np.array([0.0, 0.1, 0.6, 1.0]), np.array([0.0, 0.4, 0.9, 1.0])),
    "two": (np.array([0.0, 0.2, 0.5, 1.0]), np.array([0.0, 0.3, 0.7, 1.0])),
}


@case(roc_lines)
def _roc_lines(_: Given) -> tuple[go.Figure, Drawn]:
    return roc_lines(RATES), {"guessing": ([0, 1], [0, 1]), **RATES}


@case(precision_recall_lines)
def _precision_recall_lines(_: Given) -> tuple[go.Figure, Drawn]:
    figure = precision_recall_lines(RATES, guessing=0.3, hypothesis="it is there", title="P")
    return figure, {"guessing": ([0, 1], [0.3, 0.3]), **RATES}


def _summaries() -> dict[str, Any]:
    @dataclass(frozen=True)
    class Summary:
        scenario: dp.Scenario
        accuracy: float
        undefended: float
        error: float
        unit: str
        accuracies: Curves
        costs: Curves
        release: str = "the same"

    def of(name: str, epsilon: float, *figures: float) -> Summary:
        scenario = dp.Scenario.__new__(dp.Scenario)
        object.__setattr__(scenario, "epsilon", epsilon)
        curves = (Curves(X, {name: lines[name]}) for lines in (RISING, FALLING))
        return Summary(scenario, *figures, "years", *curves)

    return {"now": of("ExpM", 1.0, 0.55, 0.76, 30.0), "then": of("DauM", 4.0, 0.6, 0.75, 3.0)}


@case(accuracy_bars)
def _accuracy_bars(_: Given) -> tuple[go.Figure, Drawn]:
    # Lengths from where an attacker guesses.
    return accuracy_bars(_summaries()), {
        "with noise": ([0.05, 0.1], [0, 1]),
        "without noise": ([0.76, 0.75], [0, 1]),
    }


@case(error_bars)
def _error_bars(_: Given) -> tuple[go.Figure, Drawn]:
    return error_bars(_summaries()), {"with noise": ([30, 3], [0, 1])}


@case(mechanism_bars)
def _mechanism_bars(_: Given) -> tuple[go.Figure, Drawn]:
    contenders = [
        Contender("DirM(L)", 1.0, 0.001, 5.27, 63.5, Keeping("kept", 0.97)),
        Contender("OptM", 1.0, 0.001, 8.82, 57.4, Keeping("kept", 1.0)),
    ]
    figure = mechanism_bars(contenders, equal="promise", unit="")
    return figure, {"error": ([5.27, 8.82], [0, 1])}


@case(accuracies_against_epsilon)
def _accuracies(_: Given) -> tuple[go.Figure, Drawn]:
    return accuracies_against_epsilon(_summaries()), {
        "now": (X, RISING["ExpM"]),
        "now, as chosen": ([1.0], [0.55]),
        "then": (X, RISING["DauM"]),
        "then, as chosen": ([4.0], [0.6]),
    }


@case(errors_against_epsilon)
def _errors(_: Given) -> tuple[go.Figure, Drawn]:
    # A zero stands on the floor of the axis, a decade below the smallest.
    return errors_against_epsilon(_summaries()), {
        "now": (X, FALLING["ExpM"]),
        "now, as chosen": ([1.0], [30.0]),
        "then": (X, [50, 11, 3, 1]),
        "then, as chosen": ([4.0], [3.0]),
    }


@case(added_up)
def _added_up(_: Given) -> tuple[go.Figure, Drawn]:
    curves = {SUM_RULE: np.array([1.0, 2, 3, 4]), COIN: np.array([2.0, 5, 7, math.inf])}
    figure = added_up(
        Curves(X, curves), title="ε", x_title="x", x_name="x", current=1.0, how_to_read="so."
    )
    return figure, _same(X, curves | {COIN: np.array([2, 5, 7, np.nan])})


@case(delivered_brackets)
def _brackets(_: Given) -> tuple[go.Figure, Drawn]:
    known = Brackets(
        epsilon=1.0, delta=1e-3, promised=1e-3, normals=Delivered(9e-4, 0.9), law=None,
        bound=CouplingBound(0.2, 1.0, 1.0, 0.0, 0.2, 0, 1, "alike", 3, 0), bounded_epsilon=4.0,
        unbounded="", pairs=1,
        audit=JointAudit(1e-5, 0.1, 1.0, 1e-3, 0.95, ("logistic",), 4, 2000, 1),
    )  # fmt: skip
    law = replace(known, law=Delivered(1e-8, 0.5))
    exactly, *_ = delivered_brackets(law, epsilon=1.0, delta=1e-3).data
    assert (exactly.name, exactly.meta["x"], exactly.x[0]) == ("exactly", [1e-8], 1e-6)
    assert known.audit is not None
    shade = delivered_brackets(known, epsilon=1.0, delta=1e-3).layout.shapes[-1]
    assert (shade.x0, shade.x1) == (1e-5, 0.2)
    return delivered_brackets(known, epsilon=1.0, delta=1e-3), {
        "too small for so many guesses to show": ([1e-6, known.audit.visible], [0, 0]),
        "at least": ([1e-5], [0]),
        "at most": ([0.2], [2]),
        "fitted normals": ([9e-4], [1]),
    }


@case(two_statistics)
def _two_statistics(_: Given) -> tuple[go.Figure, Drawn]:
    example = CompositionExample.calibrated(0.25, 0.99, 1.0, 1e-3)
    angles = np.linspace(0, 2 * np.pi, 121)
    circle = math.sqrt(-2 * math.log(0.05)) * np.array([np.cos(angles), np.sin(angles)])
    covariance = [[1 + example.noise**2, example.correlation], [example.correlation, 1]]
    x, y = np.linalg.cholesky(np.array(covariance)) @ circle
    return two_statistics(example), {
        "one possibility": (x, y),
        "the other": (x + example.shift, y),
    }


OUTCOMES = Outcomes(
    (np.array([1.0, 2.0, 100.0]), np.array([1.0, 2.0, 3.0, 100.0])),
    (np.array([0.6, 0.2, 0.2]), np.array([0.4, 0.3, 0.2, 0.1])),
    exact=True,
)


@case(moves_on_line)
def _moves_on_line(_: Given) -> tuple[go.Figure, Drawn]:
    first, second = (points[:, 0] for points in OUTCOMES.points)
    coupling = OUTCOMES.coupling(0.1)
    figure = moves_on_line(
        first, second, OUTCOMES.masses, coupling, names=("μ", "ν"), axis_title="value"
    )
    # 1, 2, 3 and 100 stand side by side; the first distribution is the upper row.
    place = {1.0: 0, 2.0: 1, 3.0: 2, 100.0: 3}
    moves: dict[bool, list[float]] = {False: [], True: []}
    for move in np.argsort(-coupling.masses):
        ends = first[coupling.sources[move]], second[coupling.targets[move]]
        moves[bool(coupling.beyond[move])] += [place[float(end)] for end in ends]
    return figure, {
        "moved by at most 1": (moves[False], [0, 1] * (len(moves[False]) // 2)),
        "moved further, left out": (moves[True], [0, 1] * (len(moves[True]) // 2)),
        "μ": ([0, 1, 3], [0] * 3),
        "ν": ([0, 1, 2, 3], [1] * 4),
    }


@case(moves_in_plane)
def _moves_in_plane(_: Given) -> tuple[go.Figure, Drawn]:
    x = np.array([[1.0, 20.0], [2.0, 10.0]])
    y = x + np.array([[0.5, 3.0], [0.1, 1.0]])
    coupling = Outcomes((x, y)).coupling(0.0)
    figure = moves_in_plane(
        x, y, coupling, across=1, up=0, labels="ab", units=["", ""], names=("p", "q")
    )
    gap = [np.nan]
    return figure, {
        "moved by at most 3.5": ([20, 23, *gap, 10, 11, *gap], [1, 1.5, *gap, 2, 2.1, *gap]),
        "p": ([20, 10], [1, 2]),
        "q": ([23, 11], [1.5, 2.1]),
    }


@case(closeness_curves)
def _closeness(_: Given) -> tuple[go.Figure, Drawn]:
    curves = {"one": {0.1: 4.0, 0.0: 12.0}, "two": {0.0: 3.0, 0.2: 1.0}}
    return closeness_curves(curves, delta=0.05, largest=0.2), {
        "one": ([0.0, 0.1], [12, 4]),
        "two": ([0.0, 0.2], [3, 1]),
    }


@case(noise_bars)
def _noise_bars(_: Given) -> tuple[go.Figure, Drawn]:
    figure = noise_bars({"ExpM": 21.1, "DauM": 36.0, "none": 0.0}, selected=None, unit="")
    return figure, {"expected L2 error": ([21.1, 36, 21.1 / 2], range(3))}


@case(qq_plot)
def _quantiles(given: Given) -> tuple[go.Figure, Drawn]:
    found = fit_diagnostics(given.simulated, given.fit)
    at, (low, high) = found.quantiles, found.envelope
    end = max(3.5, 1.05 * np.abs(found.quantiles).max())
    names = [f"p = {100 * share:g} %" for share in (given.fit.pair.p_i, given.fit.pair.p_j)]
    points = {
        name: (np.tile(at, 4), found.simulated[group].T.ravel()) for group, name in enumerate(names)
    }
    return qq_plot(found, given.labels), {
        "95 % band": (np.tile([*at, *at[::-1]], 4), np.tile([*low, *high[::-1]], 4)),
        "fitted normal": ([-end, end] * 4, [-end, end] * 4),
        **points,
    }


@case(variance_ratios)
def _ratios(given: Given) -> tuple[go.Figure, Drawn]:
    difference = fit_diagnostics(given.simulated, given.fit).covariances
    extremes = difference.eigenvalues[[0, -1]]
    return variance_ratios(difference, given.labels, given.fit.pair), {
        "statistic": (difference.variance_ratios, range(4)),
        "direction": (extremes, [4.5, 5.5]),
    }


@case(bootstrap_intervals)
def _bootstrap(_: Given) -> tuple[go.Figure, Drawn]:
    replicates = ModelReplicates(np.ones((2, 1)), np.ones((2, 1, 1)), Interval(3, 2, 5), WIDE)
    figure = bootstrap_intervals(replicates, DeliveredIntervals(NARROW, WIDE), promised=1.0)
    return figure, {
        "distance of the two means (L2)": ([3], [0]),
        "distance in standard deviations (Mahalanobis)": ([0.62], [0]),
        "ε delivered with this noise, pooled covariance": ([0.57], [0]),
        "promised ε": ([1, 1], [-1, 1]),
        "best attacker with this noise, pooled covariance (share right)": ([0.62], [0]),
    }


@case(eigenvalue_shares)
def _eigenvalues(given: Given) -> tuple[go.Figure, Drawn]:
    values, vectors = np.linalg.eigh(given.fit.pooled)
    shift = given.fit.difference / np.linalg.norm(given.fit.difference)
    return eigenvalue_shares(given.fit, given.labels), {
        "variance": (values[::-1], range(4)),
        "share of the shift": (100 * (shift @ vectors[:, ::-1]) ** 2, range(4)),
    }


@case(shift_components)
def _components(given: Given) -> tuple[go.Figure, Drawn]:
    moved = given.fit.means[1] - given.fit.means[0]
    figure = shift_components(given.fit, given.labels)
    return figure, {"shift": (moved / np.linalg.norm(moved), range(4))}


@case(ellipses)
def _ellipses(given: Given) -> tuple[go.Figure, Drawn]:
    fit, at = given.fit, [0, 2]
    noise = dp.calibrate("ExpM", given.model, 1.0, 1e-3)
    figure = ellipses(fit, {"ExpM": noise}, *at, given.labels, [""] * 4)
    middle = fit.means[:, at].mean(axis=0)
    values, vectors = np.linalg.eigh(fit.pooled)
    radius = math.sqrt(-2 * math.log(0.05))
    axes = np.vstack(
        [[middle - end, middle + end] for end in (radius * np.sqrt(values) * vectors)[at].T[::-1]]
    )
    names = [f"p = {100 * share:g} %" for share in (fit.pair.p_i, fit.pair.p_j)]
    outlines = [noise.covariance, *fit.covariances]
    centers = [middle, *fit.means[:, at]]
    drawn = [
        _outline(center, covariance[np.ix_(at, at)])
        for center, covariance in zip(centers, outlines, strict=True)
    ]
    means = {f"mean, {name}": mean[at, None] for name, mean in zip(names, fit.means, strict=True)}
    expected = dict(zip(["noise of ExpM", *names], drawn, strict=True)) | means
    order = ["noise of ExpM", names[0], f"mean, {names[0]}", names[1], f"mean, {names[1]}"]
    return figure, {"axes of variation": axes.T, **{name: expected[name] for name in order}}


def _outline(center: Array, covariance: Array) -> Array:
    """The 95 % ellipse, as the chart goes round it."""
    scale = np.sqrt(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    angles = np.linspace(0, 2 * np.pi, 73)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    points = (circle * np.sqrt(-2 * math.log(0.05) * values)) @ vectors.T * scale
    # Points of the ellipse indeed: at the 95 % quantile of the squared distance.
    distances = np.einsum("ij,jk,ik->i", points, np.linalg.inv(covariance), points)
    assert distances == pytest.approx(-2 * math.log(0.05))
    return np.asarray((center + points).T)


@case(covariance_heatmap)
def _heatmap(given: Given) -> tuple[go.Figure, Drawn]:
    figure = covariance_heatmap(given.fit, given.labels)
    deviations = np.sqrt(np.diag(given.fit.pooled))
    correlations = given.fit.pooled / np.outer(deviations, deviations)
    (trace,) = figure.data
    drawn = np.array(trace.z, dtype=np.float64)
    np.fill_diagonal(drawn, 1)
    assert drawn == pytest.approx(correlations)
    texts = [float(note.text.replace("−", "-")) for note in figure.layout.annotations]
    assert np.array(texts) == pytest.approx(correlations.ravel(), abs=0.00501)
    return figure, {"correlation": (range(4), range(4))}


@case(fit_histograms)
def _histograms(given: Given) -> tuple[go.Figure, Drawn]:
    fit, names = given.fit, [f"p = {100 * p:g} %" for p in (given.fit.pair.p_i, given.fit.pair.p_j)]
    figure = fit_histograms(fit, given.labels, [""] * 4, None)
    curves: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    for index in range(4):
        deviations = np.sqrt(fit.covariances[:, index, index])
        ends = fit.means[:, index] - 4 * deviations, fit.means[:, index] + 4 * deviations
        x = np.linspace(ends[0].min(), ends[1].max(), 81)
        for group, name in enumerate(names):
            curves[name][0].extend(x)
            z = (x - fit.means[group, index]) / deviations[group]
            density = np.exp(-(z**2) / 2) / (deviations[group] * math.sqrt(2 * math.pi))
            curves[name][1].extend(density)
    bars = fit_histograms(fit, given.labels, [""] * 4, given.simulated).data
    for group, name in enumerate(names):
        counted = [bar for bar in bars if bar.name == f"simulated, {name}".replace(" %", "\u00a0%")]
        for index, bar in enumerate(counted):
            inside = np.array(bar.y) * np.array(bar.width)
            assert inside.sum() == pytest.approx(1)
            mean = given.simulated[group, :, index].mean()
            assert np.dot(bar.x, inside) == pytest.approx(mean, abs=max(bar.width))
    return figure, curves


@case(epsilon_ranges)
def _ranges(_: Given) -> tuple[go.Figure, Drawn]:
    ranges = {"DP": Range(1.0, 1.0), "PP": Range(0.5, 2.0), "AP": Range(3.0, math.inf)}
    known = {key: value for key, value in ranges.items() if key in FRAMEWORKS}
    figure = epsilon_ranges(known, FRAMEWORKS, given="DP")
    return figure, {
        FRAMEWORKS[key].name: ([value.low, min(value.high, 100)], [row, row])
        for row, (key, value) in enumerate(known.items())
    }


@case(neighbouring_databases)
def _neighbours(_: Given) -> tuple[go.Figure, Drawn]:
    first = next(each for each in FRAMEWORKS.values() if each.changed is not None)
    one = {first.key: replace(first, key="DP", changed=(True, True, False, False, False))}
    return neighbouring_databases(one), {
        "asked about": ([1], [0]),
        "may change with it": ([2], [0]),
        "stays": ([3, 4, 5], [0, 0, 0]),
    }


@case(profile_curves)
def _profiles(_: Given) -> tuple[go.Figure, Drawn]:
    deltas = {"ExpM": np.array([0.1, 1e-3, 1e-9, 0]), "DauM": np.array([0.2, 2e-3, 2e-6, 1e-7])}
    figure = profile_curves(Curves(X, deltas), epsilon=1.0, delta=1e-3)
    return figure, {
        "ExpM": (X, [0.1, 1e-3, np.nan, np.nan]),
        "DauM": (X, deltas["DauM"]),
        "the promise": ([1.0], [1e-3]),
    }


@case(delivered_by_releases)
def _releases(_: Given) -> tuple[go.Figure, Drawn]:
    curves = {"ExpM": np.array([1.0, 2, 5, 9]), "DauM": np.array([1.0, 3, 4, 7])}
    figure = delivered_by_releases(Curves(X, curves), "ε", count=2, epsilon=1.0, delta=1e-3)
    return figure, _same(X, curves)


@case(adding_up)
def _adding_up(_: Given) -> tuple[go.Figure, Drawn]:
    made = [(0, 0.5), (1, 0.577), (2, 0.61), (3, 0.64)]
    standings = [Release(count, accuracy, True, None, None) for count, accuracy in made]
    return adding_up(standings, undefended=0.76, ceiling=0.731), {
        "released so far": ([0, 1, 2], [0.5, 0.577, 0.61]),
        "with the next one": ([2, 3], [0.61, 0.64]),
        "true statistics": ([0, 5], [0.76] * 2),
        "one release promises no more than": ([0, 5], [0.731] * 2),
    }


@case(limit_bars)
def _limits(_: Given) -> tuple[go.Figure, Drawn]:
    uses = [Use("accuracy", 0.6, None, 0.55, 0.58), Use("budget", 2.0, 1e-3, 1.0, 2.4)]
    return limit_bars([("rich", use) for use in uses]), {
        "released so far": ([0.5, 0.5], range(2)),
        "this release": ([0.3, 0.7], range(2)),
        "left": ([0.2, 0.0], range(2)),
    }


@case(network_graph)
def _network(_: Given) -> tuple[go.Figure, Drawn]:
    cause, effect = [0.5, 0.5], [[0.6, 0.4], [0.5, 0.5]]
    net = dp.BayesianNetwork([("a", "b"), ("b", "c")], {"a": cause, "b": effect, "c": effect})
    quilt = next(each for each in dp.attribute.find_quilts(net, "a") if each.quilt == {"b"})
    return network_graph(net, quilt, ["c"]), {
        "in the release": ([0], [-2]),
        "protected": ([0], [0]),
        "quilt": ([0], [-1]),
        "remote": ([0], [-2]),
    }


@case(variance_bars)
def _variances(_: Given) -> tuple[go.Figure, Drawn]:
    noises = dp.attribute.noise_by_release(
        dp.attribute.hospital().assumptions, 1.0, 1e-3, "classical"
    )
    noise = [each.variance / (each.variance + each.variances[0]) for each in noises.values()]
    return variance_bars(noises), {
        "varies by itself": ([1 - share for share in noise], range(3)),
        "noise": (noise, range(3)),
    }


@case(error_lines)
def _error_lines(_: Given) -> tuple[go.Figure, Drawn]:
    points = {"ExpM": ([1.0, 4.0], [31.0, 9.0]), "DauM": ([4.0], [3.5])}
    figure = error_lines(Curves(X, FALLING), title="E", x_title="ε", x_log=True, points=points)
    return figure, {
        "ExpM": (X, FALLING["ExpM"]),
        "DauM": (X, [50, 11, 3, 1]),
        "printed": ([1, 4, 4], [31, 9, 3.5]),
    }


@case(accuracy_lines)
def _accuracy_lines(_: Given) -> tuple[go.Figure, Drawn]:
    fair = (Standing(False, 0.51, 0.51), Standing(False, 0.75, 0.75))
    beaten = (Standing(True, 0.52, 0.77), Standing(False, 0.76, 0.76))
    curves = {
        "ExpM": AttackCurve((0.1, 10.0), (NARROW, WIDE), fair),
        "DauM": AttackCurve((0.1, 10.0), (WIDE, NARROW), beaten),
    }
    points = {"ExpM": ([10.0], [0.72])}
    style: dict[str, Any] = {"title": "A", "x_title": "ε", "x_log": True, "mechanisms": True}
    aside = math.sqrt(1.035)
    return accuracy_lines(curves, points=points, **style), {
        "guessing": (ENDS, [0.5] * 2),
        "ExpM": (ENDS, [0.51, 0.75]),
        "ExpM, simulated": ([0.1 / aside, 10 / aside], [0.57, 0.62]),
        "printed": ([10 / aside], [0.72]),
        "DauM": (ENDS, [0.52, 0.76]),
        "DauM, undone": ([0.1 * aside], [0.77]),
        "DauM, simulated": ([0.1 * aside, 10 * aside], [0.62, 0.57]),
    }


@case(f_scores_with_points)
def _scores_with_points(_: Given) -> tuple[go.Figure, Drawn]:
    points = {"ExpM": ([1.0], [0.56]), "DauM": ([4.0], [0.61])}
    curves = RISING | {"DauM": np.array([0.51, 0.57, 0.6, 0.9])}
    return f_scores_with_points(Curves(X, curves), points), {
        "ExpM": (X, curves["ExpM"]),
        "printed": ([1.0, 4.0], [0.56, 0.61]),
        "DauM": (X, curves["DauM"]),
    }


@case(releases_in_plane)
def _plane(_: Given) -> tuple[go.Figure, Drawn]:
    answer, noise = np.array([40.0, 10, 25]), np.arange(12.0).reshape(2, 2, 3) ** 2
    released = dict(zip(("ExpM", "DP"), answer + noise, strict=True))
    figure = releases_in_plane(
        Releases(PAIR.secret, 0.02, answer, released),
        labels=("a", "b", "c"),
        units=("",) * 3,
        across=2,
        up=0,
        title="Noise",
    )
    clouds = {name: (points[:, 2], points[:, 0]) for name, points in released.items()}
    return figure, {**clouds, "without noise": ([25], [40])}


AGREES = Cell("table-3", "ExpM (G)", "ε = 1", "10.0", 10.0, 0.5, ours=10.25)
CHANCE = replace(AGREES, item="table-4", row="DauM (G)", ours=12.0, repeats=(9.0, 14.0))


@case(deviations)
def _deviations(_: Given) -> tuple[go.Figure, Drawn]:
    figure = deviations({"table-3": (AGREES,), "table-4": (CHANCE,)})
    # The first mark of a row stands 0.31 above it.
    return figure, {
        "agrees (1)": ([AGREES.deviation], [-0.31]),
        "within sampling error (1)": ([CHANCE.deviation], [0.69]),
    }


@case(printed_beside_ours)
def _printed(_: Given) -> tuple[go.Figure, Drawn]:
    figure = printed_beside_ours([AGREES, CHANCE], title="T", measure="error")
    return figure, {
        "95 % of repeats": ([9, 14], [1, 1]),
        "printed": ([10, 10], [0, 1]),
        "ours: agrees": ([10.25], [0]),
        "ours: within sampling error": ([12], [1]),
    }


@case(posterior_curve)
def _posterior(_: Given) -> tuple[go.Figure, Drawn]:
    shares = np.linspace(0, 1, 21)
    before, after = (np.exp(-((shares - at) ** 2) / 0.02) for at in (0.5, 0.3))
    weights = [before / before.sum(), after / after.sum()]
    figure = posterior_curve(*(Belief(shares, weight) for weight in weights))
    few = posterior_curve(*(Belief(np.array([0.4, 0.6]), np.array([p, 1 - p])) for p in (0.5, 0.3)))
    assert [tuple(bar.y) for bar in few.data] == [(0.5, 0.5), (0.3, 0.7)]
    return figure, {
        "before the release": (100 * shares, weights[0]),
        "after the release": (100 * shares, weights[1]),
    }


@case(frontier_curves)
def _frontier(_: Given) -> tuple[go.Figure, Drawn]:
    deltas = np.array([0.3, 0.01, 1e-4, 1e-12])
    lines = {"exact": Line(X, deltas), "measured": Line(X, deltas * 2)}
    figure = frontier_curves(
        lines, title="F", promised=(1.0, 1e-3), chosen=(4.0, 1e-4), how_to_read="so."
    )
    return figure, {
        "exact": (X, [0.3, 0.01, 1e-4, np.nan]),
        "measured": (X, [0.6, 0.02, 2e-4, np.nan]),
        "the promise": ([1.0], [1e-3]),
        "λ as chosen": ([4.0], [1e-4]),
    }


@case(error_curve)
def _error_curve(_: Given) -> tuple[go.Figure, Drawn]:
    errors = [Interval(100 / x, 99 / x, 102 / x) for x in X]
    figure = error_curve(X, errors, plain=50.0, chosen=1, unit="")
    assert figure.data[0].error_y.array == pytest.approx(2 / X)
    assert figure.data[0].error_y.arrayminus == pytest.approx(1 / X)
    assert figure.layout.shapes[0].y0 == 50
    return figure, {"with extra noise": (X, 100 / X)}


@case(attacker_curve)
def _attacker(_: Given) -> tuple[go.Figure, Drawn]:
    figure = attacker_curve(X, np.array([1.0, 3, 5, math.inf]), promised=1.0, chosen=1.0)
    return figure, {"ε + 2c": (X, [1, 3, 5, np.nan])}


@case(roc_figure)
def _roc(_: Given) -> tuple[go.Figure, Drawn]:
    best, simulated = (RocCurve(wrong, right, WIDE) for wrong, right in RATES.values())
    figure = roc_figure(
        {"DauM": simulated},
        optimal={"DauM": best},
        pair=PAIR,
        repetitions=3,
        seed=7,
        promise=(1.0, 0.01),
    )
    corner = 0.99 / (1 + math.e)
    return figure, {
        "guessing": ([0, 1], [0, 1]),
        "the promise alone allows": ([0, 0, corner, 0.99, 1], [0, 0.01, 1 - corner, 1, 1]),
        "DauM": RATES["one"],
        "DauM, simulated": RATES["two"],
    }


@case(precision_recall_figure)
def _precision_recall(_: Given) -> tuple[go.Figure, Drawn]:
    recall, precision = np.array([0.1, 0.4, 1.0]), np.array([0.9, 0.7, 0.5])
    best = PrecisionRecallCurve(recall, precision, WIDE)
    simulated = PrecisionRecallCurve(recall, precision - 0.02, NARROW)
    figure = precision_recall_figure(
        {"DauM": simulated}, optimal={"DauM": best}, pair=PAIR, repetitions=3, seed=7
    )
    return figure, {
        "guessing": ([0, 1], [0.5, 0.5]),
        "DauM": (recall, precision),
        "DauM, simulated": (recall, precision - 0.02),
    }


@case(off_the_grid)
def _off_the_grid(given: Given) -> tuple[go.Figure, Drawn]:
    off = np.array([[0.1, 0.2, 0.3, 0.0, 0.05], [0.4, 0.15, 0.25, 0.0, 0.35]])
    release = Tried(dp.calibrate("ExpM", given.model, 1.0, 1e-3), off[0], off, off, 0.7)
    others = {name: ([8], [off[1, place]]) for place, name in enumerate(NAMES) if place != TRIED}
    figure = off_the_grid(release, [7, 8], 8, NAMES, title="T")
    return figure, {"the farthest of the others": ([7, 8], off.max(axis=1)), **others}


@case(on_paper_and_on_the_grid)
def _undoing(_: Given) -> tuple[go.Figure, Drawn]:
    rows = [
        UndoneRow("DirM", "published", 0.574, WIDE, True),
        UndoneRow("DirM", "grid-safe", 0.573, NARROW, False),
    ]
    return on_paper_and_on_the_grid(rows, undefended=0.762, repetitions=3, seed=7), {
        "guessing: 50 %": ([0.5, 0.5], ROWS),
        "without noise, at best: 76.2 %": ([0.762] * 2, ROWS),
        "best attacker on paper (normal curves)": ([0.574, 0.573], [0, 1]),
        "attacker who knows the grid, simulated, 95 % interval": ([0.62, 0.57], [0, 1]),
    }


def _errors_by(chart: Callable[..., go.Figure], **here: float) -> tuple[go.Figure, Drawn]:
    figure = chart(Curves(X, FALLING), unit="", measure="error", **here)
    # A mechanism that needs no noise stands on the floor, with a mark where it gets there.
    return figure, {
        "ExpM": (X, FALLING["ExpM"]),
        "DauM": (X, [50, 11, 3, 1]),
        "DauM, no noise needed": ([10.0], [1]),
    }


@case(error_against_epsilon)
def _against_epsilon(_: Given) -> tuple[go.Figure, Drawn]:
    return _errors_by(error_against_epsilon, epsilon=1.0)


@case(error_against_width)
def _against_width(_: Given) -> tuple[go.Figure, Drawn]:
    return _errors_by(error_against_width, width=0.2)
