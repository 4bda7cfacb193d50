"""Room, its derivatives and the search for the least noise, each against a second computation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import distpriv as dp
from distpriv.mechanisms import searching
from distpriv.mechanisms.guarded import side_by_side
from distpriv.mechanisms.least_guarded import kept_multiple
from distpriv.privacy.privacy_loss import PrivacyLoss
from distpriv.privacy.promises import Promises, congruence, entries, symmetric
from tests.privacy.examples import SHAPES, random_model


@given(epsilon=st.floats(0.05, 4.0), **SHAPES)
def test_many_losses_at_once_are_the_losses_one_by_one(epsilon, size, pairs, seed):
    model = random_model(seed, size, pairs, 100.0)
    promises = Promises.on([(model, epsilon, 1e-3), (model, 2 * epsilon, 1e-2)])
    found = promises.deltas(np.zeros((2, size, size)))
    for row, each in enumerate((epsilon, 2 * epsilon)):
        for pair, fit in enumerate(model.pairs):
            for order, (p, q) in enumerate(((0, 1), (1, 0))):
                loss = PrivacyLoss.between(
                    fit.means[p], fit.covariances[p], fit.means[q], fit.covariances[q]
                )
                assert found[row, 2 * pair + order] == pytest.approx(
                    loss.delta(each), rel=1e-8, abs=1e-14
                )


@given(seed=st.integers(0, 10**6), epsilon=st.floats(0.05, 3.0))
@settings(max_examples=20)
def test_one_dimension_by_numerical_integration(seed, epsilon):
    model = random_model(seed, 1, 1)
    fit = model.pairs[0]
    (found,) = Promises.on([(model, epsilon, 1e-3)]).deltas(np.zeros((1, 1, 1)))
    for order, (p, q) in enumerate(((0, 1), (1, 0))):
        first = norm(fit.means[p, 0], math.sqrt(fit.covariances[p, 0, 0]))
        second = norm(fit.means[q, 0], math.sqrt(fit.covariances[q, 0, 0]))

        x = first.mean() + first.std() * np.linspace(-12, 12, 400_001)
        gains = np.maximum(0, first.pdf(x) - math.exp(epsilon) * second.pdf(x))
        expected = gains.sum() * (x[1] - x[0])
        assert found[order] == pytest.approx(expected, abs=1e-7)


@example(epsilon=0.18359375, size=2, pairs=3, seed=3037)  # a saddle that was there, and left
@example(epsilon=0.1, size=1, pairs=2, seed=6953)  # one that rounding moves, under much noise
@given(epsilon=st.floats(0.1, 3.0), **SHAPES)
def test_slope_and_curvature_of_the_room_against_differences(epsilon, size, pairs, seed):
    model = random_model(seed, size, pairs)
    promises = Promises.on([(model, epsilon, 1e-3)])
    rng = np.random.default_rng(seed)
    noise = kept_multiple(promises, np.eye(size)[None])
    change = rng.normal(size=(1, size, size))
    change = (change + change.swapaxes(1, 2)) * noise[0, 0, 0] * 0.1
    assume((promises.deltas(noise) > 1e-100).all())

    def room(step: float) -> np.ndarray:
        return promises.room(promises.deltas(noise + step * change))[0]

    step = 1e-3
    low, middle, high = (room(each * step) for each in (-1, 0, 1))
    known = promises.derivatives(noise)
    assert known.room[0] == pytest.approx(middle, rel=1e-6, abs=1e-6)
    slopes = np.einsum("kij,ij->k", known.gradients()[0], change[0])
    size_of = np.abs((high - low) / (2 * step)).max() + 1e-6
    assert slopes == pytest.approx((high - low) / (2 * step), abs=1e-4 * size_of)
    prices = rng.uniform(0.5, 1.0, size=(1, 2 * pairs))
    frame = np.eye(size)[None] * 2.0
    inner = entries(change / 4)[0]
    curvature = inner @ known.hessian(prices, frame)[0] @ inner
    expected = prices[0] @ ((low - 2 * middle + high) / step**2)
    assert curvature == pytest.approx(expected, abs=1e-3 * (abs(expected) + size_of))


@given(factor=st.floats(5.0, 12.0), seed=st.integers(0, 10**4), size=st.integers(1, 3))
@example(factor=6.0, seed=6953, size=1)
def test_under_ever_more_noise_there_is_nothing_left_to_tell(factor, seed, size):
    """Where the two normals differ by no more than the rounding of their covariances."""
    promises = Promises.on([(random_model(seed, size, 2), 0.1, 1e-3)])
    deltas = promises.deltas(np.eye(size)[None] * 10.0 ** (2 * factor))
    assert (deltas >= 0).all()
    assert deltas.max() <= 1e-6


@given(seed=st.integers(0, 10**6), size=st.integers(1, 5))
def test_entries_keep_lengths_and_congruence_is_linear_in_them(seed, size):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(size, size))
    matrix = matrix + matrix.T
    change = rng.normal(size=(1, size, size))
    assert symmetric(entries(matrix), size) == pytest.approx(matrix)
    assert np.linalg.norm(entries(matrix)) == pytest.approx(np.linalg.norm(matrix))
    moved = congruence(change)[0] @ entries(matrix)
    assert moved == pytest.approx(entries(change[0] @ matrix @ change[0].T), abs=1e-9)


def test_side_by_side_is_one_by_one(model, several):
    cases = [
        (name, each, epsilon, 1e-3)
        for name in ("ExpM(L)", "DirM(L)", "DauM", "OptM", "EigM")
        for each in (model, several)
        for epsilon in (0.3, 1.0, 4.0)
    ]
    together = side_by_side([searching(*case) for case in cases])
    for found, case in zip(together, cases, strict=True):
        if isinstance(found, dp.errors.CalibrationError):
            with pytest.raises(type(found)):
                dp.calibrate(*case)
        else:
            alone = dp.calibrate(*case)
            assert found.rms_error() == pytest.approx(alone.rms_error(), rel=1e-4)
            assert found.calibration == alone.calibration


def test_what_a_search_raises_is_its_result(model):
    found = side_by_side([searching("ExpM", model, -1.0), searching("ExpM", model, 1.0, 1e-3)])
    assert isinstance(found[0], dp.errors.CalibrationError)
    assert isinstance(found[1], dp.Noise)


def test_a_singular_covariance_hides_nothing():
    model = random_model(5, 2, 1)
    flat = replace(model.pairs[0], covariances=model.pairs[0].covariances * [[[0]], [[1]]])
    promises = Promises.on([(replace(model, pairs=(flat,)), 1.0, 1e-3)])
    assert (promises.deltas(np.zeros((1, 2, 2))) == 1).all()
    assert (promises.deltas(np.eye(2)[None] * 1e4) < 1).all()
