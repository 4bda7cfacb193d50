import json
import os
import socket
from datetime import date, timedelta

import pytest

import distpriv
from distpriv import cli, report
from distpriv.analysis import Scenario, evaluate
from distpriv.analysis.tables import example_source, start
from distpriv.files import APP
from distpriv.records import decisions, ledger
from distpriv.records.store import Store


@pytest.fixture
def flags(monkeypatch, tmp_path):
    """What the server is started with; none is."""
    started = []
    monkeypatch.setattr(cli, "_serve", lambda flags: started.append(list(flags)))
    monkeypatch.delenv(cli.OPEN, raising=False)
    monkeypatch.chdir(tmp_path)
    return started


def test_command_alone_serves_this_machine_only(flags):
    assert cli.main([]) == 0
    assert flags == [["--server.address=127.0.0.1"]]
    assert cli.OPEN not in os.environ
    assert APP.is_file()


def test_command_passes_port_browser_and_table_on(flags, tmp_path):
    (tmp_path / "people.csv").touch()
    assert cli.main(["people.csv", "--no-browser", "--port", "9000"]) == 0
    assert set(flags[0]) >= {"--server.headless=true", "--server.port=9000"}
    assert os.environ.pop(cli.OPEN) == str(tmp_path / "people.csv")
    assert cli.main(["."]) == 0  # a folder
    assert os.environ.pop(cli.OPEN) == str(tmp_path)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("people.cvs", "There is no file people.cvs. Did you mean 'people.csv'?"),
        ("nowhere/people.csv", "There is no file nowhere/people.csv."),
    ],
)
def test_command_says_in_a_sentence_what_it_cannot_open(flags, tmp_path, capsys, table, sentence):
    (tmp_path / "people.csv").touch()
    assert cli.main([table]) == 2
    assert capsys.readouterr().err == sentence + "\n"
    assert not flags


def test_command_names_the_extra_without_streamlit(flags, capsys, monkeypatch):
    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    assert cli.main([]) == 2
    assert "pip install 'distpriv[dashboard]'" in capsys.readouterr().err
    assert not flags


@pytest.mark.parametrize("port", ["0", "70000", "x"])
def test_command_refuses_what_is_no_port(flags, capsys, port):
    with pytest.raises(SystemExit) as end:
        cli.main(["--port", port])
    assert end.value.code == 2
    assert "invalid port value" in capsys.readouterr().err


def test_command_says_that_a_port_is_taken(flags, capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert cli.main(["--port", str(port)]) == 2
    assert capsys.readouterr().err.startswith(f"Port {port} is taken or reserved; name another")
    assert not flags


def test_command_prints_its_version(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"distpriv {distpriv.__version__}\n"


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["figure-1", "--write", "rows.csv"], 0, "Erratum 9."),
        (["tabel-3"], 2, "The papers have no item 'tabel-3'. Did you mean 'table-3'?"),
        (["--write", "none/rows.csv"], 2, "none/rows.csv cannot be written"),
        (["figure-1", "--write", "rows.xlsx"], 2, "rows.xlsx must end in .csv or .parquet"),
        (["figure-1", "--table", "papers"], 2, "has no column 'age', which UCI's Adult has."),
        (["figure-1", "--table", "none.csv"], 2, "none.csv cannot be opened"),
    ],
)
def test_papers_are_computed_or_a_sentence_says_why_not(flags, tmp_path, capsys, words, code, text):
    (tmp_path / "papers").write_text("a,b\n1,2\n3,4\n")
    assert cli.main(["papers", *words]) == code
    shown = capsys.readouterr()
    assert text in (shown.err if code else shown.out)
    assert (tmp_path / "rows.csv").exists() is (code == 0)
    assert not flags
    assert cli.main(["./papers"]) == 0  # a file of that name
    assert os.environ.pop(cli.OPEN) == str(tmp_path / "papers")


@pytest.fixture
def saved(flags, tmp_path, monkeypatch):
    """A scenario on the example census and a table of one's own, in an empty folder with records."""
    monkeypatch.setenv("DISTPRIV_DATABASE", f"sqlite:///{tmp_path}/records.sqlite")
    census = example_source("census-income")
    scenario = start(census)
    Scenario(**vars(scenario) | {"statistics": scenario.statistics[:2]}).to_json("scenario.json")
    frame = census.frame.head(1000).rename_axis("id").reset_index()
    frame.to_csv("people.csv", index=False)
    frame.to_parquet("people.parquet")
    (tmp_path / "folder").mkdir()
    frame.to_csv("folder/people.csv", index=False)
    text = json.loads((tmp_path / "scenario.json").read_text()) | {"source": "upload"}
    (tmp_path / "own.json").write_text(json.dumps(text))
    return Scenario.from_json("scenario.json")


