"""From a scenario to an answer: one verdict, one ruler, one recommendation, nothing twice."""

from __future__ import annotations

import pickle
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from distpriv.analysis import Cache, Persons, Scenario, compare, evaluate, recommend, sentences
from distpriv.analysis.comparison import ruler
from distpriv.analysis.tables import start
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import MECHANISMS, calibrate
from distpriv.privacy import delivered_epsilon, per_record, record_moves
from distpriv.queries import Count, Mean, Median, Pair, Proportion, Query, SensitiveProperty
from distpriv.sources import FrameSource, fit_gaussian

RICH, WOMEN = SensitiveProperty("income", ">50K"), SensitiveProperty("sex", "Female")


def by_key(now):
    return {way.key: way for way in now.ways}


def test_census_is_answered_as_the_mechanisms_are(now, census):
    """By hand: the model, each mechanism calibrated alone, errors √(2/π) deviations of the noise."""
    query = Query(now.scenario.statistics)
    model = fit_gaussian(census.frame, query, Pair(RICH, 0.2, 0.3), 100, replacement=True)
    values = model.pairs[0].means.mean(axis=0)
    for name in ("OptM", "DauM", "ExpM"):
        noise = calibrate(name, model, guesses=60, units=np.abs(values))
        errors = np.sqrt(2 / np.pi * np.diag(noise.covariance))
        assert by_key(now)[name].errors == pytest.approx(errors, rel=1e-6)
        assert by_key(now)[name].percent == pytest.approx(100 * np.mean(errors / values), rel=1e-6)
    assert now.epsilon == pytest.approx(delivered_epsilon(model, now.way.release, 1e-3), rel=1e-6)


def test_ways_hold_all_normal_noise_beside_the_balanced_release(evaluations):
    normal = {name for name, one in MECHANISMS.items() if one.shape and one.compared}
    assert normal >= {"OptM", "DauM", "DirM", "EigM", "ExpM"}
    for now in evaluations.values():
        assert {*by_key(now)} == {"as it is", "no data", "BalM"} | normal
        assert not now.unavailable
        assert all(way.kept == (way.key != "as it is") for way in now.ways)
        assert all((way.estimated <= way.errors + 1e-12).all() for way in now.ways)
        best = now.recommendation
        assert best.way.percent <= 1.005 * min(way.percent for way in now.ways if way.kept)
        assert not best.worse_than_nothing
        assert all(way.publishable for way in now.ways)


@pytest.mark.parametrize("away", [-1e-3, 1e-3])
def test_verdict_is_one_near_the_undefended(asked, now, away):
    """At 74.63 right guesses without noise: needed, kept and recommended change together."""
    near = asked(guesses=now.undefended + away)
    plain = by_key(near)["as it is"]
    assert plain.kept == (away > 0) == (not near.needs_noise)
    assert (near.recommendation.way is plain) == plain.kept
    assert (near.epsilon is None) == plain.kept
    assert near.way.kept
    assert near.way.guesses <= near.scenario.guesses


def test_recommendation_is_the_least_error_better_than_no_data(now):
    ways = by_key(now)
    nothing, balanced, plain = ways["no data"], ways["BalM"], ways["as it is"]
    worse = [replace(way, percent=nothing.percent + 1) for way in (ways["OptM"], balanced)]
    best = recommend([*worse, nothing, plain])
    assert best.way is best.nothing is nothing
    assert best.worse_than_nothing
    assert best.others == tuple(worse)
    better = recommend([ways["OptM"], replace(balanced, percent=nothing.percent - 1), nothing])
    assert better.way.key == "BalM"
    kept = replace(plain, verdict=ways["OptM"].verdict)
    assert recommend([*now.ways, kept]).way is kept
    with pytest.raises(ValueError, match="No data"):
        recommend([ways["OptM"]])


@pytest.mark.parametrize(
    ("errors", "chosen", "taken"),
    [
        ({"OptM": 2.0, "DauM": 1.9998}, "OptM", "OptM"),
        ({"OptM": 2.0, "DauM": 1.9998}, "DauM", "DauM"),
        ({"OptM": 2.0, "DauM": 1.9998}, "EigM", "OptM"),
        ({"OptM": 2.0, "DauM": 1.9998, "BalM": 2.001}, "EigM", "BalM"),
        ({"OptM": 2.0, "DauM": 1.98, "BalM": 2.001}, "OptM", "DauM"),  # 1 % is noticed
        ({"DirM": 2.0, "DauM": 1.999}, "BalM", "DauM"),
    ],
)
def test_what_nobody_notices_is_no_reason_to_change(now, errors, chosen, taken):
    ways = by_key(now)
    rows = [replace(ways[name], percent=error) for name, error in errors.items()]
    nothing = replace(ways["no data"], percent=5.0)
    assert recommend([*rows, nothing], chosen).way.key == taken


