"""The glossary: one sentence a term, wherever it is read."""

from __future__ import annotations

import ast
import re

import pytest

from distpriv import glossary
from distpriv.dashboard.shell.pages import PAGES
from distpriv.privacy.ceilings import accuracy_ceiling
from tests.house import imports, relative, sources

WANTED = (
    "ε", "δ", "Δp", "μ", "secret", "property", "share", "attacker", "best attacker", "noise",
    "mechanism", "promise kept", "delivered", "calibration", "exact", "classical", "guarded",
    "exact-law", "whole table", "sample", "L2 error", "step", "grid", "per-person promise", "pair",
    "centre", "ceiling", "quilt", "Wasserstein",
)  # fmt: skip


@pytest.mark.parametrize("each", glossary.TERMS, ids=lambda each: each.name)
def test_a_term_is_one_short_sentence(each: glossary.Term) -> None:
    assert len(each.meaning.split()) <= 30
    assert each.meaning[0].isupper()
    assert re.findall(r"[.!?](?=\s|$)", each.meaning) == ["."]
    assert each.meaning.endswith(".")
    assert not each.expert or each.expert.endswith(".")
    assert each.page in {page.name for page in PAGES}


def test_no_word_means_two_things() -> None:
    words = [word for each in glossary.TERMS for word in (each.name, *each.also)]
    assert len({word.casefold() for word in words}) == len(words)
    assert len(glossary.TERMS) >= 35
    assert [each.group for each in glossary.TERMS] == sorted(
        (each.group for each in glossary.TERMS), key=glossary.GROUPS.index
    )


@pytest.mark.parametrize("word", WANTED)
def test_what_the_dashboard_says_is_found_by_its_name(word: str) -> None:
    first = glossary.matching(word)[0]
    assert word.casefold() in " ".join((first.name, *first.also)).casefold()


def test_a_search_takes_every_word_and_names_first() -> None:
    assert glossary.matching("") == glossary.TERMS
    found = glossary.matching("COUNT exact")
    assert found[0].name == "exact-law calibration"
    assert glossary.matching("ceiling")[0].name == "ceiling"
    assert glossary.matching("no such word") == ()


def test_a_tooltip_is_the_sentence_and_the_expert_s() -> None:
    ceiling = glossary.term("accuracy ceiling")
    assert glossary.hover("ceiling") == f"{ceiling.meaning} {ceiling.expert}"
    assert glossary.hover("share") == glossary.term("share").meaning
    with pytest.raises(KeyError):
        glossary.term("no such word")


def test_figures_in_it_are_those_of_the_formulas() -> None:
    assert f"{accuracy_ceiling(1.0, 0.0):.1%}".replace("%", "\u00a0%") in glossary.hover("ceiling")


def test_pages_ask_for_terms_that_there_are() -> None:
    asked = [
        (relative(path), node.args[0].value)
        for path in sources("distpriv")
        if "distpriv.glossary.hover" in imports(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "hover"
        and isinstance(node.args[0], ast.Constant)
    ]
    assert len(asked) >= 8
    for _, name in asked:
        glossary.term(str(name))
