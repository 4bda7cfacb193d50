"""Distribution privacy and Pufferfish privacy, each expressed as the other (Theorem 3.1).

Both definitions (Chen & Ohrimenko 2023, Definition 2.2; full version, Definition A.1) are
given as finite instantiations. A distribution of datasets may be anything, as the translation
never looks into it; for the δ of a mechanism it is an array of probabilities, one a dataset.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from distpriv.arguments import checked
from distpriv.errors import FrameworkError

__all__ = [
    "DistributionPrivacy",
    "Pufferfish",
    "distribution_deltas",
    "office_example",
    "pufferfish_deltas",
    "to_distribution_privacy",
    "to_pufferfish",
]

FloatArray = NDArray[np.float64]
NamedPair = tuple[Hashable, Hashable]

_SUM = 1e-9


@checked(FrameworkError)
@dataclass(frozen=True, eq=False)
class DistributionPrivacy:
    """An instantiation (Θ, Ψ) of distribution privacy.

    Attributes
    ----------
    thetas : mapping of name to distribution
        Θ.
    pairs : tuple of pairs of names
        Ψ: which of them nobody must tell apart.

    Raises
    ------
    FrameworkError
        If there is no pair, or a pair does not name two different distributions.
    """

    thetas: Mapping[Hashable, Any]
    pairs: tuple[NamedPair, ...]

    def __post_init__(self) -> None:
        _check_pairs(self.pairs, set(self.thetas), "distributions", "Ψ")


@checked(FrameworkError)
@dataclass(frozen=True, eq=False)
class Pufferfish:
    """An instantiation (S, S_pairs, D) of Pufferfish privacy.

    Attributes
    ----------
    secrets : tuple of names
        S: statements about the dataset.
    secret_pairs : tuple of pairs of secrets
        S_pairs: which of them nobody must tell apart; the two exclude each other.
    distributions : mapping of name to (mapping of secret to (probability, distribution))
        D: what attackers may believe. For each secret its probability and the distribution of
        the dataset given that it is true; a secret that is left out has probability 0, and the
        distribution of one with probability 0 is never looked at.

    Raises
    ------
    FrameworkError
        If there is no pair or no belief, a name is unknown, a probability is outside [0, 1], or
        those of two secrets of a pair sum to more than 1.
    """

    secrets: tuple[Hashable, ...]
    secret_pairs: tuple[NamedPair, ...]
    distributions: Mapping[Hashable, Mapping[Hashable, tuple[float, Any]]]

    def __post_init__(self) -> None:
        _check_pairs(self.secret_pairs, set(self.secrets), "secrets", "S_pairs")
        if not self.distributions:
            raise FrameworkError("D needs at least one distribution that attackers may believe in.")
        known, wanted = set(self.secrets), set(self.secret_pairs)
        for name, secrets in self.distributions.items():
            for secret, (probability, _) in secrets.items():
                if secret not in known:
                    raise FrameworkError(
                        f"The distribution {name!r} of D speaks of {secret!r}, which is not among "
                        "the secrets; add it to them."
                    )
                if not 0 <= probability <= 1:
                    raise FrameworkError(
                        f"The probability of {secret!r} under {name!r} must be in [0, 1], got "
                        f"{probability:g}."
                    )
            for first, second in wanted.intersection(permutations(secrets, 2)):
                total = secrets[first][0] + secrets[second][0]
                if total > 1 + _SUM:
                    raise FrameworkError(
                        f"Under {name!r} the secrets {first!r} and {second!r} have probabilities "
                        f"that sum to {total:g}; the two exclude each other, so take at most 1."
                    )

    @property
    def cases(self) -> tuple[tuple[NamedPair, Hashable], ...]:
        """Every secret pair with every distribution under which both may be true."""
        wanted = set(self.secret_pairs)
        pairs = []
        for name, secrets in self.distributions.items():
            possible = [secret for secret, (probability, _) in secrets.items() if probability > 0]
            pairs += [(pair, name) for pair in permutations(possible, 2) if pair in wanted]
        return tuple(pairs)


@checked(FrameworkError)
def to_pufferfish(privacy: DistributionPrivacy, prior: float = 0.5) -> Pufferfish:
    """The same promise as an instantiation of Pufferfish privacy (Theorem 3.1, first half).

    A secret for each θ, "the data come from θ"; for each pair of Ψ a belief that mixes its two
    distributions. The secret of a θ has the name of θ, the belief that of the pair.

    Parameters
    ----------
    privacy : DistributionPrivacy
    prior : float in (0, 1)
        Probability of the first of a pair; the proof takes ½. It does not matter: given the
        secret, what is left of the mixture is θ alone.

    Raises
    ------
    FrameworkError
        If the prior is outside its domain: a secret known to be true, or false, is no secret.
    """
    if not 0 < prior < 1:
        raise FrameworkError(
            f"The probability of the first secret must be in (0, 1), got {prior:g}; at 0 or 1 "
            "there is nothing left to hide."
        )
    return Pufferfish(
        secrets=tuple(privacy.thetas),
        secret_pairs=privacy.pairs,
        distributions={
            (first, second): {
                first: (prior, privacy.thetas[first]),
                second: (1 - prior, privacy.thetas[second]),
            }
            for first, second in privacy.pairs
        },
    )


@checked(FrameworkError)
def to_distribution_privacy(pufferfish: Pufferfish) -> DistributionPrivacy:
    """The same promise as an instantiation of distribution privacy (Theorem 3.1, second half).

    A distribution θ_s for each θ of D and each secret s with Pr(s | θ) ≠ 0, namely θ given s,
    named (s, θ); a pair of Ψ for each secret pair and each θ under which both may be true.

    Raises
    ------
    FrameworkError
        If no secret pair may be true both ways under any distribution: nothing is promised.
    """
    return DistributionPrivacy(
        thetas={
            (secret, name): distribution
            for name, secrets in pufferfish.distributions.items()
            for secret, (probability, distribution) in secrets.items()
            if probability > 0
        },
        pairs=tuple(((first, name), (second, name)) for (first, second), name in pufferfish.cases),
    )


def distribution_deltas(
    privacy: DistributionPrivacy, mechanism: ArrayLike, epsilon: float
) -> dict[NamedPair, float]:
    """δ that a mechanism delivers at ε for every pair of Ψ, in the worse of both orders.

    Parameters
    ----------
    privacy : DistributionPrivacy
        Each θ an array of probabilities, shape (datasets,).
    mechanism : array-like, shape (datasets, outputs)
        Probability of each output given the dataset.
    epsilon : float >= 0

    Raises
    ------
    FrameworkError
        If the mechanism or a distribution does not consist of probabilities, or ε is negative.
    """
    outputs = _mechanism(mechanism, epsilon)
    seen = {
        name: _probabilities(theta, outputs, name) @ outputs
        for name, theta in privacy.thetas.items()
    }
    return {pair: _delta(seen[pair[0]], seen[pair[1]], epsilon) for pair in privacy.pairs}


def pufferfish_deltas(
    pufferfish: Pufferfish, mechanism: ArrayLike, epsilon: float
) -> dict[tuple[NamedPair, Hashable], float]:
    """δ that a mechanism delivers at ε for every case of a Pufferfish instantiation.

    From the joint distribution of secret and output under each belief, by conditioning on the
    secret, as Definition A.1 has it; in the worse of both orders.

    Parameters
    ----------
    pufferfish : Pufferfish
        With arrays of probabilities for distributions, shape (datasets,).
    mechanism, epsilon
        As for :func:`distribution_deltas`, and so are the errors.
    """
    outputs = _mechanism(mechanism, epsilon)

    def given(secret: Hashable, name: Hashable) -> FloatArray:
        probability, theta = pufferfish.distributions[name][secret]
        joint = probability * _probabilities(theta, outputs, secret) @ outputs
        return np.asarray(joint / joint.sum())

    return {
        (pair, name): _delta(given(pair[0], name), given(pair[1], name), epsilon)
        for pair, name in pufferfish.cases
    }


def office_example(prior: float) -> tuple[Pufferfish, FloatArray]:
    """Whether there is flu in an office of ten, and a noisy count of who is ill.

    Three secrets, a careful and a crowded office for beliefs, and a new illness that the careful
    one takes to be impossible; how many of the ten are ill is the dataset.

    Parameters
    ----------
    prior : float in [0, 1]
        How likely an attacker takes flu to be, against no flu.

    Returns
    -------
    Pufferfish
    ndarray, shape (11, 11)
        The count with two-sided geometric noise of ratio e^{-1/2}, cut off at 0 and 10.
    """
    flu, healthy, new = "flu", "no flu", "a new illness"
    counts = np.arange(11)

    def ill(chance: float) -> FloatArray:
        return np.asarray(binom.pmf(counts, 10, chance))

    noise = np.exp(-np.abs(counts[:, None] - counts) / 2)
    return Pufferfish(
        secrets=(flu, healthy, new),
        secret_pairs=((flu, healthy), (new, healthy)),
        distributions={
            "careful office": {
                flu: (prior, ill(0.3)),
                healthy: (1 - prior, ill(0.05)),
                new: (0.0, None),
            },
            "crowded office": {
                flu: (0.9 * prior, ill(0.4)),
                healthy: (0.9 * (1 - prior), ill(0.1)),
                new: (0.1, ill(0.6)),
            },
        },
    ), noise / noise.sum(axis=1, keepdims=True)


def _check_pairs(pairs: tuple[NamedPair, ...], known: set[Hashable], what: str, where: str) -> None:
    if not pairs:
        raise FrameworkError(f"{where} is empty, so nothing is to be hidden; add a pair of {what}.")
    for first, second in pairs:
        for name in (first, second):
            if name not in known:
                raise FrameworkError(
                    f"A pair of {where} names {name!r}, which is not among the {what}; add it to "
                    "them."
                )
        if first == second:
            raise FrameworkError(
                f"A pair of {where} takes two different {what}, got {first!r} twice."
            )


def _mechanism(mechanism: ArrayLike, epsilon: float) -> FloatArray:
    if not epsilon >= 0:
        raise FrameworkError(f"ε must not be negative, got ε = {epsilon:g}.")
    outputs = np.asarray(mechanism, dtype=np.float64)
    if outputs.ndim != 2 or not _sum_to_one(outputs):
        raise FrameworkError(
            "The mechanism must be a table of probabilities, a row a dataset, each summing to 1."
        )
    return outputs


def _probabilities(theta: Any, outputs: FloatArray, name: Hashable) -> FloatArray:
    weights = np.asarray(theta, dtype=np.float64)
    if weights.shape != (len(outputs),) or not _sum_to_one(weights):
        raise FrameworkError(
            f"The distribution of {name!r} must be {len(outputs)} probabilities that sum to 1, one "
            "a dataset."
        )
    return weights


def _sum_to_one(weights: FloatArray) -> bool:
    sums = weights.sum(axis=-1)
    return bool((weights >= 0).all() and (np.abs(sums - 1) <= _SUM).all())


def _delta(p: FloatArray, q: FloatArray, epsilon: float) -> float:
    """Hockey-stick divergence at e^ε, the larger of both orders."""
    factor = math.exp(min(epsilon, 700.0))
    return float(max(np.maximum(p - factor * q, 0).sum(), np.maximum(q - factor * p, 0).sum()))
