"""Calibration: promises and limits are kept, arguments checked, what is impossible is a sentence."""

import math
from dataclasses import replace

import numpy as np
import pytest

from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import MECHANISMS, calibrate, calibrate_all, calibration
from distpriv.mechanisms.floor import charged, floor_widths
from distpriv.mechanisms.gaussian import classical_distance
from distpriv.model import AS_IT_IS, Promise, Release, no_data
from distpriv.privacy import NormalLoss, Persons, delivered_delta, optimal_attack_accuracy, verdict
from distpriv.privacy.loss import normal_delta, normal_distance
from distpriv.queries import Count
from tests.adult import BOUNDS, INCOME, WORK, model, of_records

MODEL = model(INCOME.pair(0.5, 0.1))
GAUSSIAN = [name for name, one in MECHANISMS.items() if one.shape is not None]


@pytest.mark.parametrize("name", GAUSSIAN)
@pytest.mark.parametrize("grid_safe", [True, False])
def test_guarded_noise_keeps_its_promise_and_no_more(name, grid_safe):
    release = calibrate(name, MODEL, 1.0, 1e-3, grid_safe=grid_safe)
    assert release.promise == Promise(1.0, 1e-3)
    assert release.calibration == "guarded"
    assert release.floor.shape == (5,)
    assert (release.floor > 0).all() == grid_safe
    pair = MODEL.pairs[0]
    loss = NormalLoss.between(pair.difference, *(pair.covariances + release.covariance))
    worst = max(float(loss.delta(1.0)), float(loss.reversed.delta(1.0)))
    # A shape is not scaled below what it is for the mean covariance, which may be enough.
    exact = calibrate(name, MODEL, 1.0, 1e-3, calibration="exact", grid_safe=grid_safe)
    enough = np.allclose(release.covariance, exact.covariance)
    assert (7e-4 if enough else 9.9e-4) < worst <= 1e-3 * (1 + 1e-6)
    # Noise wider than a step in every direction covers the grid without a floor.
    wide = np.linalg.eigvalsh(release.covariance / np.outer(pair.steps, pair.steps))[0] > 1
    assert verdict(MODEL, release).kept == (grid_safe or wide)


@pytest.mark.parametrize("guesses", [50.01, 55, 74])
def test_a_limit_is_a_promise_at_no_epsilon(guesses):
    results = calibrate_all([(name, Promise.of_guesses(guesses)) for name in GAUSSIAN], MODEL)
    for name, release in zip(GAUSSIAN, results, strict=True):
        if isinstance(release, NotApplicable):  # what is not along the difference is not hidden
            assert (name, guesses) in {("DirM", 50.01), ("DauM", 50.01)}
            continue
        accuracy = optimal_attack_accuracy(MODEL, release)
        assert accuracy <= guesses / 100 + 1e-12
        if name in ("OptM", "DauM"):
            assert accuracy == pytest.approx(guesses / 100, abs=2e-3 * (guesses / 50 - 1))
        assert release.promise.guesses == guesses


def test_a_limit_with_equal_covariances_is_met_to_nine_digits():
    for how in ("exact", "classical"):
        release = calibrate("DauM", MODEL, guesses=60, calibration=how, grid_safe=False)
        distance = MODEL.pairs[0].distance(release.covariance)
        assert normal_delta(distance, 0.0) == pytest.approx(0.2, abs=2e-9)


def test_noise_that_would_break_its_promise_is_scaled_or_never_returned(monkeypatch):
    noise, plain = calibration.gaussian_noise, calibrate("OptM", MODEL, 1.0, 1e-3)

    def half(*case):
        return [part / 2 for part in noise(*case)]

    monkeypatch.setattr(calibration, "gaussian_noise", half)
    release = calibrate("OptM", MODEL, 1.0, 1e-3)
    assert verdict(MODEL, release).kept
    parts = [one - np.diag(release.floor**2) for one in (release.covariance, plain.covariance / 2)]
    np.testing.assert_allclose(*(part / np.trace(part) for part in parts), atol=1e-9)  # floor stays
    for value in (np.nan, 1.0):
        broken = np.diag([value, 0, 0, 0, 0])[None], np.zeros(1)
        monkeypatch.setattr(calibration, "gaussian_noise", lambda *_, broken=broken: broken)
        with pytest.raises(NotApplicable, match="No amount of OptM noise"):
            calibrate("OptM", MODEL, 1.0, 1e-3)


