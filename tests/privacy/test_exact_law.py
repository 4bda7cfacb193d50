"""Exact laws against enumeration in fractions, direct sums of densities, and the model's verdicts."""

import gc
import itertools
import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.errors import NotApplicable
from distpriv.mechanisms import calibrate
from distpriv.model import AS_IT_IS, Groups, Promise, Release, fit_groups
from distpriv.privacy import compute_law, known_law, pair_loss, privacy_loss, verdict, verdicts
from distpriv.privacy.exact_law import _KNOWN, _positive_part
from distpriv.queries import Count, Mean, Pair, Query
from tests.adult import SMALL, of_records


def whole_sums(part, k, replacement):
    """Law of the sum of k rows of whole numbers, by counting all choices."""
    choices = (
        itertools.product(range(len(part)), repeat=k)
        if replacement
        else itertools.combinations(range(len(part)), k)
    )
    found = Counter(tuple(part[list(choice)].sum(axis=0).tolist()) for choice in choices)
    return {place: Fraction(number, found.total()) for place, number in found.items()}


def enumerated(values, having, row, replacement):
    without, held = (
        whole_sums(values[having == group].astype(int), int(k), replacement)
        for group, k in enumerate(row)
    )
    law = Counter()
    for (one, p), (other, q) in itertools.product(without.items(), held.items()):
        law[tuple(np.add(one, other).tolist())] += p * q
    return law


def small_tables():
    """Tables of few records: one count, one sum in steps of 1 or 3, two counts."""
    rng = np.random.default_rng(0)
    while True:
        m, step, sizes = int(rng.integers(1, 3)), int(rng.integers(0, 3)), rng.integers(3, 7, 2)
        having = np.repeat([0.0, 1.0], sizes)
        values = rng.integers(0, 6, (len(having), 1)) * step
        if m == 2 or step == 0:
            values = rng.random((len(having), m)) < 0.5
        n, replacement = int(rng.integers(2, 6)), bool(rng.random() < 0.5)
        low, high = sorted(rng.choice(n + 1, 2, replace=False))
        if replacement or (high <= sizes[1] and n - low <= sizes[0]):
            yield of_records(values, having, n, low / n, high / n, replacement), values, having


def test_laws_are_those_of_enumeration_in_fractions():
    # Shares of 0 and 1, and groups taken whole, are among them.
    kinds = set()
    for model, values, having in itertools.islice(small_tables(), 40):
        pair = model.pairs[0]
        law = compute_law(pair, model)
        exact = [enumerated(values, having, row, model.replacement) for row in pair.numbers]
        places = np.array(sorted({*exact[0], *exact[1]}))
        moves = np.rint((places - places.min(axis=0)) / (law.steps * model.n)).astype(int)
        for masses, want in zip(law.probabilities, exact, strict=True):
            some = [float(want[tuple(place)]) for place in places.tolist()]
            np.testing.assert_allclose(masses[tuple(moves.T)], some, rtol=1e-11)
            assert masses.sum() == pytest.approx(1, abs=1e-13)
        whole = not model.replacement and (pair.numbers == pair.groups.counts).any()
        kinds |= {(values.shape[1], model.replacement), "whole" if whole else "part"}
    assert len(kinds) == 6


def test_sums_without_replacement_of_half_the_records_are_right():
    # 40 of 80 records: Newton's identities against adding one record after another.
    rng = np.random.default_rng(1)
    values, having = rng.integers(0, 9, (160, 1)), np.repeat([0.0, 1.0], 80)
    model = of_records(values, having, 80, 0.5, 0.55, replacement=False)
    parts = []
    for group, k in enumerate(model.pairs[0].numbers[0].astype(int)):
        ways = np.zeros((k + 1, 80 * 8 + 1))
        ways[0, 0] = 1
        for value in values[having == group, 0]:
            ways[1:, value:] += ways[:-1, : ways.shape[1] - value].copy()
        parts.append(ways[k] / ways[k].sum())
    law = compute_law(model.pairs[0], model).probabilities[0]
    want = np.convolve(*parts)
    np.testing.assert_allclose(law[law > 1e-9], want[want > 1e-9], rtol=1e-8)


