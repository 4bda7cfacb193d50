"""The parts on composition and Pufferfish privacy, drawn on a page of their own."""

from __future__ import annotations

import math
import re

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from distpriv.dashboard.assumptions.composition import COIN, INDEPENDENT, KNOWN, SAME, read_promises
from distpriv.errors import CalibrationError
from tests.app.driver import charts, errors, infos, sound, texts, titles


def _page() -> None:
    import streamlit as st

    from distpriv.dashboard.assumptions import composition
    from distpriv.dashboard.shell import controls, frame
    from distpriv.dashboard.shell.pages import PAGES

    controls.draw(PAGES[-1])
    view = frame.attempt(*frame.open_page())
    if view is not None:
        getattr(composition, st.session_state["part"])(view)


@pytest.fixture
def open_part(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)

    def opened(part: str, promises: pd.DataFrame | None = None, **query: str | list[str]):
        app = AppTest.from_function(_page, default_timeout=120)
        app.session_state["part"] = part
        if promises is not None:
            app.session_state["composition_promises"] = promises
        for name, value in query.items():
            app.query_params[name] = value
        return app.run()

    return opened


def releases(*rows: tuple[float | None, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["ε", "δ", "chance"]).astype("float64")


def test_composition_opens_with_its_answer_and_the_demonstration(open_part):
    app = open_part("composition")
    sound(app)
    assert not app.error
    assert app.main.markdown[0].value.startswith("**No rule holds.**")
    assert "the sum rule **fails**" in texts(app)
    assert titles(app) == [
        "Alone hidden, together not",
        "ε at δ = 0.002 against correlation",
        "ε against releases",
        "The same statistics again",
    ]
    assert "adding up says 2" in texts(app)
    assert "Leaving something out costs nothing" in texts(app)


def test_each_premise_has_its_answer(open_part):
    app = open_part("composition", releases((1, 0.01, 0.25), (0.5, 0.02, 0.25), (2, 0, 0.5)))
    sound(app)
    assert "Adding up would say ε = 3.5 with δ = 0.03" in texts(app)
    told = {
        INDEPENDENT: "**ε = 3.5 with δ = 0.03**: the promises add up, because no dataset",
        KNOWN: "**ε = 3.5 with δ = 0.03**: the promises add up as in differential privacy",
        COIN: "one of the 3 releases promises **ε = 2 with δ = 0.0075**",
    }
    for premise, words in told.items():
        app.radio(key="composition_premise").set_value(premise).run()
        sound(app)
        assert words in texts(app)
        assert titles(app) == ["The same statistics again"]
    app.radio(key="composition_premise").set_value(SAME).run()
    # The entered releases are still there.
    assert "Adding up would say ε = 3.5 with δ = 0.03" in texts(app)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1, 0.1, 0.5), (0, 0.1, 0.5)], "In row 2 of the releases, ε must be a positive number"),
        ([(-1, 0.1, 1)], "In row 1 of the releases, ε must be a positive number"),
        ([(1, 1, 1)], "In row 1 of the releases, δ must be in [0, 1)"),
        ([(1, -0.1, 1)], "δ must be in [0, 1), got δ = -0.1"),
        ([(1, 0.1, 0.5), (1, 0.1, 0.5), (None, 0.1, 0)], "Row 3 of the releases has no ε"),
        ([(1, None, 1)], "Row 1 of the releases has no δ"),
        ([], "add one"),
    ],
)
def test_releases_that_make_no_sense(open_part, rows, said):
    app = open_part("composition", releases(*rows))
    sound(app)
    assert said in errors(app)
    assert len(app.error) == 1
    # Nothing else is lost.
    assert len(charts(app)) == 4


def test_chances_that_do_not_sum_to_one(open_part):
    app = open_part("composition", releases((1, 0.1, 0.5), (1, 0.1, 0.7)))
    app.radio(key="composition_premise").set_value(COIN).run()
    sound(app)
    assert "must sum to 1, got 1.2" in errors(app)


def test_a_row_without_a_chance_has_none(open_part):
    app = open_part("composition", releases((1, 0.1, 0.5), (2, 0.1, 0.5), (3, 0.1, None)))
    app.radio(key="composition_premise").set_value(COIN).run()
    sound(app)
    assert not app.error
    assert "**ε = 2 with δ = 0.1**" in texts(app)


def test_deltas_that_leave_nothing(open_part):
    app = open_part("composition", releases((1, 0.6, 0.5), (1, 0.6, 0.5)))
    app.radio(key="composition_premise").set_value(KNOWN).run()
    sound(app)
    assert "promise **nothing** together" in texts(app)


def test_rows_are_read_as_promises():
    promises = read_promises(releases((1, 0, 1), (0.5, 0.25, 0)))
    assert [(each.epsilon, each.delta) for each in promises] == [(1.0, 0.0), (0.5, 0.25)]
    for wrong in (math.inf, 0.0):
        with pytest.raises(CalibrationError, match="row 1"):
            read_promises(releases((wrong, 0, 1)))