@pytest.mark.parametrize("grid_safe", [True, False])
def test_shapes_that_are_not_numbers_are_refused_beside_others(monkeypatch, grid_safe):
    broken = replace(MECHANISMS["EigM"], shape=lambda d, pooled, mu: np.nan * pooled[:, 0])
    monkeypatch.setitem(MECHANISMS, "EigM", broken)
    jobs = [(name, Promise(1.0, 1e-3)) for name in ("EigM", "ExpM")]
    for how in ("guarded", "exact"):
        first, second = calibrate_all(jobs, MODEL, calibration=how, grid_safe=grid_safe)
        assert "No amount of EigM noise" in str(first)
        assert np.isfinite(second.covariance).all()


def test_no_noise_where_none_is_needed_but_by_mechanisms_that_always_add_some():
    weak = model(INCOME.pair(0.5, 0.02))
    for name in ("OptM", "DauM", "EigM"):
        release = calibrate(name, weak, 5.0, 0.1)
        assert not release.covariance.any()
        assert not release.floor.any()
    assert calibrate("ExpM", weak, 5.0, 0.1).covariance.any()


def test_several_secrets_are_hidden_together():
    both = model(INCOME.pair(0.5, 0.1), WORK.pair(0.5, 0.1))
    jobs = [(name, Promise(1.0, 1e-3)) for name in GAUSSIAN]
    results = dict(zip(GAUSSIAN, calibrate_all(jobs, both), strict=True))
    assert "along several" in str(results.pop("DauM"))
    with pytest.raises(NotApplicable, match="balanced release hides one secret"):
        calibrate("BalM", both)
    assert all(verdict(both, release).kept for release in results.values())
    traces = {name: np.trace(release.covariance) for name, release in results.items()}
    assert min(traces, key=traces.get) == "OptM"
    ranges = model(INCOME.pair(0.5, 0.1), INCOME.pair(0.4, 0.1))  # along one direction
    assert verdict(ranges, calibrate("DauM", ranges, 1.0, 1e-3)).kept


def test_jobs_keep_their_order_and_errors_are_values():
    jobs = [
        ("OptM", Promise(1.0, 1e-3)),
        ("ExpM", Promise(1.0, 0.0)),
        ("BalM", Promise(0.0, 0.0)),
        ("DirM(L)", Promise(0.0, 0.1)),
        ("OptM", Promise.of_guesses(60)),
    ]
    results = calibrate_all(jobs, MODEL)
    assert [isinstance(one, Release) for one in results] == [True, False, True, False, True]
    assert results[0].key != results[4].key
    alone = calibrate("OptM", MODEL, 1.0, 1e-3)
    np.testing.assert_allclose(results[0].covariance, alone.covariance, rtol=1e-3, atol=1e-3)


def test_units_change_what_is_least_and_not_what_is_promised():
    units = np.abs(MODEL.pairs[0].means[0])
    raw, scaled = (calibrate("OptM", MODEL, 1.0, 1e-3, units=u) for u in (None, units))
    cost = [float((np.diag(one.covariance) / units**2).sum()) for one in (raw, scaled)]
    assert cost[1] < cost[0]
    assert np.trace(raw.covariance) < np.trace(scaled.covariance)
    assert verdict(MODEL, scaled).kept
    np.testing.assert_allclose(scaled.floor, 0.5 * MODEL.steps)
    spread = calibrate("ExpM", MODEL, 1.0, 1e-3, units=units, grid_safe=False).covariance
    np.testing.assert_allclose(spread, np.diag(np.diag(spread)), atol=1e-12)
    np.testing.assert_allclose(np.diag(spread) / units**2, spread[0, 0] / units[0] ** 2)


# ---------------------------------------------------------------- persons

PERSONS = Persons(1.0, 1e-3, BOUNDS)


