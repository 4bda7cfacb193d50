"""The Markov quilt mechanism for distributional attribute privacy (Zhang et al. 2022, Sec. 5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from distpriv.arguments import checked
from distpriv.attribute.gaussian import check_alpha, check_beta
from distpriv.attribute.influence import (
    LARGEST_QUILT,
    Networks,
    Quilt,
    family_of,
    find_quilts,
)
from distpriv.errors import AttributePrivacyError, NetworkError
from distpriv.privacy.calibration import check_epsilon
from distpriv.privacy.noise import Noise

__all__ = ["QuiltResult", "ScaledQuilt", "markov_quilt", "scale_quilts"]

Sensitivity = Mapping[frozenset[str], float]


@dataclass(frozen=True)
class ScaledQuilt(Quilt):
    """A quilt with the noise that it asks for.

    Attributes
    ----------
    sensitivity : float
        Δ_{A∩N} F, of the queried attributes that are nearby.
    scale : float
        b = Δ_{A∩N} F/(ε − e) of the Laplace noise, 0 where nothing queried is nearby and e ≤ ε;
        infinite where the quilt does not help.
    chosen : bool
        Whether no other quilt of the protected attribute asks for less.
    """

    sensitivity: float
    scale: float
    chosen: bool


@dataclass(frozen=True, eq=False)
class QuiltResult:
    """Laplace noise that hides every protected attribute of a distribution.

    Attributes
    ----------
    scale : float
        b, the largest of the protected attributes'; 0 is no noise.
    binding : ScaledQuilt
        The chosen quilt of the protected attribute that asks for the most noise.
    quilts : tuple of ScaledQuilt
        All that were found, for every protected attribute, those of least noise first.
    epsilon : float
    """

    scale: float
    binding: ScaledQuilt
    quilts: tuple[ScaledQuilt, ...]
    epsilon: float

    @property
    def quilt(self) -> frozenset[str]:
        """Q of the binding quilt."""
        return self.binding.quilt

    @property
    def nearby(self) -> frozenset[str]:
        """N of the binding quilt."""
        return self.binding.nearby

    @property
    def remote(self) -> frozenset[str]:
        """R of the binding quilt."""
        return self.binding.remote

    @property
    def influence(self) -> float:
        """Max-influence of the binding quilt."""
        return self.binding.influence

    @property
    def noise(self) -> Noise:
        """Lap(b) on the query's one value, to draw from."""
        count = 1 if self.scale else 0
        return Noise(
            mechanism="Markov quilt",
            distribution="laplace",
            directions=np.ones((1, count)),
            scales=np.full(count, self.scale),
            epsilon=self.epsilon,
            delta=0.0,
        )

    def accuracy(self, beta: float) -> float:
        """α such that the answer moves by more with probability β only: b ln(1/β).

        Erratum: Theorem 4 of Zhang et al. (2022) has b ln(1/(2β)), the tail on one side, where
        its Definition 3 counts errors on both (:meth:`paper_accuracy`); it also takes the larger
        of the quilt's scale and Δ_A F/ε, where Algorithm 2 takes the smaller.

        Parameters
        ----------
        beta : float in (0, 1)

        Raises
        ------
        AttributePrivacyError
            If β is outside its domain.
        """
        return self.scale * math.log(1 / check_beta(beta))

    def paper_accuracy(self, beta: float) -> float:
        """The same with the tail of Theorem 4 as it is printed, b ln(1/(2β)); 0 from β = ½ on."""
        return self.scale * max(math.log(1 / (2 * check_beta(beta))), 0.0)

    def failure(self, alpha: float) -> float:
        """β, the probability that the answer moves by more than α: e^(−α/b).

        Parameters
        ----------
        alpha : float >= 0

        Raises
        ------
        AttributePrivacyError
            If α is negative or not finite.
        """
        distance = check_alpha(alpha)
        return math.exp(-distance / self.scale) if self.scale else 0.0


