"""What pages, alternative texts and reports say about results, in sentences of at most 25 words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pandas as pd

from distpriv.analysis.comparison import Way
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.guarantee import OFTEN
from distpriv.analysis.scenario import Scenario
from distpriv.errors import DistprivError
from distpriv.model import Promise
from distpriv.model.diagnostics import chance
from distpriv.privacy import Persons
from distpriv.queries import Pair
from distpriv.text import listed, percent, right_of_100, significant, times, whole

__all__ = ["PLAIN", "READY", "RELEASE_BESIDE", "SAMPLED", "Badge", "Style", "advice"]
__all__ += ["attack_lead", "attack_title", "caveats", "chance", "check_lead", "check_title"]
__all__ += ["decide_advice", "decide_lead", "decide_title", "directions_advice"]
__all__ += ["directions_lead", "directions_title", "fit_advice", "fit_lead", "fit_title"]
__all__ += ["for_persons", "unseen"]
__all__ += ["guarantee_badges", "guarantee_lead", "guarantee_meaning", "guarantee_title"]
__all__ += ["known_lead", "not_protected", "off", "offered", "release_advice", "release_interval"]
__all__ += ["release_lead", "release_limit", "release_noise", "release_title", "tradeoff_advice"]
__all__ += ["tradeoff_lead", "tradeoff_title", "warning"]

SAMPLED = "Simulations and their curves use 200\u202f000 random records of this table."
READY = "Ready to propose?"
RELEASE_BESIDE = {
    "balanced": "Never publish beside it: figures of all records, or which records were kept.",
    "noise": "Never publish beside it: these figures without noise, or balanced ones.",
    "as it is": "Never publish beside it: balanced figures of the same table.",
    "no data": "Never publish beside it: how far the table's own figures are from these.",
}
_NEAR = 0.7  # of the error of no data, from which on that is said, too


@dataclass(frozen=True)
class Style:
    """Hold how a medium writes names that come from a table, and what is stressed."""

    name: Callable[[str], str] = str  # escapes and marks
    strong: Callable[[str], str] = str  # of the program's own text, or what `name` returned


PLAIN = Style()


def off(error: float) -> str:
    """Write a mean error: "2.9 %"."""
    return f"{significant(error, 2)}\u00a0%"


def check_title(now: Evaluation) -> str:
    """Return whether an attacker can tell the shares; what is accepted does not make that safe."""
    if not now.plain.verdict.shares_kept:
        return "An attacker could tell"
    if now.needs_noise:
        return "Persons are not protected"
    return "An attacker cannot tell" if now.undefended <= Scenario.guesses else "Within your limit"


def check_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what an attacker guesses, how often that is right, and what is accepted.

    About the most exposed secret.
    """
    pair = now.scenario.secrets[now.exposed]
    low, high = map(style.strong, now.exposed_shares)
    accepts = f"you accept {significant(now.limit)}"
    if now.scenario.by == "epsilon":
        accepts = f"your ε allows an attacker to be right {times(now.limit)}"
    lead = (
        f"They guess whether {low} or {high} of {whole(now.n)} records have "
        f"{style.name(pair.secret.label)}, and are right {style.strong(times(now.undefended))}. "
        f"50 is a coin toss; {accepts}."
    )
    return " ".join([lead, *unseen([now.plain], now.limit)])


def unseen(ways: Iterable[Way], limit: float) -> tuple[str, ...]:
    """Return why ways are not allowed whose right guesses do not show it, a sentence each."""
    reasons: dict[str, list[str]] = {}
    for way in ways:
        if not way.kept and way.guesses <= limit:
            reasons.setdefault(way.verdict.why, []).append(way.title)
    return tuple(f"{listed(names)}: {why[:1].lower()}{why[1:]}" for why, names in reasons.items())


