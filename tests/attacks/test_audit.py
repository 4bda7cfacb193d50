"""The lower confidence bound on ε that an attack proves."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv import mechanisms
from distpriv.attacks.audit import audit_attack, epsilon_lower_bound, rate_bounds
from distpriv.attacks.property_inference import dataset_labels
from distpriv.privacy.noise import Noise


def _result(scores: np.ndarray) -> dp.AttackResult:
    scores = np.atleast_2d(scores)
    accuracy = ((scores > 0) == dataset_labels(scores.shape[1])).mean(axis=1)
    return dp.AttackResult({"x": accuracy}, scores.shape[1], True, 0, "logistic", {"x": scores})


def _claim(epsilon: float, delta: float = 0.0) -> Noise:
    return Noise("test", "laplace", np.eye(1), np.ones(1), epsilon, delta)


def _responses(epsilon: float, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Scores ±1 of randomised response, whose ε is known."""
    truth = 2 * dataset_labels(shape[1]) - 1
    honest = rng.random(shape) < 1 / (1 + math.exp(-epsilon))
    return np.where(honest, truth, -truth).astype(float)


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_rates_against_scipy(hits: int, misses: int, confidence: float) -> None:
    low, high = rate_bounds(hits, 60, misses, 60, confidence)
    one_sided = 1 - (1 - confidence) / 2
    exact = stats.binomtest(hits, 60, alternative="greater").proportion_ci(one_sided, "exact")
    assert low == pytest.approx(exact.low, abs=1e-12)
    exact = stats.binomtest(misses, 60, alternative="less").proportion_ci(one_sided, "exact")
    assert high == pytest.approx(exact.high, abs=1e-12)


@given(
    st.integers(0, 50),
    st.integers(0, 80),
    st.sampled_from([0.0, 1e-3, 0.3, 0.99]),
    st.sampled_from([0.5, 0.95]),
)
def test_a_bound_is_the_larger_of_both_directions(
    hits: int, misses: int, delta: float, confidence: float
) -> None:
    low, high = rate_bounds(hits, 50, misses, 80, confidence)
    expected = 0.0
    if low > delta:
        expected = max(expected, math.log((low - delta) / high))
    if 1 - high > delta:
        expected = max(expected, math.log((1 - high - delta) / (1 - low)))
    bound = epsilon_lower_bound(hits, 50, misses, 80, delta, confidence)
    assert bound == pytest.approx(expected, abs=1e-12)
    # The two proportions swapped: those with p_i not taken for p_j are the recognised ones.
    swapped = epsilon_lower_bound(80 - misses, 80, 50 - hits, 50, delta, confidence)
    assert swapped == pytest.approx(float(bound), abs=1e-9)


def test_a_bound_by_hand() -> None:
    # All 100 right, none of 100 wrong: both rates err with 2.5 %.
    one = 0.025 ** (1 / 100)
    assert epsilon_lower_bound(100, 100, 0, 100) == pytest.approx(math.log(one / (1 - one)))
    assert epsilon_lower_bound([50, 0, 10], 100, [50, 0, 90], 100).tolist() == [0, 0, 0]


def test_bounds_hold_as_often_as_they_say() -> None:
    rng, epsilon, found = np.random.default_rng(12), 1.0, []
    for _ in range(1000):
        audit = audit_attack(_result(_responses(epsilon, (4, 100), rng)), "x", _claim(epsilon))
        found.append(audit.epsilon)
    assert np.mean(np.array(found) > epsilon) <= 0.05
    assert np.mean(found) > 0.6


def test_many_guesses_prove_nearly_all_of_epsilon() -> None:
    scores = _responses(1.0, (20, 10_000), np.random.default_rng(1))
    audit = audit_attack(_result(scores), "x", _claim(1.0))
    assert audit.epsilon == pytest.approx(1.0, abs=0.03)
    assert audit.epsilon <= 1.0
    assert not audit.contradicted
    wrong = audit_attack(_result(scores), "x", _claim(0.9))
    assert wrong.contradicted
    assert "contradicts the claimed ε = 0.9" in wrong.verdict


def test_a_threshold_is_chosen_on_repetitions_that_are_not_judged() -> None:
    rng = np.random.default_rng(3)
    labels = dataset_labels(200)
    scores = rng.normal(size=(20, 200)) + 1.5 * labels
    audit = audit_attack(_result(scores), "x", None)
    assert audit.chosen is not None
    assert audit.chosen.threshold != 0
    assert audit.chosen.epsilon > audit.default.epsilon
    guesses = scores[1::2] > audit.chosen.threshold
    assert audit.chosen.true_positives == guesses[:, labels == 1].sum()
    assert audit.chosen.false_positives == guesses[:, labels == 0].sum()
    assert (audit.chosen.positives, audit.default.positives) == (1000, 2000)
    # What is judged does not move the threshold, what it is chosen on does.
    moved = scores.copy()
    moved[1::2] = rng.normal(size=(10, 200))
    other = audit_attack(_result(moved), "x", None).chosen
    assert other is not None
    assert other.threshold == audit.chosen.threshold
    assert other.epsilon == 0
    rates = audit.default
    assert rates.true_positive_low < rates.true_positive_rate
    assert rates.false_positive_high > rates.false_positive_rate


