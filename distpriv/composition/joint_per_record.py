"""What several releases together promise about each record: differential privacy of all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from distpriv.composition.datasets import union_of
from distpriv.composition.observed import Observed
from distpriv.composition.table_releases import TableRelease
from distpriv.privacy.calibration import check_delta, check_epsilon
from distpriv.privacy.per_record import PerRecord
from distpriv.privacy.record_moves import RecordMoves, bounded_moves

__all__ = ["JointPerRecord", "joint_per_record"]

_ASIDE = 1e-9  # of a record's move: what lies outside the noise is rounding


@dataclass(frozen=True)
class JointPerRecord:
    """(ε, δ)-differential privacy per record of several releases together.

    Attributes
    ----------
    mu : float >= 0
        All releases are μ-Gaussian-differentially private, counting of Laplace noise its normal
        floor; ∞ where a record's move is not covered by normal noise.
    pure : float >= 0
        Σ ε at δ = 0 of the releases whose Laplace noise has one.
    rest : float >= 0
        μ of the others; ∞ where a move is not covered.
    """

    mu: float
    pure: float = 0.0
    rest: float = math.inf

    @property
    def protects(self) -> bool:
        """Whether there is any ε at all."""
        return math.isfinite(self.mu) or math.isfinite(self.rest)

    def epsilon(self, delta: float) -> float:
        """The least ε at a δ in (0, 1), or a bound where noise is Laplace; ∞ where there is none.

        Of Gaussian noise exact; pure promises add to it (basic composition, Dwork & Roth 2014,
        Theorem B.1).
        """
        delta = check_delta(delta)
        both = self.pure + PerRecord(self.rest).epsilon(delta)
        if self.rest == 0:
            both = PerRecord(math.inf, self.pure).epsilon(delta)
        return min(PerRecord(self.mu).epsilon(delta), both)

    def delta(self, epsilon: float) -> float:
        """The least δ at an ε > 0, by the same laws; 1 where there is none."""
        epsilon = check_epsilon(epsilon)
        best = PerRecord(self.mu).delta(epsilon)
        if math.isinf(self.rest):
            return best
        left = epsilon - self.pure
        if self.rest == 0:
            return min(best, -math.expm1(min(left, 0.0)) * float(expit(self.pure)))
        return min(best, PerRecord(self.rest).delta(left)) if left > 0 else best


def joint_per_record(
    datasets: Sequence[Sequence[TableRelease]], bounds: Mapping[str, tuple[float, float]]
) -> JointPerRecord:
    """What releases promise about one record that is in every dataset.

    The releases of one dataset see one move Δ of the union of their statistics, whose squared
    length in the noises' own units is Σ_k (B_kΔ)ᵀS_k⁻¹(B_kΔ); μ² of different datasets add up
    (Dong, Roth & Su 2022, Corollary 3.3), each with the worst move of its own. A sample that is
    drawn with replacement promises nothing: one person's record may be in it again and again.

    Parameters
    ----------
    datasets : sequence of sequences of TableRelease
    bounds : mapping of column to (lowest, highest)
        Public bounds of every numeric column.

    Raises
    ------
    QueryError
        If bounds are missing, or not two finite numbers, the lower one first.
    """
    all_, rest, pure, laplace = 0.0, 0.0, 0.0, False
    for members in datasets:
        if any(release.replacement and not release.whole for release in members):
            return JointPerRecord(math.inf)
        kept: list[TableRelease] = []
        for release in members:
            own = math.inf
            if not release.is_normal:
                own = release.noise.per_record(release.query, n=release.n, bounds=bounds).pure
            if math.isfinite(own):
                pure, laplace = pure + own, True
            else:
                kept.append(release)
        every = _squared(members, bounds)
        all_ += every
        rest += every if len(kept) == len(members) else _squared(kept, bounds)
    return JointPerRecord(math.sqrt(all_), pure, math.sqrt(rest) if laplace else math.inf)


def _squared(members: Sequence[TableRelease], bounds: Mapping[str, tuple[float, float]]) -> float:
    """μ² of releases of one dataset."""
    if not members:
        return 0.0
    union = union_of(release.query for release in members)
    places = {statistic: place for place, statistic in enumerate(union)}
    every = np.eye(len(union))
    seen = Observed.together(
        [
            Observed.through(
                release.noise, every[[places[statistic] for statistic in release.query]]
            )
            for release in members
        ]
    )
    moves = bounded_moves(union, members[0].n, bounds)
    if len(seen.known) and _told(moves, seen):
        return math.inf
    root = np.asarray(np.linalg.qr(seen.seen, mode="r")) if len(seen.seen) else seen.seen
    return moves.longest(root.T)[0] ** 2


def _told(moves: RecordMoves, seen: Observed) -> bool:
    """Whether a record moves what is known exactly."""
    reach = np.abs(seen.known) @ moves.reach
    known = seen.known[reach > 0] / reach[reach > 0, None]
    return bool(len(known) and moves.longest(known.T)[0] > _ASIDE)
