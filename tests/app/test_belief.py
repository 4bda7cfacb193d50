"""The Belief page: its priors, its releases, and what moves it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from distpriv import mechanisms
from distpriv.dashboard.belief.prior import BELL, BETA, PAIR, UNIFORM
from tests.app.driver import captions, charts, clean, texts


def curves(app) -> dict[str, np.ndarray]:
    """Heights of the drawn beliefs by name."""
    figure = charts(app)[0]
    return {trace["name"]: np.array(trace["y"], dtype=float) for trace in figure["data"]}


def after(app) -> np.ndarray:
    return curves(app)["after the release"]


def test_it_opens_with_its_sentence_and_its_picture(open_app):
    app = open_app("belief")
    clean(app)
    assert app.title[0].value == "What does the attacker believe?"
    found = re.search(
        r"Before the release the attacker took the share of \*\*(.+?)\*\* to be between 2 % and "
        r"98 %; after it \*\*between (\d+) % and (\d+) %\*\*; without noise it would be between "
        r"(\d+) % and (\d+) %",
        texts(app),
    )
    assert found
    assert "income" in found[1]
    low, high, clear_low, clear_high = (int(end) for end in found.groups()[1:])
    assert clear_high - clear_low < high - low < 96
    drawn = curves(app)
    assert set(drawn) == {"before the release", "after the release", "after it, without noise"}
    assert all(heights.sum() == pytest.approx(1) for heights in drawn.values())
    assert "A simulation, not a release" in captions(app)
    assert "45 of which have the property" in captions(app)
    assert "seed 1, draw 1" in captions(app)


def test_each_prior(open_app):
    app = open_app("belief")
    shape = app.segmented_control(key="belief_prior")
    assert shape.value == UNIFORM
    assert np.ptp(curves(app)["before the release"]) == pytest.approx(0)
    shape.set_value(BELL).run()
    clean(app)
    app.slider(key="belief_center").set_value(0.3).run()
    wide = curves(app)["before the release"]
    assert wide.argmax() == 30
    app.slider(key="belief_width").set_value(0.05).run()
    clean(app)
    assert curves(app)["before the release"].max() > wide.max()
    assert "between 20 % and 40 %" in texts(app)
    app.segmented_control(key="belief_prior").set_value(BETA).run()
    app.number_input(key="belief_a").set_value(2.0).run()
    app.number_input(key="belief_b").set_value(18.0).run()
    clean(app)
    assert curves(app)["before the release"] @ np.arange(101) == pytest.approx(10, abs=0.5)
    app.segmented_control(key="belief_prior").set_value(PAIR).run()
    clean(app)
    app.slider(key="belief_weight").set_value(0.8).run()
    clean(app)
    assert curves(app)["before the release"] == pytest.approx([0.8, 0.2])
    told = re.search(r"a probability of \*\*80 %\*\*; after it \*\*([\d.]+) %\*\*", texts(app))
    assert told
    assert float(told[1]) == pytest.approx(100 * after(app)[0], abs=0.06)
    factor = re.search(r"odds changed by a factor of \*\*([\d.]+)\*\*.*= 2\.72", texts(app))
    assert factor
    first = after(app)[0]
    assert float(factor[1]) == pytest.approx(np.exp(abs(np.log(first / (1 - first) / 4))), rel=0.01)


def test_epsilon_moves_the_picture_a_little_at_a_time(open_app):
    app = open_app("belief")
    box = app.number_input(key="eps")
    first = curves(app)
    box.set_value(1.01).run()
    near = curves(app)
    box.set_value(8.0).run()
    far = curves(app)
    clean(app)
    moved = [np.abs(each["after the release"] - first["after the release"]).sum() / 2
             for each in (near, far)]  # fmt: skip
    assert 0 < moved[0] < 0.02
    assert moved[1] > 0.1
    # What is behind the noise stays the same.
    for each in (near, far):
        clear = "after it, without noise"
        assert each[clear] == pytest.approx(first[clear])


def test_another_share_and_another_release(open_app):
    app = open_app("belief")
    first = after(app)
    app.button(key="belief_again").click().run()
    clean(app)
    assert "draw 2" in captions(app)
    second = after(app)
    assert np.abs(second - first).max() > 1e-6
    key = next(s.key for s in app.slider if s.key and s.key.startswith("belief_truth"))
    app.slider(key=key).set_value(0.9).run()
    clean(app)
    assert "90 of which have the property" in captions(app)
    mean = np.arange(101) @ curves(app)["after it, without noise"]
    assert mean == pytest.approx(90, abs=20)
    app.number_input(key="seed").set_value(7).run()
    assert "seed 7" in captions(app)
    # A new pair starts at its own first share.
    app.slider(key="dp").set_value(0.3).run()
    clean(app)
    assert "35 of which have the property" in captions(app)


def test_own_values(open_app):
    app = open_app("belief")
    app.toggle(key="belief_entered").set_value(True).run()
    clean(app)
    assert "those you entered" in captions(app)
    assert set(curves(app)) == {"before the release", "after the release"}
    assert "without noise" not in texts(app)
    boxes = [box for box in app.main.number_input if box.key.startswith("belief_value")]
    labels = [box.label.replace("\\", "") for box in boxes]
    assert len(labels) == len(app.session_state["scenario"].query)
    held = [box.value for box in boxes]
    app.number_input(key="eps").set_value(6.0).run()
    boxes = [box for box in app.main.number_input if box.key.startswith("belief_value")]
    assert [box.value for box in boxes] == held
    mean = np.arange(101) @ after(app)
    married = labels.index("count marital-status = Never-married (records)")
    boxes[married].set_value(held[married] - 15).run()
    clean(app)
    # Fewer who never married: more who earn much.
    assert np.arange(101) @ after(app) > mean
    # They are kept while another page is looked at, and gone with the toggle.
    app.switch_page("../../pages/attack.py").run()
    app.switch_page("../../pages/belief.py").run()
    clean(app)
    kept = [box for box in app.main.number_input if box.key.startswith("belief_value")]
    assert kept[married].value == held[married] - 15
    kept[married].set_value(1e300).run()
    clean(app)
    app.toggle(key="belief_entered").set_value(False).run()
    clean(app)
    assert "A simulation" in captions(app)
    assert "1e" not in str(app.query_params)


@pytest.mark.parametrize("mechanism", mechanisms.names())
def test_every_mechanism(open_app, mechanism):
    app = open_app("belief", mech=mechanism)
    clean(app)
    assert after(app).sum() == pytest.approx(1)
    numerical = mechanisms.get(mechanism).distribution == "laplace" and mechanism != "DirM(L)"
    assert ("integrated numerically" in captions(app)) == numerical
    app.segmented_control(key="belief_prior").set_value(PAIR).run()
    clean(app)
    promised = mechanisms.get(mechanism).protects
    assert ("promises nothing about it" in texts(app)) != promised
    assert ("allows e^ε" in texts(app)) == promised
    excepts = promised and mechanisms.get(mechanism).takes_delta
    assert ("that δ excepts" in texts(app)) == excepts


def test_odds_beyond_epsilon_are_explained(open_app):
    """DirM(L) hides the shift of the means; the shares' spreads differ all the same."""
    app = open_app("belief", mech="DirM(L)", eps="0.2")
    app.segmented_control(key="belief_prior").set_value(PAIR).run()
    for _ in range(6):
        factor = float(re.search(r"by a factor of \*\*([\d.]+)\*\*", texts(app))[1])
        assert ("spread alike. These are not" in texts(app)) == (factor > 1.2215)
        app.button(key="belief_again").click().run()
    clean(app)


