"""All releases of a table together, against closed forms and against real datasets."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

import distpriv as dp
from distpriv.composition import Part, Promise, TableRelease, accumulate, joint_releases
from distpriv.errors import CalibrationError
from distpriv.privacy.noise import gaussian_noise


@pytest.fixture(scope="module")
def remote() -> dp.Pair:
    return dp.SensitiveProperty("remote").pair(center=0.4, width=0.2)


def a_release(
    table: pd.DataFrame,
    query: dp.Query,
    pair: dp.Pair,
    n: int,
    name: str = "OptM",
    epsilon: float = 0.8,
    whole: bool = False,
) -> TableRelease:
    model = dp.fit_gaussian(table, query, pair, n=n, replacement=whole)
    noise = dp.calibrate(name, model, epsilon=epsilon, delta=1e-3)
    return TableRelease(query, noise, n, whole, whole, (pair,))


def test_one_release_is_what_the_other_pages_say(people, query, pair) -> None:
    for name in ("OptM", "ExpM", "CoupM"):
        release = a_release(people, query, pair, 60, name)
        model = dp.fit_gaussian(people, query, pair, n=60)
        found = joint_releases([release], people, pair)
        noise = release.noise
        assert found.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, noise), abs=1e-12)
        assert found.epsilon(1e-3) == pytest.approx(dp.delivered_epsilon(model, noise, 1e-3))
        assert found.delta(0.7) == pytest.approx(dp.delivered_delta(model, noise, 0.7), rel=1e-6)
        assert (found.exact, found.count, found.uncounted) == (True, 1, ())
        assert found.promise == Promise(noise.epsilon, noise.delta)


def test_releases_of_the_same_statistics_are_those_that_add_up_already(people, query, pair) -> None:
    model = dp.fit_gaussian(people, query, pair, n=len(people), replacement=True)
    made = [
        a_release(people, query, pair, len(people), name, epsilon, whole=True)
        for name, epsilon in (("OptM", 0.3), ("ExpM", 1.0), ("DauM", 0.5))
    ]
    parts = [Part(model, each.noise, Promise(each.noise.epsilon, 1e-3)) for each in made]
    found = joint_releases(made, people, pair).standing(1e-3)
    wanted = accumulate(parts, shared=True, delta=1e-3)
    assert found.accuracy == pytest.approx(wanted.accuracy, abs=1e-10)
    assert found.epsilon == pytest.approx(wanted.epsilon)
    assert (found.promise, found.remark) == (wanted.promise, wanted.remark)
    samples = [a_release(people, query, pair, 60, name) for name in ("OptM", "ExpM")]
    drawn = dp.fit_gaussian(people, query, pair, n=60)
    found = joint_releases(samples, people, pair).standing(1e-3)
    wanted = accumulate(
        [Part(drawn, each.noise, Promise(0.8, 1e-3)) for each in samples], shared=False, delta=1e-3
    )
    assert found.accuracy == pytest.approx(wanted.accuracy, abs=1e-10)
    assert found.epsilon == pytest.approx(wanted.epsilon)
    assert found.promise == wanted.promise


def test_the_order_of_statistics_does_not_matter(people, query, pair) -> None:
    release = a_release(people, query, pair, len(people), whole=True)
    turned = TableRelease(
        dp.Query(query.statistics[::-1]),
        release.noise.in_order([3, 2, 1, 0]),
        len(people),
        True,
        True,
        (pair,),
    )
    both = joint_releases([release, turned], people, pair)
    again = joint_releases([release, release], people, pair)
    assert both.accuracy == pytest.approx(again.accuracy, abs=1e-10)


def test_equal_releases_are_one_of_less_noise(people, query, pair) -> None:
    release = a_release(people, query, pair, len(people), "ExpM", whole=True)
    model = dp.fit_gaussian(people, query, pair, n=len(people), replacement=True)
    for count in (2, 5, 12):
        found = joint_releases([release] * count, people, pair)
        left = release.noise.after_releases(count)
        assert found.epsilon(1e-3) == pytest.approx(dp.delivered_epsilon(model, left, 1e-3))
        assert found.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, left), abs=1e-9)


def test_real_datasets_are_told_apart_as_often(people, pair, remote) -> None:
    """A classifier trained on all released numbers of datasets drawn from the records."""
    queries = [
        dp.Query([dp.Mean("age"), dp.Count("status", "married")]),
        dp.Query(
            [dp.Count("status", "married"), dp.Mean("hours"), dp.Proportion("town", "Behausen")]
        ),
        dp.Query([dp.Sum("age"), dp.Count("town", "Ahausen")]),
    ]
    n, rng = len(people), np.random.default_rng(4)
    made = [
        a_release(people, queries[0], pair, n, "OptM", 1.0, whole=True),
        a_release(people, queries[1], remote, n, "ExpM", 1.5, whole=True),
        a_release(people, queries[2], pair, n, "DauM", 0.8, whole=True),
        a_release(people, queries[0], pair, 80, "OptM", 0.9),
    ]
    found = joint_releases(made, people, pair)
    assert [len(part.members) for part in found.datasets] == [3, 1]

    def drawn(share: float, count: int) -> np.ndarray:
        """Everything that is released, from datasets of that share."""
        columns = []
        for members in ([0, 1, 2], [3]):
            release = made[members[0]]
            union = dp.Query([each for place in members for each in made[place].query])
            groups = dp.record_groups(people, union, pair.secret)
            theta = dp.model.Theta(pair.secret, share, release.n, release.replacement)
            values = dp.model.simulate(groups, union, theta, count, rng)
            start = 0
            for place in members:
                size = len(made[place].query)
                noise = made[place].noise.sample(count, rng)
                columns.append(values[:, start : start + size] + noise)
                start += size
        return np.hstack(columns)

    count = 6000
    features = np.vstack([drawn(share, count) for share in (pair.p_i, pair.p_j)])
    labels = np.repeat([0, 1], count)
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    train = rng.random(len(labels)) < 0.5
    attacker = QuadraticDiscriminantAnalysis().fit(features[train], labels[train])
    right = attacker.score(features[~train], labels[~train])
    assert found.accuracy - 0.03 < right < found.accuracy + 0.02
    assert 0.6 < found.accuracy < 0.95


POOL = (
    dp.Mean("age"),
    dp.Sum("age"),
    dp.Mean("hours"),
    dp.Count("status", "married"),
    dp.Proportion("status", "single"),
    dp.Count("town", "Ahausen"),
    dp.Count("town", "Behausen"),
    dp.Count("remote", True),
    dp.Proportion("income", "high"),
)


def some_noise(spread: np.ndarray, rng: np.random.Generator) -> dp.Noise:
    """About as large as the statistics vary, on all of them or on one line above a floor."""
    if rng.random() < 0.5:
        root = rng.standard_normal((len(spread), len(spread) + 1)) * spread[:, None]
        return gaussian_noise("ExpM", root @ root.T, epsilon=1.0, delta=1e-3)
    line = rng.standard_normal(len(spread)) * 3 * spread
    covariance = np.outer(line, line) + np.diag((0.3 * spread) ** 2)
    return gaussian_noise("OptM", covariance, epsilon=1.0, delta=1e-3)


def right_guesses(
    datasets: list[list[TableRelease]], table: pd.DataFrame, pair: dp.Pair, rng, draws: int
) -> float:
    """Of the likelihood-ratio test by the stacked normals, on statistics of drawn records."""
    scores = np.zeros((2, draws))
    for members in datasets:
        union = dp.Query([each for release in members for each in release.query])
        n, again = members[0].n, members[0].replacement
        groups = dp.record_groups(table, union, pair.secret)
        scales = np.array([statistic.scale(n) for statistic in union])
        noise = np.zeros((len(union), len(union)))
        start = 0
        for release in members:
            block = slice(start, start + len(release.query))
            noise[block, block] = release.noise.covariance
            start += len(release.query)
        laws, drawn = [], []
        for share in (pair.p_i, pair.p_j):
            mean, covariance = np.zeros(len(union)), noise.copy()
            theta = dp.model.Theta(pair.secret, share, n, again)
            for values, count in ((groups.having, theta.having), (groups.without, theta.without)):
                left = 1 - (0 if again else (count - 1) / (len(values) - 1))
                mean += count * values.mean(axis=0) * scales
                spread = np.cov(values.T, ddof=0) * np.outer(scales, scales)
                covariance += count * left * spread
            laws.append((mean, np.linalg.cholesky(covariance)))
            y = dp.model.simulate(groups, union, theta, draws, rng)
            for place, release in enumerate(members):
                start = sum(len(each.query) for each in members[:place])
                y[:, start : start + len(release.query)] += release.noise.sample(draws, rng)
            drawn.append(y)
        for theta, y in enumerate(drawn):
            first, second = (
                -(np.linalg.solve(root, (y - mean).T) ** 2).sum(axis=0) / 2
                - np.log(np.diag(root)).sum()
                for mean, root in laws
            )
            scores[theta] += second - first
    return float((scores[0] < 0).mean() + (scores[1] > 0).mean()) / 2


def test_ledgers_of_a_table_by_simulation(people, pair) -> None:
    """Random releases of it and of samples: overlaps, one column twice, the secret itself."""
    table, rng, off = people.iloc[:300].reset_index(drop=True), np.random.default_rng(8), []
    draws = 1000
    for _ in range(100):
        datasets: list[list[TableRelease]] = [[]]
        for _ in range(int(rng.integers(1, 5))):
            chosen = [POOL[place] for place in rng.permutation(len(POOL))[: rng.integers(1, 5)]]
            query, whole = dp.Query(chosen), bool(rng.random() < 0.7)
            n = 300 if whole else 60
            scales = np.array([statistic.scale(n) for statistic in query])
            spread = query.values(table).std(axis=0) * scales * np.sqrt(n)
            release = TableRelease(query, some_noise(spread, rng), n, whole, whole)
            if whole:
                datasets[0].append(release)
            else:
                datasets.append([release])
        datasets = [members for members in datasets if members]
        made = [release for members in datasets for release in members]
        found = joint_releases(made, table, pair)
        assert found.count == len(made)
        off.append(right_guesses(datasets, table, pair, rng, draws) - found.accuracy)
    assert np.abs(off).max() < 4 * 0.5 / np.sqrt(2 * draws) + 0.005
    assert abs(np.mean(off)) < 0.004


def test_more_releases_never_tell_less(people, query, pair, remote) -> None:
    short = dp.Query([dp.Mean("age"), dp.Count("town", "Behausen")])
    made = [
        a_release(people, query, pair, len(people), whole=True),
        a_release(people, short, remote, len(people), "ExpM", whole=True),
        a_release(people, short, pair, 50, "EigM"),
        a_release(people, query, pair, 60, "ExpM"),
    ]
    accuracies = [joint_releases(made[:k], people, pair).accuracy for k in range(5)]
    assert accuracies[0] == 0.5
    assert (np.diff(accuracies) > 1e-6).all()


def test_a_count_of_the_secret_itself(people, pair) -> None:
    """It is known given the share, and nothing but its noise hides it."""
    noise = gaussian_noise("ExpM", np.array([[49.0]]), epsilon=1.0, delta=1e-3)
    high, low = (
        TableRelease(dp.Query([dp.Count("income", value)]), noise, 60) for value in ("high", "low")
    )
    found = joint_releases([high], people, pair)
    assert found.accuracy == pytest.approx(ndtr(12 / 7 / 2), abs=1e-9)
    # A sample each: two numbers, whichever of the two values is counted.
    found = joint_releases([high, low], people, pair)
    assert found.accuracy == pytest.approx(ndtr(12 * math.sqrt(2) / 7 / 2), abs=1e-9)
    n = len(people)
    whole = TableRelease(dp.Query([dp.Mean("age")]), noise, n, True, True)
    counted = TableRelease(dp.Query([dp.Count("income", "high")]), noise, n, True, True)
    both = joint_releases([whole, counted], people, pair)
    assert both.count == 2
    assert both.accuracy == pytest.approx(1.0)


def test_several_pairs_and_the_one_looked_at(people, query, pair, remote) -> None:
    release = a_release(people, query, pair, 60)
    both = joint_releases([release, release], people, [pair, remote])
    alone = [joint_releases([release] * 2, people, each).accuracy for each in (pair, remote)]
    assert both.accuracies == pytest.approx(alone)
    assert both.accuracy == max(both.accuracies)
    assert both.standing(None, 1).accuracy == both.accuracies[1]
    assert both.promise is None  # nothing is promised about the other pair
    assert both.epsilon(1e-3) >= joint_releases([release] * 2, people, pair).epsilon(1e-3)


def test_what_cannot_be_counted_is_named(people, query, pair) -> None:
    holes = people.copy()
    holes.loc[:50, "hours"] = np.nan
    full, n = dp.Query([dp.Mean("age")]), len(people)
    noise = gaussian_noise("ExpM", np.eye(1), epsilon=1.0, delta=1e-3)
    four = gaussian_noise("ExpM", np.eye(4), epsilon=1.0, delta=1e-3)
    first = TableRelease(full, noise, n, True, True)
    other = TableRelease(query, four, n - 51, True, True)
    found = joint_releases([first, other, first], holes, pair)
    assert [each.index for each in found.uncounted] == [1]
    assert "1949 records have a value" in found.uncounted[0].reason
    assert found.count == 2
    alone = joint_releases([first, first], holes, pair)
    assert found.accuracy == alone.accuracy
    greedy = TableRelease(full, noise, 1900)
    found = joint_releases([greedy, first], people, pair)
    assert [each.index for each in found.uncounted] == [0]
    assert "needs" in found.uncounted[0].reason
    lost = TableRelease(dp.Query([dp.Mean("height")]), noise, 60)
    found = joint_releases([lost], people, pair)
    assert (found.count, found.accuracy, found.epsilon(1e-3)) == (0, 0.5, 0.0)
    assert "height" in found.uncounted[0].reason
    drawn = TableRelease(full, noise, n, True, False)
    assert "replacement" in joint_releases([first, drawn], people, pair).uncounted[0].reason


def test_a_statistic_without_closed_form_is_simulated(people, pair) -> None:
    query = dp.Query([dp.Median("age"), dp.Mean("hours")])
    model = dp.fit_gaussian(people, query, pair, 60, method="monte-carlo", rng=3)
    noise = gaussian_noise("ExpM", np.eye(2), epsilon=1.0, delta=1e-3)
    release = TableRelease(query, noise, 60)
    found = joint_releases([release, release], people, pair, seed=2)
    left = accumulate([Part(model, noise)] * 2, shared=False, delta=None)
    assert found.accuracy == pytest.approx(left.accuracy, abs=0.03)
    whole = TableRelease(dp.Query([dp.Mean("hours")]), gaussian_noise(
        "ExpM", np.eye(1), epsilon=1.0, delta=1e-3), 60)  # fmt: skip
    assert joint_releases([release, whole], people, pair, seed=2).count == 2


def test_laplace_noise_is_bounded(people, query, pair) -> None:
    laplace = a_release(people, query, pair, 60, "ExpM(L)", 0.2)
    normal = a_release(people, query, pair, 60, "OptM", 0.5)
    one = joint_releases([laplace], people, pair)
    assert one.standing(1e-3).exact
    model = dp.fit_gaussian(people, query, pair, n=60)
    wanted = dp.optimal_attack_accuracy(model, laplace.noise)
    assert one.accuracy == pytest.approx(wanted, abs=3e-3)
    both = joint_releases([laplace, normal], people, pair)
    assert not both.exact
    # No more than the promise of the one beside what the other delivers.
    alone = joint_releases([normal], people, pair)
    assert alone.accuracy < both.accuracy < 0.5 + (alone.accuracy - 0.5) + 0.06
    spent = laplace.noise.epsilon
    for epsilon in (0.3, 0.7, 1.2):
        # By promises where the samples are independent; overlapping, they may tell more.
        independent = both._losses[0][0]
        least = min(bound.delta(epsilon) for bound in independent)
        assert least <= alone.delta(epsilon - spent) + 1e-12
        assert both.delta(epsilon) >= least
        assert both.delta(epsilon) >= alone.delta(epsilon)
    assert both.delta(both.epsilon(1e-3)) == pytest.approx(1e-3, rel=1e-4)
    assert both.standing(1e-3).epsilon is None
    # Of one table nothing is proven beside Gaussian noise but what the true statistics tell.
    n = len(people)
    whole = [
        a_release(people, query, pair, n, "ExpM(L)", 0.2, whole=True),
        a_release(people, query, pair, n, "OptM", 0.2, whole=True),
    ]
    shared = joint_releases(whole, people, pair)
    assert shared.promise is None
    assert "Laplace noise" in shared.remark
    open_ = dp.optimal_attack_accuracy(dp.fit_gaussian(people, query, pair, n=n, replacement=True))
    assert shared.accuracy == pytest.approx(open_, abs=1e-6)
    thrice = joint_releases([whole[0]] * 3, people, pair)
    assert thrice.promise.epsilon == pytest.approx(3 * whole[0].noise.epsilon)
    assert thrice.accuracy <= dp.accuracy_ceiling(thrice.promise.epsilon) + 1e-12
    assert thrice.delta(thrice.promise.epsilon) == pytest.approx(0.0, abs=1e-12)
    other = TableRelease(dp.Query([dp.Mean("age")]), laplace_on_one(people, pair), n, True, True)
    assert "same statistics" in joint_releases([whole[0], other], people, pair).remark


def laplace_on_one(people: pd.DataFrame, pair: dp.Pair) -> dp.Noise:
    model = dp.fit_gaussian(people, dp.Query([dp.Mean("age")]), pair, len(people), replacement=True)
    return dp.calibrate("ExpM(L)", model, 0.2)


def test_reference_data_stand_for_the_table(people, query, pair) -> None:
    """The law is that of the reference, the number of records the table's."""
    table = people.iloc[:900]
    noise = gaussian_noise("ExpM", np.eye(4), epsilon=1.0, delta=1e-3)
    release = TableRelease(query, noise, 900, True, True)
    found = joint_releases([release, release], people, pair, table=table)
    model = dp.fit_gaussian(people, query, pair, n=900, replacement=True)
    left = noise.after_releases(2)
    assert found.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, left), abs=1e-10)
    assert joint_releases([release], people, pair).uncounted


