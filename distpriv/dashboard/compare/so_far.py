"""What everything released so far comes to, in a sentence for the label."""

from __future__ import annotations

from distpriv.composition.releases import Standing
from distpriv.dashboard.release import ledger_panel, panels
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.frame import View
from distpriv.store import LedgerEntry, ledger
from distpriv.words import percent

__all__ = ["so_far"]


def so_far(view: View) -> str:
    """How much the releases on record tell, and with this one; plain, empty where not known."""
    made = storage.ask(lambda store: ledger(store, view.dataset.digest))
    if made is None:
        return ""
    known = {entry.token for entry in made}
    made += [
        entry for entry in panels.desk().known if _of(view, entry) and entry.token not in known
    ]
    if not made:
        return "No release of these data is on record here; this would be the first."
    found = ledger_panel.counted_releases(view, made)
    others = found.others + found.uncounted
    left = (
        f" {others} more, of other statistics or kinds, tell something too and are not in that."
        if others
        else ""
    )
    if not found.now.count:
        return f"With this release the best attacker is right in {_right(found.after)}.{left}"
    once = found.now.count == 1
    what = "One release" if once else f"{found.now.count} releases"
    return (
        f"{what} of the same statistics {'is' if once else 'are'} on record. Who has "
        f"{'it' if once else 'them all'} is right in {_right(found.now)} of cases, and with this "
        f"one in {_right(found.after)}.{left}"
    )


def _of(view: View, entry: LedgerEntry) -> bool:
    return entry.scenario is not None and entry.scenario.digest == view.dataset.digest


def _right(standing: Standing) -> str:
    return f"{'' if standing.exact else 'at most '}{percent(standing.accuracy)}"
