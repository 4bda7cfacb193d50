"""What a release hides and what it does not, in a picture."""

import numpy as np

from distpriv.analysis.hiding import Hiding
from distpriv.charts.data import figure_data
from distpriv.charts.hiding import hidden_distances

HIDDEN = Hiding(
    0.5, 0.1, np.array([0.0, 0.1, 1.0]), np.array([0.5, 0.9, 1.0]), np.array([0.5, 0.6, 0.96]),
    "OptM", True,
)  # fmt: skip


def test_the_title_is_the_finding_and_the_lines_have_their_names() -> None:
    figure = hidden_distances(HIDDEN)
    assert figure.layout.title.text == "Hides differences up to 10\u00a0points around 50\u00a0%"
    names = [annotation.text for annotation in figure.layout.annotations]
    assert names == ["to be hidden", "without noise", "with OptM"]
    assert not figure.layout.showlegend
    (shaded,) = (shape for shape in figure.layout.shapes if shape.type == "rect")
    assert (shaded.x0, shaded.x1) == (0, 10)
    assert "told apart in 60 of 100 cases" in figure.layout.meta["alt"]
    assert "45\u00a0% against 55\u00a0%" in figure.data[1].hovertext[1]


def test_its_numbers_can_be_taken_away() -> None:
    data = figure_data(hidden_distances(HIDDEN))
    assert list(data.columns) == [
        "series", "difference of the two shares (points)", "accuracy of the attacker (share)"
    ]  # fmt: skip
    assert len(data) == 6
