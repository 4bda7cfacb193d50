"""The matrix of secrets and figures: what is where, and what screen readers say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from distpriv.charts import exposure

MARKUP = '<b>&$_*%{x}</b><img src="x">\n' + "long " * 40


def matrix(figures: int, columns: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    head = {"column": [f"c{place // 2}" for place in range(2 * columns)], "label": MARKUP}
    frame = pd.DataFrame(head | {"share": 20.0, "low": 15.0, "high": 25.0})
    frame["guesses"], frame["fits"] = np.linspace(100, 55, 2 * columns), True
    for place in range(figures):
        frame[f"mean c{place}"] = rng.uniform(50, 50 + place, 2 * columns)
    return frame


@pytest.mark.parametrize("figures", [1, 4, 30])
@pytest.mark.parametrize("columns", [1, 3, 40])
def test_matrix_has_the_most_exposed_label_of_each_column_and_telling_figures(figures, columns):
    frame, shown = matrix(figures, columns), min(columns, 15)
    frame.loc[0, "mean c0"] = np.nan  # a figure of its own column
    chart = exposure.picture(frame, limit=60, names={"mean c0": MARKUP})
    (cells,) = chart.data
    right = np.array(cells.z, dtype=float)[1::2]
    assert right.shape == (shown, 2 + min(figures, 12))
    assert right[:, 0].tolist() == frame["guesses"][::2][:shown].tolist()
    assert len(cells.x) == right.shape[1] + 1
    assert len(cells.y) == 2 * shown + 1
    assert cells.text[1][0] == "<b>100</b>"
    words = [one.text for one in chart.layout.annotations]
    assert len(words) == 1 + min(figures, 12) + shown
    assert not any("<img" in one or "$" in one or len(one) > 120 for one in words)
    assert sum("15 or 25 %?" in one for one in words) == shown
    assert ("mean c29" in words) is (figures == 30)
    assert exposure.alt(frame).count("right") == shown
    assert "more than 99" not in exposure.alt(frame)


def test_colors_change_at_the_limit():
    (cells,) = exposure.picture(matrix(2), limit=75).data
    (_, pale), (place, below), (again, above), (_, strong) = cells.colorscale
    assert place == again == 0.5
    assert pale[:14] == below[:14] != above[:14] == strong[:14]
