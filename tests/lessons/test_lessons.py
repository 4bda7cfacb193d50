"""The tour: every value computes, one option holds by computation, and figures are as elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import distpriv as dp
from distpriv.errors import DistprivError
from distpriv.lessons import QUESTIONS, ROUNDS, STEPS, Progress, links, released, rounds
from distpriv.model.simulate import draw_subsets, records_of

STEP = {step.key: step for step in STEPS}


@pytest.fixture(scope="module")
def model():
    """The example's model by the public functions alone."""
    statistics = [dp.Mean("age"), dp.Mean("education-num")]
    statistics += [dp.Count("marital-status", "Never-married"), dp.Count("sex", "Female")]
    query = dp.Query([*statistics, dp.Mean("hours-per-week")])
    pair = dp.Pair(dp.SensitiveProperty("income", ">50K"), 0.2, 0.3)
    return dp.fit_gaussian(dp.load_census_income(), query, pair, n=100, replacement=True)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.key)
def test_every_value_of_a_step_fills_its_texts_and_one_option_holds(step):
    right = step.show(None, 3).right
    for value in step.choices(3):
        shown = step.show(value, 3)
        texts = [step.text(name, shown) for name in ("intro", "answer", "sentence", "note")]
        texts += [step.text("options", shown, option) for option in range(3)]
        assert not [text for text in texts if "{" in text or "nan" in text]
        assert shown.right == right in range(3)  # what the question asks does not move


def test_reprs_of_steps_and_of_what_they_show_are_short():
    assert repr(STEPS[1]) == "Step(key='bells')"
    assert len(repr(STEPS[1].show(20))) < 100


def test_a_value_that_the_control_has_not_is_a_sentence():
    with pytest.raises(DistprivError, match=r"^noise has no value 61; take 52, 54"):
        STEPS[2].show(61)


def test_the_game_is_drawn_by_its_seed_and_the_best_attacker_is_as_often_right(model):
    played = rounds(5, 4000)
    right = 100 * np.mean([one.share == one.best for one in played])
    best = 100 * dp.optimal_attack_accuracy(model)
    assert right == pytest.approx(best, abs=3 * np.sqrt(best * (100 - best) / 4000))
    shown = STEP["attacker"].show(None, 5)
    assert shown.truth == pytest.approx(best)
    ends = tuple(stats.binom.interval(0.95, ROUNDS, 0.5))
    assert (shown.figures["low"], shown.figures["high"]) == ends
    assert float(released(2, 5)["table"][2]) == rounds(5)[2].figures[2]
    assert not released(2, 5).equals(released(2, 6))


def test_what_is_left_out_is_what_the_best_attacker_misses_most(model):
    pair = model.pairs[0]
    first = [
        100 * stats.norm.cdf(np.sqrt(d @ np.linalg.solve(law, d)) / 2)
        for some in (np.delete(np.arange(5), place) for place in range(5))
        for d, law in [(pair.difference[some], pair.pooled[np.ix_(some, some)])]
    ]
    gone = STEP["attacker"].show(1).figures["gone"]
    assert gone == f"*{model.query.statistics[int(np.argmin(first))].title}*"
    after = STEP["attacker"].show(1).frame["guesses"].iloc[-1]
    assert after == pytest.approx(min(first), abs=0.2)  # unequal covariances beside pooled ones


@pytest.mark.parametrize("records", STEP["bells"].choices())
def test_bells_are_as_far_apart_as_the_root_of_the_records(model, records):
    reached = STEP["bells"].show(records).frame["guesses"].iloc[-1]
    distance = model.pairs[0].distance() * np.sqrt(records / 100)
    assert reached == pytest.approx(100 * stats.norm.cdf(distance / 2), abs=0.6)


