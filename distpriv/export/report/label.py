"""The label: on one page, what a release promises, to whom, how sure, and what it does not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from distpriv.analysis.basis import basis_in_words, drawn_in_words
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.for_persons import (
    bounds_from_data,
    leaking_in_words,
    per_record_in_words,
    record_delta,
    unbounded,
)
from distpriv.analysis.keeping import keeping
from distpriv.analysis.meaning import meaning, said
from distpriv.attacks.knowledge import partial_knowledge_in_words
from distpriv.export.report.words import HOLDS, delivered
from distpriv.version import VERSION
from distpriv.words import SPACE, exact, listed, number, percent, share, statistic_errors

__all__ = ["Fact", "Label", "Part", "label", "label_html"]

_DELTA = 1e-3  # where nothing promises one
_NOT_COUNTED = (
    "Not counted on this label. Every release of these data adds to what is known; the Release "
    "page's ledger says what all of them come to."
)


class Fact(NamedTuple):
    """What it is about, the figure or the word for it, and a sentence; plain."""

    title: str
    figure: str
    sentence: str


@dataclass(frozen=True)
class Part:
    """A part of the label.

    Attributes
    ----------
    title : str
    facts : tuple of Fact
    """

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Label:
    """What is promised, to be read on one page.

    Attributes
    ----------
    headline : str
        Whose release it is of, and by what noise.
    parts : tuple of Part
        What is hidden, who can learn what, what is promised and kept, what is not protected, and
        what that rests on.
    """

    headline: str
    parts: tuple[Part, ...]


def label(evaluation: Evaluation, *, prior: float = 0.5, so_far: str = "") -> Label:
    """The label of a scenario, from what is computed of it.

    Parameters
    ----------
    evaluation : Evaluation
    prior : float in (0, 1)
        Of the belief that it is told with.
    so_far : str
        What everything released so far comes to, plain; empty where that is not counted.

    Raises
    ------
    DistprivError
        Where the scenario has no result.
    """
    scenario, noise = evaluation.scenario, evaluation.noise
    promised = (
        f"ε{SPACE}={SPACE}{noise.epsilon:g}, δ{SPACE}={SPACE}{exact(noise.delta)}"
        if evaluation.mechanism.protects
        else "no promise about the share"
    )
    return Label(
        f"{scenario.mechanism}, {promised}",
        (
            Part("What is hidden, and what is released", tuple(_hidden(evaluation))),
            Part(
                "What anybody who sees the release can learn",
                (*(Fact(*way) for way in said(meaning(evaluation, prior))), _bare(evaluation)),
            ),
            Part(
                "What is promised, and what is computed",
                (_share(evaluation), _persons(evaluation), _so_far(so_far)),
            ),
            Part("What is not protected", tuple(_unprotected(evaluation))),
            Part("What this rests on", tuple(_assumed(evaluation))),
        ),
    )


def _hidden(evaluation: Evaluation) -> Iterator[Fact]:
    scenario, model = evaluation.scenario, evaluation.model
    pair = evaluation.fit.pair
    yield Fact(
        "The secret",
        f"{share(pair.p_i)} or {share(pair.p_j)}",
        f"Which of these shares of {exact(model.n)} records has the property {pair.secret.label}.",
    )
    if len(model.pairs) > 1:
        yield Fact(
            "Hidden as well",
            f"{len(model.pairs) - 1} more {'pair' if len(model.pairs) == 2 else 'pairs'}",
            "The figures are of the pair named above; the noise is calibrated for all of them.",
        )
    errors = statistic_errors(
        evaluation.labels, evaluation.noise.expected_absolute_errors(), evaluation.units
    )
    what = "the whole table"
    if not scenario.whole:
        what = f"{exact(model.n)} records drawn from the table, {drawn_in_words(scenario)}"
    yield Fact(
        "Released",
        f"{len(errors)} {'number' if len(errors) == 1 else 'numbers'}",
        f"Of {what}, with the noise's average size: {'; '.join(errors)}.",
    )


def _bare(evaluation: Evaluation) -> Fact:
    undefended = percent(evaluation.undefended)
    return Fact(
        "Without noise",
        f"{number(100 * evaluation.undefended)} of 100",
        f"The same attacker would be right in {undefended} of cases if the numbers went out as "
        "they are.",
    )


def _share(evaluation: Evaluation) -> Fact:
    noise = evaluation.noise
    if not evaluation.mechanism.protects:
        return Fact(
            "For the share",
            "nothing",
            f"{evaluation.mechanism.name} promises nothing about the share.",
        )
    promise = f"ε{SPACE}={SPACE}{noise.epsilon:g}, δ{SPACE}={SPACE}{exact(noise.delta)}"
    if evaluation.undone:
        return Fact(
            "For the share",
            "missed",
            f"Promised {promise}; arithmetic undoes the noise, and what holds is what holds "
            "without it.",
        )
    delta, epsilon = delivered(evaluation)
    figures = "" if delta is None else f"δ{SPACE}={SPACE}{number(delta)} at that ε"
    figures += "" if epsilon is None else f", or ε{SPACE}={SPACE}{number(epsilon)} at that δ"
    basis = basis_in_words(evaluation.laws_for(noise))
    told = f"Promised {promise}. Computed {basis}: {figures}."
    if evaluation.kept and delta is not None and delta > noise.delta:
        told += " The promise does not rest on these curves, and is kept."
    return Fact("For the share", f"{promise}: {evaluation.promise.words}", told)


def _promised_to_persons(evaluation: Evaluation) -> tuple[float, float] | None:
    """(ε, δ) that is promised per record: asked for, or that of differential privacy.

    What is promised for any change of all n records is promised for one.
    """
    asked = evaluation.scenario.persons
    if asked is None and (_hides_all(evaluation) or not evaluation.mechanism.protects):
        return evaluation.noise.epsilon, evaluation.noise.delta
    return asked


def _hides_all(evaluation: Evaluation) -> bool:
    """Whether any two datasets are hidden from each other, not only some shares."""
    return evaluation.mechanism.protects and evaluation.mechanism.baseline


def _persons(evaluation: Evaluation) -> Fact:
    """What is promised to each person, and what the noise gives one record as computed."""
    scenario, record = evaluation.scenario, evaluation.per_record()
    promised = _promised_to_persons(evaluation)
    delta = (promised[1] if promised else record_delta(scenario)) or _DELTA
    epsilon = record.epsilon(delta)
    if promised is not None and scenario.persons is None and not unbounded(scenario):
        known = f"As computed it is ε{SPACE}={SPACE}{number(epsilon)} at that δ."
    else:
        known = per_record_in_words(scenario, evaluation.noise, record, handed=True)
    if promised is None:
        figure = "none" if math.isinf(epsilon) else "not promised"
        return Fact("For each person", figure, f"Nothing is promised. {known}")
    kept = keeping(epsilon, promised[0])
    figure = f"ε{SPACE}={SPACE}{promised[0]:g}, δ{SPACE}={SPACE}{exact(promised[1])}"
    from_data = bounds_from_data(scenario, evaluation.table) if scenario.persons else ()
    told = [
        "Replacing any record changes the chance of any outcome by no more than that.",
        known,
        leaking_in_words(from_data),
    ]
    return Fact(
        "For each person",
        f"{figure}: {kept.words}",
        " ".join(sentence for sentence in told if sentence),
    )


def _so_far(told: str) -> Fact:
    figure = "on record" if told else "not counted"
    return Fact("For all releases so far", figure, told or _NOT_COUNTED)


def _unprotected(evaluation: Evaluation) -> Iterator[Fact]:
    scenario = evaluation.scenario
    if _promised_to_persons(evaluation) is None:
        yield Fact(
            "Single persons",
            "not promised",
            "Whether somebody's record is among them, and what it says, is another promise than "
            "this one about a share.",
        )
    secrets = listed(list(dict.fromkeys(fit.pair.secret.label for fit in evaluation.model.pairs)))
    if evaluation.mechanism.protects and not _hides_all(evaluation):
        yield Fact(
            "Other properties",
            "not hidden",
            f"Only the share of {secrets} is; what the released numbers say of any other column "
            "they say as well as their noise lets them.",
        )
        yield Fact(
            "Shares further apart",
            "not hidden",
            "Only the shares named are hidden from each other; who has to tell ones further apart "
            "is right more often.",
        )
    yield Fact(
        "Later releases",
        "add up",
        "The promise is for this release. Each further one, here or elsewhere about the same "
        "people, adds to what is known.",
    )
    yield Fact(
        "Known records",
        "not counted",
        partial_knowledge_in_words(evaluation.focused, evaluation.noise),
    )
    yield Fact(
        "Correlations",
        "not hidden",
        "Records that depend on one another, such as a family's, count as independent; and what "
        "somebody knows from elsewhere they know still.",
    )
    where = "reference data" if scenario.reference else "this table"
    yield Fact(
        "The noise itself",
        "public",
        f"Its size and directions are published with the numbers, and were computed from {where}.",
    )


def _assumed(evaluation: Evaluation) -> Iterator[Fact]:
    model = evaluation.model
    first, second = (theta.having for theta in evaluation.fit.thetas)
    drawn = "with" if model.replacement else "without"
    if model.share_of == "table":
        told = (
            f"The {exact(model.n)} records are a random sample of the table, drawn {drawn} "
            "replacement; how many of them have the property is random."
        )
    else:
        told = (
            f"{exact(first)} or {exact(second)} of the {exact(model.n)} have the property, drawn "
            f"at random {drawn} replacement from those who have it, the others from those who "
            "have not."
        )
    yield Fact("The records", "assumed", told)
    yield Fact(
        "The attacker",
        "assumed",
        "Knows how the statistics are distributed under either share, the law of the noise and "
        "every step of this, and has no limit on computing; does not know the noise drawn.",
    )
    for verdict in evaluation.assumed:
        yield Fact(
            verdict.assumption.title.capitalize(),
            HOLDS[verdict.holds],
            verdict.assumption.meaning,
        )
    for caveat in evaluation.noise.caveats:
        yield Fact("Besides", "caveat", caveat)


def label_html(shown: Label, *, made: str = "") -> str:
    """The label as one HTML page that needs nothing else, for an A4 sheet or a screen.

    Parameters
    ----------
    shown : Label
    made : str
        When, in words.
    """
    return _template().render(label=shown, made=made, version=VERSION)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("distpriv.export.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("label_page.html")
