"""What somebody who holds one of two shares for likely believes after a release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import expit, logit

from distpriv.arguments import Within, checked
from distpriv.attacks.optimal import likelihood_ratio
from distpriv.attacks.pair_normals import PairNormals
from distpriv.errors import AttackError
from distpriv.model.gaussian import PairModel
from distpriv.model.sampling import RandomState
from distpriv.privacy.coset_loss import CosetLoss
from distpriv.privacy.covered import coset_loss, holding
from distpriv.privacy.likelihood_ratio import LikelihoodRatio
from distpriv.privacy.noise import Noise

__all__ = ["ShareBelief", "share_belief"]

_ONE_DIRECTION, _SEVERAL = 20_000, 4_000  # draws under each share, of a release with Laplace noise


@dataclass(frozen=True)
class ShareBelief:
    """Beliefs in the second of two shares, before a release and after it.

    Attributes
    ----------
    prior : float in (0, 1)
        Before.
    low, high : float in [0, 1]
        After, in at least `confidence` of releases, whichever of the two shares is true.
    right : float in [0.5, 1]
        How often whoever believes so, and sees the release, names the right share.
    confidence : float in (0, 1)
    simulated : bool
        Whether the three are from draws.
    """

    prior: float
    low: float
    high: float
    right: float
    confidence: float
    simulated: bool

    @property
    def right_before(self) -> float:
        """How often they name the right share without the release."""
        return max(self.prior, 1 - self.prior)


@checked(AttackError)
def share_belief(
    fit: PairModel,
    noise: Noise | None,
    prior: Annotated[float, Within(0, 1)],
    *,
    confidence: Annotated[float, Within(0, 1)] = 0.95,
    rng: RandomState = 0,
) -> ShareBelief:
    """How far a release moves a belief in one of two shares, by the fitted normals.

    Bayes' rule: the odds of the second share are multiplied by the likelihood ratio of the release.
    Its (1 − confidence)/2 quantile under the first share and the one from above under the second
    are the ends, as the ratio is stochastically larger under the second. The test that asks
    whether the odds are above one is the best for this prior (Neyman & Pearson 1933). For Gaussian
    noise as :class:`distpriv.privacy.likelihood_ratio.LikelihoodRatio` has it, exact; for Laplace
    noise from draws. Where arithmetic undoes the noise, of a release without noise.

    Parameters
    ----------
    fit : PairModel
    noise : Noise or None
    prior : float in (0, 1)
        Probability of the second share.
    confidence : float in (0, 1)
    rng : Generator, int or None
        For the draws; the same by default.

    Raises
    ------
    AttackError
        If a probability is 0 or 1.
    """
    for name, value in (("prior", prior), ("confidence", confidence)):
        if not 0 < value < 1:
            raise AttackError(f"The {name} must lie between 0 and 1, got {value:g}.")
    tail, threshold, odds = (1 - confidence) / 2, -float(logit(prior)), float(logit(prior))
    held = holding(fit, noise)
    laplace = held is not None and held.distribution == "laplace" and not held.is_zero
    if laplace:
        assert held is not None
        low, high, false, true = _drawn(fit, held, tail, threshold, rng)
    elif (told := coset_loss(fit, held)) is not None:
        low, high, false, true = _counted(told, tail, threshold)
    else:
        ratio = likelihood_ratio([(fit, held)])
        added = 0.0 if held is None or held.is_zero else held.covariance
        other = LikelihoodRatio.between(fit.means[None, ::-1], fit.covariances[None, ::-1] + added)
        low, high = -float(other.threshold(tail)[0]), float(ratio.threshold(tail)[0])
        tails = ratio.tails(threshold)
        false, true = float(tails.second[0]), float(tails.first[0])
    right = prior * true + (1 - prior) * (1 - false)
    return ShareBelief(
        prior,
        float(expit(odds + min(low, 0.0))),
        float(expit(odds + max(high, 0.0))),
        min(max(right, prior, 1 - prior), 1.0),
        confidence,
        laplace,
    )


def _counted(loss: CosetLoss, tail: float, threshold: float) -> tuple[float, float, float, float]:
    """Return quantiles of the log-likelihood ratio, and how often it is above a threshold.

    Of a release whose last digits tell how many records have the property.
    """
    order = np.argsort(-loss.log_ratios)
    ratios, first, second = -loss.log_ratios[order], loss.first[order], loss.second[order]
    last = len(ratios) - 1
    low = ratios[min(int(np.searchsorted(np.cumsum(first), tail)), last)]
    high = ratios[last - min(int(np.searchsorted(np.cumsum(second[::-1]), tail)), last)]
    above = ratios > threshold
    return float(low), float(high), float(first[above].sum()), float(second[above].sum())


def _drawn(
    fit: PairModel, noise: Noise, tail: float, threshold: float, rng: RandomState
) -> tuple[float, float, float, float]:
    """Quantiles of the log-likelihood ratio, and how often it is above a threshold, from draws."""
    generator = np.random.default_rng(rng)
    size = _ONE_DIRECTION if np.count_nonzero(noise.scales) == 1 else _SEVERAL
    normals = PairNormals(fit.means, fit.covariances)
    ratios = []
    for mean, covariance in zip(fit.means, fit.covariances, strict=True):
        clear = generator.multivariate_normal(mean, covariance, size, method="eigh")
        ratios.append(normals.log_ratios(clear + noise.sample(size, generator), noise))
    first, second = ratios
    low, high = float(np.quantile(first, tail)), float(np.quantile(second, 1 - tail))
    if math.isnan(low) or math.isnan(high):
        return -math.inf, math.inf, 0.0, 1.0  # what cannot be computed hides nothing
    return low, high, float((first > threshold).mean()), float((second > threshold).mean())
