"""What records move, and what noise promises about them, against enumeration and closed forms."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from distpriv.errors import DistprivError
from distpriv.model import Release, no_data
from distpriv.privacy.least_noise import Promises, least_noise
from distpriv.privacy.loss import normal_delta, normal_distance
from distpriv.privacy.persons import PerRecord, Persons, check_bounds, per_record, record_moves
from distpriv.queries import Count, Mean, Proportion, Query, Sum
from distpriv.queries.statistics import KINDS, Statistic
from tests.adult import BOUNDS as ADULT, INCOME, QUERY, model

TOWNS = Count("town", "a"), Proportion("town", "a"), Count("town", "b")
MIXED = Query([Mean("age"), Sum("age"), *TOWNS, Count("yes", True)])


def replaced(n):
    """What every replacement of one of n records adds to the mixed statistics."""
    records = list(product((17, 40, 90), "abc", (True, False)))
    values = MIXED.values(pd.DataFrame(records, columns=["age", "town", "yes"]))
    return ((values[:, None] - values) * MIXED.scales(n)).reshape(-1, len(MIXED))


@pytest.mark.parametrize("n", [2, 9])
def test_longest_move_is_that_of_every_replacement(n):
    moves, every = record_moves(MIXED, n, {"age": (17, 90)}), replaced(n)
    for seed, order in product(range(20), (1, 2)):
        factor = np.random.default_rng(seed).normal(size=(len(MIXED), 3))
        longest = np.linalg.norm(moves @ factor, ord=order, axis=1).max()
        assert longest == pytest.approx(np.linalg.norm(every @ factor, ord=order, axis=1).max())
    assert len(np.unique(np.concatenate([moves, -moves]), axis=0)) == 2 * len(moves)


def test_sum_of_another_kind_is_refused_until_its_moves_are_known(monkeypatch):
    # The bounds of a column are none of its squares: from 17 to 90 one record moves them by 7811.
    monkeypatch.setitem(KINDS, "squares", "Total of a column's squares")
    with pytest.raises(DistprivError, match=r"squares age is not bounded"):
        record_moves(Query([Statistic("squares", "age")]), 100, {"age": (17, 90)})


def test_values_that_one_record_may_have_at_once_rise_together():
    def rise(*values):
        return record_moves(Query([Count("x", value) for value in values]), 5, ()).sum(1).max()

    assert rise("5", "6") == 1
    assert rise("5", "5.0") == rise(5, "5") == 2


def test_adult_persons_alone_take_the_noise_of_the_box():
    # Ranges of the columns as in the data dictionary, n = 100, (1, 1e-3), no floor: by symmetry
    # the least S is diagonal, r_k Σr/μ*², of trace (Σr)²/μ*² = 98.77.
    reach = np.array([0.73, 0.15, 1, 1, 0.98])
    moves = record_moves(QUERY, 100, ADULT)
    assert np.abs(moves) == pytest.approx(np.tile(reach, (16, 1)))
    zeros, ones = np.zeros((1, 16, 2, 5, 5)), np.ones((1, 16))
    noise = least_noise(Promises(moves[None], zeros, ones, 1e-3 * ones))[0]
    closed = reach.sum() ** 2 / normal_distance(1.0, 1e-3) ** 2
    assert closed == pytest.approx(98.77, abs=0.005)
    assert np.trace(noise) == pytest.approx(closed, rel=1e-3)
    given_to_each = per_record(Release(covariance=noise), moves)
    assert given_to_each.epsilon(1e-3) == pytest.approx(1, abs=2e-3)
    assert given_to_each.epsilon(1e-3) <= 1 + 1e-6


@pytest.mark.parametrize("mu", [0.05, 0.4, 3.0, 12.0])
def test_normal_noise_of_a_single_figure_promises_by_its_closed_form(mu):
    promised = per_record(Release(covariance=np.array([[4.0]])), np.array([[2 * mu], [mu]]))
    assert promised.mu == pytest.approx(mu)
    for delta in (1e-9, 1e-3, 0.1):
        epsilon = promised.epsilon(delta)
        assert epsilon == 0 or normal_delta(mu, epsilon) == pytest.approx(delta, rel=1e-6)
        assert promised.delta(epsilon) <= delta * (1 + 1e-6)


def test_laplace_noise_promises_no_less_than_its_density_shows():
    # Two figures, a turned basis, scale 2: δ(ε) of the worst move by integration over the plane.
    turned = np.array([[0.6, -0.8], [0.8, 0.6]])
    moves = np.array([[1.0, 2.0], [1.0, -2.0]])
    promised = per_record(Release(directions=turned, scale=2.0), moves)
    longest = np.abs(moves @ turned).sum(axis=1)
    assert promised.pure == pytest.approx(longest.max() / 2)
    axis = np.arange(-40, 40, 0.05)
    p, q = (
        [stats.laplace(shift, 2).pdf(axis) * 0.05 for shift in move]
        for move in (moves[longest.argmax()] @ turned, np.zeros(2))
    )
    for epsilon in (0.0, 0.5, 1.0):
        true = np.maximum(np.outer(*p) - np.exp(epsilon) * np.outer(*q), 0).sum()
        assert true <= promised.delta(epsilon) + 1e-4
        assert promised.epsilon(promised.delta(epsilon)) == pytest.approx(epsilon, abs=1e-9)
    assert promised.delta(promised.pure) == 0 == promised.epsilon(0.99)
    assert promised.delta(1000.0) == 0  # beyond what a float holds
    assert promised.epsilon(0.0) == promised.pure


def test_what_does_not_cover_every_move_promises_nothing():
    fitted, moves = model(INCOME.pair(0.5, 0.1)), record_moves(QUERY, 100, ADULT)
    v = np.ones((5, 1)) / np.sqrt(5)
    floor = np.diag([0.01, 0.01, 1, 1, 0.01])
    uncovered = [
        Release(),
        no_data(fitted),
        Release(covariance=100 * v @ v.T),
        Release(covariance=np.diag([1.0, 1, 1, 1, 0])),
        Release(covariance=np.full((5, 5), np.nan)),
        Release(directions=v, scale=100.0),
        Release(directions=np.eye(5), scale=0.0),
    ]
    for release in uncovered:
        assert per_record(release, moves) == PerRecord(np.inf, np.inf)
        assert per_record(release, moves).epsilon(0.5) == np.inf
        assert per_record(release, moves).delta(50.0) == 1
    assert np.isfinite(per_record(Release(covariance=100 * v @ v.T + floor), moves).mu)
    both = per_record(Release(covariance=floor, directions=np.eye(5), scale=10.0), moves)
    assert both.pure == pytest.approx(0.386)
    assert both.epsilon(1e-9) == pytest.approx(0.386)
    # mean and total of one column move along a line, which noise along it covers
    line = record_moves(Query([Mean("age"), Sum("age")]), 10, {"age": (0, 1)})
    assert per_record(Release(covariance=25 * line.T @ line), line).mu == pytest.approx(0.2)


def test_bounds_are_kept_in_their_order_and_checked():
    assert Persons(1.0, 1e-3, {"b": (0, 1), "a": (2, 9)}).bounds == (("b", 0, 1), ("a", 2, 9))
    fitted = model(INCOME.pair(0.5, 0.1))
    check_bounds(fitted, ADULT)
    for low, high in ((18, 90), (17, 89)):
        with pytest.raises(DistprivError, match=f"'age' from {low} to {high} exclude records"):
            check_bounds(fitted, {"age": (low, high)})
    with pytest.raises(DistprivError) as caught:
        check_bounds(fitted, {"age": (18, 80)})
    assert "17" not in str(caught.value)
    assert "90" not in str(caught.value)  # the table's own range is not for public bounds


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        ({}, "'age' has no public bounds"),
        ({"Age": (0, 1)}, "Bounds name 'Age', whose numbers no figure uses. Did you mean 'age'?"),
        ({"age": (9, 3)}, "are 9 and 3; give two numbers, the lower one first"),
        ({"age": (3, 3)}, "the lower one first"),
        ({"age": (0, float("inf"))}, "give two numbers"),
        ({"age": (float("nan"), 1)}, "give two numbers"),
        ({"age": ("0", 1)}, "give two numbers"),
        ({"age": (None, 1)}, "give two numbers"),
        ({"age": 5}, "not public bounds"),
        ([("age", 0, 1, 2)], "not public bounds"),
        ([("", 0, 1)], "not public bounds"),
        ([("age", 0, 1), ("age", 0, 2)], "public bounds twice"),
    ],
)
def test_bad_bounds_are_answered_in_a_sentence(bounds, sentence):
    with pytest.raises(DistprivError) as error:
        record_moves(Query([Mean("age")]), 5, bounds)
    assert sentence in str(error.value)


def test_too_many_columns_and_bad_promises_are_answered_in_a_sentence():
    many = Query([Mean(f"c{place}") for place in range(20)])
    with pytest.raises(DistprivError, match="too many to hold a promise to each"):
        record_moves(many, 5, dict.fromkeys(many.columns, (0, 1)))
    for epsilon, delta in [(-1, 0.1), (1, 1), (float("nan"), 0.1)]:
        with pytest.raises(DistprivError, match="must be"):
            Persons(epsilon, delta)
