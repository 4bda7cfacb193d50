"""What a limit leaves to further releases, and promises that add up or do not."""

from dataclasses import replace

import numpy as np
import pytest

from distpriv.composition import Part, compose, counterexample, joint_release, left_of
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import calibrate
from distpriv.model import AS_IT_IS, Promise
from tests.adult import INCOME, QUERY, model

MODEL = model(INCOME.pair(0.5, 0.1), replacement=True)
OPT = calibrate("OptM", MODEL, 1.0, 1e-3)


def test_further_release_gets_as_much_noise_as_the_limit_asks_for():
    limit, before = Promise.of_guesses(59), [Part(OPT)]
    release = left_of(limit, MODEL, before, Part(OPT))
    factor = np.trace(release.covariance) / np.trace(OPT.covariance)
    assert factor > 1
    assert release.floor == pytest.approx(OPT.floor * np.sqrt(factor))
    assert joint_release(MODEL, [*before, Part(release)]).verdict(limit).kept
    less = replace(release, covariance=0.999 * release.covariance)
    assert not joint_release(MODEL, [*before, Part(less)]).verdict(limit).kept
    assert left_of(Promise(1.0, 0.5), MODEL, before, Part(OPT)).covariance is OPT.covariance
    assert left_of(OPT.promise, MODEL, [], Part(OPT)).covariance is OPT.covariance


@pytest.mark.parametrize(
    ("delta", "further", "sentence"),
    [
        (5e-4, Part(OPT), "delivers δ = 0.001 already"),
        (1e-3, Part(OPT), "leaves nothing"),
        (5e-3, Part(AS_IT_IS, QUERY.labels[2:4]), "add noise"),
    ],
)
def test_limit_that_leaves_nothing_ends_in_a_sentence(delta, further, sentence):
    with pytest.raises(NotApplicable, match=sentence):
        left_of(Promise(1.0, delta), MODEL, [Part(OPT)], further)


def test_promises_add_up_for_independent_datasets_only():
    promises = [Promise(0.5, 1e-3), Promise(1.0, 2e-3)]
    assert compose(promises, "independent") == Promise(1.5, 3e-3)
    for some, premise, sentence in (
        (promises, "one table", "joint_release"),
        ([], "independent", "no promise"),
        ([Promise(0.0, 0.5)] * 2, "point-mass", "add up to 1"),
    ):
        with pytest.raises(DistprivError, match=sentence):
            compose(some, premise)


def test_promises_of_one_table_do_not_add_up():
    """Distances of normals with correlation 0.9, of which only the first one's mean moves."""
    one = counterexample(0.5, 0.9, 0.1)
    covariance = np.array([[1 + 0.1**2, 0.9], [0.9, 1]])
    square = np.array([0.5, 0]) @ np.linalg.solve(covariance, [0.5, 0])
    assert one["together"] == pytest.approx(np.sqrt(square))
    assert one["together"] > 2 * (one["first"] + one["second"])
    with pytest.raises(DistprivError, match="above −1 and below 1"):
        counterexample(1.0, 1.0)
