"""What figures are said to rest on."""

from __future__ import annotations

from dataclasses import replace

import pytest

import distpriv as dp
from distpriv.analysis.basis import (
    basis_in_words,
    drawn_in_words,
    figure_laws,
    normals_in_words,
)
from tests.examples import PLAIN


@pytest.mark.parametrize(
    ("mechanism", "by_law", "says"),
    [
        ("OptM", False, ""),
        ("OptM", True, "the promise is judged by the exact law"),
        ("CoupM", False, "the promise of CoupM rests on the sampling of the records alone"),
        ("CoupM", True, "the promise is judged by the exact law"),
    ],
)
def test_normals_are_named_where_the_promise_does_without(
    mechanism: str, by_law: bool, says: str
) -> None:
    scenario = replace(PLAIN, mechanism=mechanism)
    sentence = normals_in_words("Those", scenario, by_law=by_law)
    assert sentence == (f"Those are by the fitted normals; {says}." if says else "")


def test_the_law_is_named_where_figures_are_by_it() -> None:
    query = dp.Query([dp.Count("sex", "Female")])
    secret = dp.SensitiveProperty("income", ">50K")
    model = dp.fit_gaussian(dp.load_census_income(), query, secret.pair(0.5, 0.1), 40)
    laws = figure_laws(model, None)
    assert laws is not None
    assert "exact law of these statistics" in basis_in_words(laws)
    for calibration in dp.privacy.calibration.CALIBRATIONS:
        noise = dp.calibrate("OptM", model, 1.0, 1e-3, calibration)
        assert figure_laws(model, noise) is not None
    assert figure_laws(model, dp.calibrate("ExpM(L)", model, 1.0)) is not None
    query = dp.Query([dp.Count("sex", "Female"), dp.Count("marital-status", "Never-married")])
    model = dp.fit_gaussian(dp.load_census_income(), query, secret.pair(0.5, 0.1), 40)
    assert figure_laws(model, dp.calibrate("ExpM(L)", model, 1.0)) is None
    assert "by the fitted normals" in basis_in_words(None)


def test_how_records_are_drawn_says_whose_share_is_hidden() -> None:
    assert "exactly the table's share" in drawn_in_words(PLAIN)
    assert "at random" in drawn_in_words(replace(PLAIN, share_of="table"))