def test_one_repetition_has_no_chosen_threshold_and_splits_less() -> None:
    scores = _responses(2.0, (1, 200), np.random.default_rng(3))
    audit = audit_attack(_result(scores), "x", None)
    assert audit.chosen is None
    assert audit.epsilon == audit.default.epsilon
    twice = audit_attack(_result(np.repeat(scores, 2, axis=0)[:, ::1]), "x", None)
    low, _ = rate_bounds(audit.default.true_positives, 100, 0, 100, 0.95)
    assert audit.default.true_positive_low == low
    low, _ = rate_bounds(twice.default.true_positives, 200, 0, 200, 0.975)
    assert twice.default.true_positive_low == low


def test_guessing_proves_nothing() -> None:
    scores = np.random.default_rng(3).normal(size=(6, 100))
    audit = audit_attack(_result(scores), "x", _claim(0.5))
    assert audit.epsilon == 0
    assert not audit.contradicted
    assert audit.verdict == (
        "The attack proves no ε above 0 at 95\u00a0% confidence, which agrees with the claimed "
        "ε = 0.5."
    )
    assert audit_attack(_result(-5 - np.abs(scores)), "x", None).epsilon == 0
    assert audit_attack(_result(np.zeros((6, 100))), "x", None).verdict == (
        "The attack proves no ε above 0 at 95\u00a0% confidence."
    )


def test_delta_weakens_what_is_proven() -> None:
    scores = _responses(2.0, (4, 200), np.random.default_rng(3))
    bounds = [
        audit_attack(_result(scores), "x", _claim(2.0, 0.01), delta=delta).epsilon
        for delta in (0.0, None, 0.1, 0.5, 0.99)
    ]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[1] > bounds[2]
    assert bounds[-1] == 0


def test_every_mechanism_that_protects_keeps_its_claim(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    noises: dict[str, dp.Noise | None] = {"none": None}
    for name in mechanisms.names():
        if mechanisms.get(name).protects:
            for epsilon in (0.3, 1.0, 3.0):
                noises[f"{name} {epsilon}"] = dp.calibrate(
                    name, model, epsilon, 1e-3, calibration="exact"
                )
    result = dp.run_attack(people, query, pair, 60, noises, repetitions=30, rng=2, keep_scores=True)
    for name, noise in noises.items():
        audit = audit_attack(result, name, noise)
        if noise is None:
            assert audit.epsilon > 0.5
            assert audit.claimed_epsilon is None
            assert audit.verdict.endswith("; this release claims none.")
        else:
            assert 0 <= audit.epsilon < noise.epsilon, name
            assert "agrees with the claimed ε" in audit.verdict
            assert audit.delta == noise.delta


def test_an_audit_shows_that_hiding_records_does_not_hide_the_property(
    people: pd.DataFrame, pair: dp.Pair
) -> None:
    query = dp.Query([dp.Count("status", "married")])
    noise = dp.calibrate(
        "DP", dp.fit_gaussian(people, query, pair, 200), 0.5, 1e-3, calibration="exact"
    )
    result = dp.run_attack(
        people, query, pair, 200, {"DP": noise}, repetitions=20, rng=2, keep_scores=True
    )
    audit = audit_attack(result, "DP", noise)
    assert audit.contradicted
    assert "it promises nothing about the property." in audit.verdict


@pytest.mark.adult
def test_adult(adult: pd.DataFrame, adult_income: dp.GaussianModel) -> None:
    noises: dict[str, dp.Noise | None] = {"none": None}
    for name in ("ExpM", "EigM", "DauM", "OptM", "ExpM(L)", "DirM(L)"):
        noises[name] = dp.calibrate(name, adult_income, 1.0, 1e-3, calibration="exact")
    pair = adult_income.pairs[0].pair
    result = dp.run_attack(
        adult, adult_income.query, pair, 100, noises, repetitions=50, rng=2, keep_scores=True
    )
    bounds = {name: audit_attack(result, name, noise).epsilon for name, noise in noises.items()}
    assert bounds.pop("none") > 1
    assert all(0 < bound < 1 for bound in bounds.values())


def test_scores_that_were_not_kept() -> None:
    with pytest.raises(
        dp.errors.AttackError, match=r"kept no scores, .* run it with keep_scores=True"
    ):
        audit_attack(dp.AttackResult({"x": np.ones(3)}, 200, True, 0), "x", None)


@pytest.mark.parametrize("delta", [-0.1, 1.0, math.nan, math.inf])
def test_delta_outside_its_domain(delta: float) -> None:
    with pytest.raises(dp.errors.AttackError, match=r"δ must be in \[0, 1\), got δ ="):
        audit_attack(_result(np.ones((2, 4))), "x", None, delta=delta)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
def test_confidence_outside_its_domain(confidence: float) -> None:
    with pytest.raises(dp.errors.AttackError, match="confidence must be between 0 and 1, got"):
        epsilon_lower_bound(1, 2, 1, 2, confidence=confidence)


@pytest.mark.parametrize("counts", [(-1, 5, 1, 5), (6, 5, 1, 5), (1, 5, 6, 5), (0, 0, 1, 5)])
def test_counts_that_cannot_be(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(dp.errors.AttackError, match="guesses of both kinds"):
        epsilon_lower_bound(*counts)


def test_an_audit_is_frozen() -> None:
    audit = audit_attack(_result(np.ones((2, 4))), "x", None)
    with pytest.raises(FrozenInstanceError):
        audit.delta = 0.5  # type: ignore[misc]
