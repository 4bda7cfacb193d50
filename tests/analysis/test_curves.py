"""Lines against ε and Δp: in workers as beside them, and where they meet what is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from distpriv.analysis import curves, evaluate, frames
from distpriv.analysis.limits import ErrorLimit, choose
from distpriv.model.simulate import simulate
from distpriv.privacy import optimal_attack_accuracy
from distpriv.queries import Count, Mean
from distpriv.sources import fit_gaussian

FEMALE = Count("sex", "Female")


def done(work):
    """Do a page's work as workers do it."""
    _, function, shared, calls = work
    return pd.concat([function(shared(), *call) for call in calls], ignore_index=True)


def test_right_guesses_against_width_are_those_of_a_fit_to_each_range(now):
    frame = done(now.reach())
    assert set(frame["release"]) == {"as it is", "OptM", "BalM"}
    assert frame.loc[frame["release"] == "BalM", "width"].max() == 10  # where its range ends
    table, noise = now.source.frame, now.way.release
    for width, release in ((10, noise), (30, noise), (30, None)):
        pair = replace(now.pair, low=0.25 - width / 200, high=0.25 + width / 200)
        model = fit_gaussian(table, now.query, pair, 100, replacement=True)
        chosen = frame[(frame["release"] == ("OptM" if release else "as it is"))]
        found = chosen.loc[np.isclose(chosen["width"], width), "guesses"].item()
        assert found == pytest.approx(100 * optimal_attack_accuracy(model, release), abs=1e-6)


@pytest.mark.parametrize("statistics", [(FEMALE,), (Mean("age"), Mean("hours-per-week"))])
def test_workers_give_the_lines_of_this_process(asked, statistics):
    """With one count the exact law decides in both."""
    now = asked(statistics=statistics)
    lines, shares = done(now.lines(["DauM"], by="epsilon")), done(now.reach())
    pd.testing.assert_frame_equal(lines, curves.epsilon_frame(now.model, ["DauM"], **now._options))
    means = 100 * (lines.filter(like="± ") / now.ruler).mean(axis=1)
    assert lines["error"].to_numpy() == pytest.approx(means.to_numpy())
    own = shares[np.isclose(shares["width"], 10)].set_index("release")["guesses"]
    assert own["OptM"] == pytest.approx(now.way.guesses, abs=1e-9)
    *work, calls = now.wider()
    few = curves.width_frame(now.model, now.promise, widths=[0.1], **now._options)
    there = done((*work, [call for call in calls if call[1]["widths"] == [0.1]]))
    pd.testing.assert_frame_equal(there, few)


@pytest.mark.parametrize("mechanism", ["OptM", "EigM", "ExpM"])
@pytest.mark.parametrize("limit", [{"guesses": 70.0}, {"by": "epsilon", "epsilon": 2.0}])
def test_setting_lies_on_the_line_of_its_mechanism(asked, mechanism, limit):
    """EigM's noise for 70 right guesses differs by 3 % from that for ε and as many."""
    now = asked(mechanism=mechanism, **limit)
    line = done(now.lines([mechanism])).sort_values("guesses")
    for across, here in (("guesses", now.way.guesses), ("epsilon", now.epsilon)):
        height = np.interp(here, line[across], line["error"])
        if limit.get("guesses"):
            assert height == pytest.approx(now.way.percent, rel=1e-6)
        else:  # between two points of the line
            assert height == pytest.approx(now.way.percent, rel=0.02)


def test_accepted_errors_lead_to_an_epsilon_and_back_to_a_limit(asked):
    now = asked(statistics=(Mean("age"), FEMALE))
    *work, _ = now.accepting((ErrorLimit("mean age", 1.0),))
    found = done((*work, [(choose, {"names": ["OptM"]})]))
    changes = now.as_limit(*found.loc[0, ["mechanism", "epsilon"]])
    assert 0.98 < evaluate(replace(now.scenario, **changes), now.source).way.errors[0] <= 1
    assert now.as_limit("DauM", 0.0123456)["epsilon"] == 0.0124
    assert now.as_limit("DauM", 1.1)["epsilon"] == 1.1


