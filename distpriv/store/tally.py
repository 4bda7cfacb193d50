"""What all releases of a table come to about the secret of one limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from distpriv import mechanisms
from distpriv.analysis.fitting import Groups, fitted_model, resolved
from distpriv.analysis.scenario import Scenario
from distpriv.composition.releases import Part, accumulate
from distpriv.composition.rules import Promise
from distpriv.errors import DistprivError
from distpriv.model.gaussian import GaussianModel
from distpriv.store.ledger import LedgerEntry
from distpriv.store.limits import AgreedLimit
from distpriv.store.values import moment

__all__ = ["Tally", "tally"]


@dataclass(frozen=True)
class Tally:
    """What releases together tell, in the figures of a limit.

    Attributes
    ----------
    accuracy : float in [0.5, 1]
        Of the best attacker who has all of them, on the pair that they tell best.
    epsilon : float
        About the pairs of shares, at the limit's δ.
    per_record : float
        About each record, at the limit's δ for persons.
    exact : bool
        Whether accuracy and ε are computed by the fitted normals, and not bounds from above.
    uncounted : tuple of str
        Sentences on what cannot be counted; the figures mean nothing then.
    """

    accuracy: float = 0.5
    epsilon: float = 0.0
    per_record: float = 0.0
    exact: bool = True
    uncounted: tuple[str, ...] = ()


def tally(
    limit: AgreedLimit, releases: Sequence[LedgerEntry], sources: Mapping[str, Groups]
) -> Tally:
    """What releases of one table tell together about the secret of a limit.

    Parameters
    ----------
    limit : AgreedLimit
    releases : sequence of LedgerEntry
        In any order; values do not matter.
    sources : mapping of fingerprint to Groups
        The table under the empty text, and reference data under their fingerprint.
    """
    scenario = limit.now.scenario
    if scenario is None:
        return _uncounted("It was set by another version of distpriv; update distpriv.")
    if scenario.reference not in sources:
        return _uncounted(
            "It was agreed on with reference data that are not here; upload them on the Data page."
        )
    if not releases:
        return Tally()
    unknown = [each for each in releases if each.scenario is None]
    if unknown:
        return _uncounted(
            *(
                f"The release of {moment(each.at)} was recorded by another version of distpriv; "
                "update distpriv."
                for each in unknown
            )
        )
    kinds = {
        (each.scenario.whole, frozenset(each.scenario.query)) for each in releases if each.scenario
    }
    if len(kinds) > 1:
        return _uncounted("Releases of other statistics cannot be counted yet.")
    first = releases[0].scenario
    assert first is not None
    try:
        parts = [_part(scenario, each, first, sources) for each in releases]
        delta = None if limit.now.terms.budget is None else limit.now.terms.budget.delta
        together = accumulate(parts, shared=first.whole, delta=delta)
    except DistprivError as error:
        return _uncounted(str(error))
    epsilon, exact = together.epsilon, together.exact
    if epsilon is None and delta is not None:
        promise, exact = together.promise, False
        epsilon = promise.epsilon if promise and promise.delta <= delta else math.inf
    return Tally(together.accuracy, epsilon or 0.0, math.inf, exact)


def _uncounted(*sentences: str) -> Tally:
    return Tally(uncounted=sentences)


def _part(
    limited: Scenario, entry: LedgerEntry, first: Scenario, sources: Mapping[str, Groups]
) -> Part:
    then = entry.scenario
    assert then is not None
    order = [then.query.statistics.index(statistic) for statistic in first.query]
    model = _model(limited, replace(then, query=first.query), sources)
    promise = None
    if mechanisms.get(then.mechanism).protects and set(limited.pairs) <= set(then.pairs):
        promise = Promise(entry.noise.epsilon, entry.noise.delta)
    return Part(model, entry.noise.in_order(order), promise)


def _model(limited: Scenario, then: Scenario, sources: Mapping[str, Groups]) -> GaussianModel:
    groups = sources[limited.reference if then.whole else ""]
    scenario = resolved(
        replace(
            limited,
            query=then.query,
            n=then.n,
            whole=then.whole,
            replacement=then.replacement or then.whole,
            distances="normals",
        ),
        groups,
    )
    return groups.computed(f"limited {scenario!r}", lambda: fitted_model(scenario, groups))