def test_report_is_of_the_recommended_way_of_an_example(saved, tmp_path, capsys):
    now = evaluate(saved, example_source("census-income"))
    for ending in ("html", "json"):
        assert cli.main(["report", "scenario.json", "-o", f"r.{ending}"]) == 0
    record = json.loads((tmp_path / "r.json").read_text())
    assert record["way"] == now.recommendation.way.key
    assert (tmp_path / "r.html").read_text() == report.page(record)
    assert cli.main(["report", "scenario.json", "--way", "OptM", "--name", "staff"]) == 0
    text = capsys.readouterr().out
    assert "Noise, OptM" in text.split("## Decision")[0]
    assert "\nstaff, " in text


@pytest.mark.parametrize("table", ["people.csv", "people.parquet", "folder"])
def test_report_opens_tables_as_the_dashboard_does(saved, capsys, table):
    assert cli.main(["report", "own.json", table]) == 0
    assert "not for publication" in capsys.readouterr().out


def test_release_comes_once_from_the_same_command_and_by_an_agreed_decision(
    saved, tmp_path, capsys
):
    words = ["release", "scenario.json", "--name", "staff", "--author", "Ana"]
    assert cli.main(words) == 2
    assert "without an agreed decision" in capsys.readouterr().err
    now, store = evaluate(saved, example_source("census-income")), Store()
    way = next(one for one in now.ways if one.key == "OptM")
    naming = ledger.Naming("staff", now.source.fingerprint, "Census", ("age",))
    review = f"{date.today() + timedelta(days=30)}"
    limit = {"secret": now.pair.plain(), "epsilon": 0.0, "delta": 0.2, "guesses": 60.0}
    body = {
        "scenario": json.loads(saved.to_json()),
        "way": "OptM",
        "record": report.record(now, way),
    }
    body |= {"review": review, "limits": [limit]}
    one = decisions.propose(store, naming, token="t", author="Ana", reason="We must", body=body)
    decisions.answer(store, one.key, 1, author="Bo", act="agreed")
    for name in ("r.csv", "r.md"):
        assert cli.main([*words, "--way", "OptM", "-o", name]) == 0
    (entry,) = ledger.releases(store)
    assert (entry.decision, entry.body["way"]) == (one.key, "OptM")
    assert (tmp_path / "r.csv").read_text() == report.csv_of(entry)
    assert "Bo agreed" in (tmp_path / "r.md").read_text()
    assert cli.main(["report", "--decision", one.key]) == 0
    assert cli.main(["decisions"]) == cli.main(["decisions", "--json"]) == 0
    text = capsys.readouterr().out
    assert "release no. 1 by Ana, noise" in text
    listed = json.loads(text[text.index("{\n") :])
    assert [row["answered by"] for row in listed["decisions"]] == ["Bo"]
    assert [row["decision"] for row in listed["releases"]] == [one.key]


def test_release_asks_of_a_table_like_another_whether_it_is_a_version(saved, tmp_path, capsys):
    words = ["release", "own.json", "people.csv", "--author", "Ana", "--reason", "r"]
    assert cli.main([*words, "--name", "people", "--identifier", "id"]) == 0
    lines = (tmp_path / "people.csv").read_text().splitlines()
    (tmp_path / "people.csv").write_text("\n".join([lines[0], *lines[:0:-1]]))
    assert cli.main([*words, "--name", "other"]) == 2
    assert capsys.readouterr().err.endswith(
        "This table looks like a version of 'people'; give that name and --newer, or say --another.\n"
    )
    assert cli.main([*words, "--name", "people", "--newer", "--identifier", "id"]) == 0
    first, second = ledger.releases(Store())
    assert first.body["values"] == second.body["values"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["report"], "Name the file of a scenario that the dashboard saved, and its table."),
        (["report", "none.json"], "none.json cannot be opened (no such file or directory); check its name."),
        (["report", "people.csv"], "This is not a scenario, because it is not JSON; save it again."),
        (["report", "own.json"], "This scenario needs its own table; name its file, too."),
        (["report", "own.json", "none.csv"], "none.csv cannot be opened (no such file or directory)"),
        (["report", "scenario.json", "-o", "r.pdf"], "r.pdf must end in .md, .html or .json; name it so."),
        (["report", "scenario.json", "-o", "none/r.md"], "none/r.md cannot be written; name a folder that can."),
        (["report", "scenario.json", "--way", "OptN"], "There is no way 'OptN'; take"),
        (["report", "--decision", "k"], "This decision is not on record here"),
        (["release", "scenario.json", "--author", "Ana", "--reason", "r"], "Fill in the name of this table."),
        (["release", "scenario.json", "--name", "s", "--reason", "r"], "Fill in your name."),
        (["release", "scenario.json", "--name", "s", "-o", "r.html"], "r.html must end in .csv, .json or .md; name it so."),
    ],
)  # fmt: skip
def test_command_refuses_in_one_sentence_and_releases_nothing(
    saved, tmp_path, capsys, words, sentence
):
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith(sentence)
    assert error.count("\n") == 1
    assert not [*tmp_path.glob("r.*")]
    assert cli.main(["decisions"]) == 0
    assert capsys.readouterr().out == "No decisions are on record.\nNo releases are on record.\n"
