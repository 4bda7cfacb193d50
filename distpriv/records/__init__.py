"""Records of decisions and releases, and the one door through which a figure is released."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distpriv.records.drawing import draw_release

__all__ = ["draw_release"]


def __getattr__(name: str) -> Any:
    """Load what draws when it is first used; the records alone start at once."""
    if name != "draw_release":
        raise AttributeError(name)
    from distpriv.records.drawing import draw_release

    return draw_release