def test_the_demonstration_follows_its_sliders(open_part):
    app = open_part("composition")
    found = re.search(r"together deliver ε = ([\d.]+)\*\*", texts(app))
    app.slider(key="composition_correlation").set_value(0.5).run()
    sound(app)
    less = re.search(r"together deliver ε = ([\d.]+)\*\*", texts(app))
    assert float(less[1]) < 2 < float(found[1])
    assert "here they stay within the sum" in texts(app)
    app.slider(key="composition_shift").set_value(2.0).run()
    sound(app)
    assert "takes noise of" in texts(app)
    app.number_input(key="delta").set_value(0.5).run()
    sound(app)
    assert infos(app).count("two releases promise nothing in any case") == 2
    assert "Their δ add up to 1 or more" in texts(app)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0.001", "1e-12"), ("0.001", "0.4"), ("100", "1e-12"), ("100", "0.4")]
)
def test_the_ends_of_the_scales(open_part, epsilon, delta):
    for part in ("composition", "pufferfish"):
        app = open_part(part, eps=epsilon, delta=delta)
        sound(app)
        assert not app.error
        assert "nan" not in texts(app)


def test_the_split_of_the_statistics(open_part):
    app = open_part("composition")
    key = next(each.key for each in app.multiselect if each.key.startswith("composition_first"))
    before = texts(app)
    app.multiselect(key=key).set_value([4]).run()
    sound(app)
    assert not app.error
    assert texts(app) != before
    table = next(frame.value for frame in app.dataframe if "Release" in frame.value)
    assert table["Release"][0] == "first: mean hours-per-week"
    assert table["Release"].tolist()[2:] == ["both, if promises added up", "both, delivered"]
    for nothing in ([], [0, 1, 2, 3, 4]):
        app.multiselect(key=key).set_value(nothing).run()
        sound(app)
        assert "Each of the two releases needs at least one of the 5 statistics" in errors(app)
        assert len(charts(app)) == 4
    app.multiselect(key=key).set_value([0]).run()
    assert not app.error


def test_mechanisms_whose_delivery_is_not_known(open_part):
    app = open_part("composition", mech="ExpM(L)")
    sound(app)
    assert infos(app).count("adds Laplace noise") == 2
    app.selectbox(key="mech").set_value("DP").run()
    sound(app)
    assert infos(app).count("promises nothing about the secret") == 2


def test_a_single_statistic_cannot_be_split(open_part):
    app = open_part("composition", stat=["mean age"])
    sound(app)
    assert "one statistic only" in infos(app)
    assert "The same statistics again" in titles(app)


def test_guarded_parts_keep_their_promise(open_part):
    app = open_part("composition")
    assert "by itself; the *guarded* calibration" not in texts(app)
    app.segmented_control(key="cal").set_value("exact").run()
    sound(app)
    assert "by itself; the *guarded* calibration" in texts(app)


def test_pufferfish_translates_the_scenario(open_part):
    app = open_part("pufferfish")
    sound(app)
    tables = [frame.value for frame in app.dataframe]
    assert tables[0]["what the data may be"].tolist() == [
        "45\u00a0% have income = >50K",
        "55\u00a0% have income = >50K",
    ]
    assert tables[1].iloc[:, 0].tolist() == ["θ₁ against θ₂"]
    assert tables[2]["secret statement"].tolist() == [
        "the data come from θ₁",
        "the data come from θ₂",
    ]
    believed = "D: what an attacker believes"
    assert tables[3][believed].tolist() == ["θ₁ with 50\u00a0% or θ₂ with 50\u00a0%"]
    assert "no further than **26.9 %** or **73.1 %**" in texts(app)
    app.slider(key="pufferfish_prior").set_value(0.1).run()
    sound(app)
    assert app.dataframe[3].value[believed][0] == "θ₁ with 10\u00a0% or θ₂ with 90\u00a0%"
    assert "no further than **3.9 %** or **23.2 %**" in texts(app)


def test_several_pairs_are_all_translated(open_part):
    app = open_part("pufferfish", pairs="grid")
    sound(app)
    tables = [frame.value for frame in app.dataframe]
    pairs = len(app.session_state["scenario"].pairs)
    assert pairs > 1
    assert len(tables[1]) == len(tables[3]) == pairs
    assert len(tables[0]) == len(tables[2]) > 2


def test_a_pufferfish_promise_translated_back(open_part):
    app = open_part("pufferfish")

    def deltas():
        table = app.dataframe[5].value
        assert table["δ"].tolist() == table["δ by Pufferfish"].tolist()
        return table["δ"].tolist()

    before = deltas()
    assert len(before) == 3
    app.slider(key="pufferfish_flu").set_value(0.9).run()
    sound(app)
    assert deltas() == before
    app.slider(key="pufferfish_flu").set_value(0.0).run()
    sound(app)
    assert deltas() == before[-1:]
    app.slider(key="pufferfish_flu").set_value(1.0).run()
    sound(app)
    assert "nothing left to hide" in app.warning[0].value
