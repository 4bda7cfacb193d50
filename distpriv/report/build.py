"""The record of a question, its answer and its decision; from it alone a page and Markdown.

The record is plain JSON. It holds what reviewers ask to keep with an output (SATRE 3.3.09: every
rule with its parameters and versions), what the registry of deployments asks for
(registry.opendp.org, tiers 1 to 3), and the eight lines of an output checker's form.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

from distpriv import __version__
from distpriv.analysis.sentences import caveats, not_protected
from distpriv.analysis.tables import cell
from distpriv.errors import DistprivError
from distpriv.privacy import delivered_epsilon
from distpriv.report.texts import render

if TYPE_CHECKING:
    from distpriv.analysis.comparison import Way
    from distpriv.analysis.evaluation import Evaluation
    from distpriv.records.decisions import Decision
    from distpriv.records.ledger import Entry

__all__ = ["markdown", "page", "record", "with_decision"]

Plain = Mapping[str, Any]
_FORMAT, _VERSION = "distpriv record", 1
_SMALL = 10  # records of a count below which somebody has to look


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

    Numbers that come from the table have three significant digits: more would tell its share.

    Parameters
    ----------
    risk : mapping of "why", "who" and "harm" to str
        Why the figures are published, who could want to know the share, what they could do.
    decision, releases
        On record, see `with_decision`.
    name : str
        The table's name on record; its title by default.
    """
    pair, one = now.scenario.secrets[now.exposed], way.release
    figures = zip(now.labels, now.units, now.values, way.errors, now.ruler, strict=True)
    every = sorted([way, *(one for one in now.ways if one.key != way.key)], key=lambda x: x.percent)
    rounded = way.verdict.delivered.max(axis=1).tolist()
    made = {
        "format": _FORMAT,
        "version": _VERSION,
        "scenario": _scenario(now),
        "way": way.key,
        "question": {
            "table": name or now.source.title,
            "fingerprint": now.source.fingerprint,
            "provenance": now.model.provenance,
            "records": now.n,
            "all_records": now.scenario.records is None,
            "secret": pair.secret.label,
            "shares": [pair.low, pair.high],
            "limit": _digits(now.limit, 4),
            "promise": {"epsilon": now.promise.epsilon, "delta": now.promise.delta},
            "undefended": _guesses(now.undefended),
            "secrets": [
                {"label": each.secret.label, "low": each.low, "high": each.high}
                | {"undefended": _guesses(100 * before), "guesses": _guesses(100 * after)}
                for each, before, after in zip(
                    now.scenario.secrets,
                    now.plain.verdict.accuracy.tolist(),
                    way.verdict.accuracy.tolist(),
                    strict=True,
                )
            ],
        },
        "release": {
            "kind": one.kind,
            "mechanism": way.key,
            "title": way.title,
            "how": way.how,
            "rests": way.rests,
            "basis": way.basis,
            "guesses": _guesses(way.guesses),
            "percent": _digits(way.percent),
            "parameters": _parameters(now, way),
            "verdict": {
                "kept": way.kept,
                "law": way.rests,
                "delta": [_digits(value) for value in rounded],
                "persons": _persons(way),
                "why": way.verdict.why,
            },
        },
        "figures": [
            {"label": label, "unit": unit, "value": _digits(value), "error": _digits(error)}
            | {"percent": _digits(100 * error / size)}
            for label, unit, value, error, size in figures
        ],
        "ways": [
            {"key": each.key, "title": each.title, "how": each.how, "basis": each.basis}
            | {"guesses": _guesses(each.guesses), "percent": _digits(each.percent)}
            | {"kept": each.kept, "publishable": each.publishable}
            for each in every
        ],
        "risk": {"why": "", "who": "", "harm": ""} | dict(risk or {}),
        "not_protected": [*not_protected(now, way)],
        "caveats": [*caveats(now)],
    }
    return with_decision(made, decision, releases)


def with_decision(
    record: Plain, decision: Decision | None, releases: Iterable[Entry] = ()
) -> dict[str, Any]:
    """Return a record with what is on record now: its decision, releases, rules and checks."""
    python = {"python": platform.python_version()}
    libraries = {name: _version(name) for name in ("numpy", "scipy", "pandas")}
    made = dict(record) | {
        "made": _minute(datetime.now(UTC)),
        "software": {"distpriv": __version__} | python | libraries,
        "decision": _decided(decision),
        "releases": [_released(one) for one in releases],
    }
    made["rules"], made["checks"] = _rules(made), _checks(made)
    made["registry"] = _registry(made)
    plain: dict[str, Any] = _plain(made)
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
    """Return the text of a record as Markdown."""
    return render("page.md", r=record)


