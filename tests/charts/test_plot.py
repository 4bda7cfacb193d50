"""The dashboard's pictures from a model."""

import numpy as np
import pandas as pd
import pytest

from distpriv import plot
from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate
from distpriv.queries import Mean, Query, SensitiveProperty
from distpriv.sources import fit_gaussian


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    rich = rng.random(2000) < 0.25
    table = pd.DataFrame({"age": rng.normal(37, 13, 2000) + 7 * rich, "rich": rich})
    table["schooling"] = rng.integers(7, 14, 2000) + 2 * rich
    pair = SensitiveProperty("rich", True).pair(center=0.25, width=0.1)
    return fit_gaussian(table, Query([Mean("age"), Mean("schooling")]), pair, n=100)


def test_every_picture_is_drawn(model):
    noise = {"OptM": calibrate("OptM", model, guesses=60)}
    assert len(plot.bells(model, noise)) == 2
    assert len(plot.fit(model)) == len(plot.fit(model, "quantiles")) == 2
    assert plot.costs(model).layout.annotations[0].text == "As they are"
    assert min(plot.contributions(model).data[0].x) > 5
    names = [one.name for one in plot.directions(model, "mean age", "mean schooling", noise).data]
    assert "OptM" in names


def test_lines_against_attacker_epsilon_and_width(model):
    by_attacker = plot.error_against_attacker(model, ["OptM", "DauM"])
    by_epsilon = plot.error_against_epsilon(model, ["OptM", "DauM"])
    assert [one.name for one in by_attacker.data] == ["OptM", "DauM"]
    assert list(by_attacker.data[0].y) == list(by_epsilon.data[0].y)
    balanced = next(one for one in plot.error_against_width(model).data if one.name == "BalM")
    assert list(balanced.y) == sorted(balanced.y)  # a wider range leaves fewer records


def test_what_attackers_reach_is_drawn_of_releases(model):
    named = {"OptM": calibrate("OptM", model, guesses=60), "BalM": calibrate("BalM", model)}
    for figure in (
        plot.guesses_against_width(model, named),
        plot.precision_against_recall(model, named),
        plot.belief(model, named, seed=1),
    ):
        assert {"as it is", "OptM", "BalM"} <= {one.name for one in figure.data}
    lines = {one.name: one for one in plot.guesses_against_epsilon(model, "DauM").data}
    assert max(lines["DauM"].y) <= lines["as it is"].y[0] + 1e-6
    assert max(lines["DauM"].y) > 70


def test_names_of_pictures_are_listed():
    assert "error_against_epsilon" in dir(plot)
    assert all(callable(getattr(plot, name)) for name in dir(plot))


def test_unknown_statistic_names_the_nearest(model):
    with pytest.raises(DistprivError, match="mean age"):
        plot.directions(model, "mean agee", "mean age")
