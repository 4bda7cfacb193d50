"""Draw what is released: checked against every rule that needs the table, exact, and on record."""

from __future__ import annotations

import json
import math
import random
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np

from distpriv.analysis import Evaluation, Scenario, Way, evaluate, sentences
from distpriv.analysis.comparison import judge
from distpriv.analysis.tables import cell
from distpriv.arrays import FloatArray
from distpriv.composition import Part, joint_release, left_of
from distpriv.errors import DistprivError, NotApplicable, StoreError
from distpriv.mechanisms import MECHANISMS
from distpriv.mechanisms.draws import (
    NoiseLaw,
    balanced_figures,
    intervals,
    places_of,
    rounded,
    rounded_up,
)
from distpriv.model import (
    GaussianModel,
    Promise,
    Release,
    best_estimate,
    fit_groups,
    joint_law,
)
from distpriv.privacy import Verdict
from distpriv.privacy.delivered import verdicts
from distpriv.privacy.exact_law import compute_law
from distpriv.queries import Pair, Query
from distpriv.queries.secrets import round_half_up
from distpriv.records.ledger import (
    Choice,
    Entry,
    Naming,
    Standing,
    release as put_on_record,
    standing as standing_of,
    take_name,
)
from distpriv.records.store import Store
from distpriv.sources import FrameSource, source_of
from distpriv.sources.frame import Ranks
from distpriv.text import percent

__all__ = ["draw_release", "fitting", "release", "risk"]

_PUBLIC = ("reference", "example")
_TRIES = 100  # samples that are drawn until every secret's share is inside its range
_UNCOUNTED = (
    "What balanced figures tell about other secrets or ranges, or beside noise, cannot be counted; "
    "release them alone, about the secret that they hide."
)
_SYSTEM = random.SystemRandom()


# ---------------------------------------------------------------- all releases of a table together


@dataclass(frozen=True, eq=False)
class _Past:
    """One release: what it is, of which figures, and which records."""

    release: Release
    scenario: Scenario
    exact: bool = False  # whether its promise rests on a law that takes long
    sample: str = ""

    @property
    def part(self) -> Part:
        labels = Query(self.scenario.statistics).labels
        return Part(self.release, labels, self.scenario.records, self.sample)


def _past(entry: Entry) -> _Past:
    """Read a release on record."""
    body, law = entry.body, entry.body["law"]
    scenario = Scenario.from_json(json.dumps(body["scenario"]))
    kept, noise, laplace = (
        None if law[name] is None else np.array(law[name], dtype=float)
        for name in ("kept", "noise", "laplace")
    )
    scale = 1.0 if laplace is None else float(np.linalg.norm(laplace[:, 0]))
    along = None if laplace is None else laplace / scale
    one = Release(body["way"], noise, along, scale, kept, kept)
    return _Past(one, scenario, body["rests"] == "exact", entry.token)


def _parts(now: Evaluation, entries: Iterable[Entry], further: Way | None = None) -> list[_Past]:
    """List releases that take records, and one more."""
    taking = [one for one in entries if one.kind != "no data"]
    if any(one.fingerprint != now.source.fingerprint for one in taking if one.kind != "balanced"):
        raise NotApplicable(
            "Another version of this table has been released, and what two versions tell together "
            "cannot be bounded; look at that version."
        )
    parts = [_past(one) for one in taking]
    if further is not None and further.release.kind != "no data":
        parts.append(_Past(further.release, now.scenario, further.rests == "exact", "further"))
    return parts


def _model(
    now: Evaluation, query: Query, pair: Pair, records: int | None, replacement: bool
) -> GaussianModel:
    """Return the model of some figures of so many records, None for all, about one pair."""
    if query == now.query and pair in now.scenario.secrets and records == now.scenario.records:
        fitted = now.model.pairs[now.scenario.secrets.index(pair)]
        if replacement == now.model.replacement:
            return replace(now.model, pairs=(fitted,))
    source = now.reference or now.source
    key = "groups", source.fingerprint, source.provenance, query, pair.secret
    groups = now.cache(key, partial(source.groups, query, pair.secret))
    if records is None:
        head = "complete", now.source.fingerprint, query, pair.secret
        records = now.cache(head, partial(now.source.complete, query, (pair.secret,)))
    return now.cache.once(fit_groups, (groups,), query, (pair,), records, replacement)


