"""Scripts of the guided tour and of the papers' results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from distpriv.export.script.script import Section, literal
from distpriv.export.script.setup import Setting

__all__ = ["classroom", "gallery", "glossary", "papers", "tour"]

_LESSONS: Mapping[int, tuple[str, Any, str]] = {
    1: ("fewer_statistics", 0, "Statistics are taken out, the most telling first"),
    2: ("more_records", 100, "Two averages of so many records"),
    3: ("rotated_noise", 0, "Noise in one direction, turned so far away from the shift"),
    4: ("own_variation", 1.0, "What the statistics' own variance saves at this ε"),
    6: ("limited_attacker", 60, "The largest ε that allows so many right guesses of 100"),
    7: ("repeated_releases", 5, "So many releases of the same statistics"),
}
"""Function of distpriv.lessons, its usual argument, and what it is about, by step."""
_EXERCISE = (
    "Step 7, the exercise: noise along one direction is subtracted",
    """\
step = lessons.subtracted_noise(course)
result["the count that puts all others on their grids"] = int(step.tried[step.published.fits][0])
result["best attacker right, on paper"] = step.on_paper
result["best attacker right, as published"] = step.published.accuracy
result["best attacker right, with a floor"] = step.covered.accuracy
result["more variance for the floor, share"] = step.cost""",
)
_COURSE = "course = lessons.course_of(dp.load_census_income())"


def tour(setting: Setting, lesson: int = 0, value: Any = None, **_: object) -> list[Section]:
    """One step of the tour, as its control stands, or all of them."""
    start = f"from distpriv import lessons\n\n{_COURSE}\nresult = {{}}"
    numbers = [lesson] if lesson else range(1, 8)
    sections = [Section("The tour's data", start), *(_lesson(number, value) for number in numbers)]
    return [*sections, Section(*_EXERCISE)] if 7 in numbers else sections


def _lesson(number: int, value: Any) -> Section:
    if number == 5:
        code = """\
step = lessons.least_noise(course)
for mechanism, error in step.errors.items():
    result[f"step 5, {mechanism}: expected L2 error"] = error
    result[f"step 5, {mechanism}: best attacker right"] = step.accuracies[mechanism]"""
        return Section("Step 5: what the same promise costs with five mechanisms", code)
    function, usual, title = _LESSONS[number]
    code = f"""\
step = lessons.{function}(course, {literal(usual if value is None else value)})
for name, value in vars(step).items():
    if isinstance(value, float):
        result[f"step {number}, {{name}}"] = value"""
    return Section(f"Step {number}: {title[0].lower()}{title[1:]}", code)


def classroom(setting: Setting, **_: object) -> list[Section]:
    """How often the best attacker is right, and ten of the releases that a class gets."""
    start = f"from distpriv import lessons\n\n{_COURSE}\nresult = {{}}"
    code = """\
for epsilon in (None, 2.0, 1.0, 0.5):
    game = lessons.game(course, 100, epsilon)
    name = "no noise" if epsilon is None else f"ε = {epsilon:g}"
    result[f"{name}: best attacker right"] = game.accuracy
    seen = [game.draw("seed", place) for place in range(lessons.ROUNDS)]
    right = sum(each.best == each.share for each in seen)
    result[f"{name}: best attacker right, of {lessons.ROUNDS} releases"] = right"""
    return [Section("The class's data", start), Section("The releases of a round", code)]


def gallery(setting: Setting, **_: object) -> list[Section]:
    """What each example gives away without noise."""
    code = """\
result = {}
for example in dp.tables.EXAMPLES:
    if not example.story:
        continue
    table = dp.load_example(example.key)
    column, _, value = example.secret.partition(" = ")
    pair = dp.SensitiveProperty(column, value).pair(example.center, example.width)
    known = [dp.queries.read_statistic(label, table.columns) for label in example.statistics]
    for n in (100, len(table)):
        model = dp.fit_gaussian(table, dp.Query(known), pair, n, replacement=n == len(table))
        right = dp.optimal_attack_accuracy(model, None)
        result[f"{example.key}, {n} records: attacker right without noise"] = right"""
    return [Section("The examples", code)]


def glossary(setting: Setting, **_: object) -> list[Section]:
    """Every term with its sentence, and how many each group has."""
    code = """\
result = {group: 0 for group in dp.glossary.GROUPS}
for term in dp.glossary.TERMS:
    print(f"{term.name}: {term.meaning}")
    result[term.group] += 1
result["terms"] = len(dp.glossary.TERMS)"""
    return [Section("The terms", code)]


def papers(
    setting: Setting,
    repetitions: int = 20,
    seed: int = 2023,
    adult: bool = False,
    **_: object,
) -> list[Section]:
    """Every printed figure beside ours."""
    load = "load_adult" if adult else "load_census_income"
    code = f"""\
from distpriv import papers

records = papers.paper_records(dp.{load}())
attacks = papers.PaperAttacks(records, {repetitions}, {seed}).run()
found = {{
    **papers.closed_results(records, seed={seed}),
    **papers.simulated_results(attacks),
}}"""
    told = """\
cells = [cell for each in found.values() for cell in each]
result = {}
for verdict, count in papers.tally(cells).counts.items():
    result[f"figures with the verdict '{verdict}'"] = count
for cell in cells:
    where = f"{cell.item}: {cell.row}, {cell.column}"
    result[f"{where}, printed"], result[f"{where}, ours"] = cell.paper, cell.ours"""
    return [Section("The papers' experiments", code), Section("What comes out", told)]
