"""What a report holds, leaves out, and says where it cannot be made."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.error_sizes import ErrorSize
from distpriv.analysis.person import SIGN_IN, Verified
from distpriv.export.report.parts import RECORDS
from distpriv.export.report.summary import signatures
from distpriv.export.report.words import MARK, UNLINKED, guarantee
from distpriv.model.run import Run
from distpriv.store import Decision, Revision
from distpriv.words import SPACE, number, plain
from tests.examples import alternative

QUERY = dp.Query([dp.Mean("age"), dp.Sum("hours"), dp.Count("status", "married")])
SCENARIO = dp.Scenario(
    secret=dp.SensitiveProperty("income", "high"), query=QUERY, center=0.4, width=0.2, n=60,
    mechanism="DauM", epsilon=1.3, delta=0.01, seed=3, digest="ab" * 32,
)  # fmt: skip
SIZES = (ErrorSize("mean age", "years", 1.25, 3.0, 60, value=39.0),)
SEEN = (
    alternative("stricter", 0.5, promise="kept"),
    alternative("as published last year", promise="missed", delivered=0.002, errors=SIZES),
)
PROPOSED = Revision(
    1, datetime(2025, 1, 31, 14, 3, tzinfo=UTC), "Ann", "proposed", "Good enough.", "",
    "as published last year", SEEN,
)  # fmt: skip
DECISION = Decision("k" * 32, "people.csv", "ab" * 32, (PROPOSED,))
LINK = "http://127.0.0.1:8501/compare?scenario=abc"
WRITERS = ("to_html", "to_markdown", "to_json")


def build(people: pd.DataFrame, scenario: dp.Scenario = SCENARIO, *names: str, **options: Any):
    evaluation = dp.evaluate(scenario, people, units=options.pop("units", None))
    return dp.export.build_report(evaluation, names or None, **{"repetitions": 4, **options})


@pytest.fixture(scope="module")
def report(people: pd.DataFrame) -> dp.export.Report:
    return build(
        people, SCENARIO, "ExpM", "DauM", "DirM(L)", "DP",
        data="people.csv", units={"age": "years"}, link=LINK, decision=DECISION,
    )  # fmt: skip


@pytest.fixture(scope="module")
def told(report: dp.export.Report) -> str:
    return re.sub(r"<script>.*</script>", "", report.to_html(), flags=re.DOTALL)


def test_it_holds_the_package_s_numbers(report, people):
    model = dp.fit_gaussian(people, QUERY, SCENARIO.pair, n=60)
    assert [each.mechanism.name for each in report.findings] == ["DauM", "ExpM", "DirM(L)", "DP"]
    for each in report.findings:
        noise = dp.calibrate(each.mechanism.name, model, 1.3, 0.01)
        assert each.errors == pytest.approx(noise.expected_absolute_errors())
        assert each.error == pytest.approx(noise.expected_error())
        assert (each.noise.epsilon, each.noise.delta) == (noise.epsilon, noise.delta)
    main, laplace, single = report.findings[0], report.findings[2], report.findings[3]
    noise = dp.calibrate("DauM", model, 1.3, 0.01)
    assert main.accuracy == pytest.approx(dp.optimal_attack_accuracy(model, noise))
    assert main.delivered_delta == pytest.approx(dp.delivered_delta(model, noise, 1.3))
    assert main.delivered_epsilon == pytest.approx(dp.delivered_epsilon(model, noise, 0.01))
    assert main.kept == (main.delivered_delta <= 0.01)
    other = dp.calibrate("DirM(L)", model, 1.3)
    assert laplace.delivered_delta == pytest.approx(dp.delivered_delta(model, other, 1.3))
    assert not laplace.kept  # the two shares do more than shift the statistics
    assert not single.mechanism.protects
    attack = dp.run_attack(
        people, QUERY, SCENARIO.pair, 60, {"none": None, "DauM": noise}, repetitions=4, rng=3
    )
    assert report.simulated["DauM"] == attack.interval("DauM")
    assert report.simulated["none"] == attack.interval("none")
    assert main.undefended == pytest.approx(dp.optimal_attack_accuracy(model))
    assumed = dp.mechanisms.get("DauM").assumptions(model, "guarded")
    assert [each.assumption for each in main.assumed] == list(assumed)


def test_its_words_answer_the_question(report):
    assert "24 or 36 of them (30\u00a0% or 50\u00a0%) have the property" not in report.question
    shares = "18 or 30 of them (30\u00a0% or 50\u00a0%) have the property income = high"
    assert shares in report.question
    best = f"{100 * report.findings[0].accuracy:.1f}"
    assert f"With DauM at ε = 1.3 it is right in {best}\u00a0%" in report.answer.replace(
        "ε\u00a0=\u00a0", "ε = "
    )
    assert report.choices["Mechanism"] == "DauM, ExpM, DirM(L), DP"
    assert report.choices["Data"] == "people.csv"
    assert report.versions.keys() >= {"distpriv", "Python", "numpy", "streamlit"}


def test_it_says_whether_the_curve_is_needed_and_what_doing_without_costs(report, people):
    model = dp.fit_gaussian(people, QUERY, SCENARIO.pair, n=60, rng=3)
    error = dp.calibrate("CoupM", model, 1.3, 0.01).expected_error()
    for text in (report.to_markdown(), report.to_html(), report.to_json()):
        assert "Is the bell curve needed? The promise of DauM rests on normal curves; CoupM" in text
        assert f"has a total error of {number(error)}" in text
    told = json.loads(report.to_json())["without_curves"]
    assert told["errors"]["without"]["expected_l2_error"] == pytest.approx(error)
    assert told["errors"]["with_curves"]["mechanism"] == "DauM"
    there = dp.calibrate("CoupM", model, told["epsilon_of_the_same_error"], 0.01)
    wanted = told["errors"]["with_curves"]["expected_l2_error"]
    assert there.expected_error() == pytest.approx(wanted, rel=1e-3)
    assert told["recommended"] is None


def test_no_calibration_is_told_of_where_none_applies(people):
    without = build(people, replace(SCENARIO, mechanism="CoupM"), repetitions=2)
    assert without.choices["Calibration"] == "none, as it needs no curve"
    (finding,) = without.findings
    assert finding.noise.calibration is None
    assert "No calibration applies to it" in guarantee(finding)
    assert "guarded" not in guarantee(finding)
    assert "The promise of CoupM rests on no curve" in without.to_markdown()


def test_a_promise_without_curves_is_kept_though_the_normals_say_more(monkeypatch):
    monkeypatch.setattr("distpriv.analysis.basis.known_laws", lambda model: None)
    table = pd.DataFrame({"c": ["x"] + ["o"] * 1999, "s": ["yes"] * 1000 + ["no"] * 1000})
    scenario = dp.Scenario(
        secret=dp.SensitiveProperty("s", "yes"), query=dp.Query([dp.Count("c", "x")]),
        n=10, width=0.2, replacement=True, mechanism="CoupM", delta=5e-3,
    )  # fmt: skip
    said = guarantee(dp.evaluate(scenario, table))
    assert "more than promised: these normals are not the distributions, and it is kept." in said
    assert "The promise is kept." not in said


def test_a_promise_that_guarded_noise_misses_is_not_mended_by_guarding():
    scenario = dp.Scenario(
        secret=dp.SensitiveProperty("income", ">50K"), center=0.2, width=0.1, n=50, epsilon=2.0,
        query=dp.Query([dp.Count("relationship", "Husband")]), mechanism="OptM", delta=1e-3,
        calibration="guarded",
    )  # fmt: skip
    table = dp.load_census_income()
    said = guarantee(dp.evaluate(scenario, table))
    assert "The promise is missed, 1.42 times: the curves promise too much" in said
    assert "guarded" not in said
    better = dp.evaluate(replace(scenario, calibration="exact-law"), table)
    assert "The promise is kept." in guarantee(better)


def test_a_promise_that_attacks_refute_is_told_with_what_they_prove(people):
    evaluation = dp.evaluate(replace(SCENARIO, seed=77, calibration="guarded"), people)
    assert "The promise is kept." in guarantee(evaluation)
    evaluation.refute(0.03)
    said = guarantee(evaluation)
    assert f"Simulated attacks prove δ{SPACE}={SPACE}0.03 at least." in said
    assert "The promise is missed, 3 times: the curves promise too much" in said


def test_every_form_holds_every_part(report, told):
    markdown, content = report.to_markdown(), json.loads(report.to_json())
    for text in (told, markdown.replace("\\", "")):
        flat = " ".join(text.split())
        for part in (
            report.question, report.answer, LINK, "Seed of the simulations: 3",
            "does not hold exactly", guarantee(report.main), report.attacker,
            *(f"{name} {version}" for name, version in report.versions.items()),
        ):  # fmt: skip
            assert " ".join(part.replace("&", "&amp;").split()) in flat
        for verdict in report.findings[0].assumed:
            assert " ".join(verdict.sentence.split()) in flat
        for picture in report.pictures:
            assert " ".join(picture.alt.split()) in flat
    assert content["answer"] == report.answer
    assert content["guarantee_and_error"][0]["mechanism"] == "DauM"
    assert content["attacks"]["mechanisms"]["DauM"]["interval"][0] < 1
    assert dp.read_scenario(json.dumps(content["scenario"])) == SCENARIO
    assert len(content["figures"]) == len(report.pictures) == 5
    assert all(each["data"] for each in content["figures"])
    assert content["not_to_be_shown"] is False


def test_the_summary_comes_first_then_what_was_weighed_and_who_stands_for_it(report, told):
    assert [line.title for line in report.summary] == [
        "Question", "Verdict", "Decision", "Errors", "Not hidden", "Rests on",
    ]  # fmt: skip
    by_title = dict(report.summary)
    assert f"right in {round(100 * report.main.accuracy)} of" in by_title["Verdict"]
    assert by_title["Decision"].startswith("Not agreed yet; proposed by Ann. By the figures: ")
    assert "mean age ± " in by_title["Errors"]
    assert "Later releases (add up)" in by_title["Not hidden"]
    assert "The attacker (assumed)" in by_title["Rests on"]
    order = ["The alternatives compared", "The decision", "promises", "The answer in full"]
    order += ["The guarantee, promised and delivered", "Figures", "To get the same figures again"]
    for text in (told, report.to_markdown()):
        assert all(line.title in text[: text.index(order[0])] for line in report.summary)
        places = [text.index(part) for part in order]
        assert places == sorted(places)
        flat = text.replace("\\", "").replace("\u00a0", " ")
        assert flat.index("as published last year (proposed)") < flat.index("stricter")
        for part in ("mean age ± 1.25 years", "The promise is missed, 2 times.", "Good enough."):
            assert part in flat
    assert told.count('class="blank"') == 1  # Ann has signed
    content = json.loads(report.to_json())
    assert [each["name"] for each in content["alternatives"]][1] == "stricter"
    assert content["decision"]["signatures"] == [
        {"what": "Proposed by", "who": "Ann", "when": "2025-01-31 14:03 UTC", "why": "Good enough."}
    ]


def test_what_is_signed_and_what_waits():
    agreed = replace(PROPOSED, version=2, author="Bob", status="agreed", comment="Yes.")
    settled = signatures(replace(DECISION, revisions=(PROPOSED, agreed)))
    assert [(each.what, each.who, each.why) for each in settled] == [
        ("Proposed by", "Ann", "Good enough."),
        ("Agreed by", "Bob", "Yes."),
    ]
    assert [each.who for each in signatures(None)] == ["", ""]


def test_a_signature_says_who_vouches_for_the_name(monkeypatch):
    known = Verified("https://id.example.org", "7", "bob@example.org")
    agreed = replace(PROPOSED, version=2, author="Bob", status="agreed", verified=known)
    decision = replace(DECISION, revisions=(PROPOSED, agreed))
    bob = "Bob (bob@example.org, verified by id.example.org)"
    assert [each.who for each in signatures(decision)] == ["Ann", bob]
    monkeypatch.setenv(SIGN_IN, "in.toml")
    assert [each.who for each in signatures(decision)] == ["Ann (as typed)", bob]


def test_the_file_needs_nothing_else(report):
    html = report.to_html()
    assert html.count("plotly.js v") == 1
    assert "default-src 'none'" in html
    assert not re.search(r"<(img|link|iframe|object|embed|base|form)\b", html.split("<script>")[0])
    assert not re.search(r"<script[^>]*\bsrc=", html)
    assert "@page" in html
    assert "figure, table, tr, .answer { break-inside: avoid; }" in html
    assert "thead { display: table-header-group; }" in html


def distinctive(seed: int = 5, size: int = 600) -> pd.DataFrame:
    """Records whose values and averages no report would hold by accident."""
    rng = np.random.default_rng(seed)
    high = rng.random(size) < 0.4
    return pd.DataFrame(
        {
            "pay": np.round(rng.normal(73_000, 9_000, size) + 9_000 * high, 2),
            "hours": np.round(rng.normal(37.3, 4, size), 3),
            "status": [f"person-{place:04d}" for place in range(size)],
            "income": np.where(high, "high", "low"),
        }
    )


def test_neither_records_nor_true_statistics_are_in_it_unless_they_are_asked_for():
    table = distinctive()
    query = dp.Query([dp.Mean("pay"), dp.Mean("hours")])
    scenario = replace(SCENARIO, query=query)
    means = [
        f"{value:.{digits}f}" for value, digits in zip(query.answer(table), (0, 3), strict=True)
    ]
    secrets = [f"{float(np.mean(table['income'] == 'high')):.4f}", *means]
    secrets += [f"{value:.2f}" for value in table["pay"][:300]]
    secrets += [str(value) for value in query.answer(table)]
    plain = build(table, scenario)
    assert not plain.confidential
    assert UNLINKED in plain.to_html()
    assert "Nobody has put this release on record" in plain.to_markdown()
    for name in WRITERS:
        text = getattr(plain, name)().replace("\u202f", "")
        assert "person-" not in text
        assert MARK not in text
        body = text.split("<script>")[0]
        assert not [each for each in secrets if each in body]
        # What the model knows of the averages is in no figure either.
        for value in dp.fit_gaussian(table, query, scenario.pair, n=60).pairs[0].means.ravel():
            assert f"{value:.3f}" not in text
    for options in ({"truth": True}, {"records": True}):
        asked = build(table, scenario, **options)
        assert asked.confidential
        assert asked.answer == plain.answer
        for name in WRITERS:
            text = getattr(asked, name)()
            assert MARK in text or json.loads(text)["not_to_be_shown"]
            if "records" in options:
                assert f"{table['pay'][0]}" in text
                assert f"{table['pay'][RECORDS]:.2f}" not in text
                assert "person-" not in text  # not in a column in use
            else:
                assert means[0][:2] in text.split("Not to be shown")[-1]
    truth = build(table, scenario, truth=True).truth
    assert truth.statistics == pytest.approx(query.answer(table))
    assert truth.share == pytest.approx(np.mean(table["income"] == "high"))
    assert truth.records is None


HOSTILE = "<script>alert(1)</script>|`*[x](http://evil.example)"


def test_names_from_the_data_show_as_they_are_written():
    table = distinctive().rename(columns={"pay": HOSTILE})
    table["income"] = table["income"].replace({"high": "</script><img src=x onerror=alert(1)>"})
    secret = dp.SensitiveProperty("income", "</script><img src=x onerror=alert(1)>")
    query = dp.Query([dp.Mean(HOSTILE), dp.Mean("hours")])
    scenario = replace(SCENARIO, query=query, secret=secret)
    report = build(
        table, scenario, data="<b>mine</b>.csv", link="javascript:alert(1)", records=True,
        decision=replace(DECISION, revisions=(replace(PROPOSED, author=HOSTILE, reason=HOSTILE),)),
    )  # fmt: skip
    html = report.to_html()
    head = html.split("<script>")[0]
    assert "<script>alert" not in html
    assert "<img" not in head
    assert "<b>mine" not in head
    assert 'href="javascript' not in html
    for data in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL):
        assert "<" not in data
        assert json.loads(data)["layout"]["width"] == 660
    markdown = report.to_markdown()
    assert not re.search(r"(?<!\\)(<script|<img|\[x\]|`)", markdown)
    assert {line.count(" | ") for line in markdown.splitlines() if line.startswith("| mean")} == {1}
    assert json.loads(report.to_json())["units"][f"mean {HOSTILE}"] == ""


def test_without_a_mechanism_it_says_what_to_do(people):
    asked = dp.evaluate(SCENARIO, people)
    with pytest.raises(
        dp.errors.ReportError, match="none is chosen; choose at least one, for example DauM"
    ):
        dp.export.build_report(asked, [])
    with pytest.raises(dp.errors.ReportError, match="no mechanism 'Magic'; choose among"):
        dp.export.build_report(asked, ["Magic"])
    with pytest.raises(dp.errors.ReportError, match="at least 2 repetitions"):
        dp.export.build_report(asked, repetitions=1)


def test_a_mechanism_that_does_not_apply_is_left_out_with_its_reason(monkeypatch):
    monkeypatch.setattr(
        "distpriv.export.report.parts._FEW", 2
    )  # a search for each point takes long
    table = distinctive()
    query = dp.Query([dp.Mean("pay"), dp.Mean("hours")])
    scenario = replace(SCENARIO, query=query, calibration="guarded", epsilon=0.01, delta=1e-9)
    report = build(table, scenario, "DauM", "OptM")
    assert [each.mechanism.name for each in report.findings] == ["OptM"]
    assert "With OptM" in report.answer
    assert "DauM is left out: However large" in report.to_markdown().replace("*", "")
    with pytest.raises(dp.errors.ReportError, match="None of the mechanisms chosen"):
        build(table, scenario, "DauM")


def test_it_is_built_in_steps_that_can_be_stopped(people):
    asked = dp.evaluate(SCENARIO, people)
    run = Run(dp.export.ReportRun(asked, ["DauM"], repetitions=6).steps)
    seen = []
    while run.running and run.share_done < 0.3:
        run.step(0.0)
        seen.append(run.share_done)
    assert seen == sorted(seen)
    assert len(seen) >= 5
    assert run.result() is None
    run.step(60)
    assert run.finished
    once = dp.export.build_report(asked, ["DauM"], repetitions=6)
    assert run.result().simulated == once.simulated
    assert run.result().answer == once.answer


def test_data_too_few_for_an_attack_end_in_a_sentence(people):
    few = people.head(70)
    model = dp.fit_gaussian(few, QUERY, SCENARIO.pair, n=20)
    asked = replace(dp.evaluate(replace(SCENARIO, n=40), few), fitted=replace(model, n=40))
    run = Run(dp.export.ReportRun(asked, ["DauM"]).steps)
    run.step(60)
    assert run.result() is None
    assert "attack splits the 70 records" in run.failure


@pytest.mark.parametrize(
    ("units", "report", "said"),
    [
        ("standardised", "custom", "tolerances"),
        ("custom", "standardised", "standard deviations"),
        ("standardised", "raw", ""),
    ],
)
def test_errors_are_told_in_the_units_asked_for(people, units, report, said):
    tolerances = (1.0, 50.0, 2.0)
    scenario = replace(
        SCENARIO, mechanism="ExpM", units=units, report=report, tolerances=tolerances
    )
    found = build(people, scenario, repetitions=2)
    model = dp.fit_gaussian(people, QUERY, SCENARIO.pair, n=60)
    sizes = {
        "raw": np.ones(3),
        "custom": np.array(tolerances),
        "standardised": np.sqrt(np.diag(model.pairs[0].pooled)),
    }
    noise = dp.calibrate("ExpM", model, 1.3, 0.01, units=sizes[units])
    error = noise.in_units(sizes[report]).expected_error()
    content = json.loads(found.to_json())
    told = content["guarantee_and_error"][0]
    assert told["expected_l2_error"] == pytest.approx(error)
    assert list(told["expected_errors"].values()) == pytest.approx(noise.expected_absolute_errors())
    total = f"The total error is {number(error)} {said}."
    assert (total in plain(found.answer)) == bool(said)  # a mix of units is no figure to tell
    shares = noise.expected_absolute_errors() / model.standard_deviations
    assert list(told["errors_of_sampling_deviation"].values()) == pytest.approx(shares)
    # The curve goes through the scenario's own error.
    curve = next(each for each in content["figures"] if "Error" in each["title"])
    own = [list(row.values()) for row in curve["data"] if 1.3 in row.values()]
    assert own[0] == ["ExpM", 1.3, pytest.approx(error)]


def test_values_stand_beside_errors_only_where_true_ones_are_told(people):
    value = number(
        float(dp.fit_gaussian(people, QUERY, SCENARIO.pair, n=60).pairs[0].means.T[0].mean())
    )
    for options in ({}, {"records": True}, {"truth": True}):
        found = build(people, SCENARIO, repetitions=2, **options)
        for text in (found.to_markdown(), found.to_html()):
            assert "× sampling" in text.replace("\u00a0", " ")
            assert (f" on {value}; " in text) == ("truth" in options)


def test_several_pairs_units_and_simulated_models(people):
    scenario = replace(
        SCENARIO, grid=(0.3, 0.5, 0.1), units="custom", report="standardised",
        tolerances=(1.0, 50.0, 2.0), look="income = high: 30 % or 40 %",
    )  # fmt: skip
    report = build(people, scenario)
    assert "(30\u00a0% or 40\u00a0%)" in report.question
    assert f"hides all {len(scenario.pairs)} pairs" in report.answer
    assert "standard deviations." in report.answer
    assert "| all together, L2 |" in report.to_markdown()
    query = dp.Query([dp.Median("age"), dp.Mean("hours")])
    nonlinear = replace(SCENARIO, query=query)
    found = build(people, nonlinear, repetitions=2)
    assert "median age" in found.question
    assert len(found.pictures) == 5


@pytest.mark.parametrize("whole", [False, True])
def test_it_says_what_the_simulated_attacker_knows(people, whole):
    report = build(people, replace(SCENARIO, whole=whole, replacement=whole), repetitions=2)
    said = "knows all the records" if whole else "knows 800 of the records"
    assert said in report.attacker
    assert ("may be right less often for that alone" in report.attacker) is not whole
    assert said in report.to_markdown()
    picture = next(each for each in report.pictures if "How often" in each.title)
    assert said in picture.how_to_read
    if whole:
        assert report.simulated["none"].estimate == pytest.approx(report.main.undefended, abs=0.03)


def test_it_recommends_what_the_pages_do(report, people):
    found = dp.analysis.recommend(dp.evaluate(SCENARIO, people))
    assert report.recommendation.best.mechanism == found.best.mechanism
    said = json.loads(report.to_json())["recommended"]
    advised = report.without_curves.advised
    wanted = found.best.mechanism if advised is None else advised.title
    assert wanted in said
    assert "recommended" in said
    for writer in WRITERS[:2]:
        assert said.split(":")[0].replace("\u00a0", " ") in plain(
            getattr(report, writer)()
        ).replace("\u00a0", " ").replace("\\", "")
