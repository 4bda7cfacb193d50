"""Scenarios as JSON files."""

import json
import math
import re
import zlib
from base64 import urlsafe_b64encode
from dataclasses import fields, replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.analysis.evaluating import evaluate
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.scenario_file import (
    pack_scenario,
    read_scenario,
    read_scenarios,
    unpack_scenario,
    write_scenario,
    write_scenarios,
)
from distpriv.errors import DistprivError, PropertyError, ScenarioError
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Query
from tests.examples import BASE, OTHER, SOME, one_change_away


def test_every_field_is_covered() -> None:
    assert set(OTHER) == {field.name for field in fields(Scenario)}


@pytest.mark.parametrize("name", list(OTHER))
def test_every_field_comes_back(name: str) -> None:
    changed = replace(BASE, **{name: OTHER[name]})
    assert changed != BASE
    if {changed.units, changed.report} & {"custom"} or changed.tolerances:
        changed = replace(changed, query=OTHER["query"], tolerances=OTHER["tolerances"])
    assert read_scenario(write_scenario(changed)) == changed
    packed = pack_scenario(changed)
    assert re.fullmatch(r"[\w-]+", packed, re.ASCII)
    assert unpack_scenario(packed) == changed


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff\xfe\x00", "[]", "{}", '"x"'])
def test_a_damaged_or_foreign_file_is_told(text: str | bytes) -> None:
    with pytest.raises(ScenarioError, match=r"damaged|no scenario"):
        read_scenario(text)


def test_another_version_is_told() -> None:
    content = json.loads(write_scenario(BASE)) | {"version": 2}
    with pytest.raises(ScenarioError, match="version must be 1, got 2"):
        read_scenario(json.dumps(content))


@pytest.mark.parametrize("name", list(OTHER))
@pytest.mark.parametrize("value", [{}, [[]], float("nan")])
def test_a_wrong_value_names_its_field(name: str, value: object) -> None:
    content = json.loads(write_scenario(BASE))
    content["scenario"][name] = value
    with pytest.raises(ScenarioError, match=f"'{name}'"):
        read_scenario(json.dumps(content))


def test_scenarios_of_an_earlier_version_promise_persons_nothing() -> None:
    content = json.loads(write_scenario(replace(BASE, persons=(1.0, 1e-3))))
    del content["scenario"]["persons"]
    assert read_scenario(json.dumps(content)) == replace(BASE, persons=None)


def with_value(name: str, value: object) -> str:
    content = json.loads(write_scenario(BASE))
    content["scenario"][name] = value
    return json.dumps(content)


