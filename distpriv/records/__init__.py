"""Records of decisions and releases, and the one door through which a figure is released."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distpriv.records import decisions, drawing, ledger, store
    from distpriv.records.drawing import draw_release

__all__ = ["decisions", "draw_release", "drawing", "ledger", "store"]


def __getattr__(name: str) -> Any:
    """Load what draws when it is first used; the records alone start at once."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "draw_release":
        return import_module("distpriv.records.drawing").draw_release
    return import_module(f"distpriv.records.{name}")
