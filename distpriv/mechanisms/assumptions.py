"""What a mechanism's theorem may assume of the distributions it hides."""

from __future__ import annotations

from enum import Enum

__all__ = ["Assumption"]


class Assumption(Enum):
    """One assumption on the distributions f_θ of the released statistics.

    Attributes
    ----------
    title : str
        A few words.
    meaning : str
        One plain sentence for who has not read the theorem.
    """

    TRANSLATION = (
        "only a shift",
        "The secret moves all statistics by fixed amounts and changes nothing else about how they "
        "vary: the two distributions of a pair are translations of each other.",
    )
    PARALLEL = (
        "one direction",
        "Whichever two shares are to be hidden, the averages of the statistics move along the "
        "same line.",
    )
    GAUSSIAN = (
        "normal curves",
        "Under each share the statistics, taken together, follow a normal (bell-shaped) "
        "distribution.",
    )
    EQUAL_COVARIANCE = (
        "equal covariances",
        "Under both shares of a pair the statistics vary equally much, and together in the same "
        "way.",
    )
    SAME_EIGENVECTORS = (
        "the same axes",
        "Whatever the share, the statistics vary along the same axes (the eigenvectors of their "
        "covariance), if not equally much.",
    )
    KNOWN_BOUNDS = (
        "known bounds",
        "Every record's values lie between bounds that were known without looking at the data.",
    )

    def __init__(self, title: str, meaning: str) -> None:
        self.title = title
        self.meaning = meaning
