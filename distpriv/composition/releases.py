"""All releases of one table together: what somebody who sees every one of them can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from distpriv.arrays import BoolArray, FloatArray, IntArray, integer
from distpriv.display import Result, plain
from distpriv.errors import DistprivError, NotApplicable
from distpriv.model import AS_IT_IS, GaussianModel, PairModel, Promise, Release, check_release
from distpriv.model.grid import COVERED, deviations, inverse, log_ratio, smoothness
from distpriv.privacy import NormalLoss, PrivacyLoss, Verdict, verdicts
from distpriv.privacy.delivered import judge, promise_of
from distpriv.privacy.laplace import at_most
from distpriv.privacy.loss import ALIKE, APART
from distpriv.privacy.meaning import check_kept
from distpriv.text import near, times, whole

__all__ = ["JointRelease", "Part", "joint_release", "repeated"]

_TRACE = 1e-10  # of noise in all directions, in squared units
_ENDLESS = 1e-8  # precision of what is not released, in units of its own
_FIXED = 1e-12  # of a variance: a combination that varies less does not vary
_MOVED = 1e-6  # deviations by which a mean that does not vary must move to tell
_Draw = tuple[int | None, str]
_LAPLACE = (
    "Laplace noise of several releases has no bell curve, and its variance bounds nothing; count "
    "releases with normal noise, or balanced ones."
)


@dataclass(frozen=True, eq=False)
class Part:
    """Hold one of several releases of a table.

    Attributes
    ----------
    release : Release
        With noise in units of its statistics, in their order.
    labels : tuple of str, optional
        Its statistics among the model's; None: all.
    records : int, optional
        Of a random sample with the table's share; None: all.
    sample : str
        Name of the sample: parts with one are of one draw, others of draws of their own.

    Examples
    --------
    >>> dp.composition.Part(dp.Release(), labels=("mean age",))
    Part(release=Release('as it is'), labels=('mean age',), records=None, sample='')
    """

    release: Release
    labels: tuple[str, ...] | None = None
    records: int | None = None
    sample: str = ""

    @property
    def draw(self) -> _Draw:
        """Which records it is computed from."""
        return self.records, self.sample if self.records is not None else ""


@dataclass(frozen=True, eq=False, repr=False)
class JointRelease(Result):
    """Hold what all releases together tell, as `joint_release` returns it.

    Losses of each pair are of the lower against the higher share, with what the grid may move
    log-likelihood ratios by; there are several where its law is estimated.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> noise = dp.calibrate("OptM", model, guesses=55)
    >>> dp.joint_release(model, [noise, noise]).verdict(dp.Promise.of_guesses(60))
    Verdict(kept by the 'exact' law, δ = 0.1348 of 0.2)
    """

    model: GaussianModel
    alone: Release | None  # of all statistics, where one tells the same
    losses: tuple[tuple[tuple[PrivacyLoss, float], ...], ...] = ()

    def __repr__(self) -> str:
        return plain(f"JointRelease(best attacker right {times(100 * self.accuracy())})")

    def to_frame(self) -> pd.DataFrame:
        """Return columns epsilon and delta, δ(ε) at a few ε."""
        levels = [0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
        return pd.DataFrame({"epsilon": levels, "delta": map(self.delta, levels)})

    def accuracy(self) -> float:
        """Return the accuracy of the best attacker on everything at even odds, from 0.5 to 1."""
        return float(self.verdict(Promise(0.0, 0.0)).accuracy.max())

    def delta(self, epsilon: float) -> float:
        """Return δ(ε) of the worst pair in the worse order, with what the grid adds at most."""
        return float(self.verdict(Promise(epsilon, 0.0)).delivered.max())

    def verdict(self, promise: Promise) -> Verdict:
        """Hold everything together against a promise."""
        promise = promise_of(self.model, AS_IT_IS, promise)
        if self.alone is not None:
            return verdicts(self.model, [self.alone], [promise])[0]
        delta = np.zeros((len(self.losses), 2))
        for both, laws in zip(delta, self.losses, strict=True):
            for loss, charge in laws:
                orders = [at_most(one, promise.epsilon, charge) for one in (loss, loss.reversed)]
                both[:] = np.maximum(both, orders)  # NaN stays
        accuracy = [max(loss.accuracy() for loss, _ in laws) for laws in self.losses]
        alike = [all(loss is ALIKE for loss, _ in laws) for laws in self.losses]
        return judge(promise, delta, np.array(accuracy), np.array(alike))


def joint_release(model: GaussianModel, parts: Sequence[Part | Release]) -> JointRelease:
    """Compute what several releases of one table tell together.

    Sums X and X′ over two draws with n_g and n′_g records of group g have covariance Σ
    (n_g·n′_g/N_g)·C_g, for n_g·n′_g/N_g records of N_g are in both. Of one draw, several noisy
    releases of a statistic are one with the noise (Σ S_i⁻¹)⁻¹, on one and the same point of the
    grid; the grid is charged for that noise, given all that is released without noise. Of balanced
    figures the sums of either group count as seen, which is at least as much.

    The model is of all statistics that are released, of the whole table; a Release among the parts,
    of all of them and all records. Methods accuracy, delta and verdict of the result say what all
    of them deliver. DistprivError if nothing is released, a statistic is not the model's, or a
    sample is no part of the table; NotApplicable for Laplace noise, samples of statistics that are
    no sums over records, and balanced figures of several samples.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> noise = dp.calibrate("OptM", model, guesses=55)
    >>> dp.joint_release(model, [noise, noise])
    JointRelease(best attacker right 57 times in 100)
    """
    if not isinstance(parts, Sequence) or not parts:
        raise DistprivError("There is no release to count; give a list of at least one.")
    check_release(model)
    every = [one if isinstance(one, Part) else Part(one) for one in parts]
    _check(model, every)
    if (alone := _alone(model, every)) is not None:
        return JointRelease(model, alone)
    losses = [
        tuple(_loss(model, law, every) for law in (fitted, *fitted.alternatives))
        for fitted in model.pairs
    ]
    return JointRelease(model, None, tuple(losses))


def _check(model: GaussianModel, parts: Sequence[Part]) -> None:
    labels = model.query.labels
    for part in parts:
        if not isinstance(part.release, Release):
            raise DistprivError(f"A release is needed here, not {part.release!r:.60}.")
        count, noise = part.records, part.release.covariance
        if part.release.directions is not None:
            raise NotApplicable(_LAPLACE)
        for label in part.labels or ():
            if label not in labels:
                raise DistprivError(f"The model has no figure {label!r}.{near(label, labels)}")
        width = len(part.labels or labels)
        if noise is not None and noise.shape != (width, width):
            raise DistprivError(f"Noise on {width} figures has that many rows, not {len(noise)}.")
        if count is not None and any(
            integer("The number of records of a sample", count, 0) < 1
            or (_numbers(pair, part.draw) >= pair.numbers).any()
            for pair in model.pairs
        ):
            raise DistprivError(
                f"A sample of {count} records is not part of a table of {whole(model.n)} that "
                "leaves some of each group; count it as the whole table."
            )
        if not part.release.additive:
            check_kept(part.release, [_numbers(pair, part.draw) for pair in model.pairs])
    balanced = {part.draw for part in parts if not part.release.additive}
    if len(balanced) > 1:
        raise NotApplicable("Balanced figures count together where they are of one draw only.")
    if not model.query.linear and (balanced or any(part.records for part in parts)):
        raise NotApplicable(
            "Samples and balanced figures count together for sums, counts, means and proportions "
            "only; leave the other figures out."
        )


def _numbers(fitted: PairModel, draw: _Draw) -> FloatArray:
    """Return how many records a draw has, [share, group]."""
    return fitted.numbers if draw[0] is None else fitted.pair.numbers(draw[0])


def _alone(model: GaussianModel, parts: Sequence[Part]) -> Release | None:
    """Return the one release that tells as much as all, of releases of all the table's figures."""
    labels = (None, model.query.labels)
    if any(one.records or one.labels not in labels or not one.release.additive for one in parts):
        return None
    if len(parts) == 1:
        return parts[0].release
    trace, precision = np.diag(_TRACE * _units(model.pairs[0]) ** 2), np.zeros(())
    for part in parts:
        if part.release.covariance is None:
            return AS_IT_IS
        precision = precision + inverse(part.release.covariance + trace)
    # Where one noise covers the grid too thinly, so does that of all, which is less.
    return Release("together", inverse(precision))


