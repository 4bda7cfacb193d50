"""The product's words and questions, as docs/glossary.md and docs/faq.md have them."""

from __future__ import annotations

import re
from functools import lru_cache

from distpriv.errors import ReadError
from distpriv.files import DOCS

__all__ = ["faq", "first_sentence", "glossary"]


@lru_cache
def _sections(name: str, level: str) -> dict[str, str]:
    """Return the text below each heading of a level, up to the next heading."""
    try:
        text = (DOCS / name).read_text("utf-8")
    except OSError:
        raise ReadError(f"{DOCS / name} is missing; install distpriv again.") from None
    _, *parts = re.split(r"^(#+) +(.+)\n", text, flags=re.MULTILINE)
    found = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return {title: body.strip() for depth, title, body in found if depth == level}


def glossary() -> dict[str, str]:
    """Return each term of the product with one or two plain sentences.

    Examples
    --------
    >>> print(dp.lessons.glossary()["ε"])
    How much a release may tell about which share is true; smaller is safer. ...
    """
    return dict(_sections("glossary.md", "###"))


def faq() -> dict[str, str]:
    """Return questions that are often asked, each with its answer in Markdown.

    Examples
    --------
    >>> "Where does my file go?" in dp.lessons.faq()
    True
    """
    return dict(_sections("faq.md", "##"))


def first_sentence(text: str) -> str:
    """Return a text's first sentence, as tooltips show it."""
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0]
