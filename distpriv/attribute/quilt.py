"""The Markov quilt mechanism for distributions of attributes (Zhang et al. 2022, Section 5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from distpriv.arrays import integer, number
from distpriv.attribute.network import BayesianNetwork
from distpriv.display import Progress, Result, tracked
from distpriv.errors import DistprivError
from distpriv.text import listed

__all__ = ["Quilt", "QuiltResult", "markov_quilt", "max_influence"]

_MOST_WORK = 2e9  # numbers that quilts take together, some seconds


@dataclass(frozen=True, repr=False)
class Quilt(Result):
    """Attributes that separate a protected one from others, and the noise that this asks for.

    Attributes
    ----------
    protected : str
    quilt, nearby, remote : frozenset of str
        Q (empty for the trivial quilt), N with the protected attribute, and R.
    influence : float
        e(Q | protected); ∞ where Q can rule a value out.
    sensitivity : float
        Δ_{A∩N} F, of the queried attributes that are nearby.
    scale : float
        Δ_{A∩N} F/(ε − e) of the Laplace noise; 0 where no queried attribute is nearby and e <= ε,
        ∞ where the quilt does not help.

    Examples
    --------
    >>> tables = {"sex": [0.5, 0.5], "height": [[0.5, 0.5], [0.7, 0.3]]}
    >>> network = dp.BayesianNetwork([("sex", "height")], tables)
    >>> result = dp.markov_quilt(network, ["sex"], ["height"], {frozenset({"height"}): 1.0}, 0.4)
    >>> result.quilts
    (Quilt(protected sex, scale 2.5, by the quilt of no attribute), Quilt(...))
    """

    protected: str
    quilt: frozenset[str]
    nearby: frozenset[str]
    remote: frozenset[str]
    influence: float
    sensitivity: float
    scale: float

    def __repr__(self) -> str:
        about = listed(sorted(self.quilt)) or "no attribute"
        kind = type(self).__name__
        return (
            f"{kind}(protected {self.protected}, scale {self.scale:.4g}, by the quilt of {about})"
        )

    @property
    def parts(self) -> dict[str, frozenset[str]]:
        """Attributes by their part, each in one of protected, quilt, nearby and remote."""
        secret = frozenset([self.protected])
        parts = {"protected": secret, "quilt": self.quilt}
        return parts | {"nearby": self.nearby - secret, "remote": self.remote}


@dataclass(frozen=True, eq=False, repr=False)
class QuiltResult(Quilt):
    """Laplace noise that hides every protected attribute; the scale 0 is no noise.

    It is the best quilt of the protected attribute that asks for the most noise, besides:

    Attributes
    ----------
    quilts : tuple of Quilt
        All of them, those of least noise first.
    epsilon : float

    Examples
    --------
    >>> tables = {"sex": [0.5, 0.5], "height": [[0.5, 0.5], [0.7, 0.3]]}
    >>> network = dp.BayesianNetwork([("sex", "height")], tables)
    >>> result = dp.markov_quilt(network, ["sex"], ["height"], {frozenset({"height"}): 1.0}, 0.4)
    >>> round(result.accuracy(beta=0.05), 2)
    7.49
    """

    quilts: tuple[Quilt, ...]
    epsilon: float

    def accuracy(self, beta: float) -> float:
        """Return α = b ln(1/β): the noise is larger than α with the probability β.

        Theorem 4 has b ln(1/(2β)), the tail on one side, where its Definition 3 counts both; it
        also takes the larger of the quilt's scale and Δ_A F/ε, Algorithm 2 the smaller (erratum 7).
        β is above 0 and at most 1.
        """
        number("β", beta, 0, 1, above=True)
        return self.scale * math.log(1 / beta)

    def to_frame(self) -> pd.DataFrame:
        """Return the quilts: protected, quilt, nearby, remote, influence, sensitivity, scale."""
        frame = pd.DataFrame([vars(one) for one in self.quilts])
        for name in ("quilt", "nearby", "remote"):
            frame[name] = [listed(sorted(part)) for part in frame[name]]
        return frame


def max_influence(
    networks: BayesianNetwork | Sequence[BayesianNetwork], attributes: Iterable[str], protected: str
) -> float:
    """Compute e(A | i), sup_θ max_{a,b} max_{φ_A} ln P(φ_A | φ_i = a)/P(φ_A | φ_i = b).

    Definition 7, with Θ one network, or several of equal attributes, states and edges; A some
    attributes, i the protected one. A value of φ_i of probability 0 is no secret; the influence is
    ∞ where a value of A is possible under one value of φ_i and not under another.

    Examples
    --------
    >>> tables = {"sex": [0.5, 0.5], "height": [[0.5, 0.5], [0.7, 0.3]]}
    >>> network = dp.BayesianNetwork([("sex", "height")], tables)
    >>> round(dp.attribute.max_influence(network, ["height"], "sex"), 3)
    0.511
    """
    chosen, worst = sorted([attributes] if isinstance(attributes, str) else attributes), 0.0
    for network in _family(networks):
        joint = network.marginal([protected, *chosen])
        rows = joint.reshape(len(joint), -1)
        rows = rows[rows.sum(axis=1) > 0]
        rows = rows / rows.sum(axis=1, keepdims=True)
        largest, least = rows.max(axis=0), rows.min(axis=0)
        possible = largest > 0
        if (least[possible] == 0).any():
            return math.inf
        worst = max(worst, float(np.log(largest[possible] / least[possible]).max()))
    return worst


def markov_quilt(
    networks: BayesianNetwork | Sequence[BayesianNetwork],
    protected: Iterable[str],
    query: Iterable[str],
    sensitivity: Mapping[frozenset[str], float],
    epsilon: float,
    largest: int = 4,
    progress: Progress = None,
) -> QuiltResult:
    """Compute Laplace noise for a query whose attributes' parameters form a network (APMQM).

    Algorithm 2: b_i = min(Δ_A F/ε, Δ_{A∩N} F/(ε − e(Q | i)) over the quilts with e < ε), and the
    largest over i.

    Parameters
    ----------
    networks : BayesianNetwork or sequence of BayesianNetwork
        Θ, as for `max_influence`.
    protected, query : iterable of str
        Protected attributes, and the attributes A of the query.
    sensitivity : mapping of frozenset of str to float
        Δ of sets of the query's attributes, at least that of all of them. A set without one has
        that of the smallest set around it.
    epsilon : float
        Above 0.
    largest : int
        Most attributes of a quilt, from 0 on; more take longer, and can only mean less noise.
    progress : bool or callable, optional
        See :func:`distpriv.run_attack`; of the quilts that are done and their number.

    Raises
    ------
    DistprivError
        If an attribute is not there, a sensitivity lacks or grows with fewer attributes, ε is not
        above 0, or so many states would take minutes.

    Examples
    --------
    >>> tables = {"sex": [0.5, 0.5], "height": [[0.5, 0.5], [0.7, 0.3]]}
    >>> network = dp.BayesianNetwork([("sex", "height")], tables)
    >>> dp.markov_quilt(network, ["sex"], ["height"], {frozenset({"height"}): 1.0}, epsilon=0.4)
    QuiltResult(protected sex, scale 2.5, by the quilt of no attribute)
    """
    family = _family(networks)
    names, secret_names = ([one] if isinstance(one, str) else one for one in (query, protected))
    network, queried, secrets = family[0], frozenset(names), list(dict.fromkeys(secret_names))
    network.check_nodes([*secrets, *queried])
    if not secrets or not queried:
        raise DistprivError("Choose at least one protected and one released attribute.")
    number("ε", epsilon, 0, above=True)
    integer("The largest number of attributes of a quilt", largest, 0)
    deltas = _sensitivities(queried, sensitivity)
    if len(family) * sum(_work(network, one, largest) for one in secrets) > _MOST_WORK:
        raise DistprivError(
            "The quilts of this network would take minutes; protect fewer attributes, or take a "
            "network of fewer states, fewer edges or fewer attributes."
        )
    tried = [
        (secret, frozenset(nodes))
        for secret in secrets
        for others in [[node for node in network.nodes if node != secret]]
        for size in range(min(largest, len(others)) + 1)
        for nodes in combinations(others, size)
    ]
    quilts = [
        _quilt(family, *one, queried, deltas, epsilon)
        for one in tracked(tried, len(tried), "Quilts", progress)
    ]
    quilts.sort(key=lambda one: (one.scale, len(one.quilt)))
    best = [next(one for one in quilts if one.protected == secret) for secret in secrets]
    binding = max(best, key=lambda one: one.scale)
    return QuiltResult(**vars(binding), quilts=tuple(quilts), epsilon=epsilon)


def _work(network: BayesianNetwork, secret: str, largest: int) -> float:
    """Return about how many numbers the quilts of an attribute take: states of quilts and cliques.

    The largest clique is that of a tree decomposition of the moral graph.
    """
    import networkx as nx
    from networkx.algorithms.approximation import treewidth_min_fill_in

    sizes = {node: float(len(names)) for node, names in network.states.items()}
    _, tree = treewidth_min_fill_in(nx.moral_graph(network.graph))
    clique = max(math.prod(sizes[node] for node in bag) for bag in tree)
    sums = [1.0] + [0.0] * largest  # of products of so many sizes
    for node in sizes.keys() - {secret}:
        sums = [1.0, *(one + sizes[node] * less for less, one in pairwise(sums))]
    quilts = sum(math.comb(len(sizes) - 1, size) for size in range(largest + 1))
    every = quilts * math.prod(sizes.values())  # the joint law of all attributes, each time
    return min(sum(sums) * sizes[secret] * clique, every) * len(sizes)


def _quilt(
    family: tuple[BayesianNetwork, ...],
    secret: str,
    nodes: frozenset[str],
    queried: frozenset[str],
    deltas: Mapping[frozenset[str], float],
    epsilon: float,
) -> Quilt:
    remote = family[0].remote(secret, nodes)
    nearby = frozenset(family[0].nodes) - nodes - remote
    close = queried & nearby
    delta = min(value for names, value in deltas.items() if names >= close) if close else 0.0
    influence = max_influence(family, nodes, secret) if nodes else 0.0
    rest = epsilon - influence
    scale = delta / rest if rest > 0 else 0.0 if rest == delta == 0 else math.inf
    return Quilt(secret, nodes, nearby, remote, influence, delta, scale)


def _family(networks: BayesianNetwork | Sequence[BayesianNetwork]) -> tuple[BayesianNetwork, ...]:
    family = tuple(networks) if isinstance(networks, Sequence) else (networks,)
    if not all(isinstance(one, BayesianNetwork) for one in family):
        raise DistprivError(f"A BayesianNetwork is needed here, not {networks!r:.60}.")
    if not family or any(
        set(other.edges) != set(family[0].edges) or other.states != family[0].states
        for other in family
    ):
        raise DistprivError(
            "Give at least one network, and all of the same attributes, states and edges."
        )
    return family


def _sensitivities(
    queried: frozenset[str], sensitivity: Mapping[frozenset[str], float]
) -> dict[frozenset[str], float]:
    if not isinstance(sensitivity, Mapping) or any(isinstance(one, str) for one in sensitivity):
        raise DistprivError(
            "Sensitivities are those of sets, such as {frozenset({'height'}): 1.0}."
        )
    deltas = {
        frozenset(names): number("A sensitivity", one, 0) for names, one in sensitivity.items()
    }
    if queried not in deltas:
        raise DistprivError(
            f"The sensitivity of {listed(sorted(queried))} together is not there; give it."
        )
    for names, value in deltas.items():
        if not names <= queried:
            raise DistprivError(
                f"The sensitivity of {listed(sorted(names))} must be a number from 0 on, of "
                "attributes of the query."
            )
        if any(value > other for more, other in deltas.items() if names < more):
            raise DistprivError(
                f"The sensitivity of {listed(sorted(names))} is larger than that of more "
                "attributes, which cannot be; correct one of them."
            )
    return deltas
