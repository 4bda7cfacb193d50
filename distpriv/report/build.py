"""The record of a question, its answer and its decision, and the texts that are made of it alone.

The record is plain JSON, with all that reviewers ask to keep with an output. Recipients of a
release get a label and figures, made of the ledger's entry.
"""

from __future__ import annotations

import csv
import io
import json
import math
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv import __version__
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.sentences import caveats, not_protected
from distpriv.analysis.tables import cell
from distpriv.errors import DistprivError
from distpriv.privacy import delivered_epsilon
from distpriv.queries import Pair
from distpriv.report.texts import render
from distpriv.tables.examples import EXAMPLES

if TYPE_CHECKING:
    from distpriv.analysis.comparison import Way
    from distpriv.analysis.evaluation import Evaluation
    from distpriv.records.decisions import Decision
    from distpriv.records.ledger import Entry

__all__ = ["csv_of", "json_of", "label", "markdown", "page", "record", "script", "with_decision"]

Plain = Mapping[str, Any]
_FORMAT, _VERSION = "distpriv record", 1
_FORMULAS = "=+-@\t\r"  # begin a formula in a spreadsheet


def record(
    now: Evaluation,
    way: Way,
    *,
    risk: Mapping[str, str] | None = None,
    decision: Decision | None = None,
    releases: Iterable[Entry] = (),
    name: str = "",
) -> dict[str, Any]:
    """Return everything that is to be known of one way of releasing, as plain JSON.

    What comes from the table has three significant digits: more would tell its share.

    Parameters
    ----------
    risk : mapping of "why", "who" and "harm" to str
        Why the figures are published, who could want to know the share, what they could do.
    decision, releases
        On record, see `with_decision`.
    name : str
        The table's name on record; its title by default.
    """
    pair, verdict, persons = now.scenario.secrets[now.exposed], way.verdict, way.verdict.persons
    accuracies = zip(now.plain.verdict.accuracy, verdict.accuracy, strict=True)
    secrets = [
        {"label": one.secret.label, "low": one.low, "high": one.high}
        | {"undefended": _guesses(100 * before), "guesses": _guesses(100 * after)}
        for one, (before, after) in zip(now.scenario.secrets, accuracies, strict=True)
    ]
    question = {
        "table": name or now.source.title,
        "fingerprint": now.source.fingerprint,
        "provenance": now.model.provenance,
        "records": now.n,
        "all_records": now.scenario.records is None,
        "secret": pair.secret.label,
        "shares": [pair.low, pair.high],
        "on_grid": _on_grid(pair),
        "secrets": secrets,
        "limit": _round(now.limit, 6),
        "promise": {"epsilon": now.promise.epsilon, "delta": now.promise.delta},
        "undefended": _guesses(now.undefended),
    }
    judged = {
        "kept": verdict.kept,
        "law": verdict.law,
        "delta": [_round(one) for one in np.nan_to_num(verdict.delivered.max(axis=1), nan=1.0)],
        "persons": persons
        and {"epsilon": _round(persons.epsilon, up=True), "delta": persons.delta}
        | {"kept": verdict.persons_kept},
        "why": verdict.why,
    }
    figures = [
        {"label": label, "unit": unit, "value": _round(value), "error": _round(error)}
        | {"percent": _round(100 * error / size)}
        for label, unit, value, error, size in zip(
            now.labels, now.units, now.values, way.errors, now.ruler, strict=True
        )
    ]
    ways = [way, *(one for one in now.ways if one.key != way.key)]
    chosen = {"kind": way.release.kind, "mechanism": way.key, "rests": way.rests}
    made = {
        "format": _FORMAT,
        "version": _VERSION,
        "scenario": json.loads(now.scenario.to_json()),
        "way": way.key,
        "question": question,
        "release": _way(way) | chosen | {"parameters": _parameters(now, way), "verdict": judged},
        "figures": figures,
        "ways": [_way(one) for one in sorted(ways, key=lambda one: one.percent)],
        "risk": {"why": "", "who": "", "harm": ""} | dict(risk or {}),
        "not_protected": [*not_protected(now, way)],
        "caveats": [*caveats(now)],
    }
    return with_decision(made, decision, releases)


