"""Figures of Zhang et al.: the hospital."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.papers import Results
from distpriv.papers import attribute_privacy as attribute
from tests.papers.examples import by_place


def test_the_hospital(closed: Results) -> None:
    cells = by_place(closed["hospital"])
    assert cells["average weight", "Δ F"].ours == pytest.approx(6.125)
    assert cells["average weight", "true average"].ours == pytest.approx(151.2)
    assert "162" in cells["average weight", "true average"].note
    assert cells["average blood pressure", "mean error"].verdict == "within sampling error"
    temperature = cells["average temperature", "mean error"]
    assert (temperature.paper, temperature.said) == (0.0, "erratum 6")
    assert temperature.ours == pytest.approx(0.0119, abs=1e-4)
    # Runs of the mechanism itself lie where the range says.
    noise = attribute.hospital_noise(dp.attribute.files.hospital().assumptions[0])
    runs = np.abs(np.random.default_rng(2).normal(0, noise.standard_deviation, (4000, 100)))
    low, high = cells["average weight", "mean error"].repeats
    means = runs.mean(axis=1)
    assert np.mean((means > low) & (means < high)) == pytest.approx(0.95, abs=0.012)
    # Patients drawn as the paper says have the average that is expected here.
    rng = np.random.default_rng(3)
    women = rng.random((4000, 50)) < 0.6
    heights = np.where(women, rng.normal(65, 3, (4000, 50)), rng.normal(70, 3, (4000, 50)))
    averages = rng.normal(3.6 * heights - 90, 15).mean(axis=1)
    low, high = cells["average weight", "true average"].repeats
    assert np.mean((averages > low) & (averages < high)) == pytest.approx(0.95, abs=0.012)
