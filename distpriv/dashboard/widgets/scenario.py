"""What several pages say of a scenario, in Markdown."""

from __future__ import annotations

from distpriv.analysis import answer as sentences
from distpriv.dashboard.shell.frame import View
from distpriv.words import escape

__all__ = ["answer", "bold", "pair_words"]


def answer(view: View) -> str:
    """The question answered."""
    return sentences.answer(view, strong=bold, safe=escape)


def pair_words(view: View) -> str:
    """The two shares of the secret."""
    return sentences.pair_in_words(view, strong=bold, safe=escape)


def bold(text: str) -> str:
    """A text emphasised, for sentences that say what is strong."""
    return f"**{text}**"
