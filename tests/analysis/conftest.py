"""Example tables as sources, and what their first scenarios come to."""

from __future__ import annotations

import pytest

from distpriv.analysis import Cache, evaluate
from distpriv.analysis.tables import EXAMPLE_TITLES, example_source, start


@pytest.fixture(scope="session")
def census():
    return example_source("census-income")


@pytest.fixture(scope="session")
def evaluations():
    return {
        key: evaluate(start(example_source(key)), example_source(key)) for key in EXAMPLE_TITLES
    }


@pytest.fixture(scope="session")
def now(evaluations):
    return evaluations["census-income"]


@pytest.fixture(scope="session")
def asked(census):
    """Answers to other scenarios on the census, from one cache."""
    from dataclasses import replace

    cache, first = Cache(), start(census)
    return lambda **changes: evaluate(replace(first, **changes), census, cache)
