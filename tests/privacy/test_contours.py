"""Integrals along contours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distpriv.privacy.contours import contours


@given(st.integers(0, 10**6), st.floats(0.05, 5.0))
@settings(max_examples=20)
def test_half_the_points_are_enough(seed, epsilon):
    rng = np.random.default_rng(seed)
    shift, spread = rng.normal(size=(5, 3)), np.exp(0.3 * rng.normal(size=(5, 3)))
    spread[:, 0] = 0.7  # so that no loss is bounded
    both = [contours(shift, spread, np.full(5, epsilon), stride).deltas for stride in (1, 2)]
    assert both[1] == pytest.approx(both[0], rel=1e-4)
