"""The property-inference attack: its figures, its random streams, its intervals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import distpriv as dp
from distpriv.attacks.best_attack import best_precision_recall, best_roc
from distpriv.attacks.classifiers import classifier_names, get_classifier
from distpriv.attacks.property_inference import attacker_names, get_attacker

REPETITIONS = 3


@pytest.fixture(scope="module")
def noises(model: dp.GaussianModel) -> dict[str, dp.Noise | None]:
    chosen: dict[str, dp.Noise | None] = {"none": None}
    for name in ("ExpM", "DauM", "ExpM(L)", "DirM(L)"):
        chosen[name] = dp.calibrate(name, model, 3.0, 1e-3)
    chosen["DauM, 1"] = dp.calibrate("DauM", model, 1.0, 1e-3)
    return chosen


@pytest.fixture(scope="module")
def attack(
    people: pd.DataFrame,
    query: dp.Query,
    pair: dp.Pair,
    noises: dict[str, dp.Noise | None],
) -> dp.attacks.PropertyInferenceAttack:
    groups = dp.record_groups(people, query, pair.secret)
    return dp.attacks.PropertyInferenceAttack(groups, query, pair, 60, noises, seed=42)


def test_all_attackers_are_known_by_name() -> None:
    assert attacker_names() == (*classifier_names(), "arithmetic")
    for name in attacker_names():
        assert get_attacker(name).name == name
        assert get_attacker(name).title
        assert get_attacker(name).summary.endswith(".")
    assert get_attacker("knn") is get_classifier("knn")
    with pytest.raises(
        dp.errors.AttackError, match=r"no classifier 'svm'; choose one of .*, arithmetic"
    ):
        get_attacker("svm")


@pytest.mark.parametrize(
    ("adaptive", "classifier"),
    [(False, "logistic"), (True, "logistic"), (True, "arithmetic")],
)
def test_company_and_order_do_not_move_a_figure(
    attack: dp.attacks.PropertyInferenceAttack, adaptive: bool, classifier: str
) -> None:
    attack = replace(attack, adaptive=adaptive, classifier=classifier)
    together = attack.repetition(1)
    backwards = replace(attack, noises=dict(reversed(attack.noises.items()))).repetition(1)
    assert backwards == together
    for name, noise in attack.noises.items():
        assert replace(attack, noises={name: noise}).repetition(1) == {name: together[name]}
        renamed = replace(attack, noises={"another name": noise}).repetition(1)
        assert renamed == {"another name": together[name]}


def test_the_order_of_the_repetitions_does_not_matter(
    attack: dp.attacks.PropertyInferenceAttack,
) -> None:
    forwards = [attack.repetition(index) for index in range(REPETITIONS)]
    backwards = [attack.repetition(index) for index in reversed(range(REPETITIONS))]
    assert forwards == backwards[::-1]
    assert len({run["none"] for run in forwards}) > 1


def test_no_noise_is_used_twice(
    attack: dp.attacks.PropertyInferenceAttack,
    model: dp.GaussianModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[np.ndarray] = []
    original = dp.Noise.sample

    def recorded(self: dp.Noise, size: int, rng: np.random.Generator) -> np.ndarray:
        noise = original(self, size, rng)
        # Without its scale, so that equal draws of different noises would show.
        drawn.append((noise @ self.directions) / self.scales)
        return noise

    monkeypatch.setattr(dp.Noise, "sample", recorded)
    noises = {
        f"{name} {epsilon}": dp.calibrate(name, model, epsilon, 1e-3)
        for name in ("DirM", "DauM")
        for epsilon in (0.5, 1.0)
    }
    noisy = replace(attack, noises=noises)
    for index in range(3):
        noisy.repetition(index)
    # Shadow and test datasets, four noises, three repetitions.
    assert len(drawn) == 2 * 4 * 3
    assert len(np.unique(np.round(np.concatenate(drawn), 9))) == 200 * len(drawn)


def test_a_run_is_its_repetitions(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, attack: dp.attacks.PropertyInferenceAttack
) -> None:
    result = dp.run_attack(
        people, query, pair, 60, attack.noises, repetitions=REPETITIONS, rng=attack.seed
    )
    assert list(result.accuracy) == list(attack.noises)
    assert (result.repetitions, result.tests, result.adaptive) == (REPETITIONS, 200, True)
    for index in range(REPETITIONS):
        run = attack.repetition(index)
        assert {name: values[index] for name, values in result.accuracy.items()} == run


def test_the_figures_of_the_papers_classifier_stay(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    """As they were before there were other classifiers."""
    noises = {"none": None, "ExpM": dp.calibrate("ExpM", model, 3.0, 1e-3)}
    noises["ExpM(L)"] = dp.calibrate("ExpM(L)", model, 3.0)
    for adaptive, expected in (
        (True, {"ExpM": [0.62, 0.595, 0.645], "ExpM(L)": [0.56, 0.6, 0.645]}),
        (False, {"ExpM": [0.5, 0.5, 0.505], "ExpM(L)": [0.54, 0.435, 0.5]}),
    ):
        result = dp.run_attack(
            people, query, pair, 60, noises, adaptive=adaptive, repetitions=3, rng=42
        )
        found = {name: values.tolist() for name, values in result.accuracy.items()}
        assert found == {"none": [0.83, 0.84, 0.8]} | expected


def test_scores_are_kept_on_request(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, attack: dp.attacks.PropertyInferenceAttack
) -> None:
    kept, not_kept = (
        dp.run_attack(
            people,
            query,
            pair,
            60,
            attack.noises,
            repetitions=REPETITIONS,
            rng=attack.seed,
            keep_scores=keep,
        )
        for keep in (True, False)
    )
    assert not_kept.scores is None
    for curve in (not_kept.roc, not_kept.precision_recall, not_kept.kept_scores):
        with pytest.raises(dp.errors.AttackError, match="kept no scores"):
            curve("none")
    truth = np.repeat([0, 1], 100)
    for name, accuracy in not_kept.accuracy.items():
        scores = kept.kept_scores(name)
        assert scores.shape == (REPETITIONS, 200)
        np.testing.assert_array_equal(kept.accuracy[name], accuracy)
        np.testing.assert_array_equal(((scores > 0) == truth).mean(axis=1), accuracy)
        np.testing.assert_array_equal(attack.scores(1)[name], scores[1])
        roc = kept.roc(name)
        assert roc.area.estimate == pytest.approx(
            metrics.roc_auc_score(np.tile(truth, REPETITIONS), scores.ravel())
        )
        assert kept.precision_recall(name).area.estimate == pytest.approx(
            metrics.average_precision_score(np.tile(truth, REPETITIONS), scores.ravel())
        )
    kept_too = attack.collect([attack.run(index) for index in range(REPETITIONS)])
    np.testing.assert_array_equal(kept_too.kept_scores("ExpM"), kept.kept_scores("ExpM"))
    collected = attack.collect([attack.scores(index) for index in range(REPETITIONS)])
    np.testing.assert_array_equal(collected.accuracy["ExpM"], kept.accuracy["ExpM"])
    assert (collected.seed, collected.classifier) == (attack.seed, "logistic")


def test_simulated_areas_are_below_those_of_the_best_attacker(
    people: pd.DataFrame,
    query: dp.Query,
    pair: dp.Pair,
    model: dp.GaussianModel,
    noises: dict[str, dp.Noise | None],
) -> None:
    result = dp.run_attack(people, query, pair, 60, noises, repetitions=40, rng=5, keep_scores=True)
    for name in ("none", "ExpM", "DauM", "DirM(L)"):
        # Parts of a few hundred records differ from the whole, so a little more can happen.
        best = best_roc(model, noises[name]).area.estimate + 0.02
        assert best - 0.12 < result.roc(name).area.low < best
        average = best_precision_recall(model, noises[name]).area.estimate + 0.02
        assert average - 0.12 < result.precision_recall(name).area.low < average


def test_seeds(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> None:
    def run(rng: object) -> dp.AttackResult:
        return dp.run_attack(people, query, pair, 60, {"none": None}, repetitions=5, rng=rng)

    first = run(7)
    np.testing.assert_array_equal(first.accuracy["none"], run(7).accuracy["none"])
    np.testing.assert_array_equal(first.accuracy["none"], run(np.int64(7)).accuracy["none"])
    assert not np.array_equal(first.accuracy["none"], run(8).accuracy["none"])
    drawn = run(np.random.default_rng(7))
    again = run(np.random.default_rng(7))
    np.testing.assert_array_equal(drawn.accuracy["none"], again.accuracy["none"])
    # A run without a seed can still be repeated from its result.
    fresh = run(None)
    np.testing.assert_array_equal(run(fresh.seed).accuracy["none"], fresh.accuracy["none"])
    assert run(None).seed != fresh.seed


def test_accuracies_are_shares_of_the_test_datasets(
    attack: dp.attacks.PropertyInferenceAttack,
) -> None:
    for tests in (2, 10, 200):
        for accuracy in replace(attack, tests=tests).repetition(0).values():
            assert 0 <= accuracy <= 1
            assert accuracy * tests == pytest.approx(round(accuracy * tests))


def test_no_attacker_beats_the_optimal_one(
    people: pd.DataFrame,
    query: dp.Query,
    pair: dp.Pair,
    model: dp.GaussianModel,
    noises: dict[str, dp.Noise | None],
) -> None:
    for adaptive in (False, True):
        result = dp.run_attack(
            people, query, pair, 60, noises, adaptive=adaptive, repetitions=40, rng=5
        )
        for name in ("none", "ExpM", "DauM", "DirM(L)", "DauM, 1"):
            best = dp.optimal_attack_accuracy(model, noises[name])
            # Parts of a few hundred records differ from the whole, so a little more can happen.
            assert result.interval(name).low < best + 0.02
            assert result.interval(name).high > 0.5
        assert result.interval("none").estimate > dp.optimal_attack_accuracy(model) - 0.05


def test_training_on_noisy_statistics_is_stronger(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, noises: dict[str, dp.Noise | None]
) -> None:
    runs = [
        dp.run_attack(
            people, query, pair, 60, noises, adaptive=adaptive, repetitions=40, rng=6
        ).interval("ExpM")
        for adaptive in (False, True)
    ]
    assert runs[0].high < runs[1].low


def test_noise_without_end_leaves_a_coin(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    noise = dp.calibrate("GroupDP", model, 0.01, 1e-3)
    result = dp.run_attack(people, query, pair, 60, {"GroupDP": noise}, repetitions=40, rng=9)
    interval = result.interval("GroupDP", confidence=0.9999)
    assert interval.low < 0.5 < interval.high


def test_a_pair_at_the_ends_of_the_range(people: pd.DataFrame, rich: dp.SensitiveProperty) -> None:
    result = dp.run_attack(
        people, dp.Query([dp.Mean("age")]), rich.pair(0.5, 1.0), 100, {"none": None}, repetitions=3
    )
    assert result.interval("none").estimate > 0.9


@given(
    st.lists(st.integers(0, 200), min_size=1, max_size=30), st.sampled_from([0.5, 0.9, 0.95, 0.99])
)
def test_an_interval_contains_the_mean(hits: list[int], confidence: float) -> None:
    result = dp.AttackResult({"x": np.array(hits) / 200}, 200, True, 0)
    interval = result.interval("x", confidence)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.estimate == pytest.approx(np.mean(hits) / 200)
    assert interval.confidence == confidence
    wider = result.interval("x", 0.999)
    assert wider.low <= interval.low
    assert wider.high >= interval.high


@pytest.mark.parametrize("hits", [0, 1, 77, 100, 199, 200])
def test_one_repetition_gets_the_interval_of_wilson(hits: int) -> None:
    interval = dp.AttackResult({"x": np.array([hits / 200])}, 200, True, 0).interval("x")
    z, p, n = 1.959963984540054, hits / 200, 200
    center = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert interval.low == pytest.approx(center - half, abs=1e-12)
    assert interval.high == pytest.approx(center + half, abs=1e-12)


def test_repetitions_that_agree_get_the_interval_of_wilson_too() -> None:
    interval = dp.AttackResult({"x": np.ones(10)}, 200, True, 0).interval("x")
    assert interval.high == 1
    assert interval.low == pytest.approx(1 - 3.8415 / (2000 + 3.8415), abs=1e-6)


def test_several_repetitions_get_the_interval_of_student() -> None:
    values = np.array([0.5, 0.6, 0.7, 0.6])
    interval = dp.AttackResult({"x": values}, 200, True, 0).interval("x")
    half = 3.182446305284263 * values.std(ddof=1) / 2
    assert interval.low == pytest.approx(0.6 - half)
    assert interval.high == pytest.approx(0.6 + half)


def test_an_interval_of_student_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(1000):
        result = dp.AttackResult({"x": rng.binomial(200, 0.7, size=8) / 200}, 200, True, 0)
        interval = result.interval("x")
        covered.append(interval.low < 0.7 < interval.high)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize("part", ["shadows", "tests"])
@pytest.mark.parametrize("number", [0, 1, 7, -2])
def test_odd_numbers_of_datasets(
    attack: dp.attacks.PropertyInferenceAttack, part: str, number: int
) -> None:
    kind = part.removesuffix("s")
    with pytest.raises(
        dp.errors.AttackError,
        match=f"number of {kind} datasets must be even and at least 2, got {number}",
    ):
        replace(attack, **{part: number})


def test_noise_for_another_query(
    attack: dp.attacks.PropertyInferenceAttack, people: pd.DataFrame, pair: dp.Pair
) -> None:
    other = dp.fit_gaussian(people, dp.Query([dp.Mean("age")]), pair, 60)
    noise = dp.calibrate("DauM", other, 1.0, 1e-3)
    with pytest.raises(
        dp.errors.AttackError, match="'odd' is for 1 statistics, but the query has 4"
    ):
        replace(attack, noises={"odd": noise})


@pytest.mark.parametrize("repetitions", [0, -1])
def test_no_repetition(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, repetitions: int
) -> None:
    with pytest.raises(dp.errors.AttackError, match=f"at least one repetition, got {repetitions}"):
        dp.run_attack(people, query, pair, 60, {"none": None}, repetitions=repetitions)


def test_parts_with_too_few_records(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty
) -> None:
    pair = rich.pair(0.5, 0.8)
    with pytest.raises(
        dp.errors.AttackError,
        match=r"splits the 2000 records, and its part of 800 holds only \d+ with the property "
        r"'income = high' where a dataset needs 450; take a smaller n or Δp, or draw with",
    ):
        dp.run_attack(people, query, pair, 500, {"none": None}, repetitions=1, rng=1)
    result = dp.run_attack(
        people, query, pair, 500, {"none": None}, repetitions=1, rng=1, replacement=True
    )
    assert result.interval("none").estimate > 0.9


def test_n_below_two(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> None:
    with pytest.raises(dp.errors.ModelError, match="at least 2, got n = 1"):
        dp.run_attack(people, query, pair, 1, {"none": None}, repetitions=1)


@pytest.mark.adult
def test_an_adaptive_attack_shows_what_the_papers_way_hides(
    adult: pd.DataFrame, adult_income: dp.GaussianModel
) -> None:
    noise = dp.calibrate("ExpM", adult_income, 5.0, 1e-3, "classical")
    adaptive, clean = (
        dp.run_attack(
            adult,
            adult_income.query,
            adult_income.pairs[0].pair,
            100,
            {"ExpM": noise},
            adaptive=way,
            repetitions=100,
            rng=1,
        ).interval("ExpM")
        for way in (True, False)
    )
    assert 0.62 < adaptive.estimate < 0.67
    assert adaptive.low < dp.optimal_attack_accuracy(adult_income, noise)
    assert clean.estimate == pytest.approx(0.54, abs=0.01)


def test_all_records_may_be_known(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> None:
    """Then datasets as large as the table tell as much as the best attacker reads off them."""
    model = dp.fit_gaussian(people, query, pair, 2000, replacement=True)
    options = {"replacement": True, "repetitions": 4, "rng": 1}
    known, parts = (
        dp.run_attack(people, query, pair, 2000, {"none": None}, split=split, **options)
        for split in (False, True)
    )
    best = dp.optimal_attack_accuracy(model)
    assert known.accuracy["none"].mean() == pytest.approx(best, abs=0.02)
    assert known.accuracy["none"].mean() >= parts.accuracy["none"].mean()
