"""Sentences are short, and say what the figures say."""

from __future__ import annotations

import re
from dataclasses import replace
from inspect import signature

import numpy as np
import pandas as pd
import pytest

from distpriv.analysis import curves, evaluate, sentences
from distpriv.analysis.frames import attack_frame, bells_frame, separation
from distpriv.analysis.tables import EXAMPLE_TITLES
from distpriv.model import Promise
from distpriv.model.diagnostics import misfit
from distpriv.privacy import Persons, delivered_epsilon
from distpriv.queries import Mean, Median, Pair, SensitiveProperty
from distpriv.sources import FrameSource

FRAME = attack_frame({"OptM": np.array([0.6, 0.5, 0.58])})
OF_RESULTS = [
    name
    for name in sentences.__all__
    if name.endswith(("_lead", "_advice", "_title"))
    and [*signature(getattr(sentences, name)).parameters] in (["now"], ["now", "style"])
]
MARKS = sentences.Style(lambda name: f"<{name}>", lambda text: f"**{text}**")


def every(now, style=sentences.PLAIN):
    for name in [*OF_RESULTS, "advice", "warning"]:
        if not name.endswith("_title"):
            yield getattr(sentences, name)(now, style)
    yield sentences.attack_lead(now, FRAME, "OptM", style)
    yield from sentences.caveats(now)
    for way in now.guaranteed:
        yield sentences.guarantee_lead(now, way, style)
        yield from (badge.text for badge in sentences.guarantee_badges(now, way))
        yield from sentences.guarantee_meaning(now, way, style)


@pytest.mark.parametrize(
    "changes",
    [{}, {"guesses": 76.0}, {"guesses": 51.0, "records": None}, {"by": "epsilon", "epsilon": 0.05}],
)
@pytest.mark.parametrize("key", list(EXAMPLE_TITLES))
def test_sentences_have_at_most_25_words(evaluations, key, changes):
    first = evaluations[key]
    now = evaluate(replace(first.scenario, **changes), first.source, first.cache)
    for text in every(now):
        for one in re.split(r"(?<=[.?])\s", text):
            assert len(one.split()) <= 25, one
            assert one == "" or one.endswith(".")
    titles = [getattr(sentences, name)(now) for name in OF_RESULTS if name.endswith("_title")]
    titles += [sentences.guarantee_title(way) for way in now.guaranteed]
    assert all(len(title.split()) <= 7 for title in titles)


def test_census_is_said_in_words(now):
    said = " ".join(" ".join(every(now)).split())
    for text in (
        "They guess whether 20 % or 30 % of 100 records have income = >50K, and are right 75 times in "
        "100. 50 is a coin toss; you accept 60.",
        "Publish balanced figures. Then an attacker is right 50 times in 100, and the figures are off "
        "by 2.9 % on average.",
        "Balanced: an attacker is right 50 times in 100; you accept 60. The figures are off by 2.9 % "
        "on average.",
        "With OptM at ε = 1.5 an attacker is right 60 times in 100",
        "After 3 simulations a trained attacker is right 56.0 ± 13.1 times in 100; the best possible "
        "one 60.",
    ):
        assert text in said
    assert " ".join(sentences.tradeoff_title(now).split()) == "6.5 % off for 60 of 100"


def test_names_are_marked_and_never_stressed_bare(now):
    assert "<income = >50K>" in sentences.check_lead(now, MARKS)
    assert "<mean education num> alone" in sentences.directions_lead(now, MARKS)
    assert "**60" in sentences.tradeoff_lead(now, MARKS)


def test_limit_by_epsilon_is_said_as_right_guesses(asked):
    """At ε = 1 and δ = 0.001, whatever the data: (e + 0.001)/(1 + e) = 0.7311."""
    said = sentences.check_lead(asked(by="epsilon", epsilon=1.0))
    assert said.replace("\u00a0", " ").endswith(
        "your ε allows an attacker to be right 73 times in 100."
    )
    said = sentences.decide_lead(asked(by="epsilon", epsilon=1.0)).replace("\u00a0", " ")
    assert "times in 100; ε = 1 at δ = 0.001 is kept. The figures" in said


def test_what_a_high_limit_accepts_is_not_called_safe(asked):
    assert sentences.check_title(asked(guesses=80.0)) == "Within your limit"
    safe = asked(guesses=80.0, records=10)
    assert safe.undefended < 60
    assert sentences.check_title(safe) == "An attacker cannot tell"
    assert sentences.tradeoff_advice(safe) == ""


def test_recommended_mechanism_is_said_to_be_the_best(now):
    balanced = evaluate(replace(now.scenario, mechanism="BalM"), now.source, now.cache)
    assert sentences.tradeoff_advice(balanced) == "No mechanism does noticeably better."
    assert sentences.tradeoff_advice(now) == sentences.advice(now)


