"""Where a figure that rises changes its sign, from few looks at several positions at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

from scipy.interpolate import BarycentricInterpolator

__all__ = ["Bracket"]

_STEP = 1e-3  # how near the change is to be known
_NEAR = 0.03  # the first step


@dataclass(eq=False)
class Bracket:
    """Where a rising figure changes its sign, between two ends.

    Attributes
    ----------
    known : dict of position to figure
        About one more for every one that the position is further, where it is not flat.
    """

    first: float
    last: float
    known: dict[float, float] = field(default_factory=dict)
    width: float = math.inf
    strides: int = 0

    @property
    def low(self) -> float:
        """The last position known before the change; NaN if there is none."""
        return max((place for place, over in self.known.items() if over <= 0), default=math.nan)

    @property
    def high(self) -> float:
        """The first position known after the change; NaN if there is none."""
        return min((place for place, over in self.known.items() if over > 0), default=math.nan)

    def next(self) -> list[float]:
        """Positions to look at, several at once as that takes little longer; none at the end."""
        low, high = self.low, self.high
        if math.isnan(high):
            return self._beyond(low, self.last)
        if math.isnan(low):
            return self._beyond(high, self.first)
        if high - low <= _STEP:
            return []
        # Between: on both sides of where the nearest ones tell.
        near = sorted(self.known, key=lambda place: abs(place - (low + high) / 2))[:4]
        near = sorted({*near, low, high})
        overs = [self.known[place] for place in near]
        root = math.nan
        if all(before < after for before, after in pairwise(overs)):
            root = float(BarycentricInterpolator(overs, near)(0.0))
        if not low < root < high:
            root = (low + high) / 2
        places = [root - 0.45 * _STEP, root + 0.45 * _STEP]
        if high - low > self.width / 4:
            reach = 0.1 * (high - low)
            places += [root - reach, root + reach]
        self.width = high - low
        return [place for place in places if low < place < high]

    def _beyond(self, place: float, end: float) -> list[float]:
        """About as far as it takes if it rises as evenly as between the last two."""
        if place == end:
            return []
        self.strides += 1
        slope = 1.0
        if len(self.known) > 1:
            other = min(
                (epsilon for epsilon in self.known if epsilon != place), key=lambda x: abs(x - end)
            )
            slope = (self.known[place] - self.known[other]) / (place - other)
        way = abs(self.known[place]) / min(max(slope, 0.1), 3.0)
        far = math.copysign(max(way, _NEAR * 3 ** (self.strides - 1)), end - place)
        return [float(min(max(place + 1.2 * far, self.first), self.last))]
