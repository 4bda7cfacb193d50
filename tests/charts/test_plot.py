"""The dashboard's pictures from a model."""

import pytest

from distpriv import plot
from distpriv.errors import DistprivError


def names(figure):
    return [one.name for one in figure.data]


def test_every_picture_is_drawn(model, releases):
    named = {"OptM": releases[1], "BalM": releases[2]}
    axes = [one for one in plot.bells(model, named).layout if one.startswith("xaxis")]
    assert sorted(axes) == ["xaxis", "xaxis2", "xaxis3"]
    for kind in ("histogram", "quantiles"):
        assert {one.xaxis for one in plot.fit(model, kind).data} == {"x", "x2"}
    assert plot.costs(model).layout.annotations[0].text == "As they are"
    assert max(plot.contributions(model).data[0].x) > 5
    axes = "mean age", "mean schooling"
    assert "OptM" in names(plot.directions(model, *axes, {"OptM": releases[1]}))
    for figure in (
        plot.guesses_against_width(model, named),
        plot.precision_against_recall(model, named),
        plot.belief(model, named, seed=1),
    ):
        assert {"as it is", "OptM", "BalM"} <= set(names(figure))
    assert "error_against_epsilon" in dir(plot)
    assert all(callable(getattr(plot, name)) for name in dir(plot))
    with pytest.raises(DistprivError, match="mean age"):
        plot.directions(model, "mean agee", "mean age")


def test_lines_against_attacker_epsilon_and_width(model):
    by_attacker = plot.error_against_attacker(model, ["OptM", "DauM"])
    by_epsilon = plot.error_against_epsilon(model, ["OptM", "DauM"])
    assert names(by_attacker)[:2] == names(by_epsilon)[:2] == ["OptM", "DauM"]
    assert "BalM" in names(by_attacker)
    here = next(one for one in by_attacker.data if len(one.x) == 1 and one.x[0] == 60)
    assert by_attacker.layout.xaxis.range[1] > 60
    assert here.y[0] < by_attacker.layout.yaxis.range[1]
    balanced = next(one for one in plot.error_against_width(model).data if one.name == "BalM")
    assert list(balanced.y) == sorted(balanced.y)  # a wider range leaves fewer records
    lines = {one.name: one for one in plot.guesses_against_epsilon(model, "DauM").data}
    assert 61 < max(lines["DauM"].y) <= lines["as it is"].y[0] + 1e-6