def warning(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what comes before any advice, for the analyst alone; "" for nothing."""
    if (pair := now.outside) is None:
        return ""
    low, high, secret = percent(pair.low), percent(pair.high), style.name(pair.secret.label)
    return (
        f"{style.strong('Widen the two shares first.')} Your table's own share of {secret} lies "
        f"outside {low} to {high}. Only you see this."
    )


def advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return which way of releasing to take, and what it comes to."""
    way, nothing = now.recommendation.way, now.recommendation.nothing
    request = style.strong(way.advice)
    if way.release.kind == "as it is":
        return f"{request} This keeps your limit, {way.by}."
    if now.recommendation.worse_than_nothing:
        if not (way.publishable and way.kept):
            request = style.strong("Release nothing from this table.")
        return (
            f"{request} Every way that keeps your limit is worse than an educated guess, which is "
            f"off by {style.strong(off(nothing.percent))}."
        )
    text = (
        f"{request} Then an attacker is right {style.strong(times(way.guesses))}, and the figures "
        f"are off by {style.strong(off(way.percent))} on average."
    )
    if way.percent > _NEAR * nothing.percent:
        text += f" An educated guess, without any data, is off by {off(nothing.percent)}."
    return text


def caveats(now: Evaluation) -> tuple[str, ...]:
    """Return what the answer rests on or leaves out, a sentence each."""
    one, sentences = now.scenario, []
    if now.model.provenance == "table":
        sentences += [
            "The range tells that the share lies in it; nothing inside it is told.",
            "No data and best estimates are only yardsticks: they are computed from your table, "
            "and publishing them would tell its share.",
        ]
    sentences += _rests(now)
    if now.sampled:
        sentences.append(SAMPLED)
    if dropped := now.groups[0].dropped:
        verb = "record lacks a value and is" if dropped == 1 else "records lack a value and are"
        sentences.append(f"{whole(dropped)} {verb} left out.")
    if now.needs_noise and one.calibration == "classical" and (now.epsilon or 0) > 1:
        sentences.append("Classical calibration is proven only up to ε = 1; take guarded noise.")
    if now.needs_noise and one.calibration in ("exact", "classical"):
        sentences.append("This noise assumes equal scatter at both shares; guarded noise does not.")
    if now.needs_noise and not one.grid_safe:
        sentences.append("Rounding tricks can remove this noise; grid-safe noise prevents that.")
    return tuple(sentences)


def _rests(now: Evaluation) -> list[str]:
    """Return which law decides, and what is promised or told about single records."""
    one, sentences = now.scenario, []
    laws = {way.rests for way in now.ways}
    if "exact" in laws and "model" in laws:
        sentences.append("The exact law decides where it is known; elsewhere our model does.")
    elif "exact" in laws:
        sentences.append("Here the exact law of the figures decides; no bell curve is assumed.")
    elif now.law_pending:
        sentences.append("The exact law is being computed; until then our model decides.")
    if not now.query.linear:
        sentences.append(
            "Medians, quantiles, deviations and correlations come from simulated tables. Noise "
            "covers what these leave unknown in about 95 of 100 cases."
        )
    if one.persons is not None:
        epsilon, delta = significant(one.persons.epsilon), significant(one.persons.delta)
        sentences.append(
            f"Each record is promised ε = {epsilon} at δ = {delta}, too, between the public bounds."
        )
    if one.known_records:
        sentences.append(known_lead(now, now.recommendation.way))
    return sentences


def tradeoff_title(now: Evaluation) -> str:
    """Return the error that the limit costs with the chosen mechanism."""
    if not now.needs_noise:
        return "No noise needed"
    return f"{off(now.way.percent)} off for {right_of_100(now.way.guesses, '> 99')} of 100"


def tradeoff_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what the chosen mechanism comes to."""
    if not now.needs_noise:
        return f"Without noise an attacker is right {style.strong(times(now.undefended))}."
    at = "" if now.epsilon is None else f" at ε = {significant(now.epsilon)}"
    right, error = style.strong(times(now.way.guesses)), style.strong(off(now.way.percent))
    return (
        f"With {now.way.key}{at} an attacker is right {right}, and the figures are off by {error} "
        "on average."
    )


def tradeoff_advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return a better way than the chosen mechanism, or that there is none; "" without noise."""
    if not now.needs_noise:
        return ""
    if now.recommendation.way.key == now.way.key:
        return style.strong("No mechanism does noticeably better.")
    return advice(now, style)


def attack_title(now: Evaluation, way: Way | None = None) -> str:
    """Return how often the best attacker of a way, or the chosen one, is right.

    About the most exposed secret.
    """
    return f"Right {times(now.exposed_guesses(way or now.way))}"


def attack_lead(now: Evaluation, frame: pd.DataFrame, name: str, style: Style = PLAIN) -> str:
    """Return how a simulated attacker does on a release beside the best one, of `attack_frame`."""
    part, best = frame[frame["release"] == name], now.exposed_guesses(now.way)
    if not len(part):
        return f"The best possible attacker is right {times(best)}."
    last = part.iloc[-1]
    spread, done = last["high"] - last["guesses"], int(last["simulations"])
    between = "" if math.isnan(spread) else f"\u00a0±\u00a0{spread:.1f}"
    score = f"{last['guesses']:.1f}{between}"
    simulations = f"{whole(done)} simulation" + ("" if done == 1 else "s")
    return (
        f"After {simulations} a trained attacker is right {style.strong(score)} times in 100; the "
        f"best possible one {best:.0f}."
    )


def _misfit(now: Evaluation) -> tuple[float, float, str, bool]:
    """Return the worst misfit, what is chance, the statistic, and whether that fits."""
    frame = now.fit()
    worst = frame.sort_values("misfit").iloc[-1]
    by_chance = chance(now.draws.shape[1], len(frame))
    return worst["misfit"], by_chance, worst["statistic"], bool(worst["misfit"] <= by_chance + 1)


def fit_title(now: Evaluation) -> str:
    """Return whether the figures are bell-shaped."""
    return "Close to bell curves" if _misfit(now)[-1] else "Not all bell curves"


def fit_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return how far the worst figure is from its curve."""
    misfit, by_chance, statistic, _ = _misfit(now)
    points = style.strong(f"{misfit:.0f} points of 100")
    return (
        f"The worst fit is {style.name(statistic)}: off by about {points}, in "
        f"{whole(now.draws.shape[1])} simulated tables. Up to {by_chance:.0f} is chance."
    )


def fit_advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what the fit means for noise and for balanced figures."""
    if _misfit(now)[-1]:
        request = style.strong("You can rely on the promise of noise.")
        return f"{request} Balanced figures need no bell curves."
    if "BalM" in now.unavailable:
        return style.strong("Take more records: noise is proven only for bell curves.")
    request = style.strong("Take balanced figures: they hold for any data.")
    return f"{request} Noise is proven only for bell curves."


def directions_title(now: Evaluation) -> str:
    """Return the question of the page."""
    return "Which figure tells most?" if len(now.labels) > 1 else "One figure, one direction"


def directions_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return which figure tells most."""
    frame = now.contributions()
    first = frame.sort_values("alone").iloc[-1]
    alone = min(first["alone"], now.undefended)  # near 100 by rounding alone
    lead = f"An attacker guesses right {style.strong(times(alone))} from "
    lead += f"{style.name(first['statistic'])} alone; "
    if len(frame) == 1:
        return f"{lead}there is no other figure."
    together = "both" if len(frame) == 2 else f"all {len(frame)}"
    return f"{lead}from {together} together, {style.strong(times(now.undefended))}."


def directions_advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return the figure to leave out, where that alone keeps the limit; else nothing."""
    frame = now.contributions()
    least = frame.sort_values("without").iloc[0]
    if len(frame) == 1 or not now.needs_noise or least["without"] > now.limit:
        return ""
    figure = style.name(least["statistic"])
    right = times(least["without"])
    return f"{style.strong('Leave out')} {figure}. Then an attacker is right {right}."


def _is_balanced(way: Way) -> bool:
    """Tell whether a way keeps records so that it has one law at all shares."""
    return way.release.kind == "balanced" and way.rests == "any data"


def guarantee_title(way: Way) -> str:
    """Return whether a way of releasing keeps its promise."""
    if way.verdict.shares_kept and not way.kept:
        return "Persons are not protected"
    if way.release.kind == "as it is":
        return "No noise is needed" if way.kept else "Nothing is promised"
    if not way.kept:
        return "The promise is not kept"
    return "Nothing can be told" if _is_balanced(way) else "The promise is kept"


def guarantee_lead(now: Evaluation, way: Way, style: Style = PLAIN) -> str:
    """Return what is promised, and what a way of releasing delivers."""
    by, persons = way.by, now.scenario.persons
    if way.verdict.shares_kept and not way.kept and persons is not None:
        ends = f"ε = {significant(persons.epsilon)} at δ = {significant(persons.delta)}"
        return (
            f"The share stays hidden, {by}. The promise to each person is {style.strong(ends)}. "
            f"{way.verdict.why}"
        )
    if _is_balanced(way):
        nothing = style.strong("ε = 0 and δ = 0")
        return f"The figures have the same law for every share in the range: {nothing}, {by}."
    if now.scenario.by == "epsilon" and way.release.kind == "noise":
        one = now.promise
        return (
            f"The promise is δ = {significant(one.delta)} at ε = {significant(one.epsilon)}; "
            f"{by} the release delivers δ = {style.strong(significant(way.delivered, 2))}."
        )
    right = style.strong(f"{significant(way.guesses)} times in\u00a0100")
    return f"You accept {significant(now.limit)} right guesses; {by} an attacker is right {right}."


@dataclass(frozen=True)
class Badge:
    """Hold a claim: True where it holds, None where it rests on something, False where not."""

    title: str
    holds: bool | None
    text: str


def guarantee_badges(now: Evaluation, way: Way) -> tuple[Badge, ...]:
    """Return what a way of releasing promises: by the model, whatever the data, and to persons."""
    verdict = way.verdict
    model = f"Right {significant(way.guesses)} of 100; you accept {significant(now.limit)}."
    if now.scenario.by == "epsilon":
        promised = f"the promise is {significant(now.promise.delta)}"
        model = f"Delivers δ = {significant(way.delivered, 2)} at your ε; {promised}."
    if _is_balanced(way):
        model = "The figures do not depend on the share."
        data, rests = True, "Proven for any data, as long as the same records are kept."
    elif way.rests == "any data":
        data, rests = True, "Proven for any data between the public bounds."
    elif not verdict.shares_kept:
        data, rests = False, "Nothing is promised, so nothing is proven."
    elif way.rests == "exact":
        data, rests = True, "Computed by the exact law of the figures, without bell curves."
    elif now.law_pending:
        data, rests = None, "The exact law is being computed; until then our model decides."
    else:
        data, rests = None, "Proven only for bell-shaped figures; see Fit."
    title = "By our model" if way.rests == "any data" else way.by.capitalize()
    return (
        Badge(title, verdict.shares_kept, model),
        Badge("Whatever the data", data, rests),
        for_persons(now, way),
    )


def for_persons(now: Evaluation, way: Way) -> Badge:
    """Return whether a way protects single persons, and to what degree."""
    one, kind, holds = _each(now, way), way.release.kind, way.verdict.persons_kept
    if kind == "no data" and one is not None:
        holds, text = True, "It uses public data alone, so every person is fully protected (ε = 0)."
    elif one is not None:
        who = "record drawn" if _drawn_anew(now) else "person"
        text = f"Each {who} has ε = {significant(one.epsilon)} at δ = {significant(one.delta)}"
        if now.scenario.persons is None:
            text += ", between the public bounds."
        else:
            text += f"; the promise is ε = {significant(now.scenario.persons.epsilon)}."
    elif kind == "noise" and not now.bounded:
        text = "What single persons get is not known without public bounds."
    else:
        quiet = kind in ("as it is", "balanced")
        text = f"{'It adds no noise, so single' if quiet else 'Single'} persons are not protected."
        holds = False
    return Badge("For single persons", holds, text)


def _each(now: Evaluation, way: Way) -> Promise | None:
    """Return what a way gives each person, at the δ promised to them; None for nothing known."""
    one, promised = way.verdict.persons, now.scenario.persons
    return replace(one, delta=promised.delta) if one and promised else one


def _drawn_anew(now: Evaluation) -> bool:
    """Tell whether a sample may hold a person twice, which only a promise to persons counts."""
    return now.scenario.records is not None and now.scenario.persons is None


def decide_title(now: Evaluation) -> str:
    """Return whether there is a way of releasing to propose."""
    one = now.recommendation
    return READY if one.way.kept and one.way.publishable else "Nothing to propose yet"


def decide_lead(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what the recommended way comes to, beside the limit."""
    way, promise = now.recommendation.way, now.promise
    if decide_title(now) != READY:
        return advice(now, style)
    limit = f"you accept {significant(now.limit)}"
    if now.scenario.by == "epsilon":
        limit = f"ε = {significant(promise.epsilon)} at δ = {significant(promise.delta)} is kept"
    right, error = style.strong(times(way.guesses)), style.strong(off(way.percent))
    return (
        f"{style.strong(f'{way.title}:')} an attacker is right {right}; {limit}. The "
        f"figures are off by {error} on average."
    )


def decide_advice(now: Evaluation, style: Style = PLAIN) -> str:
    """Return what to do on the page where releases are proposed."""
    if decide_title(now) == READY:
        return f"Propose it below. {style.strong('Someone else')} has to agree."
    return f"{style.strong('Change the limit or the figures')} on the left."


def offered(way: Way) -> str:
    """Return a way of releasing with what it comes to, for a choice."""
    text = f"{way.title}: right {right_of_100(way.guesses)} of 100, off by {off(way.percent)}"
    return text if way.kept else f"{text}, breaks your limit"


def release_title(count: int, risk: float | None) -> str:
    """Return how many releases of a table are on record, and the joint risk where it is known."""
    if not count:
        return "Nothing released yet"
    releases = f"{count} release{'s' * (count > 1)}"
    return releases if risk is None else f"{releases}, right {right_of_100(risk, '> 99')} of 100"


def release_lead(
    pair: Pair, count: int, risk: float | None, limit: str, style: Style = PLAIN
) -> str:
    """Return what somebody can tell who has all releases of a table, and the limit that counts.

    The limit is a sentence, see `release_limit`.
    """
    if not count:
        return limit
    if risk is None:
        return f"What they tell together cannot be counted for this secret. {limit}"
    who = "the release" if count == 1 else "both releases" if count == 2 else "all releases"
    low, high = style.strong(percent(pair.low)), style.strong(percent(pair.high))
    return (
        f"Someone who has {who} guesses whether {low} or {high} of the records have "
        f"{style.name(pair.secret.label)}. They are right {style.strong(times(risk))}. {limit}"
    )


def release_limit(limit: Promise, by: str | None = None, style: Style = PLAIN) -> str:
    """Return which limit counts for all releases of a table, and who agreed to it.

    None where it is only what the scenario accepts; "" where nobody can say.
    """
    text = f"ε = {significant(limit.epsilon)} at δ = {significant(limit.delta)}"
    if limit.guesses is not None:
        text = f"{significant(limit.guesses)} right guesses of 100"
    if by is None:
        return f"No limit is agreed on here, so your own counts: {style.strong(text)}."
    by = f", agreed by {by}" if by else ""
    return f"The limit for all releases is {style.strong(text)}{by}."


def release_interval(kind: str, records: int | None) -> str:
    """Return whose figures intervals of a release hold; records are those of a sample."""
    if kind == "balanced":
        return (
            "The interval is for the average of all such tables at that share. The errors before "
            "a release are distances from your own table."
        )
    if kind == "no data":
        return "These are expectations; no record was used."
    whose = "your table's own" if records is None else f"those of {whole(records)} random records"
    if kind == "as it is":
        return f"These figures are {whose}, without noise, so there is no interval."
    if records is None:
        return f"The interval holds {whose} figure in at least 95 of 100 releases."
    return (
        f"The figures are {whose}. The interval holds these records' figure in at least 95 of 100 "
        "releases, not the whole table's."
    )


def release_advice(covered: bool, style: Style = PLAIN) -> str:
    """Return what comes before a release: an agreed decision, or why there is none."""
    if covered:
        return f"{style.strong('Release it below.')} A release cannot be taken back."
    return f"{style.strong('Propose it first')} on Decide, or say below why not."


def release_noise(way: Way, more: Way, style: Style = PLAIN) -> str:
    """Return that the limits on all releases ask for more noise than a way has."""
    return (
        "With what is released already, this needs more noise: the figures are off by "
        f"{style.strong(off(more.percent))} instead of {off(way.percent)}."
    )


def not_protected(now: Evaluation, way: Way) -> tuple[str, ...]:
    """Return what recipients must know that a way of releasing does not protect, a sentence each.

    For everybody: nothing that tells more about the table than the release does.
    """
    kind = way.release.kind
    one: Promise | Persons | None = _each(now, way)
    if now.model.provenance == "table":  # what they get tells the noise, which tells the share
        one = now.scenario.persons if way.verdict.persons_kept else None
    persons = "Single persons are not protected."
    if one is not None and math.isfinite(one.epsilon):
        ends = f"ε = {significant(one.epsilon)} at δ = {significant(one.delta)}"
        who = "records of the sample" if _drawn_anew(now) else "persons"
        persons = f"Single {who} are protected by {ends} only, between the public bounds."
    ranges = listed(
        f"the share of {pair.secret.label} lies from {percent(pair.low)} to {percent(pair.high)}"
        for pair in now.scenario.secrets
    )
    sentences = [f"Everybody may learn that {ranges}."]
    sentences.append("Other properties of the records are not covered.")
    sentences += [persons] if one is None or kind != "no data" else []
    if kind == "balanced":
        sentences.append("Anyone who learns which records are kept can learn more.")
    elif kind != "no data":
        sentences.append("Every further release of this table tells more.")
    if kind in ("as it is", "noise"):
        sentences.append("Anyone who knows some of the records guesses better.")
    return (*sentences,)


def known_lead(now: Evaluation, way: Way, style: Style = PLAIN) -> str:
    """Return how often attackers are right who know so many records as the scenario says."""
    try:
        right = style.strong(times(now.knowing_guesses(way)))
    except DistprivError as error:
        return str(error)
    records = f"{whole(now.scenario.known_records)} of the {whole(now.n)} records"
    exact = way.rests == "exact" and now.model.replacement
    exact |= way.release.kind == "no data"
    return (
        f"{way.title}: an attacker who knows {records}, half with the property, is right {right} "
        f"on average{'' if exact else ', by bell curves'}."
    )


def guarantee_meaning(now: Evaluation, way: Way, style: Style = PLAIN) -> tuple[str, ...]:
    """Return what a way of releasing means to people, a sentence each."""
    one = now.meaning(way)
    count = "all" if one.records is None else f"{whole(one.records)} of the {whole(now.n)}"
    records = f"It tells as much as reading {style.strong(f'{count} records')} at random."
    low, high = (percent(belief, 2) for belief in one.belief)
    sentences = [
        records if one.records != 0 else "It tells no more than reading no record at all.",
        "Whatever an attacker believed, their chance to name the right share grows by a factor of "
        f"{style.strong(significant(one.factor))} at most.",
        f"In {100 * OFTEN:.0f} of 100 releases, someone undecided (50:50) ends between {low} and "
        f"{style.strong(high)} sure of either share."
        if one.belief[1] > one.belief[0]
        else "Someone undecided (50:50) stays undecided.",
    ]
    least = min(one.belief[0], 1 - one.belief[1])
    if 1e-4 < least < 0.5:
        ratio = style.strong(f"{significant((1 - least) / least)} : 1")
        words = f"in these releases the figures speak at most {ratio} for either share."
        sentences.append(f"Plausible deniability: {words}")
    if mu := one.gaussian.mu:
        down = one.gaussian.down_to
        text = f", down to δ = {significant(down)}" if down else ""
        sentences.append(f"In Gaussian differential privacy: μ = {significant(mu)}{text}.")
    return tuple(sentences)
