"""Frames of what releases promise and mean, and of attackers who have more than one release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from distpriv.composition import repeated
from distpriv.distances import normal_reach, relaxed_promise
from distpriv.model import GaussianModel, PairModel, Promise, Release
from distpriv.privacy import privacy_loss
from distpriv.privacy.meaning import (
    GaussianPrivacy,
    gaussian_privacy,
    guessing_factor,
    knowing,
    posterior_bounds,
    records_to_match,
)

__all__ = ["NEAR", "OFTEN", "Meaning", "extra_noise", "knowing_frame", "meaning"]
__all__ += ["profile_frame", "relaxed_frame", "repeated_frame"]

NEAR, SCATTERED = "any laws as near", "this scatter"
"""Lines of `relaxed_frame` besides that of the model, "as assumed"."""

OFTEN = 0.95
"""Fraction of releases that the bounds of a belief are about."""
_REPEATED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
_KNOWN = 9  # numbers of known records in a picture, besides none
_MOST_KNOWN = 0.9  # of the records of the smallest group


def profile_frame(
    model: GaussianModel, releases: Sequence[Release], end: float, points: int = 81
) -> pd.DataFrame:
    """Return δ(ε) of releases from ε = 0 to an end: columns way (mechanism), epsilon, delta."""
    epsilons = np.linspace(0.0, end, points)
    parts = [(one, privacy_loss(model, one).delta(epsilons)) for one in releases]
    rows = [(one, *pair) for one, delta in parts for pair in zip(epsilons, delta, strict=True)]
    return _frame(rows, "epsilon", "delta")


def relaxed_frame(
    model: GaussianModel, release: Release, off: float, end: float = 3.0, points: int = 61
) -> pd.DataFrame:
    """Return δ(ε) that is left where the figures scatter more or less than the model says.

    Columns way, epsilon, delta: as assumed; of normals whose deviations are larger or smaller by a
    share `off`; and for any laws that are as near to the model as these. The last is the best of
    Theorem 4.6 over λ, in columns lambda and eta, and over all points of the first line. η is
    measured after the noise: before it, it is 1 for figures that move in steps.
    """
    pairs = [_without_records(pair) for pair in model.pairs]
    near, moved = [], []
    for square in ((1 + off) ** 2, (1 + off) ** -2):
        moved += [replace(pair, covariances=square * pair.covariances) for pair in pairs]
        near += [
            replace(pair, means=np.array([mean] * 2), covariances=np.array([law, square * law]))
            for pair in pairs
            for mean, law in zip(pair.means, pair.covariances, strict=True)
        ]
    levels = np.linspace(-end, end, 2 * points - 1)
    lambdas = np.linspace(0.0, end / 2, points)
    assumed = privacy_loss(model, release).profile(levels)
    etas = privacy_loss(replace(model, pairs=tuple(near)), release).profile(lambdas)
    start = points - 1 + np.arange(points)[:, None] - np.arange(points)  # of ε = ε′ − 2λ
    frontier = relaxed_promise(levels[start], assumed[start], lambdas, etas)
    best, rows = frontier.deltas.argmin(axis=1), np.arange(points)
    scattered = privacy_loss(replace(model, pairs=tuple(moved)), release).delta(levels[-points:])
    lines = {"as assumed": assumed[-points:], SCATTERED: scattered}
    lines[NEAR] = frontier.deltas[rows, best]
    frame = pd.DataFrame({"epsilon": levels[-points:]} | lines)
    frame = frame.melt("epsilon", var_name="way", value_name="delta")
    by_theorem = frame["way"] == NEAR
    frame.loc[by_theorem, ["lambda", "eta"]] = np.column_stack([lambdas[best], etas[best]])
    return frame[["way", "epsilon", "delta", "lambda", "eta"]]


def extra_noise(
    model: GaussianModel, promise: Promise, off: float, cost: float = 0.25, mass: float = 1e-3
) -> tuple[float, Promise]:
    """Return what Theorem 4.7 asks for where deviations differ by a share: noise, and its promise.

    Laws whose deviations differ by `off` are (W, mass)-close: stretched about the mean, all but so
    much of the mass moves by at most W = off · c in the L1 norm, c what ‖F − E F‖_1 exceeds with
    that chance. Laplace noise of scale W/λ on every figure besides, λ = `cost`, leaves ε + 2λ.
    """
    reach = max(normal_reach(law, mass) for pair in model.pairs for law in pair.covariances)
    left = relaxed_promise(promise.epsilon, promise.delta, cost, mass)
    return off * reach / cost, Promise(float(left.epsilons[0]), float(left.deltas[0]))


def _without_records(pair: PairModel) -> PairModel:
    """Return the normal laws of a pair alone."""
    return replace(pair, groups=replace(pair.groups, records=None), alternatives=(), apart=False)


def repeated_frame(
    model: GaussianModel, releases: Iterable[Release], promise: Promise
) -> pd.DataFrame:
    """Return right guesses after several releases of the same figures, with noise drawn anew.

    Columns way, releases and those of :func:`distpriv.composition.repeated`.
    """
    frames = []
    for one in releases:
        counts = _REPEATED if one.kind == "noise" else (1,)  # others are the same each time
        frame = repeated(model, one, counts, promise).assign(way=one.mechanism)
        same = frame.loc[frame.index.repeat(len(_REPEATED) // len(counts))]
        frames.append(same.assign(releases=_REPEATED))
    frame = pd.concat(frames, ignore_index=True)
    return frame[["way", *frame.columns.drop("way")]]


def knowing_frame(
    model: GaussianModel, releases: Iterable[Release], known: int = 0
) -> pd.DataFrame:
    """Return right guesses of attackers who know records: columns way, known, guesses (of 100).

    From none to nine tenths of the smallest group, half of each group, and so many as are `known`
    where a group has as many.
    """
    few = min(pair.numbers.min() for pair in model.pairs)
    even = np.linspace(0, int(2 * _MOST_KNOWN * few), _KNOWN + 1).round().astype(int).tolist()
    numbers = sorted(one for one in {*even, known} if one <= 2 * few)
    rows = [(one, k, 100 * knowing(model, one, k)) for one in releases for k in numbers]
    return _frame(rows, "known", "guesses")


def _frame(rows: Iterable[tuple[Release, float, float]], *columns: str) -> pd.DataFrame:
    return pd.DataFrame([(one.mechanism, *rest) for one, *rest in rows], columns=["way", *columns])


@dataclass(frozen=True)
class Meaning:
    """Hold what a release means to people, about the most exposed secret.

    Attributes
    ----------
    records : int or None
        Of the dataset, reading which tells the shares as well; None where all do not.
    factor : float
        By which anybody's chance to name the right share grows at most.
    belief : (float, float)
        Between which an even belief in a share ends, in 95 of 100 releases.
    gaussian : GaussianPrivacy
    """

    records: int | None
    factor: float
    belief: tuple[float, float]
    gaussian: GaussianPrivacy


def meaning(model: GaussianModel, release: Release, accuracy: float, secret: int) -> Meaning:
    """Say what a release means whose best attacker has an accuracy on one of the secrets."""
    pair = model.pairs[secret].pair
    return Meaning(
        records_to_match(accuracy, pair.low, pair.high, model.n),
        guessing_factor(accuracy),
        posterior_bounds(model, release, often=OFTEN),
        gaussian_privacy(model, release),
    )