def test_share_and_persons_are_kept_by_one_noise():
    # UCI Adult, n = 100 without replacement, (1, 0.001) both, exact: 98.77 for persons alone, 173.9
    # for both by the semidefinite program, without a floor and with it.
    options = {"calibration": "exact", "persons": PERSONS}
    for safe in (False, True):
        release = calibrate("OptM", MODEL, 1.0, 1e-3, grid_safe=safe, **options)
        assert 173.9 <= np.trace(release.covariance) <= 175
        assert verdict(MODEL, release, persons=PERSONS).persons_kept
    loose = calibrate("OptM", MODEL, 50.0, 0.9, grid_safe=False, persons=PERSONS)
    assert np.trace(loose.covariance) == pytest.approx(98.77, abs=0.01)
    held = verdict(MODEL, calibrate("OptM", MODEL, 1.0, 1e-3, persons=PERSONS), persons=PERSONS)
    assert held.kept
    assert held.persons_kept
    assert 0.9 < held.persons.epsilon <= 1.0
    assert held.persons.delta == 1e-3


def test_mechanisms_are_scaled_for_persons_or_refused():
    names = [*GAUSSIAN, "BalM"]
    jobs = [(name, Promise(0.0 if name == "BalM" else 1.0, 1e-3)) for name in names]
    results = dict(zip(names, calibrate_all(jobs, MODEL, persons=PERSONS), strict=True))
    bare, nothing = "in directions without noise", "promises nothing to single persons"
    for name, sentence in (("DirM", bare), ("DauM", bare), ("BalM", nothing)):
        assert sentence in str(results.pop(name))
    traces = {name: np.trace(one.covariance) for name, one in results.items()}
    assert min(traces, key=traces.get) == "OptM"
    assert all(verdict(MODEL, one, persons=PERSONS).persons_kept for one in results.values())


def test_laplace_noise_is_scaled_for_persons():
    ages = np.repeat([[20.0], [40.0], [60.0]], 200, axis=0) + np.arange(600)[:, None] % 7
    fitted = of_records(ages, np.tile([0.0, 1.0, 1.0], 200), 50, 0.4, 0.6)
    persons = Persons(0.5, 0.0, {"c0": (0, 100)})
    plain, release = (calibrate("ExpM(L)", fitted, 5.0, persons=one) for one in (None, persons))
    assert not verdict(fitted, plain, persons=persons).persons_kept
    held = verdict(fitted, release, persons=persons)
    assert held.persons_kept
    assert held.kept
    assert release.scale == pytest.approx(2 / 0.5, rel=2e-3)  # (100 − 0)/50 for each record
    with pytest.raises(NotApplicable, match="needs a δ above 0"):
        calibrate("OptM", fitted, 1.0, 1e-3, persons=persons)


def test_releases_without_noise_for_each_record_promise_persons_nothing():
    one = MODEL.pairs[0]
    own = replace(MODEL, pairs=(replace(one, groups=replace(one.groups, provenance="table")),))
    for release in (AS_IT_IS, calibrate("BalM", MODEL), no_data(MODEL)):
        held = verdict(own, release, Promise(0.0, 0.9), persons=PERSONS)
        assert held.persons is None
        assert held.persons_kept is False
        assert (held.shares_kept, held.kept) == (True, False)
        why = (
            "No noise is added" if release.mechanism != "no data" else "The expectation comes from"
        )
        assert held.why.startswith(why)
        assert held.why.endswith("so single persons are not protected.")
        assert repr(held).endswith("; to persons broken)")
    held = verdict(MODEL, no_data(MODEL), Promise(0.0, 0.0))  # expected from public groups
    assert (held.kept, held.persons.epsilon, held.persons_kept) == (True, 0.0, None)
    assert verdict(MODEL, no_data(MODEL), Promise(0.0, 0.0), persons=PERSONS).persons_kept
    weak = calibrate("ExpM", MODEL, 5.0, 1e-3)
    held = verdict(MODEL, weak, persons=Persons(0.01, 1e-6, BOUNDS))
    assert "at ε = 0.01; the promise is 1e-6." in held.why
    release = calibrate("ExpM", MODEL, 1.0, 1e-3)
    held = verdict(MODEL, release, bounds=BOUNDS)
    assert (held.persons.delta, held.persons_kept) == (1e-3, None)
    assert verdict(MODEL, release).persons is None
    assert verdict(MODEL, release, bounds={"age": (17, 90)}).persons is None  # bounds are wanting