THIRDS = np.random.default_rng(0).geometric(0.25, 2000) + np.repeat([0, 2], 1000)


def thirds(n=100):
    """Mean of skewed thirds, 0.45 against 0.55, drawn with replacement."""
    return of_records(THIRDS[:, None] / 3, np.repeat([0.0, 1.0], 1000), n, 0.45, 0.55)


@pytest.mark.parametrize(
    ("deviation", "scale"), [(0.04, 0.0), (0.4, 0.0), (0.002, 0.2), (0.0, 0.2)]
)
def test_noise_mixes_the_points_of_a_law(deviation, scale):
    # Against the sum of all points' densities; the direct one's mesh is not the law's.
    model = thirds(n=20)
    law = known_law(model.pairs[0], model)
    release = Release(
        covariance=np.array([[deviation**2]]), directions=np.eye(1) if scale else None, scale=scale
    )
    reach = 8 * deviation + 30 * scale
    points = np.arange(law.probabilities.shape[1]) * law.steps
    x = np.linspace(-reach, points[-1] + reach, 20_003)
    shape = stats.laplace(scale=scale) if scale else stats.norm(scale=deviation)
    densities = [np.zeros_like(x), np.zeros_like(x)]
    for place, masses in zip(points, law.probabilities.T, strict=True):
        if masses.max() > 1e-13:
            bell = shape.pdf(x - place)
            densities = [one + mass * bell for one, mass in zip(densities, masses, strict=True)]
    p, q = (one / one.sum() for one in densities)
    want = [np.maximum(one - np.e * other, 0).sum() for one, other in ((p, q), (q, p))]
    # A floor of half a step beside wide Laplace noise moves δ by next to nothing.
    delta, accuracy = law.delivered(release, 1.0)
    np.testing.assert_allclose(delta, want, rtol=2e-3, atol=1e-9)
    assert accuracy == pytest.approx(0.5 + np.abs(p - q).sum() / 4, abs=2e-5)
    assert law.delivered_delta(release, 1.0) == pytest.approx(delta.max(), rel=1e-3, abs=1e-9)
    assert law.optimal_attack_accuracy(release) == pytest.approx(accuracy, abs=1e-12)


@pytest.mark.parametrize("m", [1, 2])
def test_noise_that_is_wider_than_a_law_does_not_come_round(m):
    # Few points that end abruptly under noise of four steps; the mesh must not close on itself.
    values = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [1, 1]])[:, :m]
    model = of_records(values, np.array([0.0, 0, 0, 1, 1, 1]), 2, 0.0, 1.0, kind=Count)
    law = known_law(model.pairs[0], model)
    delta, _ = law.delivered(Release(covariance=16 * np.eye(m)), 0.2)
    x = np.stack(np.meshgrid(*[np.arange(-36, 40, 0.1)] * m, indexing="ij"), -1)
    p, q = (
        sum(
            mass * np.exp(-(((x - place) / 4) ** 2).sum(-1) / 2)
            for place, mass in np.ndenumerate(masses)
        )
        for masses in law.probabilities
    )
    odds = np.exp(0.2)
    want = [np.maximum(one - odds * other, 0).sum() / p.sum() for one, other in ((p, q), (q, p))]
    np.testing.assert_allclose(delta, want, rtol=[1e-3, 2e-2][m - 1])


