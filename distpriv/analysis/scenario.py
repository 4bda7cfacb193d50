"""The scenario: every choice that shapes a result, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from distpriv.arguments import checked
from distpriv.errors import PropertyError, ScenarioError
from distpriv.model.theta import ShareOf
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.persons import Persons
from distpriv.queries.properties import MOST_PAIRS, Pair, SensitiveProperty
from distpriv.queries.statistics import Query
from distpriv.words import exact

__all__ = ["Distances", "Scenario", "Units", "ViewKind"]

ViewKind = Literal["analyst", "presentation"]
Distances = Literal["normals", "simulated"]
Units = Literal["raw", "standardised", "custom"]


@checked(ScenarioError)
@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What is hidden, what is released, and how.

    Attributes
    ----------
    secret : SensitiveProperty
    query : Query
    digest : str
        Fingerprint of the data, see :func:`distpriv.digest`; empty if it does not matter.
    reference : str
        Fingerprint of reference data that the whole table is thought of as drawn from; empty if
        that is the table itself.
    center, width : float
        The main pair of proportions, Δp being its width.
    grid : tuple of (lowest, highest, step), or None
        Every share of this grid is to be hidden from every other within Δp.
    others : tuple of Pair
        To be hidden as well, of any property.
    n : int
        Records in the released dataset.
    whole : bool
        Whether the whole table is released: n is its size, drawn with replacement.
    mechanism : str
    epsilon, delta : float
    calibration : Calibration
    units, report : "raw", "standardised" or "custom"
        What noise is calibrated in, and what the L2 error is reported in.
    tolerances : tuple of float
        Of the statistics, for custom units; empty without.
    replacement : bool
    share_of : "release" or "table"
        Whose share is asked to be hidden; `hidden_share` says whose is.
    bounds : tuple of (column, (lowest, highest))
        Public bounds of numeric columns: how far one record can move a statistic.
    persons : tuple of (ε, δ), or None
        Differential privacy that each record is promised besides, by the same noise.
    seed : int
        Of simulations; a release never takes it.
    view : "analyst" or "presentation"
    distances : "normals" or "simulated"
        What Wasserstein mechanisms take for the distributions of the statistics.
    look : str
        Label of the pair that charts are about; empty for the one hardest to hide.
    """

    secret: SensitiveProperty
    query: Query
    digest: str = ""
    reference: str = ""
    center: float = 0.5
    width: float = 0.1
    grid: tuple[float, float, float] | None = None
    others: tuple[Pair, ...] = ()
    n: int = 100
    whole: bool = False
    mechanism: str = "OptM"
    epsilon: float = 1.0
    delta: float = 1e-3
    calibration: Calibration = "guarded"
    units: Units = "raw"
    report: Units = "raw"
    tolerances: tuple[float, ...] = ()
    replacement: bool = False
    share_of: ShareOf = "release"
    bounds: tuple[tuple[str, tuple[float, float]], ...] = ()
    persons: tuple[float, float] | None = None
    seed: int = 1
    view: ViewKind = "analyst"
    distances: Distances = "normals"
    look: str = ""

    @property
    def pair(self) -> Pair:
        """The main two proportions; raises PropertyError if they leave [0, 1]."""
        return self.secret.pair(self.center, self.width)

    def pairs_at(self, width: float) -> tuple[Pair, ...]:
        """Every pair to hide if Δp were `width`, the main one first, each once.

        Raises
        ------
        PropertyError
            If there are more than 500, or one leaves [0, 1].
        """
        grid = self.secret.grid(*self.grid, width) if self.grid else ()
        main = self.secret.pair(self.center, width)
        pairs = tuple(dict.fromkeys([main, *grid, *self.others]))
        if len(pairs) > MOST_PAIRS:
            raise PropertyError(
                f"The scenario hides {exact(len(pairs))} pairs of shares, more than {MOST_PAIRS}; "
                "leave some of the further pairs out, or take a larger step of the grid."
            )
        return pairs

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair to hide, the main one first; raises PropertyError as `pair` does."""
        return self.pairs_at(self.width)

    @property
    def several(self) -> bool:
        """Whether more than one pair is to be hidden."""
        return bool(self.grid or self.others)

    @property
    def several_secrets(self) -> bool:
        """Whether shares of more than one property are to be hidden."""
        return any(pair.secret != self.secret for pair in self.others)

    @property
    def hidden_share(self) -> ShareOf:
        """Whose share is hidden: that of the n released records, or that of the table.

        A whole table has its own share. A sample can be drawn with fixed numbers of records of one
        property only, so that of several the shares of the table are hidden.
        """
        if self.whole:
            return "release"
        return "table" if self.several_secrets else self.share_of

    @property
    def promise_to_persons(self) -> Persons | None:
        """What each record is promised, by the bounds that the model is fitted with."""
        return None if self.persons is None else Persons(*self.persons)

    def check_tolerances(self) -> None:
        """Raise ScenarioError unless every statistic has a tolerance, or none and none is used."""
        if len(self.tolerances) not in (0, len(self.query)):
            raise ScenarioError(
                f"The scenario's field 'tolerances' must have one number a statistic, "
                f"{len(self.query)}, or none, got {len(self.tolerances)}."
            )
        if "custom" in (self.units, self.report) and not self.tolerances:
            raise ScenarioError(
                "The scenario's field 'tolerances' is empty, but its units are custom."
            )

    @property
    def model_seed(self) -> int:
        """The seed if the model rests on simulations, 0 if nothing in it does."""
        exact = self.query.is_linear and self.distances == "normals"
        return 0 if exact else self.seed

    @property
    def presenting(self) -> bool:
        """Whether nothing computed from single records or true shares may show."""
        return self.view == "presentation"
