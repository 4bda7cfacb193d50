"""A mechanism, a statistic and an attacker from outside appear wherever one is chosen or shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv import attacks, mechanisms, queries
from distpriv.analysis.sweeps import expected_errors, sweep
from distpriv.charts.utility import error_against_epsilon
from distpriv.words import number
from tests.app.driver import attack_of


class TwiceTheNoise(mechanisms.GaussianMechanism):
    """Noise on every statistic, of twice the deviation that the expected value mechanism needs."""

    name = "TwiceM"
    title = "Twice the expected value mechanism"
    summary = "Twice as much noise as ExpM."
    source = "These tests (2026)"
    assumes = (mechanisms.Assumption.TRANSLATION,)
    full_rank = True

    def covariance(self, model: dp.GaussianModel, distance: float) -> np.ndarray:
        return np.eye(len(model.query)) * (2 * model.sensitivity(2) / distance) ** 2


@dataclass(frozen=True)
class Half(dp.Statistic):
    """Half the mean of a numeric column."""

    kind = "half"
    title = "Half the mean of a numeric column"

    def scale(self, n: int) -> float:
        return 0.5 / n


@dataclass(frozen=True)
class Trimmed(queries.Nonlinear):
    """Mean of a numeric column without the share of records at either end."""

    cut: float
    kind = "trimmed"
    title = "Trimmed mean of a numeric column"
    parameters = (queries.Parameter("cut", "Cut off", queries.NumberRange(0.0, 0.4, 0.1, 0.1)),)

    @property
    def label(self) -> str:
        return f"trimmed {self.column} by {self.cut:g}"

    @classmethod
    def read(cls, text: str, columns: Any) -> Trimmed | None:
        column, _, cut = text.rpartition(" by ")
        return cls(column, float(cut)) if column in columns else None

    def compute(self, records: np.ndarray) -> np.ndarray:
        low, high = (int(share * records.shape[1]) for share in (self.cut, 1 - self.cut))
        return np.sort(records[:, :, 0], axis=1)[:, low:high].mean(axis=1)

    def sensitivity(self, n: int, span: float) -> float:
        return span


def along_the_means(features: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Any:
    """Scores along the line that joins the two means."""
    first, second = (features[labels == label].mean(axis=0) for label in (0, 1))
    return lambda rows: (rows - (first + second) / 2) @ (second - first)


MEANS = attacks.Classifier("means", "Nearest mean", "Looks which mean is nearer.", along_the_means)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    mechanisms.register(TwiceTheNoise)
    queries.register(Half)
    queries.register(Trimmed)
    attacks.register(MEANS)
    yield
    mechanisms.unregister("TwiceM")
    queries.unregister("half")
    queries.unregister("trimmed")
    attacks.unregister("means")


def spec(app: Any, title: str) -> dict[str, Any]:
    """The chart whose title begins like this, as the browser gets it."""
    drawn = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return next(each for each in drawn if each["layout"]["title"]["text"].startswith(title))


def script_of(app: Any) -> str:
    """The page's script, opened."""
    app.session_state["as_code"] = True
    app.run()
    assert not app.exception
    return app.code[-1].value


def run(script: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "script"}
    with redirect_stdout(StringIO()):
        exec(compile(script, "script.py", "exec"), names)
    return names["result"]


def test_each_stands_in_its_place() -> None:
    known = mechanisms.names()
    assert known.index("BoundedWasserstein") < known.index("TwiceM") < known.index("GroupDP(L)")
    kinds = queries.names()
    assert (
        kinds.index("share") < kinds.index("half") < kinds.index("median") < kinds.index("trimmed")
    )
    assert attacks.attacker_names()[-2:] == ("means", "arithmetic")


