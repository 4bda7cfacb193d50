"""Wasserstein mechanisms against enumerated losses, linear programs and the closed normal case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from distpriv.distances import normal_closeness, normal_reach
from distpriv.errors import NotApplicable
from distpriv.mechanisms import calibrate, wasserstein
from distpriv.mechanisms.wasserstein import law_distance, normal_distance_moved
from distpriv.privacy import known_law, verdict
from distpriv.privacy.exact_law import ExactLaw
from distpriv.queries import Count
from tests.adult import INCOME, model, of_records
from tests.distances.test_wasserstein import by_linear_program


def random_count(rng):
    """Return a count of a small table, and its law at each share by SciPy's distributions."""
    sizes, replacement = rng.integers(20, 60, 2), bool(rng.random() < 0.5)
    having = np.repeat([0.0, 1.0], sizes)
    values = rng.random(len(having)) < np.where(having, *rng.choice([0, 0.1, 0.5, 0.9, 1], 2))
    n = int(rng.integers(2, 20))
    low, high = np.sort(rng.choice(n + 1, 2, replace=False)) / n
    made = of_records(values[:, None], having, n, low, high, replacement, Count)
    laws = []
    for row in made.pairs[0].numbers.astype(int):
        parts = []
        for group, k in enumerate(row):
            some, size = int(values[having == group].sum()), int(sizes[group])
            one = stats.binom(k, some / size) if replacement else stats.hypergeom(size, some, k)
            parts.append(one.pmf(np.arange(k + 1)))
        laws.append(np.convolve(*parts))
    return made, np.array(laws)


def test_noise_of_60_random_counts_never_loses_more_than_epsilon():
    rng, ratios = np.random.default_rng(4), []
    while len(ratios) < 60:
        made, laws = random_count(rng)
        epsilon = float(rng.choice([0.1, 1.0, 30.0]))
        if np.allclose(*laws):
            continue
        law = known_law(made.pairs[0], made)
        scale = law_distance("Wasserstein", law, 0.0) / epsilon
        if len(ratios) % 10 == 0:
            noise = calibrate("Wasserstein", made, epsilon=epsilon)
            assert (noise.scale, noise.promise.epsilon, noise.promise.delta) == (scale, epsilon, 0)
            judged = verdict(made, noise)
            assert (judged.kept, judged.law, judged.delivered.max()) == (True, "exact", 0)
        places = np.arange(laws.shape[1])
        y = np.concatenate([places, np.linspace(-3, len(places) + 2, 97)])
        p, q = laws @ np.exp(-np.abs(places[:, None] - y) / scale)
        ratios.append(np.abs(np.log(p / q)).max() / epsilon)
    assert max(ratios) <= 1 + 1e-9
    assert max(ratios) > 0.999  # some laws differ by a shift


@pytest.mark.parametrize("delta", [1e-3, 0.05, 0.2])
def test_noise_of_a_mean_is_scaled_by_what_the_linear_program_moves(delta):
    values = np.random.default_rng(2).choice([0.0, 1, 2, 7], (60, 1), p=[0.4, 0.3, 0.2, 0.1])
    having = np.repeat([0.0, 1.0], 30)
    made = of_records(values + having[:, None], having, 4, 0.25, 0.75)
    law = known_law(made.pairs[0], made)
    places = np.arange(law.probabilities.shape[1])[:, None] * law.steps
    least = by_linear_program(places, places, delta, *law.probabilities)
    noise = calibrate("ApproxWasserstein", made, epsilon=2.0, delta=delta)
    assert noise.scale * 2 == pytest.approx(least)
    wide = calibrate("BoundedWasserstein", made, epsilon=2.0, delta=delta)
    means = law.probabilities @ places[:, 0]
    c = (wide.scale * 2 - np.ptp(means)) / 2
    far = np.abs(places[:, 0] - means[:, None])
    outside, nearer = (
        (law.probabilities * (far > c * about)).sum(axis=1).max() for about in (1 + 1e-9, 1 - 1e-9)
    )
    assert outside <= delta / 2 < nearer
    for one in (noise, wide):
        assert verdict(made, one).kept
    full = calibrate("Wasserstein", made, epsilon=2.0)
    assert (
        101 * law.error <= full.promise.delta < 1e-9
    )  # a law of sums leaves out tails, which are charged
    assert noise.scale <= full.scale <= wide.scale


