"""Step 7 of the tour: noise is subtracted."""

from __future__ import annotations

import numpy as np
import pytest

from distpriv import lessons
from distpriv.lessons.subtracting import TRIED


def test_7_arithmetic_subtracts_noise_along_one_direction(course: lessons.Course) -> None:
    found = lessons.subtracted_noise(course)
    counted = found.answer / found.steps
    np.testing.assert_allclose(counted, np.rint(counted), atol=1e-9)
    # One value of the count puts all the others on their grids: the true one, and all is known.
    (place,) = np.flatnonzero(found.published.fits)
    assert found.tried[place] == round(found.answer[TRIED])
    np.testing.assert_allclose(found.published.left[place], found.answer, atol=1e-9)
    assert np.sort(found.published.farthest)[1] > 0.1
    assert (found.published.off <= 0.5).all()
    # It hides nothing, although on paper it hides as much as it does with the floor.
    assert found.published.accuracy == found.undefended == pytest.approx(0.761, abs=0.005)
    assert found.on_paper == pytest.approx(0.5756, abs=0.0005)
    # With the floor no value fits, and the true one fits no better than others.
    assert not found.covered.fits.any()
    assert (found.covered.farthest < found.covered.farthest[place]).sum() > 3
    assert found.covered.farthest.min() > 0.1
    assert found.covered.accuracy == pytest.approx(found.on_paper, abs=1e-3)
    assert 0 < found.cost < 0.01
    # Every other dataset is found out as well: whatever is drawn, only the truth fits.
    model, noise, rng = course.model(), found.published.noise, np.random.default_rng(1)
    direction = noise.directions[:, 0]
    for mean in np.repeat(model.pairs[0].means, 20, axis=0):
        drawn = rng.multivariate_normal(mean, model.pairs[0].pooled)
        answer = np.rint(drawn / model.steps) * model.steps
        released = noise.release(answer, rng)
        tried = np.arange(101)
        implied = (released[TRIED] - tried) / direction[TRIED]
        counted = (released - implied[:, None] * direction) / model.steps
        off = np.abs(counted - np.rint(counted)).max(axis=1)
        assert tried[off < 1e-6].tolist() == [round(answer[TRIED])]
