"""How far each assumption of a mechanism holds, as measured on the model and on simulations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from distpriv import mechanisms
from distpriv.arguments import checked
from distpriv.errors import ModelError
from distpriv.mechanisms.assumptions import Assumption
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.delivered import ROUNDING, delivered_delta
from distpriv.privacy.exact_laws import ExactLaw
from distpriv.privacy.noise import Noise
from distpriv.robustness.diagnostics import FitDiagnostics
from distpriv.robustness.shifts import Shift
from distpriv.words import exact, number, percent

__all__ = [
    "Assumption",
    "Evidence",
    "Holds",
    "Verdict",
    "by_exact_law",
    "verdicts",
]

FloatArray = NDArray[np.float64]
Holds = Literal["yes", "within chance", "no", "not measured"]

_SAME = 1e-9
_LEVEL = 0.05


@dataclass(frozen=True)
class Verdict:
    """What was measured about one assumption.

    Attributes
    ----------
    assumption : Assumption
    holds : "yes", "within chance", "no" or "not measured"
        "yes": exactly, by computation; "within chance": simulated datasets deviate no more than
        they would if it held; "no": by computation, or by more than chance explains.
    measured, expected : float
        The deviation, and what it stays below, with probability 95 % where it is simulated, if
        the assumption holds exactly. NaN if it was not measured.
    unit : str
        Of both.
    sentence : str
        What was measured, what would be expected, and what follows.
    """

    assumption: Assumption
    holds: Holds
    measured: float
    expected: float
    unit: str
    sentence: str


@dataclass(frozen=True, eq=False)
class Evidence:
    """What verdicts are read from.

    Attributes
    ----------
    model : GaussianModel
        Of every pair.
    focus : int
        Index of the pair that was simulated.
    noise : Noise
        Whose promise it is about.
    shift : Shift or None
        None where datasets cannot be simulated.
    found : FitDiagnostics or None
        None where the datasets do not vary enough for any.
    laws : tuple of ExactLaw, or None
        Of every pair, where they decide what the noise delivers.
    """

    model: GaussianModel
    focus: int
    noise: Noise
    shift: Shift | None
    found: FitDiagnostics | None
    laws: tuple[ExactLaw, ...] | None = None

    @property
    def fit(self) -> PairModel:
        """The pair that was simulated."""
        return self.model.pairs[self.focus]


@checked(ModelError)
def verdicts(assumptions: Iterable[Assumption], evidence: Evidence) -> tuple[Verdict, ...]:
    """A verdict on each assumption, in their order."""
    ways = {
        Assumption.TRANSLATION: _translation,
        Assumption.PARALLEL: _parallel,
        Assumption.GAUSSIAN: _gaussian,
        Assumption.EQUAL_COVARIANCE: _equal_covariance,
        Assumption.SAME_EIGENVECTORS: _same_eigenvectors,
        Assumption.KNOWN_BOUNDS: _known_bounds,
    }
    return tuple(ways[assumption](evidence) for assumption in assumptions)


_NOT_SIMULATED = "A dataset has more records than the sample that simulations draw from."


def _translation(evidence: Evidence) -> Verdict:
    shift, name = evidence.shift, Assumption.TRANSLATION
    if shift is None:
        different = _covariances_differ(evidence)
        sentence = _NOT_SIMULATED + _consequence(evidence)
        holds: Holds = "no" if different else "not measured"
        return Verdict(name, holds, math.nan, math.nan, "standard deviations", sentence)
    worst = int(shift.residuals.argmax())
    residual = float(shift.residuals[worst])
    different = _covariances_differ(evidence)
    sentence = (
        f"After the best shift the simulated values of {evidence.model.query.labels[worst]} at "
        f"one share must still move by {number(residual)} standard deviations on average to become "
        f"those at the other; 0 if the secret only shifted them, up to {number(shift.chance)} by "
        "chance."
        + " It moves in whole steps, which cannot shift by a part of one."
        * bool(shift.in_steps[worst])
        + (
            f" The spread at one share is up to {percent(_spread_change(evidence))} larger "
            "than at the other, which no shift does."
            if different
            else ""
        )
        + _consequence(evidence)
    )
    refuted = different or residual > shift.chance
    return Verdict(
        name,
        "no" if refuted else "within chance",
        residual,
        shift.chance,
        "standard deviations",
        sentence,
    )


def _gaussian(evidence: Evidence) -> Verdict:
    diagnostics, labels = evidence.found, evidence.model.query.labels
    if diagnostics is None:
        nan = math.nan
        exactly, broken = by_exact_law(evidence.model, evidence.noise, evidence.laws)
        sentence = "The simulated datasets do not vary enough to be held against normal curves."
        if evidence.shift is None:
            sentence = _NOT_SIMULATED
        holds: Holds = "no" if broken else "not measured"
        unit = "percentage points"
        return Verdict(Assumption.GAUSSIAN, holds, nan, nan, unit, sentence + exactly)
    beyond = diagnostics.kolmogorov - diagnostics.steps
    group, worst = divmod(int(beyond.argmax()), len(labels))
    # The largest of all of them stays below this with probability 95 %.
    chance = float(stats.kstwo.ppf(1 - _LEVEL / beyond.size, diagnostics.datasets))
    gap, steps = float(diagnostics.kolmogorov[group, worst]), float(diagnostics.steps[group, worst])
    joint = [
        p for test in diagnostics.mardia for p in (test.skewness_p_value, test.kurtosis_p_value)
    ]
    mixed = len(labels) > 1 and min(joint) * len(joint) < _LEVEL
    refuted = float(beyond.max()) > chance or mixed
    hits = diagnostics.accuracy
    exactly, broken = by_exact_law(evidence.model, evidence.noise, evidence.laws)
    rare = f" The rare datasets that δ is about do not show among {exact(diagnostics.datasets)}."
    sentence = (
        f"The curve that fits worst, of {labels[worst]}, misses the share of simulated datasets "
        f"below some value by {100 * gap:.1f} percentage points; chance and the steps it moves in "
        f"explain up to {100 * (chance + steps):.1f}."
        + (" Taken together the statistics are noticeably skewed or heavy-tailed." * mixed)
        + f" An attacker who trusts the curves expects to be right in "
        f"{percent(diagnostics.expected_accuracy)} of cases without noise, and is in "
        f"{percent(hits.estimate)} ({percent(hits.low)} to {percent(hits.high)})."
        + (exactly or rare)
    )
    return Verdict(
        Assumption.GAUSSIAN,
        "no" if refuted or broken else "within chance",
        100 * gap,
        100 * (chance + steps),
        "percentage points",
        sentence,
    )


def by_exact_law(
    model: GaussianModel, noise: Noise, laws: tuple[ExactLaw, ...] | None
) -> tuple[str, bool]:
    """Say what the noise delivers with no curve assumed, and whether that breaks the promise.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise
    laws : tuple of ExactLaw, or None
        Of every pair; None where they do not decide what the noise delivers.

    Returns
    -------
    tuple of (sentence, whether the promise is broken)
        The sentence is empty where there are no laws, or nothing is promised about the secret.
    """
    if laws is None or not mechanisms.get(noise.mechanism).protects:
        return "", False
    delivered = delivered_delta(model, noise, noise.epsilon, law=laws)
    broken = delivered > noise.delta * ROUNDING
    start = (
        " By the exact law of these statistics, which needs no curve, the noise delivers "
        f"δ = {number(delivered)} where {exact(noise.delta)} is promised"
    )
    if broken:
        return f"{start}: an exception, in which the curves promise too much.", True
    return f"{start}: the promise is kept.", False


def _equal_covariance(evidence: Evidence) -> Verdict:
    change, name = _spread_change(evidence), Assumption.EQUAL_COVARIANCE
    if not _covariances_differ(evidence):
        sentence = "Both shares have the same covariance" + (
            ", as far as the simulated datasets tell." if evidence.model.method != "exact" else "."
        )
        holds: Holds = "within chance" if evidence.model.method != "exact" else "yes"
        return Verdict(name, holds, 100 * change, 0.0, "%", sentence + _consequence(evidence))
    mixture = " along some mixture of the statistics" if len(evidence.model.query) > 1 else ""
    sentence = (
        f"The spread at one share is up to {percent(change)} larger than at the other{mixture}; "
        "0\u00a0% if they were equal." + _consequence(evidence)
    )
    return Verdict(name, "no", 100 * change, 0.0, "%", sentence)


def _spread_change(evidence: Evidence) -> float:
    """Largest relative difference of two standard deviations, along any direction."""
    if evidence.found is None:
        first, second = (np.diag(part) for part in evidence.fit.covariances)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = second / first
    else:
        ratios = evidence.found.covariances.eigenvalues
    with np.errstate(divide="ignore"):
        return float(np.sqrt(np.fmax(ratios, 1 / ratios)).max() - 1)


def _covariances_differ(evidence: Evidence) -> bool:
    """By computation; for a simulated fit by more than chance explains."""
    if evidence.model.method == "exact":
        return any(
            float(np.abs(fit.covariances[0] - fit.covariances[1]).max())
            > _SAME * float(np.abs(fit.pooled).max())
            for fit in evidence.model.pairs
        )
    return evidence.found is not None and evidence.found.covariances.p_value < _LEVEL


def _consequence(evidence: Evidence) -> str:
    """What the noise delivers by the exact law, or else to normals with a covariance each."""
    noise = evidence.noise
    if (exactly := by_exact_law(evidence.model, noise, evidence.laws)[0]) != "":
        return exactly
    delivered = delivered_delta(evidence.model, noise, noise.epsilon)
    kept = delivered <= noise.delta * ROUNDING
    return (
        f" By the fitted normals as they are the noise delivers δ = {number(delivered)} where "
        f"{exact(noise.delta)} is promised" + (": the promise is kept." if kept else ".")
    )


def _parallel(evidence: Evidence) -> Verdict:
    differences = evidence.model.differences
    lengths = np.linalg.norm(differences, axis=1)
    moving = lengths > 1e-12 * max(float(lengths.max()), 1e-300)
    directions = differences[moving] / lengths[moving, None]
    if len(directions) < 2:
        sentence = "There is one pair of shares that moves the statistics, so one direction."
        return Verdict(Assumption.PARALLEL, "yes", 0.0, 0.0, "degrees", sentence)
    first, second = np.triu_indices(len(directions), 1)
    # Sines tell small angles, of which cosines know nothing.
    cosines = np.einsum("pm,pm->p", directions[first], directions[second])
    rest = directions[first] - cosines[:, None] * directions[second]
    angles = np.degrees(np.arctan2(np.linalg.norm(rest, axis=1), np.abs(cosines)))
    widest = float(angles.max())
    sentence = (
        f"The averages move along directions up to {number(widest)} degrees apart; 0 if all were "
        "parallel. Noise is spread over all of these directions, so the promise does not need it."
    )
    holds: Holds = "yes" if widest < 1e-6 else "no"
    return Verdict(Assumption.PARALLEL, holds, widest, 0.0, "degrees", sentence)


def _same_eigenvectors(evidence: Evidence) -> Verdict:
    covariances = np.concatenate([fit.covariances for fit in evidence.model.pairs])
    _, axes = np.linalg.eigh(covariances.mean(axis=0))
    turned = axes.T @ covariances @ axes
    spreads = np.sqrt(np.maximum(np.diagonal(turned, axis1=1, axis2=2), 0.0))
    across = spreads[:, :, None] * spreads[:, None, :]
    correlations = np.abs(turned) / np.where(across > 0, across, np.inf)
    left = float((correlations * (1 - np.eye(len(axes)))).max())
    sentence = (
        "Along the axes of the average covariance the statistics at single shares are still "
        f"correlated by up to {number(left)}; 0 if all shares had the same axes."
    )
    sentence += (
        " For several pairs the noise is raised until each of them is hidden with the axes it has."
        if len(evidence.model.pairs) > 1
        else " For one pair the noise takes the axes of the mean of its two covariances, and needs "
        "no others."
    )
    holds: Holds = "yes" if left < _SAME else "no"
    return Verdict(Assumption.SAME_EIGENVECTORS, holds, left, 0.0, "correlation", sentence)


def _known_bounds(evidence: Evidence) -> Verdict:
    model = evidence.model
    leaking = {
        statistic.column
        for statistic in model.query
        if statistic.takes_bounds and statistic.column not in model.public_bounds
    }
    if not leaking:
        sentence = "Every numeric column has bounds that you set, and an indicator is 0 or 1."
    else:
        names = ", ".join(sorted(leaking))
        sentence = (
            f"{len(leaking)} numeric column{'s' * (len(leaking) > 1)} ({names}) without public "
            "bounds; 0 if all had them. The data's own range takes their place, and the size of "
            "the noise gives it away."
        )
    holds: Holds = "no" if leaking else "yes"
    return Verdict(Assumption.KNOWN_BOUNDS, holds, float(len(leaking)), 0.0, "columns", sentence)
