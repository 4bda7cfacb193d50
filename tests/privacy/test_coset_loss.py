"""What a release tells by the coset of its grid alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.attacks.hypothesis.releases import release_test
from distpriv.attacks.optimal import optimal_roc
from distpriv.attacks.posterior import Belief, ReleaseModel, posterior
from distpriv.attacks.two_shares import share_belief
from distpriv.composition.rules import delivered_after
from distpriv.composition.stacked import stacked
from distpriv.privacy import covered
from distpriv.privacy.coset_loss import CosetLoss
from distpriv.privacy.noise import gaussian_noise

SALE = dp.SensitiveProperty("sale", "yes")
PAIR = SALE.pair(0.5, 0.1)
PRICE = dp.Query([dp.Mean("price")])
TIED = dp.Query([dp.Mean("points"), dp.Count("flag", "up")])
N = 110  # 50 and 61 of them on sale


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    """Prices in whole units, those on sale a cent less; points that are odd with a flag."""
    rng = np.random.default_rng(0)
    sale, flag = rng.random(4000) < 0.5, rng.random(4000) < 0.5
    return pd.DataFrame(
        {
            "price": np.round(rng.integers(5, 50, 4000) - 0.01 * sale, 2),
            "points": 2.0 * rng.integers(0, 9, 4000) + (flag ^ sale),
            "flag": np.where(flag, "up", "down"),
            "sale": np.where(sale, "yes", "no"),
        }
    )


@pytest.mark.parametrize("query", [PRICE, TIED], ids=["one", "tied"])
def test_cosets_tell_a_fixed_number_for_certain(shop: pd.DataFrame, query: dp.Query) -> None:
    model = dp.fit_gaussian(shop, query, PAIR, n=N)
    assert dp.optimal_attack_accuracy(model.densities()) < 0.52
    assert dp.optimal_attack_accuracy(model) == 1.0
    for epsilon in (0.0, 1.0, 50.0):
        assert dp.delivered_delta(model, None, epsilon) == 1.0
    assert dp.delivered_epsilon(model, None, 1e-3) == np.inf
    curve = optimal_roc(model)
    assert curve.area.estimate == 1.0
    test = release_test(model)
    assert test.false_positive_rate([0.5, 1.0]).tolist() == [0.0, 0.0]
    belief = share_belief(model.pairs[0], None, 0.3)
    assert (belief.low, belief.high, belief.right) == (0.0, 1.0, 1.0)


def test_undone_noise_leaves_the_cosets(shop: pd.DataFrame) -> None:
    model = dp.fit_gaussian(shop, TIED, PAIR, n=N)
    noise = dp.calibrate("DauM", model, 0.01, 1e-3, "exact", grid_safe=False)
    assert not noise.is_zero
    assert covered.is_undone(model, noise)
    assert dp.optimal_attack_accuracy(model, noise) == 1.0
    assert dp.delivered_delta(model, noise, 0.01) == 1.0


@pytest.mark.parametrize("scale", [0.2, 0.5, 1.0, 2.0, 4.0])
def test_laplace_noise_without_a_floor_hides_cosets_as_its_scale_is_large(
    shop: pd.DataFrame, scale: float
) -> None:
    query = dp.Query([dp.Sum("price")])
    (fit,) = dp.fit_gaussian(shop, query, PAIR, n=N).pairs
    noise = dp.Noise("made up", "laplace", np.eye(1), np.array([scale]), 1.0, 0.0)
    theta = covered.shown(fit, noise)
    # The density of the cents of a release, with a period of one, under both shares.
    places, steps = np.linspace(0, 1, 4001)[:-1], np.arange(-200, 201)
    first, second = (
        stats.laplace.pdf(places[:, None] - offset - steps, scale=scale).sum(axis=1)
        for offset in (0.0, -0.11)
    )
    told = 0.5 + np.abs(first - second).mean() / 4
    claimed = dp.optimal_attack_accuracy(dp.fit_gaussian(shop, query, PAIR, n=N), noise)
    assert told <= claimed + 1e-9
    assert np.isinf(theta) or np.abs(first - 1).max() <= theta
    assert np.isinf(theta) == (scale < 2)


def test_random_numbers_are_charged_by_their_laws(shop: pd.DataFrame) -> None:
    model = dp.fit_gaussian(shop, PRICE, PAIR, n=N, share_of="table")
    laws = [stats.hypergeom(4000, round(4000 * p), N).pmf(np.arange(N + 1)) for p in (0.45, 0.55)]
    for epsilon in (0.0, 0.5, 2.0):
        exact = max(np.maximum(laws[i] - np.exp(epsilon) * laws[1 - i], 0).sum() for i in (0, 1))
        assert dp.delivered_delta(model, None, epsilon) == pytest.approx(exact, rel=1e-9)
    best = 0.5 + np.abs(laws[0] - laws[1]).sum() / 4
    assert dp.optimal_attack_accuracy(model) == pytest.approx(best, rel=1e-9)
    curve = optimal_roc(model, points=2000)
    rise = curve.true_positive_rate - curve.false_positive_rate
    assert (1 + rise.max()) / 2 == pytest.approx(best, rel=1e-9)
    assert 0.5 < curve.area.estimate < 1
    epsilon = dp.delivered_epsilon(model, None, 1e-3)
    assert dp.delivered_delta(model, None, epsilon) == pytest.approx(1e-3, rel=1e-6)
    belief = share_belief(model.pairs[0], None, 0.5)
    assert 0 < belief.low < 0.5 < belief.high < 1
    assert belief.right == pytest.approx(best, rel=1e-9)


def test_loss_is_the_largest_over_all_events() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.dirichlet(np.ones(6), 2)
    first[0] = 0.0
    first /= first.sum()
    loss = CosetLoss(first, second)

    def largest(epsilon: float) -> float:
        events = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
        return float((events @ (first - np.exp(epsilon) * second)).max())

    for epsilon in (0.0, 0.3, 1.5):
        assert loss.delta(epsilon) == pytest.approx(largest(epsilon), abs=1e-12)
    assert largest(loss.epsilon(0.05)) == pytest.approx(0.05)
    assert loss.reversed.epsilon(second[0] / 2) == np.inf


def test_posteriors_read_the_cosets(shop: pd.DataFrame) -> None:
    moments = dp.group_moments(shop, PRICE, SALE)
    model = ReleaseModel(moments, PRICE, N)
    prior = Belief(np.array([50, 55, 61]) / N, np.full(3, 1 / 3))
    released = [(20 * N - 0.55) / N]  # 55 of them a cent less
    assert posterior(model, prior, released).weights == pytest.approx([0.0, 1.0, 0.0])
    assert posterior(model, prior, [20.003]).weights.min() > 0.1  # the mean of no dataset


def test_joint_releases_tell_what_some_of_them_do(shop: pd.DataFrame) -> None:
    query = dp.Query([*TIED, *PRICE])
    (fit,) = dp.fit_gaussian(shop, query, PAIR, n=N).pairs
    large = np.diag([4.0, 400.0, 4.0])

    def told(places: Sequence[int], noisy: Sequence[int]) -> float:
        parts = [
            ((place,), gaussian_noise("none", np.zeros((1, 1)), epsilon=1.0, delta=1e-3))
            for place in places
        ]
        parts.append(
            (
                tuple(noisy),
                gaussian_noise("some", large[np.ix_(noisy, noisy)], epsilon=1.0, delta=1e-3),
            )
        )
        return stacked(fit, parts).losses[0].delta(1.0)

    assert told([0], [1, 2]) < 0.01
    assert told([1], [0, 2]) < 0.01
    assert told([0, 1], [2]) == 1.0
    assert told([2], [0, 1]) == 1.0


def test_what_is_computed_of_statistics_keeps_their_last_digits(shop: pd.DataFrame) -> None:
    model = dp.fit_gaussian(shop, dp.Query([*TIED, *PRICE]), PAIR, n=N)
    assert delivered_after(model, None, np.eye(3)[:2], 1.0) == 1.0
    assert delivered_after(model, None, np.eye(3)[:1], 1.0) < 0.01
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    assert delivered_after(model, noise, np.eye(3), 1.0) <= 1e-3
