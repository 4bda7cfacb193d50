"""Reference data have the columns of the table, or a sentence says which they lack."""

from __future__ import annotations

import pandas as pd
import pytest

import distpriv as dp
from distpriv.tables.reference import align

TABLE = b"age,town,paid\n31,Ulm,true\n45,Bonn,false\n52,Ulm,true\n44,Bonn,true\n"


def test_it_takes_the_order_and_the_types_of_the_table() -> None:
    table = dp.read_table(TABLE)
    reference = dp.read_table(b"town,paid,age\nUlm,false,60\nKiel,true,61.5\n")
    aligned = align(reference, table)
    assert list(aligned.columns) == list(table.columns)
    assert dp.column_types(aligned) == dp.column_types(table)
    assert aligned["age"].tolist() == [60, 61.5]
    assert aligned["town"].tolist() == ["Ulm", "Kiel"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"age,town\n31,Ulm\n45,Bonn\n", "they lack 'paid'"),
        (b"age,town,paid,x\n31,Ulm,true,1\n45,Bonn,false,2\n", "they have besides 'x'"),
        (b"Age,town,paid\n31,Ulm,true\n45,Bonn,false\n", "lack 'age' and have besides 'Age'"),
        (b"age,town,paid\nyoung,Ulm,true\nold,Bonn,false\n", "types of the table's columns"),
    ],
)
def test_other_columns_are_a_sentence(content: bytes, message: str) -> None:
    with pytest.raises(dp.TableError, match=message):
        align(dp.read_table(content), dp.read_table(TABLE))


def test_the_reference_itself_is_left_as_it_is() -> None:
    reference = dp.read_table(TABLE)
    before = reference.copy()
    align(reference, dp.read_table(TABLE))
    pd.testing.assert_frame_equal(reference, before)
