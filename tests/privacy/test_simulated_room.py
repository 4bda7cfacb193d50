"""How sure it is that noise keeps a promise about simulated statistics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

import distpriv as dp
from distpriv.privacy.simulated_room import SimulatedRoom, delta_with_room, simulated_room


@given(st.floats(0.1, 5), st.floats(1e-9, 0.2), st.floats(-1, 1))
def test_room_is_taken_and_given_back(epsilon: float, delta: float, room: float) -> None:
    less = delta_with_room(epsilon, delta, room)
    assert (less > delta) == (room > 0) or less == pytest.approx(delta)
    assert delta_with_room(epsilon, less, -room) == pytest.approx(delta, rel=1e-6)


def test_the_least_room_holds_for_all_losses_together() -> None:
    known = SimulatedRoom(np.array([0.3, 0.1]), np.array([0.1, 0.01]), 98)
    away = t.isf(0.005, 98)
    assert known.least(0.01) == pytest.approx(min(0.3 - 0.1 * away, 0.1 - 0.01 * away))


def test_room_is_nothing_where_the_simulated_normals_just_keep(
    people: pd.DataFrame, pair: dp.Pair
) -> None:
    model = dp.fit_gaussian(
        people, dp.Query([dp.Median("age")]), pair, 60, method="monte-carlo", subsets=4000, rng=1
    )
    delta = 1e-2
    known = simulated_room(model, None, 0.5, float(dp.delivered_delta(model, None, 0.5)))
    assert known is not None
    assert known.room.min() == pytest.approx(0, abs=1e-6)
    assert (known.errors > 0).all()
    assert known.freedom == 99
    noise = dp.calibrate("ExpM(L)", model, 1.0, delta)
    assert simulated_room(model, noise, 1.0, delta) is None
