"""The Wasserstein page: its distances, its example, and the setting that mechanisms follow."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from distpriv.dashboard.wasserstein.distances import BETWEEN
from tests.app.driver import charts, errors, finished, records, run_of, sound, texts, upload


def finish(app):
    """Compute what the page would compute by itself while it is open."""
    return finished(app, run_of(app, "wasserstein"))


def fewer(app):
    """Simulate a quarter of the datasets: matching them takes a fiftieth of the time."""
    return app.select_slider(key="wasserstein_datasets").set_value(250).run()


def settled(app):
    """Wait until the distances that every page needs are there."""
    for _ in range(200):
        if not app.get("progress"):
            return app
        app.run()
    raise AssertionError


@pytest.mark.slow
def test_it_measures_until_it_is_done(open_app):
    app = finish(fewer(open_app("wasserstein", delta="0.01")))
    sound(app)
    assert not app.error
    found = re.search(
        r"some have to move by \*\*([\d.]+)\*\* in all; without the 1.00 % that would move "
        r"furthest, by \*\*([\d.]+)\*\*\. The fitted normals are ([\d.]+) apart",
        texts(app),
    )
    assert found
    furthest, most, normals = (float(each) for each in found.groups())
    # Samples scatter: what they need to move is more than what the distributions do.
    assert furthest > most > normals > 0
    assert "Two simulations of one and the same share are already" in texts(app)
    table = app.dataframe[0].value
    assert table["Noise"].tolist()[:3] == ["ExpM(L)", "Wasserstein", "ApproxWasserstein"]
    assert table["W, how far in L1"].iloc[0] == f"{normals:.2f}"
    assert len(charts(app)) == 3


@pytest.mark.usefixtures("cold")
def test_it_can_be_stopped_and_goes_on(open_app):
    app = open_app("wasserstein")
    app.session_state["runs"]["wasserstein"].step(0.0)
    stop = next(button for button in app.button if button.label == "Stop")
    stop.click().run()
    run = app.session_state["runs"]["wasserstein"]
    assert run.stopped
    done = run.done
    assert 0 < done < run.wanted
    next(button for button in app.button if button.label == "Go on").click().run()
    assert not app.session_state["runs"]["wasserstein"].stopped
    assert app.session_state["runs"]["wasserstein"].done >= done


def test_a_single_count_is_exact_and_needs_no_simulation(open_app):
    app = finish(open_app("wasserstein", stat="count marital-status = Never-married"))
    sound(app)
    run = app.session_state["runs"]["wasserstein"]
    assert list(run.result()) == [BETWEEN]
    assert "Two simulations" not in texts(app)
    table = app.dataframe[0].value
    assert "computed exactly" in table.loc[table["Noise"] == "Wasserstein", "Holds if"].item()
    assert "BoundedWasserstein" in table["Noise"].tolist()


@pytest.mark.slow
def test_too_few_datasets_for_the_bounded_mechanism_say_so(open_app):
    app = finish(fewer(open_app("wasserstein")))
    captions = " ".join(element.value for element in app.main.caption).replace("\\", "")
    assert "take at least 2000 of them, or a larger δ" in captions


@pytest.mark.slow
def test_a_median_is_compared_as_it_was_simulated(open_app):
    app = finish(open_app("wasserstein", stat=["mean age", "median age"]))
    sound(app)
    assert not app.error, errors(app)
    assert "some have to move by" in texts(app)


def test_the_example_is_figure_1(open_app):
    app = open_app("wasserstein")
    app.session_state["wasserstein_tab"] = "A small example"
    app.run()
    sound(app)
    assert "has to move by **97**; if 10 % may be left out, by **1**" in texts(app)
    assert "Laplace noise of scale **97**, or **1** with δ = 0.1" in texts(app)
    app.slider(key="example_delta").set_value(0.0).run()
    assert "has to move by **97**. At" in texts(app)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (pd.DataFrame({"Value": [1.0, 2.0], "Weight": [0.5, 0.6]}), "they sum to 1.1"),
        (pd.DataFrame({"Value": [1.0, 2.0], "Weight": [1.5, -0.5]}), "not negative"),
        (pd.DataFrame({"Value": [1.0, np.nan], "Weight": [0.5, 0.5]}), "finite numbers"),
        (pd.DataFrame({"Value": [1.0, 2.0], "Weight": [1.0, np.nan]}), "must be numbers"),
        (pd.DataFrame({"Value": [], "Weight": []}, dtype=float), "not empty"),
    ],
)
def test_a_bad_table_ends_in_a_sentence_and_stays(open_app, table, says):
    app = open_app("wasserstein")
    app.session_state["wasserstein_tab"] = "A small example"
    app.session_state["example_mu_edited"] = table
    app.run()
    sound(app)
    assert says in errors(app)
    assert "μ" in errors(app)
    pd.testing.assert_frame_equal(app.session_state["example_mu_edited"], table)


def test_simulated_distances_reach_the_other_pages(open_app):
    app = open_app("tradeoff", mech="Wasserstein")
    sound(app)
    same = app.session_state["scenario"]
    assert same.distances == "normals"
    assert "costs an expected L2 error of **21.1**" in texts(app)
    app = settled(open_app("tradeoff", mech="Wasserstein", dist="simulated"))
    sound(app)
    assert app.session_state["scenario"].distances == "simulated"
    assert "costs an expected L2 error of **21.1**" not in texts(app)
    assert "1000 simulated datasets for each share" in " ".join(e.value for e in app.warning)
    assert "if the statistics are distributed as simulated" in texts(app)


@pytest.mark.slow
@pytest.mark.usefixtures("cold")
def test_measuring_for_all_pages_can_be_stopped(open_app):
    app = open_app(
        "tradeoff",
        mech="Wasserstein",
        dist="simulated",
        pairs="grid",
        grid=["0.4", "0.6"],
        step="0.05",
    )
    sound(app)
    assert "Matching simulated datasets for" in app.get("progress")[0].proto.text
    app.button(key="distances_stop").click().run()
    assert ", stopped" in app.get("progress")[0].proto.text
    app.button(key="distances_stop").click().run()
    settled(app)
    sound(app)
    assert "costs an expected L2 error of" in texts(app)


def test_too_many_pairs_to_simulate_say_what_to_do(open_app):
    app = open_app("tradeoff", mech="Wasserstein", dist="simulated", pairs="grid", step="0.01")
    sound(app)
    assert "Distances are simulated for at most 12 pairs" in errors(app)


@pytest.mark.slow
def test_an_upload_is_measured_too(open_app):
    app = upload(open_app(), records(1500))
    app.switch_page("../../pages/wasserstein.py").run()
    finish(fewer(app))
    sound(app)
    assert not app.error
    assert "some have to move by" in texts(app)
