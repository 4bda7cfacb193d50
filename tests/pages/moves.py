"""Moves of a slider, which `make bench` times: of the page Check, and of the smallest page."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT


def _toy() -> None:
    """Draw a page of one slider and one picture."""
    import plotly.graph_objects as go
    import streamlit as st

    st.title("How often is the best attacker right?")
    guesses = st.slider("Right guesses of 100", 50, 99, 60)
    st.plotly_chart(go.Figure(go.Bar(x=[guesses], y=["limit"])))


def move_on_check() -> Callable[[], object]:
    """Return what moves the limit on Check by one each time."""
    page = AppTest.from_file(ROOT / "distpriv/dashboard/main.py", default_timeout=60).run()
    values = count()

    def move() -> object:
        slider = next(each for each in page.slider if "guesses" in each.label.lower())
        return slider.set_value(55.0 + next(values) % 30).run()

    return move


def move_on_toy() -> Callable[[], object]:
    """Return the same of the smallest page."""
    page, values = AppTest.from_function(_toy).run(), count()
    return lambda: page.slider[0].set_value(55 + next(values) % 30).run()