# ---------------------------------------------------------------- the law of a pair


def _base(
    model: GaussianModel, fitted: PairModel, parts: Sequence[Part], draws: list[_Draw]
) -> tuple[PairModel, IntArray]:
    """Return the law of all that releases are computed from, and which draw each number is of.

    It is the statistics of every draw, and the sums of kept records of each group (draw −1).
    """
    m, grids = len(model.scales), fitted.groups.grids
    kept = {tuple(part.release.kept): part.draw for part in parts if part.release.kept is not None}
    if draws == [(None, "")] and not kept:
        return fitted, np.zeros(m, dtype=np.int64)
    sizes, single = fitted.groups.population(model.replacement)
    sums = [(of, np.diag(one)[[group, group]]) for one, of in kept.items() for group in (0, 1)]
    entries = [*((draw, _numbers(fitted, draw)) for draw in draws), *sums]
    scales = [model.query.scales(model.n if n is None else n) for n, _ in draws]
    scale = np.concatenate([*scales, *[model.scales] * len(sums)])
    counts = np.array([count for _, count in entries])  # (u, share, group)
    same = np.array([[one == other for other, _ in entries] for one, _ in entries])
    product = counts[:, None] * counts
    both = np.where(
        same[..., None, None],
        np.minimum(counts[:, None], counts),
        product / np.maximum(fitted.numbers, 1),
    )
    covariances = np.einsum("uvsg,gab->suavb", both - product / sizes, single)
    steps, joint = np.zeros((len(entries), m)), np.zeros((2, len(entries), m))
    for place, draw in enumerate(draws):
        taken = np.max([one for one, of in kept.items() if of == draw], axis=0, initial=0.0)
        rest = [grids.at(row, sizes) for row in counts[place] - taken]
        steps[place] = np.max([grid.steps for grid in rest], axis=0)
        joint[:, place] = [grid.joint_steps for grid in rest]
    law = replace(
        fitted,
        means=np.einsum("usg,ga->sua", counts, fitted.groups.means).reshape(2, -1) * scale,
        covariances=covariances.reshape(2, len(scale), -1) * np.outer(scale, scale),
        steps=steps.ravel() * scale,
        joint_steps=joint.reshape(2, -1) * scale,
        apart=any(grids.apart(number, sizes) for number in counts[: len(draws)]),
    )
    return law, np.repeat([*range(len(draws)), *[-1] * len(sums)], m)


