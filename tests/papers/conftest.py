"""Records of the papers' kind, and attacks on them that have run."""

from __future__ import annotations

import pandas as pd
import pytest

from distpriv.papers import PaperAttacks, PaperRecords, Results, closed_results, paper_records
from distpriv.tables.examples import load_census_income


@pytest.fixture(scope="session")
def example() -> PaperRecords:
    """The embedded synthetic records."""
    return paper_records(load_census_income())


@pytest.fixture(scope="session")
def adult_records(adult: pd.DataFrame) -> PaperRecords:
    return paper_records(adult)


@pytest.fixture(scope="session")
def closed(example: PaperRecords) -> Results:
    """Everything in closed form, of the synthetic records."""
    return closed_results(example, repeats=200)


@pytest.fixture(scope="session")
def short_run(example: PaperRecords) -> PaperAttacks:
    """Two repetitions of every attack."""
    attacks = PaperAttacks(example, 2, seed=5)
    attacks.run()
    return attacks
