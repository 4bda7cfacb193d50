"""Draw what is released: held against every rule that needs the table, exactly, and on record."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from distpriv.analysis import Evaluation, Scenario, Way, evaluate, sentences
from distpriv.analysis.comparison import judge
from distpriv.analysis.curves import ceiling
from distpriv.analysis.tables import cell
from distpriv.arrays import FloatArray
from distpriv.composition import Part, joint_release, left_of
from distpriv.errors import DistprivError, NotApplicable, StoreError
from distpriv.mechanisms import MECHANISMS
from distpriv.mechanisms.draws import NoiseLaw, balanced_figures, places_of, rounded, rounded_up
from distpriv.model import AS_IT_IS, GaussianModel, Promise, Release, best_estimate, joint_law
from distpriv.privacy import Verdict
from distpriv.privacy.delivered import verdicts
from distpriv.privacy.exact_law import compute_law
from distpriv.queries import Pair, Query, Statistic
from distpriv.queries.secrets import round_half_up
from distpriv.queries.statistics import as_query
from distpriv.records import ledger as book
from distpriv.records.ledger import Choice, Entry, Naming, Standing
from distpriv.records.store import Store, legible
from distpriv.sources import FrameSource, source_of
from distpriv.sources.fit import check_pairs
from distpriv.sources.frame import Kept
from distpriv.text import percent, significant, times

__all__ = ["draw_release", "fitting", "release", "risk"]

_KINDS = {"BalM": "balanced", "as it is": "as it is", "no data": "no data"}  # others add noise
_TRIES = 100  # samples that are drawn until every secret's share is inside its range
_LOADED = 200_000  # records of a large table that a sample is taken from, at least
_MEAN = math.sqrt(2 / math.pi)  # absolute error of normals with deviation 1
_SYSTEM = random.SystemRandom()
_UNCOUNTED = (
    "Balanced figures cannot be counted together with noise, or with other secrets or ranges; "
    "release them alone, about the secret that they hide."
)


# ---------------------------------------------------------------- all releases of a table together


class _Past(NamedTuple):
    """A release, the scenario that its figures are of, and what tells its sample from others."""

    release: Release
    scenario: Scenario
    exact: bool  # whether its promise rests on a law that may take long to compute
    sample: str


def _parts(now: Evaluation, entries: Iterable[Entry], further: Way | None = None) -> list[_Past]:
    """List releases that take records, and one more."""
    parts = []
    for entry in entries:
        if entry.kind == "no data":
            continue
        if entry.kind != "balanced" and entry.fingerprint != now.source.fingerprint:
            raise NotApplicable(
                "What releases of two versions of a table tell together cannot be bounded; look at "
                "the version that was released."
            )
        with legible():
            law = entry.body["law"]
            noise, laplace, kept = (
                law[x] and np.array(law[x]) for x in ("noise", "laplace", "kept")
            )
            scale = 1.0 if laplace is None else float(np.linalg.norm(laplace[:, 0]))
            along = None if laplace is None else laplace / scale
            one = Release(entry.body["way"], noise, along, scale, kept, kept)
            scenario = Scenario.from_json(json.dumps(entry.body["scenario"]))
            parts.append(_Past(one, scenario, entry.body["rests"] == "exact", entry.token))
    if further is not None and further.release.kind != "no data":
        parts.append(_Past(further.release, now.scenario, further.rests == "exact", "further"))
    return parts


def _counted(
    now: Evaluation, parts: Sequence[_Past], pair: Pair
) -> tuple[GaussianModel, list[Part]]:
    """Return the model of all figures that are released, about one pair, and what is counted by it.

    One release counts by the law of its own records, several by that of the whole table's.
    """
    scenario, several = parts[-1].scenario, len(parts) > 1
    if not several and scenario == now.scenario and pair in scenario.secrets:
        fitted = now.model.pairs[scenario.secrets.index(pair)]
        return replace(now.model, pairs=(fitted,)), [Part(parts[0].release)]
    every = (*dict.fromkeys(one for part in parts for one in part.scenario.statistics),)
    records = None if several else scenario.records
    scenario = replace(scenario, secrets=(pair,), statistics=every, records=records)
    model = replace(now, scenario=scenario).model
    if not several:
        return model, [Part(parts[0].release)]
    return model, [
        Part(one.release, Query(one.scenario.statistics).labels, one.scenario.records, one.sample)
        for one in parts
    ]


def _together(now: Evaluation, parts: Sequence[_Past], pair: Pair, promise: Promise) -> Verdict:
    """Hold all releases together against a promise about one pair."""
    model, counted = _counted(now, parts, pair)
    if len(parts) > 1:
        return joint_release(model, counted).verdict(promise)
    if parts[0].exact:
        compute_law(model.pairs[0], model)  # which is known from now on
    return verdicts(model, [parts[0].release], [promise])[0]


def _balanced(now: Evaluation, parts: Sequence[_Past], pair: Pair) -> bool:
    """Whether all releases are balanced; NotApplicable where they do not hide this pair alone."""
    if all(one.release.additive for one in parts):
        return False
    for one in parts:
        first, n = one.scenario.secrets[0], one.scenario.records or now.n
        numbers, hidden = (of.numbers(n).min(axis=0) for of in (first, pair))
        if one.release.additive or first.secret != pair.secret or (numbers > hidden).any():
            raise NotApplicable(_UNCOUNTED)
    return True


def risk(
    now: Evaluation, entries: Iterable[Entry], pair: Pair, further: Way | None = None
) -> float:
    """Return right guesses of 100 about a pair, of who has all these releases and one more.

    NotApplicable where that cannot be counted: of several releases with Laplace noise, of balanced
    ones about another secret or range, and of two versions of a table.
    """
    parts = _parts(now, entries, further)
    if not parts or _balanced(now, parts, pair):
        return 50.0
    return 100 * float(_together(now, parts, pair, Promise(0.0, 0.0)).accuracy.max())


def _limits(now: Evaluation, standing: Standing) -> dict[Pair, Promise]:
    """Return what holds about each pair: limits in force, else what the scenario promises."""
    with legible():
        limits = [(one["secret"], Promise(one["epsilon"], one["delta"])) for one in standing.limits]
        force = {Pair.from_plain(secret): promise for secret, promise in limits}
    return dict.fromkeys(now.scenario.secrets, now.promise) | force


def fitting(now: Evaluation, way: Way, standing: Standing) -> Way:
    """Return a way with as much more normal noise as the limits in force ask for, or as it is.

    NotApplicable if what has been released leaves nothing, or more noise is no answer.
    """
    release = way.release
    for pair, limit in _limits(now, standing).items() if release.kind != "no data" else ():
        parts = _parts(now, standing.releases, replace(way, release=release))
        if _balanced(now, parts, pair) or _together(now, parts, pair, limit).kept:
            continue
        if release.directions is not None:
            raise NotApplicable(
                "Laplace noise cannot be raised to what the limits leave; take OptM."
            )
        model, (*before, further) = _counted(now, parts, pair)
        release = left_of(limit, model, before, further)
    if release is way.release:
        return way
    release = replace(release, promise=way.release.promise)
    return judge(now.model, [release], now.promise, persons=now.persons, bounds=now.bounds)[0]


# ---------------------------------------------------------------- rules that need the table


def _held(now: Evaluation, way: Way, standing: Standing) -> float:
    """Hold a way and all releases against every rule and limit; right guesses of 100 by all.

    Where the groups are the table's own, which these would tell, it is what the limits allow.
    """
    pairs = zip(now.scenario.secrets, now.groups, strict=True)
    for pair, groups in pairs if way.release.kind != "balanced" else ():
        _check_share(pair, groups.share, now.n)  # of complete records; `_kept` has all others
    one, m = way.release, len(now.query)
    if one.kind != _KINDS.get(way.key, "noise") or (one.kind == "noise" and not one.total(m).any()):
        raise NotApplicable(f"{way.title} is not what this release does; calibrate it again.")
    if now.reference and now.reference.fingerprint == now.source.fingerprint:
        raise NotApplicable("The public reference is the very table; take another one, or none.")
    if not way.publishable:
        raise NotApplicable(
            "These expected figures come from this table and would tell its share; take groups "
            "from public reference data."
        )
    if not way.kept or way.verdict.promise != now.promise:
        raise NotApplicable(f"{way.title} does not keep the limit chosen; take another way.")
    parts, worst = _parts(now, standing.releases, way), 50.0
    hidden = now.model.provenance == "table"
    for pair, limit in _limits(now, standing).items() if parts else ():
        if _balanced(now, parts, pair):
            continue
        verdict = _together(now, parts, pair, limit)
        if not verdict.kept and way.release.kind != "no data":
            raise StoreError(f"With this release, {_exceeded(pair, limit, verdict)}")
        if pair in now.scenario.secrets:
            reached = 100 * float(verdict.accuracy.max())
            allowed = float(ceiling(limit.epsilon, limit.delta))
            worst = max(worst, allowed if hidden else reached)
    return worst


def _exceeded(pair: Pair, limit: Promise, verdict: Verdict) -> str:
    end = "Nothing is released; add noise, or agree on another limit."
    if limit.epsilon == 0:
        reached, most = 100 * float(verdict.accuracy.max()), float(ceiling(0.0, limit.delta))
        close = round(reached) == round(most)
        right = f"{significant(reached, 5)} times in 100" if close else times(reached)
        about = f"right {right} about {pair.secret.label}"
        return f"an attacker is {about}, and the limit is {significant(most, 5)}. {end}"
    return (
        f"δ = {verdict.delivered.max():.3g} at ε = {limit.epsilon:.3g} is delivered about "
        f"{pair.secret.label}, and the limit is {limit.delta:.3g}. {end}"
    )


def _check_share(pair: Pair, share: float, n: int) -> None:
    """Refuse a table outside the range, in a sentence for the analyst alone."""
    low, high = pair.numbers(n)[:, 1].tolist()
    if low <= round_half_up(n * share) <= high:
        return
    try:
        ends = "the fixed grid's range, {} to {}".format(*map(percent, cell(share)))
    except DistprivError:
        ends = "another secret, because no range hides this share"
    raise NotApplicable(
        f"The table's share of {pair.secret.label} lies outside {percent(pair.low)} to "
        f"{percent(pair.high)}, so nothing is released; tell nobody, and take {ends}."
    )


def _sample(now: Evaluation) -> FloatArray:
    """Draw records of the table at random, with its share of the first secret, (n, w)."""
    n, pairs, groups = now.n, now.scenario.secrets, now.groups[0]
    having = round_half_up(n * groups.share)
    most = min(_LOADED + math.ceil(2 * n * now.source.rows / now.complete), now.source.rows)
    columns = [*now.query.columns, *(pair.secret.column for pair in pairs)]
    frame = now.source.columns(columns, most, _SYSTEM.getrandbits(32))
    values, flags = now.query.values(frame), [pair.secret.mask(frame) for pair in pairs]
    there = np.isfinite(values).all(axis=1)
    every = [np.flatnonzero(there & (flags[0] == group)).tolist() for group in (0, 1)]
    draw = _SYSTEM.choices if now.scenario.replacement else _SYSTEM.sample
    for _ in range(_TRIES):
        chosen = []
        for group, number in enumerate((n - having, having)):
            places = draw(range(int(groups.counts[group])), k=number)
            different, again = np.unique(places, return_inverse=True)
            some = np.array(_SYSTEM.sample(every[group], len(different)), dtype=int)
            chosen.append(some[again])
        rows = np.concatenate(chosen)
        shares = zip(pairs, flags, strict=True)
        ends = [(*pair.numbers(n)[:, 1], (flag[rows] == 1).sum()) for pair, flag in shares]
        if all(low <= count <= high for low, high, count in ends):
            return values[rows]
    raise NotApplicable("Hardly any sample has all shares inside their ranges; take wider ranges.")


def _kept(
    now: Evaluation, one: Release, naming: Naming, names: str, standing: Standing
) -> tuple[Kept, Choice, Release]:
    """Return the records that are kept for ever, the choice of them, and the release of them.

    Numbers follow from the range and the records whose property is known, whatever else they lack:
    how many are complete may tell the share.
    """
    pair, ranks = now.scenario.secrets[0], None
    keep = partial(now.source.kept, now.query, pair.secret, key=standing.key, names=names)
    counts = keep((0, 0)).counts
    n = now.scenario.records or sum(counts)
    _check_share(pair, counts[1] / sum(counts), n)
    numbers = pair.numbers(n).min(axis=0)
    about = pair.plain() | {"records": now.scenario.records}
    choice = Choice(about, (int(numbers[0]), int(numbers[1])), names)
    first = standing.choice
    if first and (first.secret, first.names) == (about, names):
        choice = first
        ranks = standing.ranks if standing.fingerprint_of_choice != naming.fingerprint else None
    if ranks and not names:
        raise StoreError(
            "Its kept records are named by their rows, which may differ in a newer version. "
            "Without an identifier they cannot be found again, so nothing is released."
        )
    kept = keep(choice.numbers, ranks=ranks)
    sizes = np.array([len(one) for one in kept.ranks], dtype=float)
    if (sizes > numbers).any():
        raise NotApplicable(
            "The table has become too small for the records that are kept of it; release no more "
            "balanced figures of it."
        )
    share = pair.center if one.reference is None else one.reference
    one = replace(one, kept=sizes, stands_for=n * np.array([1 - share, share]))
    return kept._replace(ranks=ranks or kept.ranks), choice, one


# ---------------------------------------------------------------- what goes on record


def _figures(now: Evaluation, way: Way, law: NoiseLaw, values: FloatArray) -> dict[str, Any]:
    """Return released values, rounded by the law of their errors, and what recipients need."""
    exact = [rounded(one, at) for one, at in zip(values.tolist(), law.decimals, strict=True)]
    figures = {"values": exact, "decimals": law.decimals, "intervals": law.intervals(values)}
    figures["deviations"] = [one or None for one in law.deviations.tolist()]
    own, hidden = way.release.kind == "balanced", now.model.provenance == "table"
    errors = law.deviations * _MEAN if own else way.errors  # by the groups they tell the share
    figures["errors"] = None if hidden and not own else rounded_up(errors).tolist()
    figures |= {"estimates": None, "estimate_errors": None}
    if not hidden and way.release.kind in ("noise", "balanced"):
        constant, slope, error = best_estimate(now.model, way.release)
        errors = rounded_up(error.absolute.max(axis=0)).tolist()
        best = zip((constant + slope @ exact).tolist(), errors, strict=True)
        figures["estimates"] = [rounded(one, places_of(error)) for one, error in best]
        figures["estimate_errors"] = errors
    return figures


def _body(now: Evaluation, way: Way, naming: Naming, names: str, together: float) -> dict[str, Any]:
    """Return what is on record of a release beside its figures."""
    one, pairs, table = way.release, now.scenario.secrets, now.source
    promise = one.promise or now.promise
    most = float(rounded_up(ceiling(promise.epsilon, promise.delta)))
    hidden = now.model.provenance == "table"
    laplace = None if one.directions is None else one.scale * one.directions
    arrays = {"noise": one.covariance, "laplace": laplace, "kept": one.kept}
    law = {name: None if array is None else array.tolist() for name, array in arrays.items()}
    law |= {"records": now.scenario.records, "names": names, "version": table.fingerprint}
    more = [*sentences.not_protected(now, way)]
    n = now.n if one.stands_for is None else round(one.stands_for.sum())
    complete = one.kind != "balanced" and now.scenario.records is None
    if complete and any(groups.dropped for groups in now.groups):
        more.append("The number of complete records is told; it may depend on the secret.")
    about = {"name": naming.name, "title": naming.title, "records": n}
    return {
        **{name: getattr(way, name) for name in ("title", "how", "rests", "basis")},
        "table": about | {"provenance": now.model.provenance},
        "secrets": [{"label": p.secret.label, "low": p.low, "high": p.high} for p in pairs],
        "labels": [*now.labels],
        "units": [*now.units],
        "guesses": most if hidden else float(rounded_up(way.guesses)),
        "together": float(rounded_up(together)),
        "promise": {"epsilon": promise.epsilon, "delta": promise.delta, "guesses": most},
        "reference": one.reference,
        "range": [pairs[0].low, pairs[0].high],
        "not_protected": more,
        "law": law,
    }


def _drawing(now: Evaluation, way: Way, kept: Kept | None = None) -> Callable[[], dict[str, Any]]:
    """Compute everything but the noise, and return what draws it."""
    one, m = way.release, len(now.query)
    none = np.zeros((m, 0))
    if kept is not None:
        pair, weights = now.scenario.secrets[0], np.asarray(one.stands_for)
        label = pair.secret.label
        values, errors = balanced_figures(now.query, kept.values, kept.having, weights, label)
        return lambda: _figures(now, way, NoiseLaw(np.diag(errors), none), values)
    if one.kind == "no data":
        means = joint_law(now.model, [one])[0][0]
        return lambda: _figures(now, way, NoiseLaw(none, none), means)
    if now.scenario.records is None:
        answer = now.source.answer(now.query, [now.scenario.secrets[0].secret])
    else:
        answer = now.query.of(_sample(now))
    law = NoiseLaw.of(one, m, now.model.provenance == "table")
    return lambda: _figures(now, way, law, law.draw(answer, _SYSTEM))


def release(
    store: Store,
    now: Evaluation,
    way: Way,
    naming: Naming,
    *,
    token: str,
    author: str,
    reason: str = "",
    names: str = "",
) -> Entry:
    """Draw a release of a scenario's table, and return it as it is on record.

    The table lies inside its ranges, the way, of this evaluation or of `fitting`, keeps its promise
    by public groups, and with all other releases of the table every limit in force, else it is a
    DistprivError for the analyst alone, and nothing is released. The same token gives the same
    release. `names` is a column of identifiers, by which balanced figures find their records in a
    newer version of the table; "" is the number of the row.
    """
    before = book.standing(store, naming.name)
    for entry in before.releases:
        if entry.token == token:
            return entry
    if naming.fingerprint != now.source.fingerprint:
        raise StoreError("The table has changed since it was opened; open it again.")
    versions = {entry.fingerprint for entry in before.releases}
    if versions and not naming.newer and naming.fingerprint not in versions:
        book.take_name(store, naming)  # which refuses the name of another table
    together, choice, kept = _held(now, way, before), None, None
    if way.release.kind == "balanced":
        before = book.take_name(store, naming)
        kept, choice, one = _kept(now, way.release, naming, names, before)
        way = replace(way, release=one)
    body, drawn = _body(now, way, naming, names, together), _drawing(now, way, kept)

    def draw(standing: Standing) -> dict[str, Any]:
        same = standing.releases == before.releases and standing.limits == before.limits
        if not same or (kept and standing.key != before.key):
            raise StoreError(
                "Someone else has released meanwhile; look at the releases and try again."
            )
        return body | drawn()

    values: dict[str, Any] = {"token": token, "author": author, "reason": reason, "way": way.key}
    values |= {"choice": choice, "ranks": kept and kept.ranks, "kind": way.release.kind}
    scenario = json.loads(now.scenario.to_json())
    return book.release(store, naming, scenario=scenario, draw=draw, **values)


_recorded = release  # whose name is an argument's here


def draw_release(
    table: Any,
    query: Query | Statistic | Iterable[Statistic],
    release: Release,
    *,
    pair: Pair | Sequence[Pair],
    ledger: Store | str | None = None,
    name: str = "",
    author: str = "",
    reason: str = "",
    names: str = "",
    records: int | None = None,
    replacement: bool = True,
    reference: Any = None,
    newer: bool | None = None,
) -> Entry:
    """Draw a release of a table's statistics, exactly and rounded, and put it on record.

    Parameters
    ----------
    table, reference : DataFrame or Source
        The second is a public table that the groups' laws are taken from.
    release : Release
        As `calibrate` gives it. Without a promise it has to keep 60 right guesses of 100.
    pair : Pair or sequence of Pair
        Ranges of shares that hold the table's own.
    ledger, name : Store or str, and str
        Records, or their address, and the table's name there; a name alone means the records of
        DISTPRIV_DATABASE. Without both noise alone is drawn, nothing is on record, and other
        releases of the table do not count.
    author, reason, names
        See :func:`distpriv.records.drawing.release`, also for errors.
    newer : bool, optional
        Whether this is a newer version of the table of this name, or another one; it has to be said
        where the ledger has a table with the same title or columns.
    records, replacement
        Size of a random sample with the table's share, None for all records, and whether a record
        may be drawn twice.

    Returns
    -------
    Entry
        Its `to_frame()` has values, intervals at 95 % and deviations of the noise, its `body` what
        else recipients need.

    Raises
    ------
    DistprivError
        If the table's share is outside a range, or the release, by itself or with all others of
        the table, does not keep a limit; then nothing is released.

    Examples
    --------
    >>> late = dp.SensitiveProperty("late", "yes").pair(0.2, 0.2)
    >>> table, query = dp.load_example("bank"), dp.Query(dp.Mean("income"))
    >>> noise = dp.calibrate("OptM", dp.fit_gaussian(table, query, late, n=100), guesses=60)
    >>> entry = dp.draw_release(table, query, noise, pair=late, records=100, replacement=False)
    >>> entry
    Entry(not on record, OptM, mean income)
    >>> list(entry.to_frame())
    ['figure', 'value', 'low', 'high', 'deviation', 'unit']
    """
    if not isinstance(release, Release):
        raise DistprivError(
            f"{type(release).__name__} is not a release; pass what calibrate returns."
        )
    query, pairs = as_query(query), tuple(check_pairs(pair))
    promise, source = release.promise, source_of(table)
    chosen: dict[str, Any] = {"reference_share": release.reference, "records": records}
    if promise is not None and promise.guesses is not None:
        chosen["guesses"] = promise.guesses
    elif promise is not None:
        chosen |= {"by": "epsilon", "epsilon": promise.epsilon, "delta": promise.delta}
    if release.mechanism in MECHANISMS:
        chosen["mechanism"] = release.mechanism
    if release.calibration:
        chosen["calibration"] = release.calibration
    chosen |= {"reference_data": "" if reference is None else "given", "replacement": replacement}
    inside = isinstance(source, FrameSource)  # else its key is a path or an address
    where = source.key if inside else source.title
    scenario = Scenario(where, secrets=pairs, statistics=query.statistics, **chosen)
    now = evaluate(scenario, source, reference=reference)
    for fitted in now.model.pairs if release.calibration == "exact-law" else ():
        compute_law(fitted, now.model)
    if release.kind == "noise" and not release.total(len(query)).any():
        release = AS_IT_IS
    if release.kept is not None and any((release.kept > p.numbers).any() for p in now.model.pairs):
        raise NotApplicable(
            "The release keeps more records than this table has for it; calibrate it on this table."
        )
    way = judge(now.model, [release], now.promise)[0]
    naming = Naming(name, source.fingerprint, source.title, tuple(source.kinds), bool(newer))
    if ledger is not None or name:
        store = ledger if isinstance(ledger, Store) else Store(ledger)
        if newer is None and (like := book.likely(book.tables(store), naming)):
            raise StoreError(
                f"{like[0].name!r} on record looks like this table; pass newer=True and its name "
                "for a newer version of it, or newer=False for another table."
            )
        who = {"token": uuid4().hex, "author": author, "reason": reason, "names": names}
        return _recorded(store, now, way, naming, **who)
    if release.kind == "balanced":
        raise DistprivError(
            "Balanced figures keep the same records for ever, so they need a ledger and a name; "
            "pass name=, and ledger= for another ledger than yours."
        )
    body = _body(now, way, naming, names, _held(now, way, Standing())) | _drawing(now, way)()
    body |= {"scenario": json.loads(scenario.to_json()), "way": way.key}
    entry = 0, "", release.kind, datetime.now(UTC), author, reason, "", name, source.fingerprint
    return Entry(*entry, body)
