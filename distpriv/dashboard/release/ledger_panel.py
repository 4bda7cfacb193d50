"""The Release page's upper half: what releases of the same statistics add up to, and the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.scenario import Scenario
from distpriv.charts.ledger import adding_up
from distpriv.composition.releases import Part, Standing, accumulate
from distpriv.composition.rules import Promise
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View, quiet
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.scenario import pair_words
from distpriv.mechanisms.release import noise_deviations, released_text
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise
from distpriv.store import LedgerEntry
from distpriv.store.values import moment
from distpriv.words import escape, exact, number, percent

__all__ = ["Releases", "answer", "counted_releases", "formulas", "picture", "table"]

_MOST_POINTS = 30


@dataclass(frozen=True, eq=False)
class Releases:
    """What is known of the releases so far, and what the next one would make of it.

    Attributes
    ----------
    history : tuple of Standing
        After none, after the first, ..., after all that were made; of many, some.
    after : Standing
        With the next one.
    parts : tuple of Part
        The releases that are counted.
    uncounted : int
        Releases of the same statistics whose model is not known here.
    others : int
        Releases of the same data that are not of the same statistics and kind.
    """

    history: tuple[Standing, ...]
    after: Standing
    parts: tuple[Part, ...]
    uncounted: int
    others: int

    @property
    def now(self) -> Standing:
        """After all that were made."""
        return self.history[-1]


def counted_releases(view: View, made: Sequence[LedgerEntry]) -> Releases:
    """What releases of the same statistics add up to, before the next one and with it."""
    scenario = view.scenario
    alike = [entry for entry in made if _alike(entry.scenario, scenario)]
    # What has been released weighs the same whatever comes next.
    past = replace(
        scenario,
        view="analyst",
        mechanism="",
        epsilon=1.0,
        calibration="exact",
        units="raw",
        report="raw",
        tolerances=(),
        seed=scenario.model_seed,
        look="",
    )
    about = f"{view.source.digest} {view.focus} {[entry.token for entry in alike]}"
    parts, history = cache.computed(lambda: _past(view, alike), f"past {past!r} {about}")
    upcoming = Part(view.model, view.noise, _promise(view.noise, scenario, scenario))
    return Releases(
        history=history,
        after=cache.computed(
            lambda: _standing(view, [*parts, upcoming], scenario.delta),
            f"next {replace(scenario, view='analyst')!r} {about}",
        ),
        parts=parts,
        uncounted=len(alike) - len(parts),
        others=len(made) - len(alike),
    )


def _past(
    view: View, alike: Sequence[LedgerEntry]
) -> tuple[tuple[Part, ...], tuple[Standing, ...]]:
    """The releases that can be counted, and what was known after some of them and after all."""
    found = [_part(view, entry) for entry in alike]
    parts = tuple(part for part in found if part is not None)
    counts = np.unique(np.linspace(0, len(parts), min(len(parts) + 1, _MOST_POINTS)).astype(int))
    before = (_standing(view, parts[:count], None) for count in counts[:-1].tolist())
    return parts, (*before, _standing(view, parts, view.scenario.delta))


def _standing(view: View, parts: Sequence[Part], delta: float | None) -> Standing:
    return accumulate(parts, shared=view.scenario.whole, delta=delta, pair=view.focus)


def _alike(one: Scenario | None, other: Scenario) -> bool:
    """Whether two releases are of the same statistics, both of the whole table or of samples."""
    if one is None or one.whole != other.whole:
        return False
    return set(one.query.statistics) == set(other.query.statistics)


def _part(view: View, entry: LedgerEntry) -> Part | None:
    """A release of the ledger by the current secret's model; None if that is not at hand."""
    scenario, then = view.scenario, entry.scenario
    assert then is not None
    model = view.model
    if not scenario.whole and (then.n, then.replacement) != (scenario.n, scenario.replacement):
        other = quiet(view.dataset, replace(scenario, n=then.n, replacement=then.replacement))
        if other is None:
            return None
        model = other.model
    order = [then.query.statistics.index(statistic) for statistic in scenario.query]
    noise = entry.noise.in_order(order)
    return Part(model, noise, _promise(noise, then, scenario))


def _promise(noise: Noise, then: Scenario, now: Scenario) -> Promise | None:
    """What a release promises about everything that is to be hidden now."""
    if not mechanisms.get(then.mechanism).protects or not set(now.pairs) <= set(then.pairs):
        return None
    return Promise(noise.epsilon, noise.delta)


def answer(view: View, made: Releases) -> str:
    """How much is out already, beside what one release promises and what another would add."""
    scenario, now, after = view.scenario, made.now, made.after
    what = f"these {len(scenario.query)} statistics of {_dataset(view)}"
    if len(scenario.query) == 1:
        what = f"this statistic of {_dataset(view)}"
    tells = f"tells {pair_words(view)}"
    following = f"{escape(scenario.mechanism)} at ε\u00a0=\u00a0{scenario.epsilon:g}"
    if now.count == 0:
        return (
            f"**No release** of {what} is on record. With one by {following} the best attacker "
            f"{tells} in {_right(after)} of cases; guessing is right in 50\u00a0%."
            + _delivered(view, after, "It delivers", "it promises")
        )
    once = now.count == 1
    times = "once" if once else f"{now.count} times"
    return (
        f"{what[0].upper()}{what[1:]} {'were' if len(scenario.query) > 1 else 'was'} released "
        f"**{times}**: "
        f"the best attacker{'' if once else ', who has all of them,'} {tells} in {_right(now)} of "
        "cases."
        + _delivered(
            view, now, "It delivers" if once else "Together they deliver", "the next one promises"
        )
        + f" Another release by {following} would make it {_right(after)}"
        + (
            f" and ε\u00a0=\u00a0{number(after.epsilon)}."
            if after.epsilon is not None and now.epsilon is not None
            else "."
        )
    )


