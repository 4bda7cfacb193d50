"""Pictures of frames made by hand: what is drawn where, and what screen readers say."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from distpriv.charts import attack, bars, bells, directions, fit, style, tradeoff
from distpriv.mechanisms import MECHANISMS

MARKUP = '<b>&$_*%{x}</b><img src="x">'  # as a name in a table


def texts(figure: go.Figure) -> list[str]:
    words = [one.text for one in figure.layout.annotations]
    assert not any("<img" in text for text in words), "markup of the data is in the picture"
    return words


def luminance(hexadecimal: str) -> float:
    parts = np.array([int(hexadecimal[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("background", ["#FDFCFA", "#12161C"])  # of .streamlit/config.toml
def test_colors_stand_out_in_light_and_dark(background):
    hues = [style.LOW, style.HIGH, style.GOOD, style.BAD, style.QUIET, *style.COLORS.values()]
    pairs = [sorted([luminance(hue), luminance(background)]) for hue in hues if hue != style.INK]
    assert min((high + 0.05) / (low + 0.05) for low, high in pairs) > 3  # WCAG 2.2, 1.4.11


def test_mechanisms_differ_and_names_are_no_markup():
    names = [name for name, one in MECHANISMS.items() if one.shape and one.compared]
    dashes = {style.GLYPHS[style.dash(name)] for name in names}
    assert len({*map(style.color, names)}) == len(dashes) == len(names)
    assert sorted(["BalM", "new", "OptM"], key=style.place) == ["OptM", "BalM", "new"]
    assert style.color("new") == style.QUIET
    shown = style.short(MARKUP + "\nnext", 99)
    assert not {"<", "$", "\n"} & set(shown)
    assert "%{" not in shown
    assert style.short("x" * 60, 40) == "x" * 39 + "…"
    assert style.short("<" * 60, 3) == "&lt;&lt;…"  # cut before it is escaped
    assert [style.right(guesses) for guesses in (99.4, 99.6, 100)] == ["99", "&gt; 99", "100"]


def bells_frame(distance: float, panel: str) -> pd.DataFrame:
    score = np.linspace(-4, 4, 141)
    low, high = (np.exp(-((score + side * distance / 2) ** 2) / 2) for side in (1, -1))
    head = {"panel": panel, "guesses": 75.0, "kept": False, "score": score}
    return pd.DataFrame(head | {"20 %": low, "30 %": high})


def test_bells_are_one_picture_a_panel_on_equal_axes():
    frame = pd.concat([bells_frame(1.4, "As they are"), bells_frame(0, MARKUP)])
    apart, alike = bells.picture(frame)
    assert apart.layout.xaxis.range == alike.layout.xaxis.range == (-4, 4)
    assert {"<b>20 %</b>", "<b>30 %</b>", "✗ right <b>75</b> of 100"} < set(texts(apart))
    assert "<b>20 %</b> and <b>30 %</b> look alike" in texts(alike)
    low, high, wrong = (np.array(one.y) for one in apart.data)
    assert np.array_equal(wrong, np.minimum(low, high))
    [far] = bells.picture(bells_frame(8, "As they are"))
    assert {one.x for one in far.layout.annotations if "%" in one.text} == {-3.2, 3.2}
    words = bells.alt(bells_frame(1.4, "As they are"))
    assert words == "Two bells, for 20 % and 30 %. As they are: right 75\u00a0times in\u00a0100."


COSTS = pd.DataFrame(
    {
        "way": ["As they are", "Balanced", "Noise, ExpM", MARKUP],
        "guesses": [75.0, 50.0, 60.4, 99.7],
        "error": [0.0, 2.9, 1e7, math.nan],
        "estimated": [0.0, 2.9, 8.0, math.nan],
        "kept": [False, True, True, False],
    }
)


def test_costs_draw_zero_as_zero_say_what_is_cut_and_take_colours_from_the_frame():
    figure = bars.costs(COSTS)
    assert [one.x[0] for one in figure.data] == [0, 0]
    assert np.nanmax(figure.data[0].x) < figure.layout.xaxis.range[1] < 100
    assert {"0 %", "over 1000 % →", "–", "✓ <b>60</b> of 100"} < set(texts(figure))
    words = bars.costs_alt(COSTS)
    assert "Balanced: error 2.9 %, right 50\u00a0times in\u00a0100, within the limit" in words
    colors = bars.costs(COSTS.assign(kept=[True, False, False, True])).data[1].marker.color
    assert list(colors[:2]) == [style.faint(hue, 0.95) for hue in (style.GOOD, style.BAD)]
    assert list(bars.costs(COSTS.head(1)).data[0].x) == [0]


def test_bars_begin_at_the_coin_toss():
    frame = pd.DataFrame({"name": ["a", MARKUP, "c"], "guesses": [50.0, 75.0, 49.9]})
    figure = bars.picture(frame, most=75)
    assert (list(figure.data[0].x), figure.data[0].base) == ([0, 25, 0], 50)
    assert len(texts(figure)) == 6
    assert set(figure.data[0].marker.color) == {style.faint(style.QUIET, 0.9)}
    assert bars.alt(frame).startswith("a: right 50\u00a0times in\u00a0100; ")


EPSILON, WIDTH = np.array([0.1, 1.0, 10.0]), [5.0, 10.0, 20.0]
LINE = {"epsilon": EPSILON, "width": WIDTH, "guesses": [51.0, 60.0, 74.0]}
OPTIMAL = pd.DataFrame(LINE | {"mechanism": "OptM", "error": 5 / EPSILON})
EXPECTED = pd.DataFrame(LINE | {"mechanism": "ExpM", "error": 20 / EPSILON})
CURVES = pd.concat([OPTIMAL, EXPECTED], ignore_index=True)
POINTS = pd.DataFrame({"mechanism": ["BalM", "no data"], "guesses": 50.0, "error": [2.9, 6.2]})
HERE = {"guesses": 60.0, "epsilon": 1.0, "width": 10.0, "error": 5.0}


@pytest.mark.parametrize("across", ["guesses", "epsilon", "width"])
def test_tradeoff_draws_a_line_a_mechanism_and_the_setting(across):
    look = {"across": across, "points": POINTS, "here": HERE, "mechanism": "OptM", "limit": 60}
    figure = tradeoff.picture(CURVES, **look)
    lines = {one.name: one for one in figure.data}
    assert lines["OptM"].line.width > lines["ExpM"].line.width
    assert list(lines["ExpM"].x) == list(CURVES[across])[4:]  # 200 % lies too far above
    assert (lines["here"].x[0], lines["here"].y[0]) == (HERE[across], 5.0)
    low, high = figure.layout.xaxis.range
    assert low < (math.log10(HERE[across]) if across == "epsilon" else HERE[across]) < high
    assert figure.layout.yaxis.range[1] >= 6.2
    assert ("BalM" in lines) == (across == "guesses")
    assert any("Balanced" in text for text in texts(figure))
    order = [one.name for one in figure.data if one.mode == "lines"]
    assert order == ["OptM", "ExpM"]  # the thick line lies under those that may coincide with it


def test_words_beside_lines_stay_apart_and_inside():
    figure = style.figure(200, yaxis={"range": [0, 10]})
    style.beside(
        figure, [(5, "a", style.LOW), (9.8, "b", style.LOW), (9.9, "c", style.LOW)], 0.1, 6
    )
    assert [one.y for one in figure.layout.annotations] == [5, 9, 10]


def test_tradeoff_of_an_accepted_error_of_one_row_and_of_none():
    marks = pd.DataFrame({"mechanism": ["OptM"], "guesses": [60.0], "error": [5.0]})
    look = {"points": POINTS, "marks": marks, "accepted": 5.0}
    figure = tradeoff.picture(CURVES, **look)
    mark = next(one for one in figure.data if one.name == "OptM least")
    assert (mark.x[0], mark.y[0]) == (60, 5)
    assert {"you accept ", "expected error, % of the value"} < set(texts(figure))
    (band,) = figure.layout.shapes
    assert (band.y0, band.y1) == (-5, 5)
    moved = [HERE | {"error": error} for error in (4.0, 5.0, 6.0)]
    ends = {tradeoff.picture(CURVES, points=POINTS, here=one).layout.yaxis.range for one in moved}
    assert len(ends) == 1  # while the limit moves
    one = pd.DataFrame({"mechanism": ["OptM"], "epsilon": 1.0, "guesses": 60.0, "error": math.nan})
    assert tradeoff.picture(one, across="epsilon").layout.yaxis.range[1] > 0
    assert "NaN" not in tradeoff.alt(one)
    figure = tradeoff.picture(one.head(0), points=POINTS, here=HERE, limit=60)
    assert [trace.name for trace in figure.data] == ["BalM", "no data", "here"]


def test_scenarios_are_named_beside_their_points():
    names = ["Recommended", "Now", MARKUP, "too"]
    marks = pd.DataFrame({"name": names, "mechanism": ["BalM", "OptM", "OptM", "DauM"]})
    marks["guesses"], marks["error"] = [50.0, 60.0, 60.0, 80.0], [2.9, 6.5, 6.5, 1.0]
    figure = tradeoff.picture(CURVES.head(0), marks=marks, limit=60.0)
    points = [(one.x[0], one.y[0], one.marker.color) for one in figure.data]
    colors = map(style.color, marks["mechanism"])
    assert points == [*zip(marks["guesses"], marks["error"], colors, strict=True)]
    assert figure.layout.shapes[0].x1 == 60
    assert figure.layout.xaxis.range[1] > 80
    assert figure.layout.yaxis.range[1] == 10
    texts(figure)
    notes = {one.text: one for one in figure.layout.annotations}
    assert [notes[f"<b>{name}</b>"].xanchor for name in (names[0], "too")] == ["left", "right"]
    alike = [one.y for one in figure.layout.annotations if one.x == 60 and one.yref != "paper"]
    assert abs(alike[0] - alike[1]) >= 10 / 14  # they stand above each other


def test_long_legends_take_a_second_row_and_room_for_it():
    few, many = style.figure(400), style.figure(400)
    style.legend(few, ["OptM", "DauM", "DirM", "EigM", "ExpM"])
    style.legend(many, ["OptM", "DauM", "DirM", "EigM", "ExpM", "BalM", "no data"])
    assert ["<br>" in texts(one)[0] for one in (few, many)] == [False, True]
    assert many.layout.margin.t == few.layout.margin.t + 20


GROWTH = pd.DataFrame(
    {
        "release": ["as it is"] * 6 + ["OptM"] * 6,
        "simulations": [*range(1, 7)] * 2,
        "guesses": [70.0, 71, 72, 73, 72, 72, 58.0, 57, 59, 59, 59, 59],
        "low": [math.nan, 0, 30, 60, 70, 71, math.nan, 0, 30, 50, 57, 58],
        "high": [math.nan, 140, 99, 80, 75, 74, math.nan, 110, 80, 70, 61, 60],
    }
)


def test_attack_draws_intervals_the_best_attacker_and_words_apart():
    best = {"as it is": 75.0, "OptM": 60.0, "BalM": 50.0}
    figure = attack.picture(GROWTH, best=best, total=200)
    lines = {one.name: one for one in figure.data if one.name}
    assert (lines["OptM"].y[-1], len(lines["BalM"].y)) == (59, 0)
    assert list(figure.data[0].y) == [75, 74, 71, 70]  # once it fits the picture
    assert {"<b>60</b> OptM", "<b>50</b> Balanced"} < set(texts(figure))
    assert "OptM: right 59.0 times in 100 after 6" in attack.alt(GROWTH)
    near = attack.picture(GROWTH.head(0), best=best | {"OptM": 50.5}, total=200)
    low, high = near.layout.yaxis.range
    places = [one.y for one in near.layout.annotations if one.text.startswith("<b>")]
    pixels = [abs(a - b) * (400 - 72) / (high - low) for a, b in combinations(places, 2)]
    assert min(pixels) >= 18
    assert attack.alt(GROWTH.head(0)).endswith("None yet.")


REACHED = pd.DataFrame(
    {
        "release": ["as it is"] * 2 + ["OptM"] * 2 + ["ceiling", "ceiling", "BalM", "OptM"],
        "width": [2.0, 50, 2, 50, 2, 20, 10, 30],
        "epsilon": [0.2, 20, 0.2, 20, 0.2, 20, 1, 3],
        "guesses": [75.0, 75, 52, 74, 55, 100, 50, 61],
        "low": [math.nan] * 7 + [60],
        "high": [math.nan] * 7 + [62],
    }
)


@pytest.mark.parametrize("across", ["width", "epsilon"])
def test_reach_draws_lines_points_and_the_setting(across):
    here = {across: 10.0, "guesses": 60.0}
    figure = attack.reach(REACHED, across=across, here=here, mechanism="OptM")
    traces = {one.name: one for one in figure.data}
    assert list(traces["OptM"].y) == [52, 74]
    points = traces["simulated OptM"]
    assert (points.y[0], points.error_y.array[0], points.error_y.arrayminus[0]) == (61, 1, 1)
    assert (traces["here"].x[0], traces["here"].marker.color) == (10, style.color("OptM"))
    low, high = figure.layout.xaxis.range
    assert low < (1 if across == "epsilon" else 10) < high
    names = {"As they are", "OptM", "Any data, at most", "Balanced"}
    assert names < set(texts(figure))
    assert "As they are: right 75\u00a0times in\u00a0100 at" in attack.reach_alt(REACHED, across)
    before = attack.reach(REACHED.head(0), across=across)
    assert len(before.data) == 0
    assert attack.reach_alt(REACHED.head(0), across).endswith("None yet.")


def test_precision_and_beliefs_name_their_lines():
    x = np.linspace(1, 100, 100)
    lines = pd.DataFrame({"release": "as it is", "recall": x, "precision": 98 - 0.48 * x})
    frame = pd.concat([lines, lines.assign(release="OptM", precision=80 - 0.3 * x)])
    figure = attack.recall(frame)
    assert {"As they are", "OptM"} <= set(texts(figure))
    assert "OptM: 65 %" in attack.recall_alt(frame)
    held = frame.rename(columns={"recall": "share", "precision": "belief"})
    held = pd.concat([held, held.head(100).assign(release="prior", belief=50.0)])
    figure = attack.belief(held, shares=(20, 30))
    assert figure.layout.xaxis.ticktext == ("20 %", "", "30 %")
    assert any("Before" in text and "As they are" in text for text in texts(figure))
    assert figure.layout.yaxis.range[1] > held["belief"].max()
    assert "Before" not in attack.belief_alt(held)


FITTED = pd.DataFrame(
    {
        "statistic": [MARKUP, MARKUP, "constant", "constant"],
        "share": ["20 %", "30 %"] * 2,
        "mean": [20.0, 22.0, 5.0, 5.0],
        "deviation": [2.0, 2.0, 0.0, 0.0],
        "step": [1.0, 0.0, 0.0, 0.0],
        "misfit": [2.0, 4.6, 0.0, 0.0],
    }
)
NORMAL = np.random.default_rng(1).normal(0, 2, (2, 500))
VALUES = np.concatenate([(20 + NORMAL[0]).round(), 22 + NORMAL[1]])
SHARES = np.repeat(["20 %", "30 %"], 500)
DRAWS = pd.DataFrame({"statistic": MARKUP, "share": SHARES, "value": VALUES})


def test_fit_histograms_hold_the_density_and_quantiles_lie_on_the_line():
    figure, constant = fit.picture(FITTED, draws=DRAWS)
    first, second = figure.data[0], figure.data[2]
    areas = [(np.array(one.y) * one.width).sum() for one in (first, second)]
    assert areas == pytest.approx([1, 1], abs=0.01)
    assert (first.width, set(np.array(first.x) % 1)) == (1, {0.0})
    assert "off by 5 points of 100" in texts(figure)
    assert [list(one.x) for one in constant.data] == [[5, 5], [5, 5]]
    points = fit.picture(FITTED, draws=DRAWS, kind="quantiles")[0].data[3]
    assert np.abs(np.array(points.x) - points.y).max() < 0.5
    assert fit.alt(FITTED).endswith("constant: off by 0 points of 100")


PLANE = pd.DataFrame(
    [
        ("20 %", "share", -0.3, 0.2, 1.0, 0.5, 1.0),
        ("30 %", "share", 0.3, -0.2, 1.0, 0.5, 1.0),
        ("OptM", "noise", 0.0, 0.0, 4.0, 4.0, 4.0),
    ],
    columns=["name", "kind", "x", "y", "xx", "xy", "yy"],
)
CLOUD = pd.DataFrame({"share": ["20 %", "30 %"], "x": [0.1, 0.2], "y": [0.3, 0.1]})


def test_directions_have_equal_axes_and_outlines_of_95_per_cent():
    figure = directions.picture(PLANE, draws=CLOUD, names=(MARKUP, "age"))
    across, up = figure.layout.xaxis, figure.layout.yaxis
    assert (up.scaleanchor, up.range) == ("x", across.range)
    assert "<img" not in across.title.text
    around = np.stack([np.array(figure.data[1].x) + 0.3, np.array(figure.data[1].y) - 0.2])
    squares = (around * np.linalg.solve([[1, 0.5], [0.5, 1]], around)).sum(axis=0)
    # The quantile 0.95 of chi-square with two degrees of freedom, 5.991 in any table of it.
    assert squares == pytest.approx(5.9915, abs=1e-3)
    noise = next(one for one in figure.data if one.name == "OptM")
    assert np.array(noise.x) == pytest.approx(np.array(noise.y), abs=1e-7)  # one direction
    assert "noise of OptM" in directions.alt(PLANE)
    few = directions.picture(PLANE.head(2), draws=CLOUD.head(0), names=("a", "b"))
    assert len(few.data) == len(figure.data) - 1
    assert "noise" not in directions.alt(PLANE.head(2))
