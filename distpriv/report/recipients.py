"""What recipients of a release get, and a script that gives its figures again."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from distpriv.analysis.scenario import Scenario
from distpriv.report.texts import render
from distpriv.tables.examples import EXAMPLES

if TYPE_CHECKING:
    from distpriv.records.decisions import Decision
    from distpriv.records.ledger import Entry

__all__ = ["csv_of", "json_of", "label", "script"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # begin a formula in a spreadsheet
_OPENED = "upload", "open", "table"  # keys of tables that are files
_INTERVALS = {
    "noise": "In 95 of 100 releases the table's own figure lies in the interval; it allows for the "
    "noise alone.",
    "balanced": "In 95 of 100 tables the average of all such tables at that share lies in the "
    "interval.",
    "as it is": "There are none: these are the table's own figures.",
    "no data": "There are none: these are expectations, and no record was used.",
}


def label(entry: Entry, decision: Decision | None = None) -> str:
    """Return what recipients of a release must know, half a page of Markdown.

    The decision, of the release's key, tells who agreed to it.
    """
    body = entry.body
    figures = [
        {"label": name, "unit": unit, "value": value, "interval": " to ".join(ends) or "–"}
        for name, unit, value, ends in _figures(body)
    ]
    parts = {"at": f"{entry.at:%Y-%m-%d}", "intervals": _INTERVALS[entry.kind]}
    return render(
        "label.md", entry=entry, figures=figures, decided=_decided(entry, decision), **parts
    )


def _decided(entry: Entry, decision: Decision | None) -> str:
    """Say whether a release was agreed, by whom."""
    if not entry.decision:
        return f"{entry.author} released it without a second person: {entry.reason}"
    who = "A second person"
    if decision is not None:
        answers = [one for one in decision.versions if one.act == "agreed" and one.at <= entry.at]
        who = answers[-1].author if answers else who
        who += f", on the proposal of {decision.proposal.author},"
    return f"{who} agreed to it; {entry.author} released it. Decision {entry.decision}."


def _figures(body: Any) -> list[tuple[str, str, str, list[str]]]:
    """Return label, unit, value and ends of the interval of each figure, as they were rounded."""
    from distpriv.mechanisms.draws import written

    rows = zip(
        body["labels"],
        body["units"],
        body["values"],
        body["decimals"],
        body["intervals"],
        strict=True,
    )
    return [
        (name, unit, written(value, places), [_end(one, places) for one in ends or ()])
        for name, unit, value, places, ends in rows
    ]


def _end(value: float, places: int | None) -> str:
    from distpriv.mechanisms.draws import written

    return f"{value:.4g}" if places is None else written(value, places)


def csv_of(entry: Entry) -> str:
    """Return a release as CSV: figure, value, low, high, error, unit, and estimates if there are.

    Values and the ends of 95 % intervals have the digits that they were rounded to.
    """
    body, text = entry.body, io.StringIO()
    estimates = zip(body.get("estimates") or (), body.get("estimate_errors") or (), strict=True)
    extra = [[f"{value:.6g}", f"{error:.3g}"] for value, error in estimates]
    head = ["figure", "value", "low", "high", "error", "unit"]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head + ["estimate", "estimate_error"] * bool(extra))
    for place, (name, unit, value, ends) in enumerate(_figures(body)):
        error = f"{body['errors'][place]:.3g}"
        row = [_defused(name), value, *(ends or ("", "")), error, _defused(unit)]
        writer.writerow(row + (extra[place] if extra else []))
    return text.getvalue()


def _defused(text: str) -> str:
    """Let text stand for itself in a spreadsheet."""
    return f"'{text}" if text.lstrip().startswith(_FORMULA) or text[:1] in _FORMULA else text


def json_of(entry: Entry) -> str:
    """Return a release as JSON: all that may be published of what the ledger holds."""
    head = {"format": "distpriv release", "version": 1, "number": entry.number, "kind": entry.kind}
    head |= {"at": entry.at.isoformat(timespec="minutes"), "decision": entry.decision}
    body = {name: value for name, value in entry.body.items() if name != "law"}
    return json.dumps(head | body, ensure_ascii=False, indent=1, allow_nan=False)


def script(scenario: Scenario, file_name: str = "") -> str:
    """Return a Python script that gives a scenario's figures.

    From a file of this name, an example, or a table that the server's owner offers.
    """
    text = scenario.to_json()
    if not text.replace("\n", "").isprintable():  # nothing in a script turns the direction of text
        text = json.dumps(json.loads(text), indent=1)
    text = text.replace("'", "\\u0027")  # so that nothing ends the raw text
    if scenario.source in EXAMPLES:
        table = f"distpriv.load_example({scenario.source!r})"
    elif scenario.source not in _OPENED:
        table = f"distpriv.sources.named_source({scenario.source!r})"
    elif scenario.reading is None:
        table = f"distpriv.scan({file_name!r})"
    else:
        table = f"distpriv.read_table({file_name!r}, scenario.reading)"
        if scenario.row.kind != "record":
            table = f"distpriv.tables.as_records({table}, scenario.row)"
    reference = ""
    if scenario.reference_data:
        table += f"\nreference = distpriv.read_table({scenario.reference_data!r})"
        reference = ", reference=reference"
    return (
        f'"""Compute what releasing these figures gives away, and what hiding it costs."""\n\n'
        f"import distpriv\n\n"
        f"scenario = distpriv.Scenario.from_json(r'''{text}''')\n"
        f"table = {table}\n"
        f"now = distpriv.evaluate(scenario, table{reference})\n"
        f"print(now.costs().to_string(index=False))\n"
    )
