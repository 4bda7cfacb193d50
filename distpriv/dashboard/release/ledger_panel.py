"""The Release page's upper half: what all releases of the data add up to, and the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.decision import moment
from distpriv.analysis.for_persons import RECORD_COLUMN, per_record_label, released_per_record
from distpriv.analysis.scenario import Scenario
from distpriv.charts.ledger import adding_up
from distpriv.composition.joint_releases import JointReleases, joint_releases
from distpriv.composition.releases import Standing
from distpriv.composition.table_releases import TableRelease
from distpriv.dashboard.shell import cache, storage
from distpriv.dashboard.shell.frame import View, sources
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.scenario import pair_words
from distpriv.mechanisms.release import noise_deviations, released_text
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise
from distpriv.store import LedgerEntry
from distpriv.words import escape, exact, number, percent

__all__ = [
    "Releases",
    "answer",
    "counted_releases",
    "formulas",
    "joint",
    "picture",
    "table",
    "table_release",
]

_MOST_POINTS = 30
_MOST_TOLD = 3
_ADDING = "Adding up the releases …"


@dataclass(frozen=True, eq=False)
class Releases:
    """What is known of the releases so far, and what the next one would make of it.

    Attributes
    ----------
    history : tuple of Standing
        After none, after the first, ..., after all that were made; of many, some.
    after : Standing
        With the next one.
    counted : tuple of TableRelease
        The releases that are counted.
    uncounted : tuple of str
        Of the others, which and why, each a sentence.
    alike : bool
        Whether all that are counted are of the statistics on screen, and like them of the whole
        table or of samples.
    """

    history: tuple[Standing, ...]
    after: Standing
    counted: tuple[TableRelease, ...]
    uncounted: tuple[str, ...]
    alike: bool

    @property
    def now(self) -> Standing:
        """After all that were made."""
        return self.history[-1]


def counted_releases(view: View, made: Sequence[LedgerEntry]) -> Releases:
    """What all releases of the data tell of the secret on screen, before the next one and with it.

    Of whatever statistics and sizes they are, and whatever secret they were made for.
    """
    scenario = view.scenario
    known = [entry for entry in made if entry.scenario is not None]
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
        persons=None,
        n=2,
        whole=False,
        seed=scenario.model_seed,
        look="",
    )
    about = f"{view.source.digest} {view.focus} {[entry.token for entry in known]}"
    counted, uncounted, history = cache.computed(
        lambda: _past(view, known), f"past {past!r} {about}", saying=_ADDING
    )
    upcoming = table_release(scenario, view.noise)
    unreadable = [
        f"The release of {moment(entry.at)} was recorded by another version of distpriv."
        for entry in made
        if entry.scenario is None
    ]
    return Releases(
        history=history,
        after=cache.computed(
            lambda: joint(view, [*counted, upcoming]).standing(scenario.delta, view.focus),
            f"next {replace(scenario, view='analyst')!r} {about}",
            saying=_ADDING,
        ),
        counted=counted,
        uncounted=(*uncounted, *unreadable),
        alike=all(
            set(each.query) == set(scenario.query) and each.whole == scenario.whole
            for each in counted
        ),
    )


def _past(
    view: View, known: Sequence[LedgerEntry]
) -> tuple[tuple[TableRelease, ...], tuple[str, ...], tuple[Standing, ...]]:
    """The releases that can be counted, why others cannot, and what was known after how many."""
    releases = [
        table_release(entry.scenario, entry.noise) for entry in known if entry.scenario is not None
    ]
    together = joint(view, releases)
    counts = np.unique(
        np.linspace(0, together.count, min(together.count + 1, _MOST_POINTS)).astype(int)
    )
    before = tuple(
        joint(view, together.releases[:count]).standing(None, view.focus)
        for count in counts[:-1].tolist()
    )
    uncounted = tuple(
        f"The release of {moment(known[each.index].at)} is not counted: {each.reason}"
        for each in together.uncounted
    )
    return (
        together.releases,
        uncounted,
        (*before, together.standing(view.scenario.delta, view.focus)),
    )


def joint(view: View, releases: Sequence[TableRelease]) -> JointReleases:
    """Releases of the data as one, about the secret on screen."""
    return joint_releases(
        releases,
        view.groups,
        [fit.pair for fit in view.model.pairs],
        seed=view.scenario.model_seed,
        table=None if view.source is view.dataset else sources(view.dataset)[""],
    )


def table_release(scenario: Scenario, noise: Noise) -> TableRelease:
    """A release as it counts beside others."""
    protects = mechanisms.get(scenario.mechanism).protects
    return TableRelease(
        scenario.query,
        noise,
        n=scenario.n,
        whole=scenario.whole,
        replacement=scenario.replacement or scenario.whole,
        pairs=scenario.pairs if protects else (),
        share_of=scenario.hidden_share,
    )


def answer(view: View, made: Releases) -> str:
    """How much is out already, beside what one release promises and what another would add."""
    scenario, now, after = view.scenario, made.now, made.after
    what = f"these {len(scenario.query)} statistics of {_dataset(view)}"
    if len(scenario.query) == 1:
        what = f"this statistic of {_dataset(view)}"
    if not made.alike or made.uncounted:
        what = f"**{escape(view.dataset.title)}**"
    tells = f"tells {pair_words(view)}"
    following = f"{escape(scenario.mechanism)} at ε\u00a0=\u00a0{scenario.epsilon:g}"
    if now.count == 0:
        known = f"**No release** of {what} is on record."
        if storage.silent() is not None:
            known = f"What was released of {what} before **cannot be read now**."
        return (
            f"{known} With one by {following} the best attacker "
            f"{tells} in {_right(after)} of cases; guessing is right in 50\u00a0%."
            + _delivered(view, after, "It delivers", "it promises")
        )
    once = now.count == 1
    times = "once" if once else f"{now.count} times"
    start = (
        f"{what[0].upper()}{what[1:]} {'were' if len(scenario.query) > 1 else 'was'} released "
        f"**{times}**: "
    )
    if not made.alike:
        start = (
            f"**{now.count} release{'' if once else 's'}** of {what} "
            f"{'is' if once else 'are'} on record, whatever the statistics and the secret: "
        )
    return (
        f"{start}the best attacker{'' if once else ', who has all of them,'} {tells} in "
        f"{_right(now)} of cases."
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
    return f"{exact(view.scenario.n)} records drawn from {title}"


def picture(view: View, made: Releases) -> None:
    """The best attacker after every release, and after the next one."""
    noise, protects = view.noise, view.mechanism.protects
    display.chart(
        adding_up(
            [*made.history, made.after],
            undefended=view.undefended if view.scenario.whole and made.alike else None,
            ceiling=accuracy_ceiling(noise.epsilon, noise.delta) if protects else None,
        ),
        "ledger_adding_up",
    )
    if made.uncounted:
        st.warning(
            escape(f"The figures are without {_some(made.uncounted)}"), icon=":material/report:"
        )


def _some(sentences: Sequence[str]) -> str:
    """How many releases, and of the first few why."""
    count = len(sentences)
    what = "one release:" if count == 1 else f"{count} releases:"
    more = f" And {count - _MOST_TOLD} more." if count > _MOST_TOLD else ""
    return f"{what} {' '.join(sentences[:_MOST_TOLD])}{more}"


def table(made: Sequence[LedgerEntry], unrecorded: Sequence[LedgerEntry]) -> None:
    """Every release of the data, the latest first."""
    st.header("Releases of these data")
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
                    "Who": entry.signed or "–",
                    "Note": entry.note or "–",
                    "Decision": entry.decision[:6] or "–",
                    "Reason": entry.reason or "–",
                    "Mechanism": entry.noise.mechanism,
                    "ε": f"{entry.noise.epsilon:g}",
                    "δ": exact(entry.noise.delta),
                    RECORD_COLUMN: _per_record(entry),
                    "Computed from": _source(entry.scenario),
                    "Secret": "–" if entry.scenario is None else entry.scenario.secret.label,
                    "Released": _values(entry),
                    "Kept": "in this session only" if entry.token in missing else "in the ledger",
                }
                for entry in reversed(made)
            ]
        )
    )


def _per_record(entry: LedgerEntry) -> str:
    scenario = entry.scenario
    if scenario is None:
        return "–"
    return per_record_label(scenario, released_per_record(scenario, entry.noise), handed=True)


def _source(scenario: Scenario | None) -> str:
    if scenario is None:
        return "–"
    return "the whole table" if scenario.whole else f"a sample of {exact(scenario.n)}"


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
            r"\text{whole table: }y=(F_1+Z_1,F_2+Z_2,\dots)\qquad"
            r"\text{samples: }L=\sum_k L_k\qquad"
            r"\text{accuracy}=\tfrac12+\tfrac12\,\mathrm{TV}"
        )
        st.markdown(
            "Releases of the whole table share one dataset, and only the noises differ: stacked, "
            "they are one release of all their statistics, with the joint covariances that these "
            "have under each share and independent noises. Of the same statistics it tells what a "
            "single one tells whose noise has the parallel sum of their covariances (Anderson & "
            "Duffin 1969), S/r for r equal ones. Given the table's records, samples "
            "are independent: their privacy losses L add up, the log-likelihood ratio of an "
            "attacker who tells samples that all have one share from samples that all have the "
            "other. If the table is drawn too, samples overlap with it and with each other: all "
            "releases then count as one, with their joint covariances. The greater figure of the "
            "two is shown. The covariances are exact for sums over records; the attacker's figure "
            "is that of normal curves. TV is the "
            "total variation of what is released under the two shares. Promises add up for samples "
            "alone, given the table's records (Chen "
            "& Ohrimenko 2023, full version, Proposition A.5), and for one table where it is "
            "Laplace noise with δ = 0 that was calibrated in the same units, or the two shares "
            "only shift the statistics: what pairs the outcomes of the two shares is the same "
            "every time. What Gaussian noise delivers together is computed from the "
            "fitted normals, each with its own covariance; for Laplace noise the accuracy is a "
            "bound, by the promises and by what the true statistics would tell. All of it is about "
            "the secret that is set now, whatever a release was made for."
        )
