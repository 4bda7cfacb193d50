"""What an attacker knows of a record before the release."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp

hypothesis = dp.hypothesis


def test_what_the_attacker_knows():
    assert hypothesis.auxiliary_factor() == 1
    assert hypothesis.auxiliary_factor(0.2) == pytest.approx(0.8)
    assert hypothesis.auxiliary_factor(0.2, 0.1) == pytest.approx(0.62)
    assert hypothesis.auxiliary_factor(0.2, 0.1, 0.1) == pytest.approx(0.458)
    # Figure 8: more knowledge, more success.
    scores = [
        hypothesis.max_f_score(1.0, 1.0, *known)
        for known in ((0, 0, 0), (0.2, 0, 0), (0.2, 0.1, 0), (0.2, 0.1, 0.1))
    ]
    assert scores == sorted(scores)
    assert len(set(scores)) == 4
    assert hypothesis.knowledge_before(0.8) == pytest.approx(1 / 1.8)
    assert hypothesis.odds_against(1 / 1.8) == pytest.approx(0.8)


@given(st.tuples(*[st.floats(0, 1)] * 3))
def test_the_nearest_knowledge_that_is_named_leaves_a_doubt(known):
    try:
        assert 0 < hypothesis.auxiliary_factor(*known) <= 1
    except dp.errors.HypothesisError as error:
        named = [float(value) for value in re.findall(r"ρ_. = (\d\.?\d*(?:e-\d+)?)", str(error))]
        assert hypothesis.auxiliary_factor(*named) > 0
        assert all(new <= old + 1e-5 for new, old in zip(named, known, strict=True))
