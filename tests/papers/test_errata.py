"""The errata: each where it appears, with figures that bear it out."""

from __future__ import annotations

import pytest

from distpriv.papers import ERRATA, ITEMS, PaperRecords, evidence


def test_each_erratum_stands_by_a_table_or_figure() -> None:
    assert list(ERRATA) == [*range(1, 10), 12]
    shown = {number for item in ITEMS.values() for number in item.errata}
    assert shown == set(ERRATA)
    for each in ERRATA.values():
        papers = [item.paper for item in ITEMS.values() if each.number in item.errata]
        assert all(paper.split(" (")[0] == each.paper.split(" (")[0] for paper in papers)


@pytest.mark.parametrize(
    ("number", "figures"),
    [
        (1, ["4.29", "7.36", "7.24"]),
        (2, ["8.15\u00a0×\u00a010⁻⁶", "0.000249", "0.00336"]),
        (3, ["10.5", "0.057", "19", "370"]),
        (4, ["ExpM 0.00081", "DauM 0.0015", "OptM 0.0019"]),
        (5, ["0.539", "0.658"]),
        (6, ["0.00022", "0 with the exact"]),
        (7, ["230", "0.1", "300"]),
        (8, ["1.47", "0.092"]),
        (9, ["97", "98"]),
        (12, ["0.545", "0.553", "0.762", "0.299", "0.001", "0.25\u00a0%", "104.332", "104.598"]),
    ],
)
def test_the_evidence_is_computed(example: PaperRecords, number: int, figures: list[str]) -> None:
    sentence = evidence(number, example)
    for each in figures:
        assert each in sentence
    assert sentence.endswith(".")


@pytest.mark.adult
def test_the_arithmetic_of_erratum_12_on_adult(adult_records: PaperRecords) -> None:
    sentence = evidence(12, adult_records)
    # OptM, exact calibration, ε = 1, δ = 0.001: the trace without and with a floor of half a step.
    for each in ("0.762", "0.300", "104.327", "104.592"):
        assert each in sentence
