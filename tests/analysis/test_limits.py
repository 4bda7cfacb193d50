"""Limits and the ε they lead to, each inverted by what the chosen noise delivers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from distpriv.analysis import ErrorLimit, Limit, Scenario, choose, compare, evaluate
from distpriv.analysis.comparison import ruler
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import calibrate
from distpriv.model import Promise
from distpriv.privacy import optimal_attack_accuracy, privacy_loss
from distpriv.sources import fit_gaussian

NAMES = ["OptM", "DauM", "ExpM"]


@pytest.mark.parametrize("limit", [Limit("guesses", 60.0), Limit("accuracy", 0.57)])
def test_limit_leads_to_the_largest_epsilon_that_keeps_it(now, limit):
    allowed = limit.value if limit.kind == "guesses" else 100 * limit.value
    frame = choose(limit, now.model, NAMES).set_index("mechanism")
    assert list(frame.index) == NAMES
    assert (frame["guesses"] <= allowed).all()
    assert (frame["guesses"].drop("ExpM") > allowed - 0.01).all()
    for name in ("OptM", "DauM"):
        more = calibrate(name, now.model, 1.02 * frame.loc[name, "epsilon"], 1e-3, units=now.ruler)
        assert 100 * optimal_attack_accuracy(now.model, more) > allowed - 0.5
    assert limit.promise == Promise(0.0, round(2 * allowed / 100 - 1, 12), allowed)


@pytest.mark.parametrize(
    "limit", [Limit("f_score", 0.62, beta=0.5), Limit("precision", 0.7, recall=0.3)]
)
def test_limit_on_f_score_or_precision_is_just_kept(now, limit):
    """By thresholds of the loss, both orders, instead of the root that the search reads."""
    frame = choose(limit, now.model, ["ExpM"]).set_index("mechanism")

    def reached(name, epsilon):
        noise = calibrate(name, now.model, epsilon, 1e-3, units=now.ruler)
        values = []
        for loss in privacy_loss(now.model, noise).losses:
            false, true = loss.roc(401)
            precision = true / np.maximum(true + false, 1e-12)
            scores = (1 + limit.beta**2) / (
                1 / precision.clip(1e-9) + limit.beta**2 / true.clip(1e-9)
            )
            at = np.interp(0.3, true, precision)
            values.append(scores.max() if limit.kind == "f_score" else at)
        return max(values)

    for name, epsilon in frame["epsilon"].items():
        assert reached(name, epsilon) <= limit.value + 1e-3
        assert reached(name, 1.05 * epsilon) > limit.value


def test_error_limit_leads_to_the_least_epsilon_that_meets_it(now):
    limits = [ErrorLimit("mean age", 1.5), ErrorLimit("count sex = Female", 0.2, relative=True)]
    most = np.array([1.5, 0.2 * ruler(now.model)[3]])
    frame = choose(limits, now.model, ["OptM", "ExpM"]).set_index("mechanism")
    for name in frame.index:
        epsilon = frame.loc[name, "epsilon"]

        def errors(epsilon, name=name):
            noise = calibrate(name, now.model, epsilon, 1e-3, units=now.ruler)
            return noise.expected_absolute_errors(now.model)[[0, 3]]

        assert (errors(epsilon) <= most * (1 + 1e-9)).all()
        assert (errors(0.99 * epsilon) > most).any()


def test_error_that_any_noise_meets_or_none_does(now):
    frame = choose(ErrorLimit("mean age", 1e9), now.model, ["ExpM"])
    assert frame["epsilon"].item() == pytest.approx(0.01)
    frame = choose(ErrorLimit("mean age", 1e-9), now.model, ["ExpM"])  # always adds some
    assert frame[["epsilon", "guesses", "percent"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (lambda: Limit("guesses", 50.0), "50"),
        (lambda: Limit("f_score", 0.6), r"F-score 0\.667; set a limit above .* below 1, not 0\.6"),
        (lambda: Limit("f_score", 0.9, beta=-1.0), "β must be a number above 0"),
        (lambda: Limit("f_score", 0.9, recall=0.5), "takes no recall"),
        (lambda: Limit("precision", 0.9), "The recall at which"),
        (lambda: Limit("precision", 1.0, recall=0.5), r"precision 0\.5; .* not 1\.0"),
        (lambda: Limit("acuracy", 0.6), "Did you mean 'accuracy'"),
        (lambda: ErrorLimit("mean ages", 1.0), "Did you mean 'mean age'"),
        (lambda: ErrorLimit("mean age", 0.0), "above 0"),
        (list, "at least one"),
    ],
)
def test_limit_that_is_none_is_one_sentence(now, limit, words):
    with pytest.raises(DistprivError, match=words):
        choose(limit(), now.model)
    with pytest.raises(NotApplicable, match="kept by a search"):
        _ = Limit("f_score", 0.8).promise


def test_names_and_secrets_are_checked_and_nothing_is_there_twice(now):
    late, model = now.pair, now.model
    for call, match in (
        (lambda: choose(Limit("guesses", 60), model, ["OptM", "OptM"]), "OptM is there twice"),
        (lambda: choose(Limit("guesses", 60), model, ["OtpM"]), "mean 'OptM'"),
        (lambda: choose(60, model), "60 is not a limit"),
        (lambda: compare(now, guesses=60), "is not a model"),
        (lambda: fit_gaussian(now.source, now.query, [late, late], 100), "is there twice"),
        (lambda: fit_gaussian(now.source, now.query, late.secret, 100), "is not a pair of shares"),
        (lambda: Scenario(mechanism="OtpM"), "mean 'OptM'"),
        (lambda: Scenario(secrets=late.secret), "must be of Pair"),
        (lambda: Scenario(persons=(1, 1e-3)), "must be of Persons"),
        (lambda: evaluate(replace(now.scenario, secrets=(late, late)), now.source), "there twice"),
    ):
        with pytest.raises(DistprivError, match=match):
            call()
    frame = compare(model, guesses=60)
    assert repr(frame).split()[:4] == ["way", "right", "of", "100"]
    assert frame.columns[:2].tolist() == ["key", "title"]
