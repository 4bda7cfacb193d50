"""A report, to be written in any of its formats."""

from __future__ import annotations

from dataclasses import dataclass

from distpriv.export.report.as_html import html
from distpriv.export.report.as_text import json_text, markdown
from distpriv.export.report.values import Contents

__all__ = ["Report"]


@dataclass(frozen=True, eq=False)
class Report(Contents):
    """A scenario and what comes of it, ready to be written; :class:`Contents` has the parts."""

    def to_html(self) -> str:
        """One HTML file that needs nothing else: figures, their program and style are in it."""
        return html(self)

    def to_markdown(self) -> str:
        """Markdown; each figure by its title and what it shows."""
        return markdown(self)

    def to_json(self) -> str:
        """JSON, with the numbers behind every figure."""
        return json_text(self)
