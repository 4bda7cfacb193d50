"""Releases of one dataset as one, against the stacked statistics written out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

import distpriv as dp
from distpriv.composition.joint_loss import JointLoss
from distpriv.composition.observed import Observed, noise_from
from distpriv.composition.stacked import stacked
from distpriv.errors import ModelError
from distpriv.model.gaussian import PairModel
from distpriv.privacy.likelihood_ratio import LikelihoodRatio
from distpriv.privacy.noise import Noise, gaussian_noise

KINDS = ("regular", "one direction", "two directions", "some none", "floor")


def noise_of(kind: str, size: int, rng: np.random.Generator) -> Noise:
    root = rng.standard_normal((size, size + 1))
    if kind == "one direction":
        root = rng.standard_normal((size, 1))
    elif kind == "two directions":
        root = rng.standard_normal((size, min(2, size)))
    elif kind == "some none":
        root[0] = 0.0
    noise = gaussian_noise("OptM", root @ root.T, epsilon=1.0, delta=1e-3)
    if kind == "floor":
        one = rng.standard_normal((size, 1))
        noise = replace(
            gaussian_noise("OptM", one @ one.T, epsilon=1.0, delta=1e-3),
            floor=rng.uniform(0.2, 1.0, size),
        )
    return noise


def a_fit(fit: PairModel, rng: np.random.Generator, size: int, free: int, told: bool) -> PairModel:
    """Of `size` statistics, `free` of them free and the others what these make them."""
    columns = np.vstack([np.eye(free), rng.standard_normal((size - free, free))])
    roots = rng.standard_normal((2, free, free + 2)) / math.sqrt(free)
    means = rng.standard_normal((2, free)) @ columns.T
    if told and size > free:
        means[1, -1] += 0.8
    return replace(
        fit,
        means=means,
        covariances=columns @ roots @ roots.transpose(0, 2, 1) @ columns.T,
        outcomes=None,
        steps=None,
        population=None,
    )


def written_out(
    fit: PairModel, releases: list[tuple[tuple[int, ...], Noise]], least: float
) -> tuple[np.ndarray, np.ndarray]:
    """Means and covariances of everything that is released, with a little noise everywhere."""
    rows = np.vstack([np.eye(len(fit.difference))[list(indices)] for indices, _ in releases])
    noise = np.zeros((len(rows), len(rows)))
    start = 0
    for indices, each in releases:
        block = slice(start, start + len(indices))
        noise[block, block] = each.covariance
        start += len(indices)
    covariances = rows @ fit.covariances @ rows.T + noise + least**2 * np.eye(len(rows))
    return fit.means @ rows.T, covariances


@given(
    seed=st.integers(0, 2**32 - 1),
    free=st.integers(1, 4),
    more=st.integers(0, 2),
    told=st.booleans(),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
)
def test_random_ledgers_agree_with_the_stacked_normals(
    model: dp.GaussianModel, seed: int, free: int, more: int, told: bool, kinds: list[str]
) -> None:
    rng = np.random.default_rng(seed)
    size = free + more
    fit = a_fit(model.pairs[0], rng, size, free, told)
    releases = [
        (tuple(rng.permutation(size)[: (count := rng.integers(1, size + 1))].tolist()), kind, count)
        for kind in kinds
    ]
    made = [(indices, noise_of(kind, count, rng)) for indices, kind, count in releases]
    seen = sorted({index for indices, _ in made for index in indices})
    fit = fit.of_statistics(seen)
    made = [(tuple(seen.index(index) for index in indices), noise) for indices, noise in made]
    found = JointLoss((stacked(fit, made),))
    # The limit of less and less noise in the directions that have none.
    wanted = []
    for least in (1e-3, 1e-5):
        means, covariances = written_out(fit, made, least)
        wanted.append(float(LikelihoodRatio.between(means, covariances).total_variation()))
    settled = abs(wanted[1] - wanted[0])
    assert 2 * found.accuracy - 1 == pytest.approx(wanted[1], abs=2e-3 + settled)


def test_a_hundred_ledgers_by_simulation(model: dp.GaussianModel) -> None:
    """Drawn from the joint normals, the likelihood-ratio attacker is right as often as computed."""
    rng, draws, off = np.random.default_rng(11), 4000, []
    for _ in range(100):
        size = int(rng.integers(2, 5))
        fit = a_fit(
            model.pairs[0], rng, size, int(rng.integers(1, size + 1)), bool(rng.random() < 0.3)
        )
        made = []
        for _ in range(int(rng.integers(1, 5))):
            indices = tuple(rng.permutation(size)[: rng.integers(1, size + 1)].tolist())
            made.append((indices, noise_of(str(rng.choice(KINDS)), len(indices), rng)))
        made.append((tuple(range(size)), noise_of("regular", size, rng)))
        found = JointLoss((stacked(fit, made),)).accuracy
        means, covariances = written_out(fit, made, 1e-5)
        roots = np.linalg.cholesky(covariances)
        right = 0.0
        for theta in range(2):
            y = means[theta] + rng.standard_normal((draws, len(roots[0]))) @ roots[theta].T
            logs = [
                -(np.linalg.solve(root, (y - mean).T) ** 2).sum(axis=0) / 2
                - np.log(np.diag(root)).sum()
                for mean, root in zip(means, roots, strict=True)
            ]
            right += ((logs[1] > logs[0]) == bool(theta)).mean() / 2
        off.append(right - found)
    assert np.abs(off).max() < 4.5 * 0.5 / math.sqrt(2 * draws)
    assert abs(np.mean(off)) < 3 * 0.5 / math.sqrt(2 * draws * 100)


def test_a_mean_and_a_sum_of_one_column_are_two_releases_of_it(people, pair) -> None:
    mean, total = dp.Query([dp.Mean("hours")]), dp.Query([dp.Sum("hours")])
    every = dp.Query([*mean, *total])
    moments = {pair.secret: dp.group_moments(people, every, pair.secret)}
    model = dp.model.model_from_moments(moments, every, [pair], 60, regular=False)
    one, sixty = (
        gaussian_noise("OptM", np.array([[size**2]]), epsilon=1.0, delta=1e-3)
        for size in (0.5, 30.0)
    )
    both = stacked(model.densities().pairs[0], [((0,), one), ((1,), sixty)])
    assert not both.told
    single = stacked(model.of_statistics(0).densities().pairs[0], [((0,), one)] * 2)
    assert JointLoss((both,)).accuracy == pytest.approx(JointLoss((single,)).accuracy, abs=1e-12)


def test_a_statistic_that_the_secret_determines(people, pair) -> None:
    """How many have the property: 24 or 36 of 60, and nothing but the noise hides it."""
    query = dp.Query([dp.Count("income", "high"), dp.Mean("age"), dp.Count("income", "low")])
    moments = {pair.secret: dp.group_moments(people, query, pair.secret)}
    model = dp.model.model_from_moments(moments, query, [pair], 60, regular=False)
    (fit,) = model.pairs
    deviation = 7.0
    noise = gaussian_noise("ExpM", np.array([[deviation**2]]), epsilon=1.0, delta=1e-3)
    fit_of = dp.fit_gaussian(people, dp.Query([dp.Mean("age")]), pair, 60).pairs[0]
    one = JointLoss((stacked(fit.of_statistics([0]), [((0,), noise)]),))
    assert one.accuracy == pytest.approx(ndtr(12 / deviation / 2), abs=1e-9)
    twice = JointLoss((stacked(fit.of_statistics([0, 2]), [((0,), noise), ((1,), noise)]),))
    assert twice.accuracy == pytest.approx(ndtr(12 * math.sqrt(2) / deviation / 2), abs=1e-9)
    far = gaussian_noise("ExpM", np.diag([1e8, 1e8]), epsilon=1.0, delta=1e-3)
    assert JointLoss((stacked(fit, [((0, 1), far), ((1, 2), far)]),)).accuracy < 0.51
    bare = JointLoss((stacked(fit, [((0,), far_none()), ((1, 2), far)]),))
    assert bare.accuracy == 1.0
    assert bare.epsilon(1e-3) == math.inf
    assert fit_of.steps is not None


def far_none() -> Noise:
    return gaussian_noise("ExpM", np.zeros((1, 1)), epsilon=1.0, delta=1e-3)


def test_what_is_undone_counts_for_nothing_and_the_rest_is_hidden(people, pair) -> None:
    """One-dimensional noise on two counts is subtracted; what hides a third statistic is not."""
    query = dp.Query([dp.Count("status", "married"), dp.Count("town", "Ahausen"), dp.Mean("age")])
    (fit,) = dp.fit_gaussian(people, query, pair, 60).pairs
    thin = gaussian_noise("DirM", 9 * np.ones((2, 2)), epsilon=1.0, delta=1e-3)
    wide = gaussian_noise("ExpM", np.array([[4.0]]), epsilon=1.0, delta=1e-3)
    found = stacked(fit, [((0, 1), thin), ((2,), wide)])
    wanted = gaussian_noise("ExpM", np.diag([0.0, 0.0, 4.0]), epsilon=1.0, delta=1e-3)
    np.testing.assert_allclose(found.noise.covariance, wanted.covariance, atol=1e-12)
    assert found.theta < 1e-6
    dense = replace(fit, steps=None)
    alone = JointLoss((stacked(dense, [((0, 1), thin), ((2,), wide)]),)).accuracy
    assert JointLoss((found,)).accuracy > alone + 1e-3


def test_what_averages_out_is_told_and_the_rest_is_hidden(people, pair) -> None:
    """A count released so often that its noise shows the steps, beside two hidden numbers."""
    query = dp.Query([dp.Count("status", "married"), dp.Count("town", "Ahausen"), dp.Mean("age")])
    (fit,) = dp.fit_gaussian(people, query, pair, 60).pairs
    often = gaussian_noise("ExpM", np.array([[1.0]]), epsilon=1.0, delta=1e-3)
    wide = gaussian_noise("ExpM", np.diag([25.0, 25.0, 4.0]), epsilon=1.0, delta=1e-3)
    few = stacked(fit, [((0,), often)] * 3 + [((0, 1, 2), wide)])
    np.testing.assert_allclose(few.noise.covariance, np.diag([1 / (3 + 1 / 25), 25.0, 4.0]))
    many = stacked(fit, [((0,), often)] * 40 + [((0, 1, 2), wide)])
    np.testing.assert_allclose(many.noise.covariance, np.diag([0.0, 25.0, 4.0]), atol=1e-12)
    # What is released, and not what arithmetic makes of it.
    np.testing.assert_allclose(
        many.released_noise.covariance, np.diag([1 / (40 + 1 / 25), 25.0, 4.0])
    )


def test_two_noises_in_different_directions_tell_all_of_densities(model) -> None:
    (fit,) = model.densities().of_statistics(0, 1).pairs
    lines = [np.array([1.0, 0.02]), np.array([1.0, -3.0])]
    both = [
        ((0, 1), gaussian_noise("DirM", 99 * np.outer(line, line), epsilon=1.0, delta=1e-3))
        for line in lines
    ]
    assert stacked(fit, both).noise.is_zero
    again = stacked(fit, [both[0]] * 4).noise
    np.testing.assert_allclose(again.covariance, both[0][1].covariance / 4)


def test_statistics_that_nearly_determine_each_other_are_refused(model) -> None:
    (fit,) = model.densities().of_statistics(0, 1).pairs
    for left, refused in ((1e-11, True), (1e-8, False), (0.0, False)):
        covariance = np.array([[1.0, math.sqrt(1 - left)], [math.sqrt(1 - left), 1.0]])
        close = replace(fit, covariances=np.array([covariance] * 2))
        wide = gaussian_noise("ExpM", np.eye(2), epsilon=1.0, delta=1e-3)
        if refused:
            with pytest.raises(ModelError, match="nearly determine"):
                stacked(close, [((0, 1), wide)])
        else:
            stacked(close, [((0, 1), wide)])


def test_noise_of_very_different_sizes_keeps_its_digits() -> None:
    sizes = np.array([1e-6, 1.0, 1e6])
    wide = gaussian_noise("ExpM", np.diag(sizes**2), epsilon=1.0, delta=1e-3)
    wider = gaussian_noise("ExpM", np.diag((5 * sizes) ** 2), epsilon=1.0, delta=1e-3)
    seen = Observed.together([Observed.through(noise, np.eye(3)) for noise in (wide, wider)])
    left = noise_from(seen.factors(sizes), wide)
    np.testing.assert_allclose(np.diag(left.covariance), sizes**2 / (1 + 1 / 25), rtol=1e-12)
