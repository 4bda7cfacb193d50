"""A report as one HTML file that needs nothing else, on screen and on paper."""

from __future__ import annotations

import json
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from plotly import graph_objects as go
from plotly.offline import get_plotlyjs

from distpriv.analysis.for_persons import RECORD_COLUMN
from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.charts.style import CONFIG, NEUTRAL
from distpriv.export.report.values import Contents
from distpriv.export.report.words import (
    HOLDS,
    MARK,
    PREAMBLE,
    UNLINKED,
    counted,
    delivered,
    guarantee,
    interval,
    without_curves,
)
from distpriv.words import number, percent

__all__ = ["html"]

WIDTH = 660  # pixels: what an A4 page shows between its margins
HIGHEST = 350  # so that two figures share a page
_INK, _PAPER = "#1f2933", "#ffffff"


def html(report: Contents) -> str:
    """Write a report as HTML.

    The figures' program is in it once, and a policy in its head forbids every request, so that it
    opens without a network and tells nobody that it was opened.
    """
    return _template().render(
        report=report,
        figures=[_figure(picture.figure) for picture in report.pictures],
        options=Markup(json.dumps(CONFIG | {"responsive": False})),  # nosec B704 # ours
        program=Markup(get_plotlyjs()),  # nosec B704 # plotly's own
        address=report.link if report.link.startswith(("http://", "https://")) else "",
        records=[] if report.truth is None or report.truth.records is None else _records(report),
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("distpriv.export.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "holds": HOLDS,
        "mark": MARK,
        "preamble": PREAMBLE,
        "unlinked": UNLINKED,
        "width": WIDTH,
        "undefended": UNDEFENDED,
        "delivered": delivered,
        "record_column": RECORD_COLUMN,
        "guarantee": guarantee,
        "without_curves": without_curves,
    }
    environment.filters |= {
        "number": number,
        "percent": percent,
        "counted": lambda pair: counted(*pair),
        "interval": interval,
    }
    return environment.get_template("report.html")


def _records(report: Contents) -> list[list[str]]:
    assert report.truth is not None
    assert report.truth.records is not None
    records = report.truth.records
    return [list(map(str, records.columns)), *(list(map(str, row)) for row in records.to_numpy())]


def _figure(figure: go.Figure) -> Markup:
    """Data and layout as JSON that no markup in a label ends, dressed for white paper."""
    drawn = go.Figure(figure)
    drawn.update_layout(
        width=WIDTH,
        height=min(figure.layout.height, HIGHEST),
        autosize=False,
        paper_bgcolor=_PAPER,
        plot_bgcolor=_PAPER,
        font={"family": "system-ui, sans-serif", "size": 12, "color": _INK},
        title_font={"size": 15},
        title_subtitle_font={"size": 12},
    )
    axis = {"linecolor": NEUTRAL, "showline": True, "ticks": "outside", "tickcolor": NEUTRAL}
    drawn.update_xaxes(axis)
    drawn.update_yaxes(axis)
    text = str(drawn.to_json(validate=False))
    for sign, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(sign, code)
    return Markup(text)  # nosec B704 # JSON, its three signs escaped above
