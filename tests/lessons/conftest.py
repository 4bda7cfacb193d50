"""What the tests of the tour's results share."""

from __future__ import annotations

import pytest

import distpriv as dp
from distpriv import lessons


@pytest.fixture(scope="module")
def course() -> lessons.Course:
    return lessons.course_of(dp.load_census_income())
