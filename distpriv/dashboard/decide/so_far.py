"""What everything released so far comes to, in a sentence for the label."""

from __future__ import annotations

from collections.abc import Sequence

from distpriv.analysis.decision import moment
from distpriv.composition.releases import Standing
from distpriv.dashboard.release import ledger_panel, limit_panel, panels
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.frame import View
from distpriv.store import AgreedLimit
from distpriv.store.checks import about_in_words
from distpriv.store.limits import terms_in_words
from distpriv.words import percent

__all__ = ["so_far"]


def so_far(view: View) -> str:
    """How much the releases on record tell, and with this one; plain, empty where not known."""
    known = limit_panel.kept(view.dataset, panels.desk().known)
    if storage.trouble():
        return ""
    agreed = _agreed(known.limits)
    if not known.made:
        return f"No release of these data is on record here; this would be the first.{agreed}"
    found = ledger_panel.counted_releases(view, known.made)
    counted = found.now.count
    others = len(known.made) - counted
    left = f" {others} more on record tell something too and are not in that." if others else ""
    if not counted:
        return (
            f"With this release the best attacker is right in {_right(found.after)} of cases."
            f"{left}{agreed}"
        )
    once = counted == 1
    return (
        f"{'One release' if once else f'{counted} releases'} of these data "
        f"{'is' if once else 'are'} on record and counted. Who has {'it' if once else 'them all'} "
        f"is right in {_right(found.now)} of cases, and with this one in {_right(found.after)}."
        f"{left}{agreed}"
    )


def _agreed(limits: Sequence[AgreedLimit]) -> str:
    """What may not be exceeded by all releases together."""
    return "".join(
        f" Agreed on {about_in_words(limit)}: {terms_in_words(limit.now.terms)}, by "
        f"{limit.now.signed} on {moment(limit.now.at)}."
        for limit in limits
        if limit.in_force
    )


def _right(standing: Standing) -> str:
    return f"{'' if standing.exact else 'at most '}{percent(standing.accuracy)}"
