"""What is recommended at a limit, worked out once for a question."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import replace
from typing import Any

import streamlit as st

from distpriv.analysis.design import Limit
from distpriv.analysis.recommendation import Recommendation, candidates, down, recommend
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.errors import HypothesisError
from distpriv.words import escape

__all__ = ["searched", "take"]


def searched(view: View, limit: Limit) -> Recommendation | None:
    """What the limit asks for by the fitted model; None, with a sentence, if nothing keeps it."""
    # The current ε makes no difference.
    seed = view.scenario.model_seed
    key = replace(view.scenario, mechanism="", seed=seed, look="", epsilon=1.0)
    try:
        return cache.computed(
            lambda: recommend(view, limit),
            f"{view.source.digest} {key!r} {limit!r} {candidates(view)}",
        )
    except HypothesisError as error:
        st.error(escape(error), icon=":material/error:")
        return None


def take(mechanism: str, epsilon: float, where: MutableMapping[Any, Any] | None = None) -> None:
    """Put a mechanism and the ε it is recommended at into the controls, or elsewhere.

    Parameters
    ----------
    mechanism : str
    epsilon : float
        Rounded down to three digits.
    where : mapping, optional
        By default the session's state, as a callback may.
    """
    where = st.session_state if where is None else where
    where[Key.MECH], where[Key.EPS] = mechanism, float(down(epsilon))
