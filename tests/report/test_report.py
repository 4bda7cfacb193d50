"""The record and the texts that are made of it alone, from what hostile tables and people say."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np
import pytest

from distpriv import report
from distpriv.analysis import Persons, evaluate
from distpriv.analysis.tables import example_source, start
from distpriv.report.texts import bells, digits

EVIL = (
    "<script>alert(1)</script> ![x](http://evil.org/x.png) | a | *b* `c` \n# d\n\u202e www.evil.org"
)
LONG = "w" * 5000
AT = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def now():
    source = example_source("census-income")
    return evaluate(start(source), source)


@pytest.fixture(scope="module")
def record(now):
    risk = {"why": "The yearly report", "who": "The press", "harm": "Name us"}
    return report.record(now, now.recommendation.way, risk=risk, name="staff")


def decision(act="agreed", reason="Least error", review="2099-01-01", author="Bo"):
    body = {"review": review}
    first = SimpleNamespace(at=AT, author="Ana", act="proposed", reason=reason, body=body)
    last = SimpleNamespace(at=AT + timedelta(days=1), author=author, act=act, reason="", body=body)
    steps = (first,) if act == "proposed" else (first, last)
    agreed = act == "agreed" and review > "2026-11-28"
    return SimpleNamespace(key="k1", versions=steps, proposal=first, now=steps[-1], agreed=agreed)


def entry(kind="noise", **changes):
    body = {
        "scenario": {"records": None}, "way": "OptM", "title": "Noise, OptM", "how": "Adds random noise.",
        "table": {"name": "staff", "title": "staff.csv", "records": 1200, "provenance": "table"},
        "secrets": [{"label": "pay = high", "low": 0.2, "high": 0.3}],
        "labels": ["mean pay", "=cmd()"], "units": ["€", "@x"], "values": [-3640.0, 12.0], "decimals": [-1, 2],
        "deviations": [12.0, 1.5], "intervals": [[-3660.0, -3620.0], None], "estimates": None, "estimate_errors": None,
        "errors": [9.57, 1.2], "guesses": 60.0, "together": 61.0, "rests": "model", "basis": "Rests on bell-shaped figures.",
        "promise": {"epsilon": 0.0, "delta": 0.2, "guesses": 60.0}, "reference": None, "range": [0.2, 0.3],
        "not_protected": ["Single persons are not protected."], "law": {"noise": [[144.0, 0.0], [0.0, 2.25]]},
    }  # fmt: skip
    fields = {"number": 7, "token": "t", "kind": kind, "at": AT + timedelta(days=2), "author": "Cy"}
    fields |= {"reason": "We must", "decision": "", "name": "staff", "fingerprint": "f" * 32}
    return SimpleNamespace(**fields, body=body | changes)


def test_record_is_plain_and_rounded_and_the_texts_need_nothing_else(now, record):
    again = json.loads(json.dumps(record, allow_nan=False))
    assert again == record
    assert report.page(again) == report.page(record)
    assert report.markdown(again) == report.markdown(record)
    assert record["question"]["undefended"] == round(now.undefended, 1)
    for one, value in zip(record["figures"], now.values, strict=True):
        assert one["value"] == float(f"{value:.3g}")
    assert {one["key"] for one in record["ways"]} == {one.key for one in now.ways}
    assert record["release"]["parameters"]["kept"] == [70, 20]
    assert record["scenario"] == json.loads(now.scenario.to_json())


def test_record_of_noise_tells_its_parameters_rounded_up(now):
    way = next(one for one in now.ways if one.key == "OptM")
    parameters = report.record(now, way)["release"]["parameters"]
    exact = np.sqrt(np.diagonal(way.release.covariance))
    assert (np.array(parameters["deviations"]) >= exact).all()
    assert parameters["deviations"] == pytest.approx(exact, rel=1e-2)
    assert parameters["other_epsilon"] == pytest.approx(now.epsilon, rel=1e-2)
    assert (parameters["epsilon"], parameters["delta"]) == (0.0, 0.2)


def test_record_says_why_persons_are_not_protected_and_that_the_share_is(now):
    each = evaluate(replace(now.scenario, persons=Persons(1.0, 1e-3)), now.source, now.cache)
    ways = {way.key: way for way in each.ways}
    made = report.record(each, ways["BalM"])
    assert (made["release"]["kept"], made["release"]["verdict"]["kept"]) == (False, True)
    rules = {rule["rule"]: rule for rule in made["rules"]}
    assert rules["limit on the best attacker"]["kept"] is True
    assert rules["promise to single records"]["kept"] is False
    for text in (report.page(made), report.markdown(made)):
        assert "The promise to persons is not kept." in text
        assert "No noise is added, so single persons are not protected." in text
        assert "It adds no noise, so single persons are not protected." in text
        assert "uses public data alone" not in text
    nothing = report.record(each, ways["no data"])
    assert nothing["release"]["verdict"]["persons"]["epsilon"] == 0
    for text in (report.page(nothing), report.markdown(nothing)):
        assert "It uses public data alone, so every person is fully protected" in text
        assert "is not kept" not in text


@pytest.mark.parametrize("changes", [{"reference_share": 0.28}, {"guesses": 51.0}])
def test_record_follows_the_scenario_and_says_what_is_broken(now, changes):
    other = evaluate(replace(now.scenario, **changes), now.source, now.cache)
    made = report.record(other, other.plain)
    assert not made["release"]["kept"]
    assert made["checks"][2]["state"] == "failed"
    assert made["rules"][0]["kept"] is made["rules"][1]["kept"] is False
    assert "The limit is not kept." in report.page(made)
    assert "The limit is not kept." in report.markdown(made)


def test_record_of_several_secrets_and_of_persons_is_about_all_of_them(now):
    pair = now.pair
    second = replace(
        pair, secret=replace(pair.secret, column="sex", values=("Male",)), low=0.6, high=0.7
    )
    two = now.scenario.statistics[:2]
    one = replace(now.scenario, secrets=(pair, second), statistics=two, persons=Persons(1.0, 1e-3))
    made = report.record(other := evaluate(one, now.source, now.cache), other.way)
    assert [each["label"] for each in made["question"]["secrets"]] == [
        "income = >50K",
        "sex = Male",
    ]
    assert made["rules"][1]["rule"] == "promise to single records"
    assert 0.9 < made["release"]["verdict"]["persons"]["epsilon"] <= 1.01
    for text in (report.page(made), report.markdown(made)):
        first = text.split("Decision")[0].replace("&gt;", ">").replace("\\>", ">")
        assert "income = >50K" in first
        assert "sex = Male" in first


@pytest.mark.parametrize(
    ("one", "status", "kept"),
    [
        (None, "Nothing is on record yet. This page is a draft.", None),
        (decision("proposed"), "Proposed by Ana on 28 November 2026. Someone else has to answer.", None),
        (decision(), "Agreed by Bo on 29 November 2026. It is looked at again on 1 January 2099.", True),
        (decision(review="2026-11-01"), "It had to be looked at again by 1 November 2026, so it covers no further release.", True),
        (decision("changes"), "Bo asked for changes on 29 November 2026.", None),
        (decision("rejected"), "Rejected by Bo on 29 November 2026.", False),
    ],
)  # fmt: skip
def test_texts_say_what_is_on_record(record, one, status, kept):
    made = report.with_decision(record, one)
    assert made["rules"][-1]["kept"] is kept
    for text in (report.page(made), report.markdown(made)):
        assert status in text
        assert ("Least error" in text) is (one is not None)


@pytest.mark.parametrize(
    ("one", "entries", "tier", "missing"),
    [
        (None, [], 0, ["curator", "publication_date"]),
        (decision(), [], 0, ["publication_date"]),
        (decision(reason=""), [entry()], 2, ["rationale"]),
        (decision(), [entry()], 3, []),
    ],
)
def test_registry_counts_the_tiers_and_names_what_is_missing(record, one, entries, tier, missing):
    registry = report.with_decision(record, one, entries)["registry"]
    assert registry["tier"] == tier
    assert [name for names in registry["missing"].values() for name in names][
        : len(missing)
    ] == missing


def test_record_writes_100_for_certainty_alone(now):
    wide = replace(now.pair, low=0.1, high=0.6)
    made = report.record(
        other := evaluate(replace(now.scenario, secrets=(wide,)), now.source, now.cache),
        other.plain,
    )
    assert 99.95 < other.undefended < 100
    assert made["question"]["undefended"] == 99.9
    assert "<b>More than 99 of 100</b>would be right" in report.page(made)


@pytest.mark.parametrize(
    ("one", "entries", "title"),
    [
        (None, [], "May these 5 figures be published?"),
        (decision(), [], "These 5 figures may be published"),
        (decision(review="2026-11-01"), [], "May these 5 figures be published?"),
        (decision("rejected"), [], "These 5 figures may not be published"),
        (decision(), [entry("balanced")], "These 5 figures were released"),
    ],
)
def test_title_says_how_far_it_has_come(record, one, entries, title):
    made = report.with_decision(record, one, entries)
    assert f"<h1>{title}</h1>" in report.page(made)
    assert report.markdown(made).startswith(f"# {title}\n\nstaff, ")
    assert ("average of all such tables" in report.markdown(made)) is bool(entries)
    single = made | {"figures": made["figures"][:1]}
    assert (
        title.lower().split("figures")[0].replace("these 5", "this")
        in report.markdown(single).lower()
    )


def test_reviewers_get_every_rule_with_parameters_and_versions(record):
    made = report.with_decision(record, decision(), [entry()])
    assert all(rule["parameters"] and rule["tool_version"] for rule in made["rules"])
    assert [rule["kept"] for rule in made["rules"]] == [True] * 5
    assert len(made["checks"]) == 8
    small = made | {"figures": [made["figures"][0] | {"unit": "records", "value": 3.0}]}
    assert report.with_decision(small, None)["checks"][0]["state"] == "look"
    page = report.page(made, "https://x.org/answer?decision=k1", "data:image/svg+xml;base64,AA==")
    for text in (
        "Agreed by Bo",
        "No. 7",
        "right at most 61 of 100",
        "Mean pay -3640 € (-3660 to -3620)",
        "Holds for any data.",
        'href="https://x',
    ):
        assert text in page


def hostile(record, text, own=True):
    """A record whose names and reasons are hostile, and perhaps the program's own words."""
    made = report.with_decision(record, decision(reason=text, author=text), [entry()])
    for part in (made["question"], made["risk"], made["decision"]):
        part |= {name: text for name, one in part.items() if isinstance(one, str)}
    made["decision"] |= {"status": "agreed", "review": "", "proposed_at": "", "answered_at": ""}
    made["question"]["secrets"] = [one | {"label": text} for one in made["question"]["secrets"]]
    made["figures"] = [one | {"label": text, "unit": text} for one in made["figures"]]
    if not own:
        return made
    made["ways"] = [one | {"title": text, "how": text, "basis": text} for one in made["ways"]]
    made["release"] |= dict.fromkeys(("title", "how", "basis"), text)
    return made | {"not_protected": [text], "caveats": [text]}


