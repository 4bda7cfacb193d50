"""Tables in memory as sources, and what a sample knows of all records."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.errors import ModelError
from distpriv.model.source import MemorySource, SampledGroups, Source, source_of


def test_a_table_and_a_source_are_sources(people: pd.DataFrame) -> None:
    wrapped = source_of(people)
    assert isinstance(wrapped, MemorySource)
    assert isinstance(wrapped, Source)
    assert source_of(wrapped) is wrapped
    with pytest.raises(ModelError, match="got dict"):
        source_of({"age": [1]})  # type: ignore[arg-type]


def test_a_profile_tells_what_a_table_holds(people: pd.DataFrame) -> None:
    table = people.assign(hours=people["hours"].where(people["age"] > 30))
    profile = MemorySource(table).profile()
    assert profile.records == len(table)
    assert profile.whole
    assert profile.types == dp.column_types(table)
    hours = profile.columns["hours"]
    assert hours.missing == int((table["age"] <= 30).sum()) > 0
    assert (hours.low, hours.high) == (table["hours"].min(), table["hours"].max())
    assert profile.columns["town"].labels == table["town"].value_counts().to_dict()
    assert set(profile.columns["remote"].labels) == {"True", "False"}


def test_a_bounded_sample_knows_all_records(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty
) -> None:
    source = MemorySource(people)
    everything = source.sample(query, rich)
    assert not isinstance(everything, SampledGroups)
    found, again, other = (source.sample(query, rich, 100, seed=seed) for seed in (1, 1, 2))
    assert isinstance(found, SampledGroups)
    assert isinstance(again, SampledGroups)
    assert isinstance(other, SampledGroups)
    assert found.counts == (100, 100)
    assert found.totals == everything.counts
    assert found.digest == again.digest != other.digest
    moments = dp.group_moments(people, query, rich)
    np.testing.assert_allclose(found.means, moments.means, rtol=1e-12)
    np.testing.assert_allclose(found.covariances, moments.covariances, rtol=1e-10)
    some = found.of_columns([3, 2])
    for sampled, known in zip(some.cells(), everything.of_columns([3, 2]).cells(), strict=True):
        np.testing.assert_array_equal(sampled, known)
    np.testing.assert_array_equal(some.having, found.having[:, [3, 2]])
    assert "200 of the 2 000" in found.in_words.replace("\u202f", " ").replace("\u00a0", " ")


def test_each_record_is_as_likely_in_a_sample_as_any_other(people: pd.DataFrame) -> None:
    """Chi-square of how often each tenth of the records comes, at one in a million."""
    numbered = people.assign(number=np.arange(len(people)))
    source, secret = MemorySource(numbered), dp.SensitiveProperty("remote")
    query = dp.Query([dp.Mean("number")])
    everything = source.sample(query, secret)
    expected = np.array(
        [
            np.histogram(part[:, 0], bins=10, range=(0, 2000))[0] * 40 / len(part)
            for part in (everything.without, everything.having)
        ]
    )
    found = np.zeros_like(expected)
    for seed in range(50):
        drawn = source.sample(query, secret, 40, seed=seed)
        for place, part in enumerate((drawn.without, drawn.having)):
            assert len(np.unique(part)) == 40
            found[place] += np.histogram(part[:, 0], bins=10, range=(0, 2000))[0]
    statistic = ((found - 50 * expected) ** 2 / (50 * expected)).sum()
    assert statistic < 63  # 18 degrees of freedom


@pytest.mark.parametrize("replacement", [False, True])
def test_an_answer_is_of_all_records_or_of_some(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty, replacement: bool
) -> None:
    source, entropy = MemorySource(people), random.Random(1)
    values, count = source.answer(query, rich, entropy=entropy)
    assert count == len(people)
    assert values[0] == pytest.approx(people["age"].mean())
    assert values[2] == (people["status"] == "married").sum()
    some, drawn = source.answer(query, rich, 200, replacement=replacement, entropy=entropy)
    assert drawn == 200
    assert some[0] == pytest.approx(people["age"].mean(), abs=6 * people["age"].std() / 200**0.5)
    assert 0 < some[2] < 200
    with pytest.raises(ModelError, match="there are only"):
        source.answer(query, rich, 2001, entropy=entropy)


def test_combinations_are_counted(people: pd.DataFrame) -> None:
    table = people.assign(age=people["age"].astype(float).where(people["age"] != 40))
    rows = MemorySource(table).combinations({"age": [30, 50], "town": None})
    assert sum(row[-1] for row in rows) == len(table)
    found = {row[:-1]: row[-1] for row in rows}
    young = (table["age"] <= 30) & (table["town"] == "Ahausen")
    assert found[0, "Ahausen"] == young.sum()
    assert found[None, "Ahausen"] == (table["age"].isna() & (table["town"] == "Ahausen")).sum()


def test_a_fingerprint_is_of_the_content(people: pd.DataFrame) -> None:
    assert MemorySource(people).fingerprint() == MemorySource(people.copy()).fingerprint()
    other = people.copy()
    other.loc[7, "age"] += 1
    assert MemorySource(other).fingerprint() != MemorySource(people).fingerprint()
