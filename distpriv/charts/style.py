"""Colours, dashes and markers: one look per mechanism, the same on every page.

The hues are those of Okabe & Ito (2008), which people with any common kind of colour blindness
tell apart; each line has a dash or marker of its own as a second cue. Every colour has a
contrast of at least 2.2 on white and on Streamlit's dark background.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Literal

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.queries.properties import Pair
from distpriv.words import share

__all__ = [
    "CONFIG",
    "GROUP_COLORS",
    "GROUP_DASHES",
    "GROUP_STYLES",
    "NEUTRAL",
    "ImageFormat",
    "MechanismStyle",
    "config",
    "group_names",
    "series_style",
    "shown",
    "style_of",
    "translucent",
]

NEUTRAL = "#7f8c9a"
"""Rules, axes and annotations: a grey that reads on white and on near-black."""

GROUP_COLORS = ("#0072B2", "#D55E00")
"""The two proportions of a pair: blue for p_i, vermillion for p_j."""

GROUP_DASHES = ("solid", "dash")

ImageFormat = Literal["SVG", "PNG"]
"""What the camera of a chart's tool bar saves."""

CONFIG: dict[str, Any] = {
    "responsive": True,
    "displaylogo": False,
    "typesetMath": False,
    "modeBarButtonsToRemove": ["lasso2d", "select2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "distpriv", "scale": 1},
}
"""Options of plotly.js for every chart; a dollar sign in a label is no formula."""


def config(name: str, image: ImageFormat = "SVG") -> dict[str, Any]:
    """Options of plotly.js for one chart.

    Parameters
    ----------
    name : str
        Of the chart, which its image is saved under.
    image : "SVG" or "PNG"
        A drawing that scales, or pixels, twice as many as on screen.
    """
    options = {
        "format": image.lower(),
        "filename": f"distpriv-{name}",
        "scale": 2 if image == "PNG" else 1,
    }
    return CONFIG | {"toImageButtonOptions": options}


@dataclass(frozen=True)
class MechanismStyle:
    """How a mechanism, or another series, is drawn.

    Attributes
    ----------
    color : str
        Hexadecimal.
    dash : str
        Dash of its lines.
    symbol : str
        Marker of its points.
    """

    color: str
    dash: str
    symbol: str


GROUP_STYLES = tuple(
    MechanismStyle(color, dash, symbol)
    for color, dash, symbol in zip(GROUP_COLORS, GROUP_DASHES, ("circle", "diamond"), strict=True)
)
"""The two proportions of a pair, or two other things that are compared."""

_ORANGE, _SKY, _PURPLE, _GREEN = "#E69F00", "#56B4E9", "#CC79A7", "#009E73"
_VIOLET, _BROWN, _VERMILLION, _OLIVE = "#7A5CC8", "#A65628", "#D55E00", "#8C8A1E"

_STYLES = {
    "ExpM": MechanismStyle(_ORANGE, "solid", "circle"),
    "ExpM(L)": MechanismStyle(_ORANGE, "dot", "circle-open"),
    "DirM": MechanismStyle(_SKY, "dash", "square"),
    "DirM(L)": MechanismStyle(_SKY, "dot", "square-open"),
    "EigM": MechanismStyle(_PURPLE, "dashdot", "triangle-up"),
    "DauM": MechanismStyle(_GREEN, "solid", "pentagon"),
    "OptM": MechanismStyle(_VIOLET, "longdash", "star"),
    "CoupM": MechanismStyle("#0072B2", "longdashdot", "diamond"),
    "Wasserstein": MechanismStyle(_OLIVE, "longdashdot", "hexagon"),
    "ApproxWasserstein": MechanismStyle(_OLIVE, "dash", "hexagon-open"),
    "BoundedWasserstein": MechanismStyle(_OLIVE, "dot", "hourglass"),
    "GroupDP": MechanismStyle(_BROWN, "dash", "cross"),
    "GroupDP(L)": MechanismStyle(_BROWN, "dot", "cross-open"),
    "DP": MechanismStyle(_VERMILLION, "dashdot", "x"),
    "DP(L)": MechanismStyle(_VERMILLION, "dot", "x-open"),
    UNDEFENDED: MechanismStyle(NEUTRAL, "solid", "triangle-down"),
}

_OTHER_COLORS = (_ORANGE, _SKY, _PURPLE, _GREEN, _VIOLET, _BROWN, _VERMILLION)
_OTHER_SYMBOLS = ("hexagon", "star-triangle-up", "bowtie", "hourglass", "star-square")


def style_of(name: str) -> MechanismStyle:
    """Style of a mechanism by its short name; one it does not know gets a fixed look too."""
    if name in _STYLES:
        return _STYLES[name]
    key = zlib.crc32(name.encode())
    return MechanismStyle(
        _OTHER_COLORS[key % len(_OTHER_COLORS)],
        "longdashdot",
        _OTHER_SYMBOLS[key // len(_OTHER_COLORS) % len(_OTHER_SYMBOLS)],
    )


_SERIES = (
    MechanismStyle("#0072B2", "solid", "circle"),
    MechanismStyle(_VERMILLION, "dash", "square"),
    MechanismStyle(_GREEN, "dashdot", "diamond"),
    MechanismStyle(_PURPLE, "dot", "triangle-up"),
    MechanismStyle(_ORANGE, "longdash", "pentagon"),
    MechanismStyle(_SKY, "longdashdot", "star"),
    MechanismStyle(_OLIVE, "solid", "hexagon"),
    MechanismStyle(_BROWN, "dash", "x"),
)


def series_style(place: int) -> MechanismStyle:
    """Style of the first, second, ... of several things that are no mechanisms."""
    return _SERIES[place % len(_SERIES)]


def group_names(pair: Pair) -> tuple[str, str]:
    """The two proportions of a pair as legends show them: ``p = 45 %``."""
    return f"p = {share(pair.p_i)}", f"p = {share(pair.p_j)}"


def shown(name: str) -> str:
    """A mechanism's name as charts show it."""
    return "no noise" if name == UNDEFENDED else name


def translucent(color: str, opacity: float) -> str:
    """A hexadecimal color as rgba with that opacity."""
    red, green, blue = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
