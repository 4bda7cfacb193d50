"""No replaced record moves the statistics further than the moves say, and some move as far."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.errors import CalibrationError, QueryError
from distpriv.privacy.record_moves import RecordMoves, bounded_moves, record_moves

MODULE = sys.modules[record_moves.__module__]
AGES, TOWNS, YES = (17, 40, 90), ("a", "b", "c"), (True, False)
QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Sum("age"),
        dp.Count("town", "a"),
        dp.Proportion("town", "a"),
        dp.Count("town", "b"),
        dp.Count("yes", True),
    ]
)


def people(rows: list[tuple[int, str, bool]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["age", "town", "yes"])
    return table.astype({"town": pd.CategoricalDtype(TOWNS)})


def brute(n: int) -> np.ndarray:
    """What every replacement of one record adds, shape (replacements, m)."""
    kinds = list(product(AGES, TOWNS, YES))
    rest = kinds[: n - 1]
    answers = np.array([QUERY.answer(people([kind, *rest])) for kind in kinds])
    return (answers[:, None] - answers[None]).reshape(-1, len(QUERY))


@given(st.integers(0, 10**6), st.integers(2, 9))
def test_the_longest_move_is_that_of_every_replacement(seed, n):
    factor = np.random.default_rng(seed).normal(size=(len(QUERY), 4))
    moves = bounded_moves(QUERY, n, {"age": (17, 90)})
    apart = brute(n) @ factor
    assert moves.longest(factor)[0] == pytest.approx(np.linalg.norm(apart, axis=1).max())
    assert moves.longest_sum(factor) == pytest.approx(np.abs(apart).sum(axis=1).max())
    length, move = moves.longest(factor)
    assert np.linalg.norm(move @ factor) == pytest.approx(length)


def test_of_two_counts_of_a_column_at_most_one_rises_and_one_falls():
    counts = dp.Query([dp.Count("town", "a"), dp.Count("town", "b")])
    moves = record_moves(counts, [1, 1])
    together, apart = np.ones((2, 1)), np.array([[1.0], [-1.0]])
    assert moves.longest(together)[0] == 1.0
    assert moves.longest(apart)[0] == 2.0
    independent = dp.Query([dp.Count("town", "a"), dp.Count("yes", True)])
    assert record_moves(independent, [1, 1]).longest(together)[0] == 2.0


def test_values_that_a_record_may_match_at_once_may_both_rise():
    moves = record_moves(dp.Query([dp.Count("x", "5"), dp.Count("x", "5.0")]), [1, 1])
    assert moves.longest(np.ones((2, 1)))[0] == 2.0
    assert moves.longest(np.array([[1.0], [-1.0]]))[0] == 2.0


def test_statistics_without_closed_form_move_by_themselves():
    moves = record_moves(dp.Query([dp.Mean("age"), dp.Median("age")]), [1.0, 3.0])
    assert moves.longest(np.array([[1.0], [-1.0]]))[0] == 4.0


def test_the_moves_are_listed_once_for_both_signs():
    moves = bounded_moves(QUERY, 5, {"age": (17, 90)})
    assert moves.vertices.shape == (moves.count, len(QUERY))
    both = np.concatenate([moves.vertices, -moves.vertices])
    assert len(np.unique(both, axis=0)) == 2 * moves.count
    assert moves.reach == pytest.approx(np.abs(moves.vertices).max(axis=0))


def test_halves_agree_with_the_list(monkeypatch, rng):
    """In parts as small as there are."""
    query = dp.Query([dp.Mean(f"c{index}") for index in range(11)])
    moves = record_moves(query, rng.uniform(0.1, 5, 11))
    factor = rng.normal(size=(11, 11))
    listed = np.linalg.norm(moves.vertices @ factor, axis=1).max()
    monkeypatch.setattr(MODULE, "_LISTED", 7)
    assert moves.longest(factor)[0] == pytest.approx(listed)


def test_too_many_moves_are_bounded(monkeypatch, rng):
    query = dp.Query([dp.Mean(f"c{index}") for index in range(9)])
    moves, factor = record_moves(query, rng.uniform(0.1, 5, 9)), rng.normal(size=(9, 9))
    exact, l1 = moves.longest(factor)[0], moves.longest_sum(factor)
    monkeypatch.setattr(MODULE, "MOST_MOVES", 100)
    monkeypatch.setattr(MODULE, "_LISTED", 100)
    bound, move = moves.longest(factor)
    assert move is None
    assert exact < bound < 4 * exact
    assert moves.longest_sum(factor) >= l1
    with pytest.raises(CalibrationError, match="too many to list"):
        record_moves(query, np.ones(9)).vertices  # noqa: B018


def test_what_cannot_move_does_not():
    moves = bounded_moves(dp.Query([dp.Mean("age"), dp.Count("yes", True)]), 4, {"age": (5, 5)})
    assert moves.reach.tolist() == [0.0, 1.0]
    assert RecordMoves(1, ()).longest(np.ones((1, 1))) == (0.0, None)
    assert RecordMoves(1, ()).longest_sum(np.ones((1, 1))) == 0.0


def test_in_units_moves_are_divided():
    moves = bounded_moves(QUERY, 5, {"age": (17, 90)})
    units = np.arange(1.0, 7.0)
    assert moves.in_units(units).vertices == pytest.approx(moves.vertices / units)


def test_bounds_are_asked_for():
    with pytest.raises(QueryError, match="'age' has no public bounds"):
        bounded_moves(QUERY, 5, {})
    with pytest.raises(QueryError, match="the lower one first, got \\(9, 3\\)"):
        bounded_moves(QUERY, 5, {"age": (9, 3)})