def test_sentence_and_bells_are_about_the_most_exposed_of_several_secrets(asked):
    """The noise that hides both is measured by either secret's own right guesses."""
    rich, women = asked().pair, Pair(SensitiveProperty("sex", "Female"), 0.1, 0.5)
    now = asked(secrets=(rich, women), statistics=(Mean("age"), Mean("hours-per-week")))
    assert now.exposed == 1
    assert "10\u00a0% or 50\u00a0% of 100 records have sex = Female" in sentences.check_lead(now)
    bells = now.bells([now.plain, now.way])
    assert list(bells.columns[4:]) == ["10\u00a0%", "50\u00a0%"]
    right = [100 * float(one.verdict.accuracy[1]) for one in (now.plain, now.way)]
    assert list(bells["guesses"].unique()) == pytest.approx(right)
    assert sentences.attack_title(now) == f"Right {right[1]:.0f}\u00a0times in\u00a0100"


def test_misfit_by_chance_is_kolmogorovs():
    """Of 1000 draws: √(ln(2/0.01)/2000), by Massart's inequality; a tenth of it for ten curves."""
    assert sentences.chance(1000) == pytest.approx(100 * np.sqrt(np.log(200) / 2000), rel=1e-4)
    assert sentences.chance(250, 10) == pytest.approx(100 * np.sqrt(np.log(2000) / 500), rel=1e-4)


def test_what_is_worse_than_nothing_is_said(now):
    """Few records of each group are left by a wide range: nothing beats an educated guess."""
    source = FrameSource("upload", "own", now.source.frame)
    pair = replace(now.pair, low=0.01, high=0.99)
    own = evaluate(replace(now.scenario, secrets=(pair,), guesses=51.0), source)
    best = own.recommendation
    assert best.worse_than_nothing
    assert best.way.key == "no data"
    assert sentences.advice(own).startswith("Release nothing from this table.")
    assert sentences.tradeoff_advice(own) == sentences.advice(own)
    assert any("yardsticks" in text for text in sentences.caveats(own))
    assert sentences.decide_title(own) == "Nothing to propose yet"
    assert sentences.decide_lead(own) == sentences.advice(own)
    assert "Change the limit" in sentences.decide_advice(own)
    shown = evaluate(own.scenario, now.source)
    assert sentences.advice(shown).startswith("Publish expected figures instead.")


@pytest.mark.parametrize(
    ("count", "risk", "title", "lead"),
    [
        (0, 50.0, "Nothing released yet", "your own counts: 60 right guesses of 100."),
        (1, 50.0, "1 release, right 50 of 100", "Someone who has the release guesses whether 20 %"),
        (
            2,
            57.4,
            "2 releases, right 57 of 100",
            "Someone who has both releases guesses whether 20 %",
        ),
        (
            3,
            99.7,
            "3 releases, right > 99 of 100",
            "They are right more than 99 times in 100. No limit is",
        ),
        (3, None, "3 releases", "What they tell together cannot be counted for this secret."),
    ],
)
def test_releases_on_record_are_said_with_the_joint_risk(now, count, risk, title, lead):
    assert sentences.release_title(count, risk) == title
    limit = sentences.release_limit(now.promise)
    said = sentences.release_lead(now.pair, count, risk, limit).replace("\u00a0", " ")
    assert lead in said
    assert max(len(one.split()) for one in said.split(". ")) <= 25


def test_limits_and_what_they_ask_for_are_said(now):
    limits = {Promise.of_guesses(60.0): "60 right guesses of 100", Promise(1.0, 0.01): "δ = 0.01"}
    for limit, words in limits.items():
        said = sentences.release_limit(limit, "Bo on 3 May 2026")
        assert words in said
        assert said.endswith(", agreed by Bo on 3 May 2026.")
        assert sentences.release_lead(now.pair, 0, 50.0, said) == said
    whole, some = (sentences.release_interval("noise", count) for count in (None, 100))
    assert "your table's own figure in at least 95" in whole
    assert "those of 100 random records" in some
    assert some.endswith("not the whole table's.")
    assert "Propose it first" in sentences.release_advice(covered=False)
    assert "cannot be taken back" in sentences.release_advice(covered=True)
    more = next(way for way in now.ways if way.key == "ExpM")
    assert "21\u00a0% instead of 6.5\u00a0%" in sentences.release_noise(now.way, more)
    assert sentences.offered(now.way) == "Noise, OptM: right 60 of 100, off by 6.5\u00a0%"
    assert sentences.offered(now.plain).endswith("breaks your limit")


