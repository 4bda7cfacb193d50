"""Tails and quantiles of the noise on one statistic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.privacy.noise_tails import NoiseTail

SCALES = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=6)


def tail_of(scales: list[float], floor: float = 0.0) -> NoiseTail:
    """Of a statistic that all directions lead along, of a noise on as many statistics."""
    size = len(scales)
    directions = np.linalg.qr(
        np.column_stack([np.ones(size), np.random.default_rng(1).normal(size=(size, size))])
    )[0]
    # Each row of an orthogonal matrix: what the statistic at 0 gets is the wanted scale.
    noise = dp.Noise(
        "own", "laplace", directions, np.array(scales) / np.abs(directions[0]), 1.0, 0.0,
        floor=np.full(size, floor) if floor else None,
    )  # fmt: skip
    return NoiseTail.of(noise, 0)


def inverted(scales: tuple[float, ...], spread: float, x: float) -> float:
    """Pr(|Z| <= x) from the characteristic function (Gil-Pelaez 1951)."""
    t = np.linspace(1e-9, 4000 / max(scales), 1_000_001)
    logs = -((spread * t) ** 2) / 2 - sum(np.log1p((t * scale) ** 2) for scale in scales)
    return float(2 / np.pi * np.trapezoid(np.sin(x * t) / t * np.exp(logs), t))


@pytest.mark.parametrize("spread", [0.0, 0.3])
@pytest.mark.parametrize(
    "scales", [[1.0], [1.0, 0.5], [1.0, 1.0], [2.0, 1.99, 0.1], [1.0] * 5, [3.0, 2.0, 1.0, 0.5]]
)
def test_a_sum_against_its_characteristic_function(scales: list[float], spread: float) -> None:
    tail = tail_of(scales, spread)
    for level in (0.5, 0.95, 0.999):
        q = tail.quantile(level)
        assert inverted(tail.scales, spread, q) == pytest.approx(level, abs=2e-6)
        # Of the scales themselves it is no less than asked, and hardly more.
        own = inverted(tuple(scales), spread, q)
        assert level - 2e-6 <= own <= level + 0.01


@given(SCALES, st.floats(0, 100), st.floats(0.01, 0.999))
def test_tails_fall_and_quantiles_invert_them(
    scales: list[float], floor: float, level: float
) -> None:
    tail = tail_of(scales, floor)
    grid = tail.quantile(level) * np.array([-2, -1, -0.5, 0, 0.3, 1, 2, 50])
    upper = tail.upper(grid)
    assert (np.diff(upper) <= 1e-7).all()
    assert ((upper >= 0) & (upper <= 1)).all()
    assert upper[3] == pytest.approx(0.5, abs=1e-6)
    assert 1 - 2 * upper[5] == pytest.approx(level, abs=1e-6)
    wider = NoiseTail(tail.spread, tuple(1.5 * scale for scale in tail.scales))
    assert wider.quantile(level) >= tail.quantile(level)


def test_the_noise_of_mechanisms_against_draws(several: dp.GaussianModel) -> None:
    for name in ("OptM", "ExpM(L)", "DirM(L)", "Wasserstein", "DauM"):
        noise = dp.calibrate(name, several, 1.0, 1e-3)
        drawn = np.abs(noise.sample(100_000, np.random.default_rng(2)))
        for index in range(noise.dimension):
            q = NoiseTail.of(noise, index).quantile(0.95)
            if not NoiseTail.of(noise, index).is_zero:
                assert (drawn[:, index] <= q).mean() == pytest.approx(0.95, abs=0.004)


def test_a_normal_one() -> None:
    noise = dp.Noise("own", "gaussian", np.eye(2), np.array([3.0, 0.0]), 1.0, 0.1)
    assert NoiseTail.of(noise, 0).quantile(0.95) == pytest.approx(3 * stats.norm.ppf(0.975))
    none = NoiseTail.of(noise, 1)
    assert none.is_zero
    assert none.quantile(0.95) == 0
    assert none.upper(np.array([-1.0, 1.0])).tolist() == [1, 0]