def test_page_escapes_what_tables_and_people_say(record):
    page = report.page(hostile(record, EVIL), link="javascript:alert(1)", code="http://evil.org/x")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.findall(r"<(?:img|a|link)\b|(?:src|href|style)\s*=", page)
    assert "\u202e" not in page
    assert re.findall(r"url\(|@import|@font-face", page) == []


def test_markdown_escapes_what_tables_and_people_say(record):
    text = report.markdown(hostile(record, EVIL))
    assert not re.findall(r"(?<!\\)<script|(?<!\\)!\[|https?://|(?<!\\)`|\u202e|www\.", text)
    assert not re.findall(r"^# d", text, re.MULTILINE)
    table = re.search(r"(?:^\|.*\n)+", text[text.index("| Figure") :], re.MULTILINE)[0]
    columns = [len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()]
    assert columns == [5] * (2 + len(record["figures"]))


def test_texts_hold_5000_letters_and_keep_them_once(record):
    made = hostile(record, LONG, own=False)
    page, text = report.page(made), report.markdown(made)
    first = page[: page.index("What an attacker sees")]
    assert LONG not in first
    assert max(map(len, re.findall(r"w{50,}", first))) <= 700
    assert LONG in page
    assert LONG in text


def test_pictures_are_small_inline_and_in_words(record):
    pictures = re.findall(r"<svg role.*?</svg>", report.page(record), re.DOTALL)
    assert len(pictures) == 3
    assert sum(map(len, pictures)) < 20_000
    assert all("<title>" in one and "<desc>" in one for one in pictures)
    assert "Balanced: off by 2.9 %, right 50 of 100, keeps the limit." in pictures[2]


