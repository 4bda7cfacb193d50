"""Errors of mechanisms as bars."""

from __future__ import annotations

from distpriv.analysis.equal_terms import Contender
from distpriv.analysis.keeping import Keeping
from distpriv.charts.comparison import mechanism_bars


def test_mechanism_bars_show_errors_and_missed_promises():
    contenders = [
        Contender("DirM(L)", 1.0, 0.001, 5.27, 63.5, Keeping("kept", 0.97)),
        Contender("OptM", 1.0, 0.001, 8.82, 57.4, Keeping("missed", 1.9)),
    ]
    figure = mechanism_bars(contenders, equal="promise", unit="")
    (bars,) = figure.data
    assert list(bars.x) == [5.27, 8.82]
    assert list(bars.text) == ["5.27", "8.82 (missed, 1.9 times)"]
    assert list(figure.layout.yaxis.ticktext) == ["DirM(L)", "OptM"]
    assert "63.5 times in 100" in bars.hovertext[0]
