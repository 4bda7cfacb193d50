"""Error against attack, and what keeps a limit on each."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.analysis.acceptable_error import ErrorLimit
from distpriv.analysis.design import Limit
from distpriv.analysis.frontier import frontier

NAMES = ["ExpM", "DirM(L)", "OptM"]
BUDGET = {"delta": 1e-3, "calibration": "exact"}


def limits(share: float) -> list[ErrorLimit]:
    return [ErrorLimit(place, share, "deviation") for place in range(4)]


def test_lines_are_what_single_noises_come_to(model):
    found = frontier(Limit("accuracy", 0.56), limits(1.0), model, NAMES, **BUDGET)
    assert list(found.lines) == NAMES
    for name in ("ExpM", "OptM"):
        line = found.lines[name]
        assert (np.diff(line.epsilons) > 0).all()
        for place in range(0, len(line.epsilons), 7):
            noise = dp.calibrate(name, model, float(line.epsilons[place]), 1e-3, "exact")
            shares = noise.expected_absolute_errors() / model.standard_deviations
            assert line.errors[place] == pytest.approx(shares.max())
            assert line.reached[place] == pytest.approx(
                dp.optimal_attack_accuracy(model, noise), abs=1e-4
            )
    assert found.undefended == pytest.approx(dp.optimal_attack_accuracy(model), abs=1e-6)


@pytest.mark.parametrize("share", [0.6, 1.5, 4.0])
@pytest.mark.parametrize("bound", [53.0, 60.0, 70.0])
def test_both_limits_are_kept_by_just_those_that_a_grid_finds(model, share, bound):
    limit = Limit("guesses", bound)
    found = frontier(limit, limits(share), model, NAMES, **BUDGET)
    both = {one.mechanism: one for one in found.both}
    for name in NAMES:
        line = found.lines[name]
        kept = (line.errors <= 1) & (line.reached <= bound)
        assert (name in both) == kept.any()
        if name in both:
            assert both[name].low <= line.epsilons[kept].min() * (1 + 1e-9)
            assert both[name].high >= line.epsilons[kept].max() * (1 - 1e-9)


def test_the_nearest_compromise_on_either_side(model):
    limit = Limit("guesses", 53)
    found = frontier(limit, limits(0.5), model, NAMES, **BUDGET)
    assert not found.both
    choice, reached = found.least_attack
    assert reached > 53
    assert choice.used <= 1
    assert reached == min(limit.reached(each.test) for each in found.by_error.choices)
    other = found.least_error
    assert other.used > 1
    noise = dp.calibrate(other.mechanism, model, other.epsilon, 1e-3, "exact")
    assert limit.reached(dp.hypothesis.release_test(model, noise)) <= 53
    shares = noise.expected_absolute_errors() / (0.5 * model.standard_deviations)
    assert other.used == pytest.approx(shares.max())
    assert other.worst == shares.argmax()
    # Neither at the largest ε that keeps the attack nor at any other of a grid is it less.
    for choice in found.by_attack.choices:
        errors = choice.noise.expected_absolute_errors() / (0.5 * model.standard_deviations)
        assert other.used <= errors.max() * (1 + 1e-9)


def test_a_limit_that_nothing_keeps_leaves_the_other_side(model):
    found = frontier(Limit("accuracy", 0.5), limits(1.0), model, NAMES, **BUDGET)
    assert found.by_attack is None
    assert found.least_error is None
    assert found.least_attack is not None
    assert not found.both


def test_a_limit_above_the_undefended_attack_is_no_limit(model):
    found = frontier(Limit("guesses", 95), limits(1.0), model, ["OptM"], **BUDGET)
    assert found.by_attack.needs_no_noise
    assert found.both[0].high == np.inf
