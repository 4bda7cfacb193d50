"""Every place that says whether a promise is kept says the same, and what the exact law says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import distpriv as dp
from distpriv.analysis.brackets import bracket
from distpriv.analysis.hiding import hiding
from distpriv.errors import DistprivError
from distpriv.export.report.label import label
from distpriv.robustness.verdicts import by_exact_law

INCOME = dp.SensitiveProperty("income", "high")
REMOTE = dp.SensitiveProperty("remote", True)
COUNTS = [dp.Count("status", "married"), dp.Count("town", "Ahausen"), dp.Proportion("remote", True)]
QUERIES: list[list[dp.Statistic]] = [
    *([count] for count in COUNTS),
    [dp.Mean("age")],
    [dp.Sum("hours")],
    [COUNTS[0], COUNTS[1]],
    [dp.Mean("age"), COUNTS[0]],
]
SHARES = st.tuples(st.integers(4, 96), st.integers(2, 30)).filter(
    lambda pair: pair[1] / 2 < pair[0] < 100 - pair[1] / 2
)


def scenario_of(
    statistics: list[dp.Statistic], shares: tuple[int, int], **choices: Any
) -> dp.Scenario:
    center, width = shares[0] / 100, shares[1] / 100
    return dp.Scenario(query=dp.Query(statistics), center=center, width=width, **choices)


SCENARIOS = st.builds(
    scenario_of,
    st.sampled_from(QUERIES),
    SHARES,
    secret=st.sampled_from([INCOME, REMOTE]),
    n=st.integers(5, 80),
    mechanism=st.sampled_from(["OptM", "EigM", "DauM", "DirM", "ExpM", "CoupM"]),
    epsilon=st.sampled_from([0.3, 1.0, 4.0]),
    delta=st.sampled_from([1e-2, 1e-4]),
    calibration=st.sampled_from(["guarded", "exact"]),
    share_of=st.sampled_from(["release", "table"]),
    replacement=st.booleans(),
    others=st.sampled_from([(), (INCOME.pair(0.3, 0.1),)]),
)


@settings(max_examples=25)
@given(asked=SCENARIOS)
def test_nobody_disagrees_whether_the_promise_is_kept(people, asked) -> None:
    evaluation = dp.evaluate(asked, people)
    try:
        promise = evaluation.promise
    except DistprivError:
        assume(False)
    found = bracket(evaluation)
    if found.law is not None:
        assert (found.verdict == "kept") == promise.kept
        assert found.law.delta == pytest.approx(evaluation.delivered_delta)
    elif found.verdict == "broken":
        assert not promise.kept
    facts = [fact for part in label(evaluation).parts for fact in part.facts]
    (share,) = [fact for fact in facts if fact.title == "For the share"]
    assert share.figure.endswith(promise.words)
    assert evaluation.figures.promise == promise.state
    assert evaluation.kept == promise.kept
    exactly, broken = by_exact_law(
        evaluation.model, evaluation.noise, evaluation.laws_for(evaluation.noise)
    )
    assert not exactly or broken != promise.kept
    for verdict in evaluation.assumed:
        assert promise.kept or "the promise is kept" not in verdict.sentence
    if evaluation.focus == 0 and (hidden := hiding(evaluation)) is not None:
        assert hidden.accuracy(asked.width) == evaluation.accuracy
        assert hidden.accuracy(asked.width, noise=False) == evaluation.undefended


def law_of_a_sum(indices: np.ndarray, count: int) -> np.ndarray:
    """Masses of the sum of independent draws of one group, by repeated convolution."""
    masses = np.bincount(indices) / len(indices)
    law = np.ones(1)
    for _ in range(count):
        law = np.convolve(law, masses)
    return law


def delta_of(laws: list[np.ndarray], step: float, deviation: float, epsilon: float) -> float:
    """δ of two laws on points a step apart with Gaussian noise, by a sum over a fine grid."""
    points = np.arange(max(map(len, laws))) * step
    if deviation:
        fine = min(step, deviation) / 24
        outcomes = np.arange(points[0] - 9 * deviation, points[-1] + 9 * deviation, fine)
        bells = np.exp(-(((outcomes[:, None] - points) / deviation) ** 2) / 2)
        bells *= fine / deviation / math.sqrt(2 * math.pi)
        laws = [bells[:, : len(law)] @ law for law in laws]
    else:
        laws = [np.pad(law, (0, len(points) - len(law))) for law in laws]
    first, second = laws
    factor = math.exp(epsilon)
    losses = first - factor * second, second - factor * first
    return max(float(np.maximum(loss, 0).sum()) for loss in losses)


@settings(max_examples=25)
@given(
    step=st.sampled_from([0.5, 7.0, 1 / 3, 0.01]),
    kind=st.sampled_from([dp.Sum, dp.Mean]),
    n=st.integers(4, 16),
    shares=SHARES,
    apart=st.integers(0, 3),
    mechanism=st.sampled_from(["OptM", "EigM", "DirM", "CoupM"]),
    epsilon=st.sampled_from([0.5, 2.0]),
    delta=st.sampled_from([1e-2, 1e-4]),
    seed=st.integers(0, 99),
)
def test_a_kept_promise_is_kept_by_the_law_on_odd_steps(
    step, kind, n, shares, apart, mechanism, epsilon, delta, seed
) -> None:
    random = np.random.default_rng(seed)
    having = np.arange(60) % 3 == 0
    indices = random.integers(0, 4, 60) + apart * having
    table = pd.DataFrame({"group": np.where(having, "in", "out"), "value": indices * step})
    evaluation = dp.evaluate(
        scenario_of(
            [kind("value")], shares, secret=dp.SensitiveProperty("group", "in"), n=n,
            mechanism=mechanism, epsilon=epsilon, delta=delta, replacement=True,
        ),
        table,
    )  # fmt: skip
    noise = evaluation.noise
    laws = [
        np.convolve(
            law_of_a_sum(indices[having], theta.having),
            law_of_a_sum(indices[~having], n - theta.having),
        )
        for theta in evaluation.fit.thetas
    ]
    moved = step / n if kind is dp.Mean else step
    delivered = delta_of(laws, moved, math.sqrt(noise.covariance[0, 0]), epsilon)
    assert evaluation.delivered_delta == pytest.approx(delivered, rel=1e-3, abs=1e-9)
    if evaluation.promise.kept:
        assert delivered <= delta * (1 + 1e-3)
    if delivered <= delta * (1 - 1e-3):
        assert evaluation.promise.kept
    assert evaluation.accuracy == pytest.approx(
        0.5 + delta_of(laws, moved, math.sqrt(noise.covariance[0, 0]), 0.0) / 2, abs=1e-4
    )


@pytest.mark.parametrize(
    ("mechanism", "n", "epsilon", "delta", "words"),
    [
        ("OptM", 100, 1.0, 0.01, "missed slightly, 1.02 times"),
        ("OptM", 50, 2.0, 1e-3, "missed, 1.42 times"),
        ("DirM(L)", 50, 1.0, 1e-3, "kept"),
    ],
)
def test_assumptions_say_what_the_badge_says(mechanism, n, epsilon, delta, words) -> None:
    evaluation = dp.evaluate(
        scenario_of(
            [dp.Count("relationship", "Husband")], (20, 10), n=n, epsilon=epsilon, delta=delta,
            secret=dp.SensitiveProperty("income", ">50K"), mechanism=mechanism,
        ),
        dp.load_census_income(),
    )  # fmt: skip
    assert evaluation.promise.words == words
    for verdict in evaluation.assumed:
        told = verdict.sentence.rpartition(" By the ")[2]
        assert told.startswith("exact law of these statistics")
        assert ("the promise is kept" in told) == evaluation.promise.kept
