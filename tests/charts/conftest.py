"""What the tests of the charts share: a fit, hostile labels, and what every chart has to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray
from plotly import graph_objects as go

import distpriv as dp
from distpriv.charts import figure_data
from distpriv.words import plain

Drawn = Mapping[str, tuple[Iterable[float | str], Iterable[float]]]


@pytest.fixture(scope="session")
def hostile() -> tuple[str, ...]:
    """Four labels that would be read as markup, a template, a formula, or are too long."""
    return (
        "<img src=x onerror=1>",
        "=cmd",
        "%{y} $x$ & <b>bold</b> <a href='https://example.com'>link</a>",
        "tail " * 40,
    )


@pytest.fixture(scope="session")
def fit(model: dp.GaussianModel) -> dp.PairModel:
    return model.pairs[0]


@pytest.fixture(scope="session")
def simulated(fit: dp.PairModel) -> NDArray[np.float64]:
    """400 made-up releases for each share; the third statistic is a count."""
    rng = np.random.default_rng(3)
    values = np.array(
        [
            rng.multivariate_normal(mean, covariance, 400)
            for mean, covariance in zip(fit.means, fit.covariances, strict=True)
        ]
    )
    values[:, :, 2] = values[:, :, 2].round()
    return values


@pytest.fixture(scope="session")
def well_made() -> Callable[[go.Figure], None]:
    """Assert what holds for every chart."""

    def check(figure: go.Figure) -> None:
        layout = figure.layout
        assert not layout.template.to_plotly_json()
        assert layout.paper_bgcolor is None
        assert layout.plot_bgcolor is None
        assert layout.font.size is None
        assert 0 < len(plain(layout.title.text)) <= 60
        assert layout.title.xanchor == "left"
        assert layout.height >= 150
        assert layout.separators == ".\u202f"
        assert layout.meta["alt"].endswith(".")
        assert layout.meta["how_to_read"].endswith(".")
        assert {trace.type for trace in figure.data} <= {"scatter", "bar", "heatmap"}
        assert sum(len(trace.x) for trace in figure.data) <= 2000
        for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
            assert axis.range is not None
            assert axis.automargin
            assert axis.separatethousands
            assert axis.exponentformat == "power"
        for text in _texts(figure):
            bare = text.replace("<b>", "").replace("</b>", "").replace("<br>", "")
            assert "<" not in bare
            assert "%{" not in text
            assert "$" not in text
        assert len(figure_data(figure))

    return check


def _texts(figure: go.Figure) -> list[str]:
    """Every text that plotly.js draws."""
    found = [figure.layout.title.text, figure.layout.title.subtitle.text or ""]
    found += [annotation.text for annotation in figure.layout.annotations]
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        found += [axis.title.text or "", *(axis.ticktext or ())]
    for trace in figure.data:
        found += [trace.name, *np.ravel(trace.hovertext or "").tolist()]
    return found


@pytest.fixture(scope="session")
def draws() -> Callable[[go.Figure, Drawn], None]:
    """Assert what a figure draws: its series with the places of their points, and no others."""

    def check(figure: go.Figure, expected: Drawn) -> None:
        series: dict[str, tuple[list[float], list[float]]] = {}
        for trace in figure.data:
            places = zip(trace.x, trace.y, strict=trace.type != "heatmap")
            points = [] if list(trace.x) == [None] else list(places)
            for axis in (0, 1):
                series.setdefault(plain(trace.name), ([], []))[axis].extend(
                    np.nan if point[axis] is None else point[axis] for point in points
                )
        drawn = {name: places for name, places in series.items() if places[0]}
        assert list(drawn) == list(expected)
        for name, places in expected.items():
            for axis, (at, wanted) in enumerate(zip(drawn[name], places, strict=True)):
                wanted = list(wanted)
                if wanted and isinstance(wanted[0], str):
                    assert [plain(place) for place in at] == wanted
                else:
                    assert at == pytest.approx(wanted, nan_ok=True), f"{'xy'[axis]} of {name}"

    return check
