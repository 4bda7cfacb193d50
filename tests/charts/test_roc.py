"""ROC and precision–recall figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plotly import graph_objects as go

import distpriv as dp
from distpriv import mechanisms
from distpriv.attacks.classifiers import precision_recall_curve, roc_curve
from distpriv.attacks.optimal import (
    PrecisionRecallCurve,
    RocCurve,
    optimal_precision_recall,
    optimal_roc,
)
from distpriv.attacks.property_inference import dataset_labels
from distpriv.charts import figure_data, style_of
from distpriv.charts.roc import precision_recall_figure, roc_figure
from distpriv.model.sampling import Interval

Check = Callable[[go.Figure], None]
GIVEN: dict[str, Any] = {
    "pair": dp.SensitiveProperty("income", "high").pair(0.5, 0.1),
    "repetitions": 30,
    "seed": 7,
}


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(size=(30, 200)) + dataset_labels(200)


@pytest.fixture(scope="module")
def optimal(model: dp.GaussianModel) -> dict[str, RocCurve | None]:
    noise = dp.calibrate("DauM", model, 1.0, 1e-3)
    return {"none": optimal_roc(model), "DauM": optimal_roc(model, noise), "ExpM(L)": None}


def _roc(scores: np.ndarray, optimal: dict[str, RocCurve | None], **options: Any) -> go.Figure:
    simulated = roc_curve(scores, dataset_labels(200))
    curves = dict.fromkeys(("none", "DauM", "ExpM(L)"), simulated)
    return roc_figure(options.pop("curves", curves), optimal=optimal, **GIVEN | options)


def test_roc_figure(
    scores: np.ndarray, optimal: dict[str, RocCurve | None], well_made: Check
) -> None:
    figure = _roc(scores, optimal, selected="DauM", promise=(1.0, 1e-3))
    well_made(figure)
    assert figure.layout.xaxis.title.text == "p = 45\u00a0% taken for p = 55\u00a0% (%)"
    assert figure.layout.yaxis.title.text == "p = 55\u00a0% recognised (%)"
    assert "adaptive attacker, 30 repetitions, seed 7" in figure.layout.title.subtitle.text
    named = {trace.name: trace for trace in figure.data}
    assert named["DauM"].line.color == style_of("DauM").color
    assert named["DauM"].line.width > named["no noise"].line.width
    assert named["guessing"].line.dash == "dot"
    assert named["DauM, simulated"].mode == "markers"
    # The legend names each mechanism once.
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert legend == [
        "guessing",
        "the promise alone allows",
        "no noise",
        "DauM",
        "ExpM(L), simulated",
    ]
    assert (named["DauM"].x[0], named["DauM"].x[-1]) == (0, 1)


def test_the_promise_is_drawn_where_it_ends(
    scores: np.ndarray, optimal: dict[str, RocCurve | None]
) -> None:
    figure = _roc(scores, optimal, promise=(1.0, 0.1))
    drawn = next(trace for trace in figure.data if trace.name == "the promise alone allows")
    for wrong, right in zip(drawn.x, drawn.y, strict=True):
        allowed = min(math.e * wrong + 0.1, 1 - (0.9 - wrong) / math.e, 1.0)
        assert right == pytest.approx(allowed) or (wrong, right) == (0, 0)
    ahead = max(right - wrong for wrong, right in zip(drawn.x, drawn.y, strict=True))
    assert (1 + ahead) / 2 == pytest.approx(dp.accuracy_ceiling(1.0, 0.1))


def test_the_alternative_text_tells_the_areas(
    scores: np.ndarray, optimal: dict[str, RocCurve | None]
) -> None:
    alt = _roc(scores, optimal).layout.meta["alt"]
    area = optimal["none"].area.estimate  # type: ignore[union-attr]
    assert f"an area under the ROC curve of {area:.3g} with no noise" in alt
    assert "the simulated one, over 30 repetitions," in alt
    assert "guessing has an area of 0.5." in alt


def test_the_table_holds_rates(scores: np.ndarray, optimal: dict[str, RocCurve | None]) -> None:
    table = figure_data(_roc(scores, optimal))
    assert {"false positive rate (share)", "true positive rate (share)"} <= set(table.columns)
    assert set(table["series"]) >= {"DauM", "DauM, simulated", "ExpM(L), simulated"}


def test_before_the_first_repetition_the_best_attacker_is_there(
    scores: np.ndarray, optimal: dict[str, RocCurve | None], well_made: Check
) -> None:
    figure = _roc(scores, optimal, curves={}, repetitions=0)
    well_made(figure)
    assert "nothing simulated yet" in figure.layout.title.subtitle.text
    assert "simulated" not in figure.layout.meta["alt"]
    well_made(roc_figure({}, optimal={}, **GIVEN))
    well_made(precision_recall_figure({}, optimal={}, **GIVEN))


def test_precision_recall_figure(
    scores: np.ndarray, model: dp.GaussianModel, well_made: Check
) -> None:
    simulated = precision_recall_curve(scores, dataset_labels(200))
    best = optimal_precision_recall(model, dp.calibrate("DauM", model, 1.0, 1e-3))
    figure = precision_recall_figure(
        {"DauM": simulated, "ExpM(L)": simulated},
        optimal={"DauM": best, "ExpM(L)": None},
        selected="DauM",
        **GIVEN,
    )
    well_made(figure)
    assert figure.layout.xaxis.title.text == "p = 55\u00a0% recognised: recall (%)"
    assert figure.layout.yaxis.range == (0.45, 1.02)
    marks = next(trace for trace in figure.data if trace.name == "DauM, simulated")
    # The last points, guesses of a handful of datasets, are chance.
    assert min(marks.x) >= 0.02
    assert 10 <= len(marks.x) <= 20
    assert "an average precision of" in figure.layout.meta["alt"]
    assert "guessing has a precision of 0.5." in figure.layout.meta["alt"]


def test_a_precision_below_the_axis_stays_on_it_and_tells_the_number(well_made: Check) -> None:
    curve = PrecisionRecallCurve(
        np.array([1.0, 0.5, 0.0]), np.array([0.5, 0.2, 1.0]), Interval(0.4, 0.3, 0.5)
    )
    figure = precision_recall_figure({"DauM": curve}, optimal={}, **GIVEN)
    well_made(figure)
    assert min(figure.data[-1].y) == 0.45
    assert figure_data(figure)["precision (share)"].min() == 0.2


def test_hostile_names_with_every_mechanism(
    scores: np.ndarray,
    hostile: tuple[str, ...],
    optimal: dict[str, RocCurve | None],
    well_made: Check,
) -> None:
    names = (*mechanisms.names(), *hostile)
    simulated = roc_curve(scores, dataset_labels(200))
    figure = roc_figure(
        dict.fromkeys(names, simulated),
        optimal=dict.fromkeys(names, optimal["none"]),
        promise=(1.0, 0.0),
        **GIVEN | {"attacker": hostile[0]},
    )
    well_made(figure)
    curve = precision_recall_curve(scores, dataset_labels(200))
    well_made(
        precision_recall_figure(
            dict.fromkeys(names, curve), optimal=dict.fromkeys(names, curve), **GIVEN
        )
    )
