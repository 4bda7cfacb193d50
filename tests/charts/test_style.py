"""One look per mechanism, told apart on white and on near-black."""

from __future__ import annotations

import pytest

from distpriv import mechanisms
from distpriv.charts.style import (
    CONFIG,
    GROUP_COLORS,
    NEUTRAL,
    config,
    group_names,
    style_of,
    translucent,
)
from distpriv.queries.properties import SensitiveProperty

NAMES = tuple(
    dict.fromkeys(
        [
            *mechanisms.names(),
            *("ExpM(L)", "ExpM", "DirM(L)", "DirM", "EigM", "DauM", "OptM"),
            *("GroupDP(L)", "GroupDP", "DP(L)", "DP", "none"),
        ]
    )
)


def luminance(color: str) -> float:
    """Relative luminance after WCAG 2."""
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_styles_are_distinct() -> None:
    styles = [style_of(name) for name in NAMES]
    assert len({(style.color, style.dash) for style in styles}) == len(NAMES)
    assert len({style.symbol for style in styles}) == len(NAMES)


@pytest.mark.parametrize("name", ["ExpM", "DirM", "GroupDP", "DP"])
def test_a_laplace_variant_has_the_hue_of_its_sibling(name: str) -> None:
    gaussian, laplace = style_of(name), style_of(f"{name}(L)")
    assert laplace.color == gaussian.color
    assert laplace.dash == "dot"
    assert laplace.symbol == f"{gaussian.symbol}-open"


@pytest.mark.parametrize(
    "color", [*(style_of(name).color for name in NAMES), *GROUP_COLORS, NEUTRAL]
)
@pytest.mark.parametrize("background", ["#ffffff", "#0e1117"])
def test_colors_read_on_light_and_dark(color: str, background: str) -> None:
    assert contrast(color, background) >= 2.2


def test_an_unknown_mechanism_has_a_stable_look_of_its_own() -> None:
    style = style_of("Wasserstein of tomorrow")
    assert style == style_of("Wasserstein of tomorrow")
    assert style not in [style_of(name) for name in NAMES]


def test_the_groups_are_named_by_their_share() -> None:
    pair = SensitiveProperty("income", ">50K").pair(0.5, 0.1)
    assert group_names(pair) == ("p = 45\u00a0%", "p = 55\u00a0%")


def test_translucent_keeps_the_hue() -> None:
    assert translucent("#0072B2", 0.45) == "rgba(0,114,178,0.45)"


def test_no_formula_is_typeset_from_a_label() -> None:
    assert CONFIG["typesetMath"] is False
    assert CONFIG["displaylogo"] is False


@pytest.mark.parametrize(("image", "scale"), [("SVG", 1), ("PNG", 2)])
def test_the_camera_saves_under_the_chart_s_name(image, scale) -> None:
    options = config("roc", image)
    assert options["toImageButtonOptions"] == {
        "format": image.lower(),
        "filename": "distpriv-roc",
        "scale": scale,
    }
    assert options["displaylogo"] is False
