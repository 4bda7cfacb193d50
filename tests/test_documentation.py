"""Code in README, docs, docstrings and notebooks runs, and prints what they show."""

from __future__ import annotations

import ast
import doctest
import json
import re
import sys
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
