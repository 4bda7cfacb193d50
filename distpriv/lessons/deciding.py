"""Steps 6 and 7: which ε, and what a promise rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from distpriv.analysis.design import Limit, choose
from distpriv.analysis.sweeps import attack_accuracies, sweep
from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.lessons.course import DELTA, EPSILON, PLAIN, RELEASES, Course
from distpriv.mechanisms.curves import Curves
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.covered import is_undone
from distpriv.privacy.delivered import delivered_delta, delivered_epsilon

__all__ = ["LimitedAttacker", "RepeatedReleases", "limited_attacker", "repeated_releases"]


@dataclass(frozen=True, eq=False)
class LimitedAttacker:
    """Step 6: from what an attacker may achieve to ε.

    Attributes
    ----------
    guesses : int
        Right guesses of 100 that are allowed.
    epsilon : float
        The largest ε that keeps to that with OptM, rounded down to three digits.
    error : float
        Expected L2 error at that ε.
    reached, promised, undefended : float
        Accuracy of the best attacker at that ε, what the promise alone allows whatever the
        data, and the accuracy without noise.
    """

    guesses: int
    epsilon: float
    error: float
    reached: float
    promised: float
    undefended: float


@lru_cache(maxsize=64)
def limited_attacker(course: Course, guesses: int) -> LimitedAttacker:
    """The largest ε that allows so many right guesses of 100; raises HypothesisError for others.

    Parameters
    ----------
    course : Course
    guesses : int
        At least 50, and fewer than without noise.
    """
    model = course.model()
    design = choose(Limit("guesses", guesses), model, ["OptM"], delta=DELTA)
    epsilon = design.choices[0].epsilon
    step = 10.0 ** (math.floor(math.log10(epsilon)) - 2)
    epsilon = round(math.floor(epsilon / step + 1e-9) * step, 9)
    noise = course.noise("OptM", epsilon)
    return LimitedAttacker(
        guesses=guesses,
        epsilon=epsilon,
        error=noise.expected_error(),
        reached=optimal_attack_accuracy(model, noise),
        promised=accuracy_ceiling(epsilon, DELTA),
        undefended=optimal_attack_accuracy(model),
    )


@dataclass(frozen=True, eq=False)
class RepeatedReleases:
    """Step 7: the same statistics released again and again, and what else the promise rests on.

    Attributes
    ----------
    curves : Curves
        Accuracy of the best attacker against the number of releases.
    single, accuracy, undefended : float
        After one release, after all of them, and without noise.
    epsilon : float
        What all releases deliver together at δ.
    delta, pooled : float
        What one release delivers at ε with the covariance that each share has, and what it would
        if it were calibrated to their mean.
    undone_from : int or None
        Releases, of ``RELEASES``, whose average the grid shows through; None if it never does.
    """

    curves: Curves
    single: float
    accuracy: float
    undefended: float
    epsilon: float
    delta: float
    pooled: float
    undone_from: int | None


def repeated_releases(course: Course, count: int) -> RepeatedReleases:
    """OptM at ε = 1, drawn anew for every release of the same statistics."""
    model, noise = course.model(), course.noise("OptM")
    left = noise.after_releases(count)
    return RepeatedReleases(
        curves=sweep(attack_accuracies(), "releases", RELEASES, model, {"OptM": noise}),
        single=optimal_attack_accuracy(model, noise),
        accuracy=optimal_attack_accuracy(model, left),
        undefended=optimal_attack_accuracy(model),
        epsilon=delivered_epsilon(model, left, DELTA),
        delta=delivered_delta(model, noise, EPSILON),
        pooled=delivered_delta(model, course.noise("OptM", calibration=PLAIN), EPSILON),
        undone_from=next(
            (releases for releases in RELEASES if is_undone(model, noise.after_releases(releases))),
            None,
        ),
    )
