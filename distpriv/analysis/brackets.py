r"""What a release delivers, three times: at least, by the fitted normals, and at most.

At least: simulated attackers, who know the records that datasets are drawn from, prove a δ with
confidence (:func:`distpriv.attacks.audit_attackers`). At most: the coupling bound
(:mod:`distpriv.privacy.coupling_bound`), which assumes that the records are drawn as described
and nothing of the laws of the statistics. Where these laws are known, both are what they come to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

from distpriv.analysis.basis import figure_laws
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.keeping import keeping
from distpriv.arguments import Within, checked
from distpriv.attacks.joint_audit import JointAudit, audit_attackers
from distpriv.attacks.property_inference import ARITHMETIC
from distpriv.attacks.results import Repetition
from distpriv.errors import InapplicableError, ScenarioError
from distpriv.model.gaussian import GaussianModel
from distpriv.model.run import Progress, completed, repeated
from distpriv.privacy.coupling_bound import CouplingBound, bounded_delta, bounded_epsilon
from distpriv.privacy.delivered import delivered_epsilon
from distpriv.privacy.noise import Noise
from distpriv.words import exact

__all__ = [
    "ATTACKERS",
    "REPETITIONS",
    "Brackets",
    "Delivered",
    "audit",
    "auditing",
    "bracket",
    "steps",
]

ATTACKERS = (ARITHMETIC.name, "logistic")
"""Short names of the attackers of :func:`audit`."""

REPETITIONS = 50

_RELEASE = "release"
_RECORDS = 200_000  # of a repetition's datasets together
_FEWEST, _MOST = 40, 2000  # datasets that are guessed in a repetition
_LAPLACE = 200  # of them at most where Laplace noise, which takes long, is subtracted
_SHADOWS = 200
_ACCURACY = 1e-3  # of the figures of an exact law

Verdict = Literal["kept", "broken", "open", "none"]


@dataclass(frozen=True)
class Delivered:
    """What is delivered, as a δ and as an ε.

    Attributes
    ----------
    delta : float in [0, 1]
        At the promised ε.
    epsilon : float >= 0
        At the promised δ; ∞ where there is none.
    """

    delta: float
    epsilon: float


@dataclass(frozen=True, kw_only=True)
class Brackets:
    """What a release delivers: at least, by the fitted normals, and at most.

    Attributes
    ----------
    epsilon : float
        At which the δ are delivered: the one that is promised.
    delta : float
        At which the ε are delivered: the one that is promised, or the scenario's for noise that
        promises δ = 0.
    promised : float or None
        δ that is promised; None where nothing is promised about the secret.
    normals : Delivered
        By the two fitted normals, with the covariance each of them has; worst pair and order.
    law : Delivered or None
        What the exact laws of all pairs come to; None where one of them is not known.
    bound : CouplingBound or None
        Of δ, for the worst pair; None where there is no coupling bound.
    bounded_epsilon : float
        Of the coupling bound; ∞ where there is none.
    unbounded : str
        Why there is no coupling bound; empty where there is one.
    audit : JointAudit or None
        What simulated attacks on the pair looked at prove; None before there were any.
    pairs : int
        To be hidden.
    """

    epsilon: float
    delta: float
    promised: float | None
    normals: Delivered
    law: Delivered | None
    bound: CouplingBound | None
    bounded_epsilon: float
    unbounded: str
    audit: JointAudit | None
    pairs: int

    @property
    def exact(self) -> bool:
        """Whether what is delivered is known, by exact laws."""
        return self.law is not None

    @property
    def at_least(self) -> Delivered | None:
        """What is delivered for certain, or with the audit's confidence; None if that is open."""
        if self.law is not None:
            return self.law
        return None if self.audit is None else Delivered(self.audit.delta, self.audit.epsilon)

    @property
    def at_most(self) -> Delivered | None:
        """What is not exceeded, whatever the laws of the statistics; None if nothing is known."""
        if self.exact:
            return self.law
        return None if self.bound is None else Delivered(self.bound.value, self.bounded_epsilon)

    @property
    def refuted(self) -> bool:
        """Whether more is delivered than the normals say: they are not the laws."""
        return self.at_least is not None and _exceeds(self.at_least.delta, self.normals.delta)

    @property
    def overstated(self) -> bool:
        """Whether less is delivered than the normals say."""
        return self.at_most is not None and _exceeds(self.normals.delta, self.at_most.delta)

    @property
    def verdict(self) -> Verdict:
        """Whether the promise is kept whatever the curves look like, broken, or neither is shown.

        "none" where nothing is promised.
        """
        if self.promised is None:
            return "none"
        if self.law is not None:
            return "kept" if keeping(self.law.delta, self.promised).kept else "broken"
        if self.at_least is not None and _exceeds(self.at_least.delta, self.promised):
            return "broken"
        proven = self.at_most is not None and keeping(self.at_most.delta, self.promised).kept
        return "kept" if proven else "open"


