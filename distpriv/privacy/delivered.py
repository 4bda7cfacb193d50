"""Privacy that a release delivers under a model, and the one answer to whether it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from distpriv.arrays import BoolArray, FloatArray, number, numbers
from distpriv.display import Result
from distpriv.errors import DistprivError
from distpriv.model import (
    AS_IT_IS,
    GaussianModel,
    PairModel,
    Promise,
    Release,
    check_release,
    joint_law,
)
from distpriv.model.grid import COVERED, log_ratio
from distpriv.model.release import Kind
from distpriv.privacy.exact_law import known_law
from distpriv.privacy.laplace import at_most, laplace_loss
from distpriv.privacy.loss import ALIKE, APART, Delivered, FiniteLoss, NormalLoss, PrivacyLoss
from distpriv.privacy.persons import Bounds, PerRecord, Persons, each_record
from distpriv.text import significant

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Verdict", "WorstLoss", "accuracies", "delivered_delta", "delivered_epsilon"]
__all__ += ["delivered_epsilons", "judge", "optimal_attack_accuracy", "pair_loss", "privacy_loss"]
__all__ += ["promise_of", "verdict", "verdicts"]

Law = Literal["model", "exact", "any data", "none"]

_SLACK = 1e-6  # of δ, for rounding
_ROUNDING = 0.01  # of δ: a law that may err by more refutes only
_USUAL = 1e-3  # δ of what each record gets where nothing is promised
_BARE: dict[Kind, str] = {
    "as it is": "No noise is added",
    "balanced": "No noise is added",
    "no data": "The expectation comes from this table",
    "noise": "Some figures get no noise in some direction",
}
"""Why a release promises single records nothing at all."""


def pair_loss(model: GaussianModel, release: Release | None = None, pair: int = 0) -> PrivacyLoss:
    """Return the privacy loss of one pair: P under the lower share against Q under the higher one.

    It is that of the exact law where one is known, see :func:`distpriv.privacy.known_law`, else
    that of the fitted normals. Noise that leaves some combination of the statistics on their grid,
    or covers it too thinly, counts as none, for arithmetic removes it; figures whose grids are
    apart tell the shares for certain. Without a release it is that of the figures as they are.
    """
    check_release(model, release)
    release, fitted = release or AS_IT_IS, model.pair_at(pair)
    law = known_law(fitted, model)
    masses = None if law is None else law.masses(release)
    return _model_loss(model, release, fitted) if masses is None else FiniteLoss(*masses)


def _model_loss(model: GaussianModel, release: Release, fitted: PairModel) -> PrivacyLoss:
    """Return the loss by the normal laws of a pair."""
    kept, total = release.kept, release.stands_for
    if kept is not None:
        # Numbers that every share of the range has, weighted alike at all, have one law (BalM).
        fair = total is not None and (not kept.any() or ((kept > 0) | (total == 0)).all())
        if fair and (kept <= fitted.numbers).all():
            return ALIKE
        (p, q), covariances = joint_law(replace(model, pairs=(fitted,)), [release])
        return NormalLoss.between(p - q, *covariances)
    return loss_beside(fitted, release, fitted.difference, fitted.covariances)


def loss_beside(
    fitted: PairModel, release: Release, difference: FloatArray, covariances: FloatArray
) -> PrivacyLoss:
    """Return the loss of a pair's figures plus noise, and of others beside them that get none.

    Differences, (u,), and covariances, (2, u, u), are of the figures first.
    """
    covered, m = bool(_grid_ratio(fitted, [release])[0] <= COVERED), len(fitted.steps)
    if not covered and fitted.apart:
        return APART
    more = len(difference) - m
    if release.directions is not None and covered:
        directions = np.pad(release.directions, ((0, more), (0, 0)))
        covariances = covariances + np.pad(release.normal(m), (0, more))
        return laplace_loss(difference, covariances, directions, release.scale)
    noise = np.pad(release.total(m) * covered, (0, more))
    return NormalLoss.between(difference, *(covariances + noise))


def _grid_ratio(fitted: PairModel, releases: Sequence[Release]) -> FloatArray:
    """Return what the grid moves log-likelihood ratios by, (R,); ∞ for figures as they are.

    Laplace noise is normal noise of random size, which covers the grid as well as the normal noise
    beside it does; where there is none, it counts by its variance.
    """
    m = len(fitted.steps)
    noise = [one.total(m) if one.covariance is None else one.covariance for one in releases]
    ratio = log_ratio(fitted.smoothness(np.reshape(noise, (-1, m, m))))
    ratio[[one.kind == "as it is" for one in releases]] = np.inf
    ratio[[not one.additive for one in releases]] = 0.0  # it has other records, and no noise
    return ratio


@dataclass(frozen=True, eq=False, repr=False)
class WorstLoss(Delivered):
    """The worst of several privacy losses at each question: of all pairs, in both orders."""

    losses: tuple[PrivacyLoss, ...]

    @cached_property
    def _normal(self) -> NormalLoss | None:
        """All of them side by side, if all are normal."""
        normal = [loss for loss in self.losses if isinstance(loss, NormalLoss)]
        return NormalLoss.together(normal) if len(normal) == len(self.losses) else None

    def profile(self, level: FloatArray | float) -> FloatArray:
        """Return sup_S P(S) − e^l Q(S) for levels l of any sign, shape of l."""
        if self._normal is not None:
            return self._normal.profile(np.asarray(level, float)[..., None]).max(axis=-1)
        return np.max([loss.profile(level) for loss in self.losses], axis=0)

    def epsilon(self, delta: FloatArray | float) -> FloatArray:
        """Return the least ε >= 0 with δ(ε) <= δ, from 0 to 1, in its shape; ∞ if there is none."""
        delta = numbers("δ", delta, 0, 1)
        if self._normal is not None:
            return self._normal.epsilon(np.asarray(delta, float)[..., None]).max(axis=-1)
        return np.max([loss.epsilon(delta) for loss in self.losses], axis=0)

    def accuracy(self) -> float:
        """Return the best attacker's accuracy at even odds, from 0.5 to 1."""
        return max(loss.accuracy() for loss in self.losses)

    def f_score(self, beta: float = 1.0) -> float:
        """Return the largest F_β of any attacker at even odds, for a β above 0 and below 10⁶."""
        return max(loss.f_score(beta) for loss in self.losses)

    def precision(self, recall: FloatArray | float) -> FloatArray:
        """Return the largest precision at even odds with a recall in (0, 1], in its shape."""
        return np.max([loss.precision(recall) for loss in self.losses], axis=0)

    def roc(self, points: int = 201) -> tuple[FloatArray, FloatArray]:
        """Return false and true positive rates of the attackers on the most exposed pair."""
        return max(self.losses, key=lambda loss: loss.accuracy()).roc(points)