@pytest.mark.parametrize(
    ("persons", "bounds", "sentence"),
    [
        (Persons(1.0, 1e-3), {"age": (17, 90)}, "'education-num' has no public bounds"),
        (Persons(1.0, 1e-3), BOUNDS | {"age": (18, 90)}, "exclude records"),
        (None, {"age": (17, 80)}, "exclude records"),
        (None, {"age": (90, 17)}, "the lower one first"),
        (Persons(1.0, 0.0, BOUNDS), None, "needs a δ above 0"),
    ],
)
def test_bad_bounds_and_promises_to_persons_are_answered_in_a_sentence(persons, bounds, sentence):
    with pytest.raises(DistprivError) as error:
        calibrate("OptM", MODEL, 1.0, 1e-3, persons=persons, bounds=bounds)
    assert sentence in str(error.value)
    assert str(error.value).endswith(".")


# ---------------------------------------------------------------- Laplace noise


def test_laplace_promises_carry_the_delta_that_unequal_covariances_leave():
    release = calibrate("DirM(L)", MODEL, 1.0)
    assert 0.004 < release.promise.delta < 0.009
    assert delivered_delta(MODEL, release, 1.0) < release.promise.delta
    assert verdict(MODEL, release).kept
    assert not verdict(MODEL, release, Promise(1.0, 0.0)).kept
    # Of all directions it is 7e-5 with 16 000 draws.
    assert 7e-5 < calibrate("ExpM(L)", MODEL, 1.0).promise.delta < 2e-4
    # by the papers' calibration it is (ε, 0), which holds for the mean covariance
    papers = calibrate("DirM(L)", MODEL, 1.0, calibration="classical")
    assert papers.promise == Promise(1.0, 0.0)
    assert not verdict(MODEL, papers).kept


def test_laplace_noise_grows_until_another_delta_or_a_limit_is_kept():
    limited = calibrate("DirM(L)", MODEL, guesses=60)
    assert 0.598 < optimal_attack_accuracy(MODEL, limited) <= 0.6
    assert verdict(MODEL, limited).kept
    wide, narrow = (calibrate("DirM(L)", MODEL, 1.0, delta) for delta in (1e-3, 0.01))
    assert narrow.scale < wide.scale
    assert delivered_delta(MODEL, wide, 1.0) <= 1e-3
    assert wide.promise == Promise(1.0, 1e-3)
    with pytest.raises(NotApplicable, match=r"No amount of DirM\(L\) noise"):
        calibrate("DirM(L)", MODEL, 1.0, 1e-7)


