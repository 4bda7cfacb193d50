"""What a release hides and what it does not, by the distance of two shares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

import distpriv as dp
from distpriv.analysis.hiding import (
    Hiding,
    center_of,
    center_reveals,
    finding,
    hiding,
    hiding_unknown,
    said,
)
from distpriv.errors import ScenarioError
from distpriv.queries import Median

QUERY = dp.Query([dp.Mean("age"), dp.Sum("hours"), dp.Count("status", "married")])
SCENARIO = dp.Scenario(
    secret=dp.SensitiveProperty("income", "high"), query=QUERY, center=0.4, width=0.2, n=60,
    epsilon=1.0, delta=0.01,
)  # fmt: skip
WAYS = {
    "a sample": {},
    "a sample drawn with replacement": {"replacement": True},
    "the whole table": {"whole": True, "replacement": True, "epsilon": 0.5},
}


def of(people: pd.DataFrame, **changed: object) -> Hiding:
    found = hiding(dp.evaluate(replace(SCENARIO, **changed), people))
    assert found is not None
    return found


def normals(people: pd.DataFrame, scenario: dp.Scenario, share: float):
    """Mean and covariance of the statistics, from the records."""
    n, having = scenario.n, people["income"] == "high"
    values = np.column_stack([people["age"], people["hours"], people["status"] == "married"])
    scales = np.array([1 / n, 1.0, 1.0])
    mean, covariance = np.zeros(3), np.zeros((3, 3))
    for group, count in ((~having, n - round(n * share)), (having, round(n * share))):
        records = values[group].astype(float)
        left = 1 - (1 if scenario.replacement else count) / len(records)
        mean += scales * count * records.mean(axis=0)
        covariance += count * left * np.cov(records, rowvar=False) * np.outer(scales, scales)
    return mean, covariance


@pytest.mark.parametrize("way", WAYS)
def test_it_is_what_simulated_releases_show(people: pd.DataFrame, way: str, rng) -> None:
    evaluation = dp.evaluate(replace(SCENARIO, **WAYS[way]), people)
    found = hiding(evaluation)
    assert found is not None
    scenario, draws = evaluation.scenario, 20_000
    for distance in (found.distances[8], found.width, found.distances[-3]):
        laws = [normals(people, scenario, share) for share in found.shares(distance)]
        for noise, known in ((None, found.undefended), (evaluation.noise, found.defended)):
            added = np.zeros((3, 3)) if noise is None else noise.covariance
            both = [multivariate_normal(mean, spread + added) for mean, spread in laws]
            right = [
                np.mean(own.logpdf(drawn) > other.logpdf(drawn))
                for own, other in (both, both[::-1])
                for drawn in [own.rvs(draws, random_state=rng)]
            ]
            at = known[found.distances == distance]
            assert np.mean(right) == pytest.approx(at, abs=4 * 0.5 / np.sqrt(2 * draws))


def test_a_single_count_is_near_its_exact_law(people: pd.DataFrame) -> None:
    query = dp.Query([dp.Count("status", "married")])
    evaluation = dp.evaluate(replace(SCENARIO, query=query, epsilon=0.5), people)
    found = hiding(evaluation)
    assert found is not None
    for distance in found.distances[[10, -4, -1]]:
        pair = SCENARIO.secret.pair(0.4, float(distance))
        law = dp.exact_law(people, query, pair, n=60)
        for noise, defended in ((None, False), (evaluation.noise, True)):
            exact = law.optimal_attack_accuracy(noise)
            assert found.accuracy(distance, noise=defended) == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("mechanism", ["OptM", "DirM(L)", "DP"])
def test_it_passes_through_the_scenario(people: pd.DataFrame, mechanism: str) -> None:
    evaluation = dp.evaluate(replace(SCENARIO, mechanism=mechanism), people)
    found = hiding(evaluation)
    assert found is not None
    assert found.accuracy(0.2) == pytest.approx(evaluation.accuracy, abs=2e-3)
    assert found.accuracy(0.2, noise=False) == pytest.approx(evaluation.undefended)
    assert found.distances[0] == 0
    assert found.undefended[0] == found.defended[0] == 0.5
    assert found.largest == pytest.approx(0.8)
    assert (np.diff(found.distances) > 0).all()
    assert (found.defended <= found.undefended + 2e-3).all()
    assert found.hides == (mechanism != "DP")


def test_the_records_end_it_where_there_are_too_few(people: pd.DataFrame) -> None:
    n = int((people["income"] == "high").sum() / 0.55)
    found = of(people, n=n)
    assert 0.2 < found.largest < 0.31
    presented = dp.evaluate(replace(SCENARIO, n=n, view="presentation"), people)
    assert "how many records" in hiding_unknown(presented)
    assert hiding(presented) is None
    assert hiding(dp.evaluate(replace(SCENARIO, view="presentation"), people)) is not None


def test_simulated_statistics_end_in_a_sentence(people: pd.DataFrame) -> None:
    evaluation = dp.evaluate(replace(SCENARIO, query=dp.Query([Median("age")])), people)
    assert hiding(evaluation) is None
    assert "simulated" in hiding_unknown(evaluation)


def hidden(ends: tuple[float, float], *, width: float = 0.1, hides: bool = True) -> Hiding:
    distances, rises = np.array([0.0, 0.1, 0.4, 1.0]), np.linspace(0, 1, 2)
    defended = np.array([0.5, ends[0], np.interp(0.5, rises, ends), ends[1]])
    return Hiding(0.5, width, distances, np.ones(4), defended, "OptM", hides)


@pytest.mark.parametrize(
    ("found", "sentences"),
    [
        (
            hidden((0.6, 0.96)),
            (
                "Hides differences up to 10 points around 50 %: 45 against 55 % is told apart in "
                "60 of 100 cases.",
                "Larger ones show: 32 against 68 % is told apart in 76 of 100 cases, 1 against "
                "99 % in 95.",
            ),
        ),
        (
            hidden((0.55, 0.7)),
            (
                "Hides differences up to 10 points around 50 %: 45 against 55 % is told apart in "
                "55 of 100 cases.",
                "Even 0 against 100 % is told apart in only 70 of 100 cases.",
            ),
        ),
        (
            hidden((0.99, 1.0)),
            (
                "Hardly hides differences of 10 points around 50 %: 45 against 55 % is told apart "
                "in 99 of 100 cases.",
            ),
        ),
        (
            hidden((0.6, 0.7), width=1.0, hides=False),
            (
                "OptM promises to hide no difference: 0 against 100 % is told apart in 70 of 100 "
                "cases.",
            ),
        ),
    ],
)
def test_the_sentences(found: Hiding, sentences: tuple[str, ...]) -> None:
    told = tuple(sentence.replace("\u00a0", " ") for sentence in said(found))
    assert told == sentences
    assert told[0].startswith(finding(found).replace("\u00a0", " "))


def test_distances_are_read_off(people: pd.DataFrame) -> None:
    found = hidden((0.6, 0.96))
    assert found.distance(0.5) == 0
    assert found.distance(0.6) == pytest.approx(0.1)
    assert found.distance(0.69) == pytest.approx(0.25)
    assert found.distance(0.97) is None


def test_a_public_range_gives_a_centre() -> None:
    assert center_of(0, 0.2) == pytest.approx(0.1)
    assert center_of(0, 0.04, 0.1) == pytest.approx(0.05)
    assert center_of(0.98, 1, 0.1) == pytest.approx(0.95)
    told = center_reveals(0, 0.2).replace("\u00a0", " ")
    assert "0 % to 20 % plausible" in told
    with pytest.raises(ScenarioError, match="below the highest"):
        center_of(0.2, 0.2)


def test_hiding_takes_a_counts_exact_law_and_agrees_with_the_verdict(people: pd.DataFrame) -> None:
    changed = {"query": dp.Query([dp.Count("status", "married")]), "n": 20, "epsilon": 3.0}
    evaluation = dp.evaluate(replace(SCENARIO, **changed), people)
    found = hiding(evaluation)
    assert found is not None
    assert found.exact
    assert found.accuracy(SCENARIO.width) == evaluation.accuracy
    # At another distance: the best attacker on the two laws, counted from the masses.
    distance = float(found.distances[-2])
    low, high = found.shares(distance)
    law = dp.exact_law(people, evaluation.scenario.query, SCENARIO.secret.pair(0.4, distance), 20)
    assert (law.pair.p_i, law.pair.p_j) == (low, high)
    apart = np.abs(law.probabilities[0] - law.probabilities[1]).sum() / 2
    assert found.accuracy(distance, noise=False) == pytest.approx((1 + apart) / 2, abs=1e-12)


def test_hiding_agrees_with_the_verdict_where_only_one_pairs_law_is_known(
    people: pd.DataFrame,
) -> None:
    changed = {"query": dp.Query([dp.Mean("age")]), "n": 20, "epsilon": 3.0}
    evaluation = dp.evaluate(replace(SCENARIO, **changed), people)
    assert evaluation.laws_for(evaluation.noise) is not None
    found = hiding(evaluation)
    assert found is not None
    assert not found.exact
    assert found.accuracy(SCENARIO.width) == evaluation.accuracy
    assert found.accuracy(SCENARIO.width, noise=False) == evaluation.undefended
