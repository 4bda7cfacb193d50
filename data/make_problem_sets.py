"""Make the problem sets: a scenario file, a notebook with questions, and one with solutions.

Run from the repository's top folder::

    python -m data.make_problem_sets

Each set goes into a folder of ``data/problem_sets``. The notebook with solutions has the same
questions, and under each of them code and what it printed when it was run: no figure is typed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import nbformat

import distpriv as dp
from data.problems import SETS, Problem, ProblemSet
from distpriv.queries import read_statistic
from distpriv.resources import DATA
from distpriv.tables.examples import EXAMPLES

__all__ = ["FOLDER", "files", "main", "run", "scenario_of"]

FOLDER = DATA / "problem_sets"


@dataclass(frozen=True)
class _Cell:
    """A cell of a notebook: text, or code that may be run."""

    text: str
    code: bool = False
    printed: str = ""


def scenario_of(problems: ProblemSet) -> dp.Scenario:
    """The scenario that a set is about: the question its example is opened with."""
    example = next(each for each in EXAMPLES if each.key == problems.example)
    column, _, value = example.secret.partition(" = ")
    columns = dp.load_example(example.key).columns
    statistics = [read_statistic(label, columns) for label in example.statistics]
    return dp.Scenario(
        digest=example.digest,
        secret=dp.SensitiveProperty(column, value),
        query=dp.Query([statistic for statistic in statistics if statistic is not None]),
        center=example.center,
        width=example.width,
        n=problems.n,
        epsilon=1.0,
        delta=1e-3,
        bounds=tuple(sorted((name, (low, high)) for name, (low, high) in example.bounds.items())),
    )


def run(cells: list[str], folder: Path) -> list[str]:
    """Run the code of a notebook in a folder; return what each cell printed."""
    names: dict[str, Any] = {"__name__": "notebook"}
    printed = []
    with _inside(folder):
        for code in cells:
            said = StringIO()
            with redirect_stdout(said):
                exec(compile(code, "notebook", "exec"), names)  # nosec B102 # code of our own
            printed.append(said.getvalue())
    return printed


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _start(problems: ProblemSet) -> str:
    return f"""\
from pathlib import Path

import numpy as np

import distpriv as dp

table = dp.load_example("{problems.example}")
scenario = dp.read_scenario(Path("{problems.key}-scenario.json").read_bytes())
model = dp.fit_gaussian(table, scenario.query, scenario.pair, n=scenario.n)
print(f"{{len(table)}} records, of which {{scenario.n}} are released")
print("hidden:", scenario.pair.label)
print("released:", ", ".join(scenario.query.labels))"""


def _heading(place: int, problem: Problem) -> str:
    return f"## {place}. {problem.title}\n\n{problem.text}"


def _questions(problems: ProblemSet) -> list[_Cell]:
    cells = [_Cell(problems.intro), _Cell(_start(problems), code=True)]
    for place, problem in enumerate(problems.problems, start=1):
        cells.append(_Cell(_heading(place, problem)))
        cells.append(_Cell(f"# {problem.hint}\n", code=True))
        cells.append(_Cell("*Your answer in a sentence:*"))
    return cells


def _solutions(problems: ProblemSet, folder: Path) -> list[_Cell]:
    codes = [_start(problems), *(problem.solution for problem in problems.problems)]
    first, *others = (
        _Cell(code, code=True, printed=printed)
        for code, printed in zip(codes, run(codes, folder), strict=True)
    )
    cells = [_Cell(f"{problems.intro}\n\n**With solutions.**"), first]
    for place, (problem, solved) in enumerate(zip(problems.problems, others, strict=True), start=1):
        cells += [_Cell(_heading(place, problem)), solved, _Cell(problem.lesson)]
    return cells


def _notebook(cells: list[_Cell]) -> str:
    v4: Any = nbformat.v4
    made = []
    for place, cell in enumerate(cells):
        if cell.code:
            outputs = [v4.new_output("stream", text=cell.printed)] if cell.printed else []
            one = v4.new_code_cell(cell.text, outputs=outputs)
        else:
            one = v4.new_markdown_cell(cell.text)
        one["id"] = f"cell-{place}"  # in place of a random one
        made.append(one)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = v4.new_notebook(cells=made, metadata={"kernelspec": kernel})
    nbformat.validate(book)
    write: Any = nbformat.writes
    return str(write(book)) + "\n"


def files(problems: ProblemSet, folder: Path) -> dict[str, str]:
    """Names and contents of a set's three files; the scenario is written into the folder."""
    scenario = f"{problems.key}-scenario.json"
    text = dp.write_scenario(scenario_of(problems)) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / scenario).write_text(text, encoding="utf-8")
    return {
        scenario: text,
        f"{problems.key}-questions.ipynb": _notebook(_questions(problems)),
        f"{problems.key}-solutions.ipynb": _notebook(_solutions(problems, folder)),
    }


def main() -> None:
    """Write the files of every set."""
    for problems in SETS:
        for name, text in files(problems, FOLDER).items():
            (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