def _loss(
    model: GaussianModel, fitted: PairModel, parts: Sequence[Part]
) -> tuple[PrivacyLoss, float]:
    """Return the loss of one pair, and the charge for the grid."""
    draws = [*dict.fromkeys(part.draw for part in parts if part.release.additive)]
    (law, draw), labels = _base(model, fitted, parts, draws), model.query.labels
    bare, precision, unit = draw < 0, np.zeros_like(law.pooled), _units(law)
    for part in parts:
        if not part.release.additive:
            continue
        places = [labels.index(label) for label in part.labels or labels]
        at = np.array(places) + len(labels) * draws.index(part.draw)
        more, noise = np.zeros_like(precision), part.release.covariance
        if noise is not None and noise.any():
            more[np.ix_(at, at)] = inverse(noise + _TRACE * np.diag(unit[at] ** 2))
        # Noise that arithmetic takes off is none.
        if not more.any() or not _charge(law, draw, more, draw < 0) <= COVERED:
            bare[at] = True
        else:
            precision += more
    noisy = ~bare & (np.diagonal(precision) > 0)
    charge = _charge(law, draw, precision, bare)
    if not charge <= COVERED:
        bare, noisy, charge = bare | noisy, noisy & False, 0.0
    if law.apart and bare[draw >= 0].any():
        return APART, 0.0
    noise = np.zeros_like(precision)
    noise[np.ix_(noisy, noisy)] = inverse(precision[np.ix_(noisy, noisy)])
    used = np.ix_(bare | noisy, bare | noisy)
    laws = (one[used] + noise[used] for one in law.covariances)
    return _between(law.difference[bare | noisy], *laws), charge


def _units(law: PairModel) -> FloatArray:
    """Return steps, or deviations of what has no grid."""
    return np.where(law.steps > 0, law.steps, deviations(law.pooled))


