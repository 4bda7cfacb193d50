"""Laws of one figure at two shares: where their mass lies, how it moves, and what hiding it costs."""

from __future__ import annotations

import numpy as np
import pytest

from distpriv.analysis import notions
from distpriv.charts import notions as charts
from distpriv.distances import closeness
from distpriv.mechanisms import calibrate
from distpriv.queries import Count, Mean
from distpriv.text import significant
from tests.adult import of_records

RNG = np.random.default_rng(5)
HAVING = np.repeat([0.0, 1.0], 200)
COUNT = (RNG.random((400, 1)) < 0.2 + 0.4 * HAVING[:, None]).astype(float)


@pytest.mark.parametrize(
    ("values", "kind"), [(COUNT, Count), (RNG.normal(5, 2, (400, 1)) + HAVING[:, None], Mean)]
)
def test_laws_and_moves_are_those_of_the_model(values, kind):
    model = of_records(values, HAVING, 40, 0.4, 0.6, kind=kind)
    frame, pair = notions.laws_frame(model), model.pairs[0]
    for column, mean, variance in zip(
        ("low", "high"), pair.means[:, 0], pair.covariances[:, 0, 0], strict=True
    ):
        assert frame[column].sum() == pytest.approx(1)
        assert frame[column] @ frame["value"] == pytest.approx(mean, abs=1e-3 * mean)
        assert frame[column] @ (frame["value"] - mean) ** 2 == pytest.approx(variance, rel=0.02)
    moves = notions.moves_frame(frame, 0.01)
    value = frame["value"]
    least = closeness(value, value, 0.01, frame["low"], frame["high"])
    assert (moves["start"] - moves["end"]).abs().min() == pytest.approx(least)
    figure = charts.laws(frame, moves, ("40 %", "60 %"), "figure")
    assert sum(trace.type == "bar" for trace in figure.data) == 2
    assert sum(trace.mode == "lines" for trace in figure.data if trace.type == "scatter") == len(
        moves
    )
    assert charts.laws_alt(moves).count("from") == len(moves)


def test_costs_are_those_of_the_releases():
    model = of_records(COUNT, HAVING, 40, 0.4, 0.6, kind=Count)
    table = notions.costs_table(model, 1.0, 1e-3, "records")
    scale = calibrate("Wasserstein", model, epsilon=1.0).scale
    assert table.loc["Wasserstein"].to_list()[:3] == [
        f"± {scale:g} records",
        "0",
        "by the exact law",
    ]
    for name in ("ApproxWasserstein", "BoundedWasserstein"):
        noise = calibrate(name, model, epsilon=1.0, delta=1e-3)
        error = significant(float(noise.expected_absolute_errors()[0]))
        assert table.loc[name].to_list()[:2] == [f"± {error} records", "0.001"]
    title, lead = notions.moves_words(model, ("40 %", "60 %"), 1e-3, "records")
    assert title == f"Up to {scale:g} records apart"
    assert lead.startswith(f"By the exact law, mass moves by up to {scale:g} records between 40 %")
    assert len(lead.split()) <= 25