def _together(now: Evaluation, parts: Sequence[_Past], pair: Pair, promise: Promise) -> Verdict:
    """Hold all releases together against a promise about one pair."""
    if len(parts) == 1:
        one, scenario = parts[0], parts[0].scenario
        endless = scenario.records is None or scenario.replacement
        model = _model(now, Query(scenario.statistics), pair, scenario.records, endless)
        if one.exact:
            compute_law(model.pairs[0], model)  # which is known from now on
        return verdicts(model, [one.release], [promise])[0]
    return joint_release(_whole(now, parts, pair), [one.part for one in parts]).verdict(promise)


def _whole(now: Evaluation, parts: Sequence[_Past], pair: Pair) -> GaussianModel:
    """Return the model of all figures of all records of the table."""
    every = dict.fromkeys(one for part in parts for one in part.scenario.statistics)
    return _model(now, Query(tuple(every)), pair, None, True)


def _balanced(now: Evaluation, parts: Sequence[_Past], pair: Pair) -> bool:
    """Whether all releases are balanced; NotApplicable where they do not hide this pair alone."""
    kinds = {one.release.additive for one in parts}
    if kinds != {False}:
        if False in kinds:
            raise NotApplicable(_UNCOUNTED)
        return False
    for one in parts:
        first, n = one.scenario.secrets[0], one.scenario.records or now.n
        numbers = [of.numbers(n).min(axis=0) for of in (first, pair)]
        if first.secret != pair.secret or (numbers[0] > numbers[1]).any():
            raise NotApplicable(_UNCOUNTED)
    return True


def risk(
    now: Evaluation, entries: Iterable[Entry], pair: Pair, further: Way | None = None
) -> float:
    """Return right guesses of 100 about a pair, of who has all these releases and one more.

    NotApplicable where what they tell together cannot be counted: of several releases with Laplace
    noise, of balanced ones about another secret or range, and of two versions of a table.
    """
    parts = _parts(now, entries, further)
    if not parts or _balanced(now, parts, pair):
        return 50.0
    return 100 * float(_together(now, parts, pair, Promise(0.0, 0.0)).accuracy.max())


def _limits(now: Evaluation, standing: Standing) -> dict[Pair, Promise]:
    """Return what holds about each pair: limits in force, else what the scenario promises."""
    force = {
        Pair.from_plain(one["secret"]): Promise(one["epsilon"], one["delta"], one.get("guesses"))
        for one in standing.limits
    }
    return dict.fromkeys(now.scenario.secrets, now.promise) | force


def fitting(now: Evaluation, way: Way, standing: Standing) -> Way:
    """Return a way with as much more normal noise as the limits in force ask for, or as it is.

    NotApplicable if what has been released leaves nothing, or more noise is no answer.
    """
    if way.release.kind == "no data":
        return way
    release = way.release
    for pair, limit in _limits(now, standing).items():
        parts = _parts(now, standing.releases, replace(way, release=release))
        if _balanced(now, parts, pair) or _together(now, parts, pair, limit).kept:
            continue
        if release.directions is not None:
            raise NotApplicable("Laplace noise does not fit what limits leave; take OptM.")
        *before, further = [one.part for one in parts]
        if before:
            release = left_of(limit, _whole(now, parts, pair), before, further)
        else:  # by the law of a sample, where it is one
            endless = now.scenario.records is None or now.scenario.replacement
            model = _model(now, now.query, pair, now.scenario.records, endless)
            release = left_of(limit, model, [], Part(release))
    if release is way.release:
        return way
    release = replace(release, promise=way.release.promise)
    claims = {"persons": now.scenario.persons, "bounds": now.bounds}
    return judge(now.model, [release], now.promise, **claims)[0]


# ---------------------------------------------------------------- rules that need the table


def _held(now: Evaluation, way: Way, standing: Standing) -> float:
    """Hold this and all other releases against every limit; right guesses of 100 by all of them."""
    parts, worst = _parts(now, standing.releases, way), 50.0
    for pair, limit in _limits(now, standing).items() if parts else ():
        if _balanced(now, parts, pair):
            continue
        verdict = _together(now, parts, pair, limit)
        if not verdict.kept and way.release.kind != "no data":
            delivered = f"δ = {verdict.delivered.max():.3g} at ε = {limit.epsilon:.3g}"
            raise StoreError(
                f"With this release, {delivered} is delivered about {pair.secret.label}, and the "
                f"limit is δ = {limit.delta:.3g}. Nothing is released; add noise, or agree on "
                "another limit."
            )
        if pair in now.scenario.secrets:
            worst = max(worst, 100 * float(verdict.accuracy.max()))
    return worst