@checked(ScenarioError)
def bracket(evaluation: Evaluation, audited: JointAudit | None = None) -> Brackets:
    """What a scenario's noise delivers at least, by the fitted normals, and at most.

    Parameters
    ----------
    evaluation : Evaluation
        All but the audit is computed once for what it is about.
    audited : JointAudit, optional
        From :func:`audit`; without one it is not known what is delivered at least, but where the
        exact law is. A promise that it refutes is not kept for the evaluation any more
        (:attr:`.Evaluation.promise`).

    Raises
    ------
    ScenarioError
        If the audit is about another ε or δ.
    CalibrationError
        If the scenario's mechanism does not apply.
    """
    epsilon, delta = _asked(evaluation)
    if audited is not None and (audited.at_epsilon, audited.at_delta) != (epsilon, delta):
        raise ScenarioError(
            f"The audit is about ε = {audited.at_epsilon:g} and δ = {exact(audited.at_delta)}, the "
            f"scenario about ε = {epsilon:g} and δ = {exact(delta)}; audit this scenario."
        )
    scenario = replace(evaluation.scenario, look="", view="analyst", report="raw")
    known = evaluation.groups.computed(
        f"brackets {(scenario, evaluation.focus)!r}", lambda: _computed(evaluation)
    )
    brackets = replace(known, audit=audited)
    if audited is not None and not known.exact and brackets.verdict == "broken":
        evaluation.refute(audited.delta)
    return brackets


def steps(evaluation: Evaluation, repetitions: int = REPETITIONS) -> Iterator[Progress[Brackets]]:
    """:func:`bracket` without its audit, then with that of more and more attacks, for a Run.

    No attack is simulated where the law of the statistics is known, or datasets cannot be.
    """
    known = bracket(evaluation)
    alone = known.law is not None or bool(evaluation.unsimulated)
    pieces = 1 if alone else 1 + repetitions
    yield Progress(1, pieces, lambda: known)
    if alone:
        return
    for audited in auditing(evaluation, repetitions):
        result = partial(_with_audit, known, audited.result)
        yield Progress(1 + audited.done, pieces, result, audited.doing)


def _with_audit(known: Brackets, audited: Callable[[], JointAudit | None]) -> Brackets:
    return replace(known, audit=audited())


def auditing(
    evaluation: Evaluation, repetitions: int = REPETITIONS
) -> Iterator[Progress[JointAudit]]:
    """:func:`audit` a repetition at a time, for a Run; no result before the second."""
    most = _LAPLACE if evaluation.noise.distribution == "laplace" else _MOST
    tests = min(max(_RECORDS // max(evaluation.model.n, 1) // 2 * 2, _FEWEST), most)
    attacks = [
        evaluation.attack(
            {_RELEASE: evaluation.noise},
            classifier=name,
            shadows=min(_SHADOWS, tests),
            tests=tests,
            split=False,
        )
        for name in ATTACKERS
    ]
    epsilon, delta = _asked(evaluation)

    def collect(runs: Sequence[tuple[Repetition, ...]]) -> JointAudit | None:
        if len(runs) < 2:
            return None
        results = [
            attack.collect([run[place] for run in runs]) for place, attack in enumerate(attacks)
        ]
        return audit_attackers(results, _RELEASE, epsilon=epsilon, delta=delta)

    def work(index: int) -> tuple[Repetition, ...]:
        return tuple(attack.run(index) for attack in attacks)

    return repeated(work, repetitions, collect, "Simulating attacks")


@checked(ScenarioError)
def audit(
    evaluation: Evaluation, repetitions: Annotated[int, Within(2, 10**6)] = REPETITIONS
) -> JointAudit:
    """What simulated attacks on a scenario's release prove that it delivers at least.

    The attackers, one who knows the steps of the statistics among them, know the records that
    datasets are drawn from, as whoever a promise is made against does; what they prove, they
    prove of the very laws that the promise is about.

    Parameters
    ----------
    evaluation : Evaluation
        About the pair looked at, with the scenario's seed.
    repetitions : int, at least 2
        Each with new datasets, at most 2000.

    Raises
    ------
    ScenarioError
        If there are fewer than two repetitions.
    CalibrationError
        If the scenario's mechanism does not apply.
    """
    return completed(auditing(evaluation, repetitions))


def _asked(evaluation: Evaluation) -> tuple[float, float]:
    """ε and δ of the promise; noise without a δ is asked for its ε at the scenario's."""
    noise = evaluation.noise
    return noise.epsilon, noise.delta or evaluation.scenario.delta


def _computed(evaluation: Evaluation) -> Brackets:
    model, noise = evaluation.model, evaluation.noise
    epsilon, delta = _asked(evaluation)
    bound, most, reason = None, math.inf, ""
    try:
        bound = bounded_delta(model, noise, epsilon)
        most = bounded_epsilon(model, noise, delta)
    except InapplicableError as error:
        bound, reason = None, str(error)
    return Brackets(
        epsilon=epsilon,
        delta=delta,
        promised=noise.delta if evaluation.mechanism.protects else None,
        normals=Delivered(
            evaluation.delivered_by_normals(noise).estimate,
            delivered_epsilon(model, noise, delta),
        ),
        law=_exactly(model, noise, epsilon, delta),
        bound=bound,
        bounded_epsilon=most,
        unbounded=reason,
        audit=None,
        pairs=len(model.pairs),
    )


def _exactly(model: GaussianModel, noise: Noise, epsilon: float, delta: float) -> Delivered | None:
    """What the laws come to, at worst; None where they or their figures cannot be had."""
    laws = figure_laws(model, noise)
    if laws is None:
        return None
    return Delivered(
        max(law.delivered_delta(noise, epsilon) for law in laws),
        max(law.delivered_epsilon(noise, delta) for law in laws),
    )


def _exceeds(first: float, second: float) -> bool:
    """By more than an exact law may be off."""
    return first > second * (1 + _ACCURACY) + 1e-9
