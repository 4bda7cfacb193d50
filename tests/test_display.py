"""What results show of themselves, and how far long work is."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.arrays import generator, integer, number, numbers
from distpriv.attacks import posterior
from distpriv.display import html, tracked
from distpriv.text import one_of
from tests.adult import INCOME, QUERY, model

MODEL = model(INCOME.pair(0.5, 0.1), replacement=True)
NOISE = dp.calibrate("OptM", MODEL, guesses=60)
TABLES = {"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.7, 0.3]]}
NETWORK = dp.BayesianNetwork([("a", "b")], TABLES)
RESULTS = {
    "model": MODEL,
    "release": NOISE,
    "as it is": dp.Release(),
    "balanced": dp.calibrate("BalM", MODEL),
    "promise": dp.Promise(1, 1e-3),
    "persons": dp.Persons(1, 1e-3, {"age": (17, 90)}),
    "loss": dp.privacy_loss(MODEL, NOISE),
    "one loss": dp.privacy_loss(MODEL, NOISE).losses[0],
    "verdict": dp.privacy.verdict(MODEL, NOISE),
    "error": NOISE.best_estimate(MODEL)[2],
    "each": dp.privacy.PerRecord(0.5),
    "joint": dp.joint_release(MODEL, [NOISE, NOISE]),
    "belief": posterior(MODEL, NOISE, MODEL.pairs[0].means[0]),
    "coupling": dp.distances.optimal_coupling([0, 1, 9], [0, 1, 2], 1 / 3),
    "frontier": dp.distances.relaxed_promise(1, 1e-3, [0, 0.1], [0.02, 0.001]),
    "attribute": dp.attribute_private_gaussian([6.1], [4.5], 1, 1e-3),
    "network": NETWORK,
    "quilt": dp.markov_quilt(NETWORK, ["a"], ["b"], {frozenset("b"): 1.0}, 1),
    "test": dp.hypothesis.RecordTest([0.5, 2]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_result_is_a_line_a_table_and_few_names(name):
    result = RESULTS[name]
    text, page = repr(result), result._repr_html_()
    assert len(text) < 160
    assert not set("\n\u00a0\u202f") & set(text)
    assert "array" not in text
    assert isinstance(result.to_frame(), pd.DataFrame)
    assert ("<table" in page) == (name != "as it is")
    assert len(page) < 20_000
    assert not any(one.startswith("_") for one in dir(result))
    assert repr(pickle.loads(pickle.dumps(result))) == text


def test_summary_says_what_each_statistic_tells_and_all_together():
    frame = MODEL.summary({"OptM": NOISE}, {"age": "years"})
    assert list(frame["unit"]) == ["years", "", "records", "records", "", ""]
    assert list(frame["statistic"]) == [*QUERY.labels, "all together"]
    assert frame["guesses"].iloc[-1] == pytest.approx(100 * dp.optimal_attack_accuracy(MODEL))
    assert frame["OptM"].iloc[-1] == pytest.approx(60)
    gap, alone = frame["gap"][0], frame["guesses"][0]
    halves = 100 * 0.5 * (1 + math.erf(abs(gap) / 2 / math.sqrt(2)))
    assert alone == pytest.approx(halves, abs=0.3)  # the two deviations differ a little
    assert gap == pytest.approx((frame["high"] - frame["low"])[0] / frame["deviation"][0])


def test_names_in_tables_are_escaped():
    page = html("<b>", pd.DataFrame({"<i>": ["<script>"]}))
    assert not any(text in page for text in ("<b>", "<i>", "<script>"))


def test_progress_is_shown_where_it_is_wanted_and_goes(capsys, monkeypatch):
    seen = []
    assert list(tracked("abc", 3, "Letters", lambda *pair: seen.append(pair))) == ["a", "b", "c"]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    for _ in tracked("ab", 2, "Letters"):  # no terminal
        pass
    assert not capsys.readouterr().err
    list(tracked("ab", 2, "Letters", True))
    shown = capsys.readouterr().err
    assert "Letters: 1 of 2" in shown
    assert shown.endswith("\r")
    with pytest.raises(TypeError, match="progress"):
        list(tracked("ab", 2, "Letters", "yes"))
    steps = []
    points = np.random.default_rng(0).normal(size=(2, 20, 2))
    dp.wasserstein_inf(*points, progress=lambda done, total: steps.append(done / total))
    assert steps
    assert max(steps) <= 1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: number("δ", "x", 0, 1, below=True),
            "δ must be a number from 0 to below 1, not 'x'",
        ),
        (lambda: number("β", math.nan, 0, above=True), "β must be a number above 0, not nan"),
        (lambda: number("ε", [1, 2], 0), r"ε must be one number, not \[1, 2\]"),
        (lambda: numbers("x", [[1], [1, 2]]), "x must be a number, not"),
        (lambda: integer("n", 2.5, 2), "n must be a whole number from 2 on, not 2.5"),
        (lambda: integer("n", True, 0, 5), "n must be a whole number from 0 to 5, not True"),
        (lambda: generator(-1), "rng must be a Generator"),
        (lambda: one_of("norm", "L1", ["l1", "l2"]), "take 'l1' or 'l2'. Did you mean 'l1'"),
        (lambda: dp.delivered_delta(NOISE, MODEL, 1), "A model is needed here"),
        (lambda: dp.privacy_loss(MODEL, "OptM"), "A release is needed here"),
        (lambda: dp.privacy_loss(MODEL, dp.Release(covariance=[[1]])), "of 1 statistics"),
        (lambda: MODEL.pair_at(1), "from 0 to 0, not 1"),
        (lambda: dp.plot.bells(MODEL, [NOISE, NOISE]), "Two releases have one name"),
        (lambda: dp.plot.fit(MODEL, "hist"), "Did you mean 'histogram'"),
        (lambda: NETWORK.marginal(["c"]), "no attribute 'c'"),
    ],
)
def test_mistake_is_a_sentence(call, sentence):
    with pytest.raises(dp.DistprivError, match=sentence):
        call()