def test_scenarios_stand_beside_each_other_with_their_own_epsilon(now, asked):
    """Another mechanism's ε is that of its own noise, not of the chosen one's."""
    other = next(way for way in now.ways if way.key == "DauM")
    row = pd.concat([now.beside("a", now.recommendation.way), now.beside("b", now.way)])
    assert list(row["scenario"] + " " + row["way"]) == ["a Balanced", "b Noise, OptM"]
    assert np.isnan(row["epsilon"].iloc[0])
    assert row["epsilon"].iloc[1] == now.epsilon
    epsilon = delivered_epsilon(now.model, other.release, now.scenario.delta)
    assert now.beside("c", other)["epsilon"].item() == pytest.approx(epsilon)
    limited = asked(by="epsilon", epsilon=1.0)
    assert limited.beside("d", limited.way)["epsilon"].item() == 1.0
    assert row[f"± {now.labels[0]}"].to_numpy() == pytest.approx(
        [now.recommendation.way.errors[0], now.way.errors[0]]
    )


def test_outside_and_left_out_are_said(now):
    frame = now.source.frame.head(400).assign(age=lambda table: table["age"].where(table.index > 2))
    scenario = replace(now.scenario, records=None, statistics=(Mean("age"), Mean("hours-per-week")))
    own = evaluate(replace(scenario, secrets=(replace(now.pair, low=0.5, high=0.6),)), frame)
    assert sentences.warning(own).startswith("Widen the two shares first.")
    assert any(text.startswith("3 records lack a value") for text in sentences.caveats(own))
    rough = replace(scenario, calibration="classical", by="epsilon", epsilon=1.5, grid_safe=False)
    assert len(sentences.caveats(evaluate(rough, now.source))) == 3


ONE, EACH = (Mean("age"),), Persons(1.0, 1e-3)


@pytest.mark.parametrize(
    ("changes", "key", "holds", "title"),
    [
        ({}, "as it is", (False, False, False), "Nothing is promised"),
        ({}, "OptM", (True, None, False), "The promise is kept"),
        ({"bounds": ()}, "OptM", (True, None, None), "The promise is kept"),
        ({}, "BalM", (True, True, False), "Nothing can be told"),
        ({"guesses": 80.0}, "as it is", (True, None, False), "No noise is needed"),
        ({"statistics": ONE}, "OptM", (True, True, None), "The promise is kept"),
        ({"persons": EACH}, "OptM", (True, None, True), "The promise is kept"),
        ({"persons": EACH}, "BalM", (True, True, False), "Persons are not protected"),
        (
            {"persons": EACH, "guesses": 80.0},
            "as it is",
            (True, None, False),
            "Persons are not protected",
        ),
        (
            {"mechanism": "GroupDP", "by": "epsilon", "epsilon": 1.0},
            "GroupDP",
            (True, True, None),
            "The promise is kept",
        ),
    ],
)
def test_badges_say_what_a_promise_rests_on(asked, changes, key, holds, title):
    now = asked(**changes)
    way = next(way for way in now.guaranteed if way.key == key)
    badges = sentences.guarantee_badges(now, way)
    assert tuple(badge.holds for badge in badges) == holds
    assert sentences.guarantee_title(way) == title
    assert way.kept == (holds[0] and (holds[2] is not False or "persons" not in changes))


def test_reasons_that_right_guesses_do_not_show_are_said(asked):
    """Balanced figures and those as they are by persons, and by δ where ε alone would allow them."""
    one, other, last = (
        asked(persons=EACH),
        asked(persons=EACH, by="epsilon", epsilon=3.0),
        asked(by="epsilon", epsilon=3.0),
    )
    bare = "no noise is added, so single persons are not protected."
    assert sentences.unseen(one.ways, one.limit) == (f"Balanced: {bare}",)
    delta = "As they are: it delivers δ = 0.0"
    for now in (other, last):
        first, *_ = sentences.unseen(now.ways, now.limit)
        assert first.startswith(delta)
        assert "at ε = 3; the promise is 0.001." in first
        assert first in sentences.check_lead(now)
    for now in (one, other):
        ways = {way.key: way for way in now.ways}
        assert ways["no data"].kept
        assert "public data alone" in sentences.for_persons(now, ways["no data"]).text
        assert "adds no noise" in sentences.for_persons(now, ways["BalM"]).text
        assert sentences.advice(now).startswith("Publish expected figures instead.")
        assert sentences.decide_title(now) == sentences.READY
    own = evaluate(one.scenario, one.source.frame)
    assert "Single persons are not protected." in sentences.not_protected(
        own, own.recommendation.nothing
    )
    assert sentences.for_persons(own, own.recommendation.nothing).holds is False
    assert sentences.advice(own).startswith("Release nothing from this table.")


