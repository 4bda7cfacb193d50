"""The paper's example on eigenvectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from distpriv import lessons


def test_the_eigenvector_example_of_the_paper() -> None:
    example = lessons.eigenvector_example()
    assert example.needed == pytest.approx(28.52, abs=0.005)
    np.testing.assert_allclose(example.own, [10, 25])
    expected = np.array([[1.0, 2.0], [2.0, -1.0]]) / math.sqrt(5)
    np.testing.assert_allclose(np.abs(example.axes), np.abs(expected))
    np.testing.assert_allclose(example.along("EigM"), [18.52, 3.52], atol=0.005)
    np.testing.assert_allclose(example.along("ExpM"), [28.52, 28.52], atol=0.005)
    totals = {name: np.trace(each.covariance) for name, each in example.noises.items()}
    assert min(totals, key=totals.__getitem__) == "OptM"
