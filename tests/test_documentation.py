"""Code in README, docs, docstrings and notebooks runs, and prints what they show."""

from __future__ import annotations

import ast
import doctest
import json
import re
import sys
import tomllib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import distpriv as dp
from tests import notebooks

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
BLOCK = re.compile(r"(?ms)^```python( no-run)?\n(.*?)^```\n(?:\n^```text\n(.*?)^```$)?")
NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
LOOPS = (ast.For, ast.While, ast.comprehension)
ROOMS = [dp.plot, dp.hypothesis, dp.distances, dp.composition, dp.attribute, dp.lessons]
NAMES = {name: getattr(dp, name) for name in dp.__all__}
for room in ROOMS:
    names = {f"{room.__name__[9:]}.{name}": getattr(room, name) for name in room.__all__}
    NAMES |= {name: value for name, value in names.items() if value not in NAMES.values()}
NAMES = {name: value for name, value in NAMES.items() if callable(value)}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Run in an empty folder: what code reads, it has to write first."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if "```python" in text])
def test_code_of_a_page_prints_what_it_says(page):
    text, names = PAGES[page], {"__name__": page}
    blocks = BLOCK.findall(text)
    assert len(blocks) == len(re.findall(r"(?m)^ *```py", text)), "a block is written otherwise"
    for number, (idle, code, output) in enumerate(blocks, start=1):
        compiled = compile(code, f"{page}, block {number}", "exec")
        with redirect_stdout(StringIO()) as printed:
            if not idle:
                exec(compiled, names)
        assert not output or printed.getvalue() == output, f"block {number} prints something else"


@pytest.mark.parametrize("name", NAMES)
def test_examples_of_a_public_name_run(name):
    value = NAMES[name]
    finder, module = doctest.DocTestFinder(), sys.modules[value.__module__]
    names = {"dp": dp, "np": np}
    exec(doctest.script_from_examples(module.__doc__ or ""), names)  # what its examples share
    tests = finder.find(value, name, module, globs=names)
    assert any(one.name == name and one.examples for one in tests), "no example"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
    report = StringIO()
    for one in tests:
        runner.run(one, out=report.write)
    assert not runner.failures, report.getvalue()
    assert runner.tries or name == "from_spark"


def test_reference_lists_every_public_name():
    pages = [text for name, text in PAGES.items() if name.startswith("docs/reference/")]
    listed = [name for text in pages for name in re.findall(r"(?m)^::: distpriv\.(\S+)$", text)]
    assert sorted(listed) == sorted(NAMES)


def _comparable(cell, outputs):
    """Return outputs as text, a picture as such; of random draws, all but numbers and blanks."""
    data = [one.get("data") or {"text/plain": one["text"]} for one in outputs]
    parts = [kinds | dict.fromkeys({"image/png"} & {*kinds}, "picture") for kinds in data]
    if "random" in cell["metadata"].get("tags", []):
        return re.sub(r"[-−]?\d[\d.,]*|\s+", "#", str(parts))
    return parts


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_shows_what_it_stores(path):
    notebook = json.loads(path.read_text("utf-8"))
    kinds = "".join(cell["cell_type"][0] for cell in notebook["cells"])
    assert re.fullmatch("m(mc){1,6}", kinds), "a sentence, then at most six times words and code"
    for cell, outputs in notebooks.run(notebook):
        assert _comparable(cell, outputs) == _comparable(cell, cell["outputs"])
        for node in ast.walk(ast.parse("".join(cell["source"]))):
            name = getattr(node, "id", getattr(node, "attr", getattr(node, "name", None))) or ""
            assert not isinstance(node, LOOPS)
            assert not name.startswith("_")


def test_figures_beside_no_code_are_computed():
    """What pages say of the README's example, of the tour and of the server, word for word."""
    from distpriv.dashboard import front
    from distpriv.lessons import ROUNDS, STEPS
    from distpriv.tables import guard

    rich = dp.Pair(dp.SensitiveProperty("income", ">50K"), 0.2, 0.3)
    figures = [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
    scenario = dp.Scenario("census-income", secrets=rich, statistics=figures, records=100)
    now = dp.evaluate(scenario, dp.load_census_income())
    ways = {way.key: way for way in now.ways}
    bare, noise, quiet, nothing = (ways[key] for key in ("as it is", "OptM", "BalM", "no data"))
    without, having = map(int, quiet.release.kept)
    parts = [dp.composition.Part(quiet.release), dp.composition.Part(bare.release)]
    both = 100 * dp.joint_release(now.model, parts).accuracy()
    again = STEPS[5].show(10).figures
    small = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    settings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))
    gigabytes, wait = guard.MEMORY >> 30, f"{guard.WAIT / 60:.0f} minutes"
    for page, texts in {
        "README.md": [f"keeps {having} records with and {without} without"],
        "docs/board.md": [
            f"| **As they are** | {bare.guesses:.0f} | nothing |",
            f"| **With noise** | {noise.guesses:.0f} | {noise.percent:.1f} % on average |",
            f"| **Balanced** | {quiet.guesses:.0f} | {quiet.percent:.1f} % on average |",
            f"guess) | {nothing.guesses:.0f} | {nothing.percent:.1f} % on average |",
            f"for example {having} of one kind and {without} of the other",
        ],
        "docs/faq.md": [f"The limit is {scenario.guesses:g} until"],
        "docs/mechanisms.md": [
            f"right {bare.guesses:.0f} of 100. With OptM's noise: closer, right "
            f"{noise.guesses:.0f} of 100. Balanced: one curve, right {quiet.guesses:.0f} of 100."
        ],
        "docs/releasing.md": [
            f"right {both:.0f} times in 100 on the Census",
            f"right {again['anew']:.0f} times in 100 after {again['again']} releases on the Census",
        ],
        "docs/serving.md": [
            f"| a table | {settings['server']['maxUploadSize']} MB;",
            f"| {front.UPLOADS}, others wait; {front.SECONDS / 60:.0f} minutes each |",
            f"each {gigabytes} GB and {guard.SECONDS:.0f} s at most",
            f"others wait up to {wait}",
        ],
        "docs/teacher.md": [
            f"{small[ROUNDS].title()} tables take",
            f"keep {having} records with the property and {without} without",
        ],
    }.items():
        for text in texts:
            assert text in PAGES[page], page
