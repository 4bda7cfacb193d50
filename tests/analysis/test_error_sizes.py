"""How large an error is, and what of that may be shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.analysis.answer import answer
from distpriv.analysis.error_sizes import (
    ErrorSize,
    error_sizes,
    expected_values,
    largest_in_words,
    sampling_note,
    short,
)
from distpriv.words import plain

UNITS = ("years", "hours", "records", "")
AGE = ErrorSize("mean age", "years", 1.5, 3.75, 100, 39.2)
SEX = ErrorSize("count sex = F", "records", 4.1, 4.3, 100, 25.1)


def test_values_and_deviations_by_simulation(
    people: pd.DataFrame, query: dp.Query, model: dp.GaussianModel
) -> None:
    """By drawing datasets at both shares, independently of the closed form."""
    rng = np.random.default_rng(5)
    groups = [people[(people["income"] == "high") == rich] for rich in (True, False)]
    drawn = {
        share: np.array(
            [
                query.answer(
                    pd.concat(
                        [
                            group.sample(int(count), random_state=rng)
                            for group, count in zip(groups, (share, 60 - share), strict=True)
                        ]
                    )
                )
                for _ in range(400)
            ]
        )
        for share in (18, 30)
    }
    sizes = error_sizes(model, dp.calibrate("ExpM", model, 1.0, 1e-3), UNITS, valued=True)
    middle = np.mean([each.mean(axis=0) for each in drawn.values()], axis=0)
    varies = np.sqrt(np.mean([each.var(axis=0, ddof=1) for each in drawn.values()], axis=0))
    for place, size in enumerate(sizes):
        assert size.value == pytest.approx(middle[place], abs=4 * varies[place] / 28)
        assert size.deviation == pytest.approx(varies[place], rel=0.1)


def test_shares_of_both(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("OptM", model, 1.0, 1e-3)
    for place, size in enumerate(error_sizes(model, noise, UNITS, valued=True)):
        assert size.error == noise.expected_absolute_errors()[place]
        assert size.of_deviation == pytest.approx(size.error / model.standard_deviations[place])
        assert size.of_value == pytest.approx(size.error / expected_values(model)[place])


def test_words_with_and_without_the_value() -> None:
    assert plain(short(AGE)) == "± 1.5 years on 39.2; 0.4 × sampling"
    assert plain(short(AGE.unvalued())) == "± 1.5 years; 0.4 × sampling"
    assert plain(largest_in_words([AGE, SEX])) == (
        "count sex = F ± 4.1 records on a count of 25.1 records (16.3 %), 0.95 of what sampling "
        "n = 100 records varies it by anyway"
    )
    loud = replace(AGE, error=7.5)
    assert "on an average of 39.2 years (19.1 %), 2 times what" in plain(largest_in_words([loud]))
    hidden = largest_in_words([AGE.unvalued(), SEX.unvalued()], safe=str.upper)
    assert "25.1" not in hidden
    assert "%" not in hidden
    assert hidden.startswith("COUNT SEX")
    assert "n = 100" in sampling_note(100)


def test_of_nothing_there_is_no_share() -> None:
    flat = replace(AGE, value=0.0)
    assert flat.of_value is None
    assert "%" not in largest_in_words([flat])
    assert plain(short(flat)) == "± 1.5 years on 0; 0.4 × sampling"


def test_the_answer_tells_values_to_analysts_only(
    people: pd.DataFrame, query: dp.Query, rich: dp.SensitiveProperty
) -> None:
    scenario = dp.Scenario(secret=rich, query=query, center=0.4, width=0.2, n=60, mechanism="ExpM")
    told = answer(dp.evaluate(scenario, people))
    hidden = answer(dp.evaluate(replace(scenario, view="presentation"), people))
    assert "its value" in told
    assert "× what sampling varies) on average" in hidden
    assert "its value" not in hidden
    assert answer(dp.evaluate(scenario, people), valued=False) == hidden
