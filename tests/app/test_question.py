"""The Secret & release page: another secret by values and thresholds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.app.driver import box, clean, errors, turn_to, upload


def patients(size: int = 1200) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, size),
            "balance": (rng.lognormal(8, 1, size) * (rng.random(size) < 0.3)).round(2),
            "children": rng.integers(0, 6, size),
            "smoker": np.where(rng.random(size) < 0.2, 1, 0),
            "ward": rng.choice(["A", "B", "C"], size),
        }
    )


def builder(open_app):
    app = turn_to(upload(open_app("question"), patients()), "question")
    clean(app)
    return app


def kind(app):
    return next(each for each in app.segmented_control if each.label == "Records whose value is")


def values(app):
    return next(each for each in app.multiselect if each.label == "Records whose value is one of")


def column(app, name):
    return app.selectbox(key="build_secret_column").set_value(name).run()


def secret(app):
    return app.session_state["scenario"].secret


def test_numbers_with_few_values_are_picked_as_values(open_app):
    app = column(builder(open_app), "children")
    assert kind(app).options == ["one of", "above", "below", "between"]
    values(app).set_value([0, 3]).run()
    app.button(key="build_secret").click().run()
    clean(app)
    assert secret(app).label == "children in 0, 3"
    assert secret(app).values == (0, 3)
    app = column(app, "smoker")
    assert values(app).value == []
    values(app).set_value([1]).run()
    app.button(key="build_secret").click().run()
    clean(app)
    assert secret(app).label == "smoker = 1"
    for page in ("question", "compare", "release", "attack"):
        clean(turn_to(app, page))


def test_what_is_the_secret_itself_leaves_the_release(open_app):
    app = builder(open_app)

    def hide(label):
        boxes = app.selectbox
        return next(b for b in boxes if b.label.startswith("Secret: share")).set_value(label).run()

    app.number_input(key="eps").set_value(1.5).run()  # with the guesses it would begin anew
    app = hide("ward = A")
    chosen = next(each for each in app.multiselect if each.label == "Released statistics")
    chosen.set_value(["mean age", "mean smoker"]).run()
    app = hide("smoker = 1")
    clean(app)
    assert app.session_state["scenario"].query.labels == ("mean age",)
    assert "mean smoker" in app.toast[0].value
    chosen.set_value(["mean age", "count ward = C", "count ward = B"]).run()
    app = hide("ward = B")
    clean(app)
    assert app.session_state["scenario"].query.labels == ("mean age", "count ward = C")


def test_numbers_with_many_values_have_thresholds_alone(open_app):
    assert kind(column(builder(open_app), "age")).options == ["above", "below", "between"]


def test_a_threshold_belongs_to_its_column(open_app):
    app = column(builder(open_app), "balance")
    box(app, "Threshold").set_value(45_211.0).run()
    app = column(app, "age")
    assert 18 <= box(app, "Threshold").value < 90
    app.button(key="build_secret").click().run()
    clean(app)
    assert secret(app).column == "age"
    # It is there again for the column it was set for.
    assert box(column(app, "balance"), "Threshold").value == 45_211.0


def test_thresholds_start_where_some_records_lie_on_either_side(open_app):
    app = builder(open_app)
    for name in ("age", "balance", "children", "smoker"):
        for side in ("above", "below", "between"):
            kind(column(app, name)).set_value(side).run()
            app.button(key="build_secret").click().run()
            clean(app)
            assert secret(app).column == name
            share = secret(app).mask(patients()).mean()
            assert 0 < share < 1


def test_labels_are_picked_as_before(open_app):
    app = column(builder(open_app), "ward")
    app.button(key="build_secret").click().run()
    assert "needs at least one value" in errors(app)
    values(app).set_value(["A", "C"]).run()
    app.button(key="build_secret").click().run()
    clean(app)
    assert secret(app).label == "ward in A, C"


def test_a_value_of_an_upload_stays_out_of_the_address(open_app):
    app = builder(open_app)
    assert secret(app).label == "smoker = 1"
    assert "smoker" not in str(app.query_params)