def _check(now: Evaluation, way: Way) -> None:
    """Refuse what may not be released, whatever else is on record."""
    for fitted, groups in zip(now.model.pairs, now.groups, strict=True):
        _check_share(fitted.pair, groups.share, now.n)
    if not way.publishable:
        raise NotApplicable(
            "These expected figures are of the table's own groups, which they would tell; take "
            "groups from public reference data."
        )
    if not way.kept or way.verdict.promise != now.promise:
        raise NotApplicable(
            f"{way.title} does not keep the limit that is chosen; take another way, or calibrate "
            "it anew."
        )


def _check_share(pair: Pair, share: float, n: int) -> None:
    """Refuse a table outside the range, in a sentence for the analyst alone."""
    low, high = pair.numbers(n)[:, 1].tolist()
    if low <= round_half_up(n * share) <= high:
        return
    try:
        ends = "the fixed grid's range, {} to {}".format(*map(percent, cell(share)))
    except DistprivError:
        ends = "another secret, for no range hides this share"
    raise NotApplicable(
        f"The table's share of {pair.secret.label} lies outside {percent(pair.low)} to "
        f"{percent(pair.high)}, so nothing is released; tell nobody, and take {ends}."
    )


# ---------------------------------------------------------------- figures


def _sample(now: Evaluation, names: str) -> FloatArray:
    """Draw records of the table at random, with its share of the first secret: (n, w)."""
    n, pairs, groups = now.n, now.scenario.secrets, now.groups[0]
    count = round_half_up(n * groups.share)
    sizes = zip(map(int, groups.counts), (n - count, count), strict=True)
    if now.scenario.replacement:
        ways = [partial(_SYSTEM.choices, range(size), k=number) for size, number in sizes]
    else:
        ways = [partial(_SYSTEM.sample, range(size), number) for size, number in sizes]
    if groups.records is None:
        if len(pairs) > 1:
            raise NotApplicable("Samples of so large a table hide one secret; choose one.")
        without, having = (np.unique(draw(), return_inverse=True)[1] for draw in ways)
        numbers = [int(one.max(initial=-1)) + 1 for one in (without, having)]
        key = secrets.token_bytes(32)  # so that its ranks are random, and used once
        records = now.source.kept(now.query, pairs[0].secret, numbers, key, names, complete=True)
        return records.values[np.concatenate([without, numbers[0] + having])]
    columns = [*now.query.columns, *(pair.secret.column for pair in pairs)]
    frame = now.source.columns(columns, now.source.rows)
    values, flags = now.query.values(frame), [pair.secret.mask(frame) for pair in pairs]
    there = np.isfinite(values).all(axis=1)
    places = [np.flatnonzero(there & (flags[0] == group)) for group in (0, 1)]
    for _ in range(_TRIES):
        rows = np.concatenate([one[draw()] for one, draw in zip(places, ways, strict=True)])
        counts = [(flag[rows] == 1).sum() for flag in flags]
        ends = [pair.numbers(n)[:, 1] for pair in pairs]
        if all(low <= one <= high for one, (low, high) in zip(counts, ends, strict=True)):
            return values[rows]
    raise NotApplicable("Hardly a sample has all shares inside their ranges; take wider ranges.")


@dataclass(frozen=True, eq=False)
class _Figures:
    """What is released of each statistic."""

    values: FloatArray
    decimals: Sequence[int | None]
    deviations: FloatArray
    intervals: Sequence[list[float] | None]

    @classmethod
    def noisy(cls, release: Release, answer: FloatArray) -> _Figures:
        law = NoiseLaw.of(release, len(answer))
        values = law.draw(answer, _SYSTEM)
        return cls(values, law.decimals, law.deviations, law.intervals(values))

    @classmethod
    def bare(cls, values: FloatArray, deviations: FloatArray) -> _Figures:
        exact = np.array([rounded(one, None) for one in values.tolist()])
        none = [None] * len(exact)
        return cls(exact, none, deviations, intervals(exact, deviations, none))

    def plain(self) -> dict[str, Any]:
        return {
            "values": self.values.tolist(),
            "decimals": [*self.decimals],
            "deviations": [one or None for one in self.deviations.tolist()],
            "intervals": [*self.intervals],
        }


def _answer(now: Evaluation, names: str) -> FloatArray:
    """Compute the figures of all records, or of a sample."""
    if now.scenario.records is None:
        return now.source.answer(now.query, [now.scenario.secrets[0].secret])
    return now.query.of(_sample(now, names))


