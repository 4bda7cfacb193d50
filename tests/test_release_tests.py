"""Many tests of releases at once: each figure is that of the test alone."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv import hypothesis
from distpriv.hypothesis.releases import false_alarms_along, false_alarms_of, release_tests
from distpriv.likelihood_ratio import LikelihoodRatio

RECALLS = np.append(0.0005, np.linspace(0.02, 1.0, 40))


@pytest.mark.parametrize("which", ["model", "several"])
def test_false_alarms_of_many_tests_are_those_of_each(which, request):
    model = request.getfixturevalue(which)
    names = ("OptM", "ExpM", "DirM", "ExpM(L)")
    cases = [(model, dp.calibrate(name, model, 1.0, 1e-3)) for name in names]
    apart = LikelihoodRatio(*(np.full((len(model.pairs), 4), x) for x in (np.inf, 1.0)))
    tests = [*release_tests([*cases, (model, None)]), hypothesis.NormalsTest(apart)]
    together = false_alarms_of(tests, RECALLS)
    assert len(together) == len(tests)
    for test, found in zip(tests, together, strict=True):
        np.testing.assert_allclose(found, false_alarms_along(test, RECALLS), rtol=0, atol=1e-12)
        assert found == pytest.approx(test.false_positive_rate(RECALLS), abs=1e-5)
    assert false_alarms_of([], RECALLS) == []


@pytest.mark.parametrize("beta", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("odds", [0.2, 1.0, 4.0])
def test_the_best_f_score_is_a_fixed_point(model, beta, odds):
    weight = beta**2
    for name in ("OptM", "DauM", None):
        noise = None if name is None else dp.calibrate(name, model, 2.0, 1e-3)
        test = hypothesis.release_test(model, noise)
        score = hypothesis.best_f_score(test, beta, odds)
        true, false = test.rates(np.log(score * odds / (1 + weight - score)))
        reached = (1 + weight) * true / (true + odds * false + weight)
        floor = hypothesis.f_score_floor(beta, odds)
        assert score == pytest.approx(max(float(reached), floor), abs=1e-13)