def test_laplace_noise_of_a_shift_on_a_grid_leaves_what_quadrature_may_err_by():
    # Whole numbers, alike in both groups but for 3 more: (1, 0) by Theorem 4.3, the grid charged.
    half = np.random.default_rng(9).integers(0, 9, (200, 1)).astype(float)
    having = np.repeat([0.0, 1.0], 200)
    fitted = of_records(np.concatenate([half, half + 3]), having, 100, 0.4, 0.6)
    assert fitted.steps > 0
    assert calibrate("DirM(L)", fitted, 1.0).promise.delta <= 1.1e-6


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("OptM", {"epsilon": -1, "delta": 1e-3}, "ε must be a number from 0 on, not -1."),
        ("OptM", {"epsilon": "abc", "delta": 1e-3}, "ε must be a number from 0 on, not 'abc'."),
        ("OptM", {"epsilon": "0,7", "delta": 1e-3}, "ε must be a number from 0 on, not '0,7'."),
        ("OptM", {"epsilon": math.nan, "delta": 1e-3}, "ε must be a number from 0 on, not nan."),
        ("OptM", {"epsilon": 1, "delta": 1}, "δ must be a number from 0 to below 1"),
        ("OptM", {"epsilon": 1, "delta": 0}, "needs a δ above 0"),
        ("OptM", {"epsilon": 0, "delta": 0.1, "calibration": "classical"}, "needs an ε above 0"),
        ("OptM", {"guesses": 60, "calibration": "clasical"}, "Did you mean 'classical'?"),
        ("OptM", {}, "OptM needs ε and δ, or a limit"),
        ("OptM", {"epsilon": 1, "guesses": 60}, "Give either"),
        ("OptM", {"guesses": 50}, "above 50 and below 100"),
        ("OptM", {"guesses": 100}, "above 50 and below 100"),
        ("OptM", {"guesses": "many"}, "must be a number above 50 and below 100, not 'many'"),
        ("OptM", {"guesses": 60, "reference": 0.5}, "takes no reference share"),
        ("OptM", {"guesses": 60, "units": [1, 1, 1, 1, 0]}, "Each unit must be a number above 0"),
        ("OptM", {"guesses": 60, "units": [1, 1]}, "Units must be 5 numbers above 0"),
        ("DirM(L)", {"epsilon": 0}, "needs an ε above 0"),
        ("DaumM", {"guesses": 60}, "Did you mean 'DauM'?"),
        (MODEL, {"guesses": 60}, "Pass a mechanism's name, such as 'OptM', first"),
        ("BalM", {"reference": 1.5}, "must lie between 0 and 1"),
        ("BalM", {"reference": "half"}, "must be a number"),
        ("OptM", {"guesses": 60, "persons": (1, 1e-3)}, "persons must be Persons(epsilon, delta)"),
    ],
)
def test_bad_arguments_are_answered_in_a_sentence(name, arguments, sentence):
    with pytest.raises(DistprivError) as error:
        calibrate(name, MODEL, **arguments)
    assert sentence in str(error.value)
    assert str(error.value).endswith((".", "?"))


def test_classical_distance_is_that_of_the_papers():
    # ε/c at δ = 0.001 (Dwork & Roth 2014, Theorem A.1).
    expected = [0.0530, 0.2648, 1.3240, 2.6480]
    epsilons = np.array([0.2, 1.0, 5.0, 10.0])
    assert classical_distance(epsilons, np.full(4, 1e-3)) == pytest.approx(expected, abs=5e-5)


# ---------------------------------------------------------------- balanced releases


def test_balanced_release_keeps_what_every_share_of_the_range_has():
    fitted = model(INCOME.pair(0.25, 0.1))
    release = calibrate("BalM", fitted, reference=0.22)
    assert release.kept.tolist() == [70, 20]
    np.testing.assert_allclose(release.stands_for, [78, 22])
    assert calibrate("BalM", fitted).reference == 0.25
    assert verdict(fitted, release).law == "any data"
    for center in (0.05, 0.95):
        with pytest.raises(NotApplicable, match="of both kinds at every share"):
            calibrate("BalM", model(INCOME.pair(center, 0.1)))


# ---------------------------------------------------------------- what breaks numbers


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 50.0, 1e4])
def test_extreme_promises_are_kept(epsilon):
    jobs = [(name, Promise(epsilon, delta)) for name in GAUSSIAN for delta in (1e-12, 0.3)]
    for release in calibrate_all(jobs, MODEL):
        assert isinstance(release, NotApplicable) or verdict(MODEL, release).kept
    assert verdict(MODEL, calibrate("DirM(L)", MODEL, epsilon)).kept


@pytest.mark.parametrize("n", [10**6, 10**9])
def test_large_tables_are_hidden_or_refused(n):
    large = model(INCOME.pair(0.5, 0.1), n=n, replacement=True)
    jobs = [(name, one) for name in GAUSSIAN for one in (Promise(1, 1e-6), Promise.of_guesses(60))]
    for release in calibrate_all(jobs, large):
        assert isinstance(release, NotApplicable) or verdict(large, release).kept
    assert verdict(large, calibrate("OptM", large, guesses=60)).kept


