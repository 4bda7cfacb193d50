"""What all releases of a table come to about the secret of one limit, and about each record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from distpriv.analysis.decision import moment
from distpriv.analysis.fitting import Groups, fitted_model, resolved
from distpriv.analysis.scenario import Scenario
from distpriv.composition.joint_releases import JointReleases, joint_releases
from distpriv.composition.table_releases import TableRelease
from distpriv.errors import CalibrationError, DistprivError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.delivered import delivered_interval
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons
from distpriv.privacy.record_moves import bounded_moves
from distpriv.queries.properties import Pair
from distpriv.store.ledger import LedgerEntry
from distpriv.store.limits import AgreedLimit, Budget

__all__ = ["Tally", "tally"]

_SIMULATED = 3e-3  # twice the half-width of the interval of an accuracy that is simulated


@dataclass(frozen=True)
class Tally:
    """What releases together tell, in the figures of a limit.

    Attributes
    ----------
    accuracy : float in [0.5, 1]
        Of the best attacker who has all of them, on the pair that they tell best.
    epsilon : float
        About the pairs of shares, at the limit's δ; 0 where that is not limited.
    per_record : float
        About each record, at the limit's δ for persons; 0 where that is not limited.
    exact : bool
        Whether accuracy and ε are what the fitted normals deliver, and not bounds from above.
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

    Gaussian noise counts as :func:`distpriv.composition.joint_releases.joint_releases` has it, the
    table and samples of it by their joint law; a release is counted as it was drawn. Of
    Laplace noise what counts is not its promise, which holds where the shares do nothing but shift
    the statistics, but the δ that it delivers by the fitted normals at the ε that it promises.

    Parameters
    ----------
    limit : AgreedLimit
    releases : sequence of LedgerEntry
        In any order; values do not matter.
    sources : mapping of fingerprint to Groups
        The table under the empty text, and reference data under their fingerprint.
    """
    scenario, terms = limit.now.scenario, limit.now.terms
    if scenario is None:
        return _uncounted("It was set by another version of distpriv; update distpriv.")
    if scenario.reference not in sources:
        return _uncounted(
            "It was agreed on with reference data that are not here; upload them on the page "
            "Question."
        )
    if unknown := [each for each in releases if each.scenario is None]:
        return _uncounted(
            *(
                f"The {_named(each)} was recorded by another version of distpriv; update distpriv."
                for each in unknown
            )
        )
    try:
        together = joint_releases(
            [_release(scenario, each, sources) for each in releases],
            sources[scenario.reference],
            scenario.pairs,
            table=sources[""],
        )
        if together.uncounted:
            return _uncounted(
                *(f"The {_named(releases[each.index])} cannot be counted: {each.reason}"
                  for each in together.uncounted)
            )  # fmt: skip
        return Tally(
            _accuracy(together),
            0.0 if terms.budget is None else together.epsilon(terms.budget.delta),
            0.0
            if terms.persons is None
            else _per_record(scenario, terms.persons, releases, together, sources),
            together.exact,
        )
    except DistprivError as error:
        return _uncounted(str(error))


def _uncounted(*sentences: str) -> Tally:
    return Tally(uncounted=sentences)


def _named(entry: LedgerEntry) -> str:
    if not entry.values:
        return "release on screen"
    by = f" by {entry.author}" if entry.author else ""
    return f"release{by} of {moment(entry.at)}"


def _accuracy(together: JointReleases) -> float:
    simulated = together.count == 1 and not together.exact
    return min(together.accuracy + _SIMULATED, 1.0) if simulated else together.accuracy


def _release(limited: Scenario, entry: LedgerEntry, sources: Mapping[str, Groups]) -> TableRelease:
    then = entry.scenario
    assert then is not None
    noise, pairs = entry.noise, tuple[Pair, ...]()
    if noise.distribution == "laplace" and not noise.is_zero:
        noise, pairs = _delivering(limited, entry, sources)
    return TableRelease(
        then.query,
        noise,
        n=then.n,
        whole=then.whole,
        replacement=then.replacement or then.whole,
        pairs=pairs,
        share_of=then.hidden_share,
    )


def _delivering(
    limited: Scenario, entry: LedgerEntry, sources: Mapping[str, Groups]
) -> tuple[Noise, tuple[Pair, ...]]:
    """Laplace noise with the δ that it delivers about the limit's pairs in place of its own."""
    then, noise = entry.scenario, entry.noise
    assert then is not None
    model, groups = _model(limited, then, sources), sources[limited.reference]
    scales = (noise.scales.tolist(), noise.directions.tolist(), noise.floor_deviations.tolist())
    drawn = then.query, then.n, then.whole, then.replacement, then.hidden_share
    about = repr((limited.pairs, *drawn, noise.epsilon, scales))
    delta = groups.computed(
        f"delivered by Laplace {about}",
        lambda: delivered_interval(model, noise.detached(), noise.epsilon).high,
    )
    return replace(noise, delta=min(max(noise.delta, delta), 1.0)), limited.pairs


def _per_record(
    limited: Scenario,
    budget: Budget,
    releases: Sequence[LedgerEntry],
    together: JointReleases,
    sources: Mapping[str, Groups],
) -> float:
    """ε about each record of the table, which may be in every sample, within the public bounds."""
    bounds = dict(limited.bounds)
    for entry in releases:
        then = entry.scenario
        assert then is not None
        if then.replacement and not then.whole:
            raise CalibrationError(
                f"The {_named(entry)} is a sample drawn with replacement, in which one person's "
                "record may be several times; draw without replacement to promise anything to "
                "each person."
            )
        # Raise where bounds are missing, or narrower than the records.
        bounded_moves(then.query, then.n, bounds)
        model = _model(replace(limited, bounds=(), reference=""), then, sources)
        Persons(budget.epsilon, budget.delta, bounds).moves(model)
    return together.per_record(bounds).epsilon(budget.delta)


def _model(limited: Scenario, then: Scenario, sources: Mapping[str, Groups]) -> GaussianModel:
    """Of a release, about the limit's pairs."""
    groups = sources[limited.reference if then.whole else ""]
    scenario = resolved(
        replace(
            limited,
            query=then.query,
            n=then.n,
            whole=then.whole,
            replacement=then.replacement or then.whole,
            share_of=then.hidden_share,
            distances="normals",
        ),
        groups,
    )
    return groups.computed(f"limited {scenario!r}", lambda: fitted_model(scenario, groups))