def test_promise_alone_allows_what_its_odds_say(now):
    """Whatever the data: e^ε/(1 + e^ε) is 0.5250, 0.7311 and 0.8808 at ε = 0.1, 1 and 2."""
    allowed = curves.ceiling(np.array([0.1, 1.0, 2.0]), 0.0)
    assert allowed == pytest.approx([52.498, 73.106, 88.080], abs=1e-3)
    lines = curves.epsilon_frame(now.model, ["OptM"], **now._options)
    frame = now.ceiling(lines)
    last = frame.groupby("release").last()["guesses"]
    assert last["ceiling"] == pytest.approx(100)
    assert (last["BalM"], last["as it is"]) == (50, pytest.approx(now.undefended))
    assert len(now.ceiling(lines.head(0))) == 3 * len(curves.EPSILONS)


def test_points_are_means_of_repetitions_with_students_interval():
    """Of 60, 50, 58: mean 56, deviation √28, t(2; 0.975) = 4.302653."""
    runs = [("OptM", 10.0, right) for right in (0.6, 0.5, 0.58)]
    (row,) = frames.points_frame([*runs, ("OptM", 20.0, 0.6)], "width").itertuples()
    assert (row.release, row.width, row.guesses) == ("OptM", 10, pytest.approx(56))
    assert row.high - row.guesses == pytest.approx(4.302653 * np.sqrt(28 / 3), rel=1e-6)
    grown = frames.attack_frame({"OptM": np.array([0.6, 0.5, 0.58])}).iloc[-1]
    assert (grown["low"], grown["high"]) == pytest.approx((row.low, row.high))
    assert row.low + row.high == pytest.approx(2 * 56)
    none, some = frames.points_frame((), "width"), frames.points_frame(runs, "width")
    assert [*none.columns] == [*some.columns]


def test_precision_ends_in_a_coin_toss_and_agrees_with_the_rates(now):
    frame = now.recalls()
    last = frame.groupby("release").last()
    assert last["precision"].to_numpy() == pytest.approx(50, abs=1e-6)
    assert last["f_score"]["BalM"] == pytest.approx(2 / 3)
    rng, pair = np.random.default_rng(1), now.model.pairs[0]
    low, high = (
        rng.multivariate_normal(mean, covariance, 100_000)
        for mean, covariance in zip(pair.means, pair.covariances, strict=True)
    )
    # The linear attacker is nearly the best one, as both covariances nearly are the same.
    weights = np.linalg.solve(pair.pooled, -pair.difference)
    threshold = np.median(high @ weights)
    precision = 0.5 / (0.5 + (low @ weights > threshold).mean())
    plain = frame[(frame["release"] == "as it is") & np.isclose(frame["recall"], 50)]
    assert plain["precision"].item() == pytest.approx(100 * precision, abs=0.7)


def test_beliefs_are_bayes_rule_on_one_simulated_table(now):
    """By the densities of normals, written out; balanced figures leave all shares as they are."""
    frame, side = now.beliefs()
    held = {name: part["belief"].to_numpy() for name, part in frame.groupby("release")}
    assert held["BalM"] == pytest.approx(held["prior"])
    assert held["prior"] == pytest.approx(1)
    assert all(one.mean() == pytest.approx(1) for one in held.values())
    rng, pair = np.random.default_rng(now.scenario.seed), now.model.pairs[0]
    assert rng.integers(2) == side
    figures = simulate(now.model, 0, 1, rng)[side, 0]
    logs = [
        -0.5 * (away @ np.linalg.solve(covariance, away) + np.linalg.slogdet(covariance)[1])
        for away, covariance in zip(figures - pair.means, pair.covariances, strict=True)
    ]
    plain = held["as it is"]
    assert np.log(plain[-1] / plain[0]) == pytest.approx(logs[1] - logs[0], abs=1e-6)


def test_tests_of_the_fit_name_each_figure_and_all_together(now, asked):
    frame = now.tests()
    assert len(frame) == 2 * (len(now.labels) + 1)
    assert frame["p"].between(0, 1).all()
    assert frame["p"].min() > 1e-3
    assert set(asked(statistics=(Mean("age"),)).tests()["statistic"]) == {"mean age"}
