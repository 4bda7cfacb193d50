"""The scenario: every choice that shapes a result, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from distpriv.calibration import Calibration
from distpriv.properties import Pair, SensitiveProperty
from distpriv.queries import Query

__all__ = ["Scenario", "ViewKind"]

ViewKind = Literal["analyst", "presentation"]


@dataclass(frozen=True)
class Scenario:
    """What is hidden, what is released, and how.

    Attributes
    ----------
    digest : str
        Fingerprint of the data.
    secret : SensitiveProperty
    center, width : float
        The pair of proportions, Δp being its width.
    n : int
        Records in the released dataset.
    query : Query
    mechanism : str
    epsilon, delta : float
    calibration : Calibration
    replacement : bool
    bounds : tuple of (column, (lowest, highest))
        Public bounds of numeric columns, for the baselines of differential privacy.
    seed : int
        Of simulations; a release never takes it.
    view : "analyst" or "presentation"
    """

    digest: str
    secret: SensitiveProperty
    center: float
    width: float
    n: int
    query: Query
    mechanism: str
    epsilon: float
    delta: float
    calibration: Calibration
    replacement: bool
    bounds: tuple[tuple[str, tuple[float, float]], ...]
    seed: int
    view: ViewKind

    @property
    def pair(self) -> Pair:
        """The two proportions; raises PropertyError if they leave [0, 1]."""
        return self.secret.pair(self.center, self.width)

    @property
    def presenting(self) -> bool:
        """Whether nothing computed from single records or true shares may show."""
        return self.view == "presentation"