def privacy_loss(
    model: GaussianModel, release: Release | None = None, pair: int | None = None
) -> WorstLoss:
    """Return the privacy loss of a release, of one pair or the worst of all, in both orders.

    It rests on the fitted normals, or on the exact law where one is known. Laws that are as likely
    as the fitted ones, where these are estimates, count as well. The release is of the model's
    statistics, None: the figures as they are; the pair is its place, from 0 on. Methods delta,
    epsilon, accuracy, roc, f_score and precision of the result are what is delivered.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> loss = dp.privacy_loss(model)
    >>> loss
    WorstLoss(best attacker right 66 times in 100; ε = 2.45 at δ = 0.001)
    >>> loss.delta([0, 1]).round(3)
    array([...])
    """
    check_release(model, release)
    places = range(len(model.pairs)) if pair is None else [pair]
    losses = [pair_loss(model, release, place) for place in places]
    others = [one for place in places for one in model.pairs[place].alternatives]
    losses += [_model_loss(model, release or AS_IT_IS, one) for one in others]
    return WorstLoss(tuple(one for loss in losses for one in (loss, loss.reversed)))


def delivered_delta(model: GaussianModel, release: Release | None, epsilon: float) -> float:
    """Return the δ that a release delivers at an ε: worst pair, worst order.

    By `privacy_loss`, which says what it rests on. ε is a number, for a promise from 0 on.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> noise = dp.calibrate("OptM", model, epsilon=1, delta=1e-3)
    >>> round(dp.delivered_delta(model, noise, epsilon=1), 6)
    0.001
    """
    return float(privacy_loss(model, release).delta(number("ε", epsilon)))


def delivered_epsilon(model: GaussianModel, release: Release | None, delta: float) -> float:
    """Return the ε that a release delivers at a δ: worst pair, worst order; ∞ if there is none.

    By `privacy_loss`, which says what it rests on. δ is a number from 0 to 1.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> round(dp.delivered_epsilon(model, None, delta=1e-3), 2)
    2.45
    """
    return float(privacy_loss(model, release).epsilon(number("δ", delta, 0, 1)))


def delivered_epsilons(
    model: GaussianModel, releases: Sequence[Release], delta: float
) -> FloatArray:
    """Return what `delivered_epsilon` does of many releases, (R,); normal ones side by side."""
    every = [privacy_loss(model, one) for one in releases]
    normal = [one for each in every for one in each.losses if isinstance(one, NormalLoss)]
    if not normal or len(normal) < sum(len(each.losses) for each in every):
        return np.array([float(each.epsilon(delta)) for each in every])
    epsilons = NormalLoss.together(normal).epsilon(np.array([delta]))
    return np.asarray(epsilons.reshape(len(every), -1).max(axis=1))