def test_slider_move_computes_groups_and_model_once(census):
    class Counted(FrameSource):
        def groups(self, query, secret):
            counted.append(secret)
            return super().groups(query, secret)

    counted, cache = [], Cache()
    source = Counted(census.key, census.title, census.frame, provenance="example")
    models, lines = set(), set()
    for guesses in range(55, 75, 3):
        now = evaluate(
            replace(start(source), guesses=float(guesses), mechanism="DauM"), source, cache
        )
        models.add(id(now.model))
        lines.add(now.lines(["DauM"])[0])  # workers do them anew for another key
        assert now.way.guesses <= guesses + 1e-9
    assert counted == [RICH]
    assert len(models) == len(lines) == 1
    again = evaluate(now.scenario, source, cache)
    assert again.way is now.way
    assert evaluate(replace(now.scenario, seed=5, delta=0.01), source, cache).way is now.way
    assert evaluate(replace(now.scenario, units="raw"), source, cache).way is not now.way


def test_two_secrets_are_hidden_together_and_what_does_not_apply_says_why(asked):
    women = Pair(WOMEN, 0.3, 0.4)
    statistics = (Mean("age"), Mean("education-num"), Mean("hours-per-week"))
    now = asked(secrets=(Pair(RICH, 0.2, 0.3), women), statistics=statistics, guesses=55.0)
    assert now.way.key == "OptM"
    assert now.way.kept
    assert len(now.way.verdict.accuracy) == 2
    assert 100 * now.way.verdict.accuracy.max() <= 55
    assert {"BalM", "DauM"} == {*now.unavailable}
    assert all(text.endswith(".") for text in now.unavailable.values())
    daum = asked(
        **{each: getattr(now.scenario, each) for each in ("secrets", "statistics", "guesses")},
        mechanism="DauM",
    )
    with pytest.raises(NotApplicable):
        _ = daum.way
    assert by_key(daum).keys() == by_key(now).keys()
    assert daum.recommendation.way.kept


def test_limit_by_epsilon_is_held_at_that_epsilon(asked):
    now = asked(by="epsilon", epsilon=1.0, delta=1e-3)
    assert now.epsilon == 1.0
    assert (now.way.verdict.delta <= 1e-3 * (1 + 1e-6)).all()
    assert now.limit == pytest.approx(100 * (np.e + 1e-3) / (1 + np.e))
    assert now.way.guesses < 60
    loose = asked(by="epsilon", epsilon=20.0)
    assert not loose.needs_noise
    assert loose.way.release.kind == "as it is"


@pytest.fixture(scope="module")
def table():
    """60 records: a change around 0, a constant, a cell that is 1 for who buys."""
    rng = np.random.default_rng(3)
    buys = np.arange(60) % 3 == 0
    return pd.DataFrame(
        {
            "change": rng.normal(0, 1, 60).round(3) + 0.5 * buys,
            "always": 0.1,
            "never": 0,
            "age": rng.integers(20, 60, 60) + 5 * buys,
            "buys": np.where(buys, "yes", "no"),
        }
    )


BUYS = Pair(SensitiveProperty("buys", "yes"), 0.3, 0.4)


def small(table, **changes):
    first = Scenario("upload", secrets=(BUYS,), statistics=(Mean("age"),), records=None)
    return evaluate(replace(first, **changes), table)


def test_ruler_is_the_value_or_its_sampling_deviation(table):
    figures = (Mean("change"), Mean("always"), Mean("never"), Mean("age"))
    now = small(table, statistics=figures, guesses=52.0)
    deviation = np.sqrt(now.model.pairs[0].pooled[0, 0])
    middle = now.model.pairs[0].means.mean(axis=0)
    assert ruler(now.model) == pytest.approx([max(deviation, abs(middle[0])), 0.1, 1, middle[3]])
    centred = table.assign(change=table["change"] - middle[0])
    assert small(centred, statistics=(Mean("change"),)).ruler == pytest.approx(
        [deviation], rel=1e-3
    )
    assert all(np.isfinite(way.percent) and way.percent < 1000 for way in now.ways)
    optm = by_key(now)["OptM"]
    assert optm.errors[1:3] == pytest.approx([0, 0], abs=1e-4)  # they cannot vary


def test_own_table_has_yardsticks_that_are_not_published(table):
    now = small(table)
    assert not by_key(now)["no data"].publishable
    assert by_key(now)["BalM"].publishable
    public = evaluate(now.scenario, table, reference=table.assign(age=table["age"] + 1))
    assert by_key(public)["no data"].publishable
    assert repr(now.plain).endswith("breaks the limit)") == (not now.plain.kept)
    for one, source in ((now, "your own records"), (public, "public data")):
        assert by_key(one)["no data"].how.endswith(f"expect from {source}.")
    assert public.ruler == pytest.approx(now.ruler + 1)


