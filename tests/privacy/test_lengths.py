"""The room that lengths leave, its slope and its curvature, against differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distpriv.privacy.lengths import Lengths, Together
from distpriv.privacy.promises import Promises, entries, symmetric


def positive(rng: np.random.Generator, size: int) -> np.ndarray:
    root = rng.normal(size=(size, size))
    return root @ root.T + 0.2 * np.eye(size)


def some(seed: int, size: int = 3, count: int = 4) -> tuple[Lengths, np.ndarray]:
    rng = np.random.default_rng(seed)
    beside = np.array([positive(rng, size), *np.zeros((count - 1, size, size))])
    vectors = rng.normal(size=(count, size))
    return Lengths(vectors[None], beside[None], rng.uniform(0.3, 2, (1, count))), positive(
        rng, size
    )


def together(lengths: Lengths, *, pairs: bool) -> Together:
    """Beside two normals of the same number of statistics."""
    size = lengths.vectors.shape[2]
    rng = np.random.default_rng(5)
    covariances = np.array([[[positive(rng, size), positive(rng, size)]]])
    promises = Promises(
        np.ones((1, size)), rng.normal(size=(1, 1, size)), covariances, np.ones(1), np.array([1e-3])
    )
    return Together(promises, lengths, pairs)


def room_of(lengths: Lengths, noise: np.ndarray) -> np.ndarray:
    return lengths.room(lengths.squares(lengths.whitened(noise[None])[0]))[0]


@given(st.integers(0, 10**6))
def test_room_is_that_of_the_length(seed):
    lengths, noise = some(seed)
    rooms = room_of(lengths, noise)
    for vector, beside, allowed, room in zip(
        lengths.vectors[0], lengths.beside[0], lengths.allowed[0], rooms, strict=True
    ):
        square = vector @ np.linalg.solve(beside + noise, vector)
        assert room == pytest.approx(np.log(allowed**2 / square))


@pytest.mark.parametrize("pairs", [False, True])
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_slope_and_curvature_are_those_of_the_room(pairs, seed):
    lengths, noise = some(seed)
    both = together(lengths, pairs=pairs)
    rng = np.random.default_rng(seed + 1)
    frame, prices = rng.normal(size=(3, 3)), rng.uniform(0.1, 1, 4 + 2 * pairs)
    direction = symmetric(rng.normal(size=6), 3)
    move = frame @ direction @ frame.T

    def value(step: float) -> float:
        return float(both.derivatives((noise + step * move)[None]).room[0] @ prices)

    scale = np.linalg.eigvalsh(noise)[0] / np.linalg.norm(move)
    step = 1e-3 * scale
    here = both.derivatives(noise[None])
    slope = np.tensordot(prices, here.gradients()[0], axes=1)
    assert (slope * move).sum() == pytest.approx(
        (value(step) - value(-step)) / (2 * step), rel=1e-4, abs=1e-4 / scale
    )
    curve = here.hessian(prices[None], frame[None])[0]
    along = entries(direction[None])[0]
    numeric = (value(step) - 2 * value(0) + value(-step)) / step**2
    assert along @ curve @ along == pytest.approx(numeric, rel=1e-2, abs=1e-2 / scale**2)


def test_what_is_delivered_for_a_length_is_promised_just_where_it_is_as_long_as_allowed():
    lengths, noise = some(3)
    both = together(lengths, pairs=True)
    room = room_of(lengths, noise)
    for factor in np.exp(-room):
        deltas = both.deltas(factor * noise[None])[0, 2:]
        moved = room_of(lengths, factor * noise)
        clear = np.abs(moved) > 1e-8
        assert ((deltas <= 1e-3) == (moved >= 0))[clear].all()
        assert both.room(deltas[None])[0] == pytest.approx(moved, abs=1e-8)
    assert together(lengths, pairs=False).deltas(noise[None]).shape == (1, 4)


def test_programs_side_by_side_are_what_they_are_alone():
    first, second = some(4), some(5)
    lengths = Lengths(
        np.concatenate([first[0].vectors, second[0].vectors]),
        np.concatenate([first[0].beside, second[0].beside]),
        np.concatenate([first[0].allowed, second[0].allowed]),
    )
    alone = together(first[0], pairs=True).promises
    promises = Promises(
        *(
            np.concatenate([part, part])
            for part in (
                alone.units, alone.differences, alone.covariances, alone.epsilons, alone.promised
            )
        )
    )  # fmt: skip
    both = Together(promises, lengths, pairs=True)
    noises = np.array([first[1], second[1]])
    prices = np.random.default_rng(1).uniform(0.1, 1, (2, 6))
    frames = np.random.default_rng(2).normal(size=(2, 3, 3))
    here = both.derivatives(noises)
    for row in range(2):
        only = both.of(np.array([row])).derivatives(noises[[row]])
        kept = here.of(np.arange(2) == row)
        for derivatives, place in ((only, 0), (kept, 0)):
            assert derivatives.room[place] == pytest.approx(here.room[row])
            assert derivatives.gradients()[place] == pytest.approx(here.gradients()[row])
            curve = derivatives.hessian(prices[[row]], frames[[row]])[place]
            assert curve == pytest.approx(here.hessian(prices, frames)[row])
    assert both.deltas(noises).shape == (2, 6)
    assert lengths.and_also(lengths).allowed.shape == (2, 8)