@checked(NetworkError)
def markov_quilt(
    networks: Networks,
    protected: Iterable[str],
    query: Iterable[str],
    sensitivity: Sensitivity,
    epsilon: float,
    largest: int = LARGEST_QUILT,
) -> QuiltResult:
    r"""Laplace noise that hides the distribution of protected attributes.

    Algorithm 2 of Zhang et al. (2022): :math:`b_i = \Delta_AF/\varepsilon`, lowered to
    :math:`\Delta_{A\cap N}F/(\varepsilon - e(Q \mid i))` by every quilt with e(Q | i) < ε, and to
    0 by one with nothing queried nearby and e(Q | i) ≤ ε; the noise is Lap(max b_i). It promises
    (ε, 0). A protected attribute in the query is nearby to itself.

    In its Example 1 the paper takes the quilt {gender} for the count of students who are tall
    and have a high SAT score, Lap(Δ_SAT/(ε − e(gender | income))). The algorithm finds less: for
    such a count Δ of the scores alone is that of the whole query, so that the empty quilt with
    Δ/ε is better; and where it is smaller, {height} leaves the same Δ at no more influence.

    Parameters
    ----------
    networks : BayesianNetwork or sequence of BayesianNetwork
        Θ: the same graph with one or several sets of tables.
    protected : iterable of str
        At least one.
    query : iterable of str
        A, the attributes that the released value is computed from; at least one.
    sensitivity : mapping of frozenset of str to float
        Δ_S F, how far the released value can move if all columns of S change, for sets S of
        queried attributes; for all of them at least. It grows with S, so the least value given
        for a larger set stands for one that is not given.
    epsilon : float in (0, 10⁶]
    largest : int
        Most attributes in a quilt.

    Returns
    -------
    QuiltResult

    Raises
    ------
    NetworkError
        If an attribute is unknown or there are too many quilts to look at.
    AttributePrivacyError
        If nothing is protected or queried, or a sensitivity is missing, negative, not finite,
        of attributes outside the query, or larger than that of a larger set.
    CalibrationError
        If ε is outside its domain.
    """
    hidden, asked = tuple(dict.fromkeys(protected)), frozenset(query)
    family_of(networks)[0].check_known([*hidden, *asked])
    quilts = {node: find_quilts(networks, node, largest) for node in hidden}
    return scale_quilts(quilts, asked, sensitivity, epsilon)


def scale_quilts(
    quilts: Mapping[str, Sequence[Quilt]],
    query: Iterable[str],
    sensitivity: Sensitivity,
    epsilon: float,
) -> QuiltResult:
    """The rest of :func:`markov_quilt`, from the quilts of each protected attribute."""
    check_epsilon(epsilon)
    asked = frozenset(query)
    if not quilts or not asked:
        raise AttributePrivacyError(
            "Choose at least one attribute to protect and one that the query is about."
        )
    deltas = _checked(sensitivity, asked)
    results: list[ScaledQuilt] = []
    chosen: list[ScaledQuilt] = []
    for candidates in quilts.values():
        scaled = sorted(
            (_scaled(quilt, asked, deltas, epsilon) for quilt in candidates),
            key=_order,
        )
        best = ScaledQuilt(**{**vars(scaled[0]), "chosen": True})
        chosen.append(best)
        results += [best, *scaled[1:]]
    binding = max(chosen, key=lambda each: each.scale)
    return QuiltResult(binding.scale, binding, tuple(results), float(epsilon))


def _order(each: ScaledQuilt) -> tuple[float, int, int, float]:
    """Least noise first, then the simplest that separates most; rounding does not decide."""
    scale = float(f"{each.scale:.9g}")
    return scale, len(each.quilt), -len(each.remote), each.influence


def _scaled(
    quilt: Quilt, query: frozenset[str], deltas: Sensitivity, epsilon: float
) -> ScaledQuilt:
    nearby = query & quilt.nearby
    delta = min(value for known, value in deltas.items() if known >= nearby) if nearby else 0.0
    left = epsilon - quilt.influence
    if delta == 0:
        scale = 0.0 if left >= 0 else math.inf
    else:
        scale = delta / left if left > 0 else math.inf
    return ScaledQuilt(**vars(quilt), sensitivity=delta, scale=scale, chosen=False)


def _checked(sensitivity: Sensitivity, query: frozenset[str]) -> dict[frozenset[str], float]:
    deltas = {frozenset(names): float(value) for names, value in sensitivity.items() if names}
    for names, value in deltas.items():
        if not names <= query:
            raise AttributePrivacyError(
                f"There is a sensitivity of {_told(names)}, but the query is about {_told(query)}."
            )
        if not 0 <= value < math.inf:
            raise AttributePrivacyError(
                f"The sensitivity of {_told(names)} must be a finite number from 0 on, got "
                f"{value:g}."
            )
    if query not in deltas:
        raise AttributePrivacyError(
            f"There is no sensitivity of {_told(query)}; give at least that of all the "
            "attributes that the query is about."
        )
    for small, value in deltas.items():
        for large, bound in deltas.items():
            if small < large and value > bound:
                raise AttributePrivacyError(
                    f"The sensitivity of {_told(small)} is {value:g}, above the {bound:g} of "
                    f"{_told(large)}; changing more columns cannot move the answer less."
                )
    return deltas


def _told(names: frozenset[str]) -> str:
    return f"{{{', '.join(sorted(names))}}}"
