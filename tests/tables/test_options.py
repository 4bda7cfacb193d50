"""Options, notices and rows as values."""

from __future__ import annotations

import json

import pytest

from distpriv.errors import ReadError
from distpriv.tables import Notice, ReadOptions, Row

FULL = ReadOptions(
    member="Data",
    delimiter=";",
    quote="'",
    escape="\\",
    decimal=",",
    thousands=".",
    header=[2, 3],
    first=5,
    last=1,
    drop=[7, 9],
    missing={"pay": ["-99", "none"]},
    types={"zip": "category"},
    split={"drinks": ";"},
)


def test_options_survive_json_and_hash():
    arguments = json.loads(json.dumps(FULL.arguments()))
    assert len(arguments) == 13
    assert ReadOptions(**arguments) == ReadOptions().changed(**arguments) == FULL
    assert len({FULL, ReadOptions(**arguments)}) == 1
    assert ReadOptions().arguments() == {}


def test_changes_are_merged():
    options = FULL.changed(missing={"age": ("0",)}, types={"zip": "text"}, split={"a": "|"})
    assert dict(options.split) == {"drinks": ";", "a": "|"}
    assert dict(options.missing) == {"pay": ("-99", "none"), "age": ("0",)}
    assert dict(options.types) == {"zip": "text"}
    assert ReadOptions().changed(header=(4,)).first == 5


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"delimiter": "ab"}, "delimiter must be one character"),
        ({"quote": "\n"}, "quote must be one character"),
        ({"delimiter": '"'}, "both"),
        ({"decimal": "x"}, "decimal"),
        ({"decimal": ","}, "both"),
        ({"first": 0}, "counted from 1"),
        ({"header": ("1",)}, "counted from 1"),
        ({"header": 3}, "another type"),
        ({"last": "x"}, "another type"),
        ({"header": (3,), "first": 2}, "below row 3"),
        ({"types": {"a": "colour"}}, "colour"),
        ({"types": "abc"}, "another type"),
        ({"split": {"a": 1}}, "between its answers"),
    ],
)
def test_values_outside_the_domain_are_refused(values, words):
    values = {"thousands": ","} | values if values == {"decimal": ","} else values
    with pytest.raises(ReadError, match=words):
        ReadOptions(**values)


def test_notices_hash_and_survive_json():
    notice = Notice("Text.", "pay", {"missing": {"pay": ["-99"]}, "drop": [3]})
    assert hash(notice)
    assert Notice(**json.loads(json.dumps(vars(notice)))) == notice
    assert ReadOptions().changed(**dict(notice.changes)).missing == (("pay", ("-99",)),)


@pytest.mark.parametrize("values", [("cell", ""), ("record", "n"), ("group", "n")])
def test_rows_need_a_kind_and_its_column(values):
    with pytest.raises(ReadError):
        Row(*values)
