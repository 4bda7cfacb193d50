"""The command `distpriv`: reports, the papers, and what goes wrong."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import distpriv as dp
from distpriv.dashboard import command
from distpriv.dashboard.command import main
from distpriv.version import VERSION


@pytest.fixture
def files(
    tmp_path: Path, people: pd.DataFrame, rich: dp.SensitiveProperty, query: dp.Query
) -> tuple[Path, Path, dp.Scenario]:
    """A scenario and a table as files, and the scenario."""
    people.to_parquet(tmp_path / "people.parquet")
    scenario = dp.Scenario(secret=rich, query=query, center=0.4, width=0.2, n=60)
    (tmp_path / "scenario.json").write_text(dp.write_scenario(scenario), encoding="utf-8")
    return tmp_path / "scenario.json", tmp_path / "people.parquet", scenario


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_a_report_is_written_in_the_format_of_its_name(
    ending: str, files: tuple[Path, Path, dp.Scenario], capsys: pytest.CaptureFixture[str]
) -> None:
    scenario, table, _ = files
    output = table.with_name(f"report.{ending}")
    assert main(["report", str(scenario), str(table), "-o", str(output)]) == 0
    answer = capsys.readouterr().out.strip()
    assert "OptM" in answer
    text = output.read_text(encoding="utf-8")
    if ending == "json":
        assert json.loads(text)["answer"] == answer
    else:
        assert {"html": "<!doctype html>", "md": "# "}[ending] in text.lower()


def test_reference_data_take_the_place_of_the_table(
    files: tuple[Path, Path, dp.Scenario], people: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    path, table, scenario = files
    whole = replace(scenario, whole=True, replacement=True, reference="other")
    path.write_text(dp.write_scenario(whole), encoding="utf-8")
    output = table.with_name("report.json")
    arguments = ["report", str(path), str(table), "-o", str(output)]
    assert main(arguments) == 2
    assert "--reference" in capsys.readouterr().err
    answers = []
    for part in (people, people[::2]):
        part.to_parquet(table.with_name("reference.parquet"))
        assert main([*arguments, "--reference", str(table.with_name("reference.parquet"))]) == 0
        answers.append(json.loads(output.read_text(encoding="utf-8"))["answer"])
    assert "of 2\u202f000 records" in json.loads(output.read_text(encoding="utf-8"))["question"]
    assert answers[0] != answers[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scenario.json", "people.parquet", "-o", "report.pdf"], "not '.pdf'"),
        (["none.json", "people.parquet", "-o", "report.md"], "none.json cannot be read: No such"),
        (["scenario.json", "none.csv", "-o", "report.md"], "none.csv"),
        (["people.parquet", "people.parquet", "-o", "report.md"], "scenario"),
        (["scenario.json", "people.parquet", "-o", "none/report.md"], "cannot be written: No such"),
    ],
)
def test_what_goes_wrong_is_said_in_one_sentence(
    arguments: list[str],
    message: str,
    files: tuple[Path, Path, dp.Scenario],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files[0].parent)
    assert main(["report", *arguments]) == 2
    written = capsys.readouterr().err
    assert message in written
    assert written.count("\n") == 1


def test_a_port_in_use_is_said_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--no-browser", "--port", str(port)]) == 2
    assert f"cannot listen on port {port} of 127.0.0.1: Address" in capsys.readouterr().err


def test_another_table_is_named(
    files: tuple[Path, Path, dp.Scenario], capsys: pytest.CaptureFixture[str]
) -> None:
    path, table, scenario = files
    path.write_text(dp.write_scenario(replace(scenario, digest="other")), encoding="utf-8")
    assert main(["report", str(path), str(table), "-o", str(path.with_name("report.md"))]) == 0
    assert "another table" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [["--port", "none"], ["--port", "0"], ["papers", "--repetitions", "0"], ["unknown"]],
)
def test_wrong_arguments_end_with_status_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"distpriv {VERSION}\n"


@pytest.mark.parametrize(
    ("answer", "status"),
    [("", 0), ("y", 0), ("y", 1), ("n", None), (None, None)],
    ids=["return", "yes", "fails", "no", "nobody to ask"],
)
def test_packages_are_installed_only_where_somebody_agrees_at_a_terminal(
    answer: str | None,
    status: int | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls: list[list[str]] = []

    def called(arguments: list[str]) -> int:
        calls.append(arguments)
        return status or 0

    monkeypatch.setattr(command, "find_spec", lambda name: None)
    listed = ["numpy~=2.4", 'streamlit~=1.67.0; extra == "dashboard"']
    monkeypatch.setattr(command, "requires", lambda name: listed)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: answer is not None)
    monkeypatch.setattr("builtins.input", lambda question: answer)
    monkeypatch.setattr(subprocess, "call", called)
    if status == 0:
        command._have_packages()
    else:
        assert main([]) == 2
        written = capsys.readouterr().err
        assert "installed" in written
        assert written.count("\n") == 1
    wanted = [[sys.executable, "-m", "pip", "install", "streamlit~=1.67.0"]]
    assert calls == ([] if status is None else wanted)
