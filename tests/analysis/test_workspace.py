"""Workspaces as JSON files: what is written comes back, and anything else ends in a sentence."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.analysis.json_values import LONGEST
from distpriv.analysis.workspace import (
    Named,
    Own,
    Source,
    Workspace,
    is_workspace,
    read_workspace,
    write_workspace,
)
from distpriv.errors import ScenarioError
from distpriv.queries.nonlinear import Quantile
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Count, Mean
from tests.examples import BASE, SOME

FULL = Workspace(
    scenario=SOME,
    source=Source(
        title="hospital.csv",
        uploaded=True,
        records=101_766,
        digest="abc",
        types=(("ward", "category"),),
    ),
    kept=(
        Named(name="first", data="bank", scenario=BASE),
        Named(name="second", data="", scenario=SOME),
    ),
    own=(
        Own(
            digest="def",
            secrets=(SensitiveProperty("age", above=65), SensitiveProperty("ward", "A")),
            pairs=(Pair(SensitiveProperty("age", between=(20, 30)), 0.2, 0.3),),
            statistics=(Mean("age"), Quantile("age", 0.9), Count("ward", "B")),
        ),
    ),
    choices=(("meaning_prior", 0.25), ("proposal_reason", "As in 2025."), ("shown", True)),
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = TEXTS.filter(str.strip)
SECRETS = st.one_of(
    st.builds(SensitiveProperty, NAMES, values=st.lists(NAMES, min_size=1, unique=True)),
    st.builds(SensitiveProperty, NAMES, above=st.floats(-1e9, 1e9)),
)
SCENARIOS = st.builds(
    lambda secret, epsilon, n, view: replace(BASE, secret=secret, epsilon=epsilon, n=n, view=view),
    SECRETS,
    st.floats(0.001, 100),
    st.integers(2, 10**9),
    st.sampled_from(["analyst", "presentation"]),
)
WORKSPACES = st.builds(
    Workspace,
    scenario=SCENARIOS,
    source=st.builds(
        Source,
        title=NAMES,
        uploaded=st.booleans(),
        records=st.integers(0, 10**12),
        digest=TEXTS,
        types=st.lists(st.tuples(TEXTS, st.sampled_from(["number", "category"]))).map(tuple),
    ),
    kept=st.dictionaries(NAMES, SCENARIOS, max_size=3).map(
        lambda each: tuple(
            Named(name=name, data=name, scenario=scenario) for name, scenario in each.items()
        )
    ),
    own=st.dictionaries(TEXTS, st.lists(SECRETS, max_size=2).map(tuple), max_size=2).map(
        lambda each: tuple(Own(digest=name, secrets=those) for name, those in each.items())
    ),
    choices=st.dictionaries(
        NAMES, st.one_of(TEXTS, st.booleans(), st.integers(), st.floats(-1e300, 1e300)), max_size=3
    ).map(lambda each: tuple(each.items())),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)


@given(WORKSPACES)
def test_what_is_written_comes_back(workspace: Workspace) -> None:
    text = write_workspace(workspace)
    assert read_workspace(text) == workspace
    assert read_workspace(text.encode()) == workspace


def test_a_full_one_comes_back_in_every_field() -> None:
    text = write_workspace(FULL)
    assert is_workspace(text)
    assert read_workspace(text) == FULL
    assert set(json.loads(text)["workspace"]) == {field.name for field in fields(Workspace)}


def paths(value: object, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The places of everything in a JSON value."""
    if isinstance(value, dict):
        inner = [paths(item, (*above, key)) for key, item in value.items()]
    elif isinstance(value, list):
        inner = [paths(item, (*above, place)) for place, item in enumerate(value)]
    else:
        inner = []
    return [above, *(path for those in inner for path in those)]


PLACES = paths(json.loads(write_workspace(FULL)))


@given(st.sampled_from(PLACES[1:]), JSON)
def test_what_was_tampered_with_is_read_or_told_and_never_breaks(
    path: tuple[str | int, ...], value: object
) -> None:
    content = json.loads(write_workspace(FULL))
    holder = content
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    said, found = "", None
    try:
        found = read_workspace(json.dumps(content))
    except ScenarioError as error:
        said = str(error)
    assert len(said) < 700
    assert "\n" not in said
    assert found is None or read_workspace(write_workspace(found)) == found


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff\xfe\x00", "[]", "{}", '"x"', "1"])
def test_a_damaged_or_foreign_file_is_told(text: str | bytes) -> None:
    with pytest.raises(ScenarioError, match=r"damaged|no workspace"):
        read_workspace(text)


def test_one_without_end_is_not_read() -> None:
    with pytest.raises(ScenarioError, match="more than the 2\u202f000\u202f000 that"):
        read_workspace(" " * (LONGEST + 1))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scenario": {}}, "'scenario' is wrong: .*lacks the field"),
        (
            {"kept": [{"name": " ", "data": "", "scenario": {}}]},
            "scenario's field 'name' has a value",
        ),
        ({"own": [{"digest": "a"}]}, "'own' is wrong: The own lacks the field 'pairs'"),
        ({"choices": {"a": [1]}}, "'choices' has a value outside its domain"),
        (
            {"choices": {"a": "x" * 10_001}},
            "'choices' is wrong: a text in it has 10\u202f001 characters",
        ),
        ({"choices": {"a": float("inf")}}, "'choices' has a value outside its domain"),
        ({"colour": 1}, "unknown field 'colour'"),
        ({"source": {"title": "x"}}, "'source' is wrong: The source lacks the field 'digest'"),
    ],
)
def test_what_is_wrong_is_told(change: dict[str, object], said: str) -> None:
    content = json.loads(write_workspace(FULL))
    content["workspace"] |= change
    with pytest.raises(ScenarioError, match=said):
        read_workspace(json.dumps(content))


def test_a_file_from_before_there_was_a_choice_of_how_to_read() -> None:
    workspace = Workspace(scenario=BASE, source=Source(title="people.csv"))
    content = json.loads(write_workspace(workspace))
    del content["workspace"]["source"]["reading"]
    assert read_workspace(json.dumps(content)) == workspace


@pytest.mark.parametrize("field", ["kept", "own"])
def test_two_of_a_name_are_refused(field: str) -> None:
    content = json.loads(write_workspace(FULL))
    content["workspace"][field] *= 2
    with pytest.raises(ScenarioError, match=f"'{field}' has two entries of one name"):
        read_workspace(json.dumps(content))


def test_another_version_and_no_object_are_told() -> None:
    content = json.loads(write_workspace(FULL))
    with pytest.raises(ScenarioError, match="version must be 1, got 2"):
        read_workspace(json.dumps(content | {"version": 2}))
    with pytest.raises(ScenarioError, match="'workspace' must be an object"):
        read_workspace(json.dumps(content | {"workspace": 3}))
