"""Text read block by block, against Python's own reader."""

from __future__ import annotations

import csv
import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.tables import blocks
from distpriv.tables.blocks import holds_lines, is_utf8, joined, labels_in

CELLS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=6)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks, of which some become one on the way."""
    monkeypatch.setattr(blocks, "_BLOCK", 256)
    monkeypatch.setattr(blocks, "_TOGETHER", 3)


@pytest.mark.usefixtures("small")
@given(
    st.lists(st.tuples(CELLS, CELLS | st.just("two\nlines"), CELLS), min_size=1, max_size=40),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_another_reader_finds(records, below: bool, end: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator=end).writerows(records)
    found = labels_in(out.getvalue().encode(), ",", 3, below=below)
    wanted = records[int(below) :]
    if not wanted:
        assert found is None
        return
    assert found is not None
    assert found.short == []
    columns = [column.cast(pa.string()).to_pylist() for column in found.labels]
    assert [tuple(row) for row in zip(*columns, strict=True)] == wanted
    for column in found.labels:
        assert column.indices.type == pa.int8()
        assert len(set(column.dictionary.to_pylist())) == len(column.dictionary)


@pytest.mark.usefixtures("small")
def test_short_records_are_apart_with_their_numbers() -> None:
    lines = [f"{place},{place % 3}" if place % 50 else str(place) for place in range(400)]
    found = labels_in("\n".join(lines).encode(), ",", 2)
    assert found is not None
    assert found.short == [(place + 1, str(place)) for place in range(0, 400, 50)]
    assert len(found.labels[0]) == 392


@pytest.mark.parametrize(
    "content",
    [b"", b"a,b\n1,2,3\n", b"a,b\n\xe9\n", b"a,b\n\xe9,1\n", b"1\n2\n"],
    ids=["empty", "long", "no text in a short one", "no text", "all short"],
)
def test_what_is_not_read(content: bytes) -> None:
    assert labels_in(content, ",", 2) is None


@pytest.mark.usefixtures("small")
def test_the_share_rises_to_all() -> None:
    shares: list[float] = []
    labels_in(b"1,2\n" * 1000, ",", 2, watch=shares.append)
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert (shares[0] > 0, shares[-1]) == (True, 1.0)


def test_codes_are_as_narrow_as_the_labels_allow() -> None:
    parts = [pa.array([f"l{n}" for n in range(low, low + 100)]) for low in (0, 50, 100)]
    whole = joined([part.dictionary_encode() for part in parts])
    assert whole.indices.type == pa.int16()
    assert whole.cast(pa.string()).to_pylist() == [text for part in parts for text in part.tolist()]
    assert len(whole.dictionary) == len(np.unique(np.concatenate(parts)))


@pytest.mark.parametrize(
    ("content", "holds"),
    [('"x",y\n', False), ('"x\ny",z\n', True), ('x",y\n', True), ("x,y\n", False)],
)
def test_an_open_quotation_mark_is_suspected(content: str, holds: bool) -> None:
    found = labels_in(content.encode(), ",", 2)
    assert found is not None
    assert holds_lines(content.encode(), found.labels) is holds


@given(st.binary(max_size=12) | st.text(max_size=6).map(lambda text: text.encode() + b"\xed\xa0"))
def test_what_is_utf8_is_what_python_reads(content: bytes) -> None:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        assert not is_utf8(content)
    else:
        assert is_utf8(content)