def _nothing(now: Evaluation, release: Release) -> _Figures:
    """Return what anybody expects."""
    means = joint_law(now.model, [release])[0][0]
    return _Figures.bare(means, np.zeros(len(means)))


def _kept(
    now: Evaluation, release: Release, naming: Naming, names: str, standing: Standing
) -> tuple[_Figures, Choice, Ranks]:
    """Compute balanced figures of the records that are kept for ever."""
    pair, numbers = now.scenario.secrets[0], np.asarray(release.kept).astype(int).tolist()
    choice = Choice(pair.plain() | {"records": now.scenario.records}, (*numbers,), names)
    first, ranks = standing.choice, None
    if first and (first.secret, first.names) == (choice.secret, names):
        choice = first
        if standing.fingerprint_of_choice != naming.fingerprint:
            ranks = standing.ranks
            if not names:
                raise StoreError(
                    "The kept records of this table are named by their rows, which a newer version "
                    "may have elsewhere; only an identifier could have carried them over."
                )
    kept = now.source.kept(now.query, pair.secret, choice.numbers, standing.key, names, ranks=ranks)
    n = sum(kept.counts)
    _check_share(pair, kept.counts[1] / n, n)
    if (np.array(list(map(len, kept.ranks))) > pair.numbers(n).min(axis=0)).any():
        raise NotApplicable(
            "The table has become too small for the records that are kept of it; release no more "
            "balanced figures of it."
        )
    weights = np.asarray(release.stands_for)
    figures = balanced_figures(now.query, kept.values, kept.having, weights, pair.secret.label)
    return _Figures.bare(*figures), choice, ranks or kept.ranks


def _body(now: Evaluation, way: Way, naming: Naming, together: float) -> dict[str, Any]:
    """Return what is told of a release beside its figures."""
    release, pairs = way.release, now.scenario.secrets
    promise = release.promise or now.promise
    odds = math.exp(min(promise.epsilon, 700.0))
    return {
        "title": way.title,
        "how": way.how,
        "table": {
            "name": naming.name,
            "title": naming.title,
            "records": now.n,
            "provenance": now.source.provenance,
        },
        "secrets": [{"label": p.secret.label, "low": p.low, "high": p.high} for p in pairs],
        "labels": [*now.labels],
        "units": [*now.units],
        "errors": rounded_up(way.errors).tolist(),
        "guesses": float(rounded_up(way.guesses)),
        "together": float(rounded_up(together)),
        "rests": way.rests,
        "basis": way.basis,
        "promise": {
            "epsilon": promise.epsilon,
            "delta": promise.delta,
            "guesses": float(rounded_up(100 * (odds + promise.delta) / (1 + odds))),
        },
        "reference": release.reference,
        "range": [pairs[0].low, pairs[0].high],
        "not_protected": [*sentences.not_protected(now, way)],
    }


def _estimates(now: Evaluation, release: Release, values: FloatArray) -> dict[str, Any]:
    """Return the best linear estimates, where the groups that they take are public."""
    if now.model.provenance == "table" or release.kind in ("as it is", "no data"):
        return {"estimates": None, "estimate_errors": None}
    constant, slope, error = best_estimate(now.model, release)
    errors = rounded_up(error.absolute.max(axis=0)).tolist()
    exact = (constant + slope @ values).tolist()
    best = [rounded(one, places_of(e)) for one, e in zip(exact, errors, strict=True)]
    return {"estimates": best, "estimate_errors": errors}


def _law(now: Evaluation, release: Release, names: str) -> dict[str, Any]:
    """Return what later releases are counted by; it stays in the ledger."""
    kept, noise, m = release.kept, release.covariance, len(now.query)
    laplace = None if release.directions is None else release.laplace(m).tolist()
    return {
        "noise": None if noise is None else noise.tolist(),
        "laplace": laplace,
        "records": now.scenario.records,
        "kept": None if kept is None else kept.tolist(),
        "names": names,
        "version": now.source.fingerprint,
    }


