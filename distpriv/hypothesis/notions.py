"""How notions of privacy relate, and distribution privacy as Pufferfish privacy."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Hashable, Mapping
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from distpriv.arrays import FloatArray, number, numbers
from distpriv.errors import DistprivError
from distpriv.privacy.loss import FiniteLoss
from distpriv.text import one_of

__all__ = ["FRAMEWORKS", "RELATIONS", "DistributionPrivacy", "Framework", "Pufferfish"]
__all__ += ["Relation", "convert", "delivered", "to_distribution_privacy", "to_pufferfish"]

Pairs = tuple[tuple[Hashable, Hashable], ...]
Beliefs = Mapping[Any, Mapping[Hashable, tuple[float, Any]]]


class Framework(NamedTuple):
    """Describe a notion of privacy: what it protects, and which two inputs must look alike.

    Examples
    --------
    >>> dp.hypothesis.FRAMEWORKS["DP"].name
    'Differential privacy'
    """

    name: str
    protects: str
    neighbours: str
    source: str


_TEXT = files("distpriv").joinpath("hypothesis/notions.toml").read_text("utf-8")
FRAMEWORKS = {key: Framework(**entry) for key, entry in tomllib.loads(_TEXT).items()}
"""Notions of privacy by their keys."""


class Relation(NamedTuple):
    """State that ε of the smaller notion is at most a factor times that of the larger.

    Examples
    --------
    >>> dp.hypothesis.RELATIONS[0]
    Relation(smaller='DP', larger='DDP', factor=1.0, independent=False)
    """

    smaller: str
    larger: str
    factor: float = 1.0
    independent: bool = False


RELATIONS = (
    Relation("DP", "DDP"),
    Relation("DDP", "IP"),
    Relation("IP", "DDP"),
    Relation("DDP", "BP"),
    Relation("DDP", "MP", 2.0),
    Relation("MIDP", "MP"),
    Relation("BP", "DP", independent=True),
)
"""Theorem 7 of Liu et al. (2019), and for independent records Propositions 1 and 2."""


def convert(
    epsilon: float, framework: str, *, independent: bool = False
) -> dict[str, tuple[float, float]]:
    """Compute what ε can be in every notion, at equal attackers, by every chain of `RELATIONS`.

    ε, from 0 on, is of the notion `framework`, a key of `FRAMEWORKS`; records may be independent.
    It returns least and largest ε by notion. Pufferfish and distribution privacy have other
    secrets, so that nothing follows for them or from them: 0 and ∞.

    Examples
    --------
    >>> dp.hypothesis.convert(1.0, "MP")["DDP"]
    (0.0, 2.0)
    """
    one_of("notion", framework, FRAMEWORKS)
    number("ε", epsilon, 0)
    low, high = dict.fromkeys(FRAMEWORKS, 0.0), dict.fromkeys(FRAMEWORKS, math.inf)
    low[framework] = high[framework] = float(epsilon)
    for _ in FRAMEWORKS:
        for one in RELATIONS:
            if independent or not one.independent:
                high[one.smaller] = min(high[one.smaller], one.factor * high[one.larger])
                low[one.larger] = max(low[one.larger], low[one.smaller] / one.factor)
    return {key: (low[key], high[key]) for key in FRAMEWORKS}


class DistributionPrivacy(NamedTuple):
    """Hold (Θ, Ψ): distributions by name, and pairs of names that must look alike.

    Examples
    --------
    >>> thetas = {"low": [0.8, 0.2], "high": [0.7, 0.3]}
    >>> dp.hypothesis.DistributionPrivacy(thetas, (("low", "high"),))
    DistributionPrivacy(2 distributions, 1 pair)
    """

    thetas: Mapping[Hashable, Any]
    pairs: Pairs

    def __repr__(self) -> str:
        several = "pair" if len(self.pairs) == 1 else "pairs"
        return f"DistributionPrivacy({len(self.thetas)} distributions, {len(self.pairs)} {several})"


class Pufferfish(NamedTuple):
    """Hold (S, S_pairs, D): a belief maps secrets to their probability and the law given each.

    Examples
    --------
    >>> beliefs = {"even": {"ill": (0.5, [0.3, 0.7]), "well": (0.5, [0.6, 0.4])}}
    >>> dp.hypothesis.Pufferfish(("ill", "well"), (("ill", "well"),), beliefs)
    Pufferfish(2 secrets, 1 pairs, 1 beliefs)
    """

    secrets: tuple[Hashable, ...]
    pairs: Pairs
    beliefs: Beliefs

    def __repr__(self) -> str:
        counts = f"{len(self.pairs)} pairs, {len(self.beliefs)} beliefs"
        return f"Pufferfish({len(self.secrets)} secrets, {counts})"


def to_pufferfish(privacy: DistributionPrivacy, prior: float = 0.5) -> Pufferfish:
    """Write distribution privacy as Pufferfish privacy (Chen & Ohrimenko, full version, Thm 3.1).

    Each θ makes a secret, that the data come from it, and each pair of Ψ a belief that mixes both.
    The prior of the first, above 0 and below 1, does not matter to what is promised. DistprivError
    if a pair names no distribution.

    Examples
    --------
    >>> thetas = {"low": [0.8, 0.2], "high": [0.7, 0.3]}
    >>> privacy = dp.hypothesis.DistributionPrivacy(thetas, (("low", "high"),))
    >>> dp.hypothesis.to_pufferfish(privacy)
    Pufferfish(2 secrets, 1 pairs, 1 beliefs)
    """
    number("A prior", prior, 0, 1, above=True, below=True)
    thetas = _known(privacy)
    beliefs = {(a, b): {a: (prior, thetas[a]), b: (1 - prior, thetas[b])} for a, b in privacy.pairs}
    return Pufferfish(tuple(thetas), privacy.pairs, beliefs)


def to_distribution_privacy(pufferfish: Pufferfish) -> DistributionPrivacy:
    """Write Pufferfish privacy as distribution privacy: a θ for each secret that a belief allows.

    It is named (secret, belief). Pairs are those of S_pairs of which a belief allows both secrets.

    Examples
    --------
    >>> beliefs = {"even": {"ill": (0.5, [0.3, 0.7]), "well": (0.5, [0.6, 0.4])}}
    >>> pufferfish = dp.hypothesis.Pufferfish(("ill", "well"), (("ill", "well"),), beliefs)
    >>> dp.hypothesis.to_distribution_privacy(pufferfish).pairs
    ((('ill', 'even'), ('well', 'even')),)
    """
    if not isinstance(pufferfish, Pufferfish):
        raise DistprivError(f"A Pufferfish is needed here, not {pufferfish!r:.60}.")
    allowed = {
        name: {secret: law for secret, (mass, law) in belief.items() if mass > 0}
        for name, belief in pufferfish.beliefs.items()
    }
    thetas: Mapping[Hashable, Any] = {
        (secret, name): law for name, laws in allowed.items() for secret, law in laws.items()
    }
    pairs = (
        ((a, name), (b, name))
        for name, laws in allowed.items()
        for a, b in pufferfish.pairs
        if a in laws and b in laws
    )
    return DistributionPrivacy(thetas, tuple(pairs))


def delivered(
    privacy: DistributionPrivacy, mechanism: ArrayLike, epsilon: float
) -> dict[tuple[Hashable, Hashable], float]:
    """Compute δ of a mechanism for every pair, in the worse order, where all is finite.

    Whatever is made of the outputs, a stochastic matrix multiplied from the right, delivers no more
    (post-processing, Proposition A.2), nor does a mixture of mechanisms than the worse (A.3).

    Each θ is a vector of probabilities of the datasets, the mechanism, (datasets, outputs), those
    of the outputs given each dataset; ε is a number, for a promise from 0 on. DistprivError if a
    pair names no distribution, or probabilities do not fit.

    Examples
    --------
    >>> thetas = {"low": [0.8, 0.2], "high": [0.7, 0.3]}
    >>> privacy = dp.hypothesis.DistributionPrivacy(thetas, (("low", "high"),))
    >>> delta = dp.hypothesis.delivered(privacy, [[0.75, 0.25], [0.25, 0.75]], epsilon=0)
    >>> round(delta["low", "high"], 3)
    0.05
    """
    number("ε", epsilon)
    channel, thetas = _laws("the outputs", mechanism), _known(privacy)
    for name, theta in thetas.items():
        if channel.ndim != 2 or np.shape(theta) != channel.shape[:1]:
            raise DistprivError(
                f"A mechanism has a row a dataset, as many as {name!r} has probabilities, not the "
                f"shape {channel.shape}."
            )
    laws = {name: _laws(name, theta) @ channel for name, theta in thetas.items()}
    return {
        (a, b): float(max(FiniteLoss(laws[x], laws[y]).delta(epsilon) for x, y in ((a, b), (b, a))))
        for a, b in privacy.pairs
    }


def _known(privacy: DistributionPrivacy) -> Mapping[Hashable, Any]:
    """Distributions by name, once every pair's are there."""
    if not isinstance(privacy, DistributionPrivacy):
        raise DistprivError(f"A DistributionPrivacy is needed here, not {privacy!r:.60}.")
    for name in (one for pair in privacy.pairs for one in pair):
        if name not in privacy.thetas:
            raise DistprivError(f"A pair names {name!r}, but there is no such distribution.")
    return privacy.thetas


def _laws(name: Hashable, masses: ArrayLike) -> FloatArray:
    """Probabilities along the last axis, checked."""
    law = numbers(f"A probability of {name!r}", masses, 0)
    if not law.ndim or not np.allclose(law.sum(-1), 1, rtol=0, atol=1e-9):
        raise DistprivError(f"Probabilities of {name!r} must not be negative, and sum to 1.")
    return law
