"""The problem sets: made again they are the same, and every notebook runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest

import distpriv as dp
from data import make_problem_sets as making
from data.problems import SETS, ProblemSet
from distpriv.tables.examples import EXAMPLES

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]\d+)?")


@pytest.fixture(scope="module", params=SETS, ids=lambda problems: problems.key)
def problems(request: pytest.FixtureRequest) -> ProblemSet:
    return request.param


@pytest.fixture(scope="module")
def made(problems: ProblemSet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return making.files(problems, tmp_path_factory.mktemp(problems.key))


def kept(problems: ProblemSet, kind: str) -> str:
    return (making.FOLDER / f"{problems.key}-{kind}").read_text(encoding="utf-8")


def same(one: str, other: str) -> bool:
    """Whether two texts say the same but for the last digits of their figures."""
    figures = (list(map(float, NUMBER.findall(text))) for text in (one, other))
    alike = next(figures) == pytest.approx(next(figures), rel=0.03, abs=0.011)
    return alike and NUMBER.sub("#", one) == NUMBER.sub("#", other)


def test_making_them_again_gives_the_same_files(problems: ProblemSet, made: dict[str, str]) -> None:
    for kind in ("scenario.json", "questions.ipynb"):
        assert made[f"{problems.key}-{kind}"] == kept(problems, kind)
    again = nbformat.reads(made[f"{problems.key}-solutions.ipynb"], as_version=4)
    before = nbformat.reads(kept(problems, "solutions.ipynb"), as_version=4)
    assert [cell.source for cell in again.cells] == [cell.source for cell in before.cells]
    for one, other in zip(again.cells, before.cells, strict=True):
        printed = ["".join(out.text for out in cell.get("outputs", [])) for cell in (one, other)]
        assert same(*printed), printed


def test_every_solution_is_computed(problems: ProblemSet) -> None:
    book = nbformat.reads(kept(problems, "solutions.ipynb"), as_version=4)
    nbformat.validate(book)
    codes = [cell for cell in book.cells if cell.cell_type == "code"]
    assert len(codes) == len(problems.problems) + 1
    assert all(NUMBER.search(cell.outputs[0].text) for cell in codes)
    assert not any(NUMBER.search(problem.lesson) for problem in problems.problems)


def test_the_questions_run_as_they_are_handed_out(problems: ProblemSet) -> None:
    book = nbformat.reads(kept(problems, "questions.ipynb"), as_version=4)
    nbformat.validate(book)
    assert 4 <= len(problems.problems) <= 6
    headings = [cell.source for cell in book.cells if cell.source.startswith("## ")]
    assert len(headings) == len(problems.problems)
    printed = making.run([c.source for c in book.cells if c.cell_type == "code"], making.FOLDER)
    assert "hidden: " in printed[0]
    assert not any(printed[1:])  # nothing is given away


def test_the_scenario_opens_on_its_example(problems: ProblemSet) -> None:
    example = next(each for each in EXAMPLES if each.key == problems.example)
    scenario = dp.read_scenario(kept(problems, "scenario.json"), dp.load_example(example.key))
    assert scenario == making.scenario_of(problems)
    assert scenario.digest == example.digest
    assert scenario.secret.label == example.secret
    assert scenario.query.labels == example.statistics
    assert dict(scenario.bounds) == example.bounds
    assert json.loads(kept(problems, "scenario.json"))["format"] == "distpriv scenario"


def test_the_command_writes_them_where_the_gallery_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "FOLDER", tmp_path)
    monkeypatch.setattr(making, "files", lambda problems, folder: {problems.key: "text"})
    making.main()
    assert {path.name for path in tmp_path.iterdir()} == {problems.key for problems in SETS}