def test_every_page_says_what_is_simulated_and_what_known_records_tell(asked):
    figures = (Median("age"), Mean("hours-per-week"))
    now = asked(statistics=figures, records=20)
    badge, *_ = sentences.guarantee_badges(now, now.way)
    assert (badge.title, now.way.by) == ("By simulation", "by simulation")
    words = " ".join(sentences.caveats(now))
    assert "simulated tables" in words
    known = asked(known_records=8)
    right = known.knowing_guesses(known.recommendation.way)
    claim = f"8 of the 100 records, half with the property, is right {right:.0f}\u00a0times"
    said = f"{claim} in\u00a0100 on average, by bell curves."
    assert said in " ".join(sentences.caveats(known))
    one = asked(known_records=8, statistics=(Mean("hours-per-week"),))
    assert sentences.known_lead(one, one.plain).endswith("100 on average.")
    assert sentences.known_lead(one, one.recommendation.nothing).endswith("100 on average.")
    assert "must be 0 to 40" in " ".join(sentences.caveats(asked(known_records=60)))


def test_running_means_have_students_interval():
    """Of 60, 50, 58: mean 56, deviation √28, t(2; 0.975) = 4.302653."""
    last = FRAME.iloc[-1]
    assert (last["simulations"], last["guesses"]) == (3, pytest.approx(56))
    assert last["high"] - 56 == pytest.approx(4.302653 * np.sqrt(28 / 3), rel=1e-6)
    assert np.isnan(FRAME.iloc[0]["low"])
    assert list(attack_frame({}).columns) == list(FRAME.columns)


def test_bells_are_apart_as_the_guesses_say():
    """Two unit bells whose better half is guessed: Φ(d/2) of the time."""
    scores = bells_frame([("one", 76.0, True)], ("20 %", "30 %"))
    low, high = scores["20 %"].to_numpy(), scores["30 %"].to_numpy()
    right = np.maximum(low, high).sum() / (low + high).sum()
    assert right == pytest.approx(0.76, abs=1e-3)
    far = bells_frame([("one", 100.0, False), ("two", 60.0, True)], ("20 %", "30 %"))
    assert far[["20 %", "30 %"]].iloc[[0, -1]].to_numpy().max() < 0.1  # none is cut off
    assert far["score"].nunique() == scores["score"].nunique()
    assert separation(50.0) == 0
    assert np.isfinite(separation(100.0))


def test_misfit_is_small_for_the_curve_itself_and_large_for_another():
    rng = np.random.default_rng(5)
    normal, whole = rng.normal(3, 2, 4000), rng.binomial(100, 0.3, 4000)
    assert misfit(normal, 3, 2, 0) < 163 / np.sqrt(4000)
    assert misfit(whole, 30, np.sqrt(21), 1) < 163 / np.sqrt(4000) + 0.5
    assert misfit(normal, 5, 2, 0) == pytest.approx(38.3, abs=2)  # Φ(½) − Φ(−½)
    assert misfit(np.full(10, 7.0), 7, 0, 0) == 0


def test_frames_have_the_columns_that_charts_draw(now):
    shares = list(now.exposed_shares)
    assert list(now.bells(now.ways).columns) == ["panel", "guesses", "kept", "score", *shares]
    assert list(now.costs().columns[:5]) == ["way", "guesses", "error", "estimated", "kept"]
    assert len(now.costs().columns) == 10
    assert list(now.fit().columns) == ["statistic", "share", "mean", "deviation", "step", "misfit"]
    draws = (
        now.fit_draws().groupby(["statistic", "share"], sort=False)["value"].agg(["mean", "std"])
    )
    fitted = now.fit().set_index(["statistic", "share"])
    assert ((draws["mean"] - fitted["mean"]).abs() < 5 * fitted["deviation"] / np.sqrt(1000)).all()
    plane, clouds = now.plane((1, 2), ["DauM", "none"])
    assert list(plane["name"]) == [*shares, "DauM"]
    assert plane.loc[:1, "xx"].mean() == pytest.approx(1)
    assert clouds.groupby("share").size().to_dict() == dict.fromkeys(shares, 350)
    curve = curves.epsilon_frame(now.model, ["OptM", "ExpM"], np.array([0.5, 1.0]))
    assert list(curve.columns[:4]) == ["mechanism", "epsilon", "guesses", "error"]
    assert (curve.groupby("mechanism")["error"].diff().dropna() < 0).all()
    widths = curves.width_frame(now.model, now.promise, **now._options)
    here = widths[np.isclose(widths["width"], 10)].set_index("mechanism")
    assert here.loc["OptM", ["guesses", "error"]].tolist() == pytest.approx(
        [now.way.guesses, now.way.percent]
    )
    assert here.loc["BalM", "guesses"] == pytest.approx(50)
    assert (widths["guesses"] <= now.limit * (1 + 1e-9)).all()
    alone = now.contributions()
    assert (alone["alone"] <= now.undefended).all()
    assert (alone["without"] <= now.undefended + 1e-6).all()
    assert isinstance(now.exposure(), pd.DataFrame)
