"""A report as Markdown, and as JSON for programs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.for_persons import RECORD_COLUMN
from distpriv.analysis.scenario_file import write_scenario
from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.analysis.without_curves import CurvePrice
from distpriv.charts.data import figure_data
from distpriv.export.report.label import Label
from distpriv.export.report.values import Contents, Truth
from distpriv.export.report.words import (
    HOLDS,
    MARK,
    PREAMBLE,
    UNLINKED,
    counted,
    delivered,
    guarantee,
    interval,
    without_curves,
)
from distpriv.model.sampling import Interval
from distpriv.words import exact, number, percent

__all__ = ["FORMAT", "VERSION", "json_text", "markdown"]

FORMAT = "distpriv report"
VERSION = 1


def markdown(report: Contents) -> str:
    """Write a report as Markdown (GitHub's, for its tables)."""
    parts = ["# What does the release give away?"]
    if report.confidential:
        parts.append(f"**{MARK}**")
    parts += [
        f"A report by distpriv {report.versions['distpriv']}, "
        f"made on {report.made.isoformat(sep=' ')}.",
        *(f"**{line.title}.** {_plain(line.sentence)}" for line in report.summary),
        PREAMBLE,
        *_decision(report),
        *_label(report.label),
        "## The answer in full",
        f"**{_plain(report.answer)}**",
        "## The guarantee, promised and delivered",
        _table(
            ["Mechanism", "Promised", "Delivered δ", "Delivered ε", RECORD_COLUMN, "Promise"],
            (
                [
                    finding.mechanism.name,
                    f"ε = {finding.noise.epsilon:g}, δ = {exact(finding.noise.delta)}"
                    if finding.mechanism.protects
                    else "nothing",
                    *map(_known, delivered(finding)),
                    finding.record_label(handed=True),
                    finding.promise.words,
                ]
                for finding in report.findings
            ),
        ),
    ]
    parts += [
        f"**{_plain(finding.mechanism.name)}** {_plain(finding.mechanism.summary)} "
        f"{_plain(guarantee(finding))} {_plain(report.bracketed(finding))} "
        f"{_plain(' '.join(finding.noise.caveats))}".rstrip()
        for finding in report.findings
    ]
    parts += [
        f"**{_plain(name)}** is left out: {_plain(why)}" for name, why in report.left_out.items()
    ]
    parts += ["## What it costs: the expected error", _errors(report), report.sampling]
    if report.advice:
        parts.append(f"**{_plain(report.advice)}**")
    parts += [
        "## What attackers achieve",
        _table(
            ["Release", "Best possible attacker right in", "Simulated attacker right in"],
            [
                [
                    "without noise",
                    percent(report.main.undefended),
                    interval(report.simulated[UNDEFENDED]),
                ],
                *(
                    [
                        finding.mechanism.name,
                        percent(finding.accuracy),
                        interval(report.simulated[finding.mechanism.name]),
                    ]
                    for finding in report.findings
                ),
            ],
        ),
        f"{_plain(report.attacker)} Guessing is right in 50\u00a0% of cases.",
        "## Assumptions and what was measured",
    ]
    for finding in report.findings:
        parts.append(f"### {_plain(finding.mechanism.name)}")
        parts.append(
            _table(
                ["Assumption", "Verdict", "What was measured"],
                (
                    [verdict.assumption.title, HOLDS[verdict.holds], verdict.sentence]
                    for verdict in finding.assumed
                ),
            )
            if finding.assumed
            else "Its promise rests on no assumption about how the statistics are distributed."
        )
    parts += [_plain(without_curves(report.without_curves)), "## Figures"]
    parts += [f"**{_plain(picture.title)}**: {_plain(picture.alt)}" for picture in report.pictures]
    parts += [
        "## The scenario",
        _table(["Choice", "Value"], ([name, value] for name, value in report.choices.items())),
        "## To get the same figures again",
        f"Seed of the simulations: {report.main.scenario.seed}. Computed with "
        + ", ".join(f"{name} {version}" for name, version in report.versions.items())
        + ".",
    ]
    parts.append(
        f"Link that opens the scenario: <{report.link}>" if report.link else UNLINKED,
    )
    if report.truth is not None:
        parts += _truth(report, report.truth)
    return "\n\n".join(parts) + "\n"


def _decision(report: Contents) -> list[str]:
    parts = []
    if report.weighed:
        heads = ["Alternative", "Noise", "Attacker right in", "Promise", "Errors"]
        rows = ([*each[:-1], "; ".join(each.errors)] for each in report.weighed)
        parts = ["## The alternatives compared", _table(heads, rows)]
    signed = ([each.what, *(text or "________" for text in each[1:])] for each in report.signatures)
    return [*parts, "## The decision", _table(["What", "Name", "Date", "Reason"], signed)]


def _label(label: Label) -> list[str]:
    parts = ["## What this release promises, on one page", f"**{_plain(label.headline)}**"]
    for part in label.parts:
        parts.append(f"### {_plain(part.title)}")
        parts.append(_table(["What", "Figure", "Meaning"], part.facts))
    return parts


def _errors(report: Contents) -> str:
    sizes = [report.sizes(finding) for finding in report.findings]
    rows = [
        [label, *(each[place] for each in sizes)] for place, label in enumerate(report.main.labels)
    ]
    total = [counted(finding.error, report.main.error_unit) for finding in report.findings]
    return _table(
        ["Statistic", *(finding.mechanism.name for finding in report.findings)],
        [*rows, ["all together, L2", *total]],
    )


def _truth(report: Contents, truth: Truth) -> list[str]:
    parts = ["## Not to be shown", f"**{MARK}**"]
    if truth.share is not None:
        parts += [
            f"{percent(truth.share)} of the records have the property "
            f"{_plain(report.main.scenario.secret.label)}.",
            _table(
                ["Statistic", "True value, of the whole table"],
                (
                    [label, counted(value, unit)]
                    for label, value, unit in zip(
                        report.main.labels, truth.statistics, report.main.units, strict=True
                    )
                ),
            ),
        ]
    if truth.records is not None:
        rows = ([str(cell) for cell in row] for row in truth.records.to_numpy())
        parts += ["### Records", _table(list(map(str, truth.records.columns)), rows)]
    return parts


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([_plain(cell) for cell in row] for row in rows)]
    lines[0] = [_plain(head) for head in heads]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(text: str) -> str:
    """Text that stands for itself in Markdown."""
    return re.sub(r"([\\`*_\[\]<>|#&$~])", r"\\\1", " ".join(text.split()))


