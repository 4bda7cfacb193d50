"""Attribute privacy (Zhang et al. 2022): what Algorithms 1 and 2 ask for, in frames and words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from distpriv.analysis.comparison import PUBLISHED, Way, costs_frame, judge, noises
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.sentences import PLAIN, Style, off
from distpriv.attribute import Assumption
from distpriv.attribute.quilt import QuiltResult
from distpriv.errors import DistprivError
from distpriv.text import listed, significant

__all__ = ["ASSUMED", "averages_answer", "hiding_noise", "printed_noise", "quilt_answer"]
__all__ += ["read_assumptions", "table_answer", "ways_of_hiding"]

ASSUMED = ("average", "protected share", "difference", "deviation", "shares apart")
"""Columns of a table of assumptions, as text."""
_NO_NOISE = "No noise is needed"


def hiding_noise(now: Evaluation) -> Way:
    """Return Algorithm 1's noise for the scenario, or the figures as they are if these suffice."""
    return replace(now, scenario=replace(now.scenario, mechanism="APGM")).way


def ways_of_hiding(now: Evaluation, way: Way) -> pd.DataFrame:
    """Return costs, as `Evaluation.costs`, of noise beside OptM, balanced figures and none."""
    beside = [one for one in now.ways if one.key in ("as it is", "BalM", "OptM")]
    ways = {one.key: one for one in (*beside, way)}
    return costs_frame(sorted(ways.values(), key=lambda one: one.percent), now.labels)


def printed_noise(now: Evaluation) -> str:
    """Return what Algorithm 1 delivers as it is printed: for equal covariances, without a grid."""
    once = now.cache.once
    releases, _ = once(noises, now.model, now.promise, ("APGM",), **PUBLISHED)
    ways = once(judge, now.model, tuple(releases.values()), now.promise)
    over = max((way.delivered / now.promise.delta for way in ways), default=1.0)
    does = "keeps the promise"
    if over > 1.005:
        does = f"delivers {significant(over)} times the promised δ"
    return f"As printed, it assumes equal scatter and figures without steps. Here it {does}."


def table_answer(now: Evaluation, way: Way, style: Style = PLAIN) -> tuple[str, str]:
    """Return a title and a sentence: what Algorithm 1 hides, and its error beside OptM's."""
    low, high = map(style.strong, now.exposed_shares)
    secret = style.name(now.scenario.secrets[now.exposed].secret.label)
    hidden = f"whether {low} or {high} have {secret}"
    if way.release.kind == "as it is":
        return _NO_NOISE, f"The figures as they are hide {hidden}, {way.by}."
    error = off(way.percent)
    others = [f", with OptM by {off(one.percent)}" for one in now.ways if one.key == "OptM"]
    hides = f"The same noise on every figure hides {hidden}."
    lead = f"{hides} The figures are off by {style.strong(error)} on average"
    return f"{error} off to hide it", f"{lead}{''.join(others)}."


def read_assumptions(
    table: pd.DataFrame, n: float, number: Callable[[str], float]
) -> list[Assumption]:
    """Read rows of `ASSUMED` with ranges like "9 to 24.5"; an error says row and column."""
    assumptions = []
    for place, row in enumerate(table.fillna("").astype(str).itertuples(index=False), 1):
        if not any(row):
            continue
        where, ranges = f"Row {place}", []
        try:
            for name, cell in zip(ASSUMED[2:], row[2:], strict=True):
                where = f"Row {place}, {name}"
                ends = [number(part) for part in cell.split("to")]
                ranges.append((ends[0], ends[-1]))
            where = f"Row {place}"
            assumptions.append(Assumption(row[0], row[1], ranges[0], ranges[1], ranges[2][1], n))
        except DistprivError as problem:
            raise DistprivError(f"{where}: {problem}") from None
    return assumptions


def averages_answer(frame: pd.DataFrame, style: Style = PLAIN) -> tuple[str, str]:
    """Return a title and a sentence: how many averages need noise, and which needs the most."""
    worst, count = frame.sort_values("own").iloc[0], int((frame["noise"] > 0).sum())
    if not count:
        return _NO_NOISE, "All averages vary enough by themselves to hide the protected shares."
    error = style.strong(f"± {significant(worst['error'])}")
    lead = f"{style.name(worst['release'])} needs the most noise: {error} on average, to hide "
    return f"{count} of {len(frame)} need noise", f"{lead}{style.name(worst['protected'])}."


def quilt_answer(result: QuiltResult, style: Style = PLAIN) -> tuple[str, str]:
    """Return a title and a sentence: the noise, and what the quilt has done before."""
    secret, between = style.name(result.protected), listed(map(style.name, sorted(result.quilt)))
    used = f"{significant(result.influence)} of ε = {significant(result.epsilon)}"
    if not result.scale and not between:
        return _NO_NOISE, f"Nothing that is released depends on {secret}."
    if not result.scale:
        lead = f"The figures tell about {secret} only through {between}, whose influence is {used}."
        return _NO_NOISE, lead
    scale = significant(result.scale)
    rest = "No quilt needs less."
    if between:
        rest = f"The rest is the influence of {between}: {used}."
    lead = f"Laplace noise of {style.strong('± ' + scale)} on average hides {secret}. {rest}"
    return f"Noise of scale {scale}", lead