@pytest.mark.parametrize("mechanism", ["OptM", "ExpM(L)"])
@pytest.mark.parametrize("n", ["2", "10000", "1000000"])
def test_few_and_many_records(open_app, n, mechanism):
    app = open_app("belief", n=n, repl="True", dp="0.4", mech=mechanism)
    clean(app)
    assert all(heights.max() <= 1 for heights in curves(app).values())
    app.segmented_control(key="belief_prior").set_value(PAIR).run()
    assert not app.exception
    if n == "2":
        assert "nothing to tell apart" in app.error[0].value
    else:
        clean(app)


def test_a_single_statistic(open_app):
    app = open_app("belief", stat=["mean age"])
    clean(app)
    assert len(app.session_state["scenario"].query) == 1
    for mechanism in ("ExpM(L)", "EigM"):
        app.selectbox(key="mech").set_value(mechanism).run()
        clean(app)


def test_no_noise_at_all(open_app):
    app = open_app("belief", eps="60", mech="DauM")
    clean(app)
    assert app.session_state["scenario"].epsilon == 60
    drawn = curves(app)
    assert drawn["after the release"] == pytest.approx(drawn["after it, without noise"])


def test_the_presentation_view_stays(open_app):
    # Public bounds, so that nothing on the page rests on how far records reach.
    app = open_app(
        "belief", bounds=["0 to 120 age", "0 to 20 education-num", "0 to 168 hours-per-week"]
    )
    before = texts(app)
    app.segmented_control(key="view").set_value("presentation").run()
    clean(app)
    assert texts(app) == before


