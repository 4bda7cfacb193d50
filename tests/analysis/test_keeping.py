"""Three states of a promise, by one rule."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.keeping import NO_PROMISE, Keeping, keeping


@pytest.mark.parametrize(
    ("delivered", "promised", "allowed", "words", "color"),
    [
        (0.9e-3, 1e-3, 1e-3, "kept", "green"),
        (1e-3 * (1 + 1e-7), 1e-3, 1e-3, "kept", "green"),
        (1.00002e-3, 1e-3, 1e-3, "missed slightly, 1.01 times", "orange"),
        (1.1e-3, 1e-3, 1e-3, "missed slightly, 1.1 times", "orange"),
        (1.11e-3, 1e-3, 1e-3, "missed, 1.11 times", "red"),
        (2e-2, 1e-3, 1e-3, "missed, 20 times", "red"),
        (0.0, 0.0, 1e-3, "kept", "green"),
        (9e-4, 0.0, 1e-3, "missed slightly", "orange"),
        (2e-3, 0.0, 1e-3, "missed", "red"),
        (9e-4, 0.0, 0.0, "missed", "red"),
    ],
)
def test_the_three_states(delivered, promised, allowed, words, color) -> None:
    found = keeping(delivered, promised, allowed)
    assert (found.words, found.color) == (words, color)
    assert found.kept == (words == "kept")


def test_a_tenth_more_gains_few_guesses() -> None:
    for delta in (1e-6, 1e-3, 0.1):
        for epsilon in (1e-3, 1.0, 10.0):
            gained = dp.privacy.accuracy_ceiling(epsilon, 1.1 * delta) - (
                dp.privacy.accuracy_ceiling(epsilon, delta)
            )
            assert gained <= delta / 20 * (1 + 1e-9)


def test_undone_noise_keeps_nothing_and_none_is_promised_by_others() -> None:
    assert keeping(0.0, 1e-3, undone=True).state == "missed"
    assert NO_PROMISE.words == "nothing promised"
    assert not NO_PROMISE.kept
    assert Keeping("kept").words == "kept"
    assert math.isnan(NO_PROMISE.ratio)


def test_of_a_scenario(people: pd.DataFrame, rich: dp.SensitiveProperty) -> None:
    query = dp.Query([dp.Mean("age"), dp.Mean("hours")])
    scenario = dp.Scenario(
        secret=rich, query=query, center=0.4, width=0.2, n=60, epsilon=1.0, delta=0.01
    )
    evaluation = dp.evaluate(scenario, people)
    assert evaluation.promise.state == "kept"
    for mechanism in ("OptM", "ExpM", "DirM(L)"):
        own = dp.evaluate(replace(scenario, mechanism=mechanism, calibration="exact"), people)
        promised = own.noise.delta
        assert own.promise == keeping(own.delivered_delta, promised, 0.01, undone=own.undone)
        assert own.promise == evaluation.promise_of(own.noise)
    assert evaluation.of("CoupM").promise.state == "kept"
    assert evaluation.of("DP").promise is NO_PROMISE
