"""What releases deliver: the grid, kept records, several pairs, and verdicts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate
from distpriv.model import AS_IT_IS, Groups, Promise, Release, fit_groups, no_data
from distpriv.privacy import (
    FiniteLoss,
    NormalLoss,
    accuracies,
    delivered_delta,
    delivered_epsilon,
    optimal_attack_accuracy,
    pair_loss,
    privacy_loss,
    verdict,
    verdicts,
)
from distpriv.privacy.delivered import delivered_epsilons, judge
from distpriv.privacy.loss import normal_delta
from distpriv.queries import Count, Query
from tests.adult import INCOME, WORK, model, of_records

PAIR = INCOME.pair(0.5, 0.1)


def test_figures_as_they_are_deliver_the_law_of_the_model():
    fitted = model(PAIR).pairs[0]
    loss = NormalLoss.between(fitted.difference, *fitted.covariances)
    worst = max(float(loss.delta(1.0)), float(loss.reversed.delta(1.0)))
    assert delivered_delta(model(PAIR), None, 1.0) == pytest.approx(worst, rel=1e-12)
    # Equal covariances: Mahalanobis distance 1.4225, Φ(0.711) = 0.7615.
    assert optimal_attack_accuracy(model(PAIR)) == pytest.approx(0.7615, abs=5e-4)


@pytest.mark.parametrize("thin", [False, True])
def test_noise_that_leaves_a_grid_is_none_but_hides_densities(thin):
    gridded, none = model(PAIR), np.zeros(5)
    d = gridded.pairs[0].difference
    noise = np.diag((0.5 * gridded.steps) ** 2) if thin else 1e4 * np.outer(d, d)
    release = Release("DirM", noise)
    assert optimal_attack_accuracy(gridded, release) == optimal_attack_accuracy(gridded)
    assert delivered_delta(gridded, release, 1.0) == delivered_delta(gridded, None, 1.0)
    density = replace(gridded.pairs[0], steps=none, joint_steps=np.array([none, none]))
    if thin:  # Laplace noise besides is normal noise of random size, which may be small
        wide = replace(release, directions=np.eye(5), scale=50.0)
        assert optimal_attack_accuracy(gridded, wide) == optimal_attack_accuracy(gridded)
    else:
        assert optimal_attack_accuracy(replace(gridded, pairs=(density,)), release) < 0.55
        floorless = calibrate("DirM(L)", gridded, 1.0, grid_safe=False)
        assert optimal_attack_accuracy(gridded, floorless) == optimal_attack_accuracy(gridded)
        assert optimal_attack_accuracy(gridded, calibrate("DirM(L)", gridded, 1.0)) < 0.66


def test_noise_may_leave_a_density_alone_without_being_undone():
    # Whole numbers beside a density: noise on the whole numbers alone covers their grid.
    rng = np.random.default_rng(0)
    having = np.repeat([0.0, 1.0], 500)
    values = np.column_stack([rng.integers(0, 20, 1000) + 5 * having, rng.normal(size=1000)])
    fitted = of_records(values, having, 100, 0.4, 0.6)
    assert (fitted.steps > 0).tolist() == [True, False]
    release = Release("DirM", np.diag([25.0, 0.0]))
    assert optimal_attack_accuracy(fitted, release) < optimal_attack_accuracy(fitted) - 0.1


def test_grids_that_are_apart_tell_the_shares_for_certain_unless_covered():
    # Whole dollars, those with the property a cent less: n times the mean tells their number.
    rng = np.random.default_rng(1)
    having = np.repeat([0.0, 1.0], 400)
    values = rng.integers(10, 60, (800, 1)) - 0.01 * having[:, None]
    fitted = of_records(values, having, 100, 0.45, 0.55)
    assert fitted.pairs[0].apart
    thin = Release("thin", fitted.pairs[0].pooled * 1e-9)
    for release in (None, AS_IT_IS, thin):
        assert optimal_attack_accuracy(fitted, release) == pytest.approx(1.0, abs=1e-12)
        assert delivered_epsilon(fitted, release, 0.5) == np.inf
    assert not verdict(fitted, AS_IT_IS, Promise(5.0, 0.9)).kept
    release = calibrate("OptM", fitted, 1.0, 1e-3)
    assert verdict(fitted, release).kept
    assert optimal_attack_accuracy(fitted, release) < 0.53


def test_releases_that_keep_equal_records_give_nothing_away():
    plain = model(PAIR)
    for release in (calibrate("BalM", plain), no_data(plain)):
        held = verdict(plain, release, Promise(0.0, 0.0))
        assert held.kept
        assert held.law == "any data"
        assert (held.delta == 0).all()
        assert held.accuracy == [0.5]
        assert privacy_loss(plain, release).epsilon(0.0) == 0


def test_kept_records_that_stand_for_the_table_do_give_it_away():
    # All means move with the share as they do in the table; only some records are used.
    plain = model(PAIR)
    release = Release("half", kept=np.array([20.0, 20.0]))
    assert 0.6 < optimal_attack_accuracy(plain, release) < 1
    assert verdict(plain, release, Promise(0.0, 0.1)).law == "model"
    # A billion records: means agree to 1e-6 of themselves and differ by a deviation.
    plain = model(INCOME.pair(0.5, 4e-5), n=10**9, replacement=True)
    release = Release("part", kept=plain.pairs[0].numbers.min(axis=0))
    assert optimal_attack_accuracy(plain, release) > 0.7


def test_several_pairs_deliver_their_worst_in_both_orders():
    both = model(PAIR, WORK.pair(0.5, 0.1))
    losses = [pair_loss(both, None, place) for place in range(2)]
    epsilons = np.array([0.0, 0.5, 2.0])
    worst = np.max(
        [[one.delta(epsilons), one.reversed.delta(epsilons)] for one in losses], axis=(0, 1)
    )
    loss = privacy_loss(both)
    np.testing.assert_allclose(loss.delta(epsilons), worst, rtol=1e-12)
    np.testing.assert_allclose(loss.epsilon(worst), epsilons, atol=1e-9)
    assert loss.accuracy() == max(one.accuracy() for one in losses)
    assert repr(loss) == "WorstLoss(best attacker right 76 times in 100; ε = 5.48 at δ = 0.001)"
    assert loss.f_score() == max(each.f_score() for one in losses for each in (one, one.reversed))
    assert loss.precision(0.3) == max(loss.precision(0.3) for loss in loss.losses)
    assert privacy_loss(both, pair=1).accuracy() == pytest.approx(losses[1].accuracy())
    false, true = loss.roc()
    assert 0.5 + (true - false).max() / 2 == pytest.approx(loss.accuracy(), abs=1e-3)


def test_many_releases_side_by_side_are_each_alone():
    plain = model(PAIR)
    releases = [AS_IT_IS, *(calibrate(name, plain, 1.0, 1e-3) for name in ("OptM", "ExpM", "DauM"))]
    alone = [optimal_attack_accuracy(plain, one) for one in releases]
    np.testing.assert_allclose(accuracies(plain, releases), alone, rtol=1e-12)
    promises = [Promise(1.0, 1e-3)] * len(releases)
    for one, held in zip(releases, verdicts(plain, releases, promises), strict=True):
        np.testing.assert_allclose(held.delta, verdict(plain, one, promises[0]).delta, rtol=1e-9)


def test_verdict_charges_what_the_grid_may_add():
    plain = model(PAIR)
    release = Release("wide", np.diag((0.7 * plain.steps) ** 2) + 20 * np.eye(5))
    thin = Release("thin", np.diag((0.8 * plain.steps) ** 2))
    for one in (release, thin):
        loss = pair_loss(plain, one)
        held = verdict(plain, one, Promise(0.5, 1e-3))
        theta = one.smoothness(plain)
        ratio = np.log((1 + theta) / (1 - theta))
        bounds = [(1 + theta) * each.delta(0.5 - ratio) for each in (loss, loss.reversed)]
        np.testing.assert_allclose(held.delta, [bounds], rtol=1e-9)


def test_epsilons_of_many_releases_are_those_of_each():
    plain = model(PAIR)
    noises = [calibrate(name, plain, 1.0, 1e-3) for name in ("OptM", "DauM")]
    for some in (noises, [AS_IT_IS, *noises, calibrate("BalM", plain)]):
        each = [delivered_epsilon(plain, one, 1e-3) for one in some]
        assert delivered_epsilons(plain, some, 1e-3) == pytest.approx(each, rel=1e-9)
    assert len(delivered_epsilons(plain, [], 1e-3)) == 0


def test_verdict_says_why_and_needs_a_promise():
    plain = model(PAIR)
    held = verdict(plain, AS_IT_IS, Promise(1.0, 1e-3))
    assert held.why == "It delivers δ = 0.3 at ε = 1; the promise is 0.001."
    limited = verdict(plain, AS_IT_IS, Promise.of_guesses(60.0))
    right = round(100 * float(limited.accuracy.max()), 1)
    assert limited.why == f"An attacker is right {right:g} times in 100; the limit is 60."
    assert repr(held) == "Verdict(broken by the 'model' law, δ = 0.2999 of 0.001)"
    with pytest.raises(ValueError, match="comes with no promise"):
        verdict(plain, AS_IT_IS)


def test_verdict_never_keeps_what_is_not_a_number():
    plain = model(PAIR)
    broken = replace(plain.pairs[0], means=np.full((2, 5), np.nan))
    with np.errstate(invalid="ignore"):
        assert not verdict(replace(plain, pairs=(broken,)), AS_IT_IS, Promise(1.0, 0.9)).kept


# Shares of (neither, Female, Never-married, both) among UCI Adult's >50K and <=50K. Two counts of 100
# records drawn with replacement, 45 or 55 of them with >50K: their law is a convolution of multinomials.
CELLS = {1: (0.81121, 0.12625, 0.03988, 0.02266), 0: (0.39249, 0.19895, 0.22455, 0.18401)}


def two_counts():
    """Exact laws on a grid of 128 × 128 [share, Never-married, Female], and their normal model."""
    size = 128
    cells = [
        np.fft.fft2(np.array(CELLS[group])[[[0, 1], [2, 3]]], (size, size)) for group in (0, 1)
    ]
    numbers = [(55, 45), (45, 55)]
    laws = [np.fft.ifft2(cells[0] ** a * cells[1] ** b).real.clip(0) for a, b in numbers]
    x = np.arange(size)
    points = np.stack(np.meshgrid(x, x, indexing="ij"), -1).reshape(-1, 2)
    means = [law.ravel() @ points for law in laws]
    covariances = [np.cov(points.T, aweights=law.ravel(), bias=True) for law in laws]
    counts = Query([Count("marital-status", "Never-married"), Count("sex", "Female")])
    rows = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    table = [np.repeat(rows, np.rint(np.array(CELLS[g]) * 1e5).astype(int), 0) for g in (0, 1)]
    having = np.repeat([0.0, 1.0], [len(part) for part in table])
    fitted = fit_groups([Groups.of(np.concatenate(table), having, "s")], counts, [PAIR], 100, True)
    np.testing.assert_allclose(fitted.pairs[0].means, means, rtol=1e-3)
    np.testing.assert_allclose(fitted.pairs[0].covariances, covariances, rtol=1e-3)
    return np.array(laws), fitted


def blurred(laws, noise, fine=3):
    """Densities of counts plus normal noise on a mesh of 1/fine, by convolution."""
    half = np.arange(-60 * fine, 60 * fine + 1) / fine
    points = np.stack(np.meshgrid(half, half, indexing="ij"), -1)
    kernel = np.exp(-0.5 * np.einsum("...i,ij,...j", points, np.linalg.inv(noise), points))
    result = []
    for law in laws[:, :80, :80]:
        spread = np.zeros(np.array(law.shape) * fine)
        spread[::fine, ::fine] = law
        density = signal.fftconvolve(spread, kernel)
        result.append(density.clip(0) / density.sum())
    return result


def test_two_counts_are_told_as_enumeration_says():
    laws, fitted = two_counts()
    loss = FiniteLoss(*laws)
    assert loss.accuracy() == pytest.approx(0.690919, abs=2e-6)
    assert loss.delta(1.0) == pytest.approx(0.135318, abs=2e-6)
    assert optimal_attack_accuracy(fitted) == pytest.approx(0.690919, abs=2e-6)
    assert delivered_delta(fitted, None, 1.0) == pytest.approx(0.135318, abs=3e-6)
    # The mean of the two covariances makes it 0.690842.
    pooled = float(normal_delta(fitted.pairs[0].distance(), 0.0))
    assert 0.5 + 0.5 * pooled == pytest.approx(0.690842, abs=1e-5)
    # DauM, exact, for the mean covariance, and half a step besides: 0.57754 and 1.62e-3.
    plain = calibrate("DauM", fitted, 1.0, 1e-3, calibration="exact", grid_safe=False)
    assert np.trace(plain.covariance) == pytest.approx(98.1058, rel=1e-4)
    assert delivered_delta(fitted, plain, 1.0) == delivered_delta(fitted, None, 1.0)
    release = Release("DauM", plain.covariance + 0.25 * np.eye(2), promise=plain.promise)
    exact = FiniteLoss(*blurred(laws, release.covariance))
    worst = max(exact.delta(1.0), exact.reversed.delta(1.0))
    assert exact.accuracy() == pytest.approx(0.57754, abs=2e-5)
    assert worst == pytest.approx(1.62e-3, rel=1e-3)
    assert optimal_attack_accuracy(fitted, release) == pytest.approx(exact.accuracy(), abs=2e-5)
    held = verdict(fitted, release)
    assert not held.kept
    assert held.law == "exact"
    assert worst <= held.exact.max() <= 1.01 * worst
    # Guarded noise is scaled by the law, to the best attacker's 0.57325 (by the model 0.57337).
    release = calibrate("OptM", fitted, 1.0, 1e-3)
    exact = FiniteLoss(*blurred(laws, release.covariance))
    assert 0.99e-3 < max(exact.delta(1.0), exact.reversed.delta(1.0)) <= 1e-3
    assert exact.accuracy() == pytest.approx(0.57325, abs=1.5e-3)


def test_a_group_without_kept_records_is_not_alike_at_all_shares():
    some = Release("BalM", kept=np.array([10.0, 0.0]), stands_for=np.array([50.0, 50.0]))
    with pytest.raises(DistprivError, match="without kept records"):
        privacy_loss(model(INCOME.pair(0.5, 0.1)), some)


def test_what_holds_for_any_data_does_so_for_every_pair():
    for sure, law in (([True, True], "any data"), ([True, False], "model")):
        held = judge(Promise(1.0, 0.1), np.zeros((2, 2)), np.full(2, 0.5), np.array(sure))
        assert (held.kept, held.law) == (True, law)
