"""Records of decisions and releases, and the one door through which a figure is released."""

from distpriv.records.drawing import draw_release

__all__ = ["draw_release"]