def test_points_that_are_taken_together_are_no_nearer():
    masses = np.zeros((2, 40_001))  # three by three
    masses[[0, 1], [0, 5]] = 1.0
    law = ExactLaw(masses, np.ones(1), 0.0)
    for name in ("Wasserstein", "ApproxWasserstein"):
        assert 5 <= law_distance(name, law, 0.1) <= 5 + 2 * 2


def test_what_a_law_may_err_by_is_charged(monkeypatch):
    # A fifth of the mass lies two steps further at one share: 0.2005 would forgive all of it.
    law = ExactLaw(np.array([[0.8, 0.0, 0.2], [1.0, 0.0, 0.0]]), np.ones(1), error=1e-3)
    monkeypatch.setattr(wasserstein, "single_laws", lambda _: [law])
    made = of_records(np.arange(8)[:, None], np.repeat([0.0, 1.0], 4), 4, 0.25, 0.75)
    for delta, scale in ((0.2005, 2), (0.202, 0)):
        assert calibrate("ApproxWasserstein", made, 1.0, delta, calibration="exact").scale == scale


FIVE = model(INCOME.pair(0.5, 0.1))  # UCI Adult, 100 records without replacement


def test_noise_of_normals_is_scaled_by_their_closed_distances():
    pair, way = FIVE.pairs[0], {"calibration": "classical", "epsilon": 0.5, "delta": 1e-3}
    shift = 7.3550  # Δ_{E,1}
    close = normal_closeness(pair.difference, pair.pooled, 1e-3)
    reach = normal_reach(pair.pooled, 5e-4)
    sizes = {"Wasserstein": shift, "ApproxWasserstein": close}
    sizes["BoundedWasserstein"] = shift + 2 * reach
    for name, size in sizes.items():
        noise = calibrate(name, FIVE, grid_safe=False, **way)
        assert noise.scale == pytest.approx(size / 0.5, rel=1e-4)
    wide = replace(pair, covariances=pair.covariances * [[[1.0]], [[9.0]]])  # the wider law decides
    moved = normal_distance_moved("BoundedWasserstein", wide, 1e-3)
    assert moved == pytest.approx(shift + 6 * normal_reach(pair.covariances[1], 5e-4), rel=1e-4)
    guarded = calibrate("ApproxWasserstein", FIVE, epsilon=0.5, delta=1e-3)
    assert close / 0.5 <= guarded.scale < shift / 0.5 * 1.1
    assert verdict(FIVE, guarded).kept
    assert (guarded.floor > 0).all()
    assert calibrate("Wasserstein", FIVE, epsilon=0.5).promise.delta > 0  # covariances differ
    bare = calibrate("ApproxWasserstein", FIVE, epsilon=0.5, delta=0.6)  # the laws overlap in more
    assert not bare.total(5).any()


@pytest.mark.parametrize(
    ("name", "promise", "words"),
    [
        ("Wasserstein", {"epsilon": 0.0, "delta": 0.1}, "an ε above 0"),
        ("BoundedWasserstein", {"epsilon": 1.0}, "a δ above 0"),
        ("BoundedWasserstein", {"guesses": 60}, "a δ above 0"),
    ],
)
def test_what_has_no_scale_is_refused_in_a_sentence(name, promise, words):
    with pytest.raises(NotApplicable, match=words):
        calibrate(name, FIVE, **promise)


def test_equal_laws_need_no_noise():
    values = np.tile([0.0, 1.0, 1.0], 20)[:, None]
    made = of_records(values, np.repeat([0.0, 1.0], 30), 6, 1 / 3, 2 / 3, kind=Count)
    for name in ("Wasserstein", "ApproxWasserstein"):
        noise = calibrate(name, made, epsilon=1.0)
        assert not noise.total(1).any()
        assert verdict(made, noise).kept