# ---------------------------------------------------------------- what the evaluation tells


def _scenario(now: Evaluation) -> Any:
    import json

    return json.loads(now.scenario.to_json())


def _parameters(now: Evaluation, way: Way) -> dict[str, Any]:
    """Return what a release was made with; the noise's deviations are rounded up."""
    one, pair = way.release, now.scenario.secrets[now.exposed]
    parameters: dict[str, Any] = {"range": [pair.low, pair.high], "records": now.n}
    if one.promise is not None:
        parameters |= {"epsilon": one.promise.epsilon, "delta": one.promise.delta}
    if one.kept is not None:
        parameters |= {"kept": one.kept.tolist(), "reference": one.reference}
    if one.kind == "noise":
        deviations = np.sqrt(np.diagonal(one.total(len(now.labels))))
        chosen = now.scenario.delta
        epsilon = now.cache.once(delivered_epsilon, now.model, one, chosen)
        parameters |= {
            "calibration": one.calibration,
            "grid_safe": now.scenario.grid_safe,
            "deviations": [_digits(value, up=True) for value in deviations.tolist()],
            "at": {"epsilon": _digits(epsilon, up=True), "delta": chosen},
        }
    return parameters


def _persons(way: Way) -> dict[str, Any] | None:
    one = way.verdict.persons
    if one is None:
        return None
    return {"epsilon": _digits(one.epsilon, up=True), "delta": one.delta} | {
        "kept": way.verdict.persons_kept
    }


def _digits(value: float, digits: int = 3, up: bool = False) -> float | None:
    """Round to significant digits, perhaps up; None for what is no number."""
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits - 1}e}")
    if up and rounded < value:
        rounded = float(f"{rounded + 10.0 ** (math.floor(math.log10(value)) - digits + 1):.12g}")
    return rounded


def _guesses(guesses: float) -> float:
    """Round right guesses of 100; what is not certain does not become 100."""
    return 100.0 if guesses >= 100 else min(round(guesses, 2), 99.99)


