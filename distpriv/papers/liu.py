"""Liu et al. (2019): Table 1 and Figures 2 to 9."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from distpriv import hypothesis
from distpriv.hypothesis import RecordTest
from distpriv.papers.items import PRINTED, Row, curve, item
from distpriv.papers.run import Run

__all__: list[str] = []

TABLE_1 = {float(beta): texts for beta, texts in PRINTED["liu-table-1"].items()}
BOUNDS = (0.55, 0.58, 0.62, 0.67, 0.76, 0.83, 0.9, 0.95)
EPSILONS, LAPLACE = np.geomspace(0.1, 10, 61), (0.01, 0.5, 1.0, 2.0, 5.0)
KNOWLEDGE: dict[str, tuple[float, ...]] = {
    "nothing": (0, 0, 0),
    "a prior": (0.2, 0, 0),
    "records too": (0.2, 0.1, 0),
    "times too": (0.2, 0.1, 0.1),
}


@item("liu-table-1")
def _table_1(_: Run) -> Iterator[Row]:
    for beta, texts in TABLE_1.items():
        floor = hypothesis.f_score_floor(beta)
        for bound, text in zip(BOUNDS, texts.split(), strict=True):
            if text != "-":
                note = f"the bound stands for the floor, {floor:.4f}" if bound < floor else ""
                ours = float(hypothesis.max_epsilon(max(bound, floor), beta))
                yield Row(f"β = {beta:g}", f"{bound:g}", text, ours, 0.01, note=note)


def _precision(tests: Iterable[RecordTest], by_delta: bool = False) -> Iterator[Row]:
    """Precision against recall, a curve for each test."""
    recalls = np.linspace(0.02, 1, 50)
    for test in tests:
        name = f"δ = {test.delta:g}" if by_delta else f"ε = {float(np.asarray(test.epsilon)):g}"
        panel = "Precision at ε = 1 against recall" if by_delta else "Precision against recall"
        yield from curve(name, recalls, test.precision(recalls), panel)


def _densities(*knowledge: float) -> Iterator[Row]:
    """Laplace densities of what is released, weighted by what the attacker knows before."""
    test, psi = RecordTest(1.0, None, "exact", *knowledge), np.linspace(-4, 5, 91)
    weights = np.array([1, test.factor]) / (1 + test.factor)
    for name, weight, density in zip(("in", "not in"), weights, test.densities(psi), strict=True):
        yield from curve(
            f"Record {name}", psi, weight * density, "Density at ε = 1 against release"
        )


@item("liu-figure-2")
def _figure_2(_: Run) -> Iterator[Row]:
    return _densities()


@item("liu-figure-3a")
def _figure_3a(_: Run) -> Iterator[Row]:
    ours = float(RecordTest(0.01).precision(0.5))
    yield Row("Precision at half the recall", "ε = 0.01", "≈ 0.5", ours, 0.01, value=0.5)
    yield from _precision(map(RecordTest, LAPLACE))


@item("liu-figure-3b")
def _figure_3b(_: Run) -> Iterator[Row]:
    for beta in TABLE_1:
        yield from curve(f"β = {beta:g}", EPSILONS, hypothesis.max_f_score(EPSILONS, beta))


@item("liu-figure-4")
def _figure_4(_: Run) -> Iterator[Row]:
    yield from _precision(RecordTest(epsilon, 1e-5, "classical") for epsilon in (0.1, 0.5, 1, 2))
    yield from _precision((RecordTest(1, d, "classical") for d in (1e-6, 1e-4, 1e-2)), True)


def _knowing(number: int, *knowledge: float) -> None:
    @item(f"liu-figure-{number}")
    def _figure(_: Run) -> Iterator[Row]:
        yield from _densities(*knowledge)
        yield from _precision(RecordTest(epsilon, None, "exact", *knowledge) for epsilon in LAPLACE)


for _number, _knowledge in enumerate([*KNOWLEDGE.values()][1:], 5):
    _knowing(_number, *_knowledge)


@item("liu-figure-8")
def _figure_8(_: Run) -> Iterator[Row]:
    for name, knowledge in KNOWLEDGE.items():
        yield from curve(name, EPSILONS, hypothesis.max_f_score(EPSILONS, 1.0, *knowledge))


@item("liu-figure-9")
def _figure_9(_: Run) -> Iterator[Row]:
    for key, ends in hypothesis.convert(1.0, "DP").items():
        notion = hypothesis.FRAMEWORKS[key]
        for at, epsilon in zip(("least ε", "largest ε"), ends, strict=True):
            yield Row(notion.name, at, ours=epsilon, note=notion.neighbours)
