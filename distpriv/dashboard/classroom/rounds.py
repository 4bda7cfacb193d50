"""What is released in a round: the tour's data, always an example and never an upload."""

from __future__ import annotations

from distpriv.dashboard.tour.steps import course
from distpriv.lessons.guessing import Game, game
from distpriv.store import Round

__all__ = ["NOISES", "RECORDS", "named", "of_round", "short"]

RECORDS = (100, 400)
NOISES: dict[str, float | None] = {
    "no noise": None,
    "ε\u00a0=\u00a02": 2.0,
    "ε\u00a0=\u00a01": 1.0,
    "ε\u00a0=\u00a00.5": 0.5,
}


def of_round(what: Round) -> Game:
    """The releases of a round."""
    return game(course(), what.records, what.epsilon)


def short(what: Round) -> str:
    """Its noise in two words."""
    return next(name for name, epsilon in NOISES.items() if epsilon == what.epsilon)


def named(what: Round) -> str:
    """Its noise in words."""
    if what.epsilon is None:
        return "without noise"
    return f"with noise, ε\u00a0=\u00a0{what.epsilon:g}"
