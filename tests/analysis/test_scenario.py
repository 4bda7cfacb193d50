"""A scenario goes to JSON and back, whatever it holds; anything else is one sentence."""

from __future__ import annotations

import json
from dataclasses import fields
from io import BytesIO, StringIO

import pytest

from distpriv.analysis import Limit, Persons, Scenario
from distpriv.errors import DistprivError
from distpriv.model import Promise
from distpriv.queries import Count, Mean, Pair, Proportion, SensitiveProperty, Sum
from distpriv.tables.options import ReadOptions, Row

FULL = Scenario(
    source="upload",
    reading=ReadOptions(delimiter=";", decimal=",", header=(2, 3), first=4, missing={"a": ["-"]}),
    row=Row("cell", "persons"),
    reference_data="public",
    secrets=(
        Pair(SensitiveProperty("late", (0, False, "1", 1.5, 2.0, "")), 0.2, 0.3),
        Pair(SensitiveProperty("age", between=(30, 39.5)), 0.4, 0.6),
        Pair(SensitiveProperty("pay", above=3e5), 0.0, 0.01),
        Pair(SensitiveProperty("pay", below=-1), 0.98, 1.0),
    ),
    statistics=(Mean("age"), Sum("pay"), Count("late", True), Proportion("a,b", "~:!\\")),
    records=None,
    replacement=False,
    by="epsilon",
    guesses=71.5,
    epsilon=0.7,
    delta=1e-9,
    mechanism="DauM",
    calibration="exact",
    grid_safe=False,
    units="raw",
    bounds=(("age", 17, 90.5),),
    persons=Persons(1.0, 1e-3, (("age", 17, 90),)),
    reference_share=0.25,
    known_records=20,
    seed=7,
)


def test_every_field_is_tried():
    same = [each.name for each in fields(Scenario) if getattr(FULL, each.name) == each.default]
    assert not same


@pytest.mark.parametrize("scenario", [FULL, Scenario(), Scenario(reading=ReadOptions())])
def test_scenario_comes_back_from_json(scenario, tmp_path):
    back = Scenario.from_json(scenario.to_json())
    assert back == scenario
    assert back.to_json() == scenario.to_json()  # 1 is not true, nor 1.0
    assert hash(back) == hash(scenario)
    assert back.key == scenario.key
    file = tmp_path / "one.json"
    scenario.to_json(file)
    data = file.read_bytes()
    for given in (file, str(file), data, data.decode(), BytesIO(data), StringIO(data.decode())):
        assert Scenario.from_json(given) == scenario


def test_defaults_are_not_written_and_choices_change_the_key():
    assert json.loads(Scenario().to_json()) == {"format": "distpriv scenario", "version": 1}
    assert len({Scenario().key, Scenario(seed=1).key, FULL.key}) == 3


def _file(**changes):
    return json.dumps({"format": "distpriv scenario", "version": 1} | changes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a scenario"),
        ('{"version": 1}', "not a scenario"),
        (_file(version=2), "version 2"),
        (_file(guesess=60), "guesses"),
        (_file(guesses="many"), "guesses"),
        (_file(guesses=True), "guesses"),
        (_file(records=2.5), "records"),
        (_file(by="luck"), "by"),
        (_file(calibration=[1]), "calibration"),
        (_file(by="epsilon"), "add epsilon"),
        (_file(secrets=3), "secrets"),
        (
            _file(secrets=[{"secret": {"column": "a", "values": ["b"]}, "low": 0.5, "high": 0.4}]),
            "0.4",
        ),
        (_file(statistics=[{"kind": "largest", "column": "a"}]), "largest"),
        (_file(row={"kind": "heap"}), "heap"),
        (_file(reading={"separator": ";"}), "reading"),
        (_file(persons={"epsilon": 1}), "persons"),
        (_file(persons={"epsilon": 1, "delta": True}), "δ"),
        (_file(bounds=[["age", 1]]), "bounds"),
        (_file(bounds=[["age", 1, "9"]]), "bounds"),
        (_file(epsilon="1"), "epsilon"),
        (_file()[:-1] + ', "guesses": NaN}', "not JSON"),
    ],
)
def test_what_is_no_scenario_is_one_sentence(text, words):
    with pytest.raises(DistprivError, match=words) as caught:
        Scenario.from_json(text)
    assert str(caught.value).endswith((".", "?"))


def test_file_that_cannot_be_read_is_one_sentence(tmp_path):
    with pytest.raises(DistprivError, match="cannot be opened"):
        Scenario.from_json(tmp_path / "none.json")
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    with pytest.raises(DistprivError, match="not text"):
        Scenario.from_json(tmp_path / "picture")


def test_limit_is_guesses_or_a_promise():
    assert Scenario(guesses=70.0).limit == Limit("guesses", 70.0)
    assert Scenario(guesses=70.0).promise == Promise(0.0, 0.4, 70.0)
    assert Scenario(by="epsilon", epsilon=2.0, delta=0.01).limit == Promise(2.0, 0.01)
    with pytest.raises(DistprivError, match="choose a number"):
        _ = Scenario(by="epsilon").limit