def _known(value: float | None) -> str:
    return "–" if value is None else number(value)


def json_text(report: Contents) -> str:
    """Write a report as JSON; numbers that are not finite are null."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "made": report.made.isoformat(),
        "not_to_be_shown": report.confidential,
        "question": report.question,
        "summary": {line.title: line.sentence for line in report.summary},
        "answer": report.answer,
        "alternatives": [each._asdict() for each in report.weighed],
        "decision": None
        if report.decision is None
        else {
            "key": report.decision.key,
            "status": report.decision.now.status,
            "signatures": [each._asdict() for each in report.signatures if each.who],
        },
        "label": {
            part.title: [fact._asdict() for fact in part.facts] for part in report.label.parts
        },
        "guarantee_and_error": [
            {
                "mechanism": finding.mechanism.name,
                "protects": finding.mechanism.protects,
                "promised": {"epsilon": finding.noise.epsilon, "delta": finding.noise.delta},
                "delivered": dict(zip(("delta", "epsilon"), delivered(finding), strict=True)),
                "per_record": finding.record_label(handed=True),
                "kept": finding.kept,
                "promise": finding.promise.state,
                "guarantee": guarantee(finding),
                "bracketed": _bracketed(report, finding),
                "caveats": list(finding.noise.caveats),
                "expected_l2_error": finding.error,
                "expected_errors": dict(zip(report.main.labels, finding.errors, strict=True)),
                "errors_of_sampling_deviation": {
                    label: error / deviation
                    for label, error, deviation in zip(
                        report.main.labels,
                        finding.errors,
                        finding.model.standard_deviations.tolist(),
                        strict=True,
                    )
                },
                "assumptions": [
                    {
                        "assumption": verdict.assumption.title,
                        "holds": verdict.holds,
                        "measured": verdict.measured,
                        "expected": verdict.expected,
                        "unit": verdict.unit,
                        "sentence": verdict.sentence,
                    }
                    for verdict in finding.assumed
                ],
            }
            for finding in report.findings
        ],
        "recommended": report.advice,
        "without_curves": _without_curves(report.without_curves),
        "left_out": report.left_out,
        "units": dict(zip(report.main.labels, report.main.units, strict=True))
        | {"expected_l2_error": report.main.error_unit},
        "attacks": {
            "attacker": report.attacker,
            "seed": report.main.scenario.seed,
            "without_noise": _attack(report.main.undefended, report.simulated[UNDEFENDED]),
            "mechanisms": {
                finding.mechanism.name: _attack(
                    finding.accuracy, report.simulated[finding.mechanism.name]
                )
                for finding in report.findings
            },
        },
        "figures": [
            {
                "title": picture.title,
                "alt": picture.alt,
                "how_to_read": picture.how_to_read,
                "data": figure_data(picture.figure).to_dict("records"),
            }
            for picture in report.pictures
        ],
        "choices": report.choices,
        "scenario": json.loads(write_scenario(report.main.scenario)),
        "link": report.link,
        "versions": report.versions,
    }
    if report.truth is not None:
        truth = report.truth
        content["true_values"] = {
            "share": truth.share,
            "statistics": dict(zip(report.main.labels, truth.statistics, strict=False)),
            "records": [] if truth.records is None else truth.records.to_dict("records"),
        }
    return json.dumps(_finite(content), indent=2, ensure_ascii=False, allow_nan=False, default=str)


def _without_curves(price: CurvePrice) -> dict[str, object]:
    known = {
        "with_curves": price.relying,
        "by_exact_law": price.by_law,
        "without": price.without,
    }
    return {
        "sentence": without_curves(price),
        "refused": list(price.refused),
        "recommended": None if price.advised is None else price.advised.title,
        "epsilon_of_the_same_error": price.epsilon,
        "errors": {
            name: None if one is None else {"mechanism": one.title, "expected_l2_error": one.error}
            for name, one in known.items()
        },
    }


def _bracketed(report: Contents, finding: Evaluation) -> dict[str, object]:
    brackets = report.brackets[finding.mechanism.name]
    figures = {
        "at_least": brackets.at_least,
        "fitted_normals": brackets.normals,
        "at_most": brackets.at_most,
    }
    return {
        name: None if figure is None else asdict(figure) for name, figure in figures.items()
    } | {"exact": brackets.exact, "sentence": report.bracketed(finding)}


def _attack(best: float, simulated: Interval) -> dict[str, object]:
    return {
        "best_possible": best,
        "simulated": simulated.estimate,
        "interval": [simulated.low, simulated.high],
        "confidence": simulated.confidence,
    }


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
