"""Pieces that several pages draw."""

from distpriv.dashboard.widgets.curves import (
    along_width,
    epsilon_grid,
    models_by_width,
    needs_closed_form,
    remembered,
    shown_at_first,
    sweep_of,
    width_grid,
)
from distpriv.dashboard.widgets.display import chart, table
from distpriv.dashboard.widgets.scenario import accuracy, l2, pair_words

__all__ = [
    "accuracy",
    "along_width",
    "chart",
    "epsilon_grid",
    "l2",
    "models_by_width",
    "needs_closed_form",
    "pair_words",
    "remembered",
    "shown_at_first",
    "sweep_of",
    "table",
    "width_grid",
]
