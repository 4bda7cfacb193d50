"""Attribute-private noise against Algorithm 1 of Zhang et al. (2022), and exact laws of counts."""

from __future__ import annotations

import numpy as np
import pytest

from distpriv.attribute import attribute_private_gaussian
from distpriv.mechanisms import calibrate
from distpriv.privacy import verdict
from distpriv.queries import Count
from tests.adult import INCOME, WORK, model, of_records


@pytest.mark.parametrize("how", ["exact", "classical"])
def test_noise_is_that_of_algorithm_1_for_the_attribute_that_asks_most(how):
    both = model(INCOME.pair(0.5, 0.1), WORK.pair(0.5, 0.1))
    shifts = [np.linalg.norm(pair.difference) for pair in both.pairs]
    plain = attribute_private_gaussian(shifts, [p.pooled for p in both.pairs], 1, 1e-3, how)
    noise = calibrate("APGM", both, 1, 1e-3, calibration=how, grid_safe=False)
    np.testing.assert_allclose(noise.covariance, plain.variance * np.eye(5), atol=1e-9)


def test_guarded_noise_of_a_count_keeps_what_the_exact_law_says_that_exact_noise_breaks():
    # Nobody without the property counts, 30 % of those with it do; n = 100 drawn with replacement,
    # 2 % or 5 % with the property, (3, 1e-6), floor included: 5165 times δ by the exact law.
    counted = np.repeat([1, 0, 0], [150, 350, 500])[:, None]
    fitted = of_records(counted, np.repeat([1.0, 0.0], 500), 100, 0.02, 0.05, kind=Count)
    for how, low, high in (("exact", 5164, 5166), ("guarded", 0.99, 1)):
        held = verdict(fitted, calibrate("APGM", fitted, 3, 1e-6, calibration=how))
        assert (held.law, held.kept) == ("exact", how == "guarded")
        assert low < held.delivered.max() / 1e-6 <= high
