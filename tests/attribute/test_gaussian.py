"""Noise of the Gaussian mechanism for datasets against the paper's hospital and its errata."""

from __future__ import annotations

import math

import numpy as np
import pytest

from distpriv.attribute import Assumption, attribute_private_gaussian, noise_by_release
from distpriv.errors import DistprivError
from distpriv.privacy import NormalLoss


# Section 4.2 of Zhang et al. (2022), n = 50, ε = 1, δ = 1e-3, classical calibration; their means of
# 100 runs are 18.90, 7.40 and 0 (erratum 6: σ² = 0.00022 > 0).
@pytest.mark.parametrize(
    ("shift", "variance", "error"), [(6.125, 4.5, 18.38), (2.5, 2, 7.45), (0.075, 0.08, 0.012)]
)
def test_noise_of_the_hospital_has_the_expected_error(shift, variance, error):
    noise = attribute_private_gaussian([shift], [variance], 1, 1e-3, "classical")
    assert noise.expected_absolute_error == pytest.approx(error, abs=0.006)
    assert noise.accuracy(0.05) == pytest.approx(1.959964 * math.sqrt(noise.variance))


def test_exact_noise_delivers_just_what_it_promises():
    noise = attribute_private_gaussian([2.0, 1.0], [[[4.0, 0], [0, 0.5]]] * 2, 0.7, 1e-3)
    assert noise.binding == 0
    total = np.array([[noise.variance + 0.5]])  # the direction that varies least
    loss = NormalLoss.between(np.array([2.0]), total, total)
    assert float(loss.delta(0.7)) == pytest.approx(1e-3)
    assert attribute_private_gaussian([0.1], [4.0], 1, 1e-3).variance == 0
    several = attribute_private_gaussian([[1.0, 2.0]], [[3.0, 0.5]], 0.7, 1e-3)  # distributions
    assert several.variance == pytest.approx(noise.variance)


def test_assumptions_give_each_release_the_noise_of_its_binding_share():
    rows = [
        Assumption("weight", "women", (9, 24.5), (15, 20), 0.25, 50),
        Assumption("weight", "smokers", (0, 1), (15, 15), 0.25, 50),
        Assumption("pressure", "women", (6, 10), (10, 10), 0.25, 50),
    ]
    frame = noise_by_release(rows, 1, 1e-3, "classical")
    assert frame.loc["weight", "protected"] == "women"
    assert frame.loc["weight", ["sensitivity", "variance"]].tolist() == [6.125, 4.5]
    box = Assumption.of_gaussian("x", "y", (1.0, 2.0), (2.0, 3.0), (5.0, 6.0), 0.25, 50)
    assert (box.sensitivity, box.variance) == (0.25, pytest.approx((5 - 4 / 2) / 50))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: attribute_private_gaussian([1.0], [1.0, 2.0], 1, 1e-3), "shapes"),
        (lambda: attribute_private_gaussian([-1.0], [1.0], 1, 1e-3), "sensitivity"),
        (lambda: attribute_private_gaussian([1.0], [1.0], 0, 1e-3), "ε must"),
        (lambda: attribute_private_gaussian([1.0], [1.0], 1, 1e-3, "guarded"), "calibration"),
        (lambda: Assumption("x", "y", (2, 1), (1, 1), 0.5, 50), "lower to its upper"),
        (lambda: Assumption("x", "y", (1, 2), (1, 1), 0.5, 0), "whole number"),
        (lambda: Assumption.of_gaussian("x", "y", (9, 9), (1, 1), (5, 5), 0.5, 5), "above 1"),
        (lambda: noise_by_release([], 1, 1e-3), "at least one"),
    ],
)
def test_numbers_out_of_their_domain_are_a_sentence(make, words):
    with pytest.raises(DistprivError, match=words):
        make()
