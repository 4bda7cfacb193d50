"""Pictures of a model, as the dashboard draws them: figures of plotly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from distpriv import charts
from distpriv.analysis import compare, curves, frames, guarantee
from distpriv.analysis.comparison import ruler
from distpriv.errors import DistprivError
from distpriv.model import AS_IT_IS, Promise
from distpriv.model.simulate import simulate
from distpriv.privacy import accuracies
from distpriv.text import near

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from distpriv.model import GaussianModel, Release

    Named = Mapping[str, Release] | None

__all__ = ["attackers_who_know", "belief", "bells", "contributions", "costs", "directions"]
__all__ += ["error_against_attacker", "error_against_epsilon", "error_against_width", "fit"]
__all__ += ["guesses_against_epsilon", "guesses_against_width", "precision_against_recall"]
__all__ += ["promised_and_delivered", "repeated_releases"]


def bells(model: GaussianModel, releases: Named = None) -> list[go.Figure]:
    """Draw what the best attacker sees: the figures as they are, then releases by their titles."""
    named = {"As they are": AS_IT_IS} | dict(releases or {})
    guesses = 100 * accuracies(model, list(named.values()))
    panels = [(title, float(one), None) for title, one in zip(named, guesses, strict=True)]
    return charts.bells.picture(frames.bells_frame(panels, frames.shares_of(model)))


def costs(model: GaussianModel, guesses: float = 60.0) -> go.Figure:
    """Draw what each way of releasing costs at a limit on right guesses of 100."""
    columns = {"title": "way", "percent": "error", "estimated_percent": "estimated"}
    return charts.costs.picture(compare(model, guesses=guesses).rename(columns=columns))


def error_against_attacker(
    model: GaussianModel, names: Sequence[str] | None = None, delta: float = 1e-3
) -> go.Figure:
    """Draw each mechanism's mean error against the best attacker's right guesses of 100.

    Of all Gaussian mechanisms, or those named, along promises (ε, δ) of that δ.
    """
    frame = curves.epsilon_frame(model, names, delta=delta, units=ruler(model))
    return charts.tradeoff.picture(frame, across="guesses")


def error_against_epsilon(
    model: GaussianModel, names: Sequence[str] | None = None, delta: float = 1e-3
) -> go.Figure:
    """Draw each mechanism's mean error against ε; arguments as of `error_against_attacker`."""
    frame = curves.epsilon_frame(model, names, delta=delta, units=ruler(model))
    return charts.tradeoff.picture(frame, across="epsilon")


def error_against_width(model: GaussianModel, guesses: float = 60.0) -> go.Figure:
    """Draw each way's mean error against Δp, at a limit on right guesses of 100."""
    frame = curves.width_frame(model, Promise.of_guesses(guesses), units=ruler(model))
    return charts.tradeoff.picture(frame, across="width")


def guesses_against_width(model: GaussianModel, releases: Named = None) -> go.Figure:
    """Draw the best attacker's right guesses against Δp, of releases by mechanism that stay."""
    named = {"as it is": AS_IT_IS} | dict(releases or {})
    return charts.attack.reach(curves.reach_frame(model, named), across="width")


def guesses_against_epsilon(
    model: GaussianModel, mechanism: str = "OptM", delta: float = 1e-3
) -> go.Figure:
    """Draw the best attacker's right guesses against ε, and what the promise allows at most."""
    lines = curves.epsilon_frame(model, [mechanism], delta=delta, units=ruler(model))
    levels = {"as it is": 100 * float(accuracies(model, [AS_IT_IS])[0])}
    return charts.attack.reach(curves.ceiling_frame(lines, levels, delta), across="epsilon")


def precision_against_recall(model: GaussianModel, releases: Named = None) -> go.Figure:
    """Draw how sure the best attacker can be of the larger share, of releases by mechanism."""
    named = {"as it is": AS_IT_IS} | dict(releases or {})
    return charts.attack.recall(frames.recall_frame(model, named))


def belief(model: GaussianModel, releases: Named = None, seed: int = 0) -> go.Figure:
    """Draw what an attacker believes after one release of a simulated table, by mechanism."""
    named, pair = {"as it is": AS_IT_IS} | dict(releases or {}), model.pairs[0].pair
    frame, _ = frames.belief_frame(model, named, seed=seed)
    return charts.attack.belief(frame, shares=(100 * pair.low, 100 * pair.high))


def contributions(model: GaussianModel) -> go.Figure:
    """Draw right guesses of 100 from each statistic alone."""
    frame = frames.contributions_frame(model)
    return charts.bars.picture(frame.rename(columns={"statistic": "name", "alone": "guesses"}))


def fit(model: GaussianModel, kind: charts.fit.Kind = "histogram") -> list[go.Figure]:
    """Draw simulated tables beside the fitted curves, a picture a statistic; "quantiles" for QQ."""
    draws = simulate(model, 0, 1000, 1)
    frame, clouds = frames.fit_frame(model, draws), frames.draws_frame(model, draws)
    return charts.fit.picture(frame, draws=clouds, kind=kind)


def directions(model: GaussianModel, across: str, up: str, releases: Named = None) -> go.Figure:
    """Draw both shares in the plane of two statistics, and the noise of releases by mechanism.

    A DistprivError if the query has no statistic of such a label.
    """
    labels, titles = model.query.labels, frames.titles_of(model)
    for label in (across, up):
        if label not in labels:
            raise DistprivError(f"The query has no statistic {label!r}.{near(label, labels)}")
    axes = labels.index(across), labels.index(up)
    plane, clouds = frames.plane_frames(model, axes, releases or {}, simulate(model, 0, 350, 1))
    names = titles[axes[0]], titles[axes[1]]
    return charts.directions.picture(plane, draws=clouds, names=names)


def promised_and_delivered(model: GaussianModel, releases: Sequence[Release]) -> go.Figure:
    """Draw δ against ε of releases, and crosses at the promises that noise was calibrated for."""
    crosses = {
        f"promised, {one.mechanism}": (one.promise.epsilon, one.promise.delta)
        for one in releases
        if one.promise and one.kind == "noise"
    }
    most = max([3.0, *(2 * epsilon for epsilon, _ in crosses.values())])
    frame = guarantee.profile_frame(model, releases, most)
    return charts.guarantee.profile(frame, crosses)


def repeated_releases(
    model: GaussianModel, releases: Sequence[Release], guesses: float = 60.0
) -> go.Figure:
    """Draw right guesses of 100 against the number of releases, beside a limit on them."""
    frame = guarantee.repeated_frame(model, releases, Promise.of_guesses(guesses))
    words = "releases of the same figures"
    return charts.guarantee.attackers(frame, "releases", words, guesses)


def attackers_who_know(
    model: GaussianModel, releases: Sequence[Release], guesses: float = 60.0
) -> go.Figure:
    """Draw right guesses of 100 against the number of known records, beside a limit on them."""
    frame = guarantee.knowing_frame(model, releases)
    return charts.guarantee.attackers(frame, "known", "records the attacker knows", guesses)


def __dir__() -> list[str]:
    return __all__
