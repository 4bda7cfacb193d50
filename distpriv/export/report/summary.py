"""A report's first page and its signatures: verdict, decision, errors, what is not hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from distpriv.analysis.decision import Alternative, Decision, moment
from distpriv.analysis.decision_in_words import chances, error_lines, how, promise_in_words, settled
from distpriv.analysis.evaluation import Evaluation
from distpriv.export.report.label import Label, Part
from distpriv.export.report.words import question
from distpriv.words import SPACE, exact, listed, statistic_errors

__all__ = ["Line", "Signature", "Weighed", "lines", "signatures", "weighed"]


class Line(NamedTuple):
    """A line of the summary: what it is about, and a sentence; plain."""

    title: str
    sentence: str


class Weighed(NamedTuple):
    """An alternative as the report's table tells it; plain."""

    name: str
    noise: str
    right: str
    promise: str
    errors: tuple[str, ...]


class Signature(NamedTuple):
    """What somebody has put on record, or has yet to sign; plain."""

    what: str
    who: str = ""
    when: str = ""
    why: str = ""


def lines(
    main: Evaluation, label: Label, advice: str, decision: Decision | None
) -> tuple[Line, ...]:
    """The summary's lines.

    Parameters
    ----------
    main : Evaluation
        What the report is about.
    label : Label
        Of the same; the summary is its short form.
    advice : str
        What is recommended; empty if nothing is.
    decision : Decision or None
        For exactly this release.
    """
    *_, unprotected, assumed = label.parts
    errors = statistic_errors(main.labels, main.errors, main.units)
    return (
        Line("Question", question(main)),
        Line("Verdict", _verdict(main)),
        Line("Decision", " ".join(_decided(decision, advice))),
        Line("Errors", f"On average, {'; '.join(errors)}."),
        Line("Not hidden", _in_a_line(unprotected)),
        Line("Rests on", _in_a_line(assumed)),
    )


def _verdict(main: Evaluation) -> str:
    epsilon, delta = main.noise.epsilon, main.noise.delta
    kept = (
        f"The promise, ε{SPACE}={SPACE}{exact(epsilon)} with δ{SPACE}={SPACE}{exact(delta)}, is "
        f"{main.promise.words}."
        if main.mechanism.protects
        else "Nothing is promised about the secret."
    )
    return (
        f"With {main.mechanism.name} the best attacker is right in {chances(main.accuracy)} "
        f"guesses; without noise in {chances(main.undefended)}, blindly in 50. {kept}"
    )


def _decided(decision: Decision | None, advice: str) -> Iterator[str]:
    if decision is None:
        yield "Nobody has put this release on record as a proposal."
    else:
        yield f"{_capital(settled(decision.now))}; proposed by {listed(decision.signers)}."
    if advice:
        yield f"Recommended: {advice}" if decision is None else f"By the figures: {advice}"


def _in_a_line(part: Part) -> str:
    return "; ".join(f"{fact.title} ({fact.figure})" for fact in part.facts) + "."


def weighed(alternatives: tuple[Alternative, ...], chosen: str) -> tuple[Weighed, ...]:
    """The alternatives that were compared, the proposed one marked and first."""
    ordered = sorted(alternatives, key=lambda each: each.name != chosen)
    return tuple(
        Weighed(
            f"{each.name} (proposed)" if each.name == chosen else each.name,
            how(each),
            chances(each.accuracy),
            promise_in_words(each),
            tuple(f"{line.label} {line.size}" for line in error_lines(each)) or ("not on record",),
        )
        for each in ordered
    )


def signatures(decision: Decision | None) -> tuple[Signature, ...]:
    """Who proposed, changed, agreed or rejected, and the lines that are still to be signed."""
    if decision is None:
        return (Signature("Proposed by"), Signature("Agreed or rejected by"))
    made = [
        Signature(
            "Proposed by"
            if each.version == 1
            else "Changed by"
            if each.status == "proposed"
            else f"{_capital(each.status)} by",
            each.signed,
            moment(each.at),
            (each.reason if each.status == "proposed" else each.comment) or "–",
        )
        for each in decision.revisions
    ]
    if decision.now.status == "proposed":
        made.append(Signature("Agreed or rejected by"))
    return tuple(made)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
