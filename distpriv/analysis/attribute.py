"""Attribute privacy (Zhang et al. 2022): what Algorithms 1 and 2 ask for, in frames and words."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from distpriv.analysis.comparison import Way, judge, noises, ways_frame
from distpriv.analysis.sentences import PLAIN, Style, off
from distpriv.attribute import Assumption, BayesianNetwork, noise_by_release
from distpriv.attribute.gaussian import Calibration
from distpriv.attribute.quilt import QuiltResult, markov_quilt
from distpriv.errors import DistprivError
from distpriv.text import listed, significant

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.analysis.evaluation import Evaluation

__all__ = ["ASSUMED", "averages_answer", "averages_frame", "hiding_noise", "hiding_quilt"]
__all__ += ["nodes_frame", "printed_noise", "quilt_answer", "read_assumptions", "table_answer"]
__all__ += ["ways_of_hiding"]

ASSUMED = ("average", "protected share", "difference", "deviation", "shares apart")
"""Columns of a table of assumptions, as text."""
_MOST_QUILTS = 700
_COLUMNS = {"way": "title", "guesses": "guesses", "error": "percent"}
_COLUMNS |= {"estimated": "estimated_percent", "kept": "kept"}
_NO_NOISE = "No noise is needed"


def hiding_noise(now: Evaluation) -> Way:
    """Return Algorithm 1's noise for the scenario, or the figures as they are if these suffice."""
    return replace(now, scenario=replace(now.scenario, mechanism="APGM")).way


def ways_of_hiding(now: Evaluation, way: Way) -> pd.DataFrame:
    """Return costs, as `Evaluation.costs`, of noise beside OptM, balanced figures and none."""
    beside = [one for one in now.ways if one.key in ("as it is", "BalM", "OptM")]
    ways = {one.key: one for one in (*beside, way)}
    return ways_frame(sorted(ways.values(), key=lambda one: one.percent), now.labels, _COLUMNS)


def printed_noise(now: Evaluation) -> str:
    """Return what Algorithm 1 delivers as it is printed: for equal covariances, without a grid."""
    releases, _ = noises(now.model, now.promise, ["APGM"], calibration="exact", grid_safe=False)
    (way,) = judge(now.model, [*releases.values()], now.promise)
    found = way.verdict.why or "It keeps the promise here."
    return f"As printed, it assumes equal scatter and figures without steps. {found}"


def table_answer(now: Evaluation, way: Way, style: Style = PLAIN) -> tuple[str, str]:
    """Return a title and a sentence: what Algorithm 1 hides, and its error beside OptM's."""
    low, high = map(style.strong, now.exposed_shares)
    hidden = f"whether {low} or {high} have "
    hidden += style.name(now.scenario.secrets[now.exposed].secret.label)
    if way.release.kind == "as it is":
        return _NO_NOISE, f"The figures as they are hide {hidden}, {way.by}."
    error = off(way.percent)
    others = [f", with OptM by {off(one.percent)}" for one in now.ways if one.key == "OptM"]
    lead = f"Equal noise hides {hidden}. Figures are off by {style.strong(error)}"
    return f"{error} off to hide it", f"{lead}{''.join(others)}."


def read_assumptions(
    table: pd.DataFrame, n: int, number: Callable[[str], float]
) -> list[Assumption]:
    """Read rows of `ASSUMED` with ranges like "9 to 24.5"; an error says row and column."""
    found = []
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
            found.append(Assumption(row[0], row[1], ranges[0], ranges[1], ranges[2][1], n))
        except DistprivError as problem:
            raise DistprivError(f"{where}: {problem}") from None
    return found


def averages_frame(
    assumed: Iterable[Assumption], epsilon: float, delta: float, calibration: Calibration
) -> pd.DataFrame:
    """Return `noise_by_release`, and `own`: what the data vary by themselves, % of the needed."""
    frame = noise_by_release(assumed, epsilon, delta, calibration).reset_index()
    own = 100 * frame["variance"] / frame["needed"].where(frame["needed"] > 0)
    return frame.assign(own=own.fillna(100.0).clip(upper=100.0))


def averages_answer(frame: pd.DataFrame, style: Style = PLAIN) -> tuple[str, str]:
    """Return a title and a sentence: how many averages need noise, and which needs the most."""
    worst, count = frame.sort_values("own").iloc[0], int((frame["noise"] > 0).sum())
    if not count:
        return _NO_NOISE, "By themselves, all averages vary enough to hide the protected shares."
    error = style.strong(f"± {significant(worst['error'])}")
    lead = f"Most is needed by {style.name(worst['release'])}: noise of {error} on average hides "
    return f"{count} of {len(frame)} need noise", f"{lead}{style.name(worst['protected'])}."


def hiding_quilt(
    network: BayesianNetwork,
    protected: Iterable[str],
    released: Mapping[str, float],
    together: float | None,
    epsilon: float,
) -> QuiltResult:
    """Search the quilt of least noise, of at most four attributes, or fewer in large networks.

    All released attributes move the figure by `together`, by default the sum of their own.
    """
    every, others = frozenset(released), len(network.nodes) - 1
    if not every:
        raise DistprivError("Choose at least one attribute that is released.")
    deltas = {every: sum(released.values()) if together is None else together}
    deltas |= {frozenset([name]): value for name, value in released.items()}
    numbers = {size: sum(math.comb(others, k) for k in range(size + 1)) for size in (4, 3, 2)}
    largest = next(size for size, count in numbers.items() if count <= _MOST_QUILTS)
    return markov_quilt(network, protected, released, deltas, epsilon, largest)


def nodes_frame(
    network: BayesianNetwork, result: QuiltResult, released: Collection[str]
) -> pd.DataFrame:
    """Return each attribute's part ("protected", "quilt", "nearby" or "remote"), and if released.

    Of the protected attribute that asks for the most noise.
    """
    import pandas as pd

    parts = dict.fromkeys(result.remote, "remote") | dict.fromkeys(result.quilt, "quilt")
    parts[result.protected] = "protected"
    rows = [(name, parts.get(name, "nearby"), name in released) for name in network.nodes]
    return pd.DataFrame(rows, columns=["attribute", "part", "released"])


def quilt_answer(result: QuiltResult, style: Style = PLAIN) -> tuple[str, str]:
    """Return a title and a sentence: the noise, and what the quilt has done before."""
    secret, between = style.name(result.protected), listed(map(style.name, sorted(result.quilt)))
    used = f"influence {significant(result.influence)} of ε = {significant(result.epsilon)}"
    if not result.scale and not between:
        return _NO_NOISE, f"Nothing that is released depends on {secret}."
    if not result.scale:
        lead = f"Released figures tell about {secret} only through {between}, with {used}."
        return _NO_NOISE, lead
    scale = significant(result.scale)
    rest = f"beyond {between}, with {used}" if between else "and no quilt asks for less"
    lead = f"Laplace noise of {style.strong('± ' + scale)} on average hides {secret}, {rest}."
    return f"Noise of scale {scale}", lead
