"""The alternatives of a decision, drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from plotly import graph_objects as go

from distpriv.charts.alternatives import alternatives_chart
from distpriv.words import plain
from tests.examples import alternative

Check = Callable[[go.Figure], None]


def test_what_is_proposed_is_said_and_names_stand_beside_marks(hostile, well_made: Check) -> None:
    now = alternative("now", accuracy=0.58, error=8.0)
    half = alternative("half", accuracy=0.54, error=15.0)
    figure = alternatives_chart([now, half], "half")
    well_made(figure)
    assert plain(figure.layout.title.text) == "half is proposed: right in 54.0 %"
    assert [plain(trace.text[0]) for trace in figure.data if trace.text] == [
        "now",
        "half, proposed",
    ]
    assert not any(trace.showlegend for trace in figure.data)
    assert "L2" not in str(figure.to_plotly_json())
    open_ = alternatives_chart([now, half, replace(now, name="again")], None)
    well_made(open_)
    assert plain(open_.layout.title.text) == "half is the safest: right in 54.0 %"
    assert all(trace.showlegend for trace in open_.data)  # two marks in one place
    well_made(alternatives_chart([replace(now, name=name) for name in hostile], hostile[0]))
