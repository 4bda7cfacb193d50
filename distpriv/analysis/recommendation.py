"""The mechanism to take: the least error at one attack accuracy, of those that keep their promise.

At equal ε mechanisms protect differently, so that their errors there say nothing about which to
take. Held to the same attack accuracy they can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from distpriv import mechanisms
from distpriv.analysis.answer import Wording
from distpriv.analysis.design import Choice, Design, Limit, choose
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.sweeps import expected_error
from distpriv.arguments import checked
from distpriv.attacks.hypothesis.releases import release_test
from distpriv.attacks.hypothesis.scores import best_accuracy
from distpriv.errors import HypothesisError
from distpriv.words import number, percent, with_unit

__all__ = ["ALIKE", "Recommendation", "candidates", "down", "recommend", "recommended_in_words"]

_CERTAIN = 1 - 1e-9
ALIKE = 0.005  # errors that differ by less are the same in words


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What to take at one attack accuracy; made by :func:`recommend`.

    Attributes
    ----------
    design : Design
        Every mechanism at the largest ε that the limit allows, the least error first.
    best : Choice or None
        The first of them that keeps its promise, as computed, or the scenario's own mechanism if
        its error is the same but for half a per cent; None if none does, or none is needed.
    """

    design: Design
    best: Choice | None

    @property
    def limit(self) -> Limit:
        """What the attacker may achieve."""
        return self.design.limit

    @property
    def first(self) -> Choice | None:
        """The recommended choice, or else the least error, whose promise is not kept."""
        return self.best or next(iter(self.design.choices), None)


def candidates(evaluation: Evaluation) -> list[str]:
    """Mechanisms that are recommended from: those shown at first, and the scenario's own.

    Only such as protect the share, and no baselines. One that draws records for its noise is left
    out, as a search among its ε takes minutes.
    """
    own = evaluation.mechanism.name
    found = [mechanisms.get(name) for name in mechanisms.names(protects=True)]
    return [
        each.name
        for each in found
        if not each.from_records
        and (each.name == own or (each.shown_at_first and not each.baseline))
    ]


@checked(HypothesisError)
def recommend(evaluation: Evaluation, limit: Limit | None = None) -> Recommendation:
    """The mechanism to take: the least error at one attack accuracy, if it keeps its promise.

    By the fitted model. The errors are L2, in the units that the scenario reports them in.

    Parameters
    ----------
    evaluation : Evaluation
        See :func:`distpriv.evaluate`; of its ε nothing is taken if there is a limit.
    limit : Limit, optional
        On the best attacker; by default the accuracy that the scenario's own noise leaves them.

    Returns
    -------
    Recommendation

    Raises
    ------
    HypothesisError
        If no mechanism keeps the limit at any ε from 0.001 on.
    CalibrationError
        If there is no limit and the scenario's mechanism does not apply.
    """
    if limit is None:
        left = float(best_accuracy(release_test(evaluation.model, evaluation.noise), 0.5))
        limit = Limit("accuracy", min(max(left, 0.5), _CERTAIN))
    design = choose(
        limit,
        evaluation.model,
        candidates(evaluation),
        report=evaluation.report_sizes,
        **evaluation.calibrating,
    )
    best = None
    for choice in design.choices:
        if best is not None and choice.error > best.error * (1 + ALIKE):
            break
        own = choice.mechanism == evaluation.mechanism.name
        if (best is None or own) and evaluation.promise_of(choice.noise).kept:
            best = choice
    return Recommendation(design, best)


def recommended_in_words(
    evaluation: Evaluation,
    found: Recommendation,
    *,
    statistic: int | None = None,
    strong: Wording = str,
    safe: Wording = str,
) -> str:
    """What is recommended at the attack accuracy of the scenario's own noise, in a sentence.

    Parameters
    ----------
    evaluation : Evaluation
    found : Recommendation
        Without a limit of its own.
    statistic : int, optional
        Whose error is told beside the total error.
    strong, safe : callable
        See :func:`.answer`.
    """
    alike = f"At the same attack accuracy, {percent(found.limit.value)},"
    if found.design.needs_no_noise:
        persons = ", but for each person's promise" if evaluation.scenario.persons else ""
        return f"{alike} no noise is needed{persons}: an attacker is right as often without any."
    first = found.first
    if first is None:
        return f"{alike} there is no mechanism to recommend."
    name = f"{strong(safe(first.mechanism))} at ε\u00a0=\u00a0{down(first.epsilon)}"
    error = strong(with_unit(first.error, evaluation.error_unit))
    if found.best is None:
        return (
            f"{alike} no mechanism keeps its promise, as computed; the least total error there is "
            f"that of {name}, {error}."
        )
    if first.mechanism == evaluation.mechanism.name:
        return (
            f"{strong(safe(first.mechanism))} is recommended: {alike[0].lower()}{alike[1:]} no "
            "mechanism that keeps its promise, as computed, has a total error smaller by more than "
            f"{percent(ALIKE)}."
        )
    own = ""
    if statistic is not None:
        value = expected_error(first.noise, statistic)
        own = f"; this one is then {strong(with_unit(value, evaluation.units[statistic]))}"
    return (
        f"{alike} {name} is recommended: of the mechanisms that keep their promise, as computed, "
        f"it has the least total error, {error} instead of {number(evaluation.error)}{own}."
    )


def down(value: float) -> str:
    """Three digits of an ε, rounded down: what is kept at more is kept at less; 100 at most."""
    if value >= 100:
        return "100"
    step = 10.0 ** (math.floor(math.log10(value)) - 2)
    return f"{math.floor(value / step + 1e-9) * step:.3g}"
