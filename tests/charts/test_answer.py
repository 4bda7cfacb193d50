"""The answer in a picture."""

import numpy as np
import pytest

import distpriv as dp
from distpriv.charts.answer import overlap, scores, shifts
from distpriv.charts.data import figure_data

PAIR = dp.SensitiveProperty("a<b>", "x").pair(0.5, 0.1)


@pytest.fixture
def fit():
    covariance = np.diag([4.0, 1.0])
    thetas = (dp.model.Theta(PAIR.secret, 0.45, 100), dp.model.Theta(PAIR.secret, 0.55, 100))
    return dp.PairModel(
        PAIR, thetas, np.array([[1.0, 5.0], [3.0, 4.5]]), np.array([covariance, covariance])
    )


def test_overlap_has_two_curves_a_panel_that_far_apart():
    figure = overlap(PAIR, (1.4, 0.758), (0.4, 0.579), "DauM")
    assert len(figure.data) == 4
    peaks = [trace.x[np.argmax(trace.y)] for trace in figure.data]
    assert peaks[1] - peaks[0] == pytest.approx(1.4)
    assert peaks[3] - peaks[2] == pytest.approx(0.4)
    assert "75.8" in figure.layout.meta["alt"]
    assert "57.9" in figure.layout.meta["alt"]
    assert figure.layout.meta["how_to_read"]
    assert figure.layout.template.layout.paper_bgcolor is None


def test_overlap_without_a_known_best_attack_leaves_its_panel_out():
    assert len(overlap(PAIR, (1.4, 0.758), None, "ExpM(L)").data) == 2


def test_scores_name_each_release():
    figure = scores(PAIR, {"All <5>": (1.4, 0.758), "Two left": (0.9, 0.674)}, "a < b")
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert titles == [
        "All &lt;5&gt;: right in 75.8\u00a0% of cases",
        "Two left: right in 67.4\u00a0% of cases",
    ]
    assert figure.layout.meta["alt"] == (
        "The best attacker is right in 75.8\u00a0% of cases (All <5>) and 67.4\u00a0% of cases "
        "(Two left)."
    )
    assert "a &lt; b" in figure.layout.title.text


def test_shifts_are_in_standard_deviations_and_point_to_the_larger_share(fit):
    figure = shifts(fit, ["<script>", "b"], ["years", ""])
    assert list(figure.data[0].x) == pytest.approx([1.0, -0.5])
    assert "<script>" not in str(figure.layout.yaxis.ticktext)
    assert figure.data[0].hovertext[0] == "&lt;script&gt; moves by 2\u00a0years"
    assert figure.layout.xaxis.title.text == "shift, in standard deviations"


def test_the_data_can_be_taken_away(fit):
    data = figure_data(shifts(fit, ["a", "b"], ["", ""]))
    assert len(data) == 2


def test_shares_that_nobody_mistakes_stay_on_the_chart():
    figure = overlap(PAIR, (np.inf, 1.0), (0.5, 0.6), "OptM")
    assert all(np.isfinite(np.array(trace.x, dtype=float)).all() for trace in figure.data)
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert titles[0] == "Without noise: right in 100.0\u00a0% of cases (further apart than drawn)"
    assert titles[1] == "With OptM: right in 60.0\u00a0% of cases"
