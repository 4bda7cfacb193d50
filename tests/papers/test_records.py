"""Which records are the papers' own."""

from __future__ import annotations

import pandas as pd
import pytest

import distpriv as dp
from distpriv.papers import PaperRecords, paper_records


@pytest.mark.adult
def test_adult_is_known_whole_from_its_parts_and_from_other_records(
    adult: pd.DataFrame, adult_records: PaperRecords, example: PaperRecords
) -> None:
    assert not adult_records.stand_in
    assert (adult_records.count, example.count) == (45_222, 45_222)
    assert example.stand_in
    assert paper_records(adult.iloc[:-1]).stand_in
    # Incomplete records are not part of it, and the order is no matter.
    missing = adult.iloc[:50].assign(workclass=None)
    shuffled = pd.concat([missing, adult.sample(frac=1, random_state=1)])
    assert not paper_records(shuffled).stand_in


def test_other_tables_are_refused(people: pd.DataFrame) -> None:
    with pytest.raises(dp.DistprivError, match=r"education-num"):
        paper_records(people)
