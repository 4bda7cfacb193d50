"""Tables, queries and random numbers that the tests share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Workers share the cores; threads of linear algebra would only wait on them. What tests start has
# it from here too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

import distpriv as dp
from distpriv.tables.examples import load_adult

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

# No example has a deadline: no test may depend on how fast the machine is.
settings.register_profile(
    "distpriv", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("distpriv")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the browser tests first.

    Work is dealt out in equal parts and then stolen from the others' ends: so one worker drives
    the browser, which waits a lot, while two compute, and all end together.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


class _Failing:
    """Names what fails when it does, for a run that is ended before its summary."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and report.failed:
            said = getattr(getattr(report.longrepr, "reprcrash", None), "message", "")
            reporter.write_line(
                f"\n{report.outcome}: {report.nodeid}: {said.partition(chr(10))[0]}"
            )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Failing(config))


# No test may write into the database of whoever runs it.
_KEPT = tempfile.TemporaryDirectory(prefix="distpriv-tests-", ignore_cleanup_errors=True)
os.environ["DATABASE_URL"] = f"sqlite:///{_KEPT.name}/kept.sqlite"


@pytest.fixture(autouse=True)
def own_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Every test begins with a database of its own, which is made when it is used."""
    file = tmp_path / "database" / "kept.sqlite"
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{file}")
    return file


@pytest.fixture
def cold() -> None:
    """Nothing has been computed yet: simulations begin anew, and can be stopped."""
    import streamlit as st

    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture(scope="session")
def components() -> list[Any]:
    """Streamlit's components; a server looks for them once, and each `AppTest` would again."""
    from streamlit.components.v2.manifest_scanner import scan_component_manifests

    return scan_component_manifests()


def _ended(runner: Any, timeout: float = 3) -> None:
    """Wait for a script's end; one that takes too long is stopped."""
    thread = runner._script_thread
    thread.join(timeout)
    if thread.is_alive():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"the script has run for more than {timeout} s")


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch, components: list[Any]) -> Callable[..., AppTest]:
    """Open the dashboard, optionally at a page and with query parameters.

    A page is opened as by a link to it, without the first one before it. What has been computed for
    one test is there for the next: ask for `cold` where that matters.
    """
    from streamlit.components.v2 import manifest_scanner
    from streamlit.testing.v1 import AppTest, local_script_runner

    from distpriv.dashboard.serving import whole_numbers

    whole_numbers.at_start()  # as app.py does
    root = Path(__file__).parents[1]
    monkeypatch.chdir(root)
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", lambda: components)
    # It asks a thousand times a second whether the script has ended, of a list of all its events.
    monkeypatch.setattr(local_script_runner, "require_widgets_deltas", _ended)

    def opened(page: str | None = None, **query: str | list[str]) -> AppTest:
        app = AppTest.from_file(root / "distpriv" / "dashboard" / "main.py", default_timeout=120)
        for name, value in query.items():
            app.query_params[name] = value
        if page not in (None, "question"):  # which the address without a page leads to
            app.switch_page(f"../../pages/{page}.py")
        return app.run()

    return opened


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20230607)


@pytest.fixture(scope="session")
def adult() -> pd.DataFrame:
    """The 45 222 complete records of UCI Adult."""
    if not os.environ.get("ADULT_DIR"):
        pytest.skip("ADULT_DIR is not set: it names the folder with adult.data and adult.test")
    return load_adult()


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """2 000 made-up people, the same every time, about a third of them rich."""
    rng = np.random.default_rng(7)
    count = 2000
    rich = rng.random(count) < 0.35
    age = np.clip(rng.normal(38 + 6 * rich, 12), 17, 90).round().astype(np.int64)
    hours = np.clip(rng.normal(39 + 4 * rich, 9), 1, 99).round(1)
    married = rng.random(count) < np.where(rich, 0.8, 0.4) * (age > 25)
    return pd.DataFrame(
        {
            "age": age,
            "hours": hours,
            "status": pd.Categorical(np.where(married, "married", "single")),
            "town": pd.Categorical(rng.choice(["Ahausen", "Behausen", "Cehausen"], count)),
            "remote": rng.random(count) < 0.3 + 0.2 * rich,
            "income": pd.Categorical(np.where(rich, "high", "low")),
        }
    )


@pytest.fixture(scope="session")
def query() -> dp.Query:
    """Four statistics of people, one of each kind."""
    return dp.Query(
        [
            dp.Mean("age"),
            dp.Sum("hours"),
            dp.Count("status", "married"),
            dp.Proportion("town", "Ahausen"),
        ]
    )


@pytest.fixture(scope="session")
def rich() -> dp.SensitiveProperty:
    return dp.SensitiveProperty("income", "high")


@pytest.fixture(scope="session")
def pair(rich: dp.SensitiveProperty) -> dp.Pair:
    return rich.pair(center=0.4, width=0.2)


@pytest.fixture(scope="session")
def model(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> dp.GaussianModel:
    """One pair."""
    return dp.fit_gaussian(people, query, pair, n=60)


@pytest.fixture(scope="session")
def alike(model: dp.GaussianModel) -> dp.GaussianModel:
    """The same with one covariance a pair, as the papers take them."""
    pairs = (replace(fit, covariances=np.array([fit.pooled] * 2)) for fit in model.pairs)
    return replace(model, pairs=tuple(pairs))


@pytest.fixture(scope="session")
def several(people: pd.DataFrame, query: dp.Query, pair: dp.Pair) -> dp.GaussianModel:
    """Three pairs of two properties, whose differences are not parallel."""
    remote = dp.SensitiveProperty("remote")
    pairs = [pair, remote.pair(center=0.5, width=0.3), remote.pair(center=0.3, width=0.1)]
    return dp.fit_gaussian(people, query, pairs, n=60)


@pytest.fixture(scope="session")
def adult_query() -> dp.Query:
    """The query of Chen & Ohrimenko (2023), Table 1 of the full version."""
    return dp.Query(
        [
            dp.Mean("age"),
            dp.Mean("education-num"),
            dp.Count("marital-status", "Never-married"),
            dp.Count("sex", "Female"),
            dp.Mean("hours-per-week"),
        ]
    )


@pytest.fixture(scope="session")
def adult_income(adult: pd.DataFrame, adult_query: dp.Query) -> dp.GaussianModel:
    """Income at 45 % or 55 % of 100 records."""
    pair = dp.SensitiveProperty("income", ">50K").pair(center=0.5, width=0.1)
    return dp.fit_gaussian(adult, adult_query, pair, n=100)


@pytest.fixture(scope="session")
def adult_work_class(adult: pd.DataFrame, adult_query: dp.Query) -> dp.GaussianModel:
    """Private sector at 48 % or 52 % of 100 records."""
    pair = dp.SensitiveProperty("workclass", "Private").pair(center=0.5, width=0.04)
    return dp.fit_gaussian(adult, adult_query, pair, n=100)
