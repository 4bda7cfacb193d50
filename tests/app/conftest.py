"""The dashboard without a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Open the dashboard, optionally at a page and with query parameters."""
    monkeypatch.chdir(ROOT)
    st.cache_data.clear()
    st.cache_resource.clear()

    def opened(page: str | None = None, **query: str | list[str]) -> AppTest:
        app = AppTest.from_file(
            str(ROOT / "distpriv" / "dashboard" / "main.py"), default_timeout=120
        )
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
        if page is not None:
            app.switch_page(f"../../pages/{page}.py").run()
        return app

    return opened
