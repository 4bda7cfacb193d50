"""How much a protected parameter shifts the odds of others, and what separates it from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.attribute.network import BayesianNetwork
from distpriv.errors import NetworkError
from distpriv.words import exact

__all__ = ["LARGEST_QUILT", "Networks", "Quilt", "family_of", "find_quilts", "max_influence"]

FloatArray = NDArray[np.float64]
Networks = BayesianNetwork | Sequence[BayesianNetwork]

LARGEST_QUILT = 4
_MOST_QUILTS = 20_000


@dataclass(frozen=True)
class Quilt:
    """A set of attributes that separates a protected one from others.

    Attributes
    ----------
    protected : str
    quilt : frozenset of str
        Q; empty for the trivial one.
    nearby : frozenset of str
        N, not d-separated from the protected attribute by Q; itself included.
    remote : frozenset of str
        R, d-separated from it by Q.
    influence : float
        e(Q | protected), the max-influence; infinite where Q can rule a value out.
    """

    protected: str
    quilt: frozenset[str]
    nearby: frozenset[str]
    remote: frozenset[str]
    influence: float


def family_of(networks: Networks) -> tuple[BayesianNetwork, ...]:
    """Θ as a tuple; raises NetworkError if it is empty or its graphs differ."""
    family = (networks,) if isinstance(networks, BayesianNetwork) else tuple(networks)
    if not family:
        raise NetworkError("Θ needs at least one network.")
    first = family[0]
    for other in family[1:]:
        if (
            other.nodes != first.nodes
            or set(other.edges) != set(first.edges)
            or any(other.names(node) != first.names(node) for node in first.nodes)
        ):
            raise NetworkError(
                "The networks of Θ must have the same attributes, states and edges; they may "
                "differ in their tables only."
            )
    return family


@checked(NetworkError)
def max_influence(networks: Networks, attributes: Iterable[str], protected: str) -> float:
    """How much a protected parameter can shift the odds of what others are.

    e(A | i) = sup_θ max_{a,b} max_{φ_A} ln P(φ_A | φ_i = a)/P(φ_A | φ_i = b) (Zhang et al. 2022,
    Definition 7), by enumeration.

    Parameters
    ----------
    networks : BayesianNetwork or sequence of BayesianNetwork
        Θ: the same graph with one or several sets of tables.
    attributes : iterable of str
        A, without the protected one.
    protected : str
        i. A value of it that has probability 0 is no secret and left out.

    Returns
    -------
    float
        Infinite where a value of A is possible under one value of i and not under another.

    Raises
    ------
    NetworkError
        If an attribute is unknown, or the protected one is among the others.
    """
    family, chosen = family_of(networks), frozenset(attributes)
    family[0].check_known([protected, *chosen])
    if protected in chosen:
        raise NetworkError(f"{protected!r} cannot be among the attributes that it influences.")
    return max(_largest_ratio(_marginal(network, protected, chosen)) for network in family)


def _marginal(network: BayesianNetwork, first: str, others: frozenset[str]) -> FloatArray:
    kept = {first, *others}
    dropped = tuple(axis for axis, node in enumerate(network.nodes) if node not in kept)
    axis = [node for node in network.nodes if node in kept].index(first)
    return np.moveaxis(network.joint().sum(axis=dropped), axis, 0)


def _largest_ratio(joint: FloatArray) -> float:
    """Largest log ratio between rows of P(φ_A | φ_i), from P(φ_i, φ_A), shape (states, ...)."""
    rows = joint.reshape(len(joint), -1)
    totals = rows.sum(axis=1)
    conditional = rows[totals > 0] / totals[totals > 0, None]
    most, least = conditional.max(axis=0), conditional.min(axis=0)
    possible = most > 0
    if not least[possible].all():
        return math.inf
    return float(np.log(most[possible] / least[possible]).max(initial=0.0))


@checked(NetworkError)
def find_quilts(
    networks: Networks, protected: str, largest: int = LARGEST_QUILT
) -> tuple[Quilt, ...]:
    """Every quilt of a protected attribute up to a size, with its max-influence.

    The empty quilt is always among them: its nearby set is all that depends on the protected
    attribute. Each set of attributes makes one quilt, the one with the most remote attributes.

    Parameters
    ----------
    networks : BayesianNetwork or sequence of BayesianNetwork
        Θ: the same graph with one or several sets of tables.
    protected : str
    largest : int
        Most attributes in a quilt. Larger quilts that are left out can only mean more noise
        than needed, never less.

    Raises
    ------
    NetworkError
        If the attribute is unknown or there are too many quilts to look at.
    """
    family = family_of(networks)
    network = family[0]
    network.check_known([protected])
    others = [node for node in network.nodes if node != protected]
    size = min(largest, len(others))
    count = sum(math.comb(len(others), chosen) for chosen in range(size + 1))
    if largest < 0 or largest % 1 or count > _MOST_QUILTS:
        raise NetworkError(
            f"Quilts of up to {largest} of {len(others)} attributes cannot be gone through; take "
            f"a whole number that leaves at most {exact(_MOST_QUILTS)} of them, such as "
            f"{LARGEST_QUILT}."
        )
    influences: dict[tuple[str, ...], float] = {}

    def note(kept: tuple[str, ...], marginal: FloatArray) -> None:
        influences[kept] = max(influences.get(kept, 0.0), _largest_ratio(marginal))

    for member in family:
        axis = member.nodes.index(protected)
        _visit(np.moveaxis(member.joint(), axis, 0), others, (), size, note)
    quilts = []
    for chosen in range(size + 1):
        for nodes in combinations(others, chosen):
            quilt = frozenset(nodes)
            remote = network.remote(protected, quilt)
            nearby = frozenset(network.nodes) - quilt - remote
            quilts.append(Quilt(protected, quilt, nearby, remote, influences[nodes]))
    return tuple(quilts)


def _visit(
    joint: FloatArray,
    rest: list[str],
    kept: tuple[str, ...],
    largest: int,
    note: Callable[[tuple[str, ...], FloatArray], None],
) -> None:
    """Tell every marginal of the first axis with up to so many others, sums shared between them.

    The axes of ``joint`` are the protected attribute, those kept, and the rest.
    """
    axis = 1 + len(kept)
    if not rest or len(kept) == largest:
        note(kept, joint.sum(axis=tuple(range(axis, joint.ndim))))
        return
    _visit(joint.sum(axis=axis), rest[1:], kept, largest, note)
    _visit(joint, rest[1:], (*kept, rest[0]), largest, note)
