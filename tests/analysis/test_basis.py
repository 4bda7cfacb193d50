"""What figures are said to rest on."""

from __future__ import annotations

from dataclasses import replace

import pytest

import distpriv as dp
from distpriv.analysis.basis import basis_in_words, figure_laws, normals_in_words
from tests.examples import PLAIN


@pytest.mark.parametrize(
    ("mechanism", "calibration", "says"),
    [
        ("OptM", "guarded", ""),
        ("OptM", "exact-law", "the calibration by the exact law does without them"),
        ("CoupM", "guarded", "the promise of CoupM rests on the sampling of the records alone"),
        ("CoupM", "exact-law", "the promise of CoupM rests on the sampling of the records alone"),
    ],
)
def test_normals_are_named_where_the_promise_does_without(
    mechanism: str, calibration: dp.privacy.calibration.Calibration, says: str
) -> None:
    scenario = replace(PLAIN, mechanism=mechanism, calibration=calibration)
    sentence = normals_in_words("Those", scenario)
    assert sentence == (f"Those are by the fitted normals; {says}." if says else "")


def test_the_law_is_named_where_figures_are_by_it() -> None:
    query = dp.Query([dp.Count("sex", "Female")])
    secret = dp.SensitiveProperty("income", ">50K")
    model = dp.fit_gaussian(dp.load_census_income(), query, secret.pair(0.5, 0.1), 40)
    scenario = dp.Scenario(secret=secret, query=query, n=40, calibration="exact-law")
    laws = figure_laws(scenario, model, None)
    assert laws is not None
    assert "exact law of these counts" in basis_in_words(laws)
    guarded = dp.calibrate("OptM", model, 1.0, 1e-3)
    assert figure_laws(scenario, model, guarded) is None
    assert figure_laws(replace(scenario, calibration="guarded"), model, None) is None
    assert "by the fitted normals" in basis_in_words(None)
