"""Pictures of promises, from a model: what is drawn where, and what screen readers say."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from distpriv import plot
from distpriv.analysis.guarantee import (
    NEAR,
    extra_noise,
    knowing_frame,
    profile_frame,
    relaxed_frame,
    repeated_frame,
)
from distpriv.charts import guarantee
from distpriv.model import Promise
from distpriv.privacy import delivered_delta, optimal_attack_accuracy, privacy_loss
from distpriv.privacy.meaning import knowing


def test_curve_runs_through_the_cross_and_balanced_at_zero(model, releases):
    frame = profile_frame(model, releases, 3.0, points=4)
    noise = frame[frame["way"] == "OptM"]
    given = [delivered_delta(model, releases[1], epsilon) for epsilon in range(4)]
    assert noise["delta"].to_numpy() == pytest.approx(given, rel=1e-9)
    assert given[0] == pytest.approx(0.2, rel=1e-4)  # right 60 of 100
    figure = plot.promised_and_delivered(model, releases)
    drawn = {one.name: one for one in figure.data}
    assert (drawn["promised, OptM"].x[0], drawn["promised, OptM"].y[0]) == (0, pytest.approx(0.2))
    zero = figure.layout.yaxis.tickvals[figure.layout.yaxis.ticktext.index("0")]
    assert set(drawn["BalM"].y) == {zero}
    assert 10 ** figure.layout.yaxis.range[0] < zero
    words = guarantee.profile_alt(frame, {"promised": (0.0, 0.2)})
    assert words == (
        f"δ against ε. δ at ε = 0: As they are {frame['delta'].iloc[0]:.2g}, OptM 0.2, Balanced 0. "
        "promised: δ = 0.2 at ε = 0."
    )


def test_relaxed_promise_holds_for_other_laws_that_are_as_near(model, releases):
    off, (pair,) = 0.1, model.pairs
    frame = relaxed_frame(model, releases[1], off, points=31).set_index("way")
    levels = frame.loc[NEAR, "epsilon"].to_numpy()
    for factors in itertools.product([1 + off, 1, 1 / (1 + off)], repeat=2):
        laws = pair.covariances * np.square(factors)[:, None, None]
        groups = replace(pair.groups, records=None)
        moved = replace(model, pairs=(replace(pair, covariances=laws, groups=groups),))
        reached = privacy_loss(moved, releases[1]).delta(levels)
        assert (reached <= frame.loc[NEAR, "delta"] * (1 + 1e-9)).all()
        if factors[0] == factors[1]:
            assert (reached <= frame.loc["this scatter", "delta"] * (1 + 1e-9)).all()
    first = frame.loc[NEAR].iloc[0]
    at_most = frame.loc["as assumed", "delta"].iloc[0] + 2 * first["eta"]  # of distances, λ = 0
    assert (first["lambda"], first["delta"]) == (0, pytest.approx(at_most))
    names = [one.name for one in guarantee.profile(frame.reset_index(), {}).data]
    assert names == ["as assumed", "this scatter", NEAR]


def test_extra_noise_covers_how_far_stretched_laws_move(model):
    scale, left = extra_noise(model, Promise(1.0, 1e-3), off=0.2, cost=0.5, mass=0.01)
    rng = np.random.default_rng(5)
    outside = [  # a table of the assumed law, stretched by a fifth, moves further than W
        (0.2 * np.abs(rng.multivariate_normal(0 * mean, law, 100_000)).sum(axis=1) > 0.5 * scale)
        for mean, law in zip(model.pairs[0].means, model.pairs[0].covariances, strict=True)
    ]
    assert np.mean(outside, axis=1).max() == pytest.approx(0.01, rel=0.1)
    assert left.epsilon == 2.0
    assert left.delta == pytest.approx(np.exp(0.5) * 1e-3 + (1 + np.exp(1.5)) * 0.01)


def test_repeated_noise_averages_out_and_balanced_figures_stay(model, releases):
    frame = repeated_frame(model, releases, Promise.of_guesses(60)).set_index(["way", "releases"])
    tenth = type(releases[1])(covariance=releases[1].covariance / 10)
    expected = 100 * optimal_attack_accuracy(model, tenth)
    assert frame.loc[("OptM", 10), "guesses"] == pytest.approx(expected)
    assert frame.loc["BalM", "guesses"].to_numpy() == pytest.approx(50)
    assert np.ptp(frame.loc["as it is", "guesses"]) == 0
    assert frame.loc[("OptM", 1), "kept"]
    assert not frame.loc[("OptM", 2), "kept"]


def test_attackers_who_know_records_are_right_more_often(model, releases):
    frame = knowing_frame(model, releases, known=5)
    lines = frame.groupby("way")["guesses"]
    assert lines.apply(lambda line: line.is_monotonic_increasing).all()
    one = frame[(frame["way"] == "OptM") & (frame["known"] == 5)]
    assert one["guesses"].item() == pytest.approx(100 * knowing(model, releases[1], 5))
    few = 2 * min(pair.numbers.min() for pair in model.pairs)
    assert knowing_frame(model, releases[:1], known=int(few))["known"].max() == few
    assert knowing_frame(model, releases[:1], known=int(few) + 1)["known"].max() < few
    figure = plot.attackers_who_know(model, releases)
    ends = [text for text in figure.layout.annotations if text.xref == "paper" and text.x == 1]
    heights = sorted(text.y for text in ends)
    assert {text.text for text in ends} == {"As they are", "OptM", "Balanced", "you accept"}
    assert min(np.diff(heights)) > 0.06 * np.ptp(figure.layout.yaxis.range)
    assert "Balanced: right 50\u00a0times in\u00a0100 at 0" in guarantee.attackers_alt(
        frame, "known"
    )
    assert plot.repeated_releases(model, releases).layout.xaxis.range == (1, 20)


def test_joint_risk_of_one_release_is_a_line_with_whole_numbers():
    frame = pd.DataFrame({"way": ["so far", "so far", "OptM", "OptM"], "count": [0, 1, 1, 2]})
    frame["guesses"] = [50.0, 57.5, 57.5, 61.2]
    figure = guarantee.attackers(frame, "count", "releases", limit=60.0)
    assert [list(one.y) for one in figure.data] == [[50.0, 57.5], [57.5, 61.2]]
    assert (figure.layout.xaxis.dtick, figure.layout.shapes[0].y0) == (1, 60)
    assert {"so far", "OptM", "you accept"} <= {one.text for one in figure.layout.annotations}
    assert not guarantee.attackers(frame, "count", "releases", limit=None).layout.shapes
    assert "OptM: right 61\u00a0times in\u00a0100 at 2" in guarantee.attackers_alt(frame, "count")
