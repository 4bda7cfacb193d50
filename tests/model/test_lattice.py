"""Lattices of whole-number vectors."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distpriv.model.lattice import Lattice


@st.composite
def bases(draw: st.DrawFn, entries: int = 9) -> np.ndarray:
    size = draw(st.integers(1, 4))
    rows = draw(st.integers(1, 6))
    entry = st.integers(-entries, entries)
    return np.array(draw(st.lists(st.lists(entry, min_size=size, max_size=size), min_size=rows)))


@given(bases())
def test_determinant_is_the_common_divisor_of_all_minors(vectors: np.ndarray) -> None:
    size = vectors.shape[1]
    lattice = Lattice(size)
    lattice.add(vectors)
    minors = [
        round(np.linalg.det(vectors[list(chosen)]))
        for chosen in itertools.combinations(range(len(vectors)), size)
    ]
    assert lattice.determinant == math.gcd(*minors)


@given(bases(), st.integers(0, 10**6))
def test_what_the_vectors_add_up_to_is_inside_and_nothing_else(
    vectors: np.ndarray, seed: int
) -> None:
    lattice = Lattice(vectors.shape[1])
    lattice.add(vectors)
    if not lattice.determinant:
        return
    rng = np.random.default_rng(seed)
    inside = rng.integers(-5, 6, (20, len(vectors))) @ vectors
    assert not len(lattice.outside(inside))
    # A box along the axes is a number of cells, each of which holds one of its points.
    box = [int(multiple) for multiple in lattice.axes()]
    if math.prod(box) <= 20_000:
        points = np.array(list(itertools.product(*map(range, box))))
        held = len(points) - len(lattice.outside(points))
        assert held * lattice.determinant == len(points)


@given(bases())
def test_axes_are_the_least_multiples_inside(vectors: np.ndarray) -> None:
    size = vectors.shape[1]
    lattice = Lattice(size)
    lattice.add(vectors)
    for axis, multiple in enumerate(lattice.axes()):
        if math.isinf(multiple) or not lattice.determinant or multiple > 500:
            continue
        line = np.zeros((int(multiple) + 1, size), dtype=np.int64)
        line[:, axis] = np.arange(int(multiple) + 1)
        outside = len(lattice.outside(line))
        assert outside == int(multiple) - 1


def test_stops_at_the_determinant_it_was_asked_for() -> None:
    lattice = Lattice(2)
    lattice.add(iter([[1, 0], [0, 1], [None, None]]), until=1)  # the last is never looked at
    assert lattice.determinant == 1


def test_refuses_a_basis_too_large_for_its_arithmetic() -> None:
    lattice = Lattice(2)
    lattice.add([[1 << 40, 0], [0, 1]])
    with pytest.raises(OverflowError, match="too large"):
        lattice.outside(np.array([[1, 1]]))
