"""Which agreed decision a release rests on, and why it needs a reason of its own."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from distpriv import mechanisms
from distpriv.analysis.decision import Decision
from distpriv.analysis.scenario import Scenario
from distpriv.errors import DistprivError
from distpriv.store.decisions import by_two, decisions_in
from distpriv.store.engine import Store
from distpriv.words import exact, listed

__all__ = ["deciding", "grounds_missing", "matching", "matching_in", "same_release"]


def same_release(one: Scenario, other: Scenario) -> bool:
    """Whether two scenarios come to the same release of the same table.

    All that shapes the noise and what it is put on is compared; what is only looked at, such as
    the view or the units of the report, is not, nor is the table's fingerprint.
    """
    try:
        return _shape(one) == _shape(other)
    except DistprivError:
        return False


def _shape(scenario: Scenario) -> tuple[object, ...]:
    # The whole table has its own size, and is thought of as drawn from the reference data.
    drawn = (scenario.n, scenario.replacement, scenario.hidden_share)
    return (
        scenario.secret,
        frozenset(scenario.pairs),
        scenario.query,
        scenario.reference if scenario.whole else drawn,
        scenario.whole,
        scenario.mechanism,
        scenario.epsilon,
        scenario.delta,
        scenario.calibration,
        scenario.units,
        scenario.tolerances if scenario.units == "custom" else (),
        tuple(sorted(scenario.bounds)),
        scenario.persons,
        scenario.distances,
        scenario.model_seed,
    )


def matching(store: Store, scenario: Scenario, *digests: str) -> list[Decision]:
    """The decisions for a release, agreed or not, the latest change first.

    Parameters
    ----------
    store : Store
    scenario : Scenario
        Of the release.
    *digests : str
        Fingerprints of its data; any of them will do.

    Raises
    ------
    StoreError
        If the database fails.
    """
    with store.reading() as session:
        return matching_in(session, scenario, *digests)


def matching_in(session: Session, scenario: Scenario, *digests: str) -> list[Decision]:
    """The same in a session of the store that is open already."""
    return [each for each in decisions_in(session, *digests) if _is_for(each, scenario, digests)]


def _is_for(decision: Decision, scenario: Scenario, digests: tuple[str, ...]) -> bool:
    chosen = decision.now.choice.read()
    # An alternative that was kept from another table may have been proposed beside this one's.
    return chosen is not None and chosen.digest in digests and same_release(chosen, scenario)


def deciding(decisions: Iterable[Decision]) -> Decision | None:
    """The first of some decisions that is agreed by a second person; None if none is."""
    return next((each for each in decisions if each.now.status == "agreed" and by_two(each)), None)


def grounds_missing(
    scenario: Scenario, decisions: Iterable[Decision], kept: bool | None = True
) -> tuple[str, ...]:
    """Why a release needs a reason, each a sentence; none if it needs none.

    Parameters
    ----------
    scenario : Scenario
    decisions : iterable of Decision
        For this release, as :func:`matching` finds them.
    kept : bool or None
        Whether its promise is kept, as computed; None if there is none.
    """
    found = list(decisions)
    missing = [] if deciding(found) else [_undecided(found)]
    if not mechanisms.get(scenario.mechanism).protects:
        missing.append(f"{scenario.mechanism} promises nothing about the secret.")
    elif kept is False:
        missing.append(
            f"The promise, ε = {scenario.epsilon:g} with δ = {exact(scenario.delta)}, is not kept "
            "as computed."
        )
    return tuple(missing)


def _undecided(found: list[Decision]) -> str:
    if not found:
        return "No agreed decision on record is for exactly this release."
    latest = found[0]
    names = listed(latest.proposers)
    if latest.now.status == "rejected":
        return f"The decision for it, proposed by {names}, was rejected by {latest.now.author}."
    if latest.now.status == "agreed":
        return f"The decision for it was proposed and agreed to by the same person, {names}."
    return f"The decision for it, proposed by {names}, is not agreed to yet."
