"""Pictures of attribute privacy: bars of variances, and networks with a quilt."""

from __future__ import annotations

import pandas as pd

from distpriv.attribute import BayesianNetwork, markov_quilt
from distpriv.charts import attribute, style
from tests.charts.test_charts import MARKUP, texts

AVERAGES = pd.DataFrame(
    {"release": [MARKUP, "heat"], "own": [0.0084, 1.0], "noise": [530.0, 0.0], "error": [18.4, 0]}
)


def test_bars_are_what_the_data_bring_of_what_hiding_needs():
    figure = attribute.averages(AVERAGES)
    needed, own = figure.data
    assert (list(needed.x), list(own.x)) == ([1, 1], [0.0084, 1])
    assert own.marker.color == (style.faint(style.BAD, 0.95), style.faint(style.GOOD, 0.95))
    assert {"<b>± 18.4</b>", "<b>none</b>", "heat: 100\u00a0%"} < set(texts(figure))
    assert "heat: 100\u00a0% of what hiding needs, noise ± 0" in attribute.averages_alt(AVERAGES)


def test_network_shows_parts_by_colour_mark_and_word_and_bears_what_is_apart():
    net = BayesianNetwork(
        [("a", MARKUP), (MARKUP, "c")],
        {"a": [1.0], MARKUP: [[1.0]], "c": [[1.0]], "alone": [1.0]},
    )
    quilts = markov_quilt(net, ["a"], ["c"], {frozenset({"c"}): 1.0}, 1.0).quilts
    quilt = next(one for one in quilts if one.quilt == {MARKUP})
    figure = attribute.network(net, quilt, ["c"])
    words = texts(figure)
    assert {"a<br>protected", "<b>c</b><br>remote, released", "alone<br>remote"} < set(words)
    marks = [one.marker.symbol for one in figure.data]
    assert marks == ["square", "diamond", "circle-open", "circle-open"]
    arrows = [one for one in figure.layout.annotations if one.showarrow]
    assert len(arrows) == 2
    assert len({(one.x[0], one.y[0]) for one in figure.data}) == 4
    assert "protected: a; quilt: " in attribute.network_alt(quilt, ["c"])