def test_an_upload_with_few_records_of_a_kind(open_app):
    rng = np.random.default_rng(2)
    active = rng.permutation(np.repeat([True, False], [70, 230]))
    table = pd.DataFrame(
        {
            "salary": np.round(rng.normal(3000, 400, 300) + 200 * active, 2),
            "hours [a](b)": rng.integers(20, 60, 300),
            "active": np.where(active, "true", "false"),
        }
    )
    app = open_app()
    content = table.to_csv(index=False).encode()
    app.file_uploader(key="file").set_value(("mine.csv", content, "text/csv")).run()
    app.switch_page("../../pages/belief.py").run()
    clean(app)
    assert app.session_state["dataset"].title == "mine.csv"
    app.toggle(key="whole").set_value(False).run()
    app.number_input(key="n").set_value(120).run()
    clean(app)
    # No more than 70 of the 120 records can have the property.
    key = next(s.key for s in app.slider if s.key and s.key.startswith("belief_truth"))
    assert app.slider(key=key).max == pytest.approx(70 / 120)
    app.slider(key=key).set_value(70 / 120).run()
    clean(app)
    assert "70 of which have the property" in captions(app)
    # Fewer are possible with a larger n: the slider follows.
    app.number_input(key="n").set_value(126).run()
    clean(app)
    assert "70 of which have the property" in captions(app)
    app.toggle(key="belief_entered").set_value(True).run()
    clean(app)
    shown = "".join(box.label for box in app.main.number_input)
    assert not re.search(r"(?<!\\)\]\(", shown)
    assert "salary" not in str(app.query_params)


def test_the_page_says_what_its_ranges_rest_on(open_app):
    app = open_app("belief", stat=["count marital-status = Never-married"], mech="EigM")
    clean(app)
    assert "computed this from the exact law of the statistics" in texts(app)
    assert "drawn from the exact law" in captions(app)
    drawn = curves(app)["after it, without noise"]
    app.selectbox(key="mech").set_value("ExpM(L)").run()
    clean(app)
    assert "Only the figure without noise rests on the exact law" in texts(app)
    assert curves(app)["after it, without noise"] == pytest.approx(drawn)
    app.number_input(key="n").set_value(2000).run()
    clean(app)
    assert "computed this from the fitted normals, which can mislead" in texts(app)
    assert "Only the figure without noise" not in texts(app)
    assert "drawn from the fitted normals" in captions(app)


def test_a_share_of_the_table_is_told_from_that_of_the_release(open_app):
    app = open_app("belief")
    assert "Your promise is about" not in captions(app)
    app.segmented_control(key="share_of").set_value("table").run()
    clean(app)
    assert app.session_state["scenario"].share_of == "table"
    assert "Your promise is about the share of the table" in captions(app)
