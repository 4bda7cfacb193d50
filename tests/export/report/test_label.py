"""The label: what is promised, to whom, how sure, and what is not, on one page."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.for_persons import rounded_bounds
from distpriv.analysis.meaning import meaning, said
from distpriv.export.report.label import Label, label, label_html
from distpriv.words import number

QUERY = dp.Query([dp.Mean("age"), dp.Sum("hours"), dp.Count("status", "married")])
BOUNDS = (("age", (17.0, 90.0)), ("hours", (1.0, 99.0)))
SCENARIO = dp.Scenario(
    secret=dp.SensitiveProperty("income", "high"), query=QUERY, center=0.4, width=0.2, n=60,
    mechanism="OptM", epsilon=1.0, delta=0.01, bounds=BOUNDS,
)  # fmt: skip


def of(people: pd.DataFrame, **changed: object) -> Label:
    return label(dp.evaluate(replace(SCENARIO, **changed), people))


def facts(shown: Label) -> dict[str, tuple[str, str]]:
    return {fact.title: (fact.figure, fact.sentence) for part in shown.parts for fact in part.facts}


def test_it_says_what_is_computed(people: pd.DataFrame) -> None:
    evaluation = dp.evaluate(SCENARIO, people)
    shown = label(evaluation, prior=0.3, so_far="Two are on record.")
    told = facts(shown)
    assert [part.title for part in shown.parts] == [
        "What is hidden, and what is released",
        "What anybody who sees the release can learn",
        "What is promised, and what is computed",
        "What is not protected",
        "What this rests on",
    ]
    assert told["The secret"][0] == "30\u00a0% or 50\u00a0%"
    for way in said(meaning(evaluation, 0.3)):
        assert told[way.title] == (way.figure, way.sentence)
    assert told["For the share"][0].endswith(": kept")
    assert number(evaluation.delivered_delta) in told["For the share"][1]
    assert told["For all releases so far"][1] == "Two are on record."
    assert told["Without noise"][0] == f"{number(100 * evaluation.undefended)} of 100"
    assert {verdict.assumption.title.capitalize() for verdict in evaluation.assumed} <= set(told)
    for figure, sentence in told.values():
        assert figure
        assert sentence.endswith((".", ".)"))
        assert "nan" not in sentence


def test_single_persons_are_claimed_only_where_they_are(people: pd.DataFrame) -> None:
    told = facts(of(people))
    epsilon = dp.evaluate(SCENARIO, people).noise.per_record(QUERY, n=60, bounds=dict(BOUNDS))
    assert "Single persons" in told
    assert told["For each person"][0] == "not promised"
    assert number(epsilon.epsilon(0.01)) in told["For each person"][1]
    single = facts(of(people, mechanism="DP"))
    assert single["For each person"][0] == "ε\u00a0=\u00a01, δ\u00a0=\u00a00.01: kept"
    assert single["For the share"][0] == "nothing"
    assert "Single persons" not in single
    group = facts(of(people, mechanism="GroupDP"))
    assert {"Single persons", "Other properties", "Shares further apart"}.isdisjoint(group)
    assert group["For the share"][0].endswith(": kept")


def test_each_person_as_well_is_told_with_what_it_gives(people: pd.DataFrame) -> None:
    told = facts(of(people, persons=(2.0, 1e-4)))
    assert told["For each person"][0] == "ε\u00a0=\u00a02, δ\u00a0=\u00a00.0001: kept"
    assert "Single persons" not in told
    assert "each person it promises ε = 2" in told["For each person"][1]
    evaluation = dp.evaluate(replace(SCENARIO, persons=(2.0, 1e-4)), people)
    suggested = tuple(rounded_bounds(people, QUERY).items())
    own = facts(of(people, persons=(2.0, 1e-4), bounds=suggested))
    assert "the data's own range, rounded" in own["For each person"][1]
    assert evaluation.per_record().epsilon(1e-4) <= 2 * (1 + 1e-6)


def test_noise_that_leaves_directions_bare_gives_a_record_nothing(people: pd.DataFrame) -> None:
    query = dp.Query([dp.StandardDeviation("hours"), dp.Median("hours")])
    evaluation = dp.evaluate(replace(SCENARIO, query=query, mechanism="DirM"), people)
    noise = evaluation.noise
    bare = replace(noise, directions=noise.directions[:, :1], scales=noise.scales[:1], floor=None)
    evaluation.calibrated["DirM"] = bare
    told = facts(label(evaluation))["For each person"]
    assert told[0] == "none"
    assert "it promises nothing: the noise has 1 direction" in told[1]


def test_nothing_is_computed_from_the_data_s_own_range(people: pd.DataFrame) -> None:
    told = facts(of(people, bounds=()))["For each person"]
    assert told[0] == "not promised"
    assert "public bounds of age and hours, which are not set" in told[1]
    assert not re.search(r"ε.=.\d", told[1])
    wider = pd.concat([people, people.iloc[[0]].assign(age=89)], ignore_index=True)
    assert facts(of(wider, bounds=()))["For each person"] == told


@pytest.mark.parametrize("mechanism", ["DauM", "DirM(L)", "CoupM", "ExpM"])
def test_every_mechanism_has_one(people: pd.DataFrame, mechanism: str) -> None:
    told = facts(of(people, mechanism=mechanism))
    evaluation = dp.evaluate(replace(SCENARIO, mechanism=mechanism), people)
    assert told["For the share"][0].endswith(f": {evaluation.promise.words}")
    assert told["For all releases so far"][0] == "not counted"


def test_several_pairs_and_a_whole_table(people: pd.DataFrame) -> None:
    told = facts(of(people, grid=(0.2, 0.6, 0.2), whole=True, replacement=True))
    assert "the whole table" in told["Released"][1]
    assert "more pair" in told["Hidden as well"][0]


def test_it_is_one_page_of_html_that_asks_for_nothing(people: pd.DataFrame) -> None:
    secret = dp.SensitiveProperty("income", "high")
    renamed = people.rename(columns={"age": "<script>alert(1)</script>"})
    query = dp.Query([dp.Mean("<script>alert(1)</script>"), dp.Count("status", "married")])
    shown = label(dp.evaluate(replace(SCENARIO, secret=secret, query=query, bounds=()), renamed))
    page = label_html(shown, made="today")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=", page)
    assert "prefers-color-scheme: dark" in page
    assert "size: A4" in page


def test_the_report_has_it_in_every_format(people: pd.DataFrame) -> None:
    report = dp.export.build_report(dp.evaluate(SCENARIO, people), repetitions=2, prior=0.2)
    told = facts(report.label)
    assert "A belief of 20\u00a0% becomes" in told
    page = report.to_html()
    assert page.count('<section class="label"') == 1
    content = json.loads(report.to_json())["label"]
    assert {fact["title"] for part in content.values() for fact in part} == set(told)
    text = report.to_markdown()
    assert "## What this release promises, on one page" in text
    for title in told:
        assert re.sub(r"([\\`*_\[\]<>|#&$~])", r"\\\1", " ".join(title.split())) in text


def test_a_report_needs_a_prior_that_learns(people: pd.DataFrame) -> None:
    with pytest.raises(dp.errors.ReportError, match="prior"):
        dp.export.build_report(dp.evaluate(SCENARIO, people), repetitions=2, prior=1.0)
