"""The Paper results page: verdicts, the run with its stop, every table and figure, its data."""

from __future__ import annotations

import pytest

from distpriv.papers import ERRATA, ITEMS, PaperAttacks
from tests.app.driver import charts, press, records, sound, texts, upload


@pytest.fixture
def without_adult(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADULT_DIR", raising=False)


def run_of(app):
    return app.session_state["runs"]["paper"].result()


def finished(app):
    """Run the page until its repetitions are done."""
    app.session_state["runs"]["paper"].step(1e9)
    app.run()
    sound(app)
    return app


def said(app) -> str:
    return "\n".join(element.value for element in app.caption)


def tables(app) -> list:
    """Tables that are drawn, but the one of all figures."""
    return [each.value for each in app.dataframe if "Item" not in each.value]


@pytest.mark.slow
@pytest.mark.usefixtures("without_adult")
def test_verdicts_stop_and_every_table_and_figure(open_app):
    app = open_app("papers")
    sound(app)
    assert "Of **115** figures that three papers print, so far" in texts(app)
    assert "wait for more repetitions" in texts(app)
    assert "embedded **synthetic** records" in said(app)
    (table,) = tables(app)
    assert list(table.columns) == [
        "Row", "Column", "Printed", "Ours", "Verdict", "Arithmetic", "Best on paper",
        "Best in fact", "95 % of repeats",
    ]  # fmt: skip
    assert set(table["Verdict"]) == {"≈ within sampling error", "§ erratum 1", "✓ agrees"}
    assert dict(zip(table["Row"], table["Ours"], strict=True))["DauM (G)"] == "0.94"
    undone = table[table["Arithmetic"] == "✗ undone"]
    assert set(undone["Row"]) == {"DirM (L)", "EigM (G)", "DauM (G)"}
    assert set(undone["Best in fact"]) == {"0.762"}
    assert "is **undone by arithmetic**" in texts(app)
    assert any("Arithmetic undoes the noise behind 7" in each.value for each in app.warning)

    before = run_of(app).done
    assert 1 <= before < run_of(app).wanted
    press(app, "Stop")
    stopped = run_of(app).done
    app.run()
    assert run_of(app).done == stopped
    assert "stopped" in app.get("progress")[0].proto.text
    press(app, "Run")
    assert run_of(app).done > stopped

    finished(app)
    assert "wait for more" not in texts(app)
    assert ", so far" not in texts(app)
    assert "4 are explained by an erratum" in texts(app)
    assert "**1 differs** (average weight, true average)" in texts(app).replace("\\", "")
    whole = next(each.value for each in app.dataframe if "Item" in each.value)
    assert len(whole) == 115
    assert set(whole["Data"]) == {"synthetic", "as the paper"}
    assert set(whole.loc[whole["Item"] == "Table 4", "Repetitions"]) == {"20"}

    each_item(app)
    app.segmented_control(key="paper_item").set_value("table-4").run()
    (table,) = tables(app)
    assert len(table) == 28
    for best in ("Best on paper", "Best in fact"):
        assert (table[best].astype(float) >= 0.5).all()
    assert set(table.loc[table["Arithmetic"] != "", "Row"]) == {
        *(f"DauM (G), ε = {epsilon}" for epsilon in ("0.2", "1", "5")), "EigM (G), ε = 5",
    }  # fmt: skip
    assert set(table["Verdict"]) <= {"✓ agrees", "≈ within sampling error", "– other data"}

    # More repetitions go on from those that are done; fewer, or another seed, start anew.
    run = run_of(app)
    app.selectbox(key="paper_repetitions").set_value(50).run()
    assert run_of(app) is run
    assert 20 * 23 < run.done < run.wanted == 50 * 23
    app.selectbox(key="paper_repetitions").set_value(20).run()
    app.number_input(key="paper_seed").set_value(7).run()
    sound(app)
    assert run_of(app).seed == 7
    assert run_of(app).done < 20 * 23


def each_item(app):
    drawn = {
        "table-1": 0, "table-2": 0, "table-3": 1, "table-4": 1, "figure-1": 1, "figure-2": 2,
        "figure-3": 2, "figure-4": 3, "figure-5": 1, "figure-6": 2, "hospital": 1, "example-1": 1,
        "liu-table-1": 1, "liu-figure-3": 2,
    }  # fmt: skip
    for key, item in ITEMS.items():
        app.segmented_control(key="paper_item").set_value(key).run()
        sound(app)
        assert not app.error
        assert app.header[0].value == f"{item.name}: {item.title}"
        assert len(charts(app)) == 1 + drawn[key], key  # beside the picture of them all
        explained = [each.label.replace("\\", "") for each in app.expander]
        for number in item.errata:
            assert any(label.startswith(f"Erratum {number}: ") for label in explained), key
            assert ERRATA[number].instead in texts(app).replace("\\", "")


@pytest.mark.slow
@pytest.mark.usefixtures("without_adult")
def test_a_run_that_is_done_can_be_run_again(open_app, monkeypatch):
    app = open_app("papers")
    first = run_of(app)
    monkeypatch.setattr(PaperAttacks, "wanted", property(lambda run: run.attacks))
    finished(app)
    cells = app.session_state["paper_cells"][3]
    press(app, "Run again")
    assert run_of(app) is not first
    finished(app)
    assert app.session_state["paper_cells"][3]["figure-4"] == cells["figure-4"]


@pytest.mark.slow
@pytest.mark.usefixtures("without_adult")
def test_an_upload_is_not_held_against_the_papers(open_app):
    app = upload(open_app(), records(500))
    app.switch_page("../../pages/papers.py").run()
    sound(app)
    assert "embedded **synthetic** records" in said(app)
    assert run_of(app).records.count == 45_222


@pytest.mark.adult
def test_adult_is_taken_where_it_is_at_hand(open_app, adult, monkeypatch):
    app = open_app("papers")
    sound(app)
    assert "Computed on UCI Adult" in said(app)
    assert not run_of(app).records.stand_in
    monkeypatch.delenv("ADULT_DIR")
    # The table of the session is enough, wherever it came from.
    app = upload(open_app(), adult)
    app.switch_page("../../pages/papers.py").run()
    sound(app)
    assert "Computed on UCI Adult" in said(app)


@pytest.mark.slow
@pytest.mark.usefixtures("cold")
def test_a_wrong_folder_is_said_and_the_example_is_taken(open_app, monkeypatch, tmp_path):
    monkeypatch.setenv("ADULT_DIR", str(tmp_path))
    app = open_app("papers")
    sound(app)
    assert "There is no file adult" in " ".join(each.value for each in app.warning).replace(
        "\\", ""
    )
    assert "embedded **synthetic** records" in said(app)
