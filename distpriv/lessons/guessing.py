"""Be the attacker: releases of two averages, one at a time, and what the best attacker says.

A release is drawn from the tour's model: one of the two shares by a toss, then the averages of that
many records, with the noise that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.lessons.course import DELTA, PLANE, RECORDS, Course
from distpriv.mechanisms import calibrate
from distpriv.model.gaussian import PairModel
from distpriv.model.sampling import Interval

__all__ = ["ROUNDS", "Game", "Seen", "by_luck", "game", "rate"]

FloatArray = NDArray[np.float64]

ROUNDS = 10
"""Releases of a game that is played alone."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A release, which share it is of, and what the best attacker says.

    Attributes
    ----------
    released : ndarray, shape (2,)
    share, best : int
        0 for the first share of the pair, 1 for the second.
    """

    released: FloatArray
    share: int
    best: int


@dataclass(frozen=True, eq=False)
class Game:
    """Two averages under the two shares, as they are released.

    Attributes
    ----------
    fit : PairModel
        Of the released averages, noise included.
    accuracy : float
        Of the best attacker, in the long run.
    """

    fit: PairModel
    accuracy: float

    def draw(self, *about: object) -> Seen:
        """A release that follows from what it is about: the same about the same.

        Parameters
        ----------
        *about
            Texts and numbers, e.g. a seed and the number of the round.
        """
        mark = blake2b(repr(about).encode(errors="replace"), digest_size=16).digest()
        rng = np.random.default_rng(int.from_bytes(mark))
        share = int(rng.integers(2))
        released = rng.multivariate_normal(self.fit.means[share], self.fit.covariances[share])
        likely = [
            stats.multivariate_normal(mean, covariance).logpdf(released)
            for mean, covariance in zip(self.fit.means, self.fit.covariances, strict=True)
        ]
        return Seen(released, share, int(np.argmax(likely)))


@lru_cache(maxsize=64)
def game(course: Course, n: int = RECORDS, epsilon: float | None = None) -> Game:
    """The game with averages of n records, without noise or with OptM's.

    Parameters
    ----------
    course : Course
    n : int, positive
    epsilon : float, positive, or None
        None for no noise.
    """
    model = course.model(n).of_statistics(*PLANE)
    fit = model.pairs[0]
    if epsilon is None:
        return Game(fit, optimal_attack_accuracy(model))
    noise = calibrate("OptM", model, epsilon, DELTA, "guarded")
    released = replace(fit, covariances=fit.covariances + noise.covariance, steps=None)
    return Game(released, optimal_attack_accuracy(model, noise))


def by_luck(guesses: int, confidence: float = 0.95) -> tuple[int, int]:
    """How many of some guesses are right by tossing a coin: central interval of the binomial.

    Parameters
    ----------
    guesses : int, positive
    confidence : float in (0, 1)
    """
    low, high = stats.binom.interval(confidence, guesses, 0.5)
    return int(low), int(high)


def rate(right: int, guesses: int, confidence: float = 0.95) -> Interval:
    """Share of right guesses with its interval by Wilson (1927); all of it where there are none.

    Parameters
    ----------
    right, guesses : int
    confidence : float in (0, 1)
    """
    if not guesses:
        return Interval(0.5, 0.0, 1.0, confidence)
    wilson = stats.binomtest(right, guesses).proportion_ci(confidence, "wilson")
    return Interval(right / guesses, float(wilson.low), float(wilson.high), confidence)