def _plain(value: Any) -> Any:
    """Make JSON of values: no tuples, no NaN, no ∞."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


# ---------------------------------------------------------------- what is on record


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


def _decided(decision: Decision | None) -> dict[str, Any]:
    names = "proposed_by", "proposed_at", "reason", "answered_by", "answered_at", "answer_reason"
    made: dict[str, Any] = {"key": "", "status": "not proposed", "in_force": False, "review": ""}
    made |= dict.fromkeys(names, "") | {"history": []}
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


def _released(entry: Entry) -> dict[str, Any]:
    made = {"number": entry.number, "at": _minute(entry.at), "author": entry.author}
    made |= {"kind": entry.kind, "decision": entry.decision, "reason": entry.reason}
    return made | {"together": entry.body.get("together")}


# ---------------------------------------------------------------- what reviewers ask for


def _rules(made: Plain) -> list[dict[str, Any]]:
    """Every rule that was applied, with its parameters, as SATRE 3.3.09 asks.

    Kept is null where a person has to say so, or nobody has answered yet.
    """
    question, release, decision = made["question"], made["release"], made["decision"]
    judged, kind = release["verdict"], release["kind"]
    shares = dict(zip(("lower_share", "higher_share"), question["shares"], strict=True))
    limit = {"right_guesses_of_100": question["limit"]} | question["promise"] | shares
    rounding: dict[str, Any] = {"significant_digits": 12}
    if kind == "noise":
        rounding = {"unit": "a decimal place, at most 1/100 of the noise's deviation"}
    answered = {"agreed": True, "rejected": False}.get(decision["status"])
    people = {"proposed_by": decision["proposed_by"], "answered_by": decision["answered_by"]}
    rules: list[tuple[str, Plain, Plain, bool | None]] = [
        (
            "limit on the best attacker",
            limit,
            {"right_guesses_of_100": release["guesses"], "without": question["undefended"]}
            | {"delta": max(judged["delta"]), "law": judged["law"]},
            judged["kept"],
        ),
        (f"{kind}: {release['title']}", release["parameters"], {}, judged["kept"]),
        ("range from the fixed grid", shares, {}, _on_grid(question["shares"])),
        ("rounding", rounding, {}, True),
        ("a second person agrees", people, {"status": decision["status"]}, answered),
    ]
    if (one := judged["persons"]) and one["kept"] is not None:
        promise = {name: one[name] for name in ("epsilon", "delta")}
        rules.insert(1, ("promise to single records", promise, {}, one["kept"]))
    tool = {"tool": "distpriv", "tool_version": made["software"]["distpriv"]}
    names = "rule", "parameters", "result", "kept"
    return [dict(zip(names, rule, strict=True)) | tool for rule in rules]


def _on_grid(shares: Sequence[float]) -> bool | None:
    """Whether a range is a cell of the fixed grid; else a person has to say where it is from."""
    try:
        return tuple(shares) == cell(shares[0]) or None
    except DistprivError:
        return None


def _checks(made: Plain) -> list[dict[str, str]]:
    """Fill in the eight lines of an output checker's form as far as a program can."""
    question, release, figures = made["question"], made["release"], made["figures"]
    fewest = min(release["parameters"].get("kept") or [question["records"]])
    counts = [one["value"] for one in figures if one["unit"] == "records"]
    small = release["kind"] != "noise" and min(counts, default=_SMALL) < _SMALL
    cohort = f"Each figure rests on {fewest:g} records or more."
    if release["kind"] == "no data":
        small, cohort = False, "The figures rest on no records of the table."
    if small:
        cohort = f"A count is of about {min(counts):.3g} records; somebody has to look at it."
    attacker = (
        f"The best attacker on the share is right {release['guesses']:.4g} times in 100, "
        f"{question['undefended']:.4g} without protection; the limit is {question['limit']:g}."
    )
    use = made["risk"]["harm"] or "Somebody has to judge safe projects, people, data and settings."
    lines = [
        ("Smallest cohort", "look" if small or 0 < fewest < _SMALL else "done", cohort),
        ("Suppression", "done", "No cells are listed, and none is left out."),
        ("Residual disclosure", "done" if release["verdict"]["kept"] else "failed", attacker),
        ("Type of output", "done", f"{len(figures)} statistics of a table."),
        ("Use of the data", "by hand", "Somebody has to look at the licence and the consent."),
        ("Five Safes", "by hand", use),
        ("Machine-learning model", "does not apply", "No model is released."),
        ("Genomic data", "does not apply", "No allele counts are released."),
    ]
    return [dict(zip(("check", "state", "why"), line, strict=True)) for line in lines]


def _registry(made: Plain) -> dict[str, Any]:
    """Return the entry for the registry of deployments, its tier, and what each tier still lacks.

    See registry.opendp.org.
    """
    question, release, releases = made["question"], made["release"], made["releases"]
    decision, count = made["decision"], len(made["figures"])
    parameters = release["parameters"]
    loss = {name: parameters.get(name) for name in ("epsilon", "delta")}
    tiers: dict[int, dict[str, Any]] = {
        1: {
            "curator": decision["proposed_by"],
            "intended_use": made["risk"]["why"],
            "data_product": f"{count} statistics of {question['records']} records of "
            f"{question['table']}",
            "publication_date": releases[-1]["at"][:10] if releases else "",
        },
        2: {
            "flavour": "distribution privacy of a share, not differential privacy of persons",
            "privacy_unit": f"the share of records with {question['secret']}",
            "privacy_loss": loss if loss["epsilon"] is not None else "",
            "deployment_model": "central",
        },
        3: {
            "data_domain": [one["label"] for one in made["figures"]],
            "unprotected": made["not_protected"],
            "accounting": "the joint law of all releases of the table, against the agreed limits",
            "post_processing": "rounding",
            "implementation": made["software"],
            "rationale": decision["reason"],
        },
    }
    missing = {tier: [name for name in one if one[name] == ""] for tier, one in tiers.items()}
    entry: dict[str, Any] = {f"tier_{tier}": one for tier, one in tiers.items()}
    entry["tier"] = next((tier - 1 for tier in tiers if missing[tier]), max(tiers))
    return entry | {"missing": {f"tier_{tier}": names for tier, names in missing.items()}}