@pytest.mark.parametrize(("guesses", "alike", "apart"), [(50.0, True, False), (75.0, False, False), (99.9, False, True)])  # fmt: skip
def test_bells_overlap_by_what_an_attacker_gets_wrong(guesses, alike, apart):
    one = bells(guesses)
    assert (one["alike"], one["apart"]) == (alike, apart)

    def area(path):
        points = np.array([pair.split(",") for pair in path[1:].split()], dtype=float)
        return np.trapezoid(130 - points[:, 1], points[:, 0])

    assert area(one["both"]) / area(one["low"]) == pytest.approx(2 - guesses / 50, abs=0.01)


@pytest.mark.parametrize(
    ("value", "up", "rounded"),
    [(3643.4, False, 3640.0), (0.0123449, True, 0.0124), (1e-300, True, 1e-300), (-12.34, False, -12.3), (0.0, True, 0.0), (math.inf, False, None), (math.nan, True, None), (12.3, True, 12.3)],
)  # fmt: skip
def test_digits_round_to_three_and_up_where_asked(value, up, rounded):
    assert digits(value, up=up) == rounded


PUBLIC = {
    "table": {"name": "staff", "title": "staff.csv", "records": 1200, "provenance": "example"}
}


@pytest.mark.parametrize(
    ("kind", "changes", "sentences"),
    [
        ("noise", {}, ["-3640 € | -3660 to -3620", "By the promise alone they are right at most 60 times in 100", "ε = 0 and δ = 0.2", "The limits in force allow someone who has all releases of this table up to this one to be right at most 61 times in 100", "1\u202f200 records",
                       "here they come from this table", "Cy released it without a second person: We must", "It allows for the noise alone"]),
        ("noise", PUBLIC, ["Proven only if the figures are roughly bell-shaped.\n", "By our model, someone who has", "holds the figure of the table itself"]),
        ("balanced", {"reference": 0.25}, ["as if 25\u00a0%", "the average of all such tables at that share"]),
        ("noise", {"scenario": {}}, ["1\u202f200 records, drawn at random from the table, 30 Nov", "of the records that were drawn, not of the whole table"]),
        ("no data", {"labels": [EVIL, EVIL]}, ["There are none: these are expectations", r"\<script\>"]),
        ("as it is", {"promise": {"epsilon": 1.0, "delta": 1e-3, "guesses": 73.2}}, ["ε = 1 and δ = 0.001", "right at most 73.2 times"]),
    ],
)  # fmt: skip
def test_label_says_what_recipients_must_know(kind, changes, sentences):
    text = report.label(entry(kind, **changes))
    for sentence in sentences:
        assert sentence in text
    assert "http://" not in text
    assert len(text.splitlines()) < 24


