"""What the guided tour shows: seven results on the embedded data, and the paper's 2 × 2 example.

Everything is in closed form, from moments that are computed once.
"""

from distpriv.lessons.adding import (
    LeastNoise,
    OwnVariation,
    RotatedNoise,
    least_noise,
    own_variation,
    rotated_noise,
)
from distpriv.lessons.course import Course, course_of
from distpriv.lessons.deciding import (
    LimitedAttacker,
    RepeatedReleases,
    limited_attacker,
    repeated_releases,
)
from distpriv.lessons.example import EigenvectorExample, eigenvector_example
from distpriv.lessons.guessing import ROUNDS, Game, Seen, by_luck, game, rate
from distpriv.lessons.seeing import FewerStatistics, MoreRecords, fewer_statistics, more_records
from distpriv.lessons.subtracting import Release, SubtractedNoise, subtracted_noise

__all__ = [
    "ROUNDS",
    "Course",
    "EigenvectorExample",
    "FewerStatistics",
    "Game",
    "LeastNoise",
    "LimitedAttacker",
    "MoreRecords",
    "OwnVariation",
    "Release",
    "RepeatedReleases",
    "RotatedNoise",
    "Seen",
    "SubtractedNoise",
    "by_luck",
    "course_of",
    "eigenvector_example",
    "fewer_statistics",
    "game",
    "least_noise",
    "limited_attacker",
    "more_records",
    "own_variation",
    "rate",
    "repeated_releases",
    "rotated_noise",
    "subtracted_noise",
]