def _right(standing: Standing) -> str:
    return f"{'' if standing.exact else 'at most '}**{percent(standing.accuracy)}**"


def _delivered(view: View, standing: Standing, start: str, promise: str) -> str:
    """What the releases deliver beside what one promises, as far as either is known."""
    promised = ""
    if view.mechanism.protects:
        promised = (
            f"; {promise} ε\u00a0=\u00a0{view.noise.epsilon:g} with δ\u00a0=\u00a0"
            f"{exact(view.noise.delta)}"
        )
    if standing.epsilon is not None:
        return (
            f" {start} **ε\u00a0=\u00a0{number(standing.epsilon)}** at "
            f"δ\u00a0=\u00a0{exact(view.scenario.delta)}{promised}."
        )
    remark = f" {standing.remark}" if standing.count > 1 and standing.remark else ""
    if standing.promise is not None and standing.count > 1:
        return (
            f" Their promises {'come' if remark else 'add up'} to "
            f"**ε\u00a0=\u00a0{number(standing.promise.epsilon)}** with "
            f"δ\u00a0=\u00a0{number(standing.promise.delta)}{promised}.{remark}"
        )
    they = "it delivers" if standing.count == 1 else "they deliver"
    return f" What {they} is not computed{promised}.{remark}"


def _dataset(view: View) -> str:
    title = f"**{escape(view.dataset.title)}**"
    if view.scenario.whole:
        return f"all of {title}"
    return f"{view.scenario.n} records drawn from {title}"


def picture(view: View, made: Releases) -> None:
    """The best attacker after every release, and after the next one."""
    noise, protects = view.noise, view.mechanism.protects
    display.chart(
        adding_up(
            [*made.history, made.after],
            undefended=view.undefended if view.scenario.whole else None,
            ceiling=accuracy_ceiling(noise.epsilon, noise.delta) if protects else None,
        ),
        "ledger_adding_up",
    )
    if made.uncounted:
        st.caption(
            f"{made.uncounted} more of these releases cannot be counted: samples of another size, "
            "whose model has to be simulated first."
        )
    if made.others:
        kind = "samples" if view.scenario.whole else "the whole table"
        st.caption(
            f"The ledger holds {made.others} more of these data, of other statistics or of "
            f"{kind}, and they tell something too; the Assumptions page shows how different "
            "statistics add up."
        )


def table(made: Sequence[LedgerEntry], unrecorded: Sequence[LedgerEntry]) -> None:
    """Every release of the data, the latest first."""
    st.subheader("Releases of these data")
    if not made:
        st.caption(
            "None yet. A release stands here for good: when it was made, with which noise, and the "
            "numbers that came out."
        )
        return
    missing = {entry.token for entry in unrecorded}
    display.table(
        pd.DataFrame(
            [
                {
                    "When": moment(entry.at),
                    "Who": entry.author or "–",
                    "Note": entry.note or "–",
                    "Mechanism": entry.noise.mechanism,
                    "ε": f"{entry.noise.epsilon:g}",
                    "δ": exact(entry.noise.delta),
                    "Computed from": _source(entry.scenario),
                    "Secret": "–" if entry.scenario is None else entry.scenario.secret.label,
                    "Released": _values(entry),
                    "Kept": "in this session only" if entry.token in missing else "in the ledger",
                }
                for entry in reversed(made)
            ]
        )
    )


def _source(scenario: Scenario | None) -> str:
    if scenario is None:
        return "–"
    return "the whole table" if scenario.whole else f"a sample of {scenario.n}"


def _values(entry: LedgerEntry) -> str:
    labels = entry.scenario.query.labels if entry.scenario else ("?",) * len(entry.values)
    return "; ".join(
        f"{label} {released_text(value, deviation)} {unit}".rstrip()
        for label, value, deviation, unit in zip(
            labels, entry.values, noise_deviations(entry.noise), entry.units, strict=True
        )
    )


def formulas() -> None:
    """The rules behind the page."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\text{whole table: }S=\Bigl(\sum_k S_k^{-1}\Bigr)^{-1}\qquad"
            r"\text{samples: }L=\sum_k L_k\qquad"
            r"\text{accuracy}=\tfrac12+\tfrac12\,\mathrm{TV}"
        )
        st.markdown(
            "Releases of the whole table share its true statistics, and only the noises differ: "
            "together they tell what a single one tells whose noise has the parallel sum of their "
            "covariances (Anderson & Duffin 1969), S/r for r equal ones. Samples are datasets of "
            "their own: their privacy losses L add up, the log-likelihood ratio of an attacker who "
            "tells samples that all have one share from samples that all have the other; TV is the "
            "total variation of what is released under the two. Promises add up for samples (Chen "
            "& Ohrimenko 2023, full version, Proposition A.5), and for one table where it is "
            "Laplace noise with δ = 0 that was calibrated in the same units, or the two shares "
            "only shift the statistics: what pairs the outcomes of the two shares is the same "
            "every time. What Gaussian noise delivers together is computed from the "
            "fitted normals, each with its own covariance; for Laplace noise the accuracy is a "
            "bound, by the promises and by what the true statistics would tell. All of it is about "
            "the secret that is set now, whatever a release was made for."
        )
