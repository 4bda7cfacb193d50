"""Tables and figures with a closed form, beside the printed figures."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.papers import PaperRecords, Results, closed_results, figures, paper_records
from distpriv.papers import attribute_privacy as attribute
from distpriv.papers import hypothesis_testing as testing
from distpriv.papers.cells import Cell, tally
from distpriv.papers.records import INCOME, QUERY, SIZE, WORK_CLASS
from distpriv.papers.repeats import middle_95, repeated_errors, repeated_models
from distpriv.papers.report import arithmetic
from distpriv.papers.tables import PAIR, table3
from distpriv.tables.examples import load_census_income


def by_place(cells: tuple[Cell, ...]) -> dict[tuple[str, str], Cell]:
    found = {(cell.row, cell.column): cell for cell in cells}
    assert len(found) == len(cells)
    return found


@pytest.mark.adult
def test_adult_is_known_whole_from_its_parts_and_from_other_records(
    adult: pd.DataFrame, adult_records: PaperRecords, example: PaperRecords
) -> None:
    assert not adult_records.stand_in
    assert (adult_records.count, example.count) == (45_222, 45_222)
    assert example.stand_in
    assert paper_records(adult.iloc[:-1]).stand_in
    # Incomplete records are not part of it, and the order is no matter.
    missing = adult.iloc[:50].assign(workclass=None)
    shuffled = pd.concat([missing, adult.sample(frac=1, random_state=1)])
    assert not paper_records(shuffled).stand_in


def test_other_tables_are_refused(people: pd.DataFrame) -> None:
    with pytest.raises(dp.DistprivError, match=r"education-num"):
        paper_records(people)


@pytest.mark.adult
def test_verdicts_on_adult(adult_records: PaperRecords) -> None:
    found = closed_results(adult_records)
    cells = [cell for part in found.values() for cell in part]
    assert not any(cell.stand_in for cell in cells)
    assert {cell.verdict for cell in cells} == {
        "agrees", "within sampling error", "erratum", "differs",
    }  # fmt: skip
    assert [(c.row, c.column) for c in cells if c.verdict == "differs"] == [
        ("average weight", "true average")
    ]
    assert [(c.row, c.said) for c in cells if c.verdict == "erratum"] == [
        *[("DirM (L)", "erratum 1")] * 3,
        ("average temperature", "erratum 6"),
    ]
    counted = tally(cells)
    assert counted.random == 25
    assert counted.outside == 1  # the weight
    crossing = by_place(found["figure-3"])
    assert crossing["income: DauM below DP", "up to Δp"].ours == pytest.approx(0.118, abs=1e-3)
    assert crossing["work class: DauM below DP", "up to Δp"].ours == pytest.approx(0.291, abs=1e-3)


@pytest.mark.adult
def test_table_3_on_adult(adult_records: PaperRecords) -> None:
    ours = by_place(table3(adult_records, repeats=20))
    # Expected errors under the classical calibration at δ = 0.001, known to their digits.
    for name, figures_ in {
        "ExpM (L)": (105.4, 21.08, 4.22),
        "DirM (L)": (21.46, 4.29, 0.86),
        "ExpM (G)": (172.4, 34.47, 6.90),
        "EigM (G)": (172.3, 34.00, 4.96),
        "DauM (G)": (64.65, 12.71, 0.946),
        "GDP (L)": (5531, 1106, 221.2),
        "GDP (G)": (7531, 1506, 301.3),
    }.items():
        for epsilon, known in zip((0.2, 1, 5), figures_, strict=True):
            assert ours[name, f"ε = {epsilon:g}"].ours == pytest.approx(
                known, rel=2.5e-3, abs=0.006
            )


def test_on_the_synthetic_records(closed: Results) -> None:
    assert list(closed) == [
        "table-1", "table-2", "table-3", "figure-1", "figure-2", "figure-3", "figure-5",
        "figure-6", "hospital", "example-1", "liu-table-1", "liu-figure-3",
    ]  # fmt: skip
    assert {key: len(cells) for key, cells in closed.items() if cells} == {
        "table-1": 1, "table-3": 22, "figure-1": 2, "figure-3": 2, "figure-5": 2, "hospital": 12,
        "example-1": 2, "liu-table-1": 33, "liu-figure-3": 1,
    }  # fmt: skip
    of_data = {key for key, cells in closed.items() if any(cell.stand_in for cell in cells)}
    assert of_data == {"table-1", "table-3", "figure-3", "figure-5"}
    assert [cell.ours for cell in closed["figure-1"]] == [97, 1]


def test_row_dirm_shows_both_scales_and_the_erratum_is_borne_out(
    closed: Results, example: PaperRecords
) -> None:
    cells = by_place(closed["table-3"])
    model = example.model(PAIR)
    for epsilon in (0.2, 1, 5):
        cell = cells["DirM (L)", f"ε = {epsilon:g}"]
        assert cell.ours == pytest.approx(model.sensitivity(2) / epsilon)
        assert cell.alternative == pytest.approx(model.sensitivity(1) / epsilon)
        assert cell.said == "erratum 1"
        assert not cell.expected


def test_other_records_are_no_disagreement_and_no_erratum() -> None:
    table = load_census_income()
    table["age"] = 3 * table["age"] * (1 + (table["income"] == ">50K"))
    found = by_place(table3(paper_records(table), repeats=60))
    directional = found["DirM (L)", "ε = 1"]
    assert directional.ours > 12
    assert directional.erratum is None  # the other scale explains nothing here
    assert directional.verdict == "other data"
    assert found["ExpM (G)", "ε = 1"].verdict == "other data"


def test_repeats_are_those_of_the_papers_own_procedure(example: PaperRecords) -> None:
    """Fits to real subsets of real parts of the records vary as the repeats say."""
    rng = np.random.default_rng(11)
    groups = example.groups[INCOME]
    records = np.vstack([groups.without, groups.having])
    first = len(groups.without)
    real = []
    for _ in range(60):
        left = rng.permutation(len(records))[20_000:]
        part = dataclasses.replace(
            groups, without=records[left[left < first]], having=records[left[left >= first]]
        )
        means = [
            dp.model.monte_carlo.simulate(part, QUERY, theta, 1000, rng).mean(axis=0)
            for theta in example.model(PAIR).pairs[0].thetas
        ]
        real.append(np.linalg.norm(means[0] - means[1]))
    again = [model.sensitivity(2) for model in repeated_models(example, PAIR, 400, rng)]
    assert np.mean(again) == pytest.approx(np.mean(real), abs=0.09)
    assert 0.7 < np.std(again) / np.std(real) < 1.4


def test_repeated_errors_are_means_of_50_draws(example: PaperRecords) -> None:
    found = repeated_errors(example, PAIR, ["ExpM", "GroupDP"], [1.0], repeats=300, seed=4)
    noise = dp.calibrate("GroupDP", example.model(PAIR), 1.0, 1e-3, "classical", grid_safe=False)
    # Nothing but the draws varies here: the sensitivity is that of the data's range.
    spread = np.sqrt((noise.rms_error() ** 2 - noise.expected_error() ** 2) / 50)
    values = found["GroupDP", 1.0]
    assert values.mean() == pytest.approx(noise.expected_error(), rel=0.01)
    assert values.std() == pytest.approx(spread, rel=0.15)
    low, high = middle_95(values)
    assert np.mean((values >= low) & (values <= high)) == pytest.approx(0.95, abs=0.01)
    again = repeated_errors(example, PAIR, ["ExpM", "GroupDP"], [1.0], repeats=300, seed=4)
    assert np.array_equal(again["ExpM", 1.0], found["ExpM", 1.0])


def test_figures_without_printed_values(example: PaperRecords) -> None:
    curves = figures.figure2(example)
    at_one = int(np.flatnonzero(np.isclose(curves["income"].x, 1.0))[0])
    published = dp.calibrate("DauM", example.model(PAIR), 1.0, 1e-3, "classical", grid_safe=False)
    expected = published.expected_error()
    assert curves["income"].y["DauM"][at_one] == pytest.approx(expected)
    assert set(curves["work class"].y) == {"ExpM(L)", "DirM(L)", "ExpM", "EigM", "DauM"}

    fit, drawn = figures.figure5_draws(example)
    assert drawn.shape == (2, 1000, 5)
    errors = np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2) / 1000)
    assert (np.abs(drawn.mean(axis=1) - fit.means) < 5 * errors).all()

    releases = figures.figure6(example)
    assert {name: each.width for name, each in releases.items()} == {
        "income": 0.02, "work class": 0.04,
    }  # fmt: skip
    for name, secret in (("income", INCOME), ("work class", WORK_CLASS)):
        each = releases[name]
        assert set(each.released) == {"ExpM", "EigM", "DauM", "DP"}
        model = example.model(secret.pair(0.5, each.width))
        noise = dp.calibrate("ExpM", model, 1.0, 1e-3, "classical", grid_safe=False)
        moved = np.linalg.norm(each.released["ExpM"] - each.answer, axis=1).mean()
        assert moved == pytest.approx(noise.expected_error(), rel=0.35)
        along = each.released["DauM"] - each.answer
        assert np.linalg.matrix_rank(along, tol=1e-6) <= 1
    assert SIZE == 100


def test_the_hospital(closed: Results) -> None:
    cells = by_place(closed["hospital"])
    assert cells["average weight", "Δ F"].ours == pytest.approx(6.125)
    assert cells["average weight", "true average"].ours == pytest.approx(151.2)
    assert "162" in cells["average weight", "true average"].note
    assert cells["average blood pressure", "mean error"].verdict == "within sampling error"
    temperature = cells["average temperature", "mean error"]
    assert (temperature.paper, temperature.said) == (0.0, "erratum 6")
    assert temperature.ours == pytest.approx(0.0119, abs=1e-4)
    # Runs of the mechanism itself lie where the range says.
    noise = attribute.hospital_noise(dp.attribute.files.hospital().assumptions[0])
    runs = np.abs(np.random.default_rng(2).normal(0, noise.standard_deviation, (4000, 100)))
    low, high = cells["average weight", "mean error"].repeats
    means = runs.mean(axis=1)
    assert np.mean((means > low) & (means < high)) == pytest.approx(0.95, abs=0.012)
    # Patients drawn as the paper says have the average that is expected here.
    rng = np.random.default_rng(3)
    women = rng.random((4000, 50)) < 0.6
    heights = np.where(women, rng.normal(65, 3, (4000, 50)), rng.normal(70, 3, (4000, 50)))
    averages = rng.normal(3.6 * heights - 90, 15).mean(axis=1)
    low, high = cells["average weight", "true average"].repeats
    assert np.mean((averages > low) & (averages < high)) == pytest.approx(0.95, abs=0.012)


def test_example_1_and_the_table_of_epsilon(closed: Results) -> None:
    silent, formula = closed["example-1"]
    assert silent.ours == 0
    assert formula.verdict == "agrees"
    assert formula.ours == pytest.approx(135.57, abs=0.01)
    cells = by_place(closed["liu-table-1"])
    assert cells["β = 1", "F ≤ 0.9"].ours == pytest.approx(3.2088, abs=1e-4)
    assert all(cell.verdict == "agrees" for cell in cells.values())
    for label, (epsilons, bounds) in testing.printed_points().items():
        curve = testing.figure3b().y[label]
        drawn = np.interp(epsilons, testing.figure3b().x, curve)
        assert drawn == pytest.approx(bounds, abs=0.011)
    recall, precision = testing.figure3a()["ε = 0.01"]
    assert recall.shape == precision.shape
    assert precision == pytest.approx(0.5, abs=0.01)


def test_which_noise_arithmetic_undoes(closed: Results, example: PaperRecords) -> None:
    model, densities = example.model(PAIR), example.densities(PAIR)
    undefended = dp.optimal_attack_accuracy(model)
    standing = {(c.row, c.column): c.standing for c in closed["table-3"] if c.standing}
    assert len(standing) == 21
    undone = {place for place, each in standing.items() if each.undone}
    columns = [f"ε = {epsilon}" for epsilon in ("0.2", "1", "5")]
    assert undone == {
        *[("DirM (L)", column) for column in columns],
        *[("DauM (G)", column) for column in columns],
        ("EigM (G)", "ε = 5"),  # two of its five directions need no noise
    }
    for (row, column), each in standing.items():
        if (row, column) in undone:
            assert each.in_fact == pytest.approx(undefended)
        else:  # the covariances of the pair differ a little, which tells a little
            assert each.in_fact == pytest.approx(each.on_paper, abs=2e-3)
        assert 0.5 <= each.on_paper <= each.in_fact + 1e-3
    # On paper is what holds for normal densities of one covariance, as computed on Adult.
    for row, accuracy in (("ExpM (G)", 0.658), ("EigM (G)", 0.6955), ("DauM (G)", 0.746)):
        assert standing[row, "ε = 5"].on_paper == pytest.approx(accuracy, abs=1e-3)
    noise = dp.calibrate("DauM", model, 1.0, 1e-3, "classical", grid_safe=False)
    assert noise.smoothness(model) == np.inf
    assert dp.delivered_delta(densities, noise, 1.0) < 1e-3
    assert dp.delivered_delta(model, noise, 1.0) == dp.delivered_delta(model, None, 1.0)
    told = arithmetic(closed["table-3"])
    assert "7 of these figures (DirM (L); EigM (G) at ε = 5; DauM (G))" in told
    assert f"right in {undefended:.3f} of cases" in told
    assert arithmetic(closed["table-1"]) == ""
    assert all(cell.standing.undone for cell in closed["figure-3"])


def test_where_the_curves_are_undone(example: PaperRecords) -> None:
    by_epsilon = figures.figure2_undone(example, "income")
    assert set(by_epsilon) == {"DirM(L)", "EigM", "DauM"}
    assert by_epsilon["DirM(L)"] == (0.1, 10.0)
    assert 1 < by_epsilon["EigM"][0] < 5
    # Beyond, DauM needs no noise.
    assert by_epsilon["DauM"][0] == 0.1
    assert 4 < by_epsilon["DauM"][1] < 6
    # Less than a step of noise on every statistic does not hide the grid either.
    assert figures.figure2_undone(example, "work class")["ExpM"][0] > 5
    by_width = figures.figure3_undone(example, "income")
    assert by_width["DauM"] == (0.02, 0.4)
    assert by_width["EigM"][1] < 0.1
