"""The exponent along a contour, by which everything about two normals is integrated."""

from __future__ import annotations

import numpy as np
import pytest

from distpriv import contours


@pytest.mark.parametrize("size", [1, 2, 5, 6])
@pytest.mark.parametrize("bend", [0.0, 0.5, -0.5])
def test_two_logarithms_in_one_keep_to_their_branch(size: int, bend: float) -> None:
    rng = np.random.default_rng(size)
    spread = np.exp(rng.normal(0, 2.0, (80, size)))
    shift, epsilons = rng.normal(0, 2.0, (80, size)), rng.uniform(0, 3, 80)
    known = contours.suprema(shift, spread) > epsilons + 1e-9
    spread, shift, epsilons = spread[known], shift[known], epsilons[known]
    saddle, width = contours._saddle(shift, spread, epsilons)
    turn = np.linspace(0, 8, 60)
    s = saddle[:, None] + width[:, None] * (1j * np.sinh(turn) + bend * (np.cosh(turn) - 1))
    inner = 1 + s[..., None] * (1 - 1 / spread)[:, None, :]
    # Where the arguments of two factors add up to more than half a turn.
    assert size == 1 or bend == 0 or (np.abs(np.angle(inner[..., :2]).sum(axis=-1)) > np.pi).any()
    mean = (np.log(spread) + shift**2 / spread).sum(axis=1) / 2 - epsilons
    squares = (s[..., None] ** 2 * ((shift / spread) ** 2)[:, None, :] / inner).sum(axis=-1)
    plain = (squares - np.log(inner).sum(axis=-1)) / 2 + s * mean[:, None]
    plain -= np.log(s) + np.log(s + 1)
    apart = contours._exponent(s, shift, spread, epsilons) - plain
    scale = 1e-12 * (1 + np.abs(squares) + np.abs(s * mean[:, None]))
    assert (np.abs(apart.real) <= scale).all()
    assert (np.abs(np.exp(1j * apart.imag) - 1) <= scale).all()
