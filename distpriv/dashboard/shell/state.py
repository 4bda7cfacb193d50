"""What a session remembers."""

from __future__ import annotations

from typing import Any

import streamlit as st

from distpriv.model.run import Run

__all__ = ["runs"]


def runs() -> dict[str, Run[Any]]:
    """Work that grows, by its name."""
    found: dict[str, Run[Any]] = st.session_state.setdefault("runs", {})
    return found
