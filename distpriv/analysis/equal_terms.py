"""Mechanisms on equal terms: at one promise, and against one attacker.

At equal (ε, δ) mechanisms leave different attackers room, so that the least error there may be the
price of less protection. Held to the same attacker they may change places: both are told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from distpriv.analysis.answer import Wording
from distpriv.analysis.design import Limit, choose
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.keeping import Keeping
from distpriv.analysis.recommendation import ALIKE, candidates, down
from distpriv.arguments import checked
from distpriv.attacks.hypothesis.releases import figures, release_tests
from distpriv.errors import HypothesisError
from distpriv.words import exact, number, with_unit

__all__ = ["Contender", "EqualTerms", "compare_mechanisms", "equal_terms_in_words"]

_CERTAIN = 100 * (1 - 1e-9)


@dataclass(frozen=True)
class Contender:
    """One mechanism in a comparison.

    Attributes
    ----------
    mechanism : str
    epsilon, delta : float
        What its noise promises.
    error : float
        Expected L2 error, in the units that the scenario reports.
    guesses : float
        Right guesses of 100 that the best attacker reaches, by the fitted model.
    promise : Keeping
        How well its promise is kept, as computed.
    """

    mechanism: str
    epsilon: float
    delta: float
    error: float
    guesses: float
    promise: Keeping


@dataclass(frozen=True, eq=False)
class EqualTerms:
    """Mechanisms compared twice; made by :func:`compare_mechanisms`.

    Attributes
    ----------
    epsilon, delta : float
        The promise that all make in the first comparison.
    limit : Limit
        The attacker that all allow in the second.
    by_promise, by_attacker : tuple of Contender
        By error, the least first.
    needs_no_noise : bool
        Whether the limit holds without noise: nothing is compared against that attacker.
    skipped : dict of mechanism to sentence
        Those that miss in a comparison, and why.
    """

    epsilon: float
    delta: float
    limit: Limit
    by_promise: tuple[Contender, ...]
    by_attacker: tuple[Contender, ...]
    needs_no_noise: bool
    skipped: dict[str, str]

    def __repr__(self) -> str:
        return f"EqualTerms({equal_terms_in_words(self)!r})"

    def to_frame(self) -> pd.DataFrame:
        """Both comparisons, a row for each mechanism in each."""
        rows = [
            {
                "equal": equal,
                "mechanism": one.mechanism,
                "epsilon": one.epsilon,
                "delta": one.delta,
                "error": one.error,
                "guesses": one.guesses,
                "promise": one.promise.words,
            }
            for equal, all_of_them in (
                ("promise", self.by_promise),
                ("attacker", self.by_attacker),
            )
            for one in all_of_them
        ]
        return pd.DataFrame(rows)


@checked(HypothesisError)
def compare_mechanisms(
    evaluation: Evaluation, limit: Limit | None = None, names: Sequence[str] | None = None
) -> EqualTerms:
    """Compare the errors of mechanisms at the scenario's (ε, δ) and against one attacker.

    By the fitted model, for the worst pair. Laplace noise is guarded, so that all of them promise
    the same.

    Parameters
    ----------
    evaluation : Evaluation
        See :func:`distpriv.evaluate`.
    limit : Limit, optional
        The attacker that every mechanism allows in the second comparison; by default the right
        guesses that the scenario's own noise leaves.
    names : sequence of str, optional
        Mechanisms; by default those that are recommended from.

    Raises
    ------
    CalibrationError
        If there is no limit and the scenario's mechanism does not apply.
    """
    names = candidates(evaluation) if names is None else list(dict.fromkeys(names))
    evaluation = replace(evaluation, fitted=evaluation.model, guard_laplace=True, calibrated={})
    guesses = Limit("guesses", 50.0)
    noises = evaluation.noises(names)
    if limit is None:
        noises = {evaluation.mechanism.name: evaluation.noise} | noises
    tests = release_tests([(evaluation.model, noise) for noise in noises.values()])
    reached = dict(zip(noises, figures(tests, guesses.figure).tolist(), strict=True))
    if limit is None:
        left = reached[evaluation.mechanism.name]
        limit = Limit("guesses", min(max(left, 50.0), _CERTAIN))
    skipped = {name: reason for name, reason in evaluation.left_out.items() if name in names}
    by_promise = [
        Contender(
            name,
            noises[name].epsilon,
            noises[name].delta,
            evaluation.reported(noises[name]).expected_error(),
            reached[name],
            evaluation.promise_of(noises[name]),
        )
        for name in names
        if name in noises
    ]
    by_attacker: list[Contender] = []
    needs_no_noise = False
    try:
        design = choose(
            limit,
            evaluation.model,
            names,
            report=evaluation.report_sizes,
            guard_laplace=True,
            **evaluation.calibrating,
        )
    except HypothesisError as error:
        skipped |= {name: str(error) for name in names}
    else:
        needs_no_noise = design.needs_no_noise
        skipped |= design.skipped
        tests = release_tests([(evaluation.model, choice.noise) for choice in design.choices])
        by_attacker = [
            Contender(
                choice.mechanism,
                choice.epsilon,
                choice.noise.delta,
                choice.error,
                right,
                evaluation.promise_of(choice.noise),
            )
            for choice, right in zip(
                design.choices, figures(tests, guesses.figure).tolist(), strict=True
            )
        ]
    return EqualTerms(
        evaluation.scenario.epsilon,
        evaluation.scenario.delta,
        limit,
        tuple(sorted(by_promise, key=lambda one: one.error)),
        tuple(by_attacker),
        needs_no_noise,
        skipped,
    )


def equal_terms_in_words(
    found: EqualTerms, unit: str = "", *, strong: Wording = str, safe: Wording = str
) -> str:
    """Which mechanism has the least error in each comparison, of those that keep their promise.

    Parameters
    ----------
    found : EqualTerms
    unit : str
        Of the errors; empty for the statistics' own units, mixed.
    strong, safe : callable
        See :func:`.answer`.
    """
    promise = f"At ε\u00a0=\u00a0{found.epsilon:g} and δ\u00a0=\u00a0{exact(found.delta)},"
    first = _least(found.by_promise, unit, strong, safe)
    if found.limit.kind == "guesses":
        against = f"Against an attacker who is right {number(found.limit.value)}\u00a0times in 100,"
    else:
        against = "Under the same limit on the attacker,"
    if found.needs_no_noise:
        return f"{promise} {first}. {against} no noise is needed."
    second = _least(found.by_attacker, unit, strong, safe, beside=found.epsilon)
    return f"{promise} {first}. {against} {second}."


def _least(
    contenders: Sequence[Contender],
    unit: str,
    strong: Wording,
    safe: Wording,
    *,
    beside: float | None = None,
) -> str:
    kept = [one for one in contenders if one.promise.kept]
    if not kept:
        return "no mechanism keeps its promise, by our model"
    best = kept[0]
    alike = [one for one in kept if one.error <= best.error * (1 + ALIKE)]
    if len(alike) > 1:
        listed = " and ".join(strong(safe(one.mechanism)) for one in alike[:2])
        also = f" ({len(alike) - 2} more as well)" if len(alike) > 2 else ""
        return f"{listed} have the least error, {with_unit(best.error, unit)}{also}"
    left, where = f", and the attacker is right {number(best.guesses)}\u00a0times in 100", ""
    if beside is not None:  # an ε of its own, searched for to a thousandth
        same = math.isclose(best.epsilon, beside, rel_tol=2e-3)
        left, where = "", f" at ε\u00a0=\u00a0{f'{beside:g}' if same else down(best.epsilon)}"
    following = ""
    if len(kept) > 1:
        following = f" (next {safe(kept[1].mechanism)}, {number(kept[1].error)})"
    return (
        f"{strong(safe(best.mechanism))}{where} has the least error, "
        f"{strong(with_unit(best.error, unit))}{following}{left}"
    )
