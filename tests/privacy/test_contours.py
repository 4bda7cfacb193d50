"""Integrals along contours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distpriv.privacy import contours as exponents
from distpriv.privacy.contours import contours


@given(st.integers(0, 10**6), st.floats(0.05, 5.0))
@settings(max_examples=20)
def test_half_the_points_are_enough(seed, epsilon):
    rng = np.random.default_rng(seed)
    shift, spread = rng.normal(size=(5, 3)), np.exp(0.3 * rng.normal(size=(5, 3)))
    spread[:, 0] = 0.7  # so that no loss is bounded
    both = [contours(shift, spread, np.full(5, epsilon), stride).deltas for stride in (1, 2)]
    assert both[1] == pytest.approx(both[0], rel=1e-4)


@pytest.mark.parametrize("size", [1, 2, 5, 6])
@pytest.mark.parametrize("bend", [0.0, 0.5, -0.5])
def test_two_logarithms_in_one_keep_to_their_branch(size: int, bend: float) -> None:
    rng = np.random.default_rng(size)
    spread = np.exp(rng.normal(0, 2.0, (80, size)))
    shift, epsilons = rng.normal(0, 2.0, (80, size)), rng.uniform(0, 3, 80)
    known = exponents.suprema(shift, spread) > epsilons + 1e-9
    spread, shift, epsilons = spread[known], shift[known], epsilons[known]
    saddle, width = exponents._saddle(shift, spread, epsilons)
    turn = np.linspace(0, 8, 60)
    s = saddle[:, None] + width[:, None] * (1j * np.sinh(turn) + bend * (np.cosh(turn) - 1))
    inner = 1 + s[..., None] * (1 - 1 / spread)[:, None, :]
    # Where the arguments of two factors add up to more than half a turn.
    assert size == 1 or bend == 0 or (np.abs(np.angle(inner[..., :2]).sum(axis=-1)) > np.pi).any()
    mean = (np.log(spread) + shift**2 / spread).sum(axis=1) / 2 - epsilons
    squares = (s[..., None] ** 2 * ((shift / spread) ** 2)[:, None, :] / inner).sum(axis=-1)
    plain = (squares - np.log(inner).sum(axis=-1)) / 2 + s * mean[:, None]
    plain -= np.log(s) + np.log(s + 1)
    apart = exponents._exponent(s, shift, spread, epsilons) - plain
    scale = 1e-12 * (1 + np.abs(squares) + np.abs(s * mean[:, None]))
    assert (np.abs(apart.real) <= scale).all()
    assert (np.abs(np.exp(1j * apart.imag) - 1) <= scale).all()


def test_an_epsilon_beyond_all_doubles_leaves_nothing():
    shift, spread = np.array([[19.28463077]]), np.array([[1.00118034]])
    assert contours(shift, spread, np.array([1.59281992e19])).deltas == 0
