"""Steps 1 and 2: what a release without noise gives away."""

from __future__ import annotations

from dataclasses import dataclass

from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.lessons.course import PLANE, QUERY, SIZES, Course
from distpriv.model.gaussian import PairModel

__all__ = ["FewerStatistics", "MoreRecords", "fewer_statistics", "more_records"]


@dataclass(frozen=True)
class FewerStatistics:
    """Step 1: what is left to see when statistics are taken out of the release.

    Attributes
    ----------
    taken_out, left : tuple of int
        Places of the statistics, those taken out in the order in which they go.
    before, after : float
        Accuracy of the best attacker on all statistics, and on those that are left.
    """

    taken_out: tuple[int, ...]
    left: tuple[int, ...]
    before: float
    after: float


def fewer_statistics(course: Course, count: int) -> FewerStatistics:
    """Take statistics out, each time the one whose loss costs the attacker most.

    Parameters
    ----------
    course : Course
    count : int, 0 to 4
    """
    model = course.model()

    def without(left: tuple[int, ...], place: int) -> tuple[int, ...]:
        return tuple(other for other in left if other != place)

    def reached(left: tuple[int, ...]) -> float:
        return optimal_attack_accuracy(model.of_statistics(*left))

    left, taken_out = tuple(range(len(QUERY))), list[int]()
    for _ in range(count):
        taken_out.append(min(left, key=lambda place: reached(without(left, place))))
        left = without(left, taken_out[-1])
    return FewerStatistics(tuple(taken_out), left, optimal_attack_accuracy(model), reached(left))


@dataclass(frozen=True, eq=False)
class MoreRecords:
    """Step 2: two statistics as the attacker sees them.

    Attributes
    ----------
    fit, widest : PairModel
        Of the two statistics of ``PLANE``, and of the same with the fewest records.
    accuracy, together : float
        Accuracy of the best attacker on the two statistics, and on all five.
    """

    fit: PairModel
    widest: PairModel
    accuracy: float
    together: float


def more_records(course: Course, n: int) -> MoreRecords:
    """Two averages of n records under the two shares."""
    model = course.model(n)
    plane = model.of_statistics(*PLANE)
    return MoreRecords(
        fit=plane.pairs[0],
        widest=course.model(min(SIZES)).of_statistics(*PLANE).pairs[0],
        accuracy=optimal_attack_accuracy(plane),
        together=optimal_attack_accuracy(model),
    )
