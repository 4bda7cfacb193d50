"""A printed figure beside the one computed here, and the verdict on it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from distpriv.model.sampling import Interval

__all__ = ["VERDICTS", "Cell", "Standing", "Tally", "Verdict", "tally"]

Verdict = Literal[
    "agrees", "within sampling error", "erratum", "differs", "other data", "undecided"
]

VERDICTS: dict[Verdict, str] = {
    "agrees": "the difference is within the tolerance",
    "within sampling "
    "error": "chance explains the difference: the printed figure lies where 95\u00a0% "
    "of repeats of the paper's experiment would put it, or the 95\u00a0% interval of our "
    "simulation comes within the tolerance of it",
    "erratum": "the difference is one of the errata, which explains it",
    "differs": "neither the tolerance nor chance nor an erratum explains the difference",
    "other data": "it differs, but was computed on the synthetic records, which are not the "
    "paper's: nothing follows",
    "undecided": "not simulated yet, or with too few repetitions: the 95\u00a0% interval is wider "
    "than the tolerance",
}


@dataclass(frozen=True)
class Standing:
    """What a published noise is worth against whoever knows the grid of the statistics.

    Attributes
    ----------
    undone : bool
        Whether arithmetic undoes it (erratum 12).
    on_paper : float
        Accuracy of the best attacker if the statistics were densities with the pooled covariance,
        as the papers take them.
    in_fact : float
        Accuracy that holds, with both covariances: that of no noise where it is undone.
    """

    undone: bool
    on_paper: float
    in_fact: float


@dataclass(frozen=True)
class Cell:
    """One printed figure or statement and what comes out here.

    Attributes
    ----------
    item : str
        Key of the table or figure it stands in.
    row, column : str
    printed : str
        As the paper has it.
    paper : float
        The same as a number.
    tolerance : float
        Largest difference that still agrees.
    ours : float or None
        None before it is simulated.
    interval : Interval or None
        95 % interval of ours, if simulated.
    repeats : tuple of (low, high), or None
        Where 95 % of repeats of the paper's own experiment would put the printed figure, if that
        was a mean of random draws.
    at_least : bool
        Whether the paper states a lower bound.
    erratum : int or None
        The erratum that explains the difference, as far as computation bears it out.
    alternative : float or None
        What comes out if the erratum is followed.
    stand_in : bool
        Whether ours is of other records than the paper's.
    note : str
        What else there is to say.
    share : bool
        Whether the figures are shares, to be read as percentages.
    repetitions, seed : int or None
        Of what is simulated here.
    standing : Standing or None
        Of the noise that the figure is about, if it is about one.
    """

    item: str
    row: str
    column: str
    printed: str
    paper: float
    tolerance: float
    ours: float | None = None
    interval: Interval | None = None
    repeats: tuple[float, float] | None = None
    at_least: bool = False
    erratum: int | None = None
    alternative: float | None = None
    stand_in: bool = False
    note: str = ""
    share: bool = False
    repetitions: int | None = None
    seed: int | None = None
    standing: Standing | None = None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's; of a lower bound, what is missing from it."""
        if self.ours is None:
            return None
        difference = self.ours - self.paper
        return min(difference, 0.0) if self.at_least else difference

    @property
    def expected(self) -> bool | None:
        """Whether the printed figure lies where repeats would put it; None if it is not random."""
        if self.repeats is None:
            return None
        return self.repeats[0] <= self.paper <= self.repeats[1]

    @property
    def verdict(self) -> Verdict:
        """What the comparison says."""
        difference = self.difference
        if difference is None or not self._sharp:
            return "undecided"
        if abs(difference) <= self.tolerance * (1 + 1e-9):
            return "agrees"
        if abs(difference) <= self._by_chance(difference):
            return "within sampling error"
        if self.erratum is not None:
            return "erratum"
        return "other data" if self.stand_in else "differs"

    @property
    def said(self) -> str:
        """The verdict in words, with the number of the erratum."""
        verdict = self.verdict
        return f"erratum {self.erratum}" if verdict == "erratum" else verdict

    @property
    def deviation(self) -> float | None:
        """Difference in units of the largest that is allowed: at most 1 is no disagreement."""
        difference = self.difference
        if difference is None:
            return None
        allowed = max(self.tolerance, self._by_chance(difference))
        if difference == 0:
            return 0.0
        return difference / allowed if allowed > 0 else math.copysign(math.inf, difference)

    def _by_chance(self, difference: float) -> float:
        """Largest difference to that side that random draws explain, in the paper or here."""
        assert self.ours is not None
        allowed = 0.0
        if self.repeats is not None:
            low, high = self.repeats
            # The printed figure is below ours where the difference is positive.
            allowed = self.ours - low if difference > 0 else high - self.ours
        if self.interval is not None:
            reach = self.ours - self.interval.low, self.interval.high - self.ours
            allowed = max(allowed, self.tolerance + reach[difference < 0])
        return allowed

    @property
    def _sharp(self) -> bool:
        """Whether ours is known well enough to be held against the tolerance."""
        if self.interval is None:
            return True
        return (self.interval.high - self.interval.low) / 2 <= self.tolerance


@dataclass(frozen=True)
class Tally:
    """How many figures got which verdict, and how many to expect outside by chance.

    Attributes
    ----------
    counts : dict of verdict to int
        In the order of ``VERDICTS``, those that occur.
    random : int
        Decided figures that are means of random draws in the paper, those of errata left out.
    outside : int
        Those of them outside the range of 95 % of repeats, agreeing or not.
    """

    counts: dict[Verdict, int]
    random: int
    outside: int

    @property
    def total(self) -> int:
        """All figures."""
        return sum(self.counts.values())

    @property
    def by_chance(self) -> float:
        """How many of the random ones would be outside their ranges by chance alone."""
        return 0.05 * self.random


def tally(cells: Iterable[Cell]) -> Tally:
    """Count the verdicts of several cells."""
    listed = list(cells)
    verdicts = [cell.verdict for cell in listed]
    random = [
        cell.expected
        for cell, verdict in zip(listed, verdicts, strict=True)
        if cell.expected is not None and verdict not in ("undecided", "erratum")
    ]
    return Tally(
        {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts},
        len(random),
        random.count(False),
    )
