"""Glossary and questions: one file each, short enough for tooltips, and in the wheel."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import distpriv as dp
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


def test_what_answers_say_of_records_persons_and_ranges_holds():
    table, rich = dp.load_census_income(), dp.SensitiveProperty("income", ">50K")
    query = dp.Query([dp.Mean("age"), dp.Count("sex", "Female"), dp.Mean("hours-per-week")])
    bounds = {"age": (17, 90), "hours-per-week": (1, 99)}
    few, many = (
        dp.fit_gaussian(table, query, dp.Pair(rich, 0.2, 0.3), n=n, replacement=True)
        for n in (100, 10_000)
    )
    wide = dp.fit_gaussian(table, query, dp.Pair(rich, 0.15, 0.35), n=100, replacement=True)
    right, noise = dp.optimal_attack_accuracy, dp.calibrate("OptM", few, guesses=60)
    assert right(few) < 0.7 < 0.99 < right(many)
    assert right(few, noise) < 0.61 < 0.99 < right(many, noise), "the same noise protects less"
    assert right(many, dp.calibrate("DP", many, 1, 1e-3, bounds=bounds)) > 0.99, "a share shows"
    kept = [dp.calibrate("BalM", one) for one in (few, many, wide)]
    assert [right(few, kept[0]), right(many, kept[1]), right(wide, kept[2])] == [0.5] * 3
    assert kept[0].expected_error(few) < kept[2].expected_error(wide), "a wider range costs more"
    assert noise.expected_error() < dp.calibrate("OptM", wide, guesses=60).expected_error()


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