def test_noise_is_what_calibration_gives(model):
    noise = dp.calibrate("OptM", model, guesses=60, units=np.abs(model.pairs[0].means).mean(axis=0))
    error = noise.expected_absolute_errors() / np.abs(model.pairs[0].means).mean(axis=0)
    assert STEP["noise"].show(60).truth == pytest.approx(100 * error.mean(), rel=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_arithmetic_finds_the_counts_along_the_known_direction(model, seed):
    shown = STEP["arithmetic"].show(None, seed)
    d, frame = model.pairs[0].difference, shown.frame
    x, y = (shown.figures[name] for name in "xy")
    left = y - d[3] / d[2] * (x - frame["tried"])
    np.testing.assert_allclose(frame["left"], left, atol=1e-6)
    fits = frame[frame["off"] < 1e-6]
    assert shown.truth in fits["tried"].to_list()
    assert shown.figures["second"] in fits["left"].round(6).to_list()
    assert shown.right == 0 or shown.figures["fits_far"] > 1
    assert shown.truth <= max(STEP["arithmetic"].choices(seed))


def test_only_noise_on_every_figure_keeps_the_promise_of_the_published_defence(model):
    for epsilon in (0.3, 0.5, 1.0):
        shown = STEP["failing"].show(epsilon)
        published = dp.calibrate("DauM", model, epsilon, 1e-3, calibration="exact", grid_safe=False)
        assert shown.truth == pytest.approx(100 * dp.optimal_attack_accuracy(model, published))
        allowed = 100 * (np.exp(epsilon) + 1e-3) / (1 + np.exp(epsilon))
        reached = [shown.figures[name] for name in ("more", "two", "safe")]
        assert [one <= allowed for one in reached] == [False, False, True]
        assert shown.right == 2
        assert shown.figures["low"] < shown.truth < shown.figures["high"]


def test_only_records_that_are_chosen_anew_give_balanced_figures_away(model):
    shown = STEP["balanced"].show()
    reached = [shown.figures[name] for name in ("normal", "told", "anew")]
    assert [one > 50 for one in reached] == [False, False, True]
    assert shown.right == 2
    # Simulated: what an attacker learns from how 20 releases of a table differ.
    rng, pair = np.random.default_rng(8), model.pairs[0]
    records, spreads = records_of(pair.groups), []
    for numbers in pair.numbers.astype(int):
        for _ in range(60):
            groups = [
                group[rng.integers(len(group), size=size)]
                for group, size in zip(records, numbers, strict=True)
            ]
            releases = np.zeros((20, 5))
            for group, size, kept, stands in zip(groups, numbers, (70, 20), (75, 25), strict=True):
                chosen = draw_subsets(size, kept, 20, rng)
                releases += stands / kept * group[chosen].sum(axis=1) * model.scales
            spreads.append(releases - releases.mean(axis=0))
    spreads = np.array(spreads).reshape(2, 60, 20, 5)
    laws = [np.cov(some[:30].reshape(-1, 5).T) * 20 / 19 for some in spreads]
    logs = [
        -np.einsum("stri,ij,strj->st", spreads[:, 30:], np.linalg.inv(law), spreads[:, 30:]) / 2
        - 19 / 2 * np.linalg.slogdet(law)[1]
        for law in laws
    ]
    right = ((logs[1] > logs[0]) == np.array([[False], [True]])).mean()
    assert 100 * right == pytest.approx(reached[2], abs=6)


def test_a_limit_ends_in_the_recommended_way(model):
    for limit in STEP["limit"].choices():
        frame = STEP["limit"].show(limit).frame
        kept = frame[frame["kept"].astype(bool) & (frame["way"] != "No data")]
        advice = STEP["limit"].show(limit).figures["advice"]
        best = kept.loc[kept["error"].idxmin(), "way"]
        words = {"Balanced": "balanced", "Noise, OptM": "OptM", "As they are": "as they are"}
        assert words[best] in advice


def test_a_pair_hands_in_what_it_did_and_wrote():
    mine = Progress(pair=7)
    for number in (0, 0, 1):  # a second click counts for nothing
        mine.call(number, 1)
    assert mine.calls == [1, 1]
    mine.guesses |= {"attacker": 2, "noise": 12.5, "bells": None}
    mine.chosen["noise"] = 1
    mine.texts[QUESTIONS[1]] = "a < b\n<img src=x>"
    page = mine.export()
    assert "<title>Tour, pair 7</title>" in page
    truth = STEP["noise"].write(STEP["noise"].show().truth)
    assert f"Guessed: 12.5 %. It is: {truth}." in page
    assert f"the best attacker: {mine.score()[1]} of 10." in page
    assert "(right)" in page
    assert "a &lt; b\n&lt;img src=x&gt;" in page
    assert page.count("Guessed") == 2
    assert page.count("<h2>") == 3 + len(QUESTIONS)  # no answer that has not been shown
    assert mine.done() == (3, 1)
    assert links("http://h/tour", 2) == ["http://h/tour?pair=1", "http://h/tour?pair=2"]
