"""What Laplace noise on one dataset promises together, against the likelihood ratios themselves."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr, logsumexp

import distpriv as dp
from distpriv.composition.laplace_sums import laplace_sum
from distpriv.composition.releases import Part, accumulate
from distpriv.composition.rules import Promise
from distpriv.distances.outcomes import Outcomes
from distpriv.privacy.noise import Noise


def known(model: dp.GaussianModel, first: object, second: object) -> dp.GaussianModel:
    """Two statistics with these outcomes under the two shares, all alike likely."""
    model = model.of_statistics(0, 1).densities()
    outcomes = Outcomes((np.array(first, dtype=float), np.array(second, dtype=float)), exact=True)
    return replace(model, pairs=(replace(model.pairs[0], outcomes=outcomes),))


def parts(model: dp.GaussianModel, units: list, name: str = "Wasserstein") -> list[Part]:
    found = []
    for each in units:
        noise = dp.calibrate(name, model, 1.0, units=each)
        found.append(Part(model, noise, Promise(noise.epsilon)))
    return found


def largest_log_ratio(model: dp.GaussianModel, noises: list[Noise]) -> float:
    """Over all releases; between kinks the ratio is monotone in each statistic of each release."""
    outcomes = model.pairs[0].outcomes
    points = np.concatenate(outcomes.points)
    axes = [np.unique(points[:, k]) for k in range(2)]
    corners = np.array(list(itertools.product(*axes)))
    logs = []
    for side in outcomes.points:
        terms = np.zeros((*(len(corners),) * len(noises), len(side)))
        for place, noise in enumerate(noises):
            scales = np.abs(noise.directions * noise.scales).sum(axis=1)
            density = -(np.abs(corners[:, None] - side) / scales).sum(axis=2)
            shape = [1] * len(noises) + [len(side)]
            shape[place] = len(corners)
            terms = terms + density.reshape(shape)
        logs.append(logsumexp(terms, axis=-1) - math.log(len(side)))
    return float(np.abs(logs[0] - logs[1]).max())


def test_in_other_units_another_coupling_serves(model) -> None:
    """Either release hides one coordinate's move, and the two together tell both coordinates."""
    model = known(model, [[0, 0], [1, 1]], [[1, 0], [0, 1]])
    both = parts(model, [[1.0, 10.0], [10.0, 1.0]])
    for each in both:
        assert largest_log_ratio(model, [each.noise]) <= 1.0
    told = largest_log_ratio(model, [each.noise for each in both])
    assert told > 10.0  # where 1 + 1 was promised
    found = accumulate(both, shared=True, delta=None)
    assert told <= found.promise.epsilon == pytest.approx(11.0)
    assert "different units" in found.remark
    alike = accumulate([both[0]] * 3, shared=True, delta=None)
    assert alike.promise.epsilon == pytest.approx(3.0)
    assert alike.remark == ""


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=1, max_size=3),
)
def test_no_likelihood_ratio_leaves_what_is_promised(model, seed, size, units) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 4, (2, size, 2))
    model = known(model, first, second)
    if not model.pairs[0].outcomes.closeness():
        return
    releases = parts(model, [list(each) for each in units])
    noises = [each.noise for each in releases]
    total, remark = laplace_sum(model, noises, [1.0] * len(noises))
    assert largest_log_ratio(model, noises) <= total * (1 + 1e-9)
    assert total >= len(noises) * (1 - 1e-9)
    assert bool(remark) == (total > len(noises) * (1 + 1e-6))


