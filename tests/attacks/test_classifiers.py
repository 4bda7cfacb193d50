"""Meta-classifiers and the curves of their scores, against scikit-learn itself."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LogisticRegression

import distpriv as dp
from distpriv.attacks.best_attack import optimal_attack_estimate
from distpriv.attacks.classifiers import (
    classifier_names,
    get_classifier,
    precision_recall_curve,
    roc_curve,
    train,
)
from distpriv.attacks.property_inference import dataset_labels

NAMES = ("logistic", "lda", "qda", "knn", "forest", "mlp")


def _sample(rows: int = 200, statistics: int = 3, apart: float = 1.5) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(4)
    labels = np.repeat([0, 1], rows // 2)
    features = rng.normal(size=(rows, statistics)) * [1, 50, 0.01][:statistics] + 7
    features[:, 1] += 50 * apart * labels
    return features, labels


def test_the_registry() -> None:
    assert classifier_names() == NAMES
    for name in NAMES:
        chosen = get_classifier(name)
        assert chosen.name == name
        assert chosen.title
        assert chosen.summary.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_a_score_above_zero_is_the_guess_and_follows_the_signal(name: str) -> None:
    features, labels = _sample()
    trained = train(name, features, labels, np.random.default_rng(1))
    fresh, truth = _sample(2000)
    scores = trained.scores(fresh)
    assert scores.shape == (2000,)
    np.testing.assert_array_equal(trained.guess(fresh), scores > 0)
    # The best possible attacker is right 77 % of the time, and guesses in balance.
    assert np.mean(trained.guess(fresh) == truth) > 0.72
    assert 0.4 < trained.guess(fresh).mean() < 0.6


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_trains_the_same(name: str) -> None:
    features, labels = _sample()
    first, again = (
        train(name, features, labels, np.random.default_rng(2)).scores(features) for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("name", NAMES)
def test_units_do_not_matter(name: str) -> None:
    features, labels = _sample()
    plain, scaled = (
        train(name, features * unit, labels, np.random.default_rng(2)).scores(features * unit)
        for unit in (1.0, 1024.0)
    )
    np.testing.assert_allclose(scaled, plain, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rows", [4, 6, 30])
def test_constant_and_doubled_statistics_and_few_rows(name: str, rows: int) -> None:
    features, labels = _sample(rows)
    features = np.column_stack([features, features[:, 1], np.full(rows, 3.0)])
    scores = train(name, features, labels, np.random.default_rng(0)).scores(features)
    assert np.isfinite(scores).all()


def test_the_discriminants_and_the_regression_are_those_of_scikit_learn() -> None:
    features, labels = _sample()
    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    for name, model in (
        ("logistic", LogisticRegression(solver="liblinear")),
        ("lda", LinearDiscriminantAnalysis()),
    ):
        expected = model.fit(standard, labels).decision_function(standard)
        found = train(name, features, labels, np.random.default_rng(0)).scores(features)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    # Its variances are over n, not n − 1, which stretches the scores and moves none past another.
    expected = QuadraticDiscriminantAnalysis().fit(standard, labels).decision_function(standard)
    found = train("qda", features, labels, np.random.default_rng(0)).scores(features)
    middle = np.linalg.lstsq(np.column_stack([expected, np.ones(200)]), found, rcond=None)[0]
    np.testing.assert_allclose(middle[0] * expected + middle[1], found, rtol=1e-6, atol=1e-6)
    assert middle[0] == pytest.approx(0.99, abs=1e-6)
    assert abs(middle[1]) < 0.01


def test_only_the_quadratic_one_sees_spreads_that_differ() -> None:
    rng = np.random.default_rng(8)
    labels = np.repeat([0, 1], 1000)
    features = rng.normal(size=(2000, 2)) * np.where(labels, 3.0, 1.0)[:, None]
    right = {
        name: np.mean(train(name, features, labels, rng).guess(features) == labels)
        for name in ("logistic", "lda", "qda")
    }
    assert right["qda"] > 0.8 > 0.6 > max(right["logistic"], right["lda"])


def test_an_unknown_classifier(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> None:
    message = "no classifier 'svm'; choose one of logistic, lda, qda, knn, forest, mlp"
    with pytest.raises(dp.errors.AttackError, match=message):
        dp.run_attack(people, query, pair, 60, {"none": None}, classifier="svm", repetitions=1)
    with pytest.raises(dp.errors.AttackError, match=message):
        dp.attacks.PropertyInferenceAttack(
            dp.record_groups(people, query, pair.secret), query, pair, 60, {}, classifier="svm"
        )


def test_too_few_shadow_datasets() -> None:
    features, labels = _sample(2)
    with pytest.raises(
        dp.errors.AttackError, match="'lda' needs at least 4 shadow datasets, got 2"
    ):
        train("lda", features, labels, np.random.default_rng(0))
    for name in set(NAMES) - {"lda", "qda"}:
        assert train(name, features, labels, np.random.default_rng(0)).scores(features).size == 2


@pytest.mark.parametrize("name", NAMES)
def test_company_and_order_do_not_move_a_figure(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel, name: str
) -> None:
    noises = {key: dp.calibrate(key, model, 3.0, 1e-3) for key in ("ExpM", "ExpM(L)")}
    groups = dp.record_groups(people, query, pair.secret)
    for adaptive in (True, False):
        attack = dp.attacks.PropertyInferenceAttack(
            groups, query, pair, 60, {"none": None} | noises, adaptive, seed=4, classifier=name
        )
        together = attack.scores(2)
        backwards = replace(attack, noises=dict(reversed(attack.noises.items()))).scores(2)
        for key, noise in attack.noises.items():
            alone = replace(attack, noises={"other name": noise}).scores(2)
            np.testing.assert_array_equal(backwards[key], together[key])
            np.testing.assert_array_equal(alone["other name"], together[key])


def test_importing_the_package_does_not_import_scikit_learn() -> None:
    code = "import sys, distpriv.attacks.audit; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _beats(accuracy: np.ndarray, tests: int, best: float) -> float:
    """By how many standard errors a mean accuracy is above what is possible."""
    spread = max(accuracy.std(ddof=1), np.sqrt(best * (1 - best) / tests))
    return float((accuracy.mean() - best) / (spread / np.sqrt(len(accuracy))))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_classifier_passes_the_optimal_attack(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel, name: str
) -> None:
    noises: dict[str, dp.Noise | None] = {"none": None}
    for key in ("ExpM", "DauM", "ExpM(L)"):
        noises[key] = dp.calibrate(key, model, 3.0, 1e-3)
    result = dp.run_attack(people, query, pair, 60, noises, repetitions=15, rng=5, classifier=name)
    assert result.classifier == name
    for key, noise in noises.items():
        best = optimal_attack_estimate(model, noise, 1).high
        # The testing part is 800 of the 2 000 records and differs from the whole by chance.
        assert _beats(result.accuracy[key], result.tests, best + 0.01) < 4, key
        assert result.interval(key).high > 0.5


@pytest.mark.adult
@pytest.mark.parametrize("name", NAMES)
def test_no_classifier_passes_the_optimal_attack_on_adult(
    adult: pd.DataFrame, adult_income: dp.GaussianModel, name: str
) -> None:
    noises: dict[str, dp.Noise | None] = {"none": None}
    for key in ("ExpM", "DauM", "ExpM(L)"):
        noises[key] = dp.calibrate(key, adult_income, 5.0, 1e-3, "classical")
    pair, query = adult_income.pairs[0].pair, adult_income.query
    result = dp.run_attack(adult, query, pair, 100, noises, repetitions=12, rng=6, classifier=name)
    for key, noise in noises.items():
        best = optimal_attack_estimate(adult_income, noise, 1).high
        assert _beats(result.accuracy[key], result.tests, best) < 3.5, key
        assert result.interval(key).estimate > best - 0.08


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    """Scores of seven repetitions, some of them equal."""
    rng = np.random.default_rng(9)
    labels = dataset_labels(60)
    return (rng.normal(size=(7, 60)) + labels + rng.normal(scale=0.3, size=(7, 1))).round(1)


def test_the_curves_are_those_of_scikit_learn(scores: np.ndarray) -> None:
    labels = dataset_labels(60)
    truth, pooled = np.tile(labels, 7), scores.ravel()
    roc, precision_recall = roc_curve(scores, labels), precision_recall_curve(scores, labels)
    expected = metrics.roc_curve(truth, pooled)
    np.testing.assert_array_equal(roc.false_positive_rate, expected[0])
    np.testing.assert_array_equal(roc.true_positive_rate, expected[1])
    np.testing.assert_array_equal(roc.thresholds, expected[2])
    assert roc.area.estimate == pytest.approx(metrics.roc_auc_score(truth, pooled), abs=1e-12)
    assert roc.area.estimate == pytest.approx(metrics.auc(*expected[:2]), abs=1e-12)
    expected = metrics.precision_recall_curve(truth, pooled)
    np.testing.assert_array_equal(precision_recall.precision, expected[0])
    np.testing.assert_array_equal(precision_recall.recall, expected[1])
    assert precision_recall.area.estimate == pytest.approx(
        metrics.average_precision_score(truth, pooled), abs=1e-12
    )


def test_a_curve_by_hand() -> None:
    labels = np.array([0, 0, 1, 1])
    roc = roc_curve(np.array([[0.1, 0.4, 0.35, 0.8]]), labels)
    assert roc.area.estimate == 0.75
    assert roc.false_positive_rate.tolist() == [0, 0, 0.5, 0.5, 1]
    assert roc.true_positive_rate.tolist() == [0, 0.5, 0.5, 1, 1]


def test_the_interval_of_an_area_is_that_of_the_jackknife(scores: np.ndarray) -> None:
    labels = dataset_labels(60)
    for curve, score in (
        (roc_curve, metrics.roc_auc_score),
        (precision_recall_curve, metrics.average_precision_score),
    ):
        left = [np.delete(scores, index, axis=0).ravel() for index in range(7)]
        areas = np.array([score(np.tile(labels, 6), values) for values in left])
        half = 2.446911848791681 * np.sqrt(6 / 7 * ((areas - areas.mean()) ** 2).sum())
        area = curve(scores, labels).area
        assert area.high - area.estimate == pytest.approx(half)
        assert area.estimate - area.low == pytest.approx(half)
        assert curve(scores, labels, confidence=0.5).area.high < area.high


def test_the_interval_of_the_jackknife_covers_as_often_as_it_says() -> None:
    rng, labels = np.random.default_rng(8), dataset_labels(100)
    # Binormal with distance 1: an area of Φ(1/√2).
    areas = [roc_curve(rng.normal(size=(8, 100)) + labels, labels).area for _ in range(300)]
    covered = np.mean([area.low < 0.7602499 < area.high for area in areas])
    assert covered == pytest.approx(0.95, abs=0.04)


@pytest.mark.parametrize("repetitions", [1, 5])
def test_an_area_without_spread_still_has_an_interval(repetitions: int) -> None:
    labels = dataset_labels(100)
    perfect = np.tile(labels.astype(float), (repetitions, 1))
    for curve in (roc_curve, precision_recall_curve):
        area = curve(perfect, labels).area
        assert (area.estimate, area.high) == (1, 1)
        guesses = 50 * repetitions
        assert area.low == pytest.approx(1 - 3.8415 / (guesses + 3.8415), abs=1e-5)
    one = np.random.default_rng(0).normal(size=(1, 100)) + labels
    area = roc_curve(one, labels).area
    assert 0 < area.low < area.estimate < area.high < 1
