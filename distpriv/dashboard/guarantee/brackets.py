"""What is delivered at least, by the fitted normals and at most, on one axis and in words."""

from __future__ import annotations

from collections.abc import Callable

import sklearn.linear_model  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st

from distpriv.analysis import brackets_in_words as words
from distpriv.analysis.brackets import Brackets, Verdict, auditing, bracket
from distpriv.attacks.joint_audit import JointAudit
from distpriv.charts.brackets import delivered_brackets
from distpriv.dashboard.shell import live, presenting, state
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.dashboard.widgets.later import drawn_later
from distpriv.dashboard.widgets.scenario import bold
from distpriv.model.run import Run
from distpriv.words import escape, exact, number

__all__ = ["compact", "formulas", "show"]

_NAME = "brackets"
_BADGES: dict[Verdict, str] = {
    "kept": ":green-badge[:material/verified_user: kept without the curves]",
    "broken": ":red-badge[:material/gpp_bad: broken]",
    "open": ":gray-badge[:material/help: rests on the curves]",
    "none": ":red-badge[:material/gpp_bad: none]",
}
_REFUTED = ":orange-badge[:material/rule: curves refuted]"
_OVERSTATED = ":gray-badge[:material/info: curves overstate]"
_WAITING = "Being computed …"


def show(view: View) -> None:
    """The chart and what it says; it grows with the attacks that are simulated."""
    st.header("How much of that needs the curves?")

    def draw(known: Brackets | None, run: Run[JointAudit] | None) -> None:
        picture, told = st.columns([3, 2], gap="large")
        with picture:
            asked = view.noise.epsilon, view.noise.delta or view.scenario.delta
            display.chart(delivered_brackets(known, epsilon=asked[0], delta=asked[1]), _NAME)
        with told:
            st.markdown(_WAITING if known is None else _told(known))
            if known is not None:
                st.caption(f"{words.basis(known)} {words.proven(known)}".strip())
            _progress(run)

    _growing(view, draw)


def compact(view: View) -> None:
    """The three figures in a sentence, and what becomes of the promise and of the curves."""

    def draw(known: Brackets | None, run: Run[JointAudit] | None) -> None:
        with st.container(border=True):
            st.markdown(
                _WAITING if known is None else f"{_figures(known)} {_told(known)}",
                help="The page Guarantee shows them on one axis, and says what they rest on.",
            )
            _progress(run)

    _growing(view, draw)


def _growing(view: View, draw: Callable[[Brackets | None, Run[JointAudit] | None], None]) -> None:
    """Draw a frame, a tick later the figures, and those that grow with every attack.

    Where the law is known there is nothing to simulate.
    """
    about = f"{view.source.digest} {view.scenario!r} {view.focus}"
    if view.laws_for(view.noise) is not None:
        drawn_later(_NAME, about, lambda: draw(None, None), lambda: draw(bracket(view), None))
        return

    def begin() -> Run[JointAudit]:
        apart = view.apart()
        return presenting.waiting(Run(lambda: auditing(apart), about))

    # What was simulated for a release is kept, whatever is looked at in between.
    run = state.runs()[_NAME] = view.groups.computed(f"audit {about}", begin)

    def grown(run: Run[JointAudit]) -> None:
        open_until_now = view.refuted is None
        known = bracket(view, run.result()) if run.done or run.failure else None
        if open_until_now and view.refuted is not None:
            st.rerun()  # the badge above says it too
        draw(known, run)
        live.buttons(_NAME, begin, live.Labels(again="", go_on="Go on"))

    live.growing(run, grown, at_once=False)


def _progress(run: Run[JointAudit] | None) -> None:
    """Of the attacks, where there are any."""
    if run is not None:
        wanted = f"{run.done} of {run.wanted} rounds of attacks" if run.done else _WAITING
        live.bar(run, wanted)


def _told(known: Brackets) -> str:
    badges = [_BADGES[known.verdict]]
    if known.refuted:
        badges.append(_REFUTED)
    elif known.overstated:
        badges.append(_OVERSTATED)
    return (
        f"{words.without_curves(known, strong=bold, safe=escape)}\n\n"
        f"{' '.join(badges)} {words.judged(known)}"
    )


def _figures(known: Brackets) -> str:
    """The three in a row."""
    least, most = known.at_least, known.at_most
    at = f"At ε\u00a0=\u00a0{exact(known.epsilon)} is delivered"
    normals = f"by the fitted normals **{number(known.normals.delta)}**"
    if known.exact and most is not None:
        return f"{at} δ\u00a0= exactly **{number(most.delta)}**, {normals}."
    first = "not known" if least is None else f"**{number(least.delta)}**"
    last = "not known" if most is None else f"**{number(most.delta)}**"
    return f"{at} δ: at least {first}, {normals}, at most {last}."


def formulas() -> None:
    """The coupling bound and the audit."""
    st.latex(
        r"\delta(\varepsilon)\le\mathbb E\,\delta_N(\varepsilon;r),\quad "
        r"r^2=(x-y)^{\!\top}S^{-1}(x-y),\quad \delta_N(\varepsilon;r)="
        r"\Phi\!\left(\tfrac r2-\tfrac{\varepsilon}{r}\right)-e^{\varepsilon}"
        r"\Phi\!\left(-\tfrac r2-\tfrac{\varepsilon}{r}\right)"
    )
    st.markdown(
        "*At most*, for Gaussian noise of covariance S: (x, y) are the statistics of two datasets, "
        "one for either share, that have all records in common but those that have to be swapped; "
        "the hockey-stick divergence is jointly convex, so the mean over any such coupling bounds "
        "δ whatever the laws of x and y. Where the mean is over draws, an upper confidence bound "
        "stands for it, whose error is charged to δ. *At least*: for any set A of releases "
        "δ(ε) ≥ P(A) − e^ε Q(A); attackers and A are chosen on every other round of attacks, the "
        "rates counted on the rest (Clopper–Pearson, 95\u00a0% for the number of rounds that was "
        "wanted; who stops when it suits has less)."
    )
