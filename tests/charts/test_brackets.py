"""Three figures for what is delivered, on one axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from plotly import graph_objects as go

from distpriv.analysis.brackets import Brackets, Delivered
from distpriv.attacks.joint_audit import JointAudit
from distpriv.charts import figure_data
from distpriv.charts.brackets import delivered_brackets
from distpriv.privacy.coupling_bound import CouplingBound

BOUND = CouplingBound(0.2, 1.0, 1 - 1e-6, 2e-6, 0.19, 1000, 7, "alike", 12, 0)
AUDIT = JointAudit(1e-5, 0.1, 1.0, 1e-3, 0.95, ("arithmetic", "logistic"), 50, 25_000, 7)
OPEN = Brackets(
    epsilon=1.0, delta=1e-3, promised=1e-3, normals=Delivered(9e-4, 0.9), law=None, bound=BOUND,
    bounded_epsilon=4.0, unbounded="", audit=AUDIT, pairs=1,
)  # fmt: skip


def drawn(brackets: Brackets | None) -> go.Figure:
    return delivered_brackets(brackets, epsilon=1.0, delta=1e-3)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"law": Delivered(5e-4, 0.9)},
        {"audit": None},
        {"audit": replace(AUDIT, delta=0.0)},
        {"bound": None},
        {"bound": replace(BOUND, value=1.0)},
        {"normals": Delivered(0.0, 0.0)},
        {"promised": None},
    ],
)
def test_every_case_is_well_made(well_made: Callable[[go.Figure], None], changes) -> None:
    figure = drawn(replace(OPEN, **changes))
    well_made(figure)
    assert figure.layout.height == drawn(None).layout.height


def test_in_words() -> None:
    alt = drawn(OPEN).layout.meta["alt"]
    assert alt == (
        "δ at ε = 1: at least 1\u00a0×\u00a010⁻⁵, 0.0009 by the fitted normals, at most 0.2; "
        "promised 0.001."
    )
    alt = drawn(replace(OPEN, law=Delivered(5e-4, 0.9))).layout.meta["alt"]
    assert "exactly 0.0005, 0.0009 by the fitted normals" in alt
    alt = drawn(replace(OPEN, audit=None, bound=None, promised=None)).layout.meta["alt"]
    assert alt.endswith("at least not known, 0.0009 by the fitted normals, at most not known.")


def test_nothing_proven_stands_at_the_edge_and_is_nought_in_the_table() -> None:
    figure = drawn(replace(OPEN, audit=replace(AUDIT, delta=0.0)))
    mark = next(trace for trace in figure.data if trace.name == "at least")
    assert (mark.x[0], mark.marker.symbol) == (1e-6, "triangle-right-open")
    assert "nothing proven" in [note.text for note in figure.layout.annotations]
    table = figure_data(figure).set_index("series")
    assert table.loc["at least", "δ delivered"] == 0
    assert table.loc["at most", "δ delivered"] == 0.2


def test_until_they_are_computed_the_frame_stands_there() -> None:
    figure = drawn(None)
    assert figure.layout.meta["pending"]
    assert not figure.data
    assert figure.layout.xaxis.range == drawn(OPEN).layout.xaxis.range