def test_share_outside_the_range_is_noticed_for_whole_tables_alone(table):
    outside = (replace(BUYS, low=0.4, high=0.5),)
    assert small(table, secrets=outside).outside == outside[0]
    assert small(table, secrets=(BUYS, *outside)).outside == outside[0]
    assert small(table).outside is None
    assert small(table, secrets=outside, records=30).outside is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"secrets": ()}, "Nothing is to be hidden"),
        ({"statistics": ()}, "Nothing is released"),
        ({"records": 61}, "61 records, and the table has 60"),
        (
            {"statistics": (Mean("age"), Count("buys", "no"))},
            r"no \(buys\) tells the secret itself",
        ),
        ({"statistics": (Proportion("buys", "yes"),)}, "tells the secret itself"),
        ({"secrets": (Pair(SensitiveProperty("age", above=90), 0.1, 0.2),)}, "No complete record"),
        (
            {"secrets": (Pair(SensitiveProperty("age", above=5), 0.1, 0.2),)},
            "Every complete record",
        ),
        ({"by": "epsilon"}, "choose a number"),
        ({"by": "epsilon", "epsilon": -1.0}, "ε"),
        ({"guesses": 100.0}, "100"),
        ({"mechanism": "OptN"}, "OptM"),
        ({"persons": Persons(1.0, 1e-3)}, "no public bounds"),
        ({"persons": Persons(1.0, 1e-3), "bounds": (("age", 20, 30),)}, "exclude records"),
        ({"persons": Persons(1.0, 1e-3), "statistics": (Median("age"),)}, "not bounded"),
        ({"reference_data": "census"}, "open that table"),
    ],
)
def test_what_has_no_answer_is_one_sentence(table, changes, words):
    with pytest.raises(DistprivError, match=words) as caught:
        _ = small(table, **changes).way
    assert str(caught.value).endswith((".", "?"))


def test_persons_are_part_of_kept_and_of_the_recommendation(asked, now):
    """Balanced figures keep the share and promise nothing to persons, so noise is taken."""
    one = asked(persons=Persons(3.0, 1e-3), guesses=70.0)
    ways = by_key(one)
    assert one.recommendation.way.key == "OptM"
    assert ways["BalM"].verdict.shares_kept
    assert not ways["BalM"].kept
    assert ways["no data"].kept
    assert ways["no data"].verdict.persons.epsilon == 0
    assert not ways["as it is"].kept
    moves = record_moves(one.query, 100, one.scenario.bounds)
    assert per_record(one.way.release, moves).epsilon(1e-3) <= 3 + 1e-6
    assert one.way.verdict.persons_kept
    assert one.way.guesses <= 70
    assert now.way.percent < asked(persons=Persons(1.0, 1e-3)).way.percent
    alone = asked(persons=Persons(3.0, 1e-3), guesses=80.0)  # the share needs no noise
    assert alone.plain.verdict.shares_kept
    assert alone.needs_noise
    assert asked(bounds=(("age", 50, 60),)).bounds == ()  # they exclude records: nothing is said
    assert not asked(bounds=()).bounded


def test_law_that_takes_long_decides_when_a_worker_has_computed_it(census, asked, monkeypatch):
    """A slider does not wait for it, and other ways than the chosen one do without."""
    counts = (Count("marital-status", "Never-married"), Count("sex", "Female"))
    quick = asked(statistics=counts)
    assert (quick.way.rests, quick.law_pending) == ("exact", False)
    laws = import_module("distpriv.privacy.exact_law")
    monkeypatch.setattr(laws, "_QUICK", (0, 0))  # as of many records
    late = asked(statistics=counts, records=90)
    assert (late.way.rests, late.law_pending) == ("model", True)
    assert not asked().law_pending
    assert not asked(statistics=counts, records=800).law_pending  # takes too long
    _, work, shared, calls = late.law()
    late.take_law(pickle.loads(pickle.dumps(work(shared(), *calls[0]))))
    again = evaluate(late.scenario, census, late.cache)
    assert (again.way.rests, again.plain.rests, again.law_pending) == ("exact", "exact", False)
    assert again.way.kept
    assert again.way.delivered == pytest.approx(again.promise.delta, rel=0.02)
    assert again.epsilon == pytest.approx(late.epsilon, rel=0.05)
    assert by_key(again)["DauM"].rests == "model"
    assert any("elsewhere our model" in text for text in sentences.caveats(again))
    other = evaluate(replace(late.scenario, guesses=61.0), census, late.cache)
    assert (other.way.rests, other.law_pending) == ("model", True)


def test_compare_lists_the_ways_of_an_evaluation(now):
    frame = compare(now.model, guesses=60)
    assert list(frame["key"]) == [way.key for way in now.ways]
    assert frame["percent"].to_numpy() == pytest.approx([way.percent for way in now.ways])
    assert "± count sex = Female" in frame
    assert not compare(now.model, epsilon=1.0).query("key == 'as it is'")["kept"].item()
    with pytest.raises(DistprivError, match="either"):
        compare(now.model, epsilon=1.0, guesses=60)
