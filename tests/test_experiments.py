"""The paper's tables, on Adult and on the embedded example."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import pandas as pd
import pytest

import distpriv as dp
from distpriv import experiments
from distpriv.datasets import load_census_income
from distpriv.experiments.__main__ import main
from distpriv.experiments.distribution_privacy import INCOME, WORK_CLASS


@pytest.fixture(scope="module")
def example() -> pd.DataFrame:
    return load_census_income()


@pytest.mark.adult
def test_table_3_agrees_with_the_papers_means_of_50_draws(
    adult: pd.DataFrame, adult_income: dp.GaussianModel
) -> None:
    result = experiments.table3(adult)
    assert result.epsilons == (0.2, 1.0, 5.0)
    for row in result.rows:
        if row.scale == "Δ_E,2":
            continue
        for epsilon, ours, paper in zip(result.epsilons, row.errors, row.paper, strict=True):
            noise = dp.calibrate(row.mechanism, adult_income, epsilon, 1e-3, "classical")
            relative = math.sqrt(max(0.0, (noise.rms_error() / noise.expected_error()) ** 2 - 1))
            assert abs(ours - paper) < 3.5 * ours * relative / math.sqrt(50), row


def test_row_dirm_shows_both_scales(example: pd.DataFrame) -> None:
    rows = {(row.mechanism, row.scale): row for row in experiments.table3(example).rows}
    theorem, printed = rows["DirM(L)", "Δ_E,2"], rows["DirM(L)", "Δ_E,1"]
    model = dp.fit_gaussian(
        example, experiments.distribution_privacy.QUERY, INCOME.pair(0.5, 0.1), 100
    )
    for epsilon, narrow, wide in zip((0.2, 1, 5), theorem.errors, printed.errors, strict=True):
        assert narrow == pytest.approx(model.sensitivity(2) / epsilon)
        assert wide == pytest.approx(model.sensitivity(1) / epsilon)
    assert theorem.paper == printed.paper == (35.22, 7.24, 1.38)


def test_table_4_on_the_example(example: pd.DataFrame) -> None:
    done = []
    result = experiments.table4(
        example, repetitions=2, seed=5, progress=lambda *step: done.append(step)
    )
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert len(result.cells) == 27
    assert {cell.mechanism for cell in result.cells} == {"ExpM", "EigM", "DauM"}
    for cell in result.cells:
        assert 0.49 < cell.optimal <= result.undefended_optimal
        assert cell.clean.low <= cell.clean.estimate <= cell.clean.high
    assert experiments.table4(example, repetitions=2, seed=5) == result
    with pytest.raises(FrozenInstanceError):
        result.seed = 6


@pytest.mark.adult
def test_figure_4a_ends_where_the_paper_says(adult: pd.DataFrame) -> None:
    result = experiments.figure4a(adult, widths=(0.1, 0.4), repetitions=20)
    income, work_class = result.curves[INCOME], result.curves[WORK_CLASS]
    assert income[0].accuracy.estimate == pytest.approx(0.75, abs=0.015)
    assert income[1].accuracy.estimate > 0.98
    assert work_class[1].accuracy.estimate == pytest.approx(0.9, abs=0.02)
    for points in result.curves.values():
        for point in points:
            assert point.accuracy.low < point.optimal + 0.01


def test_figure_4a_reports_its_progress(example: pd.DataFrame) -> None:
    done = []
    result = experiments.figure4a(
        example, widths=(0.1, 0.2), repetitions=1, progress=lambda *step: done.append(step)
    )
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [point.width for point in result.curves[INCOME]] == [0.1, 0.2]


def test_no_repetition(example: pd.DataFrame) -> None:
    with pytest.raises(dp.AttackError, match="at least one repetition, got 0"):
        experiments.table4(example, repetitions=0)


def test_the_printed_tables_say_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", "example", "--repetitions", "1"]) == 0
    printed = capsys.readouterr().out
    assert "45 222 SYNTHETIC records" in printed
    for heading in ("Table 3: ", "Table 4: ", "Figure 4a: "):
        assert heading in printed
    assert "matches the scale Δ_E,1/ε, not the Δ_E,2/ε of Theorem 4.3" in printed
    assert "mean of 1 repetition ±" in printed
    # Every figure stands beside the paper's.
    for figure in ("99.83", "7394.67", "0.492", "0.744", "close to 0.9 at Δp = 0.4"):
        assert figure in printed
    assert max(map(len, printed.splitlines())) <= 100


@pytest.mark.adult
def test_adult_is_chosen_where_its_folder_is_known(
    capsys: pytest.CaptureFixture[str], adult: pd.DataFrame
) -> None:
    assert main(["--repetitions", "1"]) == 0
    assert "UCI Adult, all 45 222 complete records" in capsys.readouterr().out


def test_a_folder_without_adult(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setenv("ADULT_DIR", str(tmp_path))
    assert main(["--repetitions", "1"]) == 1
    assert "There is no file adult.data" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--repetitions", "0"], ["--seed", "-1"]])
def test_arguments_outside_their_domain(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert arguments[0] in capsys.readouterr().err