def test_translations_serve_in_all_units(model) -> None:
    """d is the only move, so that promises add up whatever they were calibrated in."""
    model = model.densities()
    units = [[1.0] * 4, [1.0, 30.0, 0.2, 5.0], [7.0, 1.0, 3.0, 0.01]]
    releases = parts(model, units) + parts(model, units[1:], "ExpM(L)")
    releases += parts(model, units[:1], "DirM(L)") + parts(model, units[:1], "GroupDP(L)")
    found = accumulate(releases, shared=True, delta=None)
    assert found.promise.epsilon == pytest.approx(len(releases))
    assert found.remark == ""
    shift = model.pairs[0].difference
    moved = [
        np.abs(np.linalg.pinv(each.noise.directions * each.noise.scales) @ shift).sum()
        for each in releases
    ]
    assert sum(moved) <= found.promise.epsilon * (1 + 1e-9)


def test_what_proves_a_promise_must_be_known(model) -> None:
    noise = replace(dp.calibrate("ExpM(L)", model, 1.0), mechanism="Somebody's")
    found = accumulate([Part(model, noise, Promise(1.0))] * 2, shared=True, delta=None)
    assert found.promise is None
    assert "Somebody's is not known" in found.remark
    plain = dp.calibrate("DP(L)", model, 1.0)
    assert laplace_sum(model, [plain, plain], [1.0, 1.0])[0] == math.inf


def test_floors_average_out_and_the_grid_shows() -> None:
    """Two counts, d off their grid: the exact ratio of many releases, by sums over the lattice."""
    shift, scale, floor, count = np.array([4.3, 2.618]), 3e4, 0.75, 600
    along = shift / np.linalg.norm(shift)
    across = np.array([-along[1], along[0]])
    covariance = np.array([[9.0, 2.0], [2.0, 7.0]])
    lattice = np.array(list(itertools.product(range(-14, 20), repeat=2)))

    def log_law(mean: np.ndarray) -> np.ndarray:
        left = lattice - mean
        terms = -np.einsum("ni,ij,nj->n", left, np.linalg.inv(covariance), left) / 2
        return terms - logsumexp(terms)

    def log_density(left: np.ndarray) -> np.ndarray:
        """Of Laplace noise along the shift and the floor."""
        a, b = left @ along, scale
        mixed = np.logaddexp(
            -a / b + log_ndtr(a / floor - floor / b), a / b + log_ndtr(-a / floor - floor / b)
        )
        return mixed - (left @ across / floor) ** 2 / 2

    laws = [log_law(np.zeros(2)), log_law(shift)]
    rng, told = np.random.default_rng(1), 0.0
    for _ in range(20):
        x = lattice[rng.choice(len(lattice), p=np.exp(laws[0]))]
        terms = np.zeros(len(lattice))
        for _ in range(count):
            y = x + rng.laplace(scale=scale) * along + floor * rng.standard_normal(2)
            terms += log_density(y - lattice)
        told = max(told, abs(logsumexp(laws[0] + terms) - logsumexp(laws[1] + terms)))
    epsilon = float(np.linalg.norm(shift)) / scale
    assert told > 3 * count * epsilon
    model = on_counts(shift, covariance)
    noise = Noise(
        mechanism="DirM(L)",
        distribution="laplace",
        directions=along[:, None],
        scales=np.array([scale]),
        epsilon=epsilon,
        delta=0.0,
        floor=np.full(2, floor),
    )
    assert laplace_sum(model, [noise] * count, [epsilon] * count)[0] == math.inf
    few, remark = laplace_sum(model, [noise] * 2, [epsilon] * 2)
    assert 2 * epsilon < few < math.inf
    assert "average out" in remark


def on_counts(shift: np.ndarray, covariance: np.ndarray) -> dp.GaussianModel:
    pair = dp.SensitiveProperty("income", "high").pair(0.5, 0.2)
    fit = dp.PairModel(
        pair,
        (dp.model.Theta(pair.secret, pair.p_i, 100), dp.model.Theta(pair.secret, pair.p_j, 100)),
        np.array([np.zeros(2), shift]),
        np.array([covariance] * 2),
        steps=np.ones(2),
    )
    query = dp.Query([dp.Count("town", "Ahausen"), dp.Count("status", "married")])
    return dp.GaussianModel(query, 100, (fit,), "exact", False, np.ones(2))