def optimal_attack_accuracy(model: GaussianModel, release: Release | None = None) -> float:
    """Return the accuracy of the best attacker at even odds on the most exposed pair, ½ + ½ TV.

    From 0.5, a coin toss, to 1, by `privacy_loss`, which says what it rests on.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> round(100 * dp.optimal_attack_accuracy(model), 1)
    65.7
    """
    losses = privacy_loss(model, release).losses[::2]  # it is the same in both orders
    return max(one.accuracy() for one in losses)


def accuracies(model: GaussianModel, releases: Sequence[Release]) -> FloatArray:
    """Return the best attacker's accuracy on each of many releases, shape (R,)."""
    judged = verdicts(model, releases, [Promise(0.0, 0.0)] * len(releases))
    return np.array([one.accuracy.max() for one in judged])


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Result):
    """Whether a release keeps what is promised, and what it delivers.

    It rests on the "model" of fitted normals, or the "exact" law that is computed without them, or
    holds for "any data". Persons get an ε at the δ that is promised to them, or at 0.001, if any,
    and if there are public bounds.
    """

    shares_kept: bool  # the promise to shares, alone
    law: Law
    promise: Promise
    # (K, 2), delivered at the promise's ε by the model, lower share first and higher share first,
    # with what the grid adds at most; the worst of laws that are equally likely.
    delta: FloatArray
    accuracy: FloatArray  # (K,), of the best attacker at even odds, by the exact law where known
    exact: FloatArray | None = None  # (K, 2), by the exact law, which decides where it is known
    persons: Promise | None = None
    persons_kept: bool | None = None  # None where nothing is promised to them
    why: str = ""  # why either is not kept

    @property
    def kept(self) -> bool:
        """Whether all is kept: the promise to shares, and that to persons if there is one."""
        return self.shares_kept and self.persons_kept is not False

    @property
    def delivered(self) -> FloatArray:
        """δ that decides, shape (K, 2): by the exact law where one is known, else by the model."""
        return self.delta if self.exact is None else self.exact

    def __repr__(self) -> str:
        words, worst = {True: "kept", False: "broken"}, self.delivered.max()
        text = f"{words[self.shares_kept]} by the {self.law!r} law, δ = {worst:.4g}"
        text = f"{text} of {self.promise.delta:.4g}"
        if self.persons_kept is not None:
            text += f"; to persons {words[self.persons_kept]}"
        return f"Verdict({text})"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a pair: guesses (of 100), and δ delivered and promised, at the worse."""
        import pandas as pd

        delta = {"delta": self.delivered.max(axis=1), "promised": self.promise.delta}
        return pd.DataFrame({"guesses": 100 * self.accuracy} | delta)


def verdict(
    model: GaussianModel,
    release: Release,
    promise: Promise | None = None,
    *,
    persons: Persons | None = None,
    bounds: Bounds = (),
) -> Verdict:
    """Hold a release against a promise, by default the one that it was calibrated for.

    An exact law that is known decides, see :func:`distpriv.privacy.known_law`. Persons are promised
    something besides; bounds are public ones of the columns where these have none of their own, and
    it is a DistprivError if a column whose numbers are used has none at all.
    """
    return verdicts(model, [release], [promise], persons=persons, bounds=bounds)[0]


def promise_of(model: GaussianModel, release: Release, promise: Promise | None) -> Promise:
    """Return a promise, or that which a release was calibrated for; DistprivError if none is."""
    check_release(model, release)
    promise = release.promise if promise is None else promise
    if not isinstance(promise, Promise):
        raise DistprivError(f"{release!r} comes with no promise; pass a Promise, not {promise!r}.")
    return promise


def verdicts(
    model: GaussianModel,
    releases: Sequence[Release],
    promises: Sequence[Promise | None],
    *,
    persons: Persons | None = None,
    bounds: Bounds = (),
) -> list[Verdict]:
    """Hold releases against a promise each, see :func:`verdict`; normal noises side by side."""
    promised = [promise_of(model, *both) for both in zip(releases, promises, strict=True)]
    accuracy = np.zeros((len(releases), len(model.pairs)))
    sure = accuracy > 0
    delta, exact = np.zeros((*accuracy.shape, 2)), np.full((*accuracy.shape, 2), np.nan)
    for place, fitted in enumerate(model.pairs):
        for one in (fitted, *fitted.alternatives):
            values = _model_values(model, one, releases, promised)
            delta[:, place] = np.maximum(delta[:, place], values[0])  # NaN stays
            accuracy[:, place] = np.maximum(accuracy[:, place], values[1])
            sure[:, place] = values[2]
        law = known_law(fitted, model)
        if law is None:
            continue
        for row, (release, promise) in enumerate(zip(releases, promised, strict=True)):
            by_law = law.delivered(release, promise.epsilon)
            if law.hides(release, promise.epsilon):
                exact[row, place] = 0.0
            if by_law is None:
                continue
            accuracy[row, place] = by_law[1]
            if exact[row, place, 0] == 0:
                continue
            if law.error <= _ROUNDING * promise.delta:
                exact[row, place] = by_law[0] + law.error
            elif (by_law[0] - law.error > np.maximum(delta[row, place], promise.delta)).any():
                exact[row, place] = by_law[0] - law.error  # it refutes what it cannot confirm
    records = each_record(model, releases, persons, bounds)
    for row, (record, promise) in enumerate(zip(records, promised, strict=True)):
        if record is not None:  # noise that hides all records, whatever they are
            hidden = record.group(model.n).delta(promise.epsilon)
            sure[row] |= hidden <= promise.delta * (1 + _SLACK)
    same, kinds = [persons] * len(releases), [one.kind for one in releases]
    rows = zip(promised, delta, accuracy, sure, exact, records, same, kinds, strict=True)
    return [judge(*row) for row in rows]


def _model_values(
    model: GaussianModel,
    fitted: PairModel,
    releases: Sequence[Release],
    promises: Sequence[Promise],
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return δ in both orders by one pair's normal laws, (R, 2), accuracies, and what is sure."""
    delta, accuracy = np.zeros((len(releases), 2)), np.zeros(len(releases))
    sure, ratio = np.zeros(len(releases), dtype=bool), _grid_ratio(fitted, releases)
    covered = ratio <= COVERED
    charge = np.where(covered, ratio, 0.0)
    normal = np.array([one.additive and one.directions is None for one in releases], dtype=bool)
    if normal.any():
        noise = np.array([one.total(len(model.query)) for one in releases])[normal]
        noise *= covered[normal, None, None]
        difference = np.broadcast_to(fitted.difference, noise.shape[:2])
        first = NormalLoss.between(difference, *(law + noise for law in fitted.covariances))
        level = np.array([promise.epsilon for promise in promises])[normal] - charge[normal]
        several = NormalLoss.together([first, first.reversed, first])
        *orders, even = several.profile(np.stack([level, level, 0 * level]).ravel()).reshape(3, -1)
        factor = 1 + np.tanh(charge[normal] / 2)
        delta[normal] = np.minimum(factor * orders, 1.0).T
        accuracy[normal] = 0.5 + 0.5 * even
        if fitted.apart:
            delta[normal & ~covered], accuracy[normal & ~covered] = 1.0, 1.0
    for row in np.flatnonzero(~normal).tolist():
        loss = _model_loss(model, releases[row], fitted)
        sure[row] = loss is ALIKE
        both, epsilon = (loss, loss.reversed), promises[row].epsilon
        delta[row] = [at_most(one, epsilon, float(charge[row])) for one in both]
        accuracy[row] = loss.accuracy()
    return delta, accuracy, sure


