"""The worked examples of CONTRIBUTING.md: each is added from outside, tested, and seen."""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from distpriv import mechanisms, queries
from distpriv.attacks import classifiers
from distpriv.dashboard.shell import pages
from distpriv.export.script import Setting, Source
from distpriv.resources import MAIN
from tests.app.driver import attack_of

ROOT = Path(__file__).parent.parent
EXAMPLES: dict[str, str] = dict(
    re.findall(
        r"^`([\w/]+\.py)`[^\n]*\n\n```python\n(.*?)^```$",
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)
MODULES = ("mechanisms/scaled", "queries/largest", "attacks/classifiers")
TESTS = [name for name in EXAMPLES if name.startswith("tests/")]


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """The examples' mechanism, statistic and attacker."""
    with pytest.MonkeyPatch.context() as patch:
        for name in MODULES:
            module = ModuleType(f"distpriv.{name.replace('/', '.')}")
            if module.__name__ not in sys.modules:
                patch.setitem(sys.modules, module.__name__, module)
            exec(compile(EXAMPLES[f"distpriv/{name}.py"], name, "exec"), vars(module))
        yield
    mechanisms.unregister("ScaM")
    queries.unregister("largest")
    classifiers.unregister("nearest-mean")


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., AppTest]:
    """Open the dashboard with the examples' page among the others."""
    st.cache_data.clear()
    st.cache_resource.clear()
    shutil.copytree(ROOT / "pages", tmp_path / "pages")
    (tmp_path / "pages" / "spread.py").write_text(EXAMPLES["pages/spread.py"], encoding="utf-8")
    (spec,) = eval(EXAMPLES["distpriv/dashboard/shell/pages.py"], vars(pages))
    place = [other.section for other in pages.PAGES].index(spec.section)
    specs = (*pages.PAGES[:place], spec, *pages.PAGES[place:])
    monkeypatch.setattr(pages, "PAGES", specs)
    monkeypatch.setattr(pages, "HOME", tmp_path)

    def opened(page: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(MAIN), default_timeout=120)
        app.query_params.update(query)
        app.run()
        app.switch_page(str(tmp_path / "pages" / f"{page}.py")).run()
        assert not app.exception
        return app

    return opened


def test_there_is_an_example_and_a_test_of_each() -> None:
    assert len(EXAMPLES) == 9
    assert len(TESTS) == 4


@pytest.mark.parametrize("name", TESTS)
def test_the_tests_of_the_examples_pass(name: str, request: pytest.FixtureRequest) -> None:
    namespace: dict[str, Any] = {}
    exec(compile(EXAMPLES[name], name, "exec"), namespace)
    tests = [value for key, value in namespace.items() if key.startswith("test_")]
    assert tests
    for test in tests:
        test(**{name: request.getfixturevalue(name) for name in inspect.signature(test).parameters})


def test_a_new_mechanism_is_offered_drawn_and_written(open_app: Callable[..., AppTest]) -> None:
    app = open_app("tradeoff", mech="ScaM")
    assert "ScaM" in app.selectbox(key="mech").options
    assert "with ScaM at" in app.markdown[0].value
    drawn = " ".join(element.proto.spec for element in app.get("plotly_chart"))
    assert "ScaM" in drawn
    setting = Setting(app.session_state["scenario"], Source("", example="census-income"))
    assert 'mechanism="ScaM"' in pages.PAGES[0].script(setting).text


def test_a_new_statistic_is_offered_and_released(open_app: Callable[..., AppTest]) -> None:
    app = open_app("question")
    app.selectbox(key="build_stat_kind").set_value("largest").run()
    app.button(key="build_stat").click().run()
    assert not app.exception
    scenario = app.session_state["scenario"]
    assert "largest age" in scenario.query.labels
    setting = Setting(replace(scenario, n=20), Source("", example="census-income"))
    names: dict[str, Any] = {}
    exec(pages.PAGES[0].script(setting).text, names)
    assert 60 < names["result"]["largest age at p_i"] <= 90


def test_a_new_attacker_is_offered_and_runs(open_app: Callable[..., AppTest]) -> None:
    app = open_app("attack")
    app.selectbox(key="attack_classifier").set_value("nearest-mean").run()
    assert not app.exception
    assert attack_of(app, "attack").classifier == "nearest-mean"


def test_a_new_page_stands_in_the_footer(open_app: Callable[..., AppTest]) -> None:
    links = [element.proto.label for element in open_app("fit").get("page_link")]
    assert "Spread" in links
