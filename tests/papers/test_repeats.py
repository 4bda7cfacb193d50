"""Repeats of the papers' own procedure."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import distpriv as dp
from distpriv.papers import PaperRecords
from distpriv.papers.records import INCOME, QUERY
from distpriv.papers.repeats import middle_95, repeated_errors, repeated_models
from distpriv.papers.tables import PAIR


def test_repeats_are_those_of_the_papers_own_procedure(example: PaperRecords) -> None:
    """Fits to real subsets of real parts of the records vary as the repeats say."""
    rng = np.random.default_rng(11)
    groups = example.groups[INCOME]
    records = np.vstack([groups.without, groups.having])
    first = len(groups.without)
    real = []
    for _ in range(60):
        left = rng.permutation(len(records))[20_000:]
        part = dataclasses.replace(
            groups, without=records[left[left < first]], having=records[left[left >= first]]
        )
        means = [
            dp.model.monte_carlo.simulate(part, QUERY, theta, 1000, rng).mean(axis=0)
            for theta in example.model(PAIR).pairs[0].thetas
        ]
        real.append(np.linalg.norm(means[0] - means[1]))
    again = [model.sensitivity(2) for model in repeated_models(example, PAIR, 400, rng)]
    assert np.mean(again) == pytest.approx(np.mean(real), abs=0.09)
    assert 0.7 < np.std(again) / np.std(real) < 1.4


def test_repeated_errors_are_means_of_50_draws(example: PaperRecords) -> None:
    found = repeated_errors(example, PAIR, ["ExpM", "GroupDP"], [1.0], repeats=300, seed=4)
    noise = dp.calibrate("GroupDP", example.model(PAIR), 1.0, 1e-3, "classical", grid_safe=False)
    # Nothing but the draws varies here: the sensitivity is that of the data's range.
    spread = np.sqrt((noise.rms_error() ** 2 - noise.expected_error() ** 2) / 50)
    values = found["GroupDP", 1.0]
    assert values.mean() == pytest.approx(noise.expected_error(), rel=0.01)
    assert values.std() == pytest.approx(spread, rel=0.15)
    low, high = middle_95(values)
    assert np.mean((values >= low) & (values <= high)) == pytest.approx(0.95, abs=0.01)
    again = repeated_errors(example, PAIR, ["ExpM", "GroupDP"], [1.0], repeats=300, seed=4)
    assert np.array_equal(again["ExpM", 1.0], found["ExpM", 1.0])