def test_cents_beside_counts_and_densities_are_hidden():
    rng = np.random.default_rng(4)
    having = np.repeat([0.0, 1.0], 300)
    pay = np.round(np.exp(rng.normal(8, 0.5, 600)), 2) + 100 * having
    values = np.column_stack(
        [pay, rng.random(600) < 0.3 + 0.2 * having, rng.normal(size=600) * 1e9]
    )
    fitted = of_records(values, having, 200, 0.4, 0.6)
    for name in GAUSSIAN:
        assert verdict(fitted, calibrate(name, fitted, guesses=60)).kept


def test_a_pure_shift_needs_the_exact_noise_and_no_shift_none():
    # Both groups vary alike and are apart in their means only, or not at all.
    half = np.random.default_rng(5).normal(size=(200, 2))
    having = np.repeat([0.0, 1.0], 200)
    fitted = of_records(np.concatenate([half, half + np.array([1, 0.5])]), having, 50, 0.4, 0.6)
    for name in GAUSSIAN:
        both = [calibrate(name, fitted, 1, 1e-3, calibration=how) for how in ("guarded", "exact")]
        guarded, exact = (np.trace(one.covariance) for one in both)
        assert guarded == pytest.approx(exact, rel=1e-4)
    still = of_records(np.tile([[-1.0, 2.0], [1.0, -2.0]], (200, 1)), having, 50, 0.4, 0.6)
    assert not calibrate("DauM", still, 1.0, 1e-3).covariance.any()
    with pytest.raises(NotApplicable, match="these agree"):
        calibrate("DirM(L)", still, 1.0)


def test_a_statistic_that_cannot_vary_at_one_share_is_hidden_or_refused():
    # Nobody with the property has the flag, and at one share all records have the property.
    rng = np.random.default_rng(6)
    having = np.repeat([0.0, 1.0], 200)
    values = np.column_stack([(rng.random(400) < 0.4) * (1 - having), rng.integers(20, 60, 400)])
    fitted = of_records(values, having, 100, 0.8, 1.0)
    for result in calibrate_all([(name, Promise.of_guesses(60)) for name in GAUSSIAN], fitted):
        assert isinstance(result, NotApplicable) or verdict(fitted, result).kept


def test_normal_noise_is_charged_for_what_a_grid_adds_to_delta():
    epsilon, delta = np.array([1.0, 0.01, 0.0, 0.001]), np.array([1e-3, 1e-6, 0.2, 0.3])
    ratio = np.array([1e-3, 1e-5, 2e-4, 3e-3])
    reached = normal_delta(normal_distance(*charged(epsilon, delta, ratio)), epsilon - ratio)
    reached *= 1 + np.tanh(ratio / 2)
    assert (reached <= delta).all()
    np.testing.assert_allclose(reached[:2], delta[:2], 1e-9)  # a bound where ε < ratio


def test_a_floor_covers_the_grids_of_all_pairs():
    (fine,) = MODEL.pairs
    coarse = replace(fine, steps=3 * fine.steps, joint_steps=3 * fine.joint_steps)
    how = np.zeros((2, 5, 5)), coarse.steps, np.array([1e-3, 1e-6])
    widths, ratios = floor_widths([fine, coarse], *how)
    alone = [floor_widths([law], *how) for law in (fine, coarse)]
    assert (alone[0][0] < alone[1][0]).any()
    np.testing.assert_array_equal(widths, np.max([each for each, _ in alone], axis=0))
    np.testing.assert_array_equal(ratios, alone[1][1])


def test_persons_get_noise_where_the_share_needs_none():
    # Of one count the exact law is known, and it keeps this limit as it is.
    flags = np.random.default_rng(7).random((2, 400)) < 0.5
    fitted = of_records(flags[:1].T, flags[1], 100, 0.45, 0.5, kind=Count)
    assert verdict(fitted, AS_IT_IS, Promise.of_guesses(90)).kept
    noise = calibrate("OptM", fitted, guesses=90, persons=Persons(0.5, 1e-3))
    assert noise.per_record(fitted.query, 100, ()).delta(0.5) == pytest.approx(1e-3, rel=1e-2)
