"""Glossary and questions: one file each, short enough for tooltips, and in the wheel."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from distpriv.dashboard.fields import FIELDS
from distpriv.errors import ReadError
from distpriv.lessons import faq, glossary, words

ROOT = Path(words.__file__).parents[2]


def test_glossary_begins_each_term_with_a_short_sentence():
    assert 40 <= len(glossary()) <= 60
    for term, text in glossary().items():
        first = words.first_sentence(text)
        assert len(first.split()) <= 25, term
        assert first.endswith("."), term
        assert "\n" not in text, term


def test_faq_answers_in_a_few_short_sentences():
    assert 15 <= len(faq()) <= 25
    for question, answer in faq().items():
        assert question.endswith("?"), question
        assert 2 <= len(re.split(r"(?<=\.)\s", answer)) <= 6, question
        assert max(len(one.split()) for one in re.split(r"(?<=[.:?;])\s", answer)) <= 25, question


def test_terms_that_pages_explain_are_in_the_glossary():
    used = {entry.term for entry in FIELDS if entry.term}
    for path in [*ROOT.glob("pages/*.py"), ROOT / "distpriv/dashboard/main.py"]:
        used |= set(re.findall(r'(?:tip\(|term=)"([^"]+)"', path.read_text("utf-8")))
    assert len(used) > 15
    assert used <= set(glossary())


def test_missing_file_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "DOCS", tmp_path)
    words._sections.cache_clear()
    with pytest.raises(ReadError, match=r"glossary\.md is missing; install distpriv again"):
        glossary()


def test_wheel_and_image_carry_both_files():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    image = (ROOT / ".dockerignore").read_text("utf-8").split()
    for name in ("docs/faq.md", "docs/glossary.md"):
        assert wheel[name] == f"distpriv/_site/{name}"
        assert f"!{name}" in image