def test_label_names_who_agreed_at_the_time_of_the_release():
    one = entry()
    one.decision = "k1"
    assert (
        "Ana proposed it, Bo agreed on 29 November 2026, Cy released it. Decision k1."
        in report.label(one, decision())
    )
    assert "A second person agreed, Cy released it. Decision k1." in report.label(one)
    one.at = AT
    assert "Bo agreed" not in report.label(one, decision())


def test_csv_has_the_digits_of_the_release():
    best = entry(**PUBLIC, estimates=[-3641.2, 12.1], estimate_errors=[5.0, 1.0])
    first, second = csv.DictReader(io.StringIO(report.csv_of(best)))
    assert first == {"figure": "mean pay", "value": "-3640", "low": "-3660", "high": "-3620", "error": "9.57", "unit": "€",
                     "estimate": "-3641.2", "estimate_error": "5"}  # fmt: skip
    assert (second["figure"], second["unit"], second["value"]) == ("'=cmd()", "'@x", "12.00")


@pytest.mark.parametrize(
    ("name", "written"),
    [("=1+1", "'=1+1"), (" @x", "' @x"), ("a;=1;-2", "a;'=1;'-2"), ("a\t+b", "a +b"), ("\u202e\n=1", "' =1"), ("＝1", "'＝1"), ("a-b = c", "a-b = c")],
)  # fmt: skip
def test_csv_has_no_formulas_whatever_separates_its_cells(name, written):
    rows = csv.DictReader(io.StringIO(report.csv_of(entry(labels=[name, ""], units=[name, ""]))))
    assert [[row["figure"], row["unit"]] for row in rows] == [[written, written], ["", ""]]


