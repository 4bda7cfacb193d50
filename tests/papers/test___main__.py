"""``python -m distpriv.papers``."""

from __future__ import annotations

import pandas as pd
import pytest

from distpriv.papers.__main__ import main


def test_everything_is_printed_beside_the_papers_figures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--data", "example", "--repetitions", "1"]) == 0
    printed = capsys.readouterr().out
    assert "45 222 SYNTHETIC records" in printed
    assert "Attacks: 1 repetition, seed 2023." in printed
    for heading in ("Table 3: ", "Table 4: ", "Figure 4: ", "Section 4.2: ", "Example 1: "):
        assert heading in printed
    assert "They match the scale Δ_E,1/ε." in printed
    for figure in (
        "99.83",
        "7394.67",
        "0.492",
        "0.744",
        "close to 90\u00a0%",
        "161.33",
        "4.29",
        "97",
    ):
        assert figure in printed
    assert "§ erratum 1" in printed
    assert "✗ differs" in printed
    assert "115 printed figures: " in printed
    assert "Arithmetic undoes the noise behind 7 of these figures" in printed
    assert "✗ undone" in printed
    assert "12. Chen & Ohrimenko (2023), Theorem 4.3" in printed
    assert max(map(len, printed.splitlines())) <= 114


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
