"""What stands for a missing value: by default, by choice, and what is only asked."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.tables import column_types, digest, how_read, read_table
from distpriv.tables.labels import MISSING_TOKENS
from distpriv.tables.missing import WORDS, Found, stand_ins


def column(*labels: object, name: str = "x") -> bytes:
    return (
        f"{name},n\n" + "".join(f"{label},{i % 3}\n" for i, label in enumerate(labels))
    ).encode()


@pytest.mark.parametrize("word", ["None", "unknown", "Not recorded", "Don't know", "-"])
def test_a_word_among_words_is_an_answer_and_asked(word: str) -> None:
    content = column("High", word, "Normal", word, "High")
    table = read_table(content)
    assert table["x"].notna().all()
    assert how_read(table).found == (Found("x", word, 2, False),)
    chosen = read_table(content, missing={"x": [word]})
    assert chosen["x"].isna().sum() == 2
    assert how_read(chosen).found == (Found("x", word, 2, True),)
    assert digest(chosen) != digest(table)


@pytest.mark.parametrize("others", [("1", "2.5"), ("2020-01-02", "2021-03-04"), ("true", "false")])
@pytest.mark.parametrize("word", ["None", "unknown", "-"])
def test_a_word_among_numbers_dates_or_truth_values_is_missing(
    others: tuple[str, str], word: str
) -> None:
    content = column(*others, word)
    table = read_table(content)
    assert table["x"].isna().tolist() == [False, False, True]
    assert column_types(table)["x"] in ("number", "date", "boolean")
    assert how_read(table).found == (Found("x", word, 1, True),)
    kept = read_table(content, missing={"x": []})
    assert kept["x"].tolist() == [*others, word]


def test_what_programs_write_is_missing_and_told() -> None:
    table = read_table(column("a", "NA", "?", "a", "", "NA"))
    assert table["x"].isna().tolist() == [False, True, True, False, True, True]
    assert how_read(table).found == (Found("x", "NA", 2, True), Found("x", "?", 1, True))


def test_namibia_is_a_country() -> None:
    table = read_table(column("NA", "DE", "FR", "IT"))
    assert table["x"].notna().all()
    assert how_read(table).found == (Found("x", "NA", 1, False),)
    assert read_table(column("NA", "yes", "no", "no"))["x"].isna().sum() == 1


def test_a_type_that_is_known_keeps_words() -> None:
    assert read_table(column("1", "2", "None"), types={"x": "category"})["x"].notna().all()


def test_numbers_that_may_stand_for_a_missing_one_are_asked() -> None:
    content = column(*(["-200"] * 9 + list(range(1, 80))))
    table = read_table(content)
    assert how_read(table).found == (Found("x", "-200", 9, False),)
    chosen = read_table(content, missing={"x": ["-200"]})
    assert chosen["x"].min() == 1
    assert chosen["x"].isna().sum() == 9
    assert how_read(chosen).found == (Found("x", "-200", 9, True),)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([999] * 5 + list(range(90)), ["999"]),
        ([-1] * 5 + list(range(90)), ["-1"]),
        ([-3, -2, -1] * 5 + list(range(90)), []),
        ([-200, *range(90)], []),  # once
        ([500] * 5 + list(range(90)), []),  # no nines
        ([7] * 90, []),
        ([0, 1] * 45, []),
        ([-1, 1] * 45, ["-1"]),
    ],
)
def test_which_numbers_are_asked(values: list[int], wanted: list[str]) -> None:
    table = pd.DataFrame({"x": values})
    assert [one.text for one in stand_ins(table, {"x": "number"})] == wanted


def test_numbers_of_typed_files_can_be_missing_too() -> None:
    content = b'[{"x":-200,"y":"-200"},{"x":3,"y":"b"},{"x":4.5,"y":"c"}]'
    table = read_table(content, missing={"x": ["-200", "nonsense"], "y": ["-200"]})
    assert table["x"].isna().tolist() == [True, False, False]
    assert table["y"].isna().tolist() == [True, False, False]


TEXTS = st.sampled_from([*sorted(WORDS)[:12], *MISSING_TOKENS, "a", "b", "1", "2.5", "true"])


@given(st.lists(TEXTS, min_size=1, max_size=12), st.sets(TEXTS, max_size=4))
def test_only_what_is_told_is_missing(labels: list[str], chosen: set[str]) -> None:
    content = column(*(f'"{label}"' for label in labels))
    for missing in ({}, {"x": sorted(chosen)}):
        table = read_table(content, missing=missing)
        taken = {one.text: one.records for one in how_read(table).found if one.taken}
        blank = sum(label == "" for label in labels)
        assert int(table["x"].isna().sum()) == sum(taken.values()) + blank
        if missing:
            assert set(taken) <= chosen