def with_decision(
    record: Plain, decision: Decision | None, releases: Iterable[Entry] = ()
) -> dict[str, Any]:
    """Return a record with what is on record now: its decision, its releases, rules and checks."""
    versions = {name: import_module(name).__version__ for name in ("numpy", "scipy", "pandas")}
    made = dict(record) | {
        "made": _minute(datetime.now(UTC)),
        "software": {"distpriv": __version__, "python": platform.python_version()} | versions,
        "decision": _decided(decision),
        "releases": [
            {"number": one.number, "at": _minute(one.at), "author": one.author, "kind": one.kind}
            | {"decision": one.decision, "together": one.body.get("together")}
            for one in releases
        ],
    }
    made |= json.loads(render("reviewers.json", r=made))
    tiers, entry = ("tier_1", "tier_2", "tier_3"), made["registry"]
    lacking = {tier: [name for name in entry[tier] if entry[tier][name] == ""] for tier in tiers}
    reached = next((place for place, tier in enumerate(tiers) if lacking[tier]), len(tiers))
    made["registry"] = entry | {"tier": reached, "missing": lacking}
    plain: dict[str, Any] = json.loads(json.dumps(made, ensure_ascii=False, allow_nan=False))
    return plain


def page(record: Plain, link: str = "", code: str = "") -> str:
    """Return an HTML page of a record that needs nothing else; its first sheet is a board's.

    Parameters
    ----------
    link, code : str
        Address of the decision, and its QR code as a data address.
    """
    link = link if link.startswith(("http://", "https://")) else ""
    code = code if code.startswith("data:image/") else ""
    return render("page.html", r=record, link=link, code=code)


def markdown(record: Plain) -> str:
    """Return a record as Markdown."""
    return render("page.md", r=record)


def label(entry: Entry, decision: Decision | None = None) -> str:
    """Return what recipients of a release must know, half a page of Markdown.

    Who agreed to it is in the decision of the entry's key.
    """
    steps = () if decision is None else decision.versions
    agreed = [one for one in steps if one.act == "agreed" and one.at <= entry.at]
    people = {"answer": agreed[-1] if agreed else None, "proposal": decision and decision.proposal}
    return render("label.md", entry=entry, rows=_rows(entry), **people)


def csv_of(entry: Entry) -> str:
    """Return a release as CSV, each number with the digits that it was rounded to.

    Columns figure, value, low, high (of the 95 % interval), error, unit, and estimates if any.
    """
    rows, text = _rows(entry), io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        names = {name: row[name] for name in ("figure", "unit")}
        risky = (name for name, one in names.items() if one.lstrip(" ")[:1] in tuple(_FORMULAS))
        writer.writerow(row | {name: f"'{row[name]}" for name in risky})
    return text.getvalue()


def json_of(entry: Entry) -> str:
    """Return a release as JSON: all of the ledger's entry that may be published."""
    head = {"format": "distpriv release", "version": 1, "number": entry.number, "kind": entry.kind}
    head |= {"at": _minute(entry.at), "decision": entry.decision}
    body = {name: one for name, one in entry.body.items() if name != "law"}
    return json.dumps(head | body, ensure_ascii=False, indent=1, allow_nan=False)


def script(scenario: Scenario, file_name: str = "") -> str:
    """Return a Python script that gives a scenario's figures.

    Of a file of this name, an example, or a table that the server's owner offers.
    """
    text = scenario.to_json()
    if not text.replace("\n", "").isprintable():  # signs that show a script otherwise than it runs
        text = json.dumps(json.loads(text), indent=1)
    text = text.replace("'", "\\u0027")  # so that nothing in it ends the text
    example = scenario.source in EXAMPLES
    return render("script.txt", s=scenario, text=text, file_name=file_name, example=example)


