"""The gallery's tables: drawn again they are the same, and each gives its secret away."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from data import make_gallery
from distpriv.dashboard.shell.dataset import Dataset, from_example
from distpriv.tables.examples import EXAMPLES
from distpriv.tables.gallery import GALLERY, Example, embedded


@pytest.fixture(scope="module", params=GALLERY, ids=lambda example: example.key)
def example(request: pytest.FixtureRequest) -> Example:
    return request.param


@pytest.fixture(scope="module")
def dataset(example: Example) -> Dataset:
    return from_example(example)


def test_drawing_again_gives_the_same_table(example: Example, dataset: Dataset) -> None:
    pd.testing.assert_frame_equal(dataset.table, make_gallery.draw(example.key))
    assert dataset.digest == example.digest


def test_it_says_what_it_is(example: Example, dataset: Dataset) -> None:
    size = f"{len(dataset.table):,}".replace(",", " ")
    assert 5_000 <= len(dataset.table) <= 20_000
    assert size in example.description
    assert size in example.attribution
    assert "no real person" in example.attribution
    assert "MIT" in example.attribution
    assert len(re.findall(r"[.] |[.]$", example.story)) == 2


def test_every_number_has_a_unit_and_public_bounds(example: Example, dataset: Dataset) -> None:
    numbers = [column for column, kind in dataset.types.items() if kind == "number"]
    assert set(numbers) == set(example.units) == set(example.bounds)
    for column, (low, high) in example.bounds.items():
        assert dataset.table[column].between(low, high).all()
    assert not dataset.table.isna().any(axis=None)


def test_it_opens_as_its_story_says(example: Example, dataset: Dataset) -> None:
    assert dataset.secret.label == example.secret
    assert tuple(statistic.label for statistic in dataset.query) == example.statistics
    assert dataset.start_n == 100
    # The true share lies between the two, and is not their middle.
    share = dataset.secret.mask(dataset.table).mean()
    assert 0 < abs(share - example.center) < example.width / 2


def test_the_secret_shows_and_noise_hides_it(dataset: Dataset) -> None:
    pair = dataset.secret.pair(dataset.center, dataset.width)
    few, whole = (
        dp.fit_gaussian(dataset.table, dp.Query(dataset.query), pair, n, replacement=True)
        for n in (100, len(dataset.table))
    )
    assert 0.62 < dp.optimal_attack_accuracy(few, None) < 0.8
    assert dp.optimal_attack_accuracy(whole, None) > 0.99
    noise = dp.calibrate("OptM", whole, 1.0, 1e-3)
    assert dp.optimal_attack_accuracy(whole, noise) < 0.6
    moved = np.abs(few.pairs[0].difference) / few.standard_deviations
    assert (moved > 0.05).sum() >= 3


def test_the_files_are_small() -> None:
    sizes = [(make_gallery.FOLDER / f"{example.key}.parquet").stat().st_size for example in GALLERY]
    assert sum(sizes) < 500_000


def test_a_lost_file_ends_in_a_sentence(tmp_path) -> None:
    with pytest.raises(dp.errors.DatasetError, match=r"no data/x\.parquet beside the package"):
        embedded(tmp_path / "x.parquet", "data.make_gallery")
    (tmp_path / "x.parquet").write_bytes(b"no table")
    with pytest.raises(dp.errors.DatasetError, match=r"`python -m data\.make_gallery`"):
        embedded(tmp_path / "x.parquet", "data.make_gallery")


def test_five_have_a_story_and_the_census_is_the_first() -> None:
    told = [example for example in EXAMPLES if example.story]
    assert [example.key for example in told] == [
        "census-income", *(example.key for example in GALLERY)
    ]  # fmt: skip
    assert from_example(told[0]).digest == told[0].digest
