"""The record of a question, its answer and its decision, and the texts that are made of it alone.

The record is plain JSON, with all that reviewers ask to keep with an output. Recipients of a
release get a label and figures, made of the ledger's entry.
"""

from __future__ import annotations

import csv
import io
import json
import platform
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv import __version__
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.sentences import caveats, for_persons, not_protected
from distpriv.analysis.tables import cell
from distpriv.errors import DistprivError
from distpriv.privacy import delivered_epsilon
from distpriv.report.texts import digits, line, minute, render
from distpriv.tables.examples import EXAMPLES

if TYPE_CHECKING:
    from distpriv.analysis.comparison import Way
    from distpriv.analysis.evaluation import Evaluation
    from distpriv.records.decisions import Decision
    from distpriv.records.ledger import Entry

__all__ = ["csv_of", "json_of", "label", "markdown", "page", "record", "script", "with_decision"]

Plain = Mapping[str, Any]
# Begins a formula in a spreadsheet, also in one that takes semicolons between cells.
_FORMULA = re.compile(r"(?:^|(?<=;))(?=\s*[=+\-@＝＋－＠])")
_NONE = None, None


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
    one = way.release
    parts: dict[str, Any] = {"risk": {"why": "", "who": "", "harm": ""} | dict(risk or {})}
    parts |= {"name": name, "on_grid": _on_grid(now)}
    parts |= {"not_protected": not_protected(now, way), "caveats": caveats(now)}
    parts["for_persons"] = for_persons(now, way).text
    parts["scenario"] = json.loads(now.scenario.to_json())
    parts["ways"] = [way, *(other for other in now.ways if other.key != way.key)]
    parts["delta"] = np.nan_to_num(way.verdict.delivered.max(axis=1), nan=1.0).tolist()
    if one.kind == "noise":
        noise = np.sqrt(np.diagonal(one.total(len(now.labels))))
        parts["deviations"] = [digits(deviation, up=True) for deviation in noise]
        parts["epsilon"] = now.cache.once(delivered_epsilon, now.model, one, now.scenario.delta)
    plain = json.loads(render("record.json", now=now, way=way, **parts))
    return with_decision(plain, decision, releases)


def with_decision(
    record: Plain, decision: Decision | None, releases: Iterable[Entry] = ()
) -> dict[str, Any]:
    """Return a record with what is on record now: its decision, its releases, rules and checks."""
    libraries = {name: import_module(name).__version__ for name in ("numpy", "scipy", "pandas")}
    software = {"distpriv": __version__, "python": platform.python_version()} | libraries
    entries = [(one, _rows(one)) for one in releases]
    parts = {"now": datetime.now(UTC), "decision": decision, "entries": entries}
    plain = {**record, **json.loads(render("decision.json", software=software, **parts))}
    plain |= json.loads(render("reviewers.json", r=plain))
    tiers, entry = ("tier_1", "tier_2", "tier_3"), plain["registry"]
    missing = {tier: [name for name in entry[tier] if entry[tier][name] == ""] for tier in tiers}
    reached = next((place for place, tier in enumerate(tiers) if missing[tier]), len(tiers))
    plain["registry"] = entry | {"tier": reached, "missing": missing}
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

    Columns figure, value, low, high (of the 95 % interval), error (or the noise's deviation), unit,
    and estimates if any.
    """
    rows, text = _rows(entry), io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        names = {name: _FORMULA.sub("'", line(row[name])) for name in ("figure", "unit")}
        writer.writerow(row | names)
    return text.getvalue()


def json_of(entry: Entry) -> str:
    """Return a release as JSON: all of the ledger's entry that may be published."""
    head = {"format": "distpriv release", "version": 1, "number": entry.number, "kind": entry.kind}
    head |= {"at": minute(entry.at), "decision": entry.decision}
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
    error = "error" if body["errors"] else "deviation"
    for at, (name, unit) in enumerate(zip(body["labels"], body["units"], strict=True)):
        places, size = body["decimals"][at], body[f"{error}s"][at]
        low, high = (
            "" if one is None else written(one, places) for one in body["intervals"][at] or _NONE
        )
        row = {"figure": name, "value": written(body["values"][at], places), "low": low}
        row |= {"high": high, error: "" if size is None else f"{size:.3g}", "unit": unit}
        if body["estimates"]:
            row["estimate"] = f"{body['estimates'][at]:.12g}"
            row["estimate_error"] = f"{body['estimate_errors'][at]:.3g}"
        rows.append(row)
    return rows


def _on_grid(now: Evaluation) -> bool | None:
    """Whether a range is a cell of the fixed grid; None where a person has to say its origin."""
    pair = now.scenario.secrets[now.exposed]
    try:
        return cell(pair.low) == (pair.low, pair.high) or None
    except DistprivError:
        return None