def test_positive_parts_on_a_mesh_are_never_below_the_integral():
    # (1 − x² − y²)₊ over the plane is π/2, and (x − s)₊ up to 1 is (1 − s)²/2.
    for fine in (2.0, 4.3, 9.7):
        x = np.arange(-1.5, 1.5, 1 / fine)
        bowl = 1 - x[:, None] ** 2 - x**2
        most = _positive_part(bowl, mesh=True) / fine**2
        assert np.pi / 2 <= most <= np.pi / 2 * (1 + 0.3 / fine)
    for start in np.linspace(0.2, 0.21, 7):
        ramp = np.where(np.arange(100) < 95, np.arange(100) / 100 - start, 0.0)
        plain = np.maximum(ramp, 0).sum()
        assert _positive_part(ramp, mesh=True) >= plain
        assert _positive_part(ramp, mesh=False) == plain


def test_two_counts_mix_alike_on_both_meshes():
    # Noise that is far wider one way, on the statistics' own axes and on those of the noise.
    rng = np.random.default_rng(5)
    having = np.repeat([0.0, 1.0], 500)
    values = rng.random((1000, 2)) < 0.3 + 0.2 * having[:, None]
    model = of_records(values, having, 30, 0.4, 0.6, kind=Count)
    law = known_law(model.pairs[0], model)
    noise = 60 * np.outer([0.8, 0.6], [0.8, 0.6]) + 0.25 * np.eye(2)
    meshes = law.masses(Release(covariance=noise)), law._along(noise, 1e9)
    assert meshes[0].shape != meshes[1].shape
    one, other = (
        [_positive_part(p - np.exp(0.3) * q, mesh=True) for p, q in (mesh, mesh[::-1])]
        for mesh in meshes
    )
    np.testing.assert_allclose(one, other, rtol=5e-3)
    assert law._along(noise, 1e3) is None


def test_a_known_law_decides_and_calibration_follows_it():
    # A skewed mean on thirds: noise that keeps (1, 0.001) by its normal laws delivers 1.25e-3.
    model = thirds()
    pair = model.pairs[0]
    unknown = replace(model, pairs=(replace(pair, groups=replace(pair.groups, records=None)),))
    bell = calibrate("OptM", unknown, 1.0, 1e-3)
    assert verdict(unknown, bell).law == "model"
    held = verdict(model, bell)
    assert held.law == "exact"
    assert not held.kept
    assert held.delta.max() <= 1e-3 * (1 + 1e-6)
    assert held.exact.max() == held.delivered.max() == pytest.approx(1.2516e-3, rel=1e-3)
    assert "δ = 0.00125 at ε = 1; the promise is 0.001." in held.why
    for name in ("OptM", "DauM", "EigM"):
        held = verdict(model, calibrate(name, model, 1.0, 1e-3))
        assert held.kept
        assert held.exact.max() == pytest.approx(1e-3, rel=2e-3)
    # Who takes no grid for granted takes no law on one.
    some = [calibrate("OptM", one, 1.0, 1e-3, grid_safe=False) for one in (model, unknown)]
    assert some[0].covariance == some[1].covariance
    loss = privacy_loss(model, bell)
    assert float(loss.delta(1.0)) == pytest.approx(1.2516e-3, rel=1e-3)
    laplace = calibrate("DirM(L)", model, guesses=60)
    assert verdict(model, laplace).law == "exact"
    assert 0.595 < pair_loss(model, laplace).accuracy() <= 0.6


def test_figures_that_keep_a_promise_by_their_law_need_no_noise():
    # The normal model asks for noise; a large value that few records have would break it.
    rng = np.random.default_rng(0)
    having = np.repeat([0.0, 1.0], 1000)
    values = np.rint(rng.exponential(6, 2000) * (1 + 0.5 * having))[:, None]
    model = of_records(values, having, 100, 0.45, 0.55)
    # And 2 in 60 have a flag, which normal curves do not describe at all.
    flags = np.zeros((60, 1))
    flags[-2:] = flags[0] = 1
    few = of_records(flags, np.repeat([0.0, 1.0], 30), 8, 0.25, 0.75)
    for one in (model, few):
        release = calibrate("OptM", one, 1.0, 2e-3)
        assert verdict(one, AS_IT_IS, release.promise).kept
        assert not release.covariance.any()
        noisy = calibrate("OptM", one, 0.5, 1e-5)
        assert verdict(one, noisy).kept
        assert verdict(one, noisy).law == "exact"


