"""Pictures of frames made by hand: what is drawn where, and what screen readers say."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from distpriv.charts import attack, bars, bells, costs, directions, fit, style, tradeoff

PAPER, BLACK = "#FDFCFA", "#12161C"  # backgrounds of .streamlit/config.toml
MARKUP = '<b>&$_*%{x}</b><img src="x">'


def texts(figure: go.Figure) -> list[str]:
    return [one.text for one in figure.layout.annotations]


def marked(figure: go.Figure) -> bool:
    """Whether markup of the data got into the words of a picture."""
    return "<img" in figure.to_json()


def luminance(hexadecimal: str) -> float:
    parts = np.array([int(hexadecimal[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


# --- style
@pytest.mark.parametrize("background", [PAPER, BLACK])
def test_colors_stand_out_in_light_and_dark(background: str) -> None:
    hues = [style.LOW, style.HIGH, style.GOOD, style.BAD, style.QUIET]
    hues += [hue for hue in style.COLORS.values() if hue != style.INK]
    assert min(contrast(hue, background) for hue in hues) > 3  # WCAG 2.2, 1.4.11
    assert min(contrast(hue, background) for hue in (style.GOOD, style.BAD)) > 4


def test_mechanisms_differ_by_color_and_dash() -> None:
    names = ["OptM", "DauM", "DirM", "EigM", "ExpM"]
    assert len({style.color(name) for name in names}) == 5
    assert len({style.dash(name) for name in names}) == 5
    assert style.color("Unheard") == style.QUIET


def test_text_from_data_is_no_markup() -> None:
    shown = style.safe(MARKUP + "\nnext")
    assert not {"<", "$", "\n"} & set(shown)
    assert "%{" not in shown
    assert style.short("x" * 60, 40) == "x" * 39 + "…"
    assert style.short("<" * 60, 3) == "&lt;&lt;…"  # cut before it is escaped


def test_almost_certain_is_not_written_as_certain() -> None:
    assert [style.right(guesses) for guesses in (50, 99.4, 99.6, 100)] == [
        "50",
        "99",
        "&gt; 99",
        "100",
    ]


# --- bells
def bells_frame(distance: float, panel: str = "As they are") -> pd.DataFrame:
    score = np.linspace(-4, 4, 141)
    low, high = (np.exp(-((score + side * distance / 2) ** 2) / 2) for side in (1, -1))
    data = {"panel": panel, "guesses": 75.0, "kept": False, "score": score}
    return pd.DataFrame(data | {"20 %": low, "30 %": high})


def test_bells_are_one_picture_a_panel_on_equal_axes() -> None:
    frame = pd.concat([bells_frame(1.4), bells_frame(0.0, MARKUP)])
    apart, alike = bells.picture(frame)
    assert apart.layout.xaxis.range == alike.layout.xaxis.range == (-4, 4)
    assert "<b>20 %</b>" in texts(apart)
    assert "<b>20 %</b> and <b>30 %</b> look alike" in texts(alike)
    assert not any("<img" in text for text in texts(alike))
    wrong = apart.data[2]
    assert np.allclose(wrong.y, np.minimum(apart.data[0].y, apart.data[1].y))
    assert bells.alt(bells_frame(1.4)).startswith(
        "Two bells, for 20 % and 30 %. As they are: right"
    )


# --- costs
COSTS = pd.DataFrame(
    {
        "way": ["As they are", "Balanced", "Noise, ExpM", MARKUP],
        "guesses": [75.0, 50.0, 60.4, 99.7],
        "error": [0.0, 2.9, 1e7, math.nan],
        "estimated": [0.0, 2.9, 8.0, math.nan],
        "kept": [False, True, True, False],
    }
)


def test_costs_draw_zero_as_zero_and_name_what_is_cut() -> None:
    figure = costs.picture(COSTS)
    error, estimated = figure.data
    assert error.x[0] == 0
    assert estimated.x[0] == 0
    most = max(x for x in error.x if not math.isnan(x))
    assert most < figure.layout.xaxis.range[1]
    assert most < 100
    words = texts(figure)
    assert "0.0 %" in words
    assert "over 1000 % →" in words
    assert "–" in words
    assert "<b>60</b> of 100" in words
    assert not any("<img" in text for text in words)


def test_costs_take_the_verdict_from_the_frame() -> None:
    colors = costs.picture(COSTS).data[1].marker.color
    assert colors[0] == style.faint(style.BAD, 0.95)
    assert colors[1] == style.faint(style.GOOD, 0.95)
    assert "Balanced: error 2.9 %, right 50\u00a0times" in costs.alt(COSTS)


def test_costs_of_one_way_without_error() -> None:
    figure = costs.picture(COSTS.head(1))
    assert list(figure.data[0].x) == [0]
    assert figure.layout.xaxis.range[1] > 0


# --- bars
def test_bars_begin_at_the_coin_toss() -> None:
    frame = pd.DataFrame({"name": ["a", MARKUP, "c"], "guesses": [50.0, 75.0, 49.9]})
    figure = bars.picture(frame, most=75)
    assert list(figure.data[0].x) == [0, 25, 0]
    assert figure.data[0].base == 50
    assert len(figure.data) == 1
    assert not any("<img" in text for text in texts(figure))
    assert set(figure.data[0].marker.color) == {style.faint(style.QUIET, 0.9)}
    assert bars.alt(frame).startswith("a: right 50\u00a0times in\u00a0100; ")


def test_bars_show_the_limit_and_its_colours() -> None:
    frame = pd.DataFrame({"name": ["a", "b"], "guesses": [60.3, 58.0], "kept": [False, True]})
    figure = bars.picture(frame, limit=60)
    assert list(figure.data[1].x) == [60, 60]
    assert figure.data[0].marker.color[0] == style.faint(style.BAD, 0.9)


# --- trade-off
EPSILON = np.array([0.1, 1.0, 10.0])
CURVES = pd.concat(
    [
        pd.DataFrame(
            {
                "mechanism": name,
                "epsilon": EPSILON,
                "width": [5.0, 10.0, 20.0],
                "guesses": [51.0, 60.0, 74.0],
                "error": size / EPSILON,
            }
        )
        for name, size in (("OptM", 5.0), ("ExpM", 20.0))
    ],
    ignore_index=True,
)
POINTS = pd.DataFrame(
    {"mechanism": ["BalM", "no data"], "guesses": [50.0, 50.0], "error": [2.9, 6.2]}
)
HERE = {"guesses": 60.0, "epsilon": 1.0, "width": 10.0, "error": 5.0}


@pytest.mark.parametrize("across", ["guesses", "epsilon", "width"])
def test_tradeoff_draws_a_line_a_mechanism_and_the_setting(across: tradeoff.Across) -> None:
    figure = tradeoff.picture(
        CURVES, across=across, points=POINTS, here=HERE, mechanism="OptM", limit=60
    )
    lines = {one.name: one for one in figure.data}
    assert lines["OptM"].line.width > lines["ExpM"].line.width
    assert list(lines["ExpM"].x) == list(CURVES[across])[4:]  # 200 % lies too far above
    assert list(lines["here"].x) == [HERE[across]]
    assert list(lines["here"].y) == [5.0]
    low, high = figure.layout.xaxis.range
    here = math.log10(HERE[across]) if across == "epsilon" else HERE[across]
    assert low < here < high
    assert figure.layout.yaxis.range[1] >= 6.2
    assert ("BalM" in lines) == (across == "guesses")
    assert any("Balanced" in text for text in texts(figure))


def test_tradeoff_keeps_its_axis_while_the_limit_moves() -> None:
    ends = [
        tradeoff.picture(CURVES, points=POINTS, here=HERE | {"error": error}).layout.yaxis.range
        for error in (4.0, 5.0, 6.0)
    ]
    assert len(set(ends)) == 1


def test_tradeoff_of_one_row_and_of_none() -> None:
    one = pd.DataFrame({"mechanism": ["OptM"], "epsilon": [1.0], "guesses": [60], "error": [0.0]})
    assert tradeoff.picture(one, across="epsilon").layout.yaxis.range[1] > 0
    assert tradeoff.alt(one.assign(error=math.nan)) == "Average error, one line a mechanism. ."
    figure = tradeoff.picture(one.head(0), points=POINTS, here=HERE, limit=60)
    assert [trace.name for trace in figure.data] == ["BalM", "no data", "here"]


# --- attack
GROWTH = pd.DataFrame(
    {
        "release": ["as it is"] * 2 + ["OptM"] * 2,
        "simulations": [1, 2] * 2,
        "guesses": [70.0, 72.0, 58.0, 59.0],
        "low": [math.nan, 70.0, math.nan, 57.0],
        "high": [math.nan, 74.0, math.nan, 61.0],
    }
)


def test_attack_draws_lines_intervals_and_the_best_attacker() -> None:
    best = {"as it is": 75.0, "OptM": 60.0, "BalM": 50.0}
    figure = attack.picture(GROWTH, best=best, total=200)
    lines = {one.name: one for one in figure.data if one.name}
    assert list(lines["OptM"].y) == [58, 59]
    assert len(lines["BalM"].y) == 0
    interval = figure.data[0]
    assert list(interval.y) == [74, 70]  # without the one that has none
    assert "<b>60</b> OptM" in texts(figure)
    assert "coin toss" in texts(figure)
    assert "OptM: right 59.0 times in 100 after 2" in attack.alt(GROWTH)


def test_attack_begins_empty_and_keeps_words_apart() -> None:
    best = {"OptM": 50.5, "BalM": 50.0, "as it is": 75.0}
    figure = attack.picture(GROWTH.head(0), best=best, total=200, height=400)
    low, high = figure.layout.yaxis.range
    places = [one.y for one in figure.layout.annotations if one.text.startswith("<b>")]
    gaps = [abs(a - b) * (400 - 72) / (high - low) for a, b in combinations(places, 2)]
    assert min(gaps) >= 18  # pixels
    assert attack.alt(GROWTH.head(0)).endswith("None yet.")


# --- fit
FITTED = pd.DataFrame(
    {
        "statistic": [MARKUP, MARKUP, "never varies", "never varies"],
        "share": ["20 %", "30 %"] * 2,
        "mean": [20.0, 22.0, 5.0, 5.0],
        "deviation": [2.0, 2.0, 0.0, 0.0],
        "step": [1.0, 0.0, 0.0, 0.0],
        "misfit": [2.0, 4.6, 0.0, 0.0],
    }
)
RNG = np.random.default_rng(1)
DRAWS = pd.DataFrame(
    {
        "statistic": MARKUP,
        "share": ["20 %"] * 500 + ["30 %"] * 500,
        "value": [*RNG.normal(20, 2, 500).round(), *RNG.normal(22, 2, 500)],
    }
)


def test_fit_histograms_hold_the_density_in_whole_steps() -> None:
    figure, constant = fit.picture(FITTED, draws=DRAWS)
    first, _, second, _ = figure.data
    for one in (first, second):
        assert (np.array(one.y) * one.width).sum() == pytest.approx(1, abs=0.01)
    assert first.width == 1
    assert np.allclose(np.array(first.x) % 1, 0)
    assert "off by 5 points of 100" in texts(figure)
    assert "<img" not in texts(figure)[0]
    assert [list(one.x) for one in constant.data] == [[5, 5], [5, 5]]


def test_fit_quantiles_lie_on_the_line_of_a_normal() -> None:
    figure, _ = fit.picture(FITTED, draws=DRAWS, kind="quantiles")
    points = figure.data[3]
    assert np.abs(np.array(points.x) - points.y).max() < 0.5
    assert (
        fit.alt(FITTED) == f"{MARKUP}: off by 5 points of 100; never varies: off by 0 points of 100"
    )


# --- directions
PLANE = pd.DataFrame(
    {
        "name": ["20 %", "30 %", "OptM"],
        "kind": ["share", "share", "noise"],
        "x": [-0.3, 0.3, 0.0],
        "y": [0.2, -0.2, 0.0],
        "xx": [1.0, 1.0, 4.0],
        "xy": [0.5, 0.5, 4.0],
        "yy": [1.0, 1.0, 4.0],
    }
)


def test_directions_have_equal_axes_and_outlines_of_95_per_cent() -> None:
    draws = pd.DataFrame({"share": ["20 %", "30 %"], "x": [0.1, 0.2], "y": [0.3, 0.1]})
    figure = directions.picture(PLANE, draws=draws, names=(MARKUP, "age"))
    assert figure.layout.yaxis.scaleanchor == "x"
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    outline = figure.data[1]
    inverse = np.linalg.inv([[1, 0.5], [0.5, 1]])
    around = np.stack([np.array(outline.x) + 0.3, np.array(outline.y) - 0.2])
    # The quantile 0.95 of chi-square with two degrees of freedom, 5.9915 (any table of it).
    assert np.allclose(np.einsum("in,ij,jn->n", around, inverse, around), 5.9915, atol=1e-3)
    noise = next(one for one in figure.data if one.name == "OptM")
    assert np.allclose(noise.x, noise.y)  # one direction: a segment
    assert "<img" not in figure.layout.xaxis.title.text
    assert "noise of OptM" in directions.alt(PLANE)


def test_directions_without_noise() -> None:
    none = pd.DataFrame({"share": [], "x": [], "y": []})
    figure = directions.picture(PLANE.head(2), draws=none, names=("a", "b"))
    assert "OptM" not in [one.name for one in figure.data]
    assert "noise" not in directions.alt(PLANE.head(2))
