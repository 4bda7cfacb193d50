"""What is recommended at a limit, worked out once for a question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from distpriv.analysis.design import Limit
from distpriv.analysis.recommendation import Recommendation, down, recommend
from distpriv.dashboard.shell import cache, putting
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.errors import HypothesisError
from distpriv.words import escape

__all__ = ["searched", "take", "taken"]


def searched(view: View, limit: Limit) -> Recommendation | None:
    """What the limit asks for by the fitted model; None, with a sentence, if nothing keeps it."""
    # The current ε makes no difference.
    seed = view.scenario.model_seed
    key = replace(view.scenario, seed=seed, look="", epsilon=1.0)
    try:
        return cache.computed(
            lambda: recommend(view, limit),
            f"{view.source.digest} {key!r} {limit!r}",
            common=view.common,
        )
    except HypothesisError as error:
        st.error(escape(error), icon=":material/error:")
        return None


def taken(mechanism: str, epsilon: float) -> dict[str, Any]:
    """A mechanism and the ε it is recommended at, rounded down to three digits, by their keys."""
    return {Key.MECH: mechanism, Key.EPS: float(down(epsilon))}


def take(mechanism: str, epsilon: float) -> None:
    """Put them into the controls; a callback."""
    putting.put(taken(mechanism, epsilon))