def judge(
    promise: Promise,
    delta: FloatArray,
    accuracy: FloatArray,
    sure: BoolArray,
    exact: FloatArray | float = np.nan,
    record: PerRecord | None = None,
    persons: Persons | None = None,
    kind: Kind = "noise",
) -> Verdict:
    """Hold what is delivered against a promise, see :class:`Verdict` for shapes.

    `sure`, shape (K,), tells what holds for any data; `exact` is NaN where no law is known; `kind`
    is that of the release.
    """
    by_law = np.isfinite(exact)
    decides = np.where(by_law, exact, delta)
    kept = bool((decides <= promise.delta * (1 + _SLACK)).all())  # NaN is not kept
    law: Law = "any data" if sure.all() else "exact" if by_law.all() else "model"
    why = []
    if not kept and promise.epsilon == 0:
        right, most = (significant(50 + 50 * one) for one in (decides.max(), promise.delta))
        why.append(f"An attacker is right {right} times in 100; the limit is {most}.")
    elif not kept:
        ends = f"δ = {significant(decides.max())} at ε = {significant(promise.epsilon)}"
        why.append(f"It delivers {ends}; the promise is {significant(promise.delta)}.")
    gets, persons_kept, allowed = None, None, persons.delta if persons else _USUAL
    if record is not None and np.isfinite(epsilon := record.epsilon(allowed)):
        gets = Promise(epsilon, allowed)
    if record is not None and persons is not None:
        reached = record.delta(persons.epsilon)
        persons_kept = bool(reached <= persons.delta * (1 + _SLACK))
        if not persons_kept and not np.isfinite([record.mu, record.pure]).any():
            why.append(f"{_BARE[kind]}, so single persons are not protected.")
        elif not persons_kept:
            ends = f"δ = {significant(reached)} at ε = {significant(persons.epsilon)}"
            why.append(f"Each record gets {ends}; the promise is {significant(persons.delta)}.")
    worst = decides if by_law.any() else None
    return Verdict(kept, law, promise, delta, accuracy, worst, gets, persons_kept, " ".join(why))
