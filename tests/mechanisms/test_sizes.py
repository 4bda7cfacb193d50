"""Promises on statistics of any size beside each other, in high-precision arithmetic."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath as mp
import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.privacy.calibration import gaussian_delta
from distpriv.privacy.delivered import worst_case
from distpriv.privacy.noised import noised

_ROUNDS, _EACH = 8, 125
_NAMES = ["OptM", "DauM", "DirM", "EigM", "ExpM", "DirM(L)", "ExpM(L)", "Wasserstein"]
_ROUNDING = 1e-6


def matrix(values: Any) -> mp.matrix:
    return mp.matrix(np.asarray(values).tolist())


def random_model(
    rng: np.random.Generator, size: int, pairs: int, orders: float
) -> dp.GaussianModel:
    """Statistics of sizes from 10^−orders to 10^orders."""
    secret = dp.SensitiveProperty("s", "x").pair(0.5, 0.1)
    thetas = (dp.model.Theta(secret.secret, 0.45, 100), dp.model.Theta(secret.secret, 0.55, 100))
    units = 10 ** rng.uniform(-orders, orders, size)
    fits = []
    for _ in range(pairs):
        factors = rng.normal(size=(size, 2 * size + 1))
        other = factors + 0.3 * rng.normal(size=factors.shape)
        covariances = np.array([each @ each.T for each in (factors, other)]) / (2 * size)
        means = np.exp(rng.normal()) * rng.normal(size=(2, size))
        across = np.outer(units, units)
        fits.append(dp.PairModel(secret, thetas, means * units, covariances * across))
    query = dp.Query([dp.Mean(f"c{index}") for index in range(size)])
    return dp.GaussianModel(query, 100, tuple(fits), "exact", False, np.ones(size))


def with_noise(covariance: Any, noise: dp.Noise) -> mp.matrix:
    factors = matrix(noise.directions * 1.0) if len(noise.scales) else None
    total = matrix(covariance)
    if factors is not None:
        scaled = factors * mp.diag([mp.mpf(scale) for scale in noise.scales.tolist()])
        total += scaled * scaled.T
    return total + mp.diag([mp.mpf(each) ** 2 for each in noise.floor_deviations.tolist()])


def pooled_delta(fit: dp.PairModel, noise: dp.Noise, epsilon: float) -> mp.mpf:
    """δ(ε) of two normals with the mean of their covariances (Balle & Wang 2018, Theorem 8)."""
    total = (with_noise(fit.covariances[0], noise) + with_noise(fit.covariances[1], noise)) / 2
    apart = matrix(fit.means[0]) - matrix(fit.means[1])
    distance = mp.sqrt((apart.T * mp.lu_solve(total, apart))[0])
    beyond = epsilon / distance
    return mp.ncdf(distance / 2 - beyond) - mp.exp(epsilon) * mp.ncdf(-distance / 2 - beyond)


def guarded_delta(fit: dp.PairModel, noise: dp.Noise, epsilon: float, order: int) -> mp.mpf:
    """δ(ε) of two normals as they are: the inverse Laplace transform, by a rule of fine steps."""
    first, second = (0, 1) if order == 0 else (1, 0)
    root = mp.cholesky(with_noise(fit.covariances[first], noise)) ** -1
    inner = root * with_noise(fit.covariances[second], noise) * root.T
    spread, vectors = mp.eigsy((inner + inner.T) / 2)
    shift = vectors.T * (root * (matrix(fit.means[first]) - matrix(fit.means[second])))
    parts = [((d / b) ** 2, 1 - 1 / b) for d, b in zip(list(shift), list(spread), strict=True)]
    linear = sum(mp.log(b) + d * d / b for d, b in zip(list(shift), list(spread), strict=True)) / 2
    linear -= epsilon

    def exponent(s: Any) -> Any:
        inside = [1 + s * c for _, c in parts]
        bent = sum(s * s * a / i - mp.log(i) for (a, _), i in zip(parts, inside, strict=True))
        return s * linear + bent / 2 - mp.log(s) - mp.log(s + 1)

    def slope(s: Any) -> Any:
        inside = [1 + s * c for _, c in parts]
        bent = sum(s * a * (1 + i) / i**2 - c / i for (a, c), i in zip(parts, inside, strict=True))
        return linear + bent / 2 - 1 / s - 1 / (s + 1)

    low = mp.mpf(0)
    poles = [-1 / c for _, c in parts if c < -(mp.mpf(10) ** -30)]
    high = min(poles, default=mp.mpf(1))
    while not poles and slope(high) < 0:
        high *= 2
        if high > mp.mpf(10) ** 15:
            return mp.mpf(0)
    with mp.workdps(20):
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    saddle = (low + high) / 2
    width = 1 / mp.sqrt(abs(mp.re(mp.diff(exponent, saddle, 2))))
    peak, step = mp.re(exponent(saddle)), mp.mpf(1) / 16
    for bend in (mp.mpf("0.5"), mp.mpf("-0.5"), mp.mpf(0)):
        total = mp.mpf(0)
        for place in range(24 * 16):
            up, along = mp.sinh(place * step), mp.cosh(place * step)
            s = saddle + width * (mp.mpc(0, up) + bend * (along - 1))
            value = mp.exp(exponent(s) - peak) * width * mp.mpc(along, -bend * up)
            if abs(value) > 1e4 * width:
                break  # it grows on this side
            total += value.real if place else value.real / 2
            if place > 8 and abs(value) < 1e-12 * abs(total):
                return mp.exp(peak) * total * step / mp.pi
    raise AssertionError("no contour on which it falls")


def laplace_ratio(fit: dp.PairModel, noise: dp.Noise) -> float:
    """By how much a shift along the directions of the noise moves its log-density, at most.

    What rounding leaves of the shift beside them is next to nothing of a standard deviation.
    """
    units = np.sqrt(np.diag(fit.pooled))
    with mp.workdps(40):
        scaled = matrix(noise.directions * noise.scales / units[:, None])
        apart = matrix(fit.means[0] / units) - matrix(fit.means[1] / units)
        moved = mp.lu_solve(scaled, apart)
        assert mp.norm(scaled * moved - apart) <= 1e-6 * (1 + mp.norm(apart))
        return float(sum(abs(each) for each in moved))


@pytest.mark.slow
@pytest.mark.parametrize("round_", range(_ROUNDS))
def test_the_promise_holds_whatever_the_sizes(round_: int) -> None:
    rng, held = np.random.default_rng(round_), 0
    for _ in range(_EACH):
        model = random_model(rng, *rng.integers(1, 7, 2).tolist(), rng.uniform(0, 7.5))
        epsilon, delta = float(10 ** rng.uniform(-1.3, 0.9)), float(10 ** rng.uniform(-6, -1))
        name = str(rng.choice(_NAMES))
        calibration: Any = str(rng.choice(["exact", "guarded", "classical"]))
        safe = bool(rng.random() < 0.5)
        if safe:
            steps = 10 ** rng.uniform(-3, 0, len(model.query)) * model.standard_deviations
            pairs = tuple(replace(fit, steps=steps) for fit in model.pairs)
            model = replace(model, pairs=pairs)
        try:
            noise = dp.calibrate(name, model, epsilon, delta, calibration, grid_safe=safe)
        except dp.errors.InapplicableError:
            continue
        held += 1
        if noise.distribution == "laplace":
            assert max(laplace_ratio(fit, noise) for fit in model.pairs) <= epsilon * (1 + 1e-6)
            continue
        with mp.workdps(40):
            if calibration == "guarded":
                worst = worst_case(model.densities(), noise, epsilon)
                fit, promised = model.pairs[worst.pair], delta
                delivered = guarded_delta(fit, noise, epsilon, worst.order)
                assert float(delivered) == pytest.approx(worst.delta, rel=1e-6, abs=1e-12)
            else:
                distance = dp.privacy.gaussian_distance(epsilon, delta, calibration)
                promised = (
                    gaussian_delta(distance, epsilon) if calibration == "classical" else delta
                )
                delivered = max(pooled_delta(fit, noise, epsilon) for fit in model.pairs)
            assert delivered <= promised * (1 + _ROUNDING), (name, calibration, epsilon, delta)
    assert held > 0.8 * _EACH  # rank-one noise cannot always be guarded


@pytest.mark.parametrize("calibration", ["exact", "guarded"])
@pytest.mark.parametrize("name", ["OptM", "DauM", "EigM"])
def test_a_sum_of_weights_beside_a_share(name: str, calibration: Any) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "weight": rng.integers(10**4, 10**6, 20_000),
            "sex": rng.choice(["f", "m"], 20_000),
            "rich": rng.choice(["yes", "no"], 20_000, p=[0.3, 0.7]),
            "sector": rng.choice(["public", "private"], 20_000),
        }
    )
    table.loc[table["rich"] == "yes", "weight"] += 50_000
    query = dp.Query([dp.Sum("weight"), dp.Proportion("sex", "f")])
    pairs = [
        dp.SensitiveProperty(column, value).pair(0.5, 0.1)
        for column, value in (("rich", "yes"), ("sector", "private"))
    ]
    model = dp.fit_gaussian(table, query, pairs, 20_000, replacement=True)
    noise = dp.calibrate(name, model, 1.0, 1e-3, calibration, grid_safe=False)
    with mp.workdps(40):
        delivered = max(pooled_delta(fit, noise, 1.0) for fit in model.pairs)
    assert delivered <= 1e-3 * (1 + (1e-2 if calibration == "guarded" else _ROUNDING))
    assert not noise.caveats


def test_normals_with_noise_are_those_of_the_sum() -> None:
    rng = np.random.default_rng(0)
    model = random_model(rng, 4, 1, 3.0)
    noise = dp.calibrate("DirM", model, 0.5, 1e-3, "exact")
    (fit,) = model.pairs
    found = noised(fit, noise)
    assert found is not None
    assert found.distance == pytest.approx(fit.distance(noise.covariance), rel=1e-9)
    assert np.abs(found.covariances).max() < 10
    even = replace(noise, scales=noise.scales * 1e12)
    beyond = noised(fit, even)
    assert beyond is not None
    with mp.workdps(40):
        total = (with_noise(fit.covariances[0], even) + with_noise(fit.covariances[1], even)) / 2
        apart = matrix(fit.means[0]) - matrix(fit.means[1])
        exact = mp.sqrt((apart.T * mp.lu_solve(total, apart))[0])
    assert beyond.distance == pytest.approx(float(exact), rel=1e-3, abs=1e-6)
