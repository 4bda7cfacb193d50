"""Scenarios, decisions, networks and what else tests of several rooms share."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
from hypothesis import strategies as st

import distpriv as dp
from distpriv.analysis.comparison import Summary
from distpriv.analysis.error_sizes import ErrorSize
from distpriv.analysis.scenario import Scenario
from distpriv.mechanisms.curves import Curves
from distpriv.queries.nonlinear import Correlation, Median, Quantile, StandardDeviation
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Proportion, Query, Sum
from distpriv.store import Alternative

# Of the embedded example, with every choice made another than at the start.
SOME = Scenario(
    secret=SensitiveProperty("education-num", between=(9.5, 13.5)),
    query=Query([Mean("hours-per-week"), Count("sex", "Female"), Proportion("race", "White")]),
    center=0.37,
    width=0.14,
    grid=(0.3, 0.7, 0.1),
    others=(
        Pair(SensitiveProperty("age", above=41.25), 0.3, 0.42),
        Pair(SensitiveProperty("workclass", "Private"), 0.423, 0.4567),
    ),
    n=230,
    mechanism="DauM",
    epsilon=0.777,
    delta=1e-5,
    calibration="guarded",
    units="custom",
    report="standardised",
    tolerances=(0.5, 2.0, 0.25),
    replacement=True,
    bounds=(("hours-per-week", (0.0, 100.5)),),
    seed=77,
    view="presentation",
    distances="simulated",
    look="age > 41.25: 30 % or 42 %",
)
# Of an upload.
PLAIN = Scenario(secret=SensitiveProperty("sector", "public"), query=Query([Mean("salary")]))
# Every field of the one differs from the other's.
BASE = Scenario(
    digest="abc",
    secret=SensitiveProperty("income", ">50K"),
    center=0.5,
    width=0.1,
    grid=None,
    others=(),
    n=100,
    whole=False,
    query=Query([Mean("age"), Count("sex", "Female")]),
    mechanism="OptM",
    epsilon=1.0,
    delta=1e-3,
    calibration="exact",
    units="raw",
    report="raw",
    tolerances=(),
    replacement=False,
    bounds=(),
    seed=1,
    view="analyst",
)
OTHER = {
    "digest": "def",
    "reference": "ghi",
    "secret": SensitiveProperty("age", above=65),
    "center": 0.4,
    "width": 0.2,
    "grid": (0.3, 0.7, 0.1),
    "others": (
        Pair(SensitiveProperty("age", between=(20, 30)), 0.2, 0.3),
        Pair(SensitiveProperty("age", below=9), 0.1, 0.4),
    ),
    "n": 200,
    "whole": True,
    "share_of": "table",
    "query": Query(
        [
            Sum("age"),
            Proportion("sex", "Ünï"),
            Median("age"),
            Quantile("age", 0.9),
            StandardDeviation("age"),
            Correlation("age", "hours"),
        ]
    ),
    "mechanism": "ExpM",
    "epsilon": 0.123456,
    "delta": 1e-6,
    "calibration": "guarded",
    "units": "custom",
    "report": "standardised",
    "tolerances": (1.0, 0.5, 2.0, 1e-9, 3.0, 4.0),
    "replacement": True,
    "bounds": (("age", (0.0, 120.0)),),
    "persons": (0.7, 1e-5),
    "seed": 7,
    "view": "presentation",
    "distances": "simulated",
    "look": "income = >50K: 45 % or 55 %",
}
CURVES = Curves(np.array([0.1, 10.0]), {"OptM": np.array([1.0, 0.5])})


def summary(accuracy: float, error: float, scenario: Scenario = BASE, unit: str = "") -> Summary:
    return Summary(
        scenario=scenario,
        data="some data",
        undefended=0.9,
        accuracy=accuracy,
        error=error,
        unit=unit,
        errors=(ErrorSize("mean age", "years", 1.0, 1.2, 100, 40.0),),
        promised=1e-3,
        delivered=None,
        accuracies=CURVES,
        costs=CURVES,
    )


def alternative(name: str = "now", epsilon: float = 1.0, **changes: object) -> Alternative:
    values: dict[str, object] = {
        "scenario": f'{{"of": {epsilon}}}',
        "mechanism": "OptM",
        "delta": 1e-3,
        "undefended": 0.76,
        "accuracy": 0.58,
        "error": 8.15,
        "unit": "",
        "promised": 1e-3,
        "delivered": None,
    }
    return Alternative(name=name, epsilon=epsilon, **values | changes)  # type: ignore[arg-type]


@st.composite
def networks(draw: st.DrawFn, most: int = 5, states: int = 3) -> dp.BayesianNetwork:
    """A network of 2 to ``most`` nodes with up to ``states`` states and tables without zeros."""
    count = draw(st.integers(2, most))
    names = draw(st.permutations([f"n{index}" for index in range(count)]))
    edges = [
        (names[low], names[high])
        for low in range(count)
        for high in range(low + 1, count)
        if draw(st.booleans())
    ]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = {name: int(rng.integers(2, states + 1)) for name in names}
    tables = {}
    for name in sorted(names):
        parents = [parent for parent, child in edges if child == name]
        shape = tuple(sizes[parent] for parent in parents)
        tables[name] = (
            rng.dirichlet(np.full(sizes[name], 2.0), size=shape) * 0.98 + 0.02 / sizes[name]
        )
    return dp.BayesianNetwork(edges, tables)


def enumerated(net: dp.BayesianNetwork) -> dict[tuple[int, ...], float]:
    """P(φ) of every combination of states, by plain multiplication."""
    found = {}
    for states in product(*(range(len(net.names(node))) for node in net.nodes)):
        value = dict(zip(net.nodes, states, strict=True))
        probability = 1.0
        for node in net.nodes:
            at = tuple(value[name] for name in (*net.parents(node), node))
            probability *= float(net.table(node)[at])
        found[states] = probability
    return found


def hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """sup_S P(S) − e^ε Q(S) of two discrete distributions, or densities times a step."""
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


# What files and links from elsewhere hold where something else belongs.
HOSTILE = (
    *(None, True, 0, -1, 0.5, 2**64, 10**400, -(10**400), 1e308, 5e-324, -1e-300),
    *(math.nan, math.inf, -math.inf, "", " ", "nan", "a\x00\nb", "\ud800", "a\udfff", "x" * 20_000),
    *([], {}, [None], [[]], [1, 2, 3], {"column": "a", "above": 1e308}, {"kind": "Mean"}),
    *(json.loads("[" * 300 + "]" * 300), ["a"] * 10_000, {str(i): i for i in range(10_000)}),
)


def _places(value: object, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [above] if above else []
    inner = value if isinstance(value, dict) else {}
    for key, item in (dict(enumerate(value)) if isinstance(value, list) else inner).items():
        found += _places(item, (*above, key))
    return found


@st.composite
def one_change_away(draw: st.DrawFn, text: str) -> str:
    """A JSON text with one thing in it another, gone, or there ten thousand times."""
    whole = json.loads(text)
    *way, last = draw(st.sampled_from(_places(whole)))
    place = whole
    for step in way:
        place = place[step]
    kind = draw(st.sampled_from(["other", "other", "gone", "many", "renamed"]))
    if kind == "other":
        place[last] = draw(st.sampled_from(HOSTILE))
    elif kind == "many":
        place[last] = [place[last]] * 10_000
    else:
        taken = place.pop(last)
        if kind == "renamed" and isinstance(place, dict):
            place[f"{last}\ud800"] = taken
    return json.dumps(whole)
