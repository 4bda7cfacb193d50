"""Privacy losses against closed forms, quadrature, enumeration and simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate, optimize, special, stats

from distpriv.errors import DistprivError
from distpriv.privacy.loss import FiniteLoss, NormalLoss, normal_delta, normal_distance


def laws(seed, m, spread=0.3):
    """Difference and two covariances that are neither equal nor diagonal."""
    rng = np.random.default_rng(seed)
    roots = np.eye(m) + spread * rng.normal(size=(2, m, m))
    return rng.normal(size=m) / math.sqrt(m), roots @ roots.swapaxes(1, 2)


def hockey_stick(p, q, epsilon):
    """δ of two densities on a line, by a fine mesh."""
    x = np.linspace(-25, 25, 500_001)
    return np.trapezoid(np.maximum(p(x) - math.exp(epsilon) * q(x), 0.0), x)


def test_distances_and_deltas_of_equal_normals():
    """Balle & Wang 2018, at δ = 1e-3, computed in 30 digits; and by the integral."""
    distances = normal_distance(np.array([0.2, 1.0, 5.0, 10.0]), 1e-3)
    np.testing.assert_allclose(distances, [0.1010, 0.3884, 1.4496, 2.4627], atol=5e-5)
    for mu, epsilon in ((0.1, 0.05), (1.0, 1.0), (3.0, 0.0), (2.0, -1.0)):
        direct = hockey_stick(stats.norm(mu).pdf, stats.norm.pdf, epsilon)
        assert normal_delta(mu, epsilon) == pytest.approx(direct, abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(st.floats(-6, 4), st.floats(-12, -0.31))
def test_distance_inverts_delta(log_epsilon, log_delta):
    epsilon, delta = 10**log_epsilon, 10**log_delta
    assert normal_delta(normal_distance(epsilon, delta), epsilon) == pytest.approx(delta, rel=1e-9)
    assert special.ndtr(normal_distance(0.0, delta) / 2) == pytest.approx(
        0.5 + delta / 2, rel=1e-12
    )


# ---------------------------------------------------------------- finitely many outcomes

P = np.array([0.5, 0.2, 0.2, 0.1, 0.0])
Q = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
SETS = [np.array(s, bool) for s in itertools.product((0, 1), repeat=len(P))]


def test_finite_epsilon_is_exact_on_arrays():
    loss, delta = FiniteLoss(P, Q), np.array([0.0, 1e-9, 0.05, 0.2, 0.4, 1.0])
    epsilon = loss.epsilon(delta)
    assert epsilon[0] == pytest.approx(math.log(5))
    np.testing.assert_allclose(loss.delta(epsilon[1:4]), delta[1:4], atol=1e-15)
    np.testing.assert_array_equal(epsilon[4:], 0.0)
    # An outcome of Q alone has 0.1: below it there is no ε.
    assert loss.reversed.epsilon(0.0999) == math.inf
    assert np.isfinite(loss.reversed.epsilon(0.1001))


def test_finite_loss_is_that_of_the_best_of_all_sets():
    loss = FiniteLoss(P, Q)
    for level in (-3.0, -0.5, 0.0, 0.3, 1.0, 1.7):
        largest = max(P[s].sum() - math.exp(level) * Q[s].sum() for s in SETS)
        assert loss.profile(level) == pytest.approx(largest, abs=1e-15)
    assert loss.accuracy() == pytest.approx(0.5 + 0.25 * abs(P - Q).sum())
    false, true = loss.roc()
    assert (np.diff([false, true]) >= 0).all()
    assert (false[0], true[0], false[-1], true[-1]) == (0, 0, 1, 1)
    for beta in (0.3, 1.0, 2.0):
        scores = [(1 + beta**2) * P[s].sum() / (P[s].sum() + Q[s].sum() + beta**2) for s in SETS]
        assert loss.f_score(beta) == pytest.approx(max(scores), abs=1e-14)
    recalls = np.array([1e-6, 0.2, 0.5, 0.6, 0.85, 1.0])
    least = [optimize.linprog(Q, A_eq=[P], b_eq=[r], bounds=(0, 1)).fun for r in recalls]
    np.testing.assert_allclose(loss.precision(recalls), recalls / (recalls + least), atol=1e-12)
    recall, precision = loss.precision_recall()
    np.testing.assert_allclose(precision, loss.precision(recall), atol=1e-12)


# ---------------------------------------------------------------- normals


def test_equal_covariances_have_the_closed_form():
    levels = np.array([-2.0, 0.0, 0.5, 3.0])
    for m in (1, 3):
        d, (covariance, _) = laws(m, m)
        distance = math.sqrt(d @ np.linalg.solve(covariance, d))
        loss = NormalLoss.between(d, covariance, covariance)
        np.testing.assert_allclose(loss.profile(levels), normal_delta(distance, levels), atol=1e-12)


@pytest.mark.parametrize(
    ("deviation", "epsilon"), [(0.5, 0.3), (0.9, 1.0), (1.5, 0.0), (3.0, -1.0)]
)
def test_normal_profile_is_the_integral(deviation, epsilon):
    loss = NormalLoss.between(np.array([0.7]), np.array([[1.0]]), np.array([[deviation**2]]))
    p, q = stats.norm(0.7), stats.norm(0, deviation)
    for one, (a, b) in ((loss, (p, q)), (loss.reversed, (q, p))):
        assert one.profile(epsilon) == pytest.approx(hockey_stick(a.pdf, b.pdf, epsilon), abs=1e-8)


def imhof(loss, t):
    """P(L > t) by Imhof (1961): L is a sum of non-central chi-squared variables."""
    rate, shift = (1 / loss.spread - 1) / 2, loss.shift / loss.spread
    centre = (shift / (2 * rate)) ** 2  # rate y² + shift y = rate (y + shift/2 rate)² − …
    constant = (np.log(loss.spread) + loss.shift**2 / loss.spread).sum() / 2
    x = (rate * centre).sum() - constant + t

    def integrand(u):
        v = rate * u
        angle = (np.arctan(v) + centre * v / (1 + v**2)).sum() / 2
        size = ((1 + v**2) ** 0.25).prod() * np.exp((centre * v**2 / (1 + v**2)).sum() / 2)
        return math.sin(angle - x * u / 2) / (u * size)

    return 0.5 + integrate.quad(integrand, 1e-12, np.inf, limit=2000)[0] / math.pi


@pytest.mark.parametrize("t", [-0.5, 0.4, 1.5])
def test_normal_tails_agree_with_imhof(t):
    d, (one, other) = laws(5, 6, spread=0.4)
    loss = NormalLoss.between(d, one, other)
    first, second = loss.tails(t)
    assert first == pytest.approx(imhof(loss, t), abs=1e-6)
    assert second == pytest.approx(1 - imhof(loss.reversed, -t), abs=1e-6)
    assert loss.profile(t) == pytest.approx(first - math.exp(t) * second, abs=1e-13)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 7), st.floats(-8, 8))
def test_normal_profile_in_both_orders_is_one_curve(seed, m, level):
    d, (one, other) = laws(seed, m, 0.5)
    loss = NormalLoss.between(3 * d, one, other)
    back = 1 - math.exp(level) + math.exp(level) * loss.reversed.profile(-level)
    assert loss.profile(level) == pytest.approx(float(back), abs=1e-9 * max(1, math.exp(level)))


def test_normal_epsilon_inverts_delta_on_arrays_and_cases():
    d, (one, other) = laws(3, 4)
    loss = NormalLoss.between(d, one, other)
    delta = np.array([1e-12, 1e-6, 1e-3, 0.1, 0.9])
    epsilon = loss.epsilon(delta)
    assert epsilon[-1] == 0
    np.testing.assert_allclose(loss.delta(epsilon[:-1]), delta[:-1], rtol=1e-9)
    both = NormalLoss.together([loss, loss.reversed]).epsilon(delta[:, None])
    expected = np.stack([epsilon, loss.reversed.epsilon(delta)], axis=1)
    np.testing.assert_allclose(both, expected, rtol=1e-12)


def test_normal_epsilon_is_infinite_or_bounded_by_the_largest_loss():
    wide = NormalLoss.between(np.array([0.5]), np.array([[1.0]]), np.array([[4.0]]))
    x = np.linspace(-20, 20, 200_001)
    largest = (stats.norm.logpdf(x, 0.5) - stats.norm.logpdf(x, 0, 2)).max()
    assert wide.epsilon(0.0) == pytest.approx(largest, abs=1e-6)
    assert wide.reversed.epsilon(0.0) == math.inf
    far = NormalLoss.between(np.array([60.0]), np.eye(1), np.eye(1))
    assert far.epsilon(1e-3) == math.inf  # above 1000


def test_gradient_is_the_slope_in_the_noise():
    d, covariances = laws(8, 3)
    away = np.array([[0.2, 0.1, 0.0], [0.1, 0.3, -0.1], [0.0, -0.1, 0.1]])

    def at(t):
        return NormalLoss.between(d, *(covariances + 0.3 * np.eye(3) + t * away))

    delta, slope = at(0.0).gradient(np.array(0.5), step=0.0625)
    assert delta == pytest.approx(float(at(0.0).delta(0.5)), rel=1e-12)
    difference = (at(1e-5).delta(0.5) - at(-1e-5).delta(0.5)) / 2e-5
    assert (slope * away).sum() == pytest.approx(difference, rel=1e-6)
    np.testing.assert_allclose(at(0.0).gradient(np.array(0.5))[1], slope, rtol=0.02, atol=1e-4)


def test_scales_may_differ_by_twelve_powers_of_ten():
    d, (one, other) = laws(2, 3)
    unit = np.array([1e-6, 1.0, 1e6])
    across = np.outer(unit, unit)
    scaled = NormalLoss.between(d * unit, one * across, other * across)
    plain = NormalLoss.between(d, one, other)
    np.testing.assert_allclose(scaled.delta([0.0, 1.0]), plain.delta([0.0, 1.0]), rtol=1e-9)


def test_laws_that_agree_tell_nothing_and_points_tell_all():
    alike = NormalLoss.between(np.zeros(2), np.eye(2), np.eye(2))
    np.testing.assert_allclose(alike.profile([-1.0, 0.0, 1.0]), [1 - math.exp(-1), 0, 0], atol=1e-9)
    point = NormalLoss.between(np.zeros(2), np.diag([1.0, 0.0]), np.eye(2))
    assert min(point.accuracy(), point.reversed.accuracy()) > 0.999999


def test_roc_and_precision_of_equal_normals():
    loss = NormalLoss.between(np.array([1.3]), np.eye(1), np.eye(1))
    false, true = loss.roc(400)
    inside = (false > 1e-6) & (false < 1 - 1e-6)
    expected = special.ndtr(special.ndtri(false[inside]) + 1.3)
    np.testing.assert_allclose(true[inside], expected, atol=1e-9)
    recall = np.array([1e-9, 0.01, 0.5, 0.99, 1.0])
    fall_out = special.ndtr(special.ndtri(recall) - 1.3)
    np.testing.assert_allclose(loss.precision(recall), recall / (recall + fall_out), atol=1e-8)


@pytest.mark.parametrize("deviation", [0.4, 1.0, 1.8])
def test_precision_and_f_score_of_normals_are_those_of_a_fine_grid(deviation):
    """A finite law, whose best thresholds are all tried; at equal deviations Φ is the answer."""
    x = np.linspace(-16, 16, 40_001)
    masses = [stats.norm.pdf(x, 0.8), stats.norm.pdf(x, 0, deviation)]
    grid = FiniteLoss(*(mass / mass.sum() for mass in masses))
    loss = NormalLoss.between(np.array([0.8]), np.eye(1), np.array([[deviation**2]]))
    for one, fine in ((loss, grid), (loss.reversed, grid.reversed)):
        for beta in (0.3, 1.0, 3.0):
            assert one.f_score(beta) == pytest.approx(fine.f_score(beta), abs=1e-6)
        recall = np.array([[0.02, 0.3], [0.7, 0.98]])
        np.testing.assert_allclose(one.precision(recall), fine.precision(recall), atol=1e-5)
        points, precision = one.precision_recall(41)
        assert points[-1] == pytest.approx(1)
        some = points < 0.99  # a grid is coarse where L has its end
        np.testing.assert_allclose(precision[some], fine.precision(points[some]), atol=1e-4)
        assert one.tails(np.array([-300.0, 300.0])) == pytest.approx(np.array([[1, 0], [1, 0]]))


def test_figures_refuse_what_is_out_of_range():
    alike = NormalLoss.between(np.zeros(2), np.eye(2), np.eye(2))
    assert alike.f_score(2.0) == pytest.approx(5 / 6)  # by always guessing P
    for loss, figure, wrong, words in (
        (FiniteLoss(P, Q), "epsilon", (-0.1, 1.1, math.nan), "δ must be a number from 0 to 1"),
        (alike, "epsilon", (-0.1, 1.1, math.nan), "δ must be a number from 0 to 1"),
        (alike, "f_score", (0.0, -1.0, math.nan, math.inf), "β must be a number above 0"),
        (alike, "precision", (0.0, 1.1, math.nan), "A recall must be a number above 0"),
    ):
        for one in wrong:
            with pytest.raises(DistprivError, match=words):
                getattr(loss, figure)(one)


def test_largest_losses_of_independent_statistics_add_up():
    shift, spread = np.array([1.0, 0.5]), np.array([2.0, 1.5])
    both = NormalLoss(shift, spread).epsilon(0.0)
    each = [NormalLoss(shift[[k]], spread[[k]]).epsilon(0.0) for k in range(2)]
    assert both == pytest.approx(sum(each))
    assert each[0] == pytest.approx((np.log(2.0) + 1.0) / 2)  # where L is largest, by calculus
