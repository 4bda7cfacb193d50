import os

import pytest

import distpriv
from distpriv import cli
from distpriv.site import APP


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