def test_figures_that_break_a_promise_by_their_law_alone_get_noise():
    model = of_records(THIRDS[:, None] / 3, np.repeat([0.0, 1.0], 1000), 30, 0.45, 0.55)
    held = verdict(model, AS_IT_IS, Promise(1.0, 1e-3))
    assert held.delta.max() < 1e-3 < held.exact.max()
    release = calibrate("DauM", model, 1.0, 1e-3)
    assert 0 < release.covariance < 0.01
    assert verdict(model, release).kept


def test_laws_are_known_where_they_are_quick_or_were_computed_and_die_with_the_groups():
    rng = np.random.default_rng(2)
    values, having = rng.random((900, 2)) < 0.4, np.repeat([0.0, 1.0], 450)
    model = of_records(values, having, 500, 0.4, 0.5, replacement=True)
    pair = model.pairs[0]
    assert known_law(pair, model) is None
    law = compute_law(pair, model)
    assert known_law(pair, model).probabilities is law.probabilities
    assert repr(law).startswith("ExactLaw(")
    counted = replace(model, query=Query([Mean("c0"), Mean("c1")]), scales=model.scales)
    assert known_law(counted.pairs[0], counted) is not None
    for size in range(20):
        some = of_records(values, having, 20 + size, 0.4, 0.6)
        assert known_law(some.pairs[0], some) is not None
        other = replace(some, pairs=(replace(some.pairs[0], groups=pair.groups),))
        known_law(other.pairs[0], other)
    assert len(_KNOWN[pair.groups]) < 15
    assert pickle.loads(pickle.dumps(pair)).groups.records is None
    before = len(_KNOWN)
    del model, pair, counted, other
    gc.collect()
    assert len(_KNOWN) < before


@pytest.mark.parametrize("kind", ["density", "three", "wide", "without records"])
def test_other_figures_have_no_law(kind):
    rng = np.random.default_rng(3)
    having = np.repeat([0.0, 1.0], 200)
    values = rng.integers(0, 10, (400, 3 if kind == "three" else 1)).astype(float)
    if kind in ("density", "wide"):
        values = rng.normal(size=(400, 1)) * 10
    if kind == "wide":
        values = np.round(values, 6)
    model = of_records(values, having, 100, 0.4, 0.6)
    if kind == "without records":
        model = pickle.loads(pickle.dumps(model))
    assert compute_law(model.pairs[0], model) is None
    with pytest.raises(NotApplicable, match="one sum, mean or count on a grid, or for two counts"):
        calibrate("OptM", model, 1.0, 1e-3, calibration="exact-law")


def test_exact_law_of_a_table_and_of_its_noise():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"s": ["y", "n"] * 300, "a": rng.integers(0, 50, 600)})
    query, pair = dp.Query([dp.Mean("a")]), Pair(SMALL, 0.45, 0.55)
    law = dp.exact_law(frame, query, pair, n=60)
    model = dp.fit_gaussian(frame, query, pair, n=60)
    release = dp.calibrate("OptM", model, 0.5, 1e-3, calibration="exact-law")
    assert release.calibration == "exact-law"
    assert law.delivered_delta(release, 0.5) <= 1e-3
    assert law.optimal_attack_accuracy(None) == dp.optimal_attack_accuracy(model)
    assert law.loss(release.covariance).accuracy() == law.loss(release).accuracy()
    assert dp.exact_law(frame, query, pair).probabilities.shape[0] == 2
    with pytest.raises(NotApplicable, match="exact law of this release is not known"):
        law.loss(calibrate("BalM", model))
    frame["b"] = rng.normal(size=600)
    with pytest.raises(NotApplicable, match="exact law is known only for"):
        dp.exact_law(frame, dp.Query([dp.Mean("b")]), pair, n=60)