def test_the_steps_show_through_many_samples(people, pair) -> None:
    """What each shows is a little, and all of them tell no more than they would without noise."""
    query = dp.Query([dp.Count("status", "married")])
    noise = gaussian_noise("ExpM", np.array([[0.45**2]]), epsilon=1.0, delta=1e-3)
    bare = gaussian_noise("ExpM", np.zeros((1, 1)), epsilon=1.0, delta=1e-3)
    (alone,) = joint_releases([TableRelease(query, noise, 60)], people, pair).datasets
    assert 0.02 < alone.told[0].theta < 0.05
    last = 0.0
    for count in (1, 3, 10, 40):
        found = joint_releases([TableRelease(query, noise, 60)] * count, people, pair)
        truth = joint_releases([TableRelease(query, bare, 60)] * count, people, pair)
        assert found.epsilon(1e-3) <= truth.epsilon(1e-3) * (1 + 1e-9)
        assert found.delta(0.5) <= truth.delta(0.5) * (1 + 1e-9)
        assert last < found.accuracy <= truth.accuracy
        assert found.delta(found.epsilon(1e-3)) <= 1e-3 * (1 + 1e-6)
        last = found.accuracy


def test_what_is_no_release_is_refused(query, pair, people) -> None:
    noise = gaussian_noise("ExpM", np.eye(2), epsilon=1.0, delta=1e-3)
    with pytest.raises(CalibrationError, match="2 statistics"):
        TableRelease(query, noise, 60)
    with pytest.raises(CalibrationError, match="n = 1"):
        TableRelease(dp.Query(query.statistics[:2]), noise, 1)
    with pytest.raises(CalibrationError, match="pair"):
        joint_releases([], people, [])
    with pytest.raises(CalibrationError, match="negative"):
        joint_releases([], people, pair).delta(-1.0)
    with pytest.raises(CalibrationError, match="δ"):
        joint_releases([], people, pair).epsilon(1.5)
    assert math.isclose(joint_releases([], people, pair).delta(0.0), 0.0)