def test_a_mechanism_is_in_selectors_charts_tables_and_scripts(open_app) -> None:
    app = open_app("tradeoff", mech="TwiceM")
    assert not app.exception
    assert "TwiceM" in app.selectbox(key="mech").options
    assert app.session_state["scenario"].mechanism == "TwiceM"
    shown = app.multiselect(key="tradeoff_mechanisms")
    assert "TwiceM" in shown.options
    shown.set_value(["ExpM", "TwiceM"]).run()
    table = next(frame.value for frame in app.dataframe if "Mechanism" in frame.value)
    assert list(table["Mechanism"]) == ["ExpM", "TwiceM"]
    lines = [trace for trace in spec(app, "Error")["data"] if trace.get("name") == "TwiceM"]
    assert lines
    script = script_of(app)
    assert f"import {__name__}" in script
    result = run(script)
    errors = {name: value for name, value in result.items() if "TwiceM" in name}
    assert any(number(value) == table["Error, L2"][1] for value in errors.values()), errors


@pytest.mark.usefixtures("cold")
def test_a_statistic_is_in_selectors_charts_tables_links_and_scripts(open_app) -> None:
    app = open_app("question", stat=["mean hours-per-week"])
    assert "half age" in app.multiselect(key="stat").options
    assert "trimmed age by 0.1" not in app.multiselect(key="stat").options
    app.selectbox(key="build_stat_kind").set_value("half").run()
    app.button(key="build_stat").click().run()
    assert not app.exception
    assert not app.error
    assert app.session_state["scenario"].query.labels[-1] == "half age"
    assert any("half age" in frame.value.to_string() for frame in app.dataframe)
    scenario = app.session_state["scenario"]
    assert dp.read_scenario(dp.write_scenario(scenario)) == scenario
    result = run(script_of(app))
    assert any("half age" in name for name in result)
    again = open_app("question", stat=["mean hours-per-week", "trimmed age by 0.2"])
    assert not again.exception
    assert again.session_state["scenario"].query.statistics[1] == Trimmed("age", 0.2)
    again.selectbox(key="build_stat_kind").set_value("trimmed").run()
    again.slider(key="build_stat_cut").set_value(0.3).run()
    again.button(key="build_stat").click().run()
    assert again.session_state["scenario"].query.labels[-1] == "trimmed age by 0.3"


def test_an_attacker_is_in_selectors_charts_tables_and_scripts(open_app) -> None:
    app = open_app("attack")
    chosen = app.selectbox(key="attack_classifier")
    assert "Nearest mean" in chosen.options
    chosen.set_value("means").run()
    assert attack_of(app, "attack").classifier == "means"
    script = script_of(app)
    assert f"import {__name__}" in script
    assert 'classifier="means"' in script


def test_a_mechanism_a_statistic_and_an_attacker_work_together(
    people: pd.DataFrame, rich: dp.SensitiveProperty
) -> None:
    pair = rich.pair(0.5, 0.2)
    query = dp.Query([Half("age"), dp.Mean("hours")])
    model = dp.fit_gaussian(people, query, pair, 60)
    single = dp.fit_gaussian(people, dp.Query([dp.Mean("age")]), pair, 60)
    np.testing.assert_allclose(model.pairs[0].means[:, 0], single.pairs[0].means[:, 0] / 2)
    noise = dp.calibrate("TwiceM", model, 1.0, 1e-3)
    assert dp.delivered_delta(model, noise, 1.0) < 1e-3
    result = dp.run_attack(
        people, query, pair, 60, {"none": None, "TwiceM": noise}, repetitions=3, rng=1,
        classifier="means",
    )  # fmt: skip
    assert result.accuracy["none"].mean() > result.accuracy["TwiceM"].mean()
    curves = sweep(expected_errors(), "epsilon", [0.5, 1.0, 2.0], model, ["TwiceM"], delta=1e-3)
    figure = error_against_epsilon(curves, epsilon=1.0, unit="", measure="error")
    line = next(trace for trace in figure.data if trace.name == "TwiceM")
    assert line.line.color
    np.testing.assert_allclose(line.y, curves.y["TwiceM"])
