"""The session as a workspace, and a workspace put into the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

import streamlit as st

from distpriv.analysis.json_values import WRONG, among, number
from distpriv.analysis.workspace import Named, Own, Source, Workspace
from distpriv.charts.style import ImageFormat
from distpriv.dashboard.shell import opening
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.kept import (
    LONGEST_NAME,
    MOST,
    Kept,
    free_name,
    keep_before,
    kept,
    same,
)
from distpriv.dashboard.shell.state import Key
from distpriv.errors import DistprivError, ScenarioError

__all__ = ["current", "restore"]


def _text(longest: int) -> Callable[[Any], str]:
    return lambda value: str(value)[:longest]


# What pages keep that somebody would miss; each with how it is read, as its widget takes it.
_CHOICES: Mapping[str, Callable[[Any], Any]] = {
    Key.CHOOSING_BETA: number(0.1, 5),
    Key.IMAGE_FORMAT: among(get_args(ImageFormat)),
    Key.MEANING_PRIOR: number(0.01, 0.99),
    Key.PROPOSAL_REASON: _text(4000),
    Key.PUFFERFISH_PRIOR: number(0.01, 0.99),
    Key.RELEASE_NOTE: _text(500),
}


def current() -> Workspace:
    """Everything that has been made in this session, without a record."""
    state = st.session_state
    dataset: Dataset = state[Key.DATASET]
    mine: tuple[dict[str, dict[str, Any]], ...] = tuple(
        state.get(key, {}) for key in (Key.OWN_SECRETS, Key.OWN_PAIRS, Key.OWN_STATISTICS)
    )
    return Workspace(
        scenario=state[Key.SCENARIO],
        source=_source(dataset),
        kept=tuple(
            Named(name=name, data=one.data, scenario=one.scenario) for name, one in kept().items()
        ),
        own=tuple(
            Own(
                digest=digest,
                secrets=tuple(mine[0].get(digest, {}).values()),
                pairs=tuple(mine[1].get(digest, {}).values()),
                statistics=tuple(mine[2].get(digest, {}).values()),
            )
            for digest in dict.fromkeys(digest for those in mine for digest in those)
            if any(those.get(digest) for those in mine)
        ),
        choices=tuple(
            (name, state[name]) for name in _CHOICES if state.get(name) not in (None, "")
        ),
    )


def _source(dataset: Dataset) -> Source:
    if dataset.origin != "upload":
        return Source(title=dataset.title)
    return Source(
        title=dataset.title.strip()[:200] or opening.UPLOAD,
        uploaded=True,
        records=len(dataset.table),
        digest=dataset.fingerprints[0],
        types=tuple(dataset.corrected.items()),
        reading=dataset.read_as,
    )


def restore(workspace: Workspace, *, on_screen: bool) -> None:
    """Add a workspace to what the session has, in the controls of the next run.

    Parameters
    ----------
    workspace : Workspace
    on_screen : bool
        Whether its choices come on screen, or are kept as those that were there before.

    Raises
    ------
    DistprivError
        If there is no room for all that it kept, or a control cannot take its value; nothing has
        changed then.
    """
    state = st.session_state
    mine, title = workspace.scenario, workspace.source.title
    new = [
        one
        for one in workspace.kept
        if not any(
            name == one.name and same(it.scenario, one.scenario) for name, it in kept().items()
        )
    ]
    if len(kept()) + len(new) > MOST:
        raise ScenarioError(
            f"The workspace has {len(new)} scenarios and {len(kept())} are kept already, but at "
            f"most {MOST} are kept at once; forget some first."
        )
    if on_screen:
        source = workspace.source if workspace.source.uploaded else None
        opening.open_scenario(mine, title, source)
    for one in new:
        kept()[free_name(one.name[:LONGEST_NAME])] = Kept(one.scenario, one.data)
    for own in workspace.own:
        for key, things in (
            (Key.OWN_SECRETS, own.secrets),
            (Key.OWN_PAIRS, own.pairs),
            (Key.OWN_STATISTICS, own.statistics),
        ):
            known = state.setdefault(key, {}).setdefault(own.digest, {})
            known.update({thing.label: thing for thing in things})
    for name, value in workspace.choices:
        _choose(name, value)
    now = state.get(Key.SCENARIO)
    if not on_screen and (now is None or not same(now, mine)):
        keep_before(mine, title)


def _choose(name: str, value: str | float | bool) -> None:
    """Set what a page keeps, if there is such a choice and it takes the value."""
    if name in _CHOICES:
        try:
            st.session_state[name] = _CHOICES[name](value)
        except (DistprivError, *WRONG):
            return
