"""What a privacy loss means: records that tell as much, factors, beliefs, and partial knowledge."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.linalg import block_diag
from scipy.special import expit, logit

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError, NotApplicable
from distpriv.model import AS_IT_IS, GaussianModel, PairModel, Release
from distpriv.model.fit import exact_pair
from distpriv.model.grid import COVERED, log_ratio
from distpriv.privacy.delivered import loss_beside, optimal_attack_accuracy, pair_loss, privacy_loss
from distpriv.privacy.exact_law import log_chances
from distpriv.privacy.loss import NormalLoss, PrivacyLoss, normal_distance
from distpriv.queries.secrets import round_half_up
from distpriv.text import whole

__all__ = ["GaussianPrivacy", "check_kept", "gaussian_privacy", "guessing_factor", "knowing"]
__all__ += ["posterior_bounds", "reading_accuracy", "records_to_match"]

_CERTAIN = 100.0  # k Δp² from which on a test on k records errs less than e⁻⁵⁰ (Hoeffding)
_MOST = 1 << 50  # records
_NODES = 20_000
_SAME = 1e-12  # of accuracies
_FARTHEST = 700.0  # log-likelihood ratios


def reading_accuracy(k: int, low: float, high: float, n: int | None = None) -> float:
    """Compute how often the best test on k records tells two shares apart, at even odds.

    How many of them have the property is all that they tell. The records are read out of a dataset
    of n, each at most once (hypergeometric), or without n drawn anew each time (binomial). Raises
    DistprivError if a share is not from 0 to 1, or k no whole number from 0 to n.
    """
    for share in (low, high):
        if not 0 <= share <= 1:
            raise DistprivError(f"A share must lie between 0 and 1, not at {share}.")
    low, high = sorted((low, high))
    if not 0 <= k <= (_MOST if n is None else n) or k != int(k):
        raise DistprivError(f"Records that are read must be 0 to {n or _MOST}, not {k}.")
    if k == 0 or low == high:
        return 0.5
    having = (low, high)
    if n is not None:
        having = round_half_up(n * low), round_half_up(n * high)
        low, high = having[0] / n, having[1] / n
    if k * (high - low) ** 2 > _CERTAIN:
        return 1.0
    wide = 5 * math.sqrt(k) + 20
    first, last = max(math.floor(k * low - wide), 0), min(math.ceil(k * high + wide), k)
    step = 1 + (last - first) // _NODES  # densities are smooth where there are so many
    x = np.arange(first, last + 1, step, dtype=float)
    laws = [np.exp(log_chances(x, np.array(k), one, n)) for one in having]
    return 1 - 0.5 * float(np.minimum(*(law / law.sum() for law in laws)).sum())


def records_to_match(accuracy: float, low: float, high: float, n: int | None = None) -> int | None:
    """Find the least k of which :func:`reading_accuracy` reaches an accuracy, to 1e-12.

    An attacker as accurate, from 0.5 to 1, learns from a release as much as from reading k records.
    None where no number of records is enough; for shares, n and errors see there.
    """
    numbers = range((_MOST if n is None else n) + 1)
    reads = partial(reading_accuracy, low=low, high=high, n=n)
    least = bisect_left(numbers, _accuracy(accuracy) - _SAME, key=reads)
    return least if least in numbers else None


def guessing_factor(accuracy: float) -> float:
    """Return what anybody's chance to name the right of two shares grows by at most, 2a.

    Whatever they believed before: Σ_y max_k π_k P_k(y) <= max_k π_k · Σ_y max_k P_k(y), and the
    last sum is 1 + TV, twice the accuracy a of the best attacker at even odds (maximal leakage;
    Issa, Wagner & Kamath 2020, Theorem 1). DistprivError if the accuracy is not from 0.5 to 1.
    """
    return 2 * _accuracy(accuracy)


def _accuracy(value: float) -> float:
    if not 0.5 - _SAME <= value <= 1 + _SAME:
        raise DistprivError(f"An accuracy at even odds lies between 0.5 and 1, not at {value}.")
    return min(max(value, 0.5), 1.0)


def posterior_bounds(
    model: GaussianModel, release: Release | None = None, prior: float = 0.5, often: float = 0.95
) -> tuple[float, float]:
    """Compute between what a belief in one of the shares ends, of so many releases.

    The log-odds of a belief move by ln dP/dQ of what is released: from the prior, between 0 and 1,
    to between low and high, at either share and for every pair, but for a fraction 1 − often. They
    are 0 and 1 where so many releases may leave no doubt.
    """
    if not 0 < prior < 1 or not 0 < often < 1:
        raise DistprivError("A belief and a fraction of releases must be above 0 and below 1.")
    places = range(len(model.pairs))
    moved = max(_moved(pair_loss(model, release, place), 1 - often) for place in places)
    return float(expit(logit(prior) - moved)), float(expit(logit(prior) + moved))


def _moved(loss: PrivacyLoss, rarely: float) -> float:
    """Return the least t that |L| exceeds no more than rarely, under both laws."""
    low, high = 0.0, _FARTHEST
    for _ in range(4):
        t = np.linspace(low, high, 33)
        above, below = np.array(loss.tails(t)), np.array(loss.reversed.tails(t))[::-1]
        fits = (above + below).max(axis=0) <= rarely
        if fits[0]:
            return low
        if not fits.any():
            return math.inf
        place = int(fits.argmax())
        low, high = float(t[place - 1]), float(t[place])
    return high


@dataclass(frozen=True)
class GaussianPrivacy:
    """How far apart two bell curves of width 1 are that a release keeps as close.

    δ(ε) is at most that of N(μ, 1) against N(0, 1) (μ-Gaussian DP for the pairs; Dong, Roth & Su
    2022, Corollary 2.13), or `down_to`, where that is more.
    """

    mu: float | None  # None where there is no such μ
    down_to: float = 0.0  # 0 where μ holds for every ε
    why: str = ""  # why there is no μ, or none for every ε


def gaussian_privacy(
    model: GaussianModel, release: Release | None = None, down_to: float = 1e-6
) -> GaussianPrivacy:
    """Find the least μ for which the release is μ-Gaussian DP, for every pair in both orders.

    It is the Mahalanobis distance where both shares have equal covariances. Where they differ the
    privacy loss has exponential tails, which no μ has, so that it holds down to a δ only, above 0
    and below 1, else it is a DistprivError.
    """
    if not 0 < down_to < 1:
        raise DistprivError(f"δ must be above 0 and below 1, it is {down_to!r}.")
    release = AS_IT_IS if release is None else release
    if release.directions is not None:
        return GaussianPrivacy(None, why="Laplace noise is not like two bell curves.")
    loss = privacy_loss(model, release)
    noisy = release.covariance is not None
    ratio = float(log_ratio(np.asarray(release.smoothness(model)))) if noisy else 0.0
    charge = ratio if ratio <= COVERED else 0.0  # noise that is thinner counts as none
    factor = 1 + math.tanh(charge / 2)
    end = float(loss.epsilon(down_to / factor)) + charge
    if not math.isfinite(end):
        return GaussianPrivacy(None, why="Some releases tell the shares for certain.")
    first, last, mu = 0.0, end, 0.0
    for _ in range(3):
        epsilons = np.linspace(first, last, 65)
        delta = factor * loss.profile(epsilons - charge)
        reach = normal_distance(epsilons, delta.clip(1e-300, 1 - _SAME))
        distances = np.where(delta > 0, reach, 0.0)
        mu, place = max(mu, float(distances.max())), int(distances.argmax())
        first, last = epsilons[max(place - 1, 0)], epsilons[min(place + 1, 64)]
    alike = all(
        isinstance(one, NormalLoss) and np.allclose(one.spread, 1, rtol=0, atol=1e-9)
        for one in loss.losses
    )
    if mu == 0 or (alike and not charge):
        return GaussianPrivacy(mu)
    return GaussianPrivacy(mu, down_to, "Figures vary differently at the two shares.")


def knowing(model: GaussianModel, release: Release | None, known: int) -> float:
    """Compute the accuracy of the best attacker who knows some of the records, half of each group.

    It is at even odds, for the most exposed pair, on average over which records are known. They
    take these off figures that use all, so that only the others vary; without replacement the
    others' means follow from what is known. Of balanced figures they do not know which of their
    records are kept, but records of a larger group are kept less often: by the normal law of the
    figures, or of what arithmetic may tell from them, and of the known records' sums. Told which
    are kept, they learn much more. DistprivError if a group has fewer records than they know of it,
    NotApplicable if a statistic is no sum over the records.
    """
    release = AS_IT_IS if release is None else release
    few = int(min(pair.numbers.min() for pair in model.pairs))
    if not 0 <= known <= 2 * few or known != int(known):
        raise DistprivError(
            f"Known records must be 0 to {whole(2 * few)}, not {known}: some group has only "
            f"{whole(few)}."
        )
    if known == 0 or release.kind == "no data":
        return optimal_attack_accuracy(model, release)
    if not model.query.linear:
        raise NotApplicable(
            "Attackers who know records are computed for sums, counts, means and proportions "
            "only; leave the other figures out."
        )
    half = np.array([known - known // 2, known // 2], dtype=float)
    if release.additive:
        rest = [_rest(model, pair, half) for pair in model.pairs]
        if model.replacement:
            return optimal_attack_accuracy(replace(model, pairs=tuple(rest)), release)
        pairs = zip(model.pairs, rest, strict=True)
        return max(_rest_accuracy(model, pair, one, release, half) for pair, one in pairs)
    check_kept(release, [pair.numbers for pair in model.pairs])
    return max(_kept_accuracy(model, pair, release, half) for pair in model.pairs)


def check_kept(release: Release, numbers: Iterable[FloatArray]) -> None:
    """Check that kept records have one law at all shares, whose numbers are (2, 2) each.

    Raises DistprivError if more are kept than there are, or they stand for as many as there are.
    """
    if release.stands_for is None:
        raise DistprivError(
            "Kept records that stand for as many as there are tell the share; give them a public "
            "reference share."
        )
    if any((np.asarray(release.kept) > rows).any() for rows in numbers):
        raise DistprivError(
            "A release keeps more records of a group than there are; take a narrower range."
        )


def _rest(model: GaussianModel, pair: PairModel, known: FloatArray) -> PairModel:
    """Return the law of the records that are not known, but for what these tell of its mean."""
    # Groups of its own, so that exact laws of fewer records do not push the table's out; they
    # would take the rest from all records, which is right with replacement only.
    groups = replace(pair.groups)
    if not model.replacement:
        groups = replace(groups, counts=groups.counts - known, records=None)
    return exact_pair(groups, pair.pair, pair.numbers - known, model.scales, model.replacement)


def _rest_accuracy(
    model: GaussianModel, pair: PairModel, rest: PairModel, release: Release, known: FloatArray
) -> float:
    """Of an attacker to whom known records tell how far apart the others' means are, D.

    The mean of N − k records of a group of N varies by C k/(N (N − k)), C of single ones. Less the
    middle of both shares, figures then have the mean ± D/2.
    """
    sizes, single = pair.groups.population(model.replacement)
    moved = (pair.numbers[1, 1] - pair.numbers[0, 1]) * model.scales
    factors = known / (sizes * (sizes - known))
    apart = np.tensordot(factors, single, 1) * np.outer(moved, moved)
    laws = [
        np.block([[covariance + apart / 4, half * apart], [half * apart, apart]])
        for covariance, half in zip(rest.covariances, (0.5, -0.5), strict=True)
    ]
    difference = np.concatenate([rest.difference, np.zeros(len(moved))])
    return loss_beside(rest, release, difference, np.array(laws)).accuracy()


def _kept_accuracy(
    model: GaussianModel, pair: PairModel, release: Release, known: FloatArray
) -> float:
    """Of an attacker who sees balanced figures, and the sums of known records of each group.

    Where a figure has a grid and a record of one group counts for more than one of the other,
    arithmetic may tell the sums over both: they count as seen, which is at least as much.
    """
    kept = np.asarray(release.kept)
    weights = np.asarray(release.stands_for) / np.maximum(kept, 1)
    sizes, single = pair.groups.population(model.replacement)
    m, told = len(pair.steps), (pair.steps > 0) & (not np.isclose(*weights))
    figures = np.hstack([weight * np.eye(m) for weight in weights])
    rows = np.vstack([figures[~told], np.eye(2 * m)[np.tile(told, 2)]])
    seen = block_diag(rows, np.eye(2 * m))
    laws = []
    for numbers in pair.numbers:
        law = np.zeros((4, 4, 2))  # sums over kept records of each group, then over known ones
        both = known * kept * (1 / numbers - 1 / sizes)
        for group in (0, 1):
            other = 2 + group
            law[group, group, group] = kept[group] * (1 - kept[group] / sizes[group])
            law[other, other, group] = known[group] * (1 - known[group] / sizes[group])
            law[group, other, group] = law[other, group, group] = both[group]
        sums = np.einsum("uvg,gab->uavb", law, single).reshape(4 * m, 4 * m)
        laws.append(seen @ sums @ seen.T)
    return NormalLoss.between(np.zeros(len(seen)), *laws).accuracy()