# The ends of each field's domain, and what lies just beyond them.
ENDS: dict[str, tuple[list[object], list[object]]] = {
    "center": ([0, 1], [-1e-9, 1 + 1e-9]),
    "width": ([0.01, 1], [0.0099999, 1 + 1e-9]),
    "grid": ([[0, 1, 0.1], [0.2, 0.2, 1]], [[-1e-9, 1, 0.1], [0, 1 + 1e-9, 0.1], [0, 1]]),
    "n": ([2, 1_000_000_000], [1, 1_000_000_001, 2.0, True]),
    "epsilon": ([0.001, 100], [0.0009999, 100.0001, True]),
    "delta": ([1e-12, 0.5], [0.999e-12, 0.5 + 1e-9]),
    "tolerances": ([[1e-9, 1e12]], [[0.999e-9, 1], [1, 1.001e12]]),
    "bounds": ([[["age", [0, 1e-9]]]], [[["age", [0, 0]]], [["age", [1, 0]]], [["age", [0]]]]),
    "persons": ([None, [0.001, 1e-12], [100, 0.5]], [[1], [0.0009, 0.1], [1, 0.6], [1, 0.1, 2]]),
    "seed": ([0, 2**31 - 1], [-1, 2**31, 1.0]),
    "others": (
        [[{"property": {"column": "age", "above": 3}, "p_i": 0, "p_j": 1}]],
        [
            [{"property": {"column": "age", "above": 3}, "p_i": -1e-9, "p_j": 1}],
            [{"property": {"column": "age", "above": 3}, "p_i": 0, "p_j": 1 + 1e-9}],
        ],
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_ends_of_a_domain_belong_to_it_and_what_lies_beyond_does_not(name: str) -> None:
    inside, outside = ENDS[name]
    for value in inside:
        scenario = read_scenario(with_value(name, value))
        assert json.loads(write_scenario(scenario))["scenario"][name] == value
    for value in outside:
        with pytest.raises(ScenarioError, match=f"'{name}' has a value outside|'{name}' is wrong"):
            read_scenario(with_value(name, value))


def test_a_link_may_unfold_to_a_million_bytes_and_no_more() -> None:
    text = write_scenario(BASE)
    for length, readable in ((1_000_000, True), (1_000_001, False)):
        packed = urlsafe_b64encode(zlib.compress(text.encode().ljust(length))).decode()
        if readable:
            assert unpack_scenario(packed) == BASE
        else:
            with pytest.raises(ScenarioError, match="unfolds to more than"):
                unpack_scenario(packed)


def test_missing_and_unknown_fields_are_named() -> None:
    content = json.loads(write_scenario(BASE))
    content["scenario"]["colour"] = 1
    with pytest.raises(ScenarioError, match="unknown field 'colour'"):
        read_scenario(json.dumps(content))
    del content["scenario"]["colour"], content["scenario"]["n"]
    with pytest.raises(ScenarioError, match="lacks the field 'n'"):
        read_scenario(json.dumps(content))


def test_a_mechanism_that_does_not_exist_is_named() -> None:
    with pytest.raises(ScenarioError, match=r"'mechanism' is wrong: it must be one of .*'MagicM'"):
        read_scenario(write_scenario(replace(BASE, mechanism="MagicM")))


def test_columns_that_the_data_lack_are_named() -> None:
    assert read_scenario(write_scenario(BASE), {"income", "age", "sex"}) == BASE
    with pytest.raises(ScenarioError, match="'query' names the column 'sex'"):
        read_scenario(write_scenario(BASE), {"income", "age"})


@pytest.mark.parametrize(
    "packed", ["", "x", "%", "é", pack_scenario(BASE)[:-9], pack_scenario(BASE)[3:]]
)
def test_a_damaged_link_is_told(packed: str) -> None:
    with pytest.raises(ScenarioError, match="cut off"):
        unpack_scenario(packed)


def test_a_link_that_unfolds_without_end_is_refused() -> None:
    bomb = urlsafe_b64encode(zlib.compress(b" " * 50_000_000)).decode()
    with pytest.raises(ScenarioError, match="unfolds to more than"):
        unpack_scenario(bomb)
    with pytest.raises(ScenarioError, match="send the scenario as a file"):
        unpack_scenario("A" * 200_001)


def test_tolerances_are_as_many_as_statistics() -> None:
    wrong = replace(BASE, units="custom", tolerances=(1.0,))
    with pytest.raises(ScenarioError, match="'tolerances' must have one number a statistic, 2"):
        read_scenario(write_scenario(wrong))
    with pytest.raises(ScenarioError, match="'tolerances' is empty"):
        read_scenario(write_scenario(replace(wrong, tolerances=())))


def test_several_scenarios_come_back_with_their_names() -> None:
    kept = {"now": BASE, 'later, "safer"': replace(BASE, epsilon=0.5)}
    assert read_scenarios(write_scenarios(kept)) == kept
    assert read_scenarios(write_scenario(BASE)) == {"Scenario": BASE}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scenarios": []}, "not empty"),
        ({"scenarios": [3]}, "Scenario 1 of the file must have a name"),
        ({"scenarios": [{"name": "a", "scenario": {}}]}, "In scenario 'a': .*lacks the field"),
        ({"version": 9}, "version must be 1, got 9"),
        ({"format": "x"}, "no scenario"),
    ],
)
def test_what_is_wrong_with_several_is_told(change: dict[str, object], said: str) -> None:
    content = json.loads(write_scenarios({"a": BASE})) | change
    with pytest.raises(ScenarioError, match=said):
        read_scenarios(json.dumps(content))


def test_two_of_a_name_are_refused() -> None:
    content = json.loads(write_scenarios({"a": BASE}))
    content["scenarios"] *= 2
    with pytest.raises(ScenarioError, match="Scenario 2 of the file must have a name that no"):
        read_scenarios(json.dumps(content))