def _charge(law: PairModel, draw: IntArray, precision: FloatArray, bare: BoolArray) -> float:
    """Return what the grid moves log-likelihood ratios by, given all that is bare.

    Several draws' joint covariance is at least that of independent ones with 1/D of the covariance
    of each given the others, so that the sum over the dual grid is at most a product.
    """
    noisy = ~bare & (np.diagonal(precision) > 0)
    draws, total = np.unique(draw[noisy]), 1.0
    spread = _units(law) ** 2 + np.diagonal(law.pooled)
    for one in draws:
        part = (draw == one) & ~bare
        rest = np.array([_conditional(c, part, bare | (noisy & ~part)) for c in law.covariances])
        before = np.diagonal(law.covariances, axis1=1, axis2=2)[:, part]
        varies = np.diagonal(rest, axis1=1, axis2=2) > _FIXED * before
        # What is not released has noise without end.
        noise = inverse(precision[np.ix_(part, part)] + np.diag(_ENDLESS / spread[part]))
        joint = np.where(varies, law.joint_steps[:, part], 0.0)
        total *= 1 + float(smoothness(rest / len(draws), joint, law.steps[part], noise))
    return float(log_ratio(np.asarray(total - 1)))


def _conditional(covariance: FloatArray, part: BoolArray, away: BoolArray) -> FloatArray:
    """Return the covariance of some numbers once others are seen."""
    unit = deviations(covariance)
    scaled = covariance / np.outer(unit, unit)
    cross = scaled[np.ix_(part, away)]
    inverse = np.linalg.pinv(scaled[np.ix_(away, away)], rcond=_FIXED, hermitian=True)
    rest = scaled[np.ix_(part, part)] - cross @ inverse @ cross.T
    return np.asarray(rest * np.outer(unit[part], unit[part]))


def _between(difference: FloatArray, one: FloatArray, other: FloatArray) -> PrivacyLoss:
    """Return the loss of two normals, without what varies at neither share: there a mean tells."""
    unit = np.sqrt(np.diagonal(one + other) / 2)
    unit = np.where(unit > 0, unit, np.where(difference != 0, np.abs(difference), 1.0))
    p, q, moved = one / np.outer(unit, unit), other / np.outer(unit, unit), difference / unit
    values, vectors = np.linalg.eigh((p + q) / 2)
    fixed = values <= _FIXED
    moved = moved @ vectors
    if (np.abs(moved[fixed]) > _MOVED).any():
        return APART
    p, q = (vectors[:, ~fixed].T @ law @ vectors[:, ~fixed] for law in (p, q))
    alike = np.allclose(p, q, rtol=0, atol=_FIXED) and (np.abs(moved) <= _FIXED).all()
    return ALIKE if alike else NormalLoss.between(moved[~fixed], p, q)


# ---------------------------------------------------------------- one release, again and again


def repeated(
    model: GaussianModel, release: Release, counts: Sequence[int], promise: Promise | None = None
) -> pd.DataFrame:
    """Compute what several independent releases of the same statistics deliver together.

    Normal noise of r releases averages to S/r; figures without noise, and balanced ones, are the
    same each time. Where S/r covers the grid too thinly, it counts as none: a bound. The promise is
    by default the one that the release was calibrated for. Columns are releases, guesses (of 100,
    of the best attacker), epsilon (the promise's), delta (delivered at it), kept. DistprivError for
    a count below 1 or no promise, NotApplicable for Laplace noise.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> dp.composition.repeated(model, dp.calibrate("OptM", model, guesses=55), [1, 4]).round(2)
       releases  guesses  epsilon  delta   kept
    0         1    55.00      0.0   0.10   True
    1         4    58.76      0.0   0.18  False
    """
    promise = promise_of(model, release, promise)
    if isinstance(counts, int) or not len(counts):
        raise DistprivError(f"Numbers of releases are a list such as [1, 12], not {counts!r}.")
    counts = [integer("A number of releases", count, 1) for count in counts]
    if release.directions is not None:
        raise NotApplicable(_LAPLACE)
    noise = release.covariance
    several = [
        release if noise is None else replace(release, covariance=noise / count) for count in counts
    ]
    judged = verdicts(model, several, [promise] * len(several))
    rows = [
        (count, 100 * one.accuracy.max(), promise.epsilon, one.delivered.max(), one.kept)
        for count, one in zip(counts, judged, strict=True)
    ]
    return pd.DataFrame(rows, columns=["releases", "guesses", "epsilon", "delta", "kept"])