def test_verdicts_take_the_worst_of_laws_that_are_as_likely():
    model = thirds(n=40)
    pair = replace(model.pairs[0], groups=replace(model.pairs[0].groups, records=None))
    wide = replace(pair, means=pair.means + np.array([[0.0], [0.05]]))
    model = replace(model, pairs=(replace(pair, alternatives=(wide, pair)),))
    alone = replace(model, pairs=(wide,))
    release = calibrate("OptM", replace(model, pairs=(pair,)), 1.0, 1e-3)
    promises = [release.promise]
    [worst], [single] = verdicts(model, [release], promises), verdicts(alone, [release], promises)
    np.testing.assert_allclose(worst.delta, single.delta)
    np.testing.assert_allclose(worst.accuracy, single.accuracy)
    assert not worst.kept
    assert float(privacy_loss(model, release).delta(1.0)) == pytest.approx(
        single.delta.max(), rel=1e-4
    )
    mended = verdict(model, calibrate("OptM", model, 1.0, 1e-3))
    assert mended.kept
    assert mended.delta.max() == pytest.approx(1e-3, rel=2e-3)
    # Figures that need no noise by the fitted law get what the other one needs, and no more.
    delta = 1.001 * float(privacy_loss(replace(model, pairs=(pair,))).delta(1.0))
    mended = verdict(model, calibrate("DauM", model, 1.0, delta))
    assert mended.kept
    assert mended.delta.max() == pytest.approx(delta, rel=2e-3)


def test_a_law_that_decides_counts_its_rounding():
    model, release = thirds(n=40), Release("x", np.array([[0.04]]))
    law, held = known_law(model.pairs[0], model), verdict(model, release, Promise(1.0, 1e-3))
    reached, _ = law.delivered(release, 1.0)
    assert law.error > 0
    np.testing.assert_array_equal(held.exact[0] - reached, reached + law.error - reached)


def test_each_way_of_drawing_from_a_table_has_a_law_of_its_own():
    groups = Groups.of(
        1.0 * (np.arange(40) % 4 < 1)[:, None], np.repeat([0.0, 1.0], 20), SMALL.label
    )
    for replacement in (True, False, True):
        model = fit_groups(
            [groups], Query([Count("c", 1)]), [Pair(SMALL, 0.4, 0.6)], 20, replacement
        )
        law = known_law(model.pairs[0], model)
        places = np.arange(law.probabilities.shape[1])
        spread = [np.cov(places, aweights=one, bias=True) for one in law.probabilities]
        np.testing.assert_allclose(spread, model.pairs[0].covariances[:, 0, 0])


def test_pure_promises_rest_on_counts_whose_every_probability_is_there():
    # All of 1100 records: 2⁻¹¹⁰⁰ of the draws, which no float holds.
    flags, having = np.arange(40)[:, None] % 2, np.repeat([0.0, 1.0], 20)
    for n, pure in ((60, True), (1100, False)):
        model = of_records(flags, having, n, 0.4, 0.6, kind=Count)
        assert (known_law(model.pairs[0], model).complete is not None) == pure
        assert (calibrate("Wasserstein", model, 1.0).promise.delta == 0) == pure


def test_laplace_noise_hides_a_count_if_it_bounds_the_ratio_in_either_order():
    flags, having = np.repeat([0, 0, 0, 1], 10)[:, None], np.repeat([0.0, 1.0], 20)
    release = Release(directions=np.eye(1), scale=1.5)
    decay = np.exp(-np.abs(np.arange(11)[:, None] - np.arange(11)) / 1.5)
    for values in (flags, flags[::-1]):  # rare in either group
        model = of_records(values, having, 10, 0.2, 0.8, kind=Count)
        law = known_law(model.pairs[0], model)
        p, q = law.complete @ decay
        less, more = sorted([float(np.log(p / q).max()), float(np.log(q / p).max())])
        assert law.hides(release, more + 1e-9)
        assert not law.hides(release, (less + more) / 2)
        assert verdict(model, release, Promise(more + 1e-9, 0.0)).kept
