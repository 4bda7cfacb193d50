"""The Attribute privacy page: both tabs, edits right and wrong, files, and the session's table."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
import streamlit as st

import distpriv as dp
from tests.app.driver import captions, charts, errors, records, sound, table, texts, upload


def distribution(app):
    app.session_state["attribute_tab"] = "Distribution"
    return app.run()


@pytest.fixture
def typed(monkeypatch):
    """What a user types into editors, by the start of the editor's key: changes of its frame.

    The test driver has no cells to type in, so the editor itself is stood in for.
    """
    edits = {}
    draw = st.data_editor

    def editor(data, *, key, **options):
        frame = draw(data, key=key, **options)
        for start, change in edits.items():
            if key.startswith(start):
                frame = change(frame.copy())
        return frame

    monkeypatch.setattr(st, "data_editor", editor)
    return edits


def put(column: str, row: int, value: object):
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        frame[column] = frame[column].astype("object")
        frame.loc[row, column] = value
        return frame

    return change


def test_the_hospital_beside_the_paper(open_app):
    app = open_app("attribute")
    sound(app)
    assert not app.error
    told = texts(app)
    assert "Can anybody tell the **share of women** from an average of 50 records?" in told
    assert "average weight by **12.5 pounds**" in told
    assert "average temperature by **nothing at all**" in told
    shown = table(app, "Noise, classical")
    assert [re.sub(r"[^\d.]", " ", text).split()[0] for text in shown["Noise, classical"]] == [
        "18.4",
        "7.45",
        "0.0119",
    ]
    assert list(shown["Paper, at ε = 1, δ = 0.001"]) == ["± 18.9", "± 7.4", "± 0"]
    assert "asks for a variance of 0.000223" in captions(app)
    assert "can be 0.5 apart" in captions(app)
    app.segmented_control(key="cal").set_value("classical").run()
    assert "average weight by **18.4 pounds**" in texts(app)
    assert "average temperature by **0.0119 °F**" in texts(app)
    app.number_input(key="eps").set_value(3.0).run()
    sound(app)
    assert "proven for ε ≤ 1 only" in " ".join(w.value for w in app.warning).replace("\\", "")


def test_the_accuracy_both_ways(open_app):
    app = open_app("attribute", cal="classical")
    app.number_input(key="attribute_beta").set_value(0.1).run()
    app.number_input(key="attribute_alpha").set_value(20.0).run()
    sound(app)
    shown = table(app, "Within, 90.0\u00a0% of the time")
    weight = dp.attribute_private_gaussian([6.125], [4.5], 1, 1e-3, "classical")
    assert f"{weight.accuracy(0.1):.1f}" in shown.iloc[0, 1]
    assert shown.iloc[0, 2] == f"{100 * weight.failure(20):.2f}\u00a0%"


def test_an_assumption_is_edited(open_app, typed):
    app = open_app("attribute", cal="classical")
    typed["assumptions"] = put("Distance of shares", 0, 0.5)
    app.run()
    sound(app)
    twice = dp.attribute_private_gaussian([12.25], [4.5], 1, 1e-3, "classical")
    assert f"average weight by **{twice.expected_absolute_error:.1f} pounds**" in texts(app)
    # The paper's figure was of another assumption.
    assert table(app, "Noise, classical")["Paper, at ε = 1, δ = 0.001"][0] == "–"


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("Distance of shares", None, "Row 1 has no number under 'Distance of shares'"),
        ("Slope from", 9.0, "slope of 'average weight' runs from 9 to 3.5"),
        ("Deviation from", -1.0, "cannot be below 0"),
        ("Records", 2.5, "whole number"),
        ("Release", None, "name of a release"),
        ("Release", "average temperature", "two rows about 'average temperature'"),
        ("Difference to", float("inf"), "not a finite number"),
    ],
)
def test_a_wrong_assumption_is_a_sentence_and_the_edits_stay(open_app, typed, column, value, says):
    app = open_app("attribute")
    typed["assumptions"] = put(column, 0, value)
    app.run()
    sound(app)
    assert says in errors(app)
    kept = app.session_state["assumption_rows"][column][0]
    assert kept == value or (value is None and pd.isna(kept))
    assert table(app, "Slope from") is not None
    typed.clear()
    typed["assumptions"] = put("Records", 0, 60)
    app.button(key="assumptions_reset").click().run()
    assert not app.error


def test_assumptions_are_loaded_and_a_bad_file_changes_nothing(open_app):
    app = open_app("attribute")
    whole = json.loads(dp.attribute.save_assumptions(dp.attribute.hospital()))
    whole["assumptions"] = whole["assumptions"][:1]
    whole["assumptions"][0] |= {"release": "average ![x](http://e.example/a.png)", "unit": "<b>kg"}
    loader = app.file_uploader(key="assumptions_file")
    loader.set_value(("mine.json", json.dumps(whole).encode(), "application/json")).run()
    sound(app)
    assert not app.error
    assert "http" in texts(app)
    assert not re.search(r"(?<!\\)(!\[|\]\(http|<b>)", texts(app))
    whole["assumptions"][0]["slope"] = [3]
    app.file_uploader(key="assumptions_file").set_value(
        ("bad.json", json.dumps(whole).encode(), "application/json")
    ).run()
    sound(app)
    assert "bad.json" in errors(app)
    assert '"slope" in row 1' in errors(app)
    assert "e\\.example" in texts(app)
    app.button(key="assumptions_reset").click().run()
    assert "average weight" in texts(app)


def test_the_gaussian_mechanism_on_the_session_s_table(open_app):
    app = open_app("attribute", also="workclass = Private: 45 % or 55 %")
    app.session_state["attribute_from_table"] = True
    app.run()
    sound(app)
    assert not app.error
    assert "delivered, by the fitted normals" in texts(app)
    shown = table(app, "Asks for noise σ")
    assert list(shown["Hidden share"]) == ["income = >50K", "workclass = Private"]
    app.slider(key="center").set_value(0.02).run()
    sound(app)
    assert "leaves the range" in errors(app)


@pytest.mark.parametrize("statistic", ["median age", "median hours-per-week"])
@pytest.mark.parametrize("calibration", ["exact", "classical", "guarded"])
def test_a_statistic_without_a_closed_form(open_app, statistic, calibration):
    app = open_app("attribute", stat=["mean education-num", statistic], cal=calibration)
    app.session_state["attribute_from_table"] = True
    app.run()
    sound(app)
    assert "delivered, by the fitted normals" in texts(app) or app.error
    assert "average weight" in texts(app)


def test_the_school_s_releases(open_app):
    app = distribution(open_app("attribute"))
    sound(app)
    assert not app.error
    assert charts(app)
    assert "**no noise is needed**" in texts(app)
    assert "shows in **gender**" in texts(app)
    assert "take the quilt gender: no noise. Algorithm 2 finds the same" in captions(app)
    shown = table(app, "Chosen")
    assert len(shown) == 16
    assert shown["Chosen"].sum() == 1
    app.selectbox(key="quilt_query_0").set_value(1).run()
    sound(app)
    assert "if noise moves it by **100** on average; no quilt does better" in texts(app)
    assert "100/(ε − 0.262) = 136. Algorithm 2 looks at every quilt and finds 100" in captions(app)
    app.selectbox(key="quilt_query_0").set_value(2).run()
    assert "by **105** on average. Without the quilt **height** it would have to be 200" in texts(
        app
    )
    assert "α = b ln(1/(2β)) = 241" in captions(app)
    assert "with probability 10.0 %, twice β" in captions(app)
    app.number_input(key="eps").set_value(0.1).run()
    sound(app)
    assert "takes up all of ε, so it is of no use" in captions(app)


def test_what_is_chosen_is_kept(open_app):
    app = distribution(open_app("attribute"))
    app.multiselect(key="quilt_protected_0").set_value(["family income", "weight"]).run()
    sound(app)
    assert "**family income** and **weight**" in texts(app)
    assert set(table(app, "Chosen")["Hides"]) == {"family income", "weight"}
    app.selectbox(key="quilt_query_0").set_value(3).run()
    sound(app)
    assert not app.error
    app.multiselect(key="quilt_attributes_0_3").set_value(["family income", "height"]).run()
    sound(app)
    assert not app.error
    assert len(table(app, "it moves by at most")) == 3
    app.switch_page("../../pages/fit.py").run()
    distribution(app.switch_page("../../pages/attribute.py").run())
    sound(app)
    assert app.multiselect(key="quilt_protected_0").value == ["family income", "weight"]
    assert app.multiselect(key="quilt_attributes_0_3").value == ["family income", "height"]
    app.multiselect(key="quilt_attributes_0_3").set_value([]).run()
    assert "at least one attribute to protect and one" in errors(app)
    app.multiselect(key="quilt_protected_0").set_value([]).run()
    sound(app)


def test_a_table_is_edited_and_a_wrong_one_keeps_its_edits(open_app, typed):
    app = distribution(open_app("attribute"))
    app.selectbox(key="quilt_node_0").set_value("gender").run()
    typed["quilt_table_0_0_gender"] = put("P(mixed school)", 1, 0.9)
    app.run()
    sound(app)
    assert "'gender' where family income = middle sum to 1.13" in errors(app)
    typed.clear()
    # Another table is looked at, and this one again: what was typed is there.
    app.selectbox(key="quilt_node_0").set_value("weight").run()
    assert "sum to 1.13" in errors(app)
    app.selectbox(key="quilt_node_0").set_value("gender").run()
    assert table(app, "P(mixed school)")["P(mixed school)"][1] == 0.9
    typed["quilt_table_0_0_gender"] = put("P(girls' school)", 1, 0.1)
    app.run()
    sound(app)
    assert not app.error
    influence = dp.attribute.max_influence(
        app.session_state["quilt_draft"].networks(), ["gender"], "family income"
    )
    assert influence == pytest.approx(np.log(0.26 / 0.1))
    shown = table(app, "Chosen")
    assert shown.set_index("Quilt")["Influence e"]["gender"] == f"{influence:.3g}"


def test_a_probability_of_zero_is_explained(open_app, typed):
    app = distribution(open_app("attribute"))
    app.selectbox(key="quilt_node_0").set_value("gender").run()

    def certain(frame):
        frame.loc[0, ["P(mixed school)", "P(girls' school)"]] = [1.0, 0.0]
        return frame

    typed["quilt_table_0_0_gender"] = certain
    app.run()
    sound(app)
    assert not app.error
    assert "have an infinite influence: a probability of 0" in captions(app)


def test_edges_are_edited(open_app, typed):
    app = distribution(open_app("attribute"))
    typed["quilt_edges"] = lambda frame: pd.concat(
        [frame, pd.DataFrame({"From": ["weight", None], "To": ["gender", "height"]})],
        ignore_index=True,
    )
    app.run()
    sound(app)
    assert "The edges make a cycle" in errors(app)
    assert "weight → gender" in errors(app)
    assert ("weight", "gender") in app.session_state["quilt_draft"].edges
    typed["quilt_edges"] = put("From", 0, "gender")  # gender → gender
    app.run()
    assert "cycle, gender → gender" in errors(app)
    # Without an edge the table is averaged over the parent that is gone.
    typed["quilt_edges"] = lambda frame: frame.iloc[1:].reset_index(drop=True)
    app.run()
    sound(app)
    assert not app.error
    app.selectbox(key="quilt_node_0").set_value("gender").run()
    assert table(app, "P(mixed school)")["P(mixed school)"][0] == pytest.approx(0.77)


@pytest.mark.parametrize(
    ("value", "says"), [(-5.0, "got -5"), (float("inf"), "got inf"), (None, "no sensitivity")]
)
def test_a_wrong_sensitivity_is_a_sentence(open_app, typed, value, says):
    app = distribution(open_app("attribute"))
    typed["quilt_delta"] = put("it moves by at most", 0, value)
    app.run()
    sound(app)
    assert says in errors(app)
    typed["quilt_delta"] = put("it moves by at most", 0, 50.0)
    app.run()
    assert not app.error


def test_several_distributions(open_app, typed):
    app = distribution(open_app("attribute"))
    app.button(key="quilt_theta_add").click().run()
    sound(app)
    assert len(app.session_state["quilt_draft"].tables) == 2
    app.selectbox(key="quilt_node_0").set_value("gender").run()
    app.selectbox(key="quilt_theta_0_2").set_value(1).run()
    typed["quilt_table_0_1_gender"] = lambda frame: frame.assign(
        **{"P(mixed school)": [0.5, 0.6, 0.7], "P(girls' school)": [0.5, 0.4, 0.3]}
    )
    app.run()
    sound(app)
    shown = table(app, "Chosen").set_index("Quilt")["Influence e"]
    assert shown["gender"] == f"{np.log(0.5 / 0.3):.3g}"
    app.button(key="quilt_theta_remove").click().run()
    sound(app)
    assert table(app, "Chosen").set_index("Quilt")["Influence e"]["gender"] == "0.262"


def test_networks_are_loaded_and_a_bad_file_changes_nothing(open_app, typed):
    app = distribution(open_app("attribute"))
    whole = json.loads(dp.attribute.save_network(dp.attribute.school()))
    good = json.dumps(whole).replace("family income", "![x](http://e.example/a.png)")
    app.file_uploader(key="network_file").set_value(
        ("mine.json", good.encode(), "application/json")
    ).run()
    sound(app)
    assert not app.error
    shown = "\n".join(e.value for e in [*app.markdown, *app.caption])
    assert "e\\.example" in shown
    assert not re.search(r"(?<!\\)(!\[|\]\(http)", shown)
    assert app.session_state["quilt_draft"].origin == "file"
    for content, says in (
        (b"no", "not JSON"),
        (json.dumps(whole | {"edges": [["x", "y"]]}).encode(), "has no table"),
    ):
        app.file_uploader(key="network_file").set_value(
            ("bad.json", content, "application/json")
        ).run()
        sound(app)
        assert "bad.json: " in errors(app)
        assert says in errors(app)
        assert app.session_state["quilt_draft"].origin == "file"
    app.button(key="network_reset").click().run()
    assert "**family income**" in texts(app)


def test_a_network_is_learned_from_the_table(open_app):
    app = upload(open_app(), records(900).assign(salary=lambda t: t["salary"].where(t.index > 29)))
    app.switch_page("../../pages/attribute.py").run()
    app.session_state["attribute_tab"] = "Distribution"
    app.session_state["quilt_from_table"] = True
    app.run()
    sound(app)
    chosen = next(m for m in app.multiselect if m.label == "Columns")
    chosen.set_value(["active", "salary", "hours"]).run()
    app.button(key="learn").click().run()
    sound(app)
    assert not app.error
    draft = app.session_state["quilt_draft"]
    assert draft.origin == "table"
    assert set(draft.states) == {"active", "salary", "hours"}
    assert len(draft.edges) == 2
    assert "Learned from 870 records of mine.csv; 30 that miss a value are left out" in captions(
        app
    )
    assert "salary" not in str(app.query_params)
    app.segmented_control(key="view").set_value("presentation").run()
    sound(app)
    assert "left out of the presentation view" in " ".join(i.value for i in app.info)
    assert not charts(app)
    app.button(key="network_reset").click().run()
    assert "**family income**" in texts(app)
    app.segmented_control(key="view").set_value("analyst").run()
    next(m for m in app.multiselect if m.label == "Columns").set_value(["active"]).run()
    app.button(key="learn").click().run()
    sound(app)
    assert "at least two columns" in errors(app)


def test_an_editor_that_is_come_back_to_begins_from_what_was_edited(open_app):
    app = open_app("attribute", attribute_tab="Distribution")
    node = app.selectbox(key="quilt_node_0")
    kept = app.session_state["editor_bases"]
    first = next(key for key in kept if key.startswith("quilt_table_"))
    before = kept[first]
    draft = app.session_state["quilt_draft"]
    shown = node.value
    parents, array = draft.tables[0][shown]
    changed = array.copy()
    changed[..., 0], changed[..., 1] = array[..., 1], array[..., 0]
    draft.tables[0][shown] = (parents, changed)
    # There and back without a run in which the table is away.
    other = next(option for option in node.options if option != shown)
    app.selectbox(key="quilt_node_0").set_value(other)
    app.run()
    assert first not in app.session_state["editor_bases"]
    app.selectbox(key="quilt_node_0").set_value(shown).run()
    assert not app.session_state["editor_bases"][first].equals(before)