# ---------------------------------------------------------------- the release


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

    Everything is checked before: that the table lies inside its range, that the way keeps its
    promise from public groups only, and that all releases of the table together keep the limits in
    force. The same token gives the same release.

    Parameters
    ----------
    way : Way
        Of this evaluation, or of `fitting`.
    names : str
        Column of identifiers, which kept records need to be found in a newer version of the table,
        and samples of tables without order; "" for the number of the row.

    Raises
    ------
    DistprivError
        If a rule is broken, in a sentence for the analyst alone; nothing is released then.
    """
    before = standing_of(store, naming.name)
    for entry in before.releases:
        if entry.token == token:
            return entry
    _check(now, way)
    if naming.fingerprint != now.source.fingerprint:
        raise StoreError("The table has changed since it was opened; open it again.")
    one, choice, ranks = way.release, None, None
    together = _held(now, way, before)
    if one.kind == "balanced":
        before = take_name(store, naming)
        figures, choice, ranks = _kept(now, one, naming, names, before)
    elif one.kind == "no data":
        figures = _nothing(now, one)
    else:
        answer = _answer(now, names)
    body = _body(now, way, naming, together) | {"law": _law(now, one, names)}

    def draw(standing: Standing) -> dict[str, Any]:
        if standing.releases != before.releases or standing.limits != before.limits:
            raise StoreError("Somebody has written meanwhile; look at the releases and try again.")
        final = figures if choice or one.kind == "no data" else _Figures.noisy(one, answer)
        return body | final.plain() | _estimates(now, one, final.values)

    return put_on_record(
        store,
        naming,
        token=token,
        kind=one.kind,
        author=author,
        scenario=json.loads(now.scenario.to_json()),
        way=way.key,
        draw=draw,
        choice=choice,
        ranks=ranks,
        reason=reason,
    )


_recorded = release  # whose name is an argument's here


def draw_release(
    table: Any,
    query: Query,
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
    newer: bool = False,
) -> Entry:
    """Draw a release of a table's statistics, exactly and rounded, and put it on record.

    Parameters
    ----------
    table, reference : DataFrame or Source
        The second is a public table that the groups' laws are taken from.
    release : Release
        As `calibrate` gives it. Without a promise it has to keep 60 right guesses of 100.
    pair : Pair or sequence of Pair
        What it hides.
    ledger : Store or str, optional
        Records, or their address; `name` is the table's name in them. Without a ledger noise alone
        is drawn, nothing is on record, and nothing is known of other releases.
    author, reason : str
        Who releases it, and why where no agreed decision covers it.
    names : str
        Column of identifiers, by which balanced figures keep records.
    records, replacement
        Size of a random sample with the table's share, None for all records, and whether a record
        may be drawn twice.
    newer : bool
        Whether this is a newer version of the table of this name.

    Returns
    -------
    Entry
        Its `body` has values, decimals, deviations of the noise, and intervals at 95 %, among
        others.

    Raises
    ------
    DistprivError
        If a rule is broken, see :func:`distpriv.records.drawing.release`.
    """
    promise, source = release.promise, source_of(table)
    limit: dict[str, Any] = {}
    if promise is not None and promise.guesses is not None:
        limit = {"guesses": promise.guesses}
    elif promise is not None:
        limit = {"by": "epsilon", "epsilon": promise.epsilon, "delta": promise.delta}
    if release.mechanism in MECHANISMS:
        limit |= {"mechanism": release.mechanism}
    if release.calibration:
        limit |= {"calibration": release.calibration}
    scenario = Scenario(
        source=source.key,
        reference_data="reference" if reference is not None else "",
        secrets=(pair,) if isinstance(pair, Pair) else tuple(pair),
        statistics=query.statistics,
        records=records,
        replacement=replacement,
        reference_share=release.reference,
        **limit,
    )
    now = evaluate(scenario, source, reference=reference)
    if release.calibration == "exact-law":
        for fitted in now.model.pairs:
            compute_law(fitted, now.model)
    way = judge(now.model, [release], now.promise)[0]
    columns = source.frame.columns if isinstance(source, FrameSource) else source.cells
    naming = Naming(name, source.fingerprint, source.title, tuple(map(str, columns)), newer)
    if ledger is not None:
        store = Store(ledger) if isinstance(ledger, str) else ledger
        who = {"token": uuid4().hex, "author": author, "reason": reason, "names": names}
        return _recorded(store, now, way, naming, **who)
    if release.kind == "balanced":
        raise DistprivError(
            "Balanced figures keep the same records for ever, so they need a ledger and a name; "
            "pass ledger= and name=."
        )
    _check(now, way)
    body = _body(now, way, naming, way.guesses) | {"law": _law(now, release, names)}
    none = release.kind == "no data"
    figures = _nothing(now, release) if none else _Figures.noisy(release, _answer(now, names))
    body |= figures.plain() | _estimates(now, release, figures.values)
    entry = 0, "", release.kind, datetime.now(UTC), author, reason, "", name, naming.fingerprint
    return Entry(*entry, body)