def test_json_has_all_but_the_law_and_csv_the_noise_where_no_errors_are_told():
    one = entry(errors=None)
    made, body = json.loads(report.json_of(one)), one.body
    assert made == made | {name: body[name] for name in body if name != "law"}
    assert "law" not in made
    header, first = report.csv_of(one).splitlines()[:2]
    assert header == "figure,value,low,high,deviation,unit"
    assert first == "mean pay,-3640,-3660,-3620,12,€"


def test_record_of_a_table_of_ones_own_is_not_for_publication(now):
    two = replace(
        now.scenario,
        source="upload",
        persons=Persons(1.0, 1e-3),
        statistics=now.scenario.statistics[:2],
    )
    own = evaluate(two, now.source.frame)
    made = report.record(own, own.way)
    promised = "Single persons are protected by ε = 1 at δ = 0.001 only, between the public bounds."
    assert promised in made["not_protected"]  # not what the noise gives
    assert "not for publication" in made["publication"]
    assert made["publication"] in report.page(made).replace("&#39;", "'")
    assert made["publication"] in report.markdown(made)


def test_script_gives_the_figures_of_the_page(tmp_path, capsys):
    source = example_source("staff")
    scenario = replace(start(source), statistics=start(source).statistics[:2])
    source.frame.head(3000).to_csv(tmp_path / "p'e.csv", sep=";", index=False)
    options = {"delimiter": ";"}
    from distpriv import read_table, tables

    path = tmp_path / "p'e.csv"
    frame = read_table(path, **options)
    own = replace(scenario, source="upload", reading=tables.how_read(frame)[0], records=100)
    for one, table in ((scenario, source.frame), (own, frame)):
        exec(compile(report.script(one, str(path)), "script", "exec"), {})
        assert capsys.readouterr().out == evaluate(one, table).costs().to_string(index=False) + "\n"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"source": "open"}, "table = distpriv.scan('a.parquet')"),
        ({"source": "crew"}, "table = distpriv.sources.named_source('crew')"),
        ({"reference_data": "public.csv"}, "reference = distpriv.read_table('public.csv')"),
        ({"source": "x');import os#"}, 'named_source("x\');import os#")'),
        ({"source": "'''\u202e"}, "\\u0027\\u0027\\u0027\\u202e"),
    ],
)
def test_script_opens_what_the_scenario_is_of_and_runs_nothing_else(now, changes, line):
    text = report.script(replace(now.scenario, **changes), "a.parquet")
    assert line in text
    assert "\u202e" not in text
    compile(text, "script", "exec")