def _rows(entry: Entry) -> list[dict[str, str]]:
    """Return the figures of a release as they are written."""
    from distpriv.mechanisms.draws import written

    body, rows = entry.body, []
    for place, (name, unit) in enumerate(zip(body["labels"], body["units"], strict=True)):
        digits = body["decimals"][place]
        ends = [
            f"{one:.6g}" if digits is None else written(one, digits)
            for one in body["intervals"][place] or ()
        ]
        low, high = ends or ("", "")
        row = {"figure": name, "value": written(body["values"][place], digits)}
        row |= {"low": low, "high": high, "error": f"{body['errors'][place]:.3g}", "unit": unit}
        if body["estimates"]:
            row["estimate"] = f"{body['estimates'][place]:.6g}"
            row["estimate_error"] = f"{body['estimate_errors'][place]:.3g}"
        rows.append(row)
    return rows


def _way(way: Way) -> dict[str, Any]:
    """Return what a record says of each way of releasing."""
    words = {"key": way.key, "title": way.title, "how": way.how, "basis": way.basis}
    numbers = {"guesses": _guesses(way.guesses), "percent": _round(way.percent)}
    return words | numbers | {"kept": way.kept, "publishable": way.publishable}


def _parameters(now: Evaluation, way: Way) -> dict[str, Any]:
    """Return what a release was made with; what the noise tells is rounded up."""
    one, pair = way.release, now.scenario.secrets[now.exposed]
    made: dict[str, Any] = {"range": [pair.low, pair.high]}
    if one.promise is not None:
        made |= {"epsilon": one.promise.epsilon, "delta": one.promise.delta}
    if one.kept is not None:
        made |= {"kept": one.kept.tolist(), "reference": one.reference}
    if one.kind == "noise":
        deviations = np.sqrt(np.diagonal(one.total(len(now.labels))))
        epsilon = now.cache.once(delivered_epsilon, now.model, one, now.scenario.delta)
        made |= {"calibration": one.calibration, "grid_safe": now.scenario.grid_safe}
        made["deviations"] = [_round(deviation, up=True) for deviation in deviations]
        made["at"] = {"epsilon": _round(epsilon, up=True), "delta": now.scenario.delta}
    return made


def _decided(decision: Decision | None) -> dict[str, Any]:
    """Return what a record says of a decision."""
    made: dict[str, Any] = {"key": "", "status": "not proposed", "in_force": False, "review": ""}
    made |= dict.fromkeys(("proposed_by", "proposed_at", "reason"), "")
    made |= dict.fromkeys(("answered_by", "answered_at", "answer_reason"), "") | {"history": []}
    if decision is None:
        return made
    first, last = decision.proposal, decision.now
    made |= {"key": decision.key, "status": last.act, "in_force": decision.agreed}
    made |= {"proposed_by": first.author, "proposed_at": _minute(first.at), "reason": first.reason}
    made["review"] = str(last.body.get("review") or first.body.get("review") or "")
    if last.act != "proposed":
        made |= {"answered_by": last.author, "answered_at": _minute(last.at)}
        made["answer_reason"] = last.reason
    made["history"] = [
        {"at": _minute(one.at), "author": one.author, "did": one.act, "reason": one.reason}
        for one in decision.versions
    ]
    return made


def _on_grid(pair: Pair) -> bool | None:
    """Whether a range is a cell of the fixed grid; None where a person has to say its origin."""
    try:
        return cell(pair.low) == (pair.low, pair.high) or None
    except DistprivError:
        return None


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


def _round(value: float, digits: int = 3, up: bool = False) -> float | None:
    """Round to significant digits, perhaps up; None for what is no number."""
    if not math.isfinite(value) or not value:
        return 0.0 if value == 0 else None
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1)
    return float(f"{(math.ceil if up else round)(value / unit) * unit:.{digits}g}")


def _guesses(guesses: float) -> float:
    """Round right guesses of 100; what is not certain does not become 100."""
    return 100.0 if guesses >= 100 else round(min(guesses, 99.9), 1)
