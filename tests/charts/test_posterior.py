"""What the attacker believes, before and after."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from plotly import graph_objects as go

import distpriv as dp
from distpriv import mechanisms
from distpriv.attacks.posterior import Belief, normal_prior, pair_prior, share_grid, uniform_prior
from distpriv.charts import figure_data
from distpriv.charts.posterior import posterior_curve
from distpriv.charts.style import style_of
from distpriv.words import plain

Check = Callable[[go.Figure], None]
RICH = dp.SensitiveProperty("income", "high")
PAIR = dp.Pair(RICH, 0.45, 0.55)
SHARES = share_grid(100)


@pytest.fixture
def beliefs() -> tuple[Belief, Belief, Belief]:
    """Before a release, after it, and after one without noise."""
    return (
        uniform_prior(SHARES),
        normal_prior(SHARES, 0.4, 0.15),
        normal_prior(SHARES, 0.45, 0.05),
    )


def words(figure: go.Figure) -> list[str]:
    return [plain(annotation.text) for annotation in figure.layout.annotations]


def test_the_curves_are_the_beliefs(
    beliefs: tuple[Belief, Belief, Belief], well_made: Check
) -> None:
    figure = posterior_curve(
        *beliefs, truth=0.43, pair=PAIR, label=RICH.label, mechanism="DauM", title="Belief"
    )
    well_made(figure)
    names = ["before the release", "after the release", "after it, without noise"]
    assert [trace.name for trace in figure.data] == names
    for trace, belief in zip(figure.data, beliefs, strict=True):
        assert trace.x == pytest.approx(100 * SHARES)
        assert trace.y == pytest.approx(belief.weights)
    assert figure.data[1].line.color == style_of("DauM").color
    assert len({(trace.line.color, trace.line.dash) for trace in figure.data}) == 3
    assert figure.layout.yaxis.range[1] > max(belief.weights.max() for belief in beliefs)
    assert "income = high" in figure.layout.xaxis.title.text
    # The two shares of the pair, and that of the released dataset.
    assert [shape.x0 for shape in figure.layout.shapes] == pytest.approx([45, 55, 43])
    assert words(figure) == ["45 %", "55 %", "the released dataset: 43 %"]
    assert "two rules" in figure.layout.meta["how_to_read"]
    interval = beliefs[1].credible_interval()
    assert (
        f"between {100 * interval.low:g}\u00a0% and {100 * interval.high:g}\u00a0%"
        in (figure.layout.meta["alt"])
    )
    table = figure_data(figure)
    assert set(table["series"]) == set(names)
    assert table["probability"].sum() == pytest.approx(3)


def test_values_alone(beliefs: tuple[Belief, Belief, Belief], well_made: Check) -> None:
    figure = posterior_curve(*beliefs[:2])
    well_made(figure)
    assert len(figure.data) == 2
    assert not figure.layout.shapes
    assert "rules" not in figure.layout.meta["how_to_read"]


def test_two_shares_are_bars(well_made: Check) -> None:
    prior = pair_prior(PAIR, 100, 0.5)
    after = Belief(prior.shares, np.array([0.3, 0.7]))
    figure = posterior_curve(prior, after, after, truth=0.45, pair=PAIR)
    well_made(figure)
    assert [trace.type for trace in figure.data] == ["bar"] * 3
    assert figure.data[1].x == ("45\u00a0%", "55\u00a0%")
    assert figure.data[1].y == pytest.approx((0.3, 0.7))
    assert figure.layout.yaxis.range[1] > 1
    assert "bars" in figure.layout.meta["how_to_read"]
    assert "rules" not in figure.layout.meta["how_to_read"]


def test_bars_of_close_shares_stay_apart() -> None:
    shares = np.array([0.4501, 0.4504])
    figure = posterior_curve(uniform_prior(shares), uniform_prior(shares))
    assert len(set(figure.data[0].x)) == 2


def test_a_sharp_curve_without_noise_is_cut_and_the_reader_told(well_made: Check) -> None:
    shares = share_grid(10**6)
    prior = uniform_prior(shares)
    sharp = normal_prior(shares, 0.4037, 1e-4)
    figure = posterior_curve(prior, normal_prior(shares, 0.4, 0.12), sharp, pair=PAIR)
    well_made(figure)
    assert "above the frame" in figure.layout.meta["how_to_read"]
    assert figure.layout.yaxis.range[1] < sharp.weights.max()
    # The peak is drawn though the grid is thinned.
    assert max(figure.data[2].y) == pytest.approx(sharp.weights.max())
    # A little more noise does not move the frame.
    wider = posterior_curve(prior, normal_prior(shares, 0.4, 0.13), sharp, pair=PAIR)
    assert wider.layout.yaxis.range == figure.layout.yaxis.range
    whole = posterior_curve(prior, sharp, sharp)
    assert "above the frame" not in whole.layout.meta["how_to_read"]
    assert whole.layout.yaxis.range[1] > sharp.weights.max()


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.02, 0.05), (0.95, 0.99)])
def test_labels_of_the_pair_stay_inside(
    beliefs: tuple[Belief, Belief, Belief], ends: tuple[float, float], well_made: Check
) -> None:
    figure = posterior_curve(*beliefs, truth=ends[0], pair=dp.Pair(RICH, *ends))
    well_made(figure)
    for note in figure.layout.annotations[:2]:
        assert note.xanchor == ("left" if note.x <= 10 else "right")


def test_hostile_labels_and_every_mechanism(
    beliefs: tuple[Belief, Belief, Belief], hostile: tuple[str, ...], well_made: Check
) -> None:
    for label in hostile:
        well_made(posterior_curve(*beliefs, label=label, mechanism=label))
    for name in mechanisms.names():
        figure = posterior_curve(*beliefs, mechanism=name)
        well_made(figure)
        assert figure.data[1].line.color == style_of(name).color