@pytest.mark.parametrize("half", ["\\ud800", "\\udfff"])
@pytest.mark.parametrize("place", ["age", "income", "digest"])
def test_half_a_character_is_refused(half: str, place: str) -> None:
    text = write_scenario(replace(BASE, digest="digest"))
    assert f'"{place}' in text
    with pytest.raises(ScenarioError, match="a name in it holds half a character"):
        read_scenario(text.replace(f'"{place}', f'"{half}{place}', 1))


def test_what_is_too_long_or_too_much_is_refused_before_it_is_made() -> None:
    def told(**change: object) -> str:
        content = json.loads(write_scenario(BASE))
        content["scenario"] |= change
        with pytest.raises(ScenarioError) as caught:
            read_scenario(json.dumps(content))
        return str(caught.value).replace("\u202f", "")

    pair = {"property": {"column": "age", "above": 1}, "p_i": 0.1, "p_j": 0.2}
    assert "'others' is wrong: it has 501 entries, more than 500" in told(others=[pair] * 501)
    statistic = {"kind": "Mean", "column": "age"}
    assert "'query' is wrong: it has 101 entries, more than 100" in told(query=[statistic] * 101)
    assert "more than 10000" in told(secret={"column": "c" * 10_001, "above": 1})
    assert "it has 10001 entries" in told(secret={"column": "c", "values": [1] * 10_001})
    assert "1000000 that one may have" in told(look="x" * 1_000_000)


def test_a_scenario_hides_five_hundred_pairs_at_most() -> None:
    others = tuple(SensitiveProperty("age", above=age).pair(0.5, 0.1) for age in range(499))
    assert len(replace(BASE, grid=None, others=others).pairs) == 500
    with pytest.raises(PropertyError, match="hides 501 pairs of shares, more than 500"):
        _ = replace(BASE, grid=None, others=(*others, BASE.secret.pair(0.4, 0.2))).pairs


@pytest.mark.filterwarnings("error::RuntimeWarning")
@given(st.data())
def test_a_file_one_change_away_is_read_or_told_in_a_sentence(data: st.DataObject) -> None:
    read, write, whole = data.draw(
        st.sampled_from(
            [
                (read_scenario, write_scenario, SOME),
                (read_scenarios, write_scenarios, {"now": BASE, "later": SOME}),
            ]
        )
    )
    text = data.draw(one_change_away(write(whole)))
    said, found = "", None
    try:
        found = read(text)
    except ScenarioError as error:
        said = str(error)
    assert bool(said) != bool(found)
    assert len(said) < 700
    assert not any(ord(letter) < 32 for letter in said)
    said.encode()
    assert not found or read(write(found).encode()) == found


HERE = replace(
    BASE,
    secret=SensitiveProperty("income", "high"),
    query=Query([Mean("age"), Count("town", "Ahausen")]),
    bounds=(("age", (0.0, 120.0)),),
    persons=(1.0, 1e-3),
)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@given(
    st.sampled_from(["exact", "guarded", "classical"]),
    st.sampled_from([0.001, 1.0, 100.0]),
    st.sampled_from([1e-12, 1e-3, 0.5]),
    st.sampled_from([0.01, 0.1, 1.0]),
    st.sampled_from([2, 100, 1_000_000_000]),
    st.sampled_from([(0.0, 5e-324), (0.0, 120.0), (-1e308, 1e308), (1e-300, 1e300), (-1e50, 1e50)]),
    st.booleans(),
)
def test_what_is_read_is_evaluated_or_told(
    people: pd.DataFrame, calibration, epsilon, delta, width, n, ends, alone: bool
) -> None:
    """Extreme as the file may have it."""
    scenario = replace(
        HERE,
        calibration=calibration,
        epsilon=epsilon,
        delta=delta,
        width=width,
        n=n,
        replacement=True,
        bounds=(("age", ends),),
        persons=None if alone else (epsilon, delta),
    )
    assert read_scenario(write_scenario(scenario)) == scenario
    said, found = "", ()
    try:
        evaluation = evaluate(scenario, people)
        found = (*evaluation.errors, evaluation.accuracy, evaluation.undefended)
    except DistprivError as error:
        said = str(error)
    assert bool(said) != bool(found)
    assert "\n" not in said
    assert not any(map(math.isnan, found))
