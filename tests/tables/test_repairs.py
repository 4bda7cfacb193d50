"""What is done to odd files so that they can be read, and what undoing gives."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from distpriv.errors import TableError
from distpriv.tables import digest, how_read, read_table, retype
from distpriv.tables.repairs import REPAIRS, Choices, loose, settled


def as_parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def lines(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


NESTED = pd.DataFrame({"a": [1, 2], "b": [[1], [2, 3]], "c": [b"x", b"y"]})
# What the file holds, its shape once read, the kinds of what was done, and a part of what is said.
ODD: dict[str, tuple[bytes, tuple[int, int], Sequence[str], str]] = {
    "a name twice": (lines("a,b,a", "1,2,3"), (1, 3), ["double_names"], "'a (2)'"),
    "a name three times": (lines("a,a,a", "1,2,3"), (1, 3), ["double_names"], "'a (3)'"),
    "a name with blanks twice": (lines("a,b, a ", "1,2,3"), (1, 3), ["double_names"], "'a'"),
    "the number is taken": (lines("a,a,a (2)", "1,2,3"), (1, 3), ["double_names"], "'a (3)'"),
    "two names twice": (lines("a,b,a,b", "1,2,3,4"), (1, 4), ["double_names"], "'a', 'b'"),
    "no name": (lines("a, ,b", "1,2,3"), (1, 3), ["blank_names"], "'column 2'"),
    "an index": (pd.DataFrame({"a": [1, 2]}).to_csv().encode(), (2, 2), ["blank_names"], "1"),
    "a nameless empty column": (lines("a,,b", "1,,3"), (1, 2), [], ""),
    "the given name is taken": (lines("column 2,", "1,2"), (1, 2), ["blank_names"], "column 2'"),
    "no names at all": (lines(",", "1,2", "3,4"), (2, 2), ["blank_names"], "2 columns"),
    "names missing and twice": (
        lines("a,,a", "1,2,3"),
        (1, 3),
        ["blank_names", "double_names"],
        "no name",
    ),
    "infinite": (lines("a,b", "1,x", "inf,y", "2,z"), (3, 2), ["infinite"], "1 infinite value"),
    "infinite both ways": (lines("a,b", "Infinity,1", "-inf,2"), (2, 2), ["infinite"], "2 infin"),
    "too large for a number": (lines("a,b", "1e999,x", "2,y"), (2, 2), ["infinite"], "'a'"),
    "digits beyond any number": (lines("a", "1" * 400, "2"), (2, 1), ["infinite"], "'a'"),
    "infinite in JSON": (b'[{"a":Infinity},{"a":1}]', (2, 1), ["infinite"], "1 infinite value"),
    "infinite in Parquet": (
        as_parquet(pd.DataFrame({"a": [1.0, np.inf, -np.inf]})),
        (3, 1),
        ["infinite"],
        "2 infinite values",
    ),
    "inf is a label": (lines("a", "inf", "cav", "art"), (3, 1), [], ""),
    "lists in JSON": (b'[{"a":1,"b":[1]},{"a":2}]', (2, 1), ["nested"], "('b')"),
    "objects in JSON lines": (b'{"a":1,"b":{"c":2}}\n{"a":2}\n', (2, 1), ["nested"], "('b')"),
    "lists and bytes in Parquet": (as_parquet(NESTED), (2, 1), ["nested"], "'b', 'c'"),
    "a split table with a name twice": (
        b'{"columns":["a","a"],"data":[[1,2]]}',
        (1, 2),
        ["double_names"],
        "'a (2)'",
    ),
    "a row of types": (
        lines("a,b,c", "int,string,float", "1,x,2.5"),
        (1, 3),
        ["types_row"],
        "int, string, float",
    ),
    "a row of types in capitals": (lines("a,b", "INT,VARCHAR", "1,x"), (1, 2), ["types_row"], "I"),
    "a type that is a label": (lines("a,b", "string,1", "bow,2"), (2, 2), [], ""),
    "blanks between": (lines("a b c", "1 2 3", "4 5 6"), (2, 3), ["separator"], "blanks"),
    "aligned by blanks": (
        lines(" a   b   c", " 1  20  30", "11   2   3"),
        (2, 3),
        ["separator"],
        "blanks",
    ),
    "blanks and quotation marks": (
        lines("a b c", '1 2 "x y"', '3 4 "z w"'),
        (2, 3),
        ["separator"],
        "blanks",
    ),
    "blanks, a tab and a name": (
        lines('mpg  cyl\t"name"', '18.0  8\t"a b"', '15.0  ?\t"c d"'),
        (2, 3),
        ["separator"],
        "blanks",
    ),
    "two columns of numbers": (lines("a b", "1 2", "3 4"), (2, 2), ["separator"], "blanks"),
    "sentences": (lines("note", "she came", "he went"), (2, 1), [], ""),
    "words between tabs": (lines("a b\tc d", "x y\tz w", "u v\ts t"), (2, 2), [], ""),
    "two colons": (
        lines("id::title::kind", "1::A, B::x", "2::C::y"),
        (2, 3),
        ["separator"],
        "'::'",
    ),
    "Windows line ends": (b"a b c\r\n1 2 3\r\n4 5 6\r\n", (2, 3), ["separator"], "blanks"),
    "everything at once": (
        lines("a::::a", "int::int::float", "1::2::inf", "3::4::5"),
        (2, 3),
        ["separator", "types_row", "blank_names", "double_names", "infinite"],
        "'::'",
    ),
}


@pytest.mark.parametrize(("content", "shape", "kinds", "said"), ODD.values(), ids=ODD.keys())
def test_odd_files_are_read_and_what_was_done_is_told(
    content: bytes, shape: tuple[int, int], kinds: Sequence[str], said: str
) -> None:
    table = read_table(content)
    repairs = how_read(table).repairs
    assert table.shape == shape
    assert [repair.kind for repair in repairs] == list(kinds)
    assert not any(repair.undone for repair in repairs)
    assert said in " ".join(repair.said for repair in repairs)
    assert table.columns.is_unique
    assert not np.isinf(table.select_dtypes("number").to_numpy(dtype=float)).any()


@pytest.mark.parametrize("name", [name for name, odd in ODD.items() if odd[2]])
def test_each_thing_is_undone_alone_and_done_again(name: str) -> None:
    content, _, kinds, _ = ODD[name]
    first = read_table(content)
    for kind in kinds:
        try:
            table = read_table(content, undo=[kind])
        except TableError as error:
            assert "record" in str(error) or "column" in str(error)  # noqa: PT017 - nothing is left
            continue
        undone = [repair.kind for repair in how_read(table).repairs if repair.undone]
        assert undone == [kind]
        assert digest(table) != digest(first)
    assert digest(read_table(content, undo=[])) == digest(first)


UNDONE = {
    "double_names": (lines("a,b,a", "1,2,3"), {"a": [1], "b": [2]}),
    "blank_names": (lines("a,,b", "1,2,3"), {"a": [1], "b": [3]}),
    "infinite": (lines("a,b", "1,x", "inf,y", "3,z"), {"a": [1, 3], "b": ["x", "z"]}),
    "types_row": (lines("a,b", "int,int", "1,2"), {"a": ["int", "1"], "b": ["int", "2"]}),
    "separator": (lines("a b c", "1 2 3", "4 5 6"), {"a b c": ["1 2 3", "4 5 6"]}),
    "nested": (
        b'[{"a":1,"b":[1]},{"a":2,"b":{"c":"d"}}]',
        {"a": [1, 2], "b": ["[1]", '{"c": "d"}']},
    ),
}


@pytest.mark.parametrize("kind", UNDONE)
def test_what_undoing_gives(kind: str) -> None:
    content, wanted = UNDONE[kind]
    table = read_table(content, undo=[kind])
    assert {name: column.tolist() for name, column in table.items()} == wanted


def test_short_rows_are_filled_or_left_out() -> None:
    frame = loose(["a", "b"], [pd.Series(["1", "2", "3"]), pd.Series(["x", None, ""])])
    filled = settled(frame, short=3)
    assert filled.repairs[0].said.startswith("1 row has too few values, the first in line 3")
    assert filled.frame.shape == (3, 2)
    assert settled(frame, short=3, undo=["short_rows"]).frame["a"].tolist() == ["1", "3"]
    assert settled(frame).repairs == ()


@pytest.mark.parametrize(
    ("content", "names", "first"),
    [
        (lines("5.1,3.5,Iris", "4.9,3.0,Iris"), 3, [5.1, 3.5, "Iris"]),
        (lines("1::A", "2::B", "3::C"), 2, [1, "A"]),
        (b'[{"a":1}]', 1, [1]),  # has no row of names
    ],
)
def test_a_first_row_that_is_a_record(content: bytes, names: int, first: list[object]) -> None:
    table = read_table(content, header=False)
    assert table.shape[1] == names
    assert table.iloc[0].tolist() == first


def test_choices_that_make_no_sense_end_in_a_sentence() -> None:
    content = lines("a,b", "1,x")
    for choices, said in (
        ({"undo": ["everything"]}, "no repair 'everything'"),
        ({"missing": {"c": ["x"]}}, "no column 'c'"),
        ({"bounds": {"c": (0, 1)}}, "no column 'c'"),
        ({"bounds": {"a": (1, 0)}}, "must be below"),
        ({"bounds": {"a": (float("nan"), 0)}}, "must be below"),
        ({"member": "b.csv"}, "one table"),
        ({"undo": "infinite"}, "undo must be"),
        ({"header": 1}, "header must be"),
    ):
        with pytest.raises(TableError, match=said):
            read_table(content, **choices)


def test_how_a_table_was_read_goes_along_with_it() -> None:
    content = lines("a,a,c", "1,NA,x", "2,3,None", "4,5,NA")
    table = read_table(content, missing={"c": ["x"]})
    assert how_read(retype(table, {"a": "category"})) == how_read(table)
    buffer = io.BytesIO()
    table.to_parquet(buffer)  # writes what is kept on a table as JSON
    assert json.dumps(how_read(table))
    # What was settled to be an answer stays one.
    assert retype(table, {"c": "text"})["c"].tolist()[1:] == ["None", "NA"]
    assert how_read(pd.DataFrame({"a": [1]})).repairs == ()


def test_choices_as_arguments_give_the_same_table() -> None:
    content = ODD["everything at once"][0]
    choices = Choices(
        undo=("types_row", "infinite"), missing=(("a", ("3",)),), bounds=(("a (2)", 0, 4),)
    )
    table = read_table(content, **choices.arguments())
    assert digest(table) == digest(read_table(content, **choices.arguments()))
    assert Choices().arguments() == {}


CELLS = st.sampled_from(["1", "2.5", "inf", "-inf", "x", "", "NA", "None", "int", "float", "1e999"])
NAMES = st.sampled_from(["a", "b", "", " a", "a (2)", "column 1", "1", "int"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    width = draw(st.integers(2, 4))
    mark = draw(st.sampled_from([",", "::", "\t"]))
    rows = draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6))
    names = draw(st.lists(NAMES, min_size=width, max_size=width))
    return "".join(mark.join(row) + "\n" for row in [names, *rows]).encode()


@given(files(), st.sets(st.sampled_from(sorted(REPAIRS))), st.booleans())
def test_undoing_and_doing_again_gives_the_table_of_before(
    content: bytes, undo: set[str], header: bool
) -> None:
    def attempt(kinds: Sequence[str]) -> pd.DataFrame | None:
        try:
            return read_table(content, undo=kinds, header=header)
        except TableError:
            return None

    first, other = attempt([]), attempt(sorted(undo))
    if other is not None:
        told = {repair.kind for repair in how_read(other).repairs if repair.undone}
        assert told <= undo
        if not told and first is not None:  # what is not there cannot be undone
            assert digest(other) == digest(first)
        numbers = other.select_dtypes("number").to_numpy(dtype=float)
        assert not np.isinf(numbers).any()
    again = attempt([])
    assert (first is None) == (again is None)
    if first is not None and again is not None:
        assert_frame_equal(first, again)
