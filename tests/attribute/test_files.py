"""The JSON files of attribute privacy: round trips, and every kind of damage named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.attribute import files
from tests.examples import networks, one_change_away

DATA = Path(__file__).parents[2] / "data"
HOSPITAL = json.loads((DATA / "hospital.json").read_text(encoding="utf-8"))
SCHOOL = json.loads((DATA / "school_network.json").read_text(encoding="utf-8"))


def test_the_embedded_examples_are_what_would_be_written() -> None:
    assert json.loads(dp.attribute.save_assumptions(dp.attribute.hospital())) == HOSPITAL
    assert json.loads(dp.attribute.save_network(dp.attribute.school())) == SCHOOL
    assert (
        dp.attribute.load_assumptions(dp.attribute.save_assumptions(dp.attribute.hospital()))
        == dp.attribute.hospital()
    )


@given(networks(), networks(most=3))
def test_networks_round_trip(net: dp.BayesianNetwork, other: dp.BayesianNetwork) -> None:
    for each in (net, other):
        query = dp.attribute.QuiltQuery("q", each.nodes[:2], {frozenset(each.nodes[:2]): 2.0})
        file = dp.attribute.NetworkFile("t", "d", (each, each), each.nodes[:1], (query,))
        back = dp.attribute.load_network(dp.attribute.save_network(file).encode())
        assert (back.title, back.description, back.protected) == ("t", "d", each.nodes[:1])
        assert back.queries[0].sensitivity == query.sensitivity
        assert len(back.networks) == 2
        assert back.networks[0].edges == each.edges
        for node in each.nodes:
            assert back.networks[1].table(node) == pytest.approx(each.table(node))
            assert back.networks[1].names(node) == each.names(node)


def test_what_is_not_finite_is_not_written() -> None:
    query = dp.attribute.QuiltQuery("q", ("height",), {frozenset({"height"}): float("inf")})
    with pytest.raises(dp.errors.NetworkError, match="sensitivity of 'q' is not finite"):
        dp.attribute.save_network(
            dp.attribute.NetworkFile("", "", dp.attribute.school().networks, (), (query,))
        )


def changed(whole: dict[str, Any], path: str, value: Any) -> str:
    """The file with one entry replaced, or taken out where the value is None."""
    copy = json.loads(json.dumps(whole))
    *way, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    place = copy
    for part in way:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return json.dumps(copy)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("format", "x", 'not of the format "distpriv assumptions"'),
        ("assumptions", None, '"assumptions" must be a list'),
        ("assumptions", ["x"], "list of objects"),
        ("assumptions/1/slope", [1], '"slope" in row 2 of the assumptions must be two numbers'),
        ("assumptions/1/slope", [2, 1], "slope of 'average blood pressure' runs from 2 to 1"),
        ("assumptions/0/deviation", ["a", 1], '"deviation" in row 1'),
        ("assumptions/0/records", 2.5, '"records" in row 1 .* whole number'),
        ("assumptions/0/records", 0, "number of records"),
        ("assumptions/0/diameter", True, '"diameter" in row 1 .* finite number'),
        ("assumptions/0/diameter", 10**400, '"diameter" in row 1 .* finite number'),
        ("assumptions/0/release", "", '"release" in row 1 .* a text'),
        ("assumptions/0/release", 5, '"release" in row 1 .* a text'),
        ("assumptions/0/paper_error", "x", '"paper_error" in row 1'),
        ("title", 5, '"title" must be a text'),
    ],
)
def test_damaged_assumptions(path: str, value: Any, says: str) -> None:
    with pytest.raises(dp.errors.AttributePrivacyError, match=says):
        dp.attribute.load_assumptions(changed(HOSPITAL, path, value))


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("format", "distpriv assumptions", 'not of the format "distpriv network"'),
        ("attributes/0/name", None, '"name" of attribute 1 must be a text'),
        ("attributes/0/states", "low", '"states" of attribute 1 must be a list'),
        ("attributes/0/states", ["low", 5], '"states" of attribute 1 must be a list of names'),
        ("edges/0", ["gender"], "pair of names"),
        ("edges/0", ["gender", "shoe size"], "'shoe size', which has no table"),
        ("edges/1", ["weight", "gender"], "cycle"),
        ("tables", [], "no set of tables"),
        ("tables", None, '"tables" must be a list'),
        ("tables/0/height", None, "'height' is not in both"),
        ("tables/0/shoe size", [1.0], "'shoe size' is not in both"),
        ("tables/0/gender/1", [0.5, 0.6], "'gender' where family income = middle sum to 1.1"),
        ("tables/0/gender", "x", "'gender' must hold numbers only"),
        ("tables/0/gender", {"x": 1}, "'gender' must hold numbers only"),
        ("protected", ["shoe size"], "no attribute 'shoe size'"),
        ("queries/0/attributes", ["shoe size"], "no attribute 'shoe size'"),
        ("queries/0/name", None, '"name" of query 1 must be a text'),
        ("queries/1/sensitivity/0/value", "x", '"value" in a sensitivity of query 2'),
        ("queries/1/sensitivity/0/attributes", ["weight"], "some of the query's own"),
        ("queries/1/sensitivity/0/attributes", ["SAT score"], "which no other row has"),
        ("queries/1/sensitivity/0/attributes", None, '"attributes" in a sensitivity of query 2'),
    ],
)
def test_a_damaged_network(path: str, value: Any, says: str) -> None:
    with pytest.raises(dp.errors.NetworkError, match=says):
        dp.attribute.load_network(changed(SCHOOL, path, value))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b'{"format": "distpriv network",\n oh}', r"not JSON \(line 2\)"),
        (b"[1, 2]", "not of the format"),
        (b'{"format": "distpriv network", "title": NaN}', "not finite"),
        (b"[" * 100_000, "not JSON"),
        (b" " * 5_000_001, "larger than 5 MB"),
    ],
)
def test_what_is_no_such_file(content: bytes, says: str) -> None:
    with pytest.raises(dp.errors.NetworkError, match=says):
        dp.attribute.load_network(content)
    with pytest.raises(dp.errors.AttributePrivacyError, match=says):
        dp.attribute.load_assumptions(content.replace(b"network", b"assumptions"))


@given(st.binary(max_size=200))
def test_whatever_the_file_it_ends_in_a_sentence(content: bytes) -> None:
    with pytest.raises(dp.errors.NetworkError):
        dp.attribute.load_network(content)


def test_missing_examples_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "DATA", tmp_path)
    for load in (dp.attribute.hospital, dp.attribute.school):
        with pytest.raises(dp.errors.DatasetError, match="complete checkout"):
            load()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@given(st.data())
def test_a_file_one_change_away_is_read_or_told_in_a_sentence(data: st.DataObject) -> None:
    attribute = dp.attribute
    whole, load, save = data.draw(
        st.sampled_from(
            [
                (HOSPITAL, attribute.load_assumptions, attribute.save_assumptions),
                (SCHOOL, attribute.load_network, attribute.save_network),
            ]
        )
    )
    text = data.draw(one_change_away(json.dumps(whole)))
    said, written = "", ""
    try:
        written = save(load(text))
    except dp.errors.DistprivError as error:
        said = str(error)
    assert bool(said) != bool(written)
    assert len(said) < 1000
    assert not any(ord(letter) < 32 for letter in said)
    said.encode()
    assert not written or save(load(written.encode())) == written


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("tables/0/height", 10**400, "'height' must hold numbers only"),
        ("attributes/0/name", "x" * 201, '"name" of attribute 1 must be a text of one line'),
        ("attributes/0/name", "a\nb", '"name" of attribute 1 must be a text of one line'),
        ("edges", [["gender", "height"]] * 1001, "at most 1\u202f000 entries"),
        ("description", "x" * 10_001, "at most 10\u202f000 characters"),
    ],
)
def test_a_network_beyond_all_bounds(path: str, value: Any, says: str) -> None:
    with pytest.raises(dp.errors.NetworkError, match=says):
        dp.attribute.load_network(changed(SCHOOL, path, value))
